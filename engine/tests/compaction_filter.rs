//! A compaction filter keeps, removes and changes rows; never one that a snapshot sees, and an older version
//! never comes back.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::vfs::MemoryVfs;
use engine::{Background, CompactionFilter, Db, Decision, FamilyOptions, Options};
use support::tiny;

/// Removes values "drop", marks values "mark", once it is switched on.
#[derive(Default)]
struct ByValue {
    on: AtomicBool,
}

impl CompactionFilter for ByValue {
    fn decide(&self, _key: &[u8], value: &[u8]) -> Decision {
        match value {
            b"drop" if self.on.load(Ordering::SeqCst) => Decision::Remove,
            b"mark" if self.on.load(Ordering::SeqCst) => Decision::Change(b"marked".to_vec()),
            _ => Decision::Keep,
        }
    }
}

fn open() -> (Db, Arc<ByValue>) {
    let filter = Arc::new(ByValue::default());
    let family = FamilyOptions {
        compaction_filter: Some(filter.clone()),
        ..tiny()
    };
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        background: Background::Manual,
        ..Options::default()
    };
    (
        Db::open("db", options.family("default", family)).unwrap(),
        filter,
    )
}

fn get(db: &Db, key: &str) -> Option<Vec<u8>> {
    db.get(key).unwrap().map(|value| value.to_vec())
}

#[test]
fn rows_are_kept_removed_and_changed() {
    let (db, filter) = open();
    for (key, value) in [("a", "keep"), ("b", "drop"), ("c", "mark")] {
        db.put(key, value).unwrap();
    }
    db.flush().unwrap();
    db.compact().unwrap();
    assert_eq!(db.default_family().iter().count(), 3);
    filter.on.store(true, Ordering::SeqCst);
    // Everything lies in the last level already: a compaction of all shows it to the filter again.
    db.compact().unwrap();
    assert_eq!(get(&db, "a").as_deref(), Some(&b"keep"[..]));
    assert_eq!(get(&db, "b"), None);
    assert_eq!(get(&db, "c").as_deref(), Some(&b"marked"[..]));
}

#[test]
fn what_a_snapshot_sees_is_not_shown_to_the_filter() {
    let (db, filter) = open();
    filter.on.store(true, Ordering::SeqCst);
    db.put("k", "drop").unwrap();
    let snapshot = db.snapshot();
    db.compact().unwrap();
    let family = db.default_family();
    assert_eq!(
        snapshot.get(&family, "k").unwrap().as_deref(),
        Some(&b"drop"[..])
    );
    assert_eq!(get(&db, "k").as_deref(), Some(&b"drop"[..]));
    drop(snapshot);
    db.compact().unwrap();
    assert_eq!(get(&db, "k"), None);
}

#[test]
fn removing_the_newest_version_does_not_bring_an_older_one_back() {
    let (db, filter) = open();
    db.put("k", "old").unwrap();
    db.put("z", "so that the levels overlap").unwrap();
    db.compact().unwrap();
    let snapshot = db.snapshot();
    db.put("k", "drop").unwrap();
    filter.on.store(true, Ordering::SeqCst);
    db.compact().unwrap();
    assert_eq!(
        get(&db, "k"),
        None,
        "the older version, which a snapshot keeps, stays hidden"
    );
    assert_eq!(
        snapshot.get(&db.default_family(), "k").unwrap().as_deref(),
        Some(&b"old"[..])
    );
    drop(snapshot);
    db.compact().unwrap();
    assert_eq!(get(&db, "k"), None);
}
