//! Exercises of the chapter "A sorted map of bytes": one file each, with the task on top.

// An answer with `unsafe` in it is judged like any other. The rest of the repository refuses the word.
#![warn(unsafe_code)]

pub mod first_scan;
pub mod prefix_scan;
pub mod test_prefix_scan;
