//! A database that is open only for reading answers as usual, and nothing in its directory changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::comparator::NumericSuffix;
use engine::version::file_name;
use engine::vfs::{MemoryVfs, StdVfs, Vfs};
use engine::{
    Background, Comparator, Compression, Db, Error, Event, FamilyOptions, Options, RecoveryMode,
    TableReads, Unlisted, WriteBatch, WriteOptions, verify,
};

use crate::support::{self, hooked::Hooked};
use crate::support::{Dice, Pair, Recorder, roomy, seed_or, steps_or, tiny};

const FAMILIES: [&str; 3] = ["default", "newest", "numeric"];
const KEYS: u64 = 60;
/// The operations of the file system that opening for reading may use. All others change something, or might.
const READS: [&str; 8] = [
    "read",
    "exists",
    "is_link",
    "len",
    "list",
    "open_random",
    "open_mapped",
    "lock_shared",
];

/// The writers here start no threads of the engine, so any such thread was started by a reader.
fn on(vfs: Arc<dyn Vfs>) -> Options {
    let newest = FamilyOptions {
        comparator: Comparator::reverse_bytewise(),
        compression: Compression::Lz4,
        ..tiny()
    };
    let numeric = FamilyOptions {
        comparator: Comparator::custom(NumericSuffix),
        ..tiny()
    };
    let options = Options {
        vfs,
        background: Background::Manual,
        ..Options::default()
    };
    let families = FAMILIES.into_iter().zip([tiny(), newest, numeric]);
    families.fold(options, |options, (name, family)| {
        options.family(name, family)
    })
}

fn on_memory(vfs: &MemoryVfs) -> Options {
    on(Arc::new(vfs.clone()))
}

/// The options that a reader would choose who leaves everything else at its default.
fn for_reading(vfs: Arc<dyn Vfs>) -> Options {
    Options {
        background: Background::Threads,
        ..on(vfs)
    }
}

/// A file system that panics at any operation except a read.
fn unwritable(inner: Arc<dyn Vfs>) -> Arc<dyn Vfs> {
    Arc::new(Hooked::over(inner, |operation, path| {
        assert!(
            READS.contains(&operation),
            "{operation} {}, by who only reads",
            path.display()
        );
    }))
}

fn key(dice: &mut Dice) -> String {
    format!("key:{}", dice.below(KEYS))
}

/// Writes, flushes and compacts at random.
fn write_some(db: &Db, dice: &mut Dice, steps: u64) {
    for _ in 0..steps {
        match dice.below(40) {
            0 => db.flush().unwrap(),
            1 => _ = db.step().unwrap(),
            2 => db.compact().unwrap(),
            _ => write_batch(db, dice),
        }
    }
}

fn write_batch(db: &Db, dice: &mut Dice) {
    let mut batch = WriteBatch::new();
    for _ in 0..=dice.below(4) {
        let family = db.family(FAMILIES[dice.below(3) as usize]).unwrap();
        let (a, b) = (key(dice), key(dice));
        match dice.below(12) {
            0 if family
                .comparator()
                .compare(a.as_bytes(), b.as_bytes())
                .is_lt() =>
            {
                batch.delete_range(&family, a, b);
            }
            1..3 => batch.delete(&family, a),
            _ => batch.put(
                &family,
                a,
                vec![dice.next() as u8; dice.below(150) as usize],
            ),
        }
    }
    let sync = dice.one_in(4);
    db.write(batch, WriteOptions { sync }).unwrap();
}

