//! What goes wrong when an order is put into bytes.

use kit::Mistake;

use crate::encode_instead::{Keys, rows as all_rows};
use crate::solutions::encode_instead::{decode as right_decode, encode as right_encode};

const BOTH: &str = "the-same-rows-both-ways";
const TASK: &str = "encode-instead";
const RIGHT: &str = "when-each-is-right";

/// A wrong encoder, with the decoder that undoes it as far as it can be undone.
fn keys(name: &str, encode: fn(&str, u64) -> Vec<u8>) -> Mistake<Keys> {
    let decode = move |key: &[u8]| {
        let found = all_rows()
            .into_iter()
            .find(|row| encode(row.0, row.1) == key)?;
        Some((found.0.to_owned(), found.1))
    };
    Mistake::new(name, "encode", "order", Keys::new(encode, decode))
}

fn rows(name: &str, decode: fn(&[u8]) -> Option<(String, u64)>) -> Mistake<Keys> {
    let imp = Keys::new(right_encode, decode);
    Mistake::new(name, "decode", "round-trip", imp)
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Keys>> {
    let mut mistakes = of_numbers();
    mistakes.extend(of_names());
    mistakes.extend(of_decoders());
    mistakes
}

fn of_numbers() -> Vec<Mistake<Keys>> {
    vec![
        keys("text_as_it_is", |name, number| format!("{name}:{number}").into_bytes())
            .says("the text itself")
            .why("This is the key that needs the comparator: `10` comes before `9` as bytes.")
            .link(BOTH),
        keys("padded_to_ten", |name, number| format!("{name}:{number:010}").into_bytes())
            .says("the number padded to ten digits")
            .why("From 10,000,000,000 on the digits do not fit, and the order breaks. A `u64` has up to twenty digits.")
            .link(BOTH),
        keys("padded_to_thirteen", |name, number| format!("{name}:{number:013}").into_bytes())
            .says("the number padded to thirteen digits")
            .why(
                "Thirteen digits are enough for today's times in milliseconds. From 10^13 on the digits do not fit, and the order \
                 breaks. A `u64` has up to twenty digits.",
            )
            .link(BOTH),
        keys("padded_to_fifteen_in_hexadecimal", |name, number| {
            format!("{name}:{number:015x}").into_bytes()
        })
        .says("the number in hexadecimal, padded to fifteen digits")
        .why(
            "From 2^60 on there are sixteen digits, and the order breaks: 1 and fifteen zeros come before 8 and fourteen. A `u64` has \
             up to sixteen hexadecimal digits.",
        )
        .link(BOTH),
        keys("padded_without_a_colon", |name, number| format!("{name}{number:020}").into_bytes())
            .says("the number padded to twenty digits right after the name, and no colon")
            .why(
                "Twenty digits are right. But nothing ends the name, so the digits of `item1` are compared with those of the number of \
                 `item`. The comparator compares `item1:` with `item:`, and the colon is above every digit.",
            )
            .link(TASK),
        keys("count_of_digits_in_decimal", |name, number| {
            let digits = number.to_string();
            format!("{name}:{}{digits}", digits.len()).into_bytes()
        })
        .says("the count of digits in front of them, in decimal")
        .why(
            "The thought is right, and the count needs a fixed width as well: the `10` of ten digits comes before the `9` of nine. \
             Write it as two digits, or as one letter.",
        )
        .link(BOTH),
        keys("varint", |name, number| {
            let mut key = [name.as_bytes(), b":"].concat();
            let mut rest = number;
            while rest > 0x7f {
                key.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            key.push(rest as u8);
            key
        })
        .says("a variable-length integer of seven bits in a byte, the lowest ones first")
        // Of one byte, the lowest ones are the highest ones.
        .whole()
        .why(
            "It is short, and made for values, not for keys: the bits that count least come first and decide. Use eight bytes, \
             `to_be_bytes`.",
        )
        .link(BOTH),
        keys("padded_to_nineteen", |name, number| format!("{name}:{number:019}").into_bytes())
            .says("the number padded to nineteen digits")
            .why("That is enough for an `i64`. From 10^19 on a `u64` has twenty digits.")
            .link(BOTH),
        keys("hexadecimal_unpadded", |name, number| format!("{name}:{number:x}").into_bytes())
            .says("the number in hexadecimal, without zeros in front")
            .why("The digits are fewer, and they line up no better: `a` is 10 and comes after `10`, which is 16.")
            .link(BOTH),
        keys("little_endian", |name, number| {
            [name.as_bytes(), b":", &number.to_le_bytes()].concat()
        })
        .says("little-endian bytes")
        .why("The byte that counts least comes first and decides. Use `to_be_bytes`.")
        .link(BOTH),
        keys("four_bytes", |name, number| {
            [name.as_bytes(), b":", &(number as u32).to_be_bytes()].concat()
        })
        .says("the number cut to four bytes")
        .why("2^32 and 0 share a key. A `u64` has eight bytes.")
        .link(BOTH),
        keys("zeros_left_out", |name, number| {
            let zeros = number.leading_zeros() as usize / 8;
            [name.as_bytes(), b":", &number.to_be_bytes()[zeros..]].concat()
        })
        .says("big-endian bytes without the zeros in front")
        .why("256 is `01 00` and 2 is `02`: the first byte decides, and it no longer says how long the number is.")
        .link(BOTH),
        keys("as_double", |name, number| {
            [name.as_bytes(), b":", &(number as f64).to_be_bytes()].concat()
        })
        .says("the number as a double")
        .why("From 2^53 on, neighbours become the same double, so two rows share a key.")
        .link(BOTH),
        keys("signed", |name, number| {
            let flipped = number ^ 1 << 63;
            [name.as_bytes(), b":", &flipped.to_be_bytes()].concat()
        })
        .says("big-endian bytes with the first bit flipped")
        .why("That flip is for signed numbers. In a `u64` the first bit is worth 2^63, and 1 means more.")
        .link(TASK),
        keys("inverted", |name, number| {
            [name.as_bytes(), b":", &(!number).to_be_bytes()].concat()
        })
        .says("the number inverted")
        .why("That turns the numbers round: the greatest comes first. Here the smallest does.")
        .link(TASK),
    ]
}

fn of_names() -> Vec<Mistake<Keys>> {
    vec![
        keys("colon_left_out", |name, number| {
            [name.as_bytes(), &number.to_be_bytes()].concat()
        })
        .says("the name and the number without a colon between them")
        .why(
            "Where one name begins another, the bytes of a number meet the letters of the longer name, and the number's \
             first byte decides. Keep the byte that ends the name.",
        )
        .link(TASK),
        keys("characters_cut_to_bytes", |name, number| {
            let name: Vec<u8> = name.chars().map(|letter| letter as u8).collect();
            [&name[..], b":", &number.to_be_bytes()].concat()
        })
        .says("one byte for each character of the name")
        .why(
            "A `char` has up to 21 bits, and `as u8` keeps eight of them: `š` becomes `a`, and two rows have one key. \
             `as_bytes` gives the bytes of UTF-8, which sort as the characters do.",
        )
        .link(TASK),
        keys("ended_by_zero", |name, number| {
            [name.as_bytes(), b"\0", &number.to_be_bytes()].concat()
        })
        .says("the name ended by a byte 00 instead of the colon")
        .why(
            "It is a good order, only not this one: it puts `item` before `item1`, and the comparator, which sees the \
             colon, does not. Two programs with two orders must not share a store.",
        )
        .link(TASK),
        keys("ended_by_a_sign_below_the_digits", |name, number| {
            [name.as_bytes(), b"/", &number.to_be_bytes()].concat()
        })
        .says("the name ended by a sign such as `/` or `-` instead of the colon")
        .why(
            "The comparator sees the colon, and every digit is less than a colon: `item1` comes before `item`. These signs are less than \
             the digits, and put `item` first. Two programs with two orders must not share a store.",
        )
        .link(TASK),
        keys("ended_by_ff", |name, number| {
            [name.as_bytes(), b"\xff", &number.to_be_bytes()].concat()
        })
        .says("the name ended by a byte ff instead of the colon")
        .why(
            "No text holds ff, so it ends every name. But it sorts above all letters: `itemx` comes before `item` then. The colon \
             is below letters and above digits, and that is the order asked for.",
        )
        .link(TASK),
        keys("ended_by_00_01", |name, number| {
            let mut key = Vec::new();
            for byte in name.bytes() {
                key.push(byte);
                if byte == 0 {
                    key.push(0xff);
                }
            }
            key.extend([0x00, 0x01]);
            key.extend(number.to_be_bytes());
            key
        })
        .or(Keys::new(
            |name, number| [name.as_bytes(), &[0x00, 0x01], &number.to_be_bytes()].concat(),
            right_decode,
        ))
        .says("the name ended by `00 01`, as names are in chapter 5")
        .why(
            "For keys of your own that is the right end. But it puts `item` before `item1`, and the comparator, which \
             compares `item1:` with `item:`, does not. No name holds a colon, so the colon can end it.",
        )
        .link(TASK),
        keys("name_with_its_length", |name, number| {
            [&[name.len() as u8], name.as_bytes(), b":", &number.to_be_bytes()].concat()
        })
        .says("the length of the name in front of it")
        .why("Then the shorter name comes first, whatever its letters are: `user` before `item1`.")
        .link(TASK),
        keys("name_with_its_length_in_several_bytes", |name, number| {
            let length = (name.len() as u32).to_be_bytes();
            [&length[..], name.as_bytes(), &number.to_be_bytes()].concat()
        })
        .says("the length of the name, in several bytes, in front of it")
        .why("Then the shorter name comes first, whatever its letters are: `user` before `item1`.")
        .link(TASK),
        keys("number_first", |name, number| {
            [&number.to_be_bytes()[..], name.as_bytes(), b":"].concat()
        })
        .says("the number in front of the name")
        .why("The first field decides. Rows of one name must be together, so the name comes first.")
        .link(TASK),
        keys("number_before_the_bare_name", |name, number| {
            [&number.to_be_bytes()[..], name.as_bytes()].concat()
        })
        .says("the number in front of the name, and no colon")
        .why(
            "The first field decides, so the rows of one name are not together: the name comes first. And `item` comes before \
             `item1` then. The comparator compares `item:` with `item1:`.",
        )
        .link(TASK),
        keys("name_as_fixed_four", |name, number| {
            let mut field = name.as_bytes().to_vec();
            field.resize(4, 0);
            [&field[..], b":", &number.to_be_bytes()].concat()
        })
        .says("four bytes of the name")
        .why("Longer names are cut, so `item` and `item1` share their keys.")
        .link(TASK),
    ]
}

fn of_decoders() -> Vec<Mistake<Keys>> {
    vec![
        rows("decode_at_the_last_colon", |key| {
            let colon = key.iter().rposition(|byte| *byte == b':')?;
            let number = key[colon + 1..].try_into().ok()?;
            Some((String::from_utf8(key[..colon].to_vec()).ok()?, u64::from_be_bytes(number)))
        })
        .or(Keys::new(right_encode, |key| {
            let colon = key.iter().rposition(|byte| *byte == b':')?;
            let number = key[colon + 1..].try_into().unwrap();
            Some((String::from_utf8(key[..colon].to_vec()).ok()?, u64::from_be_bytes(number)))
        }))
        .says("a split at the last byte 3a, or at each of them")
        .why("58 is 3a, the byte of a colon. In binary any byte can be in a number: count from the end instead.")
        .link(TASK),
        rows("decode_keeps_the_colon", |key| {
            let (front, number) = key.split_last_chunk::<8>()?;
            Some((String::from_utf8(front.to_vec()).ok()?, u64::from_be_bytes(*number)))
        })
        .says("a name that still has its colon")
        .why("The colon belongs to the key and not to the name.")
        .link(TASK),
        rows("decode_as_text", |key| {
            let (name, number) = str::from_utf8(key).ok()?.split_once(':')?;
            Some((name.to_owned(), u64::from_be_bytes(number.as_bytes().try_into().ok()?)))
        })
        .says("a key that is read as text, its number too")
        .why(
            "The name is text, the eight bytes of the number are not: where they are no UTF-8, all of the key is refused. Split the \
             bytes first, and read the name alone as text.",
        )
        .link(TASK),
        rows("decode_bytes_made_characters", |key| {
            let name = key.get(..key.len().checked_sub(9)?)?;
            let number = u64::from_be_bytes(*key.last_chunk()?);
            Some((name.iter().copied().map(char::from).collect(), number))
        })
        .says("each byte of the name made a character")
        .why(
            "That is right for ASCII alone. Letters such as `é` have several bytes in UTF-8, and become several letters: read the name by `String::from_utf8`.",
        )
        .link(TASK),
        rows("decode_little_endian", |key| {
            let (name, number) = right_decode(key)?;
            Some((name, number.swap_bytes()))
        })
        .says("the number read as little-endian")
        .why("`encode` wrote the greatest byte first; `decode` must read it so.")
        .link(BOTH),
        rows("decode_always_none", |_| None)
        .says("`None` for every key")
        .why(
            "If you read the key as text: the number is eight bytes now and no digits. That is the price of such a key. \
             Otherwise print a key and look at its bytes.",
        )
        .link(RIGHT),
        rows("decode_four_bytes", |key| {
            let (name, number) = right_decode(key)?;
            Some((name, u64::from(number as u32)))
        })
        .says("the last four bytes of the number")
        .why("The number has eight bytes; from 2^32 on the first four count.")
        .link(TASK),
        rows("decode_strips_all_zeros", |key| right_decode(key).filter(|(_, number)| *number > 0))
            .says("`None` for the number 0")
            .why(
                "0 is a number like any other. If you take the zeros in front off before you parse: of 0 nothing is left then. `parse` reads digits with \
                 zeros in front as they are.",
            )
            .link(TASK),
        rows("decode_refuses_an_empty_name", |key| {
            right_decode(key).filter(|(name, _)| !name.is_empty())
        })
        .says("`None` for rows without a name")
        .why("A name may be empty: its key is the colon and the number.")
        .link(TASK),
    ]
}
