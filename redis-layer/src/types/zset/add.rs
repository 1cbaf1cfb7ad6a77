//! Adding to a sorted set: the rules of `ZADD`, for one member at a time.
//!
//! The checks are in the order of Redis, which a client can observe: with `INCR` the condition looks at the sum, and
//! NaN is refused before any condition is checked.

use crate::types::rows::Score;
use crate::types::zset::SortedSet;
use crate::types::{Error, Result};

/// When and how [`SortedSet::add`] changes a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddRule {
    /// Adds only members that do not exist yet.
    pub only_new: bool,
    /// Changes only members that exist already.
    pub only_existing: bool,
    /// An existing member gets only greater scores.
    pub only_greater: bool,
    /// An existing member gets only lower scores.
    pub only_less: bool,
    /// The score is added to the existing one.
    pub increment: bool,
}

/// What [`SortedSet::add`] did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Added {
    /// The member is new, with this score.
    New(f64),
    /// The member existed and has this score now.
    Changed(f64),
    /// The rule allowed the change, but the member had this score already.
    Same(f64),
    /// The rule forbade the change.
    Refused,
}

impl SortedSet<'_, '_> {
    /// Adds a member, or changes its score, as the rule says.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; a damaged row; those of the store.
    pub fn add(&mut self, member: &[u8], score: f64, rule: AddRule) -> Result<Added> {
        let given = Score::new(score).map_err(|_| Error::NotANumber)?;
        let data_row = self.txn.member_row(&self.opened.prefix, member);
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
