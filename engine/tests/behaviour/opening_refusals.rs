//! What opening refuses, with which words, and that this changes nothing.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use engine::comparator::NumericSuffix;
use engine::version::file_name;
use engine::vfs::{Fault, FaultVfs, MemoryVfs, StdVfs, Vfs};
use engine::{Comparator, Compare, Db, Error, FamilyOptions, Options, Unlisted};

use crate::support::hooked::Hooked;

fn on(vfs: &MemoryVfs) -> Options {
    Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    }
}

fn numeric() -> FamilyOptions {
    FamilyOptions {
        comparator: Comparator::custom(NumericSuffix),
        ..FamilyOptions::default()
    }
}

/// Every file of a directory with its bytes.
fn contents(vfs: &dyn Vfs, dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let names = vfs.list(dir).unwrap();
    names
        .into_iter()
        .map(|name| name.into_string().unwrap())
        .map(|name| (name.clone(), vfs.read(&dir.join(name)).unwrap()))
        .collect()
}

/// A directory `db` with these files, on a file system of its own.
fn restored(files: &BTreeMap<String, Vec<u8>>) -> MemoryVfs {
    let vfs = MemoryVfs::new();
    vfs.create_dir_all(Path::new("db")).unwrap();
    for (name, bytes) in files {
        let mut file = vfs.create(&Path::new("db").join(name)).unwrap();
        file.append(bytes).unwrap();
    }
    vfs
}

/// Opens, and expects an error whose message contains all of `words`, and that no byte of the
/// directory has changed.
fn refused(vfs: &dyn Vfs, dir: &Path, options: Options, words: &[&str]) -> Error {
    let before = contents(vfs, dir);
    let error = Db::open(dir, options).expect_err("opening is refused");
    for word in words {
        assert!(
            error.to_string().contains(word),
            "{word:?} is not in: {error}"
        );
    }
    assert_eq!(contents(vfs, dir), before, "a refusal changes nothing");
    error
}

#[test]
fn another_comparator_is_refused_by_both_names() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs).family("score", numeric())).unwrap();
    db.family("score").unwrap().put("item:10", "ten").unwrap();
    drop(db);

    let dir = Path::new("db");
    let bytewise = on(&vfs).family("score", FamilyOptions::default());
    let words = ["\"score\"", "\"numeric-suffix\"", "\"bytewise\""];
    let error = refused(&vfs, dir, bytewise, &words);
    assert!(matches!(error, Error::ComparatorMismatch { .. }), "{error}");
    // A family that is not listed would be opened in the default order.
    let error = refused(&vfs, dir, on(&vfs), &words);
    assert!(matches!(error, Error::ComparatorMismatch { .. }), "{error}");

    let db = Db::open("db", on(&vfs).family("score", numeric())).unwrap();
    assert_eq!(
        db.family("score")
            .unwrap()
            .get("item:10")
            .unwrap()
            .as_deref(),
        Some(&b"ten"[..])
    );
}

/// An order that takes the name of one of the engine's.
struct Impostor(&'static str, fn(&[u8], &[u8]) -> Ordering);

impl Compare for Impostor {
    fn name(&self) -> &str {
        self.0
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        (self.1)(a, b)
    }
}

#[test]
fn a_custom_order_under_the_name_of_one_of_the_engines_or_none_is_refused() {
    let shortest_first = |a: &[u8], b: &[u8]| a.len().cmp(&b.len()).then(b.cmp(a));
    let by_numbers = |a: &[u8], b: &[u8]| NumericSuffix.compare(b, a);
    for (name, order) in [
        (
            "bytewise",
            (|a, b| b.cmp(a)) as fn(&[u8], &[u8]) -> Ordering,
        ),
        ("reverse-bytewise", |a, b| a.cmp(b)),
        ("reverse-bytewise", shortest_first),
        ("reverse-bytewise", by_numbers),
    ] {
        let vfs = MemoryVfs::new();
        let impostor = || FamilyOptions {
            comparator: Comparator::custom(Impostor(name, order)),
            ..FamilyOptions::default()
        };
        let error = Db::open("db", on(&vfs).family("f", impostor())).unwrap_err();
        let words = error.to_string();
        assert!(
            words.contains(&format!("{name:?}")) && words.contains("another name"),
            "{words}"
        );
        let db = Db::open("db", on(&vfs)).unwrap();
        assert!(db.create_family("f", impostor()).is_err());
    }
    let nameless = FamilyOptions {
        comparator: Comparator::custom(Impostor("", by_numbers)),
        ..FamilyOptions::default()
    };
    let vfs = MemoryVfs::new();
    let error = Db::open("db", on(&vfs).family("f", nameless)).unwrap_err();
    assert!(error.to_string().contains("an empty name"), "{error}");
    // Whoever reverses the bytes in a custom order has the same order.
    let own = FamilyOptions {
        comparator: Comparator::custom(Impostor("reverse-bytewise", |a, b| b.cmp(a))),
        ..FamilyOptions::default()
    };
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs).family("f", own)).unwrap();
    db.family("f").unwrap().put("k", "v").unwrap();
    drop(db);
    assert!(Db::open("db", on(&vfs)).unwrap().family("f").is_ok());
}

