//! Sixteen clients at once, and a history that must have an order.
//!
//! A history holds each command with the moment before it was sent and the moment after its answer came. It
//! is *linearizable* (Herlihy and Wing, 1990) if the commands can be put into one order in which each gets its answer,
//! and in which a command that ended before another began comes before it. The search is that of Wing and Gong
//! (1993): try every command that may come next, and remember which sets of commands led to which state, so
//! that none is tried twice (Lowe, 2017).
//!
//! A history is of one key: of one type, or one whose type changes while clients ask for this type and for that. The model that
//! the tests share says what a command answers.
//!
//! Histories of many short runs find more than one long run, and their search is quick. HISTORIES in the environment
//! says how many there are of each kind, over each store, with one thread that serves and with two.

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use redis_layer::server::Options;

use crate::common::client::Client;
use crate::common::model::{
    ANY, CHOOSING, HASHES, Key, LISTS, SETS, SORTED_SETS, STRINGS, changed_nothing, random_command,
    words,
};
use crate::common::random::Random;
use crate::common::servers::Ours;
use crate::common::{StoreKind, scope_in_time};

const CLIENTS: usize = 16;
/// Commands of each client in one run. All of them together fit into the bits of a `u64`.
const EACH: usize = 4;
/// How many moves of money each client makes in the test of them.
const MOVES: usize = 10;
/// Members and fields that commands name: few, so that they meet.
const MEMBERS: usize = 2;

/// A command with its answer, and when it was under way.
#[derive(Debug, Clone)]
struct Call {
    command: String,
    answer: String,
    began: u64,
    ended: u64,
}

/// Whether the commands have an order that explains their answers, from no key on.
fn is_linearizable(history: &[Call]) -> bool {
    assert!(history.len() <= 64);
    // Those that ended first most likely come first.
    let mut history: Vec<&Call> = history.iter().collect();
    history.sort_by_key(|call| call.ended);
    let mut seen: HashSet<(u64, Key)> = HashSet::new();
    let mut ways = vec![(0_u64, Key::default())];
    while let Some((done, key)) = ways.pop() {
        let mut left = (0..history.len()).filter(|at| done >> at & 1 == 0);
        let Some(first) = left.next() else {
            return true;
        };
        // Whoever began after another had ended does not come before it.
        let first_end = history[first].ended;
        let may_be_next = |at: &usize| history[*at].began < first_end;
        let mut next = Vec::new();
        for at in [first].into_iter().chain(left.filter(may_be_next)) {
            let call = history[at];
            let mut after = key.clone();
            if after.apply(&call.command, &call.answer) != call.answer {
                continue;
            }
            let way = (done | 1 << at, after);
            if changed_nothing(&call.command, &call.answer) {
                // It may as well come now: whatever is possible now is possible behind it.
                next = vec![way];
                break;
            }
            next.push(way);
        }
        next.retain(|way| seen.insert(way.clone()));
        ways.extend(next.into_iter().rev());
    }
    false
}

/// Runs random commands of all clients on one key.
fn record(ours: &Ours, key: &str, commands: &[&[&str]], seed: u64) -> Vec<Call> {
    let clock = AtomicU64::new(0);
    let start = Barrier::new(CLIENTS);
    scope_in_time(|scope| {
        // All of them before anybody waits for all: who cannot connect would be waited for in vain.
        let clients = [(); CLIENTS].map(|()| Client::connect(ours.address));
        let clients: Vec<_> = (0..)
            .zip(clients)
            .map(|(number, mut client)| {
                let (clock, start) = (&clock, &start);
                scope.spawn(move || {
                    let mut random = Random::new(seed * 1000 + number);
                    start.wait();
                    let call = |_| {
                        let lines = if random.once_in(8) {
                            ANY
                        } else {
                            random.pick(commands)
                        };
                        let command = random_command(&mut random, lines, MEMBERS);
                        let words = words(&command, key);
                        let words = words.into_iter().map(|word| word.to_owned().into());
                        let words = [words.collect()];
                        let began = clock.fetch_add(1, Ordering::SeqCst);
                        let answer = client.pipeline(&words).remove(0);
                        let ended = clock.fetch_add(1, Ordering::SeqCst);
                        Call {
                            command,
                            answer: String::from_utf8(answer).unwrap(),
                            began,
                            ended,
                        }
                    };
                    (0..EACH).map(call).collect::<Vec<Call>>()
                })
            })
            .collect();
        let histories = clients.into_iter().map(|client| client.join().unwrap());
        histories.flatten().collect()
    })
}

