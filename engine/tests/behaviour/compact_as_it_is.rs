//! A compaction on request leaves tables as they are if they are already what it would write: one
//! sorted run of live rows.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use engine::vfs::{MemoryVfs, Vfs};
use engine::{Db, FamilyOptions, FamilyStatistics, Snapshot, Strategy};

use crate::support::waiting::Gate;
use crate::support::{manual, tiny};

const ROWS: u32 = 100;

fn open(vfs: &MemoryVfs, family: FamilyOptions) -> Db {
    let options = manual(vfs);
    Db::open("db", options.family("default", family)).unwrap()
}

fn roomy() -> FamilyOptions {
    FamilyOptions {
        write_buffer_bytes: 1 << 20,
        level_base_bytes: 1 << 20,
        ..tiny()
    }
}

fn put(db: &Db, from: u32, to: u32) {
    for at in from..to {
        db.put(at.to_be_bytes(), [7; 40]).unwrap();
    }
}

fn statistics(db: &Db) -> FamilyStatistics {
    db.statistics().families.swap_remove(0)
}

/// How many tables were moved down unchanged, and how many compactions wrote.
fn moved_and_written(db: &Db) -> (u64, u64) {
    let of_family = statistics(db);
    (of_family.trivial_moves, of_family.compactions)
}

fn tables(vfs: &MemoryVfs) -> BTreeSet<OsString> {
    let names = vfs.list(Path::new("db")).unwrap();
    let tables = names.into_iter();
    tables
        .filter(|name| name.to_str().unwrap().ends_with(".sst"))
        .collect()
}

fn rows(db: &Db) -> usize {
    db.default_family().iter().map(Result::unwrap).count()
}

#[test]
fn one_flushed_table_goes_down_and_stays_there() {
    for strategy in [Strategy::Leveled, Strategy::Tiered] {
        let vfs = MemoryVfs::new();
        let family = FamilyOptions {
            strategy,
            ..roomy()
        };
        let db = open(&vfs, family.clone());
        put(&db, 0, ROWS);
        db.flush().unwrap();
        let before = tables(&vfs);
        db.compact().unwrap();
        assert_eq!(moved_and_written(&db), (1, 0), "{strategy:?}");
        let levels = statistics(&db).levels;
        assert_eq!((levels[0].tables, levels[0].entries), (0, 0));
        assert_eq!(rows(&db), ROWS as usize);
        // Now there is nothing to do at all, even after reopening.
        let written = vfs.list(Path::new("db")).unwrap();
        db.compact().unwrap();
        db.compact_range::<&[u8]>(&db.default_family(), ..).unwrap();
        assert_eq!(moved_and_written(&db), (1, 0));
        assert_eq!(vfs.list(Path::new("db")).unwrap(), written);
        drop(db);
        let db = open(&vfs, family);
        db.compact().unwrap();
        assert_eq!(moved_and_written(&db), (0, 0));
        assert_eq!(tables(&vfs), before, "{strategy:?}");
        assert_eq!(rows(&db), ROWS as usize);
    }
}

#[test]
fn tables_side_by_side_go_down_together() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, roomy());
    put(&db, 0, ROWS);
    db.compact().unwrap();
    put(&db, ROWS, 2 * ROWS);
    db.flush().unwrap();
    put(&db, 2 * ROWS, 3 * ROWS);
    let before = tables(&vfs);
    db.compact().unwrap();
    assert_eq!(moved_and_written(&db), (3, 0));
    assert!(tables(&vfs).is_superset(&before));
    assert_eq!(rows(&db), 3 * ROWS as usize);
    assert_eq!(statistics(&db).levels[1].tables, 3);
    // A table that overlaps them does not go down unchanged.
    put(&db, ROWS / 2, 2 * ROWS);
    db.compact().unwrap();
    assert_eq!(moved_and_written(&db), (3, 1));
    assert!(tables(&vfs).is_disjoint(&before));
    assert_eq!(rows(&db), 3 * ROWS as usize);
}

#[test]
fn whatever_may_go_has_it_written_anew() {
    type Prepare = fn(&Db) -> Option<Snapshot>;
    let reasons: [(&str, Prepare, u32); 3] = [
        (
            "an older version that a snapshot saw",
            |db| {
                let snapshot = db.snapshot();
                db.put(0_u32.to_be_bytes(), "newer").unwrap();
                Some(snapshot)
            },
            ROWS,
        ),
        (
            "a tombstone that a snapshot kept",
            |db| {
                let snapshot = db.snapshot();
                db.delete(0_u32.to_be_bytes()).unwrap();
                Some(snapshot)
            },
            ROWS - 1,
        ),
        (
            "a range tombstone that a snapshot kept",
            |db| {
                let snapshot = db.snapshot();
                db.delete_range(&0_u32.to_be_bytes()[..]..&5_u32.to_be_bytes()[..])
                    .unwrap();
                Some(snapshot)
            },
            ROWS - 5,
        ),
    ];
    for (reason, prepare, left) in reasons {
        let vfs = MemoryVfs::new();
        let db = open(&vfs, roomy());
        put(&db, 0, ROWS);
        let snapshot = prepare(&db);
        db.compact().unwrap();
        assert_eq!(moved_and_written(&db), (0, 1), "{reason}");
        drop(snapshot);
        drop(db);
        // What the table says about itself is still known.
        let db = open(&vfs, roomy());
        db.compact().unwrap();
        assert_eq!(moved_and_written(&db), (0, 1), "{reason}");
        assert_eq!(rows(&db), left as usize, "{reason}");
        assert_eq!(statistics(&db).levels[1].entries, u64::from(left));
        db.compact().unwrap();
        assert_eq!(moved_and_written(&db), (0, 1), "{reason}: nothing is left");
    }
}

#[test]
fn a_filter_is_shown_every_row_each_time() {
    let gate = Arc::new(Gate::default());
    gate.open();
    let family = FamilyOptions {
        compaction_filter: Some(gate.clone()),
        ..roomy()
    };
    let db = open(&MemoryVfs::new(), family);
    put(&db, 0, ROWS);
    db.compact().unwrap();
    assert!(gate.is_reached());
    db.compact().unwrap();
    assert_eq!(moved_and_written(&db), (0, 2));
}
