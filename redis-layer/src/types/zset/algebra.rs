//! Union, intersection and difference of several sets, with scores.
//!
//! A plain set takes part as a sorted set whose members all have the score 1. Nothing here is stored: the results are
//! elements in the order of a sorted set, and [`SortedSet::replace`](crate::types::zset::SortedSet::replace) makes a
//! key of them.
//!
//! A sum is never NaN: infinity times 0, and infinity minus infinity, count as 0. The minimum and the maximum of
//! several scores ignore a NaN. The sets are added from the smallest to the largest, so that sums are rounded as in
//! Redis.

use std::cmp::Ordering;

use bytes::Bytes;

use crate::store::{Direction, Space};
use crate::types::beside::Beside;
use crate::types::elements::Elements;
use crate::types::rows::{RowPrefix, Score, decode_score};
use crate::types::zset::Element;
use crate::types::{Content, Error, Kind, Result, Txn};

/// A set to read from.
#[derive(Debug)]
pub struct Source {
    members: Members,
    size: u64,
}

#[derive(Debug)]
enum Members {
    /// The key does not exist.
    None,
    Scored(RowPrefix),
    Plain(Elements),
}

/// A set that takes part, with the factor for its scores.
#[derive(Debug)]
pub struct Weighted {
    /// The set.
    pub source: Source,
    /// The factor.
    pub weight: f64,
}

/// How several scores of one member are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Aggregate {
    /// Their sum.
    #[default]
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

impl Aggregate {
    fn join(self, score: f64, other: f64) -> f64 {
        match self {
            Self::Sum => number(score + other),
            Self::Min if other < score => other,
            Self::Max if other > score => other,
            Self::Min | Self::Max => score,
        }
    }
}

/// The number itself, or 0 instead of NaN.
const fn number(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value }
}

impl Source {
    /// The set under a key. A key that does not exist is an empty set.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn open(txn: &Txn<'_>, key: &[u8]) -> Result<Self> {
        let Some(metadata) = txn.lookup(key)? else {
            let members = Members::None;
            return Ok(Self { members, size: 0 });
        };
        let (members, size) = match metadata.content {
            Content::SortedSet(collection, _) => {
                let prefix = txn.row_prefix(metadata.home_of(key), collection.version);
                (Members::Scored(prefix), collection.size)
            }
            Content::Set(_) => {
                let elements = Elements::stored(txn, key, Kind::Set, metadata)?;
                let size = elements.len();
                (Members::Plain(elements), size)
            }
            _ => return Err(Error::WrongType),
        };
        Ok(Self { members, size })
    }

    /// How many members there are.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.size
    }

    /// Whether there are no members.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// This set, to be asked for the scores of the members of another one, in the order of that one.
    fn beside<'t>(&'t self, txn: &'t Txn<'_>, walked: &Self) -> Result<Scores<'t>> {
        Ok(match &self.members {
            Members::None => Scores::None,
            Members::Scored(prefix) => {
                // Plain sets have another order.
                let times = match walked.members {
                    Members::Scored(_) => walked.size,
                    _ => 0,
                };
                Scores::Scored(Beside::open(txn, prefix, self.size, times)?)
            }
            Members::Plain(elements) => Scores::Plain(elements),
        })
    }

    /// Visits members with their scores until `visit` returns false: those of a sorted set in the order of their bytes, as
    /// [`Beside`] wants them, those of a plain set in that of their hashes.
    fn each(&self, txn: &Txn<'_>, mut visit: impl FnMut(&[u8], f64) -> Result<bool>) -> Result<()> {
        match &self.members {
            Members::None => Ok(()),
            Members::Scored(prefix) => {
                let mut cursor = txn.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
                while let Some((row, value)) = cursor.row() {
                    let score = decode_score(row, value)?.get();
                    if !visit(prefix.data_member(row)?, score)? {
                        break;
                    }
                    cursor.advance()?;
                }
                Ok(())
            }
            Members::Plain(elements) => elements.each(txn, |member, _| visit(member, 1.0)),
        }
    }
}

