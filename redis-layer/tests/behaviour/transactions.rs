//! `MULTI`, `EXEC` and `WATCH`: several commands as one, and only if nobody came in between.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use redis_layer::commands::Session;

use crate::common::client::Client;
use crate::common::counting::Counting;
use crate::common::program::processor_time_of;
use crate::common::servers::{Ours, RealRedis};
use crate::common::{Direct, StoreKind, over_every_store, scope_in_time, show};

/// Another connection to the same server.
fn other(direct: &Direct) -> Direct {
    let session: Session = direct.server.connect("other".into(), "other".into());
    Direct {
        store: Arc::clone(&direct.store),
        clock: Arc::clone(&direct.clock),
        server: Arc::clone(&direct.server),
        session,
    }
}

#[test]
fn queued_commands_run_at_exec_and_see_one_another() {
    over_every_store(|direct| {
        direct.expect(&[
            ("multi", "OK"),
            ("set k 1", "QUEUED"),
            ("get k", "QUEUED"),
            ("zadd z 1 a 2 b", "QUEUED"),
            ("zrange z 0 -1", "QUEUED"),
        ]);
        assert_eq!(other(direct).show("exists k z"), "0");
        direct.expect(&[
            ("exec", "[OK 1 2 [a b]]"),
            ("exec", "ERR EXEC without MULTI"),
            ("multi", "OK"),
            ("set k 2", "QUEUED"),
            ("discard", "OK"),
            ("get k", "1"),
            ("discard", "ERR DISCARD without MULTI"),
            ("multi", "OK"),
            ("multi", "ERR MULTI calls can not be nested"),
            ("watch k", "ERR WATCH inside MULTI is not allowed"),
            ("exec", "[]"),
        ]);
    });
}

#[test]
fn an_exec_with_arguments_ends_the_transaction_and_the_watch() {
    over_every_store(|direct| {
        let aborted = "EXECABORT Transaction discarded because of: wrong number of arguments for \
                       'exec' command";
        direct.expect(&[
            ("watch k", "OK"),
            ("exec x", aborted),
            ("set k 1", "OK"),
            ("multi", "OK"),
            ("get k", "QUEUED"),
            ("exec", "[1]"),
            ("multi", "OK"),
            ("set k 2", "QUEUED"),
            ("exec x", aborted),
            ("get k", "1"),
            ("exec", "ERR EXEC without MULTI"),
        ]);
    });
}

#[test]
fn a_command_that_fails_leaves_nothing_and_the_others_stay() {
    over_every_store(|direct| {
        let wrong = "WRONGTYPE Operation against a key holding the wrong kind of value";
        direct.expect(&[
            ("set s x", "OK"),
            ("multi", "OK"),
            ("zadd z 1 a", "QUEUED"),
            ("zadd z inf a", "QUEUED"),
            ("zincrby z -inf a", "QUEUED"),
            ("zadd s 1 a", "QUEUED"),
            ("set t y", "QUEUED"),
            (
                "exec",
                &format!("[1 0 ERR resulting score is not a number (NaN) {wrong} OK]"),
            ),
            ("zscore z a", "inf"),
            ("get t", "y"),
        ]);
    });
}

/// It would wait for the locks of its own transaction.
#[test]
fn strings_to_test_with_are_not_stored_in_a_transaction() {
    over_every_store(|direct| {
        let refusal = "ERR DEBUG POPULATE is not allowed in a transaction";
        direct.expect(&[
            ("multi", "OK"),
            ("get key:0", "QUEUED"),
            ("debug populate 1", "QUEUED"),
            ("exec", &format!("[nil {refusal}]")),
            ("debug populate 1", "OK"),
            ("get key:0", "value:0"),
        ]);
    });
}

#[test]
fn a_refused_command_refuses_the_transaction() {
    let mut direct = Direct::new(StoreKind::BTree);
    for refused in ["nope", "get", "client nope"] {
        direct.expect(&[("multi", "OK"), ("set k 1", "QUEUED")]);
        assert!(direct.show(refused).starts_with("ERR "));
        direct.expect(&[
            (
                "exec",
                "EXECABORT Transaction discarded because of previous errors.",
            ),
            ("exists k", "0"),
        ]);
    }
}

