//! Strings bit by bit.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::STRINGS;

const OFFSETS: [&[u8]; 14] = [
    b"0",
    b"1",
    b"7",
    b"8",
    b"9",
    b"33",
    b"100",
    b"1000",
    // Strings so long are cut into pieces; the ends of two lie around this one.
    b"139263",
    b"139260",
    b"-1",
    b"x",
    b"4294967296",
    b"9223372036854775807",
];
const POSITIONS: [&[u8]; 16] = [
    b"0",
    b"0",
    b"1",
    b"2",
    b"5",
    b"9",
    b"17",
    b"-1",
    b"-2",
    b"-9",
    b"-100",
    b"100",
    b"17407",
    b"139262",
    b"9223372036854775807",
    b"x",
];
const WIDTHS: [&[u8]; 14] = [
    b"u1", b"u2", b"u8", b"u13", b"u63", b"i1", b"i5", b"i8", b"i16", b"i64", b"u64", b"i65",
    b"u0", b"x8",
];
const NUMBERS: [&[u8]; 12] = [
    b"0",
    b"1",
    b"-1",
    b"2",
    b"100",
    b"-100",
    b"255",
    b"256",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"1000000",
    b"x",
];

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    vec![match g.below(7) {
        0 => args([
            b"setbit",
            g.key(&STRINGS),
            g.pick(&OFFSETS),
            g.pick(&[&b"0"[..], b"1", b"1", b"2"]),
        ]),
        1 => args([b"getbit", g.key(&STRINGS), g.pick(&OFFSETS)]),
        2 => count(g),
        3 => position(g),
        4 => combine(g),
        _ => field(g),
    }]
}

fn push_range(g: &mut Generator, command: &mut Command) {
    for _ in 0..g.below(3) {
        command.push(Bytes::from_static(g.pick(&POSITIONS)));
    }
    if g.once_in(2) {
        let unit = g.pick(&[&b"bit"[..], b"BIT", b"byte", b"x"]);
        command.push(Bytes::from_static(unit));
    }
}

fn count(g: &mut Generator) -> Command {
    let mut command = args([b"bitcount", g.key(&STRINGS)]);
    push_range(g, &mut command);
    command
}

fn position(g: &mut Generator) -> Command {
    let bit = g.pick(&[&b"0"[..], b"1", b"0", b"1", b"2", b"x"]);
    let mut command = args([b"bitpos", g.key(&STRINGS), bit]);
    push_range(g, &mut command);
    command
}

fn combine(g: &mut Generator) -> Command {
    let name = g.pick(&[&b"and"[..], b"OR", b"xor", b"not", b"x"]);
    let mut command = args([b"bitop", name, g.pick(&STRINGS)]);
    for _ in 0..1 + g.below(3) {
        command.push(Bytes::from_static(g.key(&STRINGS)));
    }
    command
}

fn field(g: &mut Generator) -> Command {
    let name = g.pick(&[&b"bitfield"[..], b"bitfield", b"bitfield_ro"]);
    let mut command = args([name, g.key(&STRINGS)]);
    for _ in 0..g.below(5) {
        let offset = if g.once_in(3) {
            g.pick(&[&b"#0"[..], b"#1", b"#7", b"#-1", b"#x"])
        } else {
            g.pick(&OFFSETS)
        };
        let width = g.pick(&WIDTHS);
        let step = match g.below(6) {
            0..=1 => args([b"get", width, offset]),
            2 => args([b"SET", width, offset, g.pick(&NUMBERS)]),
            3..=4 => args([b"incrby", width, offset, g.pick(&NUMBERS)]),
            _ => {
                let kinds = [&b"wrap"[..], b"SAT", b"sat", b"fail", b"FAIL", b"x"];
                args([b"overflow", g.pick(&kinds)])
            }
        };
        command.extend(step);
    }
    command
}
