//! Benchmarks that a reader runs, each with the question it answers.
//!
//! ```text
//! cargo bench -p benches                      all of them, under five minutes
//! cargo bench -p benches -- keys/sort         those whose name contains this
//! cargo bench -p benches -- --test            each once, to see that it runs
//! ```
//!
//! `README.md` lists the questions. This library holds what the benchmarks share: input that is arbitrary, yet the same
//! each time, and how long each is measured.

pub mod orders;

use std::cmp::Ordering;
use std::path::Path;
use std::time::Duration;

use criterion::Criterion;
use engine::{Background, Compare, Db, FamilyOptions, Options};

/// Few samples, a short time: differences below a tenth are not what these are for. Ten samples need no hundred thousand
/// resamples either, criterion's own number: in a program that is not optimized those take half a minute a benchmark.
#[must_use]
pub fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(150))
        .measurement_time(Duration::from_millis(500))
        .nresamples(10_000)
        .without_plots()
}

/// Opens a database in `dir`, whose default family has the options `family`.
///
/// # Panics
///
/// If it cannot be opened.
#[must_use]
pub fn open(dir: &Path, background: Background, family: FamilyOptions) -> Db {
    let options = Options {
        background,
        ..Options::default()
    };
    Db::open(dir, options.family("default", family)).expect("a folder for a database")
}

/// The bytewise order as a user would write it: the engine cannot see what it is.
#[derive(Debug, Clone, Copy)]
pub struct OpaqueBytewise;

impl Compare for OpaqueBytewise {
    fn name(&self) -> &str {
        "opaque-bytewise"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }
}

/// The key of row `number`: 16 bytes that sort as the numbers do.
#[must_use]
pub fn user_key(number: u64) -> Vec<u8> {
    format!("key{number:013}").into_bytes()
}

/// The numbers from 0 to `count - 1`, in an order that no cache foresees.
#[must_use]
pub fn shuffled(count: usize, seed: u64) -> Vec<u64> {
    let mut numbers: Vec<_> = (0..count as u64).collect();
    numbers.sort_unstable_by_key(|&number| arbitrary(1, seed ^ number)[0]);
    numbers
}

/// `count` arbitrary 64-bit numbers, the same for the same seed (SplitMix64, Steele et al. 2014).
pub fn arbitrary(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    };
    std::iter::repeat_with(next).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::arbitrary;

    #[test]
    fn input_repeats_for_a_seed_and_differs_between_seeds() {
        // The first outputs of the published generator for seed 0.
        assert_eq!(
            arbitrary(2, 0),
            [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]
        );
        assert_ne!(arbitrary(2, 1), arbitrary(2, 0));
    }
}
