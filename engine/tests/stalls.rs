//! The stages of a stall: while compaction is held up, level 0 does not grow without end, and
//! writers continue once it moves again.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::vfs::MemoryVfs;
use engine::{Db, FamilyOptions, Options};
use support::{Gate, tiny};

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
