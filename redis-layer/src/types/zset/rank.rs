//! Everything that counts elements: ranks, ranges by rank, the size of a range.
//!
//! A question about ranks asks the index of the set ([`counts`](crate::types::zset::counts)) how many rows
//! stand before a bucket, and walks inside that bucket. So it costs one way down a small tree in memory, one
//! seek, and some dozens of steps, however large the set is.
//!
//! Sets of up to [`WALKED`] members have no index, and neither has a set that was not opened by
//! [`SortedSet::open_ranked`]: there the answer comes from a walk.

use std::collections::HashSet;

use crate::store::{Direction, KeyRange};
use crate::types::Result;
use crate::types::rows::Score;
use crate::types::zset::counts::{BUCKET_MAX, Builder};
use crate::types::zset::indexes::Index as RankIndex;
use crate::types::zset::{Element, Index, LexRange, ScoreRange, SortedSet, Window};

/// So many rows are walked over without a thought of an index.
pub const WALKED: u64 = 128;

/// How many members stand before this one in the order of `direction`, if it is a member.
///
/// Cost: O(log n).
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
    let before = position(set, &set.prefix.score_key(score, member))?;
    Ok(Some(match direction {
        Direction::Forward => before,
        Direction::Backward => set.len().saturating_sub(before + 1),
    }))
}

/// The elements from one rank on, counted from 0 in the order of `direction`.
///
/// Cost: O(log n), or the way from the nearer end if that is short, and one step for each element.
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
    // Counted from the start of the set, in both directions.
    let from = match direction {
        Direction::Forward => first,
        Direction::Backward => behind,
    };
    let all = set.prefix.rows();
    let mut elements = if first.min(behind) > WALKED
        && let Some(index) = rank_index(set)?
    {
        let bucket = index.counts().bucket_at(from);
        let start = set.prefix.score_key_at(&bucket.start);
        let rows = KeyRange { start, ..all };
        let window = Window {
            offset: from - bucket.before,
            limit: count,
        };
        set.collect(Index::ByScore, &rows, Direction::Forward, window)?
    } else if from <= size - from.saturating_add(count) {
        let window = Window {
            offset: from,
            limit: count,
        };
        set.collect(Index::ByScore, &all, Direction::Forward, window)?
    } else {
        let window = Window {
            offset: size - from.saturating_add(count),
            limit: count,
        };
        let mut elements = set.collect(Index::ByScore, &all, Direction::Backward, window)?;
        elements.reverse();
        elements
    };
    if direction == Direction::Backward {
        elements.reverse();
    }
    Ok(elements)
}

/// So many different members by chance, or all of them.
///
/// Cost: O(log n) for each. A large part of the set is read whole.
///
/// # Errors
/// A damaged row; those of the store.
pub fn random_different(set: &SortedSet<'_, '_>, count: u64) -> Result<Vec<Element>> {
    let size = set.len();
    if count.saturating_mul(3) >= size || size <= WALKED {
        let mut elements = select(set, 0, size, Direction::Forward)?;
        if count < size {
            fastrand::shuffle(&mut elements);
            elements.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        }
        return Ok(elements);
    }
    // At most every third rank is taken, so few draws are in vain.
    let mut ranks = HashSet::new();
    let mut elements = Vec::new();
    while (elements.len() as u64) < count {
        let rank = fastrand::u64(..size);
        if ranks.insert(rank) {
            elements.extend(select(set, rank, 1, Direction::Forward)?);
        }
    }
    Ok(elements)
}

/// So many members by chance, the same ones again if it happens.
///
/// Cost: O(log n) for each.
///
/// # Errors
/// A damaged row; those of the store.
pub fn random_repeating(set: &SortedSet<'_, '_>, count: u64) -> Result<Vec<Element>> {
    let size = set.len();
    if size == 0 {
        return Ok(Vec::new());
    }
    if size <= WALKED {
        let all = select(set, 0, size, Direction::Forward)?;
        let one = |_| fastrand::choice(&all).cloned();
        return Ok((0..count).filter_map(one).collect());
    }
    let mut elements = Vec::new();
    for _ in 0..count {
        let rank = fastrand::u64(..size);
        elements.extend(select(set, rank, 1, Direction::Forward)?);
    }
    Ok(elements)
}

