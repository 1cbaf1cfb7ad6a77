//! Write the bytes of each key under each other, and sort from the left.

/// The letters in the order of the keys that end in `:`.
pub fn joined() -> [char; 6] {
    ['b', 'd', 'e', 'f', 'a', 'c']
}

/// The letters in the order of the keys that begin with the length.
pub fn length_first() -> [char; 6] {
    ['b', 'f', 'c', 'd', 'e', 'a']
}

/// The letters in the order of the keys that go on with `ff`.
pub fn bare() -> [char; 6] {
    ['d', 'e', 'a', 'f', 'c', 'b']
}

/// The letters in the order of the escaped and ended keys.
pub fn escaped() -> [char; 6] {
    ['b', 'f', 'd', 'e', 'a', 'c']
}
