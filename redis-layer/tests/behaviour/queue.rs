//! A sorted set as a queue: what was taken from it does not slow it down, however it was taken.
//!
//! The store of these tests is never compacted: each removed row stays as a tombstone that scans step over. The
//! steps are counted, so nothing here depends on a clock. `benches/redis/queue` measures the same with one.

use std::ops::Bound;
use std::sync::Arc;

use redis_layer::types::Txn;
use redis_layer::types::rows::Score;
use redis_layer::types::zset::{ScoreRange, SortedSet};

use crate::common::counting::Counting;
use crate::common::{Direct, START_MS, StoreKind};

/// Runs rounds of a queue and answers how many rows each of the last 500 stepped over, the most and on average.
fn steps(rounds: usize, round: impl Fn(&mut Direct, usize)) -> (u64, u64) {
    let (store, counters) = Counting::with_tombstones(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    // Others are waiting behind, so that the queue is never empty.
    for n in 0..200 {
        direct.run(&format!("zadd q {} waits{n}", 1_000_000 + n));
    }
    let mut last = Vec::new();
    for n in 0..rounds {
        counters.steps();
        round(&mut direct, n);
        last.push(counters.steps());
    }
    assert_eq!(direct.show("zcard q"), "200");
    direct.check();
    let last = &last[rounds - 500..];
    (*last.iter().max().unwrap(), last.iter().sum::<u64>() / 500)
}

#[test]
fn popping_steps_over_nothing_that_was_popped() {
    let (most, _) = steps(5000, |direct, n| {
        direct.run(&format!("zadd q {n} job{n}"));
        assert_eq!(direct.show("zpopmin q"), format!("[job{n} {n}]"));
    });
    assert!(most <= 2, "{most} steps");
    let (most, _) = steps(5000, |direct, n| {
        direct.run(&format!("zadd q {} job{n}", 9_000_000 - n));
        direct.run("zpopmax q");
    });
    assert!(most <= 2, "{most} steps");
}

/// Readers beside it look at the first elements, count them, and ask for ranks.
#[test]
fn readers_of_a_queue_step_over_little() {
    let (most, _) = steps(3000, |direct, n| {
        direct.run(&format!("zadd q {n} job{n}"));
        direct.run("zrange q 0 0");
        direct.run("zrangebyscore q -inf +inf limit 0 1");
        assert_eq!(direct.show("zrank q waits199"), "200");
        assert_eq!(direct.show("zcount q -inf 5000000"), "201");
        direct.run("zpopmin q");
    });
    assert!(most <= 3 * 64, "{most} steps");
}

/// The way of older clients: look who is first, then remove it by name or move it to another time.
#[test]
fn removing_the_first_by_name_steps_over_a_few() {
    let (most, mean) = steps(5000, |direct, n| {
        direct.run(&format!("zadd q {n} job{n}"));
        assert_eq!(
            direct.show("zrangebyscore q -inf +inf limit 0 1"),
            format!("[job{n}]")
        );
        direct.run(&format!("zrem q job{n}"));
    });
    assert!(mean <= 40 && most <= 300, "{most} steps, {mean} on average");
    // A job that is not done yet goes to the end of the queue.
    let (most, mean) = steps(5000, |direct, n| {
        let first = direct.show("zrange q 0 0");
        let first = first.trim_matches(['[', ']']);
        direct.run(&format!("zadd q {} {first}", 2_000_000 + n));
    });
    assert!(mean <= 40 && most <= 300, "{most} steps, {mean} on average");
    // The last ones first.
    let (most, mean) = steps(5000, |direct, n| {
        direct.run(&format!("zadd q {} job{n}", 9_000_000 - n));
        assert_eq!(direct.show("zrevrange q 0 0"), format!("[job{n}]"));
        direct.run(&format!("zrem q job{n}"));
    });
    assert!(mean <= 40 && most <= 300, "{most} steps, {mean} on average");
}

/// Ranges that are removed from the start leave nothing to step over either.
#[test]
fn removing_ranges_from_the_start_steps_over_nothing() {
    let remove = |direct: &mut Direct, by: &dyn Fn(&mut SortedSet<'_, '_>) -> u64| {
        let store = Arc::clone(&direct.store);
        let server = Arc::clone(&direct.server);
        let mut txn = Txn::begin(&*store, &server.shared, 0, START_MS).unwrap();
        let mut set = SortedSet::open(&mut txn, b"q").unwrap().unwrap();
        assert_eq!(by(&mut set), 10);
        set.finish().unwrap();
        txn.commit().unwrap();
    };
    for by_rank in [true, false] {
        let (most, _) = steps(600, |direct, n| {
            for m in 0..10 {
                direct.run(&format!("zadd q {n} job{n}-{m}"));
            }
            remove(direct, &|set| {
                if by_rank {
                    return set.remove_ranks(0, 10).unwrap();
                }
                let max = Score::new(n as f64).unwrap();
                let range = ScoreRange {
                    min: Bound::Unbounded,
                    max: Bound::Included(max),
                };
                set.remove_scores(&range).unwrap()
            });
            assert_eq!(direct.show("zrange q 0 0"), "[waits0]");
        });
        assert!(most <= 40, "{most} steps");
    }
}
