//! Keys of any type.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::ANY_KEYS;

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let command = match g.below(48) {
        0 => flush(g),
        1..=8 => expire(g),
        _ => generic(g),
    };
    vec![command]
}

fn generic(g: &mut Generator) -> Command {
    let key = g.pick(&ANY_KEYS);
    match g.below(9) {
        0 => args([b"del", key, g.pick(&ANY_KEYS)]),
        1 => args([b"exists", key, g.pick(&ANY_KEYS), key]),
        2 => args([b"type", key]),
        3 => args([b"ttl", key]),
        4 => args([b"pttl", key]),
        5 => args([b"persist", key]),
        6 => args([b"dbsize"]),
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
