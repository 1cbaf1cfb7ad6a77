//! Judges the exercises of this chapter.

use std::process::ExitCode;

use kit::Chapter;

mod order_i64;

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
    exercises: &[("order-i64", order_i64::exercise)],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
