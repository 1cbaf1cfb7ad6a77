//! A store that counts the rows that scans step over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use redis_layer::store::{
    Batch, Cursor, Direction, Guard, KeyRange, Result, Scope, Snapshot, Space, Store,
};

/// Passes everything on, and counts.
pub(crate) struct Counting {
    inner: Arc<dyn Store>,
    counters: Arc<Counters>,
}

/// What was asked for so far.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    gets: AtomicU64,
    scans: AtomicU64,
    steps: AtomicU64,
}

impl Counting {
    pub(crate) fn over(inner: Arc<dyn Store>) -> (Arc<Self>, Arc<Counters>) {
        let counters = Arc::<Counters>::default();
        let store = Self {
            inner,
            counters: Arc::clone(&counters),
        };
        (Arc::new(store), counters)
    }
}

impl Counters {
    /// How many rows were stepped over since the last question.
    pub(crate) fn steps(&self) -> u64 {
        self.steps.swap(0, Ordering::Relaxed)
    }

    /// How many scans were begun since the last question.
    pub(crate) fn scans(&self) -> u64 {
        self.scans.swap(0, Ordering::Relaxed)
    }

    /// How many rows were looked up since the last question.
    pub(crate) fn gets(&self) -> u64 {
        self.gets.swap(0, Ordering::Relaxed)
    }
}

impl Store for Counting {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        Ok(Box::new(CountingSnapshot {
            inner: self.inner.snapshot()?,
            counters: Arc::clone(&self.counters),
        }))
    }

    fn write(&self, batch: Batch) -> Result<()> {
        self.inner.write(batch)
    }

    fn lock<'a>(&'a self, scope: Scope<'_>) -> Result<Box<dyn Guard + 'a>> {
        self.inner.lock(scope)
    }

    fn unique(&self) -> Result<u64> {
        self.inner.unique()
    }

    fn sync(&self) -> Result<()> {
        self.inner.sync()
    }
}

struct CountingSnapshot {
    inner: Box<dyn Snapshot>,
    counters: Arc<Counters>,
}

impl Snapshot for CountingSnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        self.counters.gets.fetch_add(1, Ordering::Relaxed);
        self.inner.get(space, key)
    }

    fn scan<'a>(
        &'a self,
        space: Space,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor + 'a>> {
        self.counters.scans.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(CountingCursor {
            inner: self.inner.scan(space, range, direction)?,
            counters: Arc::clone(&self.counters),
        }))
    }
}

struct CountingCursor<'a> {
    inner: Box<dyn Cursor + 'a>,
    counters: Arc<Counters>,
}

impl Cursor for CountingCursor<'_> {
    fn row(&self) -> Option<(&[u8], &[u8])> {
        self.inner.row()
    }

    fn advance(&mut self) -> Result<()> {
        self.counters.steps.fetch_add(1, Ordering::Relaxed);
        self.inner.advance()
    }
}
