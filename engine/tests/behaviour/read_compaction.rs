//! A store that is read much and written little is merged for its readers: once, never while others
//! write, and only where the readers lost more than the merge costs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use engine::{
    Background, Cursor, Db, Event, EventListener, Family, FamilyOptions, FamilyStatistics, Options,
    Reason, Strategy,
};
use parking_lot::Mutex;

use crate::support::waiting::{Gate, wait_until, wait_until_closing};
use crate::support::{ample, of_default};

const KEYS: u32 = 200;
/// Enough gets to lose several times what it costs to merge the few rows of these tests.
const MANY_READS: u32 = 30_000;

fn open(family: FamilyOptions) -> Db {
    let options = of_default(Arc::new(MemoryVfs::new()), Background::Manual, family);
    Db::open("db", options).unwrap()
}

fn key(at: u32) -> [u8; 4] {
    at.to_be_bytes()
}

/// Two tables in level 0 and a memtable, each of which has every third key.
fn fill(db: &Db, family: &Family) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut model = BTreeMap::new();
    for round in 0..3 {
        for at in (0..KEYS).filter(|at| at % 3 == round) {
            family.put(key(at), [round as u8; 40]).unwrap();
            model.insert(key(at).to_vec(), vec![round as u8; 40]);
        }
        if round < 2 {
            db.flush().unwrap();
        }
    }
    model
}

fn statistics(db: &Db, family: usize) -> FamilyStatistics {
    db.statistics().families.swap_remove(family)
}

/// The numbers of tables in level 0, and in deeper levels.
fn tables(db: &Db) -> (u64, u64) {
    let levels = statistics(db, 0).levels;
    let deeper = levels[1..].iter().map(|level| level.tables).sum();
    (levels[0].tables, deeper)
}

/// Does all the work that is waiting; returns how many pieces there were.
fn work(db: &Db) -> usize {
    (0..).take_while(|_| db.step().unwrap()).count()
}

/// Reads and works, several times over.
fn read_and_work(db: &Db, read: impl Fn()) -> usize {
    let rounds = (0..5).map(|_| {
        read();
        work(db)
    });
    rounds.sum()
}

fn gets(family: &Family) {
    for at in 0..MANY_READS {
        assert!(family.get(key(at % KEYS)).unwrap().is_some());
    }
}

fn seek_each(family: &Family, backward: bool) {
    for at in 0..MANY_READS / 10 {
        let mut cursor = family.cursor().unwrap();
        match backward {
            false => cursor.seek(key(at % KEYS)).unwrap(),
            true => cursor.seek_for_prev(key(at % KEYS)).unwrap(),
        }
        assert!(cursor.valid());
    }
}

fn scan_long(family: &Family) {
    for _ in 0..MANY_READS / KEYS {
        assert_eq!(family.iter().count(), KEYS as usize);
        assert_eq!(family.iter().rev().count(), KEYS as usize);
    }
    // What a cursor lost is charged when it is dropped, and weighed when the next one is made.
    drop(family.cursor().unwrap());
}

#[test]
fn every_kind_of_reading_that_merges_is_spared_it() {
    type Read = fn(&Db, &Family);
    let kinds: [(&str, Read); 8] = [
        ("gets", |_, family| gets(family)),
        ("missing keys", |_, family| {
            (0..MANY_READS).for_each(|at| assert!(family.get([at as u8]).unwrap().is_none()));
        }),
        ("gets of a snapshot", |db, family| {
            let snapshot = db.snapshot();
            (0..MANY_READS).for_each(|at| _ = snapshot.get(family, key(at % KEYS)).unwrap());
        }),
        ("many keys at once", |_, family| {
            let keys: Vec<_> = (0..KEYS).map(key).collect();
            (0..MANY_READS / KEYS).for_each(|_| _ = family.get_many(&keys).unwrap());
        }),
        ("a cursor for each seek", |_, family| {
            seek_each(family, false);
        }),
        ("a cursor for each seek back", |_, family| {
            seek_each(family, true);
        }),
        ("many seeks of one cursor", |_, family| {
            let mut cursor = family.cursor().unwrap();
            (0..MANY_READS).for_each(|at| cursor.seek(key(at % KEYS)).unwrap());
        }),
        ("long scans", |_, family| scan_long(family)),
    ];
    for (name, read) in kinds {
        let db = open(ample());
        let family = db.default_family();
        let model = fill(&db, &family);
        assert_eq!(work(&db), 0, "{name}: the shape is as it should be");
        assert!(read_and_work(&db, || read(&db, &family)) > 0, "{name}");
        let after = statistics(&db, 0);
        assert_eq!(after.levels[0].tables, 0, "{name}");
        assert_eq!(after.levels[1].entries, u64::from(KEYS), "{name}");
        assert_eq!(
            (
                after.flushes,
                after.compactions,
                after.compactions_for_reads
            ),
            (3, 1, 1),
            "{name}"
        );
        let rows: engine::Result<BTreeMap<_, _>> = family.iter().collect();
        assert_eq!(rows.unwrap(), model, "{name}");
        // There is one run now, so nothing can be saved.
        assert_eq!(read_and_work(&db, || read(&db, &family)), 0, "{name}");
    }
}

