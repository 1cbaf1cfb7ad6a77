//! The n-th file operation fails, for every n and in every way. The result is an error or success,
//! never a panic, and after reopening nothing contradicts what was reported.
//!
//! The promise about a write that failed: if the database is poisoned afterwards, the write is in doubt and may
//! be there after reopening, as a whole; if the database is not poisoned, the write is not there. No write is
//! there without those before it. While the database stays open, readers see exactly what was acknowledged.

use std::path::Path;
use std::sync::Arc;

use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use engine::{Background, Db, Error, FamilyOptions, Options, TableReads, WriteBatch, WriteOptions};

use crate::support::{Dice, OptionSet, Rows, seed_or, sorted, steps_or, take_range, tiny};

const FAMILIES: [&str; 2] = ["default", "other"];
const KEYS: u64 = 25;

type Models = [Rows; 2];

fn options(vfs: Arc<dyn Vfs>) -> Options {
    OptionSet {
        name: "failing operations",
        family: FamilyOptions {
            // Few old versions are enough to give them back.
            level_multiplier: 16,
            ..tiny()
        },
        reads: TableReads::Pread,
        background: Background::Manual,
    }
    .options_on(vfs)
}

/// What a run of the script knows.
struct Run {
    memory: MemoryVfs,
    faulty: FaultVfs,
    db: Option<Db>,
    /// The rows after every acknowledged batch.
    acknowledged: Models,
    /// The rows after the last batch that was acknowledged with a sync, or after a clean close.
    durable: Models,
    /// Every state since then: a power cut may lead to any of them.
    since_durable: Vec<Models>,
    /// The rows including the batch whose write failed and poisoned the database.
    in_doubt: Option<Models>,
    failures: u64,
    checkpoints: u64,
}

impl Run {
    fn new(fail: Option<(u64, Fault)>, done: u64) -> Self {
        let memory = MemoryVfs::new();
        let faulty = FaultVfs::new(Arc::new(memory.clone()));
        faulty.do_what_fails(done);
        if let Some((n, fault)) = fail {
            faulty.fail_nth(n, fault);
        }
        Self {
            memory,
            faulty,
            db: None,
            acknowledged: Models::default(),
            durable: Models::default(),
            since_durable: Vec::new(),
            in_doubt: None,
            failures: 0,
            checkpoints: 0,
        }
    }

    fn script(&mut self, seed: u64, steps: u64) {
        let mut dice = Dice::new(seed);
        for _ in 0..steps {
            // Drawn first, so that the script is the same whatever fails.
            let (what, mut detail) = (dice.below(20), Dice::new(dice.next()));
            if self.db.is_none() && !self.open() {
                continue;
            }
            match what {
                0..13 => self.write(&mut detail),
                13 => self.under_a_snapshot(&mut detail),
                14 => self.quietly(Db::flush),
                15 | 16 => self.quietly(|db| db.step().map(drop)),
                17 => self.quietly(Db::compact),
                18 => self.checkpoint(),
                _ => self.close(),
            }
        }
        if self.db.is_some() {
            self.check_reads();
        }
    }

    fn open(&mut self) -> bool {
        match Db::open("db", options(Arc::new(self.faulty.clone()))) {
            Ok(db) => {
                // A read that fails says nothing: another opening has to decide.
                match rows(&db) {
                    Ok(found) => self.settle(&found),
                    Err(_) => return self.failed(),
                }
                self.db = Some(db);
                true
            }
            Err(_) => self.failed(),
        }
    }

    fn failed(&mut self) -> bool {
        self.failures += 1;
        false
    }

    /// After reopening without a power cut, everything acknowledged is there, and it is decided
    /// whether the batch in doubt is.
    fn settle(&mut self, found: &Models) {
        if let Some(in_doubt) = self.in_doubt.take()
            && *found == in_doubt
        {
            self.acknowledged = in_doubt;
        }
        assert_eq!(*found, self.acknowledged, "{:?}", self.faulty.failed());
        // Opening makes what it recovered durable.
        self.durable = self.acknowledged.clone();
        self.since_durable.clear();
    }

    fn write(&mut self, dice: &mut Dice) {
        let db = self.db.as_ref().unwrap();
        let mut next = self.acknowledged.clone();
        let mut batch = WriteBatch::new();
        for _ in 0..=dice.below(6) {
            let which = dice.below(2) as usize;
            let family = db.family(FAMILIES[which]).unwrap();
            let key = format!("key:{:02}", dice.below(KEYS)).into_bytes();
            if dice.one_in(4) {
                batch.delete(&family, &key);
                next[which].remove(&key);
            } else if dice.one_in(8) {
                let end = format!("key:{KEYS:02}").into_bytes();
                let (start, end) = take_range(&mut next[which], family.comparator(), key, end);
                batch.delete_range(&family, start, end);
            } else {
                let value = vec![dice.next() as u8; dice.below(300) as usize];
                batch.put(&family, &key, &value);
                next[which].insert(key, value);
            }
        }
        let sync = dice.one_in(3);
        match db.write(batch, WriteOptions { sync }) {
            Ok(()) => {
                assert!(
                    self.in_doubt.is_none(),
                    "a poisoned database takes no write"
                );
                self.acknowledged = next.clone();
                if sync {
                    self.durable = next;
                    self.since_durable.clear();
                } else {
                    self.since_durable.push(next);
                }
            }
            Err(_) => {
                self.failures += 1;
                // A write without records shows whether the database is poisoned, and changes nothing.
                let poisoned = matches!(
                    db.write(WriteBatch::new(), WriteOptions::default()),
                    Err(Error::Poisoned { .. })
                );
                if poisoned && self.in_doubt.is_none() {
                    self.in_doubt = Some(next);
                }
                self.check_reads();
            }
        }
    }

