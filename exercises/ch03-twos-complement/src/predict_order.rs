//! # predict-order: six numbers, three orders
//!
//! **Why.** A store returns rows in the order of their bytes. Anyone who chooses the bytes chooses the order,
//! so you should be able to say it before you scan. No code here: think, write down, check.
//!
//! **Task.** The numbers are -300, -200, -1, 0, 1 and 256. Put them in the order in which a scan returns
//! them, first row first, when the keys are
//!
//! 1. the eight big-endian bytes of the `i64`, nothing flipped;
//! 2. the eight little-endian bytes of the `i64`;
//! 3. the number as decimal text, such as `-300`.
//!
//! | value | big-endian                | little-endian             | text          |
//! |-------|---------------------------|---------------------------|---------------|
//! | -300  | `ff ff ff ff ff ff fe d4` | `d4 fe ff ff ff ff ff ff` | `2d 33 30 30` |
//! | -200  | `ff ff ff ff ff ff ff 38` | `38 ff ff ff ff ff ff ff` | `2d 32 30 30` |
//! | -1    | `ff ff ff ff ff ff ff ff` | `ff ff ff ff ff ff ff ff` | `2d 31`       |
//! | 0     | `00 00 00 00 00 00 00 00` | `00 00 00 00 00 00 00 00` | `30`          |
//! | 1     | `00 00 00 00 00 00 00 01` | `01 00 00 00 00 00 00 00` | `31`          |
//! | 256   | `00 00 00 00 00 00 01 00` | `00 01 00 00 00 00 00 00` | `32 35 36`    |
//!
//! Replace each `todo!()` by a list: `[1, 0, 256, -1, -200, -300]`, in your order.
//!
//! **Check.** `cargo workbook check predict-order`, or `cargo test -p ch03-twos-complement predict-order`.

/// The order of big-endian keys.
pub fn big_endian() -> [i64; 6] {
    todo!("-300, -200, -1, 0, 1, 256 in the order of their big-endian bytes")
}

/// The order of little-endian keys.
pub fn little_endian() -> [i64; 6] {
    todo!("the same numbers in the order of their little-endian bytes")
}

/// The order of decimal text.
pub fn text() -> [i64; 6] {
    todo!("the same numbers in the order of their decimal text")
}
