//! What was written to a disk, in order, and what a power cut leaves of it.
//!
//! ```text
//! record   superblock, then for each write or flush a header and the data
//! header   in a sector of its own: sector, sectors, flags, length of data (of marks only); u64 little-endian each
//! ```
//!
//! The format is that of the kernel's target `dm-log-writes` (Documentation/admin-guide/device-mapper/log-writes.rst).
//!
//! A disk keeps in its cache what was written after the last flush. When its power is cut, any part of that may have come
//! to the medium, in any order; a sector is written whole or not at all. Several file systems rely on that last point.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{FallocateFlags, fallocate};

use super::support::Dice;

const SECTOR: usize = 512;
const MAGIC: u64 = 0x006a_7366_7773_6872;
const FLUSH: u64 = 1;
const FORCED: u64 = 2;
const DISCARD: u64 = 4;

pub(crate) struct Record {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

/// A write, a flush, or both.
struct Entry {
    /// Where it begins on the disk.
    offset: u64,
    len: u64,
    /// Its data in the record; nothing for a discard.
    data: Range<usize>,
    flags: u64,
    /// Where the record ends after it.
    end: usize,
}

impl Record {
    pub(crate) fn parse(bytes: Vec<u8>) -> Self {
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        assert_eq!(number(0), MAGIC, "a record of writes");
        let (mut entries, mut at) = (Vec::new(), SECTOR);
        while at + SECTOR <= bytes.len() {
            let [sector, sectors, flags] = [0, 8, 16].map(|field| number(at + field));
            let len = sectors * SECTOR as u64;
            let stored = if flags & DISCARD == 0 {
                len as usize
            } else {
                0
            };
            let data = at + SECTOR..at + SECTOR + stored;
            at = data.end;
            entries.push(Entry {
                offset: sector * SECTOR as u64,
                len,
                data,
                flags,
                end: at,
            });
        }
        assert_eq!(at, bytes.len(), "the record ends with a whole write");
        Self { bytes, entries }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many entries are within the first `length` bytes.
    pub(crate) fn writes_within(&self, length: u64) -> usize {
        self.entries
            .partition_point(|entry| entry.end as u64 <= length)
    }

    /// The length of the record after `entries` entries, of which there must be one.
    pub(crate) fn length_after(&self, entries: usize) -> u64 {
        self.entries[entries - 1].end as u64
    }

    /// A replay on a new, empty disk, which is the file `path`.
    pub(crate) fn replay(&self, path: &Path, bytes: u64) -> Replay<'_> {
        let disk = File::create(path).unwrap();
        disk.set_len(bytes).unwrap();
        Replay {
            record: self,
            path: path.to_path_buf(),
            disk,
            done: 0,
        }
    }

    /// Does a write, but only those of its sectors that `survives` chooses; a discard whole, or not.
    fn write(&self, disk: &File, entry: &Entry, mut survives: impl FnMut() -> bool) {
        if entry.flags & DISCARD != 0 {
            if survives() {
                let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                fallocate(disk, hole, entry.offset, entry.len).unwrap();
            }
            return;
        }
        for (sector, data) in (0..).zip(self.bytes[entry.data.clone()].chunks(SECTOR)) {
            if survives() {
                let offset = entry.offset + sector * SECTOR as u64;
                disk.write_all_at(data, offset).unwrap();
            }
        }
    }
}

/// A disk that holds what was flushed up to some moment.
pub(crate) struct Replay<'r> {
    record: &'r Record,
    path: PathBuf,
    disk: File,
    /// So many entries are on it.
    done: usize,
}

impl Replay<'_> {
    /// Makes the file `left` the disk that a cut after so many entries leaves. Moments must not go back.
    pub(crate) fn cut(&mut self, moment: usize, left: &Path, dice: &mut Dice) {
        let entries = &self.record.entries;
        let flush = entries[..moment]
            .iter()
            .rposition(|entry| entry.flags & FLUSH != 0);
        let flushed = flush.unwrap_or(0).max(self.done);
        for entry in &entries[self.done..flushed] {
            self.record.write(&self.disk, entry, || true);
        }
        self.done = flushed;

        // `cp` keeps the holes.
        let copied = Command::new("cp")
            .arg(&self.path)
            .arg(left)
            .status()
            .unwrap();
        assert!(copied.success());
        let disk = File::options().write(true).open(left).unwrap();
        // Nothing survives, all does, whole writes do, or single sectors.
        let way = dice.below(4);
        for entry in &entries[flushed..moment] {
            let whole = dice.one_in(2);
            let forced = entry.flags & FORCED != 0;
            self.record.write(&disk, entry, || {
                forced
                    || match way {
                        0 => false,
                        1 => true,
                        2 => whole,
                        _ => dice.one_in(2),
                    }
            });
        }
    }
}
