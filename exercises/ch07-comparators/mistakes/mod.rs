//! Misconceptions as code, a file or two for each exercise.

pub(crate) mod encode_instead;
pub(crate) mod numeric_comparator;
mod numeric_comparator_steps;
pub(crate) mod predict_broken;
pub(crate) mod separator;
pub(crate) mod test_comparator;
