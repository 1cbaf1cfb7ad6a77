//! Exercises of the chapter "Strings and tuples": one file each, with the task on top.

// An answer with `unsafe` in it is judged like any other. The rest of the repository refuses the word.
#![warn(unsafe_code)]

pub mod escape_bytes;
pub mod predict_strings;
pub mod test_an_escape;
pub mod tuple_key;
pub mod tuple_prefix_scan;
