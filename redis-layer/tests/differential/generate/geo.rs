//! Places: around cities, at the edges of the map, and nowhere.
//!
//! `g0` holds anything. In `g1` no two places are alike: of places that are equally near, Redis returns any when it is asked
//! for a few, so `COUNT` without `ANY` is asked of `g1` alone.

use bytes::Bytes;

use super::{Generator, args};
use crate::common::client::Command;
use crate::values::PLACES;

const COORDINATES: [&str; 25] = [
    "0",
    "-0",
    "0",
    "1e-7",
    "13.361389",
    "38.115556",
    "15.087269",
    "37.502669",
    "-122.4",
    "180",
    "-180",
    "179.9999999",
    "85.05112878",
    "-85.05112878",
    "85",
    "-85",
    "90",
    "-90",
    "66.5",
    "-80.5",
    "181",
    "nan",
    "inf",
    "x",
    "1e308",
];
const LENGTHS: [&str; 18] = [
    "0", "1", "100", "200", "0.5", "1e-5", "5000", "20000", "20038", "1e8", "inf", "1e308",
    "5e-324", "111.32", "-1", "x", "nan", "",
];

pub(super) fn commands(g: &mut Generator) -> Vec<Command> {
    let command = match g.below(12) {
        0..=2 => add(g),
        3 => add_many(g),
        4 => ask(g),
        5..=8 => search(g),
        _ => radius(g),
    };
    vec![command]
}

/// A coordinate, once in a while a special one.
fn coordinate(g: &mut Generator, reach: usize) -> Bytes {
    if g.once_in(4) {
        return Bytes::from_static(g.pick(&COORDINATES).as_bytes());
    }
    let micros = g.below(2 * reach * 1_000_000);
    let degrees = micros as f64 / 1e6 - reach as f64;
    degrees.to_string().into()
}

fn push_place(g: &mut Generator, command: &mut Command) {
    command.push(coordinate(g, 180));
    command.push(coordinate(g, 85));
}

fn add(g: &mut Generator) -> Command {
    let mut command = args([b"geoadd", g.key(&PLACES[..1])]);
    if g.once_in(2) {
        g.push_options(&mut command, &["nx", "XX", "ch", "CH", "gt"]);
    }
    for _ in 0..1 + g.below(3) {
        push_place(g, &mut command);
        command.push(Bytes::from_static(g.member()));
    }
    command
}

/// Places in a few degrees, each another one, so that searches of all sizes find some.
fn add_many(g: &mut Generator) -> Command {
    let mut command = args([b"geoadd", PLACES[1]]);
    let spread = g.pick(&[0.001, 0.1, 5.0, 60.0]);
    for member in 0..20 + g.below(60) {
        for middle in [13.0, 38.0] {
            let part = g.below(1 << 30) as f64 / f64::from(1 << 30) - 0.5;
            command.push((middle + part * spread).to_string().into());
        }
        command.push(format!("p{member}").into());
    }
    command
}

fn ask(g: &mut Generator) -> Command {
    let key = g.key(&PLACES);
    let mut command = match g.below(3) {
        0 => args([b"geodist", key, g.member(), g.member()]),
        1 => args([b"geopos", key, g.member(), b"p1", g.member()]),
        _ => args([b"geohash", key, g.member(), b"p2", g.member()]),
    };
    if command[0] == b"geodist".as_slice() && g.once_in(2) {
        command.push(unit(g));
    }
    command
}

fn unit(g: &mut Generator) -> Bytes {
    let unit = g.pick(&["m", "km", "KM", "km", "ft", "mi", "Mi", "x"]);
    Bytes::from_static(unit.as_bytes())
}

fn length(g: &mut Generator) -> Bytes {
    if g.once_in(2) {
        return Bytes::from_static(g.pick(&LENGTHS).as_bytes());
    }
    g.below(3000).to_string().into()
}

fn centre_member(g: &mut Generator) -> &'static [u8] {
    match g.below(3) {
        0 => g.member(),
        1 => b"p1",
        _ => b"p7",
    }
}

/// The key of a search, and whether it may ask for the nearest few.
fn source(g: &mut Generator) -> (&'static [u8], bool) {
    if g.once_in(2) {
        (PLACES[1], true)
    } else {
        (g.key(&PLACES[..1]), false)
    }
}

fn push_search_options(g: &mut Generator, command: &mut Command, is_distinct: bool) {
    if g.once_in(2) {
        let options = ["withdist", "WITHCOORD", "withhash", "asc", "DESC"];
        g.push_options(command, &options);
    }
    if g.once_in(3) {
        let count = args([b"count", g.integer()]);
        let is_any = g.once_in(2);
        if is_any || is_distinct {
            command.extend(count);
        }
        if is_any {
            command.push(Bytes::from_static(b"any"));
        }
    }
}

fn search(g: &mut Generator) -> Command {
    let (source, is_distinct) = source(g);
    let is_stored = g.once_in(3);
    let mut command = if is_stored {
        args([b"geosearchstore", g.any_key(), source])
    } else {
        args([b"geosearch", source])
    };
    for _ in 0..if g.once_in(12) { 2 } else { 1 } {
        if g.once_in(2) {
            command.extend(args([b"frommember", centre_member(g)]));
        } else {
            command.push(Bytes::from_static(b"FROMLONLAT"));
            push_place(g, &mut command);
        }
    }
    for _ in 0..if g.once_in(12) { 2 } else { 1 } {
        if g.once_in(2) {
            command.push(Bytes::from_static(b"byradius"));
        } else {
            command.push(Bytes::from_static(b"BYBOX"));
            command.push(length(g));
        }
        command.push(length(g));
        command.push(unit(g));
    }
    push_search_options(g, &mut command, is_distinct);
    if g.once_in(if is_stored { 2 } else { 20 }) {
        command.push(Bytes::from_static(b"storedist"));
    }
    command
}

fn radius(g: &mut Generator) -> Command {
    let (source, is_distinct) = source(g);
    let names = [
        "georadius",
        "georadius_ro",
        "georadiusbymember",
        "georadiusbymember_ro",
    ];
    let name = g.pick(&names);
    let mut command = args([name.as_bytes(), source]);
    if name.contains("member") {
        command.push(Bytes::from_static(centre_member(g)));
    } else {
        push_place(g, &mut command);
    }
    command.push(length(g));
    command.push(unit(g));
    push_search_options(g, &mut command, is_distinct);
    if g.once_in(4) {
        let word = g.pick(&[&b"store"[..], b"STOREDIST"]);
        command.extend(args([word, g.any_key()]));
    }
    command
}