    /// Flushes and compactions change nothing that can be read, whether they succeed or not.
    fn quietly(&mut self, work: impl Fn(&Db) -> engine::Result<()>) {
        self.failures += u64::from(work(self.db.as_ref().unwrap()).is_err());
    }

    /// Has a compaction keep what a snapshot needs, and gives that back when it is gone.
    fn under_a_snapshot(&mut self, dice: &mut Dice) {
        let snapshot = self.db.as_ref().map(Db::snapshot);
        self.write(dice);
        self.write(dice);
        self.quietly(Db::compact);
        drop(snapshot);
        self.quietly(|db| {
            while db.step()? {}
            Ok(())
        });
    }

    /// A finished checkpoint holds what was acknowledged. A failed one left nothing, or all of it.
    fn checkpoint(&mut self) {
        self.check_reads();
        self.checkpoints += 1;
        let dir = format!("checkpoint{}", self.checkpoints);
        let made = self.db.as_ref().unwrap().checkpoint(&dir);
        self.failures += u64::from(made.is_err());
        if made.is_ok() || self.memory.exists(Path::new(&dir)).unwrap() {
            let disk = Arc::new(self.memory.crash(1));
            let copy = Db::open(&dir, options(disk)).unwrap();
            assert_eq!(rows(&copy).unwrap(), self.acknowledged);
        }
    }

    fn close(&mut self) {
        let db = self.db.take().unwrap();
        match db.close() {
            Ok(()) => {
                self.durable = self.acknowledged.clone();
                self.since_durable.clear();
            }
            Err(_) => self.failures += 1,
        }
    }

    /// Reads may fail while the fault lasts. Their answers must be true.
    fn check_reads(&self) {
        let db = self.db.as_ref().unwrap();
        for (name, model) in FAMILIES.iter().zip(&self.acknowledged) {
            let family = db.family(name).unwrap();
            let rows: engine::Result<Vec<_>> = family.iter().collect();
            if let Ok(rows) = rows {
                assert_eq!(
                    rows,
                    sorted(model, family.comparator()),
                    "{:?}",
                    self.faulty.failed()
                );
            }
        }
    }

    /// If the power is cut now, the rows are those of some state since the last durable one.
    fn check_after_cut(&self, survival: u64, context: &str) {
        let memory = self.memory.crash(survival);
        let db = Db::open("db", options(Arc::new(memory)))
            .unwrap_or_else(|error| panic!("{context}: {error}"));
        let found = rows(&db).unwrap();
        let mut possible = std::iter::once(&self.durable)
            .chain(&self.since_durable)
            .chain(&self.in_doubt);
        assert!(
            possible.any(|state| *state == found),
            "{context}: {found:?} is no state since the last synced write"
        );
    }
}

fn rows(db: &Db) -> engine::Result<Models> {
    let [first, second] =
        FAMILIES.map(|name| db.family(name)?.iter().collect::<engine::Result<Rows>>());
    Ok([first?, second?])
}

/// When a rename or another change of names fails, `done` says whether it takes effect all the same.
fn fail_every_operation(fault: Fault, done: u64) {
    let (seed, steps) = (seed_or(11), steps_or(60));
    let mut run = Run::new(None, done);
    run.script(seed, steps);
    assert_eq!(run.failures, 0);
    let operations = run.faulty.operations();
    println!(
        "{fault:?}, done {done}: ENGINE_SEED={seed} ENGINE_STEPS={steps}, {operations} operations"
    );
    let mut failed_runs = 0;
    for n in 1..=operations {
        let mut run = Run::new(Some((n, fault)), done);
        run.script(seed, steps);
        failed_runs += u64::from(run.failures > 0);
        run.db = None;
        for survival in [0, 1, 2, 3] {
            let context = format!(
                "{fault:?}, done {done}, at operation {n}: {:?}, survival {survival}",
                run.faulty.failed()
            );
            run.check_after_cut(survival, &context);
        }
    }
    assert!(
        failed_runs > operations / 4,
        "most failures are reported: {failed_runs} of {operations}"
    );
}

#[test]
fn an_io_error_is_reported_and_never_hidden() {
    fail_every_operation(Fault::Io, 0);
}

#[test]
fn a_short_write_is_reported_and_never_hidden() {
    fail_every_operation(Fault::ShortWrite, 0);
}

#[test]
fn a_full_disk_is_reported_and_never_hidden() {
    fail_every_operation(Fault::NoSpace, 0);
}

/// A rename that fails has taken effect here, and so have creations, links and removals.
#[test]
fn what_failed_and_was_done_all_the_same_is_found_out() {
    fail_every_operation(Fault::Io, 1);
    fail_every_operation(Fault::NoSpace, 1);
}

#[test]
fn whether_what_failed_was_done_is_not_relied_upon() {
    fail_every_operation(Fault::NoSpace, seed_or(11) + 2);
}

#[test]
fn a_power_failure_loses_nothing_that_was_synced() {
    fail_every_operation(Fault::PowerGone, 0);
}
