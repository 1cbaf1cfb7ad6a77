//! What goes wrong when a string is read from its key.

use kit::{Mistake, Quirk, compose};

use crate::escape_bytes::Escape;
use crate::mistakes::escape_bytes::from_digits;
use crate::solutions::escape_bytes::encode;

const END: &str = "the-end-must-be-in-the-bytes";
const REPAIR: &str = "escape-and-terminate";
const RULES: &str = "invariants";
const OTHER_PAIR: &str = "`encode` writes 00 ff and 00 01 and nothing else. Any other pair says that the bytes are damaged, \
                          or of another format.";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // What becomes of 00 ff.
    NotUnescaped,
    ZeroLost,
    FfGiven,
    FirstEscapeOnly,
    UnescapedTwice,
    // The end.
    EndGivenBack,
    CutAtFirstZero,
    LastTwoCut,
    // What is no key.
    EmptyAccepted,
    MissingEndAccepted,
    TrailingAccepted,
    UnknownAccepted,
    TwoZerosAccepted,
    ShortPanics,
    PairPanics,
}
use Step::{
    CutAtFirstZero, EmptyAccepted, EndGivenBack, FfGiven, FirstEscapeOnly, LastTwoCut,
    MissingEndAccepted, NotUnescaped, PairPanics, ShortPanics, TrailingAccepted, TwoZerosAccepted,
    UnescapedTwice, UnknownAccepted, ZeroLost,
};

