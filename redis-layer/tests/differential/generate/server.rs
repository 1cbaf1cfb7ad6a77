//! What can be asked of a server without learning which one it is.

use super::{Generator, args};
use crate::common::client::Command;

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let word = g.member();
    vec![match g.below(19) {
        0 => args([b"time"]),
        1 => args([b"lastsave"]),
        2 => args([b"role"]),
        3 => args([b"acl", b"whoami"]),
        4 => args([b"asking"]),
        5 => args([g.pick(&[&b"readonly"[..], b"readwrite"])]),
        6 => args([b"cluster", g.pick(&[&b"info"[..], b"slots", b"nodes"])]),
        7 => args([
            b"client",
            b"unblock",
            g.pick(&[&b"999999"[..], b"x", b"-1"]),
        ]),
        8 => args([b"client", b"caching", g.pick(&[&b"yes"[..], b"no", b"x"])]),
        9 => args([b"client", b"getredir"]),
        10 => args([b"client", b"trackinginfo"]),
        11 => args([b"client", b"unpause"]),
        12 => args([b"client", b"pause", g.pick(&[&b"-1"[..], b"x", b""])]),
        13 => args([b"client", b"tracking", g.pick(&[&b"off"[..], b"x"])]),
        14 => args([b"client", b"kill", g.pick(&[&b"1.2.3.4:5"[..], b"x"])]),
        15 => args([
            b"client",
            b"kill",
            b"id",
            g.pick(&[&b"999999"[..], b"x", b"0"]),
        ]),
        16 => args([b"slowlog", b"len"]),
        17 => args([b"slowlog", b"get", b"0"]),
        _ => args([b"latency", b"history", word]),
    }]
}
