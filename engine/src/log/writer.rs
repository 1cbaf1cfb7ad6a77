//! Cuts records into fragments and appends them, a group in one operation of the file system.

use super::{BLOCK_BYTES, FragmentType, HEADER_BYTES, checksum, stored_number};
use crate::error::{Error, Result};
use crate::vfs::WritableFile;
use std::path::Path;

/// Writes a log from its beginning.
///
/// Not synchronised: who writes from several threads elects a leader (see `db`).
#[derive(Debug)]
pub struct LogWriter {
    file: Box<dyn WritableFile>,
    log_number: u32,
    /// Reused: the fragments of the group being written.
    buffer: Vec<u8>,
    /// The message of the first failure. What the file then holds at its end is unknown.
    failed: Option<String>,
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
            buffer: Vec::new(),
            failed: None,
        }
    }

    /// Appends one record. It survives the end of the process, and a power cut after [`sync`](Self::sync).
    ///
    /// # Errors
    /// `Io` from the file; after that, always `Poisoned`: a record behind a torn one would be lost.
    pub fn add_record(&mut self, record: &[u8]) -> Result<()> {
        self.add_group([record])
    }

    /// Appends several records with one operation of the file system.
    ///
    /// # Errors
    /// As for [`add_record`](Self::add_record). Any number of the records may then be in the file.
    pub fn add_group<'a>(&mut self, records: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        self.check_not_failed()?;
        self.buffer.clear();
        for record in records {
            self.push_record(record);
        }
        let appended = self.file.append(&self.buffer);
        self.remember_failure(appended)
    }

    /// Makes every record so far durable.
    ///
    /// # Errors
    /// As for [`add_record`](Self::add_record); the records since the last sync may then be lost.
    pub fn sync(&mut self) -> Result<()> {
        self.check_not_failed()?;
        let synced = self.file.sync();
        self.remember_failure(synced)
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

    /// Fills up the block if a header does not fit, and returns where the next fragment begins.
    fn start_fragment(&mut self) -> u64 {
        let end = self.file.len() + self.buffer.len() as u64;
        let left = BLOCK_BYTES - (end % BLOCK_BYTES as u64) as usize;
        if left >= HEADER_BYTES {
            return end;
        }
        self.buffer.resize(self.buffer.len() + left, 0);
        end + left as u64
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
