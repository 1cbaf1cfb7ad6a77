//! A small world of tuples in which wrong keys show: two fields, each a string of up to two bytes.

use std::collections::BTreeSet;

use book::output;
use engine::keys::{OrderedKey, Raw};

use crate::faults::{
    bare, ended_by_ff, ended_by_one_zero, escaped_without_end, zero_ended, zero_kept,
};
use crate::systems::{cassandra_text, cockroach_bytes, foundation_text, groups_of_eight};
use crate::{Scheme, escaped, fixed, joined, length_first};

// ANCHOR: small_world
/// All strings of up to two bytes out of five that matter.
fn strings() -> Vec<Vec<u8>> {
    let bytes = [0x00, 0x01, b':', b'a', 0xff];
    let mut all = vec![Vec::new()];
    for first in bytes {
        all.push(vec![first]);
        all.extend(bytes.map(|second| vec![first, second]));
    }
    all
}

/// All pairs of them, in order.
fn tuples() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut all = Vec::new();
    for first in strings() {
        for second in strings() {
            all.push((first.clone(), second));
        }
    }
    all.sort();
    all
}

/// How many tuples share a key with an earlier one, and how many
/// pairs of tuples have keys in the wrong order.
fn faults(scheme: Scheme) -> (usize, usize) {
    let keys: Vec<_> = tuples().iter().map(|(a, b)| scheme(a, b)).collect();
    let distinct: BTreeSet<_> = keys.iter().collect();
    let wrong = keys.iter().enumerate().map(|(i, key)| {
        let greater = &keys[i + 1..];
        greater.iter().filter(|other| key > *other).count()
    });
    (keys.len() - distinct.len(), wrong.sum())
}
// ANCHOR_END: small_world

#[test]
fn each_scheme_in_the_small_world() {
    let schemes: [(&str, Scheme); 14] = [
        ("joined by a colon", joined),
        ("nothing between", bare),
        ("ended by a bare zero", zero_ended),
        ("length first", length_first),
        ("eight bytes", fixed),
        ("escaped, no end", escaped_without_end),
        ("escaped, ended by ff", ended_by_ff),
        ("escaped, ended by one zero", ended_by_one_zero),
        ("zero kept, ended by 00 01", zero_kept),
        ("FoundationDB", |a, b| {
            [foundation_text(a), foundation_text(b)].concat()
        }),
        ("CockroachDB", |a, b| {
            [cockroach_bytes(a), cockroach_bytes(b)].concat()
        }),
        ("groups of eight", |a, b| {
            [groups_of_eight(a), groups_of_eight(b)].concat()
        }),
        ("Cassandra", |a, b| {
            [&cassandra_text(a)[..], &cassandra_text(b), &[0x38]].concat()
        }),
        ("this book", |a, b| (a, b).to_key()),
    ];
    let mut table = format!(
        "{:<28}{:>12}{:>15}\n",
        "scheme", "share a key", "wrong order"
    );
    for (name, scheme) in schemes {
        let (shared, wrong) = faults(scheme);
        table += &format!("{name:<28}{shared:>12}{wrong:>15}\n");
        let systems = [
            "FoundationDB",
            "CockroachDB",
            "groups of eight",
            "Cassandra",
            "this book",
        ];
        assert_eq!((shared, wrong) == (0, 0), systems.contains(&name), "{name}");
    }
    let count = tuples().len();
    table += &format!("\n{count} tuples, {} pairs\n", count * (count - 1) / 2);
    output::check("05-strings-and-tuples/outputs/small-world.txt", &table);
    assert_eq!(faults(escaped), (0, 0), "the last field may be raw");
}

// ANCHOR: ends_by_itself
#[test]
fn no_key_is_the_beginning_of_another() {
    let keys: Vec<_> = strings().iter().map(OrderedKey::to_key).collect();
    for (i, key) in keys.iter().enumerate() {
        for (j, other) in keys.iter().enumerate() {
            assert!(i == j || !other.starts_with(key));
        }
    }
    // The raw form is the beginning of many. So it may only come last.
    assert!(Raw("aa").to_key().starts_with(&Raw("a").to_key()));
}
// ANCHOR_END: ends_by_itself
