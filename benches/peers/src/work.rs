//! The work: what each engine is asked to do, in which order, and how it is timed.
//!
//! One process runs all of it for one engine, on databases of its own in one folder:
//!
//! 1. *sequential*: fill in key order.
//! 2. *random*: fill in random order; read as it was left; compact; read again; overwrite; read beside a writer; close and reopen.
//! 3. *batches*: fill in random order, 100 entries at a time.
//! 4. *synced*: one thread, then eight, each write durable before the next.
//! 5. *closed*: fill and compact; then write nothing, half of a write buffer, nine tenths of one, close and reopen after each.
//! 6. *killed*: a child process writes about as much as the write buffer holds and is killed; the reopening is timed.
//! 7. *churn*: four writers; hot keys; read and write back; nine reads for each write; seeks beside a writer; delete three
//!    entries in four and scan the rest; values of 100,000 bytes; a queue; few keys overwritten and scanned.
//! 8. *compressed*: values that compress to a half, in compressed blocks: fill in random order; read; compact; read again.
//! 9. *ycsb*: the core workloads of the Yahoo! Cloud Serving Benchmark, with popular keys.
//! 10. *larger*: a database that is larger than memory, if memory is limited: fill, compact, reopen, read.
//!
//! And *growth*, for itself, on databases of several sizes: fill by batches, compact, read.

mod accounts;
mod beside;
mod churn;
mod entries;
mod larger;
mod reading;
mod ycsb;

use accounts::{
    bytes_written, disk_bytes, peak_memory_bytes, peak_own_memory_bytes, watch_own_memory,
};
pub use entries::KEY_BYTES;
use entries::{Values, key, shuffled};
use reading::{read, read_missing, read_together, scan_all, seek};

use crate::engines::{Blocks, Direction, Engine, Kind};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How much of everything. Two runs with equal sizes do exactly the same work.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Sizes {
    /// Entries in each database.
    pub entries: u64,
    /// Bytes of each value.
    pub value_bytes: usize,
    /// Point reads per reading.
    pub reads: u64,
    /// Seeks, each with ten steps.
    pub seeks: u64,
    /// Synced writes by each thread.
    pub synced_writes: u64,
}

impl Sizes {
    /// Enough of everything for a stable figure, and not much more.
    pub fn of(entries: u64, value_bytes: usize) -> Self {
        Self {
            entries,
            value_bytes,
            reads: (entries / 2).min(1_000_000),
            seeks: (entries / 5).min(200_000),
            // A disk that pauses once must not decide, however small the database.
            synced_writes: (entries / 250).clamp(2_000, 4_000),
        }
    }

    /// Entries that fill about so many tenths of the write buffer of any engine.
    fn entries_in_write_buffer(&self, tenths: u64) -> u64 {
        let entry_bytes = (16 + self.value_bytes + 32) as u64;
        crate::engines::WRITE_BUFFER_BYTES as u64 * tenths / 10 / entry_bytes
    }
}

/// A part of the work that can be done without the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    Sequential,
    Random,
    Batches,
    Synced,
    Closed,
    Killed,
    Churn,
    Compressed,
    Ycsb,
    Larger,
    Growth,
}

/// What one process measured: operations (or entries) a second by work, and costs by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    pub rates: BTreeMap<String, f64>,
    pub costs: BTreeMap<String, f64>,
}

const BATCH_ENTRIES: u64 = 100;
const READ_TOGETHER: usize = 100;
const STEPS_AFTER_SEEK: usize = 10;
const SYNCING_THREADS: u64 = 8;

struct Run<'a> {
    kind: Kind,
    sizes: Sizes,
    dir: &'a Path,
    values: Values,
    blocks: Blocks,
    measured: Measured,
}

