//! What a transaction remembers of the rows that it has read or is about to read, so that none is read twice.
//!
//! Forgetting any of it is never wrong: it costs a read.
//!
//! Invariants
//! 1. `metadata`, `elements` and `last_row` are what the snapshot holds, whatever the transaction has changed. So the
//!    changes are asked first, and a new snapshot forgets all three. `last_row` is not there if it lies in a range that was
//!    cleared, so a new range and a return to a savepoint forget it too.
//! 2. What `seen` and `ahead` say of the present includes the changes. A change forgets what it is about, and a return
//!    to a savepoint forgets all of it.
//! 3. `prefix` and `created` speak of versions, which are never given twice, so they remain true.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use bytes::Bytes;

use crate::store::Space;
use crate::types::Result;
use crate::types::rows::RowPrefix;
use crate::types::txn::prefetched::Prefetched;
use crate::types::txn::seen::Seen;
use crate::types::zset::Ahead;

#[derive(Debug, Default)]
pub(super) struct Reads {
    /// What is known of the keys that were looked up.
    pub(super) seen: RefCell<Seen>,
    /// Metadata rows that were read ahead.
    pub(super) metadata: Prefetched,
    /// Rows of elements that were read ahead.
    pub(super) elements: Prefetched,
    /// Members that pops have read ahead.
    pub(super) ahead: Option<Ahead>,
    /// The row that [`Reads::again`] read last.
    last_row: RefCell<Option<Row>>,
    /// The prefix of the rows of the collection that was used last.
    prefix: RefCell<Option<Prefix>>,
    /// The version of the collection that this transaction has created last.
    created: Cell<Option<u64>>,
    /// The versions of those that it has created before.
    created_before: RefCell<Vec<u64>>,
}

/// A row of the snapshot.
#[derive(Debug)]
struct Row {
    space: Space,
    key: Vec<u8>,
    value: Option<Bytes>,
}

/// What the rows of a collection begin with. The version alone identifies the collection.
#[derive(Debug)]
struct Prefix {
    version: u64,
    prefix: RowPrefix,
}

impl Reads {
    /// What the snapshot holds under a row's key, if it was read ahead.
    #[inline]
    pub(super) fn fetched(&self, space: Space, key: &[u8]) -> Option<&Option<Bytes>> {
        match space {
            Space::Metadata => self.metadata.get(key),
            Space::Data => self.elements.near(key),
            _ => None,
        }
    }

    /// How many changes of a space are likely, by what was read ahead.
    #[inline]
    pub(super) const fn changes_expected(&self, space: Space) -> usize {
        match space {
            Space::Metadata => self.metadata.len(),
            _ => self.elements.len(),
        }
    }

    /// The value of a row, which is read with `read` unless it is the one that was asked for last.
    pub(super) fn again<'v>(
        &self,
        space: Space,
        key: &[u8],
        read: impl FnOnce() -> Result<Option<Cow<'v, Bytes>>>,
    ) -> Result<Option<Bytes>> {
        let mut last = self.last_row.borrow_mut();
        if let Some(row) = last.as_ref()
            && (row.space, row.key.as_slice()) == (space, key)
        {
            return Ok(row.value.clone());
        }
        let value = read()?.map(Cow::into_owned);
        *last = Some(Row {
            space,
            key: key.to_vec(),
            value: value.clone(),
        });
        Ok(value)
    }

    /// The prefix of the rows of a collection, which is made with `make` unless the collection is the one that was
    /// used last.
    pub(super) fn prefix_of(&self, version: u64, make: impl FnOnce() -> RowPrefix) -> RowPrefix {
        let mut last = self.prefix.borrow_mut();
        match &*last {
            Some(last) if last.version == version => last.prefix.clone(),
            _ => {
                let prefix = make();
                *last = Some(Prefix {
                    version,
                    prefix: prefix.clone(),
                });
                prefix
            }
        }
    }

    /// Says that a collection of this version comes into being.
    #[inline]
    pub(super) fn creates(&self, version: u64) {
        if let Some(before) = self.created.replace(Some(version)) {
            self.created_before.borrow_mut().push(before);
        }
    }

    /// The versions of all collections that this transaction has created, in ascending order.
    pub(super) fn take_created(&mut self) -> Vec<u64> {
        let mut created = self.created_before.take();
        created.extend(self.created.take());
        created.sort_unstable();
        created
    }

    /// Whether the collection of this version is known to have no rows in the snapshot.
    #[inline]
    pub(super) const fn has_created(&self, version: u64) -> bool {
        match self.created.get() {
            Some(created) => created == version,
            None => false,
        }
    }

    /// Says that a row is about to change.
    #[inline]
    pub(super) fn changes(&mut self, space: Space, key: &[u8]) {
        match space {
            Space::Metadata => self.seen.get_mut().forget(key),
            Space::Score => self.ahead = None,
            _ => {}
        }
    }

    /// Says that rows are about to be removed as a range.
    pub(super) fn clears(&mut self) {
        self.last_row.take();
        self.ahead = None;
    }

    /// Says that any changes may have been undone.
    pub(super) fn goes_back(&mut self) {
        self.last_row.take();
        self.seen.get_mut().forget_last();
        self.ahead = None;
    }

    /// Says that the transaction has another snapshot now.
    pub(super) fn begins_anew(&mut self) {
        self.seen = RefCell::default();
        self.metadata.clear();
        self.elements.clear();
        self.last_row.take();
        self.ahead = None;
    }
}
