//! Writers that arrive together share the log's operations, and each learns its own outcome.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use engine::vfs::{MemoryVfs, Vfs};
use engine::{Db, Options, WriteBatch, WriteOptions};

use crate::support::hooked::Hooked;
use crate::support::waiting::{Gate, this_thread, wait_until_asleep};

/// Counts syncs of logs, and calls `during` in each.
fn counted_syncs(
    memory: &MemoryVfs,
    during: impl Fn() + Send + Sync + 'static,
) -> (Hooked, Arc<AtomicU64>) {
    let syncs = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&syncs);
    let vfs = Hooked::new(memory, move |operation, path| {
        if operation == "sync" && path.extension().is_some_and(|extension| extension == "log") {
            during();
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    (vfs, syncs)
}

/// As on a disk.
fn takes_a_moment() {
    thread::sleep(Duration::from_millis(3));
}

fn open(vfs: impl Vfs + 'static) -> Db {
    let options = Options {
        vfs: Arc::new(vfs),
        ..Options::default()
    };
    Db::open("db", options).unwrap()
}

const THREADS: u64 = 8;
const WRITES: u64 = 25;

fn write_from_many_threads(db: &Db, sync: impl Fn(u64) -> bool + Sync) {
    let family = db.default_family();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (family, sync) = (&family, &sync);
            scope.spawn(move || {
                for at in 0..WRITES {
                    let mut batch = WriteBatch::new();
                    batch.put(family, format!("{thread}:{at}"), at.to_be_bytes());
                    db.write(batch, WriteOptions { sync: sync(thread) })
                        .unwrap();
                    // A writer sees its own write at once.
                    let seen = family.get(format!("{thread}:{at}")).unwrap().unwrap();
                    assert_eq!(&*seen, at.to_be_bytes());
                }
            });
        }
    });
}

#[test]
fn writers_that_come_during_a_sync_share_the_next_one() {
    let gate = Arc::new(Gate::default());
    let (vfs, syncs) = counted_syncs(&MemoryVfs::new(), {
        let gate = Arc::clone(&gate);
        move || gate.pass()
    });
    let db = open(vfs);
    thread::scope(|scope| {
        let write = |thread: u64| {
            let (db, (is_named, name)) = (&db, mpsc::channel());
            scope.spawn(move || {
                is_named.send(this_thread()).unwrap();
                let mut batch = WriteBatch::new();
                batch.put(&db.default_family(), thread.to_be_bytes(), "v");
                db.write(batch, WriteOptions { sync: true }).unwrap();
            });
            name.recv().unwrap()
        };
        write(0);
        gate.wait_until_reached();
        for thread in 1..THREADS {
            wait_until_asleep(write(thread).as_deref());
        }
        gate.open();
    });
    assert_eq!(syncs.load(Ordering::Relaxed), 2);
}

#[test]
fn writers_share_syncs_and_lose_nothing() {
    let memory = MemoryVfs::new();
    let (vfs, syncs) = counted_syncs(&memory, takes_a_moment);
    let db = open(vfs);
    write_from_many_threads(&db, |_| true);
    let made = syncs.load(Ordering::Relaxed);
    assert!(
        made >= WRITES,
        "every write of one thread needs a sync after it began: {made}"
    );
    // Everything was acknowledged as synced, so even the harshest power cut takes nothing.
    let survived = memory.crash(0);
    drop(db);
    let db = open(survived);
    assert_eq!(db.default_family().iter().count() as u64, THREADS * WRITES);
}

#[test]
fn synced_and_unsynced_writers_get_along() {
    let memory = MemoryVfs::new();
    let (vfs, syncs) = counted_syncs(&memory, takes_a_moment);
    let db = open(vfs);
    write_from_many_threads(&db, |thread| thread == 0);
    let made = syncs.load(Ordering::Relaxed);
    assert!(
        (1..=WRITES).contains(&made),
        "only the first thread asks for syncs: {made}"
    );
    assert_eq!(db.default_family().iter().count() as u64, THREADS * WRITES);
}
