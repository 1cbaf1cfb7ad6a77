//! A checkpoint is a database that holds what the original held at the call, and no unfinished
//! checkpoint looks like a database.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::vfs::{Fault, FaultVfs, MemoryVfs, StdVfs, Vfs};
use engine::{
    Background, Comparator, Db, Error, FamilyOptions, Options, Result, WriteBatch, WriteOptions,
    verify,
};

use crate::support::hooked::Hooked;
use crate::support::waiting::{SetAtEnd, wait_until};
use crate::support::{Dice, Rows, scan, seed_or, tiny};

fn options(vfs: Arc<dyn Vfs>, background: Background) -> Options {
    let reverse = FamilyOptions {
        comparator: Comparator::reverse_bytewise(),
        ..tiny()
    };
    Options {
        vfs,
        background,
        ..Options::default()
    }
    .family("default", tiny())
    .family("reverse", reverse)
}

fn manual(vfs: Arc<dyn Vfs>) -> Options {
    options(vfs, Background::Manual)
}

/// Writes enough for several tables in two levels, and some rows that stay in memory.
fn fill(db: &Db, steps: u64) -> Result<()> {
    let mut dice = Dice::new(seed_or(7));
    for step in 0..steps {
        let mut batch = WriteBatch::new();
        for name in ["default", "reverse"] {
            let family = db.family(name)?;
            let key = format!("key:{:03}", dice.below(200));
            if dice.one_in(5) {
                batch.delete(&family, key);
            } else {
                batch.put(
                    &family,
                    key,
                    format!("{step}:{}", "v".repeat(dice.below(60) as usize)),
                );
            }
        }
        db.write(batch, WriteOptions::default())?;
        if dice.one_in(30) {
            db.step()?;
        }
    }
    Ok(())
}

type Content = Vec<(String, Vec<(Vec<u8>, Vec<u8>)>)>;

fn content(db: &Db) -> Content {
    let names = db.families();
    names
        .into_iter()
        .map(|name| (name.clone(), scan(db, &name)))
        .collect()
}

#[test]
fn it_holds_what_there_was_and_lives_on_its_own() {
    let vfs = MemoryVfs::new();
    let arc: Arc<dyn Vfs> = Arc::new(vfs.clone());
    let db = Db::open("db", manual(Arc::clone(&arc))).unwrap();
    fill(&db, 300).unwrap();
    let before = content(&db);
    db.checkpoint("backups/monday").unwrap();
    assert!(!vfs.exists(Path::new("backups/monday.partial")).unwrap());

    // The two are independent: the first loses everything, the copy is compacted.
    for (key, _) in &before[0].1 {
        db.delete(key).unwrap();
    }
    db.compact().unwrap();
    let copy = Db::open("backups/monday", manual(Arc::clone(&arc))).unwrap();
    assert_eq!(content(&copy), before);
    copy.put("key:new", "1").unwrap();
    copy.compact().unwrap();
    assert_eq!(scan(&db, "default"), []);
    assert_eq!(content(&db)[1], before[1]);
    assert_eq!(copy.get("key:new").unwrap().as_deref(), Some(&b"1"[..]));
    assert_eq!(copy.default_family().iter().count(), before[0].1.len() + 1);
    for (dir, open) in [("db", db), ("backups/monday", copy)] {
        open.close().unwrap();
        assert_eq!(verify(dir, &manual(Arc::clone(&arc))).unwrap().findings, []);
    }
}

#[test]
fn tables_are_links_on_a_real_disk() {
    let dir = tempfile::tempdir().unwrap();
    let (home, target) = (dir.path().join("db"), dir.path().join("copy"));
    let db = Db::open(&home, options(Arc::new(StdVfs), Background::Threads)).unwrap();
    fill(&db, 300).unwrap();
    db.flush().unwrap();
    let before = content(&db);
    db.checkpoint(&target).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let links = std::fs::read_dir(&target).unwrap().filter(|entry| {
            let entry = entry.as_ref().unwrap();
            entry.file_name().to_string_lossy().ends_with(".sst")
                && entry.metadata().unwrap().nlink() == 2
        });
        assert!(links.count() > 0, "tables are linked, not copied");
    }
    db.close().unwrap();
    std::fs::remove_dir_all(&home).unwrap();
    let copy = Db::open(&target, options(Arc::new(StdVfs), Background::Threads)).unwrap();
    assert_eq!(content(&copy), before);
}

