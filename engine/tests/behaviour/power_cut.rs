//! A power cut after every file operation of a script, survived in several ways each.
//!
//! The script writes batches over three families, some of them synced, flushes, compacts, also under snapshots, and reopens.
//! Every batch also sets a counter in all families, so the state after a cut tells which point of
//! history it is, and a state that is no point of history is noticed. What must hold after reopening:
//!
//! 1. The rows are exactly those of some point of history: no hole, no half batch, nothing deleted returns.
//! 2. All families are at the same point.
//! 3. That point is not before the last write that was acknowledged as synced, and not after the last one begun.
//! 4. The database takes writes again, and a second cut during its recovery changes none of this.
//!
//! Every file operation is followed by a cut that is survived in twenty ways. An ordinary run takes
//! a sample of the second cuts, a different one for each seed; `ENGINE_CUTS=full` makes a second
//! cut after every operation of every recovery, which takes minutes.

use std::sync::atomic::{AtomicU64, Ordering};

use engine::vfs::MemoryVfs;
use engine::{Comparator, Compression, Db, FamilyOptions, Options};
use engine::{WriteBatch, WriteOptions};

use crate::support::{Dice, Rows, manual, scan, seed_or, sorted, steps_or, take_range, tiny};

const FAMILIES: [&str; 3] = ["default", "other", "third"];
const COUNTER: &[u8] = b"~counter";
const KEYS: u64 = 40;
/// Seed 0 loses everything that was not synced, seed 1 keeps everything, the others decide at random.
const SURVIVALS: u64 = 20;
/// In an ordinary run, one survivor in `GOES_ON_ONE_IN` writes further, and one in
/// `SECOND_CUT_ONE_IN` has its recovery cut.
const GOES_ON_ONE_IN: u64 = 6;
const SECOND_CUT_ONE_IN: u64 = 30;
const THREADS: u64 = 2;

/// A point of history: the rows of all families after a number of batches.
type Point = [Rows; 3];

struct History {
    vfs: MemoryVfs,
    points: Vec<Point>,
    /// For each batch: the number of file operations before it began and when it was acknowledged,
    /// and whether it was synced.
    batches: Vec<(u64, u64, bool)>,
}

fn options(vfs: &MemoryVfs) -> Options {
    let other = FamilyOptions {
        comparator: Comparator::reverse_bytewise(),
        compression: Compression::Lz4,
        ..tiny()
    };
    let third = FamilyOptions {
        filter_bits_per_key: 0,
        restart_interval: 1,
        // Few old versions are enough to give them back.
        level_multiplier: 16,
        ..tiny()
    };
    let options = manual(vfs);
    let families = FAMILIES.into_iter().zip([tiny(), other, third]);
    families.fold(options, |options, (name, family)| {
        options.family(name, family)
    })
}

/// Whether to make every second cut.
fn is_full() -> bool {
    std::env::var("ENGINE_CUTS").is_ok_and(|cuts| cuts == "full")
}

fn write_history(seed: u64, steps: u64) -> History {
    let vfs = MemoryVfs::new().recording();
    let mut dice = Dice::new(seed);
    let mut db = Db::open("db", options(&vfs)).unwrap();
    let mut history = History {
        vfs: vfs.clone(),
        points: vec![Point::default()],
        batches: Vec::new(),
    };
    for _ in 0..steps {
        match dice.below(20) {
            0..15 => write_batch(&db, &mut history, &mut dice),
            15 => under_a_snapshot(&db, &mut history, &mut dice),
            16 => db.flush().unwrap(),
            17 => _ = db.step().unwrap(),
            18 => db.compact().unwrap(),
            _ => {
                if dice.one_in(2) {
                    db.close().unwrap();
                }
                drop(db);
                db = Db::open("db", options(&vfs)).unwrap();
            }
        }
    }
    history
}

/// Has a compaction keep what a snapshot needs, and gives that back when it is gone.
fn under_a_snapshot(db: &Db, history: &mut History, dice: &mut Dice) {
    let snapshot = db.snapshot();
    for _ in 0..3 {
        write_batch(db, history, dice);
    }
    db.compact().unwrap();
    drop(snapshot);
    while db.step().unwrap() {}
}

