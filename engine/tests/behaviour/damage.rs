//! Every byte of every file of a small database is changed in turn. The result must be `Corruption` that leads to the
//! file, or the right answer: never another error, never a panic, never rows that were not written, and never more
//! memory than the files justify, because every length is compared with what remains before anything is allocated for it.
//!
//! One thing cannot be distinguished from a power cut: damage at the end of the newest log of a database that was not
//! closed. Then the rows are those of an earlier moment. A closing says in the manifest how far the logs go.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use engine::log::{LogReader, LogWriter, RecoveryMode, next_header};
use engine::version::file_name::{self, FileName};
use engine::version::{VersionEdit, current_manifest, read_manifest};
use engine::vfs::{MemoryVfs, Vfs};
use engine::{
    Comparator, Compression, Db, Error, FamilyOptions, Finding, Options, WriteBatch, WriteOptions,
    repair, verify,
};

use crate::support::counting::taken_by;
use crate::support::waiting::PATIENCE;
use crate::support::{Rows, roomy, tiny};
use crate::support::{checksum::checksum, manual};

fn options(vfs: &MemoryVfs) -> Options {
    let options = manual(vfs);
    let other = FamilyOptions {
        comparator: Comparator::reverse_bytewise(),
        compression: Compression::Lz4,
        filter_bits_per_key: 0,
        ..tiny()
    };
    options.family("default", tiny()).family("other", other)
}

enum Step {
    Put(&'static str, &'static str),
    /// Deletes what is between two keys, neither of which is there.
    DeleteBetween(&'static str, &'static str),
    Flush,
    Compact,
}

/// Tables in two levels, plain ones with filters and compressed ones without, some with a range tombstone, a log with
/// two records. Both families hold the same rows.
struct Database {
    closed: MemoryVfs,
    /// What a kill after the last write left. That write was synced.
    killed: MemoryVfs,
    /// The rows at every moment of the history.
    points: Vec<Rows>,
}

impl Database {
    fn all(&self) -> &Rows {
        self.points.last().unwrap()
    }

    /// Each file of the closed database, and the newest log of the killed one.
    fn files(&self) -> Vec<File> {
        let mut names = self.closed.list(Path::new("db")).unwrap();
        let mut files: Vec<_> = names
            .iter()
            .map(|name| File::of(&self.closed, name))
            .collect();
        names.retain(|name| matches!(FileName::parse(name), Some(FileName::Log(_))));
        let mut log = File::of(&self.killed, names.last().unwrap());
        log.may_end_early = true;
        // The zeros that were reserved after its end mean nothing, and there are many.
        let end = log.bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
        log.bytes.truncate(end);
        files.push(log);
        files
    }
}

struct File {
    vfs: MemoryVfs,
    path: PathBuf,
    bytes: Vec<u8>,
    /// Whether it is the newest log, and nothing says how far it went.
    may_end_early: bool,
}

impl File {
    fn of(vfs: &MemoryVfs, name: &OsStr) -> Self {
        let path = Path::new("db").join(name);
        Self {
            vfs: vfs.clone(),
            bytes: vfs.read(&path).unwrap(),
            path,
            may_end_early: false,
        }
    }

    /// The database with other bytes in this file.
    fn damaged(&self, bytes: Vec<u8>) -> MemoryVfs {
        let copy = self.vfs.crash(1);
        copy.damage(&self.path, bytes).unwrap();
        copy
    }

    /// Whether these rows are right although this file is damaged.
    fn allows(&self, found: &Rows, points: &[Rows]) -> bool {
        points.last() == Some(found) || (self.may_end_early && points.contains(found))
    }
}

fn database() -> Database {
    use Step::{Compact, DeleteBetween, Flush, Put};
    let vfs = MemoryVfs::new();
    let db = Db::open("db", roomy(options(&vfs))).unwrap();
    let (default, other) = (db.default_family(), db.family("other").unwrap());
    let mut points = vec![Rows::new()];
    for step in [
        Put("apple", "red"),
        Put("cherry", "black"),
        Put("pear", "green"),
        Compact,
        Put("plum", "blue"),
        DeleteBetween("b", "d"),
        Flush,
        Put("quince", "yellow"),
        Put("apple", "golden"),
    ] {
        let mut batch = WriteBatch::new();
        let mut rows = points.last().unwrap().clone();
        match step {
            Flush => {
                db.flush().unwrap();
                continue;
            }
            Compact => {
                db.compact().unwrap();
                continue;
            }
            Put(key, value) => {
                let value = value.repeat(9);
                batch.put(&default, key, &value);
                batch.put(&other, key, &value);
                rows.insert(key.into(), value.into());
            }
            DeleteBetween(low, high) => {
                batch.delete_range(&default, low, high);
                batch.delete_range(&other, high, low);
                rows.retain(|key, _| key < &low.into() || key > &high.into());
            }
        }
        db.write(batch, WriteOptions::default()).unwrap();
        points.push(rows);
    }
    db.sync().unwrap();
    let killed = vfs.crash(1);
    drop((default, other, db));
    Database {
        closed: vfs,
        killed,
        points,
    }
}

