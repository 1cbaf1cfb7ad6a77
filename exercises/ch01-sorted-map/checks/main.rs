//! Judges the exercises of this chapter.

use std::process::ExitCode;

use kit::Chapter;

mod first_scan;
mod prefix_scan;
mod stores;
mod test_prefix_scan;

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
        ("first-scan", first_scan::exercise),
        ("prefix-scan", prefix_scan::exercise),
        ("test-prefix-scan", test_prefix_scan::exercise),
    ],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
