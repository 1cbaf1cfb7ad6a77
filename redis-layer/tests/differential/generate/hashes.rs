//! Hashes.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::{FLOATS, HASHES};

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    vec![match g.below(12) {
        0..=3 => set(g),
        4..=6 => read(g),
        7 => change(g),
        8 => add(g),
        9 => random(g),
        10 => scan(g),
        _ => many(g),
    }]
}

/// A field, often of a few that hold numbers.
fn field(g: &mut Generator) -> &'static [u8] {
    if g.once_in(2) {
        return g.pick(&[&b"n"[..], b"f", b"i"]);
    }
    g.member()
}

fn value(g: &mut Generator) -> &'static [u8] {
    match g.below(3) {
        0 => g.integer(),
        1 => g.pick(&FLOATS).as_bytes(),
        _ => g.member(),
    }
}

fn set(g: &mut Generator) -> Command {
    let key = g.key(&HASHES);
    if g.once_in(4) {
        return args([b"hsetnx", key, field(g), value(g)]);
    }
    let name = g.pick(&[&b"hset"[..], b"hset", b"hmset"]);
    let mut command = args([name, key]);
    for _ in 0..1 + g.below(4) {
        command.push(Bytes::from_static(field(g)));
        command.push(Bytes::from_static(value(g)));
    }
    command
}

fn read(g: &mut Generator) -> Command {
    let key = g.key(&HASHES);
    match g.below(8) {
        0 => args([b"hget", key, field(g)]),
        1 => args([b"hmget", key, field(g), field(g), field(g)]),
        2 => args([b"hgetall", key]),
        3 => args([b"hkeys", key]),
        4 => args([b"hvals", key]),
        5 => args([b"hlen", key]),
        6 => args([b"hexists", key, field(g)]),
        _ => args([b"hstrlen", key, field(g)]),
    }
}

fn change(g: &mut Generator) -> Command {
    let mut command = args([b"hdel", g.key(&HASHES)]);
    for _ in 0..1 + g.below(6) {
        command.push(Bytes::from_static(field(g)));
    }
    command
}

fn add(g: &mut Generator) -> Command {
    let key = g.key(&HASHES);
    if g.once_in(2) {
        return args([b"hincrby", key, field(g), g.integer()]);
    }
    args([b"hincrbyfloat", key, field(g), g.pick(&FLOATS).as_bytes()])
}

fn random(g: &mut Generator) -> Command {
    let mut command = args([b"hrandfield", g.key(&HASHES)]);
    if g.once_in(3) {
        return command;
    }
    // Not -9223372036854775808: nor anything else that would make Redis answer for ever.
    let counts = ["0", "1", "2", "300", "-1", "-5", "9223372036854775807"];
    let bad = ["x", "-9223372036854775808", ""];
    command.push(Bytes::from_static(if g.once_in(6) {
        g.pick(&bad).as_bytes()
    } else {
        g.pick(&counts).as_bytes()
    }));
    g.push_options(&mut command, &["withvalues", "WITHVALUES", "x"]);
    command
}

fn scan(g: &mut Generator) -> Command {
    let cursor = g.pick(&[&b"0"[..], b"0", b"0", b"", b"x", b"-1x", b" 0"]);
    let mut command = args([b"hscan", g.key(&HASHES), cursor]);
    g.push_scan_options(&mut command);
    command
}

/// Enough fields, or long enough ones, for Redis to leave its compact form.
fn many(g: &mut Generator) -> Command {
    let mut command = args([b"hset", g.key(&HASHES)]);
    let start = g.start(b"field");
    for field in 0..1 + g.below(80) {
        command.push([start, field.to_string().as_bytes()].concat().into());
        command.push("v".repeat(g.below(100)).into());
    }
    command
}
