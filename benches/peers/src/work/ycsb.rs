//! The six core workloads of the Yahoo! Cloud Serving Benchmark (Cooper and others, 2010, table 2), by its letters.
//!
//! Which keys are asked for is unequal: by Zipf's law with the benchmark's exponent, so that a hundredth of the keys
//! gets more than half of the requests. The popular keys are spread over all keys, and in *D* they are the latest.
//! Every read sees all writes before it. The requests are drawn before the clock starts.

use super::reading::read_each;
use super::{Run, key, shuffled};
use crate::engines::{Direction, Engine};
use anyhow::{Result, ensure};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::Zipf;

/// The exponent of the benchmark's own generator.
const EXPONENT: f64 = 0.99;
/// A scan takes so many entries at most, and any number from one on with equal chance.
const SCAN_ENTRIES_MAX: usize = 100;

/// What a client asks for: entries by number.
#[derive(Clone, Copy)]
enum Request {
    Read(u64),
    Update(u64),
    Insert(u64),
    Scan(u64, usize),
    ReadModifyWrite(u64),
}

/// What a workload mixes with its reads or scans.
#[derive(Clone, Copy)]
enum Other {
    Update,
    Insert,
    ReadModifyWrite,
}

/// Which entries are asked for most.
#[derive(Clone, Copy)]
enum Popular {
    Spread,
    Latest,
}

struct Workload {
    name: &'static str,
    other: Other,
    /// So many of a hundred requests are the other ones.
    others: u32,
    scans: bool,
    popular: Popular,
}

const WORKLOADS: [Workload; 6] = [
    Workload::of("YCSB A, half updates", 50, Other::Update),
    Workload::of("YCSB B, 5 % updates", 5, Other::Update),
    Workload::of("YCSB C, reads", 0, Other::Update),
    Workload::of(
        "YCSB F, half read-modify-writes",
        50,
        Other::ReadModifyWrite,
    ),
    Workload {
        popular: Popular::Latest,
        ..Workload::of("YCSB D, reads of the latest, 5 % inserts", 5, Other::Insert)
    },
    Workload {
        scans: true,
        ..Workload::of("YCSB E, scans of up to 100, 5 % inserts", 5, Other::Insert)
    },
];

impl Workload {
    /// Reads of keys that are popular wherever they lie, and other requests.
    const fn of(name: &'static str, others: u32, other: Other) -> Self {
        Self {
            name,
            other,
            others,
            scans: false,
            popular: Popular::Spread,
        }
    }

    /// Requests to a database that holds the entries below `entries`, which grows by inserts.
    fn requests(&self, count: u64, entries: &mut u64, seed: u64) -> Vec<Request> {
        let mut random = SmallRng::seed_from_u64(seed);
        let spread = shuffled(*entries, seed);
        let ranks = Zipf::new(*entries as f64, EXPONENT).expect("at least one entry");
        (0..count)
            .map(|_| {
                let rank = random.sample(ranks) as u64 - 1;
                let number = match self.popular {
                    Popular::Spread => spread[rank as usize],
                    Popular::Latest => *entries - 1 - rank,
                };
                if random.random_range(0..100) < self.others {
                    match self.other {
                        Other::Update => Request::Update(number),
                        Other::ReadModifyWrite => Request::ReadModifyWrite(number),
                        Other::Insert => {
                            *entries += 1;
                            Request::Insert(*entries - 1)
                        }
                    }
                } else if self.scans {
                    Request::Scan(number, random.random_range(1..=SCAN_ENTRIES_MAX))
                } else {
                    Request::Read(number)
                }
            })
            .collect()
    }
}

impl Run<'_> {
    pub(super) fn ycsb(&mut self) -> Result<()> {
        let engine = self.open("ycsb")?;
        let mut entries = self.sizes.entries;
        self.fill(&*engine, shuffled(entries, 30).into_iter())?;
        for (workload, seed) in WORKLOADS.iter().zip(31..) {
            let count = match workload.scans {
                true => self.sizes.seeks,
                false => self.sizes.reads,
            };
            let requests = workload.requests(count, &mut entries, seed);
            self.time(workload.name, count, |run| {
                requests
                    .iter()
                    .try_for_each(|request| run.serve(&*engine, *request))
            })?;
        }
        self.close("ycsb", engine)
    }

    fn serve(&self, engine: &dyn Engine, request: Request) -> Result<()> {
        match request {
            Request::Read(number) => read_now(engine, number),
            Request::Update(number) | Request::Insert(number) => {
                engine.put(&key(number), self.values.of(number))
            }
            Request::ReadModifyWrite(number) => {
                read_now(engine, number)?;
                engine.put(&key(number), self.values.of(number + 1))
            }
            Request::Scan(from, limit) => {
                let from = key(from);
                let scanned = engine
                    .reader()?
                    .scan(Direction::Forward, Some(&from), limit)?;
                ensure!(scanned.entries > 0, "a scan from an entry saw none");
                Ok(())
            }
        }
    }
}

fn read_now(engine: &dyn Engine, number: u64) -> Result<()> {
    read_each(engine, [number].into_iter())
}
