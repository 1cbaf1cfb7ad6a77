//! Statistics: what an open database has done since it was opened, and what it holds.
//!
//! The counters of tables and compactions are updated once for each flush or compaction. Those of
//! writes are only changed by the leader of a group, so adding to one is a load and a store. The
//! counters of reads are in `sstable::SharedReads`.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::compaction::{Dropped, Output, Plan, Reason};
use crate::db::core::Core;
use crate::db::events::Stall;
use crate::db::family::FamilyCore;
use crate::db::signals::Piece;
use crate::sstable::ReadCounts;
use crate::version::LEVELS;

/// What a database has done since it was opened, and what it holds. Its `Display` form is a table for people.
///
/// Work that failed or was cancelled is not counted.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// The families, in the order of their creation.
    pub families: Vec<FamilyStatistics>,
    /// What went through the log.
    pub writes: WriteStatistics,
    /// What the block cache and the filters did.
    pub reads: ReadCounts,
    /// Writers slowed down because level 0 was long.
    pub slowed: StallStatistics,
    /// Writers stopped because level 0 was too long.
    pub stopped: StallStatistics,
    /// Writers stopped because too many memtables waited to be flushed.
    pub waited_for_flush: StallStatistics,
}

/// What a family holds, and what its flushes and compactions did.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FamilyStatistics {
    /// Its name.
    pub name: String,
    /// The levels, level 0 first.
    pub levels: [LevelStatistics; LEVELS],
    /// Memtables written to tables.
    pub flushes: u64,
    /// Compactions that rewrote tables.
    pub compactions: u64,
    /// How many of them were made for the sake of readers.
    pub compactions_for_reads: u64,
    /// How many of them were made because snapshots were gone.
    pub compactions_after_snapshots: u64,
    /// Tables that were moved down a level as they were.
    pub trivial_moves: u64,
    /// Entries that flushes and compactions left out.
    pub dropped: Dropped,
    /// The error of its last compaction, as long as that is being retried. Other families are
    /// compacted meanwhile.
    pub compaction_failure: Option<String>,
}

/// What a level holds, and what was read from and written into it.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LevelStatistics {
    /// Tables in it now.
    pub tables: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their entries.
    pub entries: u64,
    /// Bytes of its tables that compactions read.
    pub bytes_read: u64,
    /// Bytes that were written into it: by flushes into level 0, by compactions into the others.
    pub bytes_written: u64,
}

/// What went through the log.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriteStatistics {
    /// Groups of batches, each one append to the log.
    pub groups: u64,
    /// Groups that were synced.
    pub synced_groups: u64,
    /// Batches in all groups.
    pub batches: u64,
    /// Records in all batches.
    pub records: u64,
    /// Encoded length of the batches: keys and values, and a few bytes for each record.
    pub batch_bytes: u64,
    /// Bytes appended to the log, including the headers of its fragments.
    pub log_bytes: u64,
}

/// How often and how long writers waited for one reason.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StallStatistics {
    /// How often they waited.
    pub count: u64,
    /// How long they waited in total.
    pub time: Duration,
}

impl Statistics {
    /// Bytes written to logs and tables for each byte that users wrote; 0 before the first write.
    #[must_use]
    pub fn write_amplification(&self) -> f64 {
        let tables: u64 = self
            .families
            .iter()
            .map(FamilyStatistics::bytes_written)
            .sum();
        ratio(self.writes.log_bytes + tables, self.writes.batch_bytes)
    }

    /// How many batches shared one append, on average.
    #[must_use]
    pub fn batches_per_group(&self) -> f64 {
        ratio(self.writes.batches, self.writes.groups)
    }
}

impl FamilyStatistics {
    /// Bytes of tables written, by flushes and compactions.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.levels.iter().map(|level| level.bytes_written).sum()
    }

    /// How often flushed bytes have been written to tables: 1 for the flush, plus the compactions since.
    #[must_use]
    pub fn write_amplification(&self) -> f64 {
        ratio(self.bytes_written(), self.levels[0].bytes_written)
    }
}

fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for family in &self.families {
            writeln!(f, "{family}")?;
        }
        let writes = &self.writes;
        writeln!(
            f,
            "writes  {} records in {} batches, {:.2} batches a group, {} of {} groups synced",
            writes.records,
            writes.batches,
            self.batches_per_group(),
            writes.synced_groups,
            writes.groups
        )?;
        writeln!(
            f,
            "bytes   {} in batches, {} to the log, write amplification {:.2}",
            MiB(writes.batch_bytes),
            MiB(writes.log_bytes),
            self.write_amplification()
        )?;
        let reads = &self.reads;
        writeln!(
            f,
            "reads   block cache {} hits, {} misses, {}; filters {} useful, {} false positives",
            reads.cache_hits,
            reads.cache_misses,
            MiB(reads.cache_bytes),
            reads.filter_useful,
            reads.filter_false_positives
        )?;
        write!(
            f,
            "stalls  slowed {}, stopped {}, waited for a flush {}",
            self.slowed, self.stopped, self.waited_for_flush
        )
    }
}

