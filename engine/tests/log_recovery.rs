//! Claim: a log gives back every whole record before its torn end, and an error when damage stands in the middle.
//!
//! Small logs are tried exhaustively: every truncation, every byte changed to every other value.

use engine::error::Error;
use engine::log::{
    BLOCK_BYTES, HEADER_BYTES, LogEnd, LogReader, LogWriter, RecoveryMode, SECTOR_BYTES,
};
use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use proptest::prelude::*;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

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

/// A log in space that was reserved: the first records, a sync if there are any, then the others.
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

/// Where each fragment stands, and which record it belongs to: the format, written down a second time.
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

/// Crosses three blocks, ends one exactly, leaves a gap too small for a header in another.
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
fn every_truncation_of_a_small_log_gives_the_whole_records_before_it() {
    let records = small_records();
    let log = write_log(LOG, &records);
    let fragments = fragments(&records);
    for cut in 0..log.len() {
        let whole = fragments
            .iter()
            .filter(|(range, _)| range.end <= cut)
            .count();
        let valid = fragments[..whole].last().map_or(0, |(range, _)| range.end);
        let (read, end) = read_log(&log[..cut], RecoveryMode::PointInTime);
        assert_eq!(read, records[..whole], "cut at {cut}");
        let expected = if valid == cut {
            LogEnd::Clean { at: valid as u64 }
        } else {
            LogEnd::Torn { at: valid as u64 }
        };
        assert_eq!(end.unwrap(), expected, "cut at {cut}");

        let (read, end) = read_log(&log[..cut], RecoveryMode::Absolute);
        assert_eq!(read, records[..whole], "cut at {cut}");
        assert_eq!(end.is_ok(), valid == cut, "cut at {cut}");
    }
}

#[test]
fn every_truncation_of_a_large_log_gives_the_whole_records_before_it() {
    let records = large_records();
    let log = write_log(LOG, &records);
    let fragments = fragments(&records);
    // Every place near an edge, and samples between.
    let near_an_edge = |cut: usize| {
        fragments
            .iter()
            .any(|(range, _)| cut.abs_diff(range.start) < 20 || cut.abs_diff(range.end) < 20)
    };
    for cut in (0..log.len()).filter(|cut| cut % 997 == 0 || near_an_edge(*cut)) {
        let torn_or_missing = fragments
            .iter()
            .find(|(range, _)| range.end > cut)
            .unwrap()
            .1;
        let (read, end) = read_log(&log[..cut], RecoveryMode::PointInTime);
        assert!(read == records[..torn_or_missing], "cut at {cut}");
        end.unwrap();
    }
}

/// Checks what a log with one changed byte gives, against where the byte stands.
fn check_damage(
    damaged: &[u8],
    at: usize,
    records: &[Vec<u8>],
    fragments: &[(Range<usize>, usize)],
) {
    let (last_range, last_record) = fragments.last().unwrap();
    let hit = fragments.iter().find(|(range, _)| range.contains(&at));
    let (read, end) = read_log(damaged, RecoveryMode::PointInTime);
    let Some((range, record)) = hit else {
        let before = fragments.iter().rfind(|(range, _)| range.end <= at);
        let (padding, before) = before.map_or((0, 0), |(range, record)| (range.end, *record));
        assert!(records.starts_with(&read) && read.len() <= before + 1);
        assert_eq!(
            corruption_offset(end),
            padding as u64,
            "zeros are zeros: {at}"
        );
        return;
    };
    assert!(
        read == records[..*record],
        "byte {at}: the records before the damage"
    );
    if range == last_range {
        assert!(
            matches!(end.unwrap(), LogEnd::Torn { .. }),
            "byte {at} looks like a torn end"
        );
        let (read, end) = read_log(damaged, RecoveryMode::Absolute);
        assert!(read == records[..*last_record]);
        assert_eq!(corruption_offset(end), range.start as u64, "byte {at}");
    } else {
        assert_eq!(corruption_offset(end), range.start as u64, "byte {at}");
    }
}

#[test]
fn every_changed_byte_of_a_small_log_is_noticed() {
    let records = small_records();
    let log = write_log(LOG, &records);
    let fragments = fragments(&records);
    let mut damaged = log.clone();
    for at in 0..log.len() {
        for change in 1..=255 {
            damaged[at] = log[at] ^ change;
            check_damage(&damaged, at, &records, &fragments);
        }
        damaged[at] = log[at];
    }
}

