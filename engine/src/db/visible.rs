//! The visible number: the last write that readers see.
//!
//! Invariant: it is advanced, with a release store, only after all writes up to it are in their memtables,
//! and readers load it with acquire. So a reader finds every write up to the number that it has read.

use crate::sync::{AtomicU64, Ordering};

#[derive(Debug)]
pub(super) struct Visible(AtomicU64);

impl Visible {
    pub(super) fn new(last_sequence: u64) -> Self {
        Self(AtomicU64::new(last_sequence))
    }

    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Requires that the caller holds the lead of the writers and has put everything up to
    /// `sequence` into the memtables.
    pub(super) fn advance(&self, sequence: u64) {
        self.0.store(sequence, Ordering::Release);
    }
}

#[cfg(all(test, loom))]
mod model {
    use std::sync::Arc;

    use super::*;
    use crate::comparator::Comparator;
    use crate::internal_key::{ParsedKey, ValueKind};
    use crate::memtable::MemtableWriter;
    use crate::sync::check_model;

    #[test]
    fn loom_what_is_visible_is_found() {
        check_model(|| {
            let mut writer = MemtableWriter::new(Comparator::Bytewise, 1 << 12);
            let table = writer.reader();
            let visible = Arc::new(Visible::new(0));
            let reader = loom::thread::spawn({
                let visible = Arc::clone(&visible);
                move || {
                    let sequence = visible.now();
                    let found = table.get(b"k", sequence).map_or(0, |found| found.sequence);
                    assert_eq!(found, sequence);
                }
            });
            for sequence in 1..=2 {
                let key = ParsedKey {
                    user_key: b"k",
                    sequence,
                    kind: ValueKind::Put,
                };
                writer.insert(key, b"v");
                writer.end_batch();
                visible.advance(sequence);
            }
            reader.join().unwrap();
        });
    }
}
