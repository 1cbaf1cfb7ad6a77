//! One reader beside one writer that overwrites. Both rates count: a reader is easily fast where the writer waits.

use super::reading::{read, seek_once};
use super::{Run, key};
use crate::engines::{Direction, Engine};
use anyhow::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const BESIDE_WRITER: Duration = Duration::from_secs(2);
const READS_BETWEEN_LOOKS_AT_THE_CLOCK: u64 = 100;

impl Run<'_> {
    pub(super) fn reads_beside_a_writer(&mut self, engine: &dyn Engine) -> Result<()> {
        let entries = self.sizes.entries;
        self.beside_a_writer(
            engine,
            ["beside a writer: reads", "beside a writer: writes"],
            |number| read(engine, entries, 1, number),
        )
    }

    pub(super) fn seeks_beside_a_writer(&mut self, engine: &dyn Engine) -> Result<()> {
        let entries = self.sizes.entries;
        let mut random = fastrand::Rng::with_seed(21);
        let mut seek = |direction| seek_once(&*engine.reader()?, direction, entries, &mut random);
        self.beside_a_writer(
            engine,
            [
                "seek + 10 forward beside a writer",
                "writes beside seeks forward",
            ],
            |_| seek(Direction::Forward),
        )?;
        self.beside_a_writer(
            engine,
            [
                "seek + 10 backward beside a writer",
                "writes beside seeks backward",
            ],
            |_| seek(Direction::Backward),
        )
    }

    /// Counts how often `read` is done, which is given the number of each time, and how much is written meanwhile.
    ///
    /// `read` has to open a reader of its own: it has to see the latest write.
    fn beside_a_writer(
        &mut self,
        engine: &dyn Engine,
        [reading, writing]: [&str; 2],
        mut read: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let stop = AtomicBool::new(false);
        let begin = Instant::now();
        let (reads, writes) = std::thread::scope(|scope| -> Result<(u64, u64)> {
            let writer = scope.spawn(|| self.overwrite_until(engine, &stop));
            let mut read_for_a_while = || -> Result<u64> {
                let mut reads = 0;
                while begin.elapsed() < BESIDE_WRITER {
                    for _ in 0..READS_BETWEEN_LOOKS_AT_THE_CLOCK {
                        read(reads)?;
                        reads += 1;
                    }
                }
                Ok(reads)
            };
            // Also after an error: the scope waits for the writer, which would go on for ever.
            let reads = read_for_a_while();
            stop.store(true, Ordering::Relaxed);
            let writes = writer.join().expect("a writer that ended by itself");
            Ok((reads?, writes?))
        })?;
        let took = begin.elapsed();
        self.rate(reading, reads, took);
        self.rate(writing, writes, took);
        Ok(())
    }

    /// Returns how many entries were written.
    fn overwrite_until(&self, engine: &dyn Engine, stop: &AtomicBool) -> Result<u64> {
        let mut random = fastrand::Rng::with_seed(7);
        let mut writes = 0;
        while !stop.load(Ordering::Relaxed) {
            let number = random.u64(0..self.sizes.entries);
            engine.put(&key(number), self.values.of(number))?;
            writes += 1;
        }
        Ok(writes)
    }
}