/// Over each store. A single thread that serves puts what several clients ask into one transaction; two work at once.
fn every_history_has_an_order(commands: &[&[&str]]) {
    let histories = std::env::var("HISTORIES").map_or(40, |histories| histories.parse().unwrap());
    for kind in StoreKind::ALL {
        for threads in [1, 2] {
            let ours = Ours::start_on(threads, kind.open(), Options::default());
            for seed in 0..histories {
                let history = record(&ours, &format!("k{seed}"), commands, seed);
                assert!(
                    is_linearizable(&history),
                    "over {kind:?}, {threads} threads, seed {seed}: {history:#?}"
                );
            }
        }
    }
}

#[test]
fn every_history_of_a_string_has_an_order() {
    every_history_has_an_order(&[STRINGS]);
}

#[test]
fn every_history_of_a_hash_has_an_order() {
    every_history_has_an_order(&[HASHES]);
}

#[test]
fn every_history_of_a_list_has_an_order() {
    every_history_has_an_order(&[LISTS]);
}

#[test]
fn every_history_of_a_set_has_an_order() {
    every_history_has_an_order(&[SETS, SETS, CHOOSING]);
}

#[test]
fn every_history_of_a_sorted_set_has_an_order() {
    every_history_has_an_order(&[SORTED_SETS]);
}

#[test]
fn every_history_of_a_key_that_changes_its_type_has_an_order() {
    every_history_has_an_order(&[
        STRINGS,
        HASHES,
        LISTS,
        SETS,
        CHOOSING,
        SORTED_SETS,
        &["del"],
    ]);
}

/// The checker itself must refuse what has no order.
#[test]
fn a_history_without_an_order_is_refused() {
    let call = |command: &str, answer: &str, began, ended| Call {
        command: command.to_owned(),
        answer: answer.to_owned(),
        began,
        ended,
    };
    let add = |began, ended| call("zadd 1 m0", ":1\r\n", began, ended);
    let read = |answer, began, ended| call("zscore m0", answer, began, ended);
    let (nothing, one) = ("$-1\r\n", "$1\r\n1\r\n");
    // While the write is under way, a read may come before it or behind it.
    assert!(is_linearizable(&[add(0, 3), read(nothing, 1, 2)]));
    assert!(is_linearizable(&[add(0, 3), read(one, 1, 2)]));
    // Once it has ended, nobody reads what was before.
    assert!(!is_linearizable(&[add(0, 1), read(nothing, 2, 3)]));
    // Nor does anybody go back to it after somebody saw the new score.
    assert!(!is_linearizable(&[
        add(0, 9),
        read(one, 1, 2),
        read(nothing, 3, 4)
    ]));
    // Two commands at once, of which one may not have happened to the other: a lost update, the same thing taken
    // or made twice, an order that the answers do not have, a key of two types.
    for (one, other) in [
        (("zadd 1 m0", ":1\r\n"), ("zadd 2 m0", ":1\r\n")),
        (("zincrby 1 m0", one), ("zincrby 1 m0", one)),
        (("incr", ":1\r\n"), ("incr", ":1\r\n")),
        (("append 3", ":1\r\n"), ("append 4", ":1\r\n")),
        (("setnx 1", ":1\r\n"), ("setnx 2", ":1\r\n")),
        (("getset 1", nothing), ("getset 2", nothing)),
        (("hset m0 1", ":1\r\n"), ("hset m0 2", ":1\r\n")),
        (("hincrby m0 2", ":2\r\n"), ("hincrby m0 3", ":3\r\n")),
        (("rpush a", ":1\r\n"), ("lpush b", ":1\r\n")),
        (("lpush a", ":1\r\n"), ("lrange 0 -1", "*1\r\n$1\r\nb\r\n")),
        (("sadd m0", ":1\r\n"), ("sadd m0", ":1\r\n")),
        (("incr", ":1\r\n"), ("sadd m0", ":1\r\n")),
    ] {
        let both = [call(one.0, one.1, 0, 9), call(other.0, other.1, 1, 8)];
        assert!(!is_linearizable(&both), "{both:?}");
    }
    for (make, take, took) in [
        ("rpush a", "lpop", "$1\r\na\r\n"),
        ("sadd m0", "spop", "$2\r\nm0\r\n"),
        ("zadd 1 m0", "zpopmin", "*2\r\n$2\r\nm0\r\n$1\r\n1\r\n"),
        ("set 1", "del", ":1\r\n"),
    ] {
        let made = if make.starts_with("set") {
            "+OK\r\n"
        } else {
            ":1\r\n"
        };
        let once = [call(make, made, 0, 1), call(take, took, 2, 9)];
        assert!(is_linearizable(&once), "{once:?}");
        let twice = [&once[..], &[call(take, took, 3, 8)]].concat();
        assert!(!is_linearizable(&twice), "{twice:?}");
    }
}

