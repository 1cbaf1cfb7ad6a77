//! Reference solutions, one file an exercise.

pub(crate) mod numeric_f64;
pub(crate) mod order_f64;
pub(crate) mod predict_floats;
pub(crate) mod score_range;
pub(crate) mod test_score_keys;
