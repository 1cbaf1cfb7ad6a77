//! The byte that counts most first: it is moved down to the lowest eight bits, and the others follow.

/// The key of `value`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "one byte is what is wanted"
)]
pub fn encode(value: u32) -> [u8; 4] {
    [
        (value >> 24) as u8,
        (value >> 16) as u8,
        (value >> 8) as u8,
        value as u8,
    ]
}

/// The value whose key is `key`.
pub fn decode(key: [u8; 4]) -> u32 {
    key.into_iter()
        .fold(0, |value, byte| value << 8 | u32::from(byte))
}
