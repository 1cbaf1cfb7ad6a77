//! What people expect of byte orders before they look.

use kit::Mistake;

use crate::predict_order::Orders;
use crate::solutions::predict_order::{big_endian, little_endian, text};

const SCAN: &str = "a-scan-goes-wrong";
const BYTES: &str = "where-the-bytes-come-from";
const WRONG: &str = "wrong-answers-and-what-each-breaks";
const BY_VALUE: [i64; 6] = [-300, -200, -1, 0, 1, 256];

fn right() -> Orders {
    Orders {
        big_endian,
        little_endian,
        text,
    }
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Orders>> {
    let mut mistakes = of_big_endian();
    mistakes.extend(of_little_endian());
    mistakes.extend(of_text());
    mistakes
}

fn of_big_endian() -> Vec<Mistake<Orders>> {
    let expects = |name, big_endian| {
        let orders = Orders {
            big_endian,
            ..right()
        };
        Mistake::new(name, "big_endian", "big-endian", orders)
    };
    vec![
        expects("big_endian_like_numbers", || BY_VALUE)
            .says("the order of the numbers themselves")
            .why(
                "Bytes have no sign. The first byte of a negative number is ff, the largest there is, \
                 so the negative rows come after the others.",
            )
            .link(SCAN),
        expects("big_endian_by_distance_from_zero", || {
            [0, 1, 256, -1, -200, -300]
        })
        .says("negative numbers last, sorted by their distance from zero")
        .why(
            "The half is right, its order is not. Two's complement counts upwards: -1 is ff..ff, the \
             very last pattern, and -300 comes before it.",
        )
        .link(BYTES),
        expects("big_endian_all_by_distance", || {
            [0, -1, 1, -200, 256, -300]
        })
        .or(Orders {
            big_endian: || [0, 1, -1, -200, 256, -300],
            ..right()
        })
        .says("the order of the absolute values")
        .why("The bytes of -1 have nothing in common with those of 1. The sign bit comes first.")
        .link(BYTES),
        expects("big_endian_negatives_first_by_distance", || {
            [-1, -200, -300, 0, 1, 256]
        })
        .says("negative numbers first, sorted by their distance from zero")
        .why(
            "Two things are the other way round. The first byte of a negative number is ff, so it comes after 00. And two's \
             complement counts upwards: -300 comes before -1.",
        )
        .link(BYTES),
        expects("big_endian_like_little_endian", little_endian)
            .says("the order of the little-endian bytes")
            .why(
                "Big-endian begins with the big end, the highest byte: 256 is 00 .. 01 00 and comes after 1, \
                 which is 00 .. 00 01.",
            )
            .link(BYTES),
        expects("big_endian_signed_bytes", || [-300, -1, -200, 0, 1, 256])
            .says("the order of bytes that count from -128 to 127")
            .why(
                "Bytes have no sign when keys are compared: ff is 255, the greatest, and not -1. So every negative row comes after \
                 00 .. 01, and among them fe comes before ff, and 38 before ff after that.",
            )
            .link(BYTES),
        expects("big_endian_last_byte_alone", || [0, 1, 256, -200, -300, -1])
            .says("negative numbers last, sorted by their lowest byte")
            .why(
                "-300 is ff .. fe d4 and -200 is ff .. ff 38. They differ in the byte before the last: fe comes before ff, whatever follows it.",
            )
            .link(BYTES),
        expects("big_endian_largest_first", || [256, 1, 0, -1, -200, -300])
            .says("the largest number first")
            .why(
                "A scan goes from small bytes to large ones: 0, which is 00 .. 00, comes first. And bytes have \
                 no sign: -1, which is ff .. ff, comes last.",
            )
            .link(SCAN),
        expects("big_endian_largest_bytes_first", || [-1, -200, -300, 256, 1, 0])
            .says("the largest bytes first")
            .why("The order is right, and reversed: a scan goes from small bytes to large ones, and 0, which is 00 .. 00, comes first.")
            .link(SCAN),
    ]
}

fn of_little_endian() -> Vec<Mistake<Orders>> {
    let expects = |name, little_endian| {
        let orders = Orders {
            little_endian,
            ..right()
        };
        Mistake::new(name, "little_endian", "little-endian", orders)
    };
    vec![
        expects("little_endian_like_numbers", || BY_VALUE)
            .says("the order of the numbers themselves")
            .why("The first byte that is compared is the lowest one: 00 for 256, 01 for 1, 38 for -200.")
            .link(BYTES),
        expects("little_endian_like_big_endian", big_endian)
            .says("the order of the big-endian bytes")
            .why(
                "256 ends in a zero byte, and little-endian begins with it: 00 01 comes before 01 00. \
                 Likewise 38 (-200) comes before d4 (-300).",
            )
            .link(BYTES),
        expects("little_endian_like_big_endian_backwards", || {
            [-1, -200, -300, 256, 1, 0]
        })
        .says("the order of the big-endian bytes backwards")
        .why(
            "Little-endian turns round the bytes of each key, and not the rows. The lowest byte is compared \
             first: 00 for 0 and 256, then 01 for 1.",
        )
        .link(BYTES),
        expects("little_endian_largest_first", || [256, 1, 0, -1, -200, -300])
            .says("the largest number first")
            .why(
                "Little-endian turns round the bytes of each key, and not the numbers. The lowest byte is compared first: 00 for 0 and 256, then \
                 01 for 1.",
            )
            .link(BYTES),
        expects("little_endian_like_text", text)
            .says("the order of the decimal text")
            .why("No digits are written here. The first byte is the lowest one: 00 for 0 and 256, 38 for -200, and ff, the greatest, for -1.")
            .link(BYTES),
        expects("little_endian_by_distance_from_zero", || [0, 1, 256, -1, -200, -300])
            .says("negative numbers last, sorted by their distance from zero")
            .why(
                "The halves are right, their order is not. The lowest byte decides: 00 for 256 and 01 for 1, and below zero 38 for -200, d4 for -300 \
                 and ff for -1.",
            )
            .link(BYTES),
        expects("little_endian_reversed", || [-1, -300, -200, 1, 256, 0])
            .says("the largest lowest byte first")
            .why("The byte is the right one. But a scan goes from small bytes to large ones.")
            .link(BYTES),
        expects("little_endian_signed_bytes", || [-300, -1, 0, 256, 1, -200])
            .says("the order of bytes that count from -128 to 127")
            .why(
                "Bytes have no sign when keys are compared: ff is 255, the greatest, and not -1, and d4 is 212. Of the first bytes, 38 comes \
                 after 01, d4 after 38, and ff last.",
            )
            .link(BYTES),
        expects("little_endian_negatives_first", || [-200, -300, -1, 0, 256, 1])
            .says("the right order in each half, and the negative rows in front")
            .why(
                "Bytes have no sign. The first byte that is compared is the lowest one, and it is 38, d4 and ff in the negative rows: more \
                 than the 00 and 01 of the others.",
            )
            .link(BYTES),
        expects("little_endian_first_byte_alone", || {
            [0, 256, 1, -300, -200, -1]
        })
        .says("256 in its place, and the negative rows like numbers")
        .why("The lowest byte decides among the negative rows too: 38 for -200, d4 for -300.")
        .link(BYTES),
        expects("little_endian_256_after_1", || [0, 1, 256, -200, -300, -1])
            .says("the negative rows in their places, and 0, 1, 256 like numbers")
            .why("The lowest byte of 256 is 00. It comes first, and it is less than the 01 of 1.")
            .link(BYTES),
        expects("little_endian_negatives_by_distance", || [0, 256, 1, -1, -200, -300])
            .says("256 in its place, and the negative rows sorted by their distance from zero")
            .why("The lowest byte decides among the negative rows too: 38 for -200, d4 for -300, ff for -1.")
            .link(BYTES),
    ]
}

fn of_text() -> Vec<Mistake<Orders>> {
    let expects = |name, text| {
        let orders = Orders { text, ..right() };
        Mistake::new(name, "text", "text", orders)
    };
    vec![
        expects("text_like_numbers", || BY_VALUE)
            .says("the order of the numbers themselves")
            .why(
                "After the minus sign the digits are compared from the left: -1, -200, -300. A larger \
                 digit makes a negative number smaller, and its text larger.",
            )
            .link(WRONG),
        expects("text_minus_after_digits", || [0, 1, 256, -1, -200, -300])
            .says("the minus sign after the digits")
            .why("In ASCII `-` is 2d and the digits are 30 to 39: the minus sign comes first.")
            .link(WRONG),
        expects("text_minus_ignored", || [0, -1, 1, -200, 256, -300])
            .or(Orders {
                text: || [0, 1, -1, -200, 256, -300],
                ..right()
            })
            .says("the digits alone, the minus sign ignored")
            .why("The minus sign is a byte like any other, and the first one. It decides.")
            .link(WRONG),
        expects("text_longer_first", || [-200, -300, -1, 0, 1, 256])
            .says("`-1` after the longer `-200` and `-300`")
            .why(
                "The length does not count here: after the minus sign `1` is compared with `2` and `3`, \
                 and the smaller byte comes first.",
            )
            .link(WRONG),
        expects("text_short_negatives_first", || [-1, -300, -200, 0, 1, 256])
            .says("`-1` in front, and the other negative numbers like numbers")
            .why("After the minus sign the digits decide, and `2` is less than `3`: `-200` comes before `-300`.")
            .link(WRONG),
        expects("text_like_big_endian", big_endian)
            .says("the minus sign after the digits, and the negative numbers like numbers")
            .why(
                "In ASCII `-` is 2d and the digits are 30 to 39: the minus sign comes first. After it the digits are compared from the left: `-1`, `-200`, \
                 `-300`. It is the big-endian bytes that come in your order.",
            )
            .link(WRONG),
        expects("text_largest_first", || [256, 1, 0, -300, -200, -1])
            .says("the largest bytes first")
            .why("The order is right, and reversed: a scan goes from small bytes to large ones.")
            .link(WRONG),
        expects("text_largest_number_first", || [256, 1, 0, -1, -200, -300])
            .says("the largest number first")
            .why(
                "A scan goes from small bytes to large ones, and sees signs and digits, not numbers: the minus sign, 2d, is less than every digit, \
                 and of `-1`, `-200` and `-300` the first digit decides.",
            )
            .link(WRONG),
        expects("text_by_length", || [0, 1, -1, 256, -200, -300])
            .or(Orders {
                text: || [0, 1, -1, 256, -300, -200],
                ..right()
            })
            .says("shorter texts first")
            .why("Bytes are compared from the front, whatever comes after. A length decides only where one text is the beginning of the other.")
            .link(WRONG),
    ]
}
