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
//! 4. The [index](indexes) in memory, if there is one, counts the score rows.

mod add;
pub mod algebra;
pub mod counts;
pub mod indexes;
pub mod marks;
mod range;
pub mod rank;
mod remove;

use bytes::Bytes;

pub use add::{AddRule, Added};
pub use range::{LexBound, LexRange, ScoreRange, Window};

use crate::store::{Cursor, Direction, KeyRange, Space};
use crate::types::rows::{Collection, Marks, RowPrefix, Score, decode_score, encode_score};
use crate::types::scan::{self, Extent};
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
    /// Whether the lock of the key is held, so that nobody else changes the rank index.
    is_ranked: bool,
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

    /// The set under a key, ready for questions about ranks: see [`rank`]. Only for commands that
    /// read no other key: the set is read from a new snapshot, which is taken under the lock of the key.
    ///
    /// # Errors
    /// As for [`SortedSet::open`].
    pub fn open_ranked(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Option<Self>> {
        txn.lock_to_read(key)?;
        Self::open(txn, key)
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
        let is_ranked = txn.holds_lock_of(key);
        Ok(Self {
            txn,
            key,
            expires_ms,
            version,
            size,
            marks,
            prefix,
            is_ranked,
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
    fn place(&mut self, member: &[u8], old: Option<Score>, score: Score) -> Result<()> {
        match old {
            Some(old) => self.erase_score(old, member)?,
            None => self.size += 1,
        }
        let data_row = self.prefix.data_key(member);
        self.txn.put(Space::Data, data_row, encode_score(score));
        let score_row = self.prefix.score_key(score, member);
        self.marks.cover(self.prefix.mark_of(&score_row));
        self.txn.put(Space::Score, score_row.clone(), Bytes::new());
        rank::note_added(self, &score_row)
    }

    /// The members whose scores lie in a range, in the order of `direction`.
    ///
    /// Cost: one seek, then one step for each element that is skipped or returned. If the set was opened by
    /// [`SortedSet::open_ranked`], skipping many costs no more than skipping a few.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn by_score(
        &self,
        range: &ScoreRange,
        direction: Direction,
        window: Window,
    ) -> Result<Vec<Element>> {
        let (rows, window) = rank::skip(self, range.rows(&self.prefix), direction, window)?;
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

    /// Visits the members whose scores lie in a range, the least score first, as long as `visit` wants more.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn each_by_score(
        &self,
        range: &ScoreRange,
        mut visit: impl FnMut(&[u8], f64) -> bool,
    ) -> Result<()> {
        let rows = range.rows(&self.prefix);
        let mut cursor = self.scan(Index::ByScore, &rows, Direction::Forward)?;
        while let Some((row, _)) = cursor.row() {
            let (score, member) = self.prefix.score_member(row)?;
            if !visit(member, score.get()) {
                break;
            }
            cursor.advance()?;
        }
        Ok(())
    }

    /// Shows members from a cursor on to `visit`, in the order of their bytes, so that a member whose score changes keeps
    /// its place. Answers the cursor to go on from, 0 at the end.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn visit_page(
        &self,
        cursor: u64,
        extent: Extent,
        mut visit: impl FnMut(&[u8], f64),
    ) -> Result<u64> {
        let rows = self.prefix.rows();
        scan::visit_page(
            self.txn,
            Space::Data,
            &rows,
            cursor,
            extent,
            |row, value| {
                let (score, member) = self.element(Index::ByMember, row, value)?;
                visit(member, score.get());
                Ok(())
            },
        )
    }

    /// Makes a key a sorted set of these elements, whatever it was. Without any, the key is removed. Answers whether it
    /// existed. No member may come twice.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; a damaged row; those of the store.
    pub fn replace(txn: &mut Txn<'_>, key: &[u8], elements: &[Element]) -> Result<bool> {
        let existed = txn.remove_key(key)?;
        if !elements.is_empty() {
            let mut set = SortedSet::open_or_create(txn, key)?;
            for element in elements {
                let score = Score::new(element.score).map_err(|_| Error::NotANumber)?;
                set.place(&element.member, None, score)?;
            }
            set.finish()?;
        }
        Ok(existed)
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
        if window.limit == 0 {
            return Ok(Vec::new());
        }
        // All members are copied into one piece of memory, which the elements share.
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        let mut cursor = self.scan(index, rows, direction)?;
        let mut skipped = 0;
        while let Some((row, value)) = cursor.row() {
            if skipped < window.offset {
                skipped += 1;
            } else {
                let (score, member) = self.element(index, row, value)?;
                bytes.extend_from_slice(member);
                ends.push((bytes.len(), score.get()));
                if ends.len() as u64 == window.limit {
                    break;
                }
            }
            cursor.advance()?;
        }
        let bytes = Bytes::from(bytes);
        let mut start = 0;
        let element = |(end, score)| {
            let member = bytes.slice(start..end);
            start = end;
            Element { member, score }
        };
        Ok(ends.into_iter().map(element).collect())
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

    fn element<'r>(&self, index: Index, row: &'r [u8], value: &[u8]) -> Result<(Score, &'r [u8])> {
        match index {
            Index::ByMember => Ok((decode_score(row, value)?, self.prefix.data_member(row)?)),
            Index::ByScore => self.prefix.score_member(row),
        }
    }
}
