//! The numbers: g 000000, h 001100, c 001111, a 010101, e 011010, f 100101, b 101010, d 110000.

/// The letters in the order of their numbers.
pub fn by_number() -> [char; 8] {
    ['g', 'h', 'c', 'a', 'e', 'f', 'b', 'd']
}

/// How many bits these pairs share at the front: c and h, c and e, c and f, g and h.
pub fn shared_bits() -> [u32; 4] {
    [4, 1, 0, 2]
}
