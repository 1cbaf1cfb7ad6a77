//! The picker on drawn trees, and the survivors against what every snapshot must go on seeing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::survivors::{Below, Fate, Survivors};
use super::*;
use crate::batch::FamilyId;
use crate::comparator::Comparator;
use crate::internal_key::{self, ParsedKey, ValueKind};
use crate::version::{
    FamilyRecord, FileMeta, LEVELS, State, TableAccess, Tables, Version, VersionEdit,
};
use crate::vfs::MemoryVfs;

const FAMILY: FamilyId = FamilyId(0);

/// A version of tables given as (level, number, first key, last key, bytes). Nothing is on disk.
fn version(tables: &[(usize, u64, &str, &str, u64)]) -> Arc<Version> {
    let access = Arc::new(TableAccess::new(
        Arc::new(MemoryVfs::new()),
        Path::new("db"),
        Comparator::Bytewise,
        true,
    ));
    let record = FamilyRecord {
        id: FAMILY,
        name: "f".into(),
        comparator: "bytewise".into(),
    };
    let file = |&(level, number, first, last, bytes): &(usize, u64, &str, &str, u64)| {
        let key = |key: &str| internal_key::encode(key.as_bytes(), 1, ValueKind::Put);
        let meta = FileMeta {
            number,
            bytes,
            entries: 2,
            range_deletes: 0,
            smallest: key(first),
            largest: key(last),
        };
        (FAMILY, level, meta)
    };
    let edit = VersionEdit {
        families_added: vec![record],
        files_added: tables.iter().map(file).collect(),
        ..VersionEdit::default()
    };
    let state = State::default()
        .apply(&edit, |_| Arc::clone(&access))
        .unwrap();
    Arc::clone(&state.families[&FAMILY].version)
}

const SHAPE: Shape = Shape {
    level0_trigger: 4,
    level_base_bytes: 1000,
    level_multiplier: 10,
    target_file_bytes: 500,
};

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
    // The oldest is 10; it drags 11 along, which drags 13.
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

struct Held(Vec<u64>);

impl Snapshots for Held {
    fn ascending(&self) -> Vec<u64> {
        self.0.clone()
    }
    fn newest(&self) -> Option<u64> {
        self.0.last().copied()
    }
}

type Versions = BTreeMap<(u8, std::cmp::Reverse<u64>), Option<u8>>;

/// What a reader of `sequence` sees in the versions.
fn seen(versions: &Versions, key: u8, sequence: u64) -> Option<u8> {
    let from = (key, std::cmp::Reverse(sequence));
    let newest = versions
        .range(from..)
        .next()
        .filter(|((of, _), _)| *of == key);
    newest.and_then(|(_, value)| *value)
}

fn rewritten(versions: &Versions, held: &Held, below: Below) -> Versions {
    let mut survivors = Survivors::new(held, None, below);
    let mut left = Versions::new();
    for (&(key, sequence), value) in versions {
        let kind = if value.is_some() {
            ValueKind::Put
        } else {
            ValueKind::Delete
        };
        let entry = ParsedKey {
            user_key: &[key],
            sequence: sequence.0,
            kind,
        };
        match survivors.judge(&entry, &[]) {
            Fate::Stays => _ = left.insert((key, sequence), *value),
            Fate::Goes(_) => {}
            fate => panic!("{fate:?} without a filter"),
        }
    }
    left
}

proptest! {
    #[test]
    fn every_reader_sees_the_same_after_a_rewrite(
        writes in prop::collection::vec((0u8..4, prop::option::weighted(0.7, any::<u8>())), 0..40),
        held in prop::collection::btree_set(0u64..45, 0..5),
        older in prop::collection::vec((0u8..4, any::<u8>()), 0..4),
    ) {
        // The older versions lie in a table below, in the middle of the key range or nowhere.
        let mut below = Versions::new();
        for (sequence, (key, value)) in (1..).zip(&older) {
            below.insert((*key, std::cmp::Reverse(sequence)), Some(*value));
        }
        let first = older.len() as u64 + 1;
        let mut versions = Versions::new();
        for (sequence, (key, value)) in (first..).zip(&writes) {
            versions.insert((*key, std::cmp::Reverse(sequence)), *value);
        }
        let table_below = below.keys().map(|(key, _)| *key);
        let range = table_below.clone().min().zip(table_below.max());
        let tables: Tables = match range {
            None => Tables::default(),
            Some((low, high)) => {
                let (low, high) = (char::from(low).to_string(), char::from(high).to_string());
                Arc::clone(version(&[(3, 1, &low, &high, 10)]).level(3))
            }
        };
        let held = Held(held.into_iter().collect());
        let sources = Below::new(Comparator::Bytewise, Tables::default(), vec![tables]);
        let left = rewritten(&versions, &held, sources);
        prop_assert!(left.iter().all(|(place, value)| versions.get(place) == Some(value)));

        let now = first + writes.len() as u64;
        let readers = held.0.iter().copied().chain([now]);
        let merged = |upper: &Versions| -> Versions {
            upper.iter().chain(&below).map(|(place, value)| (*place, *value)).collect()
        };
        for reader in readers {
            for key in 0..4 {
                prop_assert_eq!(
                    seen(&merged(&left), key, reader),
                    seen(&merged(&versions), key, reader),
                    "key {} at {}", key, reader
                );
            }
        }
        // And nothing more than needed stays: one version a stripe and key.
        for key in 0..4u8 {
            let count = left.keys().filter(|(of, _)| *of == key).count();
            prop_assert!(count <= held.0.len() + 1);
        }
        if older.is_empty() && held.0.is_empty() {
            prop_assert!(left.values().all(Option::is_some), "no tombstone hides nothing");
        }
    }
}
