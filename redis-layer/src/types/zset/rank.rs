//! Everything that counts elements: ranks, ranges by rank, the size of a range.
//!
//! A question about ranks asks the index of the set ([`counts`](crate::types::zset::counts)) how many rows come
//! before a bucket, and walks inside that bucket. So it costs one way down a small tree in memory, one seek, and a
//! few dozen steps, however large the set is. The walk leaves the heads of the bucket in the index, and later
//! questions about that bucket need no walk.
//!
//! A command that only reads uses [`ask`]: it answers without a lock if the index is settled for the command's
//! snapshot, which is the rule, and under the lock of the key otherwise.
//!
//! Sets of up to [`WALKED`] members have no index, and neither has a set that was opened for another purpose: there a
//! walk gives the answer.

use std::collections::HashSet;
use std::iter;

use bytes::Bytes;
use parking_lot::MappedMutexGuard;

use crate::store::{Direction, KeyRange};
use crate::types::draw::Draw;
use crate::types::zset::counts::heads::{self, Probe, RowsBefore};
use crate::types::zset::counts::{BUCKET_MAX, Bucket, Builder, Counts};
use crate::types::zset::indexes::RankIndex;
use crate::types::zset::{
    Element, Gather, Index, LexRange, Members, Ranking, ScoreRange, SortedSet, Window, lex, members,
};
use crate::types::{Error, Result, Txn};

/// Up to this many rows are walked over without using an index.
pub const WALKED: u64 = 128;
/// About how many steps of a walk cost as much as the member with a random rank.
const STEPS_A_RANDOM: u64 = 128;

/// Asks the set under a key a question about ranks, if the key exists. `question` may run twice. Only for commands
/// that only read, and read no other key.
///
/// # Errors
/// [`Error::WrongType`]; a damaged row; those of the store and of the question.
pub fn ask<T>(
    txn: &mut Txn<'_>,
    key: &[u8],
    question: impl Fn(&SortedSet<'_, '_>) -> Result<T>,
) -> Result<Option<T>> {
    let lookups = txn.lookups();
    match SortedSet::open_settled(txn, key)? {
        None => return Ok(None),
        Some(set) if set.opened.size <= WALKED || !matches!(set.ranking, Ranking::Nobody) => {
            match question(&set) {
                Err(Error::Outdated) => {}
                answer => return answer.map(Some),
            }
        }
        Some(_) => {}
    }
    // The key is looked up again, but the client has asked once.
    txn.set_lookups(lookups);
    let set = SortedSet::open_ranked(txn, key)?;
    set.map(|set| question(&set)).transpose()
}

/// How many members come before this one in the order of `direction`, or `None` if it is not a member.
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
    let before = rows_before(
        set,
        &set.opened.prefix.score_key(score, member),
        Probe::ExistingRow,
    )?;
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
pub fn select<M: Gather>(
    set: &SortedSet<'_, '_>,
    first: u64,
    count: u64,
    direction: Direction,
) -> Result<M> {
    let size = set.len();
    let count = count.min(size.saturating_sub(first));
    let behind = size.saturating_sub(first.saturating_add(count));
    // Ranks of the index count from the start of the set, in both directions.
    let from = match direction {
        Direction::Forward => first,
        Direction::Backward => behind,
    };
    let all = set.opened.prefix.rows();
    let mut elements: M = if first.min(behind) > WALKED
        && let Some(index) = rank_index(set)?
    {
        let bucket = counts(set, &index)?.near(from);
        let rows = rows_from(set, &bucket);
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
        let mut elements: M = set.collect(Index::ByScore, &all, Direction::Backward, window)?;
        elements.reverse();
        elements
    };
    if direction == Direction::Backward {
        elements.reverse();
    }
    Ok(elements)
}

/// `count` different random members, or all of them.
///
/// Cost: O(log n) for each, or one walk over all if that is less.
///
/// # Errors
/// A damaged row; those of the store.
pub fn random_different(set: &SortedSet<'_, '_>, count: u64) -> Result<Vec<Element>> {
    let size = set.len();
    if count >= size {
        return Ok(select::<Members>(set, 0, size, Direction::Forward)?.into_elements());
    }
    if is_walked_for(set, count) {
        return drawn(set, Draw::different(count, size));
    }
    // A small part of the ranks is taken, so few draws hit one that is taken already. There may be nothing at a rank if
    // the size in the metadata row is wrong, so it also ends when all ranks have been drawn.
    let mut ranks = HashSet::new();
    let mut elements = Vec::new();
    while (elements.len() as u64) < count && (ranks.len() as u64) < size {
        let rank = fastrand::u64(..size);
        if ranks.insert(rank) {
            elements.extend(one(set, rank)?);
        }
    }
    Ok(elements)
}

/// The element with a rank.
fn one(set: &SortedSet<'_, '_>, rank: u64) -> Result<Vec<Element>> {
    Ok(select::<Members>(set, rank, 1, Direction::Forward)?.into_elements())
}

/// Whether a walk over all members finds this many random ones faster than they are found one by one.
fn is_walked_for(set: &SortedSet<'_, '_>, count: u64) -> bool {
    set.len() <= WALKED || count > set.len() / STEPS_A_RANDOM
}

