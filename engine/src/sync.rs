//! The atomics of the memtable and of the visible number: the standard library's, or loom's in its model.
//!
//! Loom runs a model (`memtable/model.rs`, `db/visible.rs`) in every order and with every outcome that the memory model allows:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p engine --lib --target-dir target/loom loom_
//! ```
//!
//! It follows its own atomics only. So what is published through them, plain bytes, has a [`Witness`] that is
//! written and read with them.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::OnceLock;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// Stands for plain memory that one thread writes, then publishes, and others read. In a model, reading it
/// without having seen its publication fails; elsewhere it is nothing.
#[derive(Debug)]
pub(crate) struct Witness {
    #[cfg(loom)]
    cell: loom::cell::UnsafeCell<()>,
}

impl Witness {
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(loom)]
            cell: loom::cell::UnsafeCell::new(()),
        }
    }

    /// The memory is written.
    #[inline]
    pub(crate) fn write(&self) {
        #[cfg(loom)]
        self.cell.with_mut(|_| ());
    }

    /// The memory is read.
    #[inline]
    pub(crate) fn read(&self) {
        #[cfg(loom)]
        self.cell.with(|_| ());
    }
}

/// What loom lacks: a cell that is set once, with no more order between threads than the standard library's promises.
#[cfg(loom)]
#[derive(Debug)]
pub(crate) struct OnceLock<T> {
    cell: std::sync::OnceLock<T>,
    is_set: AtomicUsize,
}

#[cfg(loom)]
impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self {
            cell: std::sync::OnceLock::new(),
            is_set: AtomicUsize::new(0),
        }
    }
}

#[cfg(loom)]
impl<T> OnceLock<T> {
    pub(crate) fn get(&self) -> Option<&T> {
        let is_set = self.is_set.load(Ordering::Acquire) == 1;
        is_set.then(|| self.cell.get()).flatten()
    }

    pub(crate) fn set(&self, value: T) -> Result<(), T> {
        self.cell.set(value)?;
        self.is_set.store(1, Ordering::Release);
        Ok(())
    }
}

/// Runs a model in every order with at most so many switches of thread where none would have to be. Those who made loom
/// found that two or three show most faults.
#[cfg(all(test, loom))]
pub(crate) fn check_model(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    // Steps of one run, not runs: an index is made by many.
    builder.max_branches = 20_000;
    builder.check(model);
}
