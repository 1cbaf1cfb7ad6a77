//! The checksum of tables and logs, for tests that give changed files right checksums: written a
//! second time, from formats.md.

/// The checksum of bytes at `offset`.
pub(crate) fn checksum(offset: usize, bytes: &[u8]) -> [u8; 4] {
    let covered = [&(offset as u64).to_le_bytes()[..], bytes].concat();
    crc32fast::hash(&covered).to_le_bytes()
}
