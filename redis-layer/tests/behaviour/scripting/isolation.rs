//! Scripts are atomic and isolated, whatever keys they reach for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use redis_layer::commands::{Reply, Server, execute};

use crate::common::client::Client;
use crate::common::servers::{Ours, RealRedis};
use crate::common::{Direct, Over, StoreKind, over_every_store, scope_in_time, show};

fn run(server: &Arc<Server>, words: &[&str]) -> String {
    let mut session = server.connect(String::new(), String::new());
    let words: Vec<Bytes> = words
        .iter()
        .map(|word| Bytes::copy_from_slice(word.as_bytes()))
        .collect();
    show(&execute(&mut session, &words).reply)
}

/// Runs the same commands on many threads.
fn in_parallel(direct: &Direct, clients: usize, work: impl Fn(&Arc<Server>, usize) + Sync) {
    scope_in_time(|scope| {
        for client in 0..clients {
            let (server, work) = (&direct.server, &work);
            scope.spawn(move || work(server, client));
        }
    });
}

/// The low field of a packed score is raised by compare-and-set, by 16 clients at once.
#[test]
fn compare_and_set_loses_no_update() {
    const SCRIPT: &str = "if redis.call('zscore', KEYS[1], ARGV[1]) == ARGV[2] then \
                          redis.call('zadd', KEYS[1], ARGV[3], ARGV[1]) return 1 end return 0";
    const CLIENTS: usize = 16;
    const UPDATES: usize = 25;
    over_every_store(|direct| {
        direct.run("zadd players 215575307891 E");
        in_parallel(direct, CLIENTS, |server, _| {
            let mut done = 0;
            while done < UPDATES {
                let seen = run(server, &["zscore", "players", "E"]);
                let next = (seen.parse::<f64>().unwrap() + 1.0).to_string();
                let words = ["eval", SCRIPT, "1", "players", "E", &seen, &next];
                // Who was too late was so because another was in time.
                match run(server, &words).as_str() {
                    "1" => done += 1,
                    other => assert_eq!(other, "0"),
                }
            }
        });
        let last = 215_575_307_891 + CLIENTS * UPDATES;
        assert_eq!(direct.show("zscore players E"), last.to_string());
        direct.check();
    });
}

/// As a real Redis 7.0 answers. Scripts that run at the same time use several states, and a flush makes new ones.
#[test]
fn a_seed_holds_for_all_scripts_that_follow() {
    const TWO: &str = "return {math.random(100), math.random(100)}";
    over_every_store(|direct| {
        let two = || run(&direct.server, &["eval", TWO, "0"]);
        assert_eq!([two(), two()], ["[40 85]", "[36 45]"]);
        run(&direct.server, &["eval", "math.randomseed(5)", "0"]);
        run(&direct.server, &["script", "flush"]);
        assert_eq!([two(), two()], ["[53 28]", "[79 20]"]);
    });
}

/// Money moves between accounts that no script names. None is lost, and no sum is seen halfway.
#[test]
fn keys_that_are_not_named_are_as_isolated_as_others() {
    const MOVE: &str = "local from, to = ARGV[1], ARGV[2] \
                        redis.call('zincrby', from, -1, 'm') redis.call('zincrby', to, 1, 'm')";
    const SUM: &str = "local sum = 0 for i = 0, 3 do \
                       sum = sum + redis.call('zscore', 'account' .. i, 'm') end return sum";
    over_every_store(|direct| {
        for account in 0..4 {
            direct.run(&format!("zadd account{account} 100 m"));
        }
        in_parallel(direct, 6, |server, client| {
            for step in 0..60 {
                let from = format!("account{}", (client + step) % 4);
                let to = format!("account{}", (client * 3 + step + 1) % 4);
                // Half of the scripts name one of the two.
                let reply = if step % 2 == 0 {
                    run(server, &["eval", MOVE, "0", &from, &to])
                } else {
                    run(server, &["eval", MOVE, "1", &from, &from, &to])
                };
                assert_eq!(reply, "nil");
                assert_eq!(run(server, &["eval", SUM, "0"]), "400");
            }
        });
    });
}

