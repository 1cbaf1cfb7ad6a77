//! Reads a block in place: its parts, and entries by offset.

use super::Damage;
use super::frame::Frame;
use super::heads::{HEAD_BYTES, Heads, head};
use crate::comparator::common_prefix_len;
use crate::internal_key::{StoredVersion, TRAILER_BYTES};
use crate::varint;
use std::ops::Range;

/// Borrowed contents of a block whose frame was checked.
#[derive(Clone, Copy, Debug)]
pub(in crate::sstable) struct BlockView<'a> {
    pub(super) contents: &'a [u8],
    pub(super) frame: Frame,
}

/// Where the parts of an entry are in the block's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sstable) struct Entry {
    /// Where the entry begins.
    pub(in crate::sstable) at: usize,
    /// How many bytes its user key shares with the one before.
    pub(in crate::sstable) shared: usize,
    /// The rest of its user key.
    pub(in crate::sstable) tail: Range<usize>,
    /// Its version; the kind is known.
    pub(in crate::sstable) version: StoredVersion,
    /// Its value, which ends where the next entry begins.
    pub(in crate::sstable) value: Range<usize>,
}

impl Entry {
    /// Where the next entry begins.
    #[inline]
    pub(in crate::sstable) fn end(&self) -> usize {
        self.value.end
    }

    /// The trailer of its internal key, which its version encodes.
    #[inline]
    pub(in crate::sstable) fn trailer(&self) -> [u8; TRAILER_BYTES] {
        self.version.trailer()
    }
}

