//! Strings in pieces: a row for each piece that is not all zeros.

use crate::store::{Direction, Snapshot, Space};
use crate::types::Result;
use crate::types::rows::RowPrefix;
use crate::types::strings::{PIECE_BYTES, piece_number};

/// Checks that no piece is longer than its place, and that none has bytes past the end of the string.
pub(super) fn faults(
    snapshot: &dyn Snapshot,
    prefix: &RowPrefix,
    length: u64,
) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut cursor = snapshot.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
    while let Some((row, piece)) = cursor.row() {
        let number = piece_number(prefix, row)?;
        if piece.len() > PIECE_BYTES {
            faults.push(format!("piece {number} has {} bytes", piece.len()));
        }
        let end = number as u64 * PIECE_BYTES as u64 + piece.len() as u64;
        if end > length {
            faults.push(format!(
                "piece {number} ends at byte {end}, the string at {length}"
            ));
        }
        cursor.advance()?;
    }
    Ok(faults)
}
