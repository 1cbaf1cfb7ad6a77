//! What opening does about logs whose end is lost: point in time continues with what comes before,
//! absolute says where the loss is. Neither lets a write survive whose predecessors are gone, nor
//! takes damage to synced writes for a lost end.

use std::path::{Path, PathBuf};

use engine::vfs::{MemoryVfs, Vfs};
use engine::{Db, Error, FamilyOptions, Options, RecoveryMode, WriteBatch, WriteOptions};

use crate::support::{manual, tiny};

fn options(vfs: &MemoryVfs, mode: RecoveryMode) -> Options {
    let options = manual(vfs);
    let family = FamilyOptions {
        write_buffer_bytes: 16 << 10,
        ..tiny()
    };
    options.family("default", family).recovery(mode)
}

fn open(vfs: &MemoryVfs, mode: RecoveryMode) -> engine::Result<Db> {
    Db::open("db", options(vfs, mode))
}

fn put(db: &Db, key: &str, sync: bool) {
    let mut batch = WriteBatch::new();
    batch.put(&db.default_family(), key, [b'v'; 100]);
    db.write(batch, WriteOptions { sync }).unwrap();
}

fn keys(db: &Db) -> Vec<String> {
    let rows = db.default_family().iter().map(|row| row.unwrap());
    rows.map(|(key, _)| String::from_utf8(key).unwrap())
        .collect()
}

fn logs(vfs: &MemoryVfs) -> Vec<PathBuf> {
    let names = vfs.list(Path::new("db")).unwrap();
    let paths = names.iter().map(|name| Path::new("db").join(name));
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .collect()
}

/// Replaces the bytes of the file from `from` up to `to` by zeros.
fn blank(vfs: &MemoryVfs, path: &Path, from: usize, to: usize) {
    let mut bytes = vfs.read(path).unwrap();
    bytes[from..to].fill(0);
    vfs.damage(path, bytes).unwrap();
}

fn written(vfs: &MemoryVfs, path: &Path) -> usize {
    let bytes = vfs.read(path).unwrap();
    bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1
}

fn corruption(outcome: engine::Result<Db>) -> (PathBuf, u64, String) {
    match outcome {
        Err(Error::Corruption { file, offset, what }) => (file, offset, what),
        other => panic!("expected corruption, not {other:?}"),
    }
}

/// A database that was killed after 40 writes, of which the first ten are synced.
fn killed() -> (MemoryVfs, PathBuf) {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, RecoveryMode::PointInTime).unwrap();
    for at in 0..40 {
        put(&db, &format!("{at:02}"), at == 9);
    }
    let vfs = vfs.crash(1);
    let log = logs(&vfs).pop().unwrap();
    (vfs, log)
}

#[test]
fn a_log_that_is_whole_opens_in_both_modes() {
    for mode in [RecoveryMode::PointInTime, RecoveryMode::Absolute] {
        let (vfs, _) = killed();
        let db = open(&vfs, mode).unwrap();
        assert_eq!(keys(&db).len(), 40);
        assert_eq!(db.torn_logs(), []);
        drop(db);
        // And again after an orderly close.
        assert_eq!(keys(&open(&vfs, mode).unwrap()).len(), 40);
    }
}

#[test]
fn a_torn_end_is_left_out_or_refused() {
    let (vfs, log) = killed();
    let end = written(&vfs, &log);
    vfs.damage(&log, vfs.read(&log).unwrap()[..end - 1].to_vec())
        .unwrap();
    let before = vfs.tree();
    let (file, offset, what) = corruption(open(&vfs, RecoveryMode::Absolute));
    assert_eq!(file, log);
    assert!(
        (offset as usize) < end && offset as usize > end - 200,
        "{offset} of {end}"
    );
    assert!(
        what.contains("absolute") && what.contains("point in time"),
        "{what}"
    );
    assert_eq!(
        vfs.tree().replace("db/LOCK: 0 bytes, 0 durable\n", ""),
        before.replace("db/LOCK: 0 bytes, 0 durable\n", ""),
        "a refusal changes nothing"
    );

    let db = open(&vfs, RecoveryMode::PointInTime).unwrap();
    assert_eq!(keys(&db).len(), 39);
    let torn = db.torn_logs();
    assert!(
        torn.len() == 1 && torn[0].path.ends_with(&log) && torn[0].at == offset,
        "{torn:?}"
    );
    // What was recovered goes into a table, and the torn log is removed.
    db.flush().unwrap();
    drop(db);
    assert_eq!(
        keys(&open(&vfs, RecoveryMode::Absolute).unwrap()).len(),
        39,
        "it is mended now"
    );
}

#[test]
fn a_close_in_order_mends_a_torn_log() {
    for writes in [false, true] {
        let (vfs, log) = killed();
        let torn = vfs.read(&log).unwrap()[..written(&vfs, &log) - 1].to_vec();
        vfs.damage(&log, torn).unwrap();
        let db = open(&vfs, RecoveryMode::PointInTime).unwrap();
        if writes {
            put(&db, "later", false);
        }
        db.close().unwrap();
        let db = open(&vfs, RecoveryMode::Absolute).unwrap();
        assert_eq!(keys(&db).len(), 39 + usize::from(writes));
    }
}

