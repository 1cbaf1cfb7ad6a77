//! What the server counts: commands, how long they took, and the errors that they answered.
//!
//! Every command and subcommand has a number, its index in a list that is made once. Counting is a few relaxed atomic
//! additions, each thread in its own shard ([`Sharded`]). The times of a command are kept in a histogram with a
//! bounded relative error: values below 256 ns exactly, greater ones in 128 steps for each power of two. The
//! histogram is made when the command first runs, so an idle server has none.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{LazyLock, OnceLock};

use parking_lot::Mutex;

use crate::commands::CommandError;
use crate::commands::table::{COMMANDS, Spec};
use crate::types::Sharded;

/// Counters since the start, or since `CONFIG RESETSTAT`.
#[derive(Debug, Default)]
pub struct Counters {
    /// Connections that were accepted.
    pub connections: AtomicU64,
    /// Connections that were refused because there were too many.
    pub rejected: AtomicU64,
    traffic: Sharded<Traffic<AtomicU64>>,
    /// Connections that were closed to free memory.
    pub evicted_clients: AtomicU64,
    /// Replies that were errors.
    pub errors: AtomicU64,
    /// How long the background removal of expired keys took.
    pub cleaning_micros: AtomicU64,
}

/// What has gone through the sockets.
#[derive(Debug, Clone, Copy, Default)]
pub struct Traffic<N> {
    /// Bytes that arrived.
    pub net_input: N,
    /// Bytes that were sent.
    pub net_output: N,
    /// Reads from sockets.
    pub reads: N,
    /// Writes to sockets.
    pub writes: N,
}

impl Traffic<AtomicU64> {
    fn all(&self) -> [&AtomicU64; 4] {
        [&self.net_input, &self.net_output, &self.reads, &self.writes]
    }
}

impl Counters {
    /// Counts a read of `bytes` bytes.
    pub fn received(&self, bytes: usize) {
        let traffic = self.traffic.here();
        traffic.net_input.fetch_add(bytes as u64, Relaxed);
        traffic.reads.fetch_add(1, Relaxed);
    }

    /// Counts a write of `bytes` bytes.
    pub fn sent(&self, bytes: usize) {
        let traffic = self.traffic.here();
        traffic.net_output.fetch_add(bytes as u64, Relaxed);
        traffic.writes.fetch_add(1, Relaxed);
    }

    /// What has gone through all sockets so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic<u64> {
        let sum = |of: usize| self.traffic.sum(|shard| shard.all()[of].load(Relaxed));
        Traffic {
            net_input: sum(0),
            net_output: sum(1),
            reads: sum(2),
            writes: sum(3),
        }
    }

    fn reset(&self) {
        let single = [
            &self.connections,
            &self.rejected,
            &self.evicted_clients,
            &self.errors,
            &self.cleaning_micros,
        ];
        let traffic = self.traffic.all().flat_map(Traffic::all);
        for counter in single.into_iter().chain(traffic) {
            counter.store(0, Relaxed);
        }
    }
}

/// Every command and subcommand; the number of a command is its index here.
pub(crate) static ALL: LazyLock<Vec<&'static Spec>> = LazyLock::new(|| {
    let families = COMMANDS.iter().copied();
    families
        .flat_map(|spec| std::iter::once(spec).chain(spec.subcommands))
        .collect()
});

/// The number of a command. Entries of the table never move, so an address identifies an entry.
pub(crate) fn number(spec: &'static Spec) -> Option<usize> {
    static NUMBERS: LazyLock<HashMap<usize, usize, BuildHasherDefault<AddressHasher>>> =
        LazyLock::new(|| {
            let specs = ALL.iter().enumerate();
            specs.map(|(at, spec)| (address(spec), at)).collect()
        });
    NUMBERS.get(&address(spec)).copied()
}

fn address(spec: &'static Spec) -> usize {
    std::ptr::from_ref(spec).addr()
}

/// Hashes addresses in the program's own table. No client can choose them, so one multiplication is enough.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, _bytes: &[u8]) {}

    fn write_usize(&mut self, address: usize) {
        self.0 = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(32)
    }
}

/// What is known about each command.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    /// Indexed by [`number`].
    commands: Sharded<OfAll>,
    /// How often an error was answered, by its first word.
    errors: Mutex<BTreeMap<String, u64>>,
}

/// The statistics of all commands in one shard, by number.
#[derive(Debug)]
struct OfAll(Vec<CommandStatistics>);

impl Default for OfAll {
    fn default() -> Self {
        Self(ALL.iter().map(|_| CommandStatistics::default()).collect())
    }
}

/// What is counted about one command in one shard.
#[derive(Debug, Default)]
struct CommandStatistics {
    calls: AtomicU64,
    nanos: AtomicU64,
    rejected: AtomicU64,
    failed: AtomicU64,
    histogram: OnceLock<Box<Histogram>>,
}

/// Several runs of one command that took equally long and ended alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Runs {
    pub(crate) calls: u64,
    /// How long each of them took.
    pub(crate) nanos: u64,
    /// Whether they answered an error.
    pub(crate) failed: bool,
}

