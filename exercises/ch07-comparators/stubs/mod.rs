//! What `src` holds before anyone has edited it.

pub(crate) mod encode_instead;
pub(crate) mod numeric_comparator;
pub(crate) mod predict_broken;
pub(crate) mod separator;
pub(crate) mod test_comparator;
