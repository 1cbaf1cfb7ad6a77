//! The memtables that take writes, one for each family: when they are full, and how a group's
//! records get into them.
//!
//! Invariants
//! 1. They are ordered by the numbers of their families.
//! 2. Only the leader of a write group uses them, so each has one writer.
//! 3. Their total size, and whether one is full, is known without looking at each of them. So a
//!    write costs the same however many families there are.

use crate::batch::{BatchView, FamilyId, WriteBatch};
use crate::internal_key::ParsedKey;
use crate::memtable::MemtableWriter;

/// This many records are sorted by family at once: enough for long runs, few enough to stay in the cache.
const APPLIED_TOGETHER: usize = 256;

/// A record with its sequence number: family, key, value.
type Numbered<'a> = (FamilyId, ParsedKey<'a>, &'a [u8]);

#[derive(Debug)]
pub(super) struct MemtableSet {
    places: Vec<Place>,
    /// How many bytes they may take together.
    total_bytes: usize,
    /// How many bytes they take.
    used_bytes: usize,
    any_full: bool,
    /// Reused: the places of the memtables that a group wrote to.
    touched: Vec<usize>,
}

#[derive(Debug)]
struct Place {
    family: FamilyId,
    memtable: MemtableWriter,
    /// How much of it is included in the set's sum.
    counted_bytes: usize,
    is_touched: bool,
}

impl Place {
    fn new((family, memtable): (FamilyId, MemtableWriter)) -> Self {
        Self {
            family,
            memtable,
            counted_bytes: 0,
            is_touched: false,
        }
    }
}

impl MemtableSet {
    /// Takes the memtables, which must be ordered by the numbers of their families.
    pub(super) fn new(memtables: Vec<(FamilyId, MemtableWriter)>, total_bytes: usize) -> Self {
        let mut set = Self {
            places: memtables.into_iter().map(Place::new).collect(),
            total_bytes,
            used_bytes: 0,
            any_full: false,
            touched: Vec::new(),
        };
        set.count_all();
        set
    }

    pub(super) const fn total_bytes(&self) -> usize {
        self.total_bytes
    }

    pub(super) fn add(&mut self, id: FamilyId, memtable: MemtableWriter) {
        let at = self.places.partition_point(|place| place.family < id);
        self.places.insert(at, Place::new((id, memtable)));
        self.count(at);
    }

    pub(super) fn remove(&mut self, id: FamilyId) {
        self.places.retain(|place| place.family != id);
        self.count_all();
    }

    /// Whether all of them are empty.
    pub(super) fn is_empty(&self) -> bool {
        self.places.iter().all(|place| place.memtable.is_empty())
    }

