//! Reference solutions, one file an exercise.

pub(crate) mod order_i64;