impl<'a> BlockView<'a> {
    /// Checks that heads and restarts lie within the contents.
    #[inline]
    pub(in crate::sstable) fn new(contents: &'a [u8]) -> Result<BlockView<'a>, Damage> {
        let frame = Frame::read(contents)?;
        Ok(BlockView { contents, frame })
    }

    /// For contents from which this frame was read and checked.
    #[inline]
    pub(in crate::sstable) fn of_checked(contents: &'a [u8], frame: Frame) -> BlockView<'a> {
        BlockView { contents, frame }
    }

    /// Where the parts of the block are.
    #[inline]
    pub(in crate::sstable) fn frame(&self) -> Frame {
        self.frame
    }

    /// A view of the entries of a block that has no frame yet.
    pub(super) fn of_entries(contents: &'a [u8]) -> BlockView<'a> {
        let frame = Frame {
            entries_end: contents.len(),
            ..Frame::default()
        };
        BlockView { contents, frame }
    }

    #[inline]
    pub(in crate::sstable) fn entries_end(&self) -> usize {
        self.frame.entries_end
    }

    /// How many restarts there are.
    #[inline]
    pub(in crate::sstable) fn restarts(&self) -> usize {
        self.frame.restarts
    }

    /// How many bytes of the keys the heads leave out; `None` if there are no heads.
    pub(in crate::sstable) fn skip(&self) -> Option<usize> {
        self.frame.has_heads().then_some(self.frame.skip)
    }

    /// Where the offsets of the restarts begin; the heads end there.
    pub(in crate::sstable) fn restarts_at(&self) -> usize {
        self.frame.restarts_at
    }

    /// Compares every head with its key, and the prefix that heads leave out with the first and the
    /// last user key. A search does not do this, because it would have to look at every key.
    pub(in crate::sstable) fn check_heads(&self, last_user_key: &[u8]) -> Result<(), Damage> {
        let Some(skip) = self.skip() else {
            return Ok(());
        };
        for restart in 0..self.restarts() {
            let entry = self.restart_entry(restart)?;
            let user_key = self.bytes(&entry.tail);
            if restart == 0 && common_prefix_len(user_key, last_user_key) != skip {
                return Err(Damage {
                    at: self.frame.entries_end,
                    what: "the heads leave out another prefix than the first and the last key share",
                });
            }
            if self.heads().heads[restart] != head(user_key, skip).to_be_bytes() {
                return Err(Damage {
                    at: self.frame.entries_end + HEAD_BYTES * restart,
                    what: "a head is not that of its key",
                });
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn heads(&self) -> Heads<'a> {
        let bytes = &self.contents[self.frame.entries_end..self.frame.restarts_at];
        Heads {
            heads: bytes.as_chunks::<HEAD_BYTES>().0,
            skip: self.frame.skip,
        }
    }

    #[inline]
    pub(in crate::sstable) fn bytes(&self, range: &Range<usize>) -> &'a [u8] {
        &self.contents[range.clone()]
    }

    /// The offset of restart `index`, which may point anywhere.
    #[inline]
    pub(in crate::sstable) fn restart_offset(&self, index: usize) -> usize {
        let at = self.frame.restarts_at + 4 * index;
        let bytes = self.contents[at..]
            .first_chunk::<4>()
            .expect("the frame was checked");
        u32::from_le_bytes(*bytes) as usize
    }

    /// Where the restart after `restart` points, or the end of the entries.
    #[inline]
    pub(in crate::sstable) fn offset_after(&self, restart: usize) -> usize {
        if restart + 1 < self.frame.restarts {
            self.restart_offset(restart + 1)
        } else {
            self.frame.entries_end
        }
    }

    /// The entry at restart `index`. Its tail is its whole user key.
    pub(in crate::sstable) fn restart_entry(&self, index: usize) -> Result<Entry, Damage> {
        let entry = self.entry(self.restart_offset(index))?;
        if entry.shared != 0 {
            return Err(Damage {
                at: entry.at,
                what: "the entry at a restart shares a prefix",
            });
        }
        if index == 0 && entry.at != 0 {
            return Err(Damage {
                at: self.frame.restarts_at,
                what: "the first restart is not at the first entry",
            });
        }
        Ok(entry)
    }

    /// The entry that begins at `at`, checked to lie within the entries.
    #[inline(always)]
    pub(in crate::sstable) fn entry(&self, at: usize) -> Result<Entry, Damage> {
        let damage = |what| Damage { at, what };
        let entries = &self.contents[..self.frame.entries_end];
        let rest = entries.get(at..).unwrap_or_default();
        let header = match rest {
            // Nearly always each length takes one byte, and so does the version of a put with
            // sequence number 0.
            [
                shared @ 0..0x80,
                unshared @ 0..0x80,
                value_len @ 0..0x80,
                after @ ..,
            ] => first_version(after).map(|(version, bytes)| Header {
                shared: usize::from(*shared),
                unshared: usize::from(*unshared),
                value_len: usize::from(*value_len),
                version,
                bytes: 3 + bytes,
            }),
            _ => None,
        };
        let Header {
            shared,
            unshared,
            value_len,
            version,
            bytes: header,
        } = header
            .or_else(|| long_header(rest))
            .ok_or_else(|| damage("the header of an entry is cut off or too large"))?;
        let version = StoredVersion::of_number(version).ok_or_else(|| {
            damage("an entry has a version of an unknown kind or above the greatest number")
        })?;
        if unshared.saturating_add(value_len) > rest.len() - header {
            return Err(damage("an entry ends outside its block"));
        }
        let tail = at + header..at + header + unshared;
        let value = tail.end..tail.end + value_len;
        Ok(Entry {
            at,
            shared,
            tail,
            version,
            value,
        })
    }
}

/// The fields at the beginning of an entry.
struct Header {
    shared: usize,
    unshared: usize,
    value_len: usize,
    version: u64,
    /// How many bytes the fields take.
    bytes: usize,
}

/// The version at the front of `bytes`, and how many bytes it takes; `None` if it takes more than
/// eight bytes, or if it takes several and fewer than eight bytes are left.
#[inline(always)]
fn first_version(bytes: &[u8]) -> Option<(u64, usize)> {
    match bytes {
        [version @ 0..0x80, ..] => Some((u64::from(*version), 1)),
        _ => bytes.first_chunk().and_then(varint::first_of_word),
    }
}

/// Reads the fields of any entry, whatever their lengths.
#[inline(never)]
fn long_header(entry: &[u8]) -> Option<Header> {
    let mut rest = entry;
    Some(Header {
        shared: varint::take_u32(&mut rest)? as usize,
        unshared: varint::take_u32(&mut rest)? as usize,
        value_len: varint::take_u32(&mut rest)? as usize,
        version: varint::take(&mut rest)?,
        bytes: entry.len() - rest.len(),
    })
}
