//! The connection, and commands that nobody knows.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let command = if g.once_in(2) {
        connection(g)
    } else {
        unknown(g)
    };
    vec![command]
}

fn connection(g: &mut Generator) -> Command {
    let word = g.member();
    match g.below(9) {
        0 => args([b"ping"]),
        1 => args([b"ping", word]),
        2 => args([b"echo", word]),
        3 => {
            let index = g.pick(&[&b"0"[..], b"0", b"1", b"15", b"16", b"-1", b"x"]);
            args([b"select", index])
        }
        4 => args([b"client", b"setname", word]),
        5 => args([b"client", b"getname"]),
        6 => args([b"client", b"NO-EVICT", g.pick(&[&b"on"[..], b"off", b"x"])]),
        7 => args([b"select", g.integer()]),
        _ => args([b"auth", word, word]),
    }
}

fn unknown(g: &mut Generator) -> Command {
    let name = g.pick(&[
        &b"foo"[..],
        b"",
        b"zad",
        b"get\r\n",
        b"\x00get",
        b"\xff",
        b"zaddzaddzaddzaddzaddzaddzaddzadd",
    ]);
    let mut command = args([name]);
    for _ in 0..g.below(4) {
        let long = b"x".repeat(g.below(150));
        let word = if g.once_in(2) {
            long.into()
        } else {
            Bytes::from_static(g.member())
        };
        command.push(word);
    }
    match g.below(6) {
        0 => args([b"client", b"setinfo", b"lib-name", b"x"]),
        1 => args([b"CONFIG", b"nope\r\n"]),
        2 => args([b"command", b"getkeys", b"zadd", b"z0", b"1", b"a"]),
        3 => args([b"command", b"getkeys", b"del", b"a", b"b"]),
        _ => command,
    }
}
