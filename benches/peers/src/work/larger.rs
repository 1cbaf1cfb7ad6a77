//! A database that is larger than memory, so that most reads come from the disk.
//!
//! Only memory that is limited shows anything: `benches/limited` runs a command with less.

use super::reading::{read, read_missing, read_together, seek};
use super::{READ_TOGETHER, Run, key, shuffled};
use crate::engines::{Direction, Engine};
use anyhow::Result;

/// A read takes a tenth of a millisecond, or ten where an engine has much more read than it needs.
const READS: u64 = 20_000;
const SEEKS: u64 = 5_000;
/// How many entries are scanned at once, and how often.
const SCANS: [(usize, u64); 2] = [(1_000, 500), (20_000, 50)];

impl Run<'_> {
    pub(super) fn larger(&mut self) -> Result<()> {
        let entries = self.sizes.entries;
        let engine = self.open("larger")?;
        let order = shuffled(entries, 22);
        self.time("fillrandom", entries, |run| {
            run.fill(&*engine, order.iter().copied())
        })?;
        self.time("compaction", entries, |_| engine.compact())?;
        // What an engine keeps in memory of its own was kept while it wrote.
        drop(engine);
        let engine = self.open("larger")?;
        self.time("readrandom", READS, |_| read(&*engine, entries, READS, 23))?;
        self.time("multireadrandom", READS, |_| {
            read_together(&*engine, entries, READS, READ_TOGETHER)
        })?;
        self.time("missing keys", READS, |_| {
            read_missing(&*engine, entries, READS)
        })?;
        for (work, direction) in [
            ("seek + 10 forward", Direction::Forward),
            ("seek + 10 backward", Direction::Backward),
        ] {
            self.time(work, SEEKS, |_| seek(&*engine, direction, entries, SEEKS))?;
        }
        for (steps, scans) in SCANS {
            self.time(&format!("scans of {steps}"), scans, |_| {
                scan_parts(&*engine, entries, steps, scans)
            })?;
        }
        self.close("larger", engine)
    }
}

/// Scans from random ones of all entries.
fn scan_parts(engine: &dyn Engine, entries: u64, steps: usize, scans: u64) -> Result<()> {
    let reader = engine.reader()?;
    let mut random = fastrand::Rng::with_seed(24);
    for _ in 0..scans {
        let from = key(random.u64(0..entries));
        reader.scan(Direction::Forward, Some(&from), steps)?;
    }
    Ok(())
}
