//! The name with its colon, then the number in eight bytes, the greatest first.

/// The key of a row.
pub fn encode(name: &str, number: u64) -> Vec<u8> {
    [name.as_bytes(), b":", &number.to_be_bytes()].concat()
}

/// The name and the number of a key that `encode` has written; nothing for other bytes.
pub fn decode(key: &[u8]) -> Option<(String, u64)> {
    let (front, number) = key.split_last_chunk::<8>()?;
    let name = front.strip_suffix(b":")?;
    if name.contains(&b':') {
        return None;
    }
    let name = String::from_utf8(name.to_vec()).ok()?;
    Some((name, u64::from_be_bytes(*number)))
}
