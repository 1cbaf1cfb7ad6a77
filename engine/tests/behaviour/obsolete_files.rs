//! Files that nothing refers to are removed; those that something refers to stay.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use engine::vfs::{MemoryVfs, Vfs};
use engine::{Background, Db, Options};

use crate::support::{self, tiny};

fn open(vfs: &MemoryVfs, background: Background) -> Db {
    support::open(vfs, background, tiny())
}

fn names(vfs: &MemoryVfs, ending: &str) -> BTreeSet<String> {
    let names = vfs.list(Path::new("db")).unwrap().into_iter();
    names
        .map(|name| name.into_string().unwrap())
        .filter(|name| name.ends_with(ending))
        .collect()
}

#[test]
fn compactions_remove_their_inputs_when_the_last_reader_is_gone() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, Background::Manual);
    for at in 0..300 {
        db.put(format!("{:04}", at % 100), [at as u8; 64]).unwrap();
    }
    db.flush().unwrap();
    let before = names(&vfs, ".sst");
    let cursor = db.default_family().cursor().unwrap();
    db.compact().unwrap();
    let during = names(&vfs, ".sst");
    assert!(
        before.is_subset(&during),
        "a cursor holds what it reads: {before:?}, {during:?}"
    );
    drop(cursor);
    let after = names(&vfs, ".sst");
    assert!(after.is_disjoint(&before), "{after:?}");
    assert_eq!(names(&vfs, ".log").len(), 1);
    assert_eq!(db.default_family().iter().count(), 100);
}

#[test]
fn reopening_sweeps_what_a_crash_left_and_nothing_else() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, Background::Manual);
    db.put("k", "v").unwrap();
    db.flush().unwrap();
    drop(db);
    for orphan in ["db/000900.sst", "db/CURRENT.tmp", "db/MANIFEST-000901"] {
        vfs.create(Path::new(orphan))
            .unwrap()
            .append(b"left over")
            .unwrap();
    }
    vfs.create(Path::new("db/README.txt"))
        .unwrap()
        .append(b"the operator's")
        .unwrap();
    let db = open(&vfs, Background::Manual);
    let left = names(&vfs, "");
    assert!(left.contains("README.txt"), "{left:?}");
    assert!(
        !left.contains("000900.sst") && !left.contains("CURRENT.tmp"),
        "{left:?}"
    );
    assert_eq!(
        left.iter()
            .filter(|name| name.starts_with("MANIFEST"))
            .count(),
        1,
        "{left:?}"
    );
    // Numbers of orphans are not assigned again.
    db.put("k2", "v").unwrap();
    db.flush().unwrap();
    assert!(
        names(&vfs, ".sst")
            .iter()
            .any(|name| name.as_str() > "000901.sst")
    );
    assert_eq!(db.default_family().iter().count(), 2);
}

#[test]
fn a_long_life_leaves_few_files() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, Background::Threads);
    for at in 0u32..20_000 {
        db.put((at % 500).to_be_bytes(), [at as u8; 40]).unwrap();
    }
    db.compact().unwrap();
    let left = names(&vfs, "");
    assert!(
        left.len() < 40,
        "{} files for 500 rows: {left:?}",
        left.len()
    );
    assert_eq!(db.default_family().iter().count(), 500);
}

#[test]
fn short_lives_leave_few_files() {
    for writes in [false, true] {
        let vfs = MemoryVfs::new();
        let options = || Options {
            vfs: Arc::new(vfs.clone()),
            ..Options::default()
        };
        // The write buffer has its usual size: one row is so little that it stays in the log for
        // one life of the database.
        Db::open("db", options()).unwrap().put("k", "v").unwrap();
        for life in 0u32..100 {
            let db = Db::open("db", options()).unwrap();
            if writes {
                db.put(life.to_be_bytes(), "v").unwrap();
            }
            db.close().unwrap();
        }
        let logs = names(&vfs, ".log");
        assert!(logs.len() < 4, "{} logs, writes: {writes}", logs.len());
        let db = Db::open("db", options()).unwrap();
        let rows = db.default_family().iter().count();
        assert_eq!(rows, 1 + 100 * usize::from(writes));
    }
}

/// Tables get their numbers in the order in which they are made, so the same writes give the same names.
#[test]
fn a_cursor_that_outlives_its_database_removes_nothing_of_the_next() {
    let vfs = MemoryVfs::new();
    let fill = |db: &Db| {
        for at in 0..300 {
            db.put(format!("{:04}", at % 100), [at as u8; 64]).unwrap();
        }
        db.flush().unwrap();
    };
    let db = open(&vfs, Background::Manual);
    fill(&db);
    let cursor = db.default_family().cursor().unwrap();
    let read = names(&vfs, ".sst");
    db.compact().unwrap();
    drop(db);
    assert!(
        read.is_subset(&names(&vfs, ".sst")),
        "the cursor holds them"
    );
    for name in names(&vfs, "") {
        vfs.remove(&Path::new("db").join(name)).unwrap();
    }
    let db = open(&vfs, Background::Manual);
    fill(&db);
    let next = names(&vfs, ".sst");
    assert!(
        !read.is_disjoint(&next),
        "{read:?} and {next:?}: the test needs equal numbers"
    );
    drop(cursor);
    assert_eq!(names(&vfs, ".sst"), next);
    drop(db);
    assert_eq!(
        open(&vfs, Background::Manual)
            .default_family()
            .iter()
            .count(),
        100
    );
}

#[test]
fn what_a_late_cursor_leaves_is_swept_by_the_next_opening() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, Background::Manual);
    db.put("k", "v").unwrap();
    db.flush().unwrap();
    let cursor = db.default_family().cursor().unwrap();
    let old = names(&vfs, ".sst");
    db.put("k", "w").unwrap();
    db.compact().unwrap();
    drop(db);
    drop(cursor);
    let db = open(&vfs, Background::Manual);
    assert!(old.is_disjoint(&names(&vfs, ".sst")));
    assert_eq!(db.get("k").unwrap().as_deref(), Some(&b"w"[..]));
}
