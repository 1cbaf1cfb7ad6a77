//! Records the race of chapter 7: the same rows by a comparator and by bytes that sort themselves.
//!
//! ```text
//! cargo run --release -p benches --example comparator_race MACHINE DATE > race.json
//! ```
//!
//! Every round takes all lanes in turn, so that a slow moment of the machine is everybody's. What is written is the median
//! of the rounds. The two arguments are only copied into the record.

use std::hint::black_box;
use std::time::Instant;

use benches::orders::{LANES, Lane};
use benches::shuffled;
use engine::Db;
use tempfile::{TempDir, tempdir};

const ROWS: usize = 50_000;
const ROUNDS: usize = 9;

/// A lane with its data in a compacted table.
struct Runner {
    lane: &'static Lane,
    keys: Vec<Vec<u8>>,
    db: Db,
    _dir: TempDir,
}

fn fill(db: &Db, keys: &[Vec<u8>]) {
    for key in keys {
        db.put(key, b"value").expect("a write");
    }
}

impl Runner {
    fn new(lane: &'static Lane) -> Self {
        let keys = lane.keys(ROWS);
        let dir = tempdir().expect("a temporary folder");
        let db = lane.open(dir.path());
        fill(&db, &keys);
        db.compact().expect("a compaction");
        Self {
            lane,
            keys,
            db,
            _dir: dir,
        }
    }

    fn put(&self) -> usize {
        // An empty database for each round; opening it is not timed.
        let dir = tempdir().expect("a temporary folder");
        let db = self.lane.open(dir.path());
        let start = Instant::now();
        fill(&db, &self.keys);
        per_op(start, self.keys.len())
    }

    fn get(&self, order: &[u64]) -> usize {
        let start = Instant::now();
        for &at in order {
            let found = self.db.get(&self.keys[at as usize]).expect("a read");
            assert!(black_box(found).is_some());
        }
        per_op(start, order.len())
    }

    fn seek(&self, order: &[u64]) -> usize {
        let mut cursor = self.db.default_family().cursor().expect("a cursor");
        let start = Instant::now();
        for &at in order {
            cursor.seek(&self.keys[at as usize]).expect("a seek");
            for _ in 0..10 {
                if cursor.valid() {
                    cursor.next().expect("a step");
                }
            }
            black_box(cursor.valid());
        }
        per_op(start, order.len())
    }

    fn bytes_per_key(&self) -> f64 {
        let bytes: usize = self.keys.iter().map(Vec::len).sum();
        bytes as f64 / self.keys.len() as f64
    }
}

fn per_op(start: Instant, operations: usize) -> usize {
    start.elapsed().as_nanos() as usize / operations
}

/// One heat: every lane in each round, then the median of each lane.
fn heat(runners: &[Runner], measure: impl Fn(&Runner) -> usize) -> Vec<usize> {
    let mut times = vec![Vec::new(); runners.len()];
    for round in 0..=ROUNDS {
        for (runner, times) in runners.iter().zip(&mut times) {
            let time = measure(runner);
            // The first round only warms up.
            if round > 0 {
                times.push(time);
            }
        }
    }
    let median = |times: &mut Vec<usize>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    times.iter_mut().map(median).collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let machine = arguments.next().unwrap_or_else(|| "unknown".to_owned());
    let date = arguments.next().unwrap_or_else(|| "unknown".to_owned());
    let runners: Vec<Runner> = LANES.iter().map(Runner::new).collect();
    let order = shuffled(ROWS, 2);
    let heats = [
        (
            "put into the memtable, in random order",
            heat(&runners, Runner::put),
        ),
        (
            "get from one table, in random order",
            heat(&runners, |runner| runner.get(&order)),
        ),
        (
            "seek, then ten rows on",
            heat(&runners, |runner| runner.seek(&order)),
        ),
    ];

    println!("{{");
    println!("  \"title\": \"One order, by code and by bytes: {ROWS} writes, then reads\",");
    println!("  \"command\": \"cargo run --release -p benches --example comparator_race\",");
    println!("  \"machine\": {machine:?},");
    println!("  \"date\": {date:?},");
    println!("  \"unit\": \"ns\",");
    println!("  \"heats\": [");
    for (n, (what, times)) in heats.iter().enumerate() {
        println!("    {{ \"what\": {what:?}, \"lanes\": [");
        for (at, (runner, time)) in runners.iter().zip(times).enumerate() {
            let comma = if at + 1 < times.len() { "," } else { "" };
            println!(
                "      {{ \"name\": {:?}, \"ns_per_op\": {time}, \"bytes_per_key\": {:.1} }}{comma}",
                runner.lane.name,
                runner.bytes_per_key()
            );
        }
        println!("    ] }}{}", if n + 1 < heats.len() { "," } else { "" });
    }
    println!("  ]");
    println!("}}");
}
