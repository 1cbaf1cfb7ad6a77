//! What `src` holds before anyone has edited it.

pub(crate) mod escape_bytes;
pub(crate) mod predict_strings;
pub(crate) mod test_an_escape;
pub(crate) mod tuple_key;
pub(crate) mod tuple_prefix_scan;
