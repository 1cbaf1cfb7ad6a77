//! The checksum of tables and logs, for tests that make a changed file's checksums right again: written down once more, as
//! formats.md has it.

/// Of bytes that stand at `offset`.
pub(crate) fn checksum(offset: usize, bytes: &[u8]) -> [u8; 4] {
    let covered = [&(offset as u64).to_le_bytes()[..], bytes].concat();
    crc32fast::hash(&covered).to_le_bytes()
}