/// Of each group, a decoder takes one step at most.
const APART: [&[Step]; 5] = [
    &[
        NotUnescaped,
        ZeroLost,
        FfGiven,
        FirstEscapeOnly,
        UnescapedTwice,
        CutAtFirstZero,
    ],
    &[CutAtFirstZero, LastTwoCut, EndGivenBack],
    &[
        LastTwoCut,
        CutAtFirstZero,
        ShortPanics,
        MissingEndAccepted,
        EmptyAccepted,
    ],
    &[
        LastTwoCut,
        CutAtFirstZero,
        UnknownAccepted,
        TwoZerosAccepted,
    ],
    &[LastTwoCut, CutAtFirstZero, ShortPanics, PairPanics],
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

const QUIRKS: [Quirk<Step>; 15] = [
    quirk(
        NotUnescaped,
        "decode_leaves_escapes",
        "leaving 00 ff as it is",
        "`encode` has put the ff after each zero byte, so it has to be taken out again.",
        REPAIR,
    ),
    quirk(
        ZeroLost,
        "decode_loses_zeros",
        "leaving out 00 ff altogether",
        "00 ff is one zero byte of the string. Take out the ff and keep the zero.",
        REPAIR,
    ),
    quirk(
        FfGiven,
        "decode_gives_ff",
        "giving back ff for 00 ff",
        "The first byte of the pair is the one that was there. The ff only says that the string goes on.",
        REPAIR,
    ),
    quirk(
        FirstEscapeOnly,
        "decode_mends_the_first_escape",
        "turning back the first 00 ff alone",
        "Every zero byte of the string was escaped, so every 00 ff has to be turned back.",
        REPAIR,
    ),
    quirk(
        UnescapedTwice,
        "decode_unescapes_twice",
        "turning back 00 ff until none is left",
        "The string \"a\\x00\\xff\" becomes 61 00 ff ff. Turned back once it is right; the 00 ff that is there \
         now is the string's own.",
        REPAIR,
    ),
    quirk(
        EndGivenBack,
        "decode_keeps_the_end",
        "giving back the end as well",
        "00 01 was put after the string by `encode`. It is no part of it.",
        REPAIR,
    ),
    quirk(
        CutAtFirstZero,
        "decode_stops_at_the_first_zero",
        "stopping at the first zero byte",
        "The first zero byte may be one of the string. The byte after it tells: ff, and the string goes on; 01, \
         and it ends.",
        REPAIR,
    ),
    quirk(
        LastTwoCut,
        "decode_cuts_the_last_two_bytes",
        "cutting the last two bytes without looking at them",
        "A decoder meets bytes that no encoder wrote, from a file or the network. `ab` is no key, and must not \
         come back as an empty string.",
        RULES,
    ),
    quirk(
        EmptyAccepted,
        "decode_accepts_no_bytes",
        "taking no bytes for the empty string",
        "The empty string has a key like any other, 00 01. No bytes are no key.",
        RULES,
    ),
    quirk(
        MissingEndAccepted,
        "decode_accepts_a_missing_end",
        "giving back what was read when the end is missing",
        "Without its end the key is cut off, and nobody knows what is missing.",
        END,
    ),
    quirk(
        TrailingAccepted,
        "decode_ignores_what_follows",
        "ignoring what follows the end",
        "61 00 01 62 is not the key of \"a\". Read as if it were, two byte strings would stand for one value.",
        RULES,
    ),
    quirk(
        UnknownAccepted,
        "decode_accepts_unknown_escapes",
        "letting a zero byte pass with anything after it",
        "`encode` writes 00 ff and 00 01 and nothing else. Any other pair says that the bytes are damaged, or \
         of another format.",
        RULES,
    ),
    quirk(
        TwoZerosAccepted,
        "decode_takes_00_00_for_the_end",
        "taking 00 00 for an end as well",
        "Zeros are what an unused part of a buffer holds. They must not pass for an end.",
        REPAIR,
    ),
    Quirk {
        check: "returns",
        ..quirk(
            ShortPanics,
            "decode_panics_on_short_keys",
            "reading past the last byte",
            "After a byte there may be no other. `get` and `next` say so by `None`; an index panics.",
            RULES,
        )
    },
    Quirk {
        check: "returns",
        ..quirk(
            PairPanics,
            "decode_panics_at_a_cut_pair",
            "reading the byte after a zero byte where there is none",
            "A key may be cut off between the two bytes of a pair: 61 00. `key.get(i + 1)` says so by `None`, and \
             `key[i + 1]` panics.",
            RULES,
        )
    },
];

fn decode(steps: &[Step], key: &[u8]) -> Option<Vec<u8>> {
    let has = |step| steps.contains(&step);
    if has(CutAtFirstZero) {
        let end = key.iter().position(|&byte| byte == 0)?;
        return Some(key[..end].to_vec());
    }
    if key.is_empty() && has(EmptyAccepted) {
        return Some(Vec::new());
    }
    let (key, uncut) = if has(LastTwoCut) {
        (&key[..key.len().saturating_sub(2)], key)
    } else {
        (key, key)
    };
    let mut value = Vec::new();
    let mut index = 0;
    loop {
        let first = match key.get(index) {
            Some(&byte) => byte,
            None if has(LastTwoCut) && uncut.len() >= 2 || has(MissingEndAccepted) => {
                return Some(value);
            }
            None => {
                assert!(!has(ShortPanics), "index out of bounds");
                return None;
            }
        };
        index += 1;
        if first != 0 {
            value.push(first);
            continue;
        }
        match key.get(index) {
            Some(0xff) => {
                index += 1;
                unescape(steps, &mut value);
            }
            Some(0x01) if !has(LastTwoCut) => return ended(steps, &key[index + 1..], value),
            Some(0x00) if has(TwoZerosAccepted) => return ended(steps, &key[index + 1..], value),
            Some(_) if has(UnknownAccepted) || has(LastTwoCut) => value.push(0),
            None if has(LastTwoCut) || has(MissingEndAccepted) && !has(PairPanics) => value.push(0),
            Some(_) => return None,
            None => {
                assert!(!has(ShortPanics) && !has(PairPanics), "index out of bounds");
                return None;
            }
        }
    }
}

/// What a decoder makes of 00 ff.
fn unescape(steps: &[Step], value: &mut Vec<u8>) {
    let has = |step| steps.contains(&step);
    if has(NotUnescaped) || has(FirstEscapeOnly) && value.contains(&0) {
        value.extend([0x00, 0xff]);
    } else if has(FfGiven) {
        value.push(0xff);
    } else if !has(ZeroLost) {
        value.push(0x00);
    }
}

/// What a decoder answers at the end.
fn ended(steps: &[Step], rest: &[u8], mut value: Vec<u8>) -> Option<Vec<u8>> {
    let has = |step| steps.contains(&step);
    if !rest.is_empty() && !has(TrailingAccepted) {
        return None;
    }
    while has(UnescapedTwice) {
        let Some(at) = value.windows(2).position(|pair| pair == [0x00, 0xff]) else {
            break;
        };
        value.remove(at + 1);
    }
    if has(EndGivenBack) {
        value.extend([0x00, 0x01]);
    }
    Some(value)
}

fn with(steps: &[Step]) -> Option<Escape> {
    let several = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(several) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Escape::new(encode, move |key| decode(&steps, key)))
}

