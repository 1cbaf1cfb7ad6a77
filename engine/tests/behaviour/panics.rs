//! The user's code panics inside the engine: nobody waits for ever, and no acknowledged write is lost.
//!
//! A comparator is called while a batch goes into a memtable, when the log already has the batch. If
//! the sequence numbers that the log has used were assigned again, the log could not be read back.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc;

use engine::comparator::Compare;
use engine::version::file_name;
use engine::vfs::MemoryVfs;
use engine::{
    Background, CompactionFilter, Comparator, Db, Decision, Error, Event, FamilyOptions, Options,
    Outcome,
};

use crate::support::waiting::{Gate, PATIENCE, this_thread, wait_until_asleep};
use crate::support::{Recorder, files, manual, open, tiny};

/// Byte order that panics at a certain key while a flag is set.
struct Choosy {
    panics: Arc<AtomicBool>,
}

impl Compare for Choosy {
    fn name(&self) -> &str {
        "choosy"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let refused = a == b"refused" || b == b"refused";
        assert!(!refused || !self.panics.load(SeqCst), "not this key");
        a.cmp(b)
    }
}

/// Byte order that holds the thread that brings one key, and panics at another key.
struct Holding {
    gate: Arc<Gate>,
}

impl Compare for Holding {
    fn name(&self) -> &str {
        "holding"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        assert!(a != b"refused" && b != b"refused", "not this key");
        if a == b"hold" || b == b"hold" {
            self.gate.pass();
        }
        a.cmp(b)
    }
}

/// Panics at the first row that it is shown.
struct Broken;

impl CompactionFilter for Broken {
    fn decide(&self, _key: &[u8], _value: &[u8]) -> Decision {
        panic!("the filter is broken")
    }
}

/// Runs `work` on another thread and fails if it takes long.
fn in_time<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, outcome) = mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    outcome
        .recv_timeout(PATIENCE)
        .unwrap_or_else(|_| panic!("{what} never ends"))
}

/// Writes when it is dropped.
struct LastWords<'d>(&'d Db);

impl Drop for LastWords<'_> {
    fn drop(&mut self) {
        self.0.put("last words", "1").unwrap();
    }
}

#[test]
fn a_write_in_a_destructor_is_an_ordinary_write_although_another_panic_unwinds() {
    let db = open(&MemoryVfs::new(), Background::Manual, tiny());
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _last_words = LastWords(&db);
        panic!("this has nothing to do with the database");
    }));
    assert!(unwound.is_err());
    db.put("after", "2").unwrap();
    assert!(db.get("last words").unwrap().is_some());
}

#[test]
fn a_comparator_that_panics_in_a_write_loses_no_other_write() {
    let vfs = MemoryVfs::new();
    let panics = Arc::new(AtomicBool::new(true));
    let choosy = || FamilyOptions {
        comparator: Comparator::custom(Choosy {
            panics: Arc::clone(&panics),
        }),
        ..tiny()
    };
    let db = open(&vfs, Background::Manual, choosy());
    db.put("before", "1").unwrap();
    let write = catch_unwind(AssertUnwindSafe(|| db.put("refused", "2")));
    assert!(write.is_err(), "the panic reaches the writer");
    let after = db.put("after", "3");
    assert!(matches!(after, Err(Error::Poisoned { .. })), "{after:?}");
    // The log has the batch already.
    let message = after.unwrap_err().to_string();
    assert!(!message.contains("Nothing was changed"), "{message}");
    assert!(db.get("before").unwrap().is_some(), "reads go on");
    drop(db);

    panics.store(false, SeqCst);
    let db = open(&vfs, Background::Manual, choosy());
    assert!(db.get("before").unwrap().is_some());
    assert!(db.get("after").unwrap().is_none(), "it was refused");
    db.put("again", "4").unwrap();
}