/// What a database answers, line by line: the number of its last write, and everything that can be
/// read of each family.
fn answers(db: &Db) -> Vec<String> {
    let keys: Vec<String> = (0..KEYS).map(|at| format!("key:{at}")).collect();
    let snapshot = db.snapshot();
    let statistics = db.statistics();
    let mut lines = vec![format!("last write {}", snapshot.sequence())];
    for name in db.families() {
        let family = db.family(&name).unwrap();
        let mut say = |asked: &str, key: &[u8], value: Option<&[u8]>| {
            let (key, value) = (key.escape_ascii(), value.map(<[u8]>::escape_ascii));
            let value = value.map_or("nothing".to_owned(), |value| value.to_string());
            lines.push(format!("{name} {asked}: {key} = {value}"));
        };
        let rows = |range: engine::Range| range.map(|row| row.unwrap());
        let mut backwards: Vec<Pair> = family.iter().rev().map(|row| row.unwrap()).collect();
        backwards.reverse();
        for (key, value) in backwards {
            say("row backwards", &key, Some(&value));
        }
        for (key, value) in rows(family.iter()) {
            say("row", &key, Some(&value));
        }
        for (key, value) in rows(snapshot.iter(&family)) {
            say("row of a snapshot", &key, Some(&value));
        }
        let mut cursor = snapshot.cursor(&family).unwrap();
        cursor.seek(b"key:3").unwrap();
        while cursor.valid() {
            say("row of a cursor", cursor.key(), Some(cursor.value()));
            cursor.next().unwrap();
        }
        for (key, together) in keys.iter().zip(family.get_many(&keys).unwrap()) {
            say("get_many", key.as_bytes(), together.as_deref());
            let value = family.get(key).unwrap();
            say("get", key.as_bytes(), value.as_deref());
        }
        let of_family = statistics.families.iter().find(|of| of.name == name);
        let levels = of_family.unwrap().levels.iter();
        let tables: Vec<_> = levels.map(|of| (of.tables, of.bytes, of.entries)).collect();
        lines.push(format!("{name} tables by level: {tables:?}"));
    }
    lines
}

/// Shows only the first line that differs.
fn assert_same(reader: &[String], expected: &[String], context: &str) {
    for (reader, expected) in reader.iter().zip(expected) {
        assert_eq!(reader, expected, "{context}");
    }
    assert_eq!(reader.len(), expected.len(), "{context}");
}

fn assert_read_only(error: &Error, dir: &Path) {
    assert!(
        matches!(error, Error::ReadOnly { dir: of } if of.ends_with(dir)),
        "{error}"
    );
}

/// A database that was killed: tables in several levels, and a log whose rows are in no table.
fn killed(seed: u64, steps: u64) -> MemoryVfs {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on_memory(&vfs)).unwrap();
    write_some(&db, &mut Dice::new(seed), steps);
    write_batch(&db, &mut Dice::new(seed));
    vfs.crash(1)
}

/// Writes the files of the in-memory directory `db` to a real disk.
fn on_disk(vfs: &MemoryVfs) -> (tempfile::TempDir, PathBuf) {
    let above = tempfile::tempdir().unwrap();
    let dir = above.path().join("db");
    fs::create_dir(&dir).unwrap();
    for name in vfs.list(Path::new("db")).unwrap() {
        let bytes = vfs.read(&Path::new("db").join(&name)).unwrap();
        fs::write(dir.join(name), bytes).unwrap();
    }
    (above, dir)
}

/// The log that was written last.
fn last_log(vfs: &MemoryVfs) -> PathBuf {
    support::files(vfs, ".log").pop().unwrap()
}

