//! Reassembles records from fragments, and distinguishes a torn end from damage.

use super::{
    BLOCK_BYTES, FragmentHeader, FragmentType, HEADER_BYTES, MARK_BYTES, durable_before,
    next_header, stored_number,
};
use crate::annotate::count;
use crate::checksum::{Covered, checksum};
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// In the message about a bad fragment: between what is wrong with it, and what follows although a torn end has
/// nothing after it.
pub(crate) const AND_YET: &str = ", and yet ";

/// How a reader treats a torn end of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecoveryMode {
    /// A torn record at the end was never acknowledged as durable, so it is dropped silently. The default.
    #[default]
    PointInTime,
    /// Anything torn is an error that says where. For users who would rather inspect the log than
    /// lose unsynced writes.
    Absolute,
}

/// Reads the records of one log in order.
///
/// The whole log is held in memory: it is about as long as a write buffer. Besides that, the reader
/// holds one record, which is never longer than the log.
#[derive(Debug)]
pub struct LogReader<'a> {
    pub(super) log: &'a [u8],
    path: PathBuf,
    pub(super) log_number: u32,
    mode: RecoveryMode,
    /// Where the next fragment begins, if there is one.
    position: usize,
    /// Where the log ended; set once.
    end: Option<LogEnd>,
    /// Reused: a record assembled from several fragments.
    record: Vec<u8>,
    /// Where the last record began.
    record_at: usize,
    /// The offset before which everything was durable, according to the last mark.
    durable: Option<u64>,
}

/// How a log ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEnd {
    /// After a whole record, or in zeros that were never written.
    Clean {
        /// The length of what is valid.
        at: u64,
    },
    /// In a record that is cut off.
    Torn {
        /// Where that record begins, which is the length of the valid part.
        at: u64,
    },
}

impl LogEnd {
    /// The length of the valid part.
    #[must_use]
    pub const fn at(self) -> u64 {
        let (Self::Clean { at } | Self::Torn { at }) = self;
        at
    }
}

/// What is found at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A valid fragment.
    Fragment {
        /// Which part of a record it holds.
        fragment_type: FragmentType,
        /// Where its payload is.
        payload: Range<usize>,
    },
    /// Nothing was written from here on.
    Nothing,
    /// No valid fragment.
    Bad {
        /// The bytes that are wrong: a field, or all that a checksum covers.
        at: Range<usize>,
        /// What is wrong there, as part of a sentence.
        what: String,
    },
}

/// Where a record's bytes are.
enum Place {
    InLog(Range<usize>),
    /// In `LogReader::record`, assembled from several fragments.
    Gathered,
}

