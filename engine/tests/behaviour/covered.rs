//! Entries under range tombstones: a cursor passes them with seeks, also those that are in memory together with their
//! tombstone, and shows what the model shows, however ranges are deleted and written again.

use std::ops::Bound;

use engine::comparator::NumericSuffix;
use engine::vfs::MemoryVfs;
use engine::{
    Comparator, Cursor, Db, Family, FamilyOptions, Options, Snapshot, WriteBatch, WriteOptions,
};

use crate::support::counting_order::CountingOrder;
use crate::support::walker::Walker;
use crate::support::{Dice, Rows, manual, seed_or, sorted, steps_or, take_range, within};

const ROWS: u32 = 20_000;
/// The range that is deleted.
const GONE: std::ops::Range<u32> = 100..19_900;
const COMPARISONS_MAX: u64 = 2_000;

fn key(number: u32) -> String {
    format!("{number:05}")
}

/// Options under which all rows stay in one memtable.
fn in_memory(vfs: &MemoryVfs, comparator: Comparator) -> Options {
    let family = FamilyOptions {
        comparator,
        write_buffer_bytes: 64 << 20,
        ..FamilyOptions::default()
    };
    manual(vfs).family("default", family)
}

struct Counted {
    order: CountingOrder,
    db: Db,
    family: Family,
}

impl Counted {
    /// A database with all rows in its memtable.
    fn filled() -> Self {
        let order = CountingOrder::default();
        let options = in_memory(&MemoryVfs::new(), Comparator::custom(order.clone()));
        let db = Db::open("db", options).unwrap();
        let family = db.default_family();
        for number in 0..ROWS {
            family.put(key(number), "value").unwrap();
        }
        Self { order, db, family }
    }

    fn delete(&self) {
        self.family
            .delete_range(key(GONE.start)..key(GONE.end))
            .unwrap();
    }

    /// Where a step of a cursor leads, and how many comparisons it takes.
    fn step(&self, cursor: &mut Cursor, step: impl FnOnce(&mut Cursor)) -> (String, u64) {
        let ((), comparisons) = self.order.during(|| step(cursor));
        let row = String::from_utf8(cursor.key().to_vec()).unwrap();
        (row, comparisons)
    }

    /// Checks that a cursor gets to both ends of the range from within it and from the other end. Returns the most
    /// comparisons that any of these steps takes.
    fn cross(&self) -> u64 {
        let (before, after) = (key(GONE.start - 1), key(GONE.end));
        let middle = key(GONE.start.midpoint(GONE.end));
        let mut cursor = self.family.cursor().unwrap();
        let steps = [
            self.step(&mut cursor, |cursor| cursor.seek(&middle).unwrap()),
            self.step(&mut cursor, |cursor| cursor.prev().unwrap()),
            self.step(&mut cursor, |cursor| cursor.next().unwrap()),
            self.step(&mut cursor, |cursor| cursor.seek_for_prev(&middle).unwrap()),
        ];
        let ways = [&after, &before, &after, &before];
        assert!(steps.iter().map(|(row, _)| row).eq(ways), "{steps:?}");
        steps.iter().map(|(_, most)| *most).max().unwrap_or(0)
    }
}

#[test]
fn a_range_that_was_deleted_in_memory_is_passed_with_seeks() {
    let counted = Counted::filled();
    let before = counted.db.snapshot();
    counted.delete();
    // Writes elsewhere, one by one and together with others, change nothing.
    counted.family.put(key(GONE.end), "again").unwrap();
    let mut batch = WriteBatch::new();
    for number in GONE.end..ROWS {
        batch.put(&counted.family, key(number), "again");
    }
    counted.db.write(batch, WriteOptions::default()).unwrap();
    let most = counted.cross();
    assert!(most <= COMPARISONS_MAX, "{most} comparisons");
    assert_eq!(before.iter(&counted.family).count() as u32, ROWS);
    assert_eq!(
        counted.family.iter().count() as u32,
        ROWS - GONE.len() as u32
    );
    // As many tombstones side by side are as many seeks.
    for start in GONE.step_by(1_000) {
        let end = key(start + 500);
        counted.family.delete_range(key(start)..end).unwrap();
    }
    let most = counted.cross();
    assert!(most <= 20 * COMPARISONS_MAX, "{most} comparisons");
}

