//! What goes wrong when a string becomes a key that ends by itself.

use kit::{Mistake, Quirk, compose};

use crate::escape_bytes::Escape;
use crate::mistakes::escape_bytes_decode;
use crate::solutions::escape_bytes::decode;

const END: &str = "the-end-must-be-in-the-bytes";
const REPAIR: &str = "escape-and-terminate";
const WIDTH: &str = "a-length-or-a-width";
const SYSTEMS: &str = "three-other-systems";
const WILD: &str = "in-the-wild";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // What becomes of a zero byte.
    ZeroKept,
    ZeroDoubled,
    ZeroLikeTheEnd,
    ZeroAfterFf,
    ZeroDropped,
    FirstZeroOnly,
    TailForgotten,
    ByteAfterZeroSkipped,
    FfEscapedToo,
    // The end.
    NoEnd,
    OneZero,
    TwoZeros,
    EndOne,
    EndFf,
    EndTurned,
    EndLikeAZero,
    EndEscapedToo,
    EmptyWithoutEnd,
    // Another scheme altogether.
    Raw,
    BareZero,
    TwoBareZeros,
    LengthOneByte,
    LengthFourBytes,
    LengthEightBytes,
    LengthAfter,
    Padded,
    CutAtZero,
    HexDigits,
    Printed,
    Lossy,
    PairsExchanged,
    Pika,
}
use Step::{
    BareZero, ByteAfterZeroSkipped, CutAtZero, EmptyWithoutEnd, EndEscapedToo, EndFf, EndLikeAZero,
    EndOne, EndTurned, FfEscapedToo, FirstZeroOnly, HexDigits, LengthAfter, LengthEightBytes,
    LengthFourBytes, LengthOneByte, Lossy, NoEnd, OneZero, Padded, PairsExchanged, Pika, Printed,
    Raw, TailForgotten, TwoBareZeros, TwoZeros, ZeroAfterFf, ZeroDoubled, ZeroDropped, ZeroKept,
    ZeroLikeTheEnd,
};

/// How a string ends. An encoder has one end.
const ENDINGS: [Step; 9] = [
    NoEnd,
    OneZero,
    TwoZeros,
    EndOne,
    EndFf,
    EndTurned,
    EndLikeAZero,
    EndEscapedToo,
    EmptyWithoutEnd,
];
/// What can go wrong with zero bytes whatever the end is. What is said of the others holds for the right end alone.
const WITH_ANY_END: [Step; 2] = [TailForgotten, ByteAfterZeroSkipped];

const ORDER: &str = "order";
const ENDS: &str = "ends-by-itself";
const BYTES: &str = "bytes";
const RETURNS: &str = "returns";