/// What answers the question for the score of a member.
enum Scores<'t> {
    None,
    Scored(Beside<'t>),
    Plain(&'t Elements),
}

impl Scores<'_> {
    fn of(&mut self, txn: &Txn<'_>, member: &[u8]) -> Result<Option<f64>> {
        match self {
            Self::None => Ok(None),
            Self::Scored(beside) => {
                let value = beside.find(txn, member)?;
                let score = value.map(|value| decode_score(member, value)).transpose()?;
                Ok(score.map(Score::get))
            }
            Self::Plain(elements) => Ok(elements.contains(txn, member)?.then_some(1.0)),
        }
    }
}

/// The members that are in any of the sets.
///
/// Cost: a walk over all sets, a sort if not all are sorted sets, and memory for all their members.
///
/// # Errors
/// A damaged row; those of the store.
pub fn union(txn: &Txn<'_>, sets: &[Weighted], aggregate: Aggregate) -> Result<Vec<Element>> {
    let mut found: Vec<(Bytes, f64)> = Vec::new();
    for set in smallest_first(sets) {
        set.source.each(txn, |member, score| {
            let score = number(set.weight * score);
            found.push((Bytes::copy_from_slice(member), score));
            Ok(true)
        })?;
    }
    // This sort merges parts that are in order already, and leaves the scores of a member in the order of the sets.
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found.dedup_by(|(member, score), (before, joined)| {
        let is_same = member == before;
        if is_same {
            *joined = aggregate.join(*joined, *score);
        }
        is_same
    });
    Ok(in_order(found.into_iter()))
}

/// The members that are in all sets, at most `limit` of them.
///
/// Cost: a walk over the smallest set. In every other set, the lesser of a walk and a point read for each member of the
/// smallest; in a plain set, point reads.
///
/// # Errors
/// A damaged row; those of the store.
pub fn intersection(
    txn: &Txn<'_>,
    sets: &[Weighted],
    aggregate: Aggregate,
    limit: u64,
) -> Result<Vec<Element>> {
    let sets = smallest_first(sets);
    let Some((smallest, others)) = sets.split_first() else {
        return Ok(Vec::new());
    };
    let mut scores = others
        .iter()
        .map(|other| other.source.beside(txn, &smallest.source))
        .collect::<Result<Vec<_>>>()?;
    let mut found = Vec::new();
    smallest.source.each(txn, |member, score| {
        let mut joined = number(smallest.weight * score);
        for (other, scores) in others.iter().zip(&mut scores) {
            let Some(score) = scores.of(txn, member)? else {
                return Ok(true);
            };
            joined = aggregate.join(joined, other.weight * score);
        }
        found.push((Bytes::copy_from_slice(member), joined));
        Ok((found.len() as u64) < limit)
    })?;
    Ok(in_order(found.into_iter()))
}

/// The members of the first set that are in none of the others.
///
/// Cost: as for [`intersection`], where the first set takes the place of the smallest.
///
/// # Errors
/// A damaged row; those of the store.
pub fn difference(txn: &Txn<'_>, sets: &[Weighted]) -> Result<Vec<Element>> {
    let Some((first, others)) = sets.split_first() else {
        return Ok(Vec::new());
    };
    let others = others.iter();
    let mut others = others
        .map(|other| other.source.beside(txn, &first.source))
        .collect::<Result<Vec<_>>>()?;
    let mut found = Vec::new();
    first.source.each(txn, |member, score| {
        for other in &mut others {
            if other.of(txn, member)?.is_some() {
                return Ok(true);
            }
        }
        found.push((Bytes::copy_from_slice(member), score));
        Ok(true)
    })?;
    Ok(in_order(found.into_iter()))
}

/// Sorts the sets by size. Sets of equal size stay in the order in which they were named.
fn smallest_first(sets: &[Weighted]) -> Vec<&Weighted> {
    let mut sets: Vec<&Weighted> = sets.iter().collect();
    sets.sort_by_key(|set| set.source.len());
    sets
}

/// The order of a sorted set: by score, then by member.
fn in_order(found: impl Iterator<Item = (Bytes, f64)>) -> Vec<Element> {
    let mut elements: Vec<Element> = found
        // There is only one zero: adding 0.0 turns -0.0 into it.
        .map(|(member, score)| Element {
            member,
            score: score + 0.0,
        })
        .collect();
    elements.sort_unstable_by(|a, b| {
        let by_score = a.score.partial_cmp(&b.score).unwrap_or(Ordering::Equal);
        by_score.then_with(|| a.member.cmp(&b.member))
    });
    elements
}
