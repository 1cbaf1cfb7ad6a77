//! What the peers' own benchmarks ask besides: several writers, hot keys, read and write back, reads and writes mixed,
//! seeks beside a writer, deletes, long values.
//!
//! Most names are those of LevelDB's and RocksDB's `db_bench`. The last two are not theirs: a queue, whose readers pass
//! all that was taken, and a few keys that are overwritten and scanned, whose readers pass all that they were.

use super::reading::{read_each, scan_all};
use super::{Run, Values, key, shuffled};
use crate::engines::{Direction, Engine};
use anyhow::{Context, Result, ensure};

const WRITING_THREADS: u64 = 4;
/// One key in so many is hot.
const HOT: u64 = 100;
/// `fill100K` writes one value for so many entries of the other databases.
const ENTRIES_FOR_A_LONG_VALUE: u64 = 500;
const LONG_VALUE_BYTES: usize = 100_000;
/// Rows that wait in the queue.
const QUEUED: u64 = 1_000;
/// An engine that never merges what was taken takes time by the square of this.
const MOST_TURNS: u64 = 5_000;
/// Keys that are overwritten over and over.
const COUNTERS: u64 = 1_000;
const SCANS_OF_COUNTERS: u64 = 100;

impl Run<'_> {
    pub(super) fn churn(&mut self) -> Result<()> {
        let engine = self.open("churn")?;
        let entries = self.sizes.entries;
        self.fill_by_threads(&*engine)?;
        let hot = &shuffled(entries, 12)[..(entries / HOT) as usize];
        self.time("readhot", self.sizes.reads, |run| {
            let mut random = fastrand::Rng::with_seed(17);
            let numbers = (0..run.sizes.reads).map(|_| hot[random.usize(0..hot.len())]);
            read_each(&*engine, numbers)
        })?;
        let updated = &shuffled(entries, 13)[..entries as usize / 4];
        self.time("updaterandom", updated.len() as u64, |run| {
            run.update(&*engine, updated.iter().copied())
        })?;
        self.time("readrandomwriterandom", self.sizes.reads, |run| {
            run.read_and_write(&*engine)
        })?;
        self.seeks_beside_a_writer(&*engine)?;
        // Every other number in order, then half of the others in none.
        self.time("deleteseq", entries / 2, |_| {
            (0..entries / 2).try_for_each(|number| engine.delete(&key(2 * number)))
        })?;
        let odd: Vec<u64> = shuffled(entries / 2, 14);
        let (deleted, left) = odd.split_at(odd.len() / 2);
        self.time("deleterandom", deleted.len() as u64, |_| {
            deleted
                .iter()
                .try_for_each(|number| engine.delete(&key(2 * number + 1)))
        })?;
        self.time("readseq after deletes", left.len() as u64, |_| {
            scan_all(&*engine, Direction::Forward, left.len() as u64)
        })?;
        self.close("churn", engine)?;
        self.fill_100k()?;
        self.queue()?;
        self.counters()
    }

    /// All entries in random order, a part of them by each of several threads.
    fn fill_by_threads(&mut self, engine: &dyn Engine) -> Result<()> {
        let order = shuffled(self.sizes.entries, 15);
        let part = order.len().div_ceil(WRITING_THREADS as usize);
        self.time("fillrandom, 4 threads", order.len() as u64, |run| {
            std::thread::scope(|scope| {
                let threads: Vec<_> = order
                    .chunks(part)
                    .map(|part| scope.spawn(move || run.fill(engine, part.iter().copied())))
                    .collect();
                threads
                    .into_iter()
                    .try_for_each(|thread| thread.join().expect("a writer that ended by itself"))
            })
        })
    }

    /// Reads each entry and writes it back.
    fn update(&self, engine: &dyn Engine, numbers: impl Iterator<Item = u64>) -> Result<()> {
        for number in numbers {
            let key = key(number);
            let found = engine.reader()?.get(&key)?;
            found.with_context(|| format!("key {number} is missing"))?;
            engine.put(&key, self.values.of(number + 1))?;
        }
        Ok(())
    }

    /// Nine reads for each write, mixed.
    fn read_and_write(&self, engine: &dyn Engine) -> Result<()> {
        let mut random = fastrand::Rng::with_seed(19);
        for _ in 0..self.sizes.reads {
            let number = random.u64(0..self.sizes.entries);
            if random.u64(0..10) == 0 {
                engine.put(&key(number), self.values.of(number))?;
            } else {
                read_each(engine, [number].into_iter())?;
            }
        }
        Ok(())
    }

    fn fill_100k(&mut self) -> Result<()> {
        let engine = self.open("fill100K")?;
        let order = shuffled(self.sizes.entries / ENTRIES_FOR_A_LONG_VALUE, 16);
        let values = Values::new(LONG_VALUE_BYTES);
        self.time("fill100K", order.len() as u64, |_| {
            let mut numbers = order.iter();
            numbers.try_for_each(|number| engine.put(&key(*number), values.of(*number)))
        })?;
        self.close("fill100K", engine)
    }

    /// Puts a row at the end, looks at the first one and deletes it.
    fn queue(&mut self) -> Result<()> {
        let engine = self.open("queue")?;
        self.fill(&*engine, 0..QUEUED)?;
        let turns = (self.sizes.entries / 10).min(MOST_TURNS);
        self.time("queue", turns, |run| {
            for taken in 0..turns {
                run.fill(&*engine, [QUEUED + taken].into_iter())?;
                let first = engine.reader()?.scan(Direction::Forward, None, 1)?;
                ensure!(first.entries == 1, "the queue is empty");
                engine.delete(&key(taken))?;
            }
            Ok(())
        })?;
        self.close("queue", engine)
    }

    /// Overwrites few keys many times, then scans them.
    fn counters(&mut self) -> Result<()> {
        let engine = self.open("counters")?;
        let entries = self.sizes.entries;
        self.time("overwritehot", entries, |run| {
            run.fill(&*engine, (0..entries).map(|turn| turn % COUNTERS))
        })?;
        let scanned = SCANS_OF_COUNTERS * COUNTERS;
        self.time("readseq after overwritehot", scanned, |_| {
            (0..SCANS_OF_COUNTERS)
                .try_for_each(|_| scan_all(&*engine, Direction::Forward, COUNTERS))
        })?;
        self.close("counters", engine)
    }
}
