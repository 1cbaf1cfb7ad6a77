//! Cuts records into fragments and appends a group of them in one operation of the file system.

use super::{BLOCK_BYTES, FragmentType, HEADER_BYTES, next_header, stored_number};
use crate::checksum::checksum;
use crate::error::{Error, Result};
use crate::vfs::{Syncer, WritableFile};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// How much space is reserved at a time where syncs are frequent. It is small because the space is
/// written as zeros first.
const STEP_BYTES_SYNCED: u64 = 64 << 10;
/// If a sync makes at least this much durable, writing zeros ahead costs more than extending the file.
const LARGE_SYNCED_BYTES: u64 = 16 << 10;
/// Where syncs are rare, a group of at least this size gets reserved blocks without zeros.
const LARGE_GROUP_BYTES: u64 = 64 << 10;

/// Writes a log from its beginning.
///
/// Not synchronised: threads that share a log elect a leader, which writes for all of them (see `db`).
#[derive(Debug)]
pub struct LogWriter {
    file: Box<dyn WritableFile>,
    log_number: u32,
    /// How much space is reserved at a time, at most; 0 if none is.
    step_bytes_max: u64,
    /// The length of the log at the last sync.
    synced_len: u64,
    /// How much the last sync made durable.
    synced_bytes: u64,
    /// Whether a sync happened since space was last reserved; true at first.
    syncs_often: bool,
    /// Reused: the fragments of the group being written.
    buffer: Vec<u8>,
    /// The message of the first failure. After it, what the file holds at its end is unknown.
    failed: Option<String>,
}

/// A sync of everything that the log held when this was made.
#[derive(Debug)]
pub struct LogSync {
    syncer: Arc<dyn Syncer>,
    upto: u64,
}

impl LogSync {
    /// Syncs. Cost: a flush of the device.
    ///
    /// # Errors
    /// `Io`.
    pub fn run(&self) -> Result<()> {
        self.syncer.sync()
    }

    /// Whether nothing was added to the log since this was made.
    pub fn covers(&self, log: &LogWriter) -> bool {
        self.upto == log.len()
    }
}

impl LogWriter {
    /// Starts the log `log_number` in a file that was just created.
    ///
    /// # Panics
    /// If the file is not empty: a log is written from its beginning.
    pub fn new(file: Box<dyn WritableFile>, log_number: u64) -> LogWriter {
        assert_eq!(
            file.len(),
            0,
            "{} is not empty, and a log begins at its file's start",
            file.path().display()
        );
        LogWriter {
            file,
            log_number: stored_number(log_number),
            step_bytes_max: 0,
            synced_len: 0,
            synced_bytes: 0,
            syncs_often: true,
            buffer: Vec::new(),
            failed: None,
        }
    }

    /// Reserves space ahead of what is written, up to this many bytes at a time. Appends and syncs
    /// become cheaper, and a full disk is noticed before a record is torn. Until
    /// [`finish`](Self::finish) the file is longer than the log.
    #[must_use]
    pub fn reserving(mut self, step_bytes_max: u64) -> LogWriter {
        self.step_bytes_max = step_bytes_max;
        self
    }

    /// Appends one record. It then survives the end of the process, and after [`sync`](Self::sync) a power cut.
    ///
    /// # Errors
    /// `Io` from the file. If the space to reserve is missing, nothing was written, and another try
    /// may succeed; see [`has_failed`](Self::has_failed). After any other error always `Poisoned`,
    /// because a record after a torn one would be lost.
    pub fn add_record(&mut self, record: &[u8]) -> Result<()> {
        self.add_group([record])
    }

