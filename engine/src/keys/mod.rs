//! Order-preserving encodings: bytes that sort as the values do.

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

/// The bytes as people read them: two hexadecimal digits each, nothing between.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        for digit in [byte >> 4, byte & 0x0f] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or('?'));
        }
        text
    })
}
