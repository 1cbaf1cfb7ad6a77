//! Ties stand in the reverse order of their names, since the board is read from its end.

/// The members, if the score is the number of gems.
pub fn by_gems() -> [char; 6] {
    ['c', 'f', 'd', 'b', 'a', 'e']
}

/// The members, if the score is packed.
pub fn by_score() -> [char; 6] {
    ['c', 'b', 'd', 'a', 'f', 'e']
}

/// The members, if the score is packed and everybody has 16777216 gems more.
pub fn with_many_gems() -> [char; 6] {
    // The times 13 and 12 are one double now, so b and d tie.
    ['c', 'd', 'b', 'a', 'f', 'e']
}
