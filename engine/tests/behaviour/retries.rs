//! A flush or a compaction that fails leaves the old version in use, is reported, and is tried
//! again after a pause: without being asked, and not in a hot loop however often writers ask.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use engine::{Db, Event, EventListener, Options, Outcome};

use crate::support::tiny;
use crate::support::waiting::{PATIENCE, wait_until};

#[derive(Default)]
struct Ends {
    failed: AtomicU64,
    flushed: AtomicU64,
    compacted: AtomicU64,
}

impl EventListener for Ends {
    fn on_event(&self, event: &Event) {
        match event {
            Event::FlushEnded { outcome, .. } | Event::CompactionEnded { outcome, .. }
                if matches!(outcome, Outcome::Failed(_)) =>
            {
                self.failed.fetch_add(1, Ordering::SeqCst);
            }
            Event::FlushEnded { .. } => _ = self.flushed.fetch_add(1, Ordering::SeqCst),
            Event::CompactionEnded { .. } => _ = self.compacted.fetch_add(1, Ordering::SeqCst),
            _ => {}
        }
    }
}

fn open() -> (Db, FaultVfs, Arc<Ends>) {
    let vfs = FaultVfs::new(Arc::new(MemoryVfs::new()));
    let ends = Arc::new(Ends::default());
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    };
    let options = options.family("default", tiny()).listener(ends.clone());
    (Db::open("db", options).unwrap(), vfs, ends)
}

#[test]
fn a_full_disk_is_tried_now_and_then_and_work_goes_on_when_space_returns() {
    let (db, vfs, ends) = open();
    db.put("first", "v").unwrap();
    vfs.fail_nth(2, Fault::NoSpace); // The first is the new log.
    db.flush().unwrap_err();
    let (since, before) = (Instant::now(), ends.failed.load(Ordering::SeqCst));
    let mut asked = 0;
    let mut tries = 0;
    // On a busy machine callers may get to ask seldom for a while.
    let is_enough = |asked, tries| tries > 0 && asked > 3 * tries;
    while since.elapsed() < Duration::from_millis(600)
        || (!is_enough(asked, tries) && since.elapsed() < PATIENCE)
    {
        asked += u64::from(db.flush().is_err());
        tries = ends.failed.load(Ordering::SeqCst) - before;
    }
    let most = 1 + since.elapsed().as_millis() as u64 / 50;
    assert!(
        tries <= most,
        "{tries} tries, and at most {most} in that time"
    );
    assert!(
        is_enough(asked, tries),
        "callers asked {asked} times, and it was tried {tries} times"
    );
    assert_eq!(db.get("first").unwrap().as_deref(), Some(&b"v"[..]));
    vfs.heal();
    // Nobody asks any more.
    wait_until("a flush succeeds", || {
        ends.flushed.load(Ordering::SeqCst) > 0
    });
    assert_eq!(db.default_family().iter().count(), 1);
}

#[test]
fn a_compaction_that_fails_is_tried_again_by_itself() {
    let (db, vfs, ends) = open();
    // Four overlapping tables, and a disk that is full when they are merged.
    let gate = vfs.clone();
    let mut round = 0;
    while ends.failed.load(Ordering::SeqCst) == 0 {
        for at in 0..4_u8 {
            db.put([at], [round; 200]).unwrap();
        }
        db.flush().unwrap();
        round += 1;
        if db.statistics().families[0].levels[0].tables == 3 {
            for at in 0..4_u8 {
                db.put([at], [round; 200]).unwrap();
            }
            // Room for one more table as large as the others, but not for what the merge of four of
            // them writes.
            let level0 = db.statistics().families[0].levels[0].bytes;
            gate.limit_bytes(".sst", level0 as usize / 3 + 200);
            db.flush().unwrap();
            wait_until("a compaction fails", || {
                ends.failed.load(Ordering::SeqCst) > 0
            });
        }
        assert!(round < 50, "a compaction fails");
    }
    for at in 0..4_u8 {
        assert_eq!(db.get([at]).unwrap().as_deref(), Some(&[round; 200][..]));
    }
    let compacted = ends.compacted.load(Ordering::SeqCst);
    gate.heal();
    wait_until("a compaction succeeds", || {
        ends.compacted.load(Ordering::SeqCst) > compacted
    });
    assert_eq!(db.default_family().iter().count(), 4);
    assert!(vfs.exists("db/CURRENT".as_ref()).unwrap());
}