/// What is counted about one command.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CommandSums {
    pub(crate) calls: u64,
    pub(crate) nanos: u64,
    /// How many were refused before they began.
    pub(crate) rejected: u64,
    /// How many ran and answered an error.
    pub(crate) failed: u64,
}

/// How many different errors are counted at most. A script can answer any text as an error.
const MOST_ERRORS: usize = 128;

impl Statistics {
    /// Where this thread counts a command.
    fn here(&self, spec: &'static Spec) -> Option<&CommandStatistics> {
        self.commands.here().0.get(number(spec)?)
    }

    /// The shards of a command.
    fn shards_of(&self, number: usize) -> impl Iterator<Item = &CommandStatistics> {
        self.commands
            .all()
            .filter_map(move |shard| shard.0.get(number))
    }

    fn sums(&self, number: usize) -> CommandSums {
        let mut sums = CommandSums::default();
        for shard in self.shards_of(number) {
            sums.calls += shard.calls.load(Relaxed);
            sums.nanos += shard.nanos.load(Relaxed);
            sums.rejected += shard.rejected.load(Relaxed);
            sums.failed += shard.failed.load(Relaxed);
        }
        sums
    }

    /// Every command that ran or was refused.
    pub(crate) fn seen(&self) -> impl Iterator<Item = (&'static Spec, CommandSums)> {
        let all = ALL.iter().copied().enumerate();
        all.map(|(number, spec)| (spec, self.sums(number)))
            .filter(|(_, sums)| sums.calls + sums.rejected + sums.failed > 0)
    }

    /// How many commands have run. Those of transactions count one by one.
    pub(crate) fn commands(&self) -> u64 {
        (0..ALL.len()).map(|number| self.sums(number).calls).sum()
    }

    /// The times of a command's calls, if they are kept.
    pub(crate) fn histogram(&self, spec: &'static Spec) -> Option<Times> {
        let mut times = Times(vec![0; SLOTS]);
        for shard in self.shards_of(number(spec)?) {
            if let Some(histogram) = shard.histogram.get() {
                histogram.add_to(&mut times);
            }
        }
        (times.count() > 0).then_some(times)
    }

    /// Counts runs of a command, with their times if `with_time`.
    pub(crate) fn ran(&self, spec: &'static Spec, runs: Runs, with_time: bool) {
        let Some(of_command) = self.here(spec) else {
            return;
        };
        of_command.calls.fetch_add(runs.calls, Relaxed);
        of_command.nanos.fetch_add(runs.calls * runs.nanos, Relaxed);
        if runs.failed {
            of_command.failed.fetch_add(runs.calls, Relaxed);
        }
        if with_time {
            of_command.histogram.get_or_init(Box::default).add(runs);
        }
    }

    /// Counts runs as failed whose error answers became known only after they were counted.
    pub(crate) fn failed(&self, spec: &'static Spec, times: u64) {
        if let Some(of_command) = self.here(spec) {
            of_command.failed.fetch_add(times, Relaxed);
        }
    }

    /// Counts a command that was refused before it began.
    pub(crate) fn refused(&self, spec: &'static Spec) {
        if let Some(of_command) = self.here(spec) {
            of_command.rejected.fetch_add(1, Relaxed);
        }
    }

    /// Counts an error that was answered.
    pub(crate) fn error(&self, counters: &Counters, error: &CommandError) {
        counters.errors.fetch_add(1, Relaxed);
        let word = String::from_utf8_lossy(code(error)).into_owned();
        let mut errors = self.errors.lock();
        if errors.len() < MOST_ERRORS || errors.contains_key(&word) {
            *errors.entry(word).or_default() += 1;
        }
    }

    pub(crate) fn errors(&self) -> BTreeMap<String, u64> {
        self.errors.lock().clone()
    }

    pub(crate) fn reset(&self, counters: &Counters) {
        counters.reset();
        self.errors.lock().clear();
        for of_command in self.commands.all().flat_map(|shard| &shard.0) {
            for counter in [
                &of_command.calls,
                &of_command.nanos,
                &of_command.rejected,
                &of_command.failed,
            ] {
                counter.store(0, Relaxed);
            }
            if let Some(histogram) = of_command.histogram.get() {
                histogram.reset();
            }
        }
    }
}

/// What an error is counted by: its first word, if that is short and not the whole text.
fn code(error: &CommandError) -> &[u8] {
    /// How far Redis looks for the end of the word.
    const LENGTH_MAX: usize = 30;
    let text = error.as_bytes();
    let end = text.iter().position(|&byte| byte == b' ');
    match end {
        Some(end) if end <= LENGTH_MAX => &text[..end],
        _ => b"ERR",
    }
}

/// Steps in each power of two.
const STEPS: u64 = 128;
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// The longest time that is distinguished, in nanoseconds: about a second, as in Redis.
const LONGEST: u64 = (1 << 30) - 1;
const SLOTS: usize = slot(LONGEST) + 1;

/// The slot of a time.
const fn slot(nanos: u64) -> usize {
    if nanos < 2 * STEPS {
        return nanos as usize;
    }
    let shift = nanos.ilog2() - STEP_BITS;
    (shift as u64 * STEPS + (nanos >> shift)) as usize
}

