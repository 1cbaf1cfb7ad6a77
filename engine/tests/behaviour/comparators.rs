//! Orders: bytewise, reversed, and custom ones. They are checked by name, tested against the laws,
//! and never trusted with a separator.

#[path = "../../examples/numeric_comparator.rs"]
#[expect(dead_code, reason = "main is for the command line")]
mod numeric_comparator;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use engine::comparator::{NumericSuffix, PrefixRange, assert_comparator_laws};
use engine::{Comparator, Compare, Db, Family};

use crate::support::{Dice, family_in};

/// The example's page shows exactly what its program prints.
#[test]
fn the_numeric_example_prints_what_it_says() {
    let source = include_str!("../../examples/numeric_comparator.rs");
    let promised: String = source
        .lines()
        .skip_while(|line| !line.contains("```text"))
        .skip(1)
        .take_while(|line| !line.contains("```"))
        .map(|line| {
            format!(
                "{}\n",
                line.trim_start_matches("//!").trim_start_matches(' ')
            )
        })
        .collect();
    let mut printed = Vec::new();
    numeric_comparator::run(&mut printed).unwrap();
    let printed = String::from_utf8(printed).unwrap();
    let unindented = printed
        .lines()
        .map(|line| format!("{}\n", line.trim_start()));
    assert_eq!(unindented.collect::<String>(), promised);
}

/// Rock, paper, scissors: every pair is in order, but no three are.
struct Circle;

impl Compare for Circle {
    fn name(&self) -> &str {
        "circle"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        const ORDER: [&[u8]; 3] = [b"paper", b"rock", b"scissors"];
        let place = |key: &[u8]| ORDER.iter().position(|&of| of == key).unwrap_or(0);
        match (place(b) + 3 - place(a)) % 3 {
            0 => Ordering::Equal,
            1 => Ordering::Less,
            _ => Ordering::Greater,
        }
    }
}

#[test]
fn a_broken_law_is_reported_with_its_name_and_three_keys() {
    let outcome = catch_unwind(|| assert_comparator_laws(&Circle, &["rock", "paper", "scissors"]));
    let panic = outcome.expect_err("a circle is no order");
    assert_eq!(
        panic.downcast_ref::<String>().unwrap(),
        "comparator \"circle\" breaks a law: a < b and b < c give a < c\n  \
         a = \"paper\"\n  b = \"rock\"\n  c = \"scissors\"\n  \
         it answered: a < b, b < c, and yet c < a"
    );
}

/// Bytewise, but with random, often wrong, proposals for separators.
struct Liar;

