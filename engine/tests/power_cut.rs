//! A power cut after every file operation of a script, survived several ways each.
//!
//! The script writes batches over two families, some synced, flushes, compacts and reopens. Every batch also sets
//! a counter in both families, so the state after a cut tells which point of history it is, and one that is no
//! point of history is caught. What must hold after reopening:
//!
//! 1. The rows are exactly those of some point of history: no hole, no half batch, nothing deleted returns.
//! 2. Both families stand at the same point.
//! 3. That point is not before the last write that was acknowledged as synced, and not after the last one begun.
//! 4. The database takes writes again, and a second cut during its recovery changes none of this.

mod support;

use engine::vfs::MemoryVfs;
use engine::{Background, Db, Options, TableReads, WriteBatch, WriteOptions};
use support::{Dice, OptionSet, Rows, scan, seed_or, sorted, steps_or, tiny};

const COUNTER: &[u8] = b"~counter";
const KEYS: u64 = 40;
/// Seed 0 loses all that was not synced, seed 1 keeps everything, the others decide at random.
const SURVIVALS: u64 = 6;
/// Every so many cuts, the recovery is cut in turn, after each of its operations.
const SECOND_CUT_EVERY: u64 = 41;
const SECOND_SURVIVALS: std::ops::Range<u64> = 0..12;

/// A point of history: the rows of both families after a number of batches.
type Point = [Rows; 2];

struct History {
    vfs: MemoryVfs,
    points: Vec<Point>,
    /// For each batch: file operations before it was begun and when it was acknowledged, and whether it was synced.
    batches: Vec<(u64, u64, bool)>,
}

fn options(vfs: &MemoryVfs) -> Options {
    OptionSet {
        name: "power cut",
        family: tiny(),
        reads: TableReads::Mapped,
        background: Background::Manual,
    }
    .options(vfs)
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
            0..16 => write_batch(&db, &mut history, &mut dice),
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

fn write_batch(db: &Db, history: &mut History, dice: &mut Dice) {
    let mut point = history.points.last().unwrap().clone();
    let mut batch = WriteBatch::new();
    for _ in 0..dice.below(8) {
        let which = dice.below(2) as usize;
        let family = db.family(["default", "other"][which]).unwrap();
        let key = format!("key:{:02}", dice.below(KEYS)).into_bytes();
        if dice.one_in(3) {
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
        let family = db.family(["default", "other"][which]).unwrap();
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
    /// The points that may be found after a cut behind the first `n` file operations.
    fn possible(&self, n: u64) -> std::ops::RangeInclusive<usize> {
        let synced = self
            .batches
            .iter()
            .rposition(|&(_, acknowledged, sync)| sync && acknowledged <= n);
        let begun = self.batches.iter().rposition(|&(begun, ..)| begun < n);
        synced.map_or(0, |at| at + 1)..=begun.map_or(0, |at| at + 1)
    }

    /// Checks the promises on an open database; returns the point that it stands at.
    fn check(&self, db: &Db, n: u64, context: &str) -> usize {
        let points: Vec<usize> = ["default", "other"]
            .iter()
            .map(|name| {
                let counter = db.family(name).unwrap().get(COUNTER).unwrap();
                counter.map_or(0, |text| {
                    std::str::from_utf8(&text).unwrap().parse().unwrap()
                })
            })
            .collect();
        assert_eq!(
            points[0], points[1],
            "{context}: a batch is halved between the families"
        );
        let possible = self.possible(n);
        let point = points[0];
        assert!(
            possible.contains(&point),
            "{context}: stands at {point}, possible are {possible:?}"
        );
        for (which, name) in ["default", "other"].iter().enumerate() {
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

/// After recovery the database goes on: a synced write survives the harshest cut, and so does all before it.
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

#[test]
fn every_cut_leaves_a_point_of_history() {
    let (seed, steps) = (seed_or(7), steps_or(100));
    let history = write_history(seed, steps);
    let operations = history.vfs.operations();
    let mut found_short = 0;
    println!("ENGINE_SEED={seed} ENGINE_STEPS={steps}: {operations} file operations");
    for n in 0..=operations {
        for survival in 0..SURVIVALS {
            let context = format!("cut after operation {n} of {operations}, survival {survival}");
            let vfs = history.vfs.state_after(n).crash(survival);
            let db =
                Db::open("db", options(&vfs)).unwrap_or_else(|error| panic!("{context}: {error}"));
            let point = history.check(&db, n, &context);
            found_short += u64::from(point < *history.possible(n).end());
            goes_on(db, &vfs, point, &history, &context);
        }
        // The process dies and the power does not: what was not synced is there, and still not synced.
        let context = format!("killed after operation {n} of {operations}");
        let vfs = history.vfs.state_after(n);
        let db = Db::open("db", options(&vfs)).unwrap_or_else(|error| panic!("{context}: {error}"));
        let point = history.check(&db, n, &context);
        goes_on(db, &vfs, point, &history, &context);
        if n % SECOND_CUT_EVERY == 0 {
            cut_the_recovery(&history, n);
        }
    }
    assert!(
        found_short > operations / 4,
        "the cuts must take something: {found_short}"
    );
}

fn cut_the_recovery(history: &History, n: u64) {
    for survival in [0, 1, 5] {
        let vfs = history.vfs.state_after(n).crash(survival).recording();
        drop(Db::open("db", options(&vfs)).unwrap());
        for second in 0..=vfs.operations() {
            for second_survival in SECOND_SURVIVALS {
                let context = format!(
                    "cut after operation {n}, survival {survival}; recovery cut after {second}, \
                     survival {second_survival}"
                );
                let again = vfs.state_after(second).crash(second_survival);
                let db = Db::open("db", options(&again))
                    .unwrap_or_else(|error| panic!("{context}: {error}"));
                history.check(&db, n, &context);
            }
        }
    }
}

/// Opening changes names several times in a row, so it is cut with many more ways to survive.
#[test]
fn an_opening_can_be_cut_anywhere() {
    const WAYS: u64 = 100;
    let history = write_history(seed_or(3), 25);
    let operations = history.vfs.operations();
    // From nothing, from a database as it was left by a kill, and from one left by a power cut.
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
