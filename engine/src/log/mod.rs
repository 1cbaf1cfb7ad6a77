//! A log of records that survives a torn end: the write-ahead log and the manifest are such logs.
//!
//! Format (integers little-endian). The file is cut into blocks of 32 KiB; a record is cut into fragments,
//! so that none crosses a block's end:
//!
//! ```text
//! block     fragment* | zeros, if fewer than 11 bytes are left
//! fragment  checksum: u32 | length: u16 | type: u8 | log: u32 | payload: length bytes
//! type      1 = the whole record, 2 = its first fragment, 3 = a middle one, 4 = its last
//! log       the low half of the log's number
//! checksum  CRC-32 of the fragment's offset in the file as u64, then of everything after the checksum
//! ```
//!
//! Invariants
//! 1. A block begins with a fragment, so a reader that is lost finds its way at the next block.
//! 2. A fragment is valid only in the log it was written to, at the offset it was written at: the log's
//!    number is stored and both are under the checksum.
//! 3. The eleven zero bytes that a preallocated file holds are no fragment: there is no type 0.
//! 4. A log is written once from its beginning. After recovery a new one is started; nothing is ever
//!    appended behind a torn end.
//!
//! Why the log's number and the offset: a file system may hand back old blocks after a power cut, files may
//! be recycled one day, and a value may hold a copy of a log. Without them, an old fragment that happens to
//! stand at the right place would be read as a record, and one inside a garbled value would make a torn end
//! look like damage in the middle. It costs four bytes a fragment and eight more bytes under the checksum.
//!
//! Torn or damaged? A power cut damages the end only, so a bad fragment with nothing valid after it is a torn
//! end, and one with a valid fragment after it is corruption. The reader looks for that fragment at every
//! following byte. What cannot be told apart: damage within the very last fragment and a torn write of it; a
//! header cut off within leading zeros and zeros that were never written.
//!
//! Source: the block and fragment scheme is LevelDB's; log numbers in the header are RocksDB's.

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod reader;
mod writer;

pub use reader::{Found, LogEnd, LogReader, RecoveryMode};
pub use writer::LogWriter;

/// Blocks have this length; the last one may be shorter.
pub const BLOCK_BYTES: usize = 32 << 10;

/// Length of what stands before a fragment's payload.
pub const HEADER_BYTES: usize = 11;

/// Which part of a record a fragment holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FragmentType {
    /// A whole record.
    Whole = 1,
    /// A record's first part.
    First = 2,
    /// Neither its first part nor its last.
    Middle = 3,
    /// Its last part.
    Last = 4,
}

impl FragmentType {
    fn from_byte(byte: u8) -> Option<FragmentType> {
        match byte {
            1 => Some(FragmentType::Whole),
            2 => Some(FragmentType::First),
            3 => Some(FragmentType::Middle),
            4 => Some(FragmentType::Last),
            _ => None,
        }
    }
}

/// What is stored of a log's number.
fn stored_number(log_number: u64) -> u32 {
    (log_number & u64::from(u32::MAX)) as u32
}

/// The checksum of a fragment at `offset`, of which `covered` is everything after the checksum.
pub(crate) fn checksum(offset: u64, covered: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&offset.to_le_bytes());
    hasher.update(covered);
    hasher.finalize()
}
