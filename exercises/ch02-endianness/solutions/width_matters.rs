//! Every number in the widest of the three types, then big-endian.

/// A number of one of the three types. Given; leave it as it is.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// One byte wide.
    U8(u8),
    /// Two bytes wide.
    U16(u16),
    /// Four bytes wide.
    U32(u32),
}

/// The key of `number`.
pub fn encode(number: Number) -> Vec<u8> {
    let value = match number {
        Number::U8(value) => u32::from(value),
        Number::U16(value) => u32::from(value),
        Number::U32(value) => value,
    };
    value.to_be_bytes().to_vec()
}
