//! Sorted sets.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::{LEX_KEYS, SETS, SORTED_SETS};

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let command = match g.below(36) {
        34 => random(g),
        35 => scan(g),
        0..=8 => add(g),
        9..=12 => change(g),
        13..=16 => ask(g),
        17..=21 => range(g),
        22..=24 => lex(g),
        25 => add_many(g),
        26..=29 => algebra(g),
        30 => range_store(g),
        31..=32 => pop_many(g),
        _ => pop_or_wait(g),
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
    let start = g.start(b"m");
    for member in 0..100 + g.below(60) {
        command.push(g.below(scores).to_string().into());
        command.push([start, member.to_string().as_bytes()].concat().into());
    }
    command
}

fn change(g: &mut Generator) -> Command {
    let key = g.key(&SORTED_SETS);
    let mut command = match g.below(7) {
        5 => {
            let (start, stop) = (g.integer(), g.integer());
            args([b"zremrangebyrank", key, start, stop])
        }
        6 => args([b"zremrangebyscore", key, g.bound(), g.bound()]),
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

/// A set and a range of its members whose answer is not chance.
fn lex_range(g: &mut Generator) -> (&'static [u8], Bytes, Bytes) {
    if g.once_in(4) {
        let mut end = || Bytes::from_static(g.pick(&[&b"-"[..], b"+"]));
        let (from, to) = (end(), end());
        return (g.key(&SORTED_SETS), from, to);
    }
    (g.pick(&LEX_KEYS), lex_bound(g), lex_bound(g))
}

fn lex(g: &mut Generator) -> Command {
    let (key, from, to) = lex_range(g);
    let mut command = match g.below(10) {
        0..=3 if !LEX_KEYS.contains(&key) => return args([b"zlexcount", key, &from, &to]),
        9 => return args([b"zremrangebylex", key, &from, &to]),
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

/// A number of keys, mostly the right one, and the keys: sorted sets, or plain ones.
fn push_keys(g: &mut Generator, command: &mut Command) -> usize {
    let count = 1 + g.below(3);
    let said = if g.once_in(12) {
        g.integer().to_vec()
    } else {
        count.to_string().into_bytes()
    };
    command.push(said.into());
    for _ in 0..count {
        let keys: &[_] = if g.once_in(4) { &SETS } else { &SORTED_SETS };
        command.push(Bytes::from_static(g.key(keys)));
    }
    count
}

fn algebra(g: &mut Generator) -> Command {
    let name = g.pick(&[
        "zunion",
        "zinter",
        "zdiff",
        "zunionstore",
        "zinterstore",
        "zdiffstore",
        "zintercard",
    ]);
    let mut command = args([name.as_bytes()]);
    if name.ends_with("store") {
        command.push(Bytes::from_static(g.any_key()));
    }
    let count = push_keys(g, &mut command);
    if g.once_in(3) {
        command.push(Bytes::from_static(b"weights"));
        for _ in 0..count {
            command.push(Bytes::from_static(g.score()));
        }
    }
    if g.once_in(3) {
        let how = g.pick(&[&b"sum"[..], b"MIN", b"max", b"min", b"avg"]);
        command.extend(args([b"AGGREGATE", how]));
    }
    if g.once_in(if name == "zintercard" { 2 } else { 20 }) {
        command.extend(args([b"limit", g.integer()]));
    }
    if g.once_in(3) {
        command.push(Bytes::from_static(b"withscores"));
    }
    command
}

fn range_store(g: &mut Generator) -> Command {
    let target = g.any_key();
    let mut command = match g.below(3) {
        0 => {
            let (from, to) = (g.integer(), g.integer());
            args([b"zrangestore", target, g.key(&SORTED_SETS), from, to])
        }
        1 => {
            let (from, to) = (g.bound(), g.bound());
            args([
                b"zrangestore",
                target,
                g.key(&SORTED_SETS),
                from,
                to,
                b"byscore",
            ])
        }
        _ => {
            let (source, from, to) = lex_range(g);
            args([b"zrangestore", target, source, &from, &to, b"BYLEX"])
        }
    };
    if g.once_in(2) {
        g.push_options(&mut command, &["rev", "REV", "withscores"]);
    }
    if g.once_in(3) {
        command.extend(args([b"limit", g.integer(), g.integer()]));
    }
    command
}

fn pop_many(g: &mut Generator) -> Command {
    let mut command = if g.once_in(3) {
        args([b"bzmpop", g.timeout()])
    } else {
        args([b"zmpop"])
    };
    push_keys(g, &mut command);
    command.push(Bytes::from_static(g.pick(&[
        &b"min"[..],
        b"MAX",
        b"max",
        b"x",
    ])));
    if g.once_in(2) {
        command.extend(args([b"count", g.integer()]));
    }
    command
}

fn pop_or_wait(g: &mut Generator) -> Command {
    let mut command = args([g.pick(&[&b"bzpopmin"[..], b"bzpopmax"])]);
    for _ in 0..1 + g.below(3) {
        command.push(Bytes::from_static(g.key(&SORTED_SETS)));
    }
    command.push(Bytes::from_static(g.timeout()));
    command
}

fn random(g: &mut Generator) -> Command {
    let mut command = args([b"zrandmember", g.key(&SORTED_SETS)]);
    if g.once_in(4) {
        return command;
    }
    command.push(Bytes::from_static(g.integer()));
    if g.once_in(2) {
        command.push(Bytes::from_static(b"withscores"));
    }
    command
}

fn scan(g: &mut Generator) -> Command {
    let cursor = g.pick(&[&b"0"[..], b"0", b"", b"x", b"-", b" 1"]);
    let mut command = args([b"zscan", g.key(&SORTED_SETS), cursor]);
    if g.once_in(2) {
        let pattern = g.pick(&[&b"*"[..], b"a*", b"m1?", b"[ab]", b"\\xff*", b""]);
        command.extend(args([b"match", pattern]));
    }
    if g.once_in(2) {
        command.extend(args([b"COUNT", g.integer()]));
    }
    command
}
