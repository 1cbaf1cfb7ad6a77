//! Sorted sets: two rows for each member, one by name and one by score.
//!
//! The data row answers "what is the score of this member", the score row answers "who lies in
//! this range". The metadata row holds the number of members, so `ZCARD` reads one row.
//!
//! Invariants, which [`check`](crate::types::check) walks
//! 1. The data rows and the score rows of a set describe the same pairs.
//! 2. The size in the metadata row is their number. It is never 0: an empty set is no key.
//! 3. All score rows stand between the [`marks`].
//!
//! Left out: ranks without a walk. Everything that counts lies in [`rank`], behind a
//! few functions, and waits there for its index.

mod add;
pub mod marks;
mod range;
pub mod rank;

use bytes::Bytes;

pub use add::{AddRule, Added};
pub use range::{LexBound, LexRange, ScoreRange, Window};

use crate::store::{Cursor, Direction, KeyRange, Space};
use crate::types::rows::{Collection, Marks, RowPrefix, Score, decode_score, encode_score};
use crate::types::{Content, Error, Metadata, Result, Txn};

/// A member with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// The member.
    pub member: Bytes,
    /// Its score.
    pub score: f64,
}

/// Which row an [`Element`] is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Index {
    ByMember,
    ByScore,
}

/// One sorted set inside a command. Changes count only after [`SortedSet::finish`].
pub struct SortedSet<'t, 's> {
    txn: &'t mut Txn<'s>,
    key: &'t [u8],
    expires_ms: Option<i64>,
    version: u64,
    size: u64,
    marks: Marks,
    prefix: RowPrefix,
}