/// The members that are drawn, in any order, by a walk over all.
fn drawn(set: &SortedSet<'_, '_>, mut draw: Draw) -> Result<Vec<Element>> {
    let mut chosen = Vec::new();
    let all = set.opened.prefix.rows();
    set.each(Index::ByScore, &all, Direction::Forward, |row, value| {
        let times = draw.times();
        if times > 0 {
            let (score, member) = set.element(Index::ByScore, row, value)?;
            let element = Element {
                member: Bytes::copy_from_slice(member),
                score: score.get(),
            };
            chosen.extend(iter::repeat_n(element, times));
        }
        Ok(!draw.is_over())
    })?;
    fastrand::shuffle(&mut chosen);
    Ok(chosen)
}

/// `count` random members; the same one may come several times.
///
/// Cost: O(log n) for each, or one walk over all if that is less.
///
/// # Errors
/// A damaged row; those of the store.
pub fn random_repeating(set: &SortedSet<'_, '_>, count: u64) -> Result<Vec<Element>> {
    let size = set.len();
    if is_walked_for(set, count) {
        // The chosen ones share their bytes: an answer with repetitions may be far longer than the set.
        return drawn(set, Draw::repeating(count, size));
    }
    let mut elements = Vec::new();
    for _ in 0..count {
        let rank = fastrand::u64(..size);
        elements.extend(one(set, rank)?);
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
    count_rows(set, &range.rows(&set.opened.prefix))
}

/// How many members [`SortedSet::by_lex`] finds in the range.
///
/// Cost: O(log n) if all members have the same score, which is what such ranges are made for. Otherwise a walk.
///
/// # Errors
/// A damaged row; those of the store.
pub fn count_members(set: &SortedSet<'_, '_>, range: &LexRange) -> Result<u64> {
    if range.is_everything() {
        return Ok(set.len());
    }
    if set.len() > WALKED
        && let lex::Scores::One(score) = set.scores()?
    {
        return count_rows(set, &range.rows(&set.opened.prefix.of_score(score)));
    }
    let counted: members::Counted = set.by_lex(range, Direction::Forward, Window::ALL)?;
    Ok(counted.count())
}

/// How many score rows lie in a range.
fn count_rows(set: &SortedSet<'_, '_>, rows: &KeyRange) -> Result<u64> {
    if rows.is_empty() {
        return Ok(0);
    }
    if rank_index(set)?.is_none() {
        return walk(set, rows);
    }
    let first = if rows.start == set.opened.prefix.rows().start {
        0
    } else {
        rows_before(set, &rows.start, Probe::AnyKey)?
    };
    Ok(rows_up_to_end(set, rows)?.saturating_sub(first))
}

/// How many score rows come before the end of a range.
fn rows_up_to_end(set: &SortedSet<'_, '_>, rows: &KeyRange) -> Result<u64> {
    match &rows.end {
        Some(end) if rows.end != set.opened.prefix.rows().end => {
            rows_before(set, end, Probe::AnyKey)
        }
        _ => Ok(set.len()),
    }
}

/// How many score rows come before a key.
fn rows_before(set: &SortedSet<'_, '_>, key: &[u8], probe: Probe) -> Result<u64> {
    let Some(index) = rank_index(set)? else {
        let rows = KeyRange::between(set.opened.prefix.rows().start, key.to_vec());
        return walk(set, &rows);
    };
    let mark = set.opened.prefix.mark_of(key);
    let before = counts(set, &index)?.rows_before(mark, probe);
    match before {
        RowsBefore::Known(before) => Ok(before),
        RowsBefore::Within(bucket) => Ok(bucket.before + count_within(set, &index, &bucket, mark)?),
    }
}

/// How many rows of a bucket come before a mark. Remembers the heads of all its rows.
fn count_within(
    set: &SortedSet<'_, '_>,
    index: &RankIndex,
    bucket: &Bucket,
    mark: &[u8],
) -> Result<u64> {
    let mut before = 0;
    let heads = heads_of(set, bucket, |row| before += u64::from(row < mark))?;
    let indexes = set.txn.rank_indexes();
    indexes.remember(index, noted(set), bucket, heads);
    Ok(before)
}

/// The score rows from the first one of a bucket on.
fn rows_from(set: &SortedSet<'_, '_>, bucket: &Bucket) -> KeyRange {
    KeyRange {
        start: set.opened.prefix.score_key_at(&bucket.start),
        ..set.opened.prefix.rows()
    }
}

/// Walks over a bucket and returns the heads of its rows. Passes each row to `visit`.
fn heads_of(
    set: &SortedSet<'_, '_>,
    bucket: &Bucket,
    mut visit: impl FnMut(&[u8]),
) -> Result<Vec<u64>> {
    let rows = rows_from(set, bucket);
    let mut heads = Vec::with_capacity(usize::try_from(bucket.count).unwrap_or_default());
    set.each(Index::ByScore, &rows, Direction::Forward, |row, _| {
        let row = set.opened.prefix.mark_of(row);
        visit(row);
        heads.push(heads::head(row));
        Ok((heads.len() as u64) < bucket.count)
    })?;
    Ok(heads)
}

/// The number that the set's reader noted before its snapshot, if it relies on that.
fn noted(set: &SortedSet<'_, '_>) -> Option<u64> {
    matches!(set.ranking, Ranking::Settled(_)).then(|| set.txn.ranks_noted())
}

/// The counts of a set's index, for a single step.
fn counts<'i>(
    set: &SortedSet<'_, '_>,
    index: &'i RankIndex,
) -> Result<MappedMutexGuard<'i, Counts>> {
    index.settled(noted(set)).ok_or(Error::Outdated)
}

