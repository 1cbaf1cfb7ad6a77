//! Finds the n-th element of a list's middle without a walk, by the counts that sorted sets use for ranks.
//!
//! In a list that was changed in the middle, no arithmetic finds the n-th element. So its positions are divided into
//! buckets, and [`Counts`](crate::types::zset::counts) knows in memory how many elements come before each. The counts
//! are built by one walk, at the first question that needs them, and follow every change. The rules of
//! [`RankIndexes`](crate::types::zset::indexes::RankIndexes) apply here too.

use crate::store::Direction;
use crate::types::list::List;
use crate::types::rows::Position;
use crate::types::zset::counts::{BUCKET_MAX, Builder};
use crate::types::zset::indexes::RankIndex;
use crate::types::zset::rank::WALKED;
use crate::types::{Content, Metadata, Result, Txn};

impl<'t, 's> List<'t, 's> {
    /// The list under a key, ready for questions about the n-th element. Only for commands that read no other key: a
    /// list with a long middle is read again, from a snapshot that is taken under the lock of the key.
    ///
    /// # Errors
    /// As for [`List::open`].
    pub fn open_counted(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Option<Self>> {
        let lookups = txn.lookups();
        let Some(mut metadata) = txn.lookup(key)? else {
            return Ok(None);
        };
        if has_long_middle(&metadata) && txn.lock_to_read(key)? {
            // The client has asked once.
            txn.set_lookups(lookups);
            match txn.lookup(key)? {
                Some(current) => metadata = current,
                None => return Ok(None),
            }
        }
        Self::stored(txn, key, metadata).map(Some)
    }

    /// The position of an element, if there are counts. The caller knows that the list has an element of this number.
    pub(super) fn counted_position(&self, index: u64) -> Result<Option<Position>> {
        let Some(rank_index) = self.rank_index()? else {
            return Ok(None);
        };
        let bucket = rank_index.counts().bucket_at(index);
        let stretch = self.stretch_from(&bucket.start)?;
        let skip = index - bucket.before;
        let found = self.positions(&stretch, Direction::Forward, skip, 1)?;
        found
            .into_iter()
            .next()
            .map_or_else(|| Err(self.too_few_elements()), |found| Ok(Some(found)))
    }

    /// The counts of the list, if there are any.
    fn counts(&self) -> Option<RankIndex> {
        let indexes = self.txn.rank_indexes();
        if indexes.is_empty() {
            return None;
        }
        indexes.get(self.opened.version)
    }

    pub(super) fn has_counts(&self) -> bool {
        self.counts().is_some()
    }

    /// Forgets the counts: so many elements are removed that it would take long to note each.
    pub(super) fn forget_counts(&self) {
        self.txn.rank_indexes().forget(self.opened.version);
    }

    /// The index of a list whose lock is held. If there is none, builds it by one walk over the list.
    fn rank_index(&self) -> Result<Option<RankIndex>> {
        if !self.txn.holds_lock_of(self.key) {
            return Ok(None);
        }
        let indexes = self.txn.rank_indexes();
        if let Some(index) = indexes.get(self.opened.version) {
            if index.counts().total() == self.opened.size {
                return Ok(Some(index));
            }
            // The size in the metadata row is wrong, which `fsck` reports.
            indexes.forget(self.opened.version);
            return Ok(None);
        }
        let mut builder = Builder::default();
        let mut mark = Vec::new();
        self.each_element(&self.whole(), Direction::Forward, |place, _| {
            place.write_mark(&self.opened.prefix, &mut mark);
            builder.push(&mark);
            Ok(true)
        })?;
        let counts = builder.finish();
        if counts.total() != self.opened.size {
            return Ok(None);
        }
        let index = indexes.insert(self.opened.version, counts);
        self.txn.built_rank_index(&index);
        Ok(Some(index))
    }

    /// Notes that an element was added. Splits its bucket if that is too large now.
    pub(super) fn note_added(&mut self, position: &Position) -> Result<()> {
        let Some((index, mark)) = self.index_and_mark(position) else {
            return Ok(());
        };
        if self.txn.rank_journal().add(&index, &mark) <= BUCKET_MAX {
            return Ok(());
        }
        let bucket = index.counts().bucket_of(&mark);
        let half = bucket.count / 2;
        let (mut passed, mut previous, mut mark) = (0, Vec::new(), Vec::new());
        let stretch = self.stretch_from(&bucket.start)?;
        self.each_element(&stretch, Direction::Forward, |place, _| {
            std::mem::swap(&mut previous, &mut mark);
            place.write_mark(&self.opened.prefix, &mut mark);
            passed += 1;
            Ok(passed <= half)
        })?;
        if passed > half {
            index.counts().split(&previous, &mark, half);
        }
        self.txn.rank_indexes().has_split(&index);
        Ok(())
    }

    /// Notes that an element is being removed.
    pub(super) fn note_removed(&mut self, position: &Position) {
        if let Some((index, mark)) = self.index_and_mark(position) {
            self.txn.rank_journal().remove(&index, &mark);
        }
    }

    /// The counts of the list, if there are any, and the mark by which they know an element.
    fn index_and_mark(&self, position: &Position) -> Option<(RankIndex, Vec<u8>)> {
        let index = self.counts()?;
        let mut mark = Vec::new();
        position.encode_into(&mut mark);
        Some((index, mark))
    }
}

/// Whether a walk through the middle may be long.
fn has_long_middle(metadata: &Metadata) -> bool {
    match &metadata.content {
        Content::List(list, ends) => ends.middle.is_some() && list.size > WALKED,
        _ => false,
    }
}
