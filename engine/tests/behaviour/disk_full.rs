//! A write on a full disk fails and leaves no trace: the log is intact, nothing is poisoned, and
//! once there is space again the next write succeeds.

use std::sync::Arc;

use engine::vfs::{Fault, FaultVfs, MemoryVfs};
use engine::{Db, FamilyOptions, Options, WriteBatch, WriteOptions};

use crate::support::{self, Dice, Rows, manual, scan, seed_or, tiny};

fn options(vfs: &FaultVfs, family: FamilyOptions) -> Options {
    let options = manual(vfs);
    options.family("default", family)
}

fn put(db: &Db, key: &str, value: &[u8], sync: bool) -> engine::Result<()> {
    let mut batch = WriteBatch::new();
    batch.put(&db.default_family(), key, value);
    db.write(batch, WriteOptions { sync })
}

#[test]
fn a_write_that_finds_the_disk_full_fails_and_the_next_one_may_succeed() {
    for sync in [false, true] {
        let memory = MemoryVfs::new();
        let vfs = FaultVfs::new(Arc::new(memory.clone()));
        let db = Db::open("db", options(&vfs, FamilyOptions::default())).unwrap();
        let mut rows = Rows::new();
        vfs.fail_nth(1, Fault::NoSpace);
        // Nothing is reserved yet, so the first write fails.
        let error = put(&db, "first", b"value", sync).unwrap_err();
        assert!(error.is_out_of_space(), "{error}");
        assert!(error.to_string().contains("Free some space"), "{error}");
        assert!(
            db.get("first").unwrap().is_none(),
            "what failed is not shown"
        );
        vfs.heal();
        let mut put_until = |limit: usize| -> engine::Result<()> {
            for _ in 0..limit {
                let key = format!("{:05}", rows.len());
                put(&db, &key, &[1; 1000], sync)?;
                rows.insert(key.into_bytes(), vec![1; 1000]);
            }
            Ok(())
        };
        put_until(3).unwrap();
        // From here on, what was reserved is used up, and no more can be had.
        vfs.fail_nth(1, Fault::NoSpace);
        let error = put_until(1000).unwrap_err();
        assert!(error.is_out_of_space(), "{error}");
        let error = put_until(1).unwrap_err();
        assert!(
            error.is_out_of_space(),
            "still full, and not poisoned: {error}"
        );
        vfs.heal();
        put_until(300).unwrap();
        let expected: Vec<_> = rows.into_iter().collect();
        assert!(
            expected.len() > 340,
            "the reserved space was used: {}",
            expected.len()
        );
        assert_eq!(scan(&db, "default"), expected);

        let killed = FaultVfs::new(Arc::new(memory.crash(1)));
        let again = Db::open("db", options(&killed, FamilyOptions::default())).unwrap();
        assert_eq!(scan(&again, "default"), expected, "after a kill");
        if sync {
            let cut = FaultVfs::new(Arc::new(memory.crash(0)));
            let again = Db::open("db", options(&cut, FamilyOptions::default())).unwrap();
            assert_eq!(scan(&again, "default"), expected, "after a power cut");
        }
    }
}

#[test]
fn a_torn_write_poisons_until_the_database_is_opened_again() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let db = Db::open("db", options(&vfs, tiny())).unwrap();
    put(&db, "before", b"value", false).unwrap();
    vfs.fail_nth(1, Fault::ShortWrite);
    put(&db, "torn", b"value", false).unwrap_err();
    let error = put(&db, "after", b"value", false).unwrap_err();
    assert!(matches!(error, engine::Error::Poisoned { .. }), "{error}");
    assert!(db.get("before").unwrap().is_some(), "reads go on");
    drop(db);
    let db = Db::open("db", options(&vfs, tiny())).unwrap();
    assert_eq!(scan(&db, "default").len(), 1);
    put(&db, "after", b"value", false).unwrap();
}

