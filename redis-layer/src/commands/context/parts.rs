//! A table in parts, none of which is locked for longer than it takes to find one row.
//!
//! A client may watch a million keys, or wait for them, and every command that changes a key asks who does. A part never
//! gets so large that it takes long to grow, and it gives its memory back.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use parking_lot::{Mutex, MutexGuard};

use crate::commands::context::room::give_back;

/// How many parts there are. Of a million rows each holds four thousand.
pub(crate) const PARTS: usize = 256;

/// Something for each of many metadata rows.
#[derive(Debug)]
pub(crate) struct Parts<V> {
    parts: [Mutex<Part<V>>; PARTS],
    hasher: RandomState,
}

type Part<V> = HashMap<Vec<u8>, V>;

impl<V> Default for Parts<V> {
    fn default() -> Self {
        Self {
            parts: std::array::from_fn(|_| Mutex::default()),
            hasher: RandomState::new(),
        }
    }
}

impl<V> Parts<V> {
    /// The part that a row belongs to.
    pub(crate) fn part_of(&self, row: &[u8]) -> &Mutex<Part<V>> {
        let [part, ..] = self.hasher.hash_one(row).to_le_bytes();
        &self.parts[usize::from(part)]
    }

    pub(crate) fn part(&self, row: &[u8]) -> MutexGuard<'_, Part<V>> {
        self.part_of(row).lock()
    }

    /// All parts, one locked after the other.
    pub(crate) fn all(&self) -> impl Iterator<Item = MutexGuard<'_, Part<V>>> {
        self.parts.iter().map(Mutex::lock)
    }

    /// Changes what there is for a row, if there is anything, and removes the row if nothing is left then.
    pub(crate) fn reduce(&self, row: &[u8], reduce: impl FnOnce(&mut V), is_empty: fn(&V) -> bool) {
        let mut part = self.part(row);
        let Some(value) = part.get_mut(row) else {
            return;
        };
        reduce(value);
        if is_empty(value) {
            part.remove(row);
            give_back(&mut part);
        }
    }
}
