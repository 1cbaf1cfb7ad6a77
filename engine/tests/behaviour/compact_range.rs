//! `compact_range` rewrites what lies in a range and leaves the rest. Closing the database or
//! dropping the family ends it soon, and then nothing has changed.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::vfs::{MemoryVfs, Vfs};
use engine::{
    Background, CompactionFilter, Comparator, Db, Decision, Error, FamilyOptions, Options, Strategy,
};
use parking_lot::Mutex;

use crate::support::waiting::{Gate, wait_until};
use crate::support::{Dice, Rows, open, seed_or, sorted, tiny};

/// Keeps every row, and records which rows it was shown.
#[derive(Default)]
struct Seen(Mutex<BTreeSet<Vec<u8>>>);

impl CompactionFilter for Seen {
    fn decide(&self, key: &[u8], _value: &[u8]) -> Decision {
        self.0.lock().insert(key.to_vec());
        Decision::Keep
    }
}

fn key(at: u64) -> Vec<u8> {
    format!("key:{at:04}").into_bytes()
}

#[test]
fn rows_of_the_range_are_rewritten_and_far_ones_are_not() {
    let seen = Arc::new(Seen::default());
    let family = FamilyOptions {
        compaction_filter: Some(seen.clone()),
        ..tiny()
    };
    let db = open(&MemoryVfs::new(), Background::Manual, family);
    for at in 0..1_000 {
        db.put(key(at), [1; 40]).unwrap();
    }
    db.compact().unwrap();
    for at in (0..1_000).step_by(3) {
        db.delete(key(at)).unwrap();
    }
    seen.0.lock().clear();
    let default = db.default_family();
    db.compact_range(&default, key(0)..key(300)).unwrap();
    let shown = seen.0.lock().clone();
    for at in (0..300).filter(|at| at % 3 > 0) {
        assert!(shown.contains(&key(at)), "row {at} lies in the range");
    }
    // The deletions are in few tables that span all keys, so everything that they overlap is rewritten.
    assert_eq!(default.iter().count(), 666);

    seen.0.lock().clear();
    db.compact_range(&default, key(300)..=key(310)).unwrap();
    let shown = seen.0.lock().clone();
    assert!(
        shown.contains(&key(301)) && shown.contains(&key(310)),
        "{shown:?}"
    );
    assert!(
        shown.len() < 100,
        "{} rows lie in the table or two",
        shown.len()
    );
}

#[test]
fn deleted_rows_take_no_space_afterwards() {
    for strategy in [Strategy::Leveled, Strategy::Tiered] {
        let family = FamilyOptions { strategy, ..tiny() };
        let db = open(&MemoryVfs::new(), Background::Manual, family);
        for at in 0..500 {
            db.put(key(at), [1; 40]).unwrap();
        }
        db.compact().unwrap();
        for at in 100..400 {
            db.delete(key(at)).unwrap();
        }
        db.compact_range(&db.default_family(), key(100)..key(400))
            .unwrap();
        let levels = &db.statistics().families[0].levels;
        let entries: u64 = levels.iter().map(|level| level.entries).sum();
        assert_eq!(entries, 200, "neither rows nor tombstones are left");
    }
}

#[test]
fn random_ranges_change_no_answer() {
    let mut dice = Dice::new(seed_or(8));
    for comparator in [Comparator::Bytewise, Comparator::reverse_bytewise()] {
        let family = FamilyOptions {
            comparator: comparator.clone(),
            ..tiny()
        };
        let db = open(&MemoryVfs::new(), Background::Manual, family);
        let (default, mut model) = (db.default_family(), Rows::new());
        for round in 0..60 {
            for _ in 0..80 {
                let key = key(dice.below(300));
                if dice.one_in(3) {
                    default.delete(&key).unwrap();
                    model.remove(&key);
                } else {
                    let value = vec![round; dice.below(90) as usize];
                    default.put(&key, &value).unwrap();
                    model.insert(key, value);
                }
            }
            let (a, b) = (key(dice.below(300)), key(dice.below(300)));
            match dice.below(5) {
                0 => db.compact_range(&default, a..b),
                1 => db.compact_range(&default, a..=b),
                2 => db.compact_range(&default, a..),
                3 => db.compact_range(&default, ..b),
                _ => db.step().map(drop),
            }
            .unwrap();
            let rows: engine::Result<Vec<_>> = default.iter().collect();
            assert_eq!(rows.unwrap(), sorted(&model, &comparator));
        }
    }
}

#[test]
fn an_empty_range_or_an_empty_database_is_no_work() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, Background::Manual, tiny());
    let default = db.default_family();
    db.compact_range::<&[u8]>(&default, ..).unwrap();
    db.put("m", "v").unwrap();
    db.flush().unwrap();
    db.compact_range(&default, "n".."z").unwrap();
    db.compact_range(&default, "a".."m").unwrap();
    db.compact_range(&default, "z".."a").unwrap();
    assert_eq!(db.statistics().families[0].trivial_moves, 0);
    db.compact_range(&default, "a"..="m").unwrap();
    let after = &db.statistics().families[0];
    assert_eq!((after.trivial_moves, after.compactions), (1, 0));
}

#[test]
fn a_family_of_another_database_is_refused() {
    let (one, two) = (MemoryVfs::new(), MemoryVfs::new());
    let one = open(&one, Background::Manual, tiny());
    let two = open(&two, Background::Manual, tiny());
    let refused = one.compact_range::<&[u8]>(&two.default_family(), ..);
    assert!(
        matches!(refused, Err(Error::InvalidArgument { .. })),
        "{refused:?}"
    );
}