const QUIRKS: [Quirk<Step>; 32] = [
    Quirk::of(
        Raw,
        "raw_bytes",
        ENDS,
        "the bytes of the string and nothing else",
        "As long as nothing follows, they sort. With a field after it, \"a\" is compared by the first byte of \
         that field where \"ab\" still has its own b.",
        END,
    ),
    Quirk::of(
        BareZero,
        "ended_by_a_bare_zero",
        ENDS,
        "one zero byte as the end, and zero bytes of the string left as they are",
        "That is how a C string ends, and a C string holds no zero byte. A byte string may: 61 00, the key of \
         \"a\", is the beginning of 61 00 00.",
        REPAIR,
    ),
    Quirk::of(
        TwoBareZeros,
        "ended_by_two_bare_zeros",
        ENDS,
        "two zero bytes as the end, and zero bytes of the string left as they are",
        "A string may hold two zero bytes as well as one. 61 00 00, the key of \"a\", is the beginning of \
         61 00 00 00. A zero byte of the string has to be escaped.",
        REPAIR,
    ),
    Quirk::of(
        ZeroKept,
        "zero_kept",
        ORDER,
        "zero bytes left as they are, and 00 01 after the string",
        "\"a\\x00\" becomes 61 00 00 01, which sorts before 61 00 01, the key of \"a\". A zero byte has to be \
         told from the end, and by a second byte above 01.",
        REPAIR,
    ),
    Quirk::of(
        ZeroDoubled,
        "zero_doubled",
        ORDER,
        "a doubled zero byte",
        "Doubling is how quotes are escaped in SQL. Here the second byte also decides the order: after 00, a \
         zero byte has to sort above the end, and 00 sorts below 01.",
        REPAIR,
    ),
    Quirk::of(
        ZeroLikeTheEnd,
        "zero_like_the_end",
        ENDS,
        "00 01 for a zero byte, which is also the end",
        "Nobody can tell whether 61 00 01 ends here or goes on. The second byte after 00 says which: ff for a \
         zero byte, 01 for the end.",
        REPAIR,
    ),
    Quirk::of(
        ZeroAfterFf,
        "zero_after_ff",
        ORDER,
        "ff 00 for a zero byte",
        "The escape begins with the byte that it stands for. \"a\\x00\" is smaller than \"ab\", but with ff in \
         front it sorts after every letter.",
        REPAIR,
    ),
    Quirk::of(
        ZeroDropped,
        "zero_dropped",
        ORDER,
        "zero bytes left out",
        "\"a\" and \"a\\x00\" become one key, so one of the two rows replaces the other. A zero byte is a byte \
         like any other to anyone who stored it.",
        REPAIR,
    ),
    Quirk::of(
        FirstZeroOnly,
        "first_zero_only",
        ORDER,
        "an escape of the first zero byte alone",
        "Every zero byte is escaped. In \"\\x00\\x00\" the second one is left bare, and together with the end it \
         reads 00 00 01.",
        REPAIR,
    ),
    Quirk::of(
        TailForgotten,
        "tail_forgotten",
        ORDER,
        "forgetting what comes after the last zero byte",
        "\"a\\x00b\" and \"a\\x00c\" become one key. Copying runs between zeros needs a copy after the last one, \
         too. Pika's escape had this fault in 2024.",
        WILD,
    ),
    Quirk::of(
        ByteAfterZeroSkipped,
        "byte_after_zero_skipped",
        ORDER,
        "an escape that swallows the byte after a zero byte",
        "ff is added after a zero byte, it does not replace the next one: \"a\\x00b\" and \"a\\x00c\" become one \
         key.",
        REPAIR,
    ),
    Quirk::of(
        FfEscapedToo,
        "ff_escaped_too",
        BYTES,
        "ff 00 for a byte ff besides",
        "The keys are in order and end by themselves. But ff means something only right after 00, and a 00 is \
         never left bare. Escaping it is not needed and makes the key longer.",
        REPAIR,
    )
    .why_beside("ff means something only right after 00. Escaping it is not needed and makes the key longer."),
    Quirk::of(
        NoEnd,
        "no_end",
        ENDS,
        "escaped zero bytes without an end",
        "The escape alone says nothing about where the string stops. 61 is the beginning of 61 61, and what \
         follows the short string is compared with the rest of the long one.",
        END,
    ),
    Quirk::of(
        OneZero,
        "end_of_one_zero",
        ENDS,
        "a single 00 as the end",
        "61 00 is the beginning of 61 00 ff 00. FoundationDB does it so, and keeps the promise that the next \
         field never begins with ff. A plain number makes no such promise.",
        SYSTEMS,
    ),
    Quirk::of(
        TwoZeros,
        "end_of_two_zeros",
        BYTES,
        "00 00 as the end",
        "As an end, 00 00 would sort and could be told from 00 ff. But zeros are what an unused part of a \
         buffer holds, and they would pass for empty strings. The task asks for 00 01.",
        REPAIR,
    ),
    Quirk::of(
        EndOne,
        "end_of_01_alone",
        ORDER,
        "01 alone as the end",
        "The string may hold a byte 00, which is less: \"a\\x00\" becomes 61 00 ff 01 and sorts before 61 01, the \
         key of \"a\". The end begins with the smallest byte there is.",
        REPAIR,
    ),
    Quirk::of(
        EndFf,
        "end_of_ff",
        ORDER,
        "ff as the end",
        "The end has to sort below everything that may come in its place. With ff, \"a\" sorts after \"ab\".",
        REPAIR,
    ),
    Quirk::of(
        EndTurned,
        "end_turned_round",
        ORDER,
        "01 00 as the end",
        "The two bytes are exchanged. The end has to begin with 00, or the escaped zero byte in \"a\\x00\" sorts \
         before it.",
        REPAIR,
    ),
    Quirk::of(
        EndLikeAZero,
        "end_like_a_zero",
        ENDS,
        "00 ff as the end",
        "00 ff is a zero byte of the string. \"a\" becomes 61 00 ff, the beginning of the key of \"a\\x00\".",
        REPAIR,
    ),
    Quirk::of(
        EmptyWithoutEnd,
        "empty_without_end",
        ENDS,
        "an empty string without an end",
        "No bytes at all are the beginning of every key. An empty string ends too: it is 00 01.",
        REPAIR,
    ),
    Quirk::of(
        LengthOneByte,
        "length_in_one_byte",
        ORDER,
        "the length in one byte, then the string",
        "The length is compared before any letter, so \"b\" sorts before \"aa\". And 256 does not fit into a byte.",
        WIDTH,
    ),
    Quirk::of(
        LengthFourBytes,
        "length_in_four_bytes",
        ORDER,
        "the length in four bytes, then the string",
        "Nothing collides and every key ends by itself. But the length is compared before any letter, so \"b\" \
         sorts before \"aa\".",
        WIDTH,
    ),
    Quirk::of(
        LengthEightBytes,
        "length_in_eight_bytes",
        ORDER,
        "the length in eight bytes, as a `usize` has them, then the string",
        "Nothing collides and every key ends by itself. But the length is compared before any letter, so \"b\" \
         sorts before \"aa\".",
        WIDTH,
    ),
    Quirk::of(
        LengthAfter,
        "length_after",
        ORDER,
        "the string, then its length in four bytes",
        "A reader from the front does not know where the length begins, and neither does a comparison: for \
         \"a\" the length is where a longer string has its next byte.",
        WIDTH,
    ),
    Quirk::of(
        Padded,
        "padded_with_zeros",
        ORDER,
        "zero bytes up to a width of 16, and a cut after it",
        "\"a\" and \"a\\x00\" become one key, and so do long strings that differ after the sixteenth byte. A fixed \
         width is for values that have one width.",
        WIDTH,
    ),
    Quirk::of(
        CutAtZero,
        "cut_at_the_first_zero",
        ORDER,
        "the string up to its first zero byte",
        "That is a C string. In a byte string a zero is a byte like any other, and what comes after it tells \
         it from others.",
        REPAIR,
    ),
    Quirk::of(
        HexDigits,
        "hex_digits",
        ENDS,
        "the bytes written as hexadecimal digits",
        "They sort, and no digit is a zero byte, but still nothing marks the end: 61 is the beginning of 6162. \
         And every byte has become two.",
        END,
    ),
    Quirk::of(
        Printed,
        "printed_form",
        ORDER,
        "the printed form, with \\x00 as four characters",
        "A backslash is 5c, so an escaped zero byte sorts among the letters. It has to stay the smallest byte.",
        REPAIR,
    ),
    Quirk::of(
        Lossy,
        "lossy_text",
        ORDER,
        "the string made text by `from_utf8_lossy`",
        "Bytes that are not UTF-8 all become the same replacement character: \"\\xfe\" and \"\\xff\" share a key. \
         Bytes stay bytes.",
        WILD,
    ),
    Quirk::of(
        PairsExchanged,
        "pairs_exchanged",
        ORDER,
        "00 01 for a zero byte and 00 ff as the end",
        "The two are exchanged. The end has to sort below a zero byte, because \"a\" is less than \"a\\x00\".",
        REPAIR,
    ),
    Quirk::of(
        EndEscapedToo,
        "end_escaped_too",
        ORDER,
        "00 ff 01 after the string: an end whose zero byte is escaped as well",
        "The end was put after the string first, and then all zero bytes were escaped, its own too. Now it \
         begins like a zero byte of the string, and what follows decides. Escape the string, then put 00 01 after it.",
        REPAIR,
    ),
    Quirk::of(
        Pika,
        "pikas_bytes",
        BYTES,
        "00 01 for a zero byte and 00 00 as the end",
        "Pika means to write these. They sort and end by themselves. The task asks for 00 ff and 00 01, so \
         that zeros left in a buffer are not taken for an end.",
        REPAIR,
    ),
];