fn write_batch(db: &Db, history: &mut History, dice: &mut Dice) {
    let mut point = history.points.last().unwrap().clone();
    let mut batch = WriteBatch::new();
    for _ in 0..dice.below(8) {
        let which = dice.below(3) as usize;
        let family = db.family(FAMILIES[which]).unwrap();
        let key = format!("key:{:02}", dice.below(KEYS)).into_bytes();
        if dice.one_in(12) {
            let other = format!("key:{:02}", dice.below(KEYS)).into_bytes();
            let (start, end) = take_range(&mut point[which], family.comparator(), key, other);
            batch.delete_range(&family, start, end);
        } else if dice.one_in(3) {
            batch.delete(&family, &key);
            point[which].remove(&key);
        } else {
            let value = vec![dice.next() as u8; dice.below(200) as usize];
            batch.put(&family, &key, &value);
            point[which].insert(key, value);
        }
    }
    let counter = format!("{}", history.points.len()).into_bytes();
    for (which, rows) in point.iter_mut().enumerate() {
        let family = db.family(FAMILIES[which]).unwrap();
        batch.put(&family, COUNTER, &counter);
        rows.insert(COUNTER.to_vec(), counter.clone());
    }
    let sync = dice.one_in(3);
    let begun = history.vfs.operations();
    db.write(batch, WriteOptions { sync }).unwrap();
    history.points.push(point);
    history
        .batches
        .push((begun, history.vfs.operations(), sync));
}

impl History {
    /// The points that may be found after a cut after the first `n` file operations.
    fn possible(&self, n: u64) -> std::ops::RangeInclusive<usize> {
        let synced = self
            .batches
            .iter()
            .rposition(|&(_, acknowledged, sync)| sync && acknowledged <= n);
        let begun = self.batches.iter().rposition(|&(begun, ..)| begun < n);
        synced.map_or(0, |at| at + 1)..=begun.map_or(0, |at| at + 1)
    }

    /// Checks the promises on an open database; returns the point of history that it is at.
    fn check(&self, db: &Db, n: u64, context: &str) -> usize {
        let points: Vec<usize> = FAMILIES
            .iter()
            .map(|name| {
                let counter = db.family(name).unwrap().get(COUNTER).unwrap();
                counter.map_or(0, |text| {
                    std::str::from_utf8(&text).unwrap().parse().unwrap()
                })
            })
            .collect();
        assert!(
            points.iter().all(|point| *point == points[0]),
            "{context}: a batch is cut apart between the families: {points:?}"
        );
        let possible = self.possible(n);
        let point = points[0];
        assert!(
            possible.contains(&point),
            "{context}: is at {point}, possible are {possible:?}"
        );
        for (which, name) in FAMILIES.iter().enumerate() {
            let order = db.family(name).unwrap().comparator().clone();
            let expected = sorted(&self.points[point][which], &order);
            assert_eq!(
                scan(db, name),
                expected,
                "{context}: family {name} at point {point}"
            );
        }
        point
    }
}

/// After recovery the database continues: a synced write survives the harshest cut, and so does
/// everything before it.
fn goes_on(db: Db, vfs: &MemoryVfs, point: usize, history: &History, context: &str) {
    let mut batch = WriteBatch::new();
    batch.put(&db.default_family(), b"after", b"recovery");
    db.write(batch, WriteOptions { sync: true }).unwrap();
    let survived = vfs.crash(0);
    drop(db);
    let db = Db::open("db", options(&survived)).unwrap();
    assert_eq!(
        db.get("after").unwrap().as_deref(),
        Some(&b"recovery"[..]),
        "{context}"
    );
    let mut expected = history.points[point][0].clone();
    expected.insert(b"after".to_vec(), b"recovery".to_vec());
    let order = db.default_family().comparator().clone();
    assert_eq!(
        scan(&db, "default"),
        sorted(&expected, &order),
        "{context}, after another cut"
    );
}

/// Counts of a whole run.
#[derive(Default)]
struct Tally {
    cuts: AtomicU64,
    second_cuts: AtomicU64,
    /// Survivors that are at a point before the last write that was begun.
    found_short: AtomicU64,
}