impl fmt::Display for FamilyStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "family {:?}: {} flushes, {} compactions ({} for readers, {} after snapshots), {} trivial moves, write amplification {:.2}",
            self.name,
            self.flushes,
            self.compactions,
            self.compactions_for_reads,
            self.compactions_after_snapshots,
            self.trivial_moves,
            self.write_amplification()
        )?;
        writeln!(
            f,
            "  level  tables     entries        bytes         read      written"
        )?;
        for (number, level) in self.levels.iter().enumerate() {
            if *level != LevelStatistics::default() {
                writeln!(
                    f,
                    "  {number:>5} {:>7} {:>11} {:>12} {:>12} {:>12}",
                    level.tables,
                    level.entries,
                    MiB(level.bytes),
                    MiB(level.bytes_read),
                    MiB(level.bytes_written)
                )?;
            }
        }
        let Dropped {
            shadowed,
            range_deleted,
            tombstones,
            filtered,
        } = self.dropped;
        writeln!(
            f,
            "  left out: {shadowed} shadowed, {range_deleted} in deleted ranges, {tombstones} tombstones, {filtered} by the \
             filter"
        )?;
        match &self.compaction_failure {
            Some(error) => writeln!(
                f,
                "  its last compaction failed, and is tried again: {error}"
            ),
            None => Ok(()),
        }
    }
}

impl fmt::Display for StallStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} times ({:.1?})", self.count, self.time)
    }
}

/// Formats bytes for people.
struct MiB(u64);

impl fmt::Display for MiB {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.2} MiB", self.0 as f64 / f64::from(1 << 20)))
    }
}

/// A number that only one thread at a time adds to, but any thread may read.
#[derive(Debug, Default)]
struct Counter(AtomicU64);

impl Counter {
    /// Adds to the counter. The caller must make sure that no other thread does.
    fn add(&self, more: u64) {
        let sum = self.0.load(Ordering::Relaxed) + more;
        self.0.store(sum, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counters of the whole database, updated by the leader of the writers.
#[derive(Debug, Default)]
pub(super) struct Counters {
    groups: Counter,
    synced_groups: Counter,
    batches: Counter,
    records: Counter,
    batch_bytes: Counter,
    log_bytes: Counter,
    stalls: Mutex<[StallStatistics; 3]>,
}

impl Counters {
    /// Counts a group that was written. The caller must hold the lead.
    pub(super) fn group(&self, batches: usize, records: usize, batch_bytes: usize, sync: bool) {
        self.groups.add(1);
        self.synced_groups.add(u64::from(sync));
        self.batches.add(batches as u64);
        self.records.add(records as u64);
        self.batch_bytes.add(batch_bytes as u64);
    }

    /// Counts an append to the log. The caller must hold the lead.
    pub(super) fn logged(&self, bytes: u64) {
        self.log_bytes.add(bytes);
    }

    pub(super) fn stalled(&self, stall: Stall, time: Duration) {
        let of_kind = &mut self.stalls.lock()[stall as usize];
        of_kind.count += 1;
        of_kind.time += time;
    }
}

/// What the flushes and compactions of a family did.
#[derive(Debug, Default)]
pub(super) struct FamilyCounters(Mutex<FamilyStatistics>);

impl FamilyCounters {
    /// Counts a flush of one memtable.
    pub(super) fn flushed(&self, output: &Output) {
        let mut sum = self.0.lock();
        sum.flushes += 1;
        sum.levels[0].bytes_written += output.bytes();
        sum.dropped = sum.dropped + output.dropped;
    }

    /// Counts a compaction whose result is in force.
    pub(super) fn compacted(&self, plan: &Plan, output: &Output, moved: bool) {
        let mut sum = self.0.lock();
        if moved {
            let inputs = plan.inputs.iter();
            let above = inputs.filter(|(level, _)| *level != plan.output_level);
            sum.trivial_moves += above.count() as u64;
            return;
        }
        sum.compactions += 1;
        sum.compactions_for_reads += u64::from(plan.reason == Reason::Reads);
        sum.compactions_after_snapshots += u64::from(plan.reason == Reason::Snapshots);
        for (level, table) in &plan.inputs {
            sum.levels[*level].bytes_read += table.bytes;
        }
        sum.levels[plan.output_level].bytes_written += output.bytes();
        sum.dropped = sum.dropped + output.dropped;
    }
}

impl FamilyCore {
    fn statistics(&self) -> FamilyStatistics {
        let mut statistics = self.counters.0.lock().clone();
        statistics.name.clone_from(&self.name);
        for (level, table) in self.view.load().version.tables() {
            let level = &mut statistics.levels[level];
            level.tables += 1;
            level.bytes += table.bytes;
            level.entries += table.entries;
        }
        statistics
    }
}

impl Core {
    fn compaction_failure(&self, family: &FamilyCore) -> Option<String> {
        let failure = self.signals.failure(Piece::Compaction(family.id))?;
        Some(failure.to_string())
    }

    pub(super) fn statistics(&self) -> Statistics {
        let families = self.families.load();
        let counters = &self.counters;
        let stalls = *counters.stalls.lock();
        let of = |stall: Stall| stalls[stall as usize];
        Statistics {
            families: families
                .iter()
                .map(|family| FamilyStatistics {
                    compaction_failure: self.compaction_failure(family),
                    ..family.statistics()
                })
                .collect(),
            writes: WriteStatistics {
                groups: counters.groups.get(),
                synced_groups: counters.synced_groups.get(),
                batches: counters.batches.get(),
                records: counters.records.get(),
                batch_bytes: counters.batch_bytes.get(),
                log_bytes: counters.log_bytes.get(),
            },
            reads: self.reads.counts(),
            slowed: of(Stall::Level0Slow),
            stopped: of(Stall::Level0Stop),
            waited_for_flush: of(Stall::Memtables),
        }
    }
}