#[test]
fn little_reading_is_not_worth_it() {
    let db = open(ample());
    fill(&db, &db.default_family());
    for at in 0..KEYS {
        db.get(key(at)).unwrap();
    }
    assert_eq!(work(&db), 0);
    assert_eq!(tables(&db), (2, 0));
}

#[test]
fn one_run_is_left_alone_wherever_it_lies() {
    let db = open(ample());
    let family = db.default_family();
    for at in 0..KEYS {
        family.put(key(at), "in the memtable").unwrap();
    }
    let read = || {
        gets(&family);
        seek_each(&family, true);
        scan_long(&family);
    };
    assert_eq!(read_and_work(&db, read), 0);
    db.flush().unwrap();
    assert_eq!(read_and_work(&db, read), 0);
    assert_eq!(tables(&db), (1, 0), "in a table of level 0");
    db.compact().unwrap();
    assert_eq!(read_and_work(&db, read), 0);
    assert_eq!(statistics(&db, 0).compactions_for_reads, 0);
}

/// Entries that do not show cost a cursor time, even if there is one run. Afterwards none is left.
#[test]
fn what_cursors_pass_is_removed_for_them() {
    type Write = fn(&Family);
    type Walk = fn(&mut Cursor) -> engine::Result<()>;
    fn delete(family: &Family, keys: std::ops::Range<u32>) {
        keys.for_each(|at| family.delete(key(at)).unwrap());
    }
    fn overwrite(family: &Family) {
        (0..50 * KEYS).for_each(|at| family.put(key(at % KEYS), "again").unwrap());
    }
    let cases: [(&str, Write, Walk, u64); 6] = [
        (
            "the first row of a queue",
            |family| delete(family, 0..KEYS - 1),
            Cursor::seek_to_first,
            1,
        ),
        (
            "the last row of a stack",
            |family| delete(family, 1..KEYS),
            Cursor::seek_to_last,
            1,
        ),
        (
            "a step over a gap",
            |family| delete(family, 1..KEYS - 1),
            |cursor| {
                cursor.seek_to_first()?;
                cursor.next()
            },
            2,
        ),
        (
            "a range that was deleted",
            |family| family.delete_range(key(0)..key(KEYS - 1)).unwrap(),
            Cursor::seek_to_first,
            1,
        ),
        (
            "old versions",
            overwrite,
            |cursor| {
                cursor.seek_to_first()?;
                cursor.visit(|_, _| true)
            },
            u64::from(KEYS),
        ),
        (
            "old versions, backward",
            overwrite,
            |cursor| {
                cursor.seek_to_last()?;
                while cursor.valid() {
                    cursor.prev()?;
                }
                Ok(())
            },
            u64::from(KEYS),
        ),
    ];
    for (name, write, walk, rows) in cases {
        let db = open(ample());
        let family = db.default_family();
        (0..KEYS).for_each(|at| family.put(key(at), [1; 40]).unwrap());
        write(&family);
        assert_eq!(work(&db), 0, "{name}");
        let read = || {
            for _ in 0..MANY_READS / 10 {
                walk(&mut family.cursor().unwrap()).unwrap();
            }
        };
        assert!(read_and_work(&db, read) > 0, "{name}");
        let levels = statistics(&db, 0).levels;
        let entries: u64 = levels.iter().map(|level| level.entries).sum();
        assert_eq!(entries, rows, "{name}");
        assert_eq!(read_and_work(&db, read), 0, "{name}");
    }
}

