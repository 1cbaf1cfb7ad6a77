//! Exercises of the chapter "A sorted map of bytes": one file each, with the task on top.

pub mod first_scan;
pub mod prefix_scan;
pub mod test_prefix_scan;
