//! No space for tables: the writer gets an error, reads continue, and when there is space again
//! everything is there.
//!
//! Logs and manifest still fit here. A log that does not fit is the subject of `disk_full.rs`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use engine::vfs::{FaultVfs, MemoryVfs, Vfs};
use engine::{Background, Db, Error, Options, WriteBatch, WriteOptions};

use crate::support::waiting::wait_until;
use crate::support::{Rows, tiny};

fn open(vfs: &FaultVfs, background: Background) -> Db {
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        background,
        ..Options::default()
    };
    Db::open("db", options.family("default", tiny())).unwrap()
}

fn tables(vfs: &dyn Vfs) -> BTreeSet<OsString> {
    let names = vfs.list(Path::new("db")).unwrap().into_iter();
    names
        .filter(|name| name.to_string_lossy().ends_with(".sst"))
        .collect()
}

fn row(at: usize) -> (Vec<u8>, Vec<u8>) {
    (
        format!("{:05}", at * 7 % 10_000).into_bytes(),
        vec![at as u8; 100],
    )
}

fn put_synced(db: &Db, key: &[u8], value: &[u8]) -> engine::Result<()> {
    let mut batch = WriteBatch::new();
    batch.put(&db.default_family(), key, value);
    db.write(batch, WriteOptions { sync: true })
}

/// Writes until a write fails; returns the acknowledged rows, and the error of the failed write.
fn fill_up(db: &Db, first: usize) -> (Rows, Error) {
    let mut acknowledged = Rows::new();
    for at in first..first + 5_000 {
        let (key, value) = row(at);
        match put_synced(db, &key, &value) {
            Ok(()) => acknowledged.insert(key, value),
            Err(error) => return (acknowledged, error),
        };
    }
    panic!("the disk never filled up");
}

fn assert_rows(db: &Db, expected: &Rows) {
    let rows: engine::Result<Rows> = db.default_family().iter().collect();
    assert!(
        rows.unwrap() == *expected,
        "a scan shows what was acknowledged"
    );
    for (key, value) in expected.iter().step_by(17) {
        assert_eq!(db.get(key).unwrap().as_deref(), Some(&value[..]));
    }
}

fn assert_disk_full(error: &Error) {
    let Error::Io { source, .. } = error else {
        panic!("not a full disk: {error}")
    };
    assert_eq!(source.kind(), std::io::ErrorKind::StorageFull, "{error}");
    assert!(error.to_string().contains("Free some space"), "{error}");
}

/// Tries until it succeeds. Until the background tries again, a call may still report the last failure.
fn eventually(work: impl Fn() -> engine::Result<()>) {
    wait_until("it succeeds", || {
        work().inspect_err(assert_disk_full).is_ok()
    });
}

fn full_while_flushing(background: Background) {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let db = open(&vfs, background);
    vfs.limit_bytes(".sst", 10_000);
    let (mut rows, error) = fill_up(&db, 0);
    assert_disk_full(&error);
    assert!(
        rows.len() > 60,
        "memtables took writes for a while: {}",
        rows.len()
    );
    assert_rows(&db, &rows);

    // Still full: every further write fails in the same way, and leaves no files behind.
    let files = tables(&memory).len();
    for at in 0..5 {
        let error = put_synced(&db, format!("refused {at}").as_bytes(), b"v").unwrap_err();
        assert_disk_full(&error);
    }
    assert_disk_full(&db.flush().unwrap_err());
    assert_rows(&db, &rows);
    assert!(
        tables(&memory).len() <= files + 1,
        "half-written tables are removed: {:?}",
        tables(&memory)
    );
    // The power may be cut while the disk is full.
    for survival in 0..4 {
        let after_cut = FaultVfs::new(Arc::new(memory.crash(survival)));
        assert_rows(&open(&after_cut, Background::Manual), &rows);
    }

    vfs.heal();
    let (key, value) = row(9_999);
    eventually(|| put_synced(&db, &key, &value));
    eventually(|| db.flush());
    rows.insert(key, value);
    db.compact().unwrap();
    assert_rows(&db, &rows);
    db.close().unwrap();
    drop(db);
    assert_rows(&open(&vfs, Background::Manual), &rows);
}

#[test]
fn a_flush_without_space_is_an_error_to_the_writer_and_comes_back() {
    full_while_flushing(Background::Threads);
}

#[test]
fn a_flush_without_space_is_retried_by_hand_too() {
    full_while_flushing(Background::Manual);
}

#[test]
fn a_compaction_without_space_leaves_the_old_tables_serving() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let db = open(&vfs, Background::Manual);
    let mut rows = Rows::new();
    for at in 0..100 {
        let (key, value) = row(at);
        put_synced(&db, &key, &value).unwrap();
        rows.insert(key, value);
        if at % 30 == 29 {
            db.flush().unwrap();
        }
    }
    // Tables that do not overlap would be moved down unchanged, which needs no space.
    let (key, value) = row(0);
    put_synced(&db, &key, &value).unwrap();
    db.flush().unwrap();
    for left in [0, 1, 500, 3_000, 6_000] {
        let before = tables(&memory);
        assert!(before.len() >= 2, "{before:?}");
        vfs.limit_bytes(".sst", left);
        assert_disk_full(&db.compact().unwrap_err());
        assert_eq!(tables(&memory), before, "{left} bytes left");
        assert_rows(&db, &rows);
        // A failed compaction does not concern writers until level 0 is too long.
        let value = vec![left as u8];
        put_synced(&db, b"meanwhile", &value).unwrap();
        rows.insert(b"meanwhile".to_vec(), value);
        vfs.heal();
        db.flush().unwrap();
        assert!(tables(&memory).is_superset(&before));
    }
    let before = tables(&memory);
    db.compact().unwrap();
    assert!(tables(&memory).is_disjoint(&before));
    assert_rows(&db, &rows);
}
