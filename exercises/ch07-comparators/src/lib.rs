//! Exercises of the chapter "Comparators or encodings?": one file each, with the task on top.

pub mod encode_instead;
pub mod numeric_comparator;
pub mod predict_broken;
pub mod separator;
pub mod test_comparator;
