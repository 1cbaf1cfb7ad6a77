//! The picker on drawn trees, and the survivors against what every snapshot must go on seeing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

use super::survivors::{Below, Fate, Survivors};
use super::*;
use crate::batch::FamilyId;
use crate::comparator::Comparator;
use crate::internal_key::{self, ParsedKey, ValueKind};
use crate::range_tombstone::Fragment;
use crate::sstable::{TableBuilder, TableOptions};
use crate::version::{
    FamilyRecord, FileMeta, LEVELS, State, TableAccess, Tables, Version, VersionEdit, file_name,
};
use crate::vfs::{MemoryVfs, Vfs};

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
    strategy: Strategy::Leveled,
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
    let mut survivors = Survivors::new(held, None, below, Vec::new()).settling();
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
            Fate::Settles => _ = left.insert((key, std::cmp::Reverse(0)), *value),
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
        let is_unchanged = |(place, value): (&_, &_)| versions.get(place) == Some(value);
        prop_assert!(left.iter().all(|entry| entry.0.1.0 == 0 || is_unchanged(entry)));

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
            prop_assert!(left.keys().all(|(_, sequence)| sequence.0 == 0), "all is settled");
        }
    }
}

/// What becomes of one put at sequence number 9, under range tombstones of the inputs and over tables of level 3.
fn fate_of_put(
    key: &str,
    held: &[u64],
    tombstones: &[Fragment],
    below: &[(usize, u64, &str, &str, u64)],
) -> Fate {
    let tables = Arc::clone(version(below).level(3));
    let below = Below::new(Comparator::Bytewise, Tables::default(), vec![tables]);
    let held = Held(held.to_vec());
    let mut survivors = Survivors::new(&held, None, below, tombstones.to_vec()).settling();
    let entry = ParsedKey {
        user_key: key.as_bytes(),
        sequence: 9,
        kind: ValueKind::Put,
    };
    survivors.judge(&entry, b"value")
}

#[test]
fn a_put_is_settled_where_no_reader_can_tell() {
    let below = [(3, 1, "g", "m", 10)];
    let range = |sequence| [Fragment::tombstone(b"a", b"h", sequence)];
    for (what, key, held, tombstones, expected) in [
        (
            "nothing is in the way",
            "b",
            &[][..],
            &[][..],
            Fate::Settles,
        ),
        ("a snapshot that sees it", "b", &[9, 12], &[], Fate::Settles),
        ("one that does not", "b", &[8, 12], &[], Fate::Stays),
        ("a table below", "g", &[], &[], Fate::Stays),
        // The tombstone has to stay for `g`, and would hide a `b` of number 0.
        ("an older range tombstone", "b", &[], &range(5), Fate::Stays),
        ("its end", "n", &[], &range(5), Fate::Settles),
        (
            "a newer one",
            "b",
            &[],
            &range(10),
            Fate::Goes(Why::RangeDeleted),
        ),
        (
            "a newer one that a snapshot does not see",
            "b",
            &[9],
            &range(10),
            Fate::Stays,
        ),
    ] {
        assert_eq!(
            fate_of_put(key, held, tombstones, &below),
            expected,
            "{what}"
        );
    }
}

/// A version drawn as text: a line a level, a table as `number[first-last]bytes`.
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

