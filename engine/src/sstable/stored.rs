//! How a part of a table is stored in the file: with a checksum, and possibly compressed.
//!
//! ```text
//! contents     length bytes, as the handle says
//! compression  u8    0 = as it is, 1 = LZ4
//! checksum     u32   CRC-32 of the offset of the contents (u64, not stored), contents and compression
//! ```
//!
//! A handle is the offset and the length of the contents. Contents compressed with LZ4:
//!
//! ```text
//! length       u32   of the original
//! data         LZ4 block format
//! ```
//!
//! Invariants
//! 1. The checksum is compared before anything else is read.
//! 2. A decompressed block is never allocated larger than LZ4 can make it: 255 times the compressed bytes.

use crate::annotate::count;
use crate::checksum::{Covered, checksum};
use crate::varint;
use crate::vfs::FileSlice;
use std::fmt;
use std::ops::Range;

/// Length of what follows the contents.
pub(super) const TRAILER_BYTES: usize = 5;

/// LZ4 makes at most this many bytes from one: in a run, a byte adds 255 to its length.
const LZ4_RATIO_MAX: usize = 255;

/// How blocks are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Compression {
    /// Not at all: a mapped block is then read in place.
    #[default]
    None = 0,
    /// LZ4, for blocks that it makes shorter.
    Lz4 = 1,
}

/// Where contents are in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handle {
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl Handle {
    /// The contents' range in a file whose stored parts all end by `limit`, or `None` if they end after it.
    pub(super) fn range_within(self, limit: u64) -> Option<Range<usize>> {
        let start = usize::try_from(self.offset).ok()?;
        let end = start.checked_add(usize::try_from(self.length).ok()?)?;
        let stored_end = u64::try_from(end.checked_add(TRAILER_BYTES)?).ok()?;
        (stored_end <= limit).then_some(start..end)
    }

    pub(super) fn append_varints(self, out: &mut Vec<u8>) {
        varint::append(out, self.offset);
        varint::append(out, self.length);
    }

    /// Decodes what [`append_varints`](Self::append_varints) wrote, and nothing more.
    #[inline]
    pub(super) fn from_varints(mut bytes: &[u8]) -> Option<Handle> {
        let offset = varint::take(&mut bytes)?;
        let length = varint::take(&mut bytes)?;
        bytes.is_empty().then_some(Handle { offset, length })
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", count(self.length, "byte"), self.offset)
    }
}

/// Appends `contents` to `out`, which is the part of a file from `out_offset` on. Returns where they are.
pub(super) fn append(
    out: &mut Vec<u8>,
    out_offset: u64,
    contents: &[u8],
    compression: Compression,
) -> Handle {
    let start = out.len();
    let used = match compression {
        Compression::Lz4 if append_lz4(out, contents) => Compression::Lz4,
        Compression::None | Compression::Lz4 => {
            // With the trailer, which would double the room of a large block.
            out.reserve(contents.len() + TRAILER_BYTES);
            out.extend_from_slice(contents);
            Compression::None
        }
    };
    let length = (out.len() - start) as u64;
    out.push(used as u8);
    let offset = out_offset + start as u64;
    let checksum = checksum(offset, &out[start..]);
    out.extend_from_slice(&checksum.to_le_bytes());
    Handle { offset, length }
}

/// Appends `contents` compressed. If that saves less than an eighth, returns `false` and leaves
/// `out` unchanged.
fn append_lz4(out: &mut Vec<u8>, contents: &[u8]) -> bool {
    let Ok(length) = u32::try_from(contents.len()) else {
        return false;
    };
    let start = out.len();
    out.extend_from_slice(&length.to_le_bytes());
    let data = out.len();
    out.resize(
        data + lz4_flex::block::get_maximum_output_size(contents.len()),
        0,
    );
    let written = lz4_flex::block::compress_into(contents, &mut out[data..])
        .expect("there is room for the worst case");
    if written + 4 > contents.len() / 8 * 7 {
        out.truncate(start);
        return false;
    }
    out.truncate(data + written);
    true
}

