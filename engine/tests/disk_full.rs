//! A full disk fails a write and takes nothing: the log is whole, nothing is poisoned, and when there is space again the
//! next write succeeds.

mod support;

use std::sync::Arc;

use engine::vfs::{Fault, FaultVfs, MemoryVfs};
use engine::{Background, Db, FamilyOptions, Options, WriteBatch, WriteOptions};
use support::{Dice, Rows, scan, seed_or, tiny};

fn options(vfs: &FaultVfs, family: FamilyOptions) -> Options {
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        background: Background::Manual,
        ..Options::default()
    };
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
        // From here on what was reserved is used up, and no more is to be had.
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

/// The disk is full from any operation on, for a while, with rotations, flushes and compactions at work: every write that
/// was acknowledged is there in the end, and none that failed.
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
