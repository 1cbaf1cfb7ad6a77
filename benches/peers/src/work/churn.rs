//! What the peers' own benchmarks ask besides: several writers, hot keys, read and write back, reads and writes mixed, deletes, long values.
//!
//! The names are those of LevelDB's and RocksDB's `db_bench`.

use super::reading::{read_each, scan_all};
use super::{Run, Values, key, shuffled};
use crate::engines::{Direction, Engine};
use anyhow::{Context, Result};

const WRITING_THREADS: u64 = 4;
/// One key in so many is hot.
const HOT: u64 = 100;
/// `fill100K` writes one value for so many entries of the other databases.
const ENTRIES_FOR_A_LONG_VALUE: u64 = 500;
const LONG_VALUE_BYTES: usize = 100_000;

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
        self.fill_100k()
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
}
