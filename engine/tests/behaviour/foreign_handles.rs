//! Handles of one open database used with another: the answer is an error, never another family's rows.
//!
//! Families are numbered from 0 in each database, and sequence numbers count from 1. So what
//! belongs to another database would nearly always fit, and be wrong.

use std::sync::Arc;

use engine::vfs::MemoryVfs;
use engine::{Db, Error, FamilyId, Options, Result, WriteBatch, WriteOptions};

use crate::support::tiny;

/// The family 1 has another name in each.
fn open(vfs: &MemoryVfs, family: &str) -> Db {
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    };
    let db = Db::open("db", options.family(family, tiny())).unwrap();
    db.put("k", family).unwrap();
    db.family(family).unwrap().put("k", family).unwrap();
    db
}

fn refused<T>(outcome: Result<T>) {
    match outcome {
        Err(Error::InvalidArgument { what }) => {
            assert!(what.contains("another"), "{what}");
            assert!(what.contains("database"), "{what}");
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("a handle of another database was taken"),
    }
}

#[test]
fn a_batch_is_for_one_database() {
    let disks = [MemoryVfs::new(), MemoryVfs::new()];
    let (a, b) = (open(&disks[0], "users"), open(&disks[1], "items"));
    let (users, items) = (a.family("users").unwrap(), b.family("items").unwrap());
    assert_eq!(users.id(), items.id(), "the numbers tell nothing");
    let write = |db: &Db, batch: &WriteBatch| db.write(batch.clone(), WriteOptions::default());

    let mut batch = WriteBatch::new();
    batch.put(&items, "k", "lost");
    refused(write(&a, &batch));
    write(&b, &batch).unwrap();

    for order in [[&users, &items], [&items, &users]] {
        let mut batch = WriteBatch::new();
        for family in order {
            batch.delete(family, "k");
        }
        refused(write(&a, &batch));
        refused(write(&b, &batch));
        batch.clear();
        batch.put(&users, "cleared", "v");
        write(&a, &batch).unwrap();
    }
    // A bare number refers to the database that the batch is written to.
    let mut batch = WriteBatch::new();
    batch.put(FamilyId::from(&items), "number", "v");
    write(&a, &batch).unwrap();
    assert!(users.get("number").unwrap().is_some());
    assert_eq!(users.get("k").unwrap().as_deref(), Some(&b"users"[..]));
    assert_eq!(items.get("k").unwrap().as_deref(), Some(&b"lost"[..]));
}

#[test]
fn a_snapshot_is_of_one_database() {
    let disks = [MemoryVfs::new(), MemoryVfs::new()];
    let (a, b) = (open(&disks[0], "users"), open(&disks[1], "items"));
    let (snapshot, foreign) = (a.snapshot(), b.family("items").unwrap());
    refused(snapshot.get(&foreign, "k"));
    refused(snapshot.cursor(&foreign));
    refused(snapshot.cursor_in(&foreign, "a".."z"));
    for mut rows in [
        snapshot.iter(&foreign),
        snapshot.range(&foreign, "a".."z"),
        snapshot.prefix(&foreign, "k"),
    ] {
        refused(rows.next().expect("an error, not an empty range"));
    }
    let own = a.family("users").unwrap();
    assert!(snapshot.get(&own, "k").unwrap().is_some());
}

/// The same directory, closed and opened again: the old handles belong to a closed database.
#[test]
fn handles_from_before_a_reopening_write_nothing() {
    let vfs = MemoryVfs::new();
    let before = open(&vfs, "users");
    let (users, snapshot) = (before.family("users").unwrap(), before.snapshot());
    before.close().unwrap();
    let after = open(&vfs, "users");
    let mut batch = WriteBatch::new();
    batch.put(&users, "k", "old");
    refused(after.write(batch, WriteOptions::default()));
    assert!(users.put("k", "old").is_err(), "it is closed");
    refused(snapshot.get(&after.family("users").unwrap(), "k"));
    assert_eq!(
        after.family("users").unwrap().get("k").unwrap().as_deref(),
        Some(&b"users"[..])
    );
}
