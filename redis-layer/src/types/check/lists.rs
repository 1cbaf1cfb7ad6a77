//! Checks that the rows of a list agree with one another.

use crate::store::{Direction, Snapshot, Space};
use crate::types::Result;
use crate::types::rows::bundle::ListRow;
use crate::types::rows::{Ends, Position, RowPrefix};

/// What contradicts the invariants of a list. Walks over its rows.
pub(super) fn faults(
    snapshot: &dyn Snapshot,
    prefix: &RowPrefix,
    size: u64,
    ends: &Ends,
) -> Result<Vec<String>> {
    let (mut faults, all) = rows(snapshot, prefix)?;
    let (before, after) = removed_elements(&all, ends);
    let within = before..all.len().saturating_sub(after);
    let positions = all.get(within).unwrap_or_default();
    faults.extend(removal_faults(ends, before, after));
    faults.extend(size_and_end_faults(positions, size, ends));
    faults.extend(middle_faults(positions, ends));
    Ok(faults)
}

/// What is wrong with single rows, and the positions of the elements of all rows, in order.
fn rows(snapshot: &dyn Snapshot, prefix: &RowPrefix) -> Result<(Vec<String>, Vec<Position>)> {
    let mut faults = Vec::new();
    let mut all: Vec<Position> = Vec::new();
    let mut bundled = None;
    each_row(snapshot, prefix, |position, row| {
        if !row.is_sound() {
            faults.push(format!("the bundle at {position:?} is damaged"));
        } else if row.is_bundle() && !position.path.is_empty() {
            faults.push(format!(
                "the row at {position:?} has a path and is a bundle"
            ));
        } else if !position.path.is_empty() && bundled == Some(position.slot) {
            faults.push(format!("the slot of {position:?} is in a bundle"));
        }
        if row.is_bundle() {
            bundled = Some(row.slots().1);
        }
        all.extend(positions(position, row));
    })?;
    if let Some(pair) = all.windows(2).find(|pair| pair[0] >= pair[1]) {
        faults.push(format!("{:?} is in two rows", pair[1]));
    }
    Ok((faults, all))
}

/// How many elements in the rows come before the first one of the list, and how many come after the last one.
fn removed_elements(all: &[Position], ends: &Ends) -> (usize, usize) {
    let before = all
        .iter()
        .take_while(|position| **position < ends.first.position);
    let after = all.iter().rev();
    let after = after.take_while(|position| **position > ends.last.position);
    (before.count(), after.count())
}

/// The metadata knows how many removed elements the rows at the ends still hold.
fn removal_faults(ends: &Ends, before: usize, after: usize) -> impl Iterator<Item = String> {
    let sides = [
        ("before the first", ends.first.row.gone, before),
        ("after the last", ends.last.row.gone, after),
    ];
    let wrong = sides
        .into_iter()
        .filter(|&(_, gone, found)| usize::from(gone) != found);
    wrong.map(|(side, gone, found)| {
        format!("its rows hold {found} elements {side} one, the metadata says {gone}")
    })
}

/// The size is the number of elements, and the ends are the positions of the first and the last one.
fn size_and_end_faults(positions: &[Position], size: u64, ends: &Ends) -> Vec<String> {
    let mut faults = Vec::new();
    if size == 0 || size != positions.len() as u64 {
        let found = positions.len();
        faults.push(format!("its size is {size}, it has {found} elements"));
    }
    for (name, end, found) in [
        ("first", &ends.first.position, positions.first()),
        ("last", &ends.last.position, positions.last()),
    ] {
        if found != Some(end) {
            faults.push(format!(
                "its {name} element is at {found:?}, the metadata says {end:?}"
            ));
        }
    }
    faults
}

/// Outside of the middle every slot holds exactly one element, without a path.
fn middle_faults(positions: &[Position], ends: &Ends) -> Vec<String> {
    let mut faults = Vec::new();
    let (low, high) = ends.middle.unwrap_or((i64::MAX, i64::MIN));
    let is_in_middle = |slot| low <= slot && slot <= high;
    for position in positions {
        if !is_in_middle(position.slot) && !position.path.is_empty() {
            faults.push(format!("{position:?} is outside the middle {low}..{high}"));
        }
    }
    for pair in positions.windows(2) {
        let (here, next) = (pair[0].slot, pair[1].slot);
        // Two positions in one slot: the second one has a path, which was checked above. Otherwise the slots between
        // the two are empty, and must be in the middle.
        let is_covered = next <= here || (low <= here + 1 && next - 1 <= high);
        let is_next = next.checked_sub(here) == Some(1);
        if !is_next && !is_covered {
            faults.push(format!(
                "the slots between {here} and {next} are empty, and outside the middle {low}..{high}"
            ));
        }
    }
    faults
}

/// Passes the bytes of the positions of all elements to a function, in order.
pub(super) fn each_mark(
    snapshot: &dyn Snapshot,
    prefix: &RowPrefix,
    ends: &Ends,
    show: &mut dyn FnMut(&[u8]),
) -> Result<()> {
    let mut mark = Vec::new();
    each_row(snapshot, prefix, |position, row| {
        let positions = positions(position, row);
        let listed = &ends.first.position..=&ends.last.position;
        for position in positions.filter(|at| listed.contains(&at)) {
            mark.clear();
            position.encode_into(&mut mark);
            show(&mark);
        }
    })
}

/// Passes every row, with the position in its key, to a function.
fn each_row(
    snapshot: &dyn Snapshot,
    prefix: &RowPrefix,
    mut show: impl FnMut(Position, ListRow<'_>),
) -> Result<()> {
    let mut cursor = snapshot.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
    while let Some((key, value)) = cursor.row() {
        let position = prefix.element_position(key)?;
        let row = ListRow::decode(key, position.slot, value)?;
        show(position, row);
        cursor.advance()?;
    }
    Ok(())
}

/// The positions of the elements in a row.
fn positions(position: Position, row: ListRow<'_>) -> impl Iterator<Item = Position> {
    let (low, high) = row.slots();
    let bundled = row.is_bundle().then_some(low..=high);
    let bundled = bundled.into_iter().flatten().map(Position::slot);
    (!row.is_bundle())
        .then_some(position)
        .into_iter()
        .chain(bundled)
}
