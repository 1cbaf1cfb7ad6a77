//! After a failed write to the log or manifest nothing more is written. Reads continue, and
//! reopening repairs the state.

use std::sync::Arc;

use engine::vfs::{Fault, FaultVfs, MemoryVfs};
use engine::{Db, Error, FamilyOptions, Options, WriteBatch, WriteOptions};

use crate::support::waiting::wait_until;
use crate::support::{manual, tiny};

fn open(vfs: &FaultVfs) -> Db {
    let options = manual(vfs);
    Db::open("db", options.family("default", tiny())).unwrap()
}

fn synced(db: &Db, key: &str) -> engine::Result<()> {
    let mut batch = WriteBatch::new();
    batch.put(&db.default_family(), key, "v");
    db.write(batch, WriteOptions { sync: true })
}

fn is_poisoned<T: std::fmt::Debug>(outcome: engine::Result<T>, cause: &str) {
    match outcome {
        Err(Error::Poisoned { first }) => assert!(first.contains(cause), "{first}"),
        other => panic!("poisoned writes are refused, not {other:?}"),
    }
}

#[test]
fn a_failed_sync_of_the_log_is_not_tried_again() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let db = open(&vfs);
    synced(&db, "before").unwrap();
    vfs.fail_nth(2, Fault::Io); // The first operation is the append.
    let error = synced(&db, "in doubt").unwrap_err();
    assert!(error.to_string().contains("sync db/"), "{error}");
    assert_eq!(vfs.failed().len(), 1);
    let operations = vfs.operations();

    is_poisoned(synced(&db, "after"), "sync db/");
    is_poisoned(db.put("after", "v"), "sync db/");
    is_poisoned(db.flush(), "sync db/");
    is_poisoned(db.compact(), "sync db/");
    is_poisoned(db.step(), "sync db/");
    is_poisoned(db.create_family("new", tiny()), "sync db/");
    assert_eq!(
        vfs.operations(),
        operations,
        "nothing touches the disk any more"
    );

    assert!(db.get("before").unwrap().is_some(), "reads go on");
    assert!(
        db.get("in doubt").unwrap().is_none(),
        "what failed was never shown"
    );
    assert_eq!(db.default_family().iter().count(), 1);
    assert!(
        db.close().is_err(),
        "closing cannot promise what is in doubt"
    );
    drop(db);

    let survived = FaultVfs::new(Arc::new(memory.crash(0)));
    let db = open(&survived);
    assert!(db.get("before").unwrap().is_some());
    assert!(db.get("after").unwrap().is_none());
    synced(&db, "again").unwrap();
}

#[test]
fn a_failed_manifest_poisons_and_the_log_still_has_everything() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let db = open(&vfs);
    synced(&db, "k").unwrap();
    // The operations: new log, the old one's unused space; table: create, append, sync; directory;
    // then the manifest's append.
    vfs.fail_nth(7, Fault::ShortWrite);
    let error = db.flush().unwrap_err();
    assert!(error.to_string().contains("MANIFEST"), "{error}");
    is_poisoned(db.put("after", "v"), "MANIFEST");
    assert!(db.get("k").unwrap().is_some());
    drop(db);
    for survival in 0..4 {
        let db = open(&FaultVfs::new(Arc::new(memory.crash(survival))));
        assert_eq!(db.default_family().iter().count(), 1, "survival {survival}");
    }
}

#[test]
fn a_full_disk_is_an_error_to_the_writer_and_passes() {
    let vfs = FaultVfs::new(Arc::new(MemoryVfs::new()));
    let db = open(&vfs);
    // A table cannot be written: the old state stays in use, and nothing is poisoned.
    db.put("k", "v").unwrap();
    vfs.fail_nth(2, Fault::NoSpace); // The first is the new log.
    let error = db.flush().unwrap_err();
    assert!(error.to_string().contains("Free some space"), "{error}");
    assert!(db.get("k").unwrap().is_some());
    vfs.heal();
    db.put("later", "v").unwrap();
    db.flush().unwrap();
    assert_eq!(db.default_family().iter().count(), 2, "nothing was lost");
}

#[test]
fn a_full_disk_behind_the_threads_back_passes_too() {
    let vfs = FaultVfs::new(Arc::new(MemoryVfs::new()));
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    };
    let db = Db::open("db", options.family("default", tiny())).unwrap();
    db.put("first", "v").unwrap();
    vfs.fail_nth(2, Fault::NoSpace);
    let error = db.flush().unwrap_err();
    assert!(error.to_string().contains("Free some space"), "{error}");
    vfs.heal();
    // The flush thread tries again when it is asked to, which the next flush does.
    wait_until("it is flushed", || db.flush().is_ok());
    for at in 0..500 {
        db.put(format!("{at:04}"), [1; 50]).unwrap();
    }
    assert_eq!(db.default_family().iter().count(), 501);
}

/// Panics when it meets the key "boom".
struct Fragile;

impl engine::Compare for Fragile {
    fn name(&self) -> &str {
        "fragile"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        assert!(a != b"boom" && b != b"boom", "a comparator's bug");
        a.cmp(b)
    }
}

#[test]
fn a_comparator_that_panics_in_a_write_stops_writes_and_not_the_process() {
    let memory = MemoryVfs::new();
    let family = FamilyOptions {
        comparator: engine::Comparator::custom(Fragile),
        ..FamilyOptions::default()
    };
    let options = Options {
        vfs: Arc::new(memory),
        ..Options::default()
    };
    let db = Db::open("db", options.family("fragile", family)).unwrap();
    let fragile = db.family("fragile").unwrap();
    fragile.put("a", "1").unwrap();
    let panicked =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fragile.put("boom", "2")));
    assert!(panicked.is_err());
    is_poisoned(fragile.put("b", "3"), "panicked");
    assert_eq!(fragile.get("a").unwrap().as_deref(), Some(&b"1"[..]));
}
