//! Claim: a log gives back every whole record before its torn end, and an error if there is damage
//! in the middle.
//!
//! Small logs are tried exhaustively: every truncation (`tails.rs`), every byte changed to every
//! other value (`damage.rs`). This file has the helpers, the tests that read whole logs, and those
//! of what is left when writing fails.

use engine::error::Error;
use engine::log::{
    BLOCK_BYTES, HEADER_BYTES, LogEnd, LogReader, LogWriter, RecoveryMode, SECTOR_BYTES,
};
use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

mod damage;
mod tails;

const LOG: u64 = 7;
const PATH: &str = "000007.log";

fn write_log(number: u64, records: &[Vec<u8>]) -> Vec<u8> {
    let vfs = MemoryVfs::new();
    let mut writer = LogWriter::new(vfs.create(Path::new(PATH)).unwrap(), number);
    for record in records {
        writer.add_record(record).unwrap();
    }
    vfs.read(Path::new(PATH)).unwrap()
}

/// A log in reserved space: the first records, a sync if there are any, then the others.
fn write_reserving(synced: &[Vec<u8>], others: &[Vec<u8>]) -> Vec<u8> {
    let vfs = MemoryVfs::new();
    let file = vfs.create(Path::new(PATH)).unwrap();
    let mut writer = LogWriter::new(file, LOG).reserving(64 << 10);
    for record in synced {
        writer.add_record(record).unwrap();
    }
    if !synced.is_empty() {
        writer.sync().unwrap();
    }
    for record in others {
        writer.add_record(record).unwrap();
    }
    vfs.read(Path::new(PATH)).unwrap()
}

/// All records, and how the log ended.
fn read_log(log: &[u8], mode: RecoveryMode) -> (Vec<Vec<u8>>, Result<LogEnd, Error>) {
    let mut reader = LogReader::new(log, PATH, LOG, mode);
    let mut records = Vec::new();
    loop {
        match reader.next_record() {
            Ok(Some(record)) => records.push(record.to_vec()),
            Ok(None) => return (records, Ok(reader.end().unwrap())),
            Err(error) => {
                assert_eq!(
                    reader.next_record().unwrap_err().to_string(),
                    error.to_string()
                );
                return (records, Err(error));
            }
        }
    }
}

fn corruption_offset(end: Result<LogEnd, Error>) -> u64 {
    match end {
        Err(Error::Corruption { file, offset, .. }) => {
            assert_eq!(file, Path::new(PATH));
            offset
        }
        other => panic!("expected corruption, got {other:?}"),
    }
}

/// Where each fragment is, and which record it belongs to: the format, written down a second time.
fn fragments(records: &[Vec<u8>]) -> Vec<(Range<usize>, usize)> {
    let mut fragments = Vec::new();
    let mut at = 0;
    for (index, record) in records.iter().enumerate() {
        let mut left = record.len();
        loop {
            let in_sector = SECTOR_BYTES - at % SECTOR_BYTES;
            if in_sector < HEADER_BYTES {
                at += in_sector;
                continue;
            }
            let in_block = BLOCK_BYTES - at % BLOCK_BYTES;
            let payload = left.min(in_block - HEADER_BYTES);
            fragments.push((at..at + HEADER_BYTES + payload, index));
            at += HEADER_BYTES + payload;
            left -= payload;
            if left == 0 {
                break;
            }
        }
    }
    fragments
}

fn small_records() -> Vec<Vec<u8>> {
    vec![
        b"one".to_vec(),
        Vec::new(),
        vec![0; 20],
        b"a longer record than the others".to_vec(),
        b"end".to_vec(),
    ]
}

/// Records that cross three blocks, end one exactly, and leave a gap too small for a header in another.
fn large_records() -> Vec<Vec<u8>> {
    vec![
        vec![1; 100],
        // Leaves 5 bytes in the first block.
        vec![2; BLOCK_BYTES - 5 - 2 * HEADER_BYTES - 100],
        // Fills the second block to the byte.
        vec![3; BLOCK_BYTES - HEADER_BYTES],
        // Leaves room for a header and no payload.
        vec![4; BLOCK_BYTES - 2 * HEADER_BYTES],
        vec![5; BLOCK_BYTES + 1000],
        b"end".to_vec(),
    ]
}

/// Records of many lengths, so that they begin and end anywhere in sectors. Some consist of zeros.
fn records_of_all_lengths() -> Vec<Vec<u8>> {
    (0..60u8)
        .map(|at| {
            vec![at % 4, usize::from(at) as u8, 3][..usize::from(at % 3) + 1]
                .repeat(37 * usize::from(at % 11))
        })
        .collect()
}

