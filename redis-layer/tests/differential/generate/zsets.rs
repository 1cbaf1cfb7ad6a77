//! Sorted sets.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::{LEX_KEYS, SORTED_SETS};

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let command = match g.below(25) {
        0..=8 => add(g),
        9..=11 => change(g),
        12..=15 => ask(g),
        16..=20 => range(g),
        21..=23 => lex(g),
        _ => add_many(g),
    };
    vec![command]
}

fn add(g: &mut Generator) -> Command {
    let mut command = args([b"zadd", g.key(&SORTED_SETS)]);
    if g.once_in(2) {
        g.push_options(&mut command, &["nx", "xx", "GT", "lt", "ch", "INCR"]);
    }
    for _ in 0..1 + g.below(3) {
        command.push(Bytes::from_static(g.score()));
        command.push(Bytes::from_static(g.member()));
    }
    command
}

/// Enough members for Redis to leave its compact form for a skip list.
fn add_many(g: &mut Generator) -> Command {
    let mut command = args([b"zadd", g.key(&SORTED_SETS)]);
    let scores = 1 + g.below(200);
    for member in 0..100 + g.below(60) {
        command.push(g.below(scores).to_string().into());
        command.push(format!("m{member}").into());
    }
    command
}

fn change(g: &mut Generator) -> Command {
    let key = g.key(&SORTED_SETS);
    let mut command = match g.below(5) {
        0 => args([b"zincrby", key, g.score(), g.member()]),
        1 => args([b"zrem", key, g.member(), g.member()]),
        2 => args([b"zpopmin", key]),
        3 => args([b"zpopmax", key]),
        _ => args([b"zpopmin", key, g.integer()]),
    };
    if command[0] == b"zpopmax".as_slice() && g.once_in(2) {
        command.push(Bytes::from_static(g.integer()));
    }
    command
}

fn ask(g: &mut Generator) -> Command {
    let key = g.key(&SORTED_SETS);
    match g.below(6) {
        0 => args([b"zscore", key, g.member()]),
        1 => args([b"zmscore", key, g.member(), g.member()]),
        2 => args([b"zcard", key]),
        3 => args([b"zcount", key, g.bound(), g.bound()]),
        4 => args([b"zrank", key, g.member()]),
        _ => args([b"zrevrank", key, g.member()]),
    }
}

fn range(g: &mut Generator) -> Command {
    let key = g.key(&SORTED_SETS);
    let mut command = match g.below(6) {
        0 => args([b"zrange", key, g.integer(), g.integer()]),
        1 => args([b"zrevrange", key, g.integer(), g.integer()]),
        2 => args([b"zrange", key, g.bound(), g.bound(), b"byscore"]),
        3 => args([b"zrange", key, g.bound(), g.bound(), b"BYSCORE", b"rev"]),
        4 => args([b"zrangebyscore", key, g.bound(), g.bound()]),
        _ => args([b"zrevrangebyscore", key, g.bound(), g.bound()]),
    };
    let is_by_score = command.len() > 4 || command[0].ends_with(b"byscore");
    if g.once_in(2) {
        g.push_options(&mut command, &["withscores", "WITHSCORES", "rev"]);
    }
    if g.once_in(if is_by_score { 2 } else { 10 }) {
        let limit = args([b"limit", g.integer(), g.integer()]);
        command.extend(limit);
    }
    command
}

fn lex_bound(g: &mut Generator) -> Bytes {
    match g.below(8) {
        0 => Bytes::from_static(b"-"),
        1 => Bytes::from_static(b"+"),
        2 => Bytes::from_static(g.pick(&[&b""[..], b"a", b"+x", b"-\x00", b"1"])),
        3..=5 => [b"[", g.member()].concat().into(),
        _ => [b"(", g.member()].concat().into(),
    }
}

fn lex(g: &mut Generator) -> Command {
    let key = g.pick(&LEX_KEYS);
    let (from, to) = (lex_bound(g), lex_bound(g));
    let mut command = match g.below(9) {
        0..=2 => {
            let mut command = args([b"zadd", key]);
            for _ in 0..1 + g.below(4) {
                command.push(Bytes::from_static(b"0"));
                command.push(Bytes::from_static(g.member()));
            }
            return command;
        }
        3 => return args([b"zrem", key, g.member()]),
        4 => return args([b"zlexcount", key, &from, &to]),
        5 => args([b"zrangebylex", key, &from, &to]),
        6 => args([b"zrevrangebylex", key, &from, &to]),
        7 => args([b"zrange", key, &from, &to, b"bylex"]),
        _ => args([b"zrange", key, &from, &to, b"bylex", b"rev"]),
    };
    if g.once_in(2) {
        command.extend(args([b"limit", g.integer(), g.integer()]));
    }
    if g.once_in(10) {
        command.push(Bytes::from_static(b"withscores"));
    }
    command
}