#[test]
fn a_name_that_is_taken_is_refused() {
    let vfs: Arc<dyn Vfs> = Arc::new(MemoryVfs::new());
    let db = Db::open("db", manual(Arc::clone(&vfs))).unwrap();
    db.put("a", "1").unwrap();
    vfs.create_dir_all(Path::new("taken")).unwrap();
    for taken in ["taken", "db", ".."] {
        let error = db.checkpoint(taken).unwrap_err();
        assert!(
            matches!(error, Error::InvalidArgument { .. } | Error::Io { .. }),
            "{error}"
        );
    }
    assert_eq!(
        vfs.list(Path::new("taken")).unwrap(),
        Vec::<OsString>::new()
    );
    db.close().unwrap();
    let error = db.checkpoint("late").unwrap_err();
    assert!(error.to_string().contains("closed"), "{error}");
    assert!(!vfs.exists(Path::new("late")).unwrap());
}

#[test]
fn two_checkpoints_to_one_name_do_not_meet() {
    let vfs: Arc<dyn Vfs> = Arc::new(MemoryVfs::new());
    let db = Db::open("db", manual(Arc::clone(&vfs))).unwrap();
    db.put("a", "1").unwrap();
    vfs.create_dir_all(Path::new("copy.partial")).unwrap();
    let other = vfs.lock(Path::new("copy.partial/LOCK")).unwrap();
    let error = db.checkpoint("copy").unwrap_err();
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    drop(other);
    db.checkpoint("copy").unwrap();
}

/// How far two threads have come.
#[derive(Clone, Default)]
struct Stage(Arc<AtomicU64>);

impl Stage {
    fn reach(&self, stage: u64) {
        self.0.fetch_max(stage, Ordering::SeqCst);
    }

    fn has_reached(&self, stage: u64) -> bool {
        self.0.load(Ordering::SeqCst) >= stage
    }

    fn wait_for(&self, stage: u64) {
        wait_until("the other thread has come so far", || {
            self.has_reached(stage)
        });
    }
}

/// One checkpoint fails at its last step and clears away what it made. Meanwhile another one to the
/// same name begins.
#[test]
fn one_that_clears_away_after_its_failure_does_not_clear_another_one() {
    let root = tempfile::tempdir().unwrap();
    let (home, target) = (root.path().join("db"), root.path().join("copy"));
    let stage = Stage::default();
    let (clears, other_is_ready, cleared) = (1, 2, 3);
    let first = std::thread::current().id();
    let vfs = {
        let (target, stage) = (target.clone(), stage.clone());
        Hooked::over(Arc::new(StdVfs), move |operation, path| {
            let is_partial = path.ends_with("copy.partial");
            match (operation, std::thread::current().id() == first) {
                ("rename", true) if is_partial && !stage.has_reached(clears) => {
                    std::fs::create_dir(&target).unwrap();
                    std::fs::write(target.join("taken"), "").unwrap();
                }
                ("list", true) if is_partial && target.exists() => {
                    std::fs::remove_dir_all(&target).unwrap();
                    stage.reach(clears);
                    stage.wait_for(other_is_ready);
                }
                ("rename", false) if is_partial => {
                    stage.reach(other_is_ready);
                    stage.wait_for(cleared);
                }
                _ => {}
            }
        })
    };
    let db = Db::open(&home, manual(Arc::new(vfs))).unwrap();
    db.put("k", "v").unwrap();
    let second = std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            stage.wait_for(clears);
            let made = db.checkpoint(&target);
            stage.reach(other_is_ready);
            made
        });
        db.checkpoint(&target).unwrap_err();
        stage.reach(cleared);
        second.join().unwrap()
    });
    match second {
        Ok(()) => {}
        Err(Error::Locked { .. }) => db.checkpoint(&target).unwrap(),
        Err(error) => panic!("{error}"),
    }
    let copy = Db::open(&target, manual(Arc::new(StdVfs))).unwrap();
    assert_eq!(copy.get("k").unwrap().as_deref(), Some(&b"v"[..]));
}

