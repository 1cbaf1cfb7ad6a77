//! Exercises of the chapter "Two's complement": one file each, with the task on top.

pub mod order_i64;
