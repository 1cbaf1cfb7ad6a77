//! Sixteen clients at once, and a history that must have an order.
//!
//! A history holds each command with the moment before it was sent and the moment after its answer came. It
//! is *linearizable* (Herlihy and Wing, 1990) if the commands can be put into one order in which each gets its answer,
//! and in which a command that ended before another began comes before it. The search is that of Wing and Gong
//! (1993): try every command that may come next, and remember which sets of commands led to which state, so
//! that none is tried twice (Lowe, 2017).
//!
//! Histories of many short runs find more than one long run, and their search is quick.

mod common;

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use common::StoreKind;
use common::client::Client;
use common::random::Random;
use common::servers::Ours;

const CLIENTS: usize = 16;
/// Commands of each client in one run. All of them together fit into the bits of a `u64`.
const EACH: usize = 4;
const RUNS: u64 = 40;

/// A command on one sorted set.
#[derive(Debug, Clone, PartialEq)]
enum Operation {
    Add(usize, i64),
    Increment(usize, i64),
    Remove(usize),
    Score(usize),
    PopLeast,
    Count,
}

/// A command with its answer, and when it was under way.
#[derive(Debug, Clone)]
struct Call {
    operation: Operation,
    answer: String,
    began: u64,
    ended: u64,
}

const MEMBERS: usize = 3;

/// What a sorted set holds: scores by member. The search makes and compares millions of them.
type State = [Option<i64>; MEMBERS];

impl Operation {
    fn random(random: &mut Random) -> Self {
        let member = random.below(MEMBERS);
        let score = i64::try_from(random.below(5)).unwrap();
        match random.below(8) {
            0 | 1 => Self::Add(member, score),
            2 | 3 => Self::Increment(member, score),
            4 => Self::Remove(member),
            5 => Self::Score(member),
            6 => Self::PopLeast,
            _ => Self::Count,
        }
    }

    fn words(&self, key: &str) -> Vec<String> {
        let name = |member: &usize| format!("m{member}");
        let (first, rest) = match self {
            Self::Add(member, score) => ("zadd", vec![score.to_string(), name(member)]),
            Self::Increment(member, by) => ("zincrby", vec![by.to_string(), name(member)]),
            Self::Remove(member) => ("zrem", vec![name(member)]),
            Self::Score(member) => ("zscore", vec![name(member)]),
            Self::PopLeast => ("zpopmin", vec![]),
            Self::Count => ("zcard", vec![]),
        };
        let start = [first.to_owned(), key.to_owned()];
        start.into_iter().chain(rest).collect()
    }

    /// What the command answers in a state, and the state that it leaves.
    fn apply(&self, state: &State) -> (String, State) {
        let mut after = *state;
        let bulk = |text: String| format!("${}\\r\\n{text}\\r\\n", text.len());
        let number = |number: usize| format!(":{number}\\r\\n");
        let answer = match self {
            Self::Add(member, score) => {
                number(usize::from(after[*member].replace(*score).is_none()))
            }
            Self::Increment(member, by) => {
                let score = after[*member].unwrap_or(0) + by;
                after[*member] = Some(score);
                bulk(score.to_string())
            }
            Self::Remove(member) => number(usize::from(after[*member].take().is_some())),
            Self::Score(member) => match after[*member] {
                Some(score) => bulk(score.to_string()),
                None => "$-1\\r\\n".to_owned(),
            },
            Self::PopLeast => {
                let scores = after.iter().enumerate();
                let held = scores.filter_map(|(member, score)| Some(((*score)?, member)));
                match held.min() {
                    Some((score, member)) => {
                        after[member] = None;
                        let pair = bulk(format!("m{member}")) + &bulk(score.to_string());
                        format!("*2\\r\\n{pair}")
                    }
                    None => "*0\\r\\n".to_owned(),
                }
            }
            Self::Count => number(after.iter().flatten().count()),
        };
        (answer, after)
    }
}

/// Whether the commands have an order that explains their answers, from an empty set on.
fn is_linearizable(history: &[Call]) -> bool {
    assert!(history.len() <= 64);
    let mut seen: HashSet<(u64, State)> = HashSet::new();
    let mut ways = vec![(0_u64, State::default())];
    while let Some((done, state)) = ways.pop() {
        if done.count_ones() as usize == history.len() {
            return true;
        }
        let left = (0..history.len()).filter(|at| done >> at & 1 == 0);
        // Whoever began after another had ended does not come before it.
        let first_end = left.clone().map(|at| history[at].ended).min();
        for at in left {
            let call = &history[at];
            if Some(call.began) > first_end {
                continue;
            }
            let (answer, after) = call.operation.apply(&state);
            let way = (done | 1 << at, after);
            if answer == call.answer && seen.insert(way) {
                ways.push(way);
            }
        }
    }
    false
}

/// Runs random commands of all clients on one key.
fn record(ours: &Ours, key: &str, seed: u64) -> Vec<Call> {
    let clock = AtomicU64::new(0);
    let start = Barrier::new(CLIENTS);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (clock, start) = (&clock, &start);
                scope.spawn(move || {
                    let mut random = Random::new(seed * 1000 + number as u64);
                    let mut client = Client::connect(ours.address);
                    start.wait();
                    let call = |_| {
                        let operation = Operation::random(&mut random);
                        let words = operation.words(key);
                        let words: Vec<&str> = words.iter().map(String::as_str).collect();
                        let began = clock.fetch_add(1, Ordering::SeqCst);
                        let answer = client.call(&words);
                        let ended = clock.fetch_add(1, Ordering::SeqCst);
                        Call {
                            operation,
                            answer,
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

#[test]
fn every_history_over_a_tree_has_an_order() {
    every_history_has_an_order(StoreKind::BTree);
}

#[test]
fn every_history_over_the_engine_has_an_order() {
    every_history_has_an_order(StoreKind::Engine);
}

fn every_history_has_an_order(kind: StoreKind) {
    let ours = Ours::start(kind.open());
    for seed in 0..RUNS {
        let history = record(&ours, &format!("z{seed}"), seed);
        assert!(
            is_linearizable(&history),
            "over {kind:?}, seed {seed}: {history:#?}"
        );
    }
}

/// The checker itself must refuse what has no order.
#[test]
fn a_history_without_an_order_is_refused() {
    let call = |operation, answer: &str, began, ended| Call {
        operation,
        answer: answer.to_owned(),
        began,
        ended,
    };
    let add = |began, ended| call(Operation::Add(0, 1), ":1\\r\\n", began, ended);
    let read = |answer, began, ended| call(Operation::Score(0), answer, began, ended);
    let (nothing, one) = ("$-1\\r\\n", "$1\\r\\n1\\r\\n");
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
    // A member is new once.
    assert!(!is_linearizable(&[add(0, 9), add(1, 8)]));
    // An increment that nobody saw is lost.
    let increment = |began, ended| call(Operation::Increment(0, 1), one, began, ended);
    assert!(!is_linearizable(&[increment(0, 9), increment(1, 8)]));
}

/// Money moves between accounts, each time under `WATCH`. The sum stays, and no move is lost.
#[test]
fn transfers_under_watch_lose_nothing() {
    const ACCOUNTS: usize = 8;
    const MOVES: usize = 10;
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

/// Moves 1 from an account to another, as often as somebody else was faster.
fn transfer(client: &mut Client, from: usize, to: usize) {
    let (from, to) = (format!("account:{from}"), format!("account:{to}"));
    loop {
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
