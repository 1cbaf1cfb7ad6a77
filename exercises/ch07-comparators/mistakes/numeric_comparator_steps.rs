//! The steps of the numeric order that can go wrong, each with what is to be said of it.

use kit::Quirk;

const SCAN: &str = "a-scan-goes-wrong";
const LAWS: &str = "invariants";
const REPAIR: &str = "the-repair";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Step {
    // Where the number begins.
    FirstDigits,
    LastColon,
    // The prefix.
    PrefixIgnored,
    NumberFirst,
    PrefixCaseIgnored,
    PrefixAsText,
    // The number.
    DigitsAsBytes,
    ZerosCounted,
    Atoi,
    Wrapped,
    ParseOrZero,
    ParseU128OrZero,
    ParseOrNone,
    ParseU128OrNone,
    Padded,
    Padded32,
    ParseI64OrNone,
    Saturated,
    SaturatedU128,
    AsFloat,
    Subtracted,
    MinusRead,
    NoNumberLast,
    // The end.
    NoTies,
    NoTiesNorNoNumber,
    TiesByLength,
    MoreZerosFirst,
    TiesReversed,
    TiesLess,
    // All of it.
    Descending,
}
use Step::{
    AsFloat, Atoi, Descending, DigitsAsBytes, FirstDigits, LastColon, MinusRead, MoreZerosFirst,
    NoNumberLast, NoTies, NoTiesNorNoNumber, NumberFirst, Padded, Padded32, ParseI64OrNone,
    ParseOrNone, ParseOrZero, ParseU128OrNone, ParseU128OrZero, PrefixAsText, PrefixCaseIgnored,
    PrefixIgnored, Saturated, SaturatedU128, Subtracted, TiesByLength, TiesLess, TiesReversed,
    Wrapped, ZerosCounted,
};

/// Of each group, a comparator takes one step at most.
pub(crate) const APART: [&[Step]; 7] = [
    &[FirstDigits, LastColon],
    &[PrefixIgnored, NumberFirst, PrefixCaseIgnored, PrefixAsText],
    // The sign is at the end of the prefix.
    &[FirstDigits, LastColon, MinusRead],
    &[PrefixIgnored, NumberFirst, PrefixAsText, MinusRead],
    &[
        DigitsAsBytes,
        ZerosCounted,
        Atoi,
        Wrapped,
        ParseOrZero,
        ParseU128OrZero,
        ParseOrNone,
        ParseU128OrNone,
        Padded,
        Padded32,
        ParseI64OrNone,
        Saturated,
        SaturatedU128,
        AsFloat,
        Subtracted,
        MinusRead,
        NoNumberLast,
    ],
    &[
        NoTies,
        NoTiesNorNoNumber,
        TiesByLength,
        MoreZerosFirst,
        TiesReversed,
        TiesLess,
    ],
    // Turned round twice, ties are right.
    &[TiesReversed, Descending],
];

const fn quirk(
    id: Step,
    (name, check): (&'static str, &'static str),
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, check, says, why, link)
}