#[cfg(unix)]
mod on_a_real_disk {
    use std::collections::BTreeMap;
    use std::fs::File;
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, SystemTime};

    use super::*;

    /// What changes when a directory changes.
    #[derive(Debug, PartialEq)]
    struct Look {
        touched: SystemTime,
        files: BTreeMap<PathBuf, (Vec<u8>, SystemTime)>,
    }

    fn look(dir: &Path) -> Look {
        let touched = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        let entries = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        Look {
            touched: touched(dir),
            files: entries
                .map(|path| (path.clone(), (fs::read(&path).unwrap(), touched(&path))))
                .collect(),
        }
    }

    /// Sets all times back, so that a later change shows.
    fn set_times_back(dir: &Path) {
        let then = SystemTime::now() - Duration::from_secs(1_000_000);
        let entries = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        for path in entries.chain([dir.to_path_buf()]) {
            File::open(&path).unwrap().set_modified(then).unwrap();
        }
    }

    #[test]
    fn nothing_in_the_directory_changes() {
        let whole = killed(1, 300);
        let torn = whole.crash(1);
        let log = last_log(&torn);
        let bytes = torn.read(&log).unwrap();
        let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        torn.damage(&log, bytes[..end - 3].to_vec()).unwrap();
        let closed = whole.crash(1);
        drop(Db::open("db", on_memory(&closed)).unwrap());
        for (vfs, has_lock_file) in [&whole, &torn, &closed]
            .into_iter()
            .flat_map(|vfs| [(vfs, true), (vfs, false)])
        {
            let (_above, dir) = on_disk(vfs);
            if !has_lock_file {
                fs::remove_file(dir.join(file_name::LOCK)).unwrap();
            }
            set_times_back(&dir);
            let before = look(&dir);
            let db = Db::open_read_only(&dir, for_reading(Arc::new(StdVfs))).unwrap();
            let of_reader = answers(&db);
            assert_eq!(look(&dir), before, "while it is open");
            db.close().unwrap();
            assert_eq!(look(&dir), before, "after the close");
            drop(db);
            assert_eq!(look(&dir), before, "after the last handle has gone");
            let db = Db::open(&dir, on(Arc::new(StdVfs))).unwrap();
            assert_same(&of_reader, &answers(&db), "on a disk");
            assert_ne!(look(&dir), before, "an ordinary opening would show");
        }
    }

    /// On a file system that takes no change, with permissions that allow none; mapped, and read
    /// block by block.
    #[test]
    fn a_medium_that_cannot_be_written_is_read() {
        let vfs = killed(2, 300);
        let expected = answers(&Db::open("db", on_memory(&vfs.crash(1))).unwrap());
        let (_above, dir) = on_disk(&vfs);
        let allow = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        for entry in fs::read_dir(&dir).unwrap() {
            allow(&entry.unwrap().path(), 0o444);
        }
        for with_lock_file in [true, false] {
            if !with_lock_file {
                fs::remove_file(dir.join(file_name::LOCK)).unwrap();
            }
            allow(&dir, 0o555);
            for table_reads in [TableReads::Mapped, TableReads::Pread] {
                let options = Options {
                    table_reads,
                    ..for_reading(unwritable(Arc::new(StdVfs)))
                };
                let db = Db::open_read_only(&dir, options.clone()).unwrap();
                assert_same(&answers(&db), &expected, "read-only");
                db.close().unwrap();
                // Tools that only look need no more than that.
                assert!(verify(&dir, &options).unwrap().is_clean());
            }
            allow(&dir, 0o755);
        }
    }
}

#[test]
fn it_answers_as_an_ordinary_opening_does() {
    let steps = steps_or(200);
    for seed in seed_or(0)..seed_or(0) + 20 {
        let vfs = killed(seed, steps);
        let before = vfs.tree();
        let reader = Db::open_read_only("db", for_reading(unwritable(Arc::new(vfs.clone()))));
        let reader = reader.unwrap();
        let of_reader = answers(&reader);
        drop(reader);
        assert_eq!(vfs.tree(), before, "seed {seed}");
        let db = Db::open("db", on_memory(&vfs)).unwrap();
        assert_same(&of_reader, &answers(&db), &format!("seed {seed}"));
        // And again after an orderly close.
        db.compact().unwrap();
        let after = answers(&db);
        drop(db);
        let reader = Db::open_read_only("db", for_reading(unwritable(Arc::new(vfs.clone()))));
        let context = format!("seed {seed}, closed");
        assert_same(&answers(&reader.unwrap()), &after, &context);
    }
}

/// After a power cut anywhere, the two ways to open show the same rows or fail with the same words,
/// in both recovery modes.
#[test]
fn after_a_power_cut_it_shows_what_an_ordinary_opening_shows() {
    let seed = seed_or(5);
    let vfs = MemoryVfs::new().recording();
    let mut db = Db::open("db", on_memory(&vfs)).unwrap();
    let mut dice = Dice::new(seed);
    for _ in 0..3 {
        write_some(&db, &mut dice, steps_or(60));
        drop(db);
        db = Db::open("db", on_memory(&vfs)).unwrap();
    }
    let (mut shown, mut refused, mut torn) = (0, 0, 0);
    for n in 0..=vfs.operations() {
        // Everything that was not synced is lost, or nothing, or what chance decides.
        let survival = [0, 1, 2 + n][n as usize % 3];
        let cut = vfs.state_after(n).crash(survival);
        let context = format!("seed {seed}, cut after {n}, survival {survival}");
        let modes = [RecoveryMode::PointInTime, RecoveryMode::Absolute];
        let is_shown = modes.map(|mode| is_shown_alike(&cut, mode, &context));
        shown += usize::from(is_shown[0]);
        refused += usize::from(!is_shown[0]);
        torn += usize::from(is_shown == [true, false]);
    }
    println!("shown {shown}, refused {refused}, torn {torn}");
    assert!(
        shown > 400 && refused > 0 && torn > 20,
        "{shown} {refused} {torn}"
    );
}

