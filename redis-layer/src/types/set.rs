//! Operations on several sets: intersection, union, difference.
//!
//! A key that does not exist is an empty set, passed as `None`. The results are in no particular order, except that a
//! few integers come in ascending order, as from a real server.

use std::collections::BTreeSet;

use bytes::Bytes;

use crate::types::elements::{Elements, sort_integers};
use crate::types::{Result, Txn};

/// The set under a key, or `None` if the key does not exist.
pub type MaybeSet = Option<Elements>;

/// The members that are in all sets, at most `limit` of them.
///
/// Cost: a walk over the smallest set, with a point read in every other set for each member.
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
    let mut found = Vec::new();
    smallest.each(txn, |member, _| {
        for other in others {
            if !other.contains(txn, member)? {
                return Ok(true);
            }
        }
        found.push(Bytes::copy_from_slice(member));
        Ok(found.len() < limit)
    })?;
    Ok(in_order(found))
}

/// The members that are in any of the sets.
///
/// Cost: a walk over all sets, and memory for the answer.
///
/// # Errors
/// A damaged row; those of the store.
pub fn union(txn: &Txn<'_>, sets: &[MaybeSet]) -> Result<Vec<Bytes>> {
    let mut found = BTreeSet::new();
    for set in sets.iter().flatten() {
        set.each(txn, |member, _| {
            if !found.contains(member) {
                found.insert(Bytes::copy_from_slice(member));
            }
            Ok(true)
        })?;
    }
    Ok(in_order(found.into_iter().collect()))
}

/// The members of the first set that are in none of the others.
///
/// Cost: the lesser of a walk over the first set with a point read in every other set for each member, and a walk
/// over all sets.
///
/// # Errors
/// A damaged row; those of the store.
pub fn difference(txn: &Txn<'_>, sets: &[MaybeSet]) -> Result<Vec<Bytes>> {
    let Some((Some(first), others)) = sets.split_first() else {
        return Ok(Vec::new());
    };
    let others: Vec<&Elements> = others.iter().flatten().collect();
    let members = others
        .iter()
        .fold(0, |sum: u64, set| sum.saturating_add(set.len()));
    // A point read costs as much as several steps of a walk.
    let by_reading = first.len().saturating_mul(others.len() as u64) <= members / 2;
    let mut found = BTreeSet::new();
    first.each(txn, |member, _| {
        if by_reading {
            for other in &others {
                if other.contains(txn, member)? {
                    return Ok(true);
                }
            }
        }
        found.insert(Bytes::copy_from_slice(member));
        Ok(true)
    })?;
    if !by_reading {
        for other in others {
            other.each(txn, |member, _| {
                found.remove(member);
                Ok(!found.is_empty())
            })?;
        }
    }
    Ok(in_order(found.into_iter().collect()))
}

fn in_order(mut members: Vec<Bytes>) -> Vec<Bytes> {
    sort_integers(&mut members, |member| member);
    members
}
