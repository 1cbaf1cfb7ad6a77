//! Transactions: commands of all groups between `MULTI` and `EXEC`, and everything that goes wrong.

use super::{Generator, args};
use crate::common::client::Command;

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    match g.below(12) {
        0 if g.once_in(4) => vec![args([b"exec", b"x"])],
        0 => vec![args([g.pick(&[&b"exec"[..], b"discard", b"unwatch"])])],
        // Nobody else writes, so only this connection's own writes can break the watch.
        1 => vec![args([b"watch", g.any_key(), g.any_key()])],
        _ => block(g),
    }
}

/// A whole transaction. Never one inside another: `MULTI` itself is refused there.
fn block(g: &mut Generator) -> Vec<Command> {
    let mut commands = Vec::new();
    if g.once_in(3) {
        commands.push(args([b"watch", g.any_key()]));
        if g.once_in(3) {
            commands.extend(g.plain_commands());
        }
        if g.once_in(6) {
            commands.push(args([b"unwatch"]));
        }
    }
    commands.push(args([b"multi"]));
    for _ in 0..g.below(6) {
        if g.once_in(30) {
            let word = g.pick(&[&b"multi"[..], b"unwatch", b"nope", b"watch"]);
            commands.push(args([word]));
        } else if g.once_in(60) {
            commands.push(args([b"watch", b"z0"]));
        } else {
            commands.extend(g.plain_commands());
        }
    }
    commands.push(args([if g.once_in(10) { b"discard" } else { b"exec" }]));
    commands
}