/// What already lies at the target belongs to somebody, unless a checkpoint left it there.
#[test]
fn what_no_checkpoint_left_is_not_cleared_away() {
    let vfs: Arc<dyn Vfs> = Arc::new(MemoryVfs::new());
    let db = Db::open("db", manual(Arc::clone(&vfs))).unwrap();
    db.put("k", "v").unwrap();
    let yours = Db::open("one.partial", manual(Arc::clone(&vfs))).unwrap();
    yours.put("precious", "1").unwrap();
    yours.flush().unwrap();
    yours.close().unwrap();
    drop(yours);
    // A finished checkpoint is a database, even if it was never opened.
    db.checkpoint("two.partial").unwrap();
    vfs.create_dir_all(Path::new("three.partial")).unwrap();
    vfs.create(Path::new("three.partial/letter.txt")).unwrap();
    for name in ["one", "two", "three"] {
        let partial = format!("{name}.partial");
        let before = vfs.list(Path::new(&partial)).unwrap();
        let error = db.checkpoint(name).unwrap_err();
        assert!(
            matches!(&error, Error::InvalidArgument { what } if what.contains("move it elsewhere")),
            "{error}"
        );
        assert_eq!(vfs.list(Path::new(&partial)).unwrap(), before);
    }
    let yours = Db::open("one.partial", manual(vfs)).unwrap();
    assert_eq!(yours.get("precious").unwrap().as_deref(), Some(&b"1"[..]));
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let db = Db::open(root.path().join("db"), manual(Arc::new(StdVfs))).unwrap();
    let elsewhere = root.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    for (link, target) in [("copy.partial", "copy"), ("dangling", "dangling")] {
        let to = match link {
            "dangling" => Path::new("nowhere"),
            _ => &elsewhere,
        };
        std::os::unix::fs::symlink(to, root.path().join(link)).unwrap();
        let error = db.checkpoint(root.path().join(target)).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    }
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn writers_and_compactions_go_on_and_a_batch_is_in_it_whole() {
    let vfs: Arc<dyn Vfs> = Arc::new(MemoryVfs::new());
    let db = Db::open("db", options(Arc::clone(&vfs), Background::Threads)).unwrap();
    let (done, acknowledged) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let _done = SetAtEnd(&done);
        scope.spawn(|| {
            let reverse = db.family("reverse").unwrap();
            let mut at = 0u64;
            while !done.load(Ordering::SeqCst) {
                at += 1;
                let mut batch = WriteBatch::new();
                batch.put(&db.default_family(), at.to_be_bytes(), vec![b'x'; 100]);
                batch.put(&reverse, at.to_be_bytes(), "");
                db.write(batch, WriteOptions::default()).unwrap();
                acknowledged.store(at, Ordering::SeqCst);
            }
        });
        for round in 0..8 {
            let least = acknowledged.load(Ordering::SeqCst);
            db.checkpoint(format!("copy{round}")).unwrap();
            let most = acknowledged.load(Ordering::SeqCst) + 1;
            let copy = Db::open(format!("copy{round}"), manual(Arc::clone(&vfs))).unwrap();
            let keys = |family: &str| -> BTreeSet<Vec<u8>> {
                scan(&copy, family)
                    .into_iter()
                    .map(|(key, _)| key)
                    .collect()
            };
            let found = keys("default");
            assert_eq!(
                found,
                keys("reverse"),
                "a batch over two families is there whole or not at all"
            );
            let count = found.len() as u64;
            assert_eq!(
                found,
                (1..=count).map(|at| at.to_be_bytes().to_vec()).collect(),
                "no holes"
            );
            assert!(
                (least..=most).contains(&count),
                "{least} <= {count} <= {most}"
            );
        }
    });
}

