//! Everything that counts elements: ranks, ranges by rank, the size of a score range.
//!
//! In this slice each function walks. That is O(n), and it is said at each of them. The callers
//! know nothing of it: an index that answers in O(log n) replaces their bodies.

use crate::store::{Direction, KeyRange, next_key};
use crate::types::Result;
use crate::types::zset::{Element, Index, LexRange, ScoreRange, SortedSet, Window};

/// How many members stand before this one in the order of `direction`, if it is a member.
///
/// Cost: a walk over all of those.
///
/// # Errors
/// A damaged row; those of the store.
pub fn rank_of(
    set: &SortedSet<'_, '_>,
    member: &[u8],
    direction: Direction,
) -> Result<Option<u64>> {
    let Some(score) = set.stored_score(member)? else {
        return Ok(None);
    };
    let row = set.prefix.score_key(score, member);
    let mut range = set.prefix.rows();
    match direction {
        Direction::Forward => range.end = Some(row),
        Direction::Backward => range.start = next_key(&row),
    }
    Ok(Some(count_rows(set, Index::ByScore, &range)?))
}

/// The elements from one rank on, counted from 0 in the order of `direction`.
///
/// Cost: a walk from the nearer end.
///
/// # Errors
/// A damaged row; those of the store.
pub fn select(
    set: &SortedSet<'_, '_>,
    first: u64,
    count: u64,
    direction: Direction,
) -> Result<Vec<Element>> {
    let size = set.len();
    let count = count.min(size.saturating_sub(first));
    let behind = size.saturating_sub(first.saturating_add(count));
    if behind >= first {
        let window = Window {
            offset: first,
            limit: count,
        };
        return set.by_score(&ScoreRange::ALL, direction, window);
    }
    let opposite = match direction {
        Direction::Forward => Direction::Backward,
        Direction::Backward => Direction::Forward,
    };
    let window = Window {
        offset: behind,
        limit: count,
    };
    let mut elements = set.by_score(&ScoreRange::ALL, opposite, window)?;
    elements.reverse();
    Ok(elements)
}

/// How many members have a score in the range.
///
/// Cost: a walk over them.
///
/// # Errors
/// Those of the store.
pub fn count_scores(set: &SortedSet<'_, '_>, range: &ScoreRange) -> Result<u64> {
    count_rows(set, Index::ByScore, &range.rows(&set.prefix))
}

/// How many members lie in the range.
///
/// Cost: a walk over them.
///
/// # Errors
/// Those of the store.
pub fn count_members(set: &SortedSet<'_, '_>, range: &LexRange) -> Result<u64> {
    count_rows(set, Index::ByMember, &range.rows(&set.prefix))
}

fn count_rows(set: &SortedSet<'_, '_>, index: Index, rows: &KeyRange) -> Result<u64> {
    let mut cursor = set.scan(index, rows, Direction::Forward)?;
    let mut count = 0;
    while cursor.row().is_some() {
        count += 1;
        cursor.advance()?;
    }
    Ok(count)
}
