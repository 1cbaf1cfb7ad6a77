//! What goes wrong with numbers of three widths in one key space.

use std::sync::Arc;

use kit::{Mistake, Quirk, compose};

use crate::width_matters::{Encode, Number, width};

const TASK: &str = "width-matters";
const INVARIANTS: &str = "invariants";
const SCAN: &str = "a-scan-goes-wrong";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    LittleEndian,
    OwnWidth,
    ZerosDropped,
    ZerosDroppedToOneByte,
    ZerosAfterOwnWidth,
    ZerosAfter,
    Only16Bits,
    Only8Bits,
    TypeInFront,
    WidthInFront,
    TypeAfter,
    WidthAfter,
}
use Step::{
    LittleEndian, Only8Bits, Only16Bits, OwnWidth, TypeAfter, TypeInFront, WidthAfter,
    WidthInFront, ZerosAfter, ZerosAfterOwnWidth, ZerosDropped, ZerosDroppedToOneByte,
};

/// Of each group, an encoder takes one step at most.
const LAYOUTS: [Step; 7] = [
    OwnWidth,
    ZerosDropped,
    ZerosDroppedToOneByte,
    ZerosAfterOwnWidth,
    ZerosAfter,
    Only16Bits,
    Only8Bits,
];
const TAGS: [Step; 4] = [TypeInFront, WidthInFront, TypeAfter, WidthAfter];

const QUIRKS: [Quirk<Step>; 12] = [
    Quirk::new(OwnWidth, "own_width", "order")
        .says("each number in its own width")
        .why(
            "Without equal width, \"further left\" means nothing: in big-endian the first byte of a `u8` counts \
         ones, and that of a `u16` counts 256s. And 5 has three keys.",
        )
        .link(INVARIANTS),
    Quirk::new(ZerosDropped, "leading_zeros_dropped", "order")
        .says("all leading zero bytes dropped")
        .why(
            "It saves space, and the number's bytes do not depend on its type. But without equal width, \"further left\" \
         means nothing: 256 comes before 5, both as a `u32`.",
        )
        .link(WRONG),
    Quirk::new(ZerosDroppedToOneByte, "shortest_width", "order")
        .says("the fewest bytes that hold the value")
        .why(
            "The number's bytes do not depend on its type. But how many there are depends on its value, and 256 comes \
         before 5, both as a `u32`.",
        )
        .link(WRONG),
    Quirk::new(ZerosAfterOwnWidth, "own_width_filled_up_after", "order")
        .says("each number in its own width with zeros filled up after it")
        .why(
            "All numbers take four bytes, but 5 as a `u8` takes 05 00 00 00 now, the bytes of 83886080. Zeros leave a number as it is only in front of it.",
        )
        .link(WRONG),
    Quirk::new(ZerosAfter, "leading_zeros_moved_to_the_end", "order")
        .says("leading zero bytes moved to the end")
        .why(
            "All numbers take four bytes again, but 1 and 256 take the same ones. Zeros leave a number as it \
         is only in front of it.",
        )
        .link(WRONG),
    Quirk::new(Only16Bits, "truncated_to_16_bits", "order")
        .says("every number cut to 16 bits")
        .why(
            "The common width must hold the largest of the numbers. `as u16` drops the upper half of a \
         `u32` without a word: 65536 becomes 0.",
        )
        .link(INVARIANTS),
    Quirk::new(Only8Bits, "truncated_to_8_bits", "order")
        .says("every number cut to 8 bits")
        .why(
            "The common width must hold the largest of the numbers. `as u8` keeps the lowest byte and drops \
         the others without a word: 256 becomes 0.",
        )
        .link(INVARIANTS),
    Quirk::new(LittleEndian, "little_endian", "order")
        .says("little-endian bytes")
        .why(
            "Of the number's bytes, the one that counts least comes first: 256 comes before 5, both as a `u32`.",
        )
        .link(SCAN),
    Quirk::new(TypeInFront, "type_in_front", "order")
        .says("a byte for the type (0, 1, 2) in front of the number")
        .why(
            "The first byte decides, and it is not part of the number: all `u8` come before all `u16`, \
         however large they are. 5 has three keys.",
        )
        .link(TASK),
    Quirk::new(WidthInFront, "width_in_front", "order")
        .says("the width of the type (1, 2, 4) in front of the number")
        .why(
            "The first byte decides, and it is not part of the number: all `u8` come before all `u16`, \
         however large they are. 5 has three keys.",
        )
        .link(TASK),
    Quirk::new(TypeAfter, "type_after", "order")
        .says("a byte for the type (0, 1, 2) after the number")
        .why(
            "A byte after numbers of one width leaves their order as it is. But 5 has three keys, so anyone who looks for a 5 has to know how wide it \
         was when it was written.",
        )
        .link(TASK),
    Quirk::new(WidthAfter, "width_after", "order")
        .says("the width of the type (1, 2, 4) after the number")
        .why(
            "A byte after numbers of one width leaves their order as it is. But 5 has three keys, so anyone who looks for a 5 has to know how wide it \
         was when it was written.",
        )
        .link(TASK),
];