/// After any power cut the target's name has nothing or the whole checkpoint, never an incomplete database.
#[test]
fn a_power_cut_after_each_operation_leaves_nothing_or_all() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", manual(Arc::new(vfs.clone()))).unwrap();
    fill(&db, 120).unwrap();
    db.close().unwrap();
    drop(db);
    let recording = vfs.recording();
    let arc: Arc<dyn Vfs> = Arc::new(recording.clone());
    let db = Db::open("db", manual(arc)).unwrap();
    let before = content(&db);
    let start = recording.operations();
    db.checkpoint("sub/copy").unwrap();
    let end = recording.operations();
    assert!(end - start > 10);
    let (mut whole, mut nothing) = (0, 0);
    for at in start..=end {
        let state = recording.state_after(at);
        for seed in 0..8 {
            let disk = state.crash(seed);
            let arc: Arc<dyn Vfs> = Arc::new(disk.clone());
            let there = disk.exists(Path::new("sub/copy")).unwrap();
            if there {
                let report = verify("sub/copy", &manual(Arc::clone(&arc))).unwrap();
                assert!(report.is_clean(), "{:?}", report.findings);
                let foreign = report
                    .findings
                    .iter()
                    .find(|of| of.what.contains("is none of"));
                assert_eq!(foreign, None, "all that is there is the engine's");
                let copy = Db::open("sub/copy", manual(Arc::clone(&arc))).unwrap();
                assert_eq!(content(&copy), before, "operation {at}, seed {seed}");
                whole += 1;
            } else {
                assert!(at < end, "it is durable on return");
                nothing += 1;
            }
            // What is left beside it is either no database or a whole one.
            let options = Options {
                create_if_missing: false,
                ..manual(Arc::clone(&arc))
            };
            let opened = state.crash(seed);
            let options = Options {
                vfs: Arc::new(opened),
                ..options
            };
            if let Ok(partial) = Db::open("sub/copy.partial", options) {
                assert_eq!(content(&partial), before, "operation {at}, seed {seed}");
                partial.close().unwrap();
            }
            // And it is in nobody's way unless somebody opens it.
            if !there {
                let db = Db::open("db", manual(Arc::clone(&arc))).unwrap();
                assert_eq!(content(&db), before);
                db.checkpoint("sub/copy").unwrap();
                assert!(!disk.exists(Path::new("sub/copy.partial")).unwrap());
            }
        }
    }
    assert!(whole > 0 && nothing > 0);
}

#[test]
fn any_operation_may_fail_and_the_next_try_succeeds() {
    let faults = [Fault::Io, Fault::NoSpace, Fault::ShortWrite];
    // A rename that fails may or may not have taken effect.
    for (fault, done) in faults
        .into_iter()
        .flat_map(|fault| [(fault, 0), (fault, 1)])
    {
        for n in 1.. {
            let memory = MemoryVfs::new();
            let faulty = FaultVfs::new(Arc::new(memory.clone()));
            faulty.do_what_fails(done);
            let arc: Arc<dyn Vfs> = Arc::new(faulty.clone());
            let db = Db::open("db", manual(arc)).unwrap();
            fill(&db, 60).unwrap();
            let before = content(&db);
            faulty.fail_nth(n, fault);
            let made = db.checkpoint("copy");
            faulty.heal();
            if made.is_err() && memory.exists(Path::new("copy")).unwrap() {
                assert!(
                    faulty
                        .failed()
                        .iter()
                        .all(|op| op.contains("sync the directory") || op.contains("CHECKPOINT")),
                    "{:?}",
                    faulty.failed()
                );
                let copy = Db::open("copy", manual(Arc::new(memory.clone()))).unwrap();
                assert_eq!(content(&copy), before);
            } else if made.is_err() && db.flush().is_ok() {
                db.checkpoint("copy").unwrap();
                assert!(
                    !memory.exists(Path::new("copy.partial")).unwrap(),
                    "{:?}",
                    faulty.failed()
                );
            }
            if memory.exists(Path::new("copy")).unwrap() {
                let copy = Db::open("copy", manual(Arc::new(memory.clone()))).unwrap();
                assert_eq!(content(&copy), before, "{fault:?} {n}, done {done}");
            }
            assert_eq!(content(&db), before, "reads go on");
            if faulty.failed().is_empty() {
                assert!(n > 10);
                break;
            }
        }
    }
}

