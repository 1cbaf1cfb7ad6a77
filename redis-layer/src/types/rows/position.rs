//! The position of an element in a list: a number, and a path if it was inserted between two others.
//!
//! ```text
//! position  slot: i64 | step: u64 *
//! ```
//!
//! A push takes the next slot at its end, so most positions are just a slot. An element that is inserted between two
//! neighbours gets a position between theirs, and no other element moves: the path becomes as long as needed. A
//! missing step counts as 0, so a path never ends with a 0, and the bytes sort as the positions do.
//!
//! The choice of a free position keeps paths short. Repeating `LINSERT BEFORE` with one pivot puts every element
//! right after the one inserted before; repeating `AFTER` puts it right in front of that one. So the new position is
//! chosen close to the neighbour that is not the pivot, at a distance of [`LEAP`], which leaves nearly all of the gap
//! for the next insertion: 2^32 positions fit before the path grows by a step. An opponent who bisects the gap can
//! make the path grow by 8 bytes with every 32 elements: see [`List::insert`](crate::types::list::List::insert) for
//! what ends that.

use engine::keys::{decode_i64, decode_u64, encode_i64, encode_u64};

/// How far a new position is from the neighbour that it stays close to, where there is room.
const LEAP: u128 = 1 << 32;
/// One more than the greatest step.
const STEPS: u128 = 1 << 64;

/// The position of an element among the others of its list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The number, which is all there is for elements that were pushed.
    pub slot: i64,
    /// The steps of an element that was inserted in the middle. The last step is never 0.
    pub path: Vec<u64>,
}

/// Which of its two neighbours a new position stays close to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lean {
    /// The one before it: elements are being inserted before one pivot.
    Low,
    /// The one after it: elements are being inserted after one pivot.
    High,
}

impl Position {
    /// A slot, without a path.
    #[must_use]
    pub const fn slot(slot: i64) -> Self {
        let path = Vec::new();
        Self { slot, path }
    }

    /// Appends the bytes of the position to a key.
    pub fn encode_into(&self, row: &mut Vec<u8>) {
        row.extend_from_slice(&encode_i64(self.slot));
        for &step in &self.path {
            row.extend_from_slice(&encode_u64(step));
        }
    }

    /// The position that these bytes encode, if they encode one.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (slot, path) = bytes.split_first_chunk()?;
        let (steps, rest) = path.as_chunks();
        let path: Vec<u64> = steps.iter().map(|&step| decode_u64(step)).collect();
        let slot = decode_i64(*slot);
        (rest.is_empty() && path.last() != Some(&0)).then_some(Self { slot, path })
    }

    /// The first slot whose own position sorts at or after some bytes: those of a position, or bytes that lie between
    /// two positions.
    #[must_use]
    pub fn first_slot_from(bytes: &[u8]) -> i64 {
        let mut slot = [0; 8];
        let len = bytes.len().min(slot.len());
        slot[..len].copy_from_slice(&bytes[..len]);
        let slot = decode_i64(slot);
        // Longer bytes have a path after the slot, so they sort after the slot itself.
        slot.saturating_add(i64::from(bytes.len() > 8))
    }

    /// A free position after `low` and before `high`.
    #[must_use]
    pub fn between(low: &Self, high: &Self, lean: Lean) -> Self {
        debug_assert!(low < high, "{low:?} {high:?}");
        let room = i128::from(high.slot) - i128::from(low.slot);
        if room >= 2 {
            let room = room.unsigned_abs();
            // `choose` returns less than `room`, the distance of the two slots, so the sum lies between them.
            let slot = i128::from(low.slot) + i128::try_from(choose(room, lean)).unwrap_or(1);
            return Self::slot(i64::try_from(slot).unwrap_or(low.slot));
        }
        // If `high` has the next slot, the path has no upper limit; it only needs to have a step.
        let high_path = (room == 0).then_some(&*high.path);
        let path = path_between(&low.path, high_path, lean);
        Self {
            slot: low.slot,
            path,
        }
    }
}

