//! A family whose compaction keeps failing is tried again after a pause, and the failure is
//! reported. Meanwhile the other families are compacted and written.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use engine::vfs::{FaultVfs, MemoryVfs, Vfs};
use engine::{
    Background, Db, Error, Event, EventListener, FamilyStatistics, Options, Outcome, TableReads,
    WriteBatch, WriteOptions,
};
use parking_lot::Mutex;

use crate::support::waiting::wait_until;
use crate::support::{self, tiny};

/// The number of tables in level 0 that stops writers.
const STOP: u64 = 12;

/// The families whose compactions ended, and whether they failed.
#[derive(Default)]
struct Ends(Mutex<Vec<(String, bool)>>);

impl EventListener for Ends {
    fn on_event(&self, event: &Event) {
        if let Event::CompactionEnded {
            family, outcome, ..
        } = event
        {
            let failed = matches!(outcome, Outcome::Failed(_));
            self.0.lock().push((family.clone(), failed));
        }
    }
}

impl Ends {
    fn count(&self, family: &str, failed: bool) -> usize {
        let ends = self.0.lock();
        let of_family = ends
            .iter()
            .filter(|end| **end == (family.to_owned(), failed));
        of_family.count()
    }
}

/// How a table is made to fail.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Sickness {
    /// The disk gives errors.
    Unreadable,
    /// Its bytes have changed.
    Damaged,
}

struct Ward {
    memory: MemoryVfs,
    faulty: FaultVfs,
    ends: Arc<Ends>,
    /// The table that cannot be read.
    table: PathBuf,
}

fn tables(vfs: &MemoryVfs) -> Vec<PathBuf> {
    support::files(vfs, ".sst")
}

impl Ward {
    /// A database whose family `sick` has the given number of tables in level 0, one of which cannot be read.
    fn new(tables_of_sick: u64, sickness: Sickness) -> Self {
        let memory = MemoryVfs::new();
        let mut ward = Self {
            faulty: FaultVfs::new(Arc::new(memory.clone())),
            memory,
            ends: Arc::default(),
            table: PathBuf::new(),
        };
        let db = ward.open(Background::Manual);
        let sick = db.family("sick").unwrap();
        for round in 0..tables_of_sick {
            for key in 0..4_u8 {
                sick.put([key], [round as u8; 200]).unwrap();
            }
            db.flush().unwrap();
        }
        db.close().unwrap();
        assert_eq!(level0(&db, "sick"), tables_of_sick);
        ward.table = tables(&ward.memory).swap_remove(0);
        match sickness {
            Sickness::Unreadable => ward.faulty.break_file(&ward.table),
            Sickness::Damaged => {
                let mut bytes = ward.memory.read(&ward.table).unwrap();
                bytes[10] ^= 1;
                ward.memory.damage(&ward.table, bytes).unwrap();
            }
        }
        ward
    }

    fn open(&self, background: Background) -> Db {
        let options = Options {
            vfs: Arc::new(self.faulty.clone()),
            background,
            table_reads: TableReads::Pread,
            block_cache_bytes: 0,
            ..Options::default()
        };
        let options = options.family("sick", tiny()).family("well", tiny());
        Db::open("db", options.listener(self.ends.clone())).unwrap()
    }
}

fn of_family(db: &Db, name: &str) -> FamilyStatistics {
    let mut families = db.statistics().families.into_iter();
    families.find(|family| family.name == name).unwrap()
}

fn level0(db: &Db, name: &str) -> u64 {
    of_family(db, name).levels[0].tables
}

/// Writes the same keys in every round, so that tables overlap and have to be merged.
fn write_to_well(db: &Db, rounds: usize) {
    let well = db.family("well").unwrap();
    for at in 0..rounds {
        well.put([(at % 50) as u8], [at as u8; 100]).unwrap();
    }
}

