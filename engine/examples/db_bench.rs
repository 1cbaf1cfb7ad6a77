//! A quick look at the engine's speed: is anything absurdly slow?
//!
//! ```text
//! cargo run --release -p engine --example db_bench [ENTRIES]
//! ```
//!
//! Keys of 16 bytes, values of 100, in a fresh temporary directory, one thread unless said. The figures are of one
//! run each: good for noticing a change by half, not by a tenth. `benches/` measures with care.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use engine::{Db, Family, FamilyOptions, Options, WriteBatch, WriteOptions};

const ENTRIES_DEFAULT: u64 = 1_000_000;
const VALUE_BYTES: usize = 100;
const SYNCED_WRITES: u64 = 2_000;
const BATCH: u64 = 100;

fn main() -> engine::Result<()> {
    let entries = std::env::args().nth(1).map_or(ENTRIES_DEFAULT, |text| {
        text.parse().expect("the argument is a number of entries")
    });
    let root = std::env::temp_dir().join(format!("engine-db-bench-{}", std::process::id()));
    let outcome = run(&root, entries);
    std::fs::remove_dir_all(&root).expect("the temporary directory can be removed");
    outcome
}

fn run(root: &Path, entries: u64) -> engine::Result<()> {
    println!(
        "{entries} entries of 16 + {VALUE_BYTES} bytes in {}",
        root.display()
    );
    let db = open(&root.join("seq"))?;
    timed("fillseq", entries, || fill(&db, entries, |at| at))?;
    drop(db);

    let db = open(&root.join("batch"))?;
    timed("fillbatch of 100", entries, || fill_batches(&db, entries))?;
    drop(db);

    let dir = root.join("random");
    let db = open(&dir)?;
    timed("fillrandom", entries, || {
        fill(&db, entries, |at| scatter(at) % entries)
    })?;
    timed("overwrite", entries, || {
        fill(&db, entries, |at| scatter(at + entries) % entries)
    })?;
    timed("readrandom before compaction", entries, || {
        read_random(&db, entries)
    })?;
    timed("compact", entries, || db.compact())?;
    read(&db, entries)?;
    timed("close", 1, || db.close())?;
    drop(db);
    timed("reopen", 1, || open(&dir).map(drop))?;

    let db = open(&root.join("sync"))?;
    timed("fillsync, 1 thread", SYNCED_WRITES, || {
        fill_synced(&db, SYNCED_WRITES, 1)
    })?;
    timed("fillsync, 8 threads", SYNCED_WRITES * 8, || {
        fill_synced(&db, SYNCED_WRITES * 8, 8)
    })?;
    Ok(())
}

fn read(db: &Db, entries: u64) -> engine::Result<()> {
    timed("readrandom", entries, || read_random(db, entries))?;
    timed("readrandom, 2 threads", entries * 2, || {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..2)
                .map(|_| scope.spawn(|| read_random(db, entries)))
                .collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().expect("no panic"))
        })
    })?;
    timed("readmissing", entries, || read_missing(db, entries))?;
    timed("readseq", entries, || scan(db, true))?;
    timed("readreverse", entries, || scan(db, false))?;
    let seeks = entries / 10;
    timed("seek + 10 next", seeks, || {
        seek_and_step(db, seeks, entries, true)
    })?;
    timed("seek + 10 prev", seeks, || {
        seek_and_step(db, seeks, entries, false)
    })
}

fn open(dir: &Path) -> engine::Result<Db> {
    let family = FamilyOptions {
        write_buffer_bytes: 64 << 20,
        ..FamilyOptions::default()
    };
    Db::open(dir, Options::default().family("default", family))
}

fn timed(
    name: &str,
    operations: u64,
    work: impl FnOnce() -> engine::Result<()>,
) -> engine::Result<()> {
    let (start, cpu_start) = (Instant::now(), cpu_seconds());
    work()?;
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu_start);
    let rate = operations as f64 / seconds;
    println!(
        "{name:30} {rate:>12.0} ops/s {:>10.1} ms {:>10.1} ms CPU",
        seconds * 1e3,
        cpu * 1e3
    );
    Ok(())
}