    /// Whether it is time for new memtables: one of them is full, or their total is too large.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.any_full || self.used_bytes >= self.total_bytes
    }

    /// Calls `renew` for each memtable, which may replace it.
    pub(super) fn renew(&mut self, mut renew: impl FnMut(FamilyId, &mut MemtableWriter)) {
        for place in &mut self.places {
            renew(place.family, &mut place.memtable);
        }
        self.count_all();
    }

    fn count_all(&mut self) {
        self.used_bytes = 0;
        self.any_full = false;
        for at in 0..self.places.len() {
            self.places[at].counted_bytes = 0;
            self.count(at);
        }
    }

    /// Adds what a memtable has grown by to the sum.
    #[inline]
    fn count(&mut self, at: usize) {
        let Place {
            memtable,
            counted_bytes,
            ..
        } = &mut self.places[at];
        // Empty memtables use a few bytes too. If they counted, many of them would be full for ever.
        if memtable.is_empty() {
            return;
        }
        let used = memtable.used_bytes();
        self.used_bytes += used - *counted_bytes;
        *counted_bytes = used;
        self.any_full |= memtable.is_full();
    }

    /// Inserts a group's records. Those of one family are inserted together, which is faster.
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
        // For every memtable that the group wrote to, because any part of the group may have
        // brought range tombstones.
        let mut touched = std::mem::take(&mut self.touched);
        for at in touched.drain(..) {
            let place = &mut self.places[at];
            place.is_touched = false;
            place.memtable.end_batch();
            self.count(at);
        }
        self.touched = touched;
    }

    /// Like [`apply`](Self::apply), for a group of one record.
    fn apply_one(&mut self, (family, key, value): Numbered<'_>) {
        if let Some(at) = self.place_of(family) {
            let memtable = &mut self.places[at].memtable;
            memtable.insert(key, value);
            memtable.end_batch();
            self.count(at);
        }
    }

    fn apply_together(&mut self, records: &mut Vec<Numbered<'_>>) {
        records.sort_by_key(|(family, ..)| *family);
        for run in records.chunk_by(|a, b| a.0 == b.0) {
            if let Some(at) = self.place_of(run[0].0) {
                let place = &mut self.places[at];
                if !std::mem::replace(&mut place.is_touched, true) {
                    self.touched.push(at);
                }
                let entries = run.iter().map(|(_, key, value)| (*key, *value));
                place.memtable.insert_all(entries);
            }
        }
        records.clear();
    }

    /// A family that was dropped meanwhile has no place; recovery ignores its records too.
    #[inline]
    fn place_of(&self, family: FamilyId) -> Option<usize> {
        let at = self
            .places
            .binary_search_by_key(&family, |place| place.family);
        at.ok()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparator::Comparator;

    const BUFFER_BYTES: usize = 4 << 10;
    const FAMILIES: u32 = 40;

    fn fresh() -> MemtableWriter {
        MemtableWriter::new(Comparator::Bytewise, BUFFER_BYTES)
    }

    /// What checking each of them finds.
    fn found(set: &MemtableSet) -> (usize, bool) {
        let filled = set.places.iter().filter(|place| !place.memtable.is_empty());
        let bytes = filled.map(|place| place.memtable.used_bytes()).sum();
        let any_full = set.places.iter().any(|place| place.memtable.is_full());
        (bytes, any_full)
    }

    #[test]
    fn what_is_counted_is_what_is_there() {
        let memtables = (0..FAMILIES).map(|id| (FamilyId(2 * id), fresh()));
        let mut set = MemtableSet::new(memtables.collect(), 16 << 10);
        let (mut sequence, mut random, mut full) = (1, 7u32, 0);
        let mut below = |end: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) % end
        };
        for step in 0..3000 {
            let group: Vec<WriteBatch> = (0..=below(3))
                .map(|_| {
                    let mut batch = WriteBatch::new();
                    for _ in 0..=below(4) {
                        // Of existing families, and of some that do not exist.
                        let family = FamilyId(below(2 * FAMILIES + 4));
                        let (key, end) =
                            (format!("{:03}", below(400)), format!("{:03}", below(400)));
                        match below(6) {
                            0 => batch.delete_range(family, key, end),
                            _ => batch.put(family, key, vec![0; below(90) as usize]),
                        }
                    }
                    batch.set_sequence(sequence);
                    sequence += batch.len() as u64;
                    batch
                })
                .collect();
            set.apply(&group);
            match below(60) {
                0 => set.remove(FamilyId(2 * below(FAMILIES))),
                1 => {
                    let id = FamilyId(2 * below(FAMILIES));
                    set.remove(id);
                    set.add(id, fresh());
                }
                _ => {}
            }
            let (bytes, any_full) = found(&set);
            assert_eq!(
                (set.used_bytes, set.any_full),
                (bytes, any_full),
                "step {step}"
            );
            assert!(set.touched.is_empty() && set.places.iter().all(|place| !place.is_touched));
            assert!(set.places.is_sorted_by_key(|place| place.family));
            if set.is_full() {
                full += 1;
                set.renew(|_, memtable| *memtable = fresh());
                assert_eq!(
                    (set.used_bytes, set.is_full(), set.is_empty()),
                    (0, false, true)
                );
            }
        }
        assert!(full > 10, "{full}");
    }
}
