//! What goes wrong with cells and their ranges.

use std::ops::Range;

use kit::{Mistake, Quirk, compose};

use crate::cell_range::Cells;
use crate::solutions::cell_range::{cell_range, common_cell};

const CELL: &str = "a-cell-is-a-prefix";
const WIDTH: &str = "fifty-two-bits";
const NINE: &str = "neighbours-and-nine-cells";
const PREDICT: &str = "predict";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // How far the prefix is shifted.
    CutsForBits,
    Of64,
    NotShifted,
    // The end.
    LastForEnd,
    EndTooFar,
    CarryDropped,
    EndOfParent,
    HalfFilled,
    // Special cases that are none.
    MapEmpty,
    LastOpen,
}
use Step::{
    CarryDropped, CutsForBits, EndOfParent, EndTooFar, HalfFilled, LastForEnd, LastOpen, MapEmpty,
    NotShifted, Of64,
};

const APART: [&[Step]; 2] = [
    &[CutsForBits, Of64, NotShifted],
    &[LastForEnd, EndTooFar, CarryDropped, EndOfParent, HalfFilled],
];

fn range(steps: &[Step], prefix: u64, cuts: u32) -> Range<u64> {
    let has = |step| steps.contains(&step);
    let rest = if has(CutsForBits) {
        52 - cuts
    } else if has(Of64) {
        64 - 2 * cuts
    } else if has(NotShifted) {
        0
    } else {
        52 - 2 * cuts
    };
    let shift = |bits: u64| bits.checked_shl(rest).unwrap_or(0);
    let next = if has(CarryDropped) {
        prefix ^ 1
    } else if has(EndOfParent) {
        (prefix | 3) + 1
    } else {
        prefix + 1
    };
    let start = shift(prefix);
    let mut end = shift(next);
    if has(LastForEnd) {
        end = end.wrapping_sub(1);
    }
    if has(EndTooFar) {
        end = end.wrapping_add(1);
    }
    if has(HalfFilled) {
        end = (start | (shift(1) >> (rest / 2)).wrapping_sub(1)).wrapping_add(1);
    }
    if has(MapEmpty) && cuts == 0 {
        end = start;
    }
    if has(LastOpen) && cuts > 0 && prefix + 1 == 1 << (2 * cuts) {
        end = u64::MAX;
    }
    start..end
}

fn with(steps: &[Step]) -> Option<Cells> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Cells::new(
        move |prefix, cuts| range(&steps, prefix, cuts),
        common_cell,
    ))
}

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, "range", says, why, link)
}

const QUIRKS: [Quirk<Step>; 10] = [
    quirk(
        CutsForBits,
        "cuts_taken_for_bits",
        "a shift by 52 less the cuts",
        "Each cut halves both coordinates, so it makes two bits. What is left after the prefix is 52 less twice the cuts.",
        CELL,
    ),
    quirk(
        Of64,
        "shifted_to_64_bits",
        "prefixes shifted to the top of 64 bits",
        "The numbers have 52 bits, because they have to fit into a double. There are twelve zeros in front of them.",
        WIDTH,
    ),
    quirk(
        NotShifted,
        "not_shifted",
        "prefixes that were not shifted",
        "The prefix is at the front of the number, and the rest of its 52 bits follow. Shift it to its place.",
        CELL,
    ),
    quirk(
        LastForEnd,
        "last_number_for_end",
        "ends that are the last number of the cell",
        "A `Range` stops before its end. With the last number as the end, that number is missed. The end is where the next cell \
         begins.",
        CELL,
    ),
    quirk(
        EndTooFar,
        "end_one_too_far",
        "ends one after the start of the next cell",
        "The first number of the next cell comes in. A `Range` stops before its end, so the end is that number itself.",
        CELL,
    ),
    quirk(
        CarryDropped,
        "carry_dropped",
        "ends at the prefix with its last bit turned over",
        "For a prefix that ends in 1 this is not the next one but the one before, and the range is empty. Add one: the carry runs as \
         far as it must.",
        CELL,
    ),
    quirk(
        EndOfParent,
        "end_of_the_larger_cell",
        "ends of the cell with one cut less",
        "Four cells make one of the next size, and yours ends with the last of the four. That is too far for a prefix that does not \
         end in 11.",
        CELL,
    ),
    quirk(
        HalfFilled,
        "half_of_the_rest_filled",
        "as many free bits after the prefix as there are cuts left",
        "After the prefix two bits are free for each cut that is left. With half of them the range is a corner of the cell.",
        CELL,
    ),
    quirk(
        MapEmpty,
        "whole_map_empty",
        "an empty range for the map without a cut",
        "No cut is a cell too: the prefix of no bits, which every number has.",
        CELL,
    ),
    quirk(
        LastOpen,
        "last_cell_open",
        "an end at `u64::MAX` for the last cell",
        "The next prefix has one bit more, and that does no harm: the end is 1 << 52. What lies above is no place.",
        CELL,
    ),
];

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Cells>> {
    let mut mistakes = compose("cell_range", &QUIRKS, with);
    mistakes.extend(of_ranges());
    mistakes.extend(of_common_cells());
    mistakes
}

