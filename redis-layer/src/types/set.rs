//! Operations on several sets: intersection, union, difference.
//!
//! A key that does not exist is an empty set, passed as `None`. The results are in no particular order, except that a
//! few integers come in ascending order, as from a real server.

use bytes::Bytes;

use crate::types::beside::Beside;
use crate::types::elements::{Elements, name_at, sort_integers};
use crate::types::{Result, Txn};

/// The set under a key, or `None` if the key does not exist.
pub type MaybeSet = Option<Elements>;

/// The members that are in all sets, at most `limit` of them.
///
/// Cost: a walk over the smallest set. In every other set, the lesser of a walk and a point read for each member of the
/// smallest.
///
/// # Errors
/// A damaged row; those of the store.
pub fn intersection(txn: &Txn<'_>, sets: &[MaybeSet], limit: usize) -> Result<Vec<Bytes>> {
    // If one of the sets is empty, so is the intersection.
    let Some(mut sets) = sets.iter().map(Option::as_ref).collect::<Option<Vec<_>>>() else {
        return Ok(Vec::new());
    };
    sets.sort_by_key(|set| set.len());
    let Some((smallest, others)) = sets.split_first() else {
        return Ok(Vec::new());
    };
    let mut others = beside(txn, smallest, others)?;
    let mut found = Vec::new();
    smallest.each_mark(txn, |mark| {
        for other in &mut others {
            if other.find(txn, mark)?.is_none() {
                return Ok(true);
            }
        }
        found.push(Bytes::copy_from_slice(mark));
        Ok(found.len() < limit)
    })?;
    Ok(names(found))
}

/// The members that are in any of the sets.
///
/// Cost: a walk over all sets, and memory for all their members.
///
/// # Errors
/// A damaged row; those of the store.
pub fn union(txn: &Txn<'_>, sets: &[MaybeSet]) -> Result<Vec<Bytes>> {
    let mut found = Vec::new();
    for set in sets.iter().flatten() {
        set.each_mark(txn, |mark| {
            found.push(Bytes::copy_from_slice(mark));
            Ok(true)
        })?;
    }
    // This sort finds that the members of each set are in order already, and merges them.
    found.sort();
    found.dedup();
    Ok(names(found))
}

/// The members of the first set that are in none of the others.
///
/// Cost: as for [`intersection`], where the first set takes the place of the smallest.
///
/// # Errors
/// A damaged row; those of the store.
pub fn difference(txn: &Txn<'_>, sets: &[MaybeSet]) -> Result<Vec<Bytes>> {
    let Some((Some(first), others)) = sets.split_first() else {
        return Ok(Vec::new());
    };
    let others: Vec<&Elements> = others.iter().flatten().collect();
    let mut others = beside(txn, first, &others)?;
    let mut found = Vec::new();
    first.each_mark(txn, |mark| {
        for other in &mut others {
            if other.find(txn, mark)?.is_some() {
                return Ok(true);
            }
        }
        found.push(Bytes::copy_from_slice(mark));
        Ok(true)
    })?;
    Ok(names(found))
}

/// The sets beside a walk over `walked`.
fn beside<'t>(
    txn: &'t Txn<'_>,
    walked: &Elements,
    others: &[&Elements],
) -> Result<Vec<Beside<'t>>> {
    let others = others.iter();
    others
        .map(|other| other.beside(txn, walked.len()))
        .collect()
}

/// The members at these marks. A few integers are put in ascending order.
fn names(marks: Vec<Bytes>) -> Vec<Bytes> {
    let mut names: Vec<Bytes> = marks.into_iter().map(name_at).collect();
    sort_integers(&mut names, |name| name);
    names
}
