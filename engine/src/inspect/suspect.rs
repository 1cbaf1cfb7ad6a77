//! Finds out which byte is damaged: if a checksum is wrong because of one changed byte, it
//! determines which one.
//!
//! CRC-32 is linear. The difference between the stored and the computed checksum depends only on
//! which bits were changed, and how many bytes come after them. So the difference is traced back
//! byte by byte, as if the bytes after were zeros, until it is one that a single byte can cause. In
//! a block of 4 KiB, another byte fits by chance once in about 4,000 times; then none is named.

use std::sync::LazyLock;

use crate::annotate::Wrong;
use crate::checksum::{Covered, checksum};
use crate::sstable::FOOTER_CHECKSUM_AT;

const POLYNOMIAL: u32 = 0xedb8_8320;
const CHECKSUM_BYTES: usize = size_of::<u32>();

static TABLE: LazyLock<[u32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        (0..8).fold(byte as u32, |crc, _| {
            (crc >> 1) ^ (POLYNOMIAL & (crc & 1).wrapping_neg())
        })
    })
});

/// For each top byte, the index of the table entry that has it.
static BY_TOP: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut by_top = [0; 256];
    for (byte, entry) in TABLE.iter().enumerate() {
        by_top[(entry >> 24) as usize] = byte as u8;
    }
    by_top
});

/// The one byte of `file` whose change would correct the checksum that `wrong` complains about.
pub(super) fn find(file: &[u8], wrong: &Wrong) -> Option<(u64, u8)> {
    let (start, end) = (
        usize::try_from(wrong.range.start).ok()?,
        usize::try_from(wrong.range.end).ok()?,
    );
    let unit = file.get(start..end)?;
    // In a fragment the checksum comes first, in a part of a table last, in the footer before the magic.
    match Covered::of_message(&wrong.what)? {
        Covered::Fragment => {
            let covered = unit.get(CHECKSUM_BYTES..)?;
            let computed = checksum(wrong.range.start, covered);
            let stored = unit.first_chunk()?;
            one_byte(covered, start + CHECKSUM_BYTES, stored, start, computed)
        }
        Covered::Block => {
            let (covered, stored) = unit.split_last_chunk()?;
            let computed = checksum(wrong.range.start, covered);
            one_byte(covered, start, stored, start + covered.len(), computed)
        }
        Covered::Footer => {
            let covered = unit.get(..FOOTER_CHECKSUM_AT)?;
            let stored = unit.get(FOOTER_CHECKSUM_AT..)?.first_chunk()?;
            let computed = crc32fast::hash(covered);
            one_byte(covered, start, stored, start + FOOTER_CHECKSUM_AT, computed)
        }
    }
}

/// The offset in the file, and the byte that should be there.
fn one_byte(
    covered: &[u8],
    covered_at: usize,
    stored: &[u8; CHECKSUM_BYTES],
    stored_at: usize,
    computed: u32,
) -> Option<(u64, u8)> {
    let mut found = Vec::new();
    let mut difference = u32::from_le_bytes(*stored) ^ computed;
    let changed: Vec<usize> = (0..4)
        .filter(|byte| difference >> (8 * byte) & 0xff != 0)
        .collect();
    if let [byte] = changed[..] {
        found.push(((stored_at + byte) as u64, computed.to_le_bytes()[byte]));
    }
    for (at, byte) in covered.iter().enumerate().rev() {
        let entry = BY_TOP[(difference >> 24) as usize];
        let before = difference ^ TABLE[usize::from(entry)];
        if before == 0 && entry != 0 {
            found.push(((covered_at + at) as u64, byte ^ entry));
        }
        difference = before << 8 | u32::from(entry);
    }
    match found[..] {
        [one] => Some(one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_one_byte_that_was_changed_is_found() {
        let bytes: Vec<u8> = (0..600u32).map(|at| (at * at / 7) as u8).collect();
        let right = crc32fast::hash(&bytes);
        let mut found = 0;
        for at in 0..bytes.len() {
            for flip in [1u8, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                let computed = crc32fast::hash(&changed);
                let suspect = one_byte(&changed, 1000, &right.to_le_bytes(), 0, computed);
                assert!(suspect.is_none_or(|suspect| suspect == (1000 + at as u64, bytes[at])));
                found += u32::from(suspect.is_some());
            }
        }
        assert!(found > 1790, "{found} of 1800");
    }

    #[test]
    fn a_changed_checksum_is_found_and_two_changed_bytes_accuse_nobody() {
        let bytes = b"some bytes under a checksum".to_vec();
        let right = crc32fast::hash(&bytes).to_le_bytes();
        let mut stored = right;
        stored[2] ^= 0x40;
        let suspect = one_byte(&bytes, 0, &stored, 100, u32::from_le_bytes(right));
        assert_eq!(suspect, Some((102, right[2])));
        let mut changed = bytes;
        changed[3] ^= 1;
        changed[9] ^= 7;
        assert_eq!(
            one_byte(&changed, 0, &right, 100, crc32fast::hash(&changed)),
            None
        );
    }
}
