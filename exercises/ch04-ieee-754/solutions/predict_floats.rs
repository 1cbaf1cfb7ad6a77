//! The values, from the bits: a -1, b 1, c -2, d the smallest number above zero, e -0.0, f inf, g -inf, h 1.5.

/// The letters in the order of the values.
pub fn by_value() -> [char; 8] {
    ['g', 'c', 'a', 'e', 'd', 'b', 'h', 'f']
}

/// The letters in the order of the bytes.
pub fn by_bytes() -> [char; 8] {
    ['d', 'b', 'h', 'f', 'e', 'a', 'c', 'g']
}