/// The key under a scheme that has nothing in common with the right one.
fn in_another_scheme(step: Step, value: &[u8]) -> Option<Vec<u8>> {
    let ended = |bytes: &[u8]| [bytes, &[0x00, 0x01]].concat();
    let pairs = |zero: [u8; 2], end: [u8; 2]| {
        let zeros = value.split(|&byte| byte == 0).collect::<Vec<_>>();
        [&zeros.join(&zero[..]), &end[..]].concat()
    };
    #[expect(clippy::cast_possible_truncation, reason = "it is the mistake")]
    let key = match step {
        Raw => value.to_vec(),
        BareZero => [value, &[0x00]].concat(),
        TwoBareZeros => [value, &[0x00, 0x00]].concat(),
        LengthOneByte => [&[value.len() as u8], value].concat(),
        LengthFourBytes => [&(value.len() as u32).to_be_bytes(), value].concat(),
        LengthEightBytes => [&(value.len() as u64).to_be_bytes(), value].concat(),
        LengthAfter => [value, &(value.len() as u32).to_be_bytes()].concat(),
        Padded => {
            let mut key = value.to_vec();
            key.resize(16, 0);
            key
        }
        CutAtZero => {
            let end = value.iter().position(|&byte| byte == 0);
            ended(&value[..end.unwrap_or(value.len())])
        }
        HexDigits => {
            let digits = value.iter().map(|byte| format!("{byte:02x}"));
            digits.collect::<String>().into_bytes()
        }
        Printed => ended(value.escape_ascii().to_string().as_bytes()),
        Lossy => crate::solutions::escape_bytes::encode(String::from_utf8_lossy(value).as_bytes()),
        PairsExchanged => pairs([0x00, 0x01], [0x00, 0xff]),
        Pika => pairs([0x00, 0x01], [0x00, 0x00]),
        _ => return None,
    };
    Some(key)
}

