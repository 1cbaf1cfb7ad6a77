//! Closing while others work: the lock of the directory goes when nobody writes there any more, and not before.
//!
//! Who opened the directory earlier would see tables vanish that its manifest lists, or its new files replaced.

mod support;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use engine::{Background, CompactionFilter, Db, Decision, Error, FamilyOptions, Options};
use parking_lot::{Condvar, Mutex};
use support::tiny;

/// A filter that waits at its first row until it is let go.
#[derive(Default)]
struct Gate {
    reached: AtomicBool,
    open: Mutex<bool>,
    opened: Condvar,
    /// Closed from within, if there is one.
    closes: Mutex<Option<Db>>,
}

impl Gate {
    fn wait_until_reached(&self) {
        while !self.reached.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn let_go(&self) {
        *self.open.lock() = true;
        self.opened.notify_all();
    }
}

impl CompactionFilter for Gate {
    fn decide(&self, _key: &[u8], _value: &[u8]) -> Decision {
        if let Some(db) = self.closes.lock().take() {
            db.close().unwrap();
        }
        self.reached.store(true, Ordering::SeqCst);
        let mut open = self.open.lock();
        while !*open {
            self.opened.wait(&mut open);
        }
        Decision::Keep
    }
}

fn open(vfs: &MemoryVfs, gate: Option<&Arc<Gate>>) -> engine::Result<Db> {
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        background: Background::Manual,
        ..Options::default()
    };
    let family = FamilyOptions {
        compaction_filter: gate.map(|gate| Arc::clone(gate) as Arc<dyn CompactionFilter>),
        ..tiny()
    };
    Db::open("db", options.family("default", family))
}

fn filled(vfs: &MemoryVfs, gate: &Arc<Gate>) -> Db {
    let db = open(vfs, Some(gate)).unwrap();
    for at in 0u32..20 {
        db.put(at.to_be_bytes(), "v").unwrap();
    }
    db.flush().unwrap();
    db
}

#[test]
fn closing_waits_for_a_compaction_of_another_thread() {
    let (vfs, gate) = (MemoryVfs::new(), Arc::new(Gate::default()));
    let db = filled(&vfs, &gate);
    thread::scope(|scope| {
        let compacted = scope.spawn(|| db.compact());
        gate.wait_until_reached();
        let closed = scope.spawn(|| db.close());
        thread::sleep(Duration::from_millis(100));
        let early = open(&vfs, None);
        assert!(matches!(early, Err(Error::Locked { .. })), "{early:?}");
        gate.let_go();
        closed.join().unwrap().unwrap();
        let given_up = compacted.join().unwrap().unwrap_err();
        assert!(given_up.to_string().contains("closed"), "{given_up}");
    });
    let db = open(&vfs, None).unwrap();
    assert_eq!(db.default_family().iter().count(), 20);
}

#[test]
fn a_filter_may_close_the_database_and_keeps_the_lock_until_its_compaction_ends() {
    let (vfs, gate) = (MemoryVfs::new(), Arc::new(Gate::default()));
    let db = filled(&vfs, &gate);
    *gate.closes.lock() = Some(db.clone());
    thread::scope(|scope| {
        let compacted = scope.spawn(|| db.compact());
        gate.wait_until_reached();
        let early = open(&vfs, None);
        assert!(matches!(early, Err(Error::Locked { .. })), "{early:?}");
        gate.let_go();
        let given_up = compacted.join().unwrap().unwrap_err();
        assert!(given_up.to_string().contains("closed"), "{given_up}");
    });
    let before = vfs.list(Path::new("db")).unwrap();
    assert!(db.compact().is_err() && db.flush().is_err() && db.step().is_err());
    assert_eq!(
        vfs.list(Path::new("db")).unwrap(),
        before,
        "a closed database touches nothing"
    );
    let db = open(&vfs, None).unwrap();
    assert_eq!(db.default_family().iter().count(), 20);
}

#[test]
fn closing_twice_at_once_waits_both_times() {
    let (vfs, gate) = (MemoryVfs::new(), Arc::new(Gate::default()));
    let db = filled(&vfs, &gate);
    thread::scope(|scope| {
        let compacted = scope.spawn(|| db.compact());
        gate.wait_until_reached();
        let closes = [(); 3].map(|()| scope.spawn(|| db.close()));
        thread::sleep(Duration::from_millis(100));
        // Asserted after the gate is open: else nobody would ever come out.
        let early = closes.iter().filter(|close| close.is_finished()).count();
        gate.let_go();
        assert_eq!(early, 0, "the directory was still in use");
        for close in closes {
            close.join().unwrap().unwrap();
        }
        compacted.join().unwrap().unwrap_err();
    });
    open(&vfs, None).unwrap();
}

#[test]
fn closing_again_says_how_closing_ended() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory));
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        background: Background::Manual,
        ..Options::default()
    };
    let db = Db::open("db", options).unwrap();
    db.put("k", "v").unwrap();
    vfs.fail_nth(1, Fault::Io);
    let first = db.close().unwrap_err().to_string();
    let second = db.close().unwrap_err().to_string();
    assert_eq!(
        first, second,
        "what was lost does not come back by asking again"
    );
}
