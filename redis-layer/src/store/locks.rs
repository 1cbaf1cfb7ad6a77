//! Locks on keys for a store that lives in one process.
//!
//! A key hashes to one of a fixed number of stripes, so memory does not grow with the keys. Two
//! keys may share a stripe: then their writers wait for one another without need, which is slow
//! and never wrong.
//!
//! Invariants
//! 1. The stripes of one call are taken in ascending order, each once. Two calls can therefore
//!    not wait for each other in a circle.
//! 2. A caller holds all the stripes of its keys, or is still waiting.

use std::hash::{BuildHasher, RandomState};

use parking_lot::{Mutex, MutexGuard};

use crate::store::{Guard, Scope};

/// How many locks there are. With 50 busy clients fewer than one pair in five shares a stripe.
const STRIPES: usize = 256;

/// A fixed set of locks that all keys share.
#[derive(Debug)]
pub struct StripedLocks {
    stripes: Vec<Mutex<()>>,
    hasher: RandomState,
}

impl Default for StripedLocks {
    fn default() -> Self {
        Self {
            stripes: (0..STRIPES).map(|_| Mutex::new(())).collect(),
            // Seeded by chance, so that nobody can choose keys that all share a stripe.
            hasher: RandomState::new(),
        }
    }
}

impl StripedLocks {
    /// Takes the locks of `scope` and holds them until the guard is dropped.
    #[must_use]
    pub fn lock(&self, scope: Scope<'_>) -> Box<dyn Guard + '_> {
        let guards: Held<'_> = match scope {
            Scope::Keys([key]) => vec![self.stripes[self.stripe(key)].lock()],
            Scope::Keys(keys) => {
                let mut stripes: Vec<usize> = keys.iter().map(|key| self.stripe(key)).collect();
                stripes.sort_unstable();
                stripes.dedup();
                stripes
                    .into_iter()
                    .map(|i| self.stripes[i].lock())
                    .collect()
            }
            Scope::Everything => self.stripes.iter().map(Mutex::lock).collect(),
        };
        Box::new(guards)
    }

    fn stripe(&self, key: &[u8]) -> usize {
        usize::try_from(self.hasher.hash_one(key) % STRIPES as u64).unwrap_or(0)
    }
}

/// The locks of one call.
type Held<'a> = Vec<MutexGuard<'a, ()>>;

impl Guard for Held<'_> {}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn opposite_orders_and_repeated_keys_neither_deadlock_nor_overlap() {
        let locks = StripedLocks::default();
        let counter = AtomicU64::new(0);
        let keys: Vec<Vec<u8>> = [&b"a"[..], b"b", b"c", b"a"].map(<[u8]>::to_vec).into();
        let reversed: Vec<Vec<u8>> = keys.iter().rev().cloned().collect();
        thread::scope(|scope| {
            for keys in [&keys, &reversed, &keys, &reversed] {
                let (locks, counter) = (&locks, &counter);
                scope.spawn(move || {
                    for _ in 0..500 {
                        let _guard = locks.lock(Scope::Keys(keys));
                        // Not one atomic step on purpose: only the lock makes it one.
                        let seen = counter.load(Ordering::Relaxed);
                        thread::yield_now();
                        counter.store(seen + 1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(counter.into_inner(), 2000);
    }

    #[test]
    fn everything_waits_for_each_key() {
        let locks = StripedLocks::default();
        let key = [b"k".to_vec()];
        let guard = locks.lock(Scope::Keys(&key));
        let held = locks
            .stripes
            .iter()
            .filter(|stripe| stripe.is_locked())
            .count();
        assert_eq!(held, 1);
        drop(guard);
        let _all = locks.lock(Scope::Everything);
        assert!(locks.stripes.iter().all(Mutex::is_locked));
    }
}
