//! Each field ends by itself, so they follow one another with nothing between.

use super::escape_bytes::encode;

/// The key of the row of this user, number and note.
pub fn key(user: &str, number: u64, note: &str) -> Vec<u8> {
    let mut key = encode(user.as_bytes());
    key.extend(number.to_be_bytes());
    // The last field needs no end: nothing follows it.
    key.extend(note.as_bytes());
    key
}
