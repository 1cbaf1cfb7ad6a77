//! Statistics agree with what the file system saw: every byte of logs and tables is counted once,
//! at the level that it went to.

use std::path::Path;
use std::sync::{Arc, Barrier};

use engine::vfs::{FaultVfs, MemoryVfs, Vfs};
use engine::{Background, Db, Family, Options, Statistics, WriteBatch, WriteOptions};

use crate::support::{Dice, roomy, tiny};

fn options(vfs: Arc<dyn Vfs>, background: Background) -> Options {
    let options = Options {
        vfs,
        background,
        ..Options::default()
    };
    options.family("default", tiny()).family("other", tiny())
}

fn open(vfs: Arc<dyn Vfs>, background: Background) -> Db {
    Db::open("db", options(vfs, background)).unwrap()
}

/// Lengths of the files with this ending.
fn lengths(vfs: &MemoryVfs, ending: &str) -> Vec<u64> {
    let dir = Path::new("db");
    let names = vfs.list(dir).unwrap().into_iter();
    let names = names.filter(|name| name.to_str().unwrap().ends_with(ending));
    names
        .map(|name| vfs.len(&dir.join(name)).unwrap())
        .collect()
}

fn fill(family: &Family, dice: &mut Dice, writes: u64) {
    for _ in 0..writes {
        family
            .put(format!("{:05}", dice.below(400)), [7; 40])
            .unwrap();
    }
}

#[test]
fn tables_of_flushes_are_counted_to_the_byte() {
    let vfs = MemoryVfs::new();
    let db = open(Arc::new(vfs.clone()), Background::Manual);
    let family = db.default_family();
    fill(&family, &mut Dice::new(1), 30);
    db.flush().unwrap();
    fill(&family, &mut Dice::new(2), 30);
    db.flush().unwrap();
    let statistics = db.statistics();
    let default = &statistics.families[0];
    assert_eq!(default.name, "default");
    let on_disk = lengths(&vfs, ".sst");
    let level0 = default.levels[0];
    assert_eq!((default.flushes, level0.tables), (2, on_disk.len() as u64));
    assert_eq!(level0.bytes, on_disk.iter().sum::<u64>());
    assert_eq!(level0.bytes_written, level0.bytes);
    assert_eq!(default.write_amplification(), 1.0);
    assert_eq!(statistics.families[1].bytes_written(), 0);

    db.compact_range::<&[u8]>(&family, ..).unwrap();
    let after = &db.statistics().families[0];
    let level1 = after.levels[1];
    assert_eq!(level1.bytes, lengths(&vfs, ".sst").iter().sum::<u64>());
    assert_eq!(level1.bytes_written, level1.bytes);
    assert_eq!(after.levels[0].bytes_read, level0.bytes);
    assert_eq!((after.levels[0].tables, after.levels[0].bytes), (0, 0));
    assert_eq!((after.compactions, after.trivial_moves), (1, 0));
    let amplification = (level0.bytes + level1.bytes) as f64 / level0.bytes as f64;
    assert_eq!(after.write_amplification(), amplification);
    assert_eq!(level1.entries + after.dropped.total(), 60);
    assert_eq!(
        db.family("default").unwrap().iter().count() as u64,
        level1.entries
    );
}

#[test]
fn entries_and_bytes_add_up_after_many_compactions() {
    for background in [Background::Manual, Background::Threads] {
        let vfs = MemoryVfs::new();
        let db = open(Arc::new(vfs.clone()), background);
        let (default, other) = (db.default_family(), db.family("other").unwrap());
        let mut dice = Dice::new(5);
        fill(&default, &mut dice, 3_000);
        fill(&other, &mut dice, 500);
        db.flush().unwrap();
        while background == Background::Manual && db.step().unwrap() {}
        // Nothing is running any more, so nothing changes while the test looks.
        db.close().unwrap();
        let statistics = db.statistics();
        let held: u64 = statistics
            .families
            .iter()
            .flat_map(|f| &f.levels)
            .map(|l| l.bytes)
            .sum();
        assert!(statistics.families[0].compactions > 0, "{statistics}");
        assert_eq!(held, lengths(&vfs, ".sst").iter().sum::<u64>());
        for (family, written) in statistics.families.iter().zip([3_000, 500]) {
            let entries: u64 = family.levels.iter().map(|level| level.entries).sum();
            assert_eq!(entries + family.dropped.total(), written);
            let came: u64 = family.bytes_written();
            let went: u64 = family.levels.iter().map(|level| level.bytes_read).sum();
            assert!(family.flushes > 1, "{statistics}");
            let stays: u64 = family.levels.iter().map(|level| level.bytes).sum();
            assert_eq!(
                came - went,
                stays,
                "what is written is read again or still there"
            );
        }
    }
}

