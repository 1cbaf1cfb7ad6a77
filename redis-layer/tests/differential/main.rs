//! The same generated commands to a real redis-server and to ours: every reply, byte for byte.
//!
//! Runs over every store and both protocols. `DIFFERENTIAL_COMMANDS` says how many commands
//! altogether, `DIFFERENTIAL_SEED` where to begin. A failure is shrunk to the fewest commands
//! that still show it, and printed with its seed.
//!
//! What is generated: `generate.rs` and its files. How replies are compared: `compare.rs`. A score of
//! -0 is a known difference, see `docs/differences.md` and
//! `tests/behaviour/known_differences.rs`.

#[path = "../common/mod.rs"]
#[expect(dead_code, reason = "the tests beside use the rest")]
mod common;
mod compare;
mod generate;
mod shrink;
mod values;
mod waiting;

use std::collections::BTreeMap;
use std::iter;
use std::time::Instant;

use bytes::Bytes;

use common::StoreKind;
use common::client::{Client, Command};
use common::random::Random;
use common::servers::{Ours, RealRedis};
use compare::agree;
use generate::{Generator, NOT_GENERATED};
use redis_layer::commands::table::{Argument, COMMANDS, Handler, Spec, find_full_name};

/// How many commands run on one state before both servers are emptied.
const SCRIPT_LENGTH: usize = 200;
/// How many commands are sent at once.
const PIPELINE: usize = 20;

/// A connection to each server, with the same commands sent to both.
pub(crate) struct Pair {
    real: Client,
    ours: Client,
}

/// A reply of ours that is not the real one.
#[derive(Debug)]
pub(crate) struct Mismatch {
    /// Which command of the script.
    pub(crate) at: usize,
    pub(crate) real: Vec<u8>,
    pub(crate) ours: Vec<u8>,
}

impl Pair {
    fn new(real: &RealRedis, ours: &Ours, protocol: &str) -> Self {
        let mut pair = Self {
            real: Client::connect(real.address),
            ours: Client::connect(ours.address),
        };
        for client in [&mut pair.real, &mut pair.ours] {
            assert!(!client.call(&["hello", protocol]).starts_with('-'));
            // Whether a command is slow is a matter of the machine.
            client.call(&["config", "set", "slowlog-log-slower-than", "-1"]);
        }
        pair
    }

    /// Runs a script on empty servers, up to the first reply that differs.
    pub(crate) fn run(&mut self, script: &[Command]) -> Option<Mismatch> {
        for client in [&mut self.real, &mut self.ours] {
            // Whatever the last script left open.
            client.call(&["discard"]);
            client.call(&["unwatch"]);
            client.call(&["select", "0"]);
            client.call(&["client", "setname", ""]);
            client.call(&["script", "flush"]);
            client.call(&["flushall"]);
        }
        let mut at = 0;
        let mut queued = Vec::new();
        for commands in script.chunks(PIPELINE) {
            let real = self.real.pipeline(commands);
            let ours = self.ours.pipeline(commands);
            for ((command, real), ours) in commands.iter().zip(real).zip(ours) {
                if !agree(command, &queued, &real, &ours) {
                    return Some(Mismatch { at, real, ours });
                }
                if real == b"+QUEUED\r\n" {
                    queued.push(command.clone());
                } else if ends_a_transaction(command) {
                    queued.clear();
                }
                at += 1;
            }
        }
        None
    }
}

/// Not `MULTI`: inside another one it is refused, and what is queued stays.
fn ends_a_transaction(command: &Command) -> bool {
    [&b"exec"[..], b"discard"]
        .iter()
        .any(|name| command[0].eq_ignore_ascii_case(name))
}

fn number_from_environment(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name}={text}"))
    })
}

#[test]
fn replies_over_a_tree_are_those_of_a_real_server() {
    agree_with_a_real_server(StoreKind::BTree);
}

#[test]
fn replies_over_the_engine_are_those_of_a_real_server() {
    agree_with_a_real_server(StoreKind::Engine);
}

/// One store's share of the commands, half of it in each protocol.
fn agree_with_a_real_server(kind: StoreKind) {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let commands = number_from_environment("DIFFERENTIAL_COMMANDS", 120_000);
    let first_seed = number_from_environment("DIFFERENTIAL_SEED", 1);
    let protocols = ["2", "3"];
    let worlds = StoreKind::ALL
        .into_iter()
        .flat_map(|kind| protocols.map(|protocol| (kind, protocol)));
    let scripts = commands.div_ceil((SCRIPT_LENGTH * worlds.clone().count()) as u64);
    let started = Instant::now();
    let ours = Ours::start(kind.open());
    for (world, (of_kind, protocol)) in (0..).zip(worlds) {
        if of_kind != kind {
            continue;
        }
        // Other seeds in each world, so that n commands are n different ones; but a seed that is asked
        // for runs in all of them, because a failure may show in one only.
        let first = match std::env::var_os("DIFFERENTIAL_SEED") {
            Some(_) => first_seed,
            None => first_seed + world * scripts,
        };
        let mut pair = Pair::new(&real, &ours, protocol);
        for seed in first..first + scripts {
            let script = Generator::new(Random::new(seed)).script(SCRIPT_LENGTH);
            if let Some(mismatch) = pair.run(&script) {
                let (script, mismatch) = shrink::shrink(&mut pair, script, mismatch);
                panic!("{}", report(kind, protocol, seed, &script, &mismatch));
            }
        }
    }
    let total = scripts * (SCRIPT_LENGTH * protocols.len()) as u64;
    eprintln!(
        "{total} commands agreed in {:.1} s",
        started.elapsed().as_secs_f64()
    );
}

