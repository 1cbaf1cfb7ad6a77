//! What goes wrong with the room in a double.

use kit::Mistake;

use crate::lost_bits::Limits;
use crate::solutions::lost_bits::{largest_top, lost_bits};

const BITS: &str = "fifty-three-bits";
const RULES: &str = "invariants";
/// A shift by one bit less or more, where one was to be subtracted from its result.
const BRACKETS: &str = "There is room for 53 bits, and the greatest value of n bits is 2^n - 1. Did you write `1 << 53 - low_bits - 1`, or the like? \
                        `-` binds tighter than a shift, so nothing is subtracted from the power. Set brackets: `(1 << (53 - low_bits)) - 1`.";

fn size(score: u64) -> u32 {
    u64::BITS - score.leading_zeros()
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "this is the mistake"
)]
fn kept(score: u64) -> u64 {
    score as f64 as u64
}

/// The logarithm of the double, rounded by `round`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "this is the mistake"
)]
fn by_logarithm(score: u64, round: fn(f64) -> f64) -> u32 {
    round((score.max(1) as f64).log2()) as u32
}

fn power(bits: i64) -> u64 {
    u32::try_from(bits).map_or(0, |bits| 1u64.checked_shl(bits).unwrap_or(0))
}

fn top(
    name: &'static str,
    says: &'static str,
    why: &'static str,
    function: fn(u32) -> u64,
) -> Mistake<Limits> {
    let limits = Limits {
        largest_top: function,
        lost_bits,
    };
    Mistake::new(name, "largest_top", "limit", limits)
        .says(says)
        .why(why)
        .link(BITS)
}

/// A subtraction that is part of the shift, and falls below zero for some layout.
fn shift_panics(
    name: &'static str,
    says: &'static str,
    function: fn(u32) -> u64,
) -> Mistake<Limits> {
    let limits = Limits {
        largest_top: function,
        lost_bits,
    };
    Mistake::new(name, "largest_top", "returns", limits)
        .says(says)
        .why(BRACKETS)
        .link(BITS)
}

