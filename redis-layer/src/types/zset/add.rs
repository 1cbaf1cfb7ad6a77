//! Adding to a sorted set: the rule of `ZADD`, one member at a time.
//!
//! The order of the questions is the one of Redis, and it shows: with `INCR` the condition looks
//! at the sum, and NaN is refused before any condition is asked.

use crate::types::rows::Score;
use crate::types::zset::SortedSet;
use crate::types::{Error, Result};

/// When and how [`SortedSet::add`] changes a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddRule {
    /// Only members that are not there.
    pub only_new: bool,
    /// Only members that are there.
    pub only_existing: bool,
    /// A member that is there gets greater scores only.
    pub only_greater: bool,
    /// A member that is there gets less scores only.
    pub only_less: bool,
    /// The score is added to the one that is there.
    pub increment: bool,
}

/// What [`SortedSet::add`] did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Added {
    /// The member is new, with this score.
    New(f64),
    /// The member has another score now, this one.
    Changed(f64),
    /// The rule allowed it, but the member had this score already.
    Same(f64),
    /// The rule forbade it.
    Refused,
}

impl SortedSet<'_, '_> {
    /// Adds a member, or changes its score, as the rule says.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; a damaged row; those of the store.
    pub fn add(&mut self, member: &[u8], score: f64, rule: AddRule) -> Result<Added> {
        let given = Score::new(score).map_err(|_| Error::NotANumber)?;
        let data_row = self.txn.member_row(&self.prefix, member);
        let Some(current) = self.score_in(&data_row)? else {
            if rule.only_existing {
                return Ok(Added::Refused);
            }
            let data_row = data_row.into_owned();
            self.place(member, data_row, None, given)?;
            return Ok(Added::New(given.get()));
        };
        if rule.only_new {
            return Ok(Added::Refused);
        }
        let wanted = if rule.increment {
            Score::new(current.get() + given.get()).map_err(|_| Error::NotANumber)?
        } else {
            given
        };
        if (rule.only_less && wanted >= current) || (rule.only_greater && wanted <= current) {
            return Ok(Added::Refused);
        }
        if wanted == current {
            return Ok(Added::Same(wanted.get()));
        }
        let data_row = data_row.into_owned();
        self.place(member, data_row, Some(current), wanted)?;
        Ok(Added::Changed(wanted.get()))
    }
}
