//! A snapshot shows one moment, whatever is written, flushed and compacted afterwards, and gives
//! back what it held.

use engine::vfs::MemoryVfs;
use engine::{Db, WriteBatch, WriteOptions};

use crate::support::{manual, table_bytes, tiny};

fn open(vfs: &MemoryVfs) -> Db {
    let options = manual(vfs);
    Db::open(
        "db",
        options.family("default", tiny()).family("other", tiny()),
    )
    .unwrap()
}

#[test]
fn a_snapshot_does_not_see_later_writes() {
    let db = open(&MemoryVfs::new());
    db.put("k", "1").unwrap();
    db.put("deleted later", "x").unwrap();
    let first = db.snapshot();
    db.put("k", "2").unwrap();
    db.delete("deleted later").unwrap();
    db.put("new", "y").unwrap();
    let second = db.snapshot();
    db.delete("k").unwrap();

    let family = db.default_family();
    let check = || {
        let rows = |snapshot: &engine::Snapshot| -> Vec<(String, String)> {
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            snapshot
                .iter(&family)
                .map(|row| row.unwrap())
                .map(|(k, v)| (text(k), text(v)))
                .collect()
        };
        let pair = |k: &str, v: &str| (k.to_owned(), v.to_owned());
        assert_eq!(rows(&first), [pair("deleted later", "x"), pair("k", "1")]);
        assert_eq!(rows(&second), [pair("k", "2"), pair("new", "y")]);
        assert_eq!(first.get(&family, "k").unwrap().as_deref(), Some(&b"1"[..]));
        assert_eq!(
            second.get(&family, "k").unwrap().as_deref(),
            Some(&b"2"[..])
        );
        assert_eq!(db.get("k").unwrap().as_deref(), None);
    };
    check();
    db.flush().unwrap();
    check();
    db.compact().unwrap();
    check();
}

#[test]
fn a_snapshot_sees_a_batch_in_both_families_or_in_none() {
    let db = open(&MemoryVfs::new());
    let (default, other) = (db.default_family(), db.family("other").unwrap());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 0u32..20_000 {
                let mut batch = WriteBatch::new();
                batch.put(&default, "n", number.to_be_bytes());
                batch.put(&other, "n", number.to_be_bytes());
                db.write(batch, WriteOptions::default()).unwrap();
            }
        });
        while !writer.is_finished() {
            let snapshot = db.snapshot();
            let seen = [&default, &other].map(|family| snapshot.get(family, "n").unwrap());
            assert_eq!(seen[0].as_deref(), seen[1].as_deref());
        }
    });
}

#[test]
fn space_comes_back_when_a_snapshot_goes() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs);
    for at in 0..200 {
        db.put(format!("{at:04}"), [1; 100]).unwrap();
    }
    let snapshot = db.snapshot();
    for at in 0..200 {
        db.delete(format!("{at:04}")).unwrap();
    }
    db.compact().unwrap();
    assert!(
        table_bytes(&vfs) > 200 * 100,
        "the snapshot's rows are there"
    );
    assert_eq!(snapshot.iter(&db.default_family()).count(), 200);
    drop(snapshot);
    db.compact().unwrap();
    assert_eq!(table_bytes(&vfs), 0, "neither rows nor tombstones are left");
}

#[test]
fn a_cursor_keeps_its_moment_and_its_files() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs);
    for at in 0..100 {
        db.put(format!("{at:04}"), "old").unwrap();
    }
    db.flush().unwrap();
    let mut cursor = db.default_family().cursor().unwrap();
    cursor.seek_to_first().unwrap();
    for at in 0..100 {
        db.put(format!("{at:04}"), "new").unwrap();
    }
    db.compact().unwrap();
    drop(db);
    let mut seen = 0;
    while cursor.valid() {
        assert_eq!(cursor.value(), b"old");
        cursor.next().unwrap();
        seen += 1;
    }
    assert_eq!(seen, 100);
}

#[test]
fn a_value_outlives_what_it_was_read_from() {
    let db = open(&MemoryVfs::new());
    db.put("k", "in memory").unwrap();
    let in_memory = db.get("k").unwrap().unwrap();
    db.compact().unwrap();
    let in_table = db.get("k").unwrap().unwrap();
    db.put("k", "other").unwrap();
    db.compact().unwrap();
    drop(db);
    assert_eq!(
        (&*in_memory, &*in_table),
        (&b"in memory"[..], &b"in memory"[..])
    );
}

#[test]
fn a_snapshot_does_not_read_another_database() {
    let (db, other) = (open(&MemoryVfs::new()), open(&MemoryVfs::new()));
    let foreign = other.default_family();
    let snapshot = db.snapshot();
    let error = snapshot.get(&foreign, "k").unwrap_err().to_string();
    assert!(error.contains("another database"), "{error}");
    assert!(snapshot.cursor(&foreign).is_err());
    assert!(snapshot.cursor_in(&foreign, "a".."b").is_err());
    assert!(snapshot.iter(&foreign).next().unwrap().is_err());
    assert!(snapshot.prefix(&foreign, "a").next_back().unwrap().is_err());
    assert!(snapshot.range(&foreign, "a".."b").next().unwrap().is_err());
}
