//! # predict-board: six players, three boards
//!
//! **Why.** If you can sort players by their scores in your head, you see what a layout does before it is live. No
//! code here: think, write down, check.
//!
//! **Task.** These are six players. The time is the field as it is in the score: it counts down, so the
//! greater one came earlier.
//!
//! | member | gems | paid | time |
//! |--------|-----:|-----:|-----:|
//! | a      |  300 |    0 |   21 |
//! | b      |  300 |    1 |   13 |
//! | c      |  500 |    0 |   16 |
//! | d      |  300 |    1 |   12 |
//! | e      |  100 |    1 |   40 |
//! | f      |  300 |    0 |    9 |
//!
//! Put the members in the order in which `ZREVRANGE board 0 -1` returns them,
//!
//! 1. if the score is the number of gems alone;
//! 2. if the score is packed: gems, then one bit for paid, then 29 bits for the time;
//! 3. if the score is packed in the same way, and each of the six has 16777216 gems more. That is 2^24, so the
//!    scores lie between 2^54 and 2^55, where doubles are 4 apart.
//!
//! Replace each `todo!()` by a list in your order, such as `['a', 'b', 'c', 'd', 'e', 'f']`.
//!
//! **Check.** `cargo workbook check predict-board`, or `cargo test -p ch08-many-dimensions predict-board`.

/// The members, if the score is the number of gems.
pub fn by_gems() -> [char; 6] {
    todo!("a to f in the order of the board")
}

/// The members, if the score is packed.
pub fn by_score() -> [char; 6] {
    todo!("a to f in the order of the board")
}

/// The members, if the score is packed and everybody has 16777216 gems more.
pub fn with_many_gems() -> [char; 6] {
    todo!("a to f in the order of the board")
}
