//! Misconceptions as code, one file an exercise.

pub(crate) mod big_endian_u32;
pub(crate) mod scan_window;
pub(crate) mod test_u32_keys;
pub(crate) mod which_endian;
pub(crate) mod width_matters;
