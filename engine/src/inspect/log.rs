//! Explains a log: a write-ahead log with its batches, or a manifest with its edits.

use std::ops::Range;
use std::path::Path;

use super::blank::Blank;
use crate::annotate::{Listener, Notes, Wrong, count};
use crate::batch::BatchView;
use crate::error::Error;
use crate::internal_key::{self, ValueKind};
use crate::log::{
    AND_YET, BLOCK_BYTES, Found, FragmentType, HEADER_BYTES, LogEnd, LogReader, RecoveryMode,
    durable_before,
};
use crate::varint;
use crate::version::{Shows, VersionEdit};

/// What the records of the log mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Records {
    Batches,
    Edits,
}

/// A log or manifest, and what an opening would make of it.
pub(super) struct LogFile<'f> {
    pub(super) contents: &'f [u8],
    pub(super) path: &'f Path,
    pub(super) number: u64,
    pub(super) records: Records,
    /// What it means if there is no whole record, which for a log is nothing.
    pub(super) blank: Option<Blank>,
    /// Whether there are later logs beside it, which may say how much of it was durable.
    pub(super) is_followed: bool,
}

impl LogFile<'_> {
    fn reader(&self) -> LogReader<'_> {
        LogReader::new(
            self.contents,
            self.path,
            self.number,
            RecoveryMode::PointInTime,
        )
    }
}

pub(super) fn explain(
    file: &LogFile<'_>,
    limit: usize,
    listener: &mut Listener<'_>,
) -> Result<(), Wrong> {
    let (reader, contents) = (file.reader(), file.contents);
    let mut explain = Explain {
        contents,
        records: file.records,
        limit,
        listener,
        record: None,
        count: 0,
    };
    let mut at = 0;
    loop {
        at = explain.padding(at, reader.skip_padding(at))?;
        match reader.look(at) {
            Found::Fragment {
                fragment_type,
                payload,
            } => {
                at = payload.end;
                explain.fragment(payload, fragment_type)?;
            }
            Found::Nothing => return explain.end(at),
            Found::Bad { at: bytes, what } => {
                let seen = among_zeros(contents, at).or_else(|| cut_off(contents, at, &bytes));
                let (bytes, what) = seen.unwrap_or((bytes, what));
                let range = bytes.start as u64..bytes.end as u64;
                let what = format!("{what}{}", consequence(file));
                return Err(Wrong::new(range, what).sound_to(at as u64));
            }
        }
    }
}

/// What is wrong with the space from `at` on, if it was probably never written: it is zeros, except for one
/// byte, or up to something further on. The reader only sees that no fragment begins there.
fn among_zeros(contents: &[u8], at: usize) -> Option<(Range<usize>, String)> {
    let rest = contents.get(at..)?;
    let is_set = |byte: &u8| *byte != 0;
    let first = rest.iter().position(is_set)?;
    let wrong = at + first;
    if rest.len() > HEADER_BYTES && !rest[first + 1..].iter().any(is_set) {
        let what = format!(
            "no record begins at byte {at}, so from there on all bytes must be zeros, and this one alone is not"
        );
        return Some((wrong..wrong + 1, what));
    }
    let what = format!(
        "a record or a part of one should begin at byte {at}, or zeros up to the end, and here are zeros up to byte {wrong}"
    );
    (first >= HEADER_BYTES).then_some((at..wrong + 1, what))
}

/// What is wrong with the fragment at `at` if its length, which the reader complains about, fits into the block, and
/// only the file ends too early.
fn cut_off(contents: &[u8], at: usize, wrong: &Range<usize>) -> Option<(Range<usize>, String)> {
    let length = contents.get(at + 4..at + 6)?;
    let length = usize::from(u16::from_le_bytes(*length.first_chunk()?));
    let (begin, end) = (at + HEADER_BYTES, contents.len());
    let fits_into_block = at % BLOCK_BYTES + HEADER_BYTES + length <= BLOCK_BYTES;
    if *wrong != (at + 4..at + 6) || !fits_into_block || begin + length <= end {
        return None;
    }
    let what = format!(
        "a fragment states {}, and the file ends after {}: it was cut off, or the length is wrong",
        count(length as u64, "byte"),
        end - begin
    );
    Some((at..end, what))
}

