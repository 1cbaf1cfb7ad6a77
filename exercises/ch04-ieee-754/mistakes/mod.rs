//! Misconceptions as code, a file or two for each exercise.

pub(crate) mod numeric_f64;
mod numeric_f64_decode;
pub(crate) mod order_f64;
mod order_f64_decode;
pub(crate) mod predict_floats;
pub(crate) mod score_range;
mod score_range_compared;
mod score_range_steps;
pub(crate) mod test_score_keys;
