//! Closing. While others work, the directory's lock is released when nobody writes there any more,
//! and not before: a process that opened the directory earlier would see tables vanish that its
//! manifest lists, or its new files replaced.
//!
//! After closing, what was in memory is in tables, so the next opening has little to replay. If it
//! is little, or if the tables fail, it is in the log.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use engine::{Background, CompactionFilter, Db, Decision, Error, FamilyOptions, Options};
use parking_lot::Mutex;

use crate::support::hooked::Hooked;
use crate::support::tiny;
use crate::support::waiting::{Gate, PATIENCE, wait_until_closing};

/// A filter that closes the database from within, and then waits at a gate.
#[derive(Default)]
struct Closer {
    closes: Mutex<Option<Db>>,
    gate: Gate,
}

impl CompactionFilter for Closer {
    fn decide(&self, key: &[u8], value: &[u8]) -> Decision {
        if let Some(db) = self.closes.lock().take() {
            db.close().unwrap();
        }
        self.gate.decide(key, value)
    }
}

/// Nothing runs in the background.
fn manual(vfs: impl Vfs + 'static) -> Options {
    Options {
        vfs: Arc::new(vfs),
        background: Background::Manual,
        ..Options::default()
    }
}

fn open(vfs: &MemoryVfs, filter: Option<Arc<dyn CompactionFilter>>) -> engine::Result<Db> {
    let options = manual(vfs.clone());
    let family = FamilyOptions {
        compaction_filter: filter,
        ..tiny()
    };
    Db::open("db", options.family("default", family))
}

fn filled(vfs: &MemoryVfs, filter: Arc<dyn CompactionFilter>) -> Db {
    let db = open(vfs, Some(filter)).unwrap();
    for at in 0u32..20 {
        db.put(at.to_be_bytes(), "v").unwrap();
    }
    db.flush().unwrap();
    db
}

#[test]
fn closing_waits_for_a_compaction_of_another_thread() {
    let (vfs, gate) = (MemoryVfs::new(), Arc::new(Gate::default()));
    let db = filled(&vfs, gate.clone());
    thread::scope(|scope| {
        let compacted = scope.spawn(|| db.compact());
        gate.wait_until_reached();
        let closed = scope.spawn(|| db.close());
        wait_until_closing(&db);
        thread::sleep(Duration::from_millis(100));
        let early = open(&vfs, None);
        assert!(matches!(early, Err(Error::Locked { .. })), "{early:?}");
        gate.open();
        closed.join().unwrap().unwrap();
        let given_up = compacted.join().unwrap().unwrap_err();
        assert!(given_up.to_string().contains("closed"), "{given_up}");
    });
    let db = open(&vfs, None).unwrap();
    assert_eq!(db.default_family().iter().count(), 20);
}

#[test]
fn a_filter_may_close_the_database_and_keeps_the_lock_until_its_compaction_ends() {
    let (vfs, closer) = (MemoryVfs::new(), Arc::new(Closer::default()));
    let db = filled(&vfs, closer.clone());
    *closer.closes.lock() = Some(db.clone());
    thread::scope(|scope| {
        let compacted = scope.spawn(|| db.compact());
        closer.gate.wait_until_reached();
        let early = open(&vfs, None);
        assert!(matches!(early, Err(Error::Locked { .. })), "{early:?}");
        closer.gate.open();
        let given_up = compacted.join().unwrap().unwrap_err();
        assert!(given_up.to_string().contains("closed"), "{given_up}");
    });
    let before = vfs.list(Path::new("db")).unwrap();
    assert!(db.compact().is_err() && db.flush().is_err() && db.step().is_err());
    assert_eq!(
        vfs.list(Path::new("db")).unwrap(),
        before,
        "a closed database touches nothing"
    );
    let db = open(&vfs, None).unwrap();
    assert_eq!(db.default_family().iter().count(), 20);
}

/// With manual background work, a write that finds level 0 too long makes the compaction itself.
#[test]
fn a_filter_may_close_the_database_in_a_compaction_that_a_write_makes() {
    let (vfs, closer) = (MemoryVfs::new(), Arc::new(Closer::default()));
    closer.gate.open();
    let db = open(&vfs, Some(closer.clone())).unwrap();
    *closer.closes.lock() = Some(db.clone());
    let (done, outcome) = mpsc::channel();
    thread::spawn(move || {
        // The tables overlap, so they are rewritten and not only moved.
        let write = |at: u64| {
            let written = db.put((at % 50).to_be_bytes(), [7; 100]);
            written.err().map(|error| (at, error))
        };
        done.send((0..100_000).find_map(write))
    });
    let outcome = outcome.recv_timeout(PATIENCE);
    let (written, refused) = outcome.expect("the write ends").expect("it is refused");
    assert!(refused.to_string().contains("closed"), "{refused}");
    let db = open(&vfs, None).unwrap();
    assert_eq!(db.default_family().iter().count() as u64, written.min(50));
}

