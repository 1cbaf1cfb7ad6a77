//! Commands that wait, with a second client that writes: the same two scripts to a real server and to ours, and every
//! answer of both clients compared.

use super::Pair;
use crate::common::client::{Client, Command, encode};
use crate::common::random::Random;
use crate::common::servers::{Ours, RealRedis};
use crate::common::{StoreKind, unescape, without_a_line};
use crate::compare::agree;
use redis_layer::commands::table::{COMMANDS, Flag, Handler};

/// What one client waits for: longer than anything takes, so that it is served in the end.
const WAITS: [&str; 14] = [
    "bzpopmin z0 100",
    "bzpopmax z1 z0 100",
    "bzmpop 100 1 z0 min",
    "bzmpop 100 2 z1 z0 MAX count 2",
    "blpop q0 100",
    "brpop q1 q0 100",
    "blmove q0 q1 left right 100",
    "blmove q0 q0 RIGHT LEFT 100",
    "brpoplpush q0 q2 100",
    "blmpop 100 1 q0 left",
    "blmpop 100 2 q1 q0 RIGHT count 2",
    "blpop z0 q0 100",
    "bzpopmin q0 z0 100",
    "blpop nothing 0.05",
];

/// A command that waits and is forgotten here is never compared while it waits.
#[test]
fn every_command_that_waits_is_waited_for() {
    let missing: Vec<&str> = without_a_line(Flag::Blocking, &WAITS).collect();
    assert!(
        missing.is_empty(),
        "add a line to WAITS for each of these: {missing:?}"
    );
}

/// A command that waits is run again when its keys change: in a transaction, without its connection.
#[test]
fn every_command_that_waits_works_on_keys_alone() {
    for spec in COMMANDS.iter().filter(|spec| spec.has(Flag::Blocking)) {
        let handler = &spec.handler;
        assert!(
            matches!(handler, Handler::Keys(_)),
            "{}: its handler has to be Keys, and is {handler:?}",
            spec.name
        );
    }
}

/// What the other client does meanwhile.
const WRITES: [&str; 26] = [
    "zadd z0 1 a",
    "zadd z0 1 a 2 b 3 c",
    "zadd z1 5 x",
    "zincrby z0 2 a",
    "zunionstore z0 1 other",
    "zrangestore z0 other 0 0",
    "geoadd z0 1 1 p",
    "rename other z0",
    "copy other z0",
    "rpush q0 a",
    "lpush q0 a b c",
    "rpush q1 x",
    "linsert q0 before a b",
    "rpoplpush list q0",
    "lmove list q0 left left",
    "rename list q0",
    "copy list q0",
    "sort list alpha store q0",
    "set z0 v",
    "set q0 v",
    "del z0 q0",
    "sadd q0 x",
    "multi",
    "exec",
    "flushall",
    "lpushx q0 z",
];

const ENDS: [&str; 8] = [
    "zrange z0 0 -1 withscores",
    "zrange z1 0 -1 withscores",
    "lrange q0 0 -1",
    "lrange q1 0 -1",
    "lrange q2 0 -1",
    "type z0",
    "type q0",
    "dbsize",
];

fn command(line: &str) -> Command {
    line.split(' ').map(unescape).collect()
}

/// Two clients of one server.
struct Two {
    waiter: Client,
    writer: Client,
}

impl Two {
    /// The answers of the waiting client, then those of the writing one.
    fn run(&mut self, wait: &str, writes: &[&str]) -> Vec<Vec<u8>> {
        for line in ["flushall", "zadd other 7 o 8 p", "rpush list l m n"] {
            self.writer.pipeline(&[command(line)]);
        }
        self.waiter.send(&encode(&command(wait))).unwrap();
        // Until it is known to wait, or had its answer.
        self.waiter.settle();
        let mut written: Vec<Vec<u8>> = Vec::new();
        for line in writes {
            written.extend(self.writer.pipeline(&[command(line)]));
        }
        // Nobody who got nothing so far waits any longer.
        for line in [
            "discard",
            "del z0 z1 q0 q1",
            "zadd z0 99 last",
            "zadd z1 99 last",
        ] {
            self.writer.pipeline(&[command(line)]);
        }
        self.writer
            .pipeline(&[command("rpush q0 last"), command("rpush q1 last")]);
        let mut answers = vec![self.waiter.reply().unwrap()];
        answers.extend(written);
        let ends: Vec<Command> = ENDS.iter().map(|line| command(line)).collect();
        answers.extend(self.writer.pipeline(&ends));
        answers
    }
}

#[test]
fn clients_that_wait_are_served_alike() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let mut random = Random::new(11);
    for kind in StoreKind::ALL {
        let ours = Ours::start(kind.open());
        for protocol in ["2", "3"] {
            let pairs = [(); 2].map(|()| Pair::new(&real, &ours, protocol));
            let [waiters, writers] = pairs;
            let mut on_real = Two {
                waiter: waiters.real,
                writer: writers.real,
            };
            let mut on_ours = Two {
                waiter: waiters.ours,
                writer: writers.ours,
            };
            for _ in 0..120 {
                let wait = random.pick(&WAITS);
                let writes: Vec<&str> = (0..1 + random.below(4))
                    .map(|_| random.pick(&WRITES))
                    .collect();
                // Redis wakes nobody when a result is stored over a key of another type: a known difference.
                let overwrites = |writes: &[&str]| {
                    let has = |part| writes.iter().any(|line| line.contains(part));
                    has("set ") && has("store ")
                };
                if overwrites(&writes) {
                    continue;
                }
                let expected = on_real.run(wait, &writes);
                let answers = on_ours.run(wait, &writes);
                let same =
                    |(real, ours): (&Vec<u8>, &Vec<u8>)| agree(&command("any"), &[], real, ours);
                let all_same = expected.iter().zip(&answers).all(same);
                let show = |answers: &[Vec<u8>]| -> String {
                    let lines = answers
                        .iter()
                        .map(|answer| format!("\n    {}", answer.escape_ascii()));
                    lines.collect()
                };
                assert!(
                    all_same,
                    "over {kind:?}, RESP{protocol}: {wait} while {writes:?}\nreal: {}\nours: {}",
                    show(&expected),
                    show(&answers)
                );
            }
        }
    }
}
