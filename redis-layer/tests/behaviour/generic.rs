//! Commands on keys of any type: other names, other databases, what happens to expiries, and who is told.

use std::collections::BTreeSet;

use redis_layer::commands::Reply;
use redis_layer::types::{Content, Txn};

use crate::common::counting::Counting;
use crate::common::{self, Direct, Over, START_MS, StoreKind, over_every_store};

const NO_KEY: &str = "ERR no such key";
const SAME: &str = "ERR source and destination objects are the same";
const INDEX: &str = "ERR DB index is out of range";
const INTEGER: &str = "ERR value is out of range, value must between -2147483648 and 2147483647";
const NUMBER: &str = "ERR value is not an integer or out of range";

/// One key of each type that the tests make.
fn fill(direct: &mut Direct) {
    direct.run("set s text px 50000");
    direct.run("rpush l a b c d");
    direct.run("lrem l 1 b");
    direct.run("linsert l after c x");
    direct.run("zadd z 1 a 2 b 3 \\xff");
    direct.run("zpopmin z");
    direct.run("hset h f v g w");
    direct.run("sadd t a b c");
}

fn contents(direct: &mut Direct, prefix: &str) -> Vec<String> {
    vec![
        direct.show(&format!("get {prefix}s")),
        direct.show(&format!("pttl {prefix}s")),
        direct.show(&format!("lrange {prefix}l 0 -1")),
        direct.show(&format!("zrange {prefix}z 0 -1 withscores")),
        direct.show(&format!("hgetall {prefix}h")),
        direct.show(&format!("smembers {prefix}t")),
    ]
}

#[test]
fn a_key_of_any_type_is_renamed_with_its_expiry() {
    over_every_store(|direct| {
        fill(direct);
        let before = contents(direct, "");
        for name in ["s", "l", "z", "h", "t"] {
            assert_eq!(direct.show(&format!("set new{name} old ex 10")), "OK");
            assert_eq!(direct.show(&format!("rename {name} new{name}")), "OK");
        }
        assert_eq!(contents(direct, "new"), before);
        direct.expect(&[
            ("exists s l z h t", "0"),
            ("dbsize", "5"),
            ("ttl newl", "-1"),
            ("rename nope x", NO_KEY),
            ("renamenx nope news", NO_KEY),
            ("rename newl newl", "OK"),
            ("renamenx newl newl", "0"),
            ("renamenx newl newz", "0"),
            ("renamenx newl l", "1"),
            ("rpush l e", "5"),
            ("lrange l 0 -1", "[a c x d e]"),
        ]);
    });
}

#[test]
fn a_copy_lives_on_its_own() {
    over_every_store(|direct| {
        fill(direct);
        let before = contents(direct, "");
        direct.expect(&[
            ("copy s 2s", "1"),
            ("copy l 2l", "1"),
            ("copy z 2z", "1"),
            ("copy h 2h", "1"),
            ("copy t 2t", "1"),
            ("copy z 2z", "0"),
            ("copy l 2z replace", "1"),
            ("copy z 2z replace", "1"),
            ("copy nope 2z replace", "0"),
            ("copy l l", SAME),
            ("copy l l db 0", SAME),
            ("copy l m db 16", INDEX),
            ("copy l m db 2147483647", INDEX),
            ("copy l m db 2147483648", INTEGER),
            ("copy l m db x", NUMBER),
            ("copy l m foo", "ERR syntax error"),
            ("copy l m db", "ERR syntax error"),
            ("copy l l db 2 replace", "1"),
        ]);
        direct.run("del s l z h t");
        assert_eq!(contents(direct, "2"), before);
        direct.expect(&[
            ("zadd 2z 9 new", "1"),
            ("select 2", "OK"),
            ("lrange l 0 -1", "[a c x d]"),
            ("dbsize", "1"),
        ]);
    });
}

#[test]
fn keys_move_between_databases() {
    over_every_store(|direct| {
        fill(direct);
        let before = contents(direct, "");
        direct.expect(&[
            ("move s 0", SAME),
            ("move s 16", INDEX),
            ("move s -2147483648", INDEX),
            ("move s -2147483649", INTEGER),
            ("move s x", NUMBER),
            ("move nope 1", "0"),
            ("move s 1", "1"),
            ("move l 1", "1"),
            ("move z 1", "1"),
            ("move h 1", "1"),
            ("move t 1", "1"),
            ("dbsize", "0"),
            ("set s other", "OK"),
            ("move s 1", "0"),
            ("select 1", "OK"),
        ]);
        assert_eq!(contents(direct, ""), before);
        direct.check();
    });
}

