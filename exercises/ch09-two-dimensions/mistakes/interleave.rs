//! What goes wrong with interleaving, and with the way back.

use kit::{Mistake, Quirk, compose};

use crate::interleave::Curve;
use crate::solutions::interleave::{deinterleave, interleave};

const TASK: &str = "interleave";
const BITS: &str = "interleaving";
const LETTERS: &str = "the-same-cells-as-letters";
const WIDTH: &str = "fifty-two-bits";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    AxesExchanged,
    LowestFirst,
    Cut16,
    Cut26,
    Cut31,
}
use Step::{AxesExchanged, Cut16, Cut26, Cut31, LowestFirst};

fn with(steps: &[Step], coordinate: u32) -> u32 {
    let has = |step| steps.contains(&step);
    let cut = if has(Cut16) {
        coordinate & 0xffff
    } else if has(Cut26) {
        coordinate & 0x3ff_ffff
    } else if has(Cut31) {
        coordinate & 0x7fff_ffff
    } else {
        coordinate
    };
    if has(LowestFirst) {
        cut.reverse_bits()
    } else {
        cut
    }
}

/// Of the three widths, one at most.
fn fits(steps: &[Step]) -> bool {
    steps
        .iter()
        .filter(|s| matches!(s, Cut16 | Cut26 | Cut31))
        .count()
        < 2
}

fn encoder(steps: &[Step]) -> Option<Curve> {
    let steps = fits(steps).then(|| steps.to_vec())?;
    let encode = move |x, y| {
        let (x, y) = (with(&steps, x), with(&steps, y));
        if steps.contains(&AxesExchanged) {
            interleave(y, x)
        } else {
            interleave(x, y)
        }
    };
    Some(Curve::new(encode, deinterleave))
}

fn decoder(steps: &[Step]) -> Option<Curve> {
    let steps = fits(steps).then(|| steps.to_vec())?;
    let decode = move |number| {
        let (x, y) = deinterleave(number);
        let (x, y) = (with(&steps, x), with(&steps, y));
        if steps.contains(&AxesExchanged) {
            (y, x)
        } else {
            (x, y)
        }
    };
    Some(Curve::new(interleave, decode))
}

const ENCODING: [Quirk<Step>; 5] = [
    Quirk::new(AxesExchanged, "axes_exchanged", "number")
        .says("y before x")
        .why("It is a curve, and a good one, but another: all who share the numbers must agree. Here x comes first, so \
              it is in the odd bits: the number of 1, 0 is 2.")
        .link(WRONG),
    Quirk::new(LowestFirst, "lowest_bits_first", "number")
        .says("the lowest bits in front")
        .why("The highest bit says which half of the map, and must decide first. With the lowest bit in front, all even \
              columns come before all odd ones.")
        .link(WRONG),
    Quirk::new(Cut16, "sixteen_bits_alone", "number")
        .says("the lowest 16 bits of both coordinates")
        .why("A number of 64 bits has room for 32 bits of each. The bits above 16 are lost, so far places share a number.")
        .link(WRONG),
    Quirk::new(Cut26, "twenty_six_bits_alone", "number")
        .says("the lowest 26 bits of both coordinates")
        .why("A score has 26 bits of each coordinate because it is kept in a double. The number of this task is a u64, and \
              all 32 bits count.")
        .link(WIDTH),
    Quirk::new(Cut31, "highest_bit_lost", "number")
        .says("both coordinates without their highest bit")
        .why("Bit 31 is a bit like the others: `0..32`, not `0..31`. It decides between the halves of the map.")
        .link(TASK),
];