#[test]
fn an_unlisted_family_is_opened_or_refused_as_told() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs).family("extra", FamilyOptions::default())).unwrap();
    db.family("extra").unwrap().put("k", "v").unwrap();
    drop(db);
    let refuse = Options {
        unlisted: Unlisted::Refuse,
        ..on(&vfs)
    };
    refused(&vfs, Path::new("db"), refuse, &["\"extra\"", "do not list"]);
    let db = Db::open("db", on(&vfs)).unwrap();
    assert_eq!(db.families(), ["default", "extra"]);
    assert_eq!(
        db.family("extra").unwrap().get("k").unwrap().as_deref(),
        Some(&b"v"[..])
    );
}

#[test]
fn a_locked_database_is_refused() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs)).unwrap();
    let error = refused(
        &vfs,
        Path::new("db"),
        on(&vfs),
        &["LOCK", "Close the other one"],
    );
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    // Closing releases the lock, although a handle still exists.
    db.close().unwrap();
    Db::open("db", on(&vfs)).unwrap();
}

#[test]
fn a_directory_of_another_program_is_refused() {
    let vfs = MemoryVfs::new();
    vfs.create_dir_all(Path::new("mail")).unwrap();
    vfs.create(Path::new("mail/inbox.mbox"))
        .unwrap()
        .append(b"From: x")
        .unwrap();
    let error = refused(
        &vfs,
        Path::new("mail"),
        on(&vfs),
        &["\"inbox.mbox\"", "no CURRENT"],
    );
    assert!(matches!(error, Error::NotADatabase { .. }), "{error}");

    // LevelDB's files have the same names; its manifest shows the difference.
    vfs.create_dir_all(Path::new("level")).unwrap();
    vfs.create(Path::new("level/CURRENT"))
        .unwrap()
        .append(b"MANIFEST-000002\n")
        .unwrap();
    let leveldb = b"\x56\xf9\xb8\xf8\x1c\x00\x01\x01\x1aleveldb.BytewiseComparator\x02\x00";
    vfs.create(Path::new("level/MANIFEST-000002"))
        .unwrap()
        .append(leveldb)
        .unwrap();
    let error = refused(
        &vfs,
        Path::new("level"),
        on(&vfs),
        &["MANIFEST-000002", "does not begin"],
    );
    assert!(matches!(error, Error::NotADatabase { .. }), "{error}");

    vfs.create_dir_all(Path::new("other")).unwrap();
    vfs.create(Path::new("other/CURRENT"))
        .unwrap()
        .append(b"2026-01-01")
        .unwrap();
    refused(
        &vfs,
        Path::new("other"),
        on(&vfs),
        &["CURRENT should name a manifest", "2026-01-01"],
    );
}