#[test]
fn databases_are_swapped_at_once() {
    over_every_store(|direct| {
        fill(direct);
        let before = contents(direct, "");
        direct.expect(&[
            ("select 5", "OK"),
            ("set five 1 px 100", "OK"),
            ("multi", "OK"),
            ("swapdb 0 5", "QUEUED"),
            ("exists s five", "QUEUED"),
            ("set new v", "QUEUED"),
            ("exec", "[OK 1 OK]"),
            ("dbsize", "6"),
        ]);
        assert_eq!(contents(direct, ""), before);
        direct.expect(&[
            ("select 0", "OK"),
            ("dbsize", "1"),
            ("pttl five", "100"),
            ("swapdb 0 0", "OK"),
            ("swapdb 0 16", INDEX),
            ("swapdb x 0", "ERR invalid first DB index"),
            ("swapdb 0 x", "ERR invalid second DB index"),
            ("swapdb 0 2147483647", INDEX),
            ("swapdb 2147483648 0", "ERR invalid first DB index"),
            ("swapdb 0 -2147483649", "ERR invalid second DB index"),
            // What a refused transaction swapped is as it was.
            ("flushdb", "OK"),
            ("dbsize", "0"),
            ("select 5", "OK"),
            ("dbsize", "6"),
        ]);
        assert_eq!(contents(direct, ""), before);
        // After a restart, too.
        let mut again = Direct::over(std::sync::Arc::clone(&direct.store));
        again.run("select 5");
        assert_eq!(contents(&mut again, ""), before);
        again.expect(&[("dbsize", "6")]);
    });
}

/// A reader begins again and again while two databases are swapped: it never finds both keys, or none.
#[test]
fn no_reader_sees_two_mappings() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    let mut direct = Direct::new(StoreKind::Engine);
    direct.run("set in0 v");
    direct.run("select 1");
    direct.run("set in1 v");
    direct.run("select 0");
    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (server, stop) = (Arc::clone(&direct.server), Arc::clone(&stop));
            thread::spawn(move || {
                let mut session = server.connect("reader".into(), "test".into());
                let words = ["exists", "in0", "in1"].map(common::unescape);
                while !stop.load(Ordering::Relaxed) {
                    let reply = redis_layer::commands::execute(&mut session, &words).reply;
                    assert_eq!(common::show(&reply), "1");
                }
            })
        })
        .collect();
    let over = Over(&stop);
    for _ in 0..2000 {
        direct.run("swapdb 0 1");
    }
    drop(over);
    for reader in readers {
        reader.join().unwrap();
    }
}

#[test]
fn a_watched_key_that_another_database_brings_stops_exec() {
    over_every_store(|direct| {
        direct.run("select 1");
        direct.run("set k other");
        direct.run("select 0");
        direct.run("watch k");
        direct.run("swapdb 0 1");
        direct.expect(&[("multi", "OK"), ("get k", "QUEUED"), ("exec", "nil")]);
        direct.run("watch k");
        direct.run("flushdb");
        direct.expect(&[("multi", "OK"), ("get k", "QUEUED"), ("exec", "nil")]);
    });
}

