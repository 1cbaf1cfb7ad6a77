//! Hashes: fields under one key.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use redis_layer::commands::Reply;

use crate::common::client::Client;
use crate::common::random::Random;
use crate::common::servers::{Ours, RealRedis};
use crate::common::{self, Direct, StoreKind, over_every_store, show};

const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";

#[test]
fn fields_are_set_read_counted_and_removed() {
    over_every_store(|direct| {
        direct.expect(&[
            ("hset h a 1 b 2 a 3", "2"),
            ("hget h a", "3"),
            ("hmget h a x b", "[3 nil 2]"),
            ("hlen h", "2"),
            ("hstrlen h b", "1"),
            ("hexists h x", "0"),
            ("hsetnx h a 9", "0"),
            ("hsetnx h \\xff\\x00 9", "1"),
            ("hget h \\xff\\x00", "9"),
            (
                "hmset h c",
                "ERR wrong number of arguments for 'hmset' command",
            ),
            (
                "hset h c 1 d",
                "ERR wrong number of arguments for 'hset' command",
            ),
            ("hdel h a a \\xff\\x00 x", "2"),
            ("hgetall h", "[b=2]"),
            ("hdel h b", "1"),
            ("exists h", "0"),
            ("hgetall h", "[]"),
            ("hget h a", "nil"),
            ("set s x", "OK"),
            ("hget s a", WRONG_TYPE),
            ("hset s a 1", WRONG_TYPE),
            ("sadd t a", "1"),
            ("hgetall t", WRONG_TYPE),
            ("type t", "set"),
        ]);
    });
}

#[test]
fn an_expiry_stays_and_what_follows_a_removed_hash_is_empty() {
    over_every_store(|direct| {
        direct.expect(&[
            ("hset h a 1 b 2", "2"),
            ("expire h 100", "1"),
            ("hset h a 5", "0"),
            ("hset h c 5", "1"),
            ("ttl h", "100"),
            ("del h", "1"),
            ("hset h b 9", "1"),
            ("hgetall h", "[b=9]"),
            ("ttl h", "-1"),
        ]);
    });
}

#[test]
fn numbers_are_added_as_redis_adds_them() {
    over_every_store(|direct| {
        direct.expect(&[
            ("hincrby h n 5", "5"),
            ("hincrby h n -7", "-2"),
            ("hset h max 9223372036854775807 text x", "2"),
            (
                "hincrby h max 1",
                "ERR increment or decrement would overflow",
            ),
            ("hincrby h text 1", "ERR hash value is not an integer"),
            (
                "hincrby h n 1.5",
                "ERR value is not an integer or out of range",
            ),
            ("hincrbyfloat h f 0.1", "0.1"),
            ("hincrbyfloat h f 0.2", "0.3"),
            ("hincrbyfloat h text 1", "ERR hash value is not a float"),
            ("hincrbyfloat h f inf", "ERR value is NaN or Infinity"),
            ("hincrbyfloat h f x", "ERR value is not a valid float"),
            ("hlen h", "4"),
        ]);
    });
}

/// Two hashes of the same size: one is changed, the other is not. Only the first is written.
#[test]
fn a_command_that_changes_nothing_writes_nothing() {
    over_every_store(|direct| {
        let mut wrote = |line: &str| {
            let words: Vec<Bytes> = line.split(' ').map(common::unescape).collect();
            redis_layer::commands::execute(&mut direct.session, &words).wrote
        };
        assert!(wrote("hset h a 1"));
        assert!(wrote("hset h a 2"));
        assert!(!wrote("hsetnx h a 3"));
        assert!(!wrote("hdel h x"));
        assert!(!wrote("hincrby h a x"));
        assert!(wrote("sadd s a"));
        assert!(!wrote("sadd s a"));
        assert!(!wrote("srem s x"));
        assert!(!wrote("smove s other x"));
        assert!(!wrote("spop nothing"));
    });
}

/// The field and value pairs of a page, and the cursor behind it.
fn page(direct: &mut Direct, line: &str) -> (u64, Vec<(String, String)>) {
    let Reply::Array(parts) = direct.run(line) else {
        panic!("{line}");
    };
    let [cursor, Reply::Array(items)] = &parts[..] else {
        panic!("{line}: {parts:?}");
    };
    let pairs = items.chunks(2);
    let pairs = pairs.map(|pair| (show(&pair[0]), show(&pair[1]))).collect();
    (show(cursor).parse().unwrap(), pairs)
}

#[test]
fn a_scan_finds_what_stays_while_fields_come_and_go() {
    over_every_store(|direct| {
        let value = "v".repeat(50);
        for i in 0..2000 {
            direct.run(&format!("hset h stays{i} {value} goes{i} {value}"));
        }
        let (mut cursor, mut found, mut calls) = (0, BTreeSet::new(), 0);
        loop {
            let (next, pairs) = page(direct, &format!("hscan h {cursor} count 100"));
            assert!(
                pairs.len() < 110,
                "the work of a call is bounded: {}",
                pairs.len()
            );
            found.extend(pairs.into_iter().map(|(field, _)| field));
            direct.run(&format!("hdel h goes{calls} goes{}", 1999 - calls));
            direct.run(&format!("hset h new{calls} 1"));
            (cursor, calls) = (next, calls + 1);
            if cursor == 0 {
                break;
            }
            assert!(cursor < 1 << 53, "{cursor}");
        }
        assert!(calls >= 36, "{calls}");
        for i in 0..2000 {
            assert!(found.contains(&format!("stays{i}")), "{i}");
        }
        direct.check();
    });
}

