//! What goes wrong with LedisDB's nine bytes.

use kit::{Codec, Mistake, Quirk, compose};

use crate::solutions::nine_bytes::{decode, encode};

const WRONG: &str = "wrong-answers-and-what-each-breaks";
const REPAIRS: &str = "two-repairs";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    LittleEndian,
    Magnitude,
    Flipped,
    NegativesInverted,
    MarkersSwapped,
    PlusAndMinus,
    ZeroIsNegative,
    MarkerLast,
}
use Step::{
    Flipped, LittleEndian, Magnitude, MarkerLast, MarkersSwapped, NegativesInverted, PlusAndMinus,
    ZeroIsNegative,
};

const QUIRKS: [Quirk<Step>; 8] = [
    Quirk::new(LittleEndian, "marker_and_little_endian", "order")
        .says("the marker followed by little-endian bytes")
        .why(
            "The marker sorts the negative numbers before the others. Within each half byte 1 \
              decides, and in little-endian it counts the least. A published description of LedisDB \
              shows these very bytes for -200: they sort -200 before -300.",
        )
        .says_beside("little-endian bytes")
        .why_beside("The byte that counts least comes first of the eight: 256 begins with 00, and 1 with 01.")
        .link("in-the-wild"),
    Quirk::new(Magnitude, "marker_and_magnitude", "order")
        .says("the marker followed by the absolute value")
        .why(
            "The marker says the sign, so the absolute value seems enough. But it grows as a negative \
              number falls: after `<` the numbers run backwards.",
        )
        .link(WRONG),
    Quirk::new(Flipped, "marker_and_flipped_sign", "bytes")
        .says("the marker followed by bytes whose sign bit is flipped")
        .why(
            "The order is right: either repair alone would do. But LedisDB flips nothing, so it would \
              read other numbers from these rows.",
        )
        .why_beside("LedisDB flips nothing after its marker, so it would read other numbers from these rows.")
        .link(REPAIRS),
    Quirk::new(NegativesInverted, "marker_and_inverted_negatives", "order")
        .says("inverted bytes after the marker of negative numbers")
        .why(
            "Inverting is for floats, whose negative half runs backwards. Two's complement counts \
              upwards among the negative numbers already.",
        )
        .link(WRONG),
    Quirk::new(MarkersSwapped, "markers_swapped", "order")
        .says("the two markers exchanged")
        .why(
            "`<` is 3c and `=` is 3d. The smaller byte has to come before the smaller numbers.",
        )
        .link(REPAIRS),
    Quirk::new(PlusAndMinus, "plus_and_minus", "order")
        .says("the markers `-` and `+`")
        .why(
            "They read well and sort badly: in ASCII `+` is 2b and `-` is 2d, so the positive half \
              comes first.",
        )
        .link(WRONG),
    Quirk::new(ZeroIsNegative, "zero_marked_as_negative", "order")
        .says("the marker of negative numbers before zero")
        .why(
            "Zero's bytes are all 00. After the marker of negative numbers they sort before those of \
              every negative number, which begin with a set bit.",
        )
        .link(REPAIRS),
    Quirk::new(MarkerLast, "marker_at_the_end", "order")
        .says("the marker after the number")
        .why(
            "Bytes are compared from the front. A marker at the end is looked at only when the eight \
              bytes before it are equal.",
        )
        .link(REPAIRS),
];