fn report(
    kind: StoreKind,
    protocol: &str,
    seed: u64,
    script: &[Command],
    mismatch: &Mismatch,
) -> String {
    let lines = script
        .iter()
        .map(|command| format!("    {}\n", words(command)));
    format!(
        "over {kind:?}, RESP{protocol}, DIFFERENTIAL_SEED={seed}:\n{}real: {}\nours: {}",
        lines.collect::<String>(),
        shown(&mismatch.real),
        shown(&mismatch.ours)
    )
}

/// The start of a reply.
fn shown(reply: &[u8]) -> String {
    let start = &reply[..reply.len().min(2000)];
    format!("{} ({} bytes)", start.escape_ascii(), reply.len())
}

/// A command as redis-cli would take it.
fn words(command: &Command) -> String {
    let quoted = |arg: &Bytes| format!("\"{}\"", arg.escape_ascii());
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// The comparison itself must be able to fail, and the shrinking to find the cause.
#[test]
fn a_difference_is_found_and_shrunk_to_its_cause() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let mut pair = Pair::new(&real, &ours, "2");
    let command = |line: &str| line.split(' ').map(common::unescape).collect::<Command>();
    // A known difference: the payload of a string that Redis compresses, of which each half alone is too short.
    let half = format!("append half {}", "a".repeat(15));
    let script = [
        "set s v",
        "zadd other 1 a",
        &half,
        "get s",
        &half,
        "zcard other",
        "dump half",
        "exists s",
    ];
    let script: Vec<Command> = script.into_iter().map(command).collect();
    let mismatch = pair.run(&script).expect("the known difference");
    assert_eq!(mismatch.at, 6);
    let (script, mismatch) = shrink::shrink(&mut pair, script, mismatch);
    assert_eq!(
        script.len(),
        3,
        "{}",
        report(StoreKind::BTree, "2", 0, &script, &mismatch)
    );
    let is_plain = |reply: &[u8]| reply.windows(30).any(|bytes| bytes == [b'a'; 30]);
    assert!(!is_plain(&mismatch.real) && is_plain(&mismatch.ours));
}

/// Many commands, in lower case, each by its own name or by the one of its subcommand.
fn commands_by_name() -> BTreeMap<Vec<u8>, Vec<Vec<Vec<u8>>>> {
    let mut made: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for seed in 0..400 {
        for command in Generator::new(Random::new(seed)).script(SCRIPT_LENGTH) {
            let lower = |word: &Bytes| word.to_ascii_lowercase();
            let words: Vec<Vec<u8>> = command.iter().map(lower).collect();
            let with_sub = words.get(1).map(|sub| [&words[0], &**sub].join(&b'|'));
            let spec = with_sub.filter(|name| find_full_name(name).is_some());
            let name = spec.unwrap_or_else(|| words[0].clone());
            made.entry(name).or_default().push(words);
        }
    }
    made
}

/// Every command and subcommand of the table that has to be generated.
fn all_specs() -> impl Iterator<Item = &'static Spec> {
    let excused = |name: &str| NOT_GENERATED.iter().any(|(excused, _)| *excused == name);
    let is_container = |spec: &Spec| matches!(spec.handler, Handler::Container);
    COMMANDS
        .iter()
        .flat_map(|spec| iter::once(*spec).chain(spec.subcommands))
        .filter(move |spec| !is_container(spec) && !excused(spec.full_name))
}

/// A command without a generator is compared with nothing.
#[test]
fn every_command_of_the_table_is_generated_or_has_its_reason() {
    let made = commands_by_name();
    let missing: Vec<&str> = all_specs()
        .map(|spec| spec.full_name)
        .filter(|name| !made.contains_key(name.as_bytes()))
        .collect();
    assert_eq!(
        missing, [""; 0],
        "make them in generate/, or give each a reason in NOT_GENERATED"
    );
    for (name, reason) in NOT_GENERATED {
        assert!(
            find_full_name(name.as_bytes()).is_some(),
            "{name}: {reason}"
        );
    }
}

/// Nor is an option that no command has.
#[test]
fn every_option_of_a_command_is_generated() {
    fn tokens(arguments: &[Argument], found: &mut Vec<&'static str>) {
        for argument in arguments {
            found.extend(argument.token);
            tokens(argument.kind.parts(), found);
        }
    }
    let made = commands_by_name();
    let mut missing = Vec::new();
    for spec in all_specs() {
        let mut options = Vec::new();
        tokens(&spec.arguments(), &mut options);
        let commands = made.get(spec.full_name.as_bytes());
        let words = commands.into_iter().flatten().flatten();
        let is_made = |option: &str| {
            let option = option.to_ascii_lowercase();
            words.clone().any(|word| *word == option.as_bytes())
        };
        options.retain(|option| !is_made(option));
        missing.extend(options.iter().map(|option| (spec.full_name, *option)));
    }
    assert_eq!(missing, [("", ""); 0], "make them in generate/");
}