/// Each script reads the other one's key and writes its own: one of two must see the other.
#[test]
fn a_script_that_reads_what_it_does_not_name_and_writes_is_serialised() {
    const SCRIPT: &str = "if redis.call('get', ARGV[1]) == 'on' then \
                          redis.call('set', KEYS[1], 'off') end";
    over_every_store(|direct| {
        for _ in 0..40 {
            direct.run("mset left on right on");
            in_parallel(direct, 2, |server, client| {
                let (own, other) = [("left", "right"), ("right", "left")][client];
                run(server, &["script", "flush"]);
                run(server, &["eval", SCRIPT, "1", own, other]);
            });
            let states = direct.show("mget left right");
            assert_ne!(states, "[off off]", "both saw the other one on");
            assert_ne!(states, "[on on]");
        }
    });
}

/// A question about ranks may take a lock, and a later snapshot under it: not in a script.
#[test]
fn a_script_that_only_reads_sees_one_moment_whatever_it_asks() {
    const SCRIPT: &str = "local before = redis.call('get', 'n') for i = 1, 300000 do end \
                          redis.call('zrank', KEYS[1], 'm7') \
                          return before .. ' ' .. redis.call('get', 'n')";
    over_every_store(|direct| {
        for n in 0..200 {
            direct.run(&format!("zadd z {n} m{n}"));
        }
        direct.run("set n 0");
        let is_over = AtomicBool::new(false);
        in_parallel(direct, 2, |server, client| {
            if client == 0 {
                for n in 0.. {
                    run(server, &["set", "n", &n.to_string()]);
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                }
                return;
            }
            let _over = Over(&is_over);
            for _ in 0..10 {
                server.shared.rank_indexes().clear();
                let seen = run(server, &["eval_ro", SCRIPT, "1", "z"]);
                let (before, after) = seen.split_once(' ').unwrap();
                assert_eq!(before, after);
            }
        });
    });
}

/// What ran before the second attempt is gone, with its log lines and its changes.
#[test]
fn a_script_that_is_run_again_does_everything_once() {
    over_every_store(|direct| {
        let script = "redis.call('zincrby',KEYS[1],1,'m') redis.call('zincrby','other',1,'m') \
                      return redis.call('zscore',KEYS[1],'m')";
        for expected in ["1", "2", "3"] {
            let words = ["eval", script, "1", "named"];
            assert_eq!(run(&direct.server, &words), expected);
            assert_eq!(direct.show("zscore other m"), expected);
        }
    });
}

/// As in Redis: what a script did before it failed stays.
#[test]
fn what_a_failing_script_did_before_stays_and_what_a_failing_command_did_not() {
    over_every_store(|direct| {
        let script = "redis.call('set','a',1) redis.pcall('zadd','z',1,'m','x','n') error('no')";
        let reply = run(&direct.server, &["eval", script, "0"]);
        assert!(
            reply.starts_with("ERR user_script:1: no script: "),
            "{reply}"
        );
        assert_eq!(direct.show("get a"), "1");
        assert_eq!(direct.show("exists z"), "0");
    });
}

#[test]
fn a_script_in_a_transaction_is_part_of_it() {
    over_every_store(|direct| {
        let words = |words: &[&str]| -> Vec<Bytes> {
            let words = words.iter();
            words
                .map(|word| Bytes::copy_from_slice(word.as_bytes()))
                .collect()
        };
        direct.run("multi");
        direct.run("zadd a 1 m");
        let script = "redis.call('zincrby','a',1,'m') redis.call('select',1) redis.call('set','b',1) return redis.call('get','b')";
        direct.run_args(&words(&["eval", script, "0"]));
        direct.run_args(&words(&[
            "eval",
            "redis.call('zincrby','a',1,'m') error('x')",
            "0",
        ]));
        direct.run("zscore a m");
        let Reply::Array(replies) = direct.run("exec") else {
            panic!("EXEC answers an array");
        };
        assert_eq!(show(&replies[1]), "1");
        assert!(show(&replies[2]).starts_with("ERR user_script:1: x script: "));
        assert_eq!(show(&replies[3]), "3");
        assert_eq!(direct.show("get b"), "nil", "SELECT ends with the script");
    });
}

