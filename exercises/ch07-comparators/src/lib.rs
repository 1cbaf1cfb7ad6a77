//! Exercises of the chapter "Comparators or encodings?": one file each, with the task on top.

// An answer with `unsafe` in it is judged like any other. The rest of the repository refuses the word.
#![warn(unsafe_code)]

pub mod encode_instead;
pub mod numeric_comparator;
pub mod predict_broken;
pub mod separator;
pub mod test_comparator;
