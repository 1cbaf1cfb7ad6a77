//! Judges the exercises of this chapter.

use std::process::ExitCode;

use kit::Chapter;

mod box_ranges;
mod cell_range;
mod interleave;
mod predict_curve;
mod test_place_search;

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
        ("predict-curve", predict_curve::exercise),
        ("interleave", interleave::exercise),
        ("cell-range", cell_range::exercise),
        ("box-ranges", box_ranges::exercise),
        ("test-place-search", test_place_search::exercise),
    ],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
