//! Misconceptions as code, a file or two for each exercise.

pub(crate) mod big_endian_u32;
pub(crate) mod scan_window;
mod scan_window_bounds;
pub(crate) mod test_u32_keys;
pub(crate) mod which_endian;
pub(crate) mod width_matters;
