//! Lists. Commands that would wait have a short time limit.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::LISTS;

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    if g.once_in(40) {
        return pos_of_several(g).into();
    }
    let command = match g.below(24) {
        0..=5 => push(g),
        6..=8 => pop(g),
        9..=11 => read(g),
        12..=14 => edit(g),
        15 => trim(g),
        16 | 17 => pos(g),
        18 | 19 => moved(g),
        20 | 21 => multi_pop(g),
        _ => blocking(g),
    };
    vec![command]
}

fn push(g: &mut Generator) -> Command {
    let name = g.pick(&[&b"lpush"[..], b"rpush", b"rpush", b"lpushx", b"rpushx"]);
    let mut command = args([name, g.key(&LISTS), g.member()]);
    if g.once_in(30) {
        // Enough for more than one node of Redis's lists.
        let start = g.start(b"e");
        for element in 0..g.below(200) {
            command.push([start, element.to_string().as_bytes()].concat().into());
        }
        return command;
    }
    while g.once_in(2) {
        command.push(Bytes::from_static(g.member()));
    }
    command
}

fn pop(g: &mut Generator) -> Command {
    let name = g.pick(&[&b"lpop"[..], b"rpop"]);
    let key = g.key(&LISTS);
    if g.once_in(2) {
        return args([name, key]);
    }
    args([name, key, g.integer()])
}

fn read(g: &mut Generator) -> Command {
    let key = g.key(&LISTS);
    match g.below(6) {
        0 => args([b"llen", key]),
        1 => args([b"lrange", key, b"0", b"-1"]),
        2 | 3 => args([b"lrange", key, g.integer(), g.integer()]),
        _ => args([b"lindex", key, g.integer()]),
    }
}

fn edit(g: &mut Generator) -> Command {
    let key = g.key(&LISTS);
    let element = g.member();
    match g.below(4) {
        0 => args([b"lset", key, g.integer(), element]),
        1 => args([b"lrem", key, g.integer(), element]),
        _ => {
            let place = g.pick(&[&b"before"[..], b"AFTER", b"before", b"after", b"beside"]);
            args([b"linsert", key, place, g.member(), element])
        }
    }
}

/// Mostly one that keeps something.
fn trim(g: &mut Generator) -> Command {
    let key = g.key(&LISTS);
    let start = g.pick(&[&b"0"[..], b"1", b"2", b"-3", b"-100"]);
    if g.once_in(3) {
        return args([b"ltrim", key, g.integer(), g.integer()]);
    }
    args([b"ltrim", key, start, b"-1"])
}

fn pos(g: &mut Generator) -> Command {
    let mut command = args([b"lpos", g.key(&LISTS), g.member()]);
    while g.once_in(2) {
        let option = g.pick(&[&b"rank"[..], b"COUNT", b"maxlen", b"rank", b"step"]);
        command.push(Bytes::from_static(option));
        if !g.once_in(15) {
            command.push(Bytes::from_static(g.integer()));
        }
    }
    command
}

/// By chance a short list seldom has the element that is looked for, and hardly ever twice.
fn pos_of_several(g: &mut Generator) -> [Command; 2] {
    let (key, element) = (g.key(&LISTS), g.member());
    // The least number has no positive one.
    let rank = g.pick(&[&b"-9223372036854775808"[..], b"-1", b"2"]);
    [
        args([b"rpush", key, element, g.member(), element]),
        args([b"lpos", key, element, b"rank", rank, b"count", b"1"]),
    ]
}

fn side(g: &mut Generator) -> &'static [u8] {
    g.pick(&[&b"left"[..], b"RIGHT", b"LEFT", b"right", b"left", b"up"])
}

fn moved(g: &mut Generator) -> Command {
    let (source, target) = (g.key(&LISTS), g.key(&LISTS));
    if g.once_in(2) {
        return args([b"rpoplpush", source, target]);
    }
    args([b"lmove", source, target, side(g), side(g)])
}

/// The number of keys and the keys, mostly in agreement, and what follows.
fn keys_and_side(g: &mut Generator, command: &mut Command) {
    let count = 1 + g.below(3);
    let number = if g.once_in(8) {
        Bytes::from_static(g.integer())
    } else {
        count.to_string().into()
    };
    command.push(number);
    for _ in 0..count {
        command.push(Bytes::from_static(g.key(&LISTS)));
    }
    command.push(Bytes::from_static(side(g)));
    while g.once_in(3) {
        command.push(Bytes::from_static(b"count"));
        command.push(Bytes::from_static(g.integer()));
    }
}

fn multi_pop(g: &mut Generator) -> Command {
    let mut command = args([b"lmpop"]);
    keys_and_side(g, &mut command);
    command
}

/// Mostly a short time, so that nobody waits long; zero only where there is something, or where it is refused.
fn timeout(g: &mut Generator) -> &'static [u8] {
    if g.once_in(4) {
        return g.pick(&[&b"-1"[..], b"x", b"nan", b"1e300", b" 1", b"inf", b"-0.5"]);
    }
    g.pick(&[&b"0.001"[..], b"0.002", b"1e-3", b"0x.01"])
}

fn blocking(g: &mut Generator) -> Command {
    let (key, other) = (g.key(&LISTS), g.key(&LISTS));
    let timeout = timeout(g);
    match g.below(5) {
        0 => args([b"blpop", key, other, timeout]),
        1 => args([b"brpop", key, timeout]),
        2 => args([b"brpoplpush", key, other, timeout]),
        3 => args([b"blmove", key, other, side(g), side(g), timeout]),
        _ => {
            let mut command = args([b"blmpop", timeout]);
            keys_and_side(g, &mut command);
            command
        }
    }
}
