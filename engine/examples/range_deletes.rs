//! What deleting a range costs, compared with deleting its keys one by one: the figures of
//! `docs/range-deletes.md`.
//!
//! ```text
//! cargo run --release -p engine --example range_deletes [ENTRIES]
//! ```
//!
//! Half of the entries are deleted. Then the other half is read, keys in the hole are looked up and
//! scans pass over it, before and after a compaction. One run each, in a fresh temporary directory.

use std::path::Path;
use std::time::Instant;

use engine::{Db, FamilyOptions, Options, WriteBatch, WriteOptions};

const ENTRIES_DEFAULT: u64 = 400_000;
const VALUE_BYTES: usize = 100;
const READS: u64 = 100_000;
const PASSES: u64 = 100;
const BATCH: u64 = 1_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    Nothing,
    OneByOne,
    OneRange,
    /// As many adjacent ranges as fill a memtable.
    ManyRanges,
}

fn main() -> engine::Result<()> {
    let entries = std::env::args().nth(1).map_or(ENTRIES_DEFAULT, |text| {
        text.parse().expect("the argument is a number of entries")
    });
    let root = std::env::temp_dir().join(format!("engine-range-deletes-{}", std::process::id()));
    let hows = [How::Nothing, How::OneByOne, How::OneRange, How::ManyRanges];
    let outcome = hows
        .into_iter()
        .try_for_each(|how| run(&root.join(format!("{how:?}")), entries, how));
    std::fs::remove_dir_all(&root).expect("the temporary directory can be removed");
    outcome
}

fn key(at: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[8..].copy_from_slice(&at.to_be_bytes());
    key
}

fn scatter(at: u64) -> u64 {
    at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

fn run(dir: &Path, entries: u64, how: How) -> engine::Result<()> {
    println!("{how:?}");
    let family = FamilyOptions {
        write_buffer_bytes: 64 << 20,
        ..FamilyOptions::default()
    };
    let db = Db::open(dir, Options::default().family("default", family))?;
    for first in (0..entries).step_by(BATCH as usize) {
        let mut batch = WriteBatch::new();
        for at in first..(first + BATCH).min(entries) {
            batch.put(&db.default_family(), key(at), [b'v'; VALUE_BYTES]);
        }
        db.write(batch, WriteOptions::default())?;
    }
    db.compact()?;
    let (low, high) = (entries / 4, entries / 4 * 3);
    timed("delete", 1, || delete(&db, low, high, how))?;
    read(&db, entries, low, high)?;
    db.flush()?;
    println!("  flushed");
    read(&db, entries, low, high)?;
    timed("compact", 1, || db.compact())?;
    read(&db, entries, low, high)
}

fn delete(db: &Db, low: u64, high: u64, how: How) -> engine::Result<()> {
    match how {
        How::Nothing => {}
        How::OneByOne => {
            for first in (low..high).step_by(BATCH as usize) {
                let mut batch = WriteBatch::new();
                for at in first..(first + BATCH).min(high) {
                    batch.delete(&db.default_family(), key(at));
                }
                db.write(batch, WriteOptions::default())?;
            }
        }
        How::OneRange => db.delete_range(key(low)..key(high))?,
        How::ManyRanges => {
            let step = (high - low).div_ceil(1000);
            for first in (low..high).step_by(step as usize) {
                // One key between each two is left, so the ranges stay separate.
                db.delete_range(key(first)..key((first + step - 1).min(high)))?;
            }
        }
    }
    Ok(())
}

fn read(db: &Db, entries: u64, low: u64, high: u64) -> engine::Result<()> {
    timed("get a key that is left", READS, || {
        for at in 0..READS {
            let at = scatter(at) % (entries - (high - low));
            let at = if at < low { at } else { at + (high - low) };
            assert!(db.get(key(at))?.is_some(), "it was not deleted");
        }
        Ok(())
    })?;
    timed("get a key of the range", READS, || {
        (0..READS).try_for_each(|at| db.get(key(low + scatter(at) % (high - low))).map(drop))
    })?;
    timed("pass over the range", PASSES, || {
        for _ in 0..PASSES {
            let mut cursor = db.default_family().cursor_in(key(low - 1)..)?;
            cursor.seek_to_first()?;
            cursor.next()?;
            assert!(cursor.valid(), "rows are left after the range");
        }
        Ok(())
    })?;
    timed("scan everything", 1, || {
        let mut cursor = db.default_family().cursor()?;
        cursor.seek_to_first()?;
        while cursor.valid() {
            cursor.next()?;
        }
        Ok(())
    })
}

fn timed(what: &str, times: u64, work: impl FnOnce() -> engine::Result<()>) -> engine::Result<()> {
    let start = Instant::now();
    work()?;
    let micros = start.elapsed().as_secs_f64() * 1e6 / times as f64;
    println!("  {what:25} {micros:>12.2} us");
    Ok(())
}
