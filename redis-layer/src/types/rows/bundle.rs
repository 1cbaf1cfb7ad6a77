//! The value of a data row of a list: one element, or a *bundle* of several that were pushed together.
//!
//! ```text
//! one element   element, after a byte ff if it begins with fd, fe or ff
//! a bundle      growth: u8 | count: u8 | end: u16 * count | element *
//! ```
//!
//! The elements of a bundle have neighbouring slots. The key of the row has the slot of the first element; the others
//! follow to the right (growth fd) or to the left (fe), in the order in which they were pushed. So each push appends,
//! and removing elements at the other end finds their row by the slot of the first. `end` says where each element
//! ends, counted from where the first one begins, in big-endian order, so the n-th is found without a walk. A single
//! long element is stored as it came, and need not be copied to add a tag.
//!
//! A row is bounded by [`ELEMENTS_MAX`] and [`BYTES_MAX`], because a push into a row copies it and a change of one
//! element rewrites it.

use std::ops::Range;

use bytes::Bytes;

use crate::store::Space;
use crate::types::{Error, Result};

/// At most this many elements share a row. Distances between slots of one row fit into a signed byte.
pub const ELEMENTS_MAX: usize = 64;
/// Elements share a row only as long as they have at most this many bytes together.
pub const BYTES_MAX: usize = 1024;

const RIGHTWARDS: u8 = 0xfd;
const LEFTWARDS: u8 = 0xfe;
/// Precedes a single element whose first byte is one of the tags or this byte itself.
const ESCAPE: u8 = 0xff;
/// The growth and the count.
const HEAD_LEN: usize = 2;
const END_LEN: usize = 2;

/// In which direction the elements after the first one follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// In the slots after the first: they were pushed at the right.
    Rightwards,
    /// In the slots before the first: they were pushed at the left.
    Leftwards,
}

/// The value of a data row of a list, decoded as far as it must be to find an element.
#[derive(Debug, Clone, Copy)]
pub struct ListRow<'v> {
    value: &'v [u8],
    /// The slot in the key.
    slot: i64,
    growth: Growth,
    /// How many elements there are in a bundle; `None` if it is not a bundle.
    bundled: Option<u8>,
    /// Where the first element begins.
    first: usize,
}

impl<'v> ListRow<'v> {
    /// Reads the value of the row whose key has this slot.
    ///
    /// # Errors
    /// [`Error::Damaged`]. `row` is for the error only.
    #[inline]
    pub fn decode(row: &[u8], slot: i64, value: &'v [u8]) -> Result<Self> {
        let (growth, bundled, first) = match value.first() {
            Some(&tag @ (RIGHTWARDS | LEFTWARDS)) => {
                let count = value.get(1).copied().filter(|count| *count > 0);
                let count = count.ok_or_else(|| {
                    Error::damaged(Space::Data, row, "it holds a bundle without elements")
                })?;
                let growth = match tag {
                    LEFTWARDS => Growth::Leftwards,
                    _ => Growth::Rightwards,
                };
                (growth, Some(count), HEAD_LEN + usize::from(count) * END_LEN)
            }
            Some(&ESCAPE) => (Growth::Rightwards, None, 1),
            _ => (Growth::Rightwards, None, 0),
        };
        Ok(Self {
            value,
            slot,
            growth,
            bundled,
            first,
        })
    }

