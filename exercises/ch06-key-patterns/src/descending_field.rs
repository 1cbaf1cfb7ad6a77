//! # descending-field: a key whose fields run both ways
//!
//! **Why.** "The plays of each user, newest first, and titles from Z to A": one index answers that in one
//! scan, if each field of its key has its own direction.
//!
//! **Task.** A play is a title that a user heard at some time. Write `key` so that the keys of plays sort, byte by byte,
//!
//! 1. by user, ascending: `"a"` before `"ab"` before `"b"`;
//! 2. plays of one user by time, descending: 20 before 10;
//! 3. plays of one user and time by title, descending: `"b"` before `"ab"` before `"a"` before `""`.
//!
//! Different plays have different keys. Any text may be a user or a title: empty, or with a zero byte in it.
//!
//! | user  | time | title  | place |
//! |-------|------|--------|-------|
//! | `ann`  | 20   | `jazzy` | 1st   |
//! | `ann`  | 20   | `jazz`  | 2nd   |
//! | `ann`  | 10   | `folk`  | 3rd   |
//! | `anna` | 30   | `soul`  | 4th   |
//! | `bob`  | 5    | `punk`  | 5th   |
//!
//! `ended` is given: it is the form of chapter 5 that ends by itself. The bytes are up to you, only their order is
//! checked.
//!
//! **Check.** `cargo workbook check descending-field`, or `cargo test -p ch06-key-patterns descending-field`.

/// Text that ends by itself: a zero byte becomes `00 ff`, and `00 01` is at the end. Given; leave it as it is.
pub fn ended(text: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(text.len() + 2);
    for byte in text.bytes() {
        key.push(byte);
        if byte == 0 {
            key.push(0xff);
        }
    }
    key.extend([0x00, 0x01]);
    key
}

/// The key of a play: user ascending, then time descending, then title descending.
pub fn key(user: &str, time: u64, title: &str) -> Vec<u8> {
    todo!("a key for {user:?}, {time}, {title:?}")
}
