//! Judges the exercises of this chapter.

use std::process::ExitCode;

use kit::Chapter;

mod encode_instead;
mod numeric_comparator;
mod predict_broken;
mod separator;
mod test_comparator;

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
        ("predict-broken", predict_broken::exercise),
        ("numeric-comparator", numeric_comparator::exercise),
        ("separator", separator::exercise),
        ("encode-instead", encode_instead::exercise),
        ("test-comparator", test_comparator::exercise),
    ],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