#[test]
fn a_watched_key_that_changes_stops_exec() {
    over_every_store(|direct| {
        let mut other = other(direct);
        let changes = [
            ("set k 2", true),
            ("del k", true),
            ("expire k 100", true),
            ("zadd z 5 a", true),
            ("zadd z 1 a", false),
            ("set unrelated 1", false),
            ("get k", false),
            ("flushall", true),
        ];
        for (change, stops) in changes {
            direct.expect(&[("set k 1", "OK"), ("watch k z missing", "OK")]);
            direct.run("del z");
            direct.run("unwatch");
            direct.run("zadd z 1 a");
            direct.expect(&[
                ("watch k z missing", "OK"),
                ("multi", "OK"),
                ("get k", "QUEUED"),
            ]);
            other.run(change);
            let expected = if stops { "nil" } else { "[1]" };
            assert_eq!(direct.show("exec"), expected, "{change}");
            // EXEC ends the watch, whatever came of it.
            other.run("set k 9");
            direct.expect(&[("multi", "OK"), ("get k", "QUEUED"), ("exec", "[9]")]);
        }
    });
}

/// Who watched a key that had expired, or none, saw no key; and sees none when what had expired is removed.
#[test]
fn what_had_expired_before_the_watch_may_be_removed() {
    over_every_store(|direct| {
        let mut other = other(direct);
        for (change, expected) in [
            ("flushdb", "[PONG]"),
            ("flushall", "[PONG]"),
            ("swapdb 0 1", "[PONG]"),
            ("swapdb 1 0", "[PONG]"),
            ("swapdb 0 3", "nil"),
            ("del k", "[PONG]"),
            ("set k 2", "nil"),
            ("setnx k 2", "nil"),
        ] {
            direct.run("flushall");
            direct.run("set k 1 px 10");
            direct.run("select 1");
            direct.run("set k 1 px 10");
            direct.run("select 3");
            direct.run("set k 1");
            direct.run("select 0");
            direct.clock.advance_ms(20);
            direct.expect(&[("watch k none", "OK"), ("multi", "OK"), ("ping", "QUEUED")]);
            other.run(change);
            assert_eq!(direct.show("exec"), expected, "{change}");
        }
    });
}

/// Redis looks at what was written, not at what is left of it.
#[test]
fn a_key_that_was_made_and_removed_in_one_transaction_stops_who_saw_none() {
    over_every_store(|direct| {
        let mut other = other(direct);
        let script = |text: &str| vec![format!("eval {text} 1 k")];
        let multi = |commands: &[&str]| -> Vec<String> {
            let all = ["multi"].iter().chain(commands).chain(&["exec"]);
            all.map(|&command| command.to_owned()).collect()
        };
        for (changes, expected) in [
            (multi(&["set k 1", "del k"]), "nil"),
            (multi(&["lpush k 1", "lpop k"]), "nil"),
            (multi(&["set k 1", "expire k -1"]), "nil"),
            (multi(&["set k 1", "flushdb"]), "nil"),
            (multi(&["set x 1", "rename x k", "del k"]), "nil"),
            (multi(&["del k", "set k 1", "del k"]), "nil"),
            (multi(&["set k 1 pxat 1"]), "nil"),
            (vec!["set k 1 pxat 1".into()], "nil"),
            (
                script("redis.call('set',KEYS[1],1);redis.call('del',KEYS[1])"),
                "nil",
            ),
            // What fails leaves nothing, and what is removed in vain is no change.
            (multi(&["incrby k x", "del k"]), "[PONG]"),
            (multi(&["sunionstore k x y"]), "[PONG]"),
        ] {
            for expired in [false, true] {
                direct.run("flushall");
                if expired {
                    direct.run("set k 1 px 10");
                    direct.clock.advance_ms(20);
                }
                direct.expect(&[("watch k", "OK"), ("multi", "OK"), ("ping", "QUEUED")]);
                for change in &changes {
                    other.run(change);
                }
                assert_eq!(direct.show("exec"), expected, "{changes:?}");
            }
        }
    });
}

