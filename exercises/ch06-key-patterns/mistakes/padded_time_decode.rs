//! What goes wrong when twenty digits are read.

use kit::{Mistake, Quirk, compose};

use crate::padded_time::{Padded, padded};
use crate::solutions::padded_time::encode;

const TASK: &str = "padded-time";
const RULES: &str = "invariants";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // Which keys are let through.
    AnyWidth,
    LongerKeys,
    ShorterKeys,
    ShortPanics,
    PlusAccepted,
    MinusDropped,
    Trimmed,
    LettersUnchecked,
    LettersAsZero,
    // What becomes of a number.
    ZerosStripped,
    OnlySigned,
    GreatestRefused,
    Saturated,
    Wrapped,
    Overflows,
    LettersPanic,
}
use Step::{
    AnyWidth, GreatestRefused, LettersAsZero, LettersPanic, LettersUnchecked, LongerKeys,
    MinusDropped, OnlySigned, Overflows, PlusAccepted, Saturated, ShortPanics, ShorterKeys,
    Trimmed, Wrapped, ZerosStripped,
};

/// Of each group, a decoder takes one step at most.
const APART: [&[Step]; 3] = [
    &[AnyWidth, LongerKeys, ShorterKeys, ShortPanics],
    &[OnlySigned, GreatestRefused, Saturated, Wrapped, Overflows],
    &[
        PlusAccepted,
        MinusDropped,
        Trimmed,
        LettersUnchecked,
        LettersAsZero,
        LettersPanic,
    ],
];

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, "round-trip", says, why, link)
}

/// A step that panics on some keys.
const fn panicking(quirk: Quirk<Step>) -> Quirk<Step> {
    Quirk {
        check: "returns",
        ..quirk
    }
}

const QUIRKS: [Quirk<Step>; 16] = [
    quirk(
        AnyWidth,
        "decode_any_width",
        "reading digits of any width",
        "`10` and `00000000000000000010` are two keys, and 10 has one. If both are read, a program that forgot \
         the padding is never found out.",
        RULES,
    ),
    quirk(
        LongerKeys,
        "decode_longer_keys",
        "refusing keys that are too short and reading those that are too long",
        "A key is exactly its fields. A longer one was written by something else.",
        RULES,
    ),
    quirk(
        ShorterKeys,
        "decode_shorter_keys",
        "refusing keys that are too long and reading those that are too short",
        "`10` and `00000000000000000010` are two keys, and 10 has one. A key has exactly twenty bytes: compare with `!=`.",
        RULES,
    ),
    panicking(quirk(
        ShortPanics,
        "decode_panics_on_short_keys",
        "a panic for keys of fewer than twenty bytes",
        "A slice such as `&key[..20]` needs twenty bytes, and a key may come from a damaged file. Compare the length first, or use \
         `get`.",
        RULES,
    )),
    quirk(
        PlusAccepted,
        "decode_plus_accepted",
        "a plus sign accepted in front",
        "`parse` reads `+10` as 10. So does your `decode`, and two different keys are one time. Ask every byte \
         whether it is a digit.",
        TASK,
    ),
    quirk(
        MinusDropped,
        "decode_minus_dropped",
        "a minus sign in front that is passed over",
        "A minus sign is no digit: this key is not one that `encode` writes, and it means another time.",
        "before-1970",
    ),
    quirk(
        Trimmed,
        "decode_trims_spaces",
        "spaces around the digits that are cut off",
        "Spaces in front sort differently from zeros. A key that has them was written by something else.",
        TASK,
    ),
    quirk(
        LettersUnchecked,
        "decode_letters_unchecked",
        "every byte taken for a digit",
        "`byte - b'0'` is a value only if the byte is a digit. `/` is the byte before `0`, `:` the one after `9`.",
        TASK,
    ),
    quirk(
        LettersAsZero,
        "decode_letters_as_zero",
        "every byte that is no digit taken for a 0",
        "`0000000000000000001a` is no time, and read as 10 it hides that something else has written it. Refuse such a key: \
         `to_digit(10)?`.",
        TASK,
    ),
    quirk(
        ZerosStripped,
        "decode_strips_all_zeros",
        "`None` for the key of 0, as where all zeros in front are cut off",
        "0 is a time, and its key is twenty zeros. Cut them all off, and no digit is left; `parse` reads leading zeros without \
         help.",
        TASK,
    ),
    quirk(
        OnlySigned,
        "decode_only_signed",
        "`None` for times above `i64::MAX`, as where an `i64` is read",
        "`encode` writes them, so `decode` has to read them: twenty digits hold every `u64`.",
        "why-twenty-digits",
    ),
    quirk(
        GreatestRefused,
        "decode_refuses_the_greatest",
        "`None` for the greatest time",
        "`u64::MAX` is a time like any other, and `encode` writes it. Only what is greater is refused: `>`, not `>=`.",
        "why-twenty-digits",
    ),
    quirk(
        Saturated,
        "decode_saturates",
        "the greatest time for all keys above it",
        "18446744073709551616 is twenty digits and no time. Read as `u64::MAX`, it hides that something else \
         has written it.",
        RULES,
    ),
    quirk(
        Wrapped,
        "decode_wraps",
        "numbers above the greatest time cut to 64 bits",
        "18446744073709551616 becomes 0. `checked_mul` and `checked_add` tell you, and so do `parse` and `try_from`.",
        RULES,
    ),
    panicking(quirk(
        Overflows,
        "decode_overflows",
        "a multiplication that panics above the greatest time",
        "18446744073709551616 is twenty digits and no time, and a key may come from a damaged file. A decoder \
         refuses, it never panics. In a release build the same code would wrap in silence.",
        RULES,
    )),
    panicking(quirk(
        LettersPanic,
        "decode_panics_on_letters",
        "a panic where a byte is no digit",
        "A key may come from a damaged file. A decoder gives `None`, it never panics.",
        RULES,
    )),
];