#[test]
fn changed_bytes_of_a_large_log_are_noticed() {
    let records = large_records();
    let log = write_log(LOG, &records);
    let fragments = fragments(&records);
    let mut damaged = log.clone();
    let near_a_header = |at: usize| {
        fragments
            .iter()
            .any(|(range, _)| at.abs_diff(range.start) < 2 * HEADER_BYTES)
    };
    for at in (0..log.len()).filter(|at| at % 991 == 0 || near_a_header(*at)) {
        for change in [0x01, 0x80, 0xff] {
            damaged[at] = log[at] ^ change;
            check_damage(&damaged, at, &records, &fragments);
        }
        damaged[at] = log[at];
    }
}

#[test]
fn zeros_that_were_never_written_are_a_clean_end() {
    let records = small_records();
    let mut log = write_log(LOG, &records);
    let written = log.len() as u64;
    for zeros in [1, HEADER_BYTES, 4096, 2 * BLOCK_BYTES] {
        log.resize(written as usize + zeros, 0);
        for mode in [RecoveryMode::PointInTime, RecoveryMode::Absolute] {
            let (read, end) = read_log(&log, mode);
            assert_eq!(read, records);
            assert_eq!(end.unwrap(), LogEnd::Clean { at: written });
        }
    }
}

#[test]
fn a_hole_of_zeros_before_a_valid_record_is_corruption() {
    let records = small_records();
    let mut log = write_log(LOG, &records);
    let third = fragments(&records)[2].0.clone();
    log[third.clone()].fill(0);
    let (read, end) = read_log(&log, RecoveryMode::PointInTime);
    assert_eq!(read, records[..2]);
    assert_eq!(corruption_offset(end), third.start as u64);
}

#[test]
fn the_rest_of_an_older_log_in_the_same_file_is_not_read() {
    let records = small_records();
    let mut recycled = write_log(LOG - 1, &vec![vec![9; 3]; 20]);
    // The new log's first record has the old one's length, so an old fragment follows in the right place.
    let new = write_log(LOG, &[vec![8; 3]]);
    recycled[..new.len()].copy_from_slice(&new);
    let (read, end) = read_log(&recycled, RecoveryMode::PointInTime);
    assert_eq!(read, [vec![8; 3]]);
    assert_eq!(
        end.unwrap(),
        LogEnd::Torn {
            at: new.len() as u64
        }
    );

    let (read, _) = read_log(&write_log(LOG + 1, &records), RecoveryMode::PointInTime);
    assert!(
        read.is_empty(),
        "a log of another number has no records of this one"
    );
}

#[test]
fn a_torn_record_that_holds_a_copy_of_a_log_is_still_a_torn_end() {
    let mut copy_inside = b"see: ".to_vec();
    copy_inside.extend_from_slice(&write_log(LOG, &small_records()));
    let records = vec![b"first".to_vec(), copy_inside];
    let log = write_log(LOG, &records);
    let (read, end) = read_log(&log[..log.len() - 1], RecoveryMode::PointInTime);
    assert_eq!(read, records[..1]);
    assert!(matches!(end.unwrap(), LogEnd::Torn { .. }));
}

