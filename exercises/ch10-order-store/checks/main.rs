//! Judges the exercises of this chapter.

use std::process::ExitCode;

use ch10_order_store::order;
use kit::Chapter;

mod change_status;
mod check_store;
mod find_orders;
mod place_order;
mod predict_rows;
mod store;
mod test_store;
mod wrong_stores;

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
        ("predict-rows", predict_rows::exercise),
        ("place-order", place_order::exercise),
        ("find-orders", find_orders::exercise),
        ("change-status", change_status::exercise),
        ("check-store", check_store::exercise),
        ("test-store", test_store::exercise),
    ],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
