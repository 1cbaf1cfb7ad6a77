//! An internal key: a user key with the version it was written at.
//!
//! Format
//!
//! ```text
//! user key   any bytes
//! trailer    u64, big-endian: !(sequence << 8 | kind)
//! ```
//!
//! Because the trailer is inverted, plain byte order of trailers puts the newest version of a user
//! key first: a lookup takes the first one it finds.
//!
//! Tables store a trailer as a *version*, `sequence << 2 | kind`, in a varint: one byte for
//! sequence numbers 0 to 31.
//!
//! Invariants
//! 1. Order: user keys under the family's comparator, then trailers as bytes. This is *not* the byte
//!    order of whole internal keys: the user key `a` comes before `a\x00`, whatever their trailers.
//! 2. A sequence number is at most [`MAX_SEQUENCE`], so it and the kind fit in one u64.
//!
//! Source of the idea: LevelDB's `dbformat`, which stores the trailer little-endian and uninverted
//! and compares it as a number.

use crate::annotate::count;
use crate::comparator::Comparator;
use std::cmp::Ordering;

/// The greatest sequence number: the kind takes the lowest byte of the trailer.
pub const MAX_SEQUENCE: u64 = (1 << 56) - 1;

/// Length of the trailer.
pub const TRAILER_BYTES: usize = 8;

/// The longest user key that the engine stores.
pub const MAX_USER_KEY_BYTES: usize = 64 << 20;

/// The longest value that the engine stores.
pub const MAX_VALUE_BYTES: usize = 1 << 30;

/// Greater than all real kinds: a seek key sorts before every entry of its sequence number.
const SEEK_KIND: u8 = 0xff;

/// What an entry says about its user key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ValueKind {
    /// The key has no value from this sequence number on (a tombstone).
    Delete = 0,
    /// The key has this value.
    Put = 1,
    /// All keys from this one up to, not including, the one in the value have no value from this
    /// sequence number on (a range tombstone). Only batches and the range-delete block of a table
    /// hold such entries, never a memtable's entries or a data block.
    RangeDelete = 2,
}

impl ValueKind {
    fn from_byte(byte: u8) -> Option<ValueKind> {
        match byte {
            0 => Some(ValueKind::Delete),
            1 => Some(ValueKind::Put),
            2 => Some(ValueKind::RangeDelete),
            _ => None,
        }
    }
}

/// The parts of an internal key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedKey<'a> {
    /// The key as the user wrote it.
    pub user_key: &'a [u8],
    /// When it was written.
    pub sequence: u64,
    /// What was written.
    pub kind: ValueKind,
}

/// Appends the internal key of `user_key` at `sequence` to `out`.
///
/// # Panics
/// If `sequence` is above [`MAX_SEQUENCE`].
pub fn append(out: &mut Vec<u8>, user_key: &[u8], sequence: u64, kind: ValueKind) {
    out.extend_from_slice(user_key);
    out.extend_from_slice(&trailer(sequence, kind));
}

/// The internal key of `user_key` at `sequence`, in a new buffer. See [`append`].
///
/// # Panics
/// If `sequence` is above [`MAX_SEQUENCE`].
pub fn encode(user_key: &[u8], sequence: u64, kind: ValueKind) -> Vec<u8> {
    let mut key = Vec::with_capacity(user_key.len() + TRAILER_BYTES);
    append(&mut key, user_key, sequence, kind);
    key
}

/// Appends the seek key for a reader at `sequence`: the first entry at or after it, if it has the
/// same user key, is the newest version that the reader sees.
///
/// # Panics
/// If `sequence` is above [`MAX_SEQUENCE`].
pub fn append_seek(out: &mut Vec<u8>, user_key: &[u8], sequence: u64) {
    out.extend_from_slice(user_key);
    out.extend_from_slice(&seek_trailer(sequence));
}

/// Appends an internal key that comes before (or is) every version of `user_key`.
pub fn append_first(out: &mut Vec<u8>, user_key: &[u8]) {
    append_seek(out, user_key, MAX_SEQUENCE);
}

/// The trailer of an internal key that comes after (or is) every version of its user key.
pub const LAST_TRAILER: [u8; TRAILER_BYTES] = [0xff; TRAILER_BYTES];

/// Appends an internal key that comes after (or is) every version of `user_key`.
pub fn append_last(out: &mut Vec<u8>, user_key: &[u8]) {
    out.extend_from_slice(user_key);
    out.extend_from_slice(&LAST_TRAILER);
}

/// An internal key that ends a range which does not include `user_key` itself. It comes before every version of
/// `user_key`, so a table that ends there and one that begins with `user_key` have no key in common.
#[must_use]
pub fn range_end(user_key: &[u8]) -> Vec<u8> {
    encode(user_key, MAX_SEQUENCE, ValueKind::RangeDelete)
}

