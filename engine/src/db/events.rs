//! Events: what the engine does besides answering calls, reported to a listener.
//!
//! They are delivered in the order in which things happened, one at a time, and no thread waits for
//! a listener except the one that happens to deliver. The thread that causes an event puts it into
//! a queue, under whatever lock it holds. Who delivers empties the queue, whoever filled it: the first
//! thread that comes to a place for it and finds no other delivering.
//!
//! Such a place is where a thread holds none of the locks of `core`, except those that it keeps while it does
//! a piece of work: `flushing` or `compacting` during a flush or a compaction, and `writer` where a writer waits
//! for one or, with manual background work, does it. So a listener may be called by the very thread that a
//! write or a flush, a sync or a close would wait for. `Core::check_writable` refuses all these within a listener.
//!
//! Invariants
//! 1. The events of tables add up to a picture of the levels: begin with [`Event::Opened`], add
//!    what is written, remove what is removed, move what is moved. After every event the picture is
//!    a version that was in force.
//! 2. Every begin event has an end event, even if the work fails, is cancelled or panics.
//! 3. A panic of the listener ends that one call, and nothing else.
//! 4. No call that a listener makes to its database waits for the calling thread.
//!
//! Left out: events of single reads and writes. They would cost more than the reads and writes themselves.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, ReentrantMutex};

use crate::compaction::{Dropped, Reason};
use crate::internal_key;
use crate::version::FileMeta;

/// This many events may wait for a slow listener; further write groups are then only counted.
const WAITING_MAX: usize = 16 << 10;

/// Receives events of what the engine does.
///
/// It is called by the thread that caused the event, or by another that has just done something. A
/// flush or a compaction may be running in that thread, and does not continue before this returns. The thread may
/// also be a writer that waits for such work, or does it itself with [`Background::Manual`](crate::Background::Manual):
/// then other writers wait until this returns. Readers never do.
///
/// It may read the database. Everything else fails with `InvalidArgument`, because it could wait for the very thread
/// that calls: writes, [`sync`](crate::Db::sync), [`flush`](crate::Db::flush), compactions and checkpoints, creating
/// and dropping families, [`close`](crate::Db::close). Another thread can do these; do not wait for it here. A
/// handle may be dropped, even the last one, which closes the database.
///
/// If it panics, the panic is caught, and the next event is delivered as usual.
///
/// ```
/// # fn main() -> engine::Result<()> {
/// # let vfs = std::sync::Arc::new(engine::vfs::MemoryVfs::new());
/// # let options = engine::Options { vfs, ..engine::Options::default() };
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use engine::{Db, Event, EventListener};
///
/// #[derive(Default)]
/// struct Written(AtomicU64);
///
/// impl EventListener for Written {
///     fn on_event(&self, event: &Event) {
///         match event {
///             Event::TableWritten { table } => _ = self.0.fetch_add(table.bytes, Ordering::Relaxed),
///             Event::BackgroundError { error, .. } => eprintln!("the database: {error}"),
///             _ => {}
///         }
///     }
/// }
///
/// let written = Arc::new(Written::default());
/// let db = Db::open("db", options.listener(written.clone()))?;
/// db.put("key", "value")?;
/// db.flush()?;
/// db.close()?;
/// assert!(written.0.load(Ordering::Relaxed) > 0);
/// # Ok(())
/// # }
/// ```
pub trait EventListener: Send + Sync {
    /// Called for each event.
    fn on_event(&self, event: &Event);
}

impl fmt::Debug for dyn EventListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event listener")
    }
}

/// Something that the engine did.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The database is open, with these tables.
    Opened {
        /// The names of the families.
        families: Vec<String>,
        /// The tables in the levels.
        tables: Vec<TableInfo>,
    },
    /// A family was created.
    FamilyCreated {
        /// Its name.
        family: String,
    },
    /// A family was dropped. The removal of its tables is reported before this.
    FamilyDropped {
        /// Its name.
        family: String,
    },
    /// Full memtables were set aside to be flushed, and writes continue in new ones.
    MemtablesFrozen {
        /// One for each family that had been written to.
        memtables: Vec<MemtableInfo>,
    },
    /// Frozen memtables are being written to tables.
    FlushBegun {
        /// The number of this flush or compaction, counted since opening.
        job: u64,
        /// What is flushed.
        memtables: Vec<MemtableInfo>,
    },
    /// A flush ended.
    FlushEnded {
        /// The same as at the beginning.
        job: u64,
        /// The tables, already reported by `TableWritten`. None if it did not succeed.
        outputs: Vec<TableInfo>,
        /// What became of the entries.
        entries: EntryCounts,
        /// How long it took.
        took: Duration,
        /// Whether it succeeded.
        outcome: Outcome,
    },
    /// Tables are being merged, or one moved.
    CompactionBegun {
        /// The number of this flush or compaction, counted since opening.
        job: u64,
        /// The family of the tables.
        family: String,
        /// Why.
        reason: Reason,
        /// The tables that are merged, each with its level.
        inputs: Vec<TableInfo>,
        /// The level of the outputs.
        output_level: usize,
    },
    /// A compaction ended.
    CompactionEnded {
        /// The same as at the beginning.
        job: u64,
        /// The family of the tables.
        family: String,
        /// The tables that it removed, if it succeeded.
        inputs: Vec<TableInfo>,
        /// The tables that it wrote, already reported by `TableWritten`. None if it did not succeed.
        outputs: Vec<TableInfo>,
        /// Whether the inputs were moved as they are, without reading or writing them.
        moved: bool,
        /// What became of the entries.
        entries: EntryCounts,
        /// How long it took.
        took: Duration,
        /// Whether it succeeded.
        outcome: Outcome,
    },
    /// A table is in force: written, durable, recorded and seen by new readers.
    TableWritten {
        /// The table, and its level.
        table: TableInfo,
    },
    /// A table was moved to a deeper level as it is.
    TableMoved {
        /// The table, and its new level.
        table: TableInfo,
        /// The level it was in.
        from: usize,
    },
    /// A table is no longer in force. Its file is removed when the last reader that still needs it is gone.
    TableRemoved {
        /// The table, and the level it was in.
        table: TableInfo,
    },
    /// A writer waits, and with it those queued after it.
    StallBegun {
        /// What it waits for.
        stall: Stall,
    },
    /// The writer continues.
    StallEnded {
        /// What it waited for.
        stall: Stall,
        /// How long it waited.
        took: Duration,
    },
    /// A group of batches was written by one leader.
    WriteGroup {
        /// How many batches, one for each caller.
        batches: usize,
        /// How many records in all of them.
        records: usize,
        /// Their encoded length, without the log's headers.
        bytes: usize,
        /// Whether the group was synced.
        synced: bool,
    },
    /// A flush or compaction failed and will be tried again; or the database was poisoned and
    /// accepts no more writes.
    BackgroundError {
        /// The message.
        error: String,
        /// Whether writes are refused from now on.
        poisoned: bool,
    },
    /// The listener was slower than the writers, so some write groups were not reported.
    Missed {
        /// How many.
        write_groups: u64,
    },
}

