//! A set of table numbers, stored as runs of consecutive numbers.
//!
//! ```text
//! run*    distance: varint | more: varint
//! ```
//!
//! The first distance is from 0 to the first number of the first run, each further one from the last number of
//! a run to the first of the next. `more` says how many numbers follow the first one of the run.
//!
//! Each output of a compaction lists all inputs, and tables that one job wrote have consecutive numbers. One by one,
//! the numbers from 1 to 70,000 take 193 KB as varints, in each of as many outputs; as a run they take 4 bytes.
//!
//! Invariant: runs ascend, and between two of them a number is missing. So a set has one form, and a
//! distance after the first is at least 2.

use crate::varint;
use std::ops::RangeInclusive;

/// A set of table numbers. Takes memory for its runs, not for its numbers: one that was read may have 2^64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableNumbers(Vec<RangeInclusive<u64>>);

impl TableNumbers {
    /// The runs of consecutive numbers, ascending.
    #[must_use]
    pub fn runs(&self) -> &[RangeInclusive<u64>] {
        &self.0
    }

    /// Whether a number is in the set. Cost: a binary search over the runs.
    #[must_use]
    pub fn contains(&self, number: u64) -> bool {
        let before = self.0.partition_point(|run| *run.end() < number);
        self.0.get(before).is_some_and(|run| run.contains(&number))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let (mut out, mut last) = (Vec::new(), 0);
        for run in &self.0 {
            varint::append(&mut out, run.start() - last);
            varint::append(&mut out, run.end() - run.start());
            last = *run.end();
        }
        out
    }

    /// `None` if the bytes are cut off, or no set has this form.
    pub(super) fn decode(mut bytes: &[u8]) -> Option<TableNumbers> {
        let mut runs: Vec<RangeInclusive<u64>> = Vec::new();
        while !bytes.is_empty() {
            let distance = varint::take(&mut bytes)?;
            let first = match runs.last() {
                None => distance,
                Some(_) if distance < 2 => return None,
                Some(run) => run.end().checked_add(distance)?,
            };
            let last = first.checked_add(varint::take(&mut bytes)?)?;
            runs.push(first..=last);
        }
        Some(TableNumbers(runs))
    }

    /// For people: `4 to 7, 300`.
    pub(super) fn describe(&self) -> String {
        let runs = self.0.iter().map(|run| match run.end() - run.start() {
            0 => run.start().to_string(),
            _ => format!("{} to {}", run.start(), run.end()),
        });
        runs.collect::<Vec<_>>().join(", ")
    }
}

impl FromIterator<u64> for TableNumbers {
    /// From numbers in any order.
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> TableNumbers {
        let mut numbers: Vec<u64> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let runs = numbers.chunk_by(|before, after| before + 1 == *after);
        TableNumbers(runs.map(|run| run[0]..=run[run.len() - 1]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u64]) -> TableNumbers {
        numbers.iter().copied().collect()
    }

    #[test]
    fn sets_are_stored_and_read_back() {
        for numbers in [
            &[][..],
            &[0],
            &[7, 5, 6, 5],
            &[1, 3, 5],
            &[u64::MAX, 0, u64::MAX - 1],
        ] {
            let set = set(numbers);
            assert_eq!(TableNumbers::decode(&set.encode()), Some(set.clone()));
            assert!(numbers.iter().all(|number| set.contains(*number)));
        }
        assert_eq!(set(&[9, 4, 5, 6]).runs(), [4..=6, 9..=9]);
        assert_eq!(set(&[9, 4, 5, 6]).describe(), "4 to 6, 9");
        for outside in [0, 3, 7, 8, 10, u64::MAX] {
            assert!(!set(&[9, 4, 5, 6]).contains(outside));
        }
    }

    #[test]
    fn consecutive_numbers_take_a_few_bytes() {
        assert_eq!(set(&Vec::from_iter(1..70_000)).encode().len(), 4);
    }

    #[test]
    fn what_is_no_set_is_refused() {
        let mut all = vec![0];
        varint::append(&mut all, u64::MAX);
        assert_eq!(TableNumbers::decode(&all).unwrap().runs(), [0..=u64::MAX]);
        for (what, bytes) in [
            ("a run is cut off", vec![4]),
            ("a number is cut off", vec![4, 0x80]),
            ("runs that touch", vec![4, 1, 1, 0]),
            ("runs that overlap", vec![4, 1, 0, 0]),
            (
                "a run past the greatest number",
                [&all[..], &[2, 0]].concat(),
            ),
            (
                "a last number past the greatest",
                [&[1][..], &all[1..]].concat(),
            ),
        ] {
            assert_eq!(TableNumbers::decode(&bytes), None, "{what}");
        }
    }
}
