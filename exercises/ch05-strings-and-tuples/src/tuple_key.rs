//! # tuple-key: the key of a tuple
//!
//! **Why.** A row is found by several fields at once. Its key has to sort as the tuple of these fields does,
//! whatever is in them.
//!
//! **Task.** Write `key` for a row with a user, the number of an order and a note, so that keys compare as the
//! tuples do: first the users, as Rust's `str` compares them, then the numbers, then the notes. Different
//! tuples have different keys.
//!
//! A user and a note may be any text, also an empty one, also with `:` or `\0` in it. A number may be any
//! `u64`. Only the order is checked; which bytes bring it about is your choice.
//!
//! In this order, the smallest first:
//!
//! | user    | number | note |
//! |---------|-------:|------|
//! | `""`    |      9 | `""` |
//! | `a`     |      2 | `b`  |
//! | `a`     |     10 | `""` |
//! | `a\0`   |      1 | `""` |
//! | `a:`    |      1 | `""` |
//! | `aa`    |      0 | `z`  |
//!
//! If you have solved `escape-bytes`, you may `use crate::escape_bytes::encode;` here.
//!
//! **Check.** `cargo workbook check tuple-key`, or `cargo test -p ch05-strings-and-tuples tuple-key`.

/// The key of the row of this user, number and note.
pub fn key(user: &str, number: u64, note: &str) -> Vec<u8> {
    todo!("the key of ({user:?}, {number}, {note:?})")
}