/// A path after `low` and before `high`, where a missing step is 0; without `high`, only after `low`.
fn path_between(low: &[u64], mut high: Option<&[u64]>, lean: Lean) -> Vec<u64> {
    let mut path = Vec::with_capacity(low.len() + 1);
    for level in 0.. {
        let least = low.get(level).copied().unwrap_or(0);
        let behind = high.map_or(STEPS, |high| {
            u128::from(high.get(level).copied().unwrap_or(0))
        });
        let room = behind.saturating_sub(u128::from(least));
        if room >= 2 {
            let step = u128::from(least) + choose(room, lean);
            path.push(u64::try_from(step).unwrap_or(u64::MAX));
            break;
        }
        if room == 1 {
            // Everything that begins with `least` and is greater than `low` comes before `high`.
            high = None;
        }
        path.push(least);
    }
    path
}

/// How far after the lower neighbour, when the upper one is `room` away: at least 1, and less than `room`.
fn choose(room: u128, lean: Lean) -> u128 {
    let from_neighbour = LEAP.min(room / 2);
    match lean {
        Lean::Low => from_neighbour,
        Lean::High => room - from_neighbour,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(position: &Position) -> Vec<u8> {
        let mut bytes = Vec::new();
        position.encode_into(&mut bytes);
        bytes
    }

    #[test]
    fn the_bytes_sort_as_the_positions_do() {
        let sorted = [
            Position::slot(i64::MIN),
            Position::slot(-1),
            Position {
                slot: -1,
                path: vec![0, 1],
            },
            Position {
                slot: -1,
                path: vec![1],
            },
            Position {
                slot: -1,
                path: vec![u64::MAX],
            },
            Position::slot(0),
            Position::slot(i64::MAX),
        ];
        for pair in sorted.windows(2) {
            assert!(pair[0] < pair[1], "{pair:?}");
            assert!(bytes(&pair[0]) < bytes(&pair[1]), "{pair:?}");
        }
        for position in &sorted {
            assert_eq!(Position::decode(&bytes(position)).as_ref(), Some(position));
        }
        for foreign in [&b""[..], &[0; 7], &[0; 9], &[0; 16]] {
            assert_eq!(Position::decode(foreign), None, "{foreign:?}");
        }
    }

    #[test]
    fn one_pivot_can_be_used_a_million_times_without_a_longer_path() {
        let (low, high) = (Position::slot(5), Position::slot(6));
        let mut before = low.clone();
        let mut after = high.clone();
        for _ in 0..1_000_000 {
            before = Position::between(&before, &high, Lean::Low);
            after = Position::between(&low, &after, Lean::High);
        }
        assert_eq!((before.path.len(), after.path.len()), (1, 1));
    }

    #[test]
    fn bisecting_grows_a_path_by_a_step_for_every_thirty_two_elements() {
        let (mut low, mut high) = (Position::slot(5), Position::slot(6));
        for round in 0..320 {
            let middle = Position::between(&low, &high, Lean::Low);
            // Always into the narrower half.
            (low, high) = if round % 2 == 0 {
                (low, middle)
            } else {
                (middle, high)
            };
        }
        assert!(low.path.len() <= 11, "{}", low.path.len());
    }

    proptest! {
        #[test]
        fn a_new_position_lies_between_its_neighbours(
            choices in proptest::collection::vec((any::<u16>(), any::<bool>()), 1..200),
            first in any::<i32>(),
        ) {
            let first = i64::from(first);
            let mut positions = vec![Position::slot(first), Position::slot(first + 1)];
            for (at, low) in choices {
                // Usually near the start, where the gaps are narrow.
                let at = usize::from(at) % (positions.len() - 1).min(3);
                let lean = if low { Lean::Low } else { Lean::High };
                let new = Position::between(&positions[at], &positions[at + 1], lean);
                prop_assert!(positions[at] < new && new < positions[at + 1], "{positions:?} {new:?}");
                prop_assert!(bytes(&positions[at]) < bytes(&new));
                prop_assert!(bytes(&new) < bytes(&positions[at + 1]));
                prop_assert_eq!(Position::decode(&bytes(&new)), Some(new.clone()));
                positions.insert(at + 1, new);
            }
        }
    }
}