#[test]
fn fragments_out_of_turn_are_corruption() {
    let records = vec![vec![1; BLOCK_BYTES + 10], vec![2; BLOCK_BYTES], vec![3; 5]];
    let log = write_log(LOG, &records);
    let fragments = fragments(&records);

    // The last fragment of the first record has been lost, zeros stand there.
    let lost = fragments[1].0.clone();
    let mut damaged = log.clone();
    damaged[lost.clone()].fill(0);
    let (read, end) = read_log(&damaged, RecoveryMode::PointInTime);
    assert!(read.is_empty());
    assert_eq!(corruption_offset(end), lost.start as u64);

    // A block that begins with the middle of nothing: the log from its second block on, moved there honestly.
    let vfs = MemoryVfs::new();
    let mut writer = LogWriter::new(vfs.create(Path::new(PATH)).unwrap(), LOG);
    writer.add_record(&vec![1; BLOCK_BYTES + 10]).unwrap();
    let mut whole = vfs.read(Path::new(PATH)).unwrap();
    whole[..BLOCK_BYTES]
        .copy_from_slice(&write_log(LOG, &[vec![7; BLOCK_BYTES - HEADER_BYTES]])[..BLOCK_BYTES]);
    let (read, end) = read_log(&whole, RecoveryMode::PointInTime);
    assert_eq!(read.len(), 1);
    assert_eq!(corruption_offset(end), BLOCK_BYTES as u64);
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
fn a_changed_byte_before_a_mark_is_corruption_even_in_the_last_record() {
    for records in [small_records(), vec![vec![0; 3000], vec![0; 2000]]] {
        let log = write_reserving(&records, &[]);
        let fragments = fragments(&records);
        let synced = fragments.last().unwrap().0.end;
        let mut damaged = log.clone();
        for at in (0..synced).filter(|at| at % 7 == 0 || synced < SECTOR_BYTES) {
            let Some((range, record)) = fragments.iter().find(|(range, _)| range.contains(&at))
            else {
                continue;
            };
            damaged[at] ^= 0x40;
            let (read, end) = read_log(&damaged, RecoveryMode::PointInTime);
            assert!(read == records[..*record], "byte {at}");
            assert_eq!(corruption_offset(end), range.start as u64, "byte {at}");
            damaged[at] = log[at];
        }
        // The mark itself is no record.
        for at in synced..synced + HEADER_BYTES {
            damaged[at] ^= 0x40;
            let (read, end) = read_log(&damaged, RecoveryMode::PointInTime);
            assert!(read == records && end.is_ok(), "byte {at}");
            damaged[at] = log[at];
        }
    }
}

/// Records of many lengths, so that they begin and end anywhere in sectors; some are zeros.
fn records_of_all_lengths() -> Vec<Vec<u8>> {
    (0..60u8)
        .map(|at| {
            vec![at % 4, usize::from(at) as u8, 3][..usize::from(at % 3) + 1]
                .repeat(37 * usize::from(at % 11))
        })
        .collect()
}

#[test]
fn sectors_and_pages_that_were_never_written_are_a_lost_tail() {
    let records = records_of_all_lengths();
    let (synced, others) = records.split_at(12);
    let log = write_reserving(synced, others);
    let (whole, _) = read_log(&log, RecoveryMode::PointInTime);
    assert_eq!(whole, records);
    let durable = write_reserving(synced, &[]);
    let mark_end = durable.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    let written = log.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    let mut quiet = 0;
    for unit in [SECTOR_BYTES, 4096] {
        // The mark was written after the sync, so it may be lost as well.
        for from in (0..written).step_by(unit) {
            let mut holed = log.clone();
            let end = (from + unit).min(log.len());
            if end <= mark_end - HEADER_BYTES {
                continue;
            }
            for (at, byte) in holed.iter_mut().enumerate().take(end).skip(from) {
                // What was durable is there whatever happens to its sector.
                *byte = match at < mark_end - HEADER_BYTES {
                    true => durable[at],
                    false => 0,
                };
            }
            let (read, end) = read_log(&holed, RecoveryMode::PointInTime);
            let end = end.unwrap_or_else(|error| panic!("{unit} bytes from {from}: {error}"));
            assert!(read.len() >= synced.len() && records.starts_with(&read));
            quiet += u32::from(matches!(end, LogEnd::Torn { .. }));

            let (_, end) = read_log(&holed, RecoveryMode::Absolute);
            if read.len() < records.len() && !holed[from..].iter().all(|byte| *byte == 0) {
                corruption_offset(end);
            }
        }
    }
    assert!(quiet > 20, "{quiet} holes were seen");
}

#[test]
fn a_hole_in_what_was_durable_is_corruption() {
    let records = records_of_all_lengths();
    let log = write_reserving(&records, &[vec![9; 50]]);
    let durable = fragments(&records).last().unwrap().0.end;
    for from in (0..durable).step_by(SECTOR_BYTES) {
        let mut holed = log.clone();
        holed[from..(from + SECTOR_BYTES).min(durable)].fill(0);
        if holed == log {
            continue;
        }
        let (read, end) = read_log(&holed, RecoveryMode::PointInTime);
        assert!(records.starts_with(&read));
        if read.len() < records.len() {
            assert!(corruption_offset(end) <= from as u64 + SECTOR_BYTES as u64);
        }
    }
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

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (_, _) = read_log(&bytes, RecoveryMode::PointInTime);
        let (_, _) = read_log(&bytes, RecoveryMode::Absolute);
    }

    #[test]
    fn any_cut_and_any_garbage_after_it_leaves_a_prefix(
        sizes in prop::collection::vec(0usize..9000, 1..12),
        cut in any::<prop::sample::Index>(),
        garbage in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let records: Vec<Vec<u8>> = sizes.iter().enumerate().map(|(i, size)| vec![i as u8; *size]).collect();
        let mut log = write_log(LOG, &records);
        let cut = cut.index(log.len() + 1);
        log.truncate(cut);
        log.extend_from_slice(&garbage);
        let (read, end) = read_log(&log, RecoveryMode::PointInTime);
        let whole = fragments(&records).iter().find(|(range, _)| range.end > cut).map_or(records.len(), |(_, i)| *i);
        // Garbage may by chance be the bytes that were cut off.
        prop_assert!(read.len() >= whole && records.starts_with(&read));
        prop_assert!(end.is_ok());
    }
}
