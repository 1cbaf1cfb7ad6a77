//! Counters that several threads increment at the same time.
//!
//! Each of a few *shards* has its own copy on its own cache lines, so that counting threads do not pass a line of
//! memory to and fro. A reader adds the shards up, and may miss what is being counted at that moment.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How many shards there are: this many threads can count without disturbing one another.
const SHARDS: usize = 4;

/// One `T` for each shard.
#[derive(Debug, Default)]
pub struct Sharded<T>([Shard<T>; SHARDS]);

/// Processors fetch lines of 64 bytes in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard<T>(T);

impl<T> Sharded<T> {
    /// The shard in which this thread counts.
    #[inline]
    pub fn here(&self) -> &T {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static MINE: usize = NEXT.fetch_add(1, Relaxed) % SHARDS;
        }
        &self.0[MINE.with(|mine| *mine)].0
    }

    /// All shards.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|shard| &shard.0)
    }

    /// The sum of one number over all shards.
    pub fn sum(&self, of: impl Fn(&T) -> u64) -> u64 {
        self.all().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn what_threads_count_adds_up() {
        let counted: Sharded<AtomicU64> = Sharded::default();
        std::thread::scope(|scope| {
            for _ in 0..2 * SHARDS {
                scope.spawn(|| counted.here().fetch_add(1, Relaxed));
            }
        });
        let sum = counted.sum(|shard| shard.load(Relaxed));
        assert_eq!(sum, 2 * SHARDS as u64);
    }
}
