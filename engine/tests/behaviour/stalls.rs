//! The stages of a stall: while compaction is held up, level 0 does not grow without end, and
//! writers continue once it moves again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use engine::vfs::MemoryVfs;
use engine::{Db, Event, FamilyOptions, Options, Stall};

use crate::support::waiting::{Gate, wait_until};
use crate::support::{Recorder, tiny};

/// What the listener hears when a writer waits.
const STOPPED: Event = Event::StallBegun {
    stall: Stall::Level0Stop,
};
/// Whoever is to wait is watched for so long.
const A_WHILE: Duration = Duration::from_millis(300);

#[test]
fn writers_wait_for_a_compaction_and_go_on_after_it() {
    let (db, gate, recorder) = held_up(tiny());
    let written = AtomicU64::new(0);
    const WRITES: u64 = 4_000;
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for at in 0..WRITES {
                // The same keys again and again, so that tables overlap and must be merged.
                db.put((at % 50).to_be_bytes(), [at as u8; 60]).unwrap();
                written.fetch_add(1, Ordering::SeqCst);
            }
        });
        wait_until("the writer is stopped", || {
            recorder.has_heard(&STOPPED) || writer.is_finished()
        });
        gate.wait_until_reached();
        let stopped_at = written.load(Ordering::SeqCst);
        thread::sleep(A_WHILE);
        let later = written.load(Ordering::SeqCst);
        gate.open();
        assert!(stopped_at < WRITES, "the writer was not stopped");
        assert_eq!(later, stopped_at, "a writer that is stopped waits");
    });
    assert_eq!(written.load(Ordering::SeqCst), WRITES);
    assert_eq!(db.default_family().iter().count(), 50);
}

/// A compaction begins at 4 tables in level 0, writers pause from 8 on, and wait from 12 on.
#[test]
fn a_compaction_begins_at_4_tables_writers_pause_from_8_on_and_wait_at_12() {
    let (db, gate, recorder) = held_up(FamilyOptions::default());
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
        if tables == 3 {
            gate.wait_until_reached();
        }
    }
    let is_written = AtomicU64::new(0);
    let waits = thread::scope(|scope| {
        scope.spawn(|| {
            db.put("key", "v").unwrap();
            is_written.store(1, Ordering::SeqCst);
        });
        let is_done = || is_written.load(Ordering::SeqCst) == 1;
        wait_until("the write waits", || {
            recorder.has_heard(&STOPPED) || is_done()
        });
        thread::sleep(A_WHILE);
        let waits = !is_done();
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

/// A database whose compactions wait at a gate, and who hears what happens in it.
fn held_up(family: FamilyOptions) -> (Db, Arc<Gate>, Arc<Recorder>) {
    let (gate, recorder) = (Arc::new(Gate::default()), Arc::new(Recorder::default()));
    let family = FamilyOptions {
        compaction_filter: Some(gate.clone()),
        ..family
    };
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        ..Options::default()
    };
    let options = options.family("default", family).listener(recorder.clone());
    (Db::open("db", options).unwrap(), gate, recorder)
}
