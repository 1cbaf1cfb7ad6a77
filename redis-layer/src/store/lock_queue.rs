//! Queues of tasks that wait for a taken lock without blocking a thread: one queue for each stripe.
//!
//! A waiter has a [`Place`]: a ticket in the queue of one stripe, and a waker. A caller that gives a stripe back
//! calls the oldest waiter of its queue. That removes the waiter from the queue, and it asks for the lock again. The
//! lock is not handed over: anybody may take it in the meantime, because a lock that is reserved for a sleeping task
//! does nobody any good. The waiter then goes back to where its ticket belongs, ahead of all that came later.
//!
//! Invariants
//! 1. A queue is sorted by its tickets.
//! 2. A task that joins a queue looks at the lock again afterwards; a caller that gives a lock back looks at the
//!    queue afterwards. In both, a fence separates the two steps, so that at least one of them sees the other.
//! 3. A call is never lost. The called task takes the stripe, and calls the next one when it gives it back; or it
//!    finds the stripe taken, and the holder will call; or it does neither, and calls the next one in its place
//!    ([`Place::leave`]).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
use std::task::Waker;

use parking_lot::Mutex;

/// The queues of all stripes.
#[derive(Debug, Default)]
pub(super) struct LockQueues {
    /// How many tasks wait: whether there is anybody to call is read here, without a lock.
    waiting: AtomicUsize,
    last_ticket: AtomicU64,
    /// Queues that are not empty, by stripe.
    queues: Mutex<BTreeMap<u16, VecDeque<(u64, Waker)>>>,
}

impl LockQueues {
    /// Calls the oldest waiter of each of these stripes, which were just given back.
    pub(super) fn call(&self, stripes: &[u16]) {
        fence(Ordering::SeqCst);
        if self.waiting.load(Ordering::Relaxed) > 0 {
            stripes.iter().for_each(|&stripe| self.call_oldest(stripe));
        }
    }

