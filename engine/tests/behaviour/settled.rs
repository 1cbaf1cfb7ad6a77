//! Sequence numbers that nobody needs any more become 0 in a compaction, and no reader ever notices.

use std::path::PathBuf;

use engine::sstable::{Properties, read_properties};
use engine::vfs::{MemoryVfs, Vfs};
use engine::{Db, Options, repair, verify};

use crate::support::{files, manual, scan, tiny};

fn options(vfs: &MemoryVfs) -> Options {
    let options = manual(vfs);
    options.family("default", tiny())
}

fn open(vfs: &MemoryVfs) -> Db {
    Db::open("db", options(vfs)).unwrap()
}

fn properties(vfs: &MemoryVfs) -> Vec<Properties> {
    let of = |path: PathBuf| read_properties(&*vfs.open_random(&path).unwrap()).unwrap();
    files(vfs, ".sst").into_iter().map(of).collect()
}

fn rows(rows: &[(&str, &str)]) -> Vec<(Vec<u8>, Vec<u8>)> {
    rows.iter()
        .map(|(key, value)| (key.as_bytes().to_vec(), value.as_bytes().to_vec()))
        .collect()
}

#[test]
fn snapshots_before_and_after_a_compaction_see_their_moment() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs);
    let family = db.default_family();
    let empty = db.snapshot();
    db.put("changed", "1").unwrap();
    db.put("deleted", "1").unwrap();
    let first = db.snapshot();
    db.put("changed", "2").unwrap();
    db.delete("deleted").unwrap();
    db.put("new", "2").unwrap();
    let seen = |snapshot: &engine::Snapshot| -> Vec<_> {
        snapshot.iter(&family).map(|row| row.unwrap()).collect()
    };
    let now = rows(&[("changed", "2"), ("new", "2")]);
    let check = |first: &engine::Snapshot| {
        assert_eq!(seen(first), rows(&[("changed", "1"), ("deleted", "1")]));
        let got = |key: &str| first.get(&family, key).unwrap().map(|value| value.to_vec());
        assert_eq!(got("changed"), Some(b"1".to_vec()));
        assert_eq!(got("new"), None);
        assert_eq!(scan(&db, "default"), now);
    };
    db.compact().unwrap();
    check(&first);
    assert_eq!(seen(&empty), []);
    assert_eq!(empty.get(&family, "changed").unwrap().as_deref(), None);
    drop(empty);
    db.put("later", "3").unwrap();
    db.delete("later").unwrap();
    // Now the versions that the first snapshot sees are settled, and those above them are not.
    db.compact().unwrap();
    check(&first);
    let second = db.snapshot();
    drop(first);
    db.put("changed", "4").unwrap();
    db.compact().unwrap();
    assert_eq!(seen(&second), now);
    drop(second);
    db.put("changed", "5").unwrap();
    db.compact().unwrap();
    assert_eq!(
        scan(&db, "default"),
        rows(&[("changed", "5"), ("new", "2")])
    );
    assert!(properties(&vfs).iter().all(|of| of.sequence_min == 0));
}

#[test]
fn a_compaction_settles_and_remembers_the_greatest_number() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs);
    for number in 0..500 {
        db.put(format!("key:{number:04}"), "value").unwrap();
    }
    db.flush().unwrap();
    let flushed = properties(&vfs);
    assert!(
        flushed.iter().any(|of| of.sequence_min > 0),
        "a flush leaves numbers as they are"
    );
    // The second time, nearly everything that goes in is settled already.
    for round in 1..=2 {
        db.put("key:0000", "newer").unwrap();
        db.compact().unwrap();
        let settled = properties(&vfs);
        assert!(settled.iter().all(|of| of.sequence_min == 0), "{settled:?}");
        let greatest = settled.iter().map(|of| of.sequence_max).max();
        assert_eq!(greatest, Some(500 + round));
    }
    db.close().unwrap();
    let report = verify("db", &options(&vfs)).unwrap();
    assert!(report.is_clean(), "{report:?}");
}

#[test]
fn what_is_written_after_a_repair_is_newer_than_what_was_settled() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs);
    db.put("old", "1").unwrap();
    db.put("changed", "1").unwrap();
    db.put("changed", "2").unwrap();
    db.compact().unwrap();
    db.put("changed", "3").unwrap();
    db.flush().unwrap();
    db.close().unwrap();
    for path in files(&vfs, "MANIFEST")
        .iter()
        .chain(&files(&vfs, "CURRENT"))
    {
        vfs.remove(path).unwrap();
    }
    repair("db", &options(&vfs)).unwrap();
    let db = open(&vfs);
    assert_eq!(
        scan(&db, "default"),
        rows(&[("changed", "3"), ("old", "1")])
    );
    db.put("old", "4").unwrap();
    db.compact().unwrap();
    assert_eq!(
        scan(&db, "default"),
        rows(&[("changed", "3"), ("old", "4")])
    );
}
