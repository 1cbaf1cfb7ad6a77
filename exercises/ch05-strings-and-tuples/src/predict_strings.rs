//! # predict-strings: six strings under four schemes
//!
//! **Why.** If you see where a string ends, and what follows it, you see the fault before the scan does. No
//! code here: think, write down, check.
//!
//! **Task.** These are six strings:
//!
//! | letter | string    | bytes   |
//! |--------|-----------|---------|
//! | a      | `"aa"`    | `61 61` |
//! | b      | `""`      | none    |
//! | c      | `"b"`     | `62`    |
//! | d      | `"a\x00"` | `61 00` |
//! | e      | `"a!"`    | `61 21` |
//! | f      | `"a"`     | `61`    |
//!
//! Each one becomes the first field of a key, in four ways. Put the letters in the order in which a scan
//! returns the keys, the first one first:
//!
//! 1. `joined`: the string, then `:`, which is `3a`;
//! 2. `length_first`: one byte with the length of the string, then the string;
//! 3. `bare`: the string, then at once the next field, a number whose only byte is `ff`;
//! 4. `escaped`: `00` becomes `00 ff`, then `00 01` ends the string.
//!
//! Replace each `todo!()` by a list in your order, such as `['a', 'b', 'c', 'd', 'e', 'f']`.
//!
//! **Check.** `cargo workbook check predict-strings`, or
//! `cargo test -p ch05-strings-and-tuples predict-strings`.

/// The letters in the order of the keys that end in `:`.
pub fn joined() -> [char; 6] {
    todo!("a to f, each with 3a after it")
}

/// The letters in the order of the keys that begin with the length.
pub fn length_first() -> [char; 6] {
    todo!("a to f, each with its length in front")
}

/// The letters in the order of the keys that go on with `ff`.
pub fn bare() -> [char; 6] {
    todo!("a to f, each with ff after it")
}

/// The letters in the order of the escaped and ended keys.
pub fn escaped() -> [char; 6] {
    todo!("a to f, each escaped and ended")
}