/// Whether both ways to open show rows, which are then the same. If not, both fail with the same words.
fn is_shown_alike(disk: &MemoryVfs, mode: RecoveryMode, context: &str) -> bool {
    let before = disk.tree();
    let options = for_reading(unwritable(Arc::new(disk.clone()))).recovery(mode);
    let reader = Db::open_read_only("db", options).map(|db| answers(&db));
    assert_eq!(disk.tree(), before, "{context}, {mode:?}");
    let options = Options {
        create_if_missing: false,
        ..on_memory(&disk.crash(1)).recovery(mode)
    };
    let ordinary = Db::open("db", options).map(|db| answers(&db));
    match (reader, ordinary) {
        (Ok(reader), Ok(ordinary)) => {
            assert_same(&reader, &ordinary, context);
            true
        }
        (Err(reader), Err(ordinary)) => {
            assert_same_error(&reader, &ordinary, context);
            false
        }
        (reader, ordinary) => panic!("{context}, {mode:?}: {reader:?} and {ordinary:?}"),
    }
}

/// The same kind, and the same words except for what each says about its own way to open.
fn assert_same_error(a: &Error, b: &Error, context: &str) {
    if let (Error::NotADatabase { .. }, Error::NotADatabase { .. }) = (a, b) {
        return;
    }
    assert_eq!(a.to_string(), b.to_string(), "{context}");
}

#[test]
fn every_write_is_refused_in_the_same_words() {
    let vfs = killed(3, 200);
    let before = vfs.tree();
    let db = Db::open_read_only("db", for_reading(unwritable(Arc::new(vfs.clone())))).unwrap();
    let expected = answers(&db);
    let family = db.family("newest").unwrap();
    let batch = |sync| {
        let mut batch = WriteBatch::new();
        batch.put(&family, "key:1", "new");
        db.write(batch, WriteOptions { sync })
    };
    type Write<'a> = (&'a str, Box<dyn Fn() -> engine::Result<()> + 'a>);
    let writes: Vec<Write<'_>> = vec![
        ("put", Box::new(|| db.put("key:1", "new"))),
        ("delete", Box::new(|| db.delete("key:1"))),
        ("delete_range", Box::new(|| db.delete_range("a".."z"))),
        ("Family::put", Box::new(|| family.put("key:1", "new"))),
        ("Family::delete", Box::new(|| family.delete("key:1"))),
        (
            "Family::delete_range",
            Box::new(|| family.delete_range("z".."a")),
        ),
        ("write", Box::new(|| batch(false))),
        ("synced write", Box::new(|| batch(true))),
        (
            "empty write",
            Box::new(|| db.write(WriteBatch::new(), WriteOptions::default())),
        ),
        ("sync", Box::new(|| db.sync())),
        ("flush", Box::new(|| db.flush())),
        ("compact", Box::new(|| db.compact())),
        (
            "compact_range",
            Box::new(|| db.compact_range::<&str>(&family, ..)),
        ),
        ("step", Box::new(|| db.step().map(drop))),
        (
            "create_family",
            Box::new(|| db.create_family("fresh", tiny()).map(drop)),
        ),
        ("drop_family", Box::new(|| db.drop_family("newest"))),
        ("checkpoint", Box::new(|| db.checkpoint("copy"))),
        ("checkpoint in the way", Box::new(|| db.checkpoint("db"))),
    ];
    for round in ["open", "closed"] {
        for (name, write) in &writes {
            let error = write().expect_err(name);
            assert_read_only(&error, Path::new("db"));
            assert_eq!(
                error.to_string(),
                "db was opened for reading only, and takes no writes. Close it and open it with Db::open to write",
                "{name}, {round}"
            );
        }
        assert_same(&answers(&db), &expected, round);
        assert_eq!(vfs.tree(), before, "{round}");
        db.close().unwrap();
        db.close().unwrap();
    }
}

/// What an ordinary database does for its readers, this one does not do: it merges nothing. (That it starts no thread, a
/// test of `read_only_processes` sees: here other tests start some.)
#[test]
fn no_work_is_done_for_readers() {
    let vfs = killed(4, 200);
    let recorder = Arc::new(Recorder::default());
    let options = for_reading(unwritable(Arc::new(vfs)));
    let db = Db::open_read_only("db", options.listener(recorder.clone())).unwrap();
    let expected = answers(&db);
    for _ in 0..200 {
        assert_same(&answers(&db), &expected, "again");
    }
    db.close().unwrap();
    drop(db);
    let events = recorder.all();
    assert!(
        matches!(&events[..], [Event::Opened { families, .. }] if *families == FAMILIES),
        "{events:?}"
    );
}

