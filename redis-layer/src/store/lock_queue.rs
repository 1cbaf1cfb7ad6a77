//! Queues of tasks that wait for a taken lock without blocking a thread: one queue for each stripe.
//!
//! A [`Waiter`] has a ticket in the queue of one stripe, and a waker. A caller that releases a stripe wakes the oldest
//! waiter of its queue. That removes the waiter from the queue, and its task tries to take the lock again. The lock is
//! not handed over: anybody may take it in the meantime, because a lock that is reserved for a sleeping task does
//! nobody any good. The waiter then goes back to where its ticket belongs, ahead of all that came later.
//!
//! A waiter that is woken in vain after it has waited for long *reserves* the stripes that it needs: nobody with a later
//! ticket takes them any more. So it gets them as soon as those who hold them now have ended, and nobody waits for ever.
//!
//! Invariants
//! 1. A queue is sorted by its tickets.
//! 2. A task that joins a queue looks at the lock again afterwards; a caller that releases a lock looks at the queue
//!    afterwards. In both, a fence separates the two steps, so that at least one of them sees the other.
//! 3. A wakeup is never lost. The woken task takes the stripe, and wakes the next one when it releases it; or it finds
//!    the stripe taken, and the holder will wake one; or it does neither, and wakes the next one instead
//!    ([`Waiter::leave`]).
//! 4. Who waits because a stripe is reserved is woken when the reservation ends: by whoever releases the stripe if it was
//!    taken for that, and at once if it was not.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
use std::task::Waker;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The ticket of a caller that is in no queue: later than all others.
pub(super) const LAST: u64 = u64::MAX;
/// How long a waiter has waited at least when it reserves what it needs. A reserved stripe is idle until its waiter runs,
/// so this is for those who have no luck, and not for each that meets somebody.
const PATIENCE: Duration = Duration::from_millis(100);

/// The queues of all stripes.
#[derive(Debug, Default)]
pub(super) struct LockQueues {
    /// How many tasks wait: whether there is anybody to wake is read here, without a lock.
    waiting: AtomicUsize,
    last_ticket: AtomicU64,
    /// Queues that are not empty, by stripe.
    queues: Mutex<BTreeMap<u16, VecDeque<(u64, Waker)>>>,
    /// How many tasks have reserved stripes: whether there are any is read here, without a lock.
    reserving: AtomicUsize,
    /// What they have reserved, by ticket.
    reserved: Mutex<BTreeMap<u64, Vec<u16>>>,
}

impl LockQueues {
    /// Wakes the oldest waiter of each of these stripes, which were just released.
    pub(super) fn wake(&self, stripes: &[u16]) {
        fence(Ordering::SeqCst);
        if self.waiting.load(Ordering::Relaxed) > 0 {
            stripes.iter().for_each(|&stripe| self.wake_oldest(stripe));
        }
    }

    fn wake_oldest(&self, stripe: u16) {
        let mut queues = self.queues.lock();
        let Some(queue) = queues.get_mut(&stripe) else {
            return;
        };
        let oldest = queue.pop_front();
        if queue.is_empty() {
            queues.remove(&stripe);
        }
        drop(queues);
        if let Some((_, waker)) = oldest {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            waker.wake();
        }
    }

    /// One of these stripes that somebody with an earlier ticket has reserved.
    pub(super) fn reserved(&self, stripes: &[u16], ticket: u64) -> Option<u16> {
        if self.reserving.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let reserved = self.reserved.lock();
        let is_wanted = |stripe: &&u16| stripes.binary_search(stripe).is_ok();
        let mut earlier = reserved.range(..ticket).map(|(_, stripes)| stripes);
        earlier.find_map(|earlier| earlier.iter().find(is_wanted).copied())
    }

    fn reserve(&self, ticket: u64, stripes: Vec<u16>) {
        let mut reserved = self.reserved.lock();
        let of_ticket = reserved.entry(ticket).or_insert_with(|| {
            self.reserving.fetch_add(1, Ordering::Relaxed);
            Vec::new()
        });
        // Of a pipeline more may have arrived meanwhile.
        of_ticket.extend(stripes);
        of_ticket.sort_unstable();
        of_ticket.dedup();
    }

    /// Ends what a ticket has reserved, after its task has taken some stripes.
    fn end_reservation(&self, ticket: u64, taken: &[u16]) {
        let Some(mut left) = self.reserved.lock().remove(&ticket) else {
            return;
        };
        self.reserving.fetch_sub(1, Ordering::Relaxed);
        left.retain(|stripe| !taken.contains(stripe));
        self.wake(&left);
    }

