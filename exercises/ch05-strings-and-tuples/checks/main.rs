//! Judges the exercises of this chapter.

use std::process::ExitCode;

use kit::Chapter;

mod escape_bytes;
mod predict_strings;
mod test_an_escape;
mod tuple_key;
mod tuple_prefix_scan;

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
        ("predict-strings", predict_strings::exercise),
        ("escape-bytes", escape_bytes::exercise),
        ("tuple-key", tuple_key::exercise),
        ("tuple-prefix-scan", tuple_prefix_scan::exercise),
        ("test-an-escape", test_an_escape::exercise),
    ],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