fn lost(
    name: &'static str,
    says: &'static str,
    why: &'static str,
    function: fn(u64) -> u32,
) -> Mistake<Limits> {
    let limits = Limits {
        largest_top,
        lost_bits: function,
    };
    Mistake::new(name, "lost_bits", "size", limits)
        .says(says)
        .why(why)
        .link(BITS)
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Limits>> {
    let mut mistakes = tops();
    mistakes.extend(losses());
    mistakes
}

fn tops() -> Vec<Mistake<Limits>> {
    vec![
        top(
            "first_that_loses",
            "2 to the power of 53 less `low_bits`, without the minus one",
            "With this top field the score reaches 2^53, and there 2^53 + 1 has the same double. The greatest \
             safe value is one less.",
            |bits| 1 << (53 - bits),
        ),
        top(
            "two_less",
            "2 to the power of 53 less `low_bits`, minus two",
            "That one is safe, and so is the next. The last safe score is 2^53 - 1, all of its 53 bits are 1.",
            |bits| (1u64 << (53 - bits)).saturating_sub(2),
        ),
        top(
            "fraction_bits_only",
            "a room of 52 bits",
            "52 bits are stored, and one more counts: every normal double begins with a 1 that is not stored. So \
             there is room for 53.",
            |bits| power(52 - i64::from(bits)).saturating_sub(1),
        )
        // As a shift it has no room for 53 bits below.
        .or(Limits {
            largest_top: |bits| (1 << (52 - bits)) - 1,
            lost_bits,
        }),
        top(
            "fifty_four_bits",
            "a room of 54 bits",
            "A double keeps 52 bits, and the 1 in front of them that is not stored is the 53rd. There is no other one: 2^53 + 1 has the same \
             double as 2^53.",
            |bits| (1 << (54 - bits)) - 1,
        ),
        top(
            "sixty_three_bits",
            "a room of 63 bits",
            "63 bits are what an `i64` holds beside its sign. A score is a double: eleven of its 64 bits are the \
             exponent, so from 2^53 on it has gaps.",
            |bits| (1 << (63 - bits)) - 1,
        ),
        top(
            "sixty_four_bits",
            "a room of 64 bits",
            "64 bits are what a `u64` holds. A score is a double: eleven of its 64 bits are the exponent, so from \
             2^53 on it has gaps.",
            |bits| u64::MAX >> bits,
        ),
        top(
            "single_precision",
            "a room of 24 bits",
            "24 bits are the room of an `f32`. A score is an `f64`.",
            |bits| power(24 - i64::from(bits)).saturating_sub(1),
        ),
        top(
            "divided_by_the_bits",
            "2^53 - 1 divided by `low_bits`",
            "The low field takes that many *bits*. To make room for it is to divide by 2 that many times: a shift \
             to the right.",
            |bits| ((1 << 53) - 1) / u64::from(bits.max(1)),
        ),
        top(
            "always_the_chapters_layout",
            "8388607 for every layout",
            "That is the limit above 30 bits. With fewer bits below, the top field may grow further.",
            |_| 8_388_607,
        ),
        top(
            "bits_instead_of_the_value",
            "53 less `low_bits`",
            "So many *bits* are left to the top field. Asked for is the greatest value that they hold.",
            |bits| u64::from(53 - bits),
        ),
        top(
            "greatest_low_field",
            "the greatest value of the field below, 2 to the power of `low_bits`, less 1",
            "The field below has `low_bits` bits. What is left of the 53 is for the top field: 53 less `low_bits`.",
            |bits| (1 << bits) - 1,
        ),
        top(
            "top_left_in_its_place",
            "the greatest top field in its place, `low_bits` bits to the left",
            "That is the score, with nothing in the field below. The top field alone is that score, shifted to the right by `low_bits`.",
            |bits| largest_top(bits) << bits,
        ),
        top(
            "shift_of_the_power_less_one",
            "2 to the power of 52, shifted to the right by `low_bits`",
            BRACKETS,
            |bits| (1 << 52) >> bits,
        ),
        shift_panics(
            "one_less_in_the_shift_up",
            "2 to the power of 52 less `low_bits`, with a panic for 53",
            |bits| {
                let shift = 52_u32.checked_sub(bits);
                1 << shift.expect("attempt to subtract with overflow")
            },
        ),
        shift_panics(
            "one_less_in_the_shift_down",
            "2 to the power of 54 less `low_bits`, with a panic for 0",
            |bits| {
                let shift = bits.checked_sub(1);
                (1 << 53) >> shift.expect("attempt to subtract with overflow")
            },
        ),
    ]
}

fn losses() -> Vec<Mistake<Limits>> {
    vec![
        lost(
            "fraction_bits_counted",
            "a room of 52 bits",
            "52 bits are stored, and one more counts: every normal double begins with a 1 that is not stored. A \
             number of 53 bits is kept whole.",
            |score| size(score).saturating_sub(52),
        ),
        lost(
            "sixty_three_bits_counted",
            "a room of 63 bits",
            "63 bits are what an `i64` holds beside its sign. A score is a double: eleven of its 64 bits are the \
             exponent, so from 2^53 on bits are lost.",
            |score| size(score).saturating_sub(63),
        ),
        lost(
            "one_bit_late",
            "a room of 54 bits",
            "2^53 is kept, but only since its last bit is 0. A number of 54 bits has one bit too many, whatever \
             that bit is. Do you count with `ilog2`? It is one less than the number of bits.",
            |score| size(score).saturating_sub(54),
        )
        // On even numbers alone, one bit less has another reason.
        .whole(),
        lost(
            "measured_by_a_double",
            "the size taken from the logarithm of the double",
            "A logarithm is rounded too: that of 2^53 - 1 becomes 53, and that is the one of 2^53. Count the bits of the integer, \
             `leading_zeros` or `ilog2`.",
            |score| (by_logarithm(score, f64::floor) + 1).saturating_sub(53),
        ),
        lost(
            "measured_by_the_exponent",
            "the size taken from the exponent of the double",
            "To become a double the number was rounded, and 2^54 - 1 became 2^54: its exponent is greater by one. Count the bits of the \
             integer, `leading_zeros` or `ilog2`.",
            |score| {
                #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
                let exponent = ((score as f64).to_bits() >> 52) as u32;
                exponent.saturating_sub(1023 + 52)
            },
        ),
        lost(
            "zero_or_one_by_comparison",
            "1 where the double is another number, and 0 elsewhere",
            "That says whether this very number is kept. Asked for is how many bits a double has no room for, whatever they are.",
            |score| u32::from(kept(score) != score),
        ),
        lost(
            "changed_by_the_double",
            "the number of bits up to the highest one that the double changes",
            "Rounding up carries, and may change many bits. And a number that happens to be kept changes none, though its neighbours of the same \
             size are not kept. It is the size that you are asked about: how many bits has the number, and for how many is there room?",
            |score| size(score ^ kept(score)),
        ),
        lost(
            "times_the_power_fits",
            "how many times 2^53 fits into the number",
            "That is a quotient, and asked for is a number of bits: from 2^54 on two are lost, from 2^55 on three. Count the bits of the number, by \
             `leading_zeros` or `ilog2`.",
            |score| (score >> 53) as u32,
        ),
        lost(
            "size_of_the_difference",
            "the number of bits in the distance from the double to this very number",
            "A number that happens to be kept has the distance 0, and its neighbours of the same size are not kept. It is the size \
             that you are asked about: how many bits has the number, and for how many is there room?",
            |score| size(score.abs_diff(kept(score))),
        ),
        lost(
            "one_or_nothing",
            "1 from 2^53 on and 0 below",
            "One bit is lost up to 2^54. With each doubling the gap between doubles doubles too, and one bit more \
             is lost.",
            |score| u32::from(score >= 1 << 53),
        ),
        lost(
            "kept_numbers_lose_nothing",
            "0 for a number that a double happens to keep, and the right count for all others",
            "2^53 is exact, and so is every number that ends in enough zeros. But its neighbours of the same size are not, and size alone \
             counts: do not look at the number itself.",
            |score| if kept(score) == score { 0 } else { lost_bits(score) },
        ),
        lost(
            "zeros_at_the_end_kept",
            "the bits that are lost of this very number",
            "A number that ends in zeros is kept, so this one loses nothing. But its neighbours of the same size \
             do, and it is the size that you are asked about.",
            |score| lost_bits(score).saturating_sub(score.trailing_zeros()),
        ),
        lost(
            "beyond_the_power",
            "a limit that 2^53 itself, and every power of two, still keeps",
            "2^53 is exact. It has 54 bits, though, and the one after it, 2^53 + 1, is already lost.",
            |score| size(score.saturating_sub(1)).saturating_sub(53),
        ),
        lost(
            "size_by_a_logarithm_rounded_up",
            "the logarithm of the double, rounded up, as the size",
            "The logarithm of 2^53 is 53, and 2^53 has 54 bits: the size is one more than the logarithm rounded down. And a double is \
             rounded itself. Count the bits of the integer, `leading_zeros` or `ilog2`.",
            |score| by_logarithm(score, f64::ceil).saturating_sub(53),
        ),
        lost(
            "cleared_until_it_is_kept",
            "how many bits at the end have to become 0 until a double keeps the number",
            "Of 2^60 + 1 that is one bit, because the bits before it are 0 already. A double has no room for eight: size alone counts.",
            |score| {
                let cleared = |bits: &u32| score >> bits << bits;
                (0..64).find(|bits| kept(cleared(bits)) == cleared(bits)).unwrap_or_default()
            },
        ),
        lost(
            "first_bit_taken_for_a_sign",
            "0 from 2^63 on, and the right count below",
            "As an `i64` such a number is below zero, and less than 2^53. A score is a `u64`: its first bit is worth 2^63, and 64 bits are \
             eleven too many.",
            |score| if score >= 1 << 63 { 0 } else { lost_bits(score) },
        ),
        lost(
            "eleven_always",
            "11 from 2^53 on",
            "The exponent takes eleven bits of the double, but a number loses only what it has beyond 53 bits.",
            |score| if score >= 1 << 53 { 11 } else { 0 },
        ),
        lost(
            "the_gap_itself",
            "the distance of neighbouring doubles",
            "Asked for is how many bits are lost. Their power of two is the distance: 3 bits, distance 8.",
            |score| 1 << lost_bits(score),
        ),
        lost(
            "halved_down_to_the_power",
            "how often the number is halved until it is no more than 2^53",
            "2^53 itself has 54 bits, and loses one: halve as long as the number is not less than 2^53, `>=` and not `>`.",
            |score| {
                let (mut rest, mut count) = (score, 0);
                while rest > 1 << 53 {
                    rest /= 2;
                    count += 1;
                }
                count
            },
        ),
        lost(
            "only_above_the_power",
            "nothing for 2^53 itself, and the right count for all others",
            "2^53 is exact. It has 54 bits, though, and size alone counts: it loses one, as 2^53 + 1 does.",
            |score| if score == 1 << 53 { 0 } else { lost_bits(score) },
        ),
        lost(
            "all_size_counted",
            "the number of bits of the score",
            "A double has room for 53 of them.",
            size,
        ),
    ]
    .into_iter()
    .chain([
        Mistake::new(
            "zero_panics",
            "lost_bits",
            "returns",
            Limits {
                largest_top,
                lost_bits: |score| {
                    assert!(score > 0, "argument of integer logarithm must be positive");
                    lost_bits(score)
                },
            },
        )
        .says("the right count, with a panic for 0")
        .why("0 has no highest bit, so `ilog2` has no answer. `checked_ilog2` gives `None`, and `leading_zeros` is 64 there.")
        .link(BITS),
        Mistake::new(
            "small_numbers_panic",
            "lost_bits",
            "returns",
            Limits {
                largest_top,
                lost_bits: |score| {
                    assert!(size(score) >= 53, "attempt to subtract with overflow");
                    lost_bits(score)
                },
            },
        )
        .says("the right count, with a panic for numbers of fewer than 53 bits")
        .why("Their size less 53 is below 0, and a `u32` is not. They lose nothing: `saturating_sub`.")
        .link(BITS),
        Mistake::new(
        "never_any",
        "lost_bits",
        "size",
        Limits {
            largest_top,
            lost_bits: |_| 0,
        },
    )
    .says("0 for every number")
    .why("A double has 64 bits in all, so there are no more of them than of integers of 64 bits. It has gaps.")
    .link(RULES)])
    .collect()
}
