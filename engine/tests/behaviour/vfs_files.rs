//! Claim: the file system in memory behaves as the real one does, and the real one's errors say what to do.

use engine::error::Error;
use engine::vfs::{FaultVfs, LockGuard, MemoryVfs, StdVfs, Vfs, WritableFile, parent_dir};
use proptest::prelude::*;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Command;
use std::sync::Arc;

use crate::support::waiting::PATIENCE;

/// An operation on one of a few names below the directory under test.
#[derive(Clone, Debug)]
enum Op {
    Create(PathBuf, Vec<u8>),
    Append(PathBuf, Vec<u8>),
    CreateDirAll(PathBuf),
    Remove(PathBuf),
    Rename(PathBuf, PathBuf),
    HardLink(PathBuf, PathBuf),
    SyncDir(PathBuf),
    Read(PathBuf),
    Map(PathBuf),
    ReadAt(PathBuf, u64, usize),
    Len(PathBuf),
    Exists(PathBuf),
    List(PathBuf),
}

fn name() -> impl Strategy<Value = PathBuf> {
    prop::sample::select(vec!["a", "b", "dir/c", "dir/./d", "dir"]).prop_map(PathBuf::from)
}

/// Operations that change nothing.
fn look() -> impl Strategy<Value = Op> {
    prop_oneof![
        name().prop_map(Op::Read),
        name().prop_map(Op::Map),
        (name(), 0u64..50, 0usize..50).prop_map(|(name, at, len)| Op::ReadAt(name, at, len)),
        name().prop_map(Op::Len),
        name().prop_map(Op::Exists),
        prop::sample::select(vec!["dir", "", "none"]).prop_map(|dir| Op::List(dir.into())),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let data = || prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        3 => (name(), data()).prop_map(|(name, data)| Op::Create(name, data)),
        2 => (name(), data()).prop_map(|(name, data)| Op::Append(name, data)),
        2 => prop::sample::select(vec!["dir", "a", "dir/sub"]).prop_map(|dir| Op::CreateDirAll(dir.into())),
        1 => name().prop_map(Op::Remove),
        1 => (name(), name()).prop_map(|(from, to)| Op::Rename(from, to)),
        1 => (name(), name()).prop_map(|(from, to)| Op::HardLink(from, to)),
        1 => prop::sample::select(vec!["dir", "", "none"]).prop_map(|dir| Op::SyncDir(dir.into())),
        5 => look(),
    ]
}

/// What an operation answers, in a comparable form. Which error it is differs between systems.
fn run(vfs: &dyn Vfs, root: &Path, op: &Op) -> Result<Vec<u8>, ()> {
    let at = |name: &PathBuf| root.join(name);
    let write = |file: Result<Box<dyn WritableFile>, Error>, data: &[u8]| {
        let mut file = file?;
        file.append(data)?;
        Ok(file.len().to_be_bytes().to_vec())
    };
    let answer = match op {
        Op::Create(name, data) => write(vfs.create(&at(name)), data),
        Op::Append(name, data) => write(vfs.open_append(&at(name)), data),
        Op::CreateDirAll(name) => vfs.create_dir_all(&at(name)).map(|()| Vec::new()),
        Op::Remove(name) => vfs.remove(&at(name)).map(|()| Vec::new()),
        Op::Rename(from, to) => vfs.rename(&at(from), &at(to)).map(|()| Vec::new()),
        Op::HardLink(from, to) => vfs.hard_link(&at(from), &at(to)).map(|()| Vec::new()),
        Op::SyncDir(dir) => vfs.sync_dir(&at(dir)).map(|()| Vec::new()),
        Op::Read(name) => vfs.read(&at(name)),
        Op::Map(name) => vfs
            .open_mapped(&at(name))
            .map(|file| file.contents().unwrap().to_vec()),
        Op::ReadAt(name, offset, len) => vfs
            .open_random(&at(name))
            .and_then(|file| file.read_at(*offset, *len))
            .map(|slice| slice.to_vec()),
        Op::Len(name) => vfs.len(&at(name)).map(|len| len.to_be_bytes().to_vec()),
        Op::Exists(name) => vfs.exists(&at(name)).map(|exists| vec![u8::from(exists)]),
        Op::List(dir) => vfs
            .list(&at(dir))
            .map(|names| format!("{names:?}").into_bytes()),
    };
    answer.map_err(|error| assert!(matches!(error, Error::Io { .. }), "{error}"))
}

