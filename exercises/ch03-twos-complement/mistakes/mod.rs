//! Misconceptions as code, one file an exercise.

pub(crate) mod order_i64;