#[test]
fn every_cut_leaves_a_point_of_history() {
    let (seed, steps) = (seed_or(7), steps_or(200));
    let history = write_history(seed, steps);
    let operations = history.vfs.operations();
    println!("ENGINE_SEED={seed} ENGINE_STEPS={steps}: {operations} file operations");
    let tally = Tally::default();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (history, tally) = (&history, &tally);
            scope.spawn(move || {
                for n in (thread..=operations).step_by(THREADS as usize) {
                    cut_after(history, n, &mut Dice::new(seed ^ (n << 20)), tally);
                }
            });
        }
    });
    let count = |tally: &AtomicU64| tally.load(Ordering::Relaxed);
    println!(
        "{} cuts, {} of them cost something; {} second cuts",
        count(&tally.cuts),
        count(&tally.found_short),
        count(&tally.second_cuts)
    );
    assert_eq!(count(&tally.cuts), (operations + 1) * SURVIVALS);
    assert!(count(&tally.second_cuts) > 1000);
    assert!(
        count(&tally.found_short) > count(&tally.cuts) / 20,
        "the cuts must take something"
    );
}

/// Cuts the power after the first `n` operations, in every way.
fn cut_after(history: &History, n: u64, dice: &mut Dice, tally: &Tally) {
    let before = history.vfs.state_after(n);
    let open = |vfs: &MemoryVfs, context: &str| {
        Db::open("db", options(vfs)).unwrap_or_else(|error| panic!("{context}: {error}"))
    };
    for survival in 0..SURVIVALS {
        let context = format!("cut after operation {n}, survival {survival}");
        let vfs = before.crash(survival).recording();
        let db = open(&vfs, &context);
        let recovery = vfs.operations();
        let point = history.check(&db, n, &context);
        let short = point < *history.possible(n).end();
        tally
            .found_short
            .fetch_add(u64::from(short), Ordering::Relaxed);
        tally.cuts.fetch_add(1, Ordering::Relaxed);
        if dice.one_in(SECOND_CUT_ONE_IN) || is_full() {
            cut_the_recovery(history, n, (&vfs, recovery), &context, tally);
        }
        if dice.one_in(GOES_ON_ONE_IN) || is_full() {
            goes_on(db, &vfs, point, history, &context);
        }
    }
    // The process dies but the power stays on: what was not synced is there, and still not synced.
    let context = format!("killed after operation {n}");
    let db = open(&before, &context);
    let point = history.check(&db, n, &context);
    goes_on(db, &before, point, history, &context);
}

/// Cuts the power again after each of the first operations of a recovery.
fn cut_the_recovery(
    history: &History,
    n: u64,
    (vfs, recovery): (&MemoryVfs, u64),
    context: &str,
    tally: &Tally,
) {
    // The cut that loses everything, and one of the others in turn.
    for second in 0..=recovery {
        let before = vfs.state_after(second);
        for survival in [0, 2 + (n + second) % (SURVIVALS - 2)] {
            let context = format!("{context}; recovery cut after {second}, survival {survival}");
            let again = before.crash(survival);
            let db = Db::open("db", options(&again))
                .unwrap_or_else(|error| panic!("{context}: {error}"));
            history.check(&db, n, &context);
            tally.second_cuts.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Opening changes several names in a row, so its cuts are survived in many more ways.
#[test]
fn an_opening_can_be_cut_anywhere() {
    const WAYS: u64 = 100;
    let history = write_history(seed_or(3), 25);
    let operations = history.vfs.operations();
    // Starting from nothing, from a database left by a kill, and from one left by a power cut.
    let lives = [
        (0, MemoryVfs::new()),
        (operations, history.vfs.state_after(operations)),
        (operations, history.vfs.state_after(operations).crash(1)),
    ];
    for (n, life) in lives {
        let vfs = life.recording();
        drop(Db::open("db", options(&vfs)).unwrap());
        for cut in 0..=vfs.operations() {
            for survival in 0..WAYS {
                let context = format!("opening cut after {cut}, survival {survival}");
                let survived = vfs.state_after(cut).crash(survival);
                let db = Db::open("db", options(&survived))
                    .unwrap_or_else(|error| panic!("{context}: {error}"));
                history.check(&db, n, &context);
            }
        }
    }
}
