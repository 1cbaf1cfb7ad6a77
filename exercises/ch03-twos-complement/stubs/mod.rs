//! What `src` holds before anyone has edited it.

pub(crate) mod order_i64;
