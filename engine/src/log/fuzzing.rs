//! Malformed logs for the fuzz targets; see [`crate::fuzzing`].

use super::{BLOCK_BYTES, HEADER_BYTES, LogEnd, LogReader, LogWriter, RecoveryMode};
use super::{next_header, stored_number};
use crate::checksum::checksum;
use crate::error::Error;
use crate::vfs::{MemoryVfs, Vfs};
use std::path::Path;

/// The number of the logs that the targets read.
pub(crate) const NUMBER: u64 = 7;

/// Reads bytes as a log, as they are and with corrected checksums; then writes records and damages
/// them. Returns how many records were read.
///
/// # Panics
/// If a record is read that was not written, or a reader returns something impossible.
pub fn log(input: &[u8]) -> usize {
    let mut mended = input.to_vec();
    mend(&mut mended);
    let foreign = [input, &mended].map(|bytes| read(bytes).len());
    damaged(input);
    foreign.iter().sum()
}

/// The records of a log, which must be the same in both modes.
fn read(bytes: &[u8]) -> Vec<Vec<u8>> {
    let [quiet, strict] = [RecoveryMode::PointInTime, RecoveryMode::Absolute].map(|mode| {
        let mut reader = LogReader::new(bytes, "7.log", NUMBER, mode);
        let mut records = Vec::new();
        loop {
            match reader.next_record() {
                Ok(Some(record)) => records.push(record.to_vec()),
                Ok(None) => break,
                Err(Error::Corruption { offset, .. }) => {
                    assert!(offset <= bytes.len() as u64, "an offset outside the file");
                    assert!(reader.next_record().is_err(), "damage goes away by itself");
                    break;
                }
                Err(other) => panic!("{other}"),
            }
            assert!(records.len() <= bytes.len(), "records without end");
        }
        if let Some(LogEnd::Clean { at } | LogEnd::Torn { at }) = reader.end() {
            assert!(at <= bytes.len() as u64);
        }
        records
    });
    assert_eq!(quiet, strict, "the modes differ in the end only");
    quiet
}

/// Writes the input as records, each as long as its first two bytes say, then changes or cuts the
/// log. What is read must be a prefix of what was written.
fn damaged(input: &[u8]) {
    let Some((&[how, at0, at1, at2, bits], mut rest)) = input.split_first_chunk() else {
        return;
    };
    let (vfs, path) = (MemoryVfs::new(), Path::new("7.log"));
    let file = vfs.create(path).expect("memory takes every file");
    let mut writer = LogWriter::new(file, NUMBER);
    let mut written = Vec::new();
    while let Some((&[low, high], after)) = rest.split_first_chunk() {
        let len = usize::from(u16::from_le_bytes([low, high]));
        // Sometimes longer than the input, so that records cross blocks.
        let record = if len.is_multiple_of(5) {
            vec![low; len]
        } else {
            after[..after.len().min(len)].to_vec()
        };
        writer.add_record(&record).expect("memory takes it");
        rest = &after[after.len().min(record.len())..];
        written.push(record);
        if written.len() == 64 {
            break;
        }
    }
    drop(writer);
    let mut bytes = vfs.read(path).expect("it was just written");
    assert_eq!(read(&bytes), written);
    let at = u32::from_le_bytes([at0, at1, at2, 0]) as usize % (bytes.len() + 1);
    match how % 3 {
        0 => bytes.truncate(at),
        1 => bytes[at..].fill(0),
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= bits;
            }
        }
    }
    let found = read(&bytes);
    assert!(written.starts_with(&found), "a record that was not written");
}

/// Corrects the number and the checksum of each fragment, up to the first whose length does not fit.
pub(crate) fn mend(log: &mut [u8]) {
    let mut at = 0;
    while let Some(header) = log.get(at..at + HEADER_BYTES) {
        if next_header(at as u64) != at as u64 {
            at = next_header(at as u64) as usize;
            continue;
        }
        let left = BLOCK_BYTES - at % BLOCK_BYTES;
        let length = usize::from(u16::from_le_bytes([header[4], header[5]]));
        let end = at + HEADER_BYTES + length;
        if end > log.len() || HEADER_BYTES + length > left {
            return;
        }
        log[at + 7..at + 11].copy_from_slice(&stored_number(NUMBER).to_le_bytes());
        let checksum = checksum(at as u64, &log[at + 4..end]);
        log[at..at + 4].copy_from_slice(&checksum.to_le_bytes());
        at = end;
    }
}
