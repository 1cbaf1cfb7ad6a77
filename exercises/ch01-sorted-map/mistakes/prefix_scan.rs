//! What goes wrong with the keys of a prefix.

use std::ops::Bound::{Excluded, Included, Unbounded};

use kit::Mistake;

use crate::prefix_scan::Scan;
use crate::solutions::prefix_scan::prefix_scan as right;
use crate::stores::Store;

const WRONG: &str = "wrong-answers-and-what-each-breaks";
const TASK: &str = "prefix-scan";

fn keys<'a>(entries: impl Iterator<Item = (&'a Vec<u8>, &'a Vec<u8>)>) -> Vec<Vec<u8>> {
    entries.map(|(key, _)| key.clone()).collect()
}

/// The keys from `prefix` up to `prefix ++ tail`, with or without that end.
fn up_to(store: &Store, prefix: &[u8], tail: &[u8], end_taken: bool) -> Vec<Vec<u8>> {
    let end = [prefix, tail].concat();
    let end = if end_taken {
        Included(&end[..])
    } else {
        Excluded(&end[..])
    };
    keys(store.range::<[u8], _>((Included(prefix), end)))
}

fn successor(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}

/// Whether a key begins as the pattern does, in which `many` stands for any bytes, and `one` for one of them.
fn fits(key: &[u8], pattern: &[u8], many: u8, one: u8) -> bool {
    let alike = |key: &[u8], part: &[u8]| {
        key.len() >= part.len()
            && part
                .iter()
                .zip(key)
                .all(|(given, byte)| *given == one || given == byte)
    };
    let mut parts = pattern.split(|byte| *byte == many);
    let first = parts.next().unwrap_or_default();
    if !alike(key, first) {
        return false;
    }
    let mut rest = &key[first.len()..];
    parts.all(|part| {
        let found = (0..=rest.len()).find(|&at| alike(&rest[at..], part));
        rest = &rest[found.map_or(0, |at| at + part.len())..];
        found.is_some()
    })
}

fn mistake(name: &str, scan: Scan) -> Mistake<Scan> {
    Mistake::new(name, "prefix_scan", "prefix", scan)
}

