//! Tests of the counts against a plain set, and of the heads that are remembered.

use std::collections::BTreeSet;

use super::heads::{HEADS_BYTES_MAX, Probe, RowsBefore, bytes_of, head};
use super::*;

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// A row: a score, and a member of varying length.
fn row(random: u64, scores: u64) -> Vec<u8> {
    let score = (1 << 60) + random % scores;
    let member = (random >> 20).to_be_bytes();
    let len = usize::try_from(random >> 8 & 7).unwrap_or_default();
    [&score.to_be_bytes()[..], &member[..len]].concat()
}

/// The heads of the rows of a bucket.
fn heads_of(rows: &BTreeSet<Vec<u8>>, bucket: &Bucket) -> Vec<u64> {
    let within = rows.range(bucket.start.clone()..);
    let within = within.take(usize::try_from(bucket.count).unwrap());
    within.map(|row| head(row)).collect()
}

/// Does what a caller does inside a bucket, over a plain set, and remembers the heads that it saw.
fn position(counts: &mut Counts, rows: &BTreeSet<Vec<u8>>, key: &[u8]) -> u64 {
    let probe = if rows.contains(key) {
        Probe::ExistingRow
    } else {
        Probe::AnyKey
    };
    let bucket = match counts.rows_before(key, probe) {
        RowsBefore::Known(before) => return before,
        RowsBefore::Within(bucket) => bucket,
    };
    counts.remember(&bucket, heads_of(rows, &bucket));
    let within = rows.range(bucket.start..);
    let within = within.take_while(|row| row.as_slice() < key);
    bucket.before + within.count() as u64
}

fn split_where_full(counts: &mut Counts, rows: &BTreeSet<Vec<u8>>, row: &[u8]) {
    if counts.add(row) <= BUCKET_MAX || counts.split_by_heads(row) {
        return;
    }
    let bucket = counts.bucket_of(row);
    let half = usize::try_from(bucket.count / 2).unwrap();
    let mut within = rows.range(bucket.start..).skip(half - 1);
    let (previous, row) = (within.next().unwrap(), within.next().unwrap());
    counts.split(previous, row, bucket.count / 2);
}

#[track_caller]
fn check(counts: &mut Counts, rows: &BTreeSet<Vec<u8>>, random: &mut u64, scores: u64) {
    assert_eq!(counts.check(), None);
    assert_eq!(counts.total(), rows.len() as u64);
    let sorted: Vec<&Vec<u8>> = rows.iter().collect();
    for bucket in counts.buckets() {
        let before = sorted.partition_point(|row| **row < bucket.start);
        assert_eq!(before as u64, bucket.before, "{bucket:02x?}");
        if let Some(heads) = counts.heads_of(&bucket) {
            assert_eq!(*heads, heads_of(rows, &bucket), "{bucket:02x?}");
        }
    }
    for round in 0..40 {
        let mut key = row(next(random), scores);
        key.truncate(usize::try_from(next(random) % 16).unwrap());
        if round % 4 == 0
            && let Some(row) = rows.range(key.clone()..).next()
        {
            key.clone_from(row);
        }
        let expected = sorted.partition_point(|row| **row < key) as u64;
        assert_eq!(position(counts, rows, &key), expected, "{key:02x?}");
        let any = next(random) % (rows.len() as u64 + 1);
        // Both a rank whose bucket was just remembered, and any other one.
        let rank = if round % 2 == 0 { expected } else { any };
        let near = counts.near(rank);
        let before = sorted.partition_point(|row| **row < near.start) as u64;
        assert_eq!(before, near.before, "{near:02x?}");
        assert!(near.before <= rank, "{rank} {near:?}");
        let bucket = counts.bucket_at(rank);
        let is_last = rank == rows.len() as u64;
        assert!(bucket.before <= rank, "{rank} {bucket:?}");
        assert!(
            is_last || rank < bucket.before + bucket.count,
            "{rank} {bucket:?}"
        );
    }
}

/// Grows to three levels and shrinks to nothing, with many scores and with one.
#[test]
fn positions_are_those_of_a_plain_set_whatever_is_added_and_removed() {
    for (seed, scores) in [(1, 1 << 30), (2, 40), (3, 1)] {
        let random = &mut (seed << 32);
        let mut rows = BTreeSet::new();
        let mut counts = Counts::default();
        for (steps, grows_in) in [(60_000, 9), (60_000, 5), (90_000, 1)] {
            for step in 0..steps {
                if next(random) % 10 < grows_in {
                    let row = row(next(random), scores);
                    if rows.insert(row.clone()) {
                        split_where_full(&mut counts, &rows, &row);
                    }
                } else if let Some(removed) = rows.range(row(next(random), scores)..).next() {
                    let removed = removed.clone();
                    rows.remove(&removed);
                    counts.remove(&removed);
                }
                if step % 5000 == 0 {
                    check(&mut counts, &rows, random, scores);
                }
            }
            check(&mut counts, &rows, random, scores);
        }
        let buckets = counts.buckets.max(1);
        let most = 8 + rows.len() as u64 / (BUCKET_MAX / 8);
        assert!(buckets as u64 <= most, "{buckets} for {} rows", rows.len());
        while let Some(row) = rows.pop_first() {
            counts.remove(&row);
        }
        check(&mut counts, &rows, random, scores);
        assert_eq!(counts.buckets, 1);
    }
}

