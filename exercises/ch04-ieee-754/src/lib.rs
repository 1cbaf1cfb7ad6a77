//! Exercises of the chapter "IEEE 754": one file each, with the task on top.

// An answer with `unsafe` in it is judged like any other. The rest of the repository refuses the word.
#![warn(unsafe_code)]

pub mod numeric_f64;
pub mod order_f64;
pub mod predict_floats;
pub mod score_key;
pub mod score_range;
pub mod test_score_keys;