#[test]
fn rows_that_come_back_into_a_deleted_range_are_shown_until_it_is_deleted_again() {
    let counted = Counted::filled();
    let back = 12_345;
    let (one, many) = (1, 20);
    for records in [one, many] {
        counted.delete();
        let mut batch = WriteBatch::new();
        for number in (back..).take(records) {
            batch.put(&counted.family, key(number), "back");
        }
        counted.db.write(batch, WriteOptions::default()).unwrap();
        let mut cursor = counted.family.cursor().unwrap();
        cursor.seek(key(GONE.start)).unwrap();
        assert_eq!(cursor.key(), key(back).as_bytes());
        cursor.seek_for_prev(key(back)).unwrap();
        assert_eq!(cursor.key(), key(back).as_bytes());
        let then = counted.db.snapshot();
        counted.delete();
        let most = counted.cross();
        assert!(most <= COMPARISONS_MAX, "{most} comparisons");
        let left = ROWS as usize - GONE.len();
        assert_eq!(then.iter(&counted.family).count(), left + records);
        assert_eq!(then.iter(&counted.family).rev().count(), left + records);
    }
}

#[test]
fn what_counts_within_a_batch_is_which_of_its_records_comes_last() {
    let back = key(5_000);
    for ranges in [1, 9, 100] {
        let counted = Counted::filled();
        let family = &counted.family;
        let delete = |batch: &mut WriteBatch| {
            let len = GONE.len() as u32 / ranges;
            for start in GONE.step_by(len as usize) {
                batch.delete_range(family, key(start), key(start + len));
            }
        };
        let mut batch = WriteBatch::new();
        delete(&mut batch);
        batch.put(family, &back, "back");
        counted.db.write(batch, WriteOptions::default()).unwrap();
        let mut cursor = family.cursor().unwrap();
        cursor.seek(key(GONE.start)).unwrap();
        assert_eq!(cursor.key(), back.as_bytes(), "{ranges}");

        let mut batch = WriteBatch::new();
        batch.put(family, &back, "back again");
        delete(&mut batch);
        counted.db.write(batch, WriteOptions::default()).unwrap();
        let most = counted.cross() / u64::from(ranges);
        assert!(most <= COMPARISONS_MAX, "{most} comparisons");
    }
}

/// What the logs give back comes in the order of the keys, so the first row of a range comes before its tombstone.
#[test]
fn a_row_that_came_back_is_there_after_a_recovery() {
    let vfs = MemoryVfs::new();
    let options = || in_memory(&vfs, Comparator::Bytewise);
    let db = Db::open("db", options()).unwrap();
    for number in 0..100 {
        db.put(key(number), "value").unwrap();
    }
    db.delete_range(key(10)..key(90)).unwrap();
    db.put(key(10), "back").unwrap();
    drop(db);
    for open in [Db::open_read_only, Db::open] {
        let db = open("db", options()).unwrap();
        assert_eq!(db.default_family().iter().count(), 21);
        assert_eq!(db.default_family().iter().rev().count(), 21);
    }
}

/// What a snapshot's cursor meets here of too new versions makes it seek in all sources, also in those that it has moved
/// past the range before.
#[test]
fn a_range_is_passed_again_after_every_seek() {
    let db = Db::open("db", in_memory(&MemoryVfs::new(), Comparator::Bytewise)).unwrap();
    let family = db.default_family();
    let numbers = 0..200;
    for number in numbers.clone() {
        family.put(key(number), "old").unwrap();
    }
    db.flush().unwrap();
    family
        .delete_range(key(numbers.start)..key(numbers.end))
        .unwrap();
    let snapshot = db.snapshot();
    for number in numbers {
        for _ in 0..40 {
            family.put(key(number), "too new").unwrap();
        }
    }
    let rows = snapshot.iter(&family).map(Result::unwrap);
    assert_eq!(rows.count(), 0);
    let rows = snapshot.iter(&family).rev().map(Result::unwrap);
    assert_eq!(rows.count(), 0);
}

const KEYS: u64 = 300;

fn random_key(dice: &mut Dice) -> Vec<u8> {
    format!("key:{}", dice.below(KEYS)).into_bytes()
}