/// A question about a bucket is answered without a walk from the second time on, whatever changes.
#[test]
fn heads_follow_the_changes_of_their_bucket() {
    let mut rows: BTreeSet<Vec<u8>> = (0..1000_u64)
        .map(|n| (n * 5).to_be_bytes().to_vec())
        .collect();
    let mut builder = Builder::default();
    rows.iter().for_each(|row| builder.push(row));
    let mut counts = builder.finish();
    let key = 2501_u64.to_be_bytes();
    let ask = |counts: &Counts| counts.rows_before(&key, Probe::AnyKey);
    assert!(matches!(ask(&counts), RowsBefore::Within(_)));
    assert_eq!(position(&mut counts, &rows, &key), 501);
    assert_eq!(ask(&counts), RowsBefore::Known(501));
    assert_eq!(
        counts.near(500).before,
        500,
        "a walk would begin at the row"
    );
    let elsewhere = 4_u64.to_be_bytes().to_vec();
    counts.add(&elsewhere);
    rows.insert(elsewhere);
    assert_eq!(ask(&counts), RowsBefore::Known(502));
    // Enough rows before the key to split the bucket, twice; then all of them go, and buckets are joined.
    let new: Vec<Vec<u8>> = (0..60)
        .map(|n: u8| [&2500_u64.to_be_bytes()[..], &[n]].concat())
        .collect();
    for (n, row) in new.iter().enumerate() {
        rows.insert(row.clone());
        split_where_full(&mut counts, &rows, row);
        assert_eq!(ask(&counts), RowsBefore::Known(503 + n as u64));
        assert_eq!(counts.check(), None);
    }
    for (n, row) in new.iter().enumerate() {
        counts.remove(row);
        assert_eq!(ask(&counts), RowsBefore::Known(561 - n as u64));
        assert_eq!(counts.check(), None);
    }
    // A row that is not there is removed: the heads cannot tell any more.
    counts.remove(&2502_u64.to_be_bytes());
    assert!(matches!(ask(&counts), RowsBefore::Within(_)));
    assert_eq!(counts.check(), None);
}

#[test]
fn heads_take_no_more_than_they_may() {
    let row = |n: u64| n.to_be_bytes().to_vec();
    // All heads are remembered for a set of the promised size; for a larger one, as many as there is room for.
    for (size, least) in [(1_000_000, 1.0), (3_000_000, 0.4)] {
        let mut builder = Builder::default();
        (0..size).for_each(|n| builder.push(&row(n)));
        let mut counts = builder.finish();
        let buckets = counts.buckets();
        for bucket in buckets.iter().chain(&buckets) {
            let heads = (bucket.before..bucket.before + bucket.count).collect();
            counts.remember(bucket, heads);
            assert!(bytes_of(counts.remembered) <= HEADS_BYTES_MAX);
        }
        let is_known =
            |n: &u64| counts.rows_before(&row(*n), Probe::ExistingRow) == RowsBefore::Known(*n);
        let known = (0..size).step_by(100).filter(is_known).count() as f64 / (size / 100) as f64;
        assert!(known >= least, "{known} of {size}");
        assert_eq!(counts.check(), None);
    }
}

/// A set that grows where its heads are remembered has no more of them at last than it may have.
#[test]
fn splits_make_room_for_the_heads_that_they_need() {
    let row = |n: u64| n.to_be_bytes().to_vec();
    let size = 1_600_000;
    let mut builder = Builder::default();
    (0..size).for_each(|n| builder.push(&row(n * 2)));
    let mut counts = builder.finish();
    for bucket in counts.buckets() {
        let heads = (bucket.before..bucket.before + bucket.count)
            .map(|n| n * 2)
            .collect();
        counts.remember(&bucket, heads);
    }
    let mut splits = 0;
    for n in (0..size).rev() {
        let row = row(n * 2 + 1);
        if counts.add(&row) > BUCKET_MAX && counts.split_by_heads(&row) {
            splits += 1;
        }
    }
    assert!(splits > 1000, "{splits}");
    assert_eq!(counts.check(), None);
}

#[test]
fn built_counts_are_those_of_the_rows() {
    let random = &mut 7;
    for size in [0, 1, 23, 24, 25, 1000, 50_000] {
        let rows: BTreeSet<Vec<u8>> = (0..size).map(|_| row(next(random), 1 << 20)).collect();
        let mut builder = Builder::default();
        rows.iter().for_each(|row| builder.push(row));
        check(&mut builder.finish(), &rows, random, 1 << 20);
    }
}

#[test]
fn a_thousand_members_take_less_than_three_kilobytes() {
    let random = &mut 7;
    let rows: BTreeSet<Vec<u8>> = (0..1000).map(|_| row(next(random), 1 << 40)).collect();
    let mut builder = Builder::default();
    rows.iter().for_each(|row| builder.push(row));
    assert!(builder.bytes() < 2900, "{}", builder.bytes());
    assert!(builder.finish().bytes() < 3000);
}