    /// Appends several records with one operation of the file system.
    ///
    /// # Errors
    /// As for [`add_record`](Self::add_record). Any number of the records may then be in the file,
    /// unless the space was missing.
    pub fn add_group<'a>(&mut self, records: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        self.check_not_failed()?;
        self.buffer.clear();
        for record in records {
            self.push_record(record);
        }
        self.make_room()?;
        let appended = self.file.append(&self.buffer);
        self.remember_failure(appended)
    }

    /// Makes every record so far durable, and then marks that in the log: if a reader finds a bad
    /// fragment before such a mark, it knows that no power cut lost it.
    ///
    /// # Errors
    /// As for [`add_record`](Self::add_record); the records since the last sync may then be lost.
    pub fn sync(&mut self) -> Result<()> {
        self.check_not_failed()?;
        let sync = self.begin_sync();
        let synced = sync.run();
        self.end_sync(&sync, synced)
    }

    /// A sync of every record so far. Records may be added while it [runs](LogSync::run);
    /// afterwards call [`end_sync`](Self::end_sync).
    pub fn begin_sync(&self) -> LogSync {
        LogSync {
            syncer: self.file.syncer(),
            upto: self.file.len(),
        }
    }

    /// Notes the outcome of a sync, and marks in the log what is durable.
    ///
    /// # Errors
    /// That of the sync.
    pub fn end_sync(&mut self, sync: &LogSync, outcome: Result<()>) -> Result<()> {
        self.remember_failure(outcome)?;
        if self.has_failed() || sync.upto < self.synced_len {
            return Ok(());
        }
        self.syncs_often = true;
        self.synced_bytes = sync.upto - self.synced_len;
        self.synced_len = sync.upto;
        self.buffer.clear();
        let offset = self.start_fragment();
        let upto = sync.upto.to_le_bytes();
        let payload: &[u8] = match sync.covers(self) {
            true => &[],
            false => &upto,
        };
        let in_block = BLOCK_BYTES - (offset % BLOCK_BYTES as u64) as usize;
        if HEADER_BYTES + payload.len() > in_block {
            return Ok(()); // The next mark says it too.
        }
        self.push_fragment(offset, FragmentType::Mark, payload);
        // The records are durable. If the mark cannot be written, the next write reports the failure.
        if self.make_room().is_ok() {
            let marked = self.file.append(&self.buffer);
            let _ = self.remember_failure(marked);
        }
        Ok(())
    }

    /// Frees the space that was reserved and not used.
    ///
    /// # Errors
    /// `Io`. The log is intact, but zeros may follow it.
    pub fn finish(&mut self) -> Result<()> {
        self.step_bytes_max = 0;
        self.file.trim()
    }

    /// Whether a write or sync has failed, so that nothing more can be written.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The length of the log in bytes.
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The log's file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    fn check_not_failed(&self) -> Result<()> {
        match &self.failed {
            Some(first) => Err(Error::Poisoned {
                first: first.clone(),
            }),
            None => Ok(()),
        }
    }

    fn remember_failure(&mut self, result: Result<()>) -> Result<()> {
        if let Err(error) = &result {
            self.failed = Some(error.to_string());
        }
        result
    }

    /// Makes sure that the buffer fits into reserved space.
    fn make_room(&mut self) -> Result<()> {
        let needed = self.buffer.len() as u64;
        if self.step_bytes_max == 0 || needed <= self.file.room() {
            return Ok(());
        }
        let step = match self.syncs_often {
            true if self.synced_bytes >= LARGE_SYNCED_BYTES => needed,
            true => STEP_BYTES_SYNCED.min(self.step_bytes_max),
            false => self.step_bytes_max,
        };
        let reserved = match !self.syncs_often && needed >= LARGE_GROUP_BYTES {
            true => self.file.reserve_blocks(needed),
            false => self.file.reserve(step.max(needed)),
        };
        self.syncs_often = false;
        match reserved {
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::Unsupported => {
                self.step_bytes_max = 0;
                Ok(())
            }
            Err(error) if error.is_out_of_space() => Err(error),
            reserved => self.remember_failure(reserved),
        }
    }

    fn push_record(&mut self, record: &[u8]) {
        let mut rest = record;
        let mut first = true;
        loop {
            let offset = self.start_fragment();
            let room = BLOCK_BYTES - (offset % BLOCK_BYTES as u64) as usize - HEADER_BYTES;
            let (payload, after) = rest.split_at(rest.len().min(room));
            let last = after.is_empty();
            let fragment_type = match (first, last) {
                (true, true) => FragmentType::Whole,
                (true, false) => FragmentType::First,
                (false, false) => FragmentType::Middle,
                (false, true) => FragmentType::Last,
            };
            self.push_fragment(offset, fragment_type, payload);
            if last {
                return;
            }
            rest = after;
            first = false;
        }
    }

    /// Fills the rest of the sector if a header does not fit, and returns where the next fragment begins.
    fn start_fragment(&mut self) -> u64 {
        let end = self.file.len() + self.buffer.len() as u64;
        let next = next_header(end);
        let padding = (next - end) as usize;
        self.buffer.resize(self.buffer.len() + padding, 0);
        next
    }

    fn push_fragment(&mut self, offset: u64, fragment_type: FragmentType, payload: &[u8]) {
        let length = u16::try_from(payload.len()).expect("a block is shorter than 64 KiB");
        let start = self.buffer.len();
        self.buffer.extend_from_slice(&[0; 4]);
        let covered = self.buffer.len();
        self.buffer.extend_from_slice(&length.to_le_bytes());
        self.buffer.push(fragment_type as u8);
        self.buffer
            .extend_from_slice(&self.log_number.to_le_bytes());
        self.buffer.extend_from_slice(payload);
        let checksum = checksum(offset, &self.buffer[covered..]);
        self.buffer[start..covered].copy_from_slice(&checksum.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::sync::Arc;

    /// A file that records how space is reserved, and grants it.
    #[derive(Debug, Default)]
    struct Noting {
        notes: Arc<Mutex<Vec<String>>>,
        len: u64,
        reserved_end: u64,
    }

    impl Noting {
        fn note(&mut self, how: &str, bytes: u64) -> Result<()> {
            self.notes.lock().push(format!("{how} {bytes}"));
            self.reserved_end = self.len + bytes;
            Ok(())
        }
    }

    impl WritableFile for Noting {
        fn append(&mut self, data: &[u8]) -> Result<()> {
            self.len += data.len() as u64;
            Ok(())
        }

        fn syncer(&self) -> Arc<dyn Syncer> {
            Arc::new(Ready)
        }

        fn reserve(&mut self, bytes: u64) -> Result<()> {
            self.note("zeros", bytes)
        }

        fn reserve_blocks(&mut self, bytes: u64) -> Result<()> {
            self.note("blocks", bytes)
        }

        fn room(&self) -> u64 {
            self.reserved_end.saturating_sub(self.len)
        }

        fn len(&self) -> u64 {
            self.len
        }

        fn path(&self) -> &Path {
            Path::new("noting")
        }
    }

    #[derive(Debug)]
    struct Ready;

    impl Syncer for Ready {
        fn sync(&self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn space_is_taken_as_the_groups_need_it() {
        let notes = Arc::default();
        let file = Noting {
            notes: Arc::clone(&notes),
            ..Noting::default()
        };
        let mut log = LogWriter::new(Box::new(file), 1).reserving(256 << 10);
        let write = |log: &mut LogWriter, bytes: usize, sync: bool| {
            log.add_record(&vec![1; bytes]).unwrap();
            if sync {
                log.sync().unwrap();
            }
            std::mem::take(&mut *notes.lock())
        };
        // It is not known yet whether syncs are frequent.
        assert_eq!(write(&mut log, 100, false), ["zeros 65536"]);
        assert!(write(&mut log, 60_000, false).is_empty(), "there is room");
        assert_eq!(write(&mut log, 10_000, false), ["zeros 262144"]);
        // 300,000 bytes, ten headers, and the padding at sector ends.
        let large = write(&mut log, 300_000, false);
        assert!(
            matches!(&large[..], [one] if one.starts_with("blocks 3001")),
            "{large:?}"
        );
        assert_eq!(write(&mut log, 100, false), ["zeros 262144"]);
        assert!(write(&mut log, 100, true).is_empty());
        let synced = write(&mut log, 300_000, true);
        assert!(synced[0].starts_with("zeros 3001"), "{synced:?}");
    }
}
