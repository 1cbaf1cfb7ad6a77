//! Exercises of the chapter "Two's complement": one file each, with the task on top.

pub mod nine_bytes;
pub mod order_i64;
pub mod predict_order;
pub mod scan_bounds;
pub mod test_i64_keys;
