//! A random key.
//!
//! In a database of up to `SAMPLED` keys, one is chosen by counting, so each is equally likely. In a larger one a
//! point between the first and the last key is chosen, and then one of the `SAMPLED` keys on either side of it. That
//! is cheap but not quite fair, because keys beside a gap are found more often. Keys are mostly text, in which most
//! byte values never occur, so each byte of the point is chosen from the span that the first and the last keys have
//! at that position. Redis is not quite fair either. An index of ranks over the keys would be fair, but would cost
//! every write something for this one command.

use crate::store::{Direction, KeyRange, Space};
use crate::types::rows::{decode_metadata_key, metadata_rows};
use crate::types::{Result, Txn};

/// How many keys are sampled.
const SAMPLED: usize = 512;

/// A key of the chosen database that has not expired, if there is one.
///
/// Cost: a few times `SAMPLED` steps, and one for each expired key that is not removed yet.
///
/// # Errors
/// A damaged row; those of the store.
pub fn random_key(txn: &Txn<'_>) -> Result<Option<Vec<u8>>> {
    let all = metadata_rows(txn.db());
    let mut found = live_rows(txn, &all, Direction::Forward)?;
    if found.len() > SAMPLED {
        found.extend(live_rows(txn, &all, Direction::Backward)?.into_iter().rev());
        let point = point_among(&found);
        let before = KeyRange::between(all.start, point.clone());
        let behind = KeyRange {
            start: point,
            end: all.end,
        };
        found = live_rows(txn, &before, Direction::Backward)?;
        found.extend(live_rows(txn, &behind, Direction::Forward)?);
    }
    if found.is_empty() {
        return Ok(None);
    }
    let row = found.swap_remove(fastrand::usize(..found.len()));
    Ok(Some(decode_metadata_key(&row)?.1))
}

/// The first keys of a range that have not expired, up to one more than are sampled.
fn live_rows(txn: &Txn<'_>, range: &KeyRange, direction: Direction) -> Result<Vec<Vec<u8>>> {
    let mut rows = Vec::new();
    let mut cursor = txn.scan(Space::Metadata, range, direction)?;
    while let (Some((row, value)), true) = (cursor.row(), rows.len() <= SAMPLED) {
        if txn.is_live_row(value) {
            rows.push(row.to_vec());
        } else {
            let is_own = txn.changed(Space::Metadata, row).is_some();
            txn.note_expired(&decode_metadata_key(row)?.1, is_own);
        }
        cursor.advance()?;
    }
    Ok(rows)
}

/// A point in the range of these ordered rows: the prefix that all share, and then for each position a byte between
/// the least and the greatest that a row has there.
fn point_among(rows: &[Vec<u8>]) -> Vec<u8> {
    /// This many bytes tell a few hundred keys apart.
    const BYTES: usize = 8;
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    let pairs = first.iter().zip(last);
    let shared = pairs.take_while(|(a, b)| a == b).count();
    let mut point = first[..shared].to_vec();
    for place in shared..shared + BYTES {
        let bytes = || rows.iter().filter_map(|row| row.get(place).copied());
        let (Some(least), Some(greatest)) = (bytes().min(), bytes().max()) else {
            break;
        };
        point.push(fastrand::u8(least..=greatest));
    }
    point
}