    /// Puts a task into a queue. Returns whether it was not there yet.
    fn join(&self, stripe: u16, ticket: u64, waker: &Waker) -> bool {
        let mut queues = self.queues.lock();
        let queue = queues.entry(stripe).or_default();
        let place = queue.binary_search_by_key(&ticket, |(ticket, _)| *ticket);
        match place {
            Ok(at) => queue[at].1.clone_from(waker),
            Err(at) => {
                queue.insert(at, (ticket, waker.clone()));
                self.waiting.fetch_add(1, Ordering::Relaxed);
            }
        }
        drop(queues);
        fence(Ordering::SeqCst);
        place.is_err()
    }

    /// Takes a ticket out of a queue. Returns false if it was not there, because its task has been woken.
    fn remove(&self, stripe: u16, ticket: u64) -> bool {
        let mut queues = self.queues.lock();
        let Some(queue) = queues.get_mut(&stripe) else {
            return false;
        };
        let Ok(at) = queue.binary_search_by_key(&ticket, |(ticket, _)| *ticket) else {
            return false;
        };
        queue.remove(at);
        if queue.is_empty() {
            queues.remove(&stripe);
        }
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        true
    }

    /// How many tasks wait.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.queues.lock().values().map(VecDeque::len).sum()
    }
}

/// A task that waits for locks, or that may have to. Dropping it ends the waiting.
#[derive(Debug, Default)]
pub struct Waiter(Option<Queued>);

#[derive(Debug)]
struct Queued {
    queues: Arc<LockQueues>,
    stripe: u16,
    ticket: u64,
    since: Instant,
    /// Whether it has just been woken after a long wait, and found a stripe taken.
    is_unlucky: bool,
    is_reserving: bool,
}

impl Waiter {
    /// Whether the task is in a queue, so that its waker will be called.
    #[must_use]
    pub const fn is_queued(&self) -> bool {
        self.0.is_some()
    }

    /// Joins the queue of `stripe`. The ticket is kept from when the waiting began, also when the task moves to
    /// another queue. The caller looks at the lock again after this.
    pub(super) fn join(&mut self, queues: &Arc<LockQueues>, stripe: u16, waker: &Waker) {
        let Some(queued) = &mut self.0 else {
            let ticket = queues.last_ticket.fetch_add(1, Ordering::Relaxed) + 1;
            queues.join(stripe, ticket, waker);
            self.0 = Some(Queued {
                queues: Arc::clone(queues),
                stripe,
                ticket,
                since: Instant::now(),
                is_unlucky: false,
                is_reserving: false,
            });
            return;
        };
        let was_woken = if queued.stripe == stripe {
            queues.join(stripe, queued.ticket, waker)
        } else {
            let was_woken = queued.leave_queue(&[]);
            queued.stripe = stripe;
            queues.join(stripe, queued.ticket, waker);
            was_woken
        };
        queued.is_unlucky = was_woken && queued.since.elapsed() >= PATIENCE;
    }

    /// Its ticket in the queues.
    pub(super) fn ticket(&self) -> u64 {
        self.0.as_ref().map_or(LAST, |queued| queued.ticket)
    }

    /// Reserves stripes, if it was woken in vain after a long wait. The caller looks at the locks again after this.
    pub(super) fn reserve_if_unlucky(&mut self, stripes: impl FnOnce() -> Vec<u16>) {
        if let Some(queued) = self.0.as_mut().filter(|queued| queued.is_unlucky) {
            queued.queues.reserve(queued.ticket, stripes());
            queued.is_reserving = true;
        }
    }

    /// Ends the waiting, because the task now holds the locks of `stripes`. A wakeup for another stripe is passed on.
    pub(super) fn leave_with(&mut self, stripes: &[u16]) {
        if let Some(queued) = self.0.take() {
            queued.leave_queue(stripes);
            if queued.is_reserving {
                queued.queues.end_reservation(queued.ticket, stripes);
            }
        }
    }

    /// Ends the waiting. If the task was woken already, the next one is woken instead.
    pub fn leave(&mut self) {
        self.leave_with(&[]);
    }
}