/// How many members have a score in the range.
///
/// Cost: O(log n).
///
/// # Errors
/// Those of the store.
pub fn count_scores(set: &SortedSet<'_, '_>, range: &ScoreRange) -> Result<u64> {
    count_rows(set, &range.rows(&set.prefix))
}

/// How many members lie in the range.
///
/// Cost: O(log n) if all members have the same score, which is what such ranges are made for. Else a
/// walk over them: their order by score says nothing about their order by name.
///
/// # Errors
/// Those of the store.
pub fn count_members(set: &SortedSet<'_, '_>, range: &LexRange) -> Result<u64> {
    if set.len() > WALKED
        && let Some(score) = only_score(set)?
    {
        return count_rows(set, &range.rows(&set.prefix.of_score(score)));
    }
    walk(set, Index::ByMember, &range.rows(&set.prefix))
}

/// The score that all members have, if there is one.
fn only_score(set: &SortedSet<'_, '_>) -> Result<Option<Score>> {
    let score_at = |direction| -> Result<Option<Score>> {
        let cursor = set.scan(Index::ByScore, &set.prefix.rows(), direction)?;
        let row = cursor.row().map(|(row, _)| set.prefix.score_member(row));
        Ok(row.transpose()?.map(|(score, _)| score))
    };
    let (first, last) = (
        score_at(Direction::Forward)?,
        score_at(Direction::Backward)?,
    );
    Ok(first.filter(|_| first == last))
}

/// How many score rows stand in a range.
fn count_rows(set: &SortedSet<'_, '_>, rows: &KeyRange) -> Result<u64> {
    if rows.is_empty() {
        return Ok(0);
    }
    if rank_index(set)?.is_none() {
        return walk(set, Index::ByScore, rows);
    }
    let all = set.prefix.rows();
    let first = if rows.start == all.start {
        0
    } else {
        position(set, &rows.start)?
    };
    let last = match &rows.end {
        Some(end) if rows.end != all.end => position(set, end)?,
        _ => set.len(),
    };
    Ok(last.saturating_sub(first))
}

/// How many score rows stand before a key.
pub(super) fn position(set: &SortedSet<'_, '_>, key: &[u8]) -> Result<u64> {
    let Some(index) = rank_index(set)? else {
        let rows = KeyRange::between(set.prefix.rows().start, key.to_vec());
        return walk(set, Index::ByScore, &rows);
    };
    let bucket = index.counts().bucket_of(set.prefix.mark_of(key));
    let start = set.prefix.score_key_at(&bucket.start);
    let within = KeyRange::between(start, key.to_vec());
    Ok(bucket.before + walk(set, Index::ByScore, &within)?)
}

/// The key of the score row that `position` others stand before. `None` if there are not so many, or
/// without an index.
pub(super) fn row_at(set: &SortedSet<'_, '_>, position: u64) -> Result<Option<Vec<u8>>> {
    let Some(index) = rank_index(set)? else {
        return Ok(None);
    };
    if position >= set.len() {
        return Ok(None);
    }
    let bucket = index.counts().bucket_at(position);
    let rows = KeyRange {
        start: set.prefix.score_key_at(&bucket.start),
        ..set.prefix.rows()
    };
    let mut cursor = set.scan(Index::ByScore, &rows, Direction::Forward)?;
    for _ in bucket.before..position {
        cursor.advance()?;
    }
    Ok(cursor.row().map(|(row, _)| row.to_vec()))
}

fn walk(set: &SortedSet<'_, '_>, index: Index, rows: &KeyRange) -> Result<u64> {
    let mut cursor = set.scan(index, rows, Direction::Forward)?;
    let mut count = 0;
    while cursor.row().is_some() {
        count += 1;
        cursor.advance()?;
    }
    Ok(count)
}

