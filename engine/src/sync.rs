//! The atomics of the memtable and of the visible sequence number: those of the standard library,
//! or loom's when a loom model runs.
//!
//! Loom runs a model (`memtable/model.rs`, `db/visible.rs`) with every interleaving of its threads
//! and every result that the memory model allows:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p engine --lib --target-dir target/loom loom_
//! ```
//!
//! Loom tracks only its own atomics, not the plain bytes that are published through them. Each such
//! piece of memory therefore has a [`Witness`], which is written and read together with it.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::OnceLock;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// Represents plain memory that one thread writes and publishes and other threads read. In a model,
/// reading a witness without having seen its publication fails. Outside of models it does nothing.
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

    /// Call this when the memory is written.
    #[inline]
    pub(crate) fn write(&self) {
        #[cfg(loom)]
        self.cell.with_mut(|_| ());
    }

    /// Call this when the memory is read.
    #[inline]
    pub(crate) fn read(&self) {
        #[cfg(loom)]
        self.cell.with(|_| ());
    }
}

/// A cell that is set once, which loom lacks. It orders memory between threads no more strongly
/// than the standard library's promises to.
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

/// Runs a model in every order that preempts a running thread at most three times. Loom's authors
/// found that two or three preemptions reveal most faults.
#[cfg(all(test, loom))]
pub(crate) fn check_model(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    // This limits the steps of one run, not the number of runs: building an index takes many steps.
    builder.max_branches = 20_000;
    builder.check(model);
}