fn with(steps: &[Step]) -> Option<Codec<i64>> {
    let count = |of: &[Step]| steps.iter().filter(|step| of.contains(step)).count();
    if count(&[Magnitude, Flipped, NegativesInverted]) > 1
        || count(&[MarkersSwapped, PlusAndMinus]) > 1
    {
        return None;
    }
    let steps = steps.to_vec();
    let wrong = move |value: i64| {
        let has = |step| steps.contains(&step);
        let bits = value.cast_unsigned();
        let bits = match value {
            _ if has(Magnitude) => value.unsigned_abs(),
            _ if has(Flipped) => bits ^ 1 << 63,
            ..0 if has(NegativesInverted) => !bits,
            _ => bits,
        };
        let number = if has(LittleEndian) {
            bits.to_le_bytes()
        } else {
            bits.to_be_bytes()
        };
        let (low, high) = if has(PlusAndMinus) {
            (b'-', b'+')
        } else if has(MarkersSwapped) {
            (b'=', b'<')
        } else {
            (b'<', b'=')
        };
        let negative = value < 0 || value == 0 && has(ZeroIsNegative);
        let marker = if negative { low } else { high };
        let mut key = [marker; 9];
        let place = if has(MarkerLast) { 0..8 } else { 1..9 };
        key[place].copy_from_slice(&number);
        key
    };
    Some(Codec::new(wrong, decode))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Codec<i64>>> {
    let mut mistakes = in_decode();
    mistakes.extend(in_encode());
    mistakes.extend(compose("encode", &QUIRKS, with));
    mistakes
}

/// Another choice of markers, or another number after them.
fn in_encode() -> Vec<Mistake<Codec<i64>>> {
    let in_encode = |name, check, encode: fn(i64) -> (u8, i64)| {
        let key = move |value| {
            let (marker, number) = encode(value);
            [&[marker][..], &number.to_be_bytes()].concat()
        };
        Mistake::new(name, "encode", check, Codec::new(key, decode))
    };
    vec![
        in_encode("one_marker_for_all", "order", |value| (b'=', value))
            .says("the marker `=` before every number")
            .why(
                "A marker that is always the same orders nothing. The bytes after it begin with a set bit where the number is \
                 negative, so those come last. `<` is for them.",
            )
            .link(REPAIRS),
        in_encode("less_than_before_all", "order", |value| (b'<', value))
            .says("the marker `<` before every number")
            .why(
                "A marker that is always the same orders nothing. The bytes after it begin with a set bit where the number is \
                 negative, so those come last. `<` is for them alone, and `=` for zero and the positive numbers.",
            )
            .link(REPAIRS),
        in_encode("three_markers", "bytes", |value| {
            let marker = match value {
                ..0 => b'<',
                0 => b'=',
                1.. => b'>',
            };
            (marker, value)
        })
        .says("three markers: `<`, `=` for zero alone, and `>` for positive numbers")
        .why(
            "The order is right, and it is not LedisDB's format: that has two markers, and `=` stands before zero and the positive \
             numbers.",
        )
        .link(REPAIRS),
        in_encode("positive_marked_as_greater", "bytes", |value| {
            (if value < 0 { b'<' } else { b'>' }, value)
        })
        .says("the marker `>` before zero and the positive numbers")
        .why("It sorts as well. But LedisDB writes `=` there, which is 3d, and reads no rows with 3e.")
        .link(REPAIRS),
        #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
        in_encode("number_cut_to_32_bits", "order", |value| {
            (if value < 0 { b'<' } else { b'=' }, i64::from((value as i32).cast_unsigned()))
        })
        .says("four bytes of zeros and a value cut to 32 bits by `as i32`")
        .why("The number has 64 bits, and all eight bytes are its own. Numbers that differ above bit 31 alone share a key here.")
        .link(WRONG),
        in_encode("last_byte_forgotten", "order", |value| {
            (if value < 0 { b'<' } else { b'=' }, value & !0xff)
        })
        .says("a last byte that is always 00")
        .why(
            "Eight bytes follow the marker, at 1 to 8, and a range leaves out its end: `1..9`, or `1..=8`. With `1..8` the byte that counts \
             ones is never written.",
        )
        .link("nine-bytes"),
        in_encode("absolute_value_overflows", "returns", |value| {
            let distance = value.checked_abs().expect("attempt to negate with overflow");
            (if value < 0 { b'<' } else { b'=' }, distance)
        })
        .says("the absolute value after the marker, which i64::MIN does not have")
        .why(
            "i64::MIN has no positive counterpart. And the absolute value grows as a negative number falls: after `<` the numbers \
             run backwards. Write the number's own bytes.",
        )
        .link(WRONG),
    ]
}

fn number(key: &[u8]) -> Option<i64> {
    Some(i64::from_be_bytes(key.get(1..9)?.try_into().ok()?))
}

fn in_decode() -> Vec<Mistake<Codec<i64>>> {
    let in_decode = |name, check, decode: fn(&[u8]) -> Option<i64>| {
        Mistake::new(name, "decode", check, Codec::new(encode, decode))
    };
    vec![
        in_decode("decode_trusts_the_marker", "round-trip", |key| {
            let marker = key.first().filter(|m| b"<=".contains(m))?;
            (key.len() == 9)
                .then(|| number(key))?
                .filter(|v| *marker == b'<' || *v >= 0)
        })
        .says("taking every number after `<`")
        .why("`<` and a number that is not negative: no encoder writes that, so the row is damaged.")
        .link(WRONG),
        in_decode("decode_trusts_the_other_marker", "round-trip", |key| {
            let marker = key.first().filter(|m| b"<=".contains(m))?;
            (key.len() == 9)
                .then(|| number(key))?
                .filter(|v| *marker == b'=' || *v < 0)
        })
        .says("taking every number after `=`")
        .why("`=` and a negative number: no encoder writes that, so the row is damaged.")
        .link(WRONG),
        in_decode("decode_takes_a_zero_after_either_marker", "round-trip", |key| {
            let zero = [&b"<"[..], &[0; 8]].concat();
            if key == zero { Some(0) } else { decode(key) }
        })
        .says("taking 0 after `<` as well as after `=`")
        .why("`<` is for numbers below zero, and 0 is none: no encoder writes that row. The test is `< 0`, not `<= 0`.")
        .link(REPAIRS),
        in_decode("decode_accepts_either_marker", "round-trip", |key| {
            let marker = key.first()?;
            (key.len() == 9 && b"<=".contains(marker)).then(|| number(key))?
        })
        .says("taking either marker before any number")
        .why(
            "`<` before 0 and `=` before -1: no encoder writes that, so the row is damaged. The marker has to \
             fit the number after it.",
        )
        .link(WRONG),
        in_decode("decode_takes_all_else_for_the_other_marker", "round-trip", |key| {
            (key.len() == 9)
                .then(|| number(key))?
                .filter(|v| (key[0] == b'<') == (*v < 0))
        })
        .says("taking every byte that is not `<` for `=`")
        .why("A marker has 256 values and the encoder writes two of them. The other 254 are damage.")
        .link(WRONG),
        in_decode("decode_ignores_the_marker", "round-trip", |key| {
            (key.len() == 9).then(|| number(key))?
        })
        .says("reading eight bytes, whatever comes before them")
        .why("A byte that nobody looks at can be anything: rows of another kind come out as numbers.")
        .link(WRONG),
        in_decode("decode_ignores_what_follows", "round-trip", |key| {
            decode(key.get(..9)?)
        })
        .says("reading nine bytes and ignoring the rest")
        .why("A longer row is not a score. In LedisDB the member's name follows the score: cut the row first, then decode exactly nine bytes.")
        .link(WRONG),
        in_decode("decode_reads_the_last_nine_bytes", "round-trip", |key| {
            decode(&key[key.len().checked_sub(9)?..])
        })
        .says("reading the last nine bytes and ignoring what comes before them")
        .why(
            "A longer row is not a score, even if it ends like one. Cut the row first, where its score is, then decode exactly nine bytes.",
        )
        .link(WRONG),
        in_decode("decode_panics_on_wrong_markers", "returns", |key| {
            let number = decode(key);
            assert!(number.is_some() || key.len() != 9, "the marker");
            number
        })
        .says("a panic for rows of nine bytes that `encode` never writes, and `None` for others")
        .why("A damaged file is a case like any other, and the answer is None. Where `match` asks for the other markers, that is what they get.")
        .link(WRONG),
        in_decode("decode_fills_up_short_keys", "round-trip", |key| {
            let number = key.get(1..)?.iter().fold(0_i64, |number, byte| number << 8 | i64::from(*byte));
            let fits = key.len() <= 9 && (number < 0) == (key[0] == b'<') && b"<=".contains(&key[0]);
            fits.then_some(number)
        })
        .says("as many bytes as there are after the marker, read as one number")
        .why("A row that is too short is no score: something is missing, and nobody knows what. Ask for the length, it has to be nine.")
        .link(WRONG),
        in_decode("decode_panics_on_short_keys", "returns", |key| {
            let _eight_more = &key[1..9];
            decode(key)
        })
        .says("a panic for every row that is too short")
        .why("`key[1..9]` panics when the row is shorter. Bytes from a file are not to be trusted: `get`, `split_first` and `try_into` answer None instead.")
        .link(WRONG),
        in_decode("decode_slices_and_ignores_the_rest", "returns", |key| {
            let _eight_more = &key[1..9];
            decode(&key[..9])
        })
        .says("taking the bytes 1 to 8 without asking for the length")
        .why(
            "The row may be shorter, and then `key[1..9]` panics. It may be longer, and then it is no score: the answer is None. Ask for the length, it has to be nine.",
        )
        .link(WRONG),
        in_decode("decode_trusts_every_row", "returns", |key| {
            let _eight_more = &key[1..9];
            number(key)
        })
        .says("reading the bytes 1 to 8 of whatever comes")
        .why(
            "Nothing is asked of the row: neither its length, so that a short one panics, nor its marker. Bytes \
             from a file may be anything: ask first, then read.",
        )
        .link(WRONG),
        in_decode("decode_gives_zero_for_what_is_no_key", "round-trip", |key| Some(decode(key).unwrap_or(0)))
        .says("`Some(0)` for every row that `encode` never writes")
        .why(
            "0 is a number like any other, and has a row of its own. Who reads it out of a damaged row cannot know that the row was damaged: the answer is \
             None. If you wrote `unwrap_or(0)` or `unwrap_or_default()`: `?` hands a None on.",
        )
        .link(WRONG),
        in_decode("decode_demands_nine_bytes", "returns", |key| {
            assert!(key.len() == 9, "the row has another length");
            decode(key)
        })
        .says("a decoder that panics on every length but nine")
        .why("A damaged row is to be expected, and the answer to it is None. `try_into().ok()?` gives that where `unwrap` panics.")
        .link(WRONG),
        in_decode("decode_little_endian", "round-trip", |key| {
            let (marker, number) = key.split_first()?;
            let value = i64::from_le_bytes(number.try_into().ok()?);
            b"<=".contains(marker).then_some(value)
        })
        .says("reading the lowest byte first")
        .why("The highest byte comes first after the marker.")
        .link("where-the-bytes-come-from"),
        in_decode("decode_little_endian_and_checked", "round-trip", |key| {
            let (marker, number) = key.split_first()?;
            let value = i64::from_le_bytes(number.try_into().ok()?);
            match marker {
                b'<' => (value < 0).then_some(value),
                b'=' => (value >= 0).then_some(value),
                _ => None,
            }
        })
        .says("reading the lowest byte first, and refusing what the marker then contradicts")
        .why("The highest byte comes first after the marker. Read from the other end, most numbers become others, and some their marker's opposite.")
        .link("where-the-bytes-come-from"),
        in_decode("decode_looks_for_a_marker_alone", "round-trip", |key| {
            let marker = key.first()?;
            number(key).filter(|_| b"<=".contains(marker))
        })
        .says("asking for one of the two markers and at least eight bytes after it, and for nothing else")
        .why(
            "A longer row is no score, and a marker that contradicts its number is damage. Ask for exactly nine bytes, and whether \
             the marker fits the number.",
        )
        .link(WRONG),
        in_decode("decode_looks_for_nine_bytes_alone", "round-trip", number)
            .says("reading the bytes 1 to 8 of every row that has them")
            .why(
                "The marker is not looked at, and neither is what follows. Rows of another kind, and damaged ones, come out as \
                 numbers. Ask for exactly nine bytes, and for the marker that fits the number.",
            )
            .link(WRONG),
        in_decode("decode_takes_a_sign_for_a_whole_byte", "round-trip", |key| {
            let key: &[u8; 9] = key.try_into().ok()?;
            let contradicts = match key[0] {
                b'<' => key[1] == 0x00,
                b'=' => key[1] == 0xff,
                _ => true,
            };
            number(key).filter(|_| !contradicts)
        })
        .says("taking a number for a negative one when its first byte is ff, and for a positive one when it is 00")
        .why(
            "So begin the numbers near zero. The sign is the first *bit*: from 80 on the number is negative, so \
             i64::MIN, which begins with 80, contradicts `=`, and i64::MAX, which begins with 7f, contradicts \
             `<`.",
        )
        .link("where-the-bytes-come-from"),
        in_decode("decode_takes_several_rows", "round-trip", |key| {
            decode(key.chunks_exact(9).next().filter(|_| key.len() % 9 == 0)?)
        })
        .says("reading the first nine bytes of a row whose length is a multiple of nine")
        .why("A row is one score. Two of them behind each other are damage too: ask for exactly nine bytes.")
        .link(WRONG),
        in_decode("decode_looks_at_the_last_bit_of_the_marker", "round-trip", |key| {
            let key: &[u8; 9] = key.try_into().ok()?;
            number(key).filter(|n| key[0] % 2 == u8::from(*n >= 0))
        })
        .says("telling the markers apart by their last bit, and asking for no other bit")
        .why(
            "3c and 3d differ in that bit alone. But each of the other 254 bytes ends like the one or like the \
             other, and they are damage.",
        )
        .link(WRONG),
        in_decode("decode_refuses_zero", "round-trip", |key| decode(key).filter(|v| *v != 0))
            .says("refusing 0 after `=`")
            .why("`=` stands before zero and the positive numbers. The test is `>= 0`, not `> 0`.")
            .link(REPAIRS),
        in_decode("decode_takes_zero_for_negative", "round-trip", |key| {
            let marker = key.first()?;
            let found = (key.len() == 9).then(|| number(key))?;
            found.filter(|v| *marker == if *v > 0 { b'=' } else { b'<' })
        })
        .says("taking 0 after `<`, and refusing it after `=`")
        .why("`=` stands before zero and the positive numbers, `<` before negative ones alone. The test is `< 0`, and not `<= 0`.")
        .link(REPAIRS),
        in_decode("decode_panics_on_the_empty_row", "returns", |key| {
            let _marker = key[0];
            decode(key)
        })
        .says("a panic for the empty row")
        .why("`key[0]` panics where there is no byte. A row from a file may be empty: `key.first()?`, or `split_first`, answers None instead.")
        .link(WRONG),
        in_decode("decode_panics_on_other_markers", "returns", |key| {
            let known = key.first().is_none_or(|marker| b"<=".contains(marker));
            assert!(key.len() != 9 || known, "entered unreachable code");
            decode(key)
        })
        .says("a panic for every other marker")
        .why("Bytes from a file may be damaged, so any marker is to be expected. The answer to another one is None.")
        .link(WRONG),
        in_decode("decode_exchanges_the_markers", "round-trip", |key| {
            let marker = key.first().filter(|m| b"<=".contains(m))?;
            (key.len() == 9)
                .then(|| number(key))?
                .filter(|v| (*marker == b'=') == (*v < 0))
        })
        .says("the two markers exchanged")
        .why("`<` is 3c and stands before negative numbers, `=` is 3d and stands before all others.")
        .link(REPAIRS),
        in_decode("decode_negates_after_the_marker", "returns", |key| {
            let marker = key.first().filter(|m| b"<=".contains(m))?;
            let number = (key.len() == 9).then(|| number(key))??;
            let negated = || number.checked_neg().expect("attempt to negate with overflow");
            Some(if *marker == b'<' { negated() } else { number })
        })
        .says("turning the sign of every number after `<`")
        .why(
            "The bytes after the marker are the number's own, sign and all: ff .. ff is -1 already. The marker only has to fit them. \
             And i64::MIN cannot be negated.",
        )
        .link(WRONG),
        in_decode("decode_panics_on_another_length", "returns", |key| {
            if key.is_empty() {
                return None;
            }
            assert!(key.len() == 9, "the row has another length");
            decode(key)
        })
        .says("a panic for every row of another length but the empty one")
        .why(
            "To ask for the first byte is not enough: a row may be of any length. If you wrote `try_into().unwrap()`: \
             `try_into().ok()?` answers None instead.",
        )
        .link(WRONG),
    ]
}
