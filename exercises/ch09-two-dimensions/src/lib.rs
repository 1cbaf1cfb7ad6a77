//! Exercises of the chapter "Two dimensions in one number": one file each, with the task on top.

// An answer with `unsafe` in it is judged like any other. The rest of the repository refuses the word.
#![warn(unsafe_code)]

pub mod box_ranges;
pub mod cell_range;
pub mod interleave;
pub mod predict_curve;
pub mod test_place_search;
