//! Sets: members under one key.

use std::collections::{BTreeMap, BTreeSet};

use redis_layer::commands::Reply;
use redis_layer::store::{Batch, Space};
use redis_layer::types::check;
use redis_layer::types::rows::RowPrefix;

use crate::common::counting::Counting;
use crate::common::random::Random;
use crate::common::{self, Direct, StoreKind, over_every_store, show};

const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";

/// The members of a reply, sorted.
fn members(reply: &Reply) -> Vec<String> {
    let (Reply::Set(items) | Reply::Array(items)) = reply else {
        panic!("{reply:?}");
    };
    let mut members: Vec<String> = items.iter().map(show).collect();
    members.sort_unstable();
    members
}

fn sorted(direct: &mut Direct, line: &str) -> String {
    members(&direct.run(line)).join(" ")
}

#[test]
fn members_are_added_asked_for_moved_and_removed() {
    over_every_store(|direct| {
        direct.expect(&[
            ("sadd s a b a", "2"),
            ("sadd s b c", "1"),
            ("scard s", "3"),
            ("sismember s c", "1"),
            ("smismember s c x \\xff", "[1 0 0]"),
            ("smismember nothing a", "[0]"),
            ("smove s t c", "1"),
            ("smove s t x", "0"),
            ("smove s s a", "1"),
            ("smove nothing t a", "0"),
            ("smembers t", "[c]"),
            ("smove t s c", "1"),
            ("exists t", "0"),
            ("srem s a b x", "2"),
            ("srem s c", "1"),
            ("exists s", "0"),
            ("set k v", "OK"),
            ("sadd k a", WRONG_TYPE),
            ("sadd s a", "1"),
            ("smove s k a", WRONG_TYPE),
            ("smove nothing k a", "0"),
            ("sismember s a", "1"),
        ]);
    });
}

#[test]
fn several_sets_are_combined_and_stored() {
    over_every_store(|direct| {
        direct.expect(&[
            ("sadd a 1 2 3 4 5", "5"),
            ("sadd b 2 4 6", "3"),
            ("sadd c 4 5 6 7", "4"),
            ("set k v", "OK"),
            ("sintercard 2 a b", "2"),
            ("sintercard 2 a b limit 1", "1"),
            ("sintercard 2 a b limit 0", "2"),
            ("sintercard 2 a nothing", "0"),
            ("sinter nothing k", WRONG_TYPE),
            ("sinterstore k a c", "2"),
            ("type k", "set"),
            ("sdiffstore k b a nothing", "1"),
            ("smembers k", "[6]"),
            ("sunionstore k nothing nobody", "0"),
            ("exists k", "0"),
            ("sunionstore a a b", "6"),
        ]);
        assert_eq!(sorted(direct, "sinter a b c"), "4 6");
        assert_eq!(sorted(direct, "sunion b c nothing"), "2 4 5 6 7");
        assert_eq!(sorted(direct, "sdiff a b"), "1 3 5");
        assert_eq!(sorted(direct, "sdiff nothing a"), "");
        // A walk over all sets and reads in each must find the same.
        let many: Vec<String> = (0..50).map(|i| i.to_string()).collect();
        direct.run(&format!("sadd many {}", many.join(" ")));
        assert_eq!(sorted(direct, "sdiff b many"), "");
        assert_eq!(members(&direct.run("sdiff many b c")).len(), 45);
    });
}

/// How often each member was chosen differs from its share by no more than chance explains.
fn assert_fair(counts: &BTreeMap<String, u32>, members: u32, draws: u32) {
    let mean = f64::from(draws) / f64::from(members);
    let mut squares = f64::from(members - u32::try_from(counts.len()).unwrap()) * mean;
    for count in counts.values() {
        squares += (f64::from(*count) - mean).powi(2) / mean;
    }
    // Chi squared with m - 1 degrees has this mean and deviation; five deviations are no chance.
    let degrees = f64::from(members - 1);
    assert!(
        squares < degrees + 5.0 * (2.0 * degrees).sqrt(),
        "{squares} with {degrees} degrees"
    );
}

#[test]
fn every_member_is_chosen_equally_often() {
    fastrand::seed(7);
    let mut direct = Direct::new(StoreKind::BTree);
    for size in [10_u32, 200] {
        // Names in a run and names far apart: gaps between names must not matter.
        for i in 0..size {
            let name = if i % 2 == 0 { i } else { i * 1_000_003 };
            direct.run(&format!("sadd s{size} m{name}"));
        }
        let (mut single, mut several, mut popped) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let draws = size * 100;
        for _ in 0..draws {
            let member = direct.show(&format!("srandmember s{size}"));
            *single.entry(member).or_insert(0) += 1;
            for member in members(&direct.run(&format!("srandmember s{size} 3"))) {
                *several.entry(member).or_insert(0) += 1;
            }
            let member = direct.show(&format!("spop s{size}"));
            direct.run(&format!("sadd s{size} {member}"));
            *popped.entry(member).or_insert(0) += 1;
        }
        assert_fair(&single, size, draws);
        assert_fair(&several, size, draws * 3);
        assert_fair(&popped, size, draws);
    }
    direct.check();
}

