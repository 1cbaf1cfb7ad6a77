//! `Db::sync` lets others write meanwhile: what was written before it is durable, and what came
//! during it is not claimed to be.

use std::path::Path;
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use engine::log::{LogEnd, LogReader, LogWriter, RecoveryMode, SECTOR_BYTES};
use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use engine::{Background, Db, Error, FamilyOptions, Options, WriteBatch, WriteOptions};

use crate::support::hooked::Hooked;
use crate::support::tiny;
use crate::support::waiting::PATIENCE;

type During = dyn Fn(&Db) + Send + Sync;

fn options(vfs: Arc<dyn Vfs>) -> Options {
    let options = Options {
        vfs,
        background: Background::Manual,
        ..Options::default()
    };
    let family = FamilyOptions {
        write_buffer_bytes: 16 << 10,
        ..tiny()
    };
    options.family("default", family)
}

/// A database that does `during` once, just before a sync of its log takes effect.
fn interrupted(memory: &MemoryVfs, during: Box<During>) -> Arc<OnceLock<Db>> {
    let shared = Arc::new(OnceLock::<Db>::new());
    let (given, once) = (Arc::clone(&shared), OnceLock::new());
    let vfs = Hooked::new(memory, move |operation, path| {
        let log = path.extension().is_some_and(|extension| extension == "log");
        if operation == "sync"
            && log
            && let Some(db) = given.get()
            && once.set(()).is_ok()
        {
            during(db);
        }
    });
    let db = Db::open("db", options(Arc::new(vfs))).unwrap();
    shared.set(db).unwrap();
    shared
}

fn keys_after_a_cut(memory: &MemoryVfs, seed: u64) -> Vec<String> {
    let db = Db::open("db", options(Arc::new(memory.crash(seed)))).unwrap();
    let rows = db.default_family().iter().map(|row| row.unwrap());
    rows.map(|(key, _)| String::from_utf8(key).unwrap())
        .collect()
}

#[test]
fn writes_return_while_a_sync_runs_and_all_before_it_survive() {
    let memory = MemoryVfs::new();
    // If the sync kept the lead of the writers' queue, this would never end.
    let db = interrupted(&memory, Box::new(|db| db.put("during", "2").unwrap()));
    let db = db.get().unwrap();
    db.put("before", "1").unwrap();
    db.sync().unwrap();
    db.put("lost", "3").unwrap();
    assert!(keys_after_a_cut(&memory, 0).contains(&"before".to_owned()));
    // What came during the sync is not taken for durable: the next one covers it.
    db.sync().unwrap();
    assert_eq!(keys_after_a_cut(&memory, 0), ["before", "during", "lost"]);
    for seed in 2..40 {
        assert_eq!(
            keys_after_a_cut(&memory, seed),
            ["before", "during", "lost"]
        );
    }
}

#[test]
fn a_log_that_is_full_during_the_sync_is_durable_with_it() {
    let memory = MemoryVfs::new();
    let fill = |db: &Db| {
        for at in 0..200 {
            db.put(format!("during{at:03}"), [b'v'; 200]).unwrap();
        }
    };
    let db = interrupted(&memory, Box::new(fill));
    let db = db.get().unwrap();
    db.put("before", "1").unwrap();
    db.sync().unwrap();
    for seed in 0..40 {
        let keys = keys_after_a_cut(&memory, seed);
        assert_eq!(keys.first().map(String::as_str), Some("before"));
        for (at, key) in keys[1..].iter().enumerate() {
            assert_eq!(*key, format!("during{at:03}"), "no holes");
        }
    }
    db.sync().unwrap();
    assert_eq!(keys_after_a_cut(&memory, 0).len(), 201);
}

#[test]
fn a_sync_that_fails_is_final() {
    let faults = FaultVfs::new(Arc::new(MemoryVfs::new()));
    let db = Db::open("db", options(Arc::new(faults.clone()))).unwrap();
    db.put("a", "1").unwrap();
    faults.fail_nth(1, Fault::Io);
    assert!(matches!(db.sync(), Err(Error::Io { .. })));
    assert!(matches!(db.sync(), Err(Error::Poisoned { .. })));
    assert!(matches!(db.put("b", "2"), Err(Error::Poisoned { .. })));
    assert_eq!(db.get("a").unwrap().as_deref(), Some(&b"1"[..]));
}

/// How long a failed sync makes its caller wait for another that might come in between. It never
/// comes, so this time passes.
const LONG_ENOUGH: Duration = Duration::from_millis(300);

