//! The threads of a poisoned database end: there is nothing left for them to do, and a loop that looked
//! for work would keep a processor busy. In a program of its own, because it measures the whole process.

#![cfg(target_os = "linux")]

#[expect(dead_code, reason = "each test takes what it needs")]
mod support;

use std::sync::Arc;
use std::time::Duration;

use engine::vfs::{FaultVfs, MemoryVfs};
use engine::{Db, Error, Options};

use support::tiny;

/// Processor time of this process, in hundredths of a second.
fn ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // After the name, which may hold anything, the times are fields 14 and 15.
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields = fields.split_whitespace().skip(11).take(2);
    fields.map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}

#[test]
fn a_poisoned_database_takes_no_processor_time() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    };
    let db = Db::open("db", options.family("default", tiny())).unwrap();
    db.put("key", "v").unwrap();
    let manifest = support::files(&memory, "MANIFEST").swap_remove(0);
    vfs.break_file(manifest);
    db.flush().unwrap_err();
    assert!(matches!(db.put("key", "v"), Err(Error::Poisoned { .. })));
    // Longer than the pause before another try.
    std::thread::sleep(Duration::from_millis(1_200));
    let before = ticks();
    std::thread::sleep(Duration::from_secs(1));
    let taken = ticks() - before;
    assert!(taken < 30, "{taken} hundredths of a second in one second");
    assert_eq!(db.get("key").unwrap().as_deref(), Some(&b"v"[..]));
    db.close().unwrap_err();
}
