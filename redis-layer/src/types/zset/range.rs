//! Ranges of scores and of members, and the rows that they cover.
//!
//! Every bound becomes a row key by one of two rules. "From this score on" begins at the score's own bytes. "After
//! this score" begins at the [`prefix_successor`] of those bytes, with carry: every member with the score, however
//! many `ff` bytes it has, sorts before that. Several members may have a score of +inf or -inf, and they are covered
//! like all others.

use std::ops::Bound;

use bytes::Bytes;
use engine::keys::prefix_successor;

use crate::store::{Direction, KeyRange};
use crate::types::rows::{RowPrefix, Score};

/// The scores between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreRange {
    /// The lower bound.
    pub min: Bound<Score>,
    /// The upper bound.
    pub max: Bound<Score>,
}

impl ScoreRange {
    /// Every score.
    pub const ALL: Self = Self {
        min: Bound::Unbounded,
        max: Bound::Unbounded,
    };

    /// The score rows in the range.
    #[must_use]
    pub fn rows(&self, prefix: &RowPrefix) -> KeyRange {
        let KeyRange { start, end } = prefix.rows();
        KeyRange {
            start: match self.min {
                Bound::Included(min) => prefix.score_key(min, b""),
                Bound::Excluded(min) => behind_score(prefix, min),
                Bound::Unbounded => start,
            },
            end: match self.max {
                Bound::Included(max) => Some(behind_score(prefix, max)),
                Bound::Excluded(max) => Some(prefix.score_key(max, b"")),
                Bound::Unbounded => end,
            },
        }
    }
}

/// The least key after all rows with this score.
fn behind_score(prefix: &RowPrefix, score: Score) -> Vec<u8> {
    let first = prefix.score_key(score, b"");
    // The bytes of a score that is not NaN begin with fff0 at most, so there is a successor.
    prefix_successor(&first).unwrap_or(first)
}

/// One end of a range of members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LexBound {
    /// Before every member (`-`).
    Least,
    /// From this member on, including it (`[`).
    Included(Bytes),
    /// From this member on, without it (`(`).
    Excluded(Bytes),
    /// After every member (`+`).
    Greatest,
}

/// The members between two bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LexRange {
    /// The lower bound.
    pub min: LexBound,
    /// The upper bound.
    pub max: LexBound,
}

impl LexRange {
    /// The data rows in the range.
    #[must_use]
    pub fn rows(&self, prefix: &RowPrefix) -> KeyRange {
        let KeyRange { start, end } = prefix.rows();
        let nothing = || KeyRange::between(start.clone(), start.clone());
        let from = match &self.min {
            LexBound::Least => start.clone(),
            LexBound::Included(min) => prefix.data_key(min),
            LexBound::Excluded(min) => prefix.behind_data_key(min),
            LexBound::Greatest => return nothing(),
        };
        let to = match &self.max {
            LexBound::Least => return nothing(),
            LexBound::Included(max) => Some(prefix.behind_data_key(max)),
            LexBound::Excluded(max) => Some(prefix.data_key(max)),
            LexBound::Greatest => end,
        };
        KeyRange {
            start: from,
            end: to,
        }
    }

    /// Whether every member lies in the range.
    pub(super) const fn is_everything(&self) -> bool {
        matches!(
            (&self.min, &self.max),
            (LexBound::Least, LexBound::Greatest)
        )
    }

    /// Whether a member is not before the bound where a walk in this direction begins.
    pub(super) fn is_reached(&self, member: &[u8], direction: Direction) -> bool {
        match direction {
            Direction::Forward => match &self.min {
                LexBound::Least => true,
                LexBound::Included(min) => *member >= **min,
                LexBound::Excluded(min) => *member > **min,
                LexBound::Greatest => false,
            },
            Direction::Backward => match &self.max {
                LexBound::Least => false,
                LexBound::Included(max) => *member <= **max,
                LexBound::Excluded(max) => *member < **max,
                LexBound::Greatest => true,
            },
        }
    }

    /// Whether a member is beyond the bound where a walk in this direction ends.
    pub(super) fn is_passed(&self, member: &[u8], direction: Direction) -> bool {
        !self.is_reached(
            member,
            match direction {
                Direction::Forward => Direction::Backward,
                Direction::Backward => Direction::Forward,
            },
        )
    }
}

/// Which elements of a range are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many to skip.
    pub offset: u64,
    /// How many to return at most.
    pub limit: u64,
}

impl Window {
    /// All elements.
    pub const ALL: Self = Self::first(u64::MAX);

    /// The first `limit` elements.
    #[must_use]
    pub const fn first(limit: u64) -> Self {
        Self { offset: 0, limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_covers_members_of_ff_bytes_and_both_infinities() {
        let prefix = RowPrefix::new(0, b"k", u64::MAX);
        for value in [f64::NEG_INFINITY, -1.0, 0.0, 255.0, f64::MAX, f64::INFINITY] {
            let score = Score::new(value).unwrap();
            let upto = ScoreRange {
                min: Bound::Unbounded,
                max: Bound::Included(score),
            };
            let behind = ScoreRange {
                min: Bound::Excluded(score),
                max: Bound::Unbounded,
            };
            for member in [&b""[..], b"\x00", b"\xff", b"\xff\xff\xff\xff"] {
                let row = prefix.score_key(score, member);
                assert!(upto.rows(&prefix).contains(&row), "{value} {member:?}");
                assert!(!behind.rows(&prefix).contains(&row), "{value} {member:?}");
            }
        }
    }
}