/// Whether an internal key was made by [`range_end`].
#[must_use]
pub fn is_range_end(internal: &[u8]) -> bool {
    internal.ends_with(&trailer(MAX_SEQUENCE, ValueKind::RangeDelete))
}

/// The trailer of a version.
///
/// # Panics
/// If `sequence` is above [`MAX_SEQUENCE`].
pub fn trailer(sequence: u64, kind: ValueKind) -> [u8; TRAILER_BYTES] {
    trailer_of(sequence, kind as u8)
}

/// The trailer of a seek key; see [`append_seek`].
///
/// # Panics
/// If `sequence` is above [`MAX_SEQUENCE`].
pub fn seek_trailer(sequence: u64) -> [u8; TRAILER_BYTES] {
    trailer_of(sequence, SEEK_KIND)
}

fn trailer_of(sequence: u64, kind: u8) -> [u8; TRAILER_BYTES] {
    assert!(
        sequence <= MAX_SEQUENCE,
        "sequence number {sequence} does not fit 56 bits"
    );
    (!(sequence << 8 | u64::from(kind))).to_be_bytes()
}

/// The user key within an internal key; empty if it is too short for a trailer.
#[inline]
pub fn user_key(internal: &[u8]) -> &[u8] {
    &internal[..internal.len().saturating_sub(TRAILER_BYTES)]
}

/// Whether two user keys are the same. Neighbouring keys mostly differ near their ends, so the last
/// eight bytes are compared first, in two registers.
#[inline]
#[must_use]
pub fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.last_chunk::<8>() == b.last_chunk::<8>() && a == b
}

/// An internal key in words, for people: `"apple" at 3, put`.
#[must_use]
pub fn describe(internal: &[u8]) -> String {
    let Some((user_key, trailer)) = internal.split_last_chunk::<TRAILER_BYTES>() else {
        return format!("\"{}\", too short for a trailer", internal.escape_ascii());
    };
    let packed = !u64::from_be_bytes(*trailer);
    let kind = match (
        (packed & 0xff) as u8,
        ValueKind::from_byte((packed & 0xff) as u8),
    ) {
        (_, Some(ValueKind::Put)) => "put".to_owned(),
        (_, Some(ValueKind::Delete)) => "delete".to_owned(),
        (_, Some(ValueKind::RangeDelete)) => "delete a range".to_owned(),
        (SEEK_KIND, None) => "before all versions".to_owned(),
        (other, None) => format!("unknown kind {other}"),
    };
    format!("\"{}\" at {}, {kind}", user_key.escape_ascii(), packed >> 8)
}

/// The sequence number of an internal key or a seek key; 0 if it is too short for a trailer.
#[inline]
pub fn sequence(internal: &[u8]) -> u64 {
    let trailer = internal.last_chunk::<TRAILER_BYTES>();
    trailer.map_or(0, |trailer| !u64::from_be_bytes(*trailer) >> 8)
}

/// Splits an internal key from disk into its parts.
///
/// # Errors
/// What is wrong with it, as part of a sentence, for the caller to add file and offset.
#[inline]
pub fn parse(internal: &[u8]) -> Result<ParsedKey<'_>, String> {
    let Some((user_key, trailer)) = internal.split_last_chunk::<TRAILER_BYTES>() else {
        return Err(too_short(internal.len()));
    };
    let (sequence, kind) = parse_trailer(*trailer)?;
    Ok(ParsedKey {
        user_key,
        sequence,
        kind,
    })
}

/// Splits a trailer into sequence number and kind.
///
/// # Errors
/// As for [`parse`].
#[inline]
pub fn parse_trailer(trailer: [u8; TRAILER_BYTES]) -> Result<(u64, ValueKind), String> {
    let packed = !u64::from_be_bytes(trailer);
    let byte = (packed & 0xff) as u8;
    match ValueKind::from_byte(byte) {
        Some(kind) => Ok((packed >> 8, kind)),
        None => Err(unknown_kind(byte)),
    }
}

// Kept out of line so that the code without errors is short enough to be inlined into each cursor step.
#[cold]
fn too_short(len: usize) -> String {
    format!(
        "an internal key of {} has no room for its {TRAILER_BYTES}-byte trailer",
        count(len as u64, "byte")
    )
}

#[cold]
fn unknown_kind(byte: u8) -> String {
    format!("an internal key has the unknown kind {byte}")
}

/// Bits of a stored version that hold the kind. No kind is 3.
const KIND_BITS: u32 = 2;
const KIND_MASK: u64 = 3;

/// The form of a trailer in a table: `sequence << 2 | kind`, with a known kind and a sequence
/// number of at most [`MAX_SEQUENCE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredVersion(u64);

impl StoredVersion {
    /// The stored form of a trailer; `None` if its kind is unknown.
    #[inline]
    #[must_use]
    pub fn of_trailer(trailer: [u8; TRAILER_BYTES]) -> Option<StoredVersion> {
        let (sequence, kind) = parse_trailer(trailer).ok()?;
        Some(StoredVersion(sequence << KIND_BITS | kind as u64))
    }

