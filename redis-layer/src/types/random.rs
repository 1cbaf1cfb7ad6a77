//! A key by chance.
//!
//! Up to `SAMPLED` keys are counted out, so each is equally likely. In a larger database a point between the first and the
//! last key is chosen, and then one of the `SAMPLED` keys on either side of it: cheap, and not quite fair, because keys
//! beside a gap are found more often. Keys are mostly text, in which most bytes never occur, so each byte of the point is chosen
//! from those that the first and the last keys have in its place. Redis is not quite fair either. Ranks of keys would cost every
//! write something for this one command.

use crate::store::{Direction, KeyRange, Space};
use crate::types::rows::{decode_metadata_key, metadata_rows};
use crate::types::{Result, Txn};

/// How many keys are looked at.
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

/// The first keys of a range that have not expired: one more than are sampled.
fn live_rows(txn: &Txn<'_>, range: &KeyRange, direction: Direction) -> Result<Vec<Vec<u8>>> {
    let mut rows = Vec::new();
    let mut cursor = txn.scan(Space::Metadata, range, direction)?;
    while let (Some((row, value)), true) = (cursor.row(), rows.len() <= SAMPLED) {
        if txn.is_live_row(value) {
            rows.push(row.to_vec());
        } else {
            txn.note_expired(&decode_metadata_key(row)?.1);
        }
        cursor.advance()?;
    }
    Ok(rows)
}

/// A point in the range of these ordered rows: what all share, and then a byte for each place, from the least to the
/// greatest that a row has there.
fn point_among(rows: &[Vec<u8>]) -> Vec<u8> {
    /// So many bytes tell a few hundred keys apart.
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
