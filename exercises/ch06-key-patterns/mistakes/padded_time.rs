//! What goes wrong when a time becomes twenty digits.

use kit::{Mistake, Quirk, compose};

use crate::mistakes::padded_time_decode;
use crate::padded_time::{Padded, padded};
use crate::solutions::padded_time::decode;

const SCAN: &str = "a-scan-goes-wrong";
const WIDTH: &str = "why-twenty-digits";
const TASK: &str = "padded-time";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // What number is written.
    Narrowed,
    ThroughFloat,
    PrintedFloat,
    Signed,
    InSeconds,
    TurnedRound,
    // How it is written.
    Unpadded,
    Ten,
    Thirteen,
    Sixteen,
    Nineteen,
    TwentyOne,
    ThirtyNine,
    Spaces,
    ZerosAfter,
    LowestDigitFirst,
    Hexadecimal,
    BareDigits,
    BigEndian,
    LeftOpen,
}
use Step::{
    BareDigits, BigEndian, Hexadecimal, InSeconds, LeftOpen, LowestDigitFirst, Narrowed, Nineteen,
    PrintedFloat, Signed, Sixteen, Spaces, Ten, Thirteen, ThirtyNine, ThroughFloat, TurnedRound,
    TwentyOne, Unpadded, ZerosAfter,
};

const NUMBER: [Step; 6] = [
    Narrowed,
    ThroughFloat,
    PrintedFloat,
    Signed,
    InSeconds,
    TurnedRound,
];

