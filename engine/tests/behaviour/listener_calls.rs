//! What a listener or a compaction filter asks of the database that calls it: a read is answered, all else is refused with
//! an error. Otherwise it would wait, sooner or later, for the very thread that it is called by. A filter may close, too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use engine::vfs::MemoryVfs;
use engine::{
    Background, CompactionFilter, Db, Decision, Error, Event, EventListener, FamilyOptions,
    Options, Result, Stall, WriteBatch, WriteOptions,
};
use parking_lot::Mutex;

use crate::support::tiny;
use crate::support::waiting::{Gate, PATIENCE, wait_until};

type Call = fn(&Db) -> Result<()>;
/// Chooses events.
type Moment = fn(&Event) -> bool;

/// Everything that changes a database or waits for it.
const CALLS: [(&str, Call); 12] = [
    ("put", |db| db.put("from", "the listener")),
    ("write", |db| {
        let mut batch = WriteBatch::new();
        batch.put(db.default_family().id(), "from", "the listener");
        db.write(batch, WriteOptions { sync: true })
    }),
    ("delete", |db| db.delete("from")),
    ("delete_range", |db| db.delete_range("a".."b")),
    ("sync", Db::sync),
    ("flush", Db::flush),
    ("compact", Db::compact),
    ("step", |db| db.step().map(drop)),
    ("create_family", |db| {
        db.create_family("of the listener", tiny()).map(drop)
    }),
    ("drop_family", |db| db.drop_family("other")),
    ("checkpoint", |db| db.checkpoint("copy")),
    ("close", Db::close),
];

/// Makes one call: as a listener at the first event that `at` chooses, as a filter when it is first asked.
struct Meddler {
    call: Call,
    at: Moment,
    db: Mutex<Option<Db>>,
    answer: Mutex<Option<Result<()>>>,
}

impl Meddler {
    fn new(call: Call, at: Moment) -> Arc<Self> {
        Arc::new(Self {
            call,
            at,
            db: Mutex::default(),
            answer: Mutex::default(),
        })
    }

    fn meddle(&self) {
        if let Some(db) = self.db.lock().take() {
            assert_eq!(db.get("present").unwrap().as_deref(), Some(&b"v"[..]));
            *self.answer.lock() = Some((self.call)(&db));
        }
    }
}

impl EventListener for Meddler {
    fn on_event(&self, event: &Event) {
        if (self.at)(event) {
            self.meddle();
        }
    }
}

impl CompactionFilter for Meddler {
    fn decide(&self, _key: &[u8], _value: &[u8]) -> Decision {
        self.meddle();
        Decision::Keep
    }
}

/// Opens a database whose listener makes the call, and writes until it has been made. A filter holds the
/// compactions up until then, so that writers have to wait.
fn meddled_with(background: Background, call: Call, at: Moment) -> Result<()> {
    let meddler = Meddler::new(call, at);
    let gate = Arc::new(Gate::default());
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        background,
        ..Options::default()
    };
    let holds = background == Background::Threads;
    let family = FamilyOptions {
        compaction_filter: holds.then(|| gate.clone() as _),
        ..tiny()
    };
    let options = options.family("default", family).family("other", tiny());
    let db = Db::open("db", options.listener(meddler.clone())).unwrap();
    db.put("present", "v").unwrap();
    *meddler.db.lock() = Some(db.clone());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for at in 0_u64.. {
                db.put((at % 50).to_be_bytes(), [1; 60]).unwrap();
                if meddler.answer.lock().is_some() {
                    break;
                }
            }
        });
        wait_until("the listener has made its call", || {
            meddler.answer.lock().is_some() || writer.is_finished()
        });
        gate.open();
    });
    // It goes on as if nothing had been asked.
    db.put("present", "still").unwrap();
    assert_eq!(db.families(), ["default", "other"]);
    db.close().unwrap();
    let answer = meddler.answer.lock().take();
    answer.expect("the listener has been called")
}

#[test]
fn a_listener_that_does_more_than_read_is_refused_instead_of_waiting_for_itself() {
    let stall: Moment = |event| {
        let stall = Stall::Level0Stop;
        *event == Event::StallBegun { stall }
    };
    let cases: [(&str, Background, Moment); 3] = [
        (
            "a stall, under the lead of the writers",
            Background::Threads,
            stall,
        ),
        (
            "a flush that a writer does itself",
            Background::Manual,
            |event| matches!(event, Event::FlushBegun { .. }),
        ),
        ("a write, under no lock", Background::Manual, |event| {
            matches!(event, Event::WriteGroup { .. })
        }),
    ];
    for (when, background, at) in cases {
        for (name, call) in CALLS {
            let (done, answer) = mpsc::channel();
            // Not joined: if it hangs, the test fails all the same.
            std::thread::spawn(move || done.send(meddled_with(background, call, at)));
            assert_is_refused(&format!("{name} at {when}"), &answer);
        }
    }
}

/// Waits for the answer to a call, which must be an error that says what to do instead.
fn assert_is_refused(call: &str, answer: &mpsc::Receiver<Result<()>>) {
    let answer = answer.recv_timeout(PATIENCE);
    let answer = answer.unwrap_or_else(|error| panic!("{call}: {error}"));
    let error = answer.expect_err(call);
    let is_refused = matches!(error, Error::InvalidArgument { .. });
    let says_what_to_do = error.to_string().contains("another thread");
    assert!(is_refused && says_what_to_do, "{call}: {error}");
}