impl<'a> LogReader<'a> {
    /// Reads `log`, the contents of the file `path`, which was written as log number `log_number`.
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
            durable: None,
        }
    }

    /// Where in the file the last returned record begins.
    pub fn record_at(&self) -> u64 {
        self.record_at as u64
    }

    /// How much of the log was durable, according to the last mark read so far.
    pub fn durable(&self) -> Option<u64> {
        self.durable
    }

    /// How the log ended; `None` until the last record was read, and after an error.
    pub fn end(&self) -> Option<LogEnd> {
        self.end
    }

    /// The next record, or `None` at the end. It is borrowed until the next call.
    ///
    /// # Errors
    /// `Corruption` if a bad or incomplete record was durable, or is followed by a valid one
    /// although no power cut can have left it so; in [`RecoveryMode::Absolute`] for any such
    /// record. The reader does not move on: another call returns the same error.
    pub fn next_record(&mut self) -> Result<Option<&[u8]>> {
        Ok(match self.advance()? {
            Some(Place::InLog(range)) => Some(&self.log[range]),
            Some(Place::Gathered) => Some(&self.record),
            None => None,
        })
    }

    /// Like [`next_record`](Self::next_record), for callers that keep the record: it is copied only
    /// if it has several fragments.
    ///
    /// # Errors
    /// As for [`next_record`](Self::next_record).
    pub fn next_kept(&mut self) -> Result<Option<Cow<'a, [u8]>>> {
        Ok(match self.advance()? {
            Some(Place::InLog(range)) => Some(Cow::Borrowed(&self.log[range])),
            Some(Place::Gathered) => Some(Cow::Owned(std::mem::take(&mut self.record))),
            None => None,
        })
    }

    fn advance(&mut self) -> Result<Option<Place>> {
        if self.end.is_some() {
            return Ok(None);
        }
        let (mut begin, mut found) = self.next_fragment(self.position);
        let mut at = begin;
        let mut fragments = 0;
        self.record.clear();
        loop {
            let (fragment_type, payload) = match found {
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
            self.check_turn(begin, fragments, fragment_type)?;
            let end = payload.end;
            match fragment_type {
                FragmentType::Mark => {
                    self.durable = durable_before(at, &self.log[payload]);
                    self.position = end;
                    (begin, found) = self.next_fragment(end);
                    at = begin;
                    continue;
                }
                FragmentType::Whole => {
                    (self.record_at, self.position) = (begin, end);
                    return Ok(Some(Place::InLog(payload)));
                }
                FragmentType::First | FragmentType::Middle | FragmentType::Last => {
                    self.record.extend_from_slice(&self.log[payload]);
                }
            }
            if fragment_type == FragmentType::Last {
                (self.record_at, self.position) = (begin, end);
                return Ok(Some(Place::Gathered));
            }
            fragments += 1;
            (at, found) = self.next_fragment(end);
        }
    }

    /// Checks that a record's first fragment comes first, followed by its other ones.
    fn check_turn(&self, begin: usize, fragments: usize, next: FragmentType) -> Result<()> {
        let is_first = matches!(
            next,
            FragmentType::Whole | FragmentType::First | FragmentType::Mark
        );
        let what = match (fragments == 0, is_first) {
            (true, true) | (false, false) => return Ok(()),
            (true, false) => "a record's later fragment is here without its first one",
            (false, true) => "the record begins here and does not end before another begins",
        };
        Err(Error::corruption(&self.path, begin as u64, what))
    }

    /// Handles a record that begins at `begin` and is not complete, because of what is at `at`.
    fn torn(&mut self, begin: usize, at: usize, what: &str) -> Result<Option<Place>> {
        let damaged = |what: String| Err(Error::corruption(&self.path, at as u64, what));
        let after = self.after(at);
        if let Some((mark, upto)) = after.mark {
            return damaged(format!(
                "{what}{AND_YET}the mark at byte {mark} says that everything before byte {upto} was durable"
            ));
        }
        if let Some(valid) = after.valid
            && !self.was_never_written(at)
        {
            return damaged(format!(
                "{what}{AND_YET}a valid fragment follows at byte {valid}"
            ));
        }
        match self.mode {
            RecoveryMode::PointInTime => {
                self.end = Some(LogEnd::Torn { at: begin as u64 });
                Ok(None)
            }
            RecoveryMode::Absolute => damaged(format!(
                "{what}: the log's end is torn, as a power cut leaves it, and the recovery mode is absolute; \
                 the mode point in time goes on with what is before"
            )),
        }
    }

    /// Where the next fragment begins, given that one ended at `position`.
    pub fn skip_padding(&self, position: usize) -> usize {
        self.log.len().min(next_header(position as u64) as usize)
    }

    /// Where the next fragment begins after `position`, and what is there; or what is wrong in between.
    fn next_fragment(&self, position: usize) -> (usize, Found) {
        let at = self.skip_padding(position);
        if self.log[position..at].iter().all(|byte| *byte == 0) {
            return (at, self.look(at));
        }
        let wrong = Found::Bad {
            at: position..at,
            what: "the bytes up to the sector's end, where no header fits, are not zeros"
                .to_owned(),
        };
        (position, wrong)
    }

    /// What is at `at`, which must not be after the end of the log.
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
                    "the file ends {} into a header of {HEADER_BYTES}",
                    count(rest.len() as u64, "byte")
                ),
            };
        };
        let FragmentHeader {
            checksum: stored,
            length,
            type_byte,
            log_number: number,
        } = FragmentHeader::read(header);
        let Some(fragment_type) = FragmentType::from_byte(type_byte) else {
            return Found::Bad {
                at: at + 6..at + 7,
                what: format!("a fragment has the unknown type {type_byte}"),
            };
        };
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
        // Where a writer puts a header it fits into the block, but a caller may ask about damaged padding too.
        let room = rest.len().min(in_block.saturating_sub(HEADER_BYTES));
        if length > room {
            return Found::Bad {
                at: at + 4..at + 6,
                what: format!(
                    "a fragment states {} where there is room for {room}",
                    count(length as u64, "byte")
                ),
            };
        }
        let payload = at + HEADER_BYTES..at + HEADER_BYTES + length;
        if fragment_type == FragmentType::Mark
            && let Some(bad) = bad_mark(at, &self.log[payload.clone()])
        {
            return bad;
        }
        let computed = checksum(at as u64, &self.log[at + 4..payload.end]);
        if stored != computed {
            return Found::Bad {
                at: at..payload.end,
                what: Covered::Fragment.mismatch(stored, computed),
            };
        }
        Found::Fragment {
            fragment_type,
            payload,
        }
    }
}

/// What is wrong with a mark at `at` that has this payload, if anything is.
fn bad_mark(at: usize, payload: &[u8]) -> Option<Found> {
    if durable_before(at, payload).is_some() {
        return None;
    }
    let length = payload.len();
    // If it is as long as an offset, that may be wrong; otherwise its length or its type is.
    let wrong_to = match length {
        MARK_BYTES => at + HEADER_BYTES + MARK_BYTES,
        _ => at + 7,
    };
    Some(Found::Bad {
        at: at + 4..wrong_to,
        what: format!(
            "a mark of {} is not the offset of anything before it",
            count(length as u64, "byte")
        ),
    })
}
