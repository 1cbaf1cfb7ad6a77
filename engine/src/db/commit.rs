//! Group commit: of all threads that write at once, one writes for all.
//!
//! The first thread to come leads. It appends its own batch and all that are queued meanwhile to
//! the log in one operation, syncs once if its own batch asks for that, applies them to the memtables
//! and wakes the other writers. Then the first of those that came in the meantime leads the next
//! group. A single writer takes no detour, because it finds no leader and no queue.
//!
//! Invariants
//! 1. There is at most one leader. Every waiting writer is woken with an outcome or with the lead.
//! 2. Batches are written in the order in which they were queued.
//! 3. A leader that did not ask for a sync takes no follower along that did, because it would have to
//!    wait for the sync. Nor does it take a writer along whose family has too long a level 0: that
//!    writer must lead, so that it waits itself, or gets the error of its family's compactions.
//!
//! Source: LevelDB's writer queue.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::batch::{FamilyId, WriteBatch};
use crate::db::WriteOptions;
use crate::db::core::Core;
use crate::db::family::find_family;
use crate::db::signals::copy_of;
use crate::error::{Error, Result};

/// A group is closed when it holds this many bytes, so that its first writer does not wait for long.
const GROUP_BYTES_MAX: usize = 1 << 20;
/// Room for what a batch stores of a record besides key and value.
const RECORD_BYTES: usize = 32;

/// The wait is skipped for at most two to this power groups, less one, however often it was in vain.
const IN_VAIN_MAX: u32 = 8;
/// Writers that were released together come back within this time, however long the sync took. Without this bound, one
/// sync that a device held up for seconds would be followed by half as many seconds of waiting.
const WAIT_MAX: Duration = Duration::from_millis(10);
/// How often a follower checks before it yields. A leader that does not sync is done within a few
/// microseconds, which is less than it takes to put a thread to sleep and wake it.
const SPINS_BEFORE_SLEEP: u32 = 100;
/// How often it then yields to other threads and checks again before it sleeps: the leader may have
/// a larger batch.
const YIELDS_BEFORE_SLEEP: u32 = 20;

/// The writers that wait, and what the next leader of a synced group should know of the last one.
#[derive(Debug, Default)]
pub(super) struct CommitQueue {
    state: Mutex<QueueState>,
    /// How many writers of the last synced group have not come back yet.
    returning: AtomicUsize,
}

/// How the leader of a synced group decides whether to wait for more writers.
///
/// Writers that were released together come back together, a moment after the next leader has
/// begun. If a leader does not wait for them, it syncs only for the others, and half of the writers
/// miss each sync. Waiting costs at most half a sync, and is skipped for a while if it was in vain.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    /// How long the last sync took.
    pub(super) sync_took: Duration,
    /// How many times in a row the wait was in vain.
    in_vain: u32,
    /// This many groups do not wait.
    skip: u32,
}

impl Gathering {
    /// How long to wait, at most.
    fn patience(&self) -> Duration {
        (self.sync_took / 2).min(WAIT_MAX)
    }

    fn wait_for(&mut self, returning: &AtomicUsize) {
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        if returning.load(Ordering::Relaxed) == 0 {
            return;
        }
        let begun = Instant::now();
        while returning.load(Ordering::Relaxed) > 0 {
            if begun.elapsed() >= self.patience() {
                self.in_vain = (self.in_vain + 1).min(IN_VAIN_MAX);
                self.skip = (1 << self.in_vain) - 1;
                return;
            }
            std::thread::yield_now();
        }
        self.in_vain = 0;
    }
}

#[derive(Debug, Default)]
struct QueueState {
    leading: bool,
    waiting: VecDeque<Arc<Follower>>,
}

/// A write that waits for a leader, or for the lead.
#[derive(Debug)]
struct Follower {
    sync: bool,
    bytes: usize,
    state: Mutex<FollowerState>,
    /// Whether the follower has an outcome or the lead.
    is_decided: AtomicBool,
    woken: Condvar,
}

#[derive(Debug)]
enum FollowerState {
    Waiting(WriteBatch),
    /// A leader has taken the batch.
    Taken,
    /// The follower must write its own batch, and those of others.
    Leads(WriteBatch),
    Done(Result<()>),
}

impl Follower {
    fn new(batch: WriteBatch, sync: bool) -> Self {
        let bytes = batch.encoded_len();
        let state = Mutex::new(FollowerState::Waiting(batch));
        Self {
            sync,
            bytes,
            state,
            is_decided: AtomicBool::new(false),
            woken: Condvar::new(),
        }
    }

    /// Waits for the outcome, or for the lead, with which the batch comes back.
    fn wait(&self) -> Result<WriteBatch, Result<()>> {
        if !self.sync {
            self.spin();
        }
        let mut state = self.state.lock();
        loop {
            match std::mem::replace(&mut *state, FollowerState::Taken) {
                FollowerState::Leads(batch) => return Ok(batch),
                FollowerState::Done(outcome) => return Err(outcome),
                waiting @ (FollowerState::Waiting(_) | FollowerState::Taken) => *state = waiting,
            }
            self.woken.wait(&mut state);
        }
    }

    /// Waits a moment without sleeping.
    fn spin(&self) {
        for _ in 0..SPINS_BEFORE_SLEEP {
            if self.is_decided.load(Ordering::Acquire) {
                return;
            }
            std::hint::spin_loop();
        }
        for _ in 0..YIELDS_BEFORE_SLEEP {
            if self.is_decided.load(Ordering::Acquire) {
                return;
            }
            std::thread::yield_now();
        }
    }

    fn decide(&self, state: FollowerState) {
        *self.state.lock() = state;
        self.is_decided.store(true, Ordering::Release);
        self.woken.notify_one();
    }

