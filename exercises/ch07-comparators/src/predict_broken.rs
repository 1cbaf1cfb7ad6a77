//! # predict-broken: one right order, and two broken ones
//!
//! **Why.** A broken comparator reports nothing. You find it by knowing what it does to keys. No code here: think, write
//! down, check.
//!
//! **Task 1, `order`.** Sort these eight keys by the rules of the chapter: the prefix as bytes, then the number at the
//! end, then the whole key as bytes. The smallest first. A key without digits at the end has no number, and comes before
//! the numbers of its prefix.
//!
//! | a         | b        | c       | d         | e       | f        | g         | h          |
//! |-----------|----------|---------|-----------|---------|----------|-----------|------------|
//! | `item:10` | `item:9` | `item:` | `item:09` | `item1` | `user:1` | `item:1x` | `item:100` |
//!
//! **Task 2, `hidden`.** An engine asks its comparator whether two keys are the same one; of keys that compare equal, the
//! newest hides the others. The comparator is the `atoi` of the chapter: it reads the digits after the last colon as a number
//! of 32 bits, cuts what does not fit, and takes text for 0. These rows are written from a to h. Which of them can nobody
//! read any more? 4294967296 is 2 to the power of 32.
//!
//! | a        | b        | c        | d                 | e          | f        | g          | h        |
//! |----------|----------|----------|-------------------|------------|----------|------------|----------|
//! | `item:1` | `item:2` | `user:1` | `item:4294967298` | `item:new` | `item:0` | `user:new` | `item:3` |
//!
//! **Task 3, `circle`.** The comparator `half_numeric` of the chapter compares the numbers of two keys with the same prefix,
//! and all other pairs as bytes. Find three of these keys that it puts in a circle: each before the next, and the last before the
//! first. Name them in this order; you may begin with any of them.
//!
//! | a    | b     | c    | d    | e    | f   |
//! |------|-------|------|------|------|-----|
//! | `k8` | `k12` | `kx` | `j9` | `k1:` | `k` |
//!
//! **Check.** `cargo workbook check predict-broken`, or `cargo test -p ch07-comparators predict-broken`.

/// The letters of task 1, the smallest key first.
pub fn order() -> [char; 8] {
    todo!("a to h in the order of the keys")
}

/// The letters of the rows of task 2 that are hidden, from a to h.
pub fn hidden() -> Vec<char> {
    todo!("the hidden rows")
}

/// Three letters of task 3, each key before the next, and the last before the first.
pub fn circle() -> [char; 3] {
    todo!("three keys in a circle")
}