/// 5,000 rows in seven tables of level 2, and above them the tombstones of those that are `gone`.
fn emptied_of(gone: impl Iterator<Item = u32>) -> Db {
    const ROWS: u32 = 5_000;
    let db = open(FamilyOptions {
        level_base_bytes: 200 << 10,
        target_file_bytes: 100 << 10,
        ..ample()
    });
    let family = db.default_family();
    for parity in 0..2 {
        let rows = (parity..ROWS).step_by(2);
        rows.for_each(|at| family.put(key(at), [1; 100]).unwrap());
        db.flush().unwrap();
    }
    db.compact().unwrap();
    for at in gone {
        family.delete(key(at)).unwrap();
    }
    db.flush().unwrap();
    let levels = statistics(&db, 0).levels;
    let rows = (levels[2].tables, levels[2].entries);
    assert_eq!(
        (levels[0].tables, levels[1].tables, rows),
        (1, 0, (7, u64::from(ROWS)))
    );
    db
}

fn entries(db: &Db) -> u64 {
    let levels = statistics(db, 0).levels;
    levels.iter().map(|level| level.entries).sum()
}

/// A store that is emptied from one of its ends has tombstones in front of what is left.
#[test]
fn tombstones_of_deeper_levels_are_removed_for_cursors() {
    type Walk = fn(&mut Cursor) -> engine::Result<()>;
    let cases: [(std::ops::Range<u32>, Walk); 3] = [
        (0..1_500, Cursor::seek_to_first),
        (3_500..5_000, Cursor::seek_to_last),
        (2_000..3_500, |cursor| cursor.seek(key(2_000))),
    ];
    for (gone, walk) in cases {
        let db = emptied_of(gone.clone());
        let family = db.default_family();
        let read = || {
            for _ in 0..200 {
                walk(&mut family.cursor().unwrap()).unwrap();
            }
        };
        assert!(read_and_work(&db, read) > 0, "{gone:?}");
        assert_eq!(entries(&db), 3_500, "{gone:?}");
        assert_eq!(family.iter().count(), 3_500, "{gone:?}");
        assert_eq!(read_and_work(&db, read), 0, "{gone:?}");
    }
}

/// A store that is emptied slowly leaves one small table of tombstones beside the other. None alone is worth it.
#[test]
fn small_tables_of_tombstones_go_together() {
    const AT_A_TIME: u32 = 60;
    let db = emptied_of(0..AT_A_TIME);
    let family = db.default_family();
    for gone in 1..6 {
        for at in 0..AT_A_TIME {
            family.delete(key(gone * AT_A_TIME + at)).unwrap();
        }
        db.flush().unwrap();
        read_and_work(&db, || {
            for _ in 0..1_000 {
                family.cursor().unwrap().seek_to_first().unwrap();
            }
        });
    }
    let levels = statistics(&db, 0).levels;
    assert_eq!(levels[0].tables, 0);
    assert!(levels[1].tables < 2, "{}", levels[1].tables);
}

/// For each tombstone that goes, no more is written than leveled compaction writes for a row.
#[test]
fn a_few_tombstones_do_not_have_many_rows_rewritten() {
    let db = emptied_of((0..5_000).step_by(25));
    let family = db.default_family();
    let read = || (0..200).for_each(|_| assert_eq!(family.iter().count(), 4_800));
    read_and_work(&db, read);
    let levels = statistics(&db, 0).levels;
    assert_eq!((levels[1].entries, levels[2].entries), (200, 5_000));
}

/// A table of a deeper level is not merged for its readers while others write more than they lose.
#[test]
fn tombstones_of_deeper_levels_stay_while_others_write() {
    let db = emptied_of(0..1_500);
    let family = db.default_family();
    let look = || {
        let mut cursor = family.cursor().unwrap();
        cursor.seek_to_first().unwrap();
        assert_eq!(cursor.key(), key(1_500));
    };
    while tables(&db).0 > 0 {
        look();
        work(&db);
    }
    assert_eq!(statistics(&db, 0).levels[1].entries, 1_500);
    let read = || {
        for _ in 0..200 {
            look();
            (0..10).for_each(|at| family.put(key(5_000 + at), "busy").unwrap());
        }
    };
    assert_eq!(read_and_work(&db, read), 0);
    assert!(read_and_work(&db, || (0..200).for_each(|_| look())) > 0);
    assert_eq!(statistics(&db, 0).levels[1].entries, 0);
}