/// From any operation on, the disk is full for a while, with rotations, flushes and compactions at
/// work. In the end every acknowledged write is there, and none that failed.
#[test]
fn whenever_the_disk_fills_up_nothing_is_lost() {
    let mut dice = Dice::new(seed_or(11));
    let mut failures = 0;
    for round in 0..150 {
        let memory = MemoryVfs::new();
        let vfs = FaultVfs::new(Arc::new(memory.clone()));
        let db = Db::open("db", options(&vfs, tiny())).unwrap();
        let mut rows = Rows::new();
        let mut full = false;
        for step in 0..200 {
            if !full && dice.one_in(40) {
                vfs.fail_nth(dice.below(6) + 1, Fault::NoSpace);
                full = true;
            } else if full && dice.one_in(10) {
                vfs.heal();
                full = false;
            }
            let key = format!("{:03}", dice.below(100));
            let value = vec![step as u8; 1 + dice.below(300) as usize];
            match put(&db, &key, &value, dice.one_in(5)) {
                Ok(()) => drop(rows.insert(key.into_bytes(), value)),
                Err(error) => {
                    failures += 1;
                    assert!(
                        error.is_out_of_space(),
                        "round {round}, step {step}: {error}"
                    );
                }
            }
            if dice.one_in(10) {
                let _ = db.step();
            }
        }
        vfs.heal();
        let expected: Vec<_> = rows.into_iter().collect();
        assert_eq!(scan(&db, "default"), expected, "round {round}");
        db.compact().unwrap();
        assert_eq!(scan(&db, "default"), expected, "round {round}, compacted");
        drop(db);
        let db = Db::open("db", options(&vfs, tiny())).unwrap();
        assert_eq!(
            scan(&db, "default"),
            expected,
            "round {round}, opened again"
        );
    }
    assert!(failures > 100, "the disk was full: {failures}");
}

/// A manifest that has grown long is replaced by a short one. If there is no space for that, the
/// long one stays in use: whichever operation is the first to find the disk full, nothing is
/// poisoned, and the manifest is replaced later.
#[test]
fn a_long_manifest_stays_in_force_where_there_is_no_space_for_another() {
    const LONG_KEY: usize = 300 << 10;
    let key = |at: u8| [&[b'a' + at][..], &[b'x'; LONG_KEY]].concat();
    let manifests = |memory: &MemoryVfs| support::files(memory, "MANIFEST");
    let (mut replaced, mut stayed) = (0, 0);
    // The rename of `CURRENT` that finds no space may or may not have taken effect.
    for (n, done) in (1..).flat_map(|n| [(n, 0), (n, 1)]) {
        let memory = MemoryVfs::new();
        let vfs = FaultVfs::new(Arc::new(memory.clone()));
        vfs.do_what_fails(done);
        let db = Db::open("db", options(&vfs, FamilyOptions::default())).unwrap();
        let first = manifests(&memory);
        // Each table's two keys are in its edit.
        db.put(key(0), "0").unwrap();
        db.flush().unwrap();
        db.put(key(1), "1").unwrap();
        assert_eq!(manifests(&memory), first, "not long yet");
        vfs.fail_nth(n, Fault::NoSpace);
        let flushed = db.flush();
        let was_full = !vfs.failed().is_empty();
        vfs.heal();
        match flushed {
            Ok(()) if manifests(&memory) == first => {
                stayed += 1;
                assert!(was_full, "operation {n}");
            }
            Ok(()) => {
                replaced += 1;
                let failed = vfs.failed();
                let was_renamed = failed.iter().all(|op| op.starts_with("rename"));
                assert!(!was_full || (done == 1 && was_renamed), "{failed:?}");
            }
            Err(error) => assert!(error.is_out_of_space(), "operation {n}: {error}"),
        }
        for at in 2..6 {
            db.put(key(at), [at]).unwrap();
            db.flush().unwrap_or_else(|error| {
                panic!(
                    "operation {n} found the disk full, {:?}: {error}",
                    vfs.failed()
                )
            });
        }
        assert_ne!(manifests(&memory), first, "operation {n}: tried again");
        assert_eq!(manifests(&memory).len(), 1, "operation {n}");
        drop(db);
        let memory = memory.crash(0);
        let vfs = FaultVfs::new(Arc::new(memory));
        let db = Db::open("db", options(&vfs, FamilyOptions::default())).unwrap();
        assert_eq!(scan(&db, "default").len(), 6, "operation {n}, done {done}");
        if !was_full {
            break;
        }
    }
    assert!(stayed > 6, "{stayed}");
    assert!(
        replaced > 1,
        "by a rename that failed, and in the end: {replaced}"
    );
}
