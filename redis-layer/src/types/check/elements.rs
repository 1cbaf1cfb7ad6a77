//! Collections with one row for each element: hashes, lists and sets.

use crate::store::{Direction, Snapshot, Space};
use crate::types::Result;
use crate::types::rows::RowPrefix;

/// The size in the metadata row is the number of data rows, and it is not 0.
pub(super) fn faults(
    snapshot: &dyn Snapshot,
    prefix: &RowPrefix,
    size: u64,
) -> Result<Vec<String>> {
    let mut found = 0;
    let mut cursor = snapshot.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
    while cursor.row().is_some() {
        found += 1;
        cursor.advance()?;
    }
    if size == 0 || size != found {
        return Ok(vec![format!(
            "its size is {size}, it has {found} data rows"
        )]);
    }
    Ok(Vec::new())
}
