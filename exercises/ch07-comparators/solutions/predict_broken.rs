//! The predictions.

/// The letters of task 1, the smallest key first.
pub fn order() -> [char; 8] {
    ['e', 'c', 'd', 'b', 'a', 'h', 'g', 'f']
}

/// The letters of the rows of task 2 that are hidden, from a to h.
pub fn hidden() -> Vec<char> {
    vec!['a', 'b', 'e', 'f']
}

/// Three letters of task 3, each key before the next, and the last before the first.
pub fn circle() -> [char; 3] {
    ['a', 'b', 'e']
}