/// A plan as text: the inputs by level, and where they go.
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
        // However full the levels are, only level 0 calls.
        ("L1 1[a-z]99999 \n L2 2[a-z]99999", "nothing"),
        (
            "L0 1[a-z]10 2[a-z]10 3[a-z]10 4[a-z]10",
            "L0: 4 3 2 1; into L6",
        ),
        // The next run is larger: it stays, and the new one goes right above it.
        (
            "L0 5[a-z]10 6[a-z]10 7[a-z]10 8[a-z]10 \n L6 4[a-z]61",
            "L0: 8 7 6 5; into L5",
        ),
        // Not much larger than what is merged: it joins, and so does the next.
        (
            "L0 5[a-z]10 6[a-z]10 7[a-z]10 8[a-z]10 \n L4 4[a-m]20 3[n-z]20 \n L5 2[a-z]80 \n L6 1[a-z]241",
            "L0: 8 7 6 5; L4: 4 3; L5: 2; into L5",
        ),
        // Also tables that overlap nothing: a run goes whole.
        (
            "L0 5[a-b]10 6[c-d]10 7[e-f]10 8[g-h]10 \n L6 3[p-q]20 4[x-z]20",
            "L0: 8 7 6 5; L6: 3 4; into L6",
        ),
        // No room above level 1: it joins, however large.
        (
            "L0 5[a-z]10 6[a-z]10 7[a-z]10 8[a-z]10 \n L1 4[a-z]900 \n L2 3[a-z]2000",
            "L0: 8 7 6 5; L1: 4; into L1",
        ),
        // And may make the next one join.
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
        // 10 overlaps 11; they reach 6 and 7, and 7 reaches 3.
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

/// A version with one real table of three entries, of which the manifest says that it holds `said`.
fn table_of_three(vfs: &MemoryVfs, said: u64) -> Arc<Version> {
    let path = file_name::table(Path::new("db"), 1);
    vfs.create_dir_all(Path::new("db")).unwrap();
    let options = TableOptions::new(Comparator::Bytewise);
    let mut builder = TableBuilder::new(vfs.create(&path).unwrap(), options).unwrap();
    for key in ["a", "b", "c"] {
        let key = internal_key::encode(key.as_bytes(), 1, ValueKind::Put);
        builder.add(&key, b"value").unwrap();
    }
    let written = builder.finish().unwrap();
    let meta = FileMeta {
        number: 1,
        bytes: written.file_bytes,
        entries: said,
        range_deletes: 0,
        smallest: written.properties.smallest,
        largest: written.properties.largest,
    };
    let access = Arc::new(TableAccess::new(
        Arc::new(vfs.clone()),
        Path::new("db"),
        Comparator::Bytewise,
        true,
    ));
    let edit = VersionEdit {
        families_added: vec![FamilyRecord {
            id: FAMILY,
            name: "f".into(),
            comparator: "bytewise".into(),
        }],
        files_added: vec![(FAMILY, 0, meta)],
        ..VersionEdit::default()
    };
    let state = State::default().apply(&edit, |_| Arc::clone(&access));
    Arc::clone(&state.unwrap().families[&FAMILY].version)
}

#[test]
fn a_rewrite_whose_counts_do_not_add_up_is_an_error_and_leaves_nothing() {
    for said in [2, 3, 4] {
        let vfs = MemoryVfs::new();
        let version = table_of_three(&vfs, said);
        let output = Path::new("db/000002.sst");
        let no = AtomicBool::new(false);
        let environment = Environment {
            table_options: TableOptions::new(Comparator::Bytewise),
            target_file_bytes: 1 << 20,
            overlap_bytes_max: u64::MAX,
            snapshots: &Held(Vec::new()),
            filter: None,
            create: &|| Ok((2, vfs.create(output)?)),
            discard: &|path| vfs.remove(path).unwrap(),
            cancellation: Cancellation {
                closing: &no,
                dropped: &no,
            },
        };
        let plan = pick_everything(&version, &SHAPE).unwrap();
        let outcome = compact(&environment, &plan, &version);
        if said == 3 {
            assert_eq!(outcome.unwrap().unwrap().entries_out(), 3);
            continue;
        }
        let error = outcome.unwrap_err().to_string();
        let what = format!("a rewrite of {said} entries, this file's among them, read 3, wrote 3");
        assert!(
            error.contains("000001.sst") && error.contains(&what),
            "{error}"
        );
        assert!(!vfs.exists(output).unwrap(), "the output is removed");
    }
}