/// The flush of a closing is then one that failed: its rows are in the log.
#[test]
fn a_comparator_that_panics_while_the_database_closes_keeps_no_lock_and_loses_no_row() {
    let vfs = MemoryVfs::new();
    let panics = Arc::new(AtomicBool::new(false));
    let choosy = || FamilyOptions {
        comparator: Comparator::custom(Choosy {
            panics: Arc::clone(&panics),
        }),
        ..tiny()
    };
    let db = open(&vfs, Background::Threads, choosy());
    for key in ["before", "refused", "rest"] {
        db.put(key, [1; 200]).unwrap();
    }
    panics.store(true, SeqCst);
    let closed = in_time("closing", {
        let db = db.clone();
        move || catch_unwind(AssertUnwindSafe(|| db.close()))
    });
    closed.expect("the panic ends in the flush").unwrap();
    in_time("closing again", move || drop(db));
    panics.store(false, SeqCst);
    drop(open(&vfs, Background::Manual, choosy()));
    let db = open(&vfs.crash(0), Background::Manual, choosy());
    assert_eq!(db.default_family().iter().count(), 3);
}

/// Batches of others that were written together with one that panicked may be in the log.
#[test]
fn who_was_written_with_a_batch_that_panicked_is_not_told_that_nothing_changed() {
    let vfs = MemoryVfs::new();
    let gate = Arc::new(Gate::default());
    let holding = FamilyOptions {
        comparator: Comparator::custom(Holding {
            gate: Arc::clone(&gate),
        }),
        ..tiny()
    };
    let db = open(&vfs, Background::Manual, holding);
    db.put("before", "1").unwrap();
    let writer = |key: &'static str| {
        let (db, (is_named, name)) = (db.clone(), mpsc::channel());
        let writer = std::thread::spawn(move || {
            is_named.send(this_thread()).unwrap();
            catch_unwind(AssertUnwindSafe(|| db.put(key, "2")))
        });
        (writer, name.recv().unwrap())
    };
    // While the first leads, the next two queue up and are written together.
    let (first, _) = writer("hold");
    gate.wait_until_reached();
    let together = ["refused", "other"].map(|key| {
        let (writer, name) = writer(key);
        wait_until_asleep(name.as_deref());
        writer
    });
    gate.open();
    assert!(first.join().unwrap().unwrap().is_ok());
    let [refused, other] = together.map(|writer| writer.join().unwrap());
    assert!(refused.is_err(), "the panic reaches its writer");
    let error = other.unwrap().unwrap_err();
    assert!(matches!(error, Error::Poisoned { .. }), "{error}");
    assert!(error.to_string().contains("panicked"), "{error}");
}

#[test]
fn a_compaction_filter_that_panics_holds_up_no_writer() {
    let vfs = MemoryVfs::new();
    let broken = FamilyOptions {
        compaction_filter: Some(Arc::new(Broken)),
        ..tiny()
    };
    let db = open(&vfs, Background::Threads, broken);
    let (refused, acknowledged) = in_time("a write", {
        let db = db.clone();
        move || {
            let refused = (0u32..20_000).find_map(|at| {
                db.put((at % 50).to_be_bytes(), [at as u8; 60])
                    .err()
                    .map(|error| (error, at))
            });
            refused.expect("writes are refused when level 0 cannot be relieved")
        }
    });
    assert!(
        refused.to_string().contains("the filter is broken"),
        "{refused}"
    );
    let rows = db.default_family().iter().count() as u32;
    assert_eq!(rows, acknowledged.min(50), "reads go on");
    in_time("closing", move || drop(db));
    let db = open(&vfs, Background::Threads, tiny());
    assert_eq!(db.default_family().iter().count() as u32, rows);
    db.put("again", "v").unwrap();
}

/// Panics at the last of the keys while a flag is set.
struct TiresAtTheEnd(Arc<AtomicBool>);

impl CompactionFilter for TiresAtTheEnd {
    fn decide(&self, key: &[u8], _value: &[u8]) -> Decision {
        let tires = key == b"999" && self.0.load(SeqCst);
        assert!(!tires, "the filter is tired");
        Decision::Keep
    }
}