fn escaped(steps: &[Step], value: &[u8]) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    let last_zero = value.iter().rposition(|&byte| byte == 0);
    let mut key = Vec::new();
    let mut skip = false;
    for (index, &byte) in value.iter().enumerate() {
        let seen = value[..index].contains(&0);
        if std::mem::take(&mut skip) || has(TailForgotten) && last_zero.is_some_and(|at| index > at)
        {
            continue;
        }
        match byte {
            0x00 if has(ZeroKept) || has(FirstZeroOnly) && seen => key.push(0x00),
            0x00 if has(ZeroDoubled) => key.extend([0x00, 0x00]),
            0x00 if has(ZeroLikeTheEnd) => key.extend([0x00, 0x01]),
            0x00 if has(ZeroAfterFf) => key.extend([0xff, 0x00]),
            0x00 if has(ZeroDropped) => {}
            0x00 => {
                key.extend([0x00, 0xff]);
                skip = has(ByteAfterZeroSkipped);
            }
            0xff if has(FfEscapedToo) => key.extend([0xff, 0x00]),
            byte => key.push(byte),
        }
    }
    key
}

fn encode(steps: &[Step], value: &[u8]) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    if let [step] = steps
        && let Some(key) = in_another_scheme(*step, value)
    {
        return key;
    }
    let end: &[u8] = if has(NoEnd) || has(EmptyWithoutEnd) && value.is_empty() {
        &[]
    } else if has(OneZero) {
        &[0x00]
    } else if has(TwoZeros) {
        &[0x00, 0x00]
    } else if has(EndOne) {
        &[0x01]
    } else if has(EndFf) {
        &[0xff]
    } else if has(EndTurned) {
        &[0x01, 0x00]
    } else if has(EndEscapedToo) {
        &[0x00, 0xff, 0x01]
    } else if has(EndLikeAZero) {
        &[0x00, 0xff]
    } else {
        &[0x00, 0x01]
    };
    [&escaped(steps, value), end].concat()
}

