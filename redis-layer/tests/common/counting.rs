//! A store that counts the rows that scans step over. If it keeps tombstones, removed rows stay and are stepped over
//! too, as in a log-structured store that is never compacted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use redis_layer::store::{
    Batch, Change, Cursor, Direction, KeyRange, Result, Snapshot, Space, Store,
};

use super::hooked::{Hooked, Hooks};

/// Passes everything on, and counts.
pub(crate) struct Counting {
    counters: Arc<Counters>,
    keeps_tombstones: bool,
}

/// The value of a removed row. No row has it: metadata begins with a tag, a score is none of these bytes.
const TOMBSTONE: &[u8] = b"\xff removed";

/// What was asked for so far.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    snapshots: AtomicU64,
    gets: AtomicU64,
    steps: AtomicU64,
    written: AtomicU64,
}

impl Counting {
    pub(crate) fn over(inner: Arc<dyn Store>) -> (Arc<Hooked<Self>>, Arc<Counters>) {
        Self::new(inner, false)
    }

    pub(crate) fn with_tombstones(inner: Arc<dyn Store>) -> (Arc<Hooked<Self>>, Arc<Counters>) {
        Self::new(inner, true)
    }

    fn new(inner: Arc<dyn Store>, keeps_tombstones: bool) -> (Arc<Hooked<Self>>, Arc<Counters>) {
        let counters = Arc::<Counters>::default();
        let counting = Self {
            counters: Arc::clone(&counters),
            keeps_tombstones,
        };
        (Hooked::over(inner, counting), counters)
    }
}

impl Counters {
    /// How many snapshots were taken since the last question.
    pub(crate) fn snapshots(&self) -> u64 {
        self.snapshots.swap(0, Ordering::Relaxed)
    }

    /// How many rows were stepped over since the last question.
    pub(crate) fn steps(&self) -> u64 {
        self.steps.swap(0, Ordering::Relaxed)
    }

    /// How many rows were looked up since the last question.
    pub(crate) fn gets(&self) -> u64 {
        self.gets.swap(0, Ordering::Relaxed)
    }

    /// How many bytes of keys and values were written since the last question.
    pub(crate) fn written(&self) -> u64 {
        self.written.swap(0, Ordering::Relaxed)
    }
}

impl Hooks for Counting {
    fn snapshot(&self, inner: &dyn Store) -> Result<Box<dyn Snapshot>> {
        self.counters.snapshots.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(CountingSnapshot {
            inner: inner.snapshot()?,
            counters: Arc::clone(&self.counters),
        }))
    }

    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        let bytes = |(_, change): (_, &Change)| {
            change.key.len() + change.value.as_ref().map_or(0, Bytes::len)
        };
        let written: usize = batch.changes().map(bytes).sum();
        let written = u64::try_from(written).unwrap();
        self.counters.written.fetch_add(written, Ordering::Relaxed);
        if !self.keeps_tombstones {
            return inner.write(batch);
        }
        let mut kept = Batch::default();
        for (space, change) in batch.changes() {
            let value = change.value.clone();
            let value = value.unwrap_or(Bytes::from_static(TOMBSTONE));
            kept.put(space, change.key.clone(), value);
        }
        inner.write(kept)
    }
}

struct CountingSnapshot {
    inner: Box<dyn Snapshot>,
    counters: Arc<Counters>,
}

impl Snapshot for CountingSnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        self.counters.gets.fetch_add(1, Ordering::Relaxed);
        let value = self.inner.get(space, key)?;
        Ok(value.filter(|value| value != TOMBSTONE))
    }

    fn scan<'a>(
        &'a self,
        space: Space,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor + 'a>> {
        let mut cursor = CountingCursor {
            inner: self.inner.scan(space, range, direction)?,
            counters: Arc::clone(&self.counters),
        };
        cursor.pass_tombstones()?;
        Ok(Box::new(cursor))
    }
}

struct CountingCursor<'a> {
    inner: Box<dyn Cursor + 'a>,
    counters: Arc<Counters>,
}

impl CountingCursor<'_> {
    fn pass_tombstones(&mut self) -> Result<()> {
        while self
            .inner
            .row()
            .is_some_and(|(_, value)| value == TOMBSTONE)
        {
            self.counters.steps.fetch_add(1, Ordering::Relaxed);
            self.inner.advance()?;
        }
        Ok(())
    }
}

impl Cursor for CountingCursor<'_> {
    fn row(&self) -> Option<(&[u8], &[u8])> {
        self.inner.row()
    }

    fn advance(&mut self) -> Result<()> {
        self.counters.steps.fetch_add(1, Ordering::Relaxed);
        self.inner.advance()?;
        self.pass_tombstones()
    }
}