/// As one that fails does. Otherwise a program that goes on would fill the disk, one compaction after another.
#[test]
fn a_compaction_that_panics_in_the_callers_thread_leaves_no_tables_behind() {
    let panics = Arc::new(AtomicBool::new(true));
    let family = FamilyOptions {
        compaction_filter: Some(Arc::new(TiresAtTheEnd(Arc::clone(&panics)))),
        write_buffer_bytes: 1 << 20,
        ..tiny()
    };
    let vfs = MemoryVfs::new();
    let db = open(&vfs, Background::Manual, family);
    for round in 0..4 {
        for at in 900..1_000 {
            db.put(at.to_string(), [round; 100]).unwrap();
        }
        db.flush().unwrap();
    }
    let before = files(&vfs, ".sst");
    let default = db.default_family();
    type Compacts<'d> = &'d dyn Fn() -> engine::Result<()>;
    let ways: [(&str, Compacts<'_>); 3] = [
        ("step", &|| db.step().map(drop)),
        ("compact", &|| db.compact()),
        ("compact_range", &|| db.compact_range::<&[u8]>(&default, ..)),
    ];
    for (way, compacts) in ways {
        let compacted = catch_unwind(AssertUnwindSafe(compacts));
        assert!(compacted.is_err(), "{way}: the panic reaches the caller");
        assert_eq!(files(&vfs, ".sst"), before, "{way}");
    }
    panics.store(false, SeqCst);
    db.compact().unwrap();
    assert_ne!(files(&vfs, ".sst"), before);
    assert_eq!(db.default_family().iter().count(), 100);
}

/// Byte order that panics at one comparison: the last of so many from now on. If none are left, never.
struct TiresAfter(Arc<AtomicU64>);

impl Compare for TiresAfter {
    fn name(&self) -> &str {
        "tires after"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let left = self.0.load(SeqCst);
        self.0.store(left.saturating_sub(1), SeqCst);
        assert!(left != 1, "the comparator is tired");
        a.cmp(b)
    }
}

/// The tables in the directory, and those that the manifest names.
fn tables_there_and_named(vfs: &MemoryVfs, options: &Options) -> [BTreeSet<PathBuf>; 2] {
    let there = files(vfs, ".sst").into_iter().collect();
    let overview = engine::overview("db", options).unwrap();
    let named = overview.families.iter().flat_map(|family| &family.tables);
    let named = named.map(|table| file_name::table(Path::new("db"), table.meta.number));
    [there, named.collect()]
}

/// Whichever table of whichever family is complete by then, also if all are and are only not in force yet.
#[test]
fn a_comparator_that_panics_anywhere_in_a_flush_or_a_compaction_leaves_no_tables_behind() {
    type Work = fn(&Db) -> engine::Result<()>;
    let fill = |db: &Db| {
        for family in ["default", "other"] {
            let family = db.family(family).unwrap();
            for at in 0..30 {
                family.put(format!("{at:02}"), [at; 50]).unwrap();
            }
        }
    };
    let works: [(&str, u32, Work); 3] = [
        ("flush", 1, |db| db.flush()),
        ("move", 1, |db| {
            db.compact_range::<&[u8]>(&db.default_family(), ..)
        }),
        ("compact", 3, |db| db.compact()),
    ];
    for (name, rounds, work) in works {
        let mut panics_at = 0;
        loop {
            panics_at += 1;
            let (vfs, left) = (MemoryVfs::new(), Arc::new(AtomicU64::new(0)));
            let family = || FamilyOptions {
                comparator: Comparator::custom(TiresAfter(Arc::clone(&left))),
                block_bytes: 128,
                target_file_bytes: 1 << 10,
                ..FamilyOptions::default()
            };
            let options = || {
                manual(&vfs)
                    .family("default", family())
                    .family("other", family())
            };
            let db = Db::open("db", options()).unwrap();
            for _ in 0..rounds {
                fill(&db);
                db.flush().unwrap();
            }
            if name == "flush" {
                fill(&db);
            }
            left.store(panics_at, SeqCst);
            let worked = catch_unwind(AssertUnwindSafe(|| work(&db)));
            let is_through = left.swap(0, SeqCst) > 0;
            assert_eq!(is_through, worked.is_ok(), "{name}: {worked:?}");
            let [there, named] = tables_there_and_named(&vfs, &options());
            assert_eq!(there, named, "{name}: comparison {panics_at}");
            work(&db).unwrap();
            let counts = ["default", "other"].map(|of| db.family(of).unwrap().iter().count());
            assert_eq!(counts, [30, 30], "{name}: comparison {panics_at}");
            if is_through {
                break;
            }
        }
        println!("{name}: {panics_at} comparisons");
        assert!(panics_at > 3, "{name}: {panics_at}");
    }
}

/// The numbers of the flushes and compactions that began, and of those that ended with a panic.
fn jobs(events: &[Event]) -> [BTreeSet<u64>; 2] {
    let mut jobs = [BTreeSet::new(), BTreeSet::new()];
    for event in events {
        match event {
            Event::FlushBegun { job, .. } | Event::CompactionBegun { job, .. } => {
                jobs[0].insert(*job);
            }
            Event::FlushEnded { job, outcome, .. }
            | Event::CompactionEnded { job, outcome, .. }
                if matches!(outcome, Outcome::Failed(what) if what.contains("panicked")) =>
            {
                jobs[1].insert(*job);
            }
            _ => {}
        }
    }
    jobs
}

/// A listener that counts what is going on would wait for ever for the end.
#[test]
fn a_flush_or_a_compaction_that_panics_is_reported_to_have_ended() {
    let refusing = || FamilyOptions {
        comparator: Comparator::custom(Choosy {
            panics: Arc::new(AtomicBool::new(true)),
        }),
        ..tiny()
    };
    let filtering = || FamilyOptions {
        compaction_filter: Some(Arc::new(Broken)),
        ..tiny()
    };
    for background in [Background::Manual, Background::Threads] {
        for (family, flushes) in [(refusing(), true), (filtering(), false)] {
            let recorder = Arc::new(Recorder::default());
            let options = Options {
                vfs: Arc::new(MemoryVfs::new()),
                background,
                ..Options::default()
            };
            let options = options.family("default", family);
            let db = Db::open("db", options.listener(recorder.clone())).unwrap();
            // A single key is compared with no other before it is in a table.
            db.put("refused", "1").unwrap();
            let worked = catch_unwind(AssertUnwindSafe(|| match flushes {
                true => db.flush(),
                false => db.compact(),
            }));
            assert!(!matches!(worked, Ok(Ok(()))), "{worked:?}");
            let _ = db.close();
            let events = recorder.all();
            let [begun, failed] = jobs(&events);
            let failed_of_begun = begun.len() - usize::from(!flushes);
            assert!(failed.is_subset(&begun) && !failed.is_empty(), "{failed:?}");
            assert_eq!(failed.len(), failed_of_begun, "{events:#?}");
        }
    }
}

/// A visitor that panics leaves the cursor on the row that it saw, with its key and its value,
/// wherever rows are stored.
#[test]
fn a_visitor_that_panics_leaves_the_cursor_on_the_row_that_it_saw() {
    for place in ["memtable", "table"] {
        let db = open(&MemoryVfs::new(), Background::Manual, tiny());
        for at in 0..9 {
            db.put(format!("key {at}"), format!("value {at}")).unwrap();
        }
        if place == "table" {
            db.flush().unwrap();
        }
        for panics_at in 0..9 {
            let mut cursor = db.default_family().cursor().unwrap();
            cursor.seek_to_first().unwrap();
            let mut shown = 0..9;
            let visited = catch_unwind(AssertUnwindSafe(|| {
                cursor.visit(|_, _| {
                    assert!(shown.next() != Some(panics_at), "not this row");
                    true
                })
            }));
            assert!(visited.is_err());
            for at in panics_at..9 {
                let row = (
                    format!("key {at}").into_bytes(),
                    format!("value {at}").into_bytes(),
                );
                assert_eq!(
                    (cursor.key(), cursor.value()),
                    (&row.0[..], &row.1[..]),
                    "{place}"
                );
                cursor.next().unwrap();
            }
            assert!(!cursor.valid());
        }
    }
}
