//! The picker on trees that are drawn as text: which tables are merged, and where they go.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{SHAPE, version};
use crate::compaction::{Plan, Shape, Strategy, pick, pick_everything, pick_range};
use crate::comparator::{Comparator, Compare};
use crate::version::{LEVELS, Version};

/// Inputs as (level, number), the output level, and whether it is a trivial move.
type Picked = (Vec<(usize, u64)>, usize, bool);

fn picked(tables: &[(usize, u64, &str, &str, u64)]) -> Option<Picked> {
    pick(&version(tables), &Comparator::Bytewise, &SHAPE).map(|plan| {
        let inputs = plan
            .inputs
            .iter()
            .map(|(level, table)| (*level, table.number))
            .collect();
        (inputs, plan.output_level, plan.is_trivial_move())
    })
}

#[test]
fn a_tree_in_shape_is_left_alone() {
    assert_eq!(picked(&[]), None);
    let three = [
        (0, 1, "a", "z", 100),
        (0, 2, "a", "z", 100),
        (0, 3, "a", "z", 100),
    ];
    assert_eq!(picked(&three), None);
    assert_eq!(
        picked(&[(1, 1, "a", "m", 499), (1, 2, "n", "z", 500)]),
        None
    );
    assert_eq!(
        picked(&[(LEVELS - 1, 1, "a", "z", u64::MAX / 2)]),
        None,
        "the last level has no below"
    );
}

#[test]
fn large_tables_of_level_0_go_before_there_are_four() {
    let goes = |tables: &[_]| picked(tables).map(|(inputs, ..)| inputs.len());
    let large = |number, bytes| (0, number, "a", "z", bytes);
    assert_eq!(goes(&[large(1, 499), large(2, 500)]), None);
    assert_eq!(goes(&[large(1, 500), large(2, 500)]), Some(2));
    assert_eq!(goes(&[large(1, 5000)]), None, "one is a run as it is");
}

#[test]
fn level_0_goes_with_all_that_overlap_and_what_lies_below() {
    let tables = [
        (0, 10, "a", "c", 100),
        (0, 11, "b", "f", 100),
        (0, 12, "x", "z", 100),
        (0, 13, "e", "g", 100),
        (1, 5, "a", "d", 100),
        (1, 6, "g", "k", 100),
        (1, 7, "l", "w", 100),
    ];
    // The oldest is 10; it overlaps 11, which overlaps 13.
    let inputs = vec![(0, 13), (0, 11), (0, 10), (1, 5), (1, 6)];
    assert_eq!(picked(&tables), Some((inputs, 1, false)));
}

#[test]
fn tables_that_meet_nothing_are_handed_down() {
    let sequential = [
        (0, 10, "a", "b", 100),
        (0, 11, "c", "d", 100),
        (0, 12, "e", "f", 100),
        (0, 13, "g", "h", 100),
    ];
    assert_eq!(picked(&sequential), Some((vec![(0, 10)], 1, true)));
}

#[test]
fn a_deeper_level_gives_the_table_that_drags_least() {
    let tables = [
        (1, 1, "a", "f", 600),
        (1, 2, "g", "p", 600),
        (2, 3, "a", "c", 5000),
        (2, 4, "d", "f", 5000),
        (2, 5, "h", "k", 100),
    ];
    assert_eq!(picked(&tables), Some((vec![(1, 2), (2, 5)], 2, false)));
}

/// Byte order that counts how often it is asked: a test cannot rely on time.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicU64>);

impl Compare for Counting {
    fn name(&self) -> &str {
        "bytewise"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.0.fetch_add(1, Relaxed);
        a.cmp(b)
    }
}

#[test]
fn the_table_that_drags_least_is_found_without_comparing_each_with_each() {
    let comparisons = |tables: u64| {
        let names: Vec<_> = (0..tables).map(|at| format!("{at:05}")).collect();
        let of_level = |level, from| {
            let names = names.iter().zip(from..);
            names.map(move |(name, number)| (level, number, &name[..], &name[..], 1000))
        };
        let all: Vec<_> = of_level(1, 1).chain(of_level(2, tables + 1)).collect();
        let (version, counting) = (version(&all), Counting::default());
        let order = Comparator::custom(counting.clone());
        assert!(pick(&version, &order, &SHAPE).is_some());
        counting.0.load(Relaxed)
    };
    let (few, many) = (comparisons(100), comparisons(800));
    assert!(many < 16 * few, "{few} for 100 tables, {many} for 800");
}

#[test]
fn everything_goes_into_the_shallowest_level_that_holds_it() {
    let plan =
        |tables: &[_]| pick_everything(&version(tables), &SHAPE).map(|plan| plan.output_level);
    assert_eq!(plan(&[]), None);
    assert_eq!(plan(&[(0, 1, "a", "z", 900)]), Some(1));
    assert_eq!(plan(&[(0, 1, "a", "z", 1001)]), Some(2));
    assert_eq!(plan(&[(0, 1, "a", "z", 10), (4, 2, "a", "z", 10)]), Some(4));
}

#[test]
fn versions_that_break_an_invariant_are_refused() {
    let overlapping =
        std::panic::catch_unwind(|| version(&[(1, 1, "a", "c", 1), (1, 2, "c", "d", 1)]));
    let message = *overlapping.unwrap_err().downcast::<String>().unwrap();
    assert!(
        message.contains("tables 1 and 2 overlap in level 1"),
        "{message}"
    );
}

