//! Byte order whose comparisons are counted: a test cannot rely on time.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use engine::Compare;

/// Clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct CountingOrder(Arc<AtomicU64>);

impl CountingOrder {
    /// How many comparisons `work` makes.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> (T, u64) {
        let from = self.0.load(Relaxed);
        let outcome = work();
        (outcome, self.0.load(Relaxed) - from)
    }
}

impl Compare for CountingOrder {
    fn name(&self) -> &str {
        "counting"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.0.fetch_add(1, Relaxed);
        a.cmp(b)
    }
}
