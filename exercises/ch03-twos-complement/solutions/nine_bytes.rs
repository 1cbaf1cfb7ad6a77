//! A marker that sorts the halves, then two's complement, which sorts within each half.

const NEGATIVE: u8 = b'<';
const NOT_NEGATIVE: u8 = b'=';

/// The nine bytes of `value`.
pub fn encode(value: i64) -> [u8; 9] {
    let mut key = [0; 9];
    key[0] = if value < 0 { NEGATIVE } else { NOT_NEGATIVE };
    key[1..].copy_from_slice(&value.to_be_bytes());
    key
}

/// The value whose key is `key`, if there is one.
pub fn decode(key: &[u8]) -> Option<i64> {
    let (marker, number) = key.split_first()?;
    let value = i64::from_be_bytes(number.try_into().ok()?);
    match *marker {
        NEGATIVE if value < 0 => Some(value),
        NOT_NEGATIVE if value >= 0 => Some(value),
        _ => None,
    }
}
