//! Misconceptions as code, one file an exercise.

pub(crate) mod nine_bytes;
pub(crate) mod order_i64;
mod order_i64_decode;
pub(crate) mod predict_order;
pub(crate) mod scan_bounds;
mod scan_bounds_compared;
pub(crate) mod test_i64_keys;
