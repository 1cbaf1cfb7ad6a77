//! Booleans: one byte, `00` for false and `01` for true.
//!
//! ```
//! use engine::keys::{DecodeKey, OrderedKey, hex};
//! assert_eq!(hex(&false.to_key()), "00");
//! assert_eq!(hex(&true.to_key()),  "01");
//! assert!(bool::from_key(&[0x02]).is_err());
//! ```
//!
//! Invariant: no other byte is a boolean. Reading `02` as true would give true 255 keys.

use crate::keys::{DecodeError, DecodeKey, OrderedKey, Reader, SelfDelimiting, Why};

impl OrderedKey for bool {
    fn encode_into(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
}

impl SelfDelimiting for bool {}

impl DecodeKey for bool {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let start = reader.offset();
        match reader.byte()? {
            0x00 => Ok(false),
            0x01 => Ok(true),
            found => Err(Why::NotABool { found }.at(start)),
        }
    }
}