/// Logs that hold many times the write buffer are replayed into memory and stay there.
#[test]
fn logs_longer_than_the_write_buffer_are_read_and_not_flushed() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", roomy(on_memory(&vfs))).unwrap();
    for at in 0..2000 {
        db.put(format!("key:{at:04}"), [at as u8; 300]).unwrap();
    }
    let vfs = vfs.crash(1);
    let reader = Db::open_read_only("db", for_reading(unwritable(Arc::new(vfs.clone()))));
    let reader = reader.unwrap();
    assert_eq!(reader.default_family().iter().count(), 2000);
    assert_eq!(
        reader.get("key:1999").unwrap().as_deref(),
        Some(&[1999_u32 as u8; 300][..])
    );
    let statistics = reader.statistics();
    let tables = statistics.families[0].levels.iter();
    assert_eq!(tables.map(|level| level.tables).sum::<u64>(), 0);
    drop(reader);
    assert_eq!(support::files(&vfs, ".sst"), Vec::<PathBuf>::new());
}

#[test]
fn what_is_not_there_is_not_created() {
    let vfs = MemoryVfs::new();
    vfs.create_dir_all(Path::new("empty")).unwrap();
    let mut left = vfs.create(Path::new("empty/000001.log")).unwrap();
    vfs.create_dir_all(Path::new("foreign")).unwrap();
    vfs.create(Path::new("foreign/letter.txt")).unwrap();
    let before = vfs.tree();
    let open = |dir: &str| {
        let options = for_reading(unwritable(Arc::new(vfs.clone())));
        Db::open_read_only(dir, options).unwrap_err()
    };
    for (dir, words) in [
        (
            "nowhere",
            "there is nothing, and an opening for reading only creates nothing",
        ),
        (
            "empty",
            "there is no CURRENT in it, and an opening for reading only creates nothing",
        ),
        ("foreign", "it holds \"letter.txt\" and no CURRENT"),
    ] {
        let error = open(dir);
        assert!(matches!(error, Error::NotADatabase { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    assert_eq!(vfs.tree(), before);
    // A directory with a log that holds something but no CURRENT is not taken for a database that
    // was not created yet.
    left.append(b"rows").unwrap();
    let error = open("empty");
    assert!(matches!(error, Error::Corruption { .. }), "{error}");
}

#[test]
fn options_that_do_not_fit_are_refused_as_ever() {
    let vfs = killed(6, 100);
    let both = |options: &dyn Fn(&MemoryVfs) -> Options, words: &str| {
        let before = vfs.tree();
        let ordinary = Db::open("db", options(&vfs.crash(1))).unwrap_err();
        let mut of_reader = options(&vfs);
        of_reader.vfs = unwritable(of_reader.vfs);
        let reader = Db::open_read_only("db", of_reader).unwrap_err();
        assert_eq!(reader.to_string(), ordinary.to_string());
        assert!(reader.to_string().contains(words), "{reader}");
        assert_eq!(vfs.tree(), before);
    };
    // Another order, under its wrong name; and a custom one that is not given.
    let wrong = |vfs: &MemoryVfs| on_memory(vfs).family("numeric", tiny());
    both(&wrong, "\"numeric-suffix\"");
    let unlisted = |vfs: &MemoryVfs| Options {
        families: Vec::new(),
        ..on_memory(vfs)
    };
    both(&unlisted, "the options do not list it");
    let refuse = |vfs: &MemoryVfs| Options {
        unlisted: Unlisted::Refuse,
        families: on_memory(vfs).families.into_iter().skip(2).collect(),
        ..on_memory(vfs)
    };
    both(&refuse, "\"newest\", which the options do not list");
    let exists = |vfs: &MemoryVfs| Options {
        error_if_exists: true,
        ..on_memory(vfs)
    };
    both(&exists, "error_if_exists is on");
    let small = |vfs: &MemoryVfs| Options {
        total_write_buffer_bytes: Some(1),
        ..on_memory(vfs)
    };
    both(&small, "total_write_buffer_bytes");
}

#[test]
fn families_are_those_that_there_are() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on_memory(&vfs)).unwrap();
    write_some(&db, &mut Dice::new(8), 100);
    db.create_family("brief", tiny()).unwrap();
    db.family("brief").unwrap().put("key:1", "gone").unwrap();
    db.drop_family("brief").unwrap();
    db.drop_family("newest").unwrap();
    let vfs = vfs.crash(1);
    let vfs: Arc<dyn Vfs> = Arc::new(vfs);
    let options = || for_reading(unwritable(Arc::clone(&vfs)));
    // An ordinary opening would create a family that the options name.
    let error = Db::open_read_only("db", options()).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    assert!(
        error.to_string().contains(
            "the database in db has no column family \"newest\", and an opening for reading only creates none; \
             it has [\"default\", \"numeric\"]"
        ),
        "{error}"
    );
    let mut those = options();
    those.families.retain(|(name, _)| name != "newest");
    let db = Db::open_read_only("db", those).unwrap();
    assert_eq!(db.families(), ["default", "numeric"]);
    assert!(db.family("newest").is_err() && db.family("brief").is_err());
    assert!(db.default_family().iter().count() > 0);
}

#[test]
fn readers_share_and_keep_writers_out() {
    let memory = killed(9, 100);
    let (_above, dir) = on_disk(&memory);
    let real: Arc<dyn Vfs> = Arc::new(StdVfs);
    let memory: Arc<dyn Vfs> = Arc::new(memory);
    for (vfs, dir) in [(memory, Path::new("db")), (real, &dir)] {
        let read = || Db::open_read_only(dir, for_reading(unwritable(Arc::clone(&vfs))));
        let write = || Db::open(dir, on(Arc::clone(&vfs)));
        let is_locked = |opened: engine::Result<Db>| matches!(opened, Err(Error::Locked { .. }));
        let (first, second) = (read().unwrap(), read().unwrap());
        assert!(is_locked(write()), "beside two readers");
        assert!(verify(dir, &on(Arc::clone(&vfs))).unwrap().is_clean());
        drop(first);
        assert!(is_locked(write()), "beside one reader");
        second.close().unwrap();
        let writer = write().unwrap();
        assert!(is_locked(read()), "beside a writer");
        // A closed database keeps reading what it has opened, as any database does.
        assert_eq!(second.families(), FAMILIES);
        drop(writer);
        read().unwrap();
    }
}

/// Where there is no lock file, nobody is kept out. A writer that begins while the files are read is noticed.
#[test]
fn a_writer_that_comes_during_the_opening_is_noticed() {
    let vfs = killed(10, 100);
    vfs.remove(Path::new("db/LOCK")).unwrap();
    let (disk, has_come) = (vfs.clone(), AtomicBool::new(false));
    let hooked = Hooked::new(&vfs, move |operation, path| {
        let is_log = path.extension().is_some_and(|extension| extension == "log");
        if operation == "read" && is_log && !has_come.swap(true, Ordering::SeqCst) {
            // It flushes the log and removes it.
            let db = Db::open("db", on_memory(&disk)).unwrap();
            db.compact().unwrap();
        }
    });
    let error = Db::open_read_only("db", for_reading(Arc::new(hooked))).unwrap_err();
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    // Now there is a lock file, and everything is in order.
    Db::open_read_only("db", for_reading(Arc::new(vfs))).unwrap();
}

/// Cursors, values and snapshots keep what they began with, even when the database is closed and a
/// writer has come.
#[test]
fn what_a_reader_holds_outlives_the_database() {
    let vfs = killed(11, 200);
    let db = Db::open_read_only("db", for_reading(Arc::new(vfs.clone()))).unwrap();
    let family = db.default_family();
    let rows: Vec<Pair> = family.iter().map(|row| row.unwrap()).collect();
    let mut cursor = family.cursor().unwrap();
    cursor.seek_to_first().unwrap();
    let value = family.get(&rows[3].0).unwrap().unwrap();
    db.close().unwrap();
    drop((db, family));
    let writer = Db::open("db", on_memory(&vfs)).unwrap();
    writer.delete_range("a".."z").unwrap();
    writer.compact().unwrap();
    let mut seen = Vec::new();
    while cursor.valid() {
        seen.push((cursor.key().to_vec(), cursor.value().to_vec()));
        cursor.next().unwrap();
    }
    assert_eq!(seen, rows);
    assert_eq!(*value, *rows[3].1);
}
