//! What a range of members is gathered into: their names, or names and scores.
//!
//! Most commands that read a range want no scores; then the scores are not even decoded.

use bytes::Bytes;

use crate::types::Result;
use crate::types::packed::Strings;
use crate::types::zset::{Index, SortedSet};

/// The answer to a range is allocated for at most this many members at first.
pub(super) const MEMBERS_RESERVED: u64 = 128;
const MEMBER_BYTES: usize = 16;

/// A member with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// The member.
    pub member: Bytes,
    /// Its score.
    pub score: f64,
}

/// Members with their scores, in order, in one piece of memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Members {
    names: Strings,
    scores: Vec<f64>,
}

/// What a range can be gathered into.
pub trait Gather: Default {
    /// An empty collection with room for this many members.
    fn with_room(members: usize) -> Self;

    /// How many there are.
    fn count(&self) -> u64;

    /// Adds the member that a row of an index of this set describes.
    ///
    /// # Errors
    /// A damaged row.
    fn gather(
        &mut self,
        set: &SortedSet<'_, '_>,
        index: Index,
        row: &[u8],
        value: &[u8],
    ) -> Result<()>;

    /// Reverses the order.
    fn reverse(&mut self);
}

impl Gather for Strings {
    fn with_room(members: usize) -> Self {
        Self::with_capacity(members, MEMBER_BYTES)
    }

    fn count(&self) -> u64 {
        self.len() as u64
    }

    #[inline]
    fn gather(
        &mut self,
        set: &SortedSet<'_, '_>,
        index: Index,
        row: &[u8],
        _: &[u8],
    ) -> Result<()> {
        self.push(set.member(index, row)?);
        Ok(())
    }

    fn reverse(&mut self) {
        self.reverse();
    }
}

impl Gather for Members {
    fn with_room(members: usize) -> Self {
        Self {
            names: Strings::with_room(members),
            scores: Vec::with_capacity(members),
        }
    }

    fn count(&self) -> u64 {
        self.names.count()
    }

    #[inline]
    fn gather(
        &mut self,
        set: &SortedSet<'_, '_>,
        index: Index,
        row: &[u8],
        value: &[u8],
    ) -> Result<()> {
        let (score, member) = set.element(index, row, value)?;
        self.push(member, score.get());
        Ok(())
    }

    fn reverse(&mut self) {
        self.names.reverse();
        self.scores.reverse();
    }
}

/// How many members there are, and nothing else of them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counted(u64);

impl Gather for Counted {
    fn with_room(_: usize) -> Self {
        Self::default()
    }

    fn count(&self) -> u64 {
        self.0
    }

    fn gather(&mut self, _: &SortedSet<'_, '_>, _: Index, _: &[u8], _: &[u8]) -> Result<()> {
        self.0 += 1;
        Ok(())
    }

    fn reverse(&mut self) {}
}

impl Members {
    fn push(&mut self, member: &[u8], score: f64) {
        self.names.push(member);
        self.scores.push(score);
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The length of all names together, in the form in which they are sent.
    #[must_use]
    pub fn framed_len(&self) -> usize {
        self.names.framed().len()
    }

    /// Each member with its score.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], f64)> {
        self.names.iter().zip(self.scores.iter().copied())
    }

    /// Each member in the form in which it is sent, with its score.
    pub fn framed(&self) -> impl Iterator<Item = (&[u8], f64)> {
        let frames = self.names.frames().map(|(frame, _)| frame);
        frames.zip(self.scores.iter().copied())
    }

    /// The members one by one. They share one piece of memory.
    #[must_use]
    pub fn into_elements(self) -> Vec<Element> {
        let pairs = self.names.into_parts().into_iter().zip(self.scores);
        pairs
            .map(|(member, score)| Element { member, score })
            .collect()
    }
}

impl From<Vec<Element>> for Members {
    fn from(elements: Vec<Element>) -> Self {
        let mut members = Self::default();
        for Element { member, score } in elements {
            members.push(&member, score);
        }
        members
    }
}