const QUIRKS: [Quirk<Step>; 20] = [
    Quirk::of(
        Narrowed,
        "narrowed_to_u32",
        "order",
        "the digits of `time as u32`",
        "A time in milliseconds needs 41 bits today. `as u32` keeps 32, so times 49 days apart share a key.",
        WIDTH,
    ),
    Quirk::of(
        ThroughFloat,
        "through_a_double",
        "order",
        "the digits of `time as f64`",
        "A double holds whole numbers exactly up to 2^53. Above, neighbours fall together, and times in \
         nanoseconds are above.",
        WIDTH,
    ),
    Quirk::of(
        PrintedFloat,
        "printed_as_a_double",
        "order",
        "the digits that `time as f64` is printed with",
        "A double holds whole numbers exactly up to 2^53. Above, neighbours fall together, and times in \
         nanoseconds are above.",
        WIDTH,
    ),
    Quirk::of(
        Signed,
        "signed",
        "order",
        "the digits of `time as i64`",
        "From 2^63 on the number is negative, and a minus sign sorts before every digit. A `u64` needs no sign.",
        "before-1970",
    ),
    Quirk::of(
        InSeconds,
        "in_seconds",
        "order",
        "the digits of `time / 1000`",
        "Nobody asked for another unit. A thousand times share one key now, and the later row overwrites the \
         earlier.",
        "invariants",
    ),
    Quirk::of(
        TurnedRound,
        "newest_first",
        "order",
        "the digits of `u64::MAX - time`",
        "That is newest first, the exercise after this one. Here the earliest time comes first.",
        TASK,
    ),
    Quirk::of(
        Unpadded,
        "without_padding",
        "order",
        "the decimal digits without zeros in front",
        "Text is compared from the left, so 10 comes before 2. All times between 2001 and 2286 have thirteen digits in \
         milliseconds, which hides it.",
        SCAN,
    ),
    Quirk::of(
        Ten,
        "padded_to_10",
        "order",
        "zeros in front up to ten digits",
        "That is enough for seconds until 2286, and for a `u32`. Milliseconds have thirteen digits today. The width has to \
         fit the greatest `u64`.",
        WIDTH,
    ),
    Quirk::of(
        Sixteen,
        "padded_to_16",
        "order",
        "zeros in front up to sixteen digits",
        "That is enough for microseconds until 2286. Nanoseconds have nineteen digits today. The width has to fit the greatest `u64`.",
        WIDTH,
    ),
    Quirk::of(
        Thirteen,
        "padded_to_13",
        "order",
        "zeros in front up to thirteen digits",
        "That is enough for milliseconds until 2286. Microseconds have sixteen digits today. The width has to \
         fit the greatest `u64`, or you must refuse what does not fit.",
        WIDTH,
    ),
    Quirk::of(
        Nineteen,
        "padded_to_19",
        "order",
        "zeros in front up to nineteen digits",
        "Nineteen digits are enough for `i64::MAX`. `u64::MAX` has twenty, and from 10^19 on the order breaks.",
        WIDTH,
    ),
    Quirk::of(
        TwentyOne,
        "padded_to_21",
        "length",
        "zeros in front up to twenty-one digits",
        "The order is right. But the greatest `u64` has twenty digits, so the first one is always 0, and \
         whoever reads the key expects twenty bytes.",
        WIDTH,
    )
    .why_beside(
        "The greatest `u64` has twenty digits, so a key needs no more than twenty, and whoever reads it expects as many bytes.",
    ),
    Quirk::of(
        ThirtyNine,
        "padded_to_39",
        "length",
        "zeros in front up to thirty-nine digits",
        "That many digits has the greatest `u128`. A time is a `u64` here, whose greatest number has twenty: the order is \
         right, and nineteen bytes of each key say nothing.",
        WIDTH,
    )
    .why_beside(
        "That many digits has the greatest `u128`. A time is a `u64` here, whose greatest number has twenty.",
    ),
    Quirk::of(
        Spaces,
        "padded_with_spaces",
        "digits",
        "spaces in front instead of zeros",
        "The order is right: a space is 20 and sorts before the digits. But the task asks for zeros, and a key \
         with spaces is hard to see and easy to trim. `{:020}` fills with zeros, `{:20}` with spaces.",
        TASK,
    )
    .why_beside(
        "The task asks for zeros, and a key with spaces is hard to see and easy to trim. `{:020}` fills with zeros, `{:20}` with spaces.",
    ),
    Quirk::of(
        ZerosAfter,
        "zeros_after",
        "order",
        "zeros after the digits",
        "1 and 10 become the same key. Digits of equal weight have to be in the same place, so fill in front.",
        WRONG,
    ),
    Quirk::of(
        LowestDigitFirst,
        "lowest_digit_first",
        "order",
        "the twenty digits from the last to the first",
        "`time % 10` gives the last digit first. In a key the highest digit decides, so it is in front: fill the places from the \
         back.",
        WRONG,
    ),
    Quirk::of(
        Hexadecimal,
        "hexadecimal",
        "digits",
        "twenty hexadecimal digits",
        "The order is right, and sixteen digits would have been enough. The task asks for decimal ones, \
         which people compare with the times in their logs.",
        TASK,
    )
    .why_beside(
        "The task asks for decimal digits, which people compare with the times in their logs.",
    ),
    Quirk::of(
        BareDigits,
        "digits_without_ascii",
        "digits",
        "the values of the digits, from 0 to 9, as bytes",
        "The order is right. But a digit that people read is a character: `0` is the byte 30. Add `b'0'` to each.",
        TASK,
    )
    .why_beside(
        "A digit that people read is a character: `0` is the byte 30. Add `b'0'` to each.",
    ),
    Quirk::of(
        BigEndian,
        "eight_big_endian_bytes",
        "length",
        "eight big-endian bytes",
        "They sort, and they are shorter. But nobody can read them. This task is about the form that people read.",
        WIDTH,
    )
    .why_beside(
        "Nobody can read them. This task is about the form that people read.",
    ),
    Quirk::of(
        LeftOpen,
        "newline_after",
        "length",
        "twenty digits and a newline",
        "The order is right, and the key has one byte more than its fields. A lookup with twenty bytes misses it.",
        "spare-bytes",
    )
    .why_beside(
        "The key has one byte more than its fields. A lookup with twenty bytes misses it.",
    ),
];