/// Runs parts of the work for one engine below `dir`.
pub fn run(kind: Kind, sizes: Sizes, parts: &[Part], dir: &Path) -> Result<Measured> {
    watch_own_memory();
    let mut run = Run::new(kind, sizes, dir);
    for part in parts {
        match part {
            Part::Sequential => run.sequential()?,
            Part::Random => run.random()?,
            Part::Batches => run.batches()?,
            Part::Synced => run.synced()?,
            Part::Closed => run.closed()?,
            Part::Killed => run.killed()?,
            Part::Churn => run.churn()?,
            Part::Compressed => run.compressed()?,
            Part::Ycsb => run.ycsb()?,
            Part::Larger => run.larger()?,
            Part::Growth => run.growth()?,
        }
    }
    Ok(run.measured)
}

impl<'a> Run<'a> {
    fn new(kind: Kind, sizes: Sizes, dir: &'a Path) -> Self {
        Self {
            kind,
            sizes,
            dir,
            values: Values::new(sizes.value_bytes),
            blocks: Blocks::Plain,
            measured: Measured::default(),
        }
    }

    fn open(&self, name: &str) -> Result<Box<dyn Engine>> {
        let dir = self.dir.join(name);
        fs::create_dir_all(&dir)?;
        self.kind
            .open(&dir, self.blocks)
            .with_context(|| format!("{} in {}", self.kind.name(), dir.display()))
    }

    fn rate(&mut self, work: &str, operations: u64, took: Duration) {
        self.measured
            .rates
            .insert(work.to_string(), operations as f64 / took.as_secs_f64());
    }

    fn time(
        &mut self,
        work: &str,
        operations: u64,
        act: impl FnOnce(&Self) -> Result<()>,
    ) -> Result<()> {
        let begin = Instant::now();
        act(self)?;
        self.rate(work, operations, begin.elapsed());
        Ok(())
    }

    fn fill(&self, engine: &dyn Engine, numbers: impl Iterator<Item = u64>) -> Result<()> {
        for number in numbers {
            engine.put(&key(number), self.values.of(number))?;
        }
        Ok(())
    }

    fn peak_memory(&mut self) -> Result<()> {
        for (cost, bytes) in [
            ("peak MB in memory", peak_memory_bytes()?),
            ("peak MB in memory, files apart", peak_own_memory_bytes()),
        ] {
            let megabytes = bytes as f64 / 1e6;
            self.measured.costs.insert(cost.into(), megabytes);
        }
        Ok(())
    }

    fn sequential(&mut self) -> Result<()> {
        let engine = self.open("sequential")?;
        let entries = self.sizes.entries;
        self.time("fillseq", entries, |run| run.fill(&*engine, 0..entries))?;
        self.close("sequential", engine)
    }

    fn random(&mut self) -> Result<()> {
        let entries = self.sizes.entries;
        let written_before = bytes_written()?;
        let engine = self.open("random")?;
        let order = shuffled(entries, 1);
        self.time("fillrandom", entries, |run| {
            run.fill(&*engine, order.iter().copied())
        })?;
        self.reads(&*engine, "")?;
        engine.compact()?;
        self.reads(&*engine, ", compacted")?;
        let written = (bytes_written()? - written_before) as f64 / 1e6;
        self.measured
            .costs
            .insert("MB written by fill and compaction".into(), written);
        self.measured.costs.insert(
            "MB on disk".into(),
            disk_bytes(&self.dir.join("random"))? as f64 / 1e6,
        );
        let order = shuffled(entries, 2);
        self.time("overwrite", entries, |run| {
            run.fill(&*engine, order.iter().copied())
        })?;
        self.reads_beside_a_writer(&*engine)?;
        self.peak_memory()?;
        let engine = self.reopen("random", engine, "ms to close and reopen")?;
        self.close("random", engine)
    }

    /// Closes, reopens and reads a row; the time is a cost of this name.
    fn reopen(
        &mut self,
        database: &str,
        engine: Box<dyn Engine>,
        cost: &str,
    ) -> Result<Box<dyn Engine>> {
        let begin = Instant::now();
        drop(engine);
        let engine = self.open(database)?;
        ensure!(
            engine.reader()?.get(&key(0))?.is_some(),
            "an entry is gone after reopening"
        );
        let took = begin.elapsed().as_secs_f64() * 1e3;
        self.measured.costs.insert(cost.to_string(), took);
        Ok(engine)
    }