fn read(steps: &[Step], key: &[u8]) -> Option<u64> {
    let has = |step| steps.contains(&step);
    let mut digits = key;
    assert!(
        key.len() >= 20 || !has(ShortPanics),
        "range end index 20 out of range for slice"
    );
    let width_is_wrong = if has(LongerKeys) {
        key.len() < 20
    } else if has(ShorterKeys) {
        key.len() > 20
    } else {
        key.len() != 20
    };
    if width_is_wrong && !has(AnyWidth) || key.is_empty() {
        return None;
    }
    if has(PlusAccepted) {
        digits = digits.strip_prefix(b"+").unwrap_or(digits);
    }
    if has(MinusDropped) {
        digits = digits.strip_prefix(b"-").unwrap_or(digits);
    }
    if has(Trimmed) {
        digits = digits.trim_ascii();
    }
    let zeroed: Vec<u8>;
    if has(LettersAsZero) {
        let digit = |byte: &u8| if byte.is_ascii_digit() { *byte } else { b'0' };
        zeroed = digits.iter().map(digit).collect();
        digits = &zeroed;
    }
    if !digits.iter().all(u8::is_ascii_digit) && !has(LettersUnchecked) {
        assert!(!has(LettersPanic), "no digit");
        return None;
    }
    if has(ZerosStripped) && digits.iter().all(|digit| *digit == b'0') {
        return None;
    }
    number(steps, digits)
}

fn number(steps: &[Step], digits: &[u8]) -> Option<u64> {
    let has = |step| steps.contains(&step);
    let mut wide = 0_u128;
    for digit in digits {
        let digit = u128::from(digit.wrapping_sub(b'0'));
        wide = wide.wrapping_mul(10).wrapping_add(digit);
    }
    #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
    let wrapped = wide as u64;
    match u64::try_from(wide) {
        Ok(time) if has(OnlySigned) && time > i64::MAX.cast_unsigned() => None,
        Ok(u64::MAX) if has(GreatestRefused) => None,
        Ok(time) => Some(time),
        Err(_) if has(Saturated) => Some(u64::MAX),
        Err(_) if has(Wrapped) => Some(wrapped),
        Err(_) => {
            assert!(!has(Overflows), "attempt to multiply with overflow");
            None
        }
    }
}