/// Operations that mean something only to a real system: renaming directories, the length of a directory.
fn about_a_directory(vfs: &dyn Vfs, root: &Path, op: &Op) -> bool {
    let is_dir = |name: &PathBuf| vfs.list(&root.join(name)).is_ok();
    match op {
        Op::Rename(from, _) | Op::HardLink(from, _) => is_dir(from),
        Op::Len(name) => is_dir(name),
        _ => false,
    }
}

proptest! {
    // Each case syncs real directories.
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn memory_answers_as_the_real_file_system(ops in prop::collection::vec(op(), 1..60)) {
        let dir = tempfile::tempdir().unwrap();
        let memory = MemoryVfs::new();
        memory.create_dir_all(dir.path()).unwrap();
        for op in &ops {
            if about_a_directory(&memory, dir.path(), op) {
                continue;
            }
            let expected = run(&StdVfs, dir.path(), op);
            prop_assert_eq!(run(&memory, dir.path(), op), expected, "{:?} in {:?}", op, ops);
        }
    }
}

fn io_kind(error: Error) -> (ErrorKind, String) {
    let message = error.to_string();
    match error {
        Error::Io { source, .. } => (source.kind(), message),
        other => panic!("expected an Io error, got {other:?}"),
    }
}

#[test]
fn a_missing_file_is_named_with_what_was_tried() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("none/000001.log");
    for vfs in [&StdVfs as &dyn Vfs, &MemoryVfs::new()] {
        let (kind, message) = io_kind(vfs.read(&missing).unwrap_err());
        assert_eq!(kind, ErrorKind::NotFound);
        assert!(
            message.contains("000001.log") && message.contains("Check the path"),
            "{message}"
        );
        assert!(vfs.create(&missing).unwrap_err().is_not_found());
        assert!(!vfs.exists(&missing).unwrap());
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_work_and_are_listed_as_they_are() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"caf\xe9");
    let memory = MemoryVfs::new();
    memory.create_dir_all(dir.path()).unwrap();
    for vfs in [&StdVfs as &dyn Vfs, &memory] {
        let path = dir.path().join(name);
        vfs.create(&path).unwrap().append(b"data").unwrap();
        assert_eq!(vfs.list(dir.path()).unwrap(), [name]);
        assert_eq!(vfs.read(&path).unwrap(), b"data");
    }
    let (kind, message) = io_kind(
        StdVfs
            .read(Path::new(OsStr::from_bytes(b"a\0b")))
            .unwrap_err(),
    );
    assert_eq!(kind, ErrorKind::InvalidInput);
    assert!(message.contains("cannot hold such a name"), "{message}");
}

#[test]
fn a_lock_is_held_once_and_released_with_its_guard() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("LOCK");
    let guard = StdVfs.lock(&path).unwrap();
    let error = StdVfs.lock(&path).unwrap_err();
    assert!(
        matches!(&error, Error::Locked { path: locked } if *locked == path),
        "{error}"
    );
    drop(guard);
    StdVfs.lock(&path).unwrap();
}

#[test]
fn a_lock_that_is_shared_keeps_out_who_wants_it_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("LOCK");
    let memory = MemoryVfs::new();
    memory.create_dir_all(dir.path()).unwrap();
    let faulty = FaultVfs::new(Arc::new(memory.clone()));
    for vfs in [&StdVfs as &dyn Vfs, &memory, &faulty] {
        let missing = vfs.lock_shared(&path).unwrap_err();
        assert!(missing.is_not_found(), "{missing}");
        assert!(!vfs.exists(&path).unwrap(), "nothing was created");
        let is_locked = |outcome: engine::Result<Box<dyn LockGuard>>| matches!(outcome, Err(Error::Locked { path: locked }) if locked == path);
        let alone = vfs.lock(&path).unwrap();
        assert!(is_locked(vfs.lock_shared(&path)));
        drop(alone);
        let (first, second) = (vfs.lock_shared(&path), vfs.lock_shared(&path));
        assert!(is_locked(vfs.lock(&path)));
        drop(first.unwrap());
        assert!(is_locked(vfs.lock(&path)));
        drop(second.unwrap());
        drop(vfs.lock(&path).unwrap());
        vfs.remove(&path).unwrap();
    }
}