/// The processor time this thread has used, where the system reports it (Linux). On a busy machine
/// it says more than the clock does.
fn cpu_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told
        .split(' ')
        .next()
        .and_then(|first| first.parse::<f64>().ok());
    nanoseconds.unwrap_or_default() / 1e9
}

/// A permutation of the 64-bit numbers that looks random.
fn scatter(at: u64) -> u64 {
    let mut mixed = at.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn key(number: u64) -> [u8; 16] {
    let mut key = *b"0000000000000000";
    let mut rest = number;
    for digit in key.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    key
}

fn value(number: u64) -> [u8; VALUE_BYTES] {
    let mut value = [0; VALUE_BYTES];
    for (chunk, at) in value.chunks_mut(8).zip(0..) {
        let noise = scatter(number ^ (at << 48)).to_le_bytes();
        chunk.copy_from_slice(&noise[..chunk.len()]);
    }
    value
}

fn fill(db: &Db, entries: u64, number: impl Fn(u64) -> u64) -> engine::Result<()> {
    let family = db.default_family();
    (0..entries).try_for_each(|at| family.put(key(number(at)), value(at)))
}

fn fill_batches(db: &Db, entries: u64) -> engine::Result<()> {
    let family = db.default_family();
    for start in (0..entries).step_by(BATCH as usize) {
        let mut batch = WriteBatch::with_capacity(BATCH as usize * (VALUE_BYTES + 24));
        for at in start..entries.min(start + BATCH) {
            batch.put(&family, key(scatter(at) % entries), value(at));
        }
        db.write(batch, WriteOptions::default())?;
    }
    Ok(())
}

fn fill_synced(db: &Db, entries: u64, threads: u64) -> engine::Result<()> {
    let next = AtomicU64::new(0);
    let family: Family = db.default_family();
    std::thread::scope(|scope| {
        let write = || -> engine::Result<()> {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= entries {
                    return Ok(());
                }
                let mut batch = WriteBatch::new();
                batch.put(&family, key(at), value(at));
                db.write(batch, WriteOptions { sync: true })?;
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(write)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("no panic"))
    })
}

fn read_random(db: &Db, entries: u64) -> engine::Result<()> {
    let family = db.default_family();
    let mut found = 0;
    for at in 0..entries {
        found += u64::from(family.get(key(scatter(at + 7) % entries))?.is_some());
    }
    assert!(
        found > entries / 2,
        "only {found} of {entries} keys were found"
    );
    Ok(())
}

fn read_missing(db: &Db, entries: u64) -> engine::Result<()> {
    let family = db.default_family();
    for at in 0..entries {
        let mut missing = key(scatter(at) % entries);
        missing[15] = b'x';
        assert!(family.get(missing)?.is_none());
    }
    Ok(())
}

fn scan(db: &Db, forward: bool) -> engine::Result<()> {
    let mut cursor = db.default_family().cursor()?;
    if forward {
        cursor.seek_to_first()?;
    } else {
        cursor.seek_to_last()?;
    }
    let (mut rows, mut bytes) = (0u64, 0);
    while cursor.valid() {
        rows += 1;
        bytes += cursor.key().len() + cursor.value().len();
        if forward {
            cursor.next()?;
        } else {
            cursor.prev()?;
        }
    }
    println!("{:30} {rows:>12} rows, {bytes} bytes", "");
    Ok(())
}

fn seek_and_step(db: &Db, seeks: u64, entries: u64, forward: bool) -> engine::Result<()> {
    let mut cursor = db.default_family().cursor()?;
    for at in 0..seeks {
        let target = key(scatter(at + 13) % entries);
        if forward {
            cursor.seek(target)?;
        } else {
            cursor.seek_for_prev(target)?;
        }
        for _ in 0..10 {
            if !cursor.valid() {
                break;
            }
            if forward {
                cursor.next()?;
            } else {
                cursor.prev()?;
            }
        }
    }
    Ok(())
}