/// A database in which ranges are deleted and written again, and what readers of several moments must see.
struct Life {
    vfs: MemoryVfs,
    order: Comparator,
    db: Db,
    rows: Rows,
    held: Vec<(Snapshot, Rows)>,
}

impl Life {
    fn options(vfs: &MemoryVfs, order: &Comparator) -> Options {
        let family = FamilyOptions {
            write_buffer_bytes: 1 << 20,
            comparator: order.clone(),
            ..crate::support::tiny()
        };
        manual(vfs).family("default", family)
    }

    fn new(order: Comparator) -> Self {
        let vfs = MemoryVfs::new();
        let db = Db::open("db", Self::options(&vfs, &order)).unwrap();
        Self {
            vfs,
            order,
            db,
            rows: Rows::new(),
            held: Vec::new(),
        }
    }

    fn write(&mut self, dice: &mut Dice) {
        let family = self.db.default_family();
        let mut batch = WriteBatch::new();
        // Most keys are written seldom, so that long stretches lie under a tombstone.
        let records = match dice.below(10) {
            0 => 400,
            _ => dice.below(4),
        };
        for _ in 0..records {
            let key = random_key(dice);
            if dice.one_in(5) {
                batch.delete(&family, &key);
                self.rows.remove(&key);
            } else {
                let value = vec![dice.below(256) as u8; dice.below(9) as usize];
                batch.put(&family, &key, &value);
                self.rows.insert(key, value);
            }
        }
        let ranges = match dice.below(30) {
            0 => 20,
            1..12 => 1,
            _ => 0,
        };
        for _ in 0..ranges {
            let (a, b) = (random_key(dice), random_key(dice));
            let (start, end) = take_range(&mut self.rows, &self.order, a, b);
            batch.delete_range(&family, start, end);
            if dice.one_in(2) {
                let key = random_key(dice);
                batch.put(&family, &key, "with it");
                self.rows.insert(key, b"with it".to_vec());
            }
        }
        self.db.write(batch, WriteOptions::default()).unwrap();
    }

    fn change(&mut self, dice: &mut Dice) {
        match dice.below(40) {
            0 => self.db.flush().unwrap(),
            1 => self.db.compact().unwrap(),
            2 => {
                // Without a closing, so the rows are read back from the logs.
                self.held.clear();
                self.vfs = self.vfs.crash(1);
                let options = Self::options(&self.vfs, &self.order);
                self.db = Db::open("db", options).unwrap();
            }
            _ => {}
        }
        self.held.push((self.db.snapshot(), self.rows.clone()));
        while self.held.len() > 6 {
            let forgotten = dice.below(self.held.len() as u64) as usize;
            self.held.swap_remove(forgotten);
        }
    }

    fn check(&self, dice: &mut Dice, context: &str) {
        let family = self.db.default_family();
        for (at, (snapshot, rows)) in self.held.iter().enumerate() {
            let (a, b) = (random_key(dice), random_key(dice));
            let bounds = match dice.below(3) {
                0 => (Bound::Included(a), Bound::Excluded(b)),
                1 => (Bound::Excluded(a), Bound::Included(b)),
                _ => (Bound::Unbounded, Bound::Unbounded),
            };
            let expected = within(&sorted(rows, &self.order), &self.order, &bounds);
            let cursor = snapshot.cursor_in(&family, bounds.clone()).unwrap();
            let mut walker = Walker::new(cursor, self.order.clone(), expected);
            for step in 0..12 {
                let context = format!("{context}, reader {at}, step {step}: {bounds:?}");
                let target = random_key(dice);
                walker.walk(dice, &target, 4, &context);
            }
        }
    }
}

#[test]
fn random_walks_over_ranges_deleted_and_written_again_agree_with_the_model() {
    let (seed, rounds) = (seed_or(11), steps_or(300));
    println!("ENGINE_SEED={seed} ENGINE_STEPS={rounds}");
    let orders = [
        Comparator::Bytewise,
        Comparator::reverse_bytewise(),
        Comparator::custom(NumericSuffix),
    ];
    for order in orders {
        let mut dice = Dice::new(seed);
        let mut life = Life::new(order.clone());
        for round in 0..rounds {
            life.write(&mut dice);
            life.change(&mut dice);
            life.check(&mut dice, &format!("{order:?}, round {round}"));
        }
    }
}
