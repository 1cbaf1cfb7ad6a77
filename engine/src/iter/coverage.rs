//! What range tombstones hide from a cursor.
//!
//! Each source may have range tombstones. An entry is hidden if some source has a tombstone over
//! its key that is newer than the entry and that the reader sees. Keys come in order, so the answer
//! is looked up once for a *stretch*: the keys around the last one for which it is the same in all
//! sources. Within the stretch, a check is two comparisons.
//!
//! The sources are ordered newest first, and what one holds is newer than what the following ones
//! hold of the same keys (invariant 3 of a version). So a tombstone hides *every* entry of the
//! sources after its own, and a cursor that meets one may seek past all of them at once. Within its
//! own source it hides some entries and not others, unless the source knows that none of them is newer.

use std::sync::Arc;

use crate::comparator::Comparator;
use crate::memtable::Memtable;
use crate::range_tombstone::RangeTombstones;

/// The range tombstones that apply to a cursor.
#[derive(Debug)]
pub(crate) struct Coverage {
    comparator: Comparator,
    sequence: u64,
    sources: Vec<OfSource>,
    stretch: Option<Stretch>,
}

/// The range tombstones of a source.
#[derive(Debug)]
pub(crate) struct OfSource {
    /// The number of the source among those of the cursor.
    source: usize,
    set: Arc<RangeTombstones>,
    /// A tombstone with a greater number than this hides every entry of its own source too.
    written_under: u64,
}

impl OfSource {
    /// Those of a memtable; `None` if it has none. The reader's sequence number must be known before.
    pub(crate) fn memtable(source: usize, memtable: &Memtable) -> Option<Self> {
        Some(Self {
            source,
            set: memtable.range_tombstones()?,
            written_under: memtable.written_under_ranges(),
        })
    }

    /// Those of a table or a level, which does not say which of its entries came later than they.
    pub(crate) fn tables(source: usize, set: &Arc<RangeTombstones>) -> Self {
        Self {
            source,
            set: Arc::clone(set),
            written_under: u64::MAX,
        }
    }
}

/// The keys around the last one that was looked up.
#[derive(Debug, Default)]
struct Stretch {
    low: Option<Arc<[u8]>>,
    high: Option<Arc<[u8]>>,
    /// The number of the newest tombstone over them that the reader sees; 0 if there is none.
    newest: u64,
    /// The fragments over them.
    fragments: Vec<Covering>,
}

#[derive(Debug)]
struct Covering {
    start: Arc<[u8]>,
    end: Arc<[u8]>,
    /// The number of the first source of which it hides all entries in its range.
    hides_from: usize,
}

impl Coverage {
    /// The range tombstones for a reader of `sequence`; `None` if there are none.
    pub(crate) fn new(
        comparator: Comparator,
        sequence: u64,
        sources: Vec<OfSource>,
    ) -> Option<Self> {
        if sources.is_empty() {
            return None;
        }
        Some(Self {
            comparator,
            sequence,
            sources,
            stretch: None,
        })
    }

    /// How many fragments there are in all sources.
    pub(super) fn fragments(&self) -> usize {
        let sets = self.sources.iter().map(|of| of.set.fragments().len());
        sets.sum()
    }

    /// The sequence number of the newest tombstone over `key`, which hides older entries; 0 if there is none.
    pub(super) fn newest_over(&mut self, key: &[u8]) -> u64 {
        let comparator = &self.comparator;
        let known = self.stretch.as_ref().filter(|stretch| {
            let (low, high) = (&stretch.low, &stretch.high);
            low.as_ref()
                .is_none_or(|low| comparator.compare(low, key).is_le())
                && high
                    .as_ref()
                    .is_none_or(|high| comparator.compare(key, high).is_lt())
        });
        match known {
            Some(stretch) => stretch.newest,
            None => self.look_up(key),
        }
    }

    fn look_up(&mut self, key: &[u8]) -> u64 {
        let comparator = &self.comparator;
        let mut all = self.stretch.take().unwrap_or_default();
        all.fragments.clear();
        (all.low, all.high, all.newest) = (None, None, 0);
        for of_source in &self.sources {
            let one = of_source.set.around(comparator, key);
            if let Some(low) = one.low
                && all
                    .low
                    .as_ref()
                    .is_none_or(|other| comparator.compare(other, low).is_lt())
            {
                all.low = Some(Arc::clone(low));
            }
            if let Some(high) = one.high
                && all
                    .high
                    .as_ref()
                    .is_none_or(|other| comparator.compare(high, other).is_lt())
            {
                all.high = Some(Arc::clone(high));
            }
            let newest = one.fragment.map_or(0, |of| of.newest(self.sequence));
            if let Some(of) = one.fragment.filter(|_| newest > 0) {
                all.newest = all.newest.max(newest);
                let hides_own = newest > of_source.written_under;
                all.fragments.push(Covering {
                    start: Arc::clone(&of.start),
                    end: Arc::clone(&of.end),
                    hides_from: of_source.source + usize::from(!hides_own),
                });
            }
        }
        self.stretch.insert(all).newest
    }

    /// Where the keys end, around the last key asked for, of which `source` shows nothing: the first key after
    /// them or, going back, the first of them. `None` if entries of `source` may be newer than every tombstone.
    pub(super) fn end_of_hidden(&self, source: usize, forward: bool) -> Option<Arc<[u8]>> {
        let stretch = self.stretch.as_ref()?;
        let hiding = stretch
            .fragments
            .iter()
            .filter(|of| of.hides_from <= source);
        let comparator = &self.comparator;
        if forward {
            let ends = hiding.map(|of| &of.end);
            ends.max_by(|a, b| comparator.compare(a, b)).cloned()
        } else {
            let starts = hiding.map(|of| &of.start);
            starts.min_by(|a, b| comparator.compare(a, b)).cloned()
        }
    }
}
