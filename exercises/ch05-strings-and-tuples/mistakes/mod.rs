//! Misconceptions as code, a file or two for each exercise.

pub(crate) mod escape_bytes;
mod escape_bytes_decode;
pub(crate) mod predict_strings;
pub(crate) mod test_an_escape;
pub(crate) mod tuple_key;
pub(crate) mod tuple_prefix_scan;
