//! Judges the exercises of this chapter.

use std::process::ExitCode;

use kit::Chapter;

mod descending_field;
mod newest_first;
mod padded_time;
mod reversed_domain;
mod test_newest;

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
        ("padded-time", padded_time::exercise),
        ("newest-first", newest_first::exercise),
        ("descending-field", descending_field::exercise),
        ("reversed-domain", reversed_domain::exercise),
        ("test-newest", test_newest::exercise),
    ],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
