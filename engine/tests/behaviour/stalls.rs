//! The stages of a stall: while compaction is held up, level 0 does not grow without end, and
//! writers continue once it moves again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::vfs::MemoryVfs;
use engine::{Db, FamilyOptions, Options};

use crate::support::{Gate, tiny};

#[test]
fn writers_wait_for_a_compaction_and_go_on_after_it() {
    let gate = Arc::new(Gate::default());
    let family = FamilyOptions {
        compaction_filter: Some(gate.clone()),
        ..tiny()
    };
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        ..Options::default()
    };
    let db = Db::open("db", options.family("default", family)).unwrap();
    let written = AtomicU64::new(0);
    const WRITES: u64 = 4_000;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in 0..WRITES {
                // The same keys again and again, so that tables overlap and must be merged.
                db.put((at % 50).to_be_bytes(), [at as u8; 60]).unwrap();
                written.fetch_add(1, Ordering::SeqCst);
            }
        });
        let stopped_at = until_it_stands_still(&written, WRITES);
        let held_up = gate.is_reached();
        // Opened before anything is asserted: a panic would wait for the writer for ever.
        gate.open();
        assert!(held_up, "a compaction is held up");
        assert!(stopped_at < WRITES, "writers were not stopped");
    });
    assert_eq!(written.load(Ordering::SeqCst), WRITES);
    assert_eq!(db.default_family().iter().count(), 50);
}

/// A compaction begins at 4 tables in level 0, writers pause from 8 on, and wait from 12 on.
#[test]
fn a_compaction_begins_at_4_tables_writers_pause_from_8_on_and_wait_at_12() {
    let gate = Arc::new(Gate::default());
    let family = FamilyOptions {
        compaction_filter: Some(gate.clone()),
        ..FamilyOptions::default()
    };
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        ..Options::default()
    };
    let db = Db::open("db", options.family("default", family)).unwrap();
    // Longer than what is written between two pauses.
    let value = vec![b'v'; 70 << 10];
    let mut seen = Vec::new();
    for tables in 0..12 {
        // The first write in front of a pause is counted, the second one pauses.
        db.put("key", &value).unwrap();
        db.put("key", &value).unwrap();
        let statistics = db.statistics();
        seen.push((
            statistics.families[0].levels[0].tables,
            gate.is_reached(),
            statistics.slowed.count > 0,
            statistics.stopped.count > 0,
        ));
        db.flush().unwrap();
        let deadline = Instant::now() + Duration::from_secs(120);
        while tables == 3 && !gate.is_reached() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let is_written = AtomicU64::new(0);
    let waits = std::thread::scope(|scope| {
        scope.spawn(|| {
            db.put("key", "v").unwrap();
            is_written.store(1, Ordering::SeqCst);
        });
        let waits = until_it_stands_still(&is_written, 1) == 0;
        gate.open();
        waits
    });
    let expected: Vec<_> = (0..12)
        .map(|tables| (tables, tables >= 4, tables >= 8, false))
        .collect();
    assert_eq!(
        seen, expected,
        "tables, whether one compacts, pauses, waits"
    );
    assert!(waits, "a write at 12 tables did not wait");
}

/// The number of writes, once it has not grown for a while or all are written.
fn until_it_stands_still(written: &AtomicU64, all: u64) -> u64 {
    let mut last = (written.load(Ordering::SeqCst), Instant::now());
    while last.0 < all && last.1.elapsed() < Duration::from_millis(600) {
        std::thread::sleep(Duration::from_millis(20));
        let now = written.load(Ordering::SeqCst);
        if now != last.0 {
            last = (now, Instant::now());
        }
    }
    last.0
}