#[test]
fn a_watched_key_that_expires_stops_exec() {
    over_every_store(|direct| {
        direct.expect(&[
            ("set k 1 px 100", "OK"),
            ("watch k", "OK"),
            ("multi", "OK"),
            ("ping", "QUEUED"),
        ]);
        direct.clock.advance_ms(200);
        direct.expect(&[
            ("exec", "nil"),
            ("watch k", "OK"),
            ("multi", "OK"),
            ("ping", "QUEUED"),
            ("exec", "[PONG]"),
        ]);
        // The first of several that expire decides, and its last millisecond is one in which it exists.
        for (later_ms, answer) in [(100, "[PONG]"), (101, "nil")] {
            direct.expect(&[
                ("mset a 1 b 1 c 1", "OK"),
                ("pexpire b 100", "1"),
                ("pexpire c 5000", "1"),
                ("watch a b", "OK"),
                ("watch c", "OK"),
                ("multi", "OK"),
                ("ping", "QUEUED"),
            ]);
            direct.clock.advance_ms(later_ms);
            assert_eq!(direct.show("exec"), answer, "after {later_ms} ms");
        }
    });
}

#[test]
fn a_select_among_the_commands_counts_for_those_behind_it() {
    let mut direct = Direct::new(StoreKind::BTree);
    direct.expect(&[
        ("multi", "OK"),
        ("set k 0", "QUEUED"),
        ("select 3", "QUEUED"),
        ("set k 3", "QUEUED"),
        ("exec", "[OK OK OK]"),
        ("get k", "3"),
        ("select 0", "OK"),
        ("get k", "0"),
    ]);
}

/// Transfers between accounts: each thread reads two of them, and moves one unit if nobody came in between.
#[test]
fn transfers_under_watch_lose_nothing() {
    const ACCOUNTS: u64 = 4;
    for kind in StoreKind::ALL {
        let mut direct = Direct::new(kind);
        for account in 0..ACCOUNTS {
            direct.run(&format!("set account{account} 100"));
        }
        let done: u64 = scope_in_time(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|seed| {
                    let mut client = other(&direct);
                    scope.spawn(move || {
                        let mut done = 0;
                        for step in 0..200_u64 {
                            let from = (seed + step) % ACCOUNTS;
                            let to = (from + 1 + step % 3) % ACCOUNTS;
                            client.run(&format!("watch account{from} account{to}"));
                            let balance = |client: &mut Direct, account: u64| -> i64 {
                                client
                                    .show(&format!("get account{account}"))
                                    .parse()
                                    .unwrap()
                            };
                            let (a, b) = (balance(&mut client, from), balance(&mut client, to));
                            client.run("multi");
                            client.run(&format!("set account{from} {}", a - 1));
                            client.run(&format!("set account{to} {}", b + 1));
                            done += u64::from(client.show("exec") == "[OK OK]");
                        }
                        done
                    })
                })
                .collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap())
                .sum()
        });
        assert!(done > 0);
        let mut sum = 0;
        for account in 0..ACCOUNTS {
            sum += direct
                .show(&format!("get account{account}"))
                .parse::<i64>()
                .unwrap();
        }
        assert_eq!(sum, 100 * i64::try_from(ACCOUNTS).unwrap(), "{kind:?}");
    }
}