/// What a snapshot needs stays. It is moved down once; there it is not charged, whatever is written above it. When the
/// snapshot is gone, it goes.
#[test]
fn what_cannot_be_removed_is_moved_down_once() {
    const ROWS: u32 = 5_000;
    let db = open(ample());
    let family = db.default_family();
    (0..ROWS).for_each(|at| family.put(key(at), "v").unwrap());
    db.flush().unwrap();
    let snapshot = db.snapshot();
    (0..ROWS - 1).for_each(|at| family.delete(key(at)).unwrap());
    // So few that the merging itself is not worth it.
    let read = || {
        for _ in 0..100 {
            let mut cursor = family.cursor().unwrap();
            cursor.seek_to_first().unwrap();
            assert_eq!(cursor.key(), key(ROWS - 1));
        }
    };
    assert!(read_and_work(&db, read) > 0);
    assert_eq!(tables(&db).0, 0);
    // Enough to be merged with that level.
    family.put(key(ROWS), [1; 300 << 10]).unwrap();
    assert_eq!(read_and_work(&db, read), 0);
    assert_eq!(snapshot.iter(&family).count(), ROWS as usize);
    drop(snapshot);
    assert!(read_and_work(&db, read) > 0);
    // The other row is in memory.
    assert_eq!(entries(&db), 1);
    assert_eq!(read_and_work(&db, read), 0);
}

/// A reader of an old snapshot passes what is newer. No compaction would save it that.
#[test]
fn what_is_too_new_for_a_reader_is_not_charged() {
    let db = open(ample());
    let family = db.default_family();
    (0..KEYS).for_each(|at| family.put(key(at), "old").unwrap());
    let snapshot = db.snapshot();
    (0..5 * KEYS).for_each(|at| family.put(key(at % KEYS), "new").unwrap());
    let read = || {
        for _ in 0..MANY_READS / KEYS {
            assert_eq!(snapshot.iter(&family).count(), KEYS as usize);
            assert_eq!(snapshot.iter(&family).rev().count(), KEYS as usize);
        }
        drop(family.cursor().unwrap());
    };
    assert_eq!(read_and_work(&db, read), 0);
}

/// A queue in which each row is written, read and deleted: without a flush the way to its first row grows for ever.
#[test]
fn a_queue_does_not_grow_slower_and_slower() {
    let db = open(ample());
    let family = db.default_family();
    let mut work_done = 0;
    for at in 0..8_000 {
        family.put(key(at), [1; 40]).unwrap();
        let mut cursor = family.cursor().unwrap();
        cursor.seek_to_first().unwrap();
        assert_eq!(cursor.key(), key(at));
        drop(cursor);
        family.delete(key(at)).unwrap();
        work_done += work(&db);
    }
    assert!(work_done > 0);
    // As few as are worth it.
    let flushes = statistics(&db, 0).flushes;
    assert!((1..16).contains(&flushes), "{flushes}");
}

/// Level 1 may be as full as it likes: what does not overlap the queue is not rewritten for it.
#[test]
fn a_queue_beside_much_else_does_not_grow_slower_either() {
    let db = open(ample());
    let family = db.default_family();
    (0..6_000).for_each(|at| family.put(key(1_000_000 + at), [1; 100]).unwrap());
    db.compact().unwrap();
    let level1 = statistics(&db, 0).levels[1].bytes;
    for at in 0..500 {
        family.put(key(at), [1; 40]).unwrap();
        family.delete(key(at)).unwrap();
    }
    let look = || {
        for _ in 0..1_000 {
            let mut cursor = family.cursor().unwrap();
            cursor.seek_to_first().unwrap();
            assert_eq!(cursor.key(), key(1_000_000));
        }
    };
    assert!(read_and_work(&db, look) > 0);
    // Nothing is below the queue, so nothing is left of it.
    let after = statistics(&db, 0).levels;
    assert_eq!((after[0].tables, after[1].bytes), (0, level1));
    // What does overlap much is left alone, as a trickle is.
    (0..6_000)
        .step_by(60)
        .for_each(|at| family.delete(key(1_000_000 + at)).unwrap());
    assert_eq!(
        read_and_work(&db, || (0..2_000).for_each(|_| _ = family.iter().next())),
        0
    );
}

#[test]
fn reads_beside_writes_do_not_ask_for_it() {
    let db = open(ample());
    let family = db.default_family();
    fill(&db, &family);
    let read = || {
        for at in 0..MANY_READS {
            family.get(key(at % KEYS)).unwrap();
            if at % 30 == 0 {
                family.put(key(at % KEYS), "again").unwrap();
            }
        }
    };
    assert_eq!(read_and_work(&db, read), 0);
    // As soon as the writer rests, tables are merged.
    assert!(read_and_work(&db, || gets(&family)) > 0);
    assert_eq!(tables(&db).0, 0);
}