fn panics(name: &str, scan: Scan) -> Mistake<Scan> {
    Mistake::new(name, "prefix_scan", "returns", scan)
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Scan>> {
    let mut all = wrong_ends();
    all.extend(wrong_starts_and_tests());
    all.extend(wrong_lists());
    all
}

fn wrong_ends() -> Vec<Mistake<Scan>> {
    vec![
        mistake("every_byte_raised", |store, prefix| {
            let end: Vec<u8> = prefix.iter().map(|byte| byte.wrapping_add(1)).collect();
            if *prefix >= end[..] { return Vec::new(); }
            keys(store.range::<[u8], _>((Included(prefix), Excluded(&end[..]))))
        })
        .says("a range that ends where every byte of the prefix is raised by one")
        .why(
            "After `ab` that is `bc`, and all from `ac` to `bb` lies before it. One byte is raised, the last one: nothing that starts \
             with `ab` reaches `ac`.",
        )
        .link(WRONG),
        mistake("prefix_left_out_and_successor_taken", |store, prefix| {
            let end = successor(prefix);
            keys(store.range::<[u8], _>((Excluded(prefix), Included(&end[..]))))
        })
        .says("a range with its ends the wrong way round: the prefix left out, its successor taken")
        .why(
            "The prefix itself may be a key, and it starts with itself. Its successor may be one too, and does not start with it. Take the \
             start and leave out the end.",
        )
        .link(TASK),
        mistake("field_before_the_colon", |store, prefix| {
            let field = |key: &[u8]| key.split(|byte| *byte == b':').next().map(<[u8]>::to_vec);
            keys(store.iter().filter(|(key, _)| field(key) == field(prefix)))
        })
        .says("the keys with the same bytes before their first colon")
        .why(
            "A prefix is bytes, and no field: it may end anywhere. `us` is a prefix of `user:1`, and `user:1` is one of `user:10` and not of \
             `user:2`. `starts_with` compares just the bytes that were given.",
        )
        .link(TASK),
        mistake("ends_at_one_ff_taken", |store, prefix| up_to(store, prefix, b"\xff", true))
            .says("a range that ends at the prefix followed by one byte ff, that key included")
            .why(
                "`a\\xff\\x00` starts with `a` and is greater than `a\\xff`. However many ff you append, \
                 a longer key is greater. The end is the first key that does not start with the prefix.",
            )
            .link(WRONG),
        mistake("ends_at_one_ff", |store, prefix| up_to(store, prefix, b"\xff", false))
            .says("a range that ends just before the prefix followed by one byte ff")
            .why(
                "The key `a\\xff` starts with `a`, and so do all after it that begin with these two \
                 bytes. All of them are lost.",
            )
            .link(WRONG),
        mistake("ends_at_many_ff", |store, prefix| up_to(store, prefix, &[0xff; 8], true))
            .says("a range that ends at the prefix followed by many bytes ff")
            .why(
                "It is rarer now that a key is lost, not impossible: a key with one ff more than you \
                 appended is greater. Only the successor of the prefix is an end for keys of every length.",
            )
            .link(WRONG),
        mistake("ends_at_a_letter", |store, prefix| up_to(store, prefix, b"~", false))
            .says("a range that ends at the prefix followed by `~`")
            .why("`~` is the last character of ASCII that prints, 7e, and keys are bytes: those from 7f to ff sort after it.")
            .link(WRONG),
        mistake("ends_after_a_tilde", |store, prefix| up_to(store, prefix, b"~", true))
            .or(|store, prefix| up_to(store, prefix, b"\x7f", false))
            .says("a range that ends after the prefix followed by `~`")
            .why("`~` is the last character of ASCII that prints, 7e, and keys are bytes: those from 7f to ff sort after it.")
            .link(WRONG),
        mistake("ends_at_z", |store, prefix| up_to(store, prefix, b"z", false))
            .says("a range that ends just before the prefix followed by `z`")
            .why(
                "Keys are bytes, and 133 of them come after `z`. Even among small letters `z` itself is lost, and all that \
                 begins with it.",
            )
            .link(WRONG),
        mistake("ends_after_z", |store, prefix| up_to(store, prefix, b"{", false))
            .or(|store, prefix| up_to(store, prefix, b"z", true))
            .says("a range that ends after the prefix followed by `z`")
            .why("`z` is the last small letter, 7a, and keys are bytes: those from 7b to ff sort after it.")
            .link(WRONG),
        mistake("ends_at_a_great_character", |store, prefix| {
            up_to(store, prefix, "\u{f8ff}".as_bytes(), false)
        })
        .or(|store, prefix| up_to(store, prefix, "\u{10ffff}".as_bytes(), false))
        .says("a range that ends at the prefix followed by one of the last characters of Unicode, such as U+F8FF")
        .why(
            "Among texts hardly any character is greater, so some databases of texts are asked like that. Here keys \
             are bytes: even U+10FFFF begins with f4, and the bytes from f5 to ff sort after it.",
        )
        .link(WRONG),
        mistake("ends_at_the_raised_last_byte_appended", |store, prefix| {
            let raised = prefix.last().map_or(0, |byte| byte.saturating_add(1));
            up_to(store, prefix, &[raised], false)
        })
        .says("a range that ends at the prefix followed by its own last byte and one")
        .why("The byte that grows is the last one of the prefix, and it stays in its place: after all that start with `ab` comes `ac`, not `abc`.")
        .link(TASK),
        mistake("no_end", |store, prefix| keys(store.range::<[u8], _>((Included(prefix), Unbounded))))
            .says("a range that starts at the prefix and runs to the end of the store")
            .why("The start is right. Nothing stops the scan after the last key of the prefix.")
            .link(WRONG),
        mistake("successor_taken", |store, prefix| {
            keys(store.range::<[u8], _>((Included(prefix), Included(&successor(prefix)[..]))))
        })
        .says("a range that takes the successor of the prefix too")
        .why("The successor is the first key that does not start with the prefix. The range stops before it.")
        .link(TASK),
        mistake("first_byte_raised", |store, prefix| {
            let mut end = prefix.to_vec();
            if let Some(first) = end.first_mut() {
                *first = first.saturating_add(1);
            }
            keys(store.range::<[u8], _>((Included(prefix), Excluded(&end[..]))))
        })
        .says("a range whose end adds one to the first byte of the prefix")
        .why(
            "The next key after all that start with `user:` is `user;`, not `vser:`: it is the last \
             byte that has to grow.",
        )
        .link(TASK),
    ]
}

fn wrong_starts_and_tests() -> Vec<Mistake<Scan>> {
    vec![
        mistake("prefix_itself_left_out", |store, prefix| {
            keys(store.range::<[u8], _>((Excluded(prefix), Excluded(&successor(prefix)[..]))))
        })
        .says("a range that leaves out the prefix itself")
        .why("Every byte string starts with itself. If the prefix is a key, it is the first one of the range.")
        .link(TASK),
        mistake("only_the_prefix", |store, prefix| {
            store.get_key_value(prefix).map(|(key, _)| key.clone()).into_iter().collect()
        })
        .says("a lookup of the prefix as a key")
        .why("A lookup finds one key, the one that equals the prefix. Those that go on after it need a range.")
        .link(WRONG),
        mistake("contains", |store: &Store, prefix| {
            let within = |key: &[u8]| key.windows(prefix.len()).any(|window| window == prefix);
            keys(store.iter().filter(|(key, _)| within(key)))
        })
        .says("the keys that hold these bytes anywhere")
        .why("A prefix is the beginning of a key. Keys that hold the bytes further right are scattered over the store.")
        .link(TASK),
        mistake("ends_with", |store: &Store, prefix| {
            keys(store.iter().filter(|(key, _)| key.ends_with(prefix)))
        })
        .says("the keys that end with these bytes")
        .why("A prefix is the beginning of a key. Keys that end alike are scattered over the store: only those that begin alike are neighbours.")
        .link(TASK),
        mistake("all_bytes_somewhere", |store: &Store, prefix| {
            keys(store.iter().filter(|(key, _)| prefix.iter().all(|byte| key.contains(byte))))
        })
        .says("the keys that hold each byte of the prefix somewhere")
        .why("A prefix is the beginning of a key: its bytes stand first, in their order and with nothing between them. `starts_with` asks for that.")
        .link(TASK),
        mistake("first_byte_only", |store: &Store, prefix| {
            keys(store.iter().filter(|(key, _)| key.first() == prefix.first()))
        })
        .says("the keys with the same first byte as the prefix")
        .why("Every byte of the prefix has to be there, not the first one alone: `users` does not start with `user:`.")
        .link(TASK),
        mistake("prefix_must_be_a_key", |store, prefix| {
            if store.contains_key(prefix) { right(store, prefix) } else { Vec::new() }
        })
        .says("a scan that looks the prefix up and gives up when it is not a key")
        .why(
            "A prefix is a place between keys, not a key: `us` is seldom stored, and `user:1` starts with it. The scan begins at the first key \
             that is not less than the prefix.",
        )
        .link(TASK),
        mistake("empty_key_taken", |store: &Store, prefix| {
            keys(store.iter().filter(|(key, _)| key.is_empty() || key.starts_with(prefix)))
        })
        .says("the right keys, and the empty key with them")
        .why("The empty byte string may be a key, and it starts with nothing but itself. A prefix has at least one byte.")
        .link(TASK),
        mistake("ends_at_a_zero_byte", |store: &Store, prefix| {
            let string = |key: &[u8]| key.split(|byte| *byte == 0).next().map_or_else(Vec::new, <[u8]>::to_vec);
            let start = string(prefix);
            keys(store.iter().filter(|(key, _)| string(key).starts_with(&start)))
        })
        .or(|store: &Store, prefix| {
            // As many steps as the prefix has bytes, or up to a zero in both. A zero stands behind a key.
            let alike = |key: &[u8]| {
                let mut pairs = prefix.iter().zip(key.iter().chain(std::iter::repeat(&0)));
                pairs.find(|(a, b)| a != b || **a == 0).is_none_or(|(a, b)| a == b)
            };
            keys(store.iter().filter(|(key, _)| alike(key)))
        })
        .says("a comparison that ends at the first byte 00, as `strncmp` does")
        .why("00 is a byte like any other: it may be in a prefix, at its end too, and what comes after it counts. Only the strings of C end there.")
        .link(TASK),
        mistake("prefix_is_a_pattern", |store: &Store, prefix| {
            keys(store.iter().filter(|(key, _)| fits(key, prefix, b'%', b'_')))
        })
        .or(|store: &Store, prefix| keys(store.iter().filter(|(key, _)| fits(key, prefix, b'*', b'?'))))
        .or(|store: &Store, prefix| {
            let alike = |key: &[u8]| key.iter().zip(prefix).all(|(byte, given)| *given == b'.' || byte == given);
            keys(store.iter().filter(|(key, _)| key.len() >= prefix.len() && alike(key)))
        })
        .says("a prefix that is a pattern, in which some bytes stand for others")
        .why(
            "`LIKE` has `%` and `_` for that, `KEYS` has `*` and `?`, a regular expression has `.`. A prefix is no pattern: each of its bytes stands for itself, \
             and `starts_with` compares just these.",
        )
        .link(TASK),
        mistake("printed_lists", |store: &Store, prefix| {
            let printed = |key: &[u8]| format!("{key:?}").trim_end_matches(']').to_owned();
            keys(store.iter().filter(|(key, _)| printed(key).starts_with(&printed(prefix))))
        })
        .says("a scan that compares keys as `{:?}` prints them")
        .why(
            "Printed, the byte 6 is the beginning of 65, so `[97, 65]` seems to start with `[97, 6`. Slices of bytes have `starts_with` \
             themselves.",
        )
        .link(TASK),
        mistake("starts_with_exchanged", |store: &Store, prefix| {
            keys(store.iter().filter(|(key, _)| prefix.starts_with(key)))
        })
        .says("the keys with which the prefix starts")
        .why("If you wrote `prefix.starts_with(key)`: the longer one stands in front of the dot, and here that is the key.")
        .link(TASK),
        panics("short_keys_panic", |store: &Store, prefix| {
            keys(store.iter().filter(|(key, _)| &key[..prefix.len()] == prefix))
        })
        .says("cutting as many bytes out of every key as the prefix has")
        .why(
            "A key may be shorter than the prefix, and `key[..prefix.len()]` panics then. `starts_with` looks at the \
             length too.",
        )
        .link(TASK),
        panics("short_keys_panic_after_the_prefix", |store: &Store, prefix| {
            let from = store.range::<[u8], _>((Included(prefix), Unbounded));
            keys(from.take_while(|(key, _)| &key[..prefix.len()] == prefix))
        })
        .says("cutting as many bytes out of each key from the prefix on as the prefix has")
        .why(
            "The scan begins in the right place. But the first key after those with the prefix may be shorter, and \
             `key[..prefix.len()]` panics then. `starts_with` looks at the length too.",
        )
        .link(TASK),
        mistake("shorter_keys_taken", |store: &Store, prefix| {
            let alike = |key: &[u8]| key.iter().zip(prefix).all(|(a, b)| a == b);
            keys(store.iter().filter(|(key, _)| alike(key)))
        })
        .says("a comparison that stops at the end of the shorter one")
        .why(
            "`zip` ends with the shorter of the two, so a key that is itself the beginning of the prefix is found as \
             well: `user` for `user:`. Such a key does not start with the prefix.",
        )
        .link(TASK),
        mistake("one_more_byte", |store, prefix| {
            right(store, prefix).into_iter().filter(|key| key.len() <= prefix.len() + 1).collect()
        })
        .says("the prefix with at most one byte after it")
        .why("Any number of bytes may follow a prefix.")
        .link(TASK),
        mistake("last_byte_dropped", |store: &Store, prefix| {
            let shorter = &prefix[..prefix.len() - 1];
            keys(store.iter().filter(|(key, _)| key.starts_with(shorter)))
        })
        .says("the keys of a prefix that is one byte shorter")
        .why("The last byte of the prefix counts too: `user:` is not `user;`.")
        .link(TASK),
        mistake("walk_without_a_start", |store: &Store, prefix| {
            keys(store.iter().take_while(|(key, _)| key.starts_with(prefix)))
        })
        .says("a walk from the first key of the store that stops at the first key without the prefix")
        .why(
            "The keys with the prefix are next to each other, but seldom at the start of the store. The walk \
             ends before it reaches them. Begin at the prefix.",
        )
        .link(TASK),
        mistake("text_with_losses", |store: &Store, prefix| {
            let text = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
            let start = text(prefix);
            keys(store.iter().filter(|(key, _)| text(key).starts_with(&start)))
        })
        .says("a scan that turns keys into text with `from_utf8_lossy`")
        .why(
            "Each byte that is no text becomes the same replacement character: `a\\xfe` and `a\\xff` can no \
             longer be told apart. Slices of bytes have `starts_with` too.",
        )
        .link(WRONG),
        panics("text_or_panic", |store: &Store, prefix| {
            let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap_or_else(|e| panic!("{e}"));
            let start = text(prefix);
            keys(store.iter().filter(|(key, _)| text(key).starts_with(&start)))
        })
        .or(|store, prefix| {
            let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap_or_else(|e| panic!("{e}"));
            keys(store.iter().filter(|(key, _)| text(key).starts_with(&text(prefix))))
        })
        .says("a scan that turns keys into text, and panics where they are none")
        .why("Keys are bytes: ff occurs in no UTF-8 text. Slices of bytes have `starts_with` too.")
        .link(WRONG),
        mistake("text_only", |store, prefix| {
            right(store, prefix).into_iter().filter(|key| key.is_ascii()).collect()
        })
        .says("the right keys, without those that hold bytes from 80 to ff")
        .why("Keys are bytes, not text. A conversion to text drops or changes what is not ASCII.")
        .link(WRONG),
    ]
}

fn wrong_lists() -> Vec<Mistake<Scan>> {
    vec![
        mistake("backwards", |store, prefix| {
            right(store, prefix).into_iter().rev().collect()
        })
        .says("the right keys, last one first")
        .why("A scan returns keys in the order of the store, the least one first.")
        .link(TASK),
        mistake("shorter_first", |store, prefix| {
            let mut found = right(store, prefix);
            found.sort_by_key(Vec::len);
            found
        })
        .says("the right keys, shorter ones first")
        .why("The store's order compares from the left, and `user:10` comes before `user:2`. The range gives the keys in order: there is nothing to sort.")
        .link(TASK),
        mistake("first_key_only", |store, prefix| {
            right(store, prefix).into_iter().take(1).collect()
        })
        .says("the first key of the prefix alone")
        .why("As many keys may start with a prefix as the store holds, not one.")
        .link(TASK),
        mistake("prefix_cut_off", |store, prefix| {
            right(store, prefix)
                .iter()
                .map(|key| key[prefix.len()..].to_vec())
                .collect()
        })
        .says("what follows the prefix in the right keys")
        .why("The task asks for whole keys. Without its prefix a key cannot be looked up.")
        .link(TASK),
        mistake("values_for_keys", |store, prefix| {
            right(store, prefix)
                .iter()
                .filter_map(|key| store.get(key).cloned())
                .collect()
        })
        .says("the values of the right keys")
        .why("The task asks for the keys. The map's iterator gives pairs: the key comes first.")
        .link(TASK),
        mistake("nothing", |_, _| Vec::new())
            .says("a scan that finds nothing")
            .why("It returns an empty list whatever the prefix is.")
            .link(TASK),
        mistake("letters_without_case", |store, prefix| {
            let prefix = prefix.to_ascii_lowercase();
            let found = |(key, _): &(&Vec<u8>, _)| key.to_ascii_lowercase().starts_with(&prefix);
            keys(store.iter().filter(found))
        })
        .says("a scan that takes `U` and `u` for the same letter")
        .why("A prefix is bytes: `U` is 55 and `u` is 75, and the two are far apart in the store.")
        .link(TASK),
        mistake("everything", |store, _| keys(store.iter()))
            .says("a scan over the whole store")
            .why("It does not look at the prefix.")
            .link(TASK),
    ]
}
