//! Exercises of the chapter "Two's complement": one file each, with the task on top.

// An answer with `unsafe` in it is judged like any other. The rest of the repository refuses the word.
#![warn(unsafe_code)]

pub mod nine_bytes;
pub mod order_i64;
pub mod predict_order;
pub mod scan_bounds;
pub mod test_i64_keys;
