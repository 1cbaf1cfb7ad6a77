//! The first byte that differs decides, in each of the three.

/// The order of big-endian keys: right within each sign, the negative half last.
pub fn big_endian() -> [i64; 6] {
    [0, 1, 256, -300, -200, -1]
}

/// The order of little-endian keys: that of the lowest byte, 00 00, 00 01, 01, 38, d4, ff.
pub fn little_endian() -> [i64; 6] {
    [0, 256, 1, -200, -300, -1]
}

/// The order of decimal text: the minus sign, 2d, is less than any digit, and digits grow outwards.
pub fn text() -> [i64; 6] {
    [-1, -200, -300, 0, 1, 256]
}
