//! Ranges: every form of bounds, from both ends, in every order, over memtables and tables,
//! compared with a model.

use std::collections::BTreeMap;
use std::ops::Bound;

use engine::comparator::NumericSuffix;
use engine::{Comparator, Db, Family, Range, Snapshot};

use crate::support::walker::{Walker, visited};
use crate::support::{Bounds, Dice, Pair, Rows, family_in, seed_or, sorted, steps_or, within};

fn orders() -> [Comparator; 3] {
    [
        Comparator::Bytewise,
        Comparator::reverse_bytewise(),
        Comparator::custom(NumericSuffix),
    ]
}

fn key(dice: &mut Dice) -> Vec<u8> {
    match dice.below(20) {
        0 => Vec::new(),
        1 => vec![0xff; dice.below(3) as usize],
        _ => format!(
            "{}:{}",
            ["a", "item", "item:x"][dice.below(3) as usize],
            dice.below(60)
        )
        .into_bytes(),
    }
}

fn bounds(dice: &mut Dice) -> Bounds {
    let bound = |dice: &mut Dice| match dice.below(5) {
        0 => Bound::Unbounded,
        1 | 2 => Bound::Included(key(dice)),
        _ => Bound::Excluded(key(dice)),
    };
    (bound(dice), bound(dice))
}

/// Takes rows from either end at random, until both ends agree that there are no more.
fn take_from_both_ends(mut range: Range, dice: &mut Dice) -> Vec<Pair> {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    loop {
        let from_front = dice.one_in(2);
        let row = if from_front {
            range.next()
        } else {
            range.next_back()
        };
        match row {
            Some(row) if from_front => front.push(row.unwrap()),
            Some(row) => back.push(row.unwrap()),
            None => break,
        }
    }
    assert!(
        range.next().is_none() && range.next_back().is_none(),
        "an ended range stays so"
    );
    back.reverse();
    [front, back].concat()
}

/// A random history with a snapshot in it; returns the rows at the snapshot and now.
fn history(db: &Db, family: &Family, dice: &mut Dice) -> (Snapshot, Rows, Rows) {
    let mut rows = Rows::new();
    let mut held = None;
    for step in 0..400 {
        let key = key(dice);
        if dice.one_in(4) {
            family.delete(&key).unwrap();
            rows.remove(&key);
        } else {
            let value = vec![step as u8; dice.below(80) as usize];
            family.put(&key, &value).unwrap();
            rows.insert(key, value);
        }
        if dice.one_in(60) {
            db.flush().unwrap();
        }
        if dice.one_in(150) {
            db.compact().unwrap();
        }
        if step == 250 {
            held = Some((db.snapshot(), rows.clone()));
        }
    }
    let (snapshot, then) = held.unwrap();
    (snapshot, then, rows)
}

#[test]
fn random_ranges_from_both_ends_agree_with_the_model() {
    let (seed, rounds) = (seed_or(5), steps_or(150));
    println!("ENGINE_SEED={seed} ENGINE_STEPS={rounds}");
    for order in orders() {
        let mut dice = Dice::new(seed);
        let (db, family) = family_in(order.clone());
        let (snapshot, then, now) = history(&db, &family, &mut dice);
        let (then, now) = (sorted(&then, &order), sorted(&now, &order));
        for round in 0..rounds {
            let bounds = bounds(&mut dice);
            let context = format!("{order:?}, round {round}: {bounds:?}");
            let found = take_from_both_ends(family.range(bounds.clone()), &mut dice);
            assert_eq!(found, within(&now, &order, &bounds), "{context}");
            let found = take_from_both_ends(snapshot.range(&family, bounds.clone()), &mut dice);
            assert_eq!(found, within(&then, &order, &bounds), "{context}, snapshot");
        }
    }
}

/// After any walk within bounds, a cursor is where the model says.
#[test]
fn random_walks_of_a_bounded_cursor_agree_with_the_model() {
    let (seed, rounds) = (seed_or(6), steps_or(60));
    println!("ENGINE_SEED={seed} ENGINE_STEPS={rounds}");
    for order in orders() {
        let mut dice = Dice::new(seed);
        let (db, family) = family_in(order.clone());
        let (snapshot, then, now) = history(&db, &family, &mut dice);
        let (then, now) = (sorted(&then, &order), sorted(&now, &order));
        for round in 0..rounds {
            let bounds = bounds(&mut dice);
            let (rows, cursor) = if round % 2 == 0 {
                let cursor = family.cursor_in(bounds.clone());
                (within(&now, &order, &bounds), cursor.unwrap())
            } else {
                let cursor = snapshot.cursor_in(&family, bounds.clone());
                (within(&then, &order, &bounds), cursor.unwrap())
            };
            let mut walker = Walker::new(cursor, order.clone(), rows);
            for step in 0..40 {
                let target = key(&mut dice);
                let context = format!("{order:?}, round {round}, step {step}: {bounds:?}");
                walker.walk(&mut dice, &target, 30, &context);
            }
        }
    }
}

