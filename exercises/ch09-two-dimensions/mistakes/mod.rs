//! Misconceptions as code, a file or two for each exercise.

pub(crate) mod box_ranges;
pub(crate) mod cell_range;
pub(crate) mod interleave;
pub(crate) mod predict_curve;
pub(crate) mod test_place_search;
