//! # test-score-keys: be the tester
//!
//! **Why.** Floats have more corners than integers: two zeros, two infinities, subnormal numbers, and patterns that are
//! not numbers. The systems of the chapter's section "In the wild" each missed one. A test that tries it would have found it.
//!
//! **Task.** Write `test`. It gets somebody's `encode` and `decode` for scores, and you cannot read their code. Panic,
//! by `assert!` or `assert_eq!`, if one of these rules is broken:
//!
//! 1. a number has a key, infinities included, and a NaN has none: `encode` gives `None`;
//! 2. `a < b` exactly when the key of `a` comes before the key of `b`. So -0.0 and 0.0, which are equal, share a key;
//! 3. `decode` of a number's key gives an equal number.
//!
//! Return if you find nothing. Which bytes a key has is free, and so is which of the two zeros comes back.
//!
//! Your test is tried on three right pairs and on sixteen wrong ones. It passes when it accepts the three and refuses the
//! sixteen. A call of `test` has one second.
//!
//! The faults are those of the chapter and some of their relatives: a half in the wrong place or backwards, a corner of the format
//! forgotten, digits cut off or rounded away, a `decode` that is wrong where `encode` is right.
//!
//! `Option<Vec<u8>>` compares as you would wish, as long as both are `Some`. For numbers there are `<` and `==`, which a NaN always
//! answers with false, and `total_cmp`, which tells the zeros apart.
//!
//! **Check.** `cargo workbook check test-score-keys`, or `cargo test -p ch04-ieee-754 test-score-keys`.

/// Panics if the keys break a rule.
pub fn test(encode: &dyn Fn(f64) -> Option<Vec<u8>>, decode: &dyn Fn(&[u8]) -> f64) {
    let key = encode(1.0).unwrap_or_default();
    todo!(
        "say what is wrong with {key:?} for 1.0, which comes back as {}",
        decode(&key)
    )
}