    /// Whether it is waiting with a batch for which `is_so` holds.
    fn waits_with(&self, is_so: impl FnOnce(&WriteBatch) -> bool) -> bool {
        match &*self.state.lock() {
            FollowerState::Waiting(batch) => is_so(batch),
            _ => false,
        }
    }

    fn take(&self) -> WriteBatch {
        match std::mem::replace(&mut *self.state.lock(), FollowerState::Taken) {
            FollowerState::Waiting(batch) => batch,
            _ => unreachable!("only who waits is in the queue"),
        }
    }

    fn lead(&self) {
        let batch = self.take();
        self.decide(FollowerState::Leads(batch));
    }

    fn done(&self, outcome: Result<()>) {
        self.decide(FollowerState::Done(outcome));
    }
}

/// The lead, which is passed on when this is dropped, even by a panic.
struct Lead<'a> {
    core: &'a Core,
    sync: bool,
    followers: Vec<Arc<Follower>>,
    outcome: Option<Result<()>>,
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        if self.sync {
            let synced = self
                .followers
                .iter()
                .filter(|follower| follower.sync)
                .count();
            self.core
                .queue
                .returning
                .store(synced + 1, Ordering::Relaxed);
        }
        for follower in self.followers.drain(..) {
            follower.done(match &self.outcome {
                Some(outcome) => outcome.as_ref().copied().map_err(copy_of),
                // The batch may be in the log: the panic has poisoned the database.
                None => Err(Error::Poisoned {
                    first: "the thread that wrote for this one panicked".to_owned(),
                }),
            });
        }
        let next = {
            let mut queue = self.core.queue.state.lock();
            let next = queue.waiting.pop_front();
            queue.leading = next.is_some();
            next
        };
        if let Some(next) = next {
            next.lead();
        }
    }
}

impl Core {
    pub(super) fn put(&self, family: FamilyId, key: &[u8], value: &[u8]) -> Result<()> {
        let mut batch = WriteBatch::with_capacity(key.len() + value.len() + RECORD_BYTES);
        batch.put(family, key, value);
        self.write(batch, WriteOptions::default())
    }

    pub(super) fn delete(&self, family: FamilyId, key: &[u8]) -> Result<()> {
        let mut batch = WriteBatch::with_capacity(key.len() + RECORD_BYTES);
        batch.delete(family, key);
        self.write(batch, WriteOptions::default())
    }

    pub(super) fn delete_range(&self, family: FamilyId, start: &[u8], end: &[u8]) -> Result<()> {
        let mut batch = WriteBatch::with_capacity(start.len() + end.len() + RECORD_BYTES);
        batch.delete_range(family, start, end);
        self.write(batch, WriteOptions::default())
    }

    /// Writes a batch: into the log, then into the memtables, then visible.
    ///
    /// # Errors
    /// See [`Db::write`](crate::db::Db::write).
    pub(super) fn write(&self, batch: WriteBatch, options: WriteOptions) -> Result<()> {
        self.check_writable()?;
        let families = self.families.load();
        batch.check(self.id, |id| Some(find_family(&families, id)?.comparator()))?;
        drop(families);
        if options.sync {
            let returning = &self.queue.returning;
            let one_less = |returning: usize| returning.checked_sub(1);
            let _ = returning.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        }
        let mut queue = self.queue.state.lock();
        if !queue.leading {
            queue.leading = true;
            drop(queue);
            return self.lead(batch, options.sync);
        }
        let follower = Arc::new(Follower::new(batch, options.sync));
        queue.waiting.push_back(Arc::clone(&follower));
        drop(queue);
        match follower.wait() {
            Ok(batch) => self.lead(batch, options.sync),
            Err(outcome) => outcome,
        }
    }

    fn lead(&self, batch: WriteBatch, sync: bool) -> Result<()> {
        let mut lead = Lead {
            core: self,
            sync,
            followers: Vec::new(),
            outcome: None,
        };
        let outcome = self.relieve_level0(&batch).and_then(|()| {
            let mut writer = self.writer.lock();
            self.make_room(&mut writer, &batch)?;
            if sync {
                writer.gathering.wait_for(&self.queue.returning);
            }
            let mut group = writer.take_group();
            let mut bytes = batch.encoded_len();
            group.push(batch);
            self.join_waiting(sync, &mut bytes, &mut lead.followers);
            group.extend(lead.followers.iter().map(|follower| follower.take()));
            self.commit(&mut writer, group, sync)
        });
        let own = outcome.as_ref().copied().map_err(copy_of);
        lead.outcome = Some(outcome);
        drop(lead);
        self.deliver_events();
        own
    }

    /// Moves waiting writers into the group, as long as they fit.
    fn join_waiting(&self, sync: bool, bytes: &mut usize, followers: &mut Vec<Arc<Follower>>) {
        let mut queue = self.queue.state.lock();
        while let Some(next) = queue.waiting.front() {
            if (next.sync && !sync) || *bytes + next.bytes > GROUP_BYTES_MAX {
                break;
            }
            // This writer must wait for a compaction without holding up the batches of others.
            if self.has_stopped() && next.waits_with(|batch| self.is_stopped(batch)) {
                break;
            }
            *bytes += next.bytes;
            followers.extend(queue.waiting.pop_front());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_that_took_long_is_not_followed_by_a_long_wait() {
        let patience = |took| {
            let sync_took = Duration::from_millis(took);
            let gathering = Gathering {
                sync_took,
                ..Gathering::default()
            };
            gathering.patience().as_millis()
        };
        assert_eq!([4, 10_000].map(patience), [2, 10]);
    }
}
