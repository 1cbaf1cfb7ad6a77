//! Locks on keys for a store that lives in one process.
//!
//! A key hashes to one of a fixed number of stripes, so memory does not grow with the keys. Two
//! keys may share a stripe: then their writers wait for one another needlessly, which is slow
//! but never wrong.
//!
//! Invariants
//! 1. The stripes of one call are taken in ascending order, each once, after the lock that all calls share. Two calls
//!    can therefore not wait for each other in a circle.
//! 2. A caller that has returned from a call holds all the stripes of its keys, or none of them.
//! 3. Whoever releases a stripe wakes the oldest task that waits for it ([`LockQueues`]). That includes a caller that
//!    releases it because the next stripe that it needs is taken.
//! 4. Nobody who holds a stripe waits for another one. So who waits for a long command keeps nobody else from working.
//!
//! Invariant 4 has a price: a caller that needs many stripes may find one of them taken again and again. After a while
//! nobody who came later takes what it needs ([`Waiter`]).
//!
//! Before, a caller kept the stripes that it had while it waited for the next one, for 50 ms, and then began anew. On a
//! busy machine a thread may sleep for longer than that although the lock is free: so each of some twenty clients kept others
//! waiting, few had all their stripes in time, and a pipeline took six seconds.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::store::lock_queue::{LAST, LockQueues, Waiter};
use crate::store::{Guard, Scope};

/// How many locks there are, a byte each. A pipeline may lock a hundred keys at once: then two of them share
/// a stripe about once in fourteen times.
const STRIPES: usize = 1 << 16;

/// A fixed set of locks that all keys share.
#[derive(Debug)]
pub struct StripedLocks {
    stripes: Vec<Mutex<()>>,
    /// Taken shared by each call that locks some keys, and exclusively by a call that locks everything.
    everything: RwLock<()>,
    /// Tasks that wait for stripes.
    queues: Arc<LockQueues>,
    seed: u64,
}

impl Default for StripedLocks {
    fn default() -> Self {
        Self {
            stripes: (0..STRIPES).map(|_| Mutex::new(())).collect(),
            everything: RwLock::default(),
            queues: Arc::default(),
            // Random, so that nobody can easily choose keys that all share a stripe. Somebody who could would make
            // writers wait and do no other harm, so a fast hash is enough and the slower one of the standard library
            // is not needed.
            seed: RandomState::new().hash_one(STRIPES),
        }
    }
}

/// Which lock somebody else holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Everything,
    Stripe(u16),
}

impl StripedLocks {
    /// Takes the locks of `scope` and holds them until the guard is dropped.
    #[must_use]
    pub fn lock(&self, scope: Scope<'_>) -> Box<dyn Guard + '_> {
        loop {
            if let Some(guard) = self.lock_while(scope, || Some(Duration::MAX)) {
                return guard;
            }
        }
    }

    /// Takes the locks of `scope` if nobody else holds any of them.
    #[must_use]
    pub fn try_lock(&self, scope: Scope<'_>) -> Option<Box<dyn Guard + '_>> {
        Some(Box::new(self.try_take(scope, LAST).ok()?))
    }

    /// As [`Self::try_lock`], but joins a queue as [`Store::lock_or_queue`](crate::store::Store::lock_or_queue) says.
    /// While somebody holds everything, there is no queue to join.
    #[must_use]
    pub fn lock_or_queue(
        &self,
        scope: Scope<'_>,
        waker: &Waker,
        waiter: &mut Waiter,
    ) -> Option<Box<dyn Guard + '_>> {
        let mut joined = None;
        loop {
            match self.try_take(scope, waiter.ticket()) {
                Ok(held) => {
                    waiter.leave_with(held.stripes());
                    return Some(Box::new(held));
                }
                Err(Taken::Everything) => {
                    waiter.leave();
                    return None;
                }
                Err(Taken::Stripe(stripe)) if joined == Some(stripe) => return None,
                Err(Taken::Stripe(stripe)) => {
                    yield_in_tests();
                    waiter.join(&self.queues, stripe, waker);
                    if let Scope::Keys(keys) = scope {
                        waiter.reserve_if_unlucky(|| self.stripes_of(keys));
                    }
                    joined = Some(stripe);
                }
            }
        }
    }

    /// Takes the locks of `scope`, or none of them if they are not all free within `timeout`.
    #[must_use]
    pub fn lock_for(&self, scope: Scope<'_>, timeout: Duration) -> Option<Box<dyn Guard + '_>> {
        let deadline = Instant::now() + timeout;
        self.lock_while(scope, || {
            let left = deadline.saturating_duration_since(Instant::now());
            (!left.is_zero()).then_some(left)
        })
    }

    /// Takes the locks of `scope`, or none of them if `patience` says so. It is asked before each wait, and answers how
    /// long to wait until it is asked again.
    #[must_use]
    pub fn lock_while(
        &self,
        scope: Scope<'_>,
        mut patience: impl FnMut() -> Option<Duration>,
    ) -> Option<Box<dyn Guard + '_>> {
        if let Some(guard) = self.try_lock(scope) {
            return Some(guard);
        }
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut waiter = Waiter::default();
        loop {
            if let Some(guard) = self.lock_or_queue(scope, &waker, &mut waiter) {
                return Some(guard);
            }
            let patience = patience()?;
            match scope {
                _ if waiter.is_queued() => thread::park_timeout(patience),
                Scope::Keys(_) => drop(self.everything.try_read_for(patience)),
                Scope::Everything => {
                    if let Some(all) = self.everything.try_write_for(patience) {
                        return Some(Box::new(Held::Everything(all)));
                    }
                }
            }
        }
    }

    /// How many tasks wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.queues.len()
    }

