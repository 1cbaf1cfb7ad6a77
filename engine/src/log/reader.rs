//! Puts records together again, and tells a torn end from damage.

use super::{BLOCK_BYTES, FragmentType, HEADER_BYTES, checksum, stored_number};
use crate::error::{Error, Result};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What a reader does about the end of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecoveryMode {
    /// A torn record at the end was never acknowledged as durable: it is left out, quietly. The default.
    #[default]
    PointInTime,
    /// The log was closed in order: anything torn is an error. For a log known to be complete.
    Absolute,
}

/// Reads the records of one log in order.
///
/// The log is held whole in memory: it is as long as a write buffer. Memory beyond that: one record, which is
/// never longer than the log.
#[derive(Debug)]
pub struct LogReader<'a> {
    log: &'a [u8],
    path: PathBuf,
    log_number: u32,
    mode: RecoveryMode,
    /// Where the next fragment begins, if there is one.
    position: usize,
    /// Where the log ended; set once.
    end: Option<LogEnd>,
    /// Reused: a record of several fragments.
    record: Vec<u8>,
    /// Where the last record began.
    record_at: usize,
}

/// How a log ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEnd {
    /// After a whole record, or in zeros that were never written.
    Clean {
        /// The length of what is valid.
        at: u64,
    },
    /// In a record that is not whole.
    Torn {
        /// Where that record begins: the length of what is valid.
        at: u64,
    },
}

/// What stands at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A valid fragment.
    Fragment {
        /// Which part of a record it holds.
        fragment_type: FragmentType,
        /// Where that part stands.
        payload: Range<usize>,
    },
    /// Nothing was written from here on.
    Nothing,
    /// No valid fragment.
    Bad {
        /// The bytes that are wrong: a field, or all that a checksum covers.
        at: Range<usize>,
        /// What is wrong with them, as part of a sentence.
        what: String,
    },
}

