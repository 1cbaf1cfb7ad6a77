//! Judges the exercises of this chapter.

use std::process::ExitCode;

use kit::Chapter;

pub(crate) use ch04_ieee_754::score_key;

mod numeric_f64;
mod order_f64;
mod predict_floats;
mod score_range;
mod test_score_keys;

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
        ("predict-floats", predict_floats::exercise),
        ("order-f64", order_f64::exercise),
        ("numeric-f64", numeric_f64::exercise),
        ("score-range", score_range::exercise),
        ("test-score-keys", test_score_keys::exercise),
    ],
};

fn main() -> ExitCode {
    kit::main(&CHAPTER)
}
