//! Tables that are not in memory: how much a reader has the system read, and how often it waits.
//!
//! Where the system keeps the files in memory all the same, as on a file system without a disk, nothing is read, and
//! the tests pass.

use std::ffi::c_long;
use std::fs::File;
use std::path::Path;

use engine::{Background, Db, Family, Options};
use nix::sys::resource::{UsageWho, getrusage};
use rustix::fs::{Advice, fadvise};

const ROWS: u64 = 16_000;
const VALUE_BYTES: usize = 1000;

fn key(number: u64) -> String {
    format!("user:{number:08}")
}

/// A database whose only table has 16 MB, closed, with its files driven out of memory.
fn on_disk() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let db = opened(dir.path());
    let family = db.default_family();
    for number in 0..ROWS {
        family.put(key(number), [b'v'; VALUE_BYTES]).unwrap();
    }
    db.flush().unwrap();
    db.compact_range::<&[u8]>(&family, ..).unwrap();
    db.close().unwrap();
    for entry in dir.path().read_dir().unwrap() {
        let file = File::open(entry.unwrap().path()).unwrap();
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
    }
    dir
}

fn opened(dir: &Path) -> Db {
    let options = Options {
        background: Background::Manual,
        ..Options::default()
    };
    Db::open(dir, options).unwrap()
}

/// The rows of the table in an order in which no two neighbours follow one another.
fn scattered() -> impl Iterator<Item = u64> {
    (0..ROWS).map(|number| number * 7919 % ROWS)
}

fn get(family: &Family, number: u64) {
    let value = family.get(key(number)).unwrap();
    assert_eq!(value.map(|value| value.len()), Some(VALUE_BYTES));
}

/// What this thread had read from disks, in bytes, and how often it waited for a page.
fn read_by<T>(work: impl FnOnce() -> T) -> (c_long, c_long) {
    let so_far = || {
        let usage = getrusage(UsageWho::RUSAGE_THREAD).unwrap();
        (usage.block_reads() * 512, usage.major_page_faults())
    };
    let before = so_far();
    work();
    let after = so_far();
    (after.0 - before.0, after.1 - before.1)
}

#[test]
fn a_compaction_asks_for_its_inputs_ahead() {
    let dir = on_disk();
    let db = opened(dir.path());
    let family = db.default_family();
    family.put(key(ROWS / 2), [b'v'; VALUE_BYTES]).unwrap();
    db.flush().unwrap();
    let (_, waits) = read_by(|| db.compact_range::<&[u8]>(&family, ..).unwrap());
    assert!(waits <= 2, "{waits} page faults that read");
}

#[test]
fn a_lookup_has_little_more_read_than_its_block() {
    let dir = on_disk();
    let db = opened(dir.path());
    let family = db.default_family();
    get(&family, 0);
    let lookups = 64;
    let (bytes, _) = read_by(|| {
        for number in scattered().skip(1).take(lookups) {
            get(&family, number);
        }
    });
    // A block of 4 KiB lies in two pages or three.
    assert!(bytes <= (lookups * 12 * 1024) as c_long, "{bytes} bytes");
}

#[test]
fn a_reader_that_waited_asks_for_a_whole_block_at_once() {
    let dir = on_disk();
    let db = opened(dir.path());
    let family = db.default_family();
    for number in scattered().take(20) {
        get(&family, number);
    }
    let (_, waits) = read_by(|| {
        for number in scattered().skip(20).take(200) {
            get(&family, number);
        }
    });
    assert!(waits <= 20, "{waits} page faults that read");
}

#[test]
fn a_scan_waits_for_a_small_part_of_its_blocks() {
    for backward in [false, true] {
        let dir = on_disk();
        let db = opened(dir.path());
        let family = db.default_family();
        get(&family, ROWS / 2);
        let (bytes, waits) = read_by(|| {
            let rows = family.range::<&[u8]>(..).map(Result::unwrap);
            let rows: usize = if backward {
                rows.rev().count()
            } else {
                rows.count()
            };
            assert_eq!(rows as u64, ROWS);
        });
        let table = (ROWS as usize * (VALUE_BYTES + 100)) as c_long;
        assert!(bytes <= table, "{bytes} of {table} bytes");
        assert!(waits <= 100, "{waits} page faults that read");
    }
}

#[test]
fn lookups_together_have_their_blocks_read_together() {
    let dir = on_disk();
    let db = opened(dir.path());
    let family = db.default_family();
    for number in scattered().take(20) {
        get(&family, number);
    }
    let keys: Vec<String> = scattered().skip(20).take(200).map(key).collect();
    let (_, waits) = read_by(|| {
        let values = family.get_many(&keys).unwrap();
        assert!(values.iter().all(Option::is_some));
    });
    assert!(waits <= 20, "{waits} page faults that read");
}
