//! Damage before valid records is an error that says where, and the records before the damage are read.

use std::ops::Range;
use std::path::Path;

use engine::log::{BLOCK_BYTES, HEADER_BYTES, LogEnd, LogWriter, RecoveryMode, SECTOR_BYTES};
use engine::vfs::{MemoryVfs, Vfs};
use proptest::prelude::*;

use super::{
    LOG, PATH, corruption_offset, fragments, large_records, read_log, records_of_all_lengths,
    small_records, write_log, write_reserving,
};

/// Checks what a log with one changed byte gives, depending on where the byte is.
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
fn a_hole_of_zeros_before_a_valid_record_is_corruption() {
    let records = small_records();
    let mut log = write_log(LOG, &records);
    let third = fragments(&records)[2].0.clone();
    log[third.clone()].fill(0);
    let (read, end) = read_log(&log, RecoveryMode::PointInTime);
    assert_eq!(read, records[..2]);
    assert_eq!(corruption_offset(end), third.start as u64);
}

/// The first seven bytes of a header fit into the end of a block, and a bad sector may fill them with anything.
#[test]
fn what_looks_like_a_header_across_the_end_of_a_block_is_no_fragment() {
    let padding = BLOCK_BYTES - (HEADER_BYTES - 1);
    let first = vec![1; padding - HEADER_BYTES];
    // The last byte of the header would be the first one of the second record's checksum.
    let (mut log, records) = (0..=u8::MAX)
        .flat_map(|a| (0..=u8::MAX).map(move |b| vec![a, b]))
        .map(|second| vec![first.clone(), second])
        .map(|records| (write_log(LOG, &records), records))
        .find(|(log, _)| log[BLOCK_BYTES] == 0)
        .unwrap();
    log[padding + 6] = 1;
    log[padding + 7] = LOG as u8;
    let (read, end) = read_log(&log, RecoveryMode::PointInTime);
    assert_eq!(read, records[..1]);
    assert_eq!(corruption_offset(end), padding as u64);
}

#[test]
fn fragments_out_of_turn_are_corruption() {
    let records = vec![vec![1; BLOCK_BYTES + 10], vec![2; BLOCK_BYTES], vec![3; 5]];
    let log = write_log(LOG, &records);
    let fragments = fragments(&records);

    // The last fragment of the first record has been lost, and zeros are in its place.
    let lost = fragments[1].0.clone();
    let mut damaged = log.clone();
    damaged[lost.clone()].fill(0);
    let (read, end) = read_log(&damaged, RecoveryMode::PointInTime);
    assert!(read.is_empty());
    assert_eq!(corruption_offset(end), lost.start as u64);

    // A block that begins with the last fragment of a record whose first fragment is gone: another
    // record, with a right checksum, fills the block before it.
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
        // The mark itself is not a record.
        for at in synced..synced + HEADER_BYTES {
            damaged[at] ^= 0x40;
            let (read, end) = read_log(&damaged, RecoveryMode::PointInTime);
            assert!(read == records && end.is_ok(), "byte {at}");
            damaged[at] = log[at];
        }
    }
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

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (_, _) = read_log(&bytes, RecoveryMode::PointInTime);
        let (_, _) = read_log(&bytes, RecoveryMode::Absolute);
    }
}
