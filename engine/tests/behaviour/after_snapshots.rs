//! What snapshots had kept takes no space for long when they are gone, also where nothing is written any more.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use engine::vfs::{FaultVfs, MemoryVfs};
use engine::{
    Background, CompactionFilter, Db, Decision, Event, FamilyOptions, Reason, Snapshot, Strategy,
};
use parking_lot::Mutex;

use crate::support::waiting::wait_until;
use crate::support::{Recorder, ample, of_default, open, table_bytes, tiny};

const KEYS: u32 = 300;
type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

fn small(vfs: &MemoryVfs) -> Db {
    open(vfs, Background::Manual, ample())
}

fn key(at: u32) -> [u8; 4] {
    at.to_be_bytes()
}

fn put(db: &Db, keys: impl Iterator<Item = u32>, value: u8) {
    for at in keys {
        db.put(key(at), [value; 50]).unwrap();
    }
}

fn rows(db: &Db) -> Rows {
    let rows: engine::Result<_> = db.default_family().iter().collect();
    rows.unwrap()
}

fn rows_of(db: &Db, snapshot: &Snapshot) -> Rows {
    let rows: engine::Result<_> = snapshot.iter(&db.default_family()).collect();
    rows.unwrap()
}

/// Does all the work that is waiting; returns how many pieces there were.
fn work(db: &Db) -> usize {
    (0..).take_while(|_| db.step().unwrap()).count()
}

/// A store in which everything was overwritten under the snapshot.
fn overwritten(vfs: &MemoryVfs) -> (Db, Snapshot) {
    let db = small(vfs);
    put(&db, 0..KEYS, 1);
    db.compact().unwrap();
    let snapshot = db.snapshot();
    put(&db, 0..KEYS, 2);
    db.compact().unwrap();
    (db, snapshot)
}

#[test]
fn old_versions_go() {
    let vfs = MemoryVfs::new();
    let (db, snapshot) = overwritten(&vfs);
    assert_eq!(work(&db), 0, "the snapshot needs all of it");
    let (before, seen, held) = (table_bytes(&vfs), rows(&db), rows_of(&db, &snapshot));
    assert_eq!((seen.len(), held.len()), (KEYS as usize, KEYS as usize));
    assert_ne!(seen, held);
    drop(snapshot);
    assert!(work(&db) > 0);
    assert!(table_bytes(&vfs) < before * 6 / 10, "{before} bytes before");
    assert_eq!(rows(&db), seen);
    assert_eq!(work(&db), 0, "once, and no more");
    let family = db.statistics().families.swap_remove(0);
    assert!(family.compactions_after_snapshots > 0, "{family}");
}

#[test]
fn deleted_rows_and_their_tombstones_go() {
    type Delete = fn(&Db);
    let each: Delete = |db| (0..KEYS).for_each(|at| db.delete(key(at)).unwrap());
    let range: Delete = |db| {
        let family = db.default_family();
        family.delete_range(key(0)..key(KEYS)).unwrap();
    };
    for delete in [each, range] {
        let vfs = MemoryVfs::new();
        let db = small(&vfs);
        put(&db, 0..KEYS, 1);
        let snapshot = db.snapshot();
        delete(&db);
        db.compact().unwrap();
        assert_eq!(rows_of(&db, &snapshot).len(), KEYS as usize);
        assert!(table_bytes(&vfs) > 0);
        drop(snapshot);
        work(&db);
        assert_eq!(table_bytes(&vfs), 0, "neither rows nor tombstones are left");
        assert!(rows(&db).is_empty());
    }
}

#[test]
fn what_another_snapshot_needs_stays() {
    let vfs = MemoryVfs::new();
    let (db, oldest) = overwritten(&vfs);
    let newer = db.snapshot();
    put(&db, 0..KEYS, 3);
    db.compact().unwrap();
    let seen = [rows_of(&db, &oldest), rows_of(&db, &newer)];
    drop(oldest);
    assert_eq!(
        work(&db),
        0,
        "the tables hold what is newer than a snapshot"
    );
    assert_eq!(rows_of(&db, &newer), seen[1]);
    // One that is taken after all of it needs none of it.
    let latest = db.snapshot();
    let before = table_bytes(&vfs);
    drop(newer);
    assert!(work(&db) > 0);
    assert!(table_bytes(&vfs) < before / 2, "{before} bytes before");
    assert_eq!(rows_of(&db, &latest), rows(&db));
    assert_eq!(rows(&db).len(), KEYS as usize);
}