#[test]
fn what_is_written_is_read() {
    for records in [vec![], small_records(), large_records()] {
        let log = write_log(LOG, &records);
        assert_eq!(
            fragments(&records).last().map_or(0, |(range, _)| range.end),
            log.len()
        );
        for mode in [RecoveryMode::PointInTime, RecoveryMode::Absolute] {
            let (read, end) = read_log(&log, mode);
            assert_eq!(read, records);
            assert_eq!(
                end.unwrap(),
                LogEnd::Clean {
                    at: log.len() as u64
                }
            );
        }
    }
}

#[test]
fn a_group_is_one_append_and_reads_as_its_records() {
    let vfs = MemoryVfs::new();
    let mut writer = LogWriter::new(vfs.create(Path::new(PATH)).unwrap(), LOG);
    let before = vfs.operations();
    let records = large_records();
    writer.add_group(records.iter().map(Vec::as_slice)).unwrap();
    assert_eq!(vfs.operations() - before, 1);
    assert_eq!(vfs.read(Path::new(PATH)).unwrap(), write_log(LOG, &records));
}

#[test]
fn after_a_failed_write_a_log_takes_no_more() {
    for fault in [Fault::Io, Fault::NoSpace, Fault::ShortWrite] {
        let memory = MemoryVfs::new();
        let vfs = FaultVfs::new(Arc::new(memory.clone()));
        let mut writer = LogWriter::new(vfs.create(Path::new(PATH)).unwrap(), LOG);
        writer.add_record(b"kept").unwrap();
        vfs.fail_nth(1, fault);
        assert!(matches!(
            writer.add_record(b"failed").unwrap_err(),
            Error::Io {
                op: "append to",
                ..
            }
        ));
        vfs.heal();
        let refused = writer.add_record(b"refused").unwrap_err();
        assert!(
            matches!(&refused, Error::Poisoned { first } if first.contains("append to")),
            "{refused}"
        );
        assert!(matches!(writer.sync().unwrap_err(), Error::Poisoned { .. }));
        let (read, end) = read_log(
            &memory.read(Path::new(PATH)).unwrap(),
            RecoveryMode::PointInTime,
        );
        assert_eq!(read, [b"kept"]);
        end.unwrap();
    }
}

#[test]
fn a_power_cut_leaves_every_synced_record_and_a_prefix_of_the_others() {
    let vfs = MemoryVfs::new();
    let mut writer = LogWriter::new(vfs.create(Path::new(PATH)).unwrap(), LOG);
    vfs.sync_dir(Path::new(".")).unwrap();
    let records: Vec<Vec<u8>> = (0..60u8).map(|i| vec![i; 1500]).collect();
    for record in &records[..20] {
        writer.add_record(record).unwrap();
    }
    writer.sync().unwrap();
    for record in &records[20..] {
        writer.add_record(record).unwrap();
    }
    let mut lengths = Vec::new();
    for seed in 0..300 {
        let after = vfs.crash(seed);
        let (read, end) = read_log(
            &after.read(Path::new(PATH)).unwrap(),
            RecoveryMode::PointInTime,
        );
        end.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(read.len() >= 20, "seed {seed}: only {} records", read.len());
        assert!(read == records[..read.len()], "seed {seed}");
        lengths.push(read.len());
    }
    lengths.sort_unstable();
    lengths.dedup();
    assert!(lengths.len() > 20, "the seeds tell only {lengths:?} apart");
}

#[test]
fn a_full_disk_tears_no_record() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let file = vfs.create(Path::new(PATH)).unwrap();
    let mut writer = LogWriter::new(file, LOG).reserving(4096);
    let mut written = Vec::new();
    vfs.fail_nth(3, Fault::NoSpace); // The first takes space, the second is a record.
    let error = loop {
        match writer.add_record(&[7; 300]) {
            Ok(()) => written.push(vec![7; 300]),
            Err(error) => break error,
        }
    };
    assert!(error.is_out_of_space(), "{error}");
    assert!(written.len() > 10, "{} records fit", written.len());
    assert!(!writer.has_failed());
    writer.sync().unwrap();
    vfs.heal();
    writer.add_record(b"later").unwrap();
    written.push(b"later".to_vec());
    writer.finish().unwrap();
    let log = memory.read(Path::new(PATH)).unwrap();
    assert_eq!(
        log.len() as u64,
        writer.len(),
        "what was not used is given back"
    );
    let (read, end) = read_log(&log, RecoveryMode::Absolute);
    assert_eq!(read, written);
    end.unwrap();
}
