//! The ends of a list, as its metadata row has them.
//!
//! First the rows of the first and the last element, each as the number of elements that are gone and the distance of
//! its key. Then the first slot. Only if the list was changed in the middle, the rest follows: for the first element
//! the number of steps in its path (a byte) and the steps; the slot, number of steps and steps of the last element;
//! and the middle.

use engine::keys::{decode_i64, encode_i64};

use super::{Position, U64_LEN};

/// The length of what is known of the rows at the ends of a list: two bytes for each.
const END_ROWS_LEN: usize = 4;

/// Where a list begins and ends, and where it was changed in the middle.
///
/// Outside of `middle`, every slot from the first to the last holds exactly one element, without a path: so the
/// number of an element and its position follow from one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    /// The first element.
    pub first: End,
    /// The last element.
    pub last: End,
    /// The first and the last slot where there may be no element, or several.
    pub middle: Option<(i64, i64)>,
}

/// The element at an end of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// Its position.
    pub position: Position,
    /// Its row.
    pub row: EndRow,
}

impl End {
    /// An element of the regular part, whose row has its slot.
    #[must_use]
    pub const fn slot(slot: i64) -> Self {
        let row = EndRow {
            gone: 0,
            distance: 0,
        };
        Self {
            position: Position::slot(slot),
            row,
        }
    }

    /// The slot that the key of its row probably has.
    #[must_use]
    pub fn row_slot(&self) -> i64 {
        let distance = i64::from(self.row.distance);
        self.position.slot.wrapping_add(distance)
    }
}

/// What is known of the row at an end of a list, which may be a [bundle](super::bundle).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndRow {
    /// How many elements the row holds beyond the end: they were removed from the list, but stay in the row until all
    /// of it is removed.
    pub gone: u8,
    /// The slot in the row's key minus the end's slot, as far as is known. If there is no such row, it is searched
    /// for.
    pub distance: i8,
}

impl EndRow {
    /// What to store for the row whose key has the slot `row`, for an end at the slot `end`.
    #[must_use]
    pub fn of(row: i64, end: i64, gone: u8) -> Self {
        let distance = i8::try_from(row.wrapping_sub(end)).unwrap_or(0);
        Self { gone, distance }
    }
}

impl Ends {
    /// The ends of a list with `size` elements that was never changed in the middle.
    #[must_use]
    pub const fn regular(first: i64, size: u64) -> Self {
        Self {
            first: End::slot(first),
            last: End::slot(first.wrapping_add_unsigned(size).wrapping_sub(1)),
            middle: None,
        }
    }

    /// How many bytes to have ready for them: what they take if there is no middle, else what they often take.
    pub(super) const fn room(&self) -> usize {
        match self.middle {
            None => END_ROWS_LEN + U64_LEN,
            Some(_) => 6 * U64_LEN,
        }
    }

    pub(super) fn encode_into(&self, value: &mut Vec<u8>) {
        let Ends {
            first,
            last,
            middle,
        } = self;
        for End { row, .. } in [first, last] {
            value.extend_from_slice(&[row.gone, row.distance.to_be_bytes()[0]]);
        }
        let Some((low, high)) = middle else {
            value.extend_from_slice(&encode_i64(first.position.slot));
            return;
        };
        for End { position, .. } in [first, last] {
            let start = value.len();
            position.encode_into(value);
            // Paths are far shorter than a byte can count: see `MAX_PATH` of lists.
            let steps = u8::try_from(position.path.len()).unwrap_or(u8::MAX);
            value.insert(start + U64_LEN, steps);
        }
        value.extend_from_slice(&encode_i64(*low));
        value.extend_from_slice(&encode_i64(*high));
    }

    /// The ends of a list with `size` elements. `None` if the bytes are none.
    pub(super) fn decode(bytes: &[u8], size: u64) -> Option<Self> {
        let (rows, bytes) = bytes.split_first_chunk::<END_ROWS_LEN>()?;
        let [first_row, last_row] =
            [[rows[0], rows[1]], [rows[2], rows[3]]].map(|[gone, distance]| {
                let distance = i8::from_be_bytes([distance]);
                EndRow { gone, distance }
            });
        if let Ok(slot) = bytes.try_into() {
            let mut ends = Self::regular(decode_i64(slot), size);
            (ends.first.row, ends.last.row) = (first_row, last_row);
            return Some(ends);
        }
        let mut rest = bytes;
        let mut end = |row| {
            let steps = usize::from(*rest.get(U64_LEN)?);
            let (bytes, behind) = rest.split_at_checked((1 + steps) * U64_LEN + 1)?;
            rest = behind;
            let position = Position::decode(&[&bytes[..U64_LEN], &bytes[U64_LEN + 1..]].concat())?;
            Some(End { position, row })
        };
        let (first, last) = (end(first_row)?, end(last_row)?);
        let (low, high) = rest.split_first_chunk()?;
        let middle = (decode_i64(*low), decode_i64(high.try_into().ok()?));
        Some(Self {
            first,
            last,
            middle: Some(middle),
        })
    }
}
