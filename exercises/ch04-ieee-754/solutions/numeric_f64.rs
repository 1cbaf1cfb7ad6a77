//! The total order without the values that are no numbers, and with one zero.

use super::order_f64;

/// The key of `value`, if it is a number.
pub fn encode(value: f64) -> Option<[u8; 8]> {
    // -0.0 + 0.0 is 0.0, and every other number stays what it is.
    (!value.is_nan()).then(|| order_f64::encode(value + 0.0))
}

/// The number whose key is `key`, if there is one.
pub fn decode(key: [u8; 8]) -> Option<f64> {
    let value = order_f64::decode(key);
    (encode(value) == Some(key)).then_some(value)
}
