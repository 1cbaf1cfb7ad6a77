//! What several sets have together: intersection, union, difference.
//!
//! A key that does not exist is an empty set, and is given as `None`. The answers have no order, but for few
//! integers: those come in theirs, as from a real server.

use std::collections::BTreeSet;

use bytes::Bytes;

use crate::types::elements::{Elements, sort_integers};
use crate::types::{Result, Txn};

/// A set under a key, if the key exists.
pub type MaybeSet = Option<Elements>;

/// The members that all sets have, at most `limit` of them.
///
/// Cost: a walk over the smallest set, with a point read in each other set for each member.
///
/// # Errors
/// A damaged row; those of the store.
pub fn intersection(txn: &Txn<'_>, sets: &[MaybeSet], limit: usize) -> Result<Vec<Bytes>> {
    // One empty set leaves nothing.
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

/// The members that any set has.
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

/// The members of the first set that no other set has.
///
/// Cost: the lesser of two. A walk over the first set, with a point read in each other set for each
/// member; or a walk over all sets.
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
    // A point read costs as much as some steps of a walk.
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