/// Shifts that go too far, or in another type, or before a sum.
fn of_ranges() -> Vec<Mistake<Cells>> {
    let mistake = |name, check, range: fn(u64, u32) -> Range<u64>| {
        Mistake::new(name, "cell_range", check, Cells::new(range, common_cell))
    };
    vec![
        mistake("end_shifted_once_more", "range", |prefix, cuts| {
            let rest = 52 - 2 * cuts;
            prefix << rest..prefix << (rest + 1)
        })
        .says("ends that are the prefix, shifted by one bit more")
        .why(
            "`+` comes before `<<`, so `prefix << rest + 1` is `prefix << (rest + 1)`: twice the start. The end is the next prefix at the same \
             place: `(prefix + 1) << rest`.",
        )
        .link(CELL),
        mistake("shifted_by_what_is_cut", "range", |prefix, cuts| prefix << (2 * cuts)..(prefix + 1) << (2 * cuts))
            .says("a prefix that is shifted by its own width")
            .why(
                "The prefix has `2 * cuts` bits, and what comes after it fills up 52: shift by `52 - 2 * cuts`. The more cuts, the smaller the cell.",
            )
            .link(CELL),
        mistake("shifted_by_half_of_the_rest", "range", |prefix, cuts| prefix << (26 - cuts)..(prefix + 1) << (26 - cuts))
            .says("a prefix that is shifted by one bit for each cut that is left")
            .why("Each cut halves both coordinates, so it takes two bits: shift by `2 * (26 - cuts)`.")
            .link(CELL),
        mistake("as_many_numbers_as_cells", "range", |prefix, cuts| {
            let start = prefix << (52 - 2 * cuts);
            start..start + 4_u64.pow(cuts)
        })
        .says("as many numbers as the map has cells of this size, from the right start on")
        .why("After so many cuts the map has `4^cuts` cells. Each of them holds the rest, `4^(26 - cuts)` numbers.")
        .link(CELL),
        mistake("prefix_cut_to_32_bits", "range", |prefix, cuts| {
            let rest = 52 - 2 * cuts;
            let prefix = prefix as u32;
            u64::from(prefix) << rest..u64::from(prefix.wrapping_add(1)) << rest
        })
        .says("the last 32 bits of the prefix alone")
        .why("A prefix has `2 * cuts` bits, up to 52. `as u32` drops what is above 32 without a word.")
        .link(CELL),
        mistake("one_number_alone", "range", |prefix, cuts| {
            let start = prefix << (52 - 2 * cuts);
            start..start + 1
        })
        .says("the first number of the cell alone")
        .why("The end is where the next cell begins. The 1 is added to the prefix before it is shifted: `(prefix + 1) << rest`.")
        .link(CELL),
        mistake("shifted_to_53_bits", "range", |prefix, cuts| prefix << (53 - 2 * cuts)..(prefix + 1) << (53 - 2 * cuts))
            .says("prefixes shifted to the top of 53 bits")
            .why(
                "A double has room for 53 bits, and these numbers have 52 of them: 26 of each coordinate. An odd one would belong to one coordinate \
                 alone.",
            )
            .link(WIDTH),
        mistake("shifted_to_64_bits_but_the_map", "range", |prefix, cuts| {
            if cuts == 0 {
                return 0..1 << 52;
            }
            range(&[Of64], prefix, cuts)
        })
        .says("prefixes shifted to the top of 64 bits, and the right map without a cut")
        .why(
            "The whole map ends at 1 << 52, so its cells have to end there too. The numbers have 52 bits, because they have to fit into a double: \
             shift by `52 - 2 * cuts`, and the map needs no case of its own.",
        )
        .link(WIDTH),
        mistake("shifted_to_64_bits_with_the_map", "range", |prefix, cuts| {
            if cuts == 0 {
                return 0..u64::MAX;
            }
            range(&[Of64], prefix, cuts)
        })
        .says("prefixes shifted to the top of 64 bits, and all of a `u64` for the map without a cut")
        .why(
            "The numbers have 52 bits, because they have to fit into a double. There are twelve zeros in front of them, and the whole map ends at \
             1 << 52.",
        )
        .link(WIDTH),
        mistake("end_joined_by_or", "range", |prefix, cuts| {
            let rest = 52 - 2 * cuts;
            prefix << rest..(prefix | 1) << rest
        })
        .says("ends at the prefix with its last bit set")
        .why(
            "`|` sets a bit, and a prefix that ends in 1 has it already: the range is empty. The next prefix is one more: with `+`, the carry \
             runs as far as it must.",
        )
        .link(CELL),
        mistake("width_added_to_the_prefix", "range", |prefix, cuts| {
            prefix..prefix + (1 << (52 - 2 * cuts))
        })
        .says("as many numbers as the cell has, counted from the prefix itself")
        .why(
            "The width is right, and the place is not: a prefix is at the front of a number, and the rest of its 52 bits follow. Shift it before \
             you add the width.",
        )
        .link(CELL),
        mistake("ends_with_the_map", "range", |prefix, cuts| {
            prefix << (52 - 2 * cuts)..1 << 52
        })
        .says("ranges that run to the end of the map")
        .why("The start is right. A cell ends where the next one of its size begins: `(prefix + 1)`, shifted as the prefix is.")
        .link(CELL),
        mistake("shift_by_64_panics", "returns", |prefix, cuts| {
            let rest = 64 - 2 * cuts;
            let shift = |bits: u64| bits.checked_shl(rest).expect("attempt to shift left with overflow");
            shift(prefix)..shift(prefix + 1)
        })
        .says("prefixes shifted to the top of 64 bits, with a panic for the map without a cut")
        .why(
            "The numbers have 52 bits, because they have to fit into a double. There are twelve zeros in front of them. And a `u64` cannot be \
             shifted by 64 bits.",
        )
        .link(WIDTH),
        mistake("range_shifted_in_u32", "returns", |prefix, cuts| {
            let prefix = prefix as u32;
            let next = prefix.checked_add(1).expect("attempt to add with overflow");
            let shift = |bits: u32| bits.checked_shl(52 - 2 * cuts).expect("attempt to shift left with overflow");
            u64::from(shift(prefix))..u64::from(shift(next))
        })
        .says("prefixes that are shifted as `u32`")
        .why(
            "The numbers have 52 bits, and a `u32` has 32: large cells panic, for they need a long shift, and the small ones lose what is above. \
             Leave the prefix a `u64`.",
        )
        .link(WIDTH),
    ]
}