#[test]
fn the_log_is_counted_to_the_byte() {
    let vfs = MemoryVfs::new();
    let options = options(Arc::new(vfs.clone()), Background::Manual);
    let db = Db::open("db", roomy(options)).unwrap();
    let mut batch_bytes = 0;
    for at in 0..20_u8 {
        let mut batch = WriteBatch::new();
        for record in 0..=at {
            batch.put(&db.default_family(), [at, record], [at; 11]);
        }
        batch_bytes += batch.encoded_len() as u64;
        db.write(batch, WriteOptions { sync: at % 4 == 0 }).unwrap();
    }
    db.close().unwrap();
    let writes = db.statistics().writes;
    assert_eq!((writes.groups, writes.batches), (20, 20));
    assert_eq!((writes.records, writes.synced_groups), (210, 5));
    assert_eq!(writes.batch_bytes, batch_bytes);
    assert_eq!(
        db.statistics().families[0].flushes,
        0,
        "all logs are still there"
    );
    assert_eq!(lengths(&vfs, ".log").iter().sum::<u64>(), writes.log_bytes);
    assert!(writes.log_bytes > batch_bytes);
    let amplification = db.statistics().write_amplification();
    assert_eq!(amplification, writes.log_bytes as f64 / batch_bytes as f64);
}

#[test]
fn batches_of_many_threads_share_groups() {
    let db = open(Arc::new(MemoryVfs::new()), Background::Threads);
    const THREADS: u64 = 4;
    const EACH: u64 = 500;
    let barrier = Barrier::new(THREADS as usize);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (db, barrier) = (&db, &barrier);
            scope.spawn(move || {
                barrier.wait();
                for at in 0..EACH {
                    db.put([thread.to_be_bytes(), at.to_be_bytes()].concat(), "v")
                        .unwrap();
                }
            });
        }
    });
    let statistics = db.statistics();
    let writes = statistics.writes;
    assert_eq!(
        (writes.batches, writes.records),
        (THREADS * EACH, THREADS * EACH)
    );
    assert!(writes.groups >= 1 && writes.groups <= writes.batches);
    let mean = writes.batches as f64 / writes.groups as f64;
    assert_eq!(statistics.batches_per_group(), mean);
}

#[test]
fn tables_that_only_move_are_neither_read_nor_written() {
    let db = open(Arc::new(MemoryVfs::new()), Background::Manual);
    for at in 0..1_000_u32 {
        db.put(at.to_be_bytes(), [3; 40]).unwrap();
    }
    db.flush().unwrap();
    while db.step().unwrap() {}
    let default = &db.statistics().families[0];
    assert!(default.trivial_moves > 0, "ascending keys overlap nothing");
    assert_eq!(
        (default.compactions, default.write_amplification()),
        (0, 1.0)
    );
    assert!(default.levels[1].tables > 0);
    assert_eq!(default.levels[1].bytes_written, 0);
}

#[test]
fn what_failed_is_not_counted() {
    let vfs = FaultVfs::new(Arc::new(MemoryVfs::new()));
    let db = open(Arc::new(vfs.clone()), Background::Manual);
    db.put("k", "v").unwrap();
    vfs.fail_nth(3, engine::vfs::Fault::NoSpace); // New log, table, its contents.
    db.flush().unwrap_err();
    assert_eq!(db.statistics().families[0].flushes, 0);
    vfs.heal();
    db.flush().unwrap();
    assert_eq!(db.statistics().families[0].flushes, 1);
}

#[test]
fn it_prints_as_a_table() {
    let db = open(Arc::new(MemoryVfs::new()), Background::Manual);
    assert_eq!(Statistics::default().write_amplification(), 0.0);
    fill(&db.default_family(), &mut Dice::new(1), 39);
    db.flush().unwrap();
    fill(&db.default_family(), &mut Dice::new(2), 1);
    db.compact().unwrap();
    let printed = db.statistics().to_string();
    for part in [
        "family \"default\": 2 flushes, 1 compactions (0 for readers, 0 after snapshots), 0 trivial moves, write amplification ",
        "  level  tables     entries        bytes         read      written\n      0       0           0     0.00 MiB ",
        "\n      1       2          39 ",
        "writes  40 records in 40 batches, 1.00 batches a group, 0 of 40 groups synced",
        "stalls  slowed 0 times (0.0ns), stopped 0 times",
    ] {
        assert!(printed.contains(part), "{part:?} is missing in\n{printed}");
    }
}
