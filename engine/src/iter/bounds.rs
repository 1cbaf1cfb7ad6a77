//! The bounds of a cursor's rows.

use std::cmp::Ordering;
use std::ops::Bound;

use crate::comparator::{Comparator, PrefixRange};

/// The keys that a cursor may return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// Where the rows begin.
    pub lower: Bound<Vec<u8>>,
    /// Where they end.
    pub upper: Bound<Vec<u8>>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            lower: Bound::Unbounded,
            upper: Bound::Unbounded,
        }
    }
}

impl From<PrefixRange> for Bounds {
    fn from(range: PrefixRange) -> Self {
        Self {
            lower: range.start,
            upper: range.end,
        }
    }
}

impl Bounds {
    /// The key that ends a run of rows, `Some(None)` if there is no end; `None` if runs cannot be
    /// used with this bound.
    pub(super) fn upper_of_runs(&self) -> Option<Option<&[u8]>> {
        match &self.upper {
            Bound::Unbounded => Some(None),
            Bound::Excluded(upper) => Some(Some(upper)),
            Bound::Included(_) => None,
        }
    }

    #[inline]
    pub(super) fn has_lower(&self) -> bool {
        self.lower != Bound::Unbounded
    }

    #[inline]
    pub(super) fn has_upper(&self) -> bool {
        self.upper != Bound::Unbounded
    }

    #[inline]
    pub(super) fn past_upper(&self, comparator: &Comparator, user_key: &[u8]) -> bool {
        match &self.upper {
            Bound::Unbounded => false,
            Bound::Included(upper) => comparator.compare(user_key, upper) == Ordering::Greater,
            Bound::Excluded(upper) => comparator.compare(user_key, upper) != Ordering::Less,
        }
    }

    #[inline]
    pub(super) fn before_lower(&self, comparator: &Comparator, user_key: &[u8]) -> bool {
        match &self.lower {
            Bound::Unbounded => false,
            Bound::Included(lower) => comparator.compare(user_key, lower) == Ordering::Less,
            Bound::Excluded(lower) => comparator.compare(user_key, lower) != Ordering::Greater,
        }
    }
}
