//! Removing from a sorted set: members by name, members at an end, and ranges.
//!
//! A removal at an end of the set moves the [mark](crate::types::zset::marks) there, so that the next command does
//! not walk over the tombstones.

use crate::store::{Direction, KeyRange, Space, next_key};
use crate::types::orphans::CLEARED_FROM;
use crate::types::rows::Score;
use crate::types::zset::{Element, Index, LexRange, Members, ScoreRange, SortedSet, Window, rank};
use crate::types::{Error, Result};

/// One of this many removals by name looks where the set begins now, or where it ends.
const LOOKS_ONCE_IN: u64 = 8;

impl SortedSet<'_, '_> {
    /// Removes a member. Returns whether it existed.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn remove(&mut self, member: &[u8]) -> Result<bool> {
        let Some(score) = self.stored_score(member)? else {
            return Ok(false);
        };
        self.erase(score, member)?;
        Ok(true)
    }

    /// Removes and returns the first members in the order of `direction`, at most `count`.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn pop(&mut self, count: u64, direction: Direction) -> Result<Vec<Element>> {
        let (popped, ahead) = self.take_ahead(count, direction)?;
        self.erase_all(&popped)?;
        *self.txn.ahead() = Some(ahead);
        if let Some(last) = popped.last() {
            let row = self.opened.prefix.score_key(score_of(last)?, &last.member);
            self.marks.pass(self.opened.prefix.mark_of(&row), direction);
        }
        Ok(popped)
    }

    /// Removes `count` members from one rank on. Returns how many there were.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn remove_ranks(&mut self, first: u64, count: u64) -> Result<u64> {
        let elements: Members = rank::select(self, first, count, Direction::Forward)?;
        self.remove_range(&elements.into_elements())
    }

    /// Removes the members that have a score in the range. Returns how many there were.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn remove_scores(&mut self, range: &ScoreRange) -> Result<u64> {
        let elements: Members = self.by_score(range, Direction::Forward, Window::ALL)?;
        self.remove_range(&elements.into_elements())
    }

    /// Removes the members that [`SortedSet::by_lex`] finds. Returns how many there were.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn remove_members(&mut self, range: &LexRange) -> Result<u64> {
        let elements: Members = self.by_lex(range, Direction::Forward, Window::ALL)?;
        let elements = elements.into_elements();
        // In the order of scores, other members may lie between them, so no mark moves.
        if !self.abandon(elements.len()) {
            self.lost += elements.len() as u64;
            self.erase_all(&elements)?;
        }
        Ok(elements.len() as u64)
    }

    /// Whether all members are removed and are so many that their rows are left as orphans, which are removed as a
    /// range. Then nothing remains to be done but to end the change.
    fn abandon(&mut self, members: usize) -> bool {
        let removed = members as u64;
        let is_worth_it = removed == self.opened.size && removed >= CLEARED_FROM;
        if is_worth_it {
            self.opened.size = 0;
        }
        is_worth_it
    }

    /// Removes elements that have no others between them.
    fn remove_range(&mut self, elements: &[Element]) -> Result<u64> {
        if self.abandon(elements.len()) {
            return Ok(elements.len() as u64);
        }
        self.erase_all(elements)?;
        if let (Some(first), Some(last)) = (elements.first(), elements.last()) {
            let first = self
                .opened
                .prefix
                .score_key(score_of(first)?, &first.member);
            let last = self.opened.prefix.score_key(score_of(last)?, &last.member);
            self.note_gone(&first, &last, Direction::Forward)?;
            self.note_gone(&first, &last, Direction::Backward)?;
        }
        Ok(elements.len() as u64)
    }

    fn erase_all(&mut self, elements: &[Element]) -> Result<()> {
        for space in [Space::Data, Space::Score] {
            self.txn.make_room(space, elements.len());
        }
        for element in elements {
            self.erase_data_row(&element.member);
            let row = self
                .opened
                .prefix
                .score_key(score_of(element)?, &element.member);
            self.lose(&row);
            self.txn.delete(Space::Score, row);
        }
        Ok(())
    }

    /// Removes a member that has this score.
    fn erase(&mut self, score: Score, member: &[u8]) -> Result<()> {
        self.erase_data_row(member);
        self.erase_score(score, member)
    }

    fn erase_data_row(&mut self, member: &[u8]) {
        let row = self.opened.prefix.data_key(member);
        self.txn.delete(Space::Data, row);
        self.opened.size = self.opened.size.saturating_sub(1);
    }

    /// Removes the score row of a member that is removed or gets another score.
    pub(super) fn erase_score(&mut self, score: Score, member: &[u8]) -> Result<()> {
        let row = self.opened.prefix.score_key(score, member);
        self.lose(&row);
        self.look_for_ends(&row)?;
        self.lost += 1;
        self.txn.delete(Space::Score, row);
        Ok(())
    }

    /// Tells the marks and the index that a score row is removed.
    fn lose(&mut self, row: &[u8]) {
        self.marks.lose(self.opened.prefix.mark_of(row));
        rank::note_removed(self, row);
    }

    /// A row is removed, and it may be unknown whether it was the first or the last one. To find out costs a seek, so
    /// only some removals do it, chosen by a hash of the row: then a queue whose members are removed by name has no
    /// more than a few dozen removed rows before its first one.
    fn look_for_ends(&mut self, row: &[u8]) -> Result<()> {
        if self.marks.first_is_known && self.marks.last_is_known {
            return Ok(());
        }
        // FNV-1a, by Fowler, Noll and Vo.
        let hash = row.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        // The low bits of this hash are of poor quality.
        let chosen = hash >> 40;
        if !chosen.is_multiple_of(LOOKS_ONCE_IN) {
            return Ok(());
        }
        let direction = if (chosen / LOOKS_ONCE_IN).is_multiple_of(2) {
            Direction::Forward
        } else {
            Direction::Backward
        };
        if self.marks.end_is_known(direction) {
            return Ok(());
        }
        self.note_gone(row, row, direction)
    }

    /// Notes that all rows from `first` to `last` are gone. If there are no rows before them (in `direction`), moves
    /// the mark past them; otherwise moves it to the first row that is left. So no later look steps over the same
    /// tombstones.
    fn note_gone(&mut self, first: &[u8], last: &[u8], direction: Direction) -> Result<()> {
        let all = self.opened.prefix.rows();
        let outside = match direction {
            Direction::Forward => KeyRange::between(all.start, first.to_vec()),
            Direction::Backward => KeyRange {
                start: next_key(last),
                end: all.end,
            },
        };
        let cursor = self.scan(Index::ByScore, &outside, direction)?;
        let end = cursor
            .row()
            .map(|(row, _)| self.opened.prefix.mark_of(row).to_vec());
        drop(cursor);
        match end {
            Some(end) => self.marks.begin_at(&end, direction),
            None => {
                let gone = match direction {
                    Direction::Forward => last,
                    Direction::Backward => first,
                };
                self.marks.pass(self.opened.prefix.mark_of(gone), direction);
            }
        }
        Ok(())
    }
}

fn score_of(element: &Element) -> Result<Score> {
    Score::new(element.score).map_err(|_| Error::NotANumber)
}