#[test]
fn random_members_are_as_many_as_asked_for() {
    over_every_store(|direct| {
        for i in 0..300 {
            direct.run(&format!("sadd s m{i}"));
        }
        for (count, expected) in [(0, 0), (5, 5), (100, 100), (300, 300), (1000, 300)] {
            let found = members(&direct.run(&format!("srandmember s {count}")));
            let different: BTreeSet<_> = found.iter().collect();
            assert_eq!(
                (found.len(), different.len()),
                (expected, expected),
                "{count}"
            );
        }
        for count in [1, 10, 1000] {
            let found = members(&direct.run(&format!("srandmember s -{count}")));
            assert_eq!(found.len(), count);
        }
        let mut left: BTreeSet<String> = members(&direct.run("smembers s")).into_iter().collect();
        while !left.is_empty() {
            let popped = members(&direct.run("spop s 7"));
            assert_eq!(popped.len(), left.len().min(7));
            for member in popped {
                assert!(left.remove(&member), "{member} twice");
            }
        }
        direct.expect(&[
            ("exists s", "0"),
            ("spop s", "nil"),
            ("spop s 3", "[]"),
            ("spop s -1", "ERR value is out of range, must be positive"),
            ("srandmember s 5", "[]"),
            (
                "srandmember s x",
                "ERR value is not an integer or out of range",
            ),
            ("sadd s a", "1"),
            ("srandmember s -4194305", "ERR value is out of range"),
            ("hset h f v", "1"),
            ("hrandfield h -4194305", "ERR value is out of range"),
            ("zadd z 1 a", "1"),
            ("zrandmember z -4194305", "ERR value is out of range"),
        ]);
    });
}

#[test]
fn a_scan_visits_every_member_and_a_cursor_survives_the_server() {
    let mut direct = Direct::new(StoreKind::Engine);
    for i in 0..1500 {
        direct.run(&format!("sadd s m{i}"));
    }
    let (mut cursor, mut found) = ("0".to_owned(), BTreeSet::new());
    loop {
        let Reply::Array(parts) = direct.run(&format!("sscan s {cursor} count 50")) else {
            panic!("no page");
        };
        found.extend(members(&parts[1]));
        cursor = show(&parts[0]);
        if cursor == "0" {
            break;
        }
        // Another server over the same store.
        direct = Direct::over(direct.store);
    }
    assert_eq!(found.len(), 1500);
}

#[test]
fn random_scripts_agree_with_a_model() {
    over_every_store(|direct| {
        let names = ["a", "b", "", "\\xff", "1", "2", "3"];
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let mut sets: [BTreeSet<String>; 2] = Default::default();
            direct.run("del s0 s1");
            for _ in 0..80 {
                let name = random.pick(&names);
                let key = common::unescape(name).escape_ascii().to_string();
                let at = random.below(2);
                match random.below(4) {
                    0..=1 => {
                        direct.run(&format!("sadd s{at} {name}"));
                        sets[at].insert(key);
                    }
                    2 => {
                        direct.run(&format!("srem s{at} {name}"));
                        sets[at].remove(&key);
                    }
                    _ => {
                        direct.run(&format!("smove s{at} s{} {name}", 1 - at));
                        if sets[at].remove(&key) {
                            sets[1 - at].insert(key);
                        }
                    }
                }
            }
            for (at, set) in sets.iter().enumerate() {
                let found = members(&direct.run(&format!("smembers s{at}")));
                let mut expected: Vec<_> = set.iter().cloned().collect();
                expected.sort_unstable();
                assert_eq!(found, expected, "seed {seed}");
            }
            direct.check();
        }
    });
}

#[test]
fn the_checker_finds_contradictions() {
    let row = RowPrefix::new(0, b"s", 1);
    type Damage<'a> = (&'a str, &'a dyn Fn(&mut Batch));
    let damages: [Damage<'_>; 3] = [
        ("its size is 1", &|batch| {
            batch.put(Space::Data, row.name_key(b"new"), "".into());
        }),
        ("has a value", &|batch| {
            batch.put(Space::Data, row.name_key(b"a"), "x".into());
        }),
        ("has the wrong hash 000000000000", &|batch| {
            batch.put(Space::Data, row.data_key(b"\0\0\0\0\0\0a"), "".into());
        }),
    ];
    for (expected, damage) in damages {
        let mut direct = Direct::new(StoreKind::BTree);
        direct.run("sadd s a");
        direct.check();
        let mut batch = Batch::default();
        damage(&mut batch);
        direct.store.write(batch).unwrap();
        let report = check(&*direct.store).unwrap();
        let mut faults = report.faults.iter();
        assert!(
            faults.any(|fault| fault.what.contains(expected)),
            "{report:?}"
        );
    }
}