/// Writes until level 0 is too long, and the writer makes or awaits the compaction whose filter makes the call.
fn meddled_with_by_filter(background: Background, call: Call) -> Result<()> {
    let meddler = Meddler::new(call, |_| false);
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        background,
        ..Options::default()
    };
    let family = FamilyOptions {
        compaction_filter: Some(meddler.clone()),
        ..tiny()
    };
    let options = options.family("default", family).family("other", tiny());
    let db = Db::open("db", options).unwrap();
    db.put("present", "v").unwrap();
    *meddler.db.lock() = Some(db.clone());
    for at in 0_u64.. {
        db.put((at % 50).to_be_bytes(), [1; 60]).unwrap();
        if let Some(answer) = meddler.answer.lock().take() {
            assert_eq!(db.families(), ["default", "other"]);
            db.close().unwrap();
            return answer;
        }
    }
    unreachable!("the filter is asked");
}

#[test]
fn a_filter_that_does_more_than_read_or_close_is_refused_instead_of_waiting_for_itself() {
    for background in [Background::Manual, Background::Threads] {
        for (name, call) in CALLS.into_iter().filter(|(name, _)| *name != "close") {
            let (done, answer) = mpsc::channel();
            // Not joined: if it hangs, the test fails all the same.
            std::thread::spawn(move || done.send(meddled_with_by_filter(background, call)));
            assert_is_refused(&format!("{name} with {background:?}"), &answer);
        }
    }
}

/// Drops the last handle at the end of a compaction.
#[derive(Default)]
struct LetsGo {
    db: Mutex<Option<Db>>,
    done: AtomicBool,
}

impl EventListener for LetsGo {
    fn on_event(&self, event: &Event) {
        if matches!(event, Event::CompactionEnded { .. })
            && let Some(db) = self.db.lock().take()
        {
            drop(db);
            self.done.store(true, Ordering::SeqCst);
        }
    }
}

/// Drops the last handle at the beginning of a flush, once it gets it.
#[derive(Default)]
struct LetsGoOfReaders {
    armed: AtomicBool,
    flushing: AtomicBool,
    db: Mutex<Option<Db>>,
    done: AtomicBool,
}

impl EventListener for LetsGoOfReaders {
    fn on_event(&self, event: &Event) {
        let is_flush = matches!(event, Event::FlushBegun { .. });
        if !is_flush || !self.armed.swap(false, Ordering::SeqCst) {
            return;
        }
        self.flushing.store(true, Ordering::SeqCst);
        wait_until("it gets the last handle", || self.db.lock().is_some());
        // By now the other thread of the database waits for this flush, if it ever does.
        std::thread::sleep(Duration::from_millis(100));
        let db = self.db.lock().take();
        drop(db);
        self.done.store(true, Ordering::SeqCst);
    }
}

/// The flush or compaction that called the listener holds the directory until it has ended.
fn reopened(options: &Options) -> Db {
    let mut opened = Err(Error::Locked { path: "db".into() });
    wait_until("the directory is free", || {
        opened = Db::open("db", options.clone());
        !matches!(opened, Err(Error::Locked { .. }))
    });
    opened.unwrap()
}

/// A flush for the sake of readers is asked for by the thread for compactions. That one must not be waiting for the
/// flush where the closing, in the thread of the flush, waits for it to end.
#[test]
fn a_listener_that_drops_the_last_handle_in_a_flush_for_readers_closes_the_database() {
    let (listener, vfs) = (Arc::new(LetsGoOfReaders::default()), MemoryVfs::new());
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    };
    let roomy = FamilyOptions {
        write_buffer_bytes: 1 << 20,
        level_base_bytes: 1 << 20,
        ..tiny()
    };
    let heard = options.clone().family("default", roomy);
    let db = Db::open("db", heard.listener(listener.clone())).unwrap();
    // Two tables and a memtable, which every cursor merges.
    for round in 0..3_u64 {
        db.put(round.to_be_bytes(), "v").unwrap();
        if round < 2 {
            db.flush().unwrap();
        }
    }
    listener.armed.store(true, Ordering::SeqCst);
    wait_until("readers have lost enough", || {
        let rows = db.default_family();
        assert_eq!((0..100).map(|_| rows.iter().count()).sum::<usize>(), 300);
        listener.flushing.load(Ordering::SeqCst)
    });
    *listener.db.lock() = Some(db);
    wait_until("the handle is dropped", || {
        listener.done.load(Ordering::SeqCst)
    });
    let again = reopened(&options);
    assert_eq!(again.default_family().iter().count(), 3);
}

/// A program cannot always tell which handle is the last, so dropping one must not depend on where that happens.
#[test]
fn a_listener_that_drops_the_last_handle_closes_the_database() {
    let (listener, gate, vfs) = (
        Arc::new(LetsGo::default()),
        Arc::new(Gate::default()),
        MemoryVfs::new(),
    );
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    };
    let family = FamilyOptions {
        compaction_filter: Some(gate.clone()),
        ..tiny()
    };
    let held = options.clone().family("default", family);
    let db = Db::open("db", held.listener(listener.clone())).unwrap();
    // As many tables in level 0 make a compaction due.
    for round in 0..4_u64 {
        db.put("key", round.to_be_bytes()).unwrap();
        db.flush().unwrap();
    }
    gate.wait_until_reached();
    db.put("key", "last").unwrap();
    *listener.db.lock() = Some(db);
    gate.open();
    wait_until("the handle is dropped", || {
        listener.done.load(Ordering::SeqCst)
    });
    let db = reopened(&options);
    assert_eq!(db.get("key").unwrap().as_deref(), Some(&b"last"[..]));
}
