//! A random key.
//!
//! In a database of up to `SAMPLED` keys, one is chosen by counting, so each is equally likely. In a larger one a
//! point between the first and the last key is chosen, and then one of the `SAMPLED` keys on either side of it: of
//! fewer, if they hold long strings, which are in their rows. That is cheap but not quite fair, because keys beside a
//! gap are found more often. Keys are mostly text, in which most byte values never occur, so each byte of the point is
//! chosen from the span that the first and the last keys have at that position. Redis is not quite fair either. An
//! index of ranks over the keys would be fair, but would cost every write something for this one command.

use crate::store::{Direction, KeyRange, Space};
use crate::types::rows::{decode_metadata_key, metadata_rows};
use crate::types::{Result, Txn};

/// How many keys are sampled.
const SAMPLED: usize = 512;
/// How many bytes of values are enough for a sample.
const SAMPLED_BYTES: usize = 1 << 20;

/// A key of the chosen database that has not expired, if there is one.
///
/// Cost: a few times `SAMPLED` steps or `SAMPLED_BYTES`, and a step for each expired key that is not removed yet.
///
/// # Errors
/// A damaged row; those of the store.
pub fn random_key(txn: &Txn<'_>) -> Result<Option<Vec<u8>>> {
    let all = metadata_rows(txn.db());
    let (mut found, is_all) = live_rows(txn, &all, Direction::Forward)?;
    if !is_all {
        found.extend(
            live_rows(txn, &all, Direction::Backward)?
                .0
                .into_iter()
                .rev(),
        );
        let point = point_among(&found);
        let before = KeyRange::between(all.start, point.clone());
        let behind = KeyRange {
            start: point,
            end: all.end,
        };
        found = live_rows(txn, &before, Direction::Backward)?.0;
        found.extend(live_rows(txn, &behind, Direction::Forward)?.0);
    }
    if found.is_empty() {
        return Ok(None);
    }
    let row = found.swap_remove(fastrand::usize(..found.len()));
    Ok(Some(decode_metadata_key(&row)?.1))
}

/// The first keys of a range that have not expired, as many as are sampled, and whether these are all.
fn live_rows(
    txn: &Txn<'_>,
    range: &KeyRange,
    direction: Direction,
) -> Result<(Vec<Vec<u8>>, bool)> {
    let mut rows = Vec::new();
    let mut bytes = 0;
    let mut cursor = txn.scan(Space::Metadata, range, direction)?;
    while let Some((row, value)) = cursor.row() {
        if rows.len() == SAMPLED || bytes >= SAMPLED_BYTES {
            return Ok((rows, false));
        }
        if txn.is_live_row(value) {
            bytes += value.len();
            rows.push(row.to_vec());
        } else {
            let is_own = txn.changed(Space::Metadata, row).is_some();
            txn.note_expired(&decode_metadata_key(row)?.1, is_own);
        }
        cursor.advance()?;
    }
    Ok((rows, true))
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
