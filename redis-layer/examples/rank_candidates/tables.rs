//! Candidate (c): counts in the engine, as a model that knows neither blocks nor caches.

use std::collections::BTreeMap;
use std::ops::Bound;

/// How many rows of a table share a running sum.
const BLOCK_ROWS: usize = 30;
/// Bytes of a running sum in the index block of a table.
const SUM_BYTES: usize = 8;

/// A sorted run: rows in order, each a put or a delete.
pub(crate) struct Table {
    rows: Vec<(Vec<u8>, Change)>,
    /// The puts minus the deletes before each block.
    sums: Vec<i64>,
}

/// What a row does to the number of rows.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    Put = 1,
    Delete = -1,
}

impl Table {
    /// A table of these rows, which are sorted first.
    fn new(mut rows: Vec<(Vec<u8>, Change)>) -> Self {
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let mut sum = 0;
        let sums = rows.chunks(BLOCK_ROWS).map(|block| {
            let before = sum;
            sum += block.iter().map(|(_, change)| *change as i64).sum::<i64>();
            before
        });
        let sums = sums.collect();
        Self { rows, sums }
    }

    /// Puts minus deletes before a mark: a binary search for the block, and a walk inside it.
    fn before(&self, mark: &[u8]) -> i64 {
        let (mut low, mut high) = (0, self.sums.len());
        while low < high {
            let middle = low.midpoint(high);
            if *self.rows[middle * BLOCK_ROWS].0 < *mark {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let Some(block) = low.checked_sub(1) else {
            return 0;
        };
        let rows = self.rows[block * BLOCK_ROWS..].iter().take(BLOCK_ROWS);
        let within = rows.take_while(|(row, _)| **row < *mark);
        self.sums[block] + within.map(|(_, change)| *change as i64).sum::<i64>()
    }
}

/// Several tables of one set.
pub(crate) struct Tables(Vec<Table>);

impl Tables {
    /// Deals the rows to `count` tables at random. For each tenth row, another one was put into the oldest table and
    /// deleted in the newest.
    pub(crate) fn new(marks: &[Vec<u8>], count: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(count as u64);
        let mut rows = vec![Vec::new(); count];
        for (at, mark) in marks.iter().enumerate() {
            rows[random.usize(..count)].push((mark.clone(), Change::Put));
            if at % 10 == 0 {
                let gone = [mark, &b"x"[..]].concat();
                rows[0].push((gone.clone(), Change::Put));
                rows[count - 1].push((gone, Change::Delete));
            }
        }
        Self(rows.into_iter().map(Table::new).collect())
    }

    /// How many rows stand before a mark.
    pub(crate) fn rank(&self, mark: &[u8]) -> i64 {
        self.0.iter().map(|table| table.before(mark)).sum()
    }

    /// Bytes that the sums take, in index blocks that are in memory anyway.
    pub(crate) fn bytes(&self) -> usize {
        self.0
            .iter()
            .map(|table| table.sums.len() * SUM_BYTES)
            .sum()
    }
}

/// The newest rows, probe numbers nobody has summed up.
pub(crate) struct Memtable(BTreeMap<Vec<u8>, Change>);

impl Memtable {
    pub(crate) fn new(marks: &[Vec<u8>]) -> Self {
        let rows = marks.iter().map(|mark| (mark.clone(), Change::Put));
        Self(rows.collect())
    }

    /// Puts minus deletes before a mark, by a walk.
    pub(crate) fn rank(&self, mark: &[u8]) -> i64 {
        let before = self
            .0
            .range::<[u8], _>((Bound::Unbounded, Bound::Excluded(mark)));
        before.map(|(_, change)| *change as i64).sum()
    }
}
