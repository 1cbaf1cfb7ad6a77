//! Misconceptions as code, a file or two for each exercise.

pub(crate) mod descending_field;
mod descending_field_fields;
pub(crate) mod newest_first;
mod newest_first_key;
mod newest_first_steps;
mod newest_first_walks;
pub(crate) mod padded_time;
mod padded_time_decode;
pub(crate) mod reversed_domain;
mod reversed_domain_key;
pub(crate) mod test_newest;