/// Money moves between accounts, each time under `WATCH`. The sum stays, and no move is lost.
#[test]
fn transfers_under_watch_lose_nothing() {
    const ACCOUNTS: usize = 8;
    for kind in StoreKind::ALL {
        let ours = Ours::start(kind.open());
        let mut client = Client::connect(ours.address);
        for account in 0..ACCOUNTS {
            client.call(&["set", &format!("account:{account}"), "1000"]);
        }
        let address = ours.address;
        let movers: Vec<_> = (0..CLIENTS)
            .map(|number| {
                thread::spawn(move || {
                    let mut random = Random::new(number as u64);
                    let mut client = Client::connect(address);
                    for _ in 0..MOVES {
                        let from = random.below(ACCOUNTS);
                        let to = (from + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS;
                        transfer(&mut client, from, to);
                    }
                })
            })
            .collect();
        for mover in movers {
            mover.join().unwrap();
        }
        let balance = |account: usize| -> i64 {
            let reply = Client::connect(address).call(&["get", &format!("account:{account}")]);
            digits(&reply)
        };
        assert_eq!((0..ACCOUNTS).map(balance).sum::<i64>(), 8000);
        let moves = client.call(&["get", "moves"]);
        assert_eq!(digits(&moves), i64::try_from(CLIENTS * MOVES).unwrap());
    }
}

/// Moves 1 from an account to another, as often as somebody else was faster: at most once for each move of all.
fn transfer(client: &mut Client, from: usize, to: usize) {
    let (from, to) = (format!("account:{from}"), format!("account:{to}"));
    for _ in 0..=CLIENTS * MOVES {
        client.call(&["watch", &from, &to]);
        let left = digits(&client.call(&["get", &from])) - 1;
        let more = digits(&client.call(&["get", &to])) + 1;
        client.call(&["multi"]);
        client.call(&["set", &from, &left.to_string()]);
        client.call(&["set", &to, &more.to_string()]);
        client.call(&["incr", "moves"]);
        if client.call(&["exec"]) != "*-1\\r\\n" {
            return;
        }
    }
    panic!("nobody was faster");
}

/// The number in a bulk reply.
fn digits(reply: &str) -> i64 {
    let number = reply.split("\\r\\n").nth(1).unwrap();
    number.parse().unwrap_or_else(|_| panic!("{reply}"))
}

/// Clients give the same members ever new scores. Each member keeps one score, in both indexes.
#[test]
fn a_member_never_has_two_scores() {
    for kind in StoreKind::ALL {
        let store = kind.open();
        let ours = Ours::start(std::sync::Arc::clone(&store));
        let address = ours.address;
        let writers: Vec<_> = (0..CLIENTS)
            .map(|number| {
                thread::spawn(move || {
                    let mut client = Client::connect(address);
                    let mut random = Random::new(number as u64);
                    for _ in 0..100 {
                        let score = random.below(1000).to_string();
                        client.call(&["zadd", "z", &score, "a", &score, "b"]);
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        let mut client = Client::connect(address);
        assert_eq!(client.call(&["zcard", "z"]), ":2\\r\\n");
        assert_eq!(client.call(&["zcount", "z", "-inf", "inf"]), ":2\\r\\n");
        // Both members were always given one score in one command.
        assert_eq!(
            client.call(&["zscore", "z", "a"]),
            client.call(&["zscore", "z", "b"])
        );
        drop(ours);
        let report = redis_layer::types::check(&*store).unwrap();
        assert_eq!(report.faults, []);
    }
}
