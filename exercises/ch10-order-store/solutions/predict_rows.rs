//! By letter first: o, s, t, u. Then by id, by status, by time, and by the end of the user's name.

/// The eight letters in key order.
pub fn scan() -> [char; 8] {
    ['h', 'b', 'd', 'f', 'e', 'a', 'g', 'c']
}

/// The rows that are deleted or overwritten when order 258 becomes paid.
pub fn touched() -> Vec<char> {
    vec!['b', 'd']
}