/// What opening the database would do with the log, found out with the same reader.
fn consequence(file: &LogFile<'_>) -> String {
    let mut reader = file.reader();
    loop {
        match reader.next_record() {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(Error::Corruption { offset, what, .. }) => {
                let follows = what.rsplit_once(AND_YET).map_or("", |(_, follows)| follows);
                return format!(
                    "{AND_YET}{follows}: this is damage and no torn end, and opening stops at byte {offset}"
                );
            }
            Err(error) => return format!(", and {error}"),
        }
    }
    match (reader.end(), &file.blank) {
        (_, Some(blank)) => format!(". So {}", blank.what),
        (Some(LogEnd::Torn { at }), None) => {
            let unless = match file.is_followed {
                true => {
                    ", unless a later log says that it was durable, which `lsm verify` finds out"
                }
                false => "",
            };
            format!(
                ". Opening takes it for a write that a power cut has torn or lost, and leaves out everything from byte {at} \
                 on{unless}"
            )
        }
        _ => ". Opening reads past it".to_owned(),
    }
}

struct Explain<'e, 'l> {
    contents: &'e [u8],
    records: Records,
    limit: usize,
    listener: &'e mut Listener<'l>,
    /// The fragments so far of a record that has not ended. A first fragment may be empty, if only
    /// a header fitted into the block.
    record: Option<Vec<u8>>,
    count: usize,
}

/// Explains the header of a fragment, given how many records ended before it.
fn header(notes: &mut Notes<'_, '_>, length: usize, fragment_type: FragmentType, records: usize) {
    let (title, name) = match fragment_type {
        FragmentType::Whole => ("a whole record", "whole"),
        FragmentType::First => ("the first part of a record", "first"),
        FragmentType::Middle => ("a middle part of a record", "middle"),
        FragmentType::Last => ("the last part of a record", "last"),
        FragmentType::Mark if length == 0 => {
            ("all before it was durable when it was written", "mark")
        }
        FragmentType::Mark => ("so much was durable when it was written", "mark"),
    };
    match fragment_type {
        FragmentType::Mark => notes.part(format!("mark: {title}")),
        _ => notes.part(format!("fragment: {title}, number {records}")),
    }
    notes.field(4, "checksum of the fragment and its place: right");
    notes.field(2, format!("length {length}"));
    notes.field(1, format!("type {}: {name}", fragment_type as u8));
    notes.field(4, "the log's number");
}

impl Explain<'_, '_> {
    /// Explains the zeros where no header fits any more.
    fn padding(&mut self, at: usize, next: usize) -> Result<usize, Wrong> {
        if next > at {
            let bytes = &self.contents[at..next];
            if let Some(wrong) = bytes.iter().position(|byte| *byte != 0) {
                let at = (at + wrong) as u64;
                let what = "the end of a sector of 512 bytes, where no header fits, must be zeros, and this byte is not";
                return Err(Wrong::new(at..at + 1, what));
            }
            let mut notes = Notes::new(bytes, at as u64, self.listener);
            notes.part("the end of a sector: no header fits");
            notes.field(bytes.len(), "zeros");
        }
        Ok(next)
    }

    fn fragment(
        &mut self,
        payload: Range<usize>,
        fragment_type: FragmentType,
    ) -> Result<(), Wrong> {
        let at = payload.start - HEADER_BYTES;
        let place = at as u64..payload.end as u64;
        self.check_turn(&place, fragment_type)?;
        let contents = self.contents;
        let mut notes = Notes::new(&contents[at..payload.end], at as u64, self.listener);
        header(&mut notes, payload.len(), fragment_type, self.count);
        let begin = payload.start as u64;
        let payload = &contents[payload];
        match fragment_type {
            FragmentType::Mark => {
                if let Some(upto) = durable_before(at, payload)
                    && upto < at as u64
                {
                    notes.field(8, format!("all before byte {upto} was durable"));
                }
                return Ok(());
            }
            FragmentType::Whole => {
                self.count += 1;
                return self.payload(payload, begin);
            }
            FragmentType::First | FragmentType::Middle | FragmentType::Last => {
                notes.field_to(HEADER_BYTES + payload.len(), "payload");
                let record = self.record.get_or_insert_default();
                record.extend_from_slice(payload);
            }
        }
        if fragment_type == FragmentType::Last {
            self.gathered(place)
        } else {
            Ok(())
        }
    }