/// The index of a set that was opened for ranks. Builds it if there is none: one walk over the set.
fn rank_index(set: &SortedSet<'_, '_>) -> Result<Option<RankIndex>> {
    if !set.is_ranked {
        return Ok(None);
    }
    let indexes = set.txn.rank_indexes();
    if let Some(index) = indexes.get(set.version) {
        if index.counts().total() == set.size {
            return Ok(Some(index));
        }
        // The size in the metadata row is wrong, which `fsck` says. A walk counts what is there.
        indexes.forget(set.version);
        return Ok(None);
    }
    if set.size <= WALKED {
        return Ok(None);
    }
    let mut builder = Builder::default();
    let mut cursor = set.scan(Index::ByScore, &set.prefix.rows(), Direction::Forward)?;
    while let Some((row, _)) = cursor.row() {
        builder.push(set.prefix.mark_of(row));
        cursor.advance()?;
    }
    let counts = builder.finish();
    if counts.total() != set.size {
        return Ok(None);
    }
    let index = indexes.insert(set.version, counts);
    set.txn.built_rank_index(&index);
    Ok(Some(index))
}

/// A score row was added, by the holder of the key's lock. Cuts its bucket in two if that is too large.
pub(super) fn note_added(set: &mut SortedSet<'_, '_>, row: &[u8]) -> Result<()> {
    let Some(index) = set.txn.rank_indexes().get(set.version) else {
        return Ok(());
    };
    let mark = set.prefix.mark_of(row);
    if set.txn.rank_journal().add(&index, mark) <= BUCKET_MAX {
        return Ok(());
    }
    let bucket = index.counts().bucket_of(mark);
    let half = bucket.count / 2;
    let rows = KeyRange {
        start: set.prefix.score_key_at(&bucket.start),
        ..set.prefix.rows()
    };
    let mut previous = Vec::new();
    let mut cursor = set.scan(Index::ByScore, &rows, Direction::Forward)?;
    for _ in 0..half {
        if let Some((row, _)) = cursor.row() {
            previous.clear();
            previous.extend_from_slice(set.prefix.mark_of(row));
        }
        cursor.advance()?;
    }
    if let Some((row, _)) = cursor.row() {
        index
            .counts()
            .split(&previous, set.prefix.mark_of(row), half);
    }
    drop(cursor);
    set.txn.rank_indexes().has_split(&index);
    Ok(())
}

/// A score row is about to be removed, by the holder of the key's lock.
pub(super) fn note_removed(set: &mut SortedSet<'_, '_>, row: &[u8]) {
    if let Some(index) = set.txn.rank_indexes().get(set.version) {
        let mark = set.prefix.mark_of(row);
        set.txn.rank_journal().remove(&index, mark);
    }
}

/// Makes skipping short: where a range begins once the offset of the window is passed.
pub(super) fn skip(
    set: &SortedSet<'_, '_>,
    rows: KeyRange,
    direction: Direction,
    window: Window,
) -> Result<(KeyRange, Window)> {
    if window.offset <= WALKED || rows.is_empty() || rank_index(set)?.is_none() {
        return Ok((rows, window));
    }
    let rest = Window::first(window.limit);
    let all = set.prefix.rows();
    if direction == Direction::Forward {
        let first = position(set, &rows.start)?.saturating_add(window.offset);
        // Behind the last row nothing is left of the range.
        let start = row_at(set, first)?.or(rows.end.clone()).unwrap_or_default();
        return Ok((KeyRange { start, ..rows }, rest));
    }
    let behind = match &rows.end {
        Some(end) if rows.end != all.end => position(set, end)?,
        _ => set.len(),
    };
    let end = match behind.checked_sub(window.offset) {
        None | Some(0) => Some(rows.start.clone()),
        // The row that stands at the end is not in the range any more.
        Some(end) => row_at(set, end)?.or(rows.end),
    };
    let start = rows.start;
    Ok((KeyRange { start, end }, rest))
}
