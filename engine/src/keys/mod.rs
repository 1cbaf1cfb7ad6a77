//! Order-preserving encodings: bytes that sort as the values do.
//!
//! A sorted store knows one order: byte strings, compared from the left, the shorter one first
//! when one is a prefix of the other. Everything that it can do quickly is "the next key" and "all
//! keys from here to there". So if scores, times and names should come out in order, their order
//! must be in the bytes. Each module here answers one question: which bytes sort like *this* type?
//!
//! # Why keys do not sort by themselves
//!
//! Memory is laid out for arithmetic, not for comparison. A number in it can be wrong for a byte
//! string in three ways.
//!
//! 1. **The deciding byte does not come first.** A little-endian machine writes 256 as `00 01` and
//!    1 as `01 00`. Repair: big-endian, the most significant byte first.
//! 2. **The sign bit means less, and sorts as more.** -1 is `ff ff`, and sorts after every positive
//!    number. Repair: flip the sign bit.
//! 3. **Magnitudes run backwards below zero.** Floats store sign and magnitude, so among negative
//!    ones the greater bits are the lesser number. Repair: invert all bits of the negative ones.
//!
//! A byte string sorts by itself as long as nothing follows it. Once another field follows, `"a"`,
//! `"ab"` and `"a\0"` are no longer told apart by where they end. Repair: mark the end with
//! something that sorts below every continuation.
//!
//! # The two properties
//!
//! | property | trait | meaning | what it buys |
//! |---|---|---|---|
//! | order | [`OrderedKey`] | `a < b` exactly when `key(a) < key(b)` | a scan comes out in order |
//! | ends by itself | [`SelfDelimiting`] | no key is a prefix of another | a field may follow; inversion reverses the order |
//!
//! The second property implies the rest. If two keys must differ at a byte that both have, then
//! what comes after that byte cannot matter, so keys may be concatenated: **tuples**. And inverting
//! all bytes keeps the place of that byte and reverses the comparison: **descending**.
//!
//! # The encodings
//!
//! | type | rule | bytes | order | example | its key |
//! |---|---|---|---|---|---|
//! | `u8` .. `u128` | big-endian | 1 .. 16 | numeric | `256_u64` | `0000000000000100` |
//! | `i8` .. `i128` | sign bit flipped, big-endian | 1 .. 16 | numeric | `-1_i64` | `7fffffffffffffff` |
//! | `f32`, `f64` | sign bit set: all inverted; else set it | 4, 8 | total: -NaN, -inf .. -0.0, +0.0 .. +inf, NaN | `-0.0_f64` | `7fffffffffffffff` |
//! | [`Numeric<f64>`](Numeric) | -0.0 becomes +0.0, NaN is refused | 4, 8 | `<`, one zero | `-0.0` | `8000000000000000` |
//! | `bool` | 0 or 1 | 1 | false first | `true` | `01` |
//! | [`Vec<u8>`], `[u8]`, [`String`], `str` | `00` becomes `00 ff`, then `00 01` | n + zeros + 2 | bytes, shorter first | `"a\0b"` | `6100ff620001` |
//! | [`Raw`] | as it is, last position only | n | bytes, shorter first | `Raw("ab")` | `6162` |
//! | [`Varint`] | leading ones count the bytes that follow | 1 .. 9 | numeric | `Varint(300)` | `812c` |
//! | [`PaddedDecimal`] | twenty digits | 20 | numeric | `PaddedDecimal(42)` | `3030303030303030303030303030303030303432` |
//! | [`Desc<T>`](Desc) | all bytes inverted | as `T` | reversed | `Desc(1_u16)` | `fffe` |
//! | tuples | fields one after another | sum | field by field | `("a", 1_u16)` | `6100010001` |
//!
//! All decoders refuse what the encoders do not write, with a [`DecodeError`] that says where and
//! why. So a key and its value determine each other: bytes that decode encode to themselves.
//!
//! [`historical`] has four forms that other systems use, and says what follows from each.
//!
//! # How to use them
//!
//! A row of a leaderboard: all entries of a board, best score first, then by name.
//!
//! ```
//! use engine::keys::{DecodeKey, Desc, NanError, Numeric, OrderedKey, prefix_successor};
//!
//! type Row = (String, Desc<Numeric<f64>>, String);
//! let row = |board: &str, score, name: &str| -> Result<Row, NanError> {
//!     Ok((board.to_owned(), Desc(Numeric::<f64>::new(score)?), name.to_owned()))
//! };
//!
//! let mut keys = vec![
//!     row("chess", 1200.0, "carol")?.to_key(),
//!     row("chess", 1450.5, "alice")?.to_key(),
//!     row("go",    2000.0, "bob")?.to_key(),
//!     row("chess", 1450.5, "aaron")?.to_key(),
//! ];
//! keys.sort();
//! let names: Vec<_> = keys.iter().map(|key| Row::from_key(key).unwrap().2).collect();
//! assert_eq!(names, ["aaron", "alice", "carol", "bob"]);
//!
//! // All rows of one board: from its prefix up to the prefix's successor.
//! let start = "chess".to_key();
//! let end = prefix_successor(&start).unwrap();
//! assert_eq!(keys.iter().filter(|key| start <= **key && **key < end).count(), 3);
//! # Ok::<(), NanError>(())
//! ```
//!
//! Two coordinates have no single order in which every rectangle is one range of keys.
//! [`interleave`] makes one number of them such that every cell of a grid is a range, and [`ZBox`]
//! says which ranges a rectangle becomes.
//!
//! Where a key is built in a hot loop, the free functions such as [`encode_i64`] return arrays and
//! allocate nothing; [`OrderedKey::encode_into`] appends to a buffer that you keep.
//!
//! # Why you may believe it
//!
//! | what | how much | run |
//! |---|---|---|
//! | property tests: order, round trip, ends by itself, descending, hostile bytes | every type and combinations, thousands of biased cases | `cargo test -p engine --test keys` |
//! | exhaustion | 8 and 16 bits and binary16: every pair; 32 bits: every value | `cargo run --release -p engine --example exhaust_keys` |
//! | machine proof, `engine/proofs` | `i64`, `f64` and Z-order: all 2^128 pairs, and a counterexample for each wrong rule | `cargo test -p engine --test keys proofs::` |
//! | exported vectors | the book's widgets compute the same bytes in JavaScript | `cargo run -p engine --example key_vectors` |
//!
//! The vectors are stored in `book/widgets/vectors.json`: chosen values, their bytes in both byte
//! orders, their keys here and in the historical forms. One test compares the widgets' own
//! arithmetic with that file, and another compares the file with this code (`UPDATE_OUTPUTS=1 cargo
//! test -p engine --test keys vectors::` rewrites it). So a picture in the book cannot drift from
//! what the engine stores.
//!
//! What it costs: `cargo bench -p benches -- keys/`.
//!
//! # Left out
//!
//! Optional values, arrays, enums, signed varints, arbitrary-precision numbers, collation, more than two dimensions. Each has
//! an order-preserving form, and no key of this project needs one. This module depends on no other
//! one of the engine, and nothing in it reads or writes a file.