fn rows(vfs: &MemoryVfs) -> engine::Result<Rows> {
    let db = Db::open("db", options(vfs))?;
    let [default, other] =
        ["default", "other"].map(|name| db.family(name)?.iter().collect::<engine::Result<Rows>>());
    let default = default?;
    assert_eq!(default, other?, "a batch is seen in part");
    Ok(default)
}

/// Whether the error is `Corruption` of the file `path` with `len` bytes. If a digit of `CURRENT` is another, it may be
/// that the manifest is missing which it names then.
///
/// No other error is right for damage that chance makes: `UnsupportedVersion` and `ComparatorMismatch` are for what stands
/// under a correct checksum, and `NotADatabase` is for a directory in which nothing can be recognized as the engine's.
fn leads_to(error: &Error, path: &Path, len: usize) -> bool {
    let Error::Corruption { file, offset, what } = error else {
        return false;
    };
    let is_named_by_current = path.ends_with("CURRENT")
        && file.to_string_lossy().starts_with("db/MANIFEST-")
        && what == "the file is missing, and CURRENT names it";
    (file == path && *offset <= len as u64) || is_named_by_current
}

/// Whether a manifest whose end is missing still needs a log that its last edit let go of. The end looks as a power cut
/// would leave it, so only the missing log shows that it was in force, and the message says both.
fn misses_a_log(error: &Error, path: &Path) -> bool {
    matches!(error, Error::Corruption { file, what, .. }
        if path.to_string_lossy().contains("MANIFEST")
            && file.to_string_lossy().ends_with(".log")
            && what.ends_with("the log is lost, or the manifest's last edit"))
}

#[test]
fn no_changed_byte_is_believed() {
    let database = database();
    let (unchanged, usual) = taken_by(|| rows(&database.closed.crash(1)).unwrap());
    assert_eq!(unchanged, *database.all(), "unchanged it opens");
    let files = database.files();
    let longest = files.iter().map(|file| file.bytes.len()).max();
    let most = usual.largest.max(longest.unwrap());
    let (mut changed, mut refused) = (0, 0);
    for file in &files {
        let (path, len) = (&file.path, file.bytes.len());
        for at in 0..len {
            for bits in [0x01, 0x80, 0xff] {
                let mut damaged = file.bytes.clone();
                damaged[at] ^= bits;
                let copy = file.damaged(damaged);
                changed += 1;
                let (outcome, taken) = taken_by(|| rows(&copy));
                assert!(
                    taken.largest <= most && taken.bytes <= 2 * usual.bytes,
                    "byte {at} of {path:?} ^ {bits:#x} takes {taken:?}, undamaged {usual:?}"
                );
                match outcome {
                    Ok(found) => assert!(
                        file.allows(&found, &database.points),
                        "byte {at} of {path:?} ^ {bits:#x} gives {found:?}"
                    ),
                    Err(error) => {
                        assert!(
                            leads_to(&error, path, len),
                            "byte {at} of {path:?} ^ {bits:#x}: {error:?}"
                        );
                        refused += 1;
                    }
                }
            }
        }
    }
    println!("{changed} changes, {refused} refused; the largest allocation allowed is {most}");
    assert!(refused > changed / 2, "{refused} of {changed}");
}

#[test]
fn a_file_cut_short_is_noticed() {
    let database = database();
    for file in &database.files() {
        let path = &file.path;
        for len in 0..file.bytes.len() {
            match rows(&file.damaged(file.bytes[..len].to_vec())) {
                Ok(found) => assert!(
                    file.allows(&found, &database.points),
                    "{path:?} cut to {len}"
                ),
                Err(error) => assert!(
                    leads_to(&error, path, len) || misses_a_log(&error, path),
                    "{path:?} cut to {len}: {error:?}"
                ),
            }
        }
    }
}