    /// Checks that a record's first fragment comes first, followed by its other ones.
    fn check_turn(&self, place: &Range<u64>, fragment_type: FragmentType) -> Result<(), Wrong> {
        let begins = matches!(
            fragment_type,
            FragmentType::Whole | FragmentType::First | FragmentType::Mark
        );
        if begins == self.record.is_none() {
            return Ok(());
        }
        let what = match begins {
            true => "the record before does not end, and here another begins",
            false => "a record's later part is here without its first part",
        };
        Err(Wrong::new(place.clone(), what))
    }

    /// Explains a record whose last fragment is at `place`.
    fn gathered(&mut self, place: Range<u64>) -> Result<(), Wrong> {
        self.count += 1;
        let record = self.record.take().unwrap_or_default();
        let title = "the record, put together; offsets count from its beginning";
        Notes::new(&record, 0, self.listener).part(title);
        self.payload(&record, 0)
            .map_err(|wrong| Wrong::new(place, wrong.what))
    }

    fn payload(&mut self, payload: &[u8], base: u64) -> Result<(), Wrong> {
        let notes = Notes::new(payload, base, self.listener);
        match self.records {
            Records::Batches => batch(payload, notes, self.limit),
            Records::Edits => edit(payload, notes),
        }
    }

    fn end(&mut self, at: usize) -> Result<(), Wrong> {
        let rest = &self.contents[at..];
        if self.record.is_some() {
            let what = "the last record does not end: if a power cut has torn it, it was never acknowledged as durable; otherwise the file was cut";
            return Err(Wrong::new(at as u64..self.contents.len() as u64, what));
        }
        if !rest.is_empty() {
            let mut notes = Notes::new(rest, at as u64, self.listener);
            notes.part("space that was never written");
            notes.field(rest.len(), "zeros");
        }
        Ok(())
    }
}

fn batch(payload: &[u8], mut notes: Notes<'_, '_>, limit: usize) -> Result<(), Wrong> {
    let base = notes.at();
    let all = base..base + payload.len() as u64;
    let view = BatchView::decode(payload);
    // The batch is checked as a whole before any of its records is shown.
    let view = match view {
        Ok(view) => view,
        Err(what) => return Err(Wrong::new(all, format!("this is no write batch: {what}"))),
    };
    notes.field(
        8,
        format!("sequence number {} of the first record", view.sequence),
    );
    notes.field(4, count(view.count.into(), "record"));
    for (number, record) in view.records().enumerate().take(limit) {
        let record = record.map_err(|what| Wrong::new(all.clone(), what))?;
        let kind = match record.kind {
            ValueKind::Put => "put",
            ValueKind::Delete => "delete",
            ValueKind::RangeDelete => "delete a range",
        };
        let sequence = view.sequence.saturating_add(number as u64);
        notes.field(1, format!("record {number} at {sequence}: {kind}"));
        notes.field(
            varint::len(u64::from(record.family.0)),
            format!("family {}", record.family.0),
        );
        notes.field(
            varint::len(record.key.len() as u64),
            format!("key length {}", record.key.len()),
        );
        notes.field_to(
            notes.done() + record.key.len(),
            format!("key \"{}\"", record.key.escape_ascii()),
        );
        if record.kind != ValueKind::Delete {
            let name = if record.kind == ValueKind::Put {
                "value"
            } else {
                "the range's end"
            };
            let len = record.value.len();
            notes.field(varint::len(len as u64), format!("{name} length {len}"));
            notes.field_to(notes.done() + len, name);
        }
    }
    let more = u64::from(view.count).saturating_sub(limit as u64);
    notes.field_to(payload.len(), count(more, "more record"));
    Ok(())
}

