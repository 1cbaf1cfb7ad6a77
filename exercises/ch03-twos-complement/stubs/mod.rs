//! What `src` holds before anyone has edited it.

pub(crate) mod nine_bytes;
pub(crate) mod order_i64;
pub(crate) mod predict_order;
pub(crate) mod scan_bounds;
pub(crate) mod test_i64_keys;