const DECODING: [Quirk<Step>; 5] = [
    Quirk::new(AxesExchanged, "decode_axes_exchanged", "round-trip")
        .says("y and x exchanged")
        .why("x is in the odd bits of the number, y in the even ones. The lowest bit is one of y.")
        .link(BITS),
    Quirk::new(LowestFirst, "decode_lowest_first", "round-trip")
        .says("coordinates with their bits turned round")
        .why("If you take the bits from the front and shift each one further up than the last, the first ends lowest. The highest \
              bit of the number is the highest one of x.")
        .link(BITS),
    Quirk::new(Cut16, "decode_sixteen_bits", "round-trip")
        .says("the lowest 16 bits of both coordinates")
        .why("Half of the number's bits are read. A coordinate has 32.")
        .link(BITS),
    Quirk::new(Cut26, "decode_twenty_six_bits", "round-trip")
        .says("the lowest 26 bits of both coordinates")
        .why("Numbers of 52 bits come back, this one has 64. A coordinate has 32 bits.")
        .link(WIDTH),
    Quirk::new(Cut31, "decode_highest_bit_lost", "round-trip")
        .says("both coordinates without their highest bit")
        .why("Bit 31 is a bit like the others: `0..32`, not `0..31`.")
        .link(TASK),
];

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Curve>> {
    let mut mistakes = of_numbers();
    mistakes.extend(of_points());
    mistakes.extend(compose("interleave", &ENCODING, encoder));
    mistakes.extend(compose("deinterleave", &DECODING, decoder));
    mistakes
}

