//! The checksum of what stands somewhere in a file: CRC-32 of the place, then of the bytes.
//!
//! With the place under it, bytes are valid only where they were written. A write that a disk carries out in the wrong place leaves
//! bytes that are right in themselves, twice; without the place, a search would go on among them and find wrong answers.
//!
//! The polynomial is that of zip and Ethernet, by the crate `crc32fast`.

/// The checksum of `bytes` that stand at `offset` in their file. The offset itself is not stored.
pub(crate) fn checksum(offset: u64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&offset.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}