#[test]
fn closing_twice_at_once_waits_both_times() {
    let (vfs, gate) = (MemoryVfs::new(), Arc::new(Gate::default()));
    let db = filled(&vfs, gate.clone());
    thread::scope(|scope| {
        let compacted = scope.spawn(|| db.compact());
        gate.wait_until_reached();
        let closes = [(); 3].map(|()| scope.spawn(|| db.close()));
        wait_until_closing(&db);
        thread::sleep(Duration::from_millis(100));
        let early = closes.iter().filter(|close| close.is_finished()).count();
        assert_eq!(early, 0, "the directory was still in use");
        gate.open();
        for close in closes {
            close.join().unwrap().unwrap();
        }
        compacted.join().unwrap().unwrap_err();
    });
    open(&vfs, None).unwrap();
}

#[test]
fn closing_again_says_how_closing_ended() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory));
    let db = Db::open("db", manual(vfs.clone())).unwrap();
    db.put("k", "v").unwrap();
    vfs.fail_nth(1, Fault::Io);
    let first = db.close().unwrap_err().to_string();
    let second = db.close().unwrap_err().to_string();
    assert_eq!(
        first, second,
        "what was lost does not come back by asking again"
    );
}

const ROWS: u32 = 20;

/// Rows that no write made durable, and more of them than closing leaves in the log.
fn unsynced(vfs: Arc<dyn Vfs>, background: Background) -> Db {
    let options = Options {
        vfs,
        background,
        ..Options::default()
    };
    let db = Db::open("db", options.family("default", tiny())).unwrap();
    for at in 0..ROWS {
        db.put(at.to_be_bytes(), [7; 100]).unwrap();
    }
    db
}

/// The number of files with this ending, and the sum of their bytes.
fn files(vfs: &MemoryVfs, ending: &str) -> (usize, u64) {
    let names = vfs.list(Path::new("db")).unwrap();
    let paths = names.iter().map(|name| Path::new("db").join(name));
    let of_kind: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|of| of == ending))
        .collect();
    let bytes = of_kind.iter().map(|path| vfs.len(path).unwrap()).sum();
    (of_kind.len(), bytes)
}

/// Checks that the rows found are the first ones written, and returns how many they are.
fn prefix(vfs: &MemoryVfs) -> u32 {
    let db = open(vfs, None).unwrap();
    let found = db.default_family().iter().map(|row| row.unwrap());
    let found: Vec<_> = found.collect();
    for (at, (key, value)) in (0u32..).zip(&found) {
        assert_eq!(**key, at.to_be_bytes());
        assert_eq!(**value, [7; 100]);
    }
    found.len() as u32
}

#[test]
fn a_closed_database_has_nothing_to_replay() {
    let vfs = MemoryVfs::new();
    let db = unsynced(Arc::new(vfs.clone()), Background::Manual);
    assert_eq!(files(&vfs, "sst").0, 0);
    db.close().unwrap();
    assert_eq!(files(&vfs, "sst").0, 1);
    assert_eq!(files(&vfs, "log"), (1, 0), "one log, and it is empty");
    assert_eq!(prefix(&vfs.crash(0)), ROWS, "the table is durable");
}

#[test]
fn what_is_little_stays_in_the_log() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, None).unwrap();
    drop(db);
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    };
    // With a write buffer of the usual size.
    let db = Db::open("db", options).unwrap();
    for at in 0..ROWS {
        db.put(at.to_be_bytes(), [7; 100]).unwrap();
    }
    db.close().unwrap();
    assert_eq!(files(&vfs, "sst").0, 0);
    assert_eq!(prefix(&vfs.crash(0)), ROWS, "the log is durable");
}

#[test]
fn a_flush_that_fails_leaves_everything_in_the_log() {
    let mut in_the_log = 0;
    for fault in [Fault::Io, Fault::ShortWrite, Fault::NoSpace] {
        for n in 1.. {
            let memory = MemoryVfs::new();
            let vfs = FaultVfs::new(Arc::new(memory.clone()));
            let db = unsynced(Arc::new(vfs.clone()), Background::Manual);
            vfs.fail_nth(n, fault);
            let closed = db.close();
            if vfs.failed().is_empty() {
                break;
            }
            drop(db);
            let context = format!("{fault:?} at {n}: {:?}, {closed:?}", vfs.failed());
            if closed.is_ok() {
                let disk = memory.crash(0);
                in_the_log += u32::from(files(&disk, "log").1 > 0);
                assert_eq!(prefix(&disk), ROWS, "{context}");
            }
            // Without a power cut nothing is lost, whatever failed.
            assert_eq!(prefix(&memory), ROWS, "{context}");
        }
    }
    assert!(in_the_log > 5, "most failures leave it to the log");
}

