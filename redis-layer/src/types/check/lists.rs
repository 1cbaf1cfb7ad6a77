//! What the rows of a list must say about one another.

use crate::store::{Direction, Snapshot, Space};
use crate::types::Result;
use crate::types::rows::{Ends, Position, RowPrefix};

/// What contradicts the invariants of a list. A walk over its rows.
pub(super) fn faults(
    snapshot: &dyn Snapshot,
    prefix: &RowPrefix,
    size: u64,
    ends: &Ends,
) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut positions: Vec<Position> = Vec::new();
    let mut cursor = snapshot.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
    while let Some((row, _)) = cursor.row() {
        positions.push(prefix.element_position(row)?);
        cursor.advance()?;
    }
    if size == 0 || size != positions.len() as u64 {
        let found = positions.len();
        faults.push(format!("its size is {size}, it has {found} rows"));
    }
    for (name, end, found) in [
        ("first", &ends.first, positions.first()),
        ("last", &ends.last, positions.last()),
    ] {
        if found != Some(end) {
            faults.push(format!(
                "its {name} element is at {found:?}, the metadata says {end:?}"
            ));
        }
    }
    let (low, high) = ends.middle.unwrap_or((i64::MAX, i64::MIN));
    let is_in_middle = |slot| low <= slot && slot <= high;
    for position in &positions {
        if !is_in_middle(position.slot) && !position.path.is_empty() {
            faults.push(format!("{position:?} is outside the middle {low}..{high}"));
        }
    }
    for pair in positions.windows(2) {
        let (here, next) = (pair[0].slot, pair[1].slot);
        // Two in one slot: the second one has a path, and that was looked at above. Else the empty slots between them.
        let is_covered = next <= here || (low <= here + 1 && next - 1 <= high);
        let is_next = next.checked_sub(here) == Some(1);
        if !is_next && !is_covered {
            faults.push(format!(
                "between {here} and {next} the middle {low}..{high} is not"
            ));
        }
    }
    Ok(faults)
}