fn with(steps: &[Step]) -> Option<Padded> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(padded(encode, move |key: &[u8]| read(&steps, key)))
}

/// All mistakes in `decode`.
pub(crate) fn all() -> Vec<Mistake<Padded>> {
    let mut mistakes = vec![
        Mistake::new("decode_always_none", "decode", "round-trip", padded(encode, |_| None))
            .says("`None` for every key")
            .why(
                "If you meant to read some: ask each of your conditions about `00000000000000000010`. It has twenty bytes, and all are digits.",
            )
            .link(TASK),
        // Not two misconceptions but one: all is left to `parse`.
        Mistake::new(
            "decode_by_parse_alone",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| std::str::from_utf8(key).ok()?.parse().ok()),
        )
        .says("`parse` and nothing else")
        .why(
            "`parse` is made for what people type: it reads `10`, and `+10` too. A key has exactly twenty bytes, \
             and all are digits. Check both before you call it.",
        )
        .link(TASK),
        Mistake::new(
            "decode_unwraps_or_zero",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| {
                let text = str::from_utf8(key).ok().filter(|_| key.len() == 20)?;
                Some(text.parse().unwrap_or(0))
            }),
        )
        .says("`parse` with `unwrap_or(0)`")
        .why(
            "0 is a time. Given for what cannot be read, it hides that something else has written the key. `parse().ok()` gives \
             `None`, and what `parse` reads besides digits has to be refused before.",
        )
        .link(RULES),
        Mistake::new(
            "decode_unwraps",
            "decode",
            "returns",
            padded(encode, |key: &[u8]| {
                Some(std::str::from_utf8(key).unwrap().parse().unwrap())
            }),
        )
        .says("`parse` with `unwrap`")
        .why(
            "A key may come from a damaged file or from another program. A decoder gives `None`, it never \
             panics.",
        )
        .link(RULES),
    ];
    mistakes.extend([
        Mistake::new(
            "decode_trims_before_the_width",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| read(&[], key.trim_ascii())),
        )
        .says("white space around the twenty digits that is cut off first")
        .why(
            "`trim` is made for what people type, and a key is not typed. One with a line end behind its digits was written by something \
             else, and two different keys are one time. Compare the width before you change anything.",
        )
        .link(RULES),
        Mistake::new(
            "decode_stops_at_a_zero_byte",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| {
                let end = key.iter().position(|byte| *byte == 0).unwrap_or(key.len());
                read(&[], &key[..end])
            }),
        )
        .says("whatever comes from the first zero byte on cut off first")
        .why(
            "So ends text in C. A key ends where it ends: one with a zero byte behind its digits was written by something else, and two different keys \
             are one time. Compare the width before you change anything.",
        )
        .link(RULES),
        Mistake::new(
            "decode_gives_zero_for_what_is_no_key",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| Some(read(&[], key).unwrap_or(0))),
        )
        .or(padded(encode, |key: &[u8]| {
            let digits = key.len() == 20 && key.iter().all(u8::is_ascii_digit);
            if digits { read(&[], key) } else { Some(0) }
        }))
        .says("`Some(0)` for what is not twenty digits")
        .why(
            "0 is a time like any other, and has a key of its own. Who reads it out of a damaged key cannot know that the key was damaged: the answer is \
             `None`. If you wrote `unwrap_or(0)` or `unwrap_or_default()`: `?` hands a `None` on.",
        )
        .link(RULES),
        Mistake::new(
            "decode_passes_over_letters",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| {
                let digits = key.iter().copied().filter(u8::is_ascii_digit);
                let digits: Vec<u8> = digits.collect();
                let readable = key.len() == 20 && !digits.is_empty();
                readable.then(|| number(&[], &digits)).flatten()
            }),
        )
        .says("bytes that are no digits left out, and the rest read")
        .why(
            "`0000000000000000_010` is no time, and read as 10 it hides that something else has written it. Ask whether *all* bytes are \
             digits, and give `None` where one is not; a filter only looks for some.",
        )
        .link(TASK),
        Mistake::new(
            "decode_unwraps_twenty_bytes",
            "decode",
            "returns",
            padded(encode, |key: &[u8]| {
                (key.len() == 20).then(|| std::str::from_utf8(key).unwrap().parse().unwrap())
            }),
        )
        .says("`parse` with `unwrap` where a key has twenty bytes")
        .why(
            "The width is right, and it says nothing about the bytes. They may come from a damaged file or from another program. \
             A decoder gives `None`, it never panics.",
        )
        .link(RULES),
        Mistake::new(
            "decode_digits_of_any_script",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| {
                let text = std::str::from_utf8(key).ok()?;
                let digits = text.chars().all(char::is_numeric) && text.chars().count() == 20;
                let add = |time: u64, digit: char| {
                    let value = digit.to_digit(10).unwrap_or(0);
                    time.checked_mul(10)?.checked_add(value.into())
                };
                digits.then(|| text.chars().try_fold(0, add))?
            }),
        )
        .says("the digits of every script accepted, twenty of them")
        .why(
            "`char::is_numeric` is true for the digits of all scripts, and `chars().count()` counts letters. `encode` writes ASCII \
             digits alone, one byte each: `key.len()` and `u8::is_ascii_digit`.",
        )
        .link(TASK),
        Mistake::new(
            "decode_digits_of_latin_1_panic",
            "decode",
            "returns",
            padded(encode, |key: &[u8]| {
                let digits = key.iter().all(|byte| char::from(*byte).is_numeric());
                (key.len() == 20 && digits).then_some(())?;
                std::str::from_utf8(key).unwrap().parse().ok()
            }),
        )
        .says("`char::is_numeric` asked of each byte, and a panic for twenty of which one is a digit in Latin-1 alone")
        .why(
            "As a `char` the byte b2 is a raised 2, and `is_numeric` is true for it. In UTF-8 it is no letter by itself, so \
             `from_utf8` gives an error, and `unwrap` panics. Ask `u8::is_ascii_digit`.",
        )
        .link(TASK),
        Mistake::new(
            "decode_first_twenty_bytes",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| {
                let digits = key.get(..20)?;
                digits.iter().all(u8::is_ascii_digit).then_some(())?;
                std::str::from_utf8(digits).ok()?.parse().ok()
            }),
        )
        .says("the first twenty bytes, whatever follows them")
        .why("A key is exactly its fields. A longer one was written by something else.")
        .link(RULES),
        Mistake::new(
            "decode_wraps_in_the_last_digit",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| {
                let digits = <&[u8; 20]>::try_from(key).ok()?;
                digits.iter().try_fold(0_u64, |time, byte| {
                    byte.is_ascii_digit().then_some(())?;
                    Some(time.checked_mul(10)?.wrapping_add(u64::from(byte - b'0')))
                })
            }),
        )
        .says("a check of the product alone, and a sum that wraps")
        .why(
            "18446744073709551616 is 1844674407370955161 times ten and six more. The product fits into a `u64`, the sum does not, and becomes 0. \
             `checked_add` tells you.",
        )
        .link(RULES),
        Mistake::new(
            "decode_overflows_in_the_last_digit",
            "decode",
            "returns",
            padded(encode, |key: &[u8]| {
                let digits = <&[u8; 20]>::try_from(key).ok()?;
                digits.iter().try_fold(0_u64, |time, byte| {
                    byte.is_ascii_digit().then_some(())?;
                    let sum = time.checked_mul(10)?.checked_add(u64::from(byte - b'0'));
                    Some(sum.expect("attempt to add with overflow"))
                })
            }),
        )
        .says("a check of the product alone, and a sum that panics")
        .why(
            "18446744073709551616 is 1844674407370955161 times ten and six more. The product fits into a `u64`, the sum does not. `checked_add` \
             gives `None`.",
        )
        .link(RULES),
        Mistake::new(
            "decode_too_great_is_zero",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| {
                let is_time = key.len() == 20 && key.iter().all(u8::is_ascii_digit);
                let text = std::str::from_utf8(key).ok().filter(|_| is_time)?;
                Some(text.parse().unwrap_or(0))
            }),
        )
        .says("0 for what is greater than the greatest time")
        .why(
            "Width and digits are right, and still `parse` may fail: 18446744073709551616 does not fit. 0 is a time, and given for that it hides that something else has \
             written the key. `parse().ok()` gives `None`.",
        )
        .link(RULES),
        Mistake::new(
            "decode_unwraps_the_text",
            "decode",
            "returns",
            padded(encode, |key: &[u8]| {
                (key.len() == 20).then_some(())?;
                std::str::from_utf8(key).unwrap().parse().ok()
            }),
        )
        .says("`from_utf8` with `unwrap`, then `parse`")
        .why(
            "Twenty bytes need not be text: they may come from a damaged file. `from_utf8(key).ok()?` gives `None`. And `parse` reads a plus sign as \
             well, so ask whether all bytes are digits first; then they are text.",
        )
        .link(RULES),
        Mistake::new(
            "decode_unwraps_the_text_and_asks_then",
            "decode",
            "returns",
            padded(encode, |key: &[u8]| {
                let text = std::str::from_utf8(key).unwrap();
                let is_time = text.len() == 20 && text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse().ok().filter(|_| is_time)
            }),
        )
        .says("`from_utf8` with `unwrap`, and the right answer for every text")
        .why(
            "A key need not be text: it may come from a damaged file. `from_utf8(key).ok()?` gives `None`. Or ask first whether all bytes are \
             digits: then they are text.",
        )
        .link(RULES),
        Mistake::new(
            "decode_zero_for_what_is_no_number",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| {
                Some(str::from_utf8(key).map_or(0, |text| text.parse().unwrap_or(0)))
            }),
        )
        .says("`parse`, and 0 for everything that it refuses")
        .why(
            "0 is a time. Given for what cannot be read, it hides that something else has written the key: answer `None`. And `parse` reads \
             `10` and `+10`, which `encode` never writes.",
        )
        .link(RULES),
        Mistake::new(
            "decode_through_a_double",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| {
                let is_time = key.len() == 20 && key.iter().all(u8::is_ascii_digit);
                let text = std::str::from_utf8(key).ok().filter(|_| is_time)?;
                text.parse::<f64>().ok().map(|time| time as u64)
            }),
        )
        .says("digits read as an `f64`")
        .why(
            "A double holds whole numbers exactly up to 2^53. Above, another time comes back, and what is greater than `u64::MAX` comes back as \
             that. Read them as a `u64`.",
        )
        .link("why-twenty-digits"),
        Mistake::new(
            "decode_subtracts_and_panics",
            "decode",
            "returns",
            padded(encode, |key: &[u8]| {
                let digits = <&[u8; 20]>::try_from(key).ok()?;
                digits.iter().try_fold(0_u64, |time, byte| {
                    let digit = byte.checked_sub(b'0').expect("attempt to subtract with overflow");
                    time.checked_mul(10)?.checked_add(digit.into())
                })
            }),
        )
        .says("`byte - b'0'` for every byte, whatever it is")
        .why(
            "A `+` or a space is less than `0`, and the subtraction panics. A letter is more than `9`, and counts more than nine. Ask first whether the \
             byte is a digit: `is_ascii_digit`.",
        )
        .link(TASK),
        Mistake::new(
            "decode_takes_a_colon_for_ten",
            "decode",
            "round-trip",
            padded(encode, |key: &[u8]| {
                let digits = <&[u8; 20]>::try_from(key).ok()?;
                digits.iter().try_fold(0_u64, |time, byte| {
                    let digit = byte.wrapping_sub(b'0');
                    (digit <= 10).then_some(())?;
                    time.checked_mul(10)?.checked_add(digit.into())
                })
            }),
        )
        .says("the byte `:` taken for a digit that is worth ten")
        .why(
            "In ASCII `:` comes right after `9`, so it is `0` and ten more. A digit is worth nine at most. `is_ascii_digit` asks \
             without a limit that one can get wrong.",
        )
        .link(TASK),
    ]);
    mistakes.extend(compose("decode", &QUIRKS, with));
    mistakes
}