#[cfg(test)]
thread_local! {
    /// How many checksums this thread has compared.
    pub(super) static COMPARED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Checks the checksum of `stored`: contents and trailer, which are at `offset` in the file.
///
/// # Errors
/// What is wrong, as part of a sentence.
pub(super) fn verify(stored: &[u8], offset: u64) -> Result<(), String> {
    #[cfg(test)]
    COMPARED.set(COMPARED.get() + 1);
    let (covered, stated) = stored
        .split_last_chunk::<4>()
        .expect("a handle's range has a trailer");
    let stated = u32::from_le_bytes(*stated);
    let computed = checksum(offset, covered);
    if stated != computed {
        return Err(Covered::Block.mismatch(stated, computed));
    }
    Ok(())
}

/// How `stored` is compressed. Its checksum must have been verified.
///
/// # Errors
/// As for [`verify`].
#[inline]
pub(super) fn compression(stored: &[u8]) -> Result<Compression, String> {
    match stored[stored.len() - TRAILER_BYTES] {
        0 => Ok(Compression::None),
        1 => Ok(Compression::Lz4),
        other => Err(format!("a block has the unknown compression {other}")),
    }
}

/// Decompresses contents.
///
/// # Errors
/// As for [`verify`].
pub(super) fn decompress(contents: &[u8]) -> Result<Vec<u8>, String> {
    let Some((length, data)) = contents.split_first_chunk::<4>() else {
        return Err("a compressed block has no room for its length".to_owned());
    };
    let length = u32::from_le_bytes(*length) as usize;
    if length > data.len().saturating_mul(LZ4_RATIO_MAX) {
        return Err(format!(
            "{} of LZ4 cannot make the {length} that a block states",
            count(data.len() as u64, "byte")
        ));
    }
    let mut original = vec![0; length];
    match lz4_flex::block::decompress_into(data, &mut original) {
        Ok(written) if written == length => Ok(original),
        Ok(written) => Err(format!(
            "a compressed block gives {} and states {length}",
            count(written as u64, "byte")
        )),
        Err(error) => Err(format!("a compressed block does not decompress: {error}")),
    }
}

/// The contents of `stored`, which is what [`verify`] takes: verified, and decompressed where they were compressed.
///
/// # Errors
/// As for [`verify`].
pub(super) fn contents(stored: &FileSlice, offset: u64) -> Result<FileSlice, String> {
    verify(stored, offset)?;
    let contents = stored.slice(0..stored.len() - TRAILER_BYTES);
    match compression(stored)? {
        Compression::None => Ok(contents),
        Compression::Lz4 => decompress(&contents).map(FileSlice::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(contents: &[u8], compression: Compression) -> (Vec<u8>, Handle) {
        let mut file = b"before".to_vec();
        let handle = append(&mut file, 100, contents, compression);
        (file, handle)
    }

    #[test]
    fn large_contents_are_not_given_room_twice() {
        let mut file = Vec::new();
        append(&mut file, 0, &vec![0; 1 << 20], Compression::None);
        assert!(
            file.capacity() < (1 << 20) + 1_000,
            "{} bytes",
            file.capacity()
        );
    }

    #[test]
    fn what_is_stored_is_read() {
        let texts = [
            Vec::new(),
            b"short".to_vec(),
            b"again and again and ".repeat(50),
            (0..=255).collect(),
        ];
        for contents in &texts {
            let (file, handle) = store(contents, Compression::None);
            assert_eq!(
                handle,
                Handle {
                    offset: 106,
                    length: contents.len() as u64
                }
            );
            assert_eq!(&file[6..6 + contents.len()], contents.as_slice());
            verify(&file[6..], 106).unwrap();

            let (file, handle) = store(contents, Compression::Lz4);
            let stored = &file[6..];
            verify(stored, 106).unwrap();
            let inside = &stored[..handle.length as usize];
            match compression(stored).unwrap() {
                Compression::None => assert_eq!(inside, contents.as_slice()),
                Compression::Lz4 => {
                    assert!(inside.len() < contents.len());
                    assert_eq!(&decompress(inside).unwrap(), contents);
                }
            }
        }
        let (file, _) = store(&texts[2], Compression::Lz4);
        assert_eq!(compression(&file[6..]), Ok(Compression::Lz4));
    }

    #[test]
    fn bytes_are_right_only_where_they_were_written() {
        let (file, handle) = store(b"contents", Compression::None);
        let stored = &file[6..];
        assert_eq!(verify(stored, handle.offset), Ok(()));
        for elsewhere in [0, 105, 107, 106 << 8, u64::MAX] {
            verify(stored, elsewhere).unwrap_err();
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        for how in [Compression::None, Compression::Lz4] {
            let (file, _) = store(&b"again and again and ".repeat(5), how);
            let mut stored = file[6..].to_vec();
            for at in 0..stored.len() {
                for bit in 0..8 {
                    stored[at] ^= 1 << bit;
                    verify(&stored, 106).unwrap_err();
                    stored[at] ^= 1 << bit;
                }
            }
        }
    }

    #[test]
    fn lengths_that_lz4_cannot_reach_are_refused_before_allocating() {
        let mut bomb = u32::MAX.to_le_bytes().to_vec();
        bomb.extend_from_slice(&[0; 10]);
        let error = decompress(&bomb).unwrap_err();
        assert_eq!(
            error,
            "10 bytes of LZ4 cannot make the 4294967295 that a block states"
        );
        decompress(&[1, 2, 3]).unwrap_err();
        decompress(&[5, 0, 0, 0, 0xf0]).unwrap_err();
    }

    #[test]
    fn the_most_that_lz4_can_make_is_accepted() {
        let contents = vec![0; 1 << 20];
        let (file, handle) = store(&contents, Compression::Lz4);
        assert!(handle.length < 5000, "{handle:?}");
        assert_eq!(
            decompress(&file[6..6 + handle.length as usize]).unwrap(),
            contents
        );
    }

    #[test]
    fn a_handle_must_fit_the_file() {
        let handle = Handle {
            offset: 10,
            length: 5,
        };
        assert_eq!(handle.range_within(20), Some(10..15));
        assert_eq!(handle.range_within(19), None);
        for (offset, length) in [
            (u64::MAX, 1),
            (1, u64::MAX),
            (u64::MAX, u64::MAX),
            (u64::MAX - 5, 0),
        ] {
            assert_eq!(
                Handle { offset, length }.range_within(u64::MAX - 1),
                None,
                "{offset} {length}"
            );
        }
    }

    #[test]
    fn handles_are_varints_and_nothing_more() {
        let handle = Handle {
            offset: 300,
            length: 4096,
        };
        let mut bytes = Vec::new();
        handle.append_varints(&mut bytes);
        assert_eq!(bytes, [0xac, 0x02, 0x80, 0x20]);
        assert_eq!(Handle::from_varints(&bytes), Some(handle));
        assert_eq!(Handle::from_varints(&bytes[..3]), None);
        bytes.push(0);
        assert_eq!(Handle::from_varints(&bytes), None);
    }
}
