//! A full write buffer is replaced by a new one without stopping readers, even while writers wait for a flush.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::vfs::MemoryVfs;
use engine::{Db, Event, Family, FamilyOptions, Options, Stall};

use crate::support::hooked::Hooked;
use crate::support::waiting::{Gate, wait_until};
use crate::support::{Recorder, tiny};

const WRITES: u64 = 2_000;

/// Creating a table waits at the gate, so until it is opened no flush ends.
fn open(gate: &Arc<Gate>, recorder: &Arc<Recorder>) -> Db {
    let gate = Arc::clone(gate);
    let vfs = Hooked::new(&MemoryVfs::new(), move |operation, path| {
        if operation == "create" && path.extension().is_some_and(|of| of == "sst") {
            gate.pass();
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
    let options = options.family("default", family);
    Db::open("db", options.listener(recorder.clone())).unwrap()
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
    let (gate, recorder) = (Arc::new(Gate::default()), Arc::new(Recorder::default()));
    let db = open(&gate, &recorder);
    let family = db.default_family();
    let acknowledged = AtomicU64::new(0);
    // The writer then waits with one full buffer in use, and others waiting for the flush.
    let waits = Event::StallBegun {
        stall: Stall::Memtables,
    };
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for at in 0..WRITES {
                db.put(at.to_be_bytes(), at.to_le_bytes()).unwrap();
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
        });
        wait_until("the writer waits for a flush", || {
            (0..20).for_each(|_| check(&family, acknowledged.load(Ordering::SeqCst)));
            recorder.has_heard(&waits) || writer.is_finished()
        });
        for _ in 0..2 {
            check(&family, acknowledged.load(Ordering::SeqCst));
        }
        let stood_at = acknowledged.load(Ordering::SeqCst);
        assert!(
            stood_at < WRITES,
            "the writer was to wait for a flush, and wrote all"
        );
        gate.open();
    });
    assert_eq!(acknowledged.load(Ordering::SeqCst), WRITES);
    check(&family, WRITES);
}
