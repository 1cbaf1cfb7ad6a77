//! What a transaction would write: the changes of each space and the ranges that are removed before them.
//!
//! Reads look here first. Beside the changes are their size, what takes the latest of them back, and what of them was
//! counted for `DBSIZE`: each follows every change.

use std::cell::{RefCell, RefMut};

use bytes::Bytes;

use crate::store::{Change, KeyRange, Space};
use crate::types::txn::changes::{Changes, UndoRecord};
use crate::types::txn::cleared::Cleared;
use crate::types::txn::live_keys::Counted;

/// About how much memory a row takes among the changes, besides its bytes.
const ROW_BYTES: usize = 128;

/// About how much memory a change takes.
pub(super) fn change_bytes(Change { key, value }: &Change) -> usize {
    ROW_BYTES + key.len() + value.as_ref().map_or(0, Bytes::len)
}

#[derive(Debug)]
pub(super) struct Pending {
    /// Indexed by [`Space::index`].
    changes: [Changes; Space::ALL.len()],
    /// What of the snapshot is removed in ranges.
    cleared: Cleared,
    /// About how much memory the changes take, with those that were undone.
    bytes: usize,
    /// What [`Pending::go_back`] restores, newest last. Kept from the first mark on.
    undo: Option<Vec<(Space, UndoRecord)>>,
    /// What of the changes was counted.
    counted: RefCell<Counted>,
}

/// A point that [`Pending`] can go back to.
#[derive(Debug)]
pub(super) struct Mark {
    undo: usize,
    cleared: usize,
}

impl Pending {
    /// Nothing, in a transaction whose time is `now_ms`.
    pub(super) fn new(now_ms: i64) -> Self {
        Self {
            changes: Default::default(),
            cleared: Cleared::default(),
            bytes: 0,
            undo: None,
            counted: RefCell::new(Counted::new(now_ms)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changes.iter().all(Changes::is_empty) && self.cleared.is_empty()
    }

    /// The changes of a space.
    #[inline]
    pub(super) const fn of(&self, space: Space) -> &Changes {
        &self.changes[space.index()]
    }

    #[inline]
    pub(super) const fn cleared(&self) -> &Cleared {
        &self.cleared
    }

    /// What of the changes was counted, for whoever counts on.
    pub(super) fn counted(&self) -> RefMut<'_, Counted> {
        self.counted.borrow_mut()
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Counts memory that is kept until the commit, too.
    pub(super) const fn add_bytes(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Makes room for this many changes in a space, so that what holds them does not grow step by step.
    pub(super) fn reserve(&mut self, space: Space, changes: usize) {
        self.changes[space.index()].reserve(changes);
    }

    /// Changes a row. Returns its index among the changes of its space.
    #[inline]
    pub(super) fn change(&mut self, space: Space, key: Vec<u8>, value: Option<Bytes>) -> usize {
        let (length, added) = (key.len(), value.as_ref().map_or(0, Bytes::len));
        let (at, before) = self.changes[space.index()].insert(key, value);
        if matches!(before, UndoRecord::Inserted) {
            self.bytes += ROW_BYTES + length;
        }
        self.note(space, added, before);
        at
    }

    /// Gives the row at an index another value.
    pub(super) fn replace(&mut self, space: Space, at: usize, value: Bytes) {
        let added = value.len();
        let before = self.changes[space.index()].replace(at, Some(value));
        self.note(space, added, before);
    }

    /// A row has got a value of so many bytes.
    #[inline]
    fn note(&mut self, space: Space, added: usize, before: UndoRecord) {
        let removed = match &before {
            UndoRecord::Replaced(_, Some(value)) => value.len(),
            UndoRecord::Replaced(_, None) | UndoRecord::Inserted => 0,
        };
        self.bytes = (self.bytes + added).saturating_sub(removed);
        if space == Space::Metadata {
            let changes = &self.changes[space.index()];
            self.counted.get_mut().follow(changes, &before);
        }
        if let Some(undo) = &mut self.undo {
            undo.push((space, before));
        }
    }

    /// Removes what the snapshot has in a range. The caller has removed the changes in it.
    pub(super) fn clear(&mut self, space: Space, range: KeyRange) {
        self.cleared.add(space, range);
    }

    /// A point to go back to. From the first one on, changes cost a little more.
    pub(super) fn mark(&mut self) -> Mark {
        Mark {
            undo: self.undo.get_or_insert_default().len(),
            cleared: self.cleared.mark(),
        }
    }

    /// Gives up all marks.
    pub(super) fn keep(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.clear();
        }
    }

    /// Undoes everything since a mark.
    pub(super) fn go_back(&mut self, mark: &Mark) {
        let undo = self.undo.get_or_insert_default();
        for (space, before) in undo.drain(mark.undo..).rev() {
            self.changes[space.index()].undo(before);
            self.counted.get_mut().forget();
        }
        self.cleared.go_back(mark.cleared);
    }

    /// The changes of each space, and the ranges that are removed before them.
    pub(super) fn into_parts(self) -> ([Vec<Change>; Space::ALL.len()], Vec<(Space, KeyRange)>) {
        let changes = self.changes.map(Changes::into_rows);
        (changes, self.cleared.into_ranges())
    }
}