/// The system reports a failed sync only once: the next one succeeds, without what was lost. So a
/// sync between a failure and the poisoning would acknowledge what is lost. `second` attempts that.
fn nobody_syncs_behind_a_failure(second: fn(&Db) -> engine::Result<()>) {
    let memory = MemoryVfs::new();
    let faults = FaultVfs::new(Arc::new(memory.clone()));
    let (has_failed, fails) = mpsc::channel();
    let (has_returned, returns) = mpsc::channel();
    let returns = parking_lot::Mutex::new(returns);
    let vfs = Hooked::over(Arc::new(faults.clone()), move |operation, _| {
        if operation == "failed sync" {
            has_failed.send(()).unwrap();
            let _ = returns.lock().recv_timeout(LONG_ENOUGH);
        }
    });
    let db = Db::open("db", options(Arc::new(vfs))).unwrap();
    db.put("lost", "1").unwrap();
    faults.fail_nth(1, Fault::Io);
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| db.sync());
        fails.recv_timeout(PATIENCE).unwrap();
        let second = second(&db);
        let _ = has_returned.send(());
        (first.join().unwrap(), second)
    });
    assert!(matches!(first, Err(Error::Io { .. })), "{first:?}");
    let there = keys_after_a_cut(&memory, 0);
    assert!(
        matches!(second, Err(Error::Poisoned { .. })),
        "{second:?}, and after a power cut there is {there:?}"
    );
}

#[test]
fn a_sync_during_one_that_fails_is_refused() {
    nobody_syncs_behind_a_failure(Db::sync);
}

#[test]
fn a_synced_write_during_a_sync_that_fails_is_refused() {
    nobody_syncs_behind_a_failure(|db| {
        let mut batch = WriteBatch::new();
        batch.put(&db.default_family(), "second", "2");
        db.write(batch, WriteOptions { sync: true })
    });
}

#[test]
fn threads_that_write_and_sync_lose_nothing_they_synced() {
    let memory = MemoryVfs::new();
    let options = Options {
        background: Background::Threads,
        ..options(Arc::new(memory.clone()))
    };
    let db = Db::open("db", options).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (db, memory) = (&db, &memory);
            scope.spawn(move || {
                for at in 0..20 {
                    db.put(format!("{thread}:{at:02}"), [b'v'; 300]).unwrap();
                    if at % 5 == thread % 5 {
                        db.sync().unwrap();
                        let keys = keys_after_a_cut(memory, at);
                        let of_mine = keys
                            .iter()
                            .filter(|key| key.starts_with(&format!("{thread}:")));
                        assert_eq!(of_mine.count() as u64, at + 1);
                    }
                }
            });
        }
    });
}

const LOG: u64 = 7;

/// A log with a record that was synced, one that came during the sync, and the mark of that sync.
fn marked_beside_a_writer() -> (Vec<u8>, usize) {
    let (vfs, path) = (MemoryVfs::new(), Path::new("000007.log"));
    let mut log = LogWriter::new(vfs.create(path).unwrap(), LOG);
    log.add_record(&[b'a'; 2 * SECTOR_BYTES]).unwrap();
    let sync = log.begin_sync();
    let synced = sync.run();
    let durable = log.len() as usize;
    log.add_record(&[b'b'; 2 * SECTOR_BYTES]).unwrap();
    log.end_sync(&sync, synced).unwrap();
    (vfs.read(path).unwrap(), durable)
}

fn read(log: &[u8]) -> (usize, Result<LogEnd, Error>, Option<u64>) {
    let mut reader = LogReader::new(log, "000007.log", LOG, RecoveryMode::PointInTime);
    let mut records = 0;
    loop {
        match reader.next_record() {
            Ok(Some(_)) => records += 1,
            Ok(None) => return (records, Ok(reader.end().unwrap()), reader.durable()),
            Err(error) => return (records, Err(error), reader.durable()),
        }
    }
}

#[test]
fn a_mark_speaks_of_what_was_written_before_its_sync_began() {
    let (log, durable) = marked_beside_a_writer();
    let (records, end, said) = read(&log);
    assert!(matches!((records, end), (2, Ok(LogEnd::Clean { .. }))));
    assert_eq!(said, Some(durable as u64));

    let sector = |from: usize| from.next_multiple_of(SECTOR_BYTES);
    // The record that came during the sync lost a sector in a power cut; the mark after it did not.
    let mut lost = log.clone();
    lost[sector(durable)..sector(durable) + SECTOR_BYTES].fill(0);
    let (records, end, _) = read(&lost);
    assert!(matches!((records, end), (1, Ok(LogEnd::Torn { .. }))));

    // The record before cannot have been lost: it was durable.
    let mut damaged = log;
    damaged[sector(1)..sector(1) + SECTOR_BYTES].fill(0);
    let (records, end, _) = read(&damaged);
    let text = end.unwrap_err().to_string();
    assert_eq!(records, 0);
    assert!(
        text.contains(&format!("everything before byte {durable} was durable")),
        "{text}"
    );
}

#[test]
fn a_mark_that_speaks_of_what_is_behind_it_is_refused() {
    let (log, durable) = marked_beside_a_writer();
    let mark = log.len() - 19;
    assert_eq!(log[mark + 11..], (durable as u64).to_le_bytes());
    for claim in [log.len() as u64, mark as u64, u64::MAX] {
        let mut forged = log.clone();
        forged[mark + 11..].copy_from_slice(&claim.to_le_bytes());
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&(mark as u64).to_le_bytes());
        hasher.update(&forged[mark + 4..]);
        forged[mark..mark + 4].copy_from_slice(&hasher.finalize().to_le_bytes());
        // Nothing valid follows, so this is a torn end: two records and no mark.
        let (records, end, said) = read(&forged);
        assert!(matches!((records, end), (2, Ok(LogEnd::Torn { .. }))));
        assert_eq!(said, None);
    }
}
