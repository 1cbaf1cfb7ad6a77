//! # nine-bytes: LedisDB's key for a score
//!
//! **Why.** LedisDB repairs the order of signed scores in another way than by a flipped bit. It puts one
//! marker byte in front: `<` (3c) before negative numbers, `=` (3d) before all others. Its files are out
//! there, so to read them you need exactly its bytes.
//!
//! **Task.** Write `encode` and `decode` for these nine bytes:
//!
//! | byte   | holds                                                       |
//! |--------|-------------------------------------------------------------|
//! | 0      | 3c for a negative number, 3d for zero and positive numbers  |
//! | 1 to 8 | the number's own bytes, the highest first, nothing flipped  |
//!
//! | value | key                          |
//! |-------|------------------------------|
//! | -300  | `3c ff ff ff ff ff ff fe d4` |
//! | -1    | `3c ff ff ff ff ff ff ff ff` |
//! | 0     | `3d 00 00 00 00 00 00 00 00` |
//! | 1     | `3d 00 00 00 00 00 00 00 01` |
//!
//! `decode` gets bytes from a file that may be damaged. It answers `None` for everything that `encode`
//! never writes: another length, another marker, or a marker that contradicts the number after it.
//!
//! **Check.** `cargo workbook check nine-bytes`, or `cargo test -p ch03-twos-complement nine-bytes`.

/// The nine bytes of `value`.
pub fn encode(value: i64) -> [u8; 9] {
    todo!("nine bytes for {value}")
}

/// The value whose key is `key`, if there is one.
pub fn decode(key: &[u8]) -> Option<i64> {
    todo!("the number whose key is {key:?}, or None")
}
