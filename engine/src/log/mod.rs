//! A log of records that survives a torn end: the write-ahead log and the manifest are such logs.
//!
//! Format (integers little-endian). The file is cut into blocks of 32 KiB. A record is cut into
//! fragments such that no fragment crosses the end of a block:
//!
//! ```text
//! block     fragment*, with zeros up to a sector's end where fewer than 11 bytes of it are left
//! fragment  checksum: u32 | length: u16 | type: u8 | log: u32 | payload: length bytes
//! type      1 = the whole record, 2 = its first fragment, 3 = a middle one, 4 = its last,
//!           5 = a mark: everything before it was durable when it was written; if it has a payload, only what
//!           is before that offset (u64): records came while the sync went on
//! log       the low half of the log's number
//! checksum  CRC-32 of the fragment's offset in the file as u64, then of everything after the checksum
//! ```
//!
//! Invariants
//! 1. A block begins with a fragment, so a reader can start again at the next block.
//! 2. A fragment is valid only in the log and at the offset it was written for: the log's number is
//!    stored, and the checksum covers both.
//! 3. Zeros, which fill the unused part of a preallocated file, are never a fragment: there is no type 0.
//! 4. A log is written once from its beginning. After recovery a new one is started; nothing is
//!    ever appended after a torn end.
//! 5. A header lies within one sector of 512 bytes. If fewer than 11 bytes are left in a sector,
//!    they are zeros.
//! 6. A mark follows every sync, unless there was no space for it.
//!
//! Why the log's number and the offset are needed: a file system may hand back old blocks after a
//! power cut, a later release may recycle files, and a value may hold a copy of a log. Without
//! them, an old fragment that happens to be at the right place would be read as a record, and one
//! inside a garbled value would make a torn end look like damage in the middle. This costs four
//! bytes a fragment and eight more bytes under the checksum.
//!
//! Torn or damaged? A power cut may lose anything written since the last sync, sector by sector and
//! in any order: a page may stay zeros while the next one was written. So a bad fragment
//! - with nothing valid after it is a torn end;
//! - with a mark after it that covers it is corruption, because it was durable;
//! - with valid fragments after it, and no such mark, is a lost tail if one of its sectors is zeros
//!   from the beginning of the fragment or sector to the sector's end: that sector was never
//!   written. Otherwise it is corruption, because a power cut changes no byte.
//!
//! The reader looks for a valid fragment at every following byte. Invariant 5 makes a lost sector
//! visible: if a header is lost, all its eleven bytes are zeros, which no single changed bit can
//! cause. Two pairs of cases cannot be told apart. One is damage of the last fragment before its
//! mark was written, and a torn write of it. The other is damage, before a mark was written, of a
//! record whose own payload holds a sector of zeros, and a lost tail.
//!
//! Source: the block and fragment scheme is LevelDB's; log numbers in the header are RocksDB's.

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod reader;
mod tail;
mod trace;
mod writer;

pub(crate) use reader::AND_YET;
pub use reader::{Found, LogEnd, LogReader, RecoveryMode};
pub(crate) use trace::{Header, has_fragment, may_be_log};
pub use writer::{LogSync, LogWriter};

/// Blocks have this length; the last one may be shorter.
pub const BLOCK_BYTES: usize = 32 << 10;

/// The length of the header before a fragment's payload.
pub const HEADER_BYTES: usize = 11;

/// What precedes the payload of a fragment, read but not checked.
#[derive(Clone, Copy, Debug)]
struct FragmentHeader {
    checksum: u32,
    /// How many bytes the payload has.
    length: usize,
    type_byte: u8,
    /// The stored part of the log's number.
    log_number: u32,
}

impl FragmentHeader {
    fn read(bytes: &[u8; HEADER_BYTES]) -> FragmentHeader {
        let [c0, c1, c2, c3, l0, l1, type_byte, n0, n1, n2, n3] = *bytes;
        FragmentHeader {
            checksum: u32::from_le_bytes([c0, c1, c2, c3]),
            length: u16::from_le_bytes([l0, l1]).into(),
            type_byte,
            log_number: u32::from_le_bytes([n0, n1, n2, n3]),
        }
    }
}

/// What a disk writes as a whole or not at all. Larger sectors are multiples of this size.
pub const SECTOR_BYTES: usize = 512;

/// Where the next fragment begins if the one before it ends at `position`: there, or in the next
/// sector if a header does not fit into the rest of this one.
pub fn next_header(position: u64) -> u64 {
    let sector = SECTOR_BYTES as u64;
    let left = sector - position % sector;
    match left < HEADER_BYTES as u64 {
        true => position + left,
        false => position,
    }
}

/// Which part of a record a fragment holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FragmentType {
    /// A whole record.
    Whole = 1,
    /// A record's first part.
    First = 2,
    /// Neither the first part of a record nor its last.
    Middle = 3,
    /// A record's last part.
    Last = 4,
    /// Not a part of a record: says what was durable when it was written. See [`durable_before`].
    Mark = 5,
}

impl FragmentType {
    pub(crate) fn from_byte(byte: u8) -> Option<FragmentType> {
        match byte {
            1 => Some(FragmentType::Whole),
            2 => Some(FragmentType::First),
            3 => Some(FragmentType::Middle),
            4 => Some(FragmentType::Last),
            5 => Some(FragmentType::Mark),
            _ => None,
        }
    }
}

/// What a mark at `at` says is durable: everything before the returned offset. `None` if its
/// payload is not that of a mark.
pub fn durable_before(at: usize, payload: &[u8]) -> Option<u64> {
    let at = at as u64;
    match payload.first_chunk() {
        None if payload.is_empty() => Some(at),
        Some(upto) if payload.len() == MARK_BYTES => {
            Some(u64::from_le_bytes(*upto)).filter(|upto| *upto < at)
        }
        _ => None,
    }
}

/// The payload of a mark that does not cover everything before it.
const MARK_BYTES: usize = 8;

/// The part of a log's number that is stored.
pub(crate) fn stored_number(log_number: u64) -> u32 {
    (log_number & u64::from(u32::MAX)) as u32
}
