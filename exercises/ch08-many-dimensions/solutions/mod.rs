//! Reference solutions, one file an exercise.

pub(crate) mod compare_and_set;
pub(crate) mod lost_bits;
pub(crate) mod member_key;
pub(crate) mod pack_score;
pub(crate) mod predict_board;
pub(crate) mod test_packer;
