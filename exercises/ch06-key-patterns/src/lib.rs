//! Exercises of the chapter "Time, direction and key patterns": one file each, with the task on top.

pub mod descending_field;
pub mod newest_first;
pub mod padded_time;
pub mod reversed_domain;
pub mod test_newest;