/// What a closing or an opening has made durable, no power cut takes. `verify` finds what an opening refuses, and `repair`
/// reports it and keeps the rest.
#[test]
fn a_log_that_was_emptied_is_missed() {
    let Database {
        closed,
        killed,
        points,
    } = database();
    // An opening makes durable what it finds in the log of the killed one, and is killed in turn.
    let opened = Db::open("db", options(&killed)).unwrap();
    let found = killed.crash(1);
    drop(opened);
    for vfs in [&closed, &found] {
        let names = vfs.list(Path::new("db")).unwrap();
        let mut files = names.iter().map(|name| File::of(vfs, name));
        let log = files
            .find(|file| file.path.extension().is_some_and(|of| of == "log"))
            .unwrap();
        for left in [Vec::new(), vec![0; log.bytes.len()]] {
            let emptied = log.damaged(left);
            let error = rows(&emptied).unwrap_err();
            assert!(leads_to(&error, &log.path, 0), "{error:?}");
            let options = options(&emptied);
            let found = verify("db", &options).unwrap().findings;
            let is_of_log = |finding: &Finding| finding.file == log.path;
            assert!(found.iter().any(is_of_log), "{found:?}");
            let lost = repair("db", &options).unwrap().lost;
            assert!(lost.iter().any(is_of_log), "{lost:?}");
            // Two rows were in the log.
            assert_eq!(rows(&emptied).unwrap(), points[points.len() - 3]);
        }
    }
}

/// A page of zeros, or of what another program wrote.
#[test]
fn a_file_that_lost_a_part_is_noticed() {
    const PAGE: usize = 128;
    let database = database();
    for file in &database.files() {
        let (path, len) = (&file.path, file.bytes.len());
        let pages = (0..len).step_by(16);
        for (at, fill) in pages.flat_map(|at| [(at, 0), (at, b'x')]) {
            let mut damaged = file.bytes.clone();
            let end = len.min(at + PAGE);
            damaged[at..end].fill(fill);
            match rows(&file.damaged(damaged)) {
                Ok(found) => assert!(
                    file.allows(&found, &database.points),
                    "bytes {at} to {end} of {path:?} are {fill}, and it gives {found:?}"
                ),
                Err(error) => assert!(
                    leads_to(&error, path, len) || misses_a_log(&error, path),
                    "bytes {at} to {end} of {path:?} are {fill}: {error:?}"
                ),
            }
        }
    }
}

