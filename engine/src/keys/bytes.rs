//! Byte strings and text: escaped and terminated for any position, raw for the last.
//!
//! Rule of the escaped form ([`Vec<u8>`], `[u8]`, [`String`], [`str`]): a zero byte becomes
//! `00 ff`, every other byte stays, and `00 01` ends the string. The end must sort below every
//! continuation, and a continuation starts with `01`..`ff` or, for a zero byte, with `00 ff`: all
//! are above `00 01`. So `"a" < "a\0" < "a\x01" < "ab"` as it should be, whatever follows.
//!
//! ```
//! use engine::keys::{encode_bytes, hex};
//! for (value, key) in [
//!     (&b""[..],     "0001"),
//!     (b"\x00",      "00ff0001"),
//!     (b"a",         "610001"),
//!     (b"a\x00",     "6100ff0001"),
//!     (b"a\x00\xff", "6100ffff0001"),
//!     (b"a\x01",     "61010001"),
//!     (b"ab",        "61620001"),
//!     (b"\xff",      "ff0001"),
//! ] {
//!     assert_eq!(hex(&encode_bytes(value)), key);
//! }
//! ```
//!
//! Rule of the raw form ([`Raw`]): the bytes themselves. Shorter, and right only in the last
//! position. The compiler holds you to that:
//!
//! ```compile_fail,E0277
//! use engine::keys::{OrderedKey, Raw};
//! (Raw(b"a".to_vec()), 7_u64).to_key();   // Raw<Vec<u8>> is not SelfDelimiting
//! ```
//!
//! Text sorts by its UTF-8 bytes, which is the order of its code points and of Rust's `str`.
//!
//! Invariants
//! 1. An escaped key ends with its first `00 01`, so it is self-delimiting.
//! 2. `ff` or `01` follows every `00`. Everything else is an error, above all another zero: a
//!    buffer longer than its fields ends in zeros, and they must not pass for empty strings. That
//!    is why the terminator is not `00 00`.
//! 3. The form grows by two bytes plus one for each zero byte in the string.
//!
//! Left out: collation (the order of a language), and a length prefix, which would sort by length.
//! Fixed-size arrays are left out on purpose: `b"ab"` could mean either form.
//!
//! The escape is the one of FoundationDB's tuple layer and of CockroachDB's key encoding.

use crate::keys::{DecodeError, DecodeKey, OrderedKey, Reader, SelfDelimiting, Why};

/// Announces an escaped zero byte or the end.
const ESCAPE: u8 = 0x00;
/// After [`ESCAPE`]: the string ends here.
const END: u8 = 0x01;
/// After [`ESCAPE`]: the string holds a zero byte here.
const ZERO: u8 = 0xff;

// ANCHOR: encode_bytes
/// The escaped and terminated key of a byte string.
#[must_use]
pub fn encode_bytes(value: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(value.len() + 2);
    encode_bytes_into(value, &mut key);
    key
}

/// Appends the escaped and terminated key of a byte string to `out`.
pub fn encode_bytes_into(value: &[u8], out: &mut Vec<u8>) {
    escape_into(value, out);
    out.extend_from_slice(&[ESCAPE, END]);
}

/// Appends `value` with its zero bytes escaped, without the end: the common
/// prefix of the keys of all strings that start with `value`. Its
/// [`prefix_successor`] bounds them.
///
/// [`prefix_successor`]: crate::keys::prefix_successor
pub fn escape_into(value: &[u8], out: &mut Vec<u8>) {
    // Most strings hold no zero byte, and to look for one is far cheaper.
    if !value.contains(&ESCAPE) {
        out.extend_from_slice(value);
        return;
    }
    for (index, run) in value.split(|&byte| byte == ESCAPE).enumerate() {
        if index > 0 {
            out.extend_from_slice(&[ESCAPE, ZERO]);
        }
        out.extend_from_slice(run);
    }
}
// ANCHOR_END: encode_bytes

/// The byte string of a key that [`encode_bytes`] made. The key must hold nothing else.
///
/// # Errors
/// [`Why::BadEscape`], [`Why::Truncated`] if the end is missing, [`Why::TrailingBytes`].
pub fn decode_bytes(key: &[u8]) -> Result<Vec<u8>, DecodeError> {
    Vec::from_key(key)
}

impl OrderedKey for [u8] {
    fn encode_into(&self, out: &mut Vec<u8>) {
        encode_bytes_into(self, out);
    }
}

impl SelfDelimiting for [u8] {}

impl OrderedKey for Vec<u8> {
    fn encode_into(&self, out: &mut Vec<u8>) {
        encode_bytes_into(self, out);
    }
}

impl SelfDelimiting for Vec<u8> {}

impl DecodeKey for Vec<u8> {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut value = Vec::new();
        loop {
            reader.copy_until(ESCAPE, &mut value);
            let [_escape, second] = reader.array()?;
            match second {
                END => return Ok(value),
                ZERO => value.push(ESCAPE),
                found => return Err(Why::BadEscape { found }.at(reader.offset() - 1)),
            }
        }
    }
}

impl OrderedKey for str {
    fn encode_into(&self, out: &mut Vec<u8>) {
        encode_bytes_into(self.as_bytes(), out);
    }
}

impl SelfDelimiting for str {}

impl OrderedKey for String {
    fn encode_into(&self, out: &mut Vec<u8>) {
        encode_bytes_into(self.as_bytes(), out);
    }
}

impl SelfDelimiting for String {}

impl DecodeKey for String {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let start = reader.offset();
        let bytes = Vec::decode_from(reader)?;
        Self::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            // Each zero byte before the fault took two bytes of the key.
            let escapes = valid.iter().filter(|&&byte| byte == ESCAPE).count();
            Why::NotUtf8.at(start + valid.len() + escapes)
        })
    }
}

/// A byte string as it is, for the last position of a key.
///
/// It is an [`OrderedKey`], but not [`SelfDelimiting`]: nothing may follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Raw<B>(pub B);

impl<B: AsRef<[u8]>> OrderedKey for Raw<B> {
    fn encode_into(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0.as_ref());
    }
}

impl DecodeKey for Raw<Vec<u8>> {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut value = Vec::with_capacity(reader.remaining());
        reader.copy_rest(&mut value);
        Ok(Self(value))
    }
}
