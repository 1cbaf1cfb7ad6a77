//! Sorted sets: two rows for each member, one by name and one by score.
//!
//! The data row answers "what is the score of this member", the score row answers "which members lie in
//! this range". The metadata row holds the number of members, so `ZCARD` reads one row.
//!
//! ```text
//! add, remove          changes; marks: between which rows a set lies, so that a queue stays fast
//! range, lex, members  ranges of scores and of members, and what they are gathered into
//! rank                 whatever counts members; counts: the index behind it, indexes: those of all sets
//! ahead                members at an end, read ahead for pops
//! algebra              union, intersection, difference
//! ```
//!
//! Invariants, which [`check`](crate::types::check()) walks
//! 1. The data rows and the score rows of a set describe the same pairs.
//! 2. The size in the metadata row is their number. It is never 0: an empty set does not exist as a key.
//! 3. All score rows lie between the [`marks`].
//! 4. The [index](indexes) in memory, if there is one, counts the score rows.

mod add;
mod ahead;
pub mod algebra;
pub mod counts;
pub mod indexes;
mod lex;
pub mod marks;
mod members;
mod range;
pub mod rank;
mod remove;

use std::borrow::Cow;

use bytes::Bytes;
use members::MEMBERS_RESERVED;

use indexes::RankIndex;

pub use add::{AddRule, Added};
pub(crate) use ahead::Ahead;
pub use members::{Element, Gather, Members};
pub use range::{LexBound, LexRange, ScoreRange, Window};

use crate::store::{Cursor, Direction, KeyRange, Space};
use crate::types::losses::BYTES_MOST;
use crate::types::opened::Opened;
use crate::types::rows::{Marks, Score, decode_score, encode_score};
use crate::types::scan::{self, Extent};
use crate::types::{Content, Error, Metadata, Result, Txn};

/// Which of the two orders of rows an [`Element`] is read in. Not to be mixed up with the [rank index](indexes), which
/// counts the score rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// A data row.
    ByMember,
    /// A score row.
    ByScore,
}

/// One sorted set inside a command. Changes take effect only after [`SortedSet::finish`].
pub struct SortedSet<'t, 's> {
    txn: &'t mut Txn<'s>,
    key: &'t [u8],
    opened: Opened,
    marks: Marks,
    ranking: Ranking,
    /// How many score rows were removed since it was opened, but for those outside the marks.
    lost: u64,
}

/// What answers questions about ranks.
#[derive(Debug)]
enum Ranking {
    /// Nothing: the rows have to be counted.
    Nobody,
    /// The index, because the lock of the key is held.
    UnderLock,
    /// This index, as long as it is settled for the snapshot.
    Settled(RankIndex),
}

impl<'t, 's> SortedSet<'t, 's> {
    /// The set under a key, or `None` if the key does not exist.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn open(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Option<Self>> {
        let metadata = txn.lookup(key)?;
        metadata
            .map(|metadata| Self::stored(txn, key, metadata))
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

    /// The set under a key, ready for questions about ranks without a lock, if its index is settled for the snapshot
    /// or the lock is held anyway. The questions may fail with [`Error::Outdated`].
    fn open_settled(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Option<Self>> {
        let Some(mut set) = Self::open(txn, key)? else {
            return Ok(None);
        };
        if let Ranking::Nobody = set.ranking {
            let index = set.txn.rank_indexes().get(set.opened.version);
            let index = index.filter(|index| {
                let counts = index.settled(Some(set.txn.ranks_noted()));
                counts.is_some_and(|counts| counts.total() == set.opened.size)
            });
            set.ranking = index.map_or(Ranking::Nobody, Ranking::Settled);
        }
        Ok(Some(set))
    }

    /// The set under a key, or an empty one if the key does not exist. The key comes into being with its first
    /// member.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn open_or_create(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Self> {
        if let Some(metadata) = txn.lookup(key)? {
            return Self::stored(txn, key, metadata);
        }
        let opened = Opened::empty(txn, key)?;
        Ok(Self::of(txn, key, opened, Marks::default()))
    }

