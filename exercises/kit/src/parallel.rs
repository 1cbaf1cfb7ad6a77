//! Jobs on all processors.

use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Runs a job for each item, as many at a time as there are processors; results in order.
///
/// # Errors
/// The first item's error, in their order.
pub(crate) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    job: impl Fn(&T) -> io::Result<R> + Sync,
) -> io::Result<Vec<R>> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let next = Mutex::new(0..items.len());
    let results = Mutex::new(Vec::new());
    let take = |m: &Mutex<Range<usize>>| m.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(|| {
                while let Some(index) = take(&next) {
                    let result = job(&items[index]);
                    results
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
