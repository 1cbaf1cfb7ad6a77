//! Exercises of the chapter "Two dimensions in one number": one file each, with the task on top.

pub mod box_ranges;
pub mod cell_range;
pub mod interleave;
pub mod predict_curve;
pub mod test_place_search;