/// Of all that is rewritten one entry to the multiplier of the levels must go, here one in four.
#[test]
fn a_few_stay_where_they_are() {
    for (overwritten, is_worth_it) in [(KEYS / 5, false), (KEYS / 2, true)] {
        let vfs = MemoryVfs::new();
        let db = small(&vfs);
        put(&db, 0..KEYS, 1);
        let snapshot = db.snapshot();
        let every = KEYS / overwritten;
        put(&db, (0..KEYS).step_by(every as usize), 2);
        db.compact().unwrap();
        let seen = rows(&db);
        drop(snapshot);
        assert_eq!(work(&db) > 0, is_worth_it, "{overwritten} of {KEYS}");
        assert_eq!(rows(&db), seen);
    }
}

/// A table of level 0 is moved down as it is where it overlaps nothing.
#[test]
fn a_flush_under_a_snapshot_gives_back_once_it_is_moved_down() {
    let vfs = MemoryVfs::new();
    let db = small(&vfs);
    put(&db, 0..KEYS, 1);
    let snapshot = db.snapshot();
    put(&db, 0..KEYS, 2);
    db.flush().unwrap();
    drop(snapshot);
    assert_eq!(work(&db), 0, "level 0 is left to the shape");
    let before = table_bytes(&vfs);
    // What comes behind it overlaps nothing.
    for round in 1..4 {
        put(&db, round * KEYS..(round + 1) * KEYS, 1);
        db.flush().unwrap();
    }
    let (all, seen) = (table_bytes(&vfs), rows(&db));
    assert!(work(&db) > 0);
    let family = db.statistics().families.swap_remove(0);
    assert!(family.trivial_moves > 0, "{family}");
    assert_eq!(family.compactions, family.compactions_after_snapshots);
    assert!(all - table_bytes(&vfs) > before * 4 / 10);
    assert_eq!(rows(&db), seen);
}

/// What is below a tombstone would come back without it.
#[test]
fn tombstones_above_what_they_delete_stay() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, Background::Manual, tiny());
    // More than level 1 holds, so it goes into level 2.
    put(&db, 0..KEYS, 1);
    db.compact().unwrap();
    let levels = |db: &Db| db.statistics().families.swap_remove(0).levels;
    assert_eq!(levels(&db)[1].tables, 0);
    // Four tables with tombstones, which the shape moves into level 1 with the versions that the snapshots see.
    let mut snapshots = Vec::new();
    for _ in 0..4 {
        put(&db, 0..20, 2);
        snapshots.push(db.snapshot());
        (0..20).for_each(|at| db.delete(key(at)).unwrap());
        db.flush().unwrap();
    }
    work(&db);
    assert!(levels(&db)[1].entries > 20 && levels(&db)[2].entries > 0);
    drop(snapshots);
    assert!(work(&db) > 0);
    assert_eq!(levels(&db)[1].entries, 20, "a tombstone of each key");
    let snapshot = db.snapshot();
    for _ in 0..4 {
        (20..40).for_each(|at| db.delete(key(at)).unwrap());
        db.flush().unwrap();
    }
    work(&db);
    assert_eq!(levels(&db)[1].entries, 40);
    drop(snapshot);
    assert_eq!(work(&db), 0, "they are needed");
    assert_eq!(rows(&db).len() as u32, KEYS - 40);
}

