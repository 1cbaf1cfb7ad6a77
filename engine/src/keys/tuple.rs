//! Tuples of one to eight fields: the keys of the fields, one after another.
//!
//! Rule: concatenate. Every field but the last is self-delimiting, so the first field that differs
//! decides at a byte that both keys have, before any later field is looked at. Nothing separates
//! the fields: a separator is only needed where fields do not end by themselves, and a separator
//! such as `:` (3a) also occurs inside binary fields.
//!
//! ```
//! use engine::keys::{Desc, OrderedKey, Raw, hex};
//! for (key, fields) in [
//!     ((7_u8, true).to_key(),                   "07 01"),
//!     (("a", -1_i16).to_key(),                  "610001 7fff"),
//!     (("a", ("b", 0_u8)).to_key(),             "610001 620001 00"),
//!     ((1_u16, Desc(1_u16), Raw("z")).to_key(), "0001 fffe 7a"),
//! ] {
//!     assert_eq!(hex(&key), fields.replace(' ', ""));
//! }
//! ```
//!
//! Invariants
//! 1. A tuple's key is the concatenation of its fields' keys, so `(a, (b, c))` and `(a, b, c)`
//!    have one key. Nesting groups fields in the program, not in the bytes.
//! 2. The last field alone may be without an end of its own, and then so is the tuple.
//!
//! Left out: a type tag in front of each field (FoundationDB has one). Here the schema knows the
//! types, and a key carries no byte that does not sort.

use crate::keys::{DecodeError, DecodeKey, OrderedKey, Reader, SelfDelimiting};

macro_rules! tuple {
    ($($field:ident . $index:tt)* ; $last:ident . $last_index:tt) => {
        impl<$($field: SelfDelimiting,)* $last: OrderedKey> OrderedKey for ($($field,)* $last,) {
            fn encode_into(&self, out: &mut Vec<u8>) {
                $(self.$index.encode_into(out);)*
                self.$last_index.encode_into(out);
            }
        }

        impl<$($field: SelfDelimiting,)* $last: SelfDelimiting> SelfDelimiting
            for ($($field,)* $last,)
        {
        }

        impl<$($field: DecodeKey + SelfDelimiting,)* $last: DecodeKey> DecodeKey
            for ($($field,)* $last,)
        {
            fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(($($field::decode_from(reader)?,)* $last::decode_from(reader)?,))
            }
        }
    };
}

tuple!(; A.0);
tuple!(A.0; B.1);
tuple!(A.0 B.1; C.2);
tuple!(A.0 B.1 C.2; D.3);
tuple!(A.0 B.1 C.2 D.3; E.4);
tuple!(A.0 B.1 C.2 D.3 E.4; F.5);
tuple!(A.0 B.1 C.2 D.3 E.4 F.5; G.6);
tuple!(A.0 B.1 C.2 D.3 E.4 F.5 G.6; H.7);
