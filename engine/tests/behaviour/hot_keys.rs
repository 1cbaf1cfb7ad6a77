//! Keys that are written again and again: whatever the direction, and whichever versions a cursor sees, it passes the others
//! with seeks, and shows what the model shows.

use engine::comparator::NumericSuffix;
use engine::{Comparator, Cursor, FamilyOptions, Snapshot};

use crate::support::counting_order::CountingOrder;
use crate::support::walker::Walker;
use crate::support::{
    Dice, Rows, family_in, manual, seed_or, sorted, steps_or, take_range, within,
};

const VERSIONS: u32 = 20_000;
const COMPARISONS_MAX: u64 = 2_000;

#[test]
fn versions_that_are_not_shown_are_passed_with_seeks_in_either_direction() {
    let counting = CountingOrder::default();
    let family = FamilyOptions {
        comparator: Comparator::custom(counting.clone()),
        write_buffer_bytes: 64 << 20,
        ..FamilyOptions::default()
    };
    let options = manual(&engine::vfs::MemoryVfs::new()).family("default", family);
    let db = engine::Db::open("db", options).unwrap();
    let family = db.default_family();
    for key in ["a", "b", "d"] {
        db.put(key, "first").unwrap();
    }
    db.flush().unwrap();
    let before = db.snapshot();
    for number in 0..VERSIONS {
        db.put("b", number.to_le_bytes()).unwrap();
        db.put("c", number.to_le_bytes()).unwrap();
    }
    let last = (VERSIONS - 1).to_le_bytes();
    let steps = |cursor: &mut Cursor, what: &str, step: &dyn Fn(&mut Cursor)| {
        let ((), comparisons) = counting.during(|| step(cursor));
        println!("{what}: {comparisons} comparisons");
        assert!(
            comparisons <= COMPARISONS_MAX,
            "{what}: {comparisons} comparisons"
        );
        let row = cursor.valid().then(|| (cursor.key(), cursor.value()));
        row.map(|(key, value)| (key.to_vec(), value.to_vec()))
    };
    let row = |key: &str, value: &[u8]| Some((key.as_bytes().to_vec(), value.to_vec()));
    let (next, prev) = (
        |cursor: &mut Cursor| cursor.next().unwrap(),
        |cursor: &mut Cursor| cursor.prev().unwrap(),
    );
    let to_d = |cursor: &mut Cursor| cursor.seek_for_prev("d").unwrap();
    let to_c = |cursor: &mut Cursor| cursor.seek_for_prev("c").unwrap();
    let to_b = |cursor: &mut Cursor| cursor.seek("b").unwrap();

    let mut now = family.cursor().unwrap();
    steps(&mut now, "to the last row", &to_d);
    for (key, value) in [("c", &last[..]), ("b", &last), ("a", b"first")] {
        let found = steps(&mut now, "back over old versions", &prev);
        assert_eq!(found, row(key, value));
    }
    assert_eq!(steps(&mut now, "to old versions", &to_c), row("c", &last));

    let mut then = before.cursor(&family).unwrap();
    steps(&mut then, "to the last row, then", &to_d);
    for key in ["b", "a"] {
        let found = steps(&mut then, "back over versions too new", &prev);
        assert_eq!(found, row(key, b"first"));
    }
    for key in ["b", "d"] {
        let found = steps(&mut then, "forward over versions too new", &next);
        assert_eq!(found, row(key, b"first"));
    }
    assert_eq!(
        steps(&mut then, "to versions too new", &to_c),
        row("b", b"first")
    );
    steps(&mut then, "forward to a row among them", &to_b);
    let found = steps(&mut then, "back from a row found forward", &prev);
    assert_eq!(found, row("a", b"first"));
}

