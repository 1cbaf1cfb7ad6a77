//! Sorted sets: two rows for each member, and the index in memory that counts them.

use std::collections::BTreeMap;

use crate::store::{Direction, Snapshot, Space};
use crate::types::Result;
use crate::types::rows::{Marks, RowPrefix, Score, decode_score};
use crate::types::zset::counts::Counts;

/// One score row for each data row and the reverse, with the same score, between the marks; the size is
/// their number, and it is not 0.
pub(super) fn faults(
    snapshot: &dyn Snapshot,
    prefix: &RowPrefix,
    size: u64,
    marks: &Marks,
) -> Result<Vec<String>> {
    // The score of each member by its data row, and whether a score row says the same.
    let mut scores: BTreeMap<Vec<u8>, (Score, bool)> = BTreeMap::new();
    let mut cursor = snapshot.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        let member = prefix.data_member(row)?.to_vec();
        scores.insert(member, (decode_score(row, value)?, false));
        cursor.advance()?;
    }
    let mut faults = Vec::new();
    if size == 0 || size != scores.len() as u64 {
        let found = scores.len();
        faults.push(format!("its size is {size}, it has {found} data rows"));
    }
    let mut cursor = snapshot.scan(Space::Score, &prefix.rows(), Direction::Forward)?;
    while let Some((row, _)) = cursor.row() {
        let (score, member) = prefix.score_member(row)?;
        if !marks.contain(prefix.mark_of(row)) {
            let member = String::from_utf8_lossy(member);
            faults.push(format!("{member:?} stands outside the marks {marks:02x?}"));
        }
        match scores.get_mut(member) {
            Some((by_member, is_indexed)) if *by_member == score => *is_indexed = true,
            other => faults.push(format!(
                "{:?} has a score row for {}, its data row says {:?}",
                String::from_utf8_lossy(member),
                score.get(),
                other.map(|(by_member, _)| by_member.get())
            )),
        }
        cursor.advance()?;
    }
    for (member, (score, _)) in scores.iter().filter(|(_, (_, is_indexed))| !is_indexed) {
        faults.push(format!(
            "{:?} has no score row for {}",
            String::from_utf8_lossy(member),
            score.get()
        ));
    }
    Ok(faults)
}

/// Every bucket of an index holds as many rows of the space as it says, and there are no others.
pub(super) fn rank_fault(
    snapshot: &dyn Snapshot,
    space: Space,
    prefix: &RowPrefix,
    counts: &Counts,
) -> Result<Option<String>> {
    if let Some(what) = counts.check() {
        return Ok(Some(what));
    }
    let buckets = counts.buckets();
    let mut found = vec![0; buckets.len()];
    let mut cursor = snapshot.scan(space, &prefix.rows(), Direction::Forward)?;
    let mut at = 0;
    while let Some((row, _)) = cursor.row() {
        let mark = prefix.mark_of(row);
        while buckets.get(at + 1).is_some_and(|next| *next.start <= *mark) {
            at += 1;
        }
        found[at] += 1;
        cursor.advance()?;
    }
    let wrong = buckets
        .iter()
        .zip(found)
        .find(|(bucket, found)| bucket.count != *found);
    Ok(wrong.map(|(bucket, found)| {
        format!("its rank index says {bucket:02x?}, there are {found} rows")
    }))
}
