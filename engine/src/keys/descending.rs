//! Descending order: every byte of the key inverted.
//!
//! Rule: take the key of the value, terminator included, and invert all its bytes. Two different
//! self-delimiting keys differ at a byte that both have. Inversion leaves the place of that byte
//! alone and turns its verdict round, so the order is reversed, and the inverted keys are again
//! self-delimiting. That is the whole argument, and it holds for every such key: numbers, tuples,
//! strings, other descending fields.
//!
//! ```
//! use engine::keys::{Desc, OrderedKey, hex};
//! assert_eq!(hex(&Desc(0_u64).to_key()),      "ffffffffffffffff");
//! assert_eq!(hex(&Desc(1_u64).to_key()),      "fffffffffffffffe"); // u64::MAX - 1
//! assert_eq!(hex(&Desc(-1_i64).to_key()),     "8000000000000000");
//! assert_eq!(hex(&Desc("ab").to_key()),       "9e9dfffe");
//! assert_eq!(hex(&Desc("a").to_key()),        "9efffe");
//! assert_eq!(hex(&Desc("").to_key()),         "fffe");
//! assert_eq!(hex(&Desc(Desc("a")).to_key()),  "610001");
//! ```
//!
//! Two ways that fail. Inverting a *raw* string leaves `"a"` a prefix of `"ab"`, so the shorter one
//! still comes first: the compiler refuses `Desc<Raw<_>>`. Inverting the content but keeping the
//! terminator `00 01` ends every string below all its continuations, in both directions:
//!
//! ```
//! let inverted_content = |text: &[u8]| {
//!     let mut key: Vec<u8> = text.iter().map(|byte| !byte).collect();
//!     key.extend([0x00, 0x01]);
//!     key
//! };
//! assert!(inverted_content(b"b") < inverted_content(b"a"));   // right so far
//! assert!(inverted_content(b"a") < inverted_content(b"ab"));  // wrong: "ab" should come first
//! ```
//!
//! ```compile_fail,E0277
//! use engine::keys::{Desc, OrderedKey, Raw};
//! Desc(Raw(b"a".to_vec())).to_key();   // Raw<Vec<u8>> is not SelfDelimiting
//! ```
//!
//! "Newest first" by `MAX - timestamp` is the same thing: for a `u64`, `MAX - v` is `!v`.

use std::cmp::Ordering;

use crate::keys::{DecodeError, DecodeKey, OrderedKey, Reader, SelfDelimiting};

/// A value that sorts the other way round, as a value and as a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Desc<T>(pub T);

// ANCHOR: descending
/// The descending key of a value whose ascending key has a fixed size.
/// It is its own inverse.
#[must_use]
pub const fn descending<const N: usize>(mut key: [u8; N]) -> [u8; N] {
    let mut index = 0;
    while index < N {
        key[index] = !key[index];
        index += 1;
    }
    key
}

impl<T: SelfDelimiting> OrderedKey for Desc<T> {
    fn encode_into(&self, out: &mut Vec<u8>) {
        let start = out.len();
        self.0.encode_into(out);
        for byte in &mut out[start..] {
            *byte = !*byte;
        }
    }
}
// ANCHOR_END: descending

impl<T: SelfDelimiting> SelfDelimiting for Desc<T> {}

impl<T: DecodeKey + SelfDelimiting> DecodeKey for Desc<T> {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.inverted(T::decode_from).map(Self)
    }
}

impl<T: PartialOrd> PartialOrd for Desc<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        other.0.partial_cmp(&self.0)
    }
}

impl<T: Ord> Ord for Desc<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.cmp(&self.0)
    }
}