#[test]
fn a_little_that_is_new_does_not_have_a_whole_level_rewritten() {
    let db = open(FamilyOptions {
        level_multiplier: 10,
        ..ample()
    });
    let family = db.default_family();
    let put = |from: u32, to: u32| (from..to).for_each(|at| family.put(key(at), [7; 400]).unwrap());
    put(0, 1_500);
    db.compact().unwrap();
    put(0, 5);
    assert_eq!(read_and_work(&db, || gets(&family)), 0);
    // New rows that make up a fifth of the level do.
    put(KEYS, KEYS + 300);
    assert!(read_and_work(&db, || gets(&family)) > 0);
    let after = statistics(&db, 0);
    assert_eq!(after.compactions_for_reads, 1);
    assert_eq!(after.levels[0].tables, 0);
}

#[test]
fn only_what_its_readers_merge_is_merged() {
    let options = of_default(Arc::new(MemoryVfs::new()), Background::Manual, ample());
    let db = Db::open("db", options.family("other", ample())).unwrap();
    let (read, unread) = (db.default_family(), db.family("other").unwrap());
    for round in 0..2 {
        for at in 0..KEYS {
            unread.put(key(at), [round; 40]).unwrap();
        }
        db.flush().unwrap();
    }
    fill(&db, &read);
    unread.put("in memory", "still").unwrap();
    assert!(read_and_work(&db, || gets(&read)) > 0);
    let (first, other) = (statistics(&db, 0), statistics(&db, 1));
    assert_eq!(
        (first.levels[0].tables, first.compactions_for_reads),
        (0, 1)
    );
    // One log covers the memtables of both.
    assert_eq!((other.levels[0].tables, other.compactions), (2 + 1, 0));
}

#[test]
fn it_can_be_switched_off_and_tiered_families_keep_their_runs() {
    let off = Options {
        read_compaction: false,
        ..of_default(Arc::new(MemoryVfs::new()), Background::Manual, ample())
    };
    let tiered = FamilyOptions {
        strategy: Strategy::Tiered,
        ..ample()
    };
    let tiered = of_default(Arc::new(MemoryVfs::new()), Background::Manual, tiered);
    for options in [off, tiered] {
        let db = Db::open("db", options).unwrap();
        let family = db.default_family();
        fill(&db, &family);
        let read = || {
            gets(&family);
            seek_each(&family, false);
        };
        assert_eq!(read_and_work(&db, read), 0);
        assert_eq!(tables(&db), (2, 0));
    }
}

#[test]
fn snapshots_keep_what_they_see() {
    let db = open(ample());
    let family = db.default_family();
    let model = fill(&db, &family);
    let snapshot = db.snapshot();
    for at in 0..KEYS {
        family.put(key(at), "newer").unwrap();
    }
    let mut cursor = snapshot.cursor(&family).unwrap();
    cursor.seek_to_first().unwrap();
    assert!(
        read_and_work(&db, || gets(&family)) > 0 || read_and_work(&db, || scan_long(&family)) > 0
    );
    assert_eq!(tables(&db).0, 0);
    let rows: engine::Result<BTreeMap<_, _>> = snapshot.iter(&family).collect();
    assert_eq!(rows.unwrap(), model);
    let mut seen = 0;
    while cursor.valid() {
        assert_eq!(cursor.value(), model[cursor.key()]);
        seen += 1;
        cursor.next().unwrap();
    }
    assert_eq!(seen, model.len());
    assert_eq!(family.get(key(0)).unwrap().as_deref(), Some(&b"newer"[..]));
}

/// The reasons of all compactions that began.
#[derive(Default)]
struct Reasons(Mutex<Vec<Reason>>);

impl EventListener for Reasons {
    fn on_event(&self, event: &Event) {
        if let Event::CompactionBegun { reason, .. } = event {
            self.0.lock().push(*reason);
        }
    }
}

