//! Strings.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::STRINGS;

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let command = string(g);
    let key = command[1].clone();
    let is_set = command[0] == b"set".as_slice();
    let mut commands = vec![command];
    if is_set {
        // Redis counts a key that expired in the past until somebody asks for it.
        commands.push(args([b"exists", &key]));
    }
    commands
}

fn string(g: &mut Generator) -> Command {
    let key = g.key(&STRINGS);
    if g.once_in(3) {
        return args([b"get", key]);
    }
    let mut command = args([b"set", key, g.member()]);
    if g.once_in(2) {
        g.push_options(&mut command, &["nx", "XX", "get", "keepttl", "NX\0x"]);
    }
    if g.once_in(3) {
        let (option, number) = set_expiry(g);
        command.push(Bytes::from_static(option.as_bytes()));
        command.push(number);
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