    /// Takes the locks for a caller with this ticket.
    fn try_take(&self, scope: Scope<'_>, ticket: u64) -> Result<Held<'_>, Taken> {
        match scope {
            Scope::Everything => {
                let all = self.everything.try_write().ok_or(Taken::Everything)?;
                Ok(Held::Everything(all))
            }
            Scope::Keys(keys) => {
                let shared = self.everything.try_read().ok_or(Taken::Everything)?;
                self.take(keys, shared, ticket)
            }
        }
    }

    /// Takes the stripes of keys one after the other. If one is taken, those before it are released.
    fn take<'a>(
        &'a self,
        keys: &[&[u8]],
        shared: RwLockReadGuard<'a, ()>,
        ticket: u64,
    ) -> Result<Held<'a>, Taken> {
        let queues = &*self.queues;
        let stripe = |number| &self.stripes[usize::from(number)];
        let none_reserved = |stripes: &[u16]| match queues.reserved(stripes, ticket) {
            Some(reserved) => Err(Taken::Stripe(reserved)),
            None => Ok(()),
        };
        if let [key] = keys {
            let number = self.stripe_of(key);
            let stripes = [number];
            none_reserved(&stripes)?;
            let guard = stripe(number).try_lock().ok_or(Taken::Stripe(number))?;
            return Ok(Held::One(guard, shared, WakeWaiters { queues, stripes }));
        }
        let stripes = self.stripes_of(keys);
        none_reserved(&stripes)?;
        let mut guards = Vec::with_capacity(stripes.len());
        for (at, &number) in stripes.iter().enumerate() {
            let Some(guard) = stripe(number).try_lock() else {
                drop(guards);
                queues.wake(&stripes[..at]);
                return Err(Taken::Stripe(number));
            };
            guards.push(guard);
            yield_in_tests();
        }
        Ok(Held::Some(guards, shared, WakeWaiters { queues, stripes }))
    }

    /// The stripes of several keys, in ascending order, each once.
    fn stripes_of(&self, keys: &[&[u8]]) -> Vec<u16> {
        let mut numbers: Vec<u16> = keys.iter().map(|key| self.stripe_of(key)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// A key's stripe: the two lowest bytes of its hash.
    fn stripe_of(&self, key: &[u8]) -> u16 {
        let [low, high, ..] = xxh3_64_with_seed(key, self.seed).to_le_bytes();
        u16::from_le_bytes([low, high])
    }
}

/// A point between two steps where other threads may run. In tests it makes them run.
fn yield_in_tests() {
    #[cfg(test)]
    thread::yield_now();
}

/// Wakes a thread that waits for locks.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The locks of one call. The fields are dropped in order: first the locks, then [`WakeWaiters`].
enum Held<'a> {
    One(
        #[expect(dead_code, reason = "it is held")] MutexGuard<'a, ()>,
        #[expect(dead_code, reason = "it is held")] RwLockReadGuard<'a, ()>,
        WakeWaiters<'a, [u16; 1]>,
    ),
    Some(
        #[expect(dead_code, reason = "they are held")] Vec<MutexGuard<'a, ()>>,
        #[expect(dead_code, reason = "it is held")] RwLockReadGuard<'a, ()>,
        WakeWaiters<'a, Vec<u16>>,
    ),
    Everything(#[expect(dead_code, reason = "it is held")] RwLockWriteGuard<'a, ()>),
}

impl Held<'_> {
    fn stripes(&self) -> &[u16] {
        match self {
            Self::One(.., wake) => &wake.stripes,
            Self::Some(.., wake) => &wake.stripes,
            Self::Everything(_) => &[],
        }
    }
}

