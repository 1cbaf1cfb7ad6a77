//! Exercises of the chapter "Many dimensions in one score": one file each, with the task on top.

// An answer with `unsafe` in it is judged like any other. The rest of the repository refuses the word.
#![warn(unsafe_code)]

pub mod board;
pub mod compare_and_set;
pub mod lost_bits;
pub mod member_key;
pub mod pack_score;
pub mod predict_board;
pub mod test_packer;
