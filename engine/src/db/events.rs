//! Events: what the engine does besides answering, told to whoever listens.
//!
//! They come in the order in which things happened, one at a time, and nobody who works waits for a listener except
//! the thread that happens to deliver. Who makes an event puts it into a queue, under whatever lock it holds; it is
//! delivered when that lock is given back, by the first thread that finds no other delivering.
//!
//! Invariants
//! 1. The events of tables are a picture of the levels: begin with [`Event::Opened`], add what is written, take away what
//!    is removed, carry what is moved, and at every event it is a version that was in force.
//! 2. Each begin has its end, also when the work fails or is given up.
//! 3. A panic of the listener ends the one call, and nothing else.
//!
//! Left out: events of single reads and writes. They would cost more than what they tell of.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::compaction::{Dropped, Reason};
use crate::internal_key;
use crate::version::FileMeta;

/// So many events may wait for a slow listener; further write groups are then counted and not told.
const WAITING_MAX: usize = 16 << 10;

/// Is told what the engine does.
///
/// It is called by the thread that did it, or by another that has just done something. None of the locks that readers
/// and writers need is held, with one exception: at [`Event::StallBegun`] the caller holds the lead of the writers,
/// who wait anyway. A flush or a compaction may be under way in the calling thread, and does not go on before
/// this returns.
///
/// It may read the database. It must not write, flush or compact: a writer may wait for the very thread that calls.
/// If it panics, the panic is caught and the next event comes as if nothing had been.
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
    /// Something happened.
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
        /// What lies in the levels.
        tables: Vec<TableInfo>,
    },
    /// A family was created.
    FamilyCreated {
        /// Its name.
        family: String,
    },
    /// A family was dropped. The removal of its tables comes before this.
    FamilyDropped {
        /// Its name.
        family: String,
    },
    /// Full memtables were set aside to be flushed, and writes go on in new ones.
    MemtablesFrozen {
        /// One for each family that had written something.
        memtables: Vec<MemtableInfo>,
    },
    /// Frozen memtables are being written to tables.
    FlushBegun {
        /// Counts flushes and compactions of this opening.
        job: u64,
        /// What is flushed.
        memtables: Vec<MemtableInfo>,
    },
    /// A flush ended.
    FlushEnded {
        /// As in its beginning.
        job: u64,
        /// The tables, already told by `TableWritten`. None if it did not succeed.
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
        /// Counts flushes and compactions of this opening.
        job: u64,
        /// Whose tables.
        family: String,
        /// Why.
        reason: Reason,
        /// The tables that are merged, each with its level.
        inputs: Vec<TableInfo>,
        /// Where the outputs go.
        output_level: usize,
    },
    /// A compaction ended.
    CompactionEnded {
        /// As in its beginning.
        job: u64,
        /// Whose tables.
        family: String,
        /// The tables that it removed, if it succeeded.
        inputs: Vec<TableInfo>,
        /// The tables that it wrote, already told by `TableWritten`. None if it did not succeed.
        outputs: Vec<TableInfo>,
        /// Whether the input was moved as it is, and nothing read or written.
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
        /// Which, and where.
        table: TableInfo,
    },
    /// A table went down as it is.
    TableMoved {
        /// Which, and where it is now.
        table: TableInfo,
        /// The level it was in.
        from: usize,
    },
    /// A table is in force no more. Its file goes when the last reader that still needs it does.
    TableRemoved {
        /// Which, and where it was.
        table: TableInfo,
    },
    /// A writer waits, and those behind it.
    StallBegun {
        /// For what.
        stall: Stall,
    },
    /// The writer goes on.
    StallEnded {
        /// For what it waited.
        stall: Stall,
        /// How long.
        took: Duration,
    },
    /// A group of batches was written by one leader.
    WriteGroup {
        /// How many batches, each of one caller.
        batches: usize,
        /// How many records in all of them.
        records: usize,
        /// Their length, as they stand in the log without its headers.
        bytes: usize,
        /// Whether the group was synced.
        synced: bool,
    },
    /// A flush or compaction failed and will be tried again; or the database was poisoned and takes no more writes.
    BackgroundError {
        /// The message.
        error: String,
        /// Whether writes are refused from now on.
        poisoned: bool,
    },
    /// The listener was slower than the writers: so many write groups were not told.
    Missed {
        /// How many.
        write_groups: u64,
    },
}

/// A table in a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableInfo {
    /// Whose.
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
    /// Whose.
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
    /// It is in force.
    Done,
    /// The database closes, or the family was dropped. Nothing has changed.
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

/// The way to the listener.
#[derive(Debug)]
pub(super) struct Events {
    listener: Arc<dyn EventListener>,
    waiting: Mutex<Waiting>,
    /// Held by the thread that delivers.
    delivering: Mutex<()>,
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
            delivering: Mutex::default(),
        }
    }

    /// Puts an event in its place. Locks may be held.
    pub(super) fn push(&self, event: Event) {
        let mut waiting = self.waiting.lock();
        let full = waiting.events.len() >= WAITING_MAX;
        if full && matches!(event, Event::WriteGroup { .. }) {
            waiting.missed += 1;
        } else {
            waiting.events.push_back(event);
        }
    }

    /// Tells the listener what waits, unless another thread is at it: that one goes on until nothing waits.
    pub(super) fn deliver(&self) {
        loop {
            // Also the way out of a listener that does something which is an event.
            let Some(_alone) = self.delivering.try_lock() else {
                return;
            };
            while let Some(event) = self.next() {
                // The database's own state is not touched by the call, so nothing of it is left half done.
                let _ = panic::catch_unwind(AssertUnwindSafe(|| self.listener.on_event(&event)));
            }
            drop(_alone);
            // What came between the last look and the unlocking would else wait for the next event.
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