fn digits(steps: &[Step], time: u64) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    let sign = if has(Signed) { time.cast_signed() } else { 0 };
    #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
    let double = time as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "these are the mistakes"
    )]
    let number = if has(Narrowed) {
        u128::from(time as u32)
    } else if has(PrintedFloat) {
        // Rust prints as few digits as tell two doubles apart, and zeros after them.
        double.to_string().parse().unwrap_or(0)
    } else if has(ThroughFloat) {
        u128::from(double as u64)
    } else if has(InSeconds) {
        u128::from(time / 1000)
    } else if has(TurnedRound) {
        u128::from(u64::MAX - time)
    } else {
        u128::from(time)
    };
    let width = if has(Ten) {
        10
    } else if has(Sixteen) {
        16
    } else if has(Thirteen) {
        13
    } else if has(Nineteen) {
        19
    } else if has(TwentyOne) {
        21
    } else if has(ThirtyNine) {
        39
    } else {
        20
    };
    let text = match (has(Signed), steps) {
        (true, _) if has(Unpadded) => sign.to_string(),
        (true, _) if has(Spaces) => format!("{sign:20}"),
        (true, _) if has(ZerosAfter) => format!("{:0<20}", sign.to_string()),
        (true, _) if has(Hexadecimal) => format!("{sign:020x}"),
        (true, _) => format!("{sign:0width$}"),
        (false, _) if has(Unpadded) => number.to_string(),
        (false, _) if has(Spaces) => format!("{number:20}"),
        (false, _) if has(ZerosAfter) => format!("{:0<20}", number.to_string()),
        (false, _) if has(Hexadecimal) => format!("{number:020x}"),
        (false, _) => format!("{number:0width$}"),
    };
    if has(BigEndian) {
        return (number as u64).to_be_bytes().to_vec();
    }
    if has(BareDigits) {
        return text.bytes().map(|digit| digit - b'0').collect();
    }
    if has(LowestDigitFirst) {
        return text.bytes().rev().collect();
    }
    let end = if has(LeftOpen) { "\n" } else { "" };
    (text + end).into_bytes()
}

fn with(steps: &[Step]) -> Option<Padded> {
    let (number, form): (Vec<Step>, Vec<Step>) =
        steps.iter().partition(|step| NUMBER.contains(step));
    // A double above the greatest time has no eight bytes, and a minus sign is no digit.
    let apart = [
        [Signed, BigEndian],
        [PrintedFloat, BigEndian],
        [Signed, BareDigits],
    ];
    let are_apart = apart
        .iter()
        .any(|pair| pair.iter().all(|step| steps.contains(step)));
    if number.len() > 1 || form.len() > 1 || are_apart {
        return None;
    }
    let steps = steps.to_vec();
    Some(padded(move |time| digits(&steps, time), decode))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Padded>> {
    let mut mistakes = padded_time_decode::all();
    mistakes.push(
        Mistake::new(
            "first_digit_always_zero",
            "encode",
            "order",
            padded(|time| format!("0{:019}", time % 10_u64.pow(19)).into_bytes(), decode),
        )
        .says("a first digit that is always 0")
        .why(
            "A `u64` has up to twenty digits: `u64::MAX` begins with 1, at 10^19. A loop over places 1 to 19, or one that stops at the second place, never \
             writes the first.",
        )
        .link("why-twenty-digits"),
    );
    mistakes.push(
        Mistake::new(
            "sixteen_hexadecimal_digits",
            "encode",
            "length",
            padded(|time| format!("{time:016x}").into_bytes(), decode),
        )
        .says("sixteen hexadecimal digits")
        .why(
            "They sort, and sixteen hold every `u64`. The task asks for decimal digits, which people compare with the times in their logs, and of those a `u64` \
             has up to twenty.",
        )
        .link(WIDTH),
    );
    #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
    mistakes.push(
        Mistake::new(
            "exact_digits_of_a_double",
            "encode",
            "order",
            padded(|time| format!("{:020.0}", time as f64).into_bytes(), decode),
        )
        .says("all digits of `time as f64`")
        .why(
            "A double holds whole numbers exactly up to 2^53. Above, neighbours fall together, however many digits are printed, and times in \
             nanoseconds are above.",
        )
        .link(WIDTH),
    );
    mistakes.extend(compose("encode", &QUIRKS, with));
    mistakes
}
