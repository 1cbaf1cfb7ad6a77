//! Keys of any type.

use std::collections::BTreeSet;
use std::iter;

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::{
    ANY_KEYS, BAD_INTEGERS, HASHES, LEX_KEYS, LISTS, LONG_KEYS, PLACES, SETS, SORTED_SETS, STRINGS,
};

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let command = match g.below(64) {
        0 => flush(g),
        1..=8 => expire(g),
        9..=16 => other_place(g),
        17..=18 => return sort(g),
        19..=20 => return sort_known(g),
        26..=27 => return encoding(g),
        21..=23 => object(g),
        24 => restore(g),
        25 => wait(g),
        _ => generic(g),
    };
    vec![command]
}

/// Over all keys. Both servers end a walk of so few at once.
fn walk(g: &mut Generator) -> Command {
    let pattern = g.pick(&[
        &b"*"[..],
        b"s*",
        b"?1",
        b"[a-q]0",
        b"[^z]*",
        b"\\*",
        b"Q*",
        b"a long n*x",
        b"\x00*",
    ]);
    match g.below(5) {
        0 | 1 => args([b"dbsize"]),
        2 => args([b"keys", pattern]),
        3 => args([b"randomkey"]),
        _ if g.once_in(3) => {
            let cursors = [&b"0"[..], b"0", b"", b"x", b"-", b"18446744073709551616"];
            let mut command = args([b"scan", g.pick(&cursors)]);
            g.push_scan_options(&mut command);
            command
        }
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
    let (key, other) = (g.any_key(), g.any_key());
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

/// Of whatever the keys hold: mostly what is no number, and by weights that nobody has.
fn sort(g: &mut Generator) -> Vec<Command> {
    let keys = g.pick(&[LISTS, SETS, SORTED_SETS]);
    let name = g.pick(&[&b"sort"[..], b"sort", b"sort_ro"]);
    let mut command = args([name, g.pick(&keys)]);
    let patterns = [&b"nosort"[..], b"s*", b"h0->*", b"*"];
    push_sort_options(g, &mut command, &patterns, &[b"#", b"s*", b"*", b"none"]);
    let has = |wanted: &[u8]| command.iter().any(|arg| arg.eq_ignore_ascii_case(wanted));
    if has(b"alpha") && has(b"by") {
        // The order of texts that weigh the same is chance. It must not be stored.
        let stores = |arg: &Bytes| arg.eq_ignore_ascii_case(b"store");
        let end = command.iter().position(stores);
        command.truncate(end.unwrap_or(command.len()));
    }
    with_what_is_stored(command)
}

/// What [`sort_known`] sorts: numbers, and what has a number only as its weight.
const WEIGHED: [&str; 9] = ["3", "1", "2.5", "-1", "1e1", "10", "-0", "0", "07"];
const WEIGHED_WORDS: [&str; 3] = ["a", "b\0", "\u{ff}"];

/// Of elements with weights of their own. No two weights are equal, so that even as texts they have one order.
fn sort_known(g: &mut Generator) -> Vec<Command> {
    let key = g.pick(&[LISTS[0], SETS[0], SORTED_SETS[0]]);
    let words = if g.once_in(3) {
        &WEIGHED_WORDS[..]
    } else {
        &[]
    };
    let mut fill = match &key[..1] {
        b"q" => args([b"rpush", key]),
        b"t" => args([b"sadd", key]),
        _ => args([b"zadd", key]),
    };
    for _ in 0..1 + g.below(8) {
        if fill[0] == "zadd" {
            fill.push(g.below(5).to_string().into());
        }
        let element = g.pick(&[&WEIGHED[..], words].concat());
        fill.push(Bytes::from_static(element.as_bytes()));
    }
    let (mut as_strings, mut commands) = (args([b"mset"]), Vec::new());
    for (number, element) in WEIGHED.iter().chain(&WEIGHED_WORDS).enumerate() {
        let weight = g.below(100) * 100 + number;
        let weight = Bytes::from(format!("{}{weight}", g.pick(&["", "-", "0."])));
        as_strings.extend([format!("w{element}").into(), weight.clone()]);
        let of_element = format!("w{element}");
        commands.push(args([
            b"hset",
            format!("{of_element}h").as_bytes(),
            b"f",
            &weight,
        ]));
    }
    if g.once_in(10) {
        // No number.
        *as_strings.last_mut().unwrap() = Bytes::from_static(b"x");
    }
    commands.extend([as_strings, args([b"del", key]), fill]);
    let name = g.pick(&[&b"sort"[..], b"sort", b"sort_ro"]);
    let mut command = args([name, key]);
    let patterns = [&b"w*"[..], b"w*", b"w*h->f"];
    push_sort_options(
        g,
        &mut command,
        &patterns,
        &[b"#", b"w*", b"w*h->f", b"w*h->g"],
    );
    commands.extend(with_what_is_stored(command));
    commands
}

fn push_sort_options(
    g: &mut Generator,
    command: &mut Command,
    by: &[&'static [u8]],
    get: &[&'static [u8]],
) {
    while !g.once_in(3) {
        match g.below(8) {
            0 | 1 => command.push(Bytes::from_static(b"alpha")),
            2 => command.push(Bytes::from_static(b"DESC")),
            3 => command.extend(args([b"by", g.pick(by)])),
            4 => command.extend(args([b"get", g.pick(get)])),
            5 => command.extend(args([b"limit", g.integer(), g.integer()])),
            6 => command.extend(args([b"store", g.pick(&LISTS)])),
            _ => command.push(Bytes::from_static(g.pick(&[&b"asc"[..], b"foo"]))),
        }
    }
}

/// A `SORT`, and a look at each list that it may have stored.
fn with_what_is_stored(command: Command) -> Vec<Command> {
    let pairs = command.iter().zip(command.iter().skip(1));
    let targets = pairs.filter(|(word, _)| word.eq_ignore_ascii_case(b"store"));
    let looks: Vec<Command> = targets
        .map(|(_, target)| args([b"lrange", target, b"0", b"-1"]))
        .collect();
    iter::once(command).chain(looks).collect()
}

/// The form of a value that was made at once. What it was before would count in Redis, and does not here.
fn encoding(g: &mut Generator) -> Vec<Command> {
    let key = g.any_key();
    let value = if g.once_in(2) {
        g.integer()
    } else {
        g.member()
    };
    let mut make = match g.below(5) {
        0 | 1 => args([b"set", key, value]),
        2 => args([b"rpush", key, value]),
        3 => args([b"sadd", key, value]),
        _ if g.once_in(2) => args([b"zadd", key, b"1", value]),
        _ if g.once_in(2) => args([b"hset", key, b"f", value]),
        _ => args([b"hset", key, value, b"v"]),
    };
    if make[0] == "sadd" && g.once_in(2) {
        make.push(Bytes::from_static(g.integer()));
    }
    let word = g.pick(&[&b"encoding"[..], b"ENCODING", b"refcount"]);
    vec![args([b"del", key]), make, args([b"object", word, key])]
}

fn object(g: &mut Generator) -> Command {
    let key = g.any_key();
    match g.below(4) {
        // The form of a value, and who shares it, depends on its past in Redis, and on the value alone here. So the form is
        // asked of no key, and who shares it of one whose values nobody ever shares: see `encoding` for others. Even a small
        // sorted set may have had a long member.
        0 if g.once_in(2) => args([b"object", b"encoding", b"no such key"]),
        0 => args([b"object", b"REFCOUNT", LEX_KEYS[0]]),
        1 => args([b"touch", key, g.any_key(), key]),
        2 => args([b"unlink", key, g.any_key()]),
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
    // Never so soon that the milliseconds between the two servers decide.
    let ahead_ms = g.next_expiry_s() * 1000;
    let time = match g.below(6) {
        0 | 1 => "0".to_owned(),
        2 => ahead_ms.to_string(),
        3 => (g.now_s * 1000 + ahead_ms).to_string(),
        4 => g.pick(&BAD_INTEGERS).to_owned(),
        _ => g
            .pick(&["-1", "9223372036854775807", "-9223372036854775808"])
            .to_owned(),
    };
    let mut command = args([b"restore", g.any_key(), time.as_bytes(), payload]);
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
    let key = g.any_key();
    match g.below(9) {
        0 => args([b"del", key, g.any_key()]),
        1 => args([b"exists", key, g.any_key(), key]),
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
    let key = g.any_key();
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
    let mut command = args([g.pick(&[&b"flushdb"[..], b"flushall"])]);
    if !g.once_in(4) {
        let how = g.pick(&[&b"async"[..], b"SYNC", b"x"]);
        command.push(Bytes::from_static(how));
    }
    command
}

/// Everything that any key holds: every question to every key, of which all but one are refused.
pub(super) fn whole_state() -> Vec<Command> {
    let lists: [&[&'static [u8]]; 9] = [
        &STRINGS,
        &HASHES,
        &LISTS,
        &SETS,
        &SORTED_SETS,
        &PLACES,
        &LEX_KEYS,
        &ANY_KEYS,
        &*LONG_KEYS,
    ];
    let questions = |key: &'static [u8]| {
        [
            args([b"get", key]),
            args([b"hgetall", key]),
            args([b"lrange", key, b"0", b"-1"]),
            args([b"smembers", key]),
            args([b"zrange", key, b"0", b"-1", b"withscores"]),
            args([b"pexpiretime", key]),
        ]
    };
    let keys: BTreeSet<&'static [u8]> = lists.into_iter().flatten().copied().collect();
    keys.into_iter().flat_map(questions).collect()
}
