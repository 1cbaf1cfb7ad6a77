//! Ranges of members, which are made for sets whose members all have one score.
//!
//! There the order of the set is the order of the bytes, and a range is a range of data rows. Among different scores
//! Redis gives no promise, but clients still ask, most often for everything, from `-` to `+`. Everything comes in the order
//! of the set. Of a small set the answer is that of Redis's compact form:
//!
//! - there is one only if the last member of the set reaches the lower bound and its first one does not exceed the upper
//!   bound;
//! - in the order of the set, it begins at the first member that reaches the bound where the search begins, and ends
//!   before the first one beyond the other bound;
//! - an offset counts members of the set from there, in the range or not.
//!
//! Of a larger set Redis asks only some of the members, by chance. Here the range is that of the data rows, as where all
//! scores are the same, which needs no look at the scores.

use bytes::Bytes;

use crate::store::Direction;
use crate::types::Result;
use crate::types::rows::Score;
use crate::types::zset::{Gather, Index, LexRange, SortedSet, Window};

/// A set of at most this many members is compact in Redis, unless one of them is long.
const COMPACT_MAX: u64 = 128;

impl SortedSet<'_, '_> {
    /// The members between two bounds, in the order of `direction`.
    ///
    /// Cost: as [`SortedSet::by_score`]; for a small set also a seek to each of its ends, and a walk where scores differ.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn by_lex<M: Gather>(
        &self,
        range: &LexRange,
        direction: Direction,
        window: Window,
    ) -> Result<M> {
        if range.is_everything() {
            return self.collect(
                Index::ByScore,
                &self.opened.prefix.rows(),
                direction,
                window,
            );
        }
        let rows = range.rows(&self.opened.prefix);
        if self.len() <= COMPACT_MAX
            && let Scores::Many { first, last } = self.scores()?
        {
            let may_hold = !rows.is_empty()
                && range.is_reached(&last, Direction::Forward)
                && range.is_reached(&first, Direction::Backward);
            if window.limit == 0 || !may_hold {
                return Ok(M::default());
            }
            return self.by_lex_among_scores(range, direction, window);
        }
        self.collect(Index::ByMember, &rows, direction, window)
    }

    fn by_lex_among_scores<M: Gather>(
        &self,
        range: &LexRange,
        direction: Direction,
        window: Window,
    ) -> Result<M> {
        let mut gathered = M::default();
        let mut has_begun = false;
        let mut skipped = 0;
        let rows = self.opened.prefix.rows();
        self.each(Index::ByScore, &rows, direction, |row, value| {
            let member = self.member(Index::ByScore, row)?;
            if !has_begun {
                if !range.is_reached(member, direction) {
                    return Ok(true);
                }
                has_begun = true;
                // Otherwise there is nothing in the range, whatever is skipped.
                if range.is_passed(member, direction) {
                    return Ok(false);
                }
            }
            if skipped < window.offset {
                skipped += 1;
                return Ok(true);
            }
            if range.is_passed(member, direction) {
                return Ok(false);
            }
            gathered.gather(self, Index::ByScore, row, value)?;
            Ok(gathered.count() < window.limit)
        })?;
        Ok(gathered)
    }

    /// The scores at both ends of the set. Two seeks.
    pub(super) fn scores(&self) -> Result<Scores> {
        let rows = self.opened.prefix.rows();
        let first = self.scan(Index::ByScore, &rows, Direction::Forward)?;
        let last = self.scan(Index::ByScore, &rows, Direction::Backward)?;
        let (Some((first, _)), Some((last, _))) = (first.row(), last.row()) else {
            return Ok(Scores::None);
        };
        let (least, first) = self.opened.prefix.score_member(first)?;
        let (greatest, last) = self.opened.prefix.score_member(last)?;
        Ok(if least == greatest {
            Scores::One(least)
        } else {
            Scores::Many {
                first: Bytes::copy_from_slice(first),
                last: Bytes::copy_from_slice(last),
            }
        })
    }
}

/// Whether all members of a set have the same score.
pub(super) enum Scores {
    /// There are no members.
    None,
    /// All have this one.
    One(Score),
    /// They have different ones.
    Many {
        /// The member with the least score.
        first: Bytes,
        /// The member with the greatest score.
        last: Bytes,
    },
}