    fn call_oldest(&self, stripe: u16) {
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

    fn join(&self, stripe: u16, ticket: u64, waker: &Waker) {
        let mut queues = self.queues.lock();
        let queue = queues.entry(stripe).or_default();
        match queue.binary_search_by_key(&ticket, |(ticket, _)| *ticket) {
            Ok(at) => queue[at].1.clone_from(waker),
            Err(at) => {
                queue.insert(at, (ticket, waker.clone()));
                self.waiting.fetch_add(1, Ordering::Relaxed);
            }
        }
        drop(queues);
        fence(Ordering::SeqCst);
    }

    /// Takes a ticket out of a queue. Returns false if it was not there, because it has been called.
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

/// The place of a task that waits for locks, if it waits for any. Dropping it ends the waiting.
#[derive(Debug, Default)]
pub struct Place(Option<Standing>);

#[derive(Debug)]
struct Standing {
    queues: Arc<LockQueues>,
    stripe: u16,
    ticket: u64,
}

impl Place {
    /// Whether the waker will be called.
    #[must_use]
    pub const fn is_taken(&self) -> bool {
        self.0.is_some()
    }

    /// Joins the queue of `stripe`. The ticket is kept from when the waiting began, also when the task moves to
    /// another queue. The caller looks at the lock again after this.
    pub(super) fn join(&mut self, queues: &Arc<LockQueues>, stripe: u16, waker: &Waker) {
        let ticket = match &self.0 {
            Some(standing) if standing.stripe == stripe => standing.ticket,
            Some(standing) => {
                let ticket = standing.ticket;
                self.leave();
                ticket
            }
            None => queues.last_ticket.fetch_add(1, Ordering::Relaxed) + 1,
        };
        queues.join(stripe, ticket, waker);
        self.0 = Some(Standing {
            queues: Arc::clone(queues),
            stripe,
            ticket,
        });
    }

    /// Ends the waiting, because the task now holds the locks of `stripes`. A call for another stripe is passed on.
    pub(super) fn leave_with(&mut self, stripes: &[u16]) {
        if let Some(standing) = self.0.take() {
            let was_called = !standing.queues.remove(standing.stripe, standing.ticket);
            if was_called && !stripes.contains(&standing.stripe) {
                standing.queues.call_oldest(standing.stripe);
            }
        }
    }

    /// Ends the waiting. If the task was called already, the next one is called in its place.
    pub fn leave(&mut self) {
        self.leave_with(&[]);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::task::Wake;
    use std::thread::{self, Thread};
    use std::time::{Duration, Instant};

    use bytes::Bytes;

    use super::*;
    use crate::store::{Scope, StripedLocks};

    /// A task that only waits to be called.
    struct Task {
        is_called: AtomicBool,
        thread: Thread,
    }

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.is_called.store(true, Ordering::SeqCst);
            self.thread.unpark();
        }
    }

    impl Task {
        fn new() -> (Arc<Self>, Waker) {
            let task = Arc::new(Self {
                is_called: AtomicBool::new(false),
                thread: thread::current(),
            });
            (Arc::clone(&task), Waker::from(task))
        }

        fn is_called(&self) -> bool {
            self.is_called.swap(false, Ordering::SeqCst)
        }

        /// Returns false, and tells the other threads, if the call does not come.
        fn wait(&self, failed: &AtomicBool) -> bool {
            let since = Instant::now();
            while !self.is_called() {
                thread::park_timeout(Duration::from_millis(100));
                if since.elapsed().as_secs() >= 5 || failed.load(Ordering::SeqCst) {
                    failed.store(true, Ordering::SeqCst);
                    return false;
                }
            }
            true
        }
    }

    fn names(names: &[&'static str]) -> Vec<Bytes> {
        names.iter().copied().map(Bytes::from).collect()
    }

    #[test]
    fn they_are_called_one_by_one_in_the_order_in_which_they_came() {
        let locks = StripedLocks::default();
        let keys = names(&["k"]);
        let scope = Scope::Keys(&keys);
        let guard = locks.lock(scope);
        let tasks: Vec<_> = (0..3).map(|_| Task::new()).collect();
        let mut places: Vec<Place> = (0..3).map(|_| Place::default()).collect();
        for ((_, waker), place) in tasks.iter().zip(&mut places) {
            assert!(locks.lock_or_queue(scope, waker, place).is_none());
            assert!(place.is_taken());
        }
        let called = || -> Vec<bool> { tasks.iter().map(|(task, _)| task.is_called()).collect() };
        assert_eq!(called(), [false, false, false]);
        drop(guard);
        assert_eq!(called(), [true, false, false]);
        // Another caller is faster, so the first waiter goes back to the front of the queue.
        let faster = locks.try_lock(scope).unwrap();
        let mut ask = |at: usize| locks.lock_or_queue(scope, &tasks[at].1, &mut places[at]);
        assert!(ask(0).is_none());
        drop(faster);
        assert_eq!(called(), [true, false, false]);
        drop(ask(0).unwrap());
        assert_eq!(called(), [false, true, false]);
        drop(ask(1).unwrap());
        assert_eq!(called(), [false, false, true]);
        drop(ask(2).unwrap());
        assert_eq!(locks.waiting(), 0);
    }

    #[test]
    fn a_call_that_is_not_used_goes_to_the_next() {
        let locks = StripedLocks::default();
        let (key, both, everything) = (names(&["k"]), names(&["k", "l"]), Scope::Everything);
        for leaves in 0..3 {
            let guard = locks.lock(Scope::Keys(&key));
            let ((first, first_waker), (second, second_waker)) = (Task::new(), Task::new());
            let (mut place, mut next) = (Place::default(), Place::default());
            let ask = Scope::Keys(&both);
            assert!(locks.lock_or_queue(ask, &first_waker, &mut place).is_none());
            assert!(locks.lock_or_queue(ask, &second_waker, &mut next).is_none());
            drop(guard);
            assert!(first.is_called() && !second.is_called());
            match leaves {
                0 => drop(place),
                1 => place.leave(),
                _ => {
                    // There are queues for the locks of keys, but none for the lock of everything.
                    let _all = locks.lock(everything);
                    assert!(locks.lock_or_queue(ask, &first_waker, &mut place).is_none());
                    assert!(!place.is_taken());
                }
            }
            assert!(second.is_called(), "left in way {leaves}");
            drop(next);
            assert_eq!(locks.waiting(), 0);
        }
    }

    /// In each round every thread takes some of a few locks once, and some threads give up. After a lost call nobody
    /// else comes and calls by chance, so a thread waits in vain. `let_others_in` lets the threads run between the
    /// steps of the locks.
    #[test]
    fn no_call_is_lost() {
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
            let mut place = Place::default();
            let guard = loop {
                let asked = locks.lock_or_queue(Scope::Keys(keys), &waker, &mut place);
                if asked.is_some() {
                    break asked;
                }
                if !task.wait(&failed) || gives_up {
                    break None;
                }
            };
            // Deliberately not one atomic step: only the lock of "b" makes it one.
            if guard.is_some() && keys.contains(&Bytes::from("b")) {
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
                        while arrived.load(Ordering::SeqCst) < all && !failed.load(Ordering::SeqCst)
                        {
                            thread::yield_now();
                        }
                    }
                });
            }
        });
        assert!(!failed.into_inner(), "somebody was not called");
        assert_eq!(counter.into_inner(), counted.into_inner());
        assert_eq!(locks.waiting(), 0);
    }
}
