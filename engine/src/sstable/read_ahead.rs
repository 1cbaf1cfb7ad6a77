//! Which data blocks a cursor asks the system for before it reaches them.
//!
//! A cursor that moves from block to block through a table on the disk asks for two blocks, then for the four after
//! them, then for eight. So one that soon stops had little read in vain, and one that goes on seldom waits. More is asked for
//! when half of the last blocks are left, so that the disk is at work while those are read.
//!
//! A cursor that is known to go through all of a table asks for much from the start.

use crate::cursor::Direction;
use std::ops::Range;

/// How many blocks are asked for first, and never fewer than that, however long they are.
const FIRST: usize = 2;

/// At most about how many bytes of a table are asked for at once, unless the first blocks alone have more.
const BYTES: u64 = 512 << 10;

/// The same for a cursor that goes through all of it. A compaction has one for each of a dozen inputs: where memory is short,
/// much more would be gone again before it is read.
const THROUGH_ALL_BYTES: u64 = 1 << 20;

/// What a cursor asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadAhead {
    /// The blocks that were asked for, from about where the cursor is.
    asked: Range<usize>,
    /// How many were asked for last.
    last: usize,
    /// Whether the cursor goes through the whole table.
    through_all: bool,
}

impl ReadAhead {
    /// For a cursor that goes through the whole table.
    pub(super) fn through_all() -> ReadAhead {
        ReadAhead {
            through_all: true,
            ..ReadAhead::default()
        }
    }

    /// About how many bytes to ask for at once at most.
    pub(super) fn bytes(&self) -> u64 {
        if self.through_all {
            THROUGH_ALL_BYTES
        } else {
            BYTES
        }
    }

    /// Whether to ask for more when the cursor comes to block `at`, however the ones before were read.
    pub(super) fn goes_on(&self, at: usize) -> bool {
        self.through_all || self.is_close(at)
    }

    /// Whether block `at` is one that was asked for, or is next to them.
    fn is_close(&self, at: usize) -> bool {
        let Range { start, end } = self.asked;
        start < end && start <= at + 1 && at <= end
    }

    /// The cursor has come to block `at` of `blocks`: which ones to ask for now, at most `most` of them or
    /// [`FIRST`]. There may be none.
    pub(super) fn arrive(
        &mut self,
        at: usize,
        direction: Direction,
        blocks: usize,
        most: usize,
    ) -> Range<usize> {
        if !self.is_close(at) {
            self.asked = match direction {
                Direction::Forward => at..at,
                Direction::Backward => at + 1..at + 1,
            };
            self.last = if self.through_all { most } else { FIRST / 2 };
        }
        let Range { start, end } = self.asked;
        let left = match direction {
            Direction::Forward => end - at.min(end),
            Direction::Backward => (at + 1).saturating_sub(start),
        };
        if left > self.last / 2 {
            return at..at;
        }
        self.last = (2 * self.last).min(most.max(FIRST));
        let next = match direction {
            Direction::Forward => {
                let more = end..(end + self.last).min(blocks);
                self.asked = at..more.end.max(end);
                more
            }
            Direction::Backward => {
                let more = start.saturating_sub(self.last)..start;
                self.asked = more.start..at + 1;
                more
            }
        };
        if next.is_empty() { at..at } else { next }
    }

    /// What was asked for last was in memory already: nothing more is asked for, unless the cursor goes through all.
    pub(super) fn found_all_in_memory(&mut self) {
        if !self.through_all {
            *self = ReadAhead::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(
        ahead: &mut ReadAhead,
        at: impl Iterator<Item = usize>,
        direction: Direction,
        blocks: usize,
    ) -> Vec<(usize, Range<usize>)> {
        at.map(|at| (at, ahead.arrive(at, direction, blocks, 8)))
            .filter(|(_, asked)| !asked.is_empty())
            .collect()
    }

    #[test]
    fn twice_as_many_each_time_and_each_block_once() {
        let mut ahead = ReadAhead::default();
        assert_eq!(
            walk(&mut ahead, 5..36, Direction::Forward, 36),
            [
                (5, 5..7),
                (6, 7..11),
                (9, 11..19),
                (15, 19..27),
                (23, 27..35),
                (31, 35..36),
            ]
        );
        let mut ahead = ReadAhead::default();
        assert_eq!(
            walk(&mut ahead, (0..20).rev(), Direction::Backward, 20),
            [(19, 18..20), (18, 14..18), (15, 6..14), (9, 0..6)]
        );
    }

    #[test]
    fn through_all_of_a_table_as_much_as_may_be_from_the_start() {
        let mut ahead = ReadAhead::through_all();
        assert!(ahead.goes_on(0));
        assert_eq!(
            walk(&mut ahead, 0..20, Direction::Forward, 20),
            [(0, 0..8), (4, 8..16), (12, 16..20)]
        );
        ahead.found_all_in_memory();
        assert!(ahead.goes_on(3));
    }

    #[test]
    fn after_a_seek_elsewhere_it_begins_anew() {
        let mut ahead = ReadAhead::default();
        walk(&mut ahead, 0..20, Direction::Forward, 100);
        assert!(ahead.goes_on(20) && !ahead.goes_on(70));
        assert_eq!(ahead.arrive(70, Direction::Forward, 100, 8), 70..72);
        assert_eq!(ahead.arrive(10, Direction::Backward, 100, 8), 9..11);
        assert_eq!(ahead.arrive(0, Direction::Backward, 100, 8), 0..1);
    }

    #[test]
    fn it_ends_when_what_was_asked_for_was_in_memory() {
        let mut ahead = ReadAhead::default();
        ahead.arrive(7, Direction::Forward, 100, 8);
        assert!(ahead.goes_on(8));
        ahead.found_all_in_memory();
        assert!(!ahead.goes_on(8));
    }

    #[test]
    fn turning_around_asks_for_what_lies_behind() {
        let mut ahead = ReadAhead::default();
        walk(&mut ahead, 10..16, Direction::Forward, 100);
        assert_eq!(
            walk(&mut ahead, (0..15).rev(), Direction::Backward, 100),
            [(14, 6..14), (9, 0..6)]
        );
    }
}