#[test]
fn few_tables_are_left_and_no_plan_is_large() {
    let vfs = MemoryVfs::new();
    let recorder = Arc::new(Recorder::default());
    let family = FamilyOptions {
        level_base_bytes: 8 << 10,
        ..ample()
    };
    let options = of_default(Arc::new(vfs.clone()), Background::Manual, family);
    let db = Db::open("db", options.listener(recorder.clone())).unwrap();
    put(&db, 0..KEYS, 1);
    let snapshot = db.snapshot();
    (0..KEYS)
        .filter(|at| at % 20 != 0)
        .for_each(|at| db.delete(key(at)).unwrap());
    db.compact().unwrap();
    let count = || {
        db.statistics().families[0]
            .levels
            .iter()
            .map(|of| of.tables)
            .sum::<u64>()
    };
    let before = count();
    drop(snapshot);
    recorder.take();
    assert!(work(&db) > 1);
    for event in recorder.all() {
        let Event::CompactionBegun { reason, inputs, .. } = event else {
            continue;
        };
        assert_eq!(reason, Reason::Snapshots);
        let bytes: u64 = inputs.iter().map(|table| table.bytes).sum();
        assert!(inputs.len() > 1 && bytes <= 8 << 10, "{inputs:?}");
    }
    assert!(
        count() * 2 < before,
        "{before} tables before, {} after",
        count()
    );
    assert_eq!(rows(&db).len() as u32, KEYS / 20);
}

#[test]
fn tiered_families_give_back_too() {
    let vfs = MemoryVfs::new();
    let family = FamilyOptions {
        strategy: Strategy::Tiered,
        ..ample()
    };
    let db = open(&vfs, Background::Manual, family);
    put(&db, 0..KEYS, 1);
    let snapshot = db.snapshot();
    put(&db, 0..KEYS, 2);
    db.compact().unwrap();
    let (before, seen) = (table_bytes(&vfs), rows(&db));
    drop(snapshot);
    work(&db);
    assert!(table_bytes(&vfs) < before * 6 / 10);
    assert_eq!(rows(&db), seen);
}

#[test]
fn threads_do_it_by_themselves() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, Background::Threads, ample());
    put(&db, 0..KEYS, 1);
    let snapshot = db.snapshot();
    put(&db, 0..KEYS, 2);
    db.compact().unwrap();
    let (before, seen) = (table_bytes(&vfs), rows(&db));
    // The thread has mostly looked by then, and found that the snapshot needs all of it.
    thread::sleep(Duration::from_millis(20));
    drop(snapshot);
    wait_until("the space comes back", || {
        table_bytes(&vfs) < before * 6 / 10
    });
    assert_eq!(rows(&db), seen);
}

/// Drops a snapshot when a compaction asks for the first time.
#[derive(Default)]
struct Dropper(Mutex<Option<Snapshot>>);

impl CompactionFilter for Dropper {
    fn decide(&self, _key: &[u8], _value: &[u8]) -> Decision {
        self.0.lock().take();
        Decision::Keep
    }
}

#[test]
fn a_snapshot_that_goes_during_the_compaction_is_noticed() {
    let vfs = MemoryVfs::new();
    let dropper = Arc::new(Dropper::default());
    let family = FamilyOptions {
        compaction_filter: Some(dropper.clone()),
        ..ample()
    };
    let db = open(&vfs, Background::Threads, family);
    put(&db, 0..KEYS, 1);
    db.compact().unwrap();
    let of_one_version = table_bytes(&vfs);
    *dropper.0.lock() = Some(db.snapshot());
    put(&db, 0..KEYS, 2);
    db.compact().unwrap();
    assert!(dropper.0.lock().is_none());
    wait_until("the space comes back", || {
        table_bytes(&vfs) <= of_one_version
    });
    assert_eq!(rows(&db).len(), KEYS as usize);
}

#[test]
fn a_failure_changes_nothing_and_is_not_tried_again() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let options = of_default(Arc::new(vfs.clone()), Background::Manual, ample());
    let db = Db::open("db", options).unwrap();
    put(&db, 0..KEYS, 1);
    let snapshot = db.snapshot();
    put(&db, 0..KEYS, 2);
    db.compact().unwrap();
    let (before, seen) = (table_bytes(&memory), rows(&db));
    drop(snapshot);
    vfs.limit_bytes(".sst", 100);
    let failed = (0..1000).find(|_| matches!(db.step(), Ok(false)));
    assert!(failed.is_some_and(|tries| tries > 0), "{failed:?}");
    assert_eq!((table_bytes(&memory), rows(&db)), (before, seen.clone()));
    vfs.heal();
    assert!(!db.step().unwrap());
    db.compact().unwrap();
    assert!(table_bytes(&memory) < before * 6 / 10);
    assert_eq!(rows(&db), seen);
}