    fn stored(txn: &'t mut Txn<'s>, key: &'t [u8], metadata: Metadata) -> Result<Self> {
        let Content::SortedSet(collection, marks) = metadata.content else {
            return Err(Error::WrongType);
        };
        let opened = Opened::of(txn, key, collection, metadata.expires_ms, metadata.home);
        Ok(Self::of(txn, key, opened, marks))
    }

    fn of(txn: &'t mut Txn<'s>, key: &'t [u8], opened: Opened, marks: Marks) -> Self {
        let ranking = if txn.holds_lock_of(key) {
            Ranking::UnderLock
        } else {
            Ranking::Nobody
        };
        Self {
            txn,
            key,
            opened,
            marks,
            ranking,
            lost: 0,
        }
    }

    /// How many members there are. O(1).
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.opened.size
    }

    /// Whether there are no members.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.opened.is_empty()
    }

    /// The score of a member. One point read.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn score(&self, member: &[u8]) -> Result<Option<f64>> {
        Ok(self.stored_score(member)?.map(Score::get))
    }

    fn stored_score(&self, member: &[u8]) -> Result<Option<Score>> {
        self.score_in(&self.txn.member_row(&self.opened.prefix, member))
    }

    /// The score in the value of a data row.
    fn score_in(&self, row: &[u8]) -> Result<Option<Score>> {
        let value = self.txn.get_element(self.opened.version, row)?;
        value.map(|value| decode_score(row, &value)).transpose()
    }

    /// Gives a member a score, in both indexes. `old` is the score that it has now in this data row.
    fn place(
        &mut self,
        member: &[u8],
        data_row: Vec<u8>,
        old: Option<Score>,
        score: Score,
    ) -> Result<()> {
        match old {
            Some(old) => self.erase_score(old, member)?,
            None => self.opened.size += 1,
        }
        self.txn.put(Space::Data, data_row, encode_score(score));
        let score_row = self.opened.prefix.score_key(score, member);
        self.marks.cover(self.opened.prefix.mark_of(&score_row));
        if self.txn.rank_indexes().is_empty() {
            self.txn.put(Space::Score, score_row, Bytes::new());
            return Ok(());
        }
        self.txn.put(Space::Score, score_row.clone(), Bytes::new());
        rank::note_added(self, &score_row)
    }

    /// The members whose scores lie in a range, in the order of `direction`.
    ///
    /// Cost: one seek, then one step for each element that is skipped or returned. If the set was opened for
    /// [`rank`]s, skipping many costs no more than skipping a few.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn by_score<M: Gather>(
        &self,
        range: &ScoreRange,
        direction: Direction,
        window: Window,
    ) -> Result<M> {
        let (rows, window) = rank::skip(self, range.rows(&self.opened.prefix), direction, window)?;
        self.collect(Index::ByScore, &rows, direction, window)
    }

    /// Visits the members whose scores lie in a range, the least score first, until `visit` returns false.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn each_by_score(
        &self,
        range: &ScoreRange,
        mut visit: impl FnMut(&[u8], f64) -> bool,
    ) -> Result<()> {
        let rows = range.rows(&self.opened.prefix);
        self.each(Index::ByScore, &rows, Direction::Forward, |row, _| {
            let (score, member) = self.opened.prefix.score_member(row)?;
            Ok(visit(member, score.get()))
        })
    }

    /// Passes members from a cursor on to `visit`, in the order of their bytes, so that a member whose score changes
    /// keeps its place. Returns the cursor to continue from, 0 at the end.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn visit_page(
        &self,
        cursor: u64,
        extent: Extent,
        mut visit: impl FnMut(&[u8], f64),
    ) -> Result<u64> {
        let rows = self.opened.prefix.rows();
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

    /// Replaces whatever the key holds by a sorted set of these elements. Without elements the key is removed.
    /// Returns whether the key existed. No member may come twice.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; a damaged row; those of the store.
    pub fn replace(txn: &mut Txn<'_>, key: &[u8], elements: &[Element]) -> Result<bool> {
        if elements.is_empty() {
            return txn.discard_key(key);
        }
        let existed = txn.remove_key(key)?;
        let mut set = SortedSet::open_or_create(txn, key)?;
        let pairs = elements
            .iter()
            .map(|element| (&*element.member, element.score));
        set.fill(elements.len(), pairs)?;
        set.finish()?;
        Ok(existed)
    }

    /// Adds members to a set that has none.
    fn fill<'e>(
        &mut self,
        count: usize,
        elements: impl Iterator<Item = (&'e [u8], f64)>,
    ) -> Result<()> {
        for space in [Space::Data, Space::Score] {
            self.txn.make_room(space, count);
        }
        for (member, score) in elements {
            let score = Score::new(score).map_err(|_| Error::NotANumber)?;
            let data_row = self.opened.prefix.data_key(member);
            self.place(member, data_row, None, score)?;
        }
        Ok(())
    }

    /// Writes the rows anew, under a new version, if it has lost so many that scans step over them for long: see
    /// [`losses`](crate::types::losses).
    fn renew(&mut self) -> Result<()> {
        let losses = self.txn.shared().losses();
        if !losses.note(self.opened.version, self.lost, self.len()) {
            return Ok(());
        }
        let rows = self.opened.prefix.rows();
        let mut all = Members::default();
        self.each(Index::ByScore, &rows, Direction::Forward, |row, value| {
            all.gather(self, Index::ByScore, row, value)?;
            Ok(all.framed_len() <= BYTES_MOST)
        })?;
        if all.framed_len() > BYTES_MOST {
            return Ok(());
        }
        self.txn.rank_journal().dropped(self.opened.version);
        self.opened.renew(self.txn, self.key)?;
        self.opened.size = 0;
        self.fill(all.len(), all.iter())
    }

    /// Writes the size, or removes the key if no member is left.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn finish(mut self) -> Result<()> {
        if self.is_empty() {
            self.txn.remove_key(self.key)?;
            return Ok(());
        }
        self.renew()?;
        let marks = self.marks;
        let metadata = self
            .opened
            .metadata(|collection| Content::SortedSet(collection, marks));
        self.txn.set_metadata(self.key, &metadata);
        Ok(())
    }

    fn collect<M: Gather>(
        &self,
        index: Index,
        rows: &KeyRange,
        direction: Direction,
        window: Window,
    ) -> Result<M> {
        if window.limit == 0 {
            return Ok(M::default());
        }
        let most = window.limit.min(self.opened.size).min(MEMBERS_RESERVED);
        let mut gathered = M::with_room(usize::try_from(most).unwrap_or_default());
        let mut skipped = 0;
        self.each(index, rows, direction, |row, value| {
            if skipped < window.offset {
                skipped += 1;
                return Ok(true);
            }
            gathered.gather(self, index, row, value)?;
            Ok(gathered.count() < window.limit)
        })?;
        Ok(gathered)
    }

    /// Passes the rows of a range of an index to `visit`, until it returns `false`.
    fn each(
        &self,
        index: Index,
        rows: &KeyRange,
        direction: Direction,
        visit: impl FnMut(&[u8], &[u8]) -> Result<bool>,
    ) -> Result<()> {
        let (space, clamped) = self.rows_of(index, rows);
        self.txn.each_row(space, &clamped, direction, visit)
    }

    /// The space and the rows of a range of an index.
    fn rows_of<'r>(&self, index: Index, rows: &'r KeyRange) -> (Space, Cow<'r, KeyRange>) {
        match index {
            Index::ByMember => (Space::Data, Cow::Borrowed(rows)),
            Index::ByScore => (
                Space::Score,
                Cow::Owned(self.marks.clamp(rows, &self.opened.prefix)),
            ),
        }
    }

    fn scan(
        &self,
        index: Index,
        rows: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor + '_>> {
        let (space, rows) = self.rows_of(index, rows);
        self.txn.scan(space, &rows, direction)
    }

    fn element<'r>(&self, index: Index, row: &'r [u8], value: &[u8]) -> Result<(Score, &'r [u8])> {
        match index {
            Index::ByMember => Ok((
                decode_score(row, value)?,
                self.opened.prefix.data_member(row)?,
            )),
            Index::ByScore => self.opened.prefix.score_member(row),
        }
    }

    /// The member alone. Its score is not decoded.
    #[inline]
    fn member<'r>(&self, index: Index, row: &'r [u8]) -> Result<&'r [u8]> {
        match index {
            Index::ByMember => self.opened.prefix.data_member(row),
            Index::ByScore => self.opened.prefix.member_of_score(row),
        }
    }
}