fn with(steps: &[Step]) -> Option<Escape> {
    if let [first, second] = steps {
        let pair = |a, b| ENDINGS.contains(a) && WITH_ANY_END.contains(b);
        if !pair(first, second) && !pair(second, first) {
            return None;
        }
    }
    let steps = steps.to_vec();
    Some(Escape::new(move |value| encode(&steps, value), decode))
}

/// Bytes made text first, and types that refuse some of them.
fn by_way_of_text() -> Vec<Mistake<Escape>> {
    let in_encode = |name, check, encode: fn(&[u8]) -> Vec<u8>| {
        Mistake::new(name, "encode", check, Escape::new(encode, decode))
    };
    vec![
        in_encode("hex_digits_replaced", BYTES, |value| {
            let digits: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
            from_digits(&(digits.replace("00", "00ff") + "0001"))
        })
        .says("00 replaced by 00ff in the text of hexadecimal digits")
        .why(
            "Two digits 0 need not be one byte: 70 01 is written 7001, and the 00 in its middle belongs to two bytes. Look \
             at the bytes, not at their digits.",
        )
        .link(REPAIR),
        in_encode("bytes_made_characters", BYTES, |value| {
            let character = |&byte: &u8| if byte == 0 { "\0\u{ff}".into() } else { char::from(byte).to_string() };
            let mut key = value.iter().map(character).collect::<String>().into_bytes();
            key.extend([0x00, 0x01]);
            key
        })
        .says("the escaped string as a text, with a character for each byte")
        .why(
            "The order is right, but a `String` is UTF-8: a character from 80 on takes two bytes, and ff becomes c3 bf. Collect bytes in a `Vec<u8>`, \
             nothing here is a text.",
        )
        .link(WILD),
        in_encode("text_or_panic", RETURNS, |value| {
            let text = std::str::from_utf8(value).unwrap_or_else(|e| panic!("{e}"));
            encode(&[], text.as_bytes())
        })
        .says("the right key of every text, and a panic where the bytes are no UTF-8")
        .why("A byte string holds any bytes, and ff occurs in no UTF-8 text. Nothing here asks for text: bytes stay bytes.")
        .link(WILD),
        in_encode("zero_bytes_panic", RETURNS, |value| {
            assert!(!value.contains(&0), "nul byte found in provided data");
            encode(&[], value)
        })
        .says("a panic for strings with a zero byte")
        .why(
            "A C string cannot hold one, and if you made a `CString`, its `new` has said so. A byte string can: the zero \
             byte is what the escape is for.",
        )
        .link(REPAIR),
    ]
}

