//! # which-endian: a header that tells its own byte order
//!
//! **Why.** Files travel between machines, and bytes alone do not say how they were written. A *magic
//! number*, the same at the start of every file of a kind, tells what the file is, and in which order.
//!
//! **Task.** A file starts with a header of eight bytes: the `u32` `0x4B657973`, then a `u32` count, both in
//! the writer's order. Tell which order that was and what the count is.
//!
//! | file                         | answer                           |
//! |------------------------------|----------------------------------|
//! | `4b 65 79 73` `00 00 01 02`  | `Some((ByteOrder::Big, 258))`    |
//! | `73 79 65 4b` `02 01 00 00`  | `Some((ByteOrder::Little, 258))` |
//! | `4b 65 79 73` `00 00 01`     | `None`: too short                |
//! | `4b 65 73 79` `00 00 01 02`  | `None`: another magic number     |
//!
//! What follows the header belongs to the file and does not matter. A file without this
//! header, one that is too short included, gives `None`. Nothing panics.
//!
//! **Check.** `cargo workbook check which-endian`, or `cargo test -p ch02-endianness which-endian`.

/// The order in which a file was written. Given; leave it as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// The byte that counts most comes first.
    Big,
    /// The byte that counts least comes first.
    Little,
}

/// What every header starts with, in the writer's order.
pub const MAGIC: u32 = 0x4B65_7973;

/// The byte order and the count of a file's header, if it has one.
pub fn read_header(file: &[u8]) -> Option<(ByteOrder, u32)> {
    todo!("the header at the start of {file:?}, magic number {MAGIC:#x}")
}
