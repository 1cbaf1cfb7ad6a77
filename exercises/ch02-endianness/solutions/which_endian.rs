//! The magic number is compared in both orders, and the count is read in the one that fits.

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
    let (magic, rest) = file.split_first_chunk()?;
    let (count, _) = rest.split_first_chunk()?;
    if u32::from_be_bytes(*magic) == MAGIC {
        Some((ByteOrder::Big, u32::from_be_bytes(*count)))
    } else if u32::from_le_bytes(*magic) == MAGIC {
        Some((ByteOrder::Little, u32::from_le_bytes(*count)))
    } else {
        None
    }
}
