//! The numbers of `test-u32-keys`: both sides of each power of 256, one that needs many bits, and the end.

/// At most eight numbers to try.
pub fn numbers() -> Vec<u32> {
    let inexact_as_f32 = (1 << 24) + 1;
    vec![
        1,
        255,
        256,
        65_535,
        65_536,
        inexact_as_f32,
        1 << 31,
        u32::MAX,
    ]
}
