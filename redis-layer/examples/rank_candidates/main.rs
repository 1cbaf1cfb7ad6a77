//! What a rank costs in three designs, measured side by side: the figures behind `docs/ranks.md`.
//!
//! ```text
//! cargo run --release -p redis-layer --example rank_candidates -- [MEMBERS]
//! ```
//!
//! Prints one table for sets of 1,000 members, ten times as many, and so on up to MEMBERS (100,000 unless said).
//!
//! - **walk**: score rows alone, in an [`EngineStore`]. A rank walks from the first row. The baseline of all writes.
//! - **(a) spans**: the skip list as rows, each node and level with a row that holds its span. One node in 4 reaches
//!   the next level, or one in 16. Two parts of it are given away: nothing is removed, and nobody else writes.
//! - **(b) counts**: the project's own [`Counts`] over the same score rows, by their public functions. The server
//!   adds a journal and locks to that.
//! - **(c) runs**: a model outside the engine: sorted arrays that stand for tables, with a running sum of puts minus
//!   deletes for each block of 30 rows. A count is one search in each. No block is read, decoded or cached, so the
//!   figures are the least that it could cost. A memtable is a skip list, which has no counts, so its rows are
//!   walked over: once as a B-tree, which is the least, and once by a cursor of the engine.
//!
//! Each set is loaded in order but for its last members, the store is closed and opened again, and then the rest is
//! added one by one, at random places: that is timed, and so are ranks of random members. Every rank is compared with
//! the place of the member in a sorted array. Small sets are repeated. Times are processor time of all threads where
//! the system tells it (Linux), else of the clock. One run: good for a factor of two, not for a tenth.

mod designs;
mod spans;
mod tables;

use std::fs;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use redis_layer::store::{EngineStore, Store};
use redis_layer::types::rows::{RowPrefix, Score};

use designs::{Design, Set, Sparse, Walk, write};
use spans::Spans;
use tables::{Memtable, Tables};

const MEMBERS_DEFAULT: usize = 100_000;
/// So many members are added and timed, in all sets together, but never more than half of a set.
const ADDED: usize = 20_000;
/// So many ranks are asked for, in all sets together.
pub(crate) const RANKS: usize = 20_000;
/// How many rows a walk may step over, in all ranks together.
pub(crate) const STEPS: usize = 4_000_000;
/// How many rows are loaded in one batch.
const LOADED_TOGETHER: usize = 1_000;
/// How many rows of a set a memtable holds at most: about what fits into the 64 MiB after which the engine begins another.
const MEMTABLE_ROWS: usize = 500_000;

fn main() -> Result<()> {
    let most = std::env::args()
        .nth(1)
        .map_or(Ok(MEMBERS_DEFAULT), |text| {
            text.parse().context("the argument is a number of members")
        })?;
    println!(
        "| members | design | write, µs | rows written | rank, µs | memory, bytes a member | opening, ms |"
    );
    println!("|--:|---|--:|--:|--:|--:|--:|");
    let sizes = (3..9)
        .map(|zeros| 10_usize.pow(zeros))
        .filter(|size| *size <= most);
    for members in sizes {
        compare(members)?;
    }
    Ok(())
}

/// All lines for sets of one size.
fn compare(members: usize) -> Result<()> {
    let baseline = measure::<Walk>(members)?;
    println!(
        "| {members} | walk | {:.1} | {:.1} | {:.2} | 0.00 | {:.2} |",
        baseline.write_us, baseline.rows, baseline.rank_us, baseline.open_ms
    );
    let lines = [
        ("(a) spans, 1 in 4", measure::<Spans<2>>(members)?),
        ("(a) spans, 1 in 16", measure::<Spans<4>>(members)?),
        ("(b) counts", measure::<Sparse>(members)?),
    ];
    for (design, figures) in lines {
        println!(
            "| {members} | {design} | {:+.1} | {:+.1} | {:.2} | {:.2} | {:.2} |",
            figures.write_us - baseline.write_us,
            figures.rows - baseline.rows,
            figures.rank_us,
            figures.bytes,
            figures.open_ms,
        );
    }
    model(members)
}

/// The lines of the model, which writes nothing and opens nothing.
fn model(members: usize) -> Result<()> {
    let mut marks = marks(members, 1);
    marks.sort_unstable();
    for count in [1, 2, 6] {
        let tables = Tables::new(&marks, count);
        let rank_us = time_ranks(&marks, RANKS, |mark| Ok(tables.rank(mark)))?;
        let bytes = tables.bytes() as f64 / members as f64;
        println!(
            "| {members} | (c) tables: {count} | +0.0 | +0.0 | {rank_us:.2} | {bytes:.2} | 0.00 |"
        );
    }
    model_memtable(members, &marks[..(members / 2).min(MEMTABLE_ROWS)])
}