#[test]
fn threads_do_it_by_themselves_and_say_why() {
    let reasons = Arc::new(Reasons::default());
    let options = of_default(Arc::new(MemoryVfs::new()), Background::Threads, ample());
    let db = Db::open("db", options.listener(reasons.clone())).unwrap();
    let family = db.default_family();
    let model = fill(&db, &family);
    wait_until("it is compacted", || {
        gets(&family);
        tables(&db).0 == 0
    });
    (0..5).for_each(|_| gets(&family));
    assert_eq!(*reasons.0.lock(), [Reason::Reads], "once, and no more");
    let rows: engine::Result<BTreeMap<_, _>> = family.iter().collect();
    assert_eq!(rows.unwrap(), model);
}

#[test]
fn beside_a_busy_writer_nothing_is_merged_for_readers() {
    let options = of_default(
        Arc::new(MemoryVfs::new()),
        Background::Threads,
        FamilyOptions {
            write_buffer_bytes: 256 << 10,
            ..ample()
        },
    );
    let db = Db::open("db", options).unwrap();
    let family = db.default_family();
    fill(&db, &family);
    // One thread does both, because a separate writer may be kept from the processor for long
    // enough to pay for a merge.
    let mut at = 0_u32;
    wait_until("the write buffer is flushed", || {
        for read in 0..MANY_READS {
            assert!(family.get(key(read % KEYS)).unwrap().is_some());
            if read % 10 == 0 {
                family.put(key(at % 5_000), [at as u8; 60]).unwrap();
                at += 1;
            }
        }
        statistics(&db, 0).flushes > 3
    });
    let after = statistics(&db, 0);
    assert_eq!(after.compactions_for_reads, 0, "{after}");
}

#[test]
fn closing_ends_it_and_nothing_has_changed() {
    let vfs = MemoryVfs::new();
    let gate = Arc::new(Gate::default());
    let family = FamilyOptions {
        compaction_filter: Some(gate.clone()),
        ..ample()
    };
    let db = Db::open(
        "db",
        of_default(Arc::new(vfs.clone()), Background::Threads, family),
    )
    .unwrap();
    let family = db.default_family();
    let model = fill(&db, &family);
    wait_until("a compaction is held up", || {
        gets(&family);
        gate.is_reached()
    });
    std::thread::scope(|scope| {
        let closed = scope.spawn(|| db.close());
        wait_until_closing(&db);
        gate.open();
        closed.join().unwrap().unwrap();
    });
    drop((db, family));
    let written = vfs.list(Path::new("db")).unwrap();
    let tables_left = written
        .iter()
        .filter(|name| name.to_str().unwrap().ends_with(".sst"));
    assert_eq!(tables_left.count(), 3, "flushed, and not merged");
    let db = Db::open("db", of_default(Arc::new(vfs), Background::Manual, ample())).unwrap();
    let rows: engine::Result<BTreeMap<_, _>> = db.default_family().iter().collect();
    assert_eq!(rows.unwrap(), model);
}

#[test]
fn a_failure_leaves_the_old_version_and_is_paid_for_again() {
    let vfs = FaultVfs::new(Arc::new(MemoryVfs::new()));
    let options = of_default(Arc::new(vfs.clone()), Background::Manual, ample());
    let db = Db::open("db", options).unwrap();
    let family = db.default_family();
    let model = fill(&db, &family);
    db.flush().unwrap();
    vfs.limit_bytes(".sst", 100);
    let mut failures = 0;
    for _ in 0..5 {
        gets(&family);
        failures += usize::from(db.step().is_err());
        assert!(!db.step().unwrap(), "not without more reading");
    }
    assert!(failures > 0);
    assert_eq!(tables(&db), (3, 0));
    vfs.heal();
    assert!(read_and_work(&db, || gets(&family)) > 0);
    assert_eq!(tables(&db).0, 0);
    let rows: engine::Result<BTreeMap<_, _>> = family.iter().collect();
    assert_eq!(rows.unwrap(), model);
}

#[test]
fn a_poisoned_database_is_read_and_not_touched() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let options = of_default(Arc::new(vfs.clone()), Background::Threads, ample());
    let db = Db::open("db", options).unwrap();
    let family = db.default_family();
    fill(&db, &family);
    vfs.fail_nth(1, Fault::Io);
    db.write(
        {
            let mut batch = engine::WriteBatch::new();
            batch.put(&family, "k", "v");
            batch
        },
        engine::WriteOptions { sync: true },
    )
    .unwrap_err();
    vfs.heal();
    let before = memory.list(Path::new("db")).unwrap();
    (0..5).for_each(|_| gets(&family));
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(memory.list(Path::new("db")).unwrap(), before);
    assert_eq!(statistics(&db, 0).compactions_for_reads, 0);
}
