//! Group commit: of all threads that write at once, one writes for all.
//!
//! The first to come leads. It appends its own batch and all that queued up meanwhile to the log in one operation,
//! syncs once if any of them asked for it, applies them to the memtables and wakes their owners. Then
//! the first of those who came while it worked leads the next group. A write alone takes no
//! detour: it finds nobody leading and nobody waiting.
//!
//! Invariants
//! 1. There is at most one leader. Whoever waits is woken with an outcome or with the lead.
//! 2. Batches are written in the order in which they queued.
//! 3. A leader that did not ask for a sync takes nobody along who did: it would wait for them. Nor does any who writes to a
//!    family whose level 0 is too long: that one leads, and waits, or gets the error that its compactions fail with.
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
use crate::db::signals::copy_of;
use crate::error::{Error, Result};

/// A group is closed when it holds so many bytes, so that the first of it does not wait for long.
const GROUP_BYTES_MAX: usize = 1 << 20;
/// Room for what a batch stores of a record besides key and value.
const RECORD_BYTES: usize = 32;

#[derive(Debug, Default)]
pub(super) struct CommitQueue {
    state: Mutex<QueueState>,
    /// How many synced writers were released and did not come back yet.
    returning: AtomicUsize,
}

/// How the leader of a synced group decides whether to wait for more writers.
///
/// Writers that were released together come back together, a moment after the next leader begins. A leader that does
/// not wait for them syncs for the others only, so that half of the writers sit out each sync. Waiting costs at
/// most half a sync, and is left out for a while where nobody comes.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    /// How long the last sync took.
    pub(super) sync_took: Duration,
    /// How many times in a row nobody came in time.
    in_vain: u32,
    /// So many groups do not wait.
    skip: u32,
}

/// However often it was in vain, every so many groups it is tried again: this is the power of two.
const IN_VAIN_MAX: u32 = 8;

impl Gathering {
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
            if begun.elapsed() >= self.sync_took / 2 {
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

/// A write that waits for a leader, or to lead.
#[derive(Debug)]
struct Follower {
    sync: bool,
    bytes: usize,
    state: Mutex<FollowerState>,
    /// There is an outcome, or the lead.
    is_decided: AtomicBool,
    woken: Condvar,
}

/// How often a follower looks again before it sleeps. A leader that does not sync is done within a few
/// microseconds, which is less than it takes to put a thread to sleep and to wake it.
const LOOKS_BEFORE_SLEEP: u32 = 100;
/// Then it lets others run, and looks again, so often: the leader may have a larger batch.
const YIELDS_BEFORE_SLEEP: u32 = 20;

#[derive(Debug)]
enum FollowerState {
    Waiting(WriteBatch),
    /// A leader has the batch.
    Taken,
    /// To write its own batch, and others'.
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

    /// Waits for the outcome, or for the batch to come back with the lead.
    fn wait(&self) -> Result<WriteBatch, Result<()>> {
        if !self.sync {
            self.look();
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
    fn look(&self) {
        for _ in 0..LOOKS_BEFORE_SLEEP {
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

    /// Whether it waits with a batch of which this is so.
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

/// The lead, which is handed on when this is dropped, even by a panic.
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
                Some(Ok(())) => Ok(()),
                Some(Err(error)) => Err(copy_of(error)),
                // With the batch in the log, maybe: the database is poisoned.
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
        batch.check(self.id, |id| {
            let at = families.binary_search_by_key(&id, |family| family.id);
            Some(families[at.ok()?].comparator())
        })?;
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
        let mut writer = self.writer.lock();
        let outcome = self.make_room(&mut writer, &batch).and_then(|()| {
            if sync {
                writer.gathering.wait_for(&self.queue.returning);
            }
            let mut group = writer.take_group();
            let mut bytes = batch.encoded_len();
            group.push(batch);
            self.join_waiting(sync, &mut bytes, &mut lead.followers);
            group.extend(lead.followers.iter().map(|follower| follower.take()));
            let any_sync = sync || lead.followers.iter().any(|follower| follower.sync);
            self.commit(&mut writer, group, any_sync)
        });
        drop(writer);
        let own = match &outcome {
            Ok(()) => Ok(()),
            Err(error) => Err(copy_of(error)),
        };
        lead.outcome = Some(outcome);
        drop(lead);
        self.deliver_events();
        own
    }

    /// Moves those who wait into the group, as long as they fit it.
    fn join_waiting(&self, sync: bool, bytes: &mut usize, followers: &mut Vec<Arc<Follower>>) {
        let mut queue = self.queue.state.lock();
        while let Some(next) = queue.waiting.front() {
            if (next.sync && !sync) || *bytes + next.bytes > GROUP_BYTES_MAX {
                break;
            }
            // It is to wait for a compaction, with nobody else's batch.
            if self.has_stopped() && next.waits_with(|batch| self.is_stopped(batch)) {
                break;
            }
            *bytes += next.bytes;
            followers.extend(queue.waiting.pop_front());
        }
    }
}
