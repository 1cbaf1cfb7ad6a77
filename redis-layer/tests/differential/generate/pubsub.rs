//! Channels, as far as one connection can talk about them. What subscribers receive is compared in `pubsub.rs`.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;

const CHANNELS: [&[u8]; 5] = [b"news", b"n*", b"", b"\xff\x00", &[b'n'; 300]];

/// Nobody listens: the numbers are zeros, and the lists are empty.
pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let channel = g.pick(&CHANNELS);
    vec![match g.below(9) {
        0 => args([b"publish", channel, g.member()]),
        1 => args([b"spublish", channel, g.member()]),
        2 => args([b"pubsub", b"channels"]),
        3 => args([b"pubsub", b"CHANNELS", channel]),
        4 => args([b"pubsub", b"numsub", channel, b"other"]),
        5 => args([b"pubsub", b"numpat"]),
        6 => args([b"pubsub", b"shardchannels", channel]),
        7 => args([b"pubsub", b"shardnumsub", channel]),
        _ => args([b"pubsub", b"nope"]),
    }]
}

/// Subscribes, tries what a subscriber may and may not do, and leaves. Not for a transaction.
pub(super) fn subscription(g: &mut Generator) -> Vec<Command> {
    let channel = g.pick(&CHANNELS);
    let (enter, leave) = g.pick(&[
        (&b"subscribe"[..], &b"unsubscribe"[..]),
        (b"psubscribe", b"punsubscribe"),
        (b"ssubscribe", b"sunsubscribe"),
    ]);
    let mut commands = vec![args([enter, channel])];
    for _ in 0..g.below(3) {
        commands.push(match g.below(5) {
            0 => args([b"ping"]),
            1 => args([b"ping", g.member()]),
            2 => args([b"get", b"s0"]),
            3 => args([b"multi", b"x"]),
            _ => args([b"pubsub", b"numsub", channel]),
        });
    }
    commands.push(args([leave, channel]));
    if g.once_in(3) {
        // Nothing is left to leave.
        commands.push(args([leave]));
    }
    for command in &mut commands {
        if g.once_in(8) {
            command[0] = Bytes::from(command[0].to_ascii_uppercase());
        }
    }
    commands
}
