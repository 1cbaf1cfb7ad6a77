//! A directory that is removed, replaced or moved away while its database is open: writers are told, and what is there
//! now is left alone.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use engine::{
    Background, CompactionFilter, Db, Decision, Error, FamilyOptions, Options, Result, WriteBatch,
    WriteOptions,
};
use parking_lot::Mutex;

use crate::support::tiny;

const BACKGROUNDS: [Background; 2] = [Background::Manual, Background::Threads];
/// Enough for many logs and tables.
const WRITES: u32 = 1_000;

fn open(dir: &Path, background: Background) -> Db {
    let options = Options {
        background,
        ..Options::default()
    };
    Db::open(dir, options.family("default", tiny())).unwrap()
}

fn write_many(db: &Db, value: u8) -> Result<()> {
    (0..WRITES).try_for_each(|n| db.put(n.to_be_bytes(), [value; 64]))
}

fn write_synced(db: &Db) -> Result<()> {
    let mut batch = WriteBatch::new();
    batch.put(&db.default_family(), "synced", "value");
    db.write(batch, WriteOptions { sync: true })
}

fn is_lost<T>(outcome: &Result<T>) -> bool {
    match outcome {
        Err(Error::LockLost { path }) => path.ends_with("LOCK"),
        // Later calls name the first failure.
        Err(Error::Poisoned { first }) => first.contains("LOCK was removed or replaced"),
        _ => false,
    }
}

/// Everything fails that must reach the disk.
#[track_caller]
fn assert_refuses_writes(db: &Db) {
    let all = [
        write_many(db, 2),
        db.sync(),
        write_synced(db),
        db.flush(),
        db.compact(),
    ];
    for (n, outcome) in all.iter().enumerate() {
        assert!(is_lost(outcome), "{n}: {outcome:?}");
    }
}

fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap();
    let contents = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    };
    entries.map(|entry| contents(entry.unwrap())).collect()
}

#[test]
fn nothing_is_written_into_a_directory_that_was_made_again() {
    for background in BACKGROUNDS {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("db");
        let db = open(&dir, background);
        write_many(&db, 1).unwrap();
        // Nothing goes on in the background.
        db.compact().unwrap();
        fs::remove_dir_all(&dir).unwrap();
        fs::create_dir(&dir).unwrap();
        assert_refuses_writes(&db);
        assert!(is_lost(&db.close()));
        assert_eq!(contents(&dir), BTreeMap::new());
        // It is as good as new.
        let db = open(&dir, background);
        assert_eq!(db.default_family().iter().count(), 0);
        write_many(&db, 3).unwrap();
    }
}

/// The files of both have the same names, and the first would replace or remove those of the second.
#[test]
fn another_database_in_its_place_keeps_its_files() {
    for background in BACKGROUNDS {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("db");
        let db = open(&dir, background);
        // Tables that overlap, or a compaction would only move them.
        write_many(&db, 1).unwrap();
        write_many(&db, 1).unwrap();
        db.flush().unwrap();
        // These tables go when the cursor does.
        let cursor = db.default_family().cursor().unwrap();
        db.compact().unwrap();
        let names = contents(&dir).into_keys();
        fs::remove_dir_all(&dir).unwrap();
        let other = open(&dir, background);
        write_many(&other, 7).unwrap();
        other.close().unwrap();
        let tables = names.filter(|name| name.ends_with(".sst"));
        let missing = tables.map(|name| dir.join(name));
        for path in missing.filter(|path| !path.exists()) {
            fs::write(path, "another file").unwrap();
        }
        let before = contents(&dir);
        drop(cursor);
        assert_refuses_writes(&db);
        drop(db);
        assert_eq!(contents(&dir), before);
        let other = open(&dir, background);
        for row in other.default_family().iter() {
            assert_eq!(*row.unwrap().1, [7; 64]);
        }
    }
}

/// Replaces every file of the directory by another one of its name, in the middle of a compaction.
struct Replacer {
    dir: PathBuf,
    calls: AtomicU32,
    others: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl CompactionFilter for Replacer {
    fn decide(&self, _key: &[u8], _value: &[u8]) -> Decision {
        if self.calls.fetch_add(1, Ordering::Relaxed) == WRITES / 2 {
            let names = contents(&self.dir).into_keys();
            fs::remove_dir_all(&self.dir).unwrap();
            fs::create_dir(&self.dir).unwrap();
            for name in names {
                fs::write(self.dir.join(name), "another file").unwrap();
            }
            *self.others.lock() = contents(&self.dir);
        }
        Decision::Keep
    }
}

#[test]
fn a_compaction_neither_goes_on_nor_cleans_up_in_another_directory() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("db");
    let replacer = Arc::new(Replacer {
        dir: dir.clone(),
        calls: AtomicU32::new(0),
        others: Mutex::default(),
    });
    let options = Options {
        background: Background::Manual,
        ..Options::default()
    };
    let family = FamilyOptions {
        compaction_filter: Some(Arc::clone(&replacer) as Arc<dyn CompactionFilter>),
        // One compaction of all rows, into many tables.
        write_buffer_bytes: 1 << 20,
        ..tiny()
    };
    let db = Db::open(&dir, options.family("default", family)).unwrap();
    write_many(&db, 1).unwrap();
    assert!(is_lost(&db.compact()));
    drop(db);
    let others = replacer.others.lock();
    assert!(others.keys().filter(|name| name.ends_with(".sst")).count() > 2);
    assert_eq!(contents(&dir), *others);
}

#[test]
fn a_directory_that_was_moved_away_is_complete_when_it_is_back() {
    for background in BACKGROUNDS {
        let parent = tempfile::tempdir().unwrap();
        let (dir, elsewhere) = (parent.path().join("db"), parent.path().join("moved"));
        let db = open(&dir, background);
        write_many(&db, 1).unwrap();
        // Nothing goes on in the background.
        db.compact().unwrap();
        fs::rename(&dir, &elsewhere).unwrap();
        assert_refuses_writes(&db);
        assert!(is_lost(&db.close()));
        drop(db);
        fs::rename(&elsewhere, &dir).unwrap();
        let db = open(&dir, background);
        assert_eq!(db.default_family().iter().count(), WRITES as usize);
        write_synced(&db).unwrap();
    }
}

/// Without it a second process could open the directory too.
#[test]
fn without_its_lock_file_a_database_is_not_written() {
    type Change = fn(&Db) -> Result<()>;
    let changes: [Change; 4] = [Db::sync, write_synced, Db::flush, Db::compact];
    for change in changes {
        let dir = tempfile::tempdir().unwrap();
        let db = open(dir.path(), Background::Manual);
        db.put("a", "1").unwrap();
        fs::remove_file(dir.path().join("LOCK")).unwrap();
        assert!(is_lost(&change(&db)));
        assert!(is_lost(&db.put("a", "2")));
        assert_eq!(db.get("a").unwrap().as_deref(), Some(&b"1"[..]));
    }
}