/// As long as anything in the directory can be recognized as the engine's.
#[test]
fn a_damaged_database_is_not_taken_for_another_programs() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs)).unwrap();
    db.put("k", "v").unwrap();
    db.flush().unwrap();
    db.close().unwrap();
    let path_of = |part: &str| {
        let names = vfs.list(Path::new("db")).unwrap();
        let name = names
            .iter()
            .find(|name| name.to_string_lossy().contains(part));
        Path::new("db").join(name.unwrap())
    };
    let (current, manifest) = (path_of("CURRENT"), path_of("MANIFEST"));
    let len = vfs.len(&manifest).unwrap() as usize;
    let leveldb = b"\x56\xf9\xb8\xf8\x1c\x00\x01\x01\x1aleveldb.BytewiseComparator\x02\x00";
    // The damaged file, its contents, and the words of the message.
    let cases: [(&Path, Vec<u8>, &[&str]); 7] = [
        (&current, Vec::new(), &["byte 0", "should name a manifest"]),
        (&current, vec![0; 16], &["byte 0", "should name a manifest"]),
        (&current, b"MANIFEST-00000".to_vec(), &["byte 14"]),
        (&current, b"MANIFEST-00000x\n".to_vec(), &["byte 14"]),
        (&manifest, Vec::new(), &["byte 0", "is not whole"]),
        (&manifest, vec![0; len], &["byte 0", "is not whole"]),
        (&manifest, leveldb.to_vec(), &["byte 0", "is not whole"]),
    ];
    for (path, bytes, words) in cases {
        let copy = vfs.crash(1);
        copy.damage(path, bytes.clone()).unwrap();
        let name = path.to_str().unwrap();
        let error = refused(
            &copy,
            Path::new("db"),
            on(&copy),
            &[&[name, "engine::repair"], words].concat(),
        );
        assert!(
            matches!(error, Error::Corruption { .. }),
            "{bytes:?}: {error}"
        );
        // What the message advises helps.
        engine::repair("db", &on(&copy)).unwrap();
        let db = Db::open("db", on(&copy)).unwrap();
        assert_eq!(db.get("k").unwrap().as_deref(), Some(&b"v"[..]));
        db.close().unwrap();
    }
    // A file of somebody else's beside it makes it no other program's.
    vfs.create(Path::new("db/notes.txt")).unwrap();
    vfs.remove(&current).unwrap();
    let error = refused(&vfs, Path::new("db"), on(&vfs), &["CURRENT", "holds data"]);
    assert!(matches!(error, Error::Corruption { .. }), "{error}");
}

#[test]
fn a_missing_table_is_named() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs)).unwrap();
    db.put("k", "v").unwrap();
    db.flush().unwrap();
    drop(db);
    let names = vfs.list(Path::new("db")).unwrap();
    let table = names
        .iter()
        .find(|name| name.to_string_lossy().ends_with(".sst"))
        .unwrap();
    vfs.remove(&Path::new("db").join(table)).unwrap();
    let words = [table.to_str().unwrap(), "missing"];
    let error = refused(&vfs, Path::new("db"), on(&vfs), &words);
    assert!(matches!(error, Error::Corruption { .. }), "{error}");
}

/// It was there when `CURRENT` named it. Another path would not help.
#[test]
fn a_missing_manifest_is_named_and_is_damage() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs)).unwrap();
    db.put("a", "1").unwrap();
    db.close().unwrap();
    let files = contents(&vfs, Path::new("db"));
    let manifest = files.keys().find(|name| name.starts_with("MANIFEST"));
    let manifest = manifest.unwrap();
    vfs.remove(&Path::new("db").join(manifest)).unwrap();
    let words = [manifest, "missing", "CURRENT names it", "backup"];
    let error = refused(&vfs, Path::new("db"), on(&vfs), &words);
    assert!(matches!(error, Error::Corruption { .. }), "{error}");
}

#[test]
fn a_lost_current_beside_data_is_no_new_database() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs)).unwrap();
    db.put("k", "v").unwrap();
    drop(db);
    vfs.remove(Path::new("db/CURRENT")).unwrap();
    let error = refused(&vfs, Path::new("db"), on(&vfs), &["CURRENT", "holds data"]);
    assert!(matches!(error, Error::Corruption { .. }), "{error}");
}