fn key(steps: &[Step], number: Number) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    let mut bytes = number.value().to_be_bytes().to_vec();
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let dropped = if has(OwnWidth) || has(ZerosAfterOwnWidth) {
        4 - width(number)
    } else if has(ZerosDropped) || has(ZerosAfter) {
        zeros
    } else if has(ZerosDroppedToOneByte) {
        zeros.min(3)
    } else if has(Only16Bits) {
        2
    } else if has(Only8Bits) {
        3
    } else {
        0
    };
    bytes.drain(..dropped);
    if has(LittleEndian) {
        bytes.reverse();
    }
    if has(ZerosAfterOwnWidth) || has(ZerosAfter) {
        bytes.resize(4, 0);
    }
    let (width, place) = match number {
        Number::U8(_) => (1, 0),
        Number::U16(_) => (2, 1),
        Number::U32(_) => (4, 2),
    };
    if has(TypeInFront) {
        bytes.insert(0, place);
    }
    if has(WidthInFront) {
        bytes.insert(0, width);
    }
    if has(TypeAfter) {
        bytes.push(place);
    }
    if has(WidthAfter) {
        bytes.push(width);
    }
    bytes
}

fn with(steps: &[Step]) -> Option<Encode> {
    let at_most_one = |group: &[Step]| steps.iter().filter(|s| group.contains(s)).count() <= 1;
    if !at_most_one(&LAYOUTS) || !at_most_one(&TAGS) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Arc::new(move |number| key(&steps, number)))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Encode>> {
    let mistake = |name, encode: fn(Number) -> Vec<u8>| {
        Mistake::<Encode>::new(name, "encode", "order", Arc::new(encode))
    };
    let mut mistakes = vec![
        mistake("decimal_text", |n| n.value().to_string().into_bytes())
            .says("the number as decimal text")
            .why(
                "Text is compared from the left as well, and 256 has more digits than 5: the 2 of its \
                 hundreds meets the 5, and comes first.",
            )
            .link(WRONG),
        mistake("hexadecimal_text", |n| format!("{:x}", n.value()).into_bytes())
            .says("the number as hexadecimal text")
            .why(
                "Without leading zeros the widths differ again: 256 is `100`, and its 1 comes before the \
                 5. Eight digits for each would sort.",
            )
            .link(WRONG),
        mistake("five_digits", |n| format!("{:05}", n.value()).into_bytes())
            .says("decimal text with five digits, and more where the number has more")
            .why(
                "Five digits are enough for a `u16`. A `u32` has up to ten, and from 100000 on the text is longer than that of \
                 other numbers. `{:010}` would sort.",
            )
            .link(WRONG),
        mistake("eight_digits", |n| format!("{:08}", n.value()).into_bytes())
            .says("decimal text that is filled up to eight digits, and longer where the number has more")
            .why(
                "`u32::MAX` is 4294967295, and has ten digits. From 100000000 on the text is longer than that of other numbers. `{:010}` would \
                 sort.",
            )
            .link(WRONG),
        mistake("digits_of_each_type", |n| match n {
            Number::U8(value) => format!("{value:03}").into_bytes(),
            Number::U16(value) => format!("{value:05}").into_bytes(),
            Number::U32(value) => format!("{value:010}").into_bytes(),
        })
        .says("three decimal digits for a `u8`, five for a `u16` and ten for a `u32`")
        .why(
            "Within one type the width is fixed, and between two it is not: 5 is `005`, `00005` and `0000000005`, three keys for one value. All \
             take the digits of the widest type, `{:010}`.",
        )
        .link(INVARIANTS),
        mistake("six_hexadecimal_digits", |n| format!("{:06x}", n.value()).into_bytes())
            .says("hexadecimal text with six digits, and more where the number has more")
            .why(
                "A `u32` has up to eight. From 2^24 on the text is longer than that of other numbers. `{:08x}` would sort. With a `#` the width \
                 counts the `0x` too: then it is `{:#010x}`.",
            )
            .link(WRONG),
        mistake("one_hexadecimal_digit_a_byte", |n| {
            let digits = n.value().to_be_bytes().map(|byte| format!("{byte:x}"));
            digits.concat().into_bytes()
        })
        .says("four bytes in hexadecimal, those below 16 in one digit")
        .why(
            "5 is `0005` and 256 is `0010`. But 16 is `00010`, one digit longer, and comes before 5. A byte has two digits, `{:02x}`.",
        )
        .link(WRONG),
        mistake("digits_backwards", |n| {
            format!("{:010}", n.value()).bytes().rev().collect()
        })
        .says("ten decimal digits, the ones first")
        .why(
            "The width is right, and the ends are exchanged: the digit that counts least comes first and decides. That is little-endian in \
             base ten: 256 begins with 6, and comes before 7.",
        )
        .link(SCAN),
        mistake("digit_count_as_text_in_front", |n| {
            let digits = n.value().to_string();
            format!("{}{digits}", digits.len()).into_bytes()
        })
        .says("decimal text with the number of its digits in front, as text too")
        .why(
            "With the length in front, longer numbers come after shorter ones, and that is right, as long as the length itself has one width. \
             Ten digits are written `10`, and that comes before `2`. A byte holds the length as well.",
        )
        .link(WRONG),
        mistake("length_at_the_end", |n| {
            let bytes = n.value().to_be_bytes();
            let zeros = n.value().leading_zeros() as usize / 8;
            [&bytes[zeros..], &[(4 - zeros) as u8]].concat()
        })
        .says("the number's own bytes, as few as hold it, and how many they are after them")
        .why(
            "The length has to be compared before the bytes, so it stands in front: 256 is 01 00 and comes before 05, whatever follows. Four bytes for \
             all of them need no length.",
        )
        .link(WRONG),
        mistake("greatest_16_bits_for_what_is_greater", |n| {
            u16::try_from(n.value()).unwrap_or(u16::MAX).to_be_bytes().to_vec()
        })
        .or(Arc::new(|n: Number| u16::try_from(n.value()).unwrap().to_be_bytes().to_vec()))
        .says("16 bits for every number, and the greatest of them, or a panic, for those that do not fit")
        .why("The common width must hold the largest of the numbers, a `u32`: 65536 and all above it have no place in two bytes.")
        .link(INVARIANTS),
        mistake("leading_zero_bits_in_front", |n| {
            let bits = n.value().leading_zeros().to_le_bytes()[0];
            [&[bits][..], &n.value().to_be_bytes()].concat()
        })
        .says("the number of leading zero bits in front of four bytes")
        .why(
            "The greater a number, the fewer zeros stand before it: in front, they turn the order round. What goes in front has to grow with \
             the number, as the count of its other bits does. Four bytes need nothing in front.",
        )
        .link(INVARIANTS),
        mistake("signs_where_there_are_none", |n| {
            let wide = match n {
                Number::U8(value) => i32::from(value.cast_signed()),
                Number::U16(value) => i32::from(value.cast_signed()),
                Number::U32(value) => value.cast_signed(),
            };
            wide.to_be_bytes().to_vec()
        })
        .says("a `u8` and a `u16` taken for signed numbers before they are made wider")
        .why(
            "255 as a `u8` becomes -1 as an `i8`, and made wider it stays -1: ff ff ff ff, which is the key of `u32::MAX`. \
             `u32::from` fills up with zeros.",
        )
        .link(INVARIANTS),
        mistake("octal_text", |n| format!("{:o}", n.value()).into_bytes())
            .says("the number as octal text")
            .why(
                "Text is compared from the left, whatever its base: 256 is 400 and comes before 5. With eleven digits each, `{:011o}`, it \
                 would sort.",
            )
            .link(WRONG),
        mistake("nine_digits", |n| format!("{:09}", n.value()).into_bytes())
            .says("decimal text with nine digits, and ten where the number has ten")
            .why(
                "`u32::MAX` is 4294967295, and has ten digits. From 1000000000 on the text is longer than that of other numbers. \
                 `{:010}` would sort.",
            )
            .link(WRONG),
        mistake("printed_form", |n| match n {
            Number::U8(value) => format!("U8({value})").into_bytes(),
            Number::U16(value) => format!("U16({value})").into_bytes(),
            Number::U32(value) => format!("U32({value})").into_bytes(),
        })
        .says("the number as `{:?}` prints it, its type in front")
        .why(
            "The name of the type is compared first, and then digits from the left. 5 has three keys, and `U16(` comes \
             before `U8(`.",
        )
        .link(WRONG),
        mistake("seven_bits_a_byte", |n| {
            let mut rest = n.value();
            let mut key = Vec::new();
            while rest >= 128 {
                key.push(rest.to_le_bytes()[0] | 0x80);
                rest >>= 7;
            }
            key.push(rest.to_le_bytes()[0]);
            key
        })
        .says("seven bits in each byte, the lowest first, and a top bit that says that more follow")
        .why(
            "Files and networks save space like that. But the bits that count least come first: 300 is ac 02 and comes \
             before 255, which is ff 01.",
        )
        .link(SCAN),
        mistake("seven_bits_a_byte_highest_first", |n| {
            let mut rest = n.value();
            let mut key = vec![rest.to_le_bytes()[0] & 0x7f];
            while rest >= 128 {
                rest >>= 7;
                key.push(rest.to_le_bytes()[0] | 0x80);
            }
            key.reverse();
            key
        })
        .says("seven bits in each byte, the highest first, and a top bit that says that more follow")
        .why(
            "The bits that count most come first, and still keys have several widths: 16384 is 81 80 00 and comes before 256, which is \
             82 00. The first byte has to tell how long the key is, before anything else is compared.",
        )
        .link(INVARIANTS),
        mistake("binary_text", |n| format!("{:b}", n.value()).into_bytes())
            .says("the number as binary text")
            .why(
                "Text is compared from the left, whatever its base: 256 is 100000000 and comes before 5, which is 101. With 32 digits each, \
                 `{:032b}`, it would sort.",
            )
            .link(WRONG),
        #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
        mistake("held_as_f32", |n| (n.value() as f32).to_bits().to_be_bytes().to_vec())
            .says("the bits of the number as an `f32`")
            .why(
                "Positive floats sort by their bits, and all numbers are positive here. But an `f32` holds 24 binary digits: from 2^24 on \
                 neighbours share a key.",
            )
            .link(INVARIANTS),
        mistake("descending", |n| (!n.value()).to_be_bytes().to_vec())
            .says("four bytes with every bit inverted")
            .why("The width is right. Inverting turns the order round: the largest number comes first.")
            .link(INVARIANTS),
        mistake("top_bit_flipped", |n| (n.value() ^ 1 << 31).to_be_bytes().to_vec())
            .says("four bytes with the top bit flipped")
            .why(
                "The width is right. The flip is for signed numbers, in the next chapter. These have no sign: the top bit counts 2^31, and flipped it puts \
                 the larger half first.",
            )
            .link(INVARIANTS),
        mistake("smallest_type", |n| {
            let bytes = n.value().to_be_bytes();
            let width = match n.value() {
                0..=0xff => 1,
                0x100..=0xffff => 2,
                _ => 4,
            };
            bytes[4 - width..].to_vec()
        })
        .says("the bytes of the smallest type that holds the value")
        .why(
            "Equal values have equal keys now. But the number of bytes still depends on the value, and 256, which is 01 00, comes before 5, \
             which is 05.",
        )
        .link(INVARIANTS),
        mistake("small_types_share_two_bytes", |n| match n {
            Number::U32(value) => value.to_be_bytes().to_vec(),
            small => small.value().to_be_bytes()[2..].to_vec(),
        })
        .says("two bytes for a `u8` and a `u16`, and four for a `u32`")
        .why(
            "The `u8` and the `u16` agree now. The `u32` beside them still has another width: its first \
             two bytes are zero, and it comes before numbers that are smaller.",
        )
        .link(INVARIANTS),
    ];
    mistakes.extend(compose("encode", &QUIRKS, with));
    mistakes
}
