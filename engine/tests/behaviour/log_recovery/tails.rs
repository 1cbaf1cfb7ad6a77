//! Whatever is missing at the end of a log, the whole records before it are read, and the end is not an error.

use engine::log::{BLOCK_BYTES, HEADER_BYTES, LogEnd, RecoveryMode, SECTOR_BYTES};
use proptest::prelude::*;

use super::{
    LOG, corruption_offset, fragments, large_records, read_log, records_of_all_lengths,
    small_records, write_log, write_reserving,
};

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
    // Every place near an edge, and samples in between.
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
fn the_rest_of_an_older_log_in_the_same_file_is_not_read() {
    let records = small_records();
    let mut recycled = write_log(LOG - 1, &vec![vec![9; 3]; 20]);
    // The new log's first record has the same length as the old one's, so an old fragment follows
    // in the right place.
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
                // What was durable stays, whatever happens to its sector.
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

proptest! {
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
        // By chance, garbage may equal the bytes that were cut off.
        prop_assert!(read.len() >= whole && records.starts_with(&read));
        prop_assert!(end.is_ok());
    }
}