/// Few keys with many versions, in memtables and tables, under range tombstones, seen by old and new readers.
/// Between two steps of a cursor the key that it is at may be written many times.
#[test]
fn a_row_that_was_shown_is_not_shown_again_after_its_key_was_overwritten() {
    type Step = fn(&mut Cursor) -> engine::Result<()>;
    let ways: [(Step, Step); 2] = [
        (Cursor::seek_to_last, Cursor::prev),
        (Cursor::seek_to_first, Cursor::next),
    ];
    for (begin, step) in ways {
        for (overwrites, is_flushed) in [(1, false), (40, false), (1, true), (40, true)] {
            let (db, family) = family_in(Comparator::Bytewise);
            for key in ["a", "b", "c", "d"] {
                family.put(key, "first").unwrap();
                // A lone source takes other ways than several do.
                if is_flushed && key == "b" {
                    db.flush().unwrap();
                }
            }
            let mut cursor = family.cursor().unwrap();
            begin(&mut cursor).unwrap();
            let mut shown = Vec::new();
            while cursor.valid() {
                assert_eq!(cursor.value(), b"first");
                shown.push(cursor.key().to_vec());
                for number in 0..overwrites {
                    let key = &shown[shown.len() - 1];
                    if number % 2 == 0 {
                        family.delete(key).unwrap();
                    }
                    family.put(key, "later").unwrap();
                }
                step(&mut cursor).unwrap();
            }
            shown.sort();
            assert_eq!(shown, [b"a", b"b", b"c", b"d"], "{overwrites} overwrites");
        }
    }
}

#[test]
fn random_walks_over_many_versions_agree_with_the_model() {
    let (seed, rounds) = (seed_or(7), steps_or(12));
    println!("ENGINE_SEED={seed} ENGINE_STEPS={rounds}");
    let orders = [
        Comparator::Bytewise,
        Comparator::reverse_bytewise(),
        Comparator::custom(NumericSuffix),
    ];
    let key = |dice: &mut Dice| format!("key:{}", 7 + dice.below(6)).into_bytes();
    for order in orders {
        let mut dice = Dice::new(seed);
        let (db, family) = family_in(order.clone());
        let mut rows = Rows::new();
        let mut held: Vec<(Snapshot, Rows)> = Vec::new();
        for round in 0..rounds {
            // One key at a time, so that its versions lie side by side in each source.
            for _ in 0..dice.below(8) {
                let hot = key(&mut dice);
                for _ in 0..dice.below(60) {
                    if dice.one_in(6) {
                        family.delete(&hot).unwrap();
                        rows.remove(&hot);
                    } else {
                        let value = vec![dice.below(256) as u8; dice.below(9) as usize];
                        family.put(&hot, &value).unwrap();
                        rows.insert(hot.clone(), value);
                    }
                    if dice.one_in(25) {
                        held.push((db.snapshot(), rows.clone()));
                    }
                }
                if dice.one_in(3) {
                    let (a, b) = (key(&mut dice), key(&mut dice));
                    let (start, end) = take_range(&mut rows, &order, a, b);
                    family.delete_range(start..end).unwrap();
                }
            }
            match dice.below(6) {
                0 => db.flush().unwrap(),
                1 => db.compact().unwrap(),
                _ => {}
            }
            held.push((db.snapshot(), rows.clone()));
            while held.len() > 12 {
                held.swap_remove(dice.below(held.len() as u64) as usize);
            }
            for (at, (snapshot, rows)) in held.iter().enumerate() {
                let (a, b) = (key(&mut dice), key(&mut dice));
                let bounds = match dice.below(3) {
                    0 => (std::ops::Bound::Included(a), std::ops::Bound::Excluded(b)),
                    1 => (std::ops::Bound::Excluded(a), std::ops::Bound::Included(b)),
                    _ => (std::ops::Bound::Unbounded, std::ops::Bound::Unbounded),
                };
                let expected = within(&sorted(rows, &order), &order, &bounds);
                let cursor = snapshot.cursor_in(&family, bounds.clone()).unwrap();
                let mut walker = Walker::new(cursor, order.clone(), expected);
                for step in 0..30 {
                    let target = key(&mut dice);
                    let context =
                        format!("{order:?}, round {round}, reader {at}, step {step}: {bounds:?}");
                    walker.walk(&mut dice, &target, 4, &context);
                }
            }
        }
    }
}
