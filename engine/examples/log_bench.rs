//! Measures what the log costs: synced writes by several threads, unsynced writes, and opening
//! again after the process was killed.
//!
//! ```text
//! cargo run --release -p engine --example log_bench -- sync THREADS WRITES | put WRITES | reopen DIR
//! cargo run --release -p engine --example log_bench -- leave DIR WRITES seq|random     ends without closing
//! ```
//!
//! Keys have 16 bytes, values 100. `sync` and `put` use a fresh directory and print the rate and
//! the size of the groups.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use engine::{Db, Event, EventListener, FamilyOptions, Options, WriteBatch, WriteOptions};

/// Counts groups and the batches in them.
#[derive(Debug, Default)]
struct Groups {
    groups: AtomicU64,
    batches: AtomicU64,
}

impl EventListener for Groups {
    fn on_event(&self, event: &Event) {
        if let Event::WriteGroup { batches, .. } = event {
            self.groups.fetch_add(1, Ordering::Relaxed);
            self.batches.fetch_add(*batches as u64, Ordering::Relaxed);
        }
    }
}

fn key(number: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    let digits = format!("{number:016}");
    key.copy_from_slice(&digits.as_bytes()[digits.len() - 16..]);
    key
}

/// A permutation of the 64-bit numbers that looks random.
fn scatter(at: u64) -> u64 {
    at.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ at
}

fn options() -> Options {
    let family = FamilyOptions {
        write_buffer_bytes: 64 << 20,
        ..FamilyOptions::default()
    };
    Options::default().family("default", family)
}

fn sync(dir: &Path, threads: u64, writes: u64) -> engine::Result<()> {
    let groups = Arc::new(Groups::default());
    let db = Db::open(dir, options().listener(groups.clone()))?;
    let family = db.default_family();
    let next = AtomicU64::new(0);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let write = || -> engine::Result<()> {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= writes {
                    return Ok(());
                }
                let mut batch = WriteBatch::new();
                batch.put(&family, key(at), [7; 100]);
                db.write(batch, WriteOptions { sync: true })?;
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(write)).collect();
        let outcomes = workers
            .into_iter()
            .map(|worker| worker.join().expect("no panic"));
        outcomes.collect::<engine::Result<Vec<()>>>()
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    db.close()?;
    let (groups, batches) = (&groups.groups, &groups.batches);
    println!(
        "fillsync {threads} threads: {:.0}/s, {:.2} batches a group",
        writes as f64 / seconds,
        batches.load(Ordering::Relaxed) as f64 / groups.load(Ordering::Relaxed) as f64
    );
    Ok(())
}

fn put(db: &Db, writes: u64, number: impl Fn(u64) -> u64) -> engine::Result<()> {
    let family = db.default_family();
    let begun = Instant::now();
    (0..writes).try_for_each(|at| family.put(key(number(at)), [7; 100]))?;
    let nanoseconds = begun.elapsed().as_nanos() / u128::from(writes.max(1));
    println!("put: {nanoseconds} ns each");
    Ok(())
}

fn main() -> engine::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let fresh = std::env::temp_dir().join(format!("engine-log-bench-{}", std::process::id()));
    let outcome = match args[..] {
        ["sync", threads, writes] => sync(&fresh, number(threads), number(writes)),
        ["put", writes] => {
            Db::open(&fresh, options()).and_then(|db| put(&db, number(writes), |at| at))
        }
        ["leave", dir, writes, order] => {
            let random = order == "random";
            let db = Db::open(dir, options())?;
            put(
                &db,
                number(writes),
                |at| if random { scatter(at) } else { at },
            )?;
            std::process::abort();
        }
        ["reopen", dir] => {
            let begun = Instant::now();
            let db = Db::open(dir, options())?;
            println!("open: {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
            assert!(db.default_family().iter().next().is_some());
            let begun = Instant::now();
            db.close()?;
            println!("close: {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
            Ok(())
        }
        _ => panic!("see the first lines of this file for the arguments"),
    };
    let _ = std::fs::remove_dir_all(&fresh);
    outcome
}
