//! Writers that arrive together share the log's operations, and each learns its own outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::vfs::{MemoryVfs, Vfs};
use engine::{Db, Options, WriteBatch, WriteOptions};

use crate::support::hooked::Hooked;

/// Counts syncs of logs and makes each take a moment, as on a disk.
fn slow_syncs(memory: &MemoryVfs) -> (Hooked, Arc<AtomicU64>) {
    let syncs = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&syncs);
    let vfs = Hooked::new(memory, move |operation, path| {
        if operation == "sync" && path.extension().is_some_and(|extension| extension == "log") {
            std::thread::sleep(Duration::from_millis(3));
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    (vfs, syncs)
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
    std::thread::scope(|scope| {
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
fn writers_share_syncs_and_lose_nothing() {
    let memory = MemoryVfs::new();
    let (vfs, syncs) = slow_syncs(&memory);
    let db = open(vfs);
    write_from_many_threads(&db, |_| true);
    let made = syncs.load(Ordering::Relaxed);
    assert!(
        made >= WRITES,
        "every write of one thread needs a sync after it began: {made}"
    );
    assert!(
        made <= THREADS * WRITES / 2,
        "{made} syncs for {} writes",
        THREADS * WRITES
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
    let (vfs, syncs) = slow_syncs(&memory);
    let db = open(vfs);
    write_from_many_threads(&db, |thread| thread == 0);
    let made = syncs.load(Ordering::Relaxed);
    assert!(
        (1..=WRITES).contains(&made),
        "only the first thread asks for syncs: {made}"
    );
    assert_eq!(db.default_family().iter().count() as u64, THREADS * WRITES);
}