/// Holds a compaction up in the midst of its rows.
#[derive(Default)]
struct Slow {
    rows: AtomicU64,
    gate: Gate,
}

/// The row at which it is held up.
const HELD_UP_AT: u64 = 5;

impl CompactionFilter for Slow {
    fn decide(&self, _key: &[u8], _value: &[u8]) -> Decision {
        if self.rows.fetch_add(1, Ordering::SeqCst) == HELD_UP_AT {
            self.gate.pass();
        }
        Decision::Keep
    }
}

fn table_names(vfs: &MemoryVfs) -> BTreeSet<String> {
    let names = vfs.list(Path::new("db")).unwrap().into_iter();
    let names = names.map(|name| name.into_string().unwrap());
    names.filter(|name| name.ends_with(".sst")).collect()
}

const ROWS: u64 = 4_000;

/// So many rows in tables, and a filter that holds up the compaction of them.
fn slow_database() -> (Db, MemoryVfs, Arc<Slow>) {
    let (vfs, slow) = (MemoryVfs::new(), Arc::new(Slow::default()));
    let family = FamilyOptions {
        compaction_filter: Some(slow.clone()),
        write_buffer_bytes: 4 << 20,
        ..tiny()
    };
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    };
    let db = Db::open("db", options.family("slow", family)).unwrap();
    let family = db.family("slow").unwrap();
    for at in 0..ROWS {
        family.put(key(at), [1; 40]).unwrap();
    }
    db.flush().unwrap();
    (db, vfs, slow)
}

/// Interrupts a running compaction; returns how it ended. Soon: it does not go through all rows.
fn interrupted(db: &Db, slow: &Slow, interrupt: impl FnOnce() + Send) -> engine::Result<()> {
    let family = db.family("slow").unwrap();
    let outcome = std::thread::scope(|scope| {
        let compaction = scope.spawn(|| db.compact_range::<&[u8]>(&family, ..));
        slow.gate.wait_until_reached();
        let interruption = scope.spawn(interrupt);
        // Closing waits for the compaction; dropping its family does not.
        wait_until("it is interrupted", || {
            db.sync().is_err() || interruption.is_finished()
        });
        slow.gate.open();
        interruption.join().unwrap();
        compaction.join().unwrap()
    });
    let rows = slow.rows.load(Ordering::SeqCst);
    assert!(rows < ROWS / 2, "{rows} of {ROWS} rows");
    outcome
}

#[test]
fn closing_ends_a_compaction_soon_and_cleanly() {
    let (db, vfs, slow) = slow_database();
    let before = table_names(&vfs);
    let outcome = interrupted(&db, &slow, || db.close().unwrap());
    let error = outcome.unwrap_err();
    assert!(
        error.to_string().contains("the database is closed"),
        "{error}"
    );
    assert_eq!(
        table_names(&vfs),
        before,
        "no outputs are left, and no input is gone"
    );
    drop(db);
    let db = open(&vfs, Background::Manual, tiny());
    assert_eq!(db.family("slow").unwrap().iter().count() as u64, ROWS);
}

#[test]
fn dropping_the_family_ends_its_compaction_soon() {
    let (db, vfs, slow) = slow_database();
    let outcome = interrupted(&db, &slow, || db.drop_family("slow").unwrap());
    let error = outcome.unwrap_err();
    assert!(error.to_string().contains("was dropped"), "{error}");
    assert_eq!(table_names(&vfs), BTreeSet::new());
    // The database keeps working for others.
    db.put("k", "v").unwrap();
    db.compact().unwrap();
    assert_eq!(table_names(&vfs).len(), 1);
}

/// Also where there is nothing to rewrite: no table at all, or one sorted run in its place.
#[test]
fn a_family_that_was_dropped_before_is_refused() {
    for is_compacted in [false, true] {
        let db = open(&MemoryVfs::new(), Background::Manual, tiny());
        let family = db.create_family("dropped", tiny()).unwrap();
        if is_compacted {
            family.put("k", "v").unwrap();
            db.compact_range::<&[u8]>(&family, ..).unwrap();
        }
        db.drop_family("dropped").unwrap();
        let refused = db.compact_range::<&[u8]>(&family, ..);
        assert!(
            matches!(refused, Err(Error::InvalidArgument { .. })),
            "{refused:?}"
        );
        assert!(
            refused.unwrap_err().to_string().contains("dropped"),
            "it says why"
        );
    }
}

/// The compaction of another family holds its turn up.
#[test]
fn a_family_that_is_dropped_before_its_turn_is_refused() {
    let gate = Arc::new(Gate::default());
    let gated = FamilyOptions {
        compaction_filter: Some(gate.clone()),
        ..tiny()
    };
    let db = open(&MemoryVfs::new(), Background::Manual, tiny());
    let slow = db.create_family("slow", gated).unwrap();
    let next = db.create_family("next", tiny()).unwrap();
    slow.put("k", "v").unwrap();
    let refused = std::thread::scope(|scope| {
        let slow = scope.spawn(|| db.compact_range::<&[u8]>(&slow, ..));
        gate.wait_until_reached();
        let next = scope.spawn(|| db.compact_range::<&[u8]>(&next, ..));
        // Enough for it to ask for its turn. If it were slower, the family would be refused at once.
        std::thread::sleep(Duration::from_millis(100));
        db.drop_family("next").unwrap();
        gate.open();
        slow.join().unwrap().unwrap();
        next.join().unwrap()
    });
    let error = refused.unwrap_err();
    assert!(error.to_string().contains("was dropped"), "{error}");
}