/// Records that are intact but say something impossible: the message points to the record.
#[test]
fn a_contradiction_in_a_manifest_or_log_is_shown_where_it_stands() {
    let vfs = database().closed;
    let dir = Path::new("db");
    let number = current_manifest(&vfs, dir).unwrap();
    let path = file_name::manifest(dir, number);
    // One more edit where the next one would be, in a copy that is written from the beginning.
    let edits = read_manifest(&vfs, dir, number).unwrap();
    let wrong = VersionEdit {
        next_file: Some(1),
        ..VersionEdit::default()
    };
    let copy = vfs.crash(1);
    let mut log = LogWriter::new(copy.create(&path).unwrap(), number);
    for (_, edit) in &edits {
        log.add_record(&edit.encode()).unwrap();
    }
    let whole = next_header(log.len());
    log.add_record(&wrong.encode()).unwrap();
    let error = rows(&copy).unwrap_err();
    let Error::Corruption { file, offset, what } = &error else {
        panic!("{error}");
    };
    assert_eq!((file, *offset), (&path, whole), "{error}");
    assert!(what.contains("backwards"), "{error}");

    // A batch whose number does not follow, after one whose number does.
    let copy = vfs.crash(1);
    let name = vfs
        .list(dir)
        .unwrap()
        .into_iter()
        .find_map(|name| match FileName::parse(&name) {
            Some(FileName::Log(number)) => Some(number),
            _ => None,
        });
    let log_number = name.unwrap();
    let path = file_name::log(dir, log_number);
    let bytes = vfs.read(&path).unwrap();
    let mut reader = LogReader::new(&bytes, &path, log_number, RecoveryMode::PointInTime);
    let first = reader.next_record().unwrap().unwrap().to_vec();
    let mut log = LogWriter::new(copy.create(&path).unwrap(), log_number);
    log.add_group([&first[..], &first[..]]).unwrap();
    reader.next_record().unwrap().unwrap();
    let second_at = reader.record_at();
    let error = rows(&copy).unwrap_err();
    let Error::Corruption { file, offset, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((file, *offset), (&path, second_at), "{error}");
}

/// Where the block that holds byte `at` begins, and where its checksum is: found by trying, as a person would.
fn block_around(bytes: &[u8], at: usize) -> (usize, usize) {
    let fits =
        |&(start, end): &(usize, usize)| bytes[end..end + 4] == checksum(start, &bytes[start..end]);
    (0..=at)
        .rev()
        .flat_map(|start| (at + 1..bytes.len() - 4).map(move |end| (start, end)))
        .filter(|(start, end)| end - start < 400)
        .find(fits)
        .unwrap()
}

/// Only a bug or malice writes these: the checksum is right, but a key has a kind that does not exist.
#[test]
fn a_key_that_cannot_be_is_shown_in_its_table_and_block() {
    let vfs = MemoryVfs::new();
    let open = || {
        let family = FamilyOptions {
            restart_interval: 1,
            ..tiny()
        };
        let options = manual(&vfs);
        Db::open("db", options.family("default", family)).unwrap()
    };
    let db = open();
    for at in 0..40 {
        db.put(format!("key:{at:02}"), "value").unwrap();
    }
    db.flush().unwrap();
    drop(db);
    let names = vfs.list(Path::new("db")).unwrap();
    let name = names
        .iter()
        .find(|name| name.to_string_lossy().ends_with(".sst"));
    let path = Path::new("db").join(name.unwrap());
    let mut bytes = vfs.read(&path).unwrap();
    let key = bytes
        .windows(6)
        .position(|window| window == b"key:30")
        .unwrap();
    let (start, end) = block_around(&bytes, key);
    assert!(start > 0);
    // The version comes right before the key: write 31, a put. No kind has the number 3.
    assert_eq!(bytes[key - 1], 31 << 2 | 1);
    bytes[key - 1] |= 3;
    let checksum = checksum(start, &bytes[start..end]);
    bytes[end..end + 4].copy_from_slice(&checksum);
    vfs.damage(&path, bytes).unwrap();

    let leads_there = |error: Error| match &error {
        Error::Corruption { file, offset, what } => {
            assert_eq!((file, *offset), (&path, start as u64), "{error}");
            assert!(what.contains("unknown kind"), "{error}");
        }
        other => panic!("{other}"),
    };
    let db = open();
    let family = db.default_family();
    leads_there(family.iter().collect::<engine::Result<Rows>>().unwrap_err());
    leads_there(
        family
            .iter()
            .rev()
            .collect::<engine::Result<Rows>>()
            .unwrap_err(),
    );
    // Something to merge the table with: otherwise it would be moved down unread.
    db.put("key:00", "newer").unwrap();
    leads_there(db.compact().unwrap_err());
}

/// A table, a range tombstone above it, and the table's bytes.
fn under_a_tombstone(comparator: &Comparator) -> (MemoryVfs, PathBuf, Vec<u8>) {
    let vfs = MemoryVfs::new();
    let db = open_in(&vfs, comparator).unwrap();
    for at in 0..160 {
        db.put(format!("key{at:05}"), "value").unwrap();
    }
    db.compact().unwrap();
    let [low, high] = ["key00030", "key00130"];
    let is_forward = comparator.compare(low.as_bytes(), high.as_bytes()).is_lt();
    let range = if is_forward { low..high } else { high..low };
    db.delete_range(range).unwrap();
    db.close().unwrap();
    let names = vfs.list(Path::new("db")).unwrap();
    let mut tables = names.iter().map(|name| Path::new("db").join(name));
    let path = tables
        .find(|path| path.extension().is_some_and(|of| of == "sst"))
        .unwrap();
    let bytes = vfs.read(&path).unwrap();
    (vfs, path, bytes)
}

fn open_in(vfs: &MemoryVfs, comparator: &Comparator) -> engine::Result<Db> {
    let options = manual(vfs);
    let family = FamilyOptions {
        block_bytes: 256,
        comparator: comparator.clone(),
        ..FamilyOptions::default()
    };
    Db::open("db", options.family("default", family))
}

/// Only a bug or malice writes these: an index with a right checksum whose keys lead astray. A
/// cursor that skips what a range tombstone hides must not be led back to where it was.
#[test]
fn a_wrong_key_in_an_index_holds_nobody_up() {
    for comparator in [Comparator::Bytewise, Comparator::reverse_bytewise()] {
        let (vfs, path, good) = under_a_tombstone(&comparator);
        let footer = good.len() - 64;
        let field = |at: usize| u64::from_le_bytes(*good[footer + at..].first_chunk().unwrap());
        let (start, len) = (field(0) as usize, field(8) as usize);
        let end = start + len + 1;
        for at in start..end {
            for change in [1, 7] {
                let mut bad = good.clone();
                bad[at] ^= change;
                let checksum = checksum(start, &bad[start..end]);
                bad[end..end + 4].copy_from_slice(&checksum);
                vfs.damage(&path, bad).unwrap();
                let (walked, walks) = mpsc::channel();
                let (vfs, comparator) = (vfs.clone(), comparator.clone());
                thread::spawn(move || {
                    if let Ok(db) = open_in(&vfs, &comparator) {
                        let family = db.default_family();
                        family.iter().take(1000).for_each(drop);
                        family.iter().rev().take(1000).for_each(drop);
                    }
                    // If nobody receives this, the waiting thread has given up.
                    let _ = walked.send(());
                });
                if let Err(error) = walks.recv_timeout(PATIENCE) {
                    panic!("byte {at} changed by {change}: {error}, it walks on or has panicked");
                }
            }
        }
    }
}