impl Guard for Held<'_> {}

/// When it is dropped, wakes the tasks that wait for the stripes.
struct WakeWaiters<'a, S: AsRef<[u16]>> {
    queues: &'a LockQueues,
    stripes: S,
}

impl<S: AsRef<[u16]>> Drop for WakeWaiters<'_, S> {
    fn drop(&mut self) {
        self.queues.wake(self.stripes.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    use super::*;

    #[test]
    fn opposite_orders_and_repeated_keys_neither_deadlock_nor_overlap() {
        let locks = StripedLocks::default();
        let counter = AtomicU64::new(0);
        let keys = ["a", "b", "c", "a"].map(str::as_bytes);
        let mut reversed = keys;
        reversed.reverse();
        thread::scope(|scope| {
            for keys in [&keys, &reversed, &keys, &reversed] {
                let (locks, counter) = (&locks, &counter);
                scope.spawn(move || {
                    for _ in 0..500 {
                        let _guard = locks.lock(Scope::Keys(keys));
                        // Deliberately not one atomic step: only the lock makes it one.
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
    fn a_caller_that_gives_up_waiting_holds_nothing() {
        let locks = StripedLocks::default();
        let timeout = Duration::from_millis(1);
        let keys = ["a", "b"].map(str::as_bytes);
        let key = Scope::Keys(&keys[..1]);
        let guard = locks.lock(key);
        assert!(locks.lock_for(key, timeout).is_none());
        assert!(locks.lock_for(Scope::Keys(&keys), timeout).is_none());
        assert!(locks.lock_for(Scope::Everything, timeout).is_none());
        drop(guard);
        let all = locks.lock_for(Scope::Everything, timeout);
        assert!(all.is_some());
        assert!(locks.lock_for(key, timeout).is_none());
    }

    #[test]
    fn everything_waits_for_each_key_and_each_key_for_everything() {
        let locks = StripedLocks::default();
        let key = [&b"k"[..]];
        let guard = locks.lock(Scope::Keys(&key));
        let others: Vec<&[u8]> = b"012345678".chunks(1).collect();
        assert!(locks.try_lock(Scope::Keys(&key)).is_none());
        assert!(locks.try_lock(Scope::Everything).is_none());
        assert!(locks.try_lock(Scope::Keys(&others)).is_some());
        let held = locks.stripes.iter().filter(|stripe| stripe.is_locked());
        assert_eq!(held.count(), 1);
        assert!(locks.everything.try_write().is_none());
        drop(guard);
        let _all = locks.lock(Scope::Everything);
        assert!(locks.everything.try_read().is_none());
    }

    #[test]
    fn who_waits_for_one_key_keeps_nobody_from_another() {
        let locks = StripedLocks::default();
        let mut keys = ["a", "b"].map(str::as_bytes);
        keys.sort_by_key(|key| locks.stripe_of(key));
        let second = locks.lock(Scope::Keys(&keys[1..]));
        thread::scope(|scope| {
            let waits = scope.spawn(|| drop(locks.lock(Scope::Keys(&keys))));
            thread::sleep(Duration::from_millis(50));
            let first = locks.try_lock(Scope::Keys(&keys[..1]));
            let is_free = first.is_some();
            drop((first, second));
            waits.join().unwrap();
            assert!(is_free, "who waits holds the first key");
        });
    }

    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_caller_that_releases_a_stripe_without_using_it_wakes_its_waiter() {
        let locks = StripedLocks::default();
        let mut keys = ["a", "b"].map(str::as_bytes);
        keys.sort_by_key(|key| locks.stripe_of(key));
        let _second = locks.lock(Scope::Keys(&keys[1..]));
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        // A task that waits for the first key has just found it held, by a caller that wants both keys.
        let mut waiter = Waiter::default();
        let waker = Waker::from(Arc::clone(&woken));
        waiter.join(&locks.queues, locks.stripe_of(keys[0]), &waker);
        assert!(locks.try_lock(Scope::Keys(&keys)).is_none());
        assert!(woken.0.load(Ordering::SeqCst));
    }
}