impl<'a> LogReader<'a> {
    /// Reads `log`, the contents of the file `path`, which was written as number `log_number`.
    pub fn new(
        log: &'a [u8],
        path: impl AsRef<Path>,
        log_number: u64,
        mode: RecoveryMode,
    ) -> LogReader<'a> {
        LogReader {
            log,
            path: path.as_ref().to_path_buf(),
            log_number: stored_number(log_number),
            mode,
            position: 0,
            end: None,
            record: Vec::new(),
            record_at: 0,
        }
    }

    /// Where in the file the last record that was given out begins.
    pub fn record_at(&self) -> u64 {
        self.record_at as u64
    }

    /// How the log ended; `None` until the last record was read, and after an error.
    pub fn end(&self) -> Option<LogEnd> {
        self.end
    }

    /// Where the next record begins, if there is one: to be asked before it is read, for messages about it.
    pub fn next_record_at(&self) -> u64 {
        self.skip_block_end(self.position) as u64
    }

    /// The next record, or `None` at the end. It is lent until the next call.
    ///
    /// # Errors
    /// `Corruption` when a bad or incomplete record is followed by a valid one; in
    /// [`RecoveryMode::Absolute`] also when it is not. The reader stays where it is: another call gives
    /// the same error.
    pub fn next_record(&mut self) -> Result<Option<&[u8]>> {
        if self.end.is_some() {
            return Ok(None);
        }
        let begin = self.skip_block_end(self.position);
        self.record_at = begin;
        let mut at = begin;
        let mut fragments = 0;
        self.record.clear();
        loop {
            let (fragment_type, payload) = match self.look(at) {
                Found::Fragment {
                    fragment_type,
                    payload,
                } => (fragment_type, payload),
                Found::Nothing if fragments == 0 => {
                    self.end = Some(LogEnd::Clean {
                        at: self.position as u64,
                    });
                    return Ok(None);
                }
                Found::Nothing => {
                    return self.torn(begin, at, "the record begins here and does not end");
                }
                Found::Bad { what, .. } => return self.torn(begin, at, &what),
            };
            let expected_first = fragments == 0;
            let is_first = matches!(fragment_type, FragmentType::Whole | FragmentType::First);
            if expected_first != is_first {
                let what = if expected_first {
                    "a record's later fragment stands here without its first"
                } else {
                    "the record begins here and does not end before another begins"
                };
                return Err(Error::corruption(&self.path, begin as u64, what));
            }
            let end = payload.end;
            match fragment_type {
                FragmentType::Whole => {
                    self.position = end;
                    return Ok(Some(&self.log[payload]));
                }
                FragmentType::First | FragmentType::Middle => {
                    self.record.extend_from_slice(&self.log[payload]);
                }
                FragmentType::Last => {
                    self.record.extend_from_slice(&self.log[payload]);
                    self.position = end;
                    return Ok(Some(&self.record));
                }
            }
            fragments += 1;
            at = self.skip_block_end(end);
        }
    }

    /// The record that begins at `begin` is not whole, because of what stands at `at`.
    fn torn(&mut self, begin: usize, at: usize, what: &str) -> Result<Option<&[u8]>> {
        if let Some(valid) = self.find_fragment_after(at) {
            let what = format!("{what}, and yet a valid fragment follows at byte {valid}");
            return Err(Error::corruption(&self.path, at as u64, what));
        }
        match self.mode {
            RecoveryMode::PointInTime => {
                self.end = Some(LogEnd::Torn { at: begin as u64 });
                Ok(None)
            }
            RecoveryMode::Absolute => {
                let what = format!("{what}, and this log must be complete");
                Err(Error::corruption(&self.path, at as u64, what))
            }
        }
    }

    /// Where the next fragment begins, if one ended at `position`.
    pub fn skip_block_end(&self, position: usize) -> usize {
        let left = BLOCK_BYTES - position % BLOCK_BYTES;
        if left < HEADER_BYTES {
            self.log.len().min(position + left)
        } else {
            position
        }
    }

    /// What stands at `at`, which is not behind the end of the log.
    pub fn look(&self, at: usize) -> Found {
        let in_block = BLOCK_BYTES - at % BLOCK_BYTES;
        let rest = &self.log[at..];
        if rest.iter().take(HEADER_BYTES).all(|byte| *byte == 0)
            && rest.iter().all(|byte| *byte == 0)
        {
            return Found::Nothing;
        }
        let Some((header, rest)) = rest.split_first_chunk::<HEADER_BYTES>() else {
            return Found::Bad {
                at: at..self.log.len(),
                what: format!(
                    "the file ends {} bytes into a header of {HEADER_BYTES}",
                    rest.len()
                ),
            };
        };
        let [c0, c1, c2, c3, l0, l1, type_byte, n0, n1, n2, n3] = *header;
        let length = usize::from(u16::from_le_bytes([l0, l1]));
        let Some(fragment_type) = FragmentType::from_byte(type_byte) else {
            return Found::Bad {
                at: at + 6..at + 7,
                what: format!("a fragment has the unknown type {type_byte}"),
            };
        };
        let number = u32::from_le_bytes([n0, n1, n2, n3]);
        if number != self.log_number {
            let what = format!(
                "a fragment belongs to log {number}, not to log {}",
                self.log_number
            );
            return Found::Bad {
                at: at + 7..at + 11,
                what,
            };
        }
        let room = rest.len().min(in_block - HEADER_BYTES);
        if length > room {
            return Found::Bad {
                at: at + 4..at + 6,
                what: format!("a fragment states {length} bytes where {room} are left"),
            };
        }
        let payload = at + HEADER_BYTES..at + HEADER_BYTES + length;
        let stored = u32::from_le_bytes([c0, c1, c2, c3]);
        let computed = checksum(at as u64, &self.log[at + 4..payload.end]);
        if stored != computed {
            let what = format!(
                "the checksum of a fragment is {stored:08x}, its bytes give {computed:08x}"
            );
            return Found::Bad {
                at: at..payload.end,
                what,
            };
        }
        Found::Fragment {
            fragment_type,
            payload,
        }
    }

    /// The first position after `at` where a valid fragment of this log stands.
    fn find_fragment_after(&self, at: usize) -> Option<usize> {
        let last = self.log.len().checked_sub(HEADER_BYTES)?;
        (at + 1..=last).find(|&candidate| {
            let fits = BLOCK_BYTES - candidate % BLOCK_BYTES >= HEADER_BYTES;
            // The type is looked at first: it rules most positions out, and `look` formats a message.
            let plausible = FragmentType::from_byte(self.log[candidate + 6]).is_some();
            fits && plausible && matches!(self.look(candidate), Found::Fragment { .. })
        })
    }
}