    /// How many elements it holds.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bundled.map_or(1, usize::from)
    }

    /// Whether it is a bundle, which may hold elements of several slots.
    #[must_use]
    pub const fn is_bundle(&self) -> bool {
        self.bundled.is_some()
    }

    /// The first and the last slot that it holds.
    #[inline]
    #[must_use]
    pub fn slots(&self) -> (i64, i64) {
        let others = self.count() as i64 - 1;
        match self.growth {
            Growth::Rightwards => (self.slot, self.slot.wrapping_add(others)),
            Growth::Leftwards => (self.slot.wrapping_sub(others), self.slot),
        }
    }

    /// Whether it holds the element of a slot.
    #[inline]
    #[must_use]
    pub fn holds(&self, slot: i64) -> bool {
        let (low, high) = self.slots();
        (low..=high).contains(&slot)
    }

    /// Where in the value the element of a slot is. `None` if it is not there, or the row is damaged.
    #[inline]
    #[must_use]
    pub fn place(&self, slot: i64) -> Option<Range<usize>> {
        let Some(count) = self.bundled else {
            return (slot == self.slot).then_some(self.first..self.value.len());
        };
        let at = usize::try_from(match self.growth {
            Growth::Rightwards => slot.wrapping_sub(self.slot),
            Growth::Leftwards => self.slot.wrapping_sub(slot),
        });
        let at = at.ok().filter(|at| *at < usize::from(count))?;
        let start = match at {
            0 => 0,
            _ => self.end(at - 1)?,
        };
        let (start, end) = (self.first + start, self.first + self.end(at)?);
        (start <= end && end <= self.value.len()).then_some(start..end)
    }

    fn end(&self, at: usize) -> Option<usize> {
        let end = self.value.get(HEAD_LEN + at * END_LEN..)?;
        end.first_chunk()
            .map(|end| usize::from(u16::from_be_bytes(*end)))
    }

    /// The element of a slot. `None` if it is not there, or the row is damaged.
    #[inline]
    #[must_use]
    pub fn element(&self, slot: i64) -> Option<&'v [u8]> {
        self.value.get(self.place(slot)?)
    }

    /// Whether every element is where the ends say, and nothing else is in the row.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let (low, high) = self.slots();
        let bytes: Option<usize> = (low..=high)
            .map(|slot| self.place(slot).map(|place| place.len()))
            .sum();
        bytes.is_some_and(|bytes| self.first + bytes == self.value.len())
    }

    /// The value with one more element, in the next slot in this direction. `None` if there is no room, or if the row
    /// grows in the other direction.
    #[must_use]
    pub fn with(&self, growth: Growth, element: &[u8]) -> Option<Bytes> {
        if self.is_bundle() && self.growth != growth {
            return None;
        }
        let bytes = self.value.len().checked_sub(self.first)?;
        let count = self.count();
        if count >= ELEMENTS_MAX || bytes + element.len() > BYTES_MAX {
            return None;
        }
        let mut value =
            Vec::with_capacity(HEAD_LEN + (count + 1) * END_LEN + bytes + element.len());
        value.push(tag(growth));
        value.push(count as u8 + 1);
        match self.bundled {
            None => value.extend_from_slice(&end_of(bytes)),
            Some(_) => value.extend_from_slice(&self.value[HEAD_LEN..self.first]),
        }
        value.extend_from_slice(&end_of(bytes + element.len()));
        value.extend_from_slice(&self.value[self.first..]);
        value.extend_from_slice(element);
        Some(value.into())
    }

    /// The key's slot and the value of a row with the elements of this one from slot `low` to `high`, where
    /// `replaced` may name another element for one slot. `None` if they would be too long together, or the row is
    /// damaged.
    #[must_use]
    pub fn part(
        &self,
        low: i64,
        high: i64,
        replaced: Option<(i64, &[u8])>,
    ) -> Option<(i64, Bytes)> {
        let element = |slot: i64| match replaced {
            Some((of, element)) if of == slot => Some(element),
            _ => self.element(slot),
        };
        // Only damaged metadata leaves nothing of a row.
        if low > high {
            return None;
        }
        let slot = match self.growth {
            Growth::Rightwards => low,
            Growth::Leftwards => high,
        };
        if low == high {
            return Some((slot, one(Bytes::copy_from_slice(element(slot)?))));
        }
        let mut ends = Vec::new();
        let mut elements = Vec::new();
        for at in 0..=high.abs_diff(low) as i64 {
            elements.extend_from_slice(element(match self.growth {
                Growth::Rightwards => low + at,
                Growth::Leftwards => high - at,
            })?);
            ends.extend_from_slice(&end_of(elements.len()));
        }
        if elements.len() > BYTES_MAX {
            return None;
        }
        let count = (ends.len() / END_LEN) as u8;
        let value = [&[tag(self.growth), count][..], &ends, &elements].concat();
        Some((slot, value.into()))
    }
}

/// Whether this is the value of a row that holds a bundle.
#[inline]
#[must_use]
pub fn is_bundle(value: &[u8]) -> bool {
    matches!(value.first(), Some(&(RIGHTWARDS | LEFTWARDS)))
}

/// The value of a row with one element. Usually that is the element itself.
#[must_use]
pub fn one(element: Bytes) -> Bytes {
    match element.first() {
        Some(&(RIGHTWARDS | LEFTWARDS | ESCAPE)) => [&[ESCAPE][..], &element].concat().into(),
        _ => element,
    }
}

const fn tag(growth: Growth) -> u8 {
    match growth {
        Growth::Rightwards => RIGHTWARDS,
        Growth::Leftwards => LEFTWARDS,
    }
}