/// Other bytes escaped than those that have to be.
fn beside_the_zeros() -> Vec<Mistake<Escape>> {
    let in_encode = |name, check, encode: fn(&[u8]) -> Vec<u8>| {
        Mistake::new(name, "encode", check, Escape::new(encode, decode))
    };
    vec![
        in_encode("one_escaped_too", BYTES, |value| {
            let mut key = Vec::new();
            for &byte in value {
                key.push(byte);
                key.extend((byte <= 1).then_some(0xff));
            }
            [&key[..], &[0x00, 0x01]].concat()
        })
        .says("01 ff for a byte 01 besides")
        .why(
            "The keys are in order and end by themselves. But 01 means something only right after a bare 00, and no 00 of the string \
             is left bare. Only the byte that the end begins with needs an escape.",
        )
        .link(REPAIR),
        in_encode("escaped_by_a_backslash", ORDER, |value| {
            let text = |byte: &u8| if *byte == 0 { b"\\0".to_vec() } else { vec![*byte] };
            let mut key: Vec<u8> = value.iter().flat_map(text).collect();
            key.extend([0x00, 0x01]);
            key
        })
        .says("a backslash and the digit `0` for a zero byte")
        .why(
            "People read it, and a store compares it: a zero byte is the least, and the backslash, 5c, comes after all digits and capitals. And a string \
             may hold just these two bytes, and then two strings have one key. Let the escape begin with the byte that it stands for.",
        )
        .link(REPAIR),
        in_encode("ff_inserted_at_the_old_places", ORDER, |value| {
            let mut key = value.to_vec();
            for (at, _) in value.iter().enumerate().filter(|(_, byte)| **byte == 0) {
                key.insert(at + 1, 0xff);
            }
            key.extend([0x00, 0x01]);
            key
        })
        .says("ff inserted behind the places that the zero bytes had in the string")
        .why(
            "The first ff moves all that follows by one, and the places of the other zero bytes are no longer theirs. Build the key from the \
             left, byte by byte, or insert from the right.",
        )
        .link(REPAIR),
        in_encode("ff_escaped_by_itself", BYTES, |value| {
            let pair = |byte: &u8| if matches!(byte, 0x00 | 0xff) { vec![*byte, 0xff] } else { vec![*byte] };
            let key: Vec<u8> = value.iter().flat_map(pair).collect();
            [&key[..], &[0x00, 0x01]].concat()
        })
        .says("ff ff for a byte ff besides")
        .why(
            "The keys are in order and end by themselves. But ff means something only right after 00, and a 00 is never left bare. Doubling it is \
             not needed and makes the key longer.",
        )
        .link(REPAIR),
        in_encode("one_like_the_end", ORDER, |value| {
            let pair = |byte: &u8| match byte {
                0x00 => vec![0x00, 0xff],
                0x01 => vec![0x00, 0x01],
                _ => vec![*byte],
            };
            let key: Vec<u8> = value.iter().flat_map(pair).collect();
            [&key[..], &[0x00, 0x01]].concat()
        })
        .says("00 01 for a byte 01 besides, which is the end")
        .why("A byte 01 stays as it is: it means something only right after a bare 00, and no 00 of the string is left bare. Written as the end, it ends the string.")
        .link(REPAIR),
        in_encode("run_of_zeros_escaped_once", ORDER, |value| {
            let runs = value.chunk_by(|a, b| *a == 0 && *b == 0);
            let key = runs.flat_map(|run| {
                let escape = run.starts_with(&[0]).then_some(0xff);
                let (first, rest) = run.split_at(1);
                first.iter().copied().chain(escape).chain(rest.iter().copied())
            });
            key.chain([0x00, 0x01]).collect()
        })
        .says("one ff after the first of several zero bytes in a row")
        .why("The second zero byte stands bare then: `00 00 ...` is no escape, and sorts before the end 00 01. Each zero byte has its own 00 ff.")
        .link(REPAIR),
        in_encode("length_in_front_of_the_escape", ORDER, |value| {
            [&[value.len() as u8][..], &encode(&[], value)].concat()
        })
        .or(Escape::new(
            |value: &[u8]| [&(value.len() as u32).to_be_bytes()[..], &encode(&[], value)].concat(),
            decode,
        ))
        .says("the length in front of the escaped and ended string")
        .why("The end says where the string stops, so no length is needed. And in front it is compared before any letter: \"b\" sorts before \"aa\".")
        .link(WIDTH),
        in_encode("groups_of_eight", BYTES, |value| {
            let mut key: Vec<u8> = Vec::new();
            let whole = value.chunks_exact(8);
            let rest = whole.remainder();
            for group in whole {
                key.extend([group, &[0xff]].concat());
            }
            key.extend(rest);
            key.resize(key.len() + 8 - rest.len(), 0);
            key.push(0xff - (8 - rest.len() as u8));
            key
        })
        .or(Escape::new(
            |value: &[u8]| {
                let mut key: Vec<u8> = Vec::new();
                let whole = value.chunks_exact(8);
                let rest = whole.remainder();
                for group in whole {
                    key.extend([group, &[9]].concat());
                }
                key.extend(rest);
                key.resize(key.len() + 8 - rest.len(), 0);
                key.push(rest.len() as u8);
                key
            },
            decode,
        ))
        .says("groups of eight bytes, each with a byte behind it that says how many of them count")
        .why("So TiDB writes a string, and MyRocks in a like way, and it keeps every rule: the keys are in order and end by themselves. The task asks for another form, 00 ff and 00 01.")
        .link(REPAIR),
        in_encode("zeros_in_a_row_as_one", ORDER, |value| {
            let mut zeros = value.to_vec();
            zeros.dedup_by(|a, b| *a == 0 && *b == 0);
            encode(&[], &zeros)
        })
        .says("one escape for several zero bytes in a row")
        .why("\"\\x00\" and \"\\x00\\x00\" become one key, so one of the two rows replaces the other. Each zero byte has its own 00 ff.")
        .link(REPAIR),
        in_encode("last_zero_not_escaped", ORDER, |value| {
            let mut key = encode(&[], value);
            if value.ends_with(&[0]) {
                key.remove(key.len() - 3);
            }
            key
        })
        .says("every zero byte escaped but one at the end of the string")
        .why(
            "\"a\\x00\" becomes 61 00 00 01 and sorts before 61 00 01, the key of \"a\". What ends the key comes after the string: a zero \
             byte that is its last one is still a byte of the string.",
        )
        .link(REPAIR),
        in_encode("every_bit_inverted", ORDER, |value| {
            encode(&[], value).iter().map(|byte| !byte).collect()
        })
        .says("the right key with every bit inverted")
        .why(
            "That turns an order round: the greatest string comes first. Chapter 6 does so on purpose. Here the strings go up, and \
             their bytes stay as they are.",
        )
        .link(REPAIR),
    ]
}