/// The bits of a coordinate, spread without the first step of the halving.
fn without_the_first_mask(coordinate: u32) -> u64 {
    let mut bits = u64::from(coordinate);
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

/// Digit by digit, in base ten.
fn digits(mut x: u32, mut y: u32) -> u64 {
    let (mut number, mut unit) = (0_u64, 1_u64);
    while x > 0 || y > 0 {
        let pair = u64::from(x % 10) * 10 + u64::from(y % 10);
        number = number.wrapping_add(pair.wrapping_mul(unit));
        unit = unit.wrapping_mul(100);
        (x, y) = (x / 10, y / 10);
    }
    number
}

fn bytes(x: u32, y: u32) -> u64 {
    let (x, y) = (x.to_be_bytes(), y.to_be_bytes());
    u64::from_be_bytes([x[0], y[0], x[1], y[1], x[2], y[2], x[3], y[3]])
}

/// Shifted before it is widened.
fn in_u32(x: u32, y: u32) -> u64 {
    let mut number = 0;
    for bit in 0..32 {
        assert!(
            2 * bit < 32 || (x | y) >> bit == 0,
            "attempt to shift left with overflow"
        );
        if 2 * bit < 32 {
            number |= (y >> bit & 1) << (2 * bit) | (x >> bit & 1) << (2 * bit + 1);
        }
    }
    u64::from(number)
}

fn of_numbers() -> Vec<Mistake<Curve>> {
    let mistake = |name, check, encode: fn(u32, u32) -> u64| {
        Mistake::new(name, "interleave", check, Curve::new(encode, deinterleave))
    };
    vec![
        mistake("one_after_the_other", "number", |x, y| u64::from(x) << 32 | u64::from(y))
            .says("x in the upper half and y in the lower half")
            .why(
                "That is a tuple. It sorts by x alone, and y decides only between equal x: a scan reads whole meridians again.",
            )
            .link(WRONG),
        mistake("side_by_side", "number", |x, y| u64::from(x) << 1 | u64::from(y))
            .says("x shifted by one, with y laid over it")
            .why(
                "The bits have to move apart first, so that there is a gap after each one. Otherwise the bits of x and y fall on each \
                 other.",
            )
            .link(BITS),
        mistake("both_on_the_even_bits", "number", |x, y| interleave(0, x) | interleave(0, y))
            .says("the bits of both coordinates at the even places")
            .why(
                "Bit i of x belongs at place 2 i + 1, bit i of y at 2 i. At one place, the two fall on each other.",
            )
            .link(BITS),
        mistake("both_on_the_odd_bits", "number", |x, y| interleave(x, 0) | interleave(y, 0))
            .says("the bits of both coordinates at the odd places")
            .why("Bit i of x belongs at place 2 i + 1, bit i of y at 2 i. At one place, the two fall on each other.")
            .link(BITS),
        mistake("ends_with_the_smaller", "number", |x, y| {
            let bits = x.min(y).checked_ilog2().map_or(0, |bit| bit + 1);
            let mask = u32::MAX.checked_shr(32 - bits).unwrap_or(0);
            interleave(x & mask, y & mask)
        })
        .says("bits that end with the highest 1 of the smaller coordinate")
        .why(
            "One coordinate has no 1 left and the other has: its bits count still. Go on as long as `x > 0 || y > 0`, or over all 32.",
        )
        .link(TASK),
        mistake("digits_not_padded", "number", |x, y| {
            let digits = |n: u32| format!("{n:b}").into_bytes();
            let pairs = digits(x).into_iter().zip(digits(y));
            pairs.fold(0, |number, (x, y)| number << 2 | u64::from((x - b'0') << 1 | (y - b'0')))
        })
        .says("binary digits without the zeros in front")
        .why(
            "The first digit of 2 is worth 2, that of 1 is worth 1, and they make no pair. All numbers need 32 digits: `{x:032b}`.",
        )
        .link(TASK),
        mistake("bits_not_taken_down_first", "number", |x, y| {
            let moved = |coordinate: u32, bit: u32, to: u32| u64::from(coordinate & 1 << bit) << to;
            (0..32).fold(0, |number, bit| number | moved(x, bit, 2 * bit + 1) | moved(y, bit, 2 * bit))
        })
        .says("the bits of a coordinate three places apart: bit i of y at 3 i, bit i of x at 3 i + 1")
        .why(
            "They belong two places apart. Do you shift a bit from where it is? `x & 1 << i` leaves bit i at place i: to 2 i + 1 it has \
             i + 1 places to go. Or take it down first: `x >> i & 1` is 0 or 1.",
        )
        .link(BITS),
        mistake("higher_bits_not_cut_off", "number", |x, y| {
            let taken = |coordinate: u32, bit: u32, to: u32| u64::from(coordinate >> bit) << to;
            (0..32).fold(0, |number, bit| number | taken(x, bit, 2 * bit + 1) | taken(y, bit, 2 * bit))
        })
        .says("bits that are shifted into place with all bits above them")
        .why("`x >> i` has bit i in the last place, and those above it as well. One of them is meant: `x >> i & 1`.")
        .link(BITS),
        mistake("mask_shifted_up", "number", |x, y| {
            let taken = |coordinate: u32, bit: u32, to: u32| (u64::from(coordinate) >> bit) & (1 << to);
            (0..32).fold(0, |number, bit| number | taken(x, bit, 2 * bit + 1) | taken(y, bit, 2 * bit))
        })
        .says("a coordinate that is shifted down, and masked by a 1 that is shifted up")
        .why(
            "`<<` binds tighter than `&`: `y >> i & 1 << 2 * i` is `(y >> i) & (1 << 2 * i)`, and that is bit 3 i of y. Take the bit first, then \
             shift it: `(y >> i & 1) << 2 * i`.",
        )
        .link(BITS),
        mistake("added", "number", |x, y| u64::from(x) + u64::from(y))
            .says("the sum")
            .why("1, 0 and 0, 1 have the same sum. Nobody can get the two points back.")
            .link(WRONG),
        mistake("bytes_interleaved", "number", bytes)
            .says("bytes that take turns")
            .why(
                "Within a byte, all bits of x come before all bits of y. A cell of 256 by 256 points is a range, and a quarter of \
                 it is none.",
            )
            .link(BITS),
        mistake("gray_code", "number", |x, y| {
            let number = interleave(x, y);
            number ^ number >> 1
        })
        .says("the right number in Gray code")
        .why(
            "In Gray code neighbouring numbers differ in one bit. It is a step on the way to the Hilbert curve, and another curve: here \
             every bit is one of x or one of y, as it is.",
        )
        .link(BITS),
        mistake("sign_bits_flipped", "number", |x, y| interleave(x ^ 1 << 31, y ^ 1 << 31))
            .says("coordinates with their first bit flipped")
            .why("That flip is for signed numbers. A `u32` has no sign: its bits are taken as they are.")
            .link(TASK),
        mistake("digits_interleaved", "number", digits)
            .says("decimal digits that take turns")
            .why(
                "The idea is right and the digits are the wrong ones. A cell is then a tenth of a tenth of the map, and the \
                 number has no prefix of bits.",
            )
            .link(LETTERS),
        mistake("first_mask_left_out", "number", |x, y| {
            without_the_first_mask(x) << 1 | without_the_first_mask(y)
        })
        .says("shifts and masks that begin with the shift by 8")
        .why(
            "From 32 bits to 64, the upper 16 have to move by 16 first: `(bits | bits << 16) & 0x0000ffff0000ffff`. Without it \
             only coordinates of 16 bits come out right.",
        )
        .link(TASK),
        mistake("shifted_in_u32", "returns", in_u32)
            .says("bits that are shifted as `u32`")
            .why(
                "Bit 16 of a coordinate becomes bit 32 of the number or a higher one, and a `u32` has none. Widen first: \
                 `u64::from(..)`, then shift.",
            )
            .link(TASK),
    ]
}

fn of_points() -> Vec<Mistake<Curve>> {
    let mistake = |name, decode: fn(u64) -> (u32, u32)| {
        Mistake::new(
            name,
            "deinterleave",
            "round-trip",
            Curve::new(interleave, decode),
        )
    };
    vec![
        mistake("decode_halves", |number| ((number >> 32) as u32, number as u32))
            .says("the upper and the lower half of the number")
            .why("The bits take turns. The upper half of the number holds the upper half of both coordinates.")
            .link(BITS),
        mistake("decode_even_bits_twice", |number| {
            let (_, y) = deinterleave(number);
            (y, y)
        })
        .says("the even bits for both coordinates")
        .why("x is in the odd bits. Shift the number by one before you gather them.")
        .link(BITS),
        mistake("decode_odd_bits_twice", |number| {
            let (x, _) = deinterleave(number);
            (x, x)
        })
        .says("the odd bits for both coordinates")
        .why("y is in the even bits, and they need no shift.")
        .link(BITS),
        mistake("decode_bytes", |number| {
            let b = number.to_be_bytes();
            (
                u32::from_be_bytes([b[0], b[2], b[4], b[6]]),
                u32::from_be_bytes([b[1], b[3], b[5], b[7]]),
            )
        })
        .says("bytes that take turns")
        .why("Every byte of the number holds four bits of x and four of y.")
        .link(BITS),
        mistake("decode_shifts_by_the_bit_alone", |number| {
            let gathered = |number: u64| (0..32).fold(0, |sum, bit| sum | (number >> bit & 1) << bit);
            (gathered(number >> 1) as u32, gathered(number) as u32)
        })
        .says("bit i of the number for bit i of y, and bit i + 1 for bit i of x")
        .why("Bit i of y is at place 2 i of the number, and bit i of x at 2 i + 1: every second bit is of the other coordinate.")
        .link(BITS),
        mistake("decode_digits_not_padded", |number| {
            let digits = format!("{number:b}").into_bytes();
            let every_second = |from: usize| {
                let bits = digits.iter().skip(from).step_by(2);
                bits.fold(0, |sum: u32, digit| sum << 1 | u32::from(digit - b'0'))
            };
            (every_second(0), every_second(1))
        })
        .says("every second binary digit, without the zeros in front")
        .why(
            "The first digit of the number 1 is its lowest bit, one of y, and that of 2 is one of x. All numbers need 64 digits: `{number:064b}`.",
        )
        .link(TASK),
        mistake("decode_gaps_left", |number| {
            let odd = number >> 1 & 0x5555_5555_5555_5555;
            let even = number & 0x5555_5555_5555_5555;
            (odd as u32, even as u32)
        })
        .says("the bits of each coordinate with the gaps between them")
        .why("After the mask there is still a 0 before each bit. The bits have to be moved together again.")
        .link(BITS),
        mistake("decode_higher_bits_not_cut_off", |number| {
            let bits = |from: u32| (0..32).fold(0, |sum, bit| sum | ((number >> (2 * bit + from)) as u32) << bit);
            (bits(1), bits(0))
        })
        .says("bits that are shifted into place with all bits above them")
        .why("`number >> 2 * i` has bit 2 i in the last place, and those above it as well. One of them is meant: `number >> 2 * i & 1`.")
        .link(BITS),
        mistake("decode_first_mask_left_out", |number| {
            let together = |mut bits: u64| {
                for (shift, mask) in [
                    (1, 0x3333_3333_3333_3333),
                    (2, 0x0f0f_0f0f_0f0f_0f0f),
                    (4, 0x00ff_00ff_00ff_00ff),
                    (8, 0x0000_ffff_0000_ffff),
                    (16, 0x0000_0000_ffff_ffff),
                ] {
                    bits = (bits | bits >> shift) & mask;
                }
                bits as u32
            };
            (together(number >> 1), together(number))
        })
        .says("the bits of each coordinate moved together with those of the other one between them")
        .why(
            "Between the bits of one coordinate are those of the other one, and they have to go before anything moves: begin with \
             `number & 0x5555555555555555`, and the same of `number >> 1`.",
        )
        .link(TASK),
    ]
}
