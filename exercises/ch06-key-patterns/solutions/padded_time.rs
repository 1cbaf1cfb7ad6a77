//! Twenty digits out, and in only twenty digits: `parse` alone would take `+1` and `1` too.

/// The key of `time`.
pub fn encode(time: u64) -> Vec<u8> {
    format!("{time:020}").into_bytes()
}

/// The time whose key is `key`, if there is one.
pub fn decode(key: &[u8]) -> Option<u64> {
    if key.len() != 20 || !key.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // What is left for `parse` to refuse is a number above `u64::MAX`.
    std::str::from_utf8(key).ok()?.parse().ok()
}
