//! A store that passes everything on to another one, except for what a test does otherwise.

use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use redis_layer::store::{
    BTreeStore, Batch, Cursor, Direction, Guard, KeyRange, Result, Scope, Snapshot, Space, Store,
};

/// What a test may do otherwise. `inner` is the store below.
pub(crate) trait Hooks: Send + Sync {
    fn snapshot(&self, inner: &dyn Store) -> Result<Box<dyn Snapshot>> {
        inner.snapshot()
    }

    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        inner.write(batch)
    }

    fn sync(&self, inner: &dyn Store) -> Result<()> {
        inner.sync()
    }
}

/// How many changes each write has.
#[derive(Default)]
pub(crate) struct Sizes(pub(crate) Mutex<Vec<usize>>);

impl Hooks for Sizes {
    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        self.0.lock().push(batch.changes().count());
        inner.write(batch)
    }
}

/// A store with hooks. It is also a reference to them, so that a test gets at what they count.
pub(crate) struct Hooked<H> {
    inner: Arc<dyn Store>,
    hooks: H,
}

impl<H> Hooked<H> {
    pub(crate) fn over(inner: Arc<dyn Store>, hooks: H) -> Arc<Self> {
        Arc::new(Self { inner, hooks })
    }
}

/// Over an empty store in memory.
impl<H: Default> Default for Hooked<H> {
    fn default() -> Self {
        Self {
            inner: Arc::new(BTreeStore::new()),
            hooks: H::default(),
        }
    }
}

impl<H> Deref for Hooked<H> {
    type Target = H;

    fn deref(&self) -> &H {
        &self.hooks
    }
}

impl<H: Hooks> Store for Hooked<H> {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        self.hooks.snapshot(&*self.inner)
    }

    fn write(&self, batch: Batch) -> Result<()> {
        self.hooks.write(&*self.inner, batch)
    }

    fn lock<'a>(&'a self, scope: Scope<'_>) -> Result<Box<dyn Guard + 'a>> {
        self.inner.lock(scope)
    }

    fn unique(&self) -> Result<u64> {
        self.inner.unique()
    }

    fn sync(&self) -> Result<()> {
        self.hooks.sync(&*self.inner)
    }
}

/// A snapshot that first shows each key it is asked for to a function.
pub(crate) struct Watched<F>(pub(crate) Box<dyn Snapshot>, pub(crate) F);

impl<F: Fn(&[u8]) + Send + Sync> Snapshot for Watched<F> {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        (self.1)(key);
        self.0.get(space, key)
    }

    fn scan<'a>(
        &'a self,
        space: Space,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor + 'a>> {
        self.0.scan(space, range, direction)
    }
}