/// A child process has all files of its parent open until it runs its program, and their locks with them.
#[cfg(unix)]
#[test]
fn a_lock_is_released_while_children_are_started() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("LOCK");
    std::thread::scope(|scope| {
        let parent = scope.spawn(|| {
            for _ in 0..100 {
                Command::new("true").status().unwrap();
            }
        });
        while !parent.is_finished() {
            drop(StdVfs.lock(&path).expect("nobody else takes it"));
        }
    });
}

#[test]
fn a_mapped_file_keeps_its_bytes_when_its_name_is_given_away() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    let memory = MemoryVfs::new();
    memory.create_dir_all(dir.path()).unwrap();
    for vfs in [&StdVfs as &dyn Vfs, &memory] {
        vfs.create(&path).unwrap().append(b"first").unwrap();
        let mapped = vfs.open_mapped(&path).unwrap();
        vfs.create(&path).unwrap().append(b"2nd").unwrap();
        assert_eq!(&*mapped.contents().unwrap(), b"first");
        vfs.remove(&path).unwrap();
        assert_eq!(&*mapped.read_at(1, 3).unwrap(), b"irs");
    }
}

#[test]
fn a_hint_about_any_range_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    let memory = MemoryVfs::new();
    memory.create_dir_all(dir.path()).unwrap();
    let faulty = FaultVfs::new(Arc::new(StdVfs));
    for vfs in [&StdVfs as &dyn Vfs, &memory, &faulty] {
        vfs.create(&path).unwrap().append(b"data").unwrap();
        for file in [
            vfs.open_random(&path).unwrap(),
            vfs.open_mapped(&path).unwrap(),
        ] {
            for (offset, len) in [
                (0, 4),
                (2, 9),
                (4, 0),
                (5, 1),
                (0, u64::MAX),
                (u64::MAX, u64::MAX),
            ] {
                file.will_read(offset, len);
            }
            assert_eq!(&*file.read_at(0, 4).unwrap(), b"data");
        }
    }
}

#[test]
fn a_read_beyond_the_end_is_refused_before_anything_is_allocated() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    let memory = MemoryVfs::new();
    memory.create_dir_all(dir.path()).unwrap();
    for vfs in [&StdVfs as &dyn Vfs, &memory] {
        vfs.create(&path).unwrap().append(b"data").unwrap();
        for file in [
            vfs.open_random(&path).unwrap(),
            vfs.open_mapped(&path).unwrap(),
        ] {
            assert_eq!(file.read_at(4, 0).unwrap().len(), 0);
            for (offset, len) in [
                (0, 5),
                (5, 0),
                (0, usize::MAX),
                (u64::MAX, 1),
                (u64::MAX, usize::MAX),
            ] {
                let (kind, _) = io_kind(file.read_at(offset, len).unwrap_err());
                assert_eq!(kind, ErrorKind::UnexpectedEof, "{offset} {len}");
            }
        }
    }
}

/// A file with a hole may be longer than any memory, and a hostile table states any length.
#[cfg(target_os = "linux")]
#[test]
fn a_read_that_no_memory_can_hold_is_an_error() {
    // Of file systems in wide use this one allows such lengths.
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else {
        return;
    };
    let path = dir.path().join("a");
    // More than a process can address.
    const BYTES: u64 = 1 << 50;
    let created = std::fs::File::create(&path).unwrap();
    if created.set_len(BYTES).is_err() {
        return;
    }
    let file = StdVfs.open_random(&path).unwrap();
    let refused = file.read_at(0, BYTES as usize).unwrap_err();
    assert!(
        refused.to_string().contains("not enough memory"),
        "{refused}"
    );
    assert_eq!(&*file.read_at(BYTES - 2, 2).unwrap(), [0, 0]);
}

#[test]
fn the_directory_of_a_bare_name_is_the_current_one() {
    assert_eq!(parent_dir(Path::new("a")), Path::new("."));
    assert_eq!(parent_dir(Path::new("db/a")), Path::new("db"));
    assert_eq!(parent_dir(Path::new("/a")), Path::new("/"));
    assert_eq!(parent_dir(Path::new("/")), Path::new("/"));
}

