//! What `src` holds before anyone has edited it.

pub(crate) mod first_scan;
pub(crate) mod prefix_scan;
pub(crate) mod test_prefix_scan;
