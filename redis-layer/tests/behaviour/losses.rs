//! Small collections whose elements come and go: what is gone slows no reader down for long.
//!
//! The store of these tests is never compacted, so each removed row stays as a tombstone that scans step over. The steps
//! are counted.

use std::collections::BTreeMap;

use crate::common::counting::Counting;
use crate::common::random::Random;
use crate::common::{Direct, StoreKind, over_every_store};

/// How many rows each of these commands steps over after `rounds` of changes.
fn steps_after(rounds: usize, change: impl Fn(&mut Direct, usize), asked: &[&str]) -> Vec<u64> {
    let (store, counters) = Counting::with_tombstones(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    for n in 0..rounds {
        change(&mut direct, n);
    }
    let mut ask = |line: &&str| {
        counters.steps();
        direct.run(line);
        counters.steps()
    };
    asked.iter().map(&mut ask).collect()
}

#[track_caller]
fn assert_few(steps: &[u64], most: u64) {
    assert!(steps.iter().all(|steps| *steps <= most), "{steps:?}");
}

#[test]
fn jobs_that_come_and_go_do_not_slow_down_a_hash_or_a_set() {
    let steps = steps_after(
        9_900,
        |direct, n| {
            direct.run(&format!("hset h live{} 1", n % 10));
            direct.run(&format!("hset h job{n} 1"));
            direct.run(&format!("hdel h job{n}"));
        },
        &["hgetall h", "hkeys h", "hscan h 0", "hrandfield h"],
    );
    assert_few(&steps, 1_100);
    let steps = steps_after(
        9_900,
        |direct, n| {
            direct.run(&format!("sadd s live{}", n % 10));
            direct.run(&format!("sadd s job{n}"));
            if n % 2 == 0 {
                direct.run(&format!("srem s job{n}"));
            } else {
                direct.run(&format!("smove s other job{n}"));
            }
        },
        &["smembers s", "sscan s 0", "srandmember s", "sinter s s"],
    );
    assert_few(&steps, 2 * 1_100);
    let steps = steps_after(
        9_900,
        |direct, n| {
            direct.run(&format!("sadd s job{n}"));
            if n >= 10 {
                direct.run("spop s");
            }
        },
        &["smembers s", "spop s"],
    );
    assert_few(&steps, 1_100);
}

#[test]
fn members_that_move_do_not_slow_down_a_sorted_set() {
    let steps = steps_after(
        30_000,
        |direct, n| {
            let score = n * 7919 % 100_003;
            direct.run(&format!("zadd z {score} m{}", n % 200));
        },
        &[
            "zrange z 0 -1",
            "zrevrange z 0 9",
            "zrank z m77",
            "zrangebyscore z 50000 +inf limit 0 10",
        ],
    );
    assert_few(&steps, 200 * 9);
    // Vehicles on their way.
    let steps = steps_after(
        9_900,
        |direct, n| {
            let (x, y) = (n * 7919 % 1_000, n * 104_729 % 1_000);
            direct.run(&format!("geoadd g 5.{x} 5.{y} car{}", n % 50));
        },
        &["geosearch g fromlonlat 5 5 byradius 300 km asc"],
    );
    assert_few(&steps, 1_024 + 9 * 50);
    // Members that come and go.
    let steps = steps_after(
        9_900,
        |direct, n| {
            direct.run(&format!("zadd z 0 live{} 0 job{n}", n % 10));
            if n % 2 == 0 {
                direct.run(&format!("zrem z job{n}"));
            } else {
                direct.run("zremrangebylex z [job [k");
            }
        },
        &["zrange z 0 -1", "zscan z 0", "zrangebylex z - +"],
    );
    assert_few(&steps, 1_100);
}

/// Long values are not written again and again for the sake of readers.
#[test]
fn what_is_long_is_not_written_anew() {
    let (store, counters) = Counting::over(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    let long = "x".repeat(200_000);
    for n in 0..10 {
        direct.run(&format!("hset h f{n} {long}"));
        direct.run(&format!("zadd z {n} {n}{long}"));
    }
    counters.written();
    for n in 0..5_000 {
        direct.run(&format!("hset h job{n} 1"));
        direct.run(&format!("hdel h job{n}"));
        direct.run(&format!("zadd z {n} moves"));
    }
    let written = counters.written();
    assert!(written < 4_000_000, "{written} bytes");
    assert_eq!(direct.show("hlen h"), "10");
    assert_eq!(direct.show("zcard z"), "11");
    direct.check();
}

/// Elements come and go until the collections have been written anew many times: under their first names and under
/// others, with an expiry, alone, in transactions and in scripts.
#[test]
fn what_is_written_anew_is_what_was_there() {
    over_every_store(|direct| {
        let mut random = Random::new(3);
        let mut hash: BTreeMap<String, String> = BTreeMap::new();
        let mut scores: BTreeMap<String, u64> = BTreeMap::new();
        direct.run("hset h stays 0");
        direct.run("zadd z 1 stays");
        direct.run("sadd s stays");
        hash.insert("stays".into(), "0".into());
        scores.insert("stays".into(), 1);
        for round in 0..4_000_u64 {
            match round {
                1_500 => {
                    direct.expect(&[("rename h g", "OK"), ("rename z y", "OK")]);
                    direct.expect(&[("pexpire g 1000000", "1"), ("pexpire y 1000000", "1")]);
                }
                3_000 => direct.expect(&[("rename g h", "OK"), ("rename y z", "OK")]),
                _ => {}
            }
            let (h, z) = if (1_500..3_000).contains(&round) {
                ("g", "y")
            } else {
                ("h", "z")
            };
            let name = format!("n{}", random.below(40));
            let in_transaction = round % 7 == 0;
            if in_transaction {
                direct.run("multi");
            }
            let gone = format!("gone{round}");
            direct.run(&format!("hset {h} {name} {round} {gone} 1"));
            hash.insert(name.clone(), round.to_string());
            direct.run(&format!("hdel {h} {gone}"));
            direct.run(&format!("sadd s {name} {gone}"));
            direct.run(&format!("srem s {gone}"));
            direct.run(&format!("zadd {z} {round} {name} {round} {gone}"));
            scores.insert(name, round);
            direct.run(&format!("zrem {z} {gone}"));
            if in_transaction {
                direct.run("exec");
            }
        }
        let fields = hash.keys().map(|field| format!("hget h {field}"));
        for (line, value) in fields.zip(hash.values()) {
            assert_eq!(direct.show(&line), *value, "{line}");
        }
        for (member, score) in &scores {
            let line = format!("zscore z {member}");
            assert_eq!(direct.show(&line), score.to_string(), "{line}");
        }
        let mut by_score: Vec<_> = scores
            .iter()
            .map(|(member, score)| (score, member))
            .collect();
        by_score.sort();
        let members: Vec<&str> = by_score.iter().map(|(_, member)| member.as_str()).collect();
        let all = format!("[{}]", members.join(" "));
        let size = hash.len().to_string();
        direct.expect(&[
            ("zrange z 0 -1", &all),
            ("hlen h", &size),
            ("zcard z", &size),
            ("scard s", &size),
            ("pttl h", "1000000"),
            ("pttl z", "1000000"),
        ]);
    });
}

/// A walk goes on where it stopped, although the set is written anew between its calls.
#[test]
fn a_scan_of_a_sorted_set_that_changes_all_the_time_ends() {
    over_every_store(|direct| {
        for n in 0..300 {
            direct.run(&format!("zadd z {n} stays{n:03}"));
        }
        let (mut cursor, mut calls, mut seen) = ("0".to_owned(), 0, Vec::new());
        loop {
            let page = direct.show(&format!("zscan z {cursor} count 20"));
            let (next, members) = page[1..].split_once(' ').unwrap();
            seen.extend(
                members
                    .split(' ')
                    .map(|word| word.trim_matches(['[', ']']).to_owned()),
            );
            cursor = next.to_owned();
            calls += 1;
            assert!(calls < 100, "{cursor}");
            if cursor == "0" {
                break;
            }
            // More than are lost until the set is written anew.
            for n in 0..2_500 {
                direct.run(&format!(
                    "zadd z {} stays{:03}",
                    calls * 10_000 + n,
                    n % 300
                ));
            }
        }
        for n in 0..300 {
            let name = format!("stays{n:03}");
            assert!(seen.contains(&name), "{name}");
        }
        assert!(calls >= 300 / 20, "{calls}");
    });
}
