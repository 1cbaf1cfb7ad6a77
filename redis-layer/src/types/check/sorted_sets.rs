//! Sorted sets: two rows for each member, and the index in memory that counts them.

use crate::store::{Direction, Snapshot, Space, next_key};
use crate::types::Result;
use crate::types::rows::{Marks, RowPrefix, Score, decode_score};
use crate::types::zset::counts::{Counts, heads};

/// Checks that each data row has a score row and the reverse, with the same score and between the marks, and that the
/// size is their number and not 0.
pub(super) fn faults(
    snapshot: &dyn Snapshot,
    prefix: &RowPrefix,
    size: u64,
    marks: &Marks,
) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut data_rows = 0;
    let mut cursor = snapshot.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        data_rows += 1;
        let member = prefix.data_member(row)?;
        let score = decode_score(row, value)?;
        let score_row = prefix.score_key(score, member);
        if snapshot.get(Space::Score, &score_row)?.is_none() {
            let member = String::from_utf8_lossy(member);
            let score = score.get();
            faults.push(format!("{member:?} has no score row for {score}"));
        }
        cursor.advance()?;
    }
    if size == 0 || size != data_rows {
        faults.push(format!("its size is {size}, it has {data_rows} data rows"));
    }
    let mut score_rows = 0;
    let (mut first, mut last) = (None, Vec::new());
    let mut cursor = snapshot.scan(Space::Score, &prefix.rows(), Direction::Forward)?;
    while let Some((row, _)) = cursor.row() {
        score_rows += 1;
        last = prefix.mark_of(row).to_vec();
        first.get_or_insert_with(|| last.clone());
        let (_, member) = prefix.score_member(row)?;
        if !marks.contain(prefix.mark_of(row)) {
            let member = String::from_utf8_lossy(member);
            faults.push(format!("{member:?} is outside the marks {marks:02x?}"));
        }
        cursor.advance()?;
    }
    let low_is_right = !marks.first_is_known || first.as_deref() == Some(&*marks.low);
    let high_is_right = !marks.last_is_known || *next_key(&last) == *marks.high;
    if !low_is_right || !high_is_right {
        faults.push(format!(
            "no row is at a mark where one should be: {marks:02x?}"
        ));
    }
    // If each data row has its score row and there are as many of one kind as of the other, no score row is stale.
    if score_rows != data_rows || !faults.is_empty() {
        faults.extend(stale_rows(snapshot, prefix)?);
    }
    Ok(faults)
}

/// The score rows that have no data row.
fn stale_rows(snapshot: &dyn Snapshot, prefix: &RowPrefix) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut cursor = snapshot.scan(Space::Score, &prefix.rows(), Direction::Forward)?;
    while let Some((row, _)) = cursor.row() {
        let (score, member) = prefix.score_member(row)?;
        let data_row = prefix.data_key(member);
        let value = snapshot.get(Space::Data, &data_row)?;
        let by_member = value
            .map(|value| decode_score(&data_row, &value))
            .transpose()?;
        if by_member != Some(score) {
            faults.push(format!(
                "{:?} has a score row for {}, its data row says {:?}",
                String::from_utf8_lossy(member),
                score.get(),
                by_member.map(Score::get)
            ));
        }
        cursor.advance()?;
    }
    Ok(faults)
}

/// Checks that every bucket of an index holds as many marks as it says, and that there are no other marks.
/// `each_mark` passes all marks, in order.
pub(super) fn rank_fault(
    counts: &Counts,
    each_mark: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<()>,
) -> Result<Option<String>> {
    if let Some(what) = counts.check() {
        return Ok(Some(what));
    }
    let buckets = counts.buckets();
    let mut found = vec![Vec::new(); buckets.len()];
    let mut at = 0;
    each_mark(&mut |mark| {
        while buckets.get(at + 1).is_some_and(|next| *next.start <= *mark) {
            at += 1;
        }
        found[at].push(heads::head(mark));
    })?;
    let wrong = buckets.iter().zip(found).find(|(bucket, found)| {
        let remembered = counts.heads_of(bucket);
        bucket.count != found.len() as u64 || remembered.is_some_and(|heads| heads != *found)
    });
    Ok(wrong.map(|(bucket, found)| {
        let remembered = counts.heads_of(bucket);
        format!("its rank index says {bucket:02x?} {remembered:x?}, there are {found:x?}")
    }))
}

/// Passes what follows the version in the keys of all score rows to a function.
pub(super) fn each_mark(
    snapshot: &dyn Snapshot,
    prefix: &RowPrefix,
    show: &mut dyn FnMut(&[u8]),
) -> Result<()> {
    let mut cursor = snapshot.scan(Space::Score, &prefix.rows(), Direction::Forward)?;
    while let Some((row, _)) = cursor.row() {
        show(prefix.mark_of(row));
        cursor.advance()?;
    }
    Ok(())
}