impl<'t, 's> SortedSet<'t, 's> {
    /// The set under a key, if the key exists.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn open(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Option<Self>> {
        let metadata = txn.lookup(key)?;
        metadata
            .map(|metadata| Self::stored(txn, key, &metadata))
            .transpose()
    }

    /// The set under a key, or an empty one if the key does not exist. It is a key once it has a
    /// member.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn open_or_create(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Self> {
        let metadata = match txn.lookup(key)? {
            Some(metadata) => metadata,
            None => {
                let version = txn.new_version()?;
                let content = Content::SortedSet(Collection { version, size: 0 }, Marks::default());
                Metadata {
                    expires_ms: None,
                    content,
                }
            }
        };
        Self::stored(txn, key, &metadata)
    }

    fn stored(txn: &'t mut Txn<'s>, key: &'t [u8], metadata: &Metadata) -> Result<Self> {
        let Content::SortedSet(collection, marks) = &metadata.content else {
            return Err(Error::WrongType);
        };
        let Collection { version, size } = *collection;
        let expires_ms = metadata.expires_ms;
        let marks = marks.clone();
        let prefix = RowPrefix::new(txn.db(), key, version);
        Ok(Self {
            txn,
            key,
            expires_ms,
            version,
            size,
            marks,
            prefix,
        })
    }

    /// How many members there are. O(1).
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.size
    }

    /// Whether there is no member.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The score of a member. One point read.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn score(&self, member: &[u8]) -> Result<Option<f64>> {
        Ok(self.stored_score(member)?.map(Score::get))
    }

    fn stored_score(&self, member: &[u8]) -> Result<Option<Score>> {
        let row = self.prefix.data_key(member);
        let value = self.txn.get(Space::Data, &row)?;
        value.map(|value| decode_score(&row, &value)).transpose()
    }

    /// Gives a member a score, in both indexes. `old` is the score that it has now.
    fn place(&mut self, member: &[u8], old: Option<Score>, score: Score) {
        match old {
            Some(old) => {
                let stale = self.prefix.score_key(old, member);
                self.txn.delete(Space::Score, stale);
            }
            None => self.size += 1,
        }
        let data_row = self.prefix.data_key(member);
        self.txn.put(Space::Data, data_row, encode_score(score));
        let score_row = self.prefix.score_key(score, member);
        self.marks.cover(self.prefix.mark_of(&score_row));
        self.txn.put(Space::Score, score_row, Bytes::new());
    }

    /// Removes a member. Answers whether it was there.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn remove(&mut self, member: &[u8]) -> Result<bool> {
        let Some(score) = self.stored_score(member)? else {
            return Ok(false);
        };
        let data_row = self.prefix.data_key(member);
        self.txn.delete(Space::Data, data_row);
        let score_row = self.prefix.score_key(score, member);
        self.txn.delete(Space::Score, score_row);
        self.size = self.size.saturating_sub(1);
        Ok(true)
    }

    /// The members whose scores lie in a range, in the order of `direction`.
    ///
    /// Cost: one seek, then one step for each element that is skipped or returned.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn by_score(
        &self,
        range: &ScoreRange,
        direction: Direction,
        window: Window,
    ) -> Result<Vec<Element>> {
        let rows = range.rows(&self.prefix);
        self.collect(Index::ByScore, &rows, direction, window)
    }

    /// The members that lie in a range by their bytes, whatever their scores. For members with
    /// equal scores that is the order of the set.
    ///
    /// Cost: as [`SortedSet::by_score`].
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn by_lex(
        &self,
        range: &LexRange,
        direction: Direction,
        window: Window,
    ) -> Result<Vec<Element>> {
        let rows = range.rows(&self.prefix);
        self.collect(Index::ByMember, &rows, direction, window)
    }

    /// Removes and returns the first members in the order of `direction`, at most `count`.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn pop(&mut self, count: u64, direction: Direction) -> Result<Vec<Element>> {
        let popped = self.by_score(&ScoreRange::ALL, direction, Window::first(count))?;
        for element in &popped {
            self.remove(&element.member)?;
        }
        if let Some(last) = popped.last() {
            let score = Score::new(last.score).map_err(|_| Error::NotANumber)?;
            let row = self.prefix.score_key(score, &last.member);
            self.marks.pass(self.prefix.mark_of(&row), direction);
        }
        Ok(popped)
    }

    /// Writes the size, or removes the key if no member is left.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn finish(self) -> Result<()> {
        if self.size == 0 {
            self.txn.remove_key(self.key)?;
            return Ok(());
        }
        let metadata = Metadata {
            expires_ms: self.expires_ms,
            content: Content::SortedSet(
                Collection {
                    version: self.version,
                    size: self.size,
                },
                self.marks,
            ),
        };
        self.txn.set_metadata(self.key, &metadata);
        Ok(())
    }

    fn collect(
        &self,
        index: Index,
        rows: &KeyRange,
        direction: Direction,
        window: Window,
    ) -> Result<Vec<Element>> {
        let mut elements = Vec::new();
        if window.limit == 0 {
            return Ok(elements);
        }
        let mut cursor = self.scan(index, rows, direction)?;
        let mut skipped = 0;
        while let Some((row, value)) = cursor.row() {
            if skipped < window.offset {
                skipped += 1;
            } else {
                elements.push(self.element(index, row, value)?);
                if elements.len() as u64 == window.limit {
                    break;
                }
            }
            cursor.advance()?;
        }
        Ok(elements)
    }

    fn scan(
        &self,
        index: Index,
        rows: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor + '_>> {
        match index {
            Index::ByMember => self.txn.scan(Space::Data, rows, direction),
            Index::ByScore => {
                let rows = self.marks.clamp(rows, &self.prefix);
                self.txn.scan(Space::Score, &rows, direction)
            }
        }
    }

    fn element(&self, index: Index, row: &[u8], value: &[u8]) -> Result<Element> {
        let (score, member) = match index {
            Index::ByMember => (decode_score(row, value)?, self.prefix.data_member(row)?),
            Index::ByScore => self.prefix.score_member(row)?,
        };
        Ok(Element {
            member: Bytes::copy_from_slice(member),
            score: score.get(),
        })
    }
}