#[test]
fn existence_is_as_the_options_say() {
    let vfs = MemoryVfs::new();
    let only_existing = || Options {
        create_if_missing: false,
        ..on(&vfs)
    };
    let error = Db::open("db", only_existing()).unwrap_err();
    assert!(
        error.to_string().contains("create_if_missing is off"),
        "{error}"
    );
    assert!(
        !vfs.exists(Path::new("db")).unwrap(),
        "a refusal creates nothing"
    );
    drop(Db::open("db", on(&vfs)).unwrap());
    drop(Db::open("db", only_existing()).unwrap());
    let only_new = Options {
        error_if_exists: true,
        ..on(&vfs)
    };
    refused(
        &vfs,
        Path::new("db"),
        only_new,
        &["already holds a database"],
    );
}

#[test]
fn options_out_of_range_are_named_before_anything_is_touched() {
    let vfs = MemoryVfs::new();
    type Change = fn(&mut FamilyOptions);
    let changes: [(&str, Change); 13] = [
        ("write_buffer_bytes is 0,", |of| of.write_buffer_bytes = 0),
        ("write_buffer_bytes is 1", |of| {
            of.write_buffer_bytes = usize::MAX;
        }),
        ("block_bytes is 0,", |of| of.block_bytes = 0),
        ("block_bytes is 1", |of| of.block_bytes = usize::MAX),
        ("restart_interval is 0,", |of| of.restart_interval = 0),
        ("restart_interval is 1", |of| {
            of.restart_interval = usize::MAX;
        }),
        ("filter_bits_per_key is 65,", |of| {
            of.filter_bits_per_key = 65;
        }),
        ("target_file_bytes is 0,", |of| of.target_file_bytes = 0),
        ("target_file_bytes is 1", |of| {
            of.target_file_bytes = u64::MAX;
        }),
        ("level_base_bytes is 0,", |of| of.level_base_bytes = 0),
        ("level_base_bytes is 1", |of| of.level_base_bytes = u64::MAX),
        ("level_multiplier is 1,", |of| of.level_multiplier = 1),
        ("level_multiplier is 1", |of| of.level_multiplier = u64::MAX),
    ];
    for (words, change) in changes {
        let mut family = FamilyOptions::default();
        change(&mut family);
        let error = Db::open("db", on(&vfs).family("hot", family.clone())).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        let error = error.to_string();
        for part in ["column family \"hot\"", words, "it takes"] {
            assert!(error.contains(part), "{part:?} is not in: {error}");
        }
        assert!(!vfs.exists(Path::new("db")).unwrap());
        // Creating a family later does not get around it.
        let other = MemoryVfs::new();
        let db = Db::open("db", on(&other)).unwrap();
        let created = db.create_family("hot", family).unwrap_err();
        assert_eq!(created.to_string(), error);
    }
    for bytes in [1_023, usize::MAX] {
        let options = Options {
            total_write_buffer_bytes: Some(bytes),
            ..on(&vfs)
        };
        let error = Db::open("db", options).unwrap_err().to_string();
        let words = format!("the option total_write_buffer_bytes is {bytes}, it takes 1024 to ");
        assert!(error.contains(&words), "{error}");
        assert!(!vfs.exists(Path::new("db")).unwrap());
    }
    let error = Db::open("db", on(&vfs).family("", FamilyOptions::default())).unwrap_err();
    assert!(error.to_string().contains("name"), "{error}");
}

#[test]
fn an_opening_that_fails_leaves_the_directory_as_it_was() {
    for fault in [Fault::NoSpace, Fault::Io, Fault::ShortWrite] {
        let memory = MemoryVfs::new();
        let db = Db::open("db", on(&memory)).unwrap();
        db.put("flushed", "v").unwrap();
        db.flush().unwrap();
        db.put("logged", "v").unwrap();
        drop(db);
        let before = contents(&memory, Path::new("db"));
        let (mut unchanged, mut in_force) = (0, 0);
        for n in 1.. {
            let faulty = FaultVfs::new(Arc::new(restored(&before)));
            faulty.fail_nth(n, fault);
            let options = Options {
                vfs: Arc::new(faulty.clone()),
                ..Options::default()
            };
            let outcome = Db::open("db", options);
            let failed = faulty.failed();
            if failed.is_empty() {
                break;
            }
            let Err(error) = outcome else { continue };
            faulty.heal();
            let after = contents(&faulty, Path::new("db"));
            if after["CURRENT"] == before["CURRENT"] {
                assert_eq!(after, before, "{fault:?}, {failed:?}: {error}");
                unchanged += 1;
            } else {
                in_force += 1;
            }
        }
        assert!(unchanged > 5, "{fault:?}: {unchanged}");
        assert!(
            in_force <= 1,
            "only the last sync comes too late: {in_force}"
        );
    }
}