/// The greatest time in a slot.
const fn greatest_in(slot: usize) -> u64 {
    let slot = slot as u64;
    if slot < 2 * STEPS {
        return slot;
    }
    let shift = slot / STEPS - 1;
    let step = slot - shift * STEPS;
    ((step + 1) << shift) - 1
}

/// How many runs of a command took how long, in one shard.
struct Histogram {
    slots: [AtomicU64; SLOTS],
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Histogram")
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            slots: [const { AtomicU64::new(0) }; SLOTS],
        }
    }
}

impl Histogram {
    fn add(&self, runs: Runs) {
        self.slots[slot(runs.nanos.min(LONGEST))].fetch_add(runs.calls, Relaxed);
    }

    fn reset(&self) {
        for slot in &self.slots {
            slot.store(0, Relaxed);
        }
    }

    fn add_to(&self, times: &mut Times) {
        for (sum, slot) in times.0.iter_mut().zip(&self.slots) {
            *sum += slot.load(Relaxed);
        }
    }
}

/// How many runs of a command took how long, by slot.
#[derive(Debug)]
pub(crate) struct Times(Vec<u64>);

impl Times {
    pub(crate) fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The time, in nanoseconds, that `percent` percent of the calls did not exceed.
    pub(crate) fn percentile(&self, percent: f64) -> u64 {
        let count = self.count();
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rank among calls, rounded"
        )]
        let wanted = ((percent / 100.0 * count as f64).round() as u64).max(1);
        let mut seen = 0;
        for (at, calls) in self.0.iter().enumerate() {
            seen += calls;
            if seen >= wanted {
                return greatest_in(at);
            }
        }
        0
    }

    /// How many calls took at most how many microseconds, for powers of two; only those where the number grows.
    pub(crate) fn cumulative(&self) -> Vec<(u64, u64)> {
        let all = self.count();
        let (mut bound, mut at, mut seen) = (1024_u64, 0, 0);
        let mut found: Vec<(u64, u64)> = Vec::new();
        while seen < all && at < SLOTS {
            let last = slot(bound.min(LONGEST));
            let before = seen;
            while at <= last {
                seen += self.0[at];
                at += 1;
            }
            if seen > before {
                found.push((greatest_in(last) / 1000, seen));
            }
            bound *= 2;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::table::find;

    fn runs(calls: u64, nanos: u64) -> Runs {
        let failed = nanos == 2_000;
        Runs {
            calls,
            nanos,
            failed,
        }
    }

    #[test]
    fn every_time_lies_in_its_slot_and_slots_are_narrow() {
        let times = (0..40_000).chain((0..30).flat_map(|bit| [(1 << bit) - 1, 1 << bit]));
        for nanos in times.chain([LONGEST]) {
            let at = slot(nanos);
            assert!(greatest_in(at) >= nanos, "{nanos}");
            assert!(at == 0 || greatest_in(at - 1) < nanos, "{nanos}");
            assert!(greatest_in(at) - nanos <= nanos / STEPS, "{nanos}");
        }
    }

    #[test]
    fn percentiles_and_buckets_are_those_of_the_calls() {
        let histogram = Histogram::default();
        for nanos in [1_000, 1_500, 3_000, 40_000] {
            histogram.add(runs(1, nanos));
        }
        let mut times = Times(vec![0; SLOTS]);
        histogram.add_to(&mut times);
        assert_eq!(times.percentile(50.0) / 10, 150);
        assert_eq!(times.percentile(100.0) / 1000, 40);
        assert_eq!(times.cumulative(), [(1, 1), (2, 2), (4, 3), (66, 4)]);
    }

    #[test]
    fn errors_are_counted_by_their_first_word() {
        for (text, counted_by) in [
            ("WRONGTYPE Operation against a key", "WRONGTYPE"),
            ("ALONE", "ERR"),
            (
                "A2345678901234567890123456789E x",
                "A2345678901234567890123456789E",
            ),
            ("A23456789012345678901234567890E x", "ERR"),
        ] {
            assert_eq!(code(&CommandError::fixed(text)), counted_by.as_bytes());
        }
    }

    #[test]
    fn every_command_has_a_number_of_its_own() {
        let statistics = Statistics::default();
        let spec = find(b"get").unwrap();
        statistics.ran(spec, runs(1, 2_000), true);
        statistics.refused(spec);
        // The other thread may count in another shard; the sums include both.
        std::thread::scope(|scope| {
            scope.spawn(|| statistics.ran(spec, runs(2, 3_000), true));
        });
        let seen: Vec<_> = statistics.seen().map(|(spec, _)| spec.full_name).collect();
        assert_eq!(seen, ["get"]);
        let (_, of_get) = statistics.seen().next().unwrap();
        assert_eq!((of_get.calls, of_get.nanos), (3, 8_000));
        assert_eq!((of_get.rejected, of_get.failed), (1, 1));
        assert_eq!(statistics.histogram(spec).unwrap().count(), 3);
        assert_eq!(statistics.commands(), 3);
        statistics.reset(&Counters::default());
        assert_eq!(statistics.seen().count(), 0);
    }
}
