//! The checksum of bytes in a file: CRC-32 of their offset, then of the bytes themselves.
//!
//! Because the offset is included, bytes are valid only where they were written. A disk may carry
//! out a write at the wrong place: then valid bytes appear a second time, where they do not belong.
//! A checksum of the bytes alone would accept them, and a search would return wrong answers.
//!
//! The polynomial is the one that zip and Ethernet use; the crate `crc32fast` computes it.

/// The checksum of `bytes` at `offset` in their file. The offset itself is not stored.
pub(crate) fn checksum(offset: u64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&offset.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}