#[test]
fn closing_can_be_cut_anywhere() {
    let vfs = MemoryVfs::new().recording();
    let db = unsynced(Arc::new(vfs.clone()), Background::Manual);
    let begun = vfs.operations();
    db.close().unwrap();
    for n in begun..=vfs.operations() {
        for survival in 0..40 {
            let found = prefix(&vfs.state_after(n).crash(survival));
            assert!(
                n < vfs.operations() || found == ROWS,
                "closed, and {found} rows are there after cut {n}, survival {survival}"
            );
        }
    }
}

#[test]
fn closing_waits_for_a_flush_and_keeps_its_table() {
    let memory = MemoryVfs::new();
    let (reached, gate) = (Arc::new(AtomicBool::new(false)), Arc::new(Gate::default()));
    let hook = {
        let (reached, gate) = (Arc::clone(&reached), Arc::clone(&gate));
        move |operation: &str, path: &Path| {
            let is_table = path.extension().is_some_and(|of| of == "sst");
            if operation == "create" && is_table && !reached.swap(true, Ordering::SeqCst) {
                gate.pass();
            }
        }
    };
    let vfs = Hooked::new(&memory, hook);
    let db = unsynced(Arc::new(vfs), Background::Threads);
    thread::scope(|scope| {
        let flushed = scope.spawn(|| db.flush());
        gate.wait_until_reached();
        let closed = scope.spawn(|| db.close());
        wait_until_closing(&db);
        thread::sleep(Duration::from_millis(100));
        let early = closed.is_finished();
        gate.open();
        closed.join().unwrap().unwrap();
        // A caller that waited learns that it is done, or that the database is closed.
        let _ = flushed.join().unwrap();
        assert!(!early, "the flush was under way");
    });
    assert_eq!(files(&memory, "sst").0, 1, "it was not written again");
    assert_eq!(files(&memory, "log").1, 0);
    assert_eq!(prefix(&memory), ROWS);
}

/// The name of a log that holds nothing need not survive a power cut. The name of one that holds
/// something must, and the manifest says how far that goes.
#[test]
fn closing_syncs_only_what_was_written() {
    let operations = Arc::new(Mutex::new(Vec::new()));
    let vfs = Hooked::new(&MemoryVfs::new(), {
        let operations = Arc::clone(&operations);
        move |operation, _| operations.lock().push(operation.to_owned())
    });
    for (writes_behind_a_flush, syncs) in [(0, 0), (1, 3)] {
        let db = Db::open("db", manual(vfs.clone())).unwrap();
        db.put("k", "v").unwrap();
        // This begins another log.
        db.flush().unwrap();
        for _ in 0..writes_behind_a_flush {
            db.put("k", "v").unwrap();
        }
        operations.lock().clear();
        db.close().unwrap();
        let operations = operations.lock();
        let synced = operations.iter().filter(|name| name.contains("sync"));
        assert_eq!(synced.count(), syncs, "{operations:?}");
    }
}

/// An older log that is still needed has its name made durable by closing, even if the newest one
/// holds nothing.
#[test]
fn a_log_that_was_left_keeps_its_name() {
    for seed in 0..20 {
        let memory = MemoryVfs::new();
        let vfs = FaultVfs::new(Arc::new(memory.clone()));
        let db = Db::open("db", manual(vfs.clone())).unwrap();
        vfs.limit_bytes("sst", 0);
        // A table would make all names durable. Without one, the second log's name is not yet
        // durable when it is left.
        for key in ["first", "second"] {
            db.put(key, "v").unwrap();
            db.flush().unwrap_err();
        }
        db.sync().unwrap();
        let disk = memory.crash(seed);
        let db = open(&disk, None).unwrap();
        assert_eq!(db.get("second").unwrap().as_deref(), Some(&b"v"[..]));
    }
}

/// How long a check of the directory waits for a closing that must not end before it.
const LONG_ENOUGH: Duration = Duration::from_millis(300);

/// A sync checks that the directory is still in place. Whoever opens it after the closing must not find it locked by that.
#[test]
fn a_sync_beside_a_closing_does_not_keep_the_directory_locked() {
    let memory = MemoryVfs::new();
    let armed = Arc::new(AtomicBool::new(false));
    let (is_checking, checks) = mpsc::channel();
    let (has_opened, opened) = mpsc::channel();
    let opened = Mutex::new(opened);
    let vfs = Hooked::new(&memory, {
        let armed = Arc::clone(&armed);
        move |operation, _| {
            if operation == "check the lock" && armed.swap(false, Ordering::SeqCst) {
                is_checking.send(()).unwrap();
                let _ = opened.lock().recv_timeout(LONG_ENOUGH);
            }
        }
    });
    let db = Db::open("db", manual(vfs)).unwrap();
    db.put("key", "value").unwrap();
    armed.store(true, Ordering::SeqCst);
    thread::scope(|scope| {
        let synced = scope.spawn(|| db.sync());
        checks.recv_timeout(PATIENCE).unwrap();
        db.close().unwrap();
        let again = Db::open("db", manual(memory));
        let _ = has_opened.send(());
        assert!(again.is_ok(), "{again:?}");
        synced.join().unwrap().unwrap();
    });
}