pub(crate) const QUIRKS: [Quirk<Step>; 30] = [
    quirk(
        FirstDigits,
        ("first_digits_taken", "order"),
        "the first digits of the key as its number, and all before them as its prefix",
        "`a1b2` has the prefix `a1b` and the number 2. Look for the digits from the end of the key.",
        REPAIR,
    ),
    quirk(
        LastColon,
        ("prefix_up_to_the_colon", "order"),
        "a prefix that ends at the last colon",
        "Not every prefix ends in a colon: in `a10` it is `a`. The prefix is all that comes before the digits at \
         the end.",
        REPAIR,
    ),
    quirk(
        PrefixIgnored,
        ("prefix_ignored", "order"),
        "a comparison of the numbers, whatever comes before them",
        "`user:1` comes before `item:2` then, and the two kinds of keys interleave: no prefix is a range any more. \
         The prefix counts first.",
        SCAN,
    ),
    quirk(
        NumberFirst,
        ("number_before_prefix", "order"),
        "a comparison by the number first and the prefix second",
        "All ones of all prefixes are together then, and `item:` is scattered. The prefix counts first.",
        REPAIR,
    ),
    quirk(
        PrefixCaseIgnored,
        ("prefix_case_ignored", "order"),
        "prefixes compared without regard to case",
        "`Item:` and `item:` are two prefixes, and the numbers of one must not come among those of the other. The prefix counts as \
         bytes.",
        REPAIR,
    ),
    quirk(
        PrefixAsText,
        ("prefix_as_text", "order"),
        "prefixes turned into text before they are compared",
        "`from_utf8_lossy` makes one and the same sign of every byte that is not text. Two prefixes become one then, and their \
         numbers decide. Keys are bytes: compare bytes.",
        REPAIR,
    ),
    quirk(
        DigitsAsBytes,
        ("digits_compared_as_bytes", "order"),
        "digits compared as bytes",
        "`10` comes before `9` as bytes. Without leading zeros, the number with more digits is the greater one.",
        SCAN,
    ),
    quirk(
        ZerosCounted,
        ("leading_zeros_counted", "order"),
        "leading zeros counted as digits",
        "`01` is not greater than `2`. Leave the zeros in front out before you count the digits.",
        REPAIR,
    ),
    quirk(
        Atoi,
        ("cut_to_32_bits", "order"),
        "numbers cut to 32 bits, as `atoi` does it",
        "4294967297 becomes 1. The order stays one, because ties are broken by bytes, but it is not the order of the \
         numbers. Compare the digits: they never overflow.",
        SCAN,
    ),
    quirk(
        Wrapped,
        ("cut_to_64_bits", "order"),
        "numbers cut to 64 bits",
        "18446744073709551616 is 2^64 and becomes 0. A longer integer only moves the fault, since numbers may have any \
         length. Compare the digits.",
        REPAIR,
    ),
    quirk(
        ParseOrZero,
        ("overflow_taken_for_zero", "order"),
        "numbers that do not fit into a `u64` taken for 0",
        "`parse::<u64>()` fails at 2^64, and `unwrap_or(0)` puts the greatest numbers in front of all others. \
         Compare the digits.",
        REPAIR,
    ),
    quirk(
        ParseU128OrZero,
        ("overflow_of_128_bits_taken_for_zero", "order"),
        "numbers that do not fit into a `u128` taken for 0",
        "A greater integer only moves the fault: from 2^128 on `parse` fails too. Numbers may have any length. Compare \
         the digits.",
        REPAIR,
    ),
    quirk(
        ParseOrNone,
        ("overflow_taken_for_no_number", "order"),
        "numbers that do not fit into a `u64` taken for none at all",
        "`parse::<u64>().ok()` gives `None` for a key without digits, which is right, and for a number of 2^64 and more \
         as well. So the greatest numbers come before 0. Compare the digits.",
        REPAIR,
    ),
    quirk(
        ParseU128OrNone,
        ("overflow_of_128_bits_taken_for_no_number", "order"),
        "numbers that do not fit into a `u128` taken for none at all",
        "`parse::<u128>().ok()` gives `None` for a key without digits, which is right, and for a number of 2^128 and more \
         as well. So the greatest numbers come before 0. Compare the digits.",
        REPAIR,
    ),
    quirk(
        ParseI64OrNone,
        ("overflow_of_63_bits_taken_for_no_number", "order"),
        "numbers that do not fit into an `i64` taken for none at all",
        "`parse::<i64>()` fails for a key without digits, which is right to come first, and for a number of 2^63 and more as \
         well. So the greatest numbers come before 0. Compare the digits.",
        REPAIR,
    ),
    quirk(
        Padded,
        ("padded_to_20", "order"),
        "digits filled up with zeros to twenty, and compared as bytes",
        "Twenty digits hold every `u64`, and a number here may have any length. A longer one is not filled up, and then \
         digits of different weight meet. Fill up to the longer of the two, or compare the lengths without zeros.",
        REPAIR,
    ),
    quirk(
        Padded32,
        ("padded_to_32", "order"),
        "digits filled up with zeros to thirty-two, and compared as bytes",
        "A number here may have any length. One of more digits is not filled up, and then digits of different weight meet. Fill up to the \
         longer of the two, or compare the lengths without zeros.",
        REPAIR,
    ),
    quirk(
        Saturated,
        ("overflow_taken_for_the_greatest", "order"),
        "numbers that do not fit into an integer taken for its greatest value",
        "All numbers from 2^64 on are one and the same then, and their bytes decide: a longer number that begins with \
         a 1 comes before a shorter one that begins with a 9. Compare the digits.",
        REPAIR,
    ),
    quirk(
        SaturatedU128,
        ("overflow_of_128_bits_taken_for_the_greatest", "order"),
        "numbers that do not fit into a `u128` taken for its greatest value",
        "All numbers from 2^128 on are one and the same then, and their bytes decide: a longer number that begins with \
         a 1 comes before a shorter one that begins with a 9. Compare the digits. (Filled up with zeros to a width, digits do the same beyond it.)",
        REPAIR,
    ),
    quirk(
        AsFloat,
        ("parsed_as_f64", "order"),
        "numbers read as `f64`",
        "From 2^53 on, neighbours become the same double, and their bytes decide, zeros in front included. Compare \
         the digits.",
        REPAIR,
    ),
    quirk(
        Subtracted,
        ("difference_of_32_bits", "transitive"),
        "the sign of a difference in 32 bits, as in `return a - b`",
        "The difference of two far numbers does not fit and changes its sign. So near ones are in order and far ones are \
         not, and three keys go in a circle. Compare, do not subtract.",
        LAWS,
    ),
    quirk(
        MinusRead,
        ("minus_sign_read", "order"),
        "a hyphen in front of the digits taken for a minus sign",
        "The number is what the digits make. The hyphen in `item:-5` belongs to the prefix, as in `item-5`, and `-5` comes before \
         `-10`.",
        REPAIR,
    ),
    quirk(
        NoNumberLast,
        ("no_number_last", "order"),
        "keys without a number after those with one",
        "`item:` has no number, and comes before `item:0`. It is also the beginning of them all, so a scan of the prefix \
         can start there.",
        REPAIR,
    ),
    quirk(
        NoTies,
        ("ties_left_equal", "distinct"),
        "keys called equal when prefix and number are the same",
        "`item:1` and `item:01` are different keys. If they compare equal, one hides the other, and the filter, which \
         hashes bytes, denies it. Break the tie by the whole key.",
        WRONG,
    ),
    quirk(
        NoTiesNorNoNumber,
        ("ties_left_equal_and_no_number_is_zero", "distinct"),
        "keys called equal when prefix and number are the same, and no number taken for 0",
        "`item:1` and `item:01` are different keys, and so are `item:` and `item:0`. If two keys compare equal, one hides the \
         other, and the filter, which hashes bytes, denies it. Break the tie by the whole key.",
        WRONG,
    ),
    quirk(
        TiesByLength,
        ("ties_by_length", "order"),
        "ties broken by length, the shorter key first",
        "It is an order, but not this one: of `item:1` and `item:01` the smaller bytes come first, so `item:01`. Compare the whole \
         keys as bytes.",
        REPAIR,
    ),
    quirk(
        MoreZerosFirst,
        ("more_zeros_first", "order"),
        "ties broken by the zeros in front, more of them first",
        "For `item:01` and `item:1` that is the order of their bytes, since `0` is less than `1`. `item:0` and `item:00` go on alike, \
         and the shorter one comes first. Compare the whole keys as bytes.",
        REPAIR,
    ),
    quirk(
        TiesReversed,
        ("ties_reversed", "order"),
        "ties broken the wrong way round",
        "It is an order, but not this one: of `item:1` and `item:01` the smaller bytes come first, so `item:01`.",
        REPAIR,
    ),
    quirk(
        TiesLess,
        ("ties_always_less", "itself"),
        "`Less` for every tie",
        "A key compared with itself is a tie too, and then it is not equal to itself: no search can find it.",
        LAWS,
    ),
    quirk(
        Descending,
        ("descending", "order"),
        "the right order turned round",
        "`Less` means that `a` comes first. You probably wrote `b.cmp(a)`.",
        LAWS,
    )
    .says_beside("its order turned round"),
];
