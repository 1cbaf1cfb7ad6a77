//! Reference solutions, one file an exercise.

pub(crate) mod descending_field;
pub(crate) mod newest_first;
pub(crate) mod padded_time;
pub(crate) mod reversed_domain;
pub(crate) mod test_newest;
