//! Keys of any type.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::{ANY_KEYS, LEX_KEYS, LISTS, SORTED_SETS};

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let command = match g.below(64) {
        0 => flush(g),
        1..=8 => expire(g),
        9..=16 => other_place(g),
        17..=20 => sort(g),
        21..=23 => object(g),
        24 => restore(g),
        25 => wait(g),
        _ => generic(g),
    };
    vec![command]
}

/// Over all keys. Both servers end a walk of so few at once.
fn walk(g: &mut Generator) -> Command {
    let pattern = g.pick(&[&b"*"[..], b"s*", b"?1", b"[a-q]0", b"[^z]*", b"\\*", b"Q*"]);
    match g.below(5) {
        0 | 1 => args([b"dbsize"]),
        2 => args([b"keys", pattern]),
        3 => args([b"randomkey"]),
        _ => {
            let mut command = args([b"scan", b"0", b"count", b"1000"]);
            if g.once_in(2) {
                command.extend(args([b"match", pattern]));
            }
            if g.once_in(2) {
                let kind = g.pick(&[&b"string"[..], b"LIST", b"hash", b"zset", b"set", b"foo"]);
                command.extend(args([b"type", kind]));
            }
            command
        }
    }
}

/// Another name, or another database.
fn other_place(g: &mut Generator) -> Command {
    let (key, other) = (g.pick(&ANY_KEYS), g.pick(&ANY_KEYS));
    match g.below(8) {
        0 | 1 => args([b"rename", key, other]),
        2 => args([b"renamenx", key, other]),
        3 => args([b"move", key, database(g)]),
        4 => args([b"swapdb", database(g), database(g)]),
        _ => {
            let mut command = args([b"copy", key, other]);
            if g.once_in(2) {
                command.push(Bytes::from_static(b"replace"));
            }
            if g.once_in(4) {
                command.push(Bytes::from_static(b"DB"));
                command.push(Bytes::from_static(database(g)));
            }
            if g.once_in(20) {
                command.push(Bytes::from_static(b"foo"));
            }
            command
        }
    }
}

fn database(g: &mut Generator) -> &'static [u8] {
    g.pick(&[&b"0"[..], b"1", b"0", b"1", b"15", b"16", b"-1", b"x", b""])
}

/// Of lists and sorted sets: a set is sorted by chance where elements are equal.
fn sort(g: &mut Generator) -> Command {
    let key = if g.once_in(2) {
        g.pick(&LISTS)
    } else {
        g.pick(&SORTED_SETS)
    };
    let name = g.pick(&[&b"sort"[..], b"sort", b"sort_ro"]);
    let mut command = args([name, key]);
    while g.once_in(2) {
        match g.below(8) {
            0 | 1 => command.push(Bytes::from_static(b"alpha")),
            2 => command.push(Bytes::from_static(b"DESC")),
            3 => command.extend(args([
                b"by",
                g.pick(&[&b"nosort"[..], b"s*", b"h0->*", b"*"]),
            ])),
            4 => command.extend(args([b"get", g.pick(&[&b"#"[..], b"s*", b"*", b"none"])])),
            5 => command.extend(args([b"limit", g.integer(), g.integer()])),
            6 => command.extend(args([b"store", g.pick(&LISTS)])),
            _ => command.push(Bytes::from_static(g.pick(&[&b"asc"[..], b"foo"]))),
        }
    }
    command
}

fn object(g: &mut Generator) -> Command {
    let key = g.pick(&ANY_KEYS);
    match g.below(4) {
        // The form of a string, and who shares it, depends on its past in Redis, and on the value alone here.
        // So neither key is ever one.
        0 => {
            let word = g.pick(&[&b"encoding"[..], b"REFCOUNT"]);
            args([b"object", word, g.pick(&[LEX_KEYS[0], b"no such key"])])
        }
        1 => args([b"touch", key, g.pick(&ANY_KEYS), key]),
        2 => args([b"unlink", key, g.pick(&ANY_KEYS)]),
        _ => {
            let word = g.pick(&[&b"idletime"[..], b"freq", b"nope", b"FREQ"]);
            args([b"object", word, key])
        }
    }
}

/// Payloads that are refused, and one that is not.
fn restore(g: &mut Generator) -> Command {
    let payload = g.pick(&[
        &b"nonsense"[..],
        b"",
        b"\x00\xc0\x0a\x0a\x00\x6e\x9f\x57\xc8\x25\xd5\x3c\x8a",
    ]);
    let mut command = args([b"restore", g.pick(&ANY_KEYS), g.integer(), payload]);
    while g.once_in(2) {
        command.push(Bytes::from_static(g.pick(&[
            &b"replace"[..],
            b"ABSTTL",
            b"idletime",
            b"freq",
            b"5",
            b"-1",
            b"foo",
        ])));
    }
    command
}

fn wait(g: &mut Generator) -> Command {
    args([
        b"wait",
        g.pick(&[&b"0"[..], b"-1", b"x", b"1"]),
        g.pick(&[&b"1"[..], b"-1", b"x"]),
    ])
}

fn generic(g: &mut Generator) -> Command {
    let key = g.pick(&ANY_KEYS);
    match g.below(9) {
        0 => args([b"del", key, g.pick(&ANY_KEYS)]),
        1 => args([b"exists", key, g.pick(&ANY_KEYS), key]),
        2 => args([b"type", key]),
        3 => args([b"ttl", key]),
        4 => args([b"pttl", key]),
        5 => args([
            g.pick(&[&b"persist"[..], b"expiretime", b"pexpiretime"]),
            key,
        ]),
        6 => walk(g),
        7 => expire(g),
        _ => args([b"del", key]),
    }
}

fn expire(g: &mut Generator) -> Command {
    let key = g.pick(&ANY_KEYS);
    let ahead_s = g.next_expiry_s();
    let (name, number) = match g.below(6) {
        0 => ("expire", ahead_s),
        1 => ("pexpire", ahead_s * 1000),
        2 => ("expireat", g.now_s + ahead_s),
        3 => ("pexpireat", (g.now_s + ahead_s) * 1000),
        4 => (
            g.random
                .pick(&["expire", "pexpire", "expireat", "pexpireat"]),
            -1,
        ),
        _ => {
            let name = g.pick(&["expire", "pexpire", "expireat", "pexpireat"]);
            let number = g.pick(&[
                &b"x"[..],
                b"9223372036854775807",
                b"-9223372036854775808",
                b"0",
                b"",
                b"-9223372036854775",
                b"9223372036854776",
            ]);
            return args([name.as_bytes(), key, number]);
        }
    };
    let mut command = args([name.as_bytes(), key, number.to_string().as_bytes()]);
    if g.once_in(2) {
        g.push_options(&mut command, &["nx", "XX", "gt", "LT", "gt", "lt"]);
    }
    if g.once_in(30) {
        command.push(Bytes::from_static(b"foo\r\nbar\x00x"));
    }
    command
}

fn flush(g: &mut Generator) -> Command {
    match g.below(4) {
        0 => args([b"flushdb"]),
        1 => args([b"flushall", b"async"]),
        2 => args([b"flushall", b"x"]),
        _ => args([b"flushdb", b"SYNC"]),
    }
}