/// Writes where an element ends: at most [`BYTES_MAX`].
fn end_of(bytes: usize) -> [u8; END_LEN] {
    u16::try_from(bytes).unwrap_or(u16::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use engine::keys::hex;
    use proptest::prelude::*;

    use super::*;

    fn read(slot: i64, value: &[u8]) -> ListRow<'_> {
        ListRow::decode(b"", slot, value).unwrap()
    }

    fn one(element: &[u8]) -> Bytes {
        super::one(Bytes::copy_from_slice(element))
    }

    #[test]
    fn the_bytes_are_those_of_the_documentation() {
        for (element, value) in [
            (&b"a"[..], "61"),
            (b"", ""),
            (b"\xfc", "fc"),
            (b"\xfd", "fffd"),
            (b"\xfe\x02", "fffe02"),
            (b"\xff", "ffff"),
        ] {
            let row = one(element);
            assert_eq!(hex(&row), value);
            assert_eq!(read(7, &row).element(7), Some(element));
        }
        let two = read(0, &one(b"a"))
            .with(Growth::Leftwards, b"\xffc")
            .unwrap();
        assert_eq!(hex(&two), "fe020001000361ff63");
        let two = read(-5, &two);
        assert_eq!(two.slots(), (-6, -5));
        assert_eq!(two.element(-5), Some(&b"a"[..]));
        assert_eq!(two.element(-6), Some(&b"\xffc"[..]));
        assert_eq!((two.element(-4), two.element(-7)), (None, None));
        assert!(two.with(Growth::Rightwards, b"d").is_none());
    }

    #[test]
    fn a_row_has_a_bound() {
        let value = one(&[0; 1000]);
        assert!(read(0, &value).with(Growth::Rightwards, &[0; 25]).is_none());
        let value = read(0, &value).with(Growth::Rightwards, &[0; 24]).unwrap();
        assert!(read(0, &value).is_sound());
        let mut value = one(b"");
        for _ in 1..ELEMENTS_MAX {
            value = read(0, &value).with(Growth::Rightwards, b"").unwrap();
        }
        assert!(read(0, &value).with(Growth::Rightwards, b"").is_none());
        // A single element may have any length.
        assert_eq!(one(&[0; 2 * BYTES_MAX]).len(), 2 * BYTES_MAX);
    }

    #[test]
    fn foreign_bytes_are_an_error_or_no_element() {
        for value in [&b"\xfd"[..], b"\xfd\0", b"\xfe\0\0\x05abcde"] {
            assert!(ListRow::decode(b"", 0, value).is_err(), "{value:?}");
        }
        for value in [
            &b"\xfd\x02"[..],
            b"\xfd\x02\0\x01\0",
            b"\xfd\x02\0\x02\0\x01abc",
            b"\xfd\x02\0\x01\0\x04abc",
            b"\xfd\x02\0\x01\0\x02abc",
        ] {
            let row = read(0, value);
            assert!(!row.is_sound(), "{value:?}");
            // These must not panic.
            let _ = (row.element(0), row.element(1), row.part(0, 1, None));
            let _ = row.with(Growth::Rightwards, b"d");
        }
    }

    proptest! {
        #[test]
        fn a_bundle_holds_what_was_put_into_it(
            elements in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..9), 1..ELEMENTS_MAX),
            leftwards in any::<bool>(), slot in -100_i64..100, from in 0_usize..64, to in 0_usize..64,
            replaced in proptest::option::of((0_usize..64, proptest::collection::vec(any::<u8>(), 0..9))),
        ) {
            let growth = if leftwards { Growth::Leftwards } else { Growth::Rightwards };
            let mut value = one(&elements[0]);
            for element in &elements[1..] {
                value = read(slot, &value).with(growth, element).unwrap();
            }
            let row = read(slot, &value);
            prop_assert!(row.is_sound());
            prop_assert_eq!(row.count(), elements.len());
            let slot_of = |at: usize| match growth {
                Growth::Rightwards => slot + at as i64,
                Growth::Leftwards => slot - at as i64,
            };
            for (at, element) in elements.iter().enumerate() {
                prop_assert!(row.holds(slot_of(at)));
                prop_assert_eq!(row.element(slot_of(at)), Some(&element[..]));
            }
            prop_assert!(!row.holds(slot_of(elements.len())));
            let (from, to) = (from % elements.len(), to % elements.len());
            let (from, to) = (from.min(to), from.max(to));
            let (low, high) = (slot_of(from).min(slot_of(to)), slot_of(from).max(slot_of(to)));
            let replaced = replaced.map(|(at, element)| (slot_of(at), element));
            let new = replaced.as_ref().map(|(slot, element)| (*slot, &element[..]));
            let (key, part) = row.part(low, high, new).unwrap();
            let part = read(key, &part);
            prop_assert!(part.is_sound());
            if low < high {
                prop_assert_eq!(part.slots(), (low, high));
            }
            for slot in low..=high {
                let expected = match &new {
                    Some((of, element)) if *of == slot => Some(*element),
                    _ => row.element(slot),
                };
                prop_assert_eq!(part.element(slot), expected);
            }
        }
    }
}