fn edit(payload: &[u8], mut notes: Notes<'_, '_>) -> Result<(), Wrong> {
    let (base, end) = (notes.at(), notes.at() + payload.len() as u64);
    let decoded = VersionEdit::decode_each(payload, &mut |shown| {
        let meaning = match shown.value {
            Shows::Tag(tag) => format!("tag {tag}: {}", shown.what),
            Shows::Number(number) => format!("{} {number}", shown.what),
            Shows::Length(length) => format!("length {length} of {}", shown.what),
            Shows::Bytes(bytes) => format!("\"{}\"", bytes.escape_ascii()),
            Shows::Key(bytes) => internal_key::describe(bytes),
        };
        notes.field_to(notes.done() + shown.bytes.len(), meaning);
    });
    match decoded {
        Ok(_) => Ok(()),
        Err((at, what)) => Err(Wrong::new(
            base + at as u64..end,
            format!("this is no version edit: {what}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{FamilyId, WriteBatch};
    use crate::log::LogWriter;
    use crate::vfs::{MemoryVfs, Vfs};

    const LIMIT: usize = 4;

    fn of_length(len: usize) -> WriteBatch {
        let with_value = |value_len: usize| {
            let mut batch = WriteBatch::new();
            batch.put(FamilyId(0), "key", vec![7; value_len]);
            batch
        };
        let around = with_value(len);
        let batch = with_value(2 * len - around.encoded_len());
        assert_eq!(batch.encoded_len(), len);
        batch
    }

    fn explained(contents: &[u8], path: &Path) -> Result<(), Wrong> {
        let file = LogFile {
            contents,
            path,
            number: 7,
            records: Records::Batches,
            blank: None,
            is_followed: false,
        };
        explain(&file, LIMIT, &mut |_| ())
    }

    /// Wherever in a block a record ends. Where just a header fits, the next record's first fragment is empty.
    #[test]
    fn what_the_engine_reads_is_explained_to_its_end() {
        let vfs = MemoryVfs::new();
        let path = Path::new("log");
        for left in 0..3 * HEADER_BYTES {
            let mut log = LogWriter::new(vfs.create(path).unwrap(), 7);
            let first = of_length(BLOCK_BYTES - HEADER_BYTES - left);
            log.add_record(first.encoded()).unwrap();
            log.add_record(of_length(100).encoded()).unwrap();
            log.sync().unwrap();
            let contents = vfs.read(path).unwrap();
            let mut reader = LogReader::new(&contents, path, 7, RecoveryMode::Absolute);
            let mut records = 0;
            while reader.next_record().unwrap().is_some() {
                records += 1;
            }
            assert_eq!(records, 2);
            assert_eq!(explained(&contents, path), Ok(()), "{left} bytes left");
            if left == HEADER_BYTES {
                let header = &contents[BLOCK_BYTES - HEADER_BYTES..BLOCK_BYTES];
                assert_eq!(header[4..7], [0, 0, FragmentType::First as u8]);
                // A log that ends there has a record that is torn.
                let wrong = explained(&contents[..BLOCK_BYTES], path).unwrap_err();
                assert!(wrong.what.contains("does not end"), "{}", wrong.what);
            }
        }
    }

    /// A log that is in use, or was when its process was killed, ends in zeros.
    #[test]
    fn a_byte_among_the_zeros_after_the_last_record_is_pointed_at() {
        let vfs = MemoryVfs::new();
        let path = Path::new("log");
        let mut log = LogWriter::new(vfs.create(path).unwrap(), 7);
        log.add_record(of_length(100).encoded()).unwrap();
        let mut contents = vfs.read(path).unwrap();
        let end = contents.len();
        contents.resize(end + 2_000, 0);
        for at in end..contents.len() {
            let mut changed = contents.clone();
            changed[at] = 1;
            let wrong = explained(&changed, path).unwrap_err();
            assert_eq!(wrong.range, at as u64..at as u64 + 1, "{wrong:?}");
            assert!(wrong.what.contains("must be zeros"), "{wrong:?}");
        }
        // Several bytes, as of a page that was written although the one before was not.
        contents[end + 1_000..].fill(7);
        let wrong = explained(&contents, path).unwrap_err();
        assert_eq!(wrong.range, end as u64..end as u64 + 1_001, "{wrong:?}");
        assert!(wrong.what.contains("zeros up to byte"), "{wrong:?}");
    }
}
