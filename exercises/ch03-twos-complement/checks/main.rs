//! Judges the exercises of this chapter.

use std::process::ExitCode;

use kit::Chapter;

mod nine_bytes;
mod order_i64;
mod predict_order;
mod scan_bounds;
mod test_i64_keys;

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
        ("predict-order", predict_order::exercise),
        ("order-i64", order_i64::exercise),
        ("nine-bytes", nine_bytes::exercise),
        ("scan-bounds", scan_bounds::exercise),
        ("test-i64-keys", test_i64_keys::exercise),
    ],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