#[test]
fn on_another_file_system_it_is_a_durable_copy() {
    let memory = MemoryVfs::new();
    memory.create_dir_all(Path::new("far")).unwrap();
    memory.sync_dir(Path::new("")).unwrap();
    let links = Arc::new(AtomicU64::new(0));
    let tried = Arc::clone(&links);
    let disks = Hooked::new(&memory, move |operation, _| {
        tried.fetch_add(u64::from(operation == "hard_link"), Ordering::SeqCst);
    });
    let disks = disks.apart(|from, to| from.starts_with("far") != to.starts_with("far"));
    let disks: Arc<dyn Vfs> = Arc::new(disks);
    let db = Db::open("db", manual(Arc::clone(&disks))).unwrap();
    fill(&db, 300).unwrap();
    let before = content(&db);
    db.checkpoint("far/copy").unwrap();
    assert!(links.load(Ordering::SeqCst) > 2);
    let disk: Arc<dyn Vfs> = Arc::new(memory.crash(0));
    let copy = Db::open("far/copy", manual(disk)).unwrap();
    assert_eq!(content(&copy), before);
}

/// A checkpoint copied over the database that it was made of, where later logs still exist, is
/// refused, and `verify` agrees. No byte is touched.
#[test]
fn a_checkpoint_among_later_logs_is_refused_and_nothing_is_lost() {
    let vfs = MemoryVfs::new();
    let disk: Arc<dyn Vfs> = Arc::new(vfs.clone());
    let db = Db::open("db", manual(Arc::clone(&disk))).unwrap();
    db.put("early", "1").unwrap();
    db.checkpoint("copy").unwrap();
    db.put("later", "2").unwrap();
    db.flush().unwrap();
    db.put("last", "3").unwrap();
    // The process is killed, so a log of the later time is left.
    let vfs = vfs.crash(1);
    let disk: Arc<dyn Vfs> = Arc::new(vfs.clone());
    for name in vfs.list(Path::new("copy")).unwrap() {
        let bytes = vfs.read(&Path::new("copy").join(&name)).unwrap();
        let mut over = vfs.create(&Path::new("db").join(&name)).unwrap();
        over.append(&bytes).unwrap();
    }
    let before = vfs.tree();
    let error = Db::open("db", manual(Arc::clone(&disk))).unwrap_err();
    assert!(matches!(error, Error::Corruption { .. }), "{error}");
    assert!(
        error.to_string().contains("a log before it is missing"),
        "{error}"
    );
    assert_eq!(vfs.tree(), before);
    let report = verify("db", &manual(Arc::clone(&disk))).unwrap();
    assert!(!report.is_clean(), "{report:?}");
    // The copy itself is intact.
    let copy = Db::open("copy", manual(disk)).unwrap();
    let rows: Rows = scan(&copy, "default").into_iter().collect();
    assert_eq!(rows, Rows::from([(b"early".to_vec(), b"1".to_vec())]));
}

#[test]
fn families_that_came_and_went_are_as_they_were() {
    let vfs: Arc<dyn Vfs> = Arc::new(MemoryVfs::new());
    let db = Db::open("db", manual(Arc::clone(&vfs))).unwrap();
    let extra = db.create_family("extra", tiny()).unwrap();
    extra.put("k", "v").unwrap();
    db.drop_family("reverse").unwrap();
    db.checkpoint("copy").unwrap();
    let copy = Db::open(
        "copy",
        Options {
            vfs,
            ..Options::default()
        },
    )
    .unwrap();
    assert_eq!(copy.families(), ["default", "extra"]);
    let rows: Rows = scan(&copy, "extra").into_iter().collect();
    assert_eq!(rows, Rows::from([(b"k".to_vec(), b"v".to_vec())]));
}
