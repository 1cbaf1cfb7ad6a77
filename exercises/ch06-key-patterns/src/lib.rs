//! Exercises of the chapter "Time, direction and key patterns": one file each, with the task on top.

// An answer with `unsafe` in it is judged like any other. The rest of the repository refuses the word.
#![warn(unsafe_code)]

pub mod descending_field;
pub mod newest_first;
pub mod padded_time;
pub mod reversed_domain;
pub mod test_newest;