/// Reserved room is blocks of the file: nobody else can take them before they are written.
#[cfg(target_os = "linux")]
#[test]
fn room_is_space_on_the_disk() {
    use std::os::unix::fs::MetadataExt;
    let real = tempfile::tempdir().unwrap();
    for (name, reserve) in [
        ("zeros", WritableFile::reserve as fn(&mut _, _) -> _),
        ("blocks", WritableFile::reserve_blocks),
    ] {
        let path = real.path().join(name);
        let mut file = StdVfs.create(&path).unwrap();
        file.append(&[1; 5000]).unwrap();
        if reserve(&mut *file, 1_000_000).is_err() {
            continue; // A file system that copies on write.
        }
        // With delayed allocation, the blocks of what was written are chosen at the sync. Here they
        // are reserved before.
        file.sync().unwrap();
        let blocks = std::fs::metadata(&path).unwrap().blocks();
        let promised = file.len() + file.room();
        assert!(promised >= 1_005_000, "{name}: {promised} bytes");
        assert!(blocks * 512 >= promised, "{name}: {blocks} blocks");
        file.trim().unwrap();
        file.sync().unwrap();
        let blocks = std::fs::metadata(&path).unwrap().blocks();
        assert!(blocks * 512 <= 65_536, "{name}: {blocks} blocks");
    }
}

/// Appends of all sizes into reserved space, beyond it, and after a trim: the file holds them and nothing else.
#[test]
fn reserved_space_is_filled_and_given_back() {
    let real = tempfile::tempdir().unwrap();
    let memory = MemoryVfs::new();
    for (vfs, root) in [
        (&StdVfs as &dyn Vfs, real.path()),
        (&memory, Path::new(".")),
    ] {
        let path = root.join("log");
        let mut file = vfs.create(&path).unwrap();
        let mut expected = Vec::new();
        for round in 0..5u8 {
            let reserved = match round % 2 {
                0 => file.reserve(100_000),
                _ => file.reserve_blocks(100_000),
            };
            match reserved {
                Ok(()) => assert!(file.room() >= 100_000),
                // A file system that copies on write; appends are ordinary ones then.
                Err(error) => assert!(error.to_string().contains("reserve"), "{error}"),
            }
            for size in [
                1,
                0,
                100,
                4095,
                4097,
                70_000,
                50_000 * usize::from(round % 2),
            ] {
                let data: Vec<u8> = (0..size).map(|at| (at % 251) as u8 ^ round).collect();
                file.append(&data).unwrap();
                expected.extend_from_slice(&data);
                assert_eq!(file.len(), expected.len() as u64);
            }
            let read = vfs.read(&path).unwrap();
            assert!(read[..expected.len()] == expected, "round {round}");
            assert!(read[expected.len()..].iter().all(|byte| *byte == 0));
            file.sync().unwrap();
            if round == 2 {
                file.trim().unwrap();
                assert_eq!(file.room(), 0);
                assert!(vfs.read(&path).unwrap() == expected);
            }
        }
        file.trim().unwrap();
        drop(file);
        assert!(vfs.read(&path).unwrap() == expected);
    }
}

/// Opening a pipe waits until its other end is opened. A pipe under the name of an engine's file is
/// refused at once.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    type Opens = fn(&Path) -> Option<Error>;
    let ways: [(&str, Opens); 5] = [
        ("read", |path| StdVfs.read(path).err()),
        ("open_random", |path| StdVfs.open_random(path).err()),
        ("open_mapped", |path| StdVfs.open_mapped(path).err()),
        ("open_append", |path| StdVfs.open_append(path).err()),
        ("lock", |path| StdVfs.lock(path).err()),
    ];
    for (way, open) in ways {
        let (done, outcome) = std::sync::mpsc::channel();
        let pipe = pipe.clone();
        std::thread::spawn(move || done.send(open(&pipe)));
        let error = outcome.recv_timeout(PATIENCE);
        let error = error.unwrap_or_else(|_| panic!("{way} waits for the other end"));
        let error = error.unwrap_or_else(|| panic!("{way} takes it for a file"));
        let message = error.to_string();
        assert!(
            message.contains("a pipe, a socket or a device") && message.contains("plain files"),
            "{way}: {message}"
        );
    }
    // Creating a file takes over the name, just as from a file that is already there.
    StdVfs.create(&pipe).unwrap().append(b"data").unwrap();
    assert_eq!(StdVfs.read(&pipe).unwrap(), b"data");
}
