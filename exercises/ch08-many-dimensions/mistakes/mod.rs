//! Misconceptions as code, a file or two for each exercise.

pub(crate) mod compare_and_set;
mod compare_and_set_win;
pub(crate) mod lost_bits;
pub(crate) mod member_key;
mod member_key_name;
pub(crate) mod pack_score;
mod pack_score_unpack;
pub(crate) mod predict_board;
pub(crate) mod test_packer;
