//! Sets.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::SETS;

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    vec![match g.below(12) {
        0..=2 => add(g),
        3..=4 => read(g),
        5 => remove(g),
        6..=7 => combine(g),
        8 => intersection_size(g),
        9 => return random(g),
        10 => scan(g),
        _ => many(g),
    }]
}

/// A member, often an integer, because Redis has a compact form for sets of them.
fn member(g: &mut Generator) -> &'static [u8] {
    if g.once_in(2) {
        return g.integer();
    }
    g.member()
}

fn with_members(g: &mut Generator, name: &'static [u8], most: usize) -> Command {
    let mut command = args([name, g.key(&SETS)]);
    for _ in 0..1 + g.below(most) {
        command.push(Bytes::from_static(member(g)));
    }
    command
}

fn add(g: &mut Generator) -> Command {
    with_members(g, b"sadd", 5)
}

fn remove(g: &mut Generator) -> Command {
    if g.once_in(2) {
        return args([b"smove", g.key(&SETS), g.key(&SETS), member(g)]);
    }
    with_members(g, b"srem", 6)
}

fn read(g: &mut Generator) -> Command {
    match g.below(4) {
        0 => args([b"sismember", g.key(&SETS), member(g)]),
        1 => with_members(g, b"smismember", 4),
        2 => args([b"scard", g.key(&SETS)]),
        _ => args([b"smembers", g.key(&SETS)]),
    }
}

fn combine(g: &mut Generator) -> Command {
    let name = g.pick(&[
        &b"sinter"[..],
        b"sunion",
        b"sdiff",
        b"sinterstore",
        b"sunionstore",
        b"sdiffstore",
    ]);
    let mut command = args([name]);
    for _ in 0..2 + g.below(3) {
        command.push(Bytes::from_static(g.key(&SETS)));
    }
    command
}

fn intersection_size(g: &mut Generator) -> Command {
    let count = g.pick(&[&b"1"[..], b"2", b"2", b"0", b"-1", b"x", b"9"]);
    let mut command = args([b"sintercard", count, g.key(&SETS), g.key(&SETS)]);
    if count == b"1" {
        command.truncate(3);
    }
    if g.once_in(2) {
        command.extend(args([b"LIMIT", g.integer()]));
    }
    command
}

/// Chance: what is removed must be gone on both sides, so the set goes with it.
fn random(g: &mut Generator) -> Vec<Command> {
    let key = g.key(&SETS);
    let counts = ["0", "1", "2", "300", "9223372036854775807", "-1", "-7"];
    let bad = ["x", "-9223372036854775808", ""];
    let name = g.pick(&[&b"spop"[..], b"srandmember"]);
    let mut command = args([name, key]);
    if g.once_in(2) {
        let count = if g.once_in(6) {
            g.pick(&bad)
        } else {
            g.pick(&counts)
        };
        command.push(Bytes::from_static(count.as_bytes()));
    }
    if name == b"spop" {
        return vec![command, args([b"scard", key]), args([b"del", key])];
    }
    vec![command]
}

fn scan(g: &mut Generator) -> Command {
    let cursor = g.pick(&[&b"0"[..], b"0", b"0", b"+0", b"-", b"18446744073709551616"]);
    let mut command = args([b"sscan", g.key(&SETS), cursor]);
    g.push_scan_options(&mut command);
    command
}

/// Enough members for Redis to leave its compact form.
fn many(g: &mut Generator) -> Command {
    let mut command = args([b"sadd", g.key(&SETS)]);
    let from = g.below(50);
    let start = g.start(b"");
    for member in from..from + g.below(100) + 1 {
        command.push([start, member.to_string().as_bytes()].concat().into());
    }
    command
}