#[test]
fn what_redis_would_say_of_the_form_of_a_value() {
    over_every_store(|direct| {
        let raw = "x".repeat(45);
        direct.run(&format!("set raw {raw}"));
        direct.run(&format!("set embedded {}", &raw[1..]));
        direct.run("set int -5");
        direct.run("set text 05");
        direct.run("rpush l a");
        direct.run("zadd small 1 a");
        direct.run(&format!("zadd long 1 {}", "x".repeat(65)));
        let many: Vec<String> = (0..129).map(|i| format!("{i} m{i}")).collect();
        direct.run(&format!("zadd many {}", many.join(" ")));
        for (key, encoding) in [
            ("raw", "raw"),
            ("embedded", "embstr"),
            ("int", "int"),
            ("text", "embstr"),
            ("l", "quicklist"),
            ("small", "listpack"),
            ("long", "skiplist"),
            ("many", "skiplist"),
            ("nope", "nil"),
        ] {
            assert_eq!(
                direct.show(&format!("object encoding {key}")),
                encoding,
                "{key}"
            );
        }
        direct.expect(&[
            ("object refcount l", "1"),
            ("object refcount int", "1"),
            ("set int 9999", "OK"),
            ("object refcount int", "2147483647"),
            ("object idletime l", "0"),
            ("object freq nope", "nil"),
            ("object refcount nope", "nil"),
            (
                "object nope l",
                "ERR unknown subcommand 'nope'. Try OBJECT HELP.",
            ),
            ("touch l raw nope l", "3"),
            ("unlink l raw nope", "2"),
            ("expiretime small", "-1"),
            ("pexpiretime nope", "-2"),
            ("pexpireat small 99999999999999", "1"),
            ("pexpiretime small", "99999999999999"),
            ("expiretime small", "100000000000"),
        ]);
    });
}

/// A walk that is cut into steps finds every key that stays, and what it was asked for only.
#[test]
fn keys_are_found_by_pattern_and_by_type() {
    over_every_store(|direct| {
        direct.expect(&[("randomkey", "nil"), ("keys *", "[]"), ("scan 0", "[0 []]")]);
        for i in 0..300 {
            direct.run(&format!("set s{i:03} v"));
            direct.run(&format!("rpush l{i:03} v"));
        }
        direct.run("set gone v px 1");
        direct.run("select 1");
        direct.run("set other v");
        direct.run("select 0");
        direct.clock.advance_ms(2);
        direct.expect(&[
            (
                "keys s00?",
                "[s000 s001 s002 s003 s004 s005 s006 s007 s008 s009]",
            ),
            ("keys S*", "[]"),
            ("keys [^s]29[8-9]", "[l298 l299]"),
            ("keys gone", "[]"),
            ("scan 0 match s0001 count 10000", "[0 []]"),
            ("scan 0 type nope count 10000", "[0 []]"),
            ("scan 0 type", "ERR syntax error"),
            ("scan 0 count 0", "ERR syntax error"),
            ("scan x", "ERR invalid cursor"),
        ]);
        let mut found = Vec::new();
        let mut cursor = "0".to_owned();
        let mut steps = 0;
        loop {
            let line = format!("scan {cursor} type list match l* count 20");
            let Reply::Array(page) = direct.run(&line) else {
                panic!("{line}");
            };
            let [next, Reply::Array(keys)] = page.as_slice() else {
                panic!("{page:?}");
            };
            found.extend(keys.iter().map(common::show));
            cursor = common::show(next);
            steps += 1;
            // Between the steps keys go.
            direct.run(&format!("del s{steps:03}"));
            if cursor == "0" {
                break;
            }
        }
        let expected: Vec<String> = (0..300).map(|i| format!("l{i:03}")).collect();
        assert_eq!(found, expected);
        assert!(steps > 10, "{steps}");
        for _ in 0..20 {
            let key = direct.show("randomkey");
            assert_eq!(direct.show(&format!("exists {key}")), "1", "{key}");
        }
    });
}

/// In a large database keys are not counted out, and every part of it is reached all the same.
#[test]
fn random_keys_come_from_everywhere() {
    let mut direct = Direct::new(StoreKind::BTree);
    for i in 0..3000 {
        direct.run(&format!("set k{i:04} v"));
    }
    let mut seen = BTreeSet::new();
    for _ in 0..3000 {
        let key = direct.show("randomkey");
        seen.insert(key[1..2].to_owned() + &key[2..3]);
    }
    assert_eq!(seen.len(), 30, "each hundred of them: {seen:?}");
}