/// `HELLO` counts from its own reply on, also among the replies of one `EXEC`.
#[test]
fn each_reply_is_written_in_the_protocol_that_holds_when_it_is_made() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let run = |address, lines: &[&str]| {
        let mut client = Client::connect(address);
        let reply = |line: &&str| client.call(&line.split(' ').collect::<Vec<_>>());
        let replies: Vec<String> = lines.iter().map(reply).collect();
        // The number of the client differs from server to server.
        let shown = replies
            .iter()
            .map(|reply| match reply.split_once("\\nid\\r\\n:") {
                Some((before, behind)) => {
                    format!("{before}{}", behind.trim_start_matches(char::is_numeric))
                }
                None => reply.clone(),
            });
        shown.collect::<Vec<_>>()
    };
    for lines in [
        &[
            "multi",
            "get no",
            "hello 3",
            "get no",
            "zadd z 1 a",
            "zrange z 0 -1 withscores",
            "exec",
            "get no",
        ][..],
        &[
            "hello 3",
            "multi",
            "get no",
            "hello 2",
            "get no",
            "smembers no",
            "exec",
            "get no",
        ],
    ] {
        assert_eq!(run(ours.address, lines), run(real.address, lines));
    }
}

/// As many as nobody needs: others must not wait long because of them.
#[test]
fn many_keys_are_watched_quickly() {
    let mut direct = Direct::new(StoreKind::BTree);
    let keys: Vec<String> = (0..50_000).map(|n| format!("k{n}")).collect();
    let keys = keys.join(" ");
    let before = processor_time_of("thread-self");
    assert_eq!(direct.show(&format!("watch {keys} {keys}")), "OK");
    assert_eq!(other(&direct).show("set k49999 v"), "OK");
    direct.expect(&[("multi", "OK"), ("exec", "nil"), ("unwatch", "OK")]);
    // By the clock a busy machine may take any time.
    let taken = processor_time_of("thread-self") - before;
    assert!(taken < Duration::from_secs(5), "{taken:?}");
}

#[test]
fn a_swap_of_databases_begins_no_transaction_for_each_watched_key() {
    const KEYS: usize = 50;
    let (store, counters) = Counting::over(StoreKind::BTree.open());
    let mut swapper = Direct::over(store);
    let mut watcher = other(&swapper);
    let keys: Vec<String> = (0..KEYS).map(|n| format!("k{n}")).collect();
    watcher.run(&format!("watch {}", keys.join(" ")));
    assert_eq!(swapper.show("select 1"), "OK");
    assert_eq!(swapper.show("set k7 v"), "OK");
    counters.snapshots();
    assert_eq!(swapper.show("swapdb 0 1"), "OK");
    // That of the command itself, and one to see which of the watched keys there are.
    assert_eq!(counters.snapshots(), 2);
    watcher.run("multi");
    assert_eq!(watcher.show("exec"), "nil");
}

/// What raises its flag says all that can happen to a key, but for its expiry.
#[test]
fn a_watched_key_is_read_once() {
    let (store, counters) = Counting::over(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    let keys: Vec<String> = (0..1000).map(|n| format!("k{n}")).collect();
    direct.run(&format!("mset {} v", keys.join(" v ")));
    counters.gets();
    direct.run(&format!("watch {}", keys.join(" ")));
    direct.expect(&[("multi", "OK"), ("set k v", "QUEUED"), ("exec", "[OK]")]);
    let gets = counters.gets();
    assert!(gets <= 1000 + 10, "{gets} rows were looked up");
}

/// A script that asks after each of its changes how many keys there are. Each key that it changes is looked up once for that.
#[test]
fn keys_are_counted_once_however_often_a_transaction_asks() {
    let (store, counters) = Counting::over(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    direct.run("mset old 1 gone 1");
    counters.gets();
    let script = "local sum = 0 \
                  for i = 1, 1000 do \
                      redis.call('set', 'k' .. i, i) \
                      sum = sum + redis.call('dbsize') \
                      redis.call('del', 'gone') \
                      redis.call('set', 'k' .. i, 'again', 'px', 100000) \
                  end \
                  return {sum, redis.call('dbsize')}";
    let args = ["eval", script, "0"].map(Bytes::from);
    assert_eq!(show(&direct.run_args(&args)), "[501501 1001]");
    let gets = counters.gets();
    assert!(gets < 5000, "{gets} rows were looked up");
    direct.check();
}
