//! The memtables that take writes, one for each family; when they are full; and how a group's records get into them.
//!
//! Invariants
//! 1. They stand by rising number of their families.
//! 2. Only the leader of a write group has them, so each has one writer.

use crate::batch::{BatchView, FamilyId, WriteBatch};
use crate::internal_key::ParsedKey;
use crate::memtable::MemtableWriter;

/// So many records are sorted by family at once: enough for long runs, few enough to stay in the cache.
const APPLIED_TOGETHER: usize = 256;

/// A record with its sequence number: family, key, value.
type Numbered<'a> = (FamilyId, ParsedKey<'a>, &'a [u8]);

#[derive(Debug)]
pub(super) struct MemtableSet {
    memtables: Vec<(FamilyId, MemtableWriter)>,
    /// What they may take together.
    total_bytes: usize,
}

impl MemtableSet {
    /// Takes them by rising number of their families.
    pub(super) const fn new(
        memtables: Vec<(FamilyId, MemtableWriter)>,
        total_bytes: usize,
    ) -> Self {
        Self {
            memtables,
            total_bytes,
        }
    }

    pub(super) const fn total_bytes(&self) -> usize {
        self.total_bytes
    }

    pub(super) fn add(&mut self, id: FamilyId, memtable: MemtableWriter) {
        self.memtables.push((id, memtable));
        self.memtables.sort_by_key(|(id, _)| *id);
    }

    pub(super) fn remove(&mut self, id: FamilyId) {
        self.memtables.retain(|(of, _)| *of != id);
    }

    /// Whether none holds anything.
    pub(super) fn is_empty(&self) -> bool {
        self.iter().all(|(_, memtable)| memtable.is_empty())
    }

    /// Whether it is time for new ones: because of one of them, or because of what they hold together.
    pub(super) fn is_full(&self) -> bool {
        let mut bytes = 0;
        for (_, memtable) in self.iter() {
            if memtable.is_full() {
                return true;
            }
            // Empty ones have a few bytes too. Many of them would be full for ever.
            if !memtable.is_empty() {
                bytes += memtable.used_bytes();
            }
        }
        bytes >= self.total_bytes
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(FamilyId, MemtableWriter)> {
        self.memtables.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut (FamilyId, MemtableWriter)> {
        self.memtables.iter_mut()
    }

    /// Inserts a group's records. Those of one family go in together, because the memtable is then faster.
    pub(super) fn apply(&mut self, group: &[WriteBatch]) {
        let count = group.iter().map(|batch| batch.view().count as usize).sum();
        let mut together = Vec::with_capacity(APPLIED_TOGETHER.min(count));
        for batch in group {
            for record in numbered(batch.view()) {
                if count == 1 {
                    return self.apply_one(record);
                }
                together.push(record);
                if together.len() == APPLIED_TOGETHER {
                    self.apply_together(&mut together);
                }
            }
        }
        self.apply_together(&mut together);
        // Of all families: each may have range tombstones in any part of the group.
        for (_, memtable) in self.iter_mut() {
            memtable.end_batch();
        }
    }

    /// As [`apply`](Self::apply), for a group of one record.
    fn apply_one(&mut self, (family, key, value): Numbered<'_>) {
        if let Some(memtable) = self.of(family) {
            memtable.insert(key, value);
            memtable.end_batch();
        }
    }

    fn apply_together(&mut self, records: &mut Vec<Numbered<'_>>) {
        records.sort_by_key(|(family, ..)| *family);
        for run in records.chunk_by(|a, b| a.0 == b.0) {
            if let Some(memtable) = self.of(run[0].0) {
                memtable.insert_all(run.iter().map(|(_, key, value)| (*key, *value)));
            }
        }
        records.clear();
    }

    /// A family that was dropped meanwhile has none; recovery leaves its records out too.
    fn of(&mut self, family: FamilyId) -> Option<&mut MemtableWriter> {
        let at = self.memtables.binary_search_by_key(&family, |(id, _)| *id);
        Some(&mut self.memtables[at.ok()?].1)
    }
}

/// The records of a batch with their sequence numbers.
fn numbered<'a>(batch: BatchView<'a>) -> impl Iterator<Item = Numbered<'a>> {
    (batch.sequence..)
        .zip(batch.records())
        .map(|(sequence, record)| {
            let record = record.expect("checked before it was queued");
            let key = ParsedKey {
                user_key: record.key,
                sequence,
                kind: record.kind,
            };
            (record.family, key, record.value)
        })
}