/// Where a log was cut at the end of a record, only the next log shows it.
#[test]
fn a_log_that_was_cut_between_two_records_is_named() {
    let (vfs, logs) = two_logs(0);
    let (file, offset, _) = {
        let torn = vfs.crash(1);
        let cut = vfs.read(&logs[0]).unwrap()[..written(&vfs, &logs[0]) - 1].to_vec();
        torn.damage(&logs[0], cut).unwrap();
        corruption(open(&torn, RecoveryMode::Absolute))
    };
    assert_eq!(file, logs[0]);
    let cut = vfs.read(&logs[0]).unwrap()[..offset as usize].to_vec();
    vfs.damage(&logs[0], cut).unwrap();
    let db = open(&vfs, RecoveryMode::PointInTime).unwrap();
    let torn = db.torn_logs();
    assert!(
        torn.len() == 1 && torn[0].path.ends_with(&logs[0]) && torn[0].at == offset,
        "{torn:?}"
    );
}

#[test]
fn a_hole_behind_the_last_sync_is_left_out_or_refused() {
    let (vfs, log) = killed();
    blank(&vfs, &log, 2048, 2560);
    corruption(open(&vfs.crash(1), RecoveryMode::Absolute));
    let db = open(&vfs, RecoveryMode::PointInTime).unwrap();
    let left = keys(&db);
    assert!((10..40).contains(&left.len()), "{}", left.len());
    let prefix: Vec<String> = (0..left.len()).map(|at| format!("{at:02}")).collect();
    assert_eq!(left, prefix);
}

#[test]
fn a_hole_before_the_last_sync_is_corruption_in_both_modes() {
    for mode in [RecoveryMode::PointInTime, RecoveryMode::Absolute] {
        let (vfs, log) = killed();
        blank(&vfs, &log, 512, 1024);
        let (file, offset, what) = corruption(open(&vfs, mode));
        assert_eq!(file, log);
        assert!((300..1024).contains(&offset), "{offset}");
        assert!(what.contains("durable"), "{what}");
    }
}

#[test]
fn a_changed_byte_before_a_valid_record_is_corruption_in_both_modes() {
    for mode in [RecoveryMode::PointInTime, RecoveryMode::Absolute] {
        for at in [30, 3000] {
            let (vfs, log) = killed();
            let mut bytes = vfs.read(&log).unwrap();
            bytes[at] ^= 1;
            vfs.damage(&log, bytes).unwrap();
            let (file, offset, _) = corruption(open(&vfs, mode));
            assert_eq!(file, log);
            assert!(
                offset as usize <= at && offset as usize + 200 > at,
                "{offset}"
            );
        }
    }
}

/// Two logs, neither flushed: ten writes in the first, ten in the second, of which the first
/// `synced` ask for a sync.
fn two_logs(synced: usize) -> (MemoryVfs, Vec<PathBuf>) {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, RecoveryMode::PointInTime).unwrap();
    for at in 0.. {
        put(&db, &format!("{at:03}"), false);
        if logs(&vfs).len() == 2 {
            break;
        }
    }
    for at in 0..10 {
        put(&db, &format!("later {at}"), at < synced);
    }
    let vfs = vfs.crash(1);
    let logs = logs(&vfs);
    assert_eq!(logs.len(), 2, "{}", vfs.tree());
    (vfs, logs)
}

#[test]
fn later_logs_do_not_survive_the_lost_end_of_an_older_one() {
    let (vfs, logs) = two_logs(0);
    let end = written(&vfs, &logs[0]);
    blank(&vfs, &logs[0], end / 1024 * 512, end);
    let (file, offset, what) = corruption(open(&vfs.crash(1), RecoveryMode::Absolute));
    assert_eq!(file, logs[0]);
    assert!(offset as usize <= end / 1024 * 512, "{offset}");
    assert!(what.contains("absolute"), "{what}");

    let db = open(&vfs, RecoveryMode::PointInTime).unwrap();
    let left = keys(&db);
    assert!(
        !left.is_empty() && left.iter().all(|key| !key.starts_with("later")),
        "{left:?}"
    );
    let torn = db.torn_logs();
    assert!(
        torn.len() == 1 && torn[0].path.ends_with(&logs[0]),
        "{torn:?}"
    );
    drop(db);
    assert!(!vfs.exists(&logs[1]).unwrap(), "no later opening finds it");
    let db = open(&vfs, RecoveryMode::PointInTime).unwrap();
    db.flush().unwrap();
    drop(db);
    let db = open(&vfs, RecoveryMode::Absolute).unwrap();
    assert_eq!(keys(&db), left);
}

#[test]
fn the_lost_end_of_a_log_is_corruption_if_a_later_log_was_synced() {
    for mode in [RecoveryMode::PointInTime, RecoveryMode::Absolute] {
        let (vfs, logs) = two_logs(1);
        // The first log's own mark is blanked too, as if all of its end had never been written.
        let end = written(&vfs, &logs[0]);
        blank(&vfs, &logs[0], end / 1024 * 512, end);
        let (file, offset, what) = corruption(open(&vfs, mode));
        assert_eq!(file, logs[0]);
        assert!(offset as usize <= end / 1024 * 512, "{offset}");
        if mode == RecoveryMode::PointInTime {
            assert!(what.contains("durable"), "{what}");
        }
    }
}
