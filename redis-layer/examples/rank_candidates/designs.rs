//! What a design has to do, and the two that need score rows only: the walk, and candidate (b).

use std::rc::Rc;

use anyhow::Result;
use bytes::Bytes;
use redis_layer::store::{Batch, Direction, EngineStore, KeyRange, Space, Store};
use redis_layer::types::rows::RowPrefix;
use redis_layer::types::zset::counts::{BUCKET_MAX, Builder, Counts};

use crate::{RANKS, STEPS};

/// A design probe rows stand in a store.
pub(crate) trait Design: Sized {
    /// The rows of a set that is loaded, given by its marks in order.
    fn load(set: &Set, marks: &[Vec<u8>]) -> Vec<Row>;
    /// What has to be done before the first question and the first change.
    fn open(set: Set) -> Result<Self>;
    /// Adds a row. Answers how many rows were written.
    fn add(&mut self, mark: &[u8]) -> Result<usize>;
    /// How many rows stand before this one.
    fn rank(&self, mark: &[u8]) -> Result<u64>;
    /// Bytes in memory.
    fn bytes(&self) -> usize {
        0
    }
    /// How many ranks are asked for in sets of so many members.
    fn ranks(_members: usize) -> usize {
        RANKS
    }
}

pub(crate) type Row = (Space, Vec<u8>, Bytes);

/// A set in a store.
pub(crate) struct Set {
    pub(crate) store: Rc<EngineStore>,
    pub(crate) prefix: RowPrefix,
    /// The size, which the server has in the metadata row.
    pub(crate) size: u64,
}

impl Set {
    pub(crate) fn new(store: Rc<EngineStore>, version: usize, size: usize) -> Self {
        let prefix = RowPrefix::new(0, b"board", version as u64);
        Self {
            store,
            prefix,
            size: size as u64,
        }
    }

    /// The score row of a mark.
    pub(crate) fn row(&self, mark: &[u8]) -> Row {
        (Space::Score, self.prefix.score_key_at(mark), Bytes::new())
    }

    /// Walks over the score rows from one mark up to, but without, another.
    pub(crate) fn walk(&self, from: &[u8], to: &[u8]) -> Result<u64> {
        let key = |mark| self.prefix.score_key_at(mark);
        let rows = KeyRange::between(key(from), key(to));
        let snapshot = self.store.snapshot()?;
        let mut cursor = snapshot.scan(Space::Score, &rows, Direction::Forward)?;
        let mut count = 0;
        while cursor.row().is_some() {
            count += 1;
            cursor.advance()?;
        }
        Ok(count)
    }
}

/// No design: score rows, and a walk.
pub(crate) struct Walk(Set);

impl Design for Walk {
    fn load(set: &Set, marks: &[Vec<u8>]) -> Vec<Row> {
        marks.iter().map(|mark| set.row(mark)).collect()
    }

    fn open(set: Set) -> Result<Self> {
        Ok(Self(set))
    }

    fn add(&mut self, mark: &[u8]) -> Result<usize> {
        write(&self.0.store, [self.0.row(mark)])
    }

    fn rank(&self, mark: &[u8]) -> Result<u64> {
        self.0.walk(b"", mark)
    }

    fn ranks(members: usize) -> usize {
        (STEPS / members).min(RANKS)
    }
}

/// (b): counts in memory.
pub(crate) struct Sparse {
    set: Set,
    counts: Counts,
}

impl Sparse {
    /// Cuts the bucket of a row in two, as `types/zset/rank.rs` does.
    fn split(&mut self, mark: &[u8]) -> Result<()> {
        let bucket = self.counts.bucket_of(mark);
        let half = bucket.count / 2;
        let start = self.set.prefix.score_key_at(&bucket.start);
        let rows = KeyRange {
            start,
            ..self.set.prefix.rows()
        };
        let snapshot = self.set.store.snapshot()?;
        let mut cursor = snapshot.scan(Space::Score, &rows, Direction::Forward)?;
        let mut previous = Vec::new();
        for _ in 0..half {
            if let Some((row, _)) = cursor.row() {
                previous.clear();
                previous.extend_from_slice(self.set.prefix.mark_of(row));
            }
            cursor.advance()?;
        }
        if let Some((row, _)) = cursor.row() {
            let row = self.set.prefix.mark_of(row);
            self.counts.split(&previous, row, half);
        }
        Ok(())
    }
}

impl Design for Sparse {
    fn load(set: &Set, marks: &[Vec<u8>]) -> Vec<Row> {
        Walk::load(set, marks)
    }

    fn open(set: Set) -> Result<Self> {
        let mut builder = Builder::default();
        let snapshot = set.store.snapshot()?;
        let mut cursor = snapshot.scan(Space::Score, &set.prefix.rows(), Direction::Forward)?;
        while let Some((row, _)) = cursor.row() {
            builder.push(set.prefix.mark_of(row));
            cursor.advance()?;
        }
        drop(cursor);
        let counts = builder.finish();
        Ok(Self { set, counts })
    }

    fn add(&mut self, mark: &[u8]) -> Result<usize> {
        let written = write(&self.set.store, [self.set.row(mark)])?;
        if self.counts.add(mark) > BUCKET_MAX {
            self.split(mark)?;
        }
        Ok(written)
    }

    fn rank(&self, mark: &[u8]) -> Result<u64> {
        let bucket = self.counts.bucket_of(mark);
        Ok(bucket.before + self.set.walk(&bucket.start, mark)?)
    }

    fn bytes(&self) -> usize {
        self.counts.bytes()
    }
}

/// Writes rows in one batch. Answers how many.
pub(crate) fn write(store: &EngineStore, rows: impl IntoIterator<Item = Row>) -> Result<usize> {
    let mut batch = Batch::default();
    for (space, key, value) in rows {
        batch.put(space, key, value);
    }
    let count = batch.changes().count();
    store.write(batch)?;
    Ok(count)
}
