//! A set sign bit inverts everything, a clear one is set, then big-endian.
//!
//! Setting the bit lifts the positive half above the negative one. Inverting turns the negative half
//! round, for it is stored by magnitude, and clears its first bit.

const SIGN_BIT: u64 = 1 << 63;

/// The key of `value`.
pub fn encode(value: f64) -> [u8; 8] {
    let bits = value.to_bits();
    let key = if bits & SIGN_BIT == 0 {
        bits | SIGN_BIT
    } else {
        !bits
    };
    key.to_be_bytes()
}

/// The value whose key is `key`.
pub fn decode(key: [u8; 8]) -> f64 {
    let key = u64::from_be_bytes(key);
    f64::from_bits(if key & SIGN_BIT == 0 {
        !key
    } else {
        key ^ SIGN_BIT
    })
}