/// The mistakes in `decode`.
pub(super) fn all() -> Vec<Mistake<Escape>> {
    let mut mistakes = from_the_end();
    mistakes.extend(compose("decode", &QUIRKS, with));
    mistakes
}

/// The end looked for where keys end, and nowhere else.
fn from_the_end() -> Vec<Mistake<Escape>> {
    let in_decode = |name, check, decode: fn(&[u8]) -> Option<Vec<u8>>| {
        Mistake::new(name, "decode", check, Escape::new(encode, decode))
    };
    vec![
        in_decode("decode_looks_for_the_end_at_the_end", "round-trip", |key| {
            Some(mended(key.strip_suffix(&[0x00, 0x01])?))
        })
        .says("cutting 00 01 from the end and reading 00 ff as 00 in what is left, with no look at other zero bytes")
        .why(
            "That is enough for keys that `encode` wrote. But 61 00 01 62 00 01 ends in 00 01 as well, and has another end \
             inside. After each 00 comes ff or 01, and after the end nothing.",
        )
        .link(RULES),
        in_decode("decode_takes_two_zeros_for_one", "round-trip", |key| {
            let (mut value, mut rest) = (Vec::new(), key);
            while rest != [0x00, 0x01] {
                let (byte, length) = match rest {
                    [0x00, 0x00 | 0xff, ..] => (0x00, 2),
                    [byte, ..] if *byte != 0x00 => (*byte, 1),
                    _ => return None,
                };
                value.push(byte);
                rest = &rest[length..];
            }
            Some(value)
        })
        .says("reading 00 00 as an escaped zero too")
        .why(
            "Doubling is how quotes are escaped in some languages. Here a zero is `00 ff` and nothing else: no encoder writes `00 00`, \
             and an unused part of a buffer holds it.",
        )
        .link(RULES),
        in_decode("decode_skips_what_follows_a_zero_before_the_end", "round-trip", |key| {
            let end = key.windows(2).position(|pair| pair == [0x00, 0x01])?;
            let mut value = Vec::new();
            let mut bytes = key[..end].iter();
            while let Some(byte) = bytes.next() {
                value.push(*byte);
                if *byte == 0x00 {
                    bytes.next();
                }
            }
            (end + 2 == key.len()).then_some(value)
        })
        .says("a search for the first 00 01, and one byte passed over after each zero byte in front of it")
        .why(OTHER_PAIR)
        .link(RULES),
        in_decode("decode_strips_the_end_alone", "round-trip", |key| {
            key.strip_suffix(&[0x00, 0x01]).map(<[u8]>::to_vec)
        })
        .says("cutting 00 01 from the end and giving back what is left as it is")
        .why(
            "`encode` has put ff after each zero byte, so it has to be taken out again. And a zero byte with anything but ff after it is in no key: then the answer is `None`.",
        )
        .link(REPAIR),
        in_decode("decode_accepts_an_end_of_the_bytes", "round-trip", |key| {
            let mut value = Vec::new();
            let mut bytes = key.iter().copied();
            while let Some(byte) = bytes.next() {
                match byte {
                    0x00 => match bytes.next()? {
                        0xff => value.push(0x00),
                        0x01 => return bytes.next().is_none().then_some(value),
                        _ => return None,
                    },
                    byte => value.push(byte),
                }
            }
            Some(value)
        })
        .says("giving back what was read when the bytes stop without 00 01")
        .why(
            "Without its end the key is cut off, and nobody knows what is missing. After the loop over the bytes the answer is `None`.",
        )
        .link(END),
        in_decode("decode_replaces_hex_digits", "round-trip", |key| {
            let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            let digits = digits.strip_suffix("0001")?.replace("00ff", "00");
            digits.len().is_multiple_of(2).then(|| from_digits(&digits))
        })
        .says("00ff replaced by 00 in the text of hexadecimal digits")
        .why(
            "Four digits 00ff need not be two bytes: 10 0f f1 is written 100ff1, and there they belong to three. And what is no \
             key is not refused: a 00 with another byte after it stays as it is. Look at the bytes, not at their digits.",
        )
        .link(REPAIR),
        in_decode("decode_takes_any_other_byte_for_the_end", "round-trip", |key| {
            pairs(key, |byte| byte == 0xff)
        })
        .says("taking 00 for the end unless ff comes after it")
        .why(OTHER_PAIR)
        .link(RULES),
        in_decode("decode_takes_any_other_byte_for_ff", "round-trip", |key| {
            pairs(key, |byte| byte != 0x01)
        })
        .says("taking 00 for a zero byte of the string unless 01 comes after it")
        .why(OTHER_PAIR)
        .link(RULES),
        in_decode("decode_panics_on_what_is_no_key", "returns", |key| {
            let value = decode(&[], key);
            Some(value.unwrap_or_else(|| panic!("no key of a string")))
        })
        .says("a panic for bytes that are no key")
        .why("Such bytes come from a damaged file or from somebody else. The answer to them is `None`, and no reason to stop.")
        .link(RULES),
        in_decode("decode_gives_the_empty_string_for_what_is_no_key", "round-trip", |key| {
            Some(decode(&[], key).unwrap_or_default())
        })
        .says("the empty string for bytes that are no key")
        .why(
            "The empty string is one like any other, and has the key `00 01`. Who reads it out of damaged bytes cannot know that they were damaged: the \
             answer is `None`. If you wrote `unwrap_or_default()`: `?` hands a `None` on.",
        )
        .link(RULES),
        in_decode("decode_refuses_the_empty_string", "round-trip", |key| {
            decode(&[], key).filter(|value| !value.is_empty())
        })
        .says("refusing the key of the empty string")
        .why("`00 01` is the end with nothing before it: the key of the empty string, which is a string.")
        .link(REPAIR),
        in_decode("decode_skips_the_byte_after_a_zero", "round-trip", |key| {
            let mut bytes = key.strip_suffix(&[0x00, 0x01])?.iter();
            let mut value = Vec::new();
            while let Some(&byte) = bytes.next() {
                value.push(byte);
                if byte == 0x00 {
                    bytes.next();
                }
            }
            Some(value)
        })
        .says("cutting 00 01 from the end and leaving out the byte after each 00, whatever it is")
        .why(
            "After a 00 there has to be ff. Anything else, an end in the middle too, says that the bytes are no key: look at the byte before \
             you pass over it.",
        )
        .link(RULES),
        in_decode("decode_drops_every_ff", "round-trip", |key| {
            let rest = key.strip_suffix(&[0x00, 0x01])?.iter().copied();
            Some(rest.filter(|byte| *byte != 0xff).collect())
        })
        .says("cutting 00 01 from the end and leaving out every ff")
        .why(
            "Only an ff after a 00 is an escape. Any other ff is a byte of the string. And what is no key has to be refused.",
        )
        .link(REPAIR),
        in_decode("decode_takes_text_alone", "round-trip", |key| {
            decode(&[], key).filter(|value| str::from_utf8(value).is_ok())
        })
        .says("refusing strings that are no UTF-8")
        .why("The string is bytes, and any byte may be in it, as in the key `ff 00 01`.")
        .link(REPAIR),
        in_decode("decode_ends_at_the_first_zero", "round-trip", |key| {
            let (value, end) = key.split_at(key.iter().position(|byte| *byte == 0x00)?);
            (end == [0x00, 0x01]).then(|| value.to_vec())
        })
        .says("everything up to the first byte 00, and a refusal where `00 01` and no more does not follow")
        .why("A zero byte of the string is in the key as `00 ff`. Only `00 01` is the end: go on after `00 ff`.")
        .link(REPAIR),
        in_decode("decode_slices_the_last_two_bytes", "returns", |key| {
            let _end = &key[key.len().checked_sub(2).expect("attempt to subtract with overflow")..];
            decode(&[], key)
        })
        .says("cutting the last two bytes out of keys that may have fewer")
        .why("Bytes from a file or the network may be any, also none or one. `strip_suffix` gives `None` then; `len() - 2` panics.")
        .link(RULES),
    ]
}

/// Pairs that begin with 00 read as a zero byte where this holds of the second one, and as the end elsewhere.
fn pairs(key: &[u8], is_zero: fn(u8) -> bool) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    let mut bytes = key.iter().copied();
    loop {
        match bytes.next()? {
            0x00 if is_zero(bytes.next()?) => value.push(0x00),
            0x00 => return bytes.next().is_none().then_some(value),
            byte => value.push(byte),
        }
    }
}

/// 00 ff read as 00, and all else as it is.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut value: Vec<u8> = Vec::new();
    let mut escape = false;
    for &byte in bytes {
        if !(escape && byte == 0xff) {
            value.push(byte);
        }
        escape = byte == 0x00;
    }
    value
}