    /// Closing and reopening by how full the write buffer is, which in *random* is left to chance.
    fn closed(&mut self) -> Result<()> {
        let mut engine = self.open("closed")?;
        let entries = self.sizes.entries;
        self.fill(&*engine, shuffled(entries, 11).into_iter())?;
        for (fill, tenths) in [("empty", 0), ("half full", 5), ("full", 9)] {
            engine.compact()?;
            let writes = self.sizes.entries_in_write_buffer(tenths).min(entries);
            self.fill(
                &*engine,
                shuffled(entries, tenths).into_iter().take(writes as usize),
            )?;
            let cost = format!("ms to close and reopen, write buffer {fill}");
            engine = self.reopen("closed", engine, &cost)?;
        }
        self.close("closed", engine)
    }

    fn reads(&mut self, engine: &dyn Engine, state: &str) -> Result<()> {
        let Sizes {
            entries,
            reads,
            seeks,
            ..
        } = self.sizes;
        self.time(&format!("readrandom{state}"), reads, |_| {
            read(engine, entries, reads, 3)
        })?;
        self.time(&format!("readrandom, 2 threads{state}"), 2 * reads, |_| {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| read(engine, entries, reads, 4));
                read(engine, entries, reads, 5)?;
                other.join().expect("a reader that ended by itself")
            })
        })?;
        self.time(&format!("multireadrandom{state}"), reads, |_| {
            read_together(engine, entries, reads, READ_TOGETHER)
        })?;
        self.time(&format!("missing keys{state}"), reads, |_| {
            read_missing(engine, entries, reads)
        })?;
        for (work, direction) in [
            ("readseq", Direction::Forward),
            ("readreverse", Direction::Backward),
        ] {
            self.time(&format!("{work}{state}"), entries, |_| {
                scan_all(engine, direction, entries)
            })?;
        }
        for (work, direction) in [
            ("seek + 10 forward", Direction::Forward),
            ("seek + 10 backward", Direction::Backward),
        ] {
            self.time(&format!("{work}{state}"), seeks, |_| {
                seek(engine, direction, entries, seeks)
            })?;
        }
        Ok(())
    }

    fn compressed(&mut self) -> Result<()> {
        self.blocks = Blocks::Compressed;
        self.values = Values::compressible(self.sizes.value_bytes);
        let engine = self.open("compressed")?;
        let Sizes {
            entries,
            reads,
            seeks,
            ..
        } = self.sizes;
        let order = shuffled(entries, 20);
        self.time("fillrandom, compressed", entries, |run| {
            run.fill(&*engine, order.iter().copied())
        })?;
        engine.compact()?;
        self.time("readrandom, compressed", reads, |_| {
            read(&*engine, entries, reads, 21)
        })?;
        self.time("readseq, compressed", entries, |_| {
            scan_all(&*engine, Direction::Forward, entries)
        })?;
        self.time("readreverse, compressed", entries, |_| {
            scan_all(&*engine, Direction::Backward, entries)
        })?;
        self.time("seek + 10 forward, compressed", seeks, |_| {
            seek(&*engine, Direction::Forward, entries, seeks)
        })?;
        self.measured.costs.insert(
            "MB on disk, compressed".into(),
            disk_bytes(&self.dir.join("compressed"))? as f64 / 1e6,
        );
        self.close("compressed", engine)?;
        self.blocks = Blocks::Plain;
        self.values = Values::new(self.sizes.value_bytes);
        Ok(())
    }

    fn batches(&mut self) -> Result<()> {
        let engine = self.open("batches")?;
        self.fill_by_batches(&*engine)?;
        self.close("batches", engine)
    }

    fn growth(&mut self) -> Result<()> {
        let Sizes {
            entries,
            reads,
            seeks,
            ..
        } = self.sizes;
        let engine = self.open("growth")?;
        self.fill_by_batches(&*engine)?;
        engine.compact()?;
        self.time("readrandom", reads, |_| read(&*engine, entries, reads, 3))?;
        self.time("missing keys", reads, |_| {
            read_missing(&*engine, entries, reads)
        })?;
        self.time("seek + 10 forward", seeks, |_| {
            seek(&*engine, Direction::Forward, entries, seeks)
        })?;
        self.time("readseq", entries, |_| {
            scan_all(&*engine, Direction::Forward, entries)
        })?;
        self.measured.costs.insert(
            "MB on disk".into(),
            disk_bytes(&self.dir.join("growth"))? as f64 / 1e6,
        );
        self.peak_memory()?;
        self.close("growth", engine)
    }

    fn fill_by_batches(&mut self, engine: &dyn Engine) -> Result<()> {
        let entries = self.sizes.entries;
        let order = shuffled(entries, 8);
        self.time("batches of 100", entries, |run| {
            for numbers in order.chunks(BATCH_ENTRIES as usize) {
                let keys: Vec<_> = numbers.iter().map(|number| key(*number)).collect();
                let values = numbers.iter().map(|number| run.values.of(*number));
                let entries: Vec<_> = keys.iter().map(|key| key.as_slice()).zip(values).collect();
                engine.put_batch(&entries)?;
            }
            Ok(())
        })
    }

    fn synced(&mut self) -> Result<()> {
        let engine = self.open("synced")?;
        let writes = self.sizes.synced_writes;
        let fill = |run: &Self, thread: u64| -> Result<()> {
            for number in 0..writes {
                engine.put_synced(
                    &key(number * SYNCING_THREADS + thread),
                    run.values.of(number),
                )?;
            }
            Ok(())
        };
        self.time("fillsync, 1 thread", writes, |run| fill(run, 0))?;
        self.time("fillsync, 8 threads", writes * SYNCING_THREADS, |run| {
            std::thread::scope(|scope| {
                let fill = &fill;
                let threads: Vec<_> = (0..SYNCING_THREADS)
                    .map(|thread| scope.spawn(move || fill(run, thread)))
                    .collect();
                threads
                    .into_iter()
                    .try_for_each(|t| t.join().expect("a writer that ended by itself"))
            })
        })?;
        self.close("synced", engine)
    }

    /// Reopening after `kill -9` with a write buffer that is nearly full.
    fn killed(&mut self) -> Result<()> {
        let dir = self.dir.join("killed");
        fs::create_dir_all(&dir)?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["fill-and-hang", self.kind.name()])
            .arg(&dir)
            .arg(serde_json::to_string(&self.sizes)?)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let output = child.stdout.take().context("the child's output")?;
        std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line)?;
        ensure!(line == "filled\n", "the child said {line:?}");
        child.kill()?;
        child.wait()?;
        let begin = Instant::now();
        let engine = self.open("killed")?;
        ensure!(
            engine.reader()?.get(&key(0))?.is_some() || !self.kind.is_lsm(),
            "an entry is gone after kill -9"
        );
        let took = begin.elapsed().as_secs_f64() * 1e3;
        self.measured
            .costs
            .insert("ms to reopen after kill -9".into(), took);
        self.close("killed", engine)
    }

    fn close(&self, name: &str, engine: Box<dyn Engine>) -> Result<()> {
        drop(engine);
        Ok(fs::remove_dir_all(self.dir.join(name))?)
    }
}

/// The child's part of *killed*: fills nine tenths of the write buffer, says so and waits for its end.
pub fn fill_and_hang(kind: Kind, sizes: Sizes, dir: &Path) -> Result<()> {
    let engine = kind.open(dir, Blocks::Plain)?;
    let values = Values::new(sizes.value_bytes);
    for number in shuffled(sizes.entries_in_write_buffer(9), 9) {
        engine.put(&key(number), values.of(number))?;
    }
    println!("filled");
    std::thread::sleep(Duration::from_secs(60));
    Ok(())
}
