//! Judges the exercises of this chapter.

use std::process::ExitCode;

use kit::Chapter;

pub(crate) use ch08_many_dimensions::board;

mod compare_and_set;
mod lost_bits;
mod member_key;
mod pack_score;
mod predict_board;
mod test_packer;

#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;

static CHAPTER: Chapter = Chapter {
    folder: env!("CARGO_MANIFEST_DIR"),
    exercises: &[
        ("predict-board", predict_board::exercise),
        ("pack-score", pack_score::exercise),
        ("lost-bits", lost_bits::exercise),
        ("member-key", member_key::exercise),
        ("compare-and-set", compare_and_set::exercise),
        ("test-packer", test_packer::exercise),
    ],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