#[test]
fn a_file_numbered_beyond_all_counting_is_named() {
    let vfs = MemoryVfs::new();
    drop(Db::open("db", on(&vfs)).unwrap());
    vfs.create(Path::new("db/18446744073709551615.sst"))
        .unwrap();
    refused(
        &vfs,
        Path::new("db"),
        on(&vfs),
        &["18446744073709551615", "move it elsewhere"],
    );
}

/// Counting continues after the greatest number found. However great that is, what opened once opens again.
#[test]
fn a_stray_file_never_leads_to_numbers_that_the_next_opening_refuses() {
    for bits in 0..64 {
        for number in [1_u64 << bits, (1 << bits) - 1] {
            let vfs = MemoryVfs::new();
            drop(Db::open("db", on(&vfs)).unwrap());
            vfs.create(&file_name::table(Path::new("db"), number.max(9)))
                .unwrap();
            if Db::open("db", on(&vfs)).is_ok() {
                for _ in 0..2 {
                    Db::open("db", on(&vfs)).unwrap().put("k", "v").unwrap();
                }
            }
        }
    }
}

#[test]
fn real_files_and_directories_in_the_way_are_explained() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    std::fs::write(&file, "not a directory").unwrap();
    let error = Db::open(&file, Options::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("mixes up a file and a directory"),
        "{error}"
    );
    let error = Db::open(file.join("below"), Options::default()).unwrap_err();
    assert!(
        error.to_string().contains("a file and a directory"),
        "{error}"
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "not a directory");

    let dir = root.path().join("db");
    let db = Db::open(&dir, Options::default()).unwrap();
    db.put("k", "v").unwrap();
    let error = refused_real(&dir);
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    drop(db);
    let db = Db::open(&dir, Options::default()).unwrap();
    assert_eq!(db.get("k").unwrap().as_deref(), Some(&b"v"[..]));
}

fn refused_real(dir: &Path) -> Error {
    refused(&StdVfs, dir, Options::default(), &["LOCK"])
}

#[cfg(unix)]
#[test]
fn an_unreadable_directory_is_explained() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("db");
    drop(Db::open(&dir, Options::default()).unwrap());
    let closed = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(&dir, closed).unwrap();
    let opened = Db::open(&dir, Options::default());
    let may_anything = std::fs::read_dir(&dir).is_ok();
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o700)).unwrap();
    match opened {
        Err(error) => {
            assert!(error.to_string().contains("Check who owns it"), "{error}");
            drop(Db::open(&dir, Options::default()).unwrap());
        }
        // The superuser reads every directory, so there is nothing to refuse.
        Ok(_) => assert!(may_anything, "only the superuser opens a closed directory"),
    }
}

/// Two openings create the database at once, both told not to open an existing one. Between one's
/// look at the directory and its lock, the other has created its database and closed it.
#[test]
fn a_database_that_appears_while_one_is_opened_is_seen() {
    let memory = MemoryVfs::new();
    let before_lock = |then: fn(&MemoryVfs)| {
        let inner = memory.clone();
        let hooked = Hooked::new(&memory, move |operation, _| {
            if operation == "lock" {
                then(&inner);
            }
        });
        Arc::new(hooked)
    };
    let options = Options {
        vfs: before_lock(|memory| Db::open("db", on(memory)).unwrap().put("k", "v").unwrap()),
        error_if_exists: true,
        ..Options::default()
    };
    let error = Db::open("db", options).unwrap_err();
    assert!(error.to_string().contains("error_if_exists"), "{error}");
    // And a database that disappears.
    let options = Options {
        vfs: before_lock(|memory| {
            for name in memory.list(Path::new("db")).unwrap() {
                memory.remove(&Path::new("db").join(name)).unwrap();
            }
        }),
        create_if_missing: false,
        ..Options::default()
    };
    let error = Db::open("db", options).unwrap_err();
    assert!(error.to_string().contains("create_if_missing"), "{error}");
}