impl Liar {
    fn lie(a: &[u8], b: &[u8]) -> Vec<u8> {
        let seed = [a, b].concat().iter().fold(7, |seed: u64, &byte| {
            seed.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        let mut dice = Dice::new(seed);
        let mut lie = if dice.one_in(2) {
            a.to_vec()
        } else {
            b.to_vec()
        };
        lie.truncate(dice.below(6) as usize);
        if dice.one_in(2) {
            lie.push(dice.next() as u8);
        }
        lie
    }
}

impl Compare for Liar {
    fn name(&self) -> &str {
        "liar"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }

    fn separator(&self, a: &[u8], b: &[u8]) -> Vec<u8> {
        Self::lie(a, b)
    }

    fn successor(&self, a: &[u8]) -> Vec<u8> {
        Self::lie(a, b"")
    }
}

#[test]
fn wrong_separators_lose_no_key() {
    let samples: Vec<_> = (0..50).map(|at| format!("key {at:05}")).collect();
    assert!(
        catch_unwind(|| assert_comparator_laws(&Liar, &samples)).is_err(),
        "it does lie"
    );
    let (db, family) = family_in(Comparator::custom(Liar));
    let mut model = BTreeMap::new();
    let mut dice = Dice::new(3);
    for at in 0..3_000u32 {
        let key = format!("key {:05}", dice.below(5_000));
        family.put(&key, at.to_be_bytes()).unwrap();
        model.insert(key.into_bytes(), at.to_be_bytes().to_vec());
        while at.is_multiple_of(500) && db.step().unwrap() {}
    }
    db.compact().unwrap();
    let rows: Vec<_> = family.iter().map(|row| row.unwrap()).collect();
    assert_eq!(rows, model.clone().into_iter().collect::<Vec<_>>());
    let mut cursor = family.cursor().unwrap();
    for number in 0..5_000 {
        let key = format!("key {number:05}").into_bytes();
        assert_eq!(
            family.get(&key).unwrap().as_deref(),
            model.get(&key).map(Vec::as_slice)
        );
        cursor.seek(&key).unwrap();
        let found = cursor.valid().then(|| cursor.key());
        assert_eq!(
            found,
            model.range(key..).next().map(|(key, _)| key.as_slice())
        );
    }
}

/// Bytewise, and reversed when it has changed its mind.
#[derive(Default)]
struct Moody(Arc<AtomicBool>);

impl Compare for Moody {
    fn name(&self) -> &str {
        "moody"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        match self.0.load(SeqCst) {
            true => b.cmp(a),
            false => a.cmp(b),
        }
    }
}

/// A family in an order that changes when the flag is set.
fn moody_family() -> (Db, Family, Arc<AtomicBool>) {
    let mood = Arc::<AtomicBool>::default();
    let (db, family) = family_in(Comparator::custom(Moody(Arc::clone(&mood))));
    (db, family, mood)
}

/// Nobody needs a backup, or `lsm repair`, because of what is only in memory.
#[test]
fn rows_in_memory_that_are_out_of_order_are_no_damage_on_disk() {
    let (db, family, mood) = moody_family();
    family.put("a", "").unwrap();
    family.put("b", "").unwrap();
    mood.store(true, SeqCst);
    let error = db.flush().unwrap_err().to_string();
    assert!(error.contains("rows in memory"), "{error}");
    assert!(error.contains("assert_comparator_laws"), "{error}");
    assert!(
        !error.contains("repair") && !error.contains("damaged"),
        "{error}"
    );
    mood.store(false, SeqCst);
    db.flush().unwrap();
    assert_eq!(family.iter().count(), 2);
}

#[test]
fn a_comparator_of_ones_own_is_suspected_beside_the_file_whose_order_is_wrong() {
    const SUSPICION: &str =
        "or the comparator \"moody\" contradicts itself: check it with assert_comparator_laws";
    let (db, family, mood) = moody_family();
    family.put("a", "").unwrap();
    family.put("b", "").unwrap();
    db.flush().unwrap();
    // Without it, the tables would be moved and not read.
    family.delete("a").unwrap();
    family.put("c", "").unwrap();
    db.flush().unwrap();
    mood.store(true, SeqCst);
    let of_table = db.compact().unwrap_err().to_string();
    assert!(of_table.contains(".sst is damaged"), "{of_table}");
    assert!(of_table.contains(SUSPICION), "{of_table}");
    // One row is always in order, but the tables beside it are not any more.
    family.put("c", "").unwrap();
    let of_manifest = db.flush().unwrap_err().to_string();
    assert!(of_manifest.contains("MANIFEST"), "{of_manifest}");
    assert!(of_manifest.contains(SUSPICION), "{of_manifest}");
}

/// Three groups of keys, each after the one before, in a circle. Within a group the order is bytewise.
#[derive(Default)]
struct Groups(AtomicU64);

impl Compare for Groups {
    fn name(&self) -> &str {
        "groups"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        // Whoever goes round for ever is stopped.
        assert!(self.0.fetch_add(1, SeqCst) < 10_000_000, "it does not end");
        let group = |key: &[u8]| key.first().map_or(0, |first| first % 3);
        match (group(b) + 3 - group(a)) % 3 {
            0 => a.cmp(b),
            1 => Ordering::Less,
            _ => Ordering::Greater,
        }
    }
}

#[test]
fn reads_and_range_deletions_end_although_the_order_goes_in_a_circle() {
    for seed in 0..20 {
        let (_db, family) = family_in(Comparator::custom(Groups::default()));
        let mut dice = Dice::new(seed);
        let mut key = || [b'a' + dice.below(6) as u8, dice.below(6) as u8];
        for _ in 0..40 {
            // Either may be refused.
            let _ = family.delete_range(key()..key());
            for _ in 0..4 {
                let _ = family.put(key(), "");
            }
            let _ = family.iter().take(100).last();
            let _ = family.iter().rev().take(100).last();
        }
    }
}

#[test]
fn a_numeric_order_walks_prefixes_that_stand_together() {
    let (db, family) = family_in(Comparator::custom(NumericSuffix));
    // In bytes, `item/` is followed by `item0`, which this order reads as a number.
    let mut all: Vec<String> = [
        "item/", "item0", "item:", "item:x", "item:x7", "item", "i", "user:3",
    ]
    .map(str::to_owned)
    .into();
    all.extend((0..300).map(|number| format!("item:{number}")));
    all.extend((0..30).map(|number| format!("item/{number:03}")));
    for (at, key) in all.iter().enumerate() {
        family.put(key, "").unwrap();
        if at.is_multiple_of(100) {
            db.flush().unwrap();
        }
    }
    all.sort_by(|a, b| NumericSuffix.compare(a.as_bytes(), b.as_bytes()));
    for prefix in ["", "i", "item", "item/", "item:", "item:x", "user:", "v"] {
        let expected: Vec<_> = all.iter().filter(|key| key.starts_with(prefix)).collect();
        let keys = |rows: Vec<engine::Result<(Vec<u8>, Vec<u8>)>>| -> Vec<String> {
            let keys = rows.into_iter().map(|row| row.unwrap().0);
            keys.map(|key| String::from_utf8(key).unwrap()).collect()
        };
        let forward = keys(family.prefix(prefix).collect());
        assert!(
            forward.iter().eq(expected.iter().copied()),
            "{prefix:?}: {forward:?}"
        );
        let backward = keys(family.prefix(prefix).rev().collect());
        assert!(
            backward.iter().eq(expected.into_iter().rev()),
            "{prefix:?}: {backward:?}"
        );
    }
    let error = family.prefix("item:1").next().unwrap().unwrap_err();
    assert!(error.to_string().contains("\"item:1\""), "{error}");
}

/// An order that says nothing about prefixes refuses to walk them, even if their keys would be neighbours.
#[test]
fn an_order_without_prefix_ranges_says_which_prefix() {
    struct Plain;
    impl Compare for Plain {
        fn name(&self) -> &str {
            "plain"
        }
        fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
            a.cmp(b)
        }
    }
    assert_eq!(Plain.prefix_range(b"a"), None::<PrefixRange>);
    let (_db, family) = family_in(Comparator::custom(Plain));
    let error = family
        .prefix("\x01a")
        .next()
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(r#""plain""#) && error.contains(r#""\x01a""#),
        "{error}"
    );
}