fn shared_bits(a: u64, b: u64) -> u32 {
    (a ^ b).leading_zeros() - 12
}

fn cell(a: u64, cuts: u32) -> (u64, u32) {
    (a >> (52 - 2 * cuts), cuts)
}

fn of_common_cells() -> Vec<Mistake<Cells>> {
    let mistake = |name, check, common: fn(u64, u64) -> (u64, u32)| {
        Mistake::new(name, "common_cell", check, Cells::new(cell_range, common))
    };
    vec![
        mistake("bits_taken_for_cuts", "common", |a, b| {
            let shared = shared_bits(a, b);
            (a >> (52 - shared), shared)
        })
        .says("the count of shared bits as the cuts")
        .why("A cut makes two bits. Divide the count by two.")
        .link(CELL),
        mistake("cuts_counted_from_below", "common", |a, b| {
            let (prefix, cuts) = common_cell(a, b);
            (prefix, 26 - cuts)
        })
        .says("the right prefix, with the steps up from the smallest cells as the cuts")
        .why(
            "The cuts are those that make the cell out of the map. Who begins at a number and drops two bits a step has 26 cuts at \
             first, and one less after each step.",
        )
        .link(CELL),
        mistake("rounded_up", "common", |a, b| cell(a, shared_bits(a, b).div_ceil(2)))
            .says("an odd count of bits rounded up to the next cut")
            .why(
                "With an odd count the two places are in the same half and in different quarters. The cell with one more cut holds \
                 only one of them.",
            )
            .link(CELL),
        mistake("one_cut_too_many", "common", |a, b| cell(a, (shared_bits(a, b) / 2 + 1).min(26)))
            .says("one cut more than both numbers share")
            .why(
                "That cell holds one of the two places, and not the other one. Does a loop go on as long as the prefixes are equal? Then it ends at the first cut \
                 that parts them, and the last one before it is the answer.",
            )
            .link(CELL),
        mistake("odd_bit_kept", "common", |a, b| {
            let shared = shared_bits(a, b);
            (a >> (52 - shared), shared / 2)
        })
        .says("all shared bits as the prefix, and half their count as the cuts")
        .why(
            "The cuts are right. But with an odd count of shared bits, the prefix has one bit more than twice the cuts. Round the \
             count first, then shift.",
        )
        .link(CELL),
        mistake("one_bit_a_step", "returns", |a, b| {
            let (mut a, mut b, mut cuts) = (a, b, 26_u32);
            while a != b {
                (a, b) = (a >> 1, b >> 1);
                cuts = cuts.checked_sub(1).expect("attempt to subtract with overflow");
            }
            (a, cuts)
        })
        .or(Cells::new(cell_range, |a, b| {
            let (mut a, mut b, mut cuts) = (a, b, 26_u32);
            while a != b {
                (a, b) = (a >> 1, b >> 1);
                cuts = cuts.saturating_sub(1);
            }
            (a, cuts)
        }))
        .says("one bit dropped at each step up, and one cut with it")
        .why(
            "A cut makes two bits, one of each coordinate. Drop two bits a step: the numbers have 52, and only 26 cuts can be taken \
             back.",
        )
        .link(CELL),
        mistake("counted_from_the_back", "common", |a, b| {
            let same = (a ^ b).trailing_zeros().min(52);
            let rest = same.div_ceil(2) * 2;
            (a >> rest, (52 - rest) / 2)
        })
        .says("the bits that are equal at the end, cut off")
        .why(
            "The cell is said by the bits in front. `trailing_zeros` counts from the back, where the smallest cells part: the highest bit that \
             differs decides, and `leading_zeros` finds it.",
        )
        .link(CELL),
        mistake("whole_map_always", "common", |_, _| (0, 0))
            .says("the whole map for all numbers")
            .why(
                "It holds both places, and it is the largest cell there is. Begin with the smallest cells, or go on cutting as long as \
                 both places are in one part.",
            )
            .link(CELL),
        mistake("smallest_cells_left_out", "common", |a, b| {
            let (_, cuts) = common_cell(a, b);
            cell(a, cuts.min(25))
        })
        .says("at most 25 cuts")
        .why("A cell of 26 cuts is one number, and equal numbers share it. `0..26` stops before 26.")
        .link(CELL),
        mistake("counted_in_64_bits", "common", |a, b| {
            let cuts = (a ^ b).leading_zeros() / 2;
            let rest = 52_u32.saturating_sub(2 * cuts);
            (a >> rest, cuts)
        })
        .says("the leading zeros of 64 bits")
        .why(
            "In front of a number of 52 bits are twelve zeros, which all numbers share. They are no cuts.",
        )
        .link(WIDTH),
        mistake("counted_in_64_bits_panics", "returns", |a, b| {
            let cuts = (a ^ b).leading_zeros() / 2;
            assert!(cuts <= 26, "attempt to subtract with overflow");
            (a >> (52 - 2 * cuts), cuts)
        })
        .says("the leading zeros of 64 bits, and a panic where they are more than 52")
        .why(
            "In front of a number of 52 bits are twelve zeros, which all numbers share. They are no cuts: six too many are counted, and \
             for near places `52 - 2 * cuts` is less than nothing. Take the twelve off first.",
        )
        .link(WIDTH),
        mistake("counted_in_64_bits_up_to_26_cuts", "common", |a, b| {
            let cuts = ((a ^ b).leading_zeros() / 2).min(26);
            (a >> (52 - 2 * cuts), cuts)
        })
        .says("the leading zeros of 64 bits, and 26 cuts where there are more")
        .why(
            "The numbers have 52 bits in a `u64`, so twelve zeros are always in front, and twelve too many are counted: six cuts. Take twelve off first.",
        )
        .link(WIDTH),
        mistake("counted_and_shifted_in_64_bits", "common", |a, b| {
            let cuts = (a ^ b).leading_zeros() / 2;
            (a.checked_shr(64 - 2 * cuts).unwrap_or(0), cuts)
        })
        .says("the right prefix, and six cuts too many")
        .why(
            "In front of a number of 52 bits are twelve zeros, which all numbers share. If you counted them, you counted six cuts that nobody \
             made.",
        )
        .link(WIDTH),
        mistake("equal_numbers_without_a_cell", "common", |a, b| {
            if a == b { (0, 0) } else { common_cell(a, b) }
        })
        .says("the whole map for equal numbers")
        .why("Equal numbers share all 52 bits. Their smallest cell is the smallest there is, of 26 cuts.")
        .link(CELL),
        mistake("equal_numbers_panic", "returns", |a, b| {
            let different = a ^ b;
            assert!(different > 0, "argument of integer logarithm must be positive");
            common_cell(a, b)
        })
        .says("`ilog2` asked for equal numbers")
        .why(
            "The exclusive or of equal numbers is 0, and 0 has no highest bit. Answer that case first, or count leading zeros: there \
             are 64.",
        )
        .link(CELL),
        mistake("first_number_for_prefix", "common", |a, b| {
            let (prefix, cuts) = common_cell(a, b);
            (prefix << (52 - 2 * cuts), cuts)
        })
        .says("the first number of the right cell instead of its prefix")
        .why("The prefix is the bits in front alone, without the zeros after them.")
        .link(CELL),
        mistake("whole_number_for_prefix", "common", |a, b| (a, common_cell(a, b).1))
            .says("the first of the two numbers with the right cuts")
            .why("The prefix is what both begin with. Shift the rest away.")
            .link(CELL),
        mistake("measured_by_difference", "common", |a, b| {
            let bits = 64 - (a.abs_diff(b)).leading_zeros();
            cell(a.min(b), (52 - bits) / 2)
        })
        .says("a cell as large as the difference of the numbers")
        .why(
            "Two numbers that differ by 1 may lie in different halves of the map, as 0111...1 and 1000...0 do. Look at the bits in \
             front, not at the difference.",
        )
        .link(PREDICT),
        mistake("measured_by_difference_from_a", "common", |a, b| {
            let bits = 64 - (a.abs_diff(b)).leading_zeros();
            cell(a, (52 - bits) / 2)
        })
        .says("the cell of the first number that is as large as the difference of the two")
        .why(
            "Two numbers that differ by 1 may lie in different halves of the map, as 0111...1 and 1000...0 do. Look at the bits in \
             front, not at the difference.",
        )
        .link(PREDICT),
        mistake("measured_by_a_double", "common", |a, b| {
            if a == b {
                return (a, 26);
            }
            let highest = ((a ^ b) as f64).log2() as u32;
            cell(a, 51_u32.saturating_sub(highest) / 2)
        })
        .says("a highest bit that was found by the logarithm of a double")
        .why(
            "`log2` is rounded: for numbers just below a power of two it gives that power, and the cell is too large. Count in \
             integers, `leading_zeros` or `ilog2`.",
        )
        .link(CELL),
        mistake("columns_compared", "common", |a, b| {
            let odd = 0xa_aaaa_aaaa_aaaa;
            cell(a, shared_bits(a & odd, b & odd).div_ceil(2).min(26))
        })
        .says("the columns alone")
        .why("Two places in one column may be as far apart as the poles. Both coordinates must be in the cell.")
        .link(NINE),
        mistake("equal_bits_anywhere", "common", |a, b| {
            let different = (a ^ b).count_ones();
            cell(a, (52 - different) / 2)
        })
        .says("all bits that are equal, wherever they are")
        .why("Only the bits in front of the first different one make a common prefix.")
        .link(CELL),
    ]
}