/// A set is walked over beside another one, or asked for each member, depending on their sizes. Both give what a model
/// gives, for plain and for sorted sets.
#[test]
fn sets_of_all_sizes_are_combined_as_in_a_model() {
    // The first number of each set, their distance, and how many there are.
    let sets = [
        ("a", 0, 1, 3),
        ("b", 1, 1, 40),
        ("c", 0, 7, 200),
        ("d", 2, 2, 900),
    ];
    over_every_store(|direct| {
        let mut model = BTreeMap::new();
        for (key, first, step, count) in sets {
            let numbers = (0..count).map(|i| format!("m{}", first + i * step));
            let all: BTreeSet<String> = numbers.collect();
            for member in &all {
                direct.run(&format!("sadd {key} {member}"));
                direct.run(&format!("zadd z{key} 1 {member}"));
            }
            model.insert(key, all);
        }
        for (one, in_one) in &model {
            for (other, in_other) in &model {
                let both = format!("{one} {other}");
                let scored = format!("2 z{one} z{other}");
                let mixed = format!("2 {one} z{other}");
                let union: Vec<&String> = in_one.union(in_other).collect();
                let common: Vec<&String> = in_one.intersection(in_other).collect();
                let rest: Vec<&String> = in_one.difference(in_other).collect();
                for (operation, expected) in [("union", union), ("inter", common), ("diff", rest)] {
                    for line in [
                        format!("s{operation} {both}"),
                        format!("z{operation} {scored}"),
                        format!("z{operation} {mixed}"),
                    ] {
                        assert!(
                            members(&direct.run(&line))
                                .iter()
                                .eq(expected.iter().copied()),
                            "{line}"
                        );
                    }
                    let store = format!("s{operation}store stored {both}");
                    assert_eq!(direct.show(&store), expected.len().to_string(), "{store}");
                    let stored = members(&direct.run("smembers stored"));
                    assert!(stored.iter().eq(expected.iter().copied()), "{store}");
                }
            }
        }
        direct.check();
    });
}

/// All members of a large set are removed as the key is, without a look at its rows; then the key can be used anew.
#[test]
fn a_set_of_which_all_is_removed_is_gone() {
    over_every_store(|direct| {
        for line in [
            "spop s 400",
            "zremrangebyrank z 0 -1",
            "zremrangebyscore z -inf inf",
            "zremrangebylex z - +",
        ] {
            for i in 0..400 {
                direct.run(&format!("sadd s {i}"));
                direct.run(&format!("zadd z 0 {i}"));
            }
            let key = if line.starts_with('s') { "s" } else { "z" };
            direct.run(line);
            assert_eq!(direct.show(&format!("exists {key}")), "0", "{line}");
            direct.check();
        }
        direct.expect(&[
            ("zadd z 1 a", "1"),
            ("zrange z 0 -1", "[a]"),
            ("zrank z a", "0"),
            ("scard s", "400"),
            ("sadd t b", "1"),
            ("smembers t", "[b]"),
        ]);
        direct.check();
    });
}

/// Many random elements of a large collection are found by a walk: as many as asked for, each as likely as another, and
/// different ones if none may come again.
#[test]
fn many_random_elements_are_equally_likely() {
    fastrand::seed(7);
    let mut direct = Direct::new(StoreKind::BTree);
    fill(&mut direct, 1000);
    let (wanted, times) = (100, 200);
    for command in ["srandmember s", "hrandfield h", "zrandmember z"] {
        for sign in ["", "-"] {
            let line = format!("{command} {sign}{wanted}");
            let mut seen: BTreeMap<String, u32> = BTreeMap::new();
            for _ in 0..times {
                let chosen = members(&direct.run(&line));
                assert_eq!(chosen.len(), wanted, "{line}");
                if sign.is_empty() {
                    let different: BTreeSet<&String> = chosen.iter().collect();
                    assert_eq!(different.len(), wanted, "{line}");
                }
                for member in chosen {
                    *seen.entry(member).or_default() += 1;
                }
            }
            assert_fair(&seen, 1000, times * 100);
        }
    }
}

/// Neither does each take a way of its own to find, nor are those that are removed looked up again.
#[test]
fn many_random_elements_cost_no_more_than_a_walk() {
    let (store, counters) = Counting::over(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    let size = 5000;
    fill(&mut direct, size);
    // Builds the index of ranks.
    direct.run("zrank z 700");
    for command in ["srandmember s", "spop s", "hrandfield h", "zrandmember z"] {
        for count in ["1000", "-1000"] {
            if (command, count) == ("spop s", "-1000") {
                continue;
            }
            counters.steps();
            counters.gets();
            direct.run(&format!("{command} {count}"));
            let (steps, gets) = (counters.steps(), counters.gets());
            assert!(
                steps <= size && gets < 10,
                "{command} {count}: {steps} steps, {gets} lookups"
            );
        }
    }
    direct.check();
}

/// A set, a hash and a sorted set of so many elements.
fn fill(direct: &mut Direct, size: u64) {
    for i in 0..size {
        direct.run(&format!("sadd s {i}"));
        direct.run(&format!("hset h {i} {i}"));
        direct.run(&format!("zadd z {} {i}", i * 7919 % size));
    }
}