/// The key of the score row that has `position` rows before it. `None` if there are not that many rows, or no index.
pub(super) fn row_at(set: &SortedSet<'_, '_>, position: u64) -> Result<Option<Vec<u8>>> {
    let Some(index) = rank_index(set)? else {
        return Ok(None);
    };
    if position >= set.len() {
        return Ok(None);
    }
    let bucket = counts(set, &index)?.near(position);
    let rows = rows_from(set, &bucket);
    let mut cursor = set.scan(Index::ByScore, &rows, Direction::Forward)?;
    for _ in bucket.before..position {
        cursor.advance()?;
    }
    Ok(cursor.row().map(|(row, _)| row.to_vec()))
}

fn walk(set: &SortedSet<'_, '_>, rows: &KeyRange) -> Result<u64> {
    let mut count = 0;
    set.each(Index::ByScore, rows, Direction::Forward, |_, _| {
        count += 1;
        Ok(true)
    })?;
    Ok(count)
}

/// The index of a set that was opened for ranks. If there is none, builds it by one walk over the set.
fn rank_index(set: &SortedSet<'_, '_>) -> Result<Option<RankIndex>> {
    match &set.ranking {
        Ranking::Nobody => return Ok(None),
        Ranking::Settled(index) => return Ok(Some(index.clone())),
        Ranking::UnderLock => {}
    }
    let indexes = set.txn.rank_indexes();
    if let Some(index) = indexes.get(set.opened.version) {
        if index.counts().total() == set.opened.size {
            return Ok(Some(index));
        }
        // The size in the metadata row is wrong, which `fsck` reports. A walk then counts the rows that exist.
        indexes.forget(set.opened.version);
        return Ok(None);
    }
    if set.opened.size <= WALKED {
        return Ok(None);
    }
    let mut builder = Builder::default();
    let all = set.opened.prefix.rows();
    set.each(Index::ByScore, &all, Direction::Forward, |row, _| {
        builder.push(set.opened.prefix.mark_of(row));
        Ok(true)
    })?;
    let counts = builder.finish();
    if counts.total() != set.opened.size {
        return Ok(None);
    }
    let index = indexes.insert(set.opened.version, counts);
    set.txn.built_rank_index(&index);
    Ok(Some(index))
}

/// Notes that the holder of the key's lock added a score row. Splits its bucket if that is too large now.
pub(super) fn note_added(set: &mut SortedSet<'_, '_>, row: &[u8]) -> Result<()> {
    let Some(index) = set.txn.rank_indexes().get(set.opened.version) else {
        return Ok(());
    };
    let mark = set.opened.prefix.mark_of(row);
    if set.txn.rank_journal().add(&index, mark) <= BUCKET_MAX {
        return Ok(());
    }
    if !index.counts().split_by_heads(mark) {
        let bucket = index.counts().bucket_of(mark);
        let half = bucket.count / 2;
        let (mut seen, mut previous, mut next) = (0, Vec::new(), Vec::new());
        let heads = heads_of(set, &bucket, |row| {
            seen += 1;
            if seen == half {
                previous = row.to_vec();
            } else if seen == half + 1 {
                next = row.to_vec();
            }
        })?;
        if seen > half {
            let mut counts = index.counts();
            counts.remember(&bucket, heads);
            counts.split(&previous, &next, half);
        }
    }
    set.txn.rank_indexes().has_split(&index);
    Ok(())
}

/// Notes that the holder of the key's lock is about to remove a score row.
pub(super) fn note_removed(set: &mut SortedSet<'_, '_>, row: &[u8]) {
    if let Some(index) = set.txn.rank_indexes().get(set.opened.version) {
        let mark = set.opened.prefix.mark_of(row);
        set.txn.rank_journal().remove(&index, mark);
    }
}

/// Shortens the skipping: finds where a range begins after the offset of the window.
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
    if direction == Direction::Forward {
        let first = rows_before(set, &rows.start, Probe::AnyKey)?.saturating_add(window.offset);
        // After the last row nothing is left of the range.
        let start = row_at(set, first)?.or(rows.end.clone()).unwrap_or_default();
        return Ok((KeyRange { start, ..rows }, rest));
    }
    let end = match rows_up_to_end(set, &rows)?.checked_sub(window.offset) {
        None | Some(0) => Some(rows.start.clone()),
        // This row comes just after the end of the range.
        Some(end) => row_at(set, end)?.or(rows.end),
    };
    let start = rows.start;
    Ok((KeyRange { start, end }, rest))
}
