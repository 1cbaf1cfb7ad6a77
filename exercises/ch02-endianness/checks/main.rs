//! Judges the exercises of this chapter.

use std::process::ExitCode;

use kit::Chapter;

mod big_endian_u32;
mod scan_window;
mod test_u32_keys;
mod which_endian;
mod width_matters;

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
        ("big-endian-u32", big_endian_u32::exercise),
        ("width-matters", width_matters::exercise),
        ("scan-window", scan_window::exercise),
        ("which-endian", which_endian::exercise),
        ("test-u32-keys", test_u32_keys::exercise),
    ],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
