//! What `src` holds before anyone has edited it.

pub(crate) mod box_ranges;
pub(crate) mod cell_range;
pub(crate) mod interleave;
pub(crate) mod predict_curve;
pub(crate) mod test_place_search;
