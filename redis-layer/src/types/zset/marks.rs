//! Low- and high-water marks: they keep a queue fast.
//!
//! A sorted set that is used as a queue has its first rows removed again and again. An ordered
//! store keeps a tombstone for each of them until a compaction, and a scan from the start of the
//! set walks over all of them: every pop is slower than the one before (Kvrocks #494 saw tens of
//! operations a second). So the metadata row, which a pop writes anyway, remembers where the last
//! pop stopped, and scans begin there.
//!
//! Invariants
//! 1. Every score row of the set is at or after `low` and before `high`, where they are known.
//! 2. A mark has at most [`MARK_BYTES`] bytes, so long members do not make the metadata long. A low mark may be cut
//!    short, since a prefix sorts before what begins with it. A high mark that is too long becomes the successor of
//!    its prefix.
//! 3. `first_is_known` says that there is a row exactly at `low`; `last_is_known` says that there is a row whose next key
//!    is `high`.
//!
//! A command that removes a member by name does not know whether it was the first one, unless another row is known to
//! be at the mark. If none is known, one removal in eight looks where the set begins now, or where it ends, and moves
//! the mark there. So in a set whose members get new scores again and again, nearly no removal looks.
//!
//! Left out: tombstones between two existing members. A scan over such a place walks over them until a compaction, or
//! until a small set is written anew (`types::losses`). The same is true of members of one score that share more first bytes than a mark has.

use std::cmp::{max, min};

use engine::keys::prefix_successor;

use crate::store::{Direction, KeyRange, next_key};
use crate::types::rows::{MARK_BYTES, Mark, Marks, RowPrefix};

impl Marks {
    /// Notes that a row is added: the marks make room for it.
    pub fn cover(&mut self, row: &[u8]) {
        if *row <= *self.low {
            self.begin_at(row, Direction::Forward);
        }
        if !self.high.is_empty() && *row >= *self.high {
            self.begin_at(row, Direction::Backward);
        }
    }

    /// Notes that all rows up to and including `row`, from the start of `direction`, are gone.
    pub fn pass(&mut self, row: &[u8], direction: Direction) {
        match direction {
            Direction::Forward => {
                (self.low, self.first_is_known) = (Mark::start_of(&next_key(row)), false);
            }
            Direction::Backward => (self.high, self.last_is_known) = (at_or_after(row), false),
        }
    }

    /// Notes that `row` is the first one from the start of `direction`.
    pub fn begin_at(&mut self, row: &[u8], direction: Direction) {
        match direction {
            Direction::Forward => {
                (self.low, self.first_is_known) = (Mark::start_of(row), row.len() <= MARK_BYTES);
            }
            Direction::Backward => {
                self.high = at_or_after(&next_key(row));
                self.last_is_known = row.len() < MARK_BYTES;
            }
        }
    }

    /// Notes that a row is gone, wherever it was.
    pub fn lose(&mut self, row: &[u8]) {
        self.first_is_known &= *row != *self.low;
        self.last_is_known &= self.high.split_last() != Some((&0, row));
    }

    /// Whether it is known which row is the first one from the start of `direction`.
    #[must_use]
    pub const fn end_is_known(&self, direction: Direction) -> bool {
        match direction {
            Direction::Forward => self.first_is_known,
            Direction::Backward => self.last_is_known,
        }
    }

    /// The part of a range of score rows that lies between the marks.
    #[must_use]
    pub fn clamp(&self, rows: &KeyRange, prefix: &RowPrefix) -> KeyRange {
        let mut clamped = rows.clone();
        clamped.start = max(clamped.start, prefix.score_key_at(&self.low));
        if !self.high.is_empty() {
            let high = prefix.score_key_at(&self.high);
            clamped.end = Some(
                clamped
                    .end
                    .map_or_else(|| high.clone(), |end| min(end, high.clone())),
            );
        }
        clamped
    }

    /// Whether a row lies between the marks.
    #[must_use]
    pub fn contain(&self, row: &[u8]) -> bool {
        *row >= *self.low && (self.high.is_empty() || *row < *self.high)
    }
}

/// The nearest high mark that is at or after a row.
fn at_or_after(row: &[u8]) -> Mark {
    if row.len() <= MARK_BYTES {
        Mark::start_of(row)
    } else {
        // Nothing comes after a prefix that has no successor, and an empty mark says that nothing is known.
        let successor = prefix_successor(&row[..MARK_BYTES]);
        successor.map_or_else(Mark::default, |successor| Mark::start_of(&successor))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Rows that often coincide, and that reach the length of a mark.
    fn row() -> impl Strategy<Value = Vec<u8>> {
        let end = vec(prop_oneof![Just(0x00), Just(0x01), Just(0xff)], 0..4);
        (any::<bool>(), end).prop_map(|(long, end)| {
            let start = vec![0xff; if long { MARK_BYTES - 1 } else { 1 }];
            [start, end].concat()
        })
    }

    proptest! {
        #[test]
        fn every_row_of_a_set_stays_between_its_marks(
            steps in vec((row(), 0..5_u8, 0..3_usize, any::<prop::sample::Index>()), 1..30),
        ) {
            let mut marks = Marks::default();
            let mut rows: std::collections::BTreeSet<Vec<u8>> = Default::default();
            for (row, step, count, which) in steps {
                for _ in 0..count {
                    let (removed, direction) = match step {
                        0 if !rows.is_empty() => {
                            let removed = rows.iter().nth(which.index(rows.len())).cloned();
                            removed.iter().for_each(|row| assert!(rows.remove(row)));
                            (removed, None)
                        }
                        1 => (rows.pop_first(), Some(Direction::Forward)),
                        2 => (rows.pop_last(), Some(Direction::Backward)),
                        _ => (None, None),
                    };
                    if let Some(removed) = removed {
                        marks.lose(&removed);
                        direction.into_iter().for_each(|direction| marks.pass(&removed, direction));
                    }
                }
                match (step, rows.first(), rows.last()) {
                    (3, Some(first), _) => marks.begin_at(first, Direction::Forward),
                    (4, _, Some(last)) => marks.begin_at(last, Direction::Backward),
                    _ => {}
                }
                marks.cover(&row);
                rows.insert(row);
                prop_assert!(rows.iter().all(|row| marks.contain(row)), "{marks:?} {rows:?}");
                prop_assert!(marks.low.len() <= MARK_BYTES && marks.high.len() <= MARK_BYTES);
                prop_assert!(!marks.first_is_known || rows.first().is_some_and(|row| **row == *marks.low));
                let last = rows.last().map(|row| next_key(row));
                prop_assert!(!marks.last_is_known || last.is_some_and(|next| *next == *marks.high));
            }
        }
    }
}
