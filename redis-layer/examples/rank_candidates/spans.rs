//! Candidate (a): the spans of a skip list, in rows.

use anyhow::Result;
use bytes::Bytes;
use redis_layer::store::{Direction, KeyRange, Space, Store};
use redis_layer::types::rows::RowPrefix;
use xxhash_rust::xxh3::xxh3_64;

use crate::designs::{Design, Row, Set, Walk, write};

/// (a): rows `level: u8 | mark -> span: u64` in the data space, levels from 1 up. One node in 2^BITS reaches the next.
///
/// A span counts the rows from its node up to, but without, the next node of the level. Each level begins with a
/// *head*, a node with an empty mark that is no row itself.
pub(crate) struct Spans<const BITS: u32> {
    set: Set,
    top: u8,
}

/// The last node of a level before a mark.
pub(crate) struct Step {
    level: u8,
    node: Vec<u8>,
    span: u64,
    /// How many rows stand before the node.
    before: u64,
}

/// The highest level of a node: a function of the row, so that no order of insertions shows.
pub(crate) fn height(mark: &[u8], bits: u32) -> u8 {
    u8::try_from(xxh3_64(mark).trailing_zeros() / bits).unwrap_or(u8::MAX)
}

pub(crate) fn span_row(prefix: &RowPrefix, level: u8, mark: &[u8], span: u64) -> Row {
    let key = prefix.data_key(&[&[level], mark].concat());
    (
        Space::Data,
        key,
        Bytes::copy_from_slice(&span.to_le_bytes()),
    )
}

impl<const BITS: u32> Spans<BITS> {
    /// The way down, and how many rows stand before its last node.
    fn path(&self, mark: &[u8]) -> Result<(Vec<Step>, u64)> {
        let snapshot = self.set.store.snapshot()?;
        let key = |level: u8, mark: &[u8]| self.set.prefix.data_key(&[&[level], mark].concat());
        let mark_at = key(0, b"").len();
        let (mut steps, mut node, mut before) = (Vec::new(), Vec::new(), 0);
        for level in (1..=self.top).rev() {
            let rows = KeyRange::between(key(level, &node), key(level, mark));
            let mut cursor = snapshot.scan(Space::Data, &rows, Direction::Forward)?;
            let mut span = 0;
            while let Some((row, value)) = cursor.row() {
                before += span;
                span = u64::from_le_bytes(value.try_into()?);
                node.clear();
                node.extend_from_slice(&row[mark_at..]);
                cursor.advance()?;
            }
            let node = node.clone();
            steps.push(Step {
                level,
                node,
                span,
                before,
            });
        }
        Ok((steps, before))
    }
}

impl<const BITS: u32> Design for Spans<BITS> {
    fn load(set: &Set, marks: &[Vec<u8>]) -> Vec<Row> {
        let mut rows = Walk::load(set, marks);
        for level in 1.. {
            let mut last: (&[u8], usize) = (b"", 0);
            let nodes = marks.iter().enumerate();
            for (at, mark) in nodes.filter(|(_, mark)| height(mark, BITS) >= level) {
                rows.push(span_row(&set.prefix, level, last.0, (at - last.1) as u64));
                last = (mark, at);
            }
            if last.0.is_empty() {
                break;
            }
            let rest = (marks.len() - last.1) as u64;
            rows.push(span_row(&set.prefix, level, last.0, rest));
        }
        rows
    }

    /// Finds the highest level. The server could keep it in the metadata row.
    fn open(set: Set) -> Result<Self> {
        let snapshot = set.store.snapshot()?;
        let cursor = snapshot.scan(Space::Data, &set.prefix.rows(), Direction::Backward)?;
        let level_at = set.prefix.data_key(b"").len();
        let top = cursor.row().map_or(0, |(row, _)| row[level_at]);
        drop(cursor);
        Ok(Self { set, top })
    }

    fn add(&mut self, mark: &[u8]) -> Result<usize> {
        let (steps, mut before) = self.path(mark)?;
        let height = height(mark, BITS);
        // Without a level of its own, the new row only lengthens spans, and its exact place does not matter.
        if height > 0 {
            let from = steps.last().map_or(&[][..], |step| &step.node);
            before += self.set.walk(from, mark)?;
        }
        let mut rows = vec![self.set.row(mark)];
        let mut put = |level, mark: &[u8], span| {
            rows.push(span_row(&self.set.prefix, level, mark, span));
        };
        for step in steps {
            if step.level > height {
                put(step.level, &step.node, step.span + 1);
            } else {
                let first = before - step.before;
                put(step.level, &step.node, first);
                put(step.level, mark, step.span - first + 1);
            }
        }
        for level in self.top + 1..=height {
            put(level, b"", before);
            put(level, mark, self.set.size - before + 1);
        }
        self.top = self.top.max(height);
        self.set.size += 1;
        write(&self.set.store, rows)
    }

    fn rank(&self, mark: &[u8]) -> Result<u64> {
        let (steps, before) = self.path(mark)?;
        let from = steps.last().map_or(&[][..], |step| &step.node);
        Ok(before + self.set.walk(from, mark)?)
    }
}
