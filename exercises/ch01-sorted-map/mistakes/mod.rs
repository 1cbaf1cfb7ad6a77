//! Misconceptions as code, one file an exercise.

pub(crate) mod first_scan;
mod first_scan_compared;
pub(crate) mod prefix_scan;
pub(crate) mod test_prefix_scan;
