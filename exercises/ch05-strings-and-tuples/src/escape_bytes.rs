//! # escape-bytes: a string that ends by itself
//!
//! **Why.** The next field of the key follows the string. Where the string ends must be in the bytes, or
//! the next field takes part in comparing strings.
//!
//! **Task.** Write `encode` and `decode`:
//!
//! 1. a zero byte becomes `00 ff`, and every other byte stays as it is;
//! 2. after the last byte comes the end, `00 01`;
//! 3. `decode` gives the string back, and `None` for bytes that are not the whole key of one string.
//!
//! | string      | key                    |
//! |-------------|------------------------|
//! | `""`        | `00 01`                |
//! | `"a"`       | `61 00 01`             |
//! | `"a\x00"`   | `61 00 ff 00 01`       |
//! | `"a\x00b"`  | `61 00 ff 62 00 01`    |
//! | `"aa"`      | `61 61 00 01`          |
//! | `"\xff"`    | `ff 00 01`             |
//!
//! | not a key     | because                            |
//! |---------------|------------------------------------|
//! | `61`          | the end is missing                 |
//! | `61 00 01 62` | something follows the end          |
//! | `00 02 00 01` | after `00` comes `ff` or `01`    |
//!
//! **Check.** `cargo workbook check escape-bytes`, or `cargo test -p ch05-strings-and-tuples escape-bytes`.
//! It is *not started* while both functions are `todo!()`. You may begin with either.

/// The key of a byte string.
pub fn encode(value: &[u8]) -> Vec<u8> {
    todo!("the key of {value:?}")
}

/// The byte string whose key is `key`, or `None` if no string has this key.
pub fn decode(key: &[u8]) -> Option<Vec<u8>> {
    todo!("the string whose key is {key:?}")
}