/// Where they hold long strings, which are in their rows, fewer of them are looked at: each costs as much as its string.
#[test]
fn a_random_key_costs_few_long_strings() {
    let (store, counters) = Counting::over(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    let long = "v".repeat(100_000);
    for i in 0..1000 {
        direct.run(&format!("set k{i:04} {long}"));
    }
    counters.steps();
    let mut seen = BTreeSet::new();
    for _ in 0..1000 {
        seen.insert(direct.show("randomkey"));
    }
    assert!(counters.steps() < 50 * 1000);
    assert!(seen.len() > 300, "{seen:?}");
}

/// `OBJECT ENCODING` follows the limits as they are set, and `DEBUG OBJECT` says the same.
#[test]
fn encodings_follow_the_limits_that_are_set() {
    over_every_store(|direct| {
        direct.expect(&[
            ("hset h f v g w", "2"),
            ("sadd s 1 2 3", "3"),
            ("zadd z 1 a 2 bcd", "2"),
            ("object encoding h", "listpack"),
            ("config set hash-max-listpack-entries 1", "OK"),
            ("object encoding h", "hashtable"),
            ("object encoding s", "intset"),
            ("config set set-max-intset-entries 2", "OK"),
            ("object encoding s", "hashtable"),
            ("object encoding z", "listpack"),
            ("config set zset-max-ziplist-value 2", "OK"),
            ("object encoding z", "skiplist"),
            ("set n 7", "OK"),
            ("object encoding n", "int"),
            ("object encoding none", "nil"),
        ]);
    });
}

/// Reading and writing are uses; asking when a key expires, what it is, or whether it is there is none. As in Redis.
#[test]
fn idle_times_end_with_a_use() {
    over_every_store(|direct| {
        direct.expect(&[("set k 1", "OK"), ("rpush l a", "1")]);
        for line in [
            "get k",
            "append k 1",
            "expire k 1000",
            "touch k",
            "dump k",
            "sort l",
        ] {
            direct.clock.advance_ms(10_500);
            let key = line.split(' ').nth(1).unwrap();
            assert_ne!(
                direct.show(&format!("object idletime {key}")),
                "0",
                "{line}"
            );
            direct.run(line);
            assert_eq!(
                direct.show(&format!("object idletime {key}")),
                "0",
                "{line}"
            );
        }
        direct.run("set k 1");
        direct.clock.advance_ms(7_000);
        for line in [
            "exists k",
            "type k",
            "ttl k",
            "pexpiretime k",
            "object encoding k",
            "memory usage k",
            "debug object k",
            "watch k",
            "scan 0 type string",
            "keys *",
            "randomkey",
        ] {
            direct.run(line);
            assert_eq!(direct.show("object idletime k"), "7", "{line}");
        }
        // Redis looks at both keys of SMOVE before it judges either.
        direct.run("smove none k m");
        assert_eq!(direct.show("object idletime k"), "0");
        direct.clock.advance_ms(7_000);
        direct.run("smove l k m");
        assert_eq!(direct.show("object idletime k"), "0");
        direct.expect(&[
            ("rename k m", "OK"),
            ("object idletime m", "0"),
            ("object idletime k", "nil"),
            ("swapdb 0 1", "OK"),
            ("select 1", "OK"),
        ]);
        direct.clock.advance_ms(3_000);
        direct.expect(&[
            ("object idletime m", "3"),
            ("flushall", "OK"),
            ("set m 1", "OK"),
        ]);
        assert_eq!(direct.show("object idletime m"), "0");
    });
}

#[test]
fn the_idle_time_of_a_key_beyond_the_table_is_the_least_that_it_can_be() {
    let mut direct = Direct::new(StoreKind::BTree);
    direct.run("set old v");
    direct.clock.advance_ms(100_000);
    assert_eq!(direct.show("object idletime old"), "100");
    for i in 0..200_000 {
        direct.run(&format!("set k{i} v"));
    }
    direct.clock.advance_ms(30_000);
    assert_eq!(direct.show("object idletime old"), "30");
    direct.run("get old");
    assert_eq!(direct.show("object idletime old"), "0");
}

/// All bytes of a large collection, times its size, are more than 64 bits hold. Here the size is wrong, which `fsck`
/// reports.
#[test]
fn the_memory_of_a_collection_of_any_size_is_estimated() {
    let mut direct = Direct::new(StoreKind::BTree);
    direct.run("sadd s a b");
    let mut txn = Txn::begin(&*direct.store, &direct.server.shared, 0, START_MS).unwrap();
    let mut metadata = txn.lookup(b"s").unwrap().unwrap();
    let Content::Set(collection) = &mut metadata.content else {
        panic!("it is a set");
    };
    collection.size = u64::MAX;
    txn.set_metadata(b"s", &metadata);
    txn.commit().unwrap();
    assert_eq!(direct.show("memory usage s"), i64::MAX.to_string());
}