/// It is run again from the start, and yet its commands are counted and shown once.
#[test]
fn a_script_that_reaches_out_is_heard_of_once() {
    const SCRIPT: &str = "redis.call('get', 'other') redis.call('get', 'none') redis.pcall('lpop', 'other') \
                          redis.call('incr', KEYS[1]) return redis.call('incr', 'out')";
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let heard = |address| {
        let (mut client, mut monitor) = (Client::connect(address), Client::connect(address));
        client.call(&["set", "other", "1"]);
        client.call(&["config", "resetstat"]);
        monitor.call(&["monitor"]);
        client.call(&["eval", SCRIPT, "1", "k"]);
        client.call(&["ping"]);
        let mut lines = Vec::new();
        while lines
            .last()
            .is_none_or(|line: &String| !line.contains("ping"))
        {
            let line = monitor.reply().unwrap().escape_ascii().to_string();
            let words = line.split_once("] ").map(|(_, words)| words.to_owned());
            lines.push(words.unwrap());
        }
        for section in ["commandstats", "stats", "errorstats"] {
            let info = client.call(&["info", section]);
            let counts = info.split("\\r\\n").filter(|line| {
                let of_script = ["cmdstat_get", "cmdstat_incr", "cmdstat_lpop", "errorstat_"];
                let looked_up = ["keyspace_", "total_error"];
                let mut names = of_script.iter().chain(&looked_up);
                names.any(|name| line.starts_with(name))
            });
            let untimed = |line: &str| {
                let parts = line.split(',').filter(|part| !part.starts_with("usec"));
                parts.collect::<Vec<_>>().join(",")
            };
            let mut counts: Vec<String> = counts.map(untimed).collect();
            counts.sort();
            lines.extend(counts);
        }
        lines
    };
    assert_eq!(heard(ours.address), heard(real.address));
}

/// A global that a script could set would be seen by the next one in the same state.
#[test]
fn scripts_leave_nothing_behind_for_one_another() {
    let direct = Direct::new(StoreKind::BTree);
    for (leave, look) in [
        (
            "KEYS.x = 1 ARGV.y = 2",
            "return {tostring(KEYS.x), tostring(ARGV.y)}",
        ),
        (
            "pcall(rawset, string, 'left', 1) pcall(rawset, redis, 'left', 1)",
            "return {tostring(string.left), tostring(redis.left)}",
        ),
        (
            "pcall(rawset, _G, 'left', 1) pcall(table.insert, cjson, 1)",
            "return {tostring(rawget(_G, 'left')), tostring(cjson[1])}",
        ),
        (
            "pcall(function() getmetatable('').left = 1 end) pcall(rawset, getmetatable(''), 'left', 1)",
            "return {tostring(getmetatable('').left), tostring(('x').left)}",
        ),
        (
            "pcall(function() getmetatable(_G).__newindex = nil end) pcall(setmetatable, _G, {})",
            "return {tostring(pcall(loadstring('left = 1'))), tostring(rawget(_G, 'left'))}",
        ),
    ] {
        assert_eq!(run(&direct.server, &["eval", leave, "0"]), "nil");
        let seen = run(&direct.server, &["eval", look, "0"]);
        assert!(
            seen == "[nil nil]" || seen == "[false nil]",
            "{leave}: {seen}"
        );
    }
    let settings = "cjson.encode_number_precision(3) redis.setresp(3) collectgarbage('stop')";
    run(&direct.server, &["eval", settings, "0"]);
    let look = "return {cjson.encode(1/3), tostring(redis.call('get','nothing'))}";
    let seen = run(&direct.server, &["eval", look, "0"]);
    assert_eq!(seen, "[0.33333333333333 false]");
}