pub mod historical;

mod boolean;
mod bytes;
mod decimal;
mod descending;
mod error;
mod float;
mod numeric;
mod ordered;
mod reader;
mod signed;
mod successor;
mod tuple;
mod unsigned;
mod varint;
mod zorder;

pub use bytes::{Raw, decode_bytes, encode_bytes, encode_bytes_into, escape_into};
pub use decimal::{PaddedDecimal, decode_decimal, encode_decimal};
pub use descending::{Desc, descending};
pub use error::{DecodeError, Why};
pub use float::{decode_f16_bits, decode_f32, decode_f64, encode_f16_bits, encode_f32, encode_f64};
pub use numeric::{
    NanError, Numeric, decode_f32_numeric, decode_f64_numeric, encode_f32_numeric,
    encode_f64_numeric,
};
pub use ordered::{DecodeKey, OrderedKey, SelfDelimiting};
pub use reader::Reader;
pub use signed::{
    decode_i8, decode_i16, decode_i32, decode_i64, decode_i128, encode_i8, encode_i16, encode_i32,
    encode_i64, encode_i128,
};
pub use successor::prefix_successor;
pub use unsigned::{
    decode_u8, decode_u16, decode_u32, decode_u64, decode_u128, encode_u8, encode_u16, encode_u32,
    encode_u64, encode_u128,
};
pub use varint::{Varint, decode_varint, encode_varint, encode_varint_into, varint_len};
pub use zorder::{ZBox, deinterleave, interleave};

/// The bytes as people read them: two hexadecimal digits each, nothing between.
///
/// ```
/// assert_eq!(engine::keys::hex(b"a\x00\xff"), "6100ff");
/// ```
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        for digit in [byte >> 4, byte & 0x0f] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or('?'));
        }
        text
    })
}