/// What a memtable without counts adds to a rank: the walk over its rows before the mark.
fn model_memtable(members: usize, marks: &[Vec<u8>]) -> Result<()> {
    let (rows, ranks) = (marks.len(), (STEPS / marks.len()).min(RANKS));
    let tree = Memtable::new(marks);
    let in_tree = time_ranks(marks, ranks, |mark| Ok(tree.rank(mark)))?;

    let dir = tempfile::tempdir()?;
    let store = Rc::new(EngineStore::open(dir.path())?);
    let set = Set::new(Rc::clone(&store), 0, rows);
    for together in marks.chunks(LOADED_TOGETHER) {
        write(&store, together.iter().map(|mark| set.row(mark)))?;
    }
    let rank = |mark: &[u8]| Ok(i64::try_from(set.walk(b"", mark)?)?);
    let by_cursor = time_ranks(marks, ranks, rank)?;
    for (how, rank_us) in [("a B-tree", in_tree), ("the engine's", by_cursor)] {
        println!(
            "| {members} | (c) a memtable on top, {rows} rows: {how} | +0.0 | +0.0 | +{rank_us:.2} | 0.00 | 0.00 |"
        );
    }
    Ok(())
}

/// What one design costs.
struct Figures {
    write_us: f64,
    rows: f64,
    rank_us: f64,
    bytes: f64,
    open_ms: f64,
}

/// Loads, opens again, adds and asks, in as many sets as it takes.
fn measure<D: Design>(members: usize) -> Result<Figures> {
    let added = ADDED.min(members / 2);
    let sets = ADDED / added;
    let dir = tempfile::tempdir()?;
    let mut all: Vec<Vec<Vec<u8>>> = (0..sets).map(|seed| marks(members, seed)).collect();
    let loaded = members - added;
    let store = Rc::new(EngineStore::open(dir.path())?);
    for (version, marks) in all.iter().enumerate() {
        let mut before = marks[..loaded].to_vec();
        before.sort_unstable();
        let rows = D::load(&Set::new(Rc::clone(&store), version, loaded), &before);
        for together in rows.chunks(LOADED_TOGETHER) {
            write(&store, together.iter().cloned())?;
        }
    }
    store.close()?;
    drop(store);

    let store = Rc::new(EngineStore::open(dir.path())?);
    let open = |version| D::open(Set::new(Rc::clone(&store), version, loaded));
    let begun = Clock::now()?;
    let mut designs = (0..sets).map(open).collect::<Result<Vec<D>>>()?;
    let open_ms = begun.micros()? / sets as f64 / 1000.0;

    let begun = Clock::now()?;
    let mut rows = 0;
    for (design, marks) in designs.iter_mut().zip(&all) {
        for mark in &marks[loaded..] {
            rows += design.add(mark)?;
        }
    }
    let count = (added * sets) as f64;
    let (write_us, rows) = (begun.micros()? / count, rows as f64 / count);

    let mut rank_us = 0.0;
    let mut bytes = 0;
    for (design, marks) in designs.iter().zip(&mut all) {
        marks.sort_unstable();
        let ranks = D::ranks(members).div_ceil(sets);
        let rank = |mark: &[u8]| Ok(i64::try_from(design.rank(mark)?)?);
        rank_us += time_ranks(marks, ranks, rank)? / sets as f64;
        bytes += design.bytes();
    }
    Ok(Figures {
        write_us,
        rows,
        rank_us,
        bytes: bytes as f64 / (members * sets) as f64,
        open_ms,
    })
}

/// The members of a set in the order in which they come, each as a score row tells it: score and name.
fn marks(members: usize, seed: usize) -> Vec<Vec<u8>> {
    let mut random = fastrand::Rng::with_seed(seed as u64);
    let prefix = RowPrefix::new(0, b"board", 0);
    let mark = |number| {
        let score = Score::new(f64::from(random.u32(..))).expect("a whole number is a score");
        let row = prefix.score_key(score, format!("player:{number}").as_bytes());
        prefix.mark_of(&row).to_vec()
    };
    (0..members).map(mark).collect()
}

/// Microseconds a rank, for random ones of these sorted marks. Each answer is checked.
fn time_ranks(marks: &[Vec<u8>], count: usize, rank: impl Fn(&[u8]) -> Result<i64>) -> Result<f64> {
    let mut random = fastrand::Rng::with_seed(7);
    let asked: Vec<usize> = (0..count).map(|_| random.usize(..marks.len())).collect();
    let begun = Clock::now()?;
    let answers: Vec<i64> = asked
        .iter()
        .map(|at| rank(&marks[*at]))
        .collect::<Result<_>>()?;
    let spent_us = begun.micros()?;
    for (at, answer) in asked.iter().zip(answers) {
        ensure!(*at as i64 == answer, "rank {at} was answered with {answer}");
    }
    Ok(spent_us / count as f64)
}

/// When something began.
struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    fn now() -> Result<Self> {
        let processor = processor_time()?;
        Ok(Self {
            wall: Instant::now(),
            processor,
        })
    }

    /// The microseconds since then.
    fn micros(&self) -> Result<f64> {
        let processor = processor_time()?.zip(self.processor);
        let spent = processor.map_or_else(
            || self.wall.elapsed(),
            |(now, then)| now.saturating_sub(then),
        );
        Ok(spent.as_secs_f64() * 1e6)
    }
}

/// What all threads of the process have used, if the system tells it.
fn processor_time() -> Result<Option<Duration>> {
    // The scheduler brings the figure of a running thread up to date when the thread yields.
    thread::yield_now();
    let Ok(threads) = fs::read_dir("/proc/self/task") else {
        return Ok(None);
    };
    let mut nanoseconds = 0;
    for thread in threads {
        let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else {
            return Ok(None);
        };
        let first = text.split(' ').next().unwrap_or_default();
        nanoseconds += first.parse::<u64>()?;
    }
    Ok(Some(Duration::from_nanos(nanoseconds)))
}