impl Queued {
    /// Leaves the queue, for a task that now holds the locks of `stripes`. Returns whether the task was woken. A wakeup for
    /// another stripe is passed on.
    fn leave_queue(&self, stripes: &[u16]) -> bool {
        let was_woken = !self.queues.remove(self.stripe, self.ticket);
        if was_woken && !stripes.contains(&self.stripe) {
            self.queues.wake_oldest(self.stripe);
        }
        was_woken
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::task::Wake;
    use std::thread::{self, Thread};

    use super::*;
    use crate::store::{Scope, StripedLocks};

    /// A task that only waits to be woken.
    struct Task {
        is_woken: AtomicBool,
        thread: Thread,
    }

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.is_woken.store(true, Ordering::SeqCst);
            self.thread.unpark();
        }
    }

    impl Task {
        fn new() -> (Arc<Self>, Waker) {
            let task = Arc::new(Self {
                is_woken: AtomicBool::new(false),
                thread: thread::current(),
            });
            (Arc::clone(&task), Waker::from(task))
        }

        fn is_woken(&self) -> bool {
            self.is_woken.swap(false, Ordering::SeqCst)
        }

        fn wait(&self, failed: &AtomicBool) -> bool {
            let rest = || thread::park_timeout(Duration::from_millis(100));
            comes_true(failed, rest, || self.is_woken())
        }
    }

    /// Returns false, and tells the other threads, if it never comes true.
    fn comes_true(failed: &AtomicBool, rest: impl Fn(), holds: impl Fn() -> bool) -> bool {
        let since = Instant::now();
        while !holds() {
            rest();
            if since.elapsed().as_secs() >= 60 || failed.load(Ordering::SeqCst) {
                failed.store(true, Ordering::SeqCst);
                return false;
            }
        }
        true
    }

    fn names(names: &[&'static str]) -> Vec<&'static [u8]> {
        names.iter().map(|name| name.as_bytes()).collect()
    }

    #[test]
    fn waiters_are_woken_one_by_one_in_the_order_in_which_they_came() {
        let locks = StripedLocks::default();
        let keys = names(&["k"]);
        let scope = Scope::Keys(&keys);
        let guard = locks.lock(scope);
        let tasks: Vec<_> = (0..3).map(|_| Task::new()).collect();
        let mut waiters: Vec<Waiter> = (0..3).map(|_| Waiter::default()).collect();
        for ((_, waker), waiter) in tasks.iter().zip(&mut waiters) {
            assert!(locks.lock_or_queue(scope, waker, waiter).is_none());
            assert!(waiter.is_queued());
        }
        let woken = || -> Vec<bool> { tasks.iter().map(|(task, _)| task.is_woken()).collect() };
        assert_eq!(woken(), [false, false, false]);
        drop(guard);
        assert_eq!(woken(), [true, false, false]);
        // Another caller is faster, so the first waiter goes back to the front of the queue.
        let faster = locks.try_lock(scope).unwrap();
        let mut ask = |at: usize| locks.lock_or_queue(scope, &tasks[at].1, &mut waiters[at]);
        assert!(ask(0).is_none());
        drop(faster);
        assert_eq!(woken(), [true, false, false]);
        drop(ask(0).unwrap());
        assert_eq!(woken(), [false, true, false]);
        drop(ask(1).unwrap());
        assert_eq!(woken(), [false, false, true]);
        drop(ask(2).unwrap());
        assert_eq!(locks.waiting(), 0);
    }

    #[test]
    fn a_wakeup_that_is_not_used_goes_to_the_next_waiter() {
        let locks = StripedLocks::default();
        let (key, both, everything) = (names(&["k"]), names(&["k", "l"]), Scope::Everything);
        for leaves in 0..3 {
            let guard = locks.lock(Scope::Keys(&key));
            let ((first, first_waker), (second, second_waker)) = (Task::new(), Task::new());
            let (mut waiter, mut next) = (Waiter::default(), Waiter::default());
            let ask = Scope::Keys(&both);
            assert!(
                locks
                    .lock_or_queue(ask, &first_waker, &mut waiter)
                    .is_none()
            );
            assert!(locks.lock_or_queue(ask, &second_waker, &mut next).is_none());
            drop(guard);
            assert!(first.is_woken() && !second.is_woken());
            match leaves {
                0 => drop(waiter),
                1 => waiter.leave(),
                _ => {
                    // There are queues for the locks of keys, but none for the lock of everything.
                    let _all = locks.lock(everything);
                    assert!(
                        locks
                            .lock_or_queue(ask, &first_waker, &mut waiter)
                            .is_none()
                    );
                    assert!(!waiter.is_queued());
                }
            }
            assert!(second.is_woken(), "left in way {leaves}");
            drop(next);
            assert_eq!(locks.waiting(), 0);
        }
    }

    #[test]
    fn who_has_waited_for_long_and_in_vain_is_not_overtaken() {
        let locks = StripedLocks::default();
        let [both, last, first] = [&["k", "l"][..], &["l"], &["k"]].map(names);
        let [both, last, first] = [&both, &last, &first].map(|keys| Scope::Keys(keys));
        for gives_up in [false, true] {
            let [
                (earlier, earlier_waker),
                (unlucky, unlucky_waker),
                (later, later_waker),
            ] = [Task::new(), Task::new(), Task::new()];
            let [mut before, mut waiter, mut after] = std::array::from_fn(|_| Waiter::default());
            let guard = locks.lock(last);
            assert!(
                locks
                    .lock_or_queue(last, &earlier_waker, &mut before)
                    .is_none()
            );
            assert!(
                locks
                    .lock_or_queue(both, &unlucky_waker, &mut waiter)
                    .is_none()
            );
            thread::sleep(PATIENCE);
            drop(guard);
            // Who came earlier takes it again and again, but does not give the turn away.
            assert!(earlier.is_woken() && !unlucky.is_woken());
            drop(
                locks
                    .lock_or_queue(last, &earlier_waker, &mut before)
                    .unwrap(),
            );
            assert!(unlucky.is_woken());
            let faster = locks.try_lock(last).unwrap();
            assert!(
                locks
                    .lock_or_queue(both, &unlucky_waker, &mut waiter)
                    .is_none()
            );
            // From now on nobody takes the other key either, although it is free.
            assert!(locks.try_lock(first).is_none());
            assert!(
                locks
                    .lock_or_queue(first, &later_waker, &mut after)
                    .is_none()
            );
            drop(faster);
            assert!(unlucky.is_woken() && !later.is_woken());
            assert!(locks.try_lock(last).is_none());
            if gives_up {
                drop(waiter);
            } else {
                drop(
                    locks
                        .lock_or_queue(both, &unlucky_waker, &mut waiter)
                        .unwrap(),
                );
            }
            assert!(later.is_woken());
            drop(
                locks
                    .lock_or_queue(first, &later_waker, &mut after)
                    .unwrap(),
            );
            drop(locks.try_lock(both).unwrap());
            assert_eq!(locks.waiting(), 0);
        }
    }

    #[test]
    fn what_is_reserved_is_free_for_those_who_came_earlier() {
        let locks = StripedLocks::default();
        let [both, last, first] = [&["k", "l"][..], &["l"], &["k", "m"]].map(names);
        let [both, last, first] = [&both, &last, &first].map(|keys| Scope::Keys(keys));
        let ((_, early_waker), (_, waker)) = (Task::new(), Task::new());
        let (mut early, mut waiter) = (Waiter::default(), Waiter::default());
        let held = names(&["m"]);
        let (held, guard) = (locks.lock(Scope::Keys(&held)), locks.lock(last));
        assert!(
            locks
                .lock_or_queue(first, &early_waker, &mut early)
                .is_none()
        );
        assert!(locks.lock_or_queue(both, &waker, &mut waiter).is_none());
        thread::sleep(PATIENCE);
        drop(guard);
        let faster = locks.try_lock(last).unwrap();
        assert!(locks.lock_or_queue(both, &waker, &mut waiter).is_none());
        drop((held, faster));
        assert!(locks.try_lock(first).is_none());
        assert!(
            locks
                .lock_or_queue(first, &early_waker, &mut early)
                .is_some()
        );
        assert!(locks.lock_or_queue(both, &waker, &mut waiter).is_some());
    }

    /// In each round every thread takes some of a few locks once, and some threads give up. After a lost wakeup nobody
    /// else comes and wakes the thread by chance, so it waits in vain. `yield_in_tests` lets the threads run between
    /// the steps of the locks.
    #[test]
    fn no_wakeup_is_lost() {
        const THREADS: usize = 4;
        const ROUNDS: usize = 2000;
        let locks = StripedLocks::default();
        let wanted = [&["a"][..], &["b", "a"], &["c", "b"], &["a", "c", "b"]].map(names);
        let (arrived, counter) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let failed = AtomicBool::new(false);
        let counted = AtomicUsize::new(0);
        let work = |thread: usize, round: usize| {
            let (task, waker) = Task::new();
            let keys = &wanted[(round / 3 * thread + round) % wanted.len()];
            let gives_up = (round + thread).is_multiple_of(3);
            let mut waiter = Waiter::default();
            let guard = loop {
                let asked = locks.lock_or_queue(Scope::Keys(keys), &waker, &mut waiter);
                if asked.is_some() {
                    break asked;
                }
                if !task.wait(&failed) || gives_up {
                    break None;
                }
            };
            // Deliberately not one atomic step: only the lock of "b" makes it one.
            if guard.is_some() && keys.contains(&&b"b"[..]) {
                let seen = counter.load(Ordering::Relaxed);
                thread::yield_now();
                counter.store(seen + 1, Ordering::Relaxed);
                counted.fetch_add(1, Ordering::Relaxed);
            }
        };
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (work, arrived, failed) = (&work, &arrived, &failed);
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        work(thread, round);
                        arrived.fetch_add(1, Ordering::SeqCst);
                        let all = (round + 1) * THREADS;
                        let all_are_there = || arrived.load(Ordering::SeqCst) >= all;
                        comes_true(failed, thread::yield_now, all_are_there);
                    }
                });
            }
        });
        assert!(!failed.into_inner(), "a waiter was not woken");
        assert_eq!(counter.into_inner(), counted.into_inner());
        assert_eq!(locks.waiting(), 0);
    }
}