    /// A number from disk; `None` if its kind is unknown or its sequence number too great.
    #[inline]
    #[must_use]
    pub const fn of_number(number: u64) -> Option<StoredVersion> {
        let is_known = number >> KIND_BITS <= MAX_SEQUENCE && number & KIND_MASK != KIND_MASK;
        if is_known {
            Some(StoredVersion(number))
        } else {
            None
        }
    }

    /// The number that is stored.
    #[inline]
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The trailer that it encodes.
    #[inline]
    #[must_use]
    pub const fn trailer(self) -> [u8; TRAILER_BYTES] {
        (!(self.sequence() << 8 | self.0 & KIND_MASK)).to_be_bytes()
    }

    /// When the entry was written.
    #[inline]
    #[must_use]
    pub const fn sequence(self) -> u64 {
        self.0 >> KIND_BITS
    }

    /// What was written.
    #[inline]
    #[must_use]
    pub const fn kind(self) -> ValueKind {
        match self.0 & KIND_MASK {
            0 => ValueKind::Delete,
            1 => ValueKind::Put,
            _ => ValueKind::RangeDelete,
        }
    }
}

/// Orders internal keys: by user key under `comparator`, then the newest first.
#[inline]
pub fn compare(comparator: &Comparator, a: &[u8], b: &[u8]) -> Ordering {
    let (a_user, a_trailer) = a.split_at(a.len().saturating_sub(TRAILER_BYTES));
    let (b_user, b_trailer) = b.split_at(b.len().saturating_sub(TRAILER_BYTES));
    comparator
        .compare(a_user, b_user)
        .then_with(|| a_trailer.cmp(b_trailer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_as_documented() {
        assert_eq!(
            encode(b"k", 5, ValueKind::Put),
            [b'k', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfa, 0xfe]
        );
        assert_eq!(
            encode(b"", MAX_SEQUENCE, ValueKind::Delete),
            [0, 0, 0, 0, 0, 0, 0, 0xff]
        );
    }

    #[test]
    fn what_is_encoded_parses_back() {
        for user_key in [&b""[..], b"a", b"\xff\x00\xff"] {
            for sequence in [0, 1, 255, 256, MAX_SEQUENCE] {
                for kind in [ValueKind::Delete, ValueKind::Put, ValueKind::RangeDelete] {
                    let key = encode(user_key, sequence, kind);
                    assert_eq!(
                        parse(&key),
                        Ok(ParsedKey {
                            user_key,
                            sequence,
                            kind
                        })
                    );
                }
            }
        }
    }

    #[test]
    fn versions_stand_for_trailers() {
        for (sequence, kind, expected) in [
            (0, ValueKind::Delete, 0),
            (0, ValueKind::Put, 1),
            (5, ValueKind::RangeDelete, 22),
            (MAX_SEQUENCE, ValueKind::Put, (1 << 58) - 3),
        ] {
            let trailer = trailer(sequence, kind);
            let version = StoredVersion::of_trailer(trailer).unwrap();
            assert_eq!(version.number(), expected);
            assert_eq!(StoredVersion::of_number(expected), Some(version));
            assert_eq!(version.trailer(), trailer);
            assert_eq!((version.sequence(), version.kind()), (sequence, kind));
        }
        assert_eq!(StoredVersion::of_trailer(seek_trailer(5)), None);
        for foreign in [3, 23, 1 << 58, u64::MAX] {
            assert_eq!(StoredVersion::of_number(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn foreign_bytes_are_refused() {
        assert_eq!(
            parse(b"1234567").unwrap_err(),
            "an internal key of 7 bytes has no room for its 8-byte trailer"
        );
        let mut key = encode(b"k", 1, ValueKind::Put);
        *key.last_mut().unwrap() = !9;
        assert_eq!(
            parse(&key).unwrap_err(),
            "an internal key has the unknown kind 9"
        );
    }

    #[test]
    fn newest_version_first_and_user_keys_before_versions() {
        let mut first = Vec::new();
        append_first(&mut first, b"a");
        let mut seek_5 = Vec::new();
        append_seek(&mut seek_5, b"a", 5);
        let mut last = Vec::new();
        append_last(&mut last, b"a");
        let sorted = [
            encode(b"", 0, ValueKind::Put),
            first,
            range_end(b"a"),
            encode(b"a", 9, ValueKind::Put),
            seek_5,
            encode(b"a", 5, ValueKind::Put),
            encode(b"a", 5, ValueKind::Delete),
            encode(b"a", 4, ValueKind::Put),
            last,
            // As plain bytes this one would sort before most versions of "a".
            encode(b"a\x00", 9, ValueKind::Put),
            encode(b"b", 1, ValueKind::Put),
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(
                    compare(&Comparator::Bytewise, a, b),
                    i.cmp(&j),
                    "{a:?} and {b:?}"
                );
            }
        }
    }
}
