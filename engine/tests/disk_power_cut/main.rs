//! A power cut of a real disk: what a real file system has left of a database, after each moment that the dice choose.
//!
//! [`MemoryVfs`](engine::vfs::MemoryVfs) simulates a file system, and `power_cut` tries every moment on it. This test asks
//! whether the simulation is right. It records what a file system writes to its disk while a database on it is used. From
//! the record it makes disks as power cuts would have left them: all that was flushed is there, and of the rest what the
//! dice leave. Then the kernel mounts each, and the database must hold every write that was acknowledged as synced, whole,
//! with all that came before it.
//!
//! It needs root, for mounting, and programs of Debian's packages `qemu-system-common`, `e2fsprogs`, `xfsprogs` and
//! `btrfs-progs`. As root, for instance:
//!
//! ```text
//! ENGINE_FILE_SYSTEM=xfs ENGINE_STEPS=100 cargo test -p engine --test disk_power_cut -- --ignored --nocapture
//! ```

#![cfg(target_os = "linux")]

#[path = "../support/counted.rs"]
mod counted;
mod disk;
mod record;
#[expect(dead_code, reason = "each test takes what it needs")]
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use engine::{Db, WriteOptions};
use parking_lot::Mutex;

use counted::{Counts, WRITERS};
use disk::{Mount, RecordedDisk};
use record::Record;
use support::{Dice, seed_or, steps_or};

/// How often the database is opened and closed.
const LIVES: u64 = 4;
/// Writes of each writer in each life.
const WRITES: u64 = 150;

/// What the database promised at some moment.
struct Promise {
    /// The length of the disk's record afterwards: a cut later than this must keep the promise.
    recorded: u64,
    /// Writes that are durable: the one that was synced, and what was acknowledged before it began.
    least: Counts,
    /// A checkpoint that holds exactly these writes.
    checkpoint: Option<String>,
}

fn open(dir: &Path) -> Db {
    Db::open(dir, counted::options()).unwrap()
}

/// Uses a database, and returns what it promised.
fn use_database(disk: &RecordedDisk, dir: &Path, seed: u64) -> Vec<Promise> {
    let promises = Mutex::new(Vec::new());
    for life in 0..LIVES {
        let db = open(&dir.join("db"));
        let acknowledged = counted::counts(&db, "before it writes").map(AtomicU64::new);
        let now = || {
            acknowledged
                .each_ref()
                .map(|writes| writes.load(Ordering::SeqCst))
        };
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (db, acknowledged, promises) = (&db, &acknowledged, &promises);
                let mut dice = Dice::new(seed ^ (life * WRITERS + writer));
                scope.spawn(move || {
                    let families = counted::families(db);
                    let written = &acknowledged[writer as usize];
                    for _ in 0..WRITES {
                        let write = written.load(Ordering::SeqCst) + 1;
                        let sync = dice.one_in(3);
                        let mut least = now();
                        db.write(
                            counted::batch(&families, writer, write),
                            WriteOptions { sync },
                        )
                        .unwrap();
                        written.store(write, Ordering::SeqCst);
                        if sync {
                            least[writer as usize] = write;
                            promises.lock().push(Promise {
                                recorded: disk.recorded(),
                                least,
                                checkpoint: None,
                            });
                        }
                    }
                });
            }
        });
        let checkpoint = format!("checkpoint-{life}");
        db.checkpoint(dir.join(&checkpoint)).unwrap();
        promises.lock().push(Promise {
            recorded: disk.recorded(),
            least: now(),
            checkpoint: Some(checkpoint),
        });
        db.close().unwrap();
    }
    promises.into_inner()
}

/// Checks what a disk holds against the promises that were made before its power was cut.
fn check<'p>(dir: &Path, promises: impl Iterator<Item = &'p Promise>, context: &str) -> Counts {
    let db = open(&dir.join("db"));
    let found = counted::counts(&db, context);
    for promise in promises {
        let kept = found
            .iter()
            .zip(&promise.least)
            .all(|(found, least)| found >= least);
        assert!(
            kept,
            "{context}: {found:?} writes are there, of {:?}",
            promise.least
        );
        if let Some(name) = &promise.checkpoint {
            let checkpoint = open(&dir.join(name));
            let held = counted::counts(&checkpoint, context);
            assert_eq!(held, promise.least, "{context}: {name}");
        }
    }
    db.close().unwrap();
    let report = engine::verify(dir.join("db"), &counted::options()).unwrap();
    assert!(report.is_clean(), "{context}: {report:?}");
    found
}

#[test]
#[ignore = "needs root and qemu-storage-daemon; docs/reliability.md says how to run it"]
fn after_a_power_cut_of_a_disk_every_synced_write_is_there() {
    let kind = std::env::var("ENGINE_FILE_SYSTEM").unwrap_or("ext4".to_owned());
    let (seed, cuts) = (seed_or(1), steps_or(50));
    println!("ENGINE_FILE_SYSTEM={kind} ENGINE_SEED={seed} ENGINE_STEPS={cuts}");
    let work = tempfile::tempdir().unwrap();

    let disk = RecordedDisk::new(work.path(), &kind);
    let mount = Mount::new(&disk.export(), &work.path().join("mounted"));
    let made = disk.recorded();
    let promises = use_database(&disk, mount.path(), seed);
    drop(mount);
    let record = Record::parse(disk.into_record());

    let mut dice = Dice::new(seed);
    let (first, all) = (record.writes_within(made), record.len());
    let mut moments: Vec<_> = (0..cuts)
        .map(|_| first + dice.below((all - first) as u64) as usize)
        .collect();
    moments.sort_unstable();
    let mut replay = record.replay(&work.path().join("flushed"), disk::BYTES);
    for (cut, moment) in moments.into_iter().enumerate() {
        let context = format!("cut {cut}, after {moment} of {all} writes and flushes");
        let left = work.path().join("left");
        replay.cut(moment, &left, &mut dice);
        let mount = Mount::new(&left, &work.path().join("mounted"));
        let before = record.length_after(moment);
        let kept = promises.iter().filter(|promise| promise.recorded <= before);
        let promised = kept.clone().count();
        let found = check(mount.path(), kept, &context);
        println!("{context}: {found:?} writes are there, {promised} promises are kept");
    }
}
