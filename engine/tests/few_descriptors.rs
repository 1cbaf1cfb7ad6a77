//! A process that may open few files: an error is an error and not a loss, and more files end it.
//!
//! A single test, because the limit is the whole process's.
#![cfg(target_os = "linux")]

#[expect(dead_code, reason = "each test takes what it needs")]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use engine::{Db, FamilyOptions, Options, TableReads, repair, verify};
use rlimit::Resource;

use crate::support::{Dice, seed_or};

const ROUNDS: usize = 3;
/// How many tables are open at once depends on the threads in the background, so now and then no call fails in
/// the usual rounds. Then there are more.
const ROUNDS_MAX: usize = 40;
const WRITES: usize = 3_000;
const KEYS: u64 = 2_000;

#[test]
fn with_few_descriptors_calls_fail_and_with_more_everything_is_there() {
    let seed = seed_or(9);
    println!("ENGINE_SEED={seed}");
    // Too few to go on writing, too few for its directory, and too few for tables that take one each.
    let failed = [
        (TableReads::Mapped, 0),
        (TableReads::Pread, 4),
        (TableReads::Pread, 5),
    ]
    .map(|(table_reads, spare)| Trial::new(table_reads, seed).run(spare, ROUNDS_MAX));
    assert!(
        failed.iter().all(|failed| *failed > 0),
        "calls that failed: {failed:?}"
    );
    // Where syncs are quick, tables that are mapped are written one at a time, and that is enough.
    Trial::new(TableReads::Mapped, seed).run(2, ROUNDS);
    let enough = Trial::new(TableReads::Mapped, seed).run(8, ROUNDS);
    assert_eq!(enough, 0, "mapped tables take no descriptors");
    many_tables_are_verified_and_repaired_with_few_descriptors();
}

fn many_tables_are_verified_and_repaired_with_few_descriptors() {
    let dir = tempfile::tempdir().unwrap();
    let family = FamilyOptions {
        target_file_bytes: 1 << 10,
        ..FamilyOptions::default()
    };
    let options = Options::default().family("default", family);
    let db = Db::open(dir.path(), options.clone()).unwrap();
    // Written twice, because one flushed table would only be moved down.
    for value in [1, 2] {
        for key in 0..200 {
            db.put([key], [value; 1024]).unwrap();
        }
        db.flush().unwrap();
    }
    db.compact().unwrap();
    // Above the others, with a key of theirs, so that all are read side by side.
    db.put([50], [3; 10]).unwrap();
    db.flush().unwrap();
    drop(db);
    let all = limit_descriptors(open_descriptors() + 16);
    let verified = verify(dir.path(), &options).unwrap();
    let repaired = repair(dir.path(), &options).unwrap();
    limit_descriptors(all);
    assert!(verified.tables > 100, "{verified:?}");
    assert_eq!(verified.findings, []);
    assert_eq!((repaired.lost, repaired.merged), (Vec::new(), 0));
    let db = Db::open(dir.path(), options).unwrap();
    assert_eq!(db.default_family().iter().count(), 200);
}

/// A database, and what it has to answer.
struct Trial {
    dir: tempfile::TempDir,
    table_reads: TableReads,
    dice: Dice,
    /// The value that was acknowledged last, and those whose writes have failed since: either may be there.
    model: BTreeMap<Vec<u8>, Vec<Option<Vec<u8>>>>,
    failed: usize,
}

impl Trial {
    fn new(table_reads: TableReads, seed: u64) -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            table_reads,
            dice: Dice::new(seed),
            model: BTreeMap::new(),
            failed: 0,
        }
    }

    /// Uses the database with room for `spare` more descriptors, and checks it with enough of them, in turn. How many
    /// calls failed. If none did, up to `rounds` rounds are made.
    fn run(mut self, spare: u64, rounds: usize) -> usize {
        for round in 0..rounds {
            if round >= ROUNDS && self.failed > 0 {
                break;
            }
            let db = Db::open(self.dir.path(), self.options()).unwrap();
            self.settle(&db);
            let all = limit_descriptors(open_descriptors() + spare);
            self.use_it(&db, round);
            self.failed += usize::from(db.close().is_err());
            drop(db);
            self.failed += usize::from(Db::open(self.dir.path(), self.options()).is_err());
            limit_descriptors(all);
        }
        let db = Db::open(self.dir.path(), self.options()).unwrap();
        self.settle(&db);
        db.close().unwrap();
        drop(db);
        let report = verify(self.dir.path(), &self.options()).unwrap();
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        self.failed
    }

    fn options(&self) -> Options {
        let family = FamilyOptions {
            write_buffer_bytes: 16 << 10,
            target_file_bytes: 16 << 10,
            ..FamilyOptions::default()
        };
        Options {
            table_reads: self.table_reads,
            ..Options::default().family("default", family)
        }
    }

    /// Every key has one of the values that it may have, which it keeps from then on.
    fn settle(&mut self, db: &Db) {
        for (key, may_be) in &mut self.model {
            let found = db.get(key).unwrap().map(|value| value.to_vec());
            assert!(may_be.contains(&found), "{}: {found:?}", key.escape_ascii());
            *may_be = vec![found];
        }
    }

    fn use_it(&mut self, db: &Db, round: usize) {
        for write in 0..WRITES {
            let key = format!("key{:05}", self.dice.below(KEYS)).into_bytes();
            let value = format!("{round}, {write}, {:030}", self.dice.next()).into_bytes();
            let may_be = self.model.entry(key.clone()).or_insert_with(|| vec![None]);
            match db.put(&key, &value) {
                Ok(()) => *may_be = vec![Some(value)],
                Err(_) => {
                    self.failed += 1;
                    may_be.push(Some(value));
                }
            }
            match db.get(&key) {
                Ok(found) => {
                    let found = found.map(|value| value.to_vec());
                    assert!(may_be.contains(&found), "{}: {found:?}", key.escape_ascii());
                }
                Err(_) => self.failed += 1,
            }
        }
    }
}

fn open_descriptors() -> u64 {
    fs::read_dir(Path::new("/proc/self/fd")).unwrap().count() as u64
}

/// Lets the process have no more than `descriptors` open. How many it could have before.
fn limit_descriptors(descriptors: u64) -> u64 {
    let (before, most) = Resource::NOFILE.get().unwrap();
    Resource::NOFILE.set(descriptors, most).unwrap();
    before
}