/// The fixed width of the chapter, and a larger one.
fn of_a_fixed_width() -> Vec<Mistake<Escape>> {
    fn padded<const WIDTH: usize>(value: &[u8]) -> Vec<u8> {
        let mut key = value.to_vec();
        key.resize(WIDTH, 0);
        key
    }
    let in_encode = |name, encode: fn(&[u8]) -> Vec<u8>| {
        Mistake::new(name, "encode", ORDER, Escape::new(encode, decode))
    };
    const WHY: &str = "\"a\" and \"a\\x00\" become one key, and so do strings that differ beyond the width. A fixed width is for values that have \
                       one width.";
    vec![
        in_encode("padded_to_eight_bytes", padded::<8>)
            .says("zero bytes up to a width of 8, and a cut after it")
            .why(WHY)
            .link(WIDTH),
        in_encode("padded_to_32_bytes", padded::<32>)
            .says("zero bytes up to a width of 32, and a cut after it")
            .why(WHY)
            .link(WIDTH),
        in_encode("length_in_little_endian", |value| {
            [&value.len().to_le_bytes()[..4], value].concat()
        })
        .or(Escape::new(|value| [&value.len().to_le_bytes()[..], value].concat(), decode))
        .says("the length in little-endian bytes, then the string")
        .why(
            "Nothing collides and every key ends by itself. But the length is compared before any letter, so \"b\" sorts before \"aa\". And \
             not even the lengths are in order: of 256 the first byte is 0.",
        )
        .link(WIDTH),
        in_encode("length_in_two_bytes", |value| {
            let length = value.len().to_be_bytes();
            [&length[length.len() - 2..], value].concat()
        })
            .says("the length in two bytes, then the string")
            .why(
                "The length is compared before any letter, so \"b\" sorts before \"aa\". And 65536 does not fit into two bytes.",
            )
            .link(WIDTH),
    ]
}

/// The bytes of a text of hexadecimal digits, two for each.
pub(super) fn from_digits(digits: &str) -> Vec<u8> {
    let byte = |pair: &[u8]| {
        let digit = |digit: u8| {
            char::from(digit)
                .to_digit(16)
                .and_then(|d| u8::try_from(d).ok())
        };
        let value = |at: usize| pair.get(at).and_then(|d| digit(*d)).unwrap_or_default();
        value(0) << 4 | value(1)
    };
    digits.as_bytes().chunks(2).map(byte).collect()
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Escape>> {
    let mut mistakes = by_way_of_text();
    mistakes.extend(beside_the_zeros());
    mistakes.extend(of_a_fixed_width());
    mistakes.extend(compose("encode", &QUIRKS, with));
    mistakes.extend(escape_bytes_decode::all());
    mistakes
}
