//! Strings.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::{FLOATS, STRINGS};

/// Strings that have something in common.
const TEXTS: [&[u8]; 5] = [
    b"ohmytext",
    b"mynewtext",
    b"abcabcabbaabcd",
    b"cabbaabcaab",
    b"xxxxxxxxyxxxxx",
];

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let command = match g.below(10) {
        0..=2 => set(g),
        3 => set_otherwise(g),
        4 => read(g),
        5..=6 => parts(g),
        7 => counter(g),
        8 => several(g),
        _ => lcs(g),
    };
    let key = command[1].clone();
    let names: [&[u8]; 4] = [b"set", b"setex", b"psetex", b"getex"];
    let may_expire = names.contains(&&*command[0]);
    let mut commands = vec![command];
    if may_expire {
        // Redis counts a key that expired in the past until somebody asks for it.
        commands.push(args([b"exists", &key]));
    }
    commands
}

/// A string, often one that is a number.
fn value(g: &mut Generator) -> &'static [u8] {
    match g.below(4) {
        0 => g.integer(),
        1 => g.pick(&FLOATS).as_bytes(),
        2 => g.pick(&TEXTS),
        _ => g.member(),
    }
}

fn set(g: &mut Generator) -> Command {
    let mut command = args([b"set", g.key(&STRINGS), value(g)]);
    if g.once_in(2) {
        g.push_options(
            &mut command,
            &["nx", "XX", "get", "keepttl", "NX\0x", "persist"],
        );
    }
    if g.once_in(3) {
        let (option, number) = set_expiry(g);
        command.push(Bytes::from_static(option.as_bytes()));
        command.push(number);
    }
    command
}

fn set_otherwise(g: &mut Generator) -> Command {
    let key = g.key(&STRINGS);
    let ahead_s = g.next_expiry_s();
    match g.below(6) {
        0 => args([b"setnx", key, value(g)]),
        1 | 2 if g.once_in(3) => {
            let name = g.pick(&[&b"setex"[..], b"psetex"]);
            let wrong = [&b"0"[..], b"-1", b"x", b"9223372036854775807"];
            args([name, key, g.pick(&wrong), value(g)])
        }
        1 => args([b"setex", key, ahead_s.to_string().as_bytes(), value(g)]),
        2 => args([
            b"psetex",
            key,
            (ahead_s * 1000).to_string().as_bytes(),
            value(g),
        ]),
        3 => args([b"getset", key, value(g)]),
        4 => args([b"getdel", key]),
        _ => {
            let mut command = args([b"getex", key]);
            g.push_options(&mut command, &["persist", "PERSIST", "keepttl"]);
            if g.once_in(2) {
                let (option, number) = set_expiry(g);
                command.push(Bytes::from_static(option.as_bytes()));
                command.push(number);
            }
            command
        }
    }
}

fn read(g: &mut Generator) -> Command {
    let key = g.key(&STRINGS);
    match g.below(4) {
        0 => args([b"strlen", key]),
        1 => args([b"mget", key, g.key(&STRINGS), g.key(&STRINGS)]),
        _ => args([b"get", key]),
    }
}

fn parts(g: &mut Generator) -> Command {
    let key = g.key(&STRINGS);
    match g.below(4) {
        0 => args([b"append", key, value(g)]),
        1 => args([b"getrange", key, g.integer(), g.integer()]),
        2 => args([b"substr", key, g.integer(), g.integer()]),
        _ => {
            let offsets = [
                &b"0"[..],
                b"1",
                b"5",
                b"40",
                b"17405",
                b"-1",
                b"x",
                b"536870912",
                b"9223372036854775807",
            ];
            args([b"setrange", key, g.pick(&offsets), value(g)])
        }
    }
}

fn counter(g: &mut Generator) -> Command {
    let key = g.key(&STRINGS);
    match g.below(6) {
        0 => args([b"incr", key]),
        1 => args([b"decr", key]),
        2 => args([b"incrby", key, g.integer()]),
        3 => args([b"decrby", key, g.integer()]),
        _ => args([b"incrbyfloat", key, g.pick(&FLOATS).as_bytes()]),
    }
}

fn several(g: &mut Generator) -> Command {
    let name = g.pick(&[&b"mset"[..], b"mset", b"msetnx"]);
    let mut command = args([name]);
    for _ in 0..1 + g.below(3) {
        command.push(Bytes::from_static(g.pick(&STRINGS)));
        command.push(Bytes::from_static(value(g)));
    }
    command
}

fn lcs(g: &mut Generator) -> Command {
    let mut command = args([b"lcs", g.key(&STRINGS), g.key(&STRINGS)]);
    g.push_options(&mut command, &["len", "IDX", "withmatchlen", "x"]);
    if g.once_in(3) {
        let lengths = [&b"0"[..], b"1", b"2", b"-1", b"x"];
        command.extend(args([b"minmatchlen", g.pick(&lengths)]));
    }
    command
}

/// An option of `SET` and its number: far ahead, in the past, or wrong.
fn set_expiry(g: &mut Generator) -> (&'static str, Bytes) {
    let ahead_s = g.next_expiry_s();
    if g.once_in(6) {
        let option = g.pick(&["ex", "PX", "exat", "pxat", "ex"]);
        let numbers = [
            "0",
            "-1",
            "x",
            "9223372036854775807",
            "9223372036854775",
            "1",
        ];
        // A second from now is too soon to compare; since 1970 it is long ago.
        let limit = if option.ends_with("at") {
            numbers.len()
        } else {
            numbers.len() - 1
        };
        return (
            option,
            Bytes::from_static(g.pick(&numbers[..limit]).as_bytes()),
        );
    }
    match g.below(4) {
        0 => ("ex", ahead_s.to_string().into()),
        1 => ("px", (ahead_s * 1000).to_string().into()),
        2 => ("exat", (g.now_s + ahead_s).to_string().into()),
        _ => ("PXAT", ((g.now_s + ahead_s) * 1000).to_string().into()),
    }
}
