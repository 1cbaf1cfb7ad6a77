//! A full write buffer is replaced by a new one without stopping readers, even while writers wait for a flush.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::vfs::MemoryVfs;
use engine::{Db, Family, FamilyOptions, Options};

use crate::support::hooked::Hooked;
use crate::support::tiny;

const WRITES: u64 = 2_000;

/// While this is set, creating a table waits, so no flush ends.
fn open(held_up: &Arc<AtomicBool>) -> Db {
    let held_up = Arc::clone(held_up);
    let vfs = Hooked::new(&MemoryVfs::new(), move |operation, path| {
        let table = path.extension().is_some_and(|extension| extension == "sst");
        while operation == "create" && table && held_up.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let options = Options {
        vfs: Arc::new(vfs),
        ..Options::default()
    };
    let family = FamilyOptions {
        write_buffer_bytes: 4 << 10,
        ..tiny()
    };
    Db::open("db", options.family("default", family)).unwrap()
}

/// Every acknowledged write is there, by lookup, scan and cursor.
fn check(family: &Family, acknowledged: u64) {
    let last = acknowledged.checked_sub(1);
    for at in last.into_iter().chain([0, acknowledged / 2]) {
        let found = family.get(at.to_be_bytes()).unwrap();
        if at < acknowledged {
            assert_eq!(found.as_deref(), Some(&at.to_le_bytes()[..]), "key {at}");
        }
    }
    let keys = family
        .iter()
        .map(|row| u64::from_be_bytes(row.unwrap().0[..].try_into().unwrap()));
    let (mut rows, mut expected) = (0, 0..);
    for key in keys {
        assert_eq!(Some(key), expected.next(), "a scan has no holes");
        rows += 1;
    }
    assert!(rows >= acknowledged, "{rows} of {acknowledged} rows");
}

#[test]
fn readers_go_on_while_buffers_rotate_and_while_writers_wait_for_a_flush() {
    let held_up = Arc::new(AtomicBool::new(true));
    let db = open(&held_up);
    let family = db.default_family();
    let acknowledged = AtomicU64::new(0);
    let reads_while_stalled = std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in 0..WRITES {
                db.put(at.to_be_bytes(), at.to_le_bytes()).unwrap();
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
        });
        let reader = scope.spawn(|| {
            let mut reads = 0u64;
            let mut stands_since = (0, Instant::now());
            // Until the writer has made no progress for a while: then it waits, with one full
            // buffer in use and others waiting for the flush.
            while reads < 2
                || stands_since.0 == 0
                || stands_since.1.elapsed() < Duration::from_millis(300)
            {
                let now = acknowledged.load(Ordering::SeqCst);
                if now != stands_since.0 {
                    (stands_since, reads) = ((now, Instant::now()), 0);
                }
                check(&family, now);
                reads += 1;
            }
            let stood_at = stands_since.0;
            (reads, stood_at)
        });
        let outcome = reader.join();
        // Released before anything is asserted: a panic would wait for the writer for ever.
        held_up.store(false, Ordering::SeqCst);
        outcome.unwrap()
    });
    let (reads, stood_at) = reads_while_stalled;
    assert!(reads > 1, "{reads} reads while the writer waited");
    assert!(
        stood_at < WRITES,
        "the writer was to wait for a flush, and wrote all"
    );
    assert_eq!(acknowledged.load(Ordering::SeqCst), WRITES);
    check(&family, WRITES);
}