/// Rows of one source are shown in runs. Versions, tombstones, and writes after the snapshot lie between them.
#[test]
fn runs_show_what_single_steps_show_wherever_the_rows_are() {
    let key = |number: u32| format!("row:{number:04}").into_bytes();
    for place in ["memtable", "level 0", "level 1"] {
        let (db, family) = family_in(Comparator::Bytewise);
        for number in 0..400 {
            family.put(key(number), b"old").unwrap();
            match number % 20 {
                3 => family.delete(key(number)).unwrap(),
                8 => family.put(key(number), b"new").unwrap(),
                _ => {}
            }
        }
        let snapshot = db.snapshot();
        for number in (0..400).step_by(10) {
            family.put(key(number), b"later").unwrap();
            family.delete(key(number + 5)).unwrap();
            family.put(key(1000 + number), b"later").unwrap();
        }
        match place {
            "level 0" => db.flush().unwrap(),
            "level 1" => db.compact().unwrap(),
            _ => {}
        }
        for (from, to) in [
            (0, 9999),
            (50, 350),
            (50, 57),
            (99, 100),
            (3, 4),
            (350, 1390),
        ] {
            let bounds = key(from)..key(to);
            for (range, mut cursor) in [
                (
                    family.range(bounds.clone()),
                    family.cursor_in(bounds.clone()).unwrap(),
                ),
                (
                    snapshot.range(&family, bounds.clone()),
                    snapshot.cursor_in(&family, bounds.clone()).unwrap(),
                ),
            ] {
                let expected: Vec<Pair> = range.map(Result::unwrap).collect();
                cursor.seek_to_first().unwrap();
                let shown = visited(&mut cursor, usize::MAX);
                assert!(shown == expected, "{place}, {from}..{to}");
                assert!(!cursor.valid());
            }
        }
    }
}

fn keys(range: Range) -> Vec<String> {
    let keys = range.map(|row| row.unwrap().0);
    keys.map(|key| String::from_utf8(key).unwrap()).collect()
}

/// Every form that Rust has for a range, as a user writes it.
#[test]
fn every_form_of_a_range_means_what_it_means_in_rust() {
    let (_db, family) = family_in(Comparator::Bytewise);
    let mut model = BTreeMap::new();
    for key in ["a", "b", "c", "d"] {
        family.put(key, "").unwrap();
        model.insert(key, "");
    }
    let both =
        |ours: Range, rust: Vec<&&str>| assert!(keys(ours).iter().eq(rust), "a form differs");
    both(family.range::<&str>(..), model.keys().collect());
    both(
        family.range("b".."d"),
        model.range("b".."d").map(|row| row.0).collect(),
    );
    both(
        family.range("b"..="d"),
        model.range("b"..="d").map(|row| row.0).collect(),
    );
    both(
        family.range("b"..),
        model.range("b"..).map(|row| row.0).collect(),
    );
    both(
        family.range(.."c"),
        model.range(.."c").map(|row| row.0).collect(),
    );
    both(
        family.range(..="c"),
        model.range(..="c").map(|row| row.0).collect(),
    );
    let excluded: (Bound<&str>, Bound<&str>) = (Bound::Excluded("b"), Bound::Unbounded);
    both(
        family.range::<&str>(excluded),
        model
            .range::<&str, _>((Bound::Excluded("b"), Bound::Unbounded))
            .map(|row| row.0)
            .collect(),
    );
    assert_eq!(
        keys(family.range(vec![b'b']..vec![b'd'])),
        ["b", "c"],
        "owned keys too"
    );
}

/// `BTreeMap::range` panics at these. A range that comes from a request must not end a server.
#[test]
fn ranges_without_rows_are_empty_and_do_not_panic() {
    for order in orders() {
        let (db, family) = family_in(order);
        for round in 0..3 {
            let snapshot = db.snapshot();
            for bounds in [
                (Bound::Included("c"), Bound::Excluded("c")),
                (Bound::Excluded("c"), Bound::Included("c")),
                (Bound::Excluded("c"), Bound::Excluded("c")),
            ] {
                assert_eq!(family.range::<&str>(bounds).count(), 0);
                assert_eq!(family.range::<&str>(bounds).rev().count(), 0);
                assert_eq!(snapshot.range::<&str>(&family, bounds).count(), 0);
                let mut cursor = family.cursor_in::<&str>(bounds).unwrap();
                cursor.seek_to_first().unwrap();
                assert!(!cursor.valid());
                cursor.seek_for_prev("c").unwrap();
                assert!(!cursor.valid());
            }
            let reversed = [family.range("d".."b"), family.range("b".."d")];
            let counts = reversed.map(|range| take_from_both_ends(range, &mut Dice::new(1)).len());
            let rows_between = if round == 0 { 0 } else { 2 };
            assert_eq!(
                counts.iter().min(),
                Some(&0),
                "one of the two runs the wrong way"
            );
            assert!(counts.iter().sum::<usize>() <= rows_between + 1);
            // Empty at first, then in the memtable, then in a table.
            for key in ["a", "b", "c", "d", "e"] {
                family.put(key, "v").unwrap();
            }
            if round == 1 {
                db.compact().unwrap();
            }
        }
        assert_eq!(family.range("c"..="c").count(), 1);
    }
}

/// Together, both ends return every row once, wherever they meet.
#[test]
fn the_ends_meet_once_wherever_they_do() {
    const ROWS: usize = 9;
    for order in orders() {
        let (db, family) = family_in(order.clone());
        let mut rows = Rows::new();
        for at in 0..ROWS {
            family.put(format!("item:{at}"), "v").unwrap();
            rows.insert(format!("item:{at}").into_bytes(), b"v".to_vec());
            if at % 4 == 3 {
                db.flush().unwrap();
            }
        }
        let rows = sorted(&rows, &order);
        for from_front in 0..=ROWS {
            let mut range = family.iter();
            let front: Vec<_> = range
                .by_ref()
                .take(from_front)
                .map(|row| row.unwrap())
                .collect();
            let mut back: Vec<_> = range.by_ref().rev().map(|row| row.unwrap()).collect();
            assert_eq!(back.len(), ROWS - from_front, "{order:?}");
            back.reverse();
            assert_eq!(
                [front, back].concat(),
                rows,
                "{order:?}, {from_front} from the front"
            );
            assert!(range.next().is_none());
        }
    }
}
