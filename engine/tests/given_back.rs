//! What cursors, values and snapshots held is given back when they are dropped: memory, disk space,
//! descriptors, mappings.
//!
//! A single test, because it counts what the whole process holds.

#![expect(
    unsafe_code,
    reason = "counting allocated bytes takes an allocator, and that trait is unsafe"
)]

#[expect(dead_code, reason = "each test takes what it needs")]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::{Background, Db, FamilyOptions, Options, TableReads};

static HELD: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator; counting touches only an atomic number.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above; the pointer came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const ROWS: usize = 20_000;
const VALUE_BYTES: usize = 100;
const MEMTABLE_BYTES: usize = ROWS * VALUE_BYTES;
/// What indexes, filters and lists may take in addition.
const SLACK_BYTES: usize = 256 << 10;

fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

fn tables(dir: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(dir).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|of| of == "sst"))
        .collect()
}

fn table_bytes(dir: &Path) -> u64 {
    let tables = tables(dir).into_iter();
    tables.map(|path| path.metadata().unwrap().len()).sum()
}

/// Whether the tables take this many bytes, within a hundredth: some numbers need a byte more.
fn takes(dir: &Path, bytes: u64) -> bool {
    table_bytes(dir).abs_diff(bytes) < bytes / 100
}

/// Descriptors and mappings of tables that this process has open.
fn open_tables() -> usize {
    let descriptors = std::fs::read_dir("/proc/self/fd").map_or(0, |entries| {
        entries
            .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
            .filter(|target| target.to_string_lossy().contains(".sst"))
            .count()
    });
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    descriptors + maps.lines().filter(|line| line.contains(".sst")).count()
}

/// The memory that mappings of these tables take; 0 where the system does not report it.
fn resident_bytes_of(tables: &[PathBuf]) -> usize {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    let mut of_table = false;
    let mut kib = 0;
    for line in maps.lines() {
        if let Some(resident) = line.strip_prefix("Rss:").filter(|_| of_table) {
            let number = resident.trim().trim_end_matches(" kB");
            kib += number.parse::<usize>().unwrap();
        } else if !line
            .split(' ')
            .next()
            .is_some_and(|word| word.ends_with(':'))
        {
            // This line begins a mapping, with or without a file.
            of_table = tables
                .iter()
                .any(|path| Path::new(line).ends_with(path.file_name().unwrap()));
        }
    }
    kib << 10
}

fn fill(db: &Db, byte: u8) {
    for at in 0..ROWS {
        db.put(format!("{at:08}"), [byte; VALUE_BYTES]).unwrap();
    }
}

fn open(dir: &Path, table_reads: TableReads) -> Db {
    let options = Options {
        background: Background::Manual,
        table_reads,
        ..Options::default()
    };
    let family = FamilyOptions {
        target_file_bytes: 256 << 10,
        ..FamilyOptions::default()
    };
    Db::open(dir, options.family("default", family)).unwrap()
}

#[test]
fn what_readers_held_is_given_back_when_they_go() {
    for table_reads in [TableReads::Mapped, TableReads::Pread] {
        let dir = tempfile::tempdir().unwrap();
        let db = open(dir.path(), table_reads);
        memory_of_a_memtable_comes_back(&db);
        files_of_a_cursor_come_back(&db, dir.path());
        space_of_a_snapshot_comes_back(&db, dir.path());
        tables_that_were_read_are_left_to_the_system(&db, dir.path());
        db.close().unwrap();
        drop(db);
        assert_eq!(open_tables(), 0, "after closing nothing is open");
    }
}

/// A flushed memtable lives as long as a cursor on it or a value that was read from it.
fn memory_of_a_memtable_comes_back(db: &Db) {
    let before = held();
    fill(db, 1);
    assert!(held() > before + MEMTABLE_BYTES);
    let mut cursor = db.default_family().cursor().unwrap();
    cursor.seek_to_first().unwrap();
    let value = db.get("00000007").unwrap().unwrap();
    db.flush().unwrap();
    assert!(
        held() > before + MEMTABLE_BYTES,
        "a cursor and a value hold it"
    );
    drop(cursor);
    assert!(held() > before + MEMTABLE_BYTES, "the value holds it alone");
    assert_eq!(value, [1; VALUE_BYTES]);
    drop(value);
    let left = held().saturating_sub(before);
    assert!(
        left < SLACK_BYTES,
        "{left} bytes are left of {MEMTABLE_BYTES}"
    );
}

/// Tables that a compaction replaced live as long as a cursor on them: their names, bytes and descriptors.
fn files_of_a_cursor_come_back(db: &Db, dir: &Path) {
    // Above what was flushed before, so that the older table is rewritten, as it will be below.
    fill(db, 1);
    db.compact().unwrap();
    let live = table_bytes(dir);
    let mut cursors: Vec<_> = (0..3)
        .map(|_| db.default_family().cursor().unwrap())
        .collect();
    for cursor in &mut cursors {
        cursor.seek_to_first().unwrap();
        for _ in 1..ROWS {
            cursor.next().unwrap();
        }
    }
    let open_before = open_tables();
    let replaced = tables(dir);
    let resident = resident_bytes_of(&replaced);
    fill(db, 2);
    db.compact().unwrap();
    let left = resident_bytes_of(&replaced);
    assert!(
        left <= resident / 4,
        "tables that were replaced take no memory, although cursors hold them: {left} of {resident}"
    );
    while cursors.len() > 1 {
        drop(cursors.pop());
        assert!(
            table_bytes(dir) > live * 3 / 2,
            "the others hold the old tables"
        );
    }
    assert_eq!(cursors[0].value(), [1; VALUE_BYTES]);
    cursors.clear();
    assert!(
        takes(dir, live),
        "the same rows with other values take the same space"
    );
    assert_eq!(db.default_family().iter().count(), ROWS);
    assert!(open_tables() <= open_before, "{} are open", open_tables());
}

/// A snapshot keeps versions, not files: the next compaction after it is dropped removes them.
fn space_of_a_snapshot_comes_back(db: &Db, dir: &Path) {
    db.compact().unwrap();
    let one_version = table_bytes(dir);
    let snapshot = db.snapshot();
    let second_holder = snapshot.clone();
    fill(db, 3);
    db.compact().unwrap();
    assert!(table_bytes(dir) > one_version * 3 / 2);
    drop(snapshot);
    fill(db, 4);
    db.compact().unwrap();
    let row = second_holder.get(&db.default_family(), "00000000").unwrap();
    assert_eq!(
        row.unwrap(),
        [2; VALUE_BYTES],
        "the clone holds the moment alone"
    );
    drop(second_holder);
    fill(db, 5);
    db.compact().unwrap();
    assert!(takes(dir, one_version), "one version of each row is left");
}

/// After `leave_tables_to_system` no page of a table is in memory, and a cursor and a value that lie in one read the same.
fn tables_that_were_read_are_left_to_the_system(db: &Db, dir: &Path) {
    let family = db.default_family();
    let rows: Vec<_> = family.iter().map(Result::unwrap).collect();
    let mut cursor = family.cursor().unwrap();
    cursor.seek_to_first().unwrap();
    let value = db.get("00000007").unwrap().unwrap();
    let resident = resident_bytes_of(&tables(dir));
    db.leave_tables_to_system();
    let left = resident_bytes_of(&tables(dir));
    assert!(left <= resident / 100, "{left} of {resident} are left");
    assert_eq!(value, rows[7].1);
    assert_eq!(cursor.value(), &*rows[0].1);
    assert!(family.iter().map(Result::unwrap).eq(rows));
}
