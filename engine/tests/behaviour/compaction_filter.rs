//! A compaction filter keeps, removes and changes rows, but never one that a snapshot sees, and no
//! older version ever comes back.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use engine::internal_key::MAX_VALUE_BYTES;
use engine::vfs::{MemoryVfs, Vfs};
use engine::{Background, CompactionFilter, Db, Decision, FamilyOptions, Options, Snapshot};

use crate::support::{manual, tiny};

/// Removes values "drop" and marks values "mark", once it is switched on.
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
    // Everything is in the last level already: a full compaction shows it to the filter again.
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

/// Decides as [`ByValue`] does, and takes a snapshot when it comes to the key "z".
#[derive(Default)]
struct SnapshotOnTheWay {
    by_value: ByValue,
    db: OnceLock<Db>,
    taken: Mutex<Option<Snapshot>>,
}

impl CompactionFilter for SnapshotOnTheWay {
    fn decide(&self, key: &[u8], value: &[u8]) -> Decision {
        if key == b"z" && self.by_value.on.load(Ordering::SeqCst) {
            *self.taken.lock().unwrap() = self.db.get().map(Db::snapshot);
        }
        self.by_value.decide(key, value)
    }
}

/// What a snapshot shows, through every call that reads.
fn shown(snapshot: &Snapshot, db: &Db) -> Vec<Vec<String>> {
    let family = db.default_family();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let keys = ["a", "b", "c", "z"];
    let gets = keys.map(|key| snapshot.get(&family, key).unwrap());
    let many = snapshot.get_many(&family, &keys).unwrap();
    let of_values = |values: &[Option<engine::Value>]| -> Vec<String> {
        let there = keys.iter().zip(values);
        let there = there.filter_map(|(key, value)| Some((key, value.as_deref()?)));
        there
            .map(|(key, value)| format!("{key}={}", text(value)))
            .collect()
    };
    let of_rows = |rows: engine::Range| -> Vec<String> {
        let rows = rows.map(Result::unwrap);
        rows.map(|(key, value)| format!("{}={}", text(&key), text(&value)))
            .collect()
    };
    let of_cursor = |mut cursor: engine::Cursor| {
        let mut rows = Vec::new();
        cursor.seek_to_first().unwrap();
        while cursor.valid() {
            rows.push(format!("{}={}", text(cursor.key()), text(cursor.value())));
            cursor.next().unwrap();
        }
        rows
    };
    vec![
        of_values(&gets),
        of_values(&many),
        of_rows(snapshot.iter(&family)),
        of_rows(snapshot.range(&family, "a".."zz")),
        of_rows(snapshot.prefix(&family, "")),
        of_cursor(snapshot.cursor(&family).unwrap()),
        of_cursor(snapshot.cursor_in(&family, "a".."zz").unwrap()),
    ]
}

/// It is too late to keep the filter from what it has seen, so the snapshot keeps the old tables.
#[test]
fn a_snapshot_taken_while_the_filter_is_at_work_shows_what_was_there() {
    let filter = Arc::new(SnapshotOnTheWay::default());
    let family = FamilyOptions {
        compaction_filter: Some(filter.clone()),
        ..tiny()
    };
    let vfs = MemoryVfs::new();
    let options = manual(&vfs).family("default", family);
    let db = Db::open("db", options.clone()).unwrap();
    for (key, value) in [("a", "keep"), ("b", "drop"), ("c", "mark"), ("z", "keep")] {
        db.put(key, value).unwrap();
    }
    db.flush().unwrap();
    let tables = || {
        let files = vfs.list(Path::new("db")).unwrap();
        files
            .iter()
            .filter(|file| file.to_str().unwrap().ends_with(".sst"))
            .count()
    };
    filter.db.set(db).unwrap();
    filter.by_value.on.store(true, Ordering::SeqCst);
    let db = filter.db.get().unwrap();
    db.compact().unwrap();
    filter.by_value.on.store(false, Ordering::SeqCst);

    assert_eq!(get(db, "b"), None);
    assert_eq!(get(db, "c").as_deref(), Some(&b"marked"[..]));
    let snapshot = filter.taken.lock().unwrap().take().unwrap();
    let was = ["a=keep", "b=drop", "c=mark", "z=keep"];
    for rows in shown(&snapshot, db) {
        assert_eq!(rows, was);
    }
    // Neither later writes nor later compactions change it.
    db.put("b", "new").unwrap();
    db.delete("a").unwrap();
    db.compact().unwrap();
    for rows in shown(&snapshot, db) {
        assert_eq!(rows, was);
    }
    assert_eq!(tables(), 2, "the snapshot keeps the old table");
    drop(snapshot);
    assert_eq!(tables(), 1, "and lets it go");
    // A snapshot of later keeps nothing but its number.
    let later = db.snapshot();
    assert!(
        shown(&later, db)
            .iter()
            .all(|rows| rows == &["b=new", "c=marked", "z=keep"])
    );
}

/// Gives each row a value one byte longer than the engine accepts, once it is switched on.
#[derive(Default)]
struct TooLong {
    on: AtomicBool,
}

impl CompactionFilter for TooLong {
    fn decide(&self, _key: &[u8], _value: &[u8]) -> Decision {
        if self.on.load(Ordering::SeqCst) {
            // Zeros that nobody touches take no memory.
            Decision::Change(vec![0; MAX_VALUE_BYTES + 1])
        } else {
            Decision::Keep
        }
    }
}

#[test]
fn a_changed_value_that_is_too_long_is_an_error_and_the_old_rows_serve() {
    let filter = Arc::new(TooLong::default());
    let family = FamilyOptions {
        compaction_filter: Some(filter.clone()),
        ..tiny()
    };
    let vfs = MemoryVfs::new();
    let options = manual(&vfs);
    let db = Db::open("db", options.family("default", family)).unwrap();
    for key in ["a", "b"] {
        db.put(key, "short").unwrap();
    }
    db.flush().unwrap();
    let files = vfs.list(Path::new("db")).unwrap();
    filter.on.store(true, Ordering::SeqCst);
    let error = db.compact().unwrap_err();
    assert!(
        error.to_string().contains("a value has 1073741825 bytes"),
        "{error}"
    );
    assert_eq!(get(&db, "a").as_deref(), Some(&b"short"[..]));
    assert_eq!(
        vfs.list(Path::new("db")).unwrap(),
        files,
        "nothing is left behind"
    );
    filter.on.store(false, Ordering::SeqCst);
    db.compact().unwrap();
    db.put("writes", "go on").unwrap();
    assert_eq!(db.default_family().iter().count(), 3);
}

/// Each compaction shows a row again, and shows a changed value as it is now.
#[test]
fn a_changed_value_is_what_the_next_compaction_shows() {
    struct Grow;
    impl CompactionFilter for Grow {
        fn decide(&self, _key: &[u8], value: &[u8]) -> Decision {
            Decision::Change([value, b"+"].concat())
        }
    }
    let family = FamilyOptions {
        compaction_filter: Some(Arc::new(Grow)),
        ..tiny()
    };
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        background: Background::Manual,
        ..Options::default()
    };
    let db = Db::open("db", options.family("default", family)).unwrap();
    db.put("k", "").unwrap();
    for _ in 0..3 {
        db.compact().unwrap();
    }
    assert_eq!(get(&db, "k").as_deref(), Some(&b"+++"[..]));
}