/// A version drawn as text: one line for each level, each table as `number[first-last]bytes`.
fn drawn(drawing: &str) -> Arc<Version> {
    let mut tables = Vec::new();
    for line in drawing
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let mut words = line.split_whitespace();
        let level = words
            .next()
            .unwrap()
            .strip_prefix('L')
            .unwrap()
            .parse()
            .unwrap();
        for word in words {
            let (number, rest) = word.split_once('[').unwrap();
            let (range, bytes) = rest.split_once(']').unwrap();
            let (first, last) = range.split_once('-').unwrap();
            tables.push((
                level,
                number.parse().unwrap(),
                first,
                last,
                bytes.parse().unwrap(),
            ));
        }
    }
    version(&tables)
}

/// A plan as text: the inputs by level, and the output level.
fn outcome(plan: Option<Plan>) -> String {
    let Some(plan) = plan else {
        return "nothing".to_owned();
    };
    let mut text = String::new();
    for level in 0..LEVELS {
        let of_level = plan.inputs.iter().filter(|(from, _)| *from == level);
        let numbers: Vec<_> = of_level
            .map(|(_, table)| table.number.to_string())
            .collect();
        if !numbers.is_empty() {
            text += &format!("L{level}: {}; ", numbers.join(" "));
        }
    }
    text + &format!("into L{}", plan.output_level)
}

fn tiered(drawing: &str) -> String {
    let shape = Shape {
        strategy: Strategy::Tiered,
        ..SHAPE
    };
    outcome(pick(&drawn(drawing), &Comparator::Bytewise, &shape))
}

#[test]
fn tiers_are_merged_as_a_binary_counter_carries() {
    for (drawing, expected) in [
        ("L0 1[a-z]100 2[a-z]100 3[a-z]100", "nothing"),
        // However full the deeper levels are, only level 0 starts a compaction.
        ("L1 1[a-z]99999 \n L2 2[a-z]99999", "nothing"),
        (
            "L0 1[a-z]10 2[a-z]10 3[a-z]10 4[a-z]10",
            "L0: 4 3 2 1; into L6",
        ),
        // The next run is larger, so it stays, and the new one goes right above it.
        (
            "L0 5[a-z]10 6[a-z]10 7[a-z]10 8[a-z]10 \n L6 4[a-z]61",
            "L0: 8 7 6 5; into L5",
        ),
        // The next run is not much larger than what is merged, so it joins, and so does the one after it.
        (
            "L0 5[a-z]10 6[a-z]10 7[a-z]10 8[a-z]10 \n L4 4[a-m]20 3[n-z]20 \n L5 2[a-z]80 \n L6 1[a-z]241",
            "L0: 8 7 6 5; L4: 4 3; L5: 2; into L5",
        ),
        // A run is merged as a whole, even tables that overlap nothing.
        (
            "L0 5[a-b]10 6[c-d]10 7[e-f]10 8[g-h]10 \n L6 3[p-q]20 4[x-z]20",
            "L0: 8 7 6 5; L6: 3 4; into L6",
        ),
        // There is no room above level 1, so it joins, however large it is.
        (
            "L0 5[a-z]10 6[a-z]10 7[a-z]10 8[a-z]10 \n L1 4[a-z]900 \n L2 3[a-z]2000",
            "L0: 8 7 6 5; L1: 4; into L1",
        ),
        // That may make the next one join too.
        (
            "L0 5[a-z]10 6[a-z]10 7[a-z]10 8[a-z]10 \n L1 4[a-z]980 \n L2 3[a-z]1000 \n L4 2[a-z]9999",
            "L0: 8 7 6 5; L1: 4; L2: 3; into L3",
        ),
    ] {
        assert_eq!(tiered(drawing), expected, "{drawing}");
    }
}

#[test]
fn everything_goes_into_the_last_level_when_levels_are_runs() {
    let shape = Shape {
        strategy: Strategy::Tiered,
        ..SHAPE
    };
    let plan = pick_everything(&drawn("L0 3[a-z]1 \n L2 1[a-z]1"), &shape);
    assert_eq!(outcome(plan), "L0: 3; L2: 1; into L6");
}

#[test]
fn a_range_takes_what_it_meets_and_what_that_meets_below() {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    let tree = drawn(
        "L0 9[a-c]10 10[f-h]10 11[g-k]10 12[x-z]10
         L1 5[a-b]10 6[e-f]10 7[j-m]10 8[p-q]10
         L3 1[a-d]10 2[f-g]10 3[l-n]10 4[q-r]10",
    );
    for (lower, upper, expected) in [
        // 10 overlaps 11; together they overlap 6 and 7, and 7 overlaps 3.
        (
            Included("f"),
            Included("f"),
            "L0: 11 10; L1: 6 7; L3: 2 3; into L3",
        ),
        (Included("p"), Excluded("q"), "L1: 8; L3: 4; into L3"),
        (Excluded("q"), Included("r"), "L3: 4; into L3"),
        (Excluded("r"), Included("w"), "nothing"),
        (Included("s"), Unbounded, "L0: 12; into L1"),
        (Unbounded, Excluded("a"), "nothing"),
        (Unbounded, Included("a"), "L0: 9; L1: 5; L3: 1; into L3"),
        (Included("z"), Included("a"), "nothing"),
    ] {
        let plan = pick_range(
            &tree,
            &Comparator::Bytewise,
            lower.map(str::as_bytes),
            upper.map(str::as_bytes),
        );
        assert_eq!(outcome(plan), expected, "{lower:?} to {upper:?}");
    }
}