#[test]
fn a_family_whose_compaction_fails_keeps_no_other_from_its_own() {
    for sickness in [Sickness::Unreadable, Sickness::Damaged] {
        // More than the other family ever has, so this one is the neediest.
        let ward = Ward::new(STOP - 1, sickness);
        let since = Instant::now();
        let db = ward.open(Background::Threads);
        wait_until("a compaction fails", || ward.ends.count("sick", true) > 0);
        write_to_well(&db, 3_000);
        wait_until("the other is compacted", || level0(&db, "well") < 4);
        assert!(ward.ends.count("well", false) > 3, "{sickness:?}");
        // It was tried now and then, and each failure was reported.
        let tries = ward.ends.count("sick", true) as u128;
        let most = 1 + since.elapsed().as_millis() / 1_000;
        assert!(tries <= most, "{sickness:?}: {tries} tries");
        let failure = of_family(&db, "sick").compaction_failure.unwrap();
        let name = ward.table.to_str().unwrap();
        assert!(failure.contains(name), "{failure}");
        assert!(db.statistics().to_string().contains(&failure));
        assert_eq!(of_family(&db, "well").compaction_failure, None);
        if sickness == Sickness::Damaged {
            continue;
        }
        ward.faulty.heal();
        wait_until("it is tried by itself", || {
            level0(&db, "sick") < 4 && of_family(&db, "sick").compaction_failure.is_none()
        });
        assert_eq!(db.family("sick").unwrap().iter().count(), 4);
    }
}

#[test]
fn only_writers_of_the_family_whose_level_0_is_full_are_stopped() {
    let ward = Ward::new(STOP, Sickness::Unreadable);
    let db = ward.open(Background::Threads);
    let (sick, well) = (db.family("sick").unwrap(), db.family("well").unwrap());
    wait_until("a compaction fails", || ward.ends.count("sick", true) > 0);
    let of_both = || {
        let mut batch = WriteBatch::new();
        batch.put(&well, "both", "v");
        batch.put(&sick, "both", "v");
        db.write(batch, WriteOptions::default())
    };
    for at in 0..2_000_u32 {
        well.put((at % 50).to_be_bytes(), [at as u8; 100]).unwrap();
        if at % 100 == 0 {
            for refused in [sick.put("key", "v"), of_both()] {
                let error = refused.unwrap_err();
                let is_of_table = |path: &Path| path == ward.table;
                assert!(
                    matches!(&error, Error::Io { path, .. } if is_of_table(path)),
                    "{error}"
                );
            }
        }
    }
    assert_eq!(well.get("both").unwrap(), None);
    assert_eq!(level0(&db, "sick"), STOP);
    ward.faulty.heal();
    wait_until("there is space", || sick.put("key", "v").is_ok());
    of_both().unwrap();
}

/// One writer waits in the queue behind another, and must not be written along with it.
#[test]
fn a_writer_that_is_stopped_gets_the_error_whoever_leads() {
    let ward = Ward::new(STOP, Sickness::Unreadable);
    let db = ward.open(Background::Threads);
    let (sick, well) = (db.family("sick").unwrap(), db.family("well").unwrap());
    wait_until("a compaction fails", || ward.ends.count("sick", true) > 0);
    std::thread::scope(|scope| {
        for writer in 0..4_u8 {
            let (sick, well) = (sick.clone(), well.clone());
            scope.spawn(move || {
                for at in 0..1_000_u32 {
                    match writer % 2 {
                        0 => well
                            .put([&[writer], &at.to_be_bytes()[..]].concat(), "v")
                            .unwrap(),
                        _ => _ = sick.put(at.to_be_bytes(), "v").unwrap_err(),
                    }
                }
            });
        }
    });
    assert_eq!(well.iter().count(), 2_000);
}

#[test]
fn by_hand_the_failing_family_comes_behind_the_others() {
    let ward = Ward::new(STOP, Sickness::Unreadable);
    let db = ward.open(Background::Manual);
    for _ in 0..4 {
        write_to_well(&db, 10);
        db.flush().unwrap();
    }
    assert_eq!(level0(&db, "well"), 4);
    db.step().unwrap_err();
    assert!(db.step().unwrap());
    assert_eq!(level0(&db, "well"), 0);
    db.step().unwrap_err();
    // A writer to this family gets its error; others do not.
    write_to_well(&db, 500);
    let error = db.family("sick").unwrap().put("key", "v").unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    ward.faulty.heal();
    db.family("sick").unwrap().put("key", "v").unwrap();
    assert!(level0(&db, "sick") < STOP);
}

#[test]
fn a_compaction_of_everything_rewrites_the_families_that_it_can() {
    let ward = Ward::new(4, Sickness::Damaged);
    let db = ward.open(Background::Manual);
    for _ in 0..2 {
        write_to_well(&db, 60);
        db.flush().unwrap();
    }
    assert!(level0(&db, "well") > 1);
    let error = db.compact().unwrap_err();
    assert!(matches!(error, Error::Corruption { .. }), "{error}");
    assert_eq!(level0(&db, "well"), 0);
    assert_eq!(level0(&db, "sick"), 4);
}