#[test]
fn small_hashes_are_scanned_in_one_call_and_filters_apply() {
    over_every_store(|direct| {
        for i in 0..300 {
            direct.run(&format!("hset h f{i} {i}"));
        }
        let (cursor, pairs) = page(direct, "hscan h 0 count 1");
        assert_eq!((cursor, pairs.len()), (0, 300));
        let (_, pairs) = page(direct, "hscan h 0 match f1?");
        assert_eq!(pairs.len(), 10);
        let (cursor, pairs) = page(direct, "hscan h 18446744073709551615");
        assert_eq!((cursor, pairs.len()), (0, 0));
        direct.expect(&[
            ("hscan h x", "ERR invalid cursor"),
            ("hscan h 0 count 0", "ERR syntax error"),
            (
                "hscan h 0 count x",
                "ERR value is not an integer or out of range",
            ),
            ("hscan nothing 0 count x", "[0 []]"),
        ]);
    });
}

#[test]
fn random_scripts_agree_with_a_map() {
    over_every_store(|direct| {
        let fields = ["a", "b", "", "\\xff", "\\x00", "long-field-name", "1"];
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let mut model: BTreeMap<String, i64> = BTreeMap::new();
            direct.run("del h");
            for _ in 0..80 {
                let field = random.pick(&fields);
                let key = common::unescape(field).escape_ascii().to_string();
                let number = i64::try_from(random.below(9)).unwrap();
                match random.below(4) {
                    0 => {
                        let expected = i64::from(!model.contains_key(&key)).to_string();
                        let line = format!("hset h {field} {number}");
                        assert_eq!(direct.show(&line), expected);
                        model.insert(key, number);
                    }
                    1 => {
                        let expected = i64::from(model.remove(&key).is_some()).to_string();
                        assert_eq!(direct.show(&format!("hdel h {field}")), expected);
                    }
                    2 => {
                        let sum = model.entry(key).or_insert(0);
                        *sum += number;
                        let line = format!("hincrby h {field} {number}");
                        assert_eq!(direct.show(&line), sum.to_string());
                    }
                    _ => {
                        let expected = model.get(&key).map_or("nil".into(), i64::to_string);
                        assert_eq!(direct.show(&format!("hget h {field}")), expected);
                    }
                }
            }
            let Reply::Map(pairs) = direct.run("hgetall h") else {
                panic!("no map");
            };
            let pairs = pairs
                .iter()
                .map(|(field, value)| (show(field), show(value)));
            let pairs: BTreeMap<_, _> = pairs.collect();
            let expected = model
                .iter()
                .map(|(field, n)| (field.clone(), n.to_string()));
            assert_eq!(pairs, expected.collect(), "seed {seed}");
            direct.check();
        }
    });
}

/// Fields come and go; what is left comes in the order of a real server, byte for byte. So does a small set of integers, and
/// a small sorted set that is scanned.
#[test]
fn what_is_small_has_the_order_of_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::Engine.open());
    let mut real = Client::connect(real.address);
    let mut ours = Client::connect(ours.address);
    let mut random = Random::new(5);
    for _ in 0..1500 {
        let mut number = |below| random.below(below).to_string();
        let (field, value, at) = (number(40), number(100), number(3));
        let (hash, set) = (format!("h{at}"), format!("s{at}"));
        let (other, member) = (format!("h{}", number(3)), format!("-1{}", number(50)));
        let (field, value) = (format!("f{field}"), value.as_str());
        let zset = format!("z{at}");
        let choices: [&[&str]; 21] = [
            &["hset", &hash, &field, value, "last", "1"],
            &["hset", &hash, &field, value],
            &["hsetnx", &hash, &field, value],
            &["hincrby", &hash, &field, "2"],
            &["hdel", &hash, &field, "last"],
            &["copy", &hash, &other, "replace"],
            &["rename", &hash, &other],
            &["hgetall", &hash],
            &["hkeys", &hash],
            &["hvals", &hash],
            &["hscan", &hash, "0", "match", "f*"],
            &["hrandfield", &hash, "1000", "withvalues"],
            &["sadd", &set, &field[1..], &member],
            &["srem", &set, &field[1..], &member],
            &["smembers", &set],
            &["sunion", "s0", "s1", "s2"],
            &["sdiff", &set, "s1"],
            &["sscan", &set, "0"],
            &["zadd", &zset, value, &field, "-0.5", "last"],
            &["zrem", &zset, &field, "last"],
            &["zscan", &zset, "0"],
        ];
        let words = choices[random.below(choices.len())];
        assert_eq!(ours.call(words), real.call(words), "{words:?}");
    }
    for key in ["h0", "h1", "h2", "s0", "s1", "s2"] {
        let read: &[&str] = if key.starts_with('h') {
            &["hgetall", key]
        } else {
            &["smembers", key]
        };
        assert_eq!(ours.call(read), real.call(read), "{key}");
    }
}