/// A table in a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableInfo {
    /// The name of its family.
    pub family: String,
    /// Its level, 0 for the newest.
    pub level: usize,
    /// The number in its file's name.
    pub number: u64,
    /// Length of the file.
    pub bytes: u64,
    /// Entries in it.
    pub entries: u64,
    /// The first user key.
    pub smallest: Vec<u8>,
    /// The last user key.
    pub largest: Vec<u8>,
}

impl TableInfo {
    pub(super) fn new(family: &str, level: usize, file: &FileMeta) -> Self {
        Self {
            family: family.to_owned(),
            level,
            number: file.number,
            bytes: file.bytes,
            entries: file.entries,
            smallest: internal_key::user_key(&file.smallest).to_vec(),
            largest: internal_key::user_key(&file.largest).to_vec(),
        }
    }
}

/// A full memtable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemtableInfo {
    /// The name of its family.
    pub family: String,
    /// Entries in it.
    pub entries: u64,
    /// Memory that they take.
    pub bytes: u64,
}

/// What became of the entries of a flush or a compaction: `read` = `written` + `dropped.total()`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntryCounts {
    /// Entries read.
    pub read: u64,
    /// Entries written.
    pub written: u64,
    /// Entries left out, and why.
    pub dropped: Dropped,
}

/// How a piece of work ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Its result is in force.
    Done,
    /// The database is closing, or the family was dropped. Nothing has changed.
    Cancelled,
    /// It failed with this message. Nothing has changed, unless the database is poisoned.
    Failed(String),
}

/// What a writer waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stall {
    /// Level 0 is long: writes are slowed down.
    Level0Slow,
    /// Level 0 is too long: writes wait for a compaction.
    Level0Stop,
    /// Too many full memtables: writes wait for a flush.
    Memtables,
}

/// Queues events and delivers them to the listener.
#[derive(Debug)]
pub(super) struct Events {
    listener: Arc<dyn EventListener>,
    waiting: Mutex<Waiting>,
    /// Held by the thread that delivers. Reentrant only because it then knows which thread that is.
    delivering: ReentrantMutex<()>,
}

#[derive(Debug, Default)]
struct Waiting {
    events: VecDeque<Event>,
    missed: u64,
}

impl Events {
    pub(super) fn new(listener: Arc<dyn EventListener>) -> Self {
        Self {
            listener,
            waiting: Mutex::default(),
            delivering: ReentrantMutex::default(),
        }
    }

    /// Queues an event. The caller may hold locks.
    pub(super) fn push(&self, event: Event) {
        let mut waiting = self.waiting.lock();
        let full = waiting.events.len() >= WAITING_MAX;
        if full && matches!(event, Event::WriteGroup { .. }) {
            waiting.missed += 1;
        } else {
            waiting.events.push_back(event);
        }
    }

    /// Whether the listener makes this call.
    pub(super) fn is_call_of_listener(&self) -> bool {
        self.delivering.is_owned_by_current_thread()
    }

    /// Delivers the waiting events, unless another thread is doing so, or the listener causes an event itself:
    /// who delivers continues until none is waiting.
    pub(super) fn deliver(&self) {
        if self.is_call_of_listener() {
            return;
        }
        loop {
            let Some(alone) = self.delivering.try_lock() else {
                return;
            };
            while let Some(event) = self.next() {
                // The call does not touch the database's own state, so a panic leaves nothing half done.
                let _ = panic::catch_unwind(AssertUnwindSafe(|| self.listener.on_event(&event)));
            }
            drop(alone);
            // An event that was queued between the last check and the unlocking would otherwise
            // wait for the next one.
            let waiting = self.waiting.lock();
            if waiting.events.is_empty() && waiting.missed == 0 {
                return;
            }
        }
    }

    fn next(&self) -> Option<Event> {
        let mut waiting = self.waiting.lock();
        waiting.events.pop_front().or_else(|| {
            let write_groups = std::mem::take(&mut waiting.missed);
            (write_groups > 0).then_some(Event::Missed { write_groups })
        })
    }
}
