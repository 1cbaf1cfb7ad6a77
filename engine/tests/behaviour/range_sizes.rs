//! About how many bytes the rows of a range take on the disk.

use std::collections::BTreeMap;
use std::ops::Bound;

use engine::vfs::{MemoryVfs, Vfs};
use engine::{Background, Db, Error, Family};

use crate::support::{Dice, OptionSet, ample, files, open, option_sets, sorted, table_bytes};

fn key(number: u64) -> String {
    format!("{number:06}")
}

/// A database that flushes and compacts only on request.
fn opened(vfs: &MemoryVfs) -> (Db, Family) {
    let db = open(vfs, Background::Manual, ample());
    let family = db.default_family();
    (db, family)
}

/// Rows of a hundred bytes each, and their keys.
fn put(family: &Family, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        family.put(key(number), [b'v'; 100]).unwrap();
    }
}

#[test]
fn sizes_side_by_side_add_up_to_all_tables_in_every_order() {
    for set in option_sets() {
        let vfs = MemoryVfs::new();
        // Between two questions nothing may move.
        let set = OptionSet {
            background: Background::Manual,
            ..set
        };
        let db = Db::open("db", set.options(&vfs)).unwrap();
        let (family, order) = (db.default_family(), &set.family.comparator);
        let mut dice = Dice::new(7);
        let mut rows = BTreeMap::new();
        for step in 0..2000 {
            let key = key(dice.below(1500)).into_bytes();
            let value = vec![b'v'; dice.below(120) as usize];
            family.put(&key, &value).unwrap();
            rows.insert(key, value);
            if step % 500 == 400 {
                let mut ends = [key_in(&rows, &mut dice), key_in(&rows, &mut dice)];
                ends.sort_by(|a, b| order.compare(a, b));
                let [begin, end] = ends;
                family.delete_range(begin..end).unwrap();
            }
        }
        db.flush().unwrap();

        let all = family.approximate_bytes::<&[u8]>(..).unwrap();
        assert_eq!(all, table_bytes(&vfs), "{}", set.name);
        let keys: Vec<_> = sorted(&rows, order).into_iter().map(|row| row.0).collect();
        let cuts: Vec<&[u8]> = keys.iter().map(Vec::as_slice).step_by(97).collect();
        let mut sum = family.approximate_bytes::<&[u8]>(..cuts[0]).unwrap();
        for pair in cuts.windows(2) {
            sum += family.approximate_bytes::<&[u8]>(pair[0]..pair[1]).unwrap();
        }
        sum += family
            .approximate_bytes::<&[u8]>(cuts[cuts.len() - 1]..)
            .unwrap();
        assert_eq!(sum, all, "{}", set.name);
    }
}

fn key_in(rows: &BTreeMap<Vec<u8>, Vec<u8>>, dice: &mut Dice) -> Vec<u8> {
    let at = dice.below(rows.len() as u64) as usize;
    rows.keys().nth(at).unwrap().clone()
}

#[test]
fn a_tenth_of_the_rows_takes_about_a_tenth_of_the_bytes() {
    let (db, family) = opened(&MemoryVfs::new());
    for part in 0..3 {
        put(&family, (0..3000).filter(|number| number % 3 == part));
        db.flush().unwrap();
    }
    let all = family.approximate_bytes::<&str>(..).unwrap();
    // Each of three tables is cut twice, and a block holds one row, which takes at least its key and value.
    let block = all / 3000;
    for begin in [0, 1, 999, 1500, 2400] {
        let bytes = family
            .approximate_bytes(key(begin)..key(begin + 300))
            .unwrap();
        assert!(bytes + 6 * block >= 300 * 106, "{begin}: {bytes}");
        assert!(bytes <= all / 10 + 6 * block, "{begin}: {bytes} of {all}");
    }
    let beyond = family.approximate_bytes(key(5000)..key(6000)).unwrap();
    let before = family.approximate_bytes(""..&*key(0)).unwrap();
    let backward = family.approximate_bytes(key(2000)..key(1000)).unwrap();
    assert_eq!((beyond, before, backward), (0, 0, 0));
}

#[test]
fn a_bound_decides_about_its_row() {
    let (db, family) = opened(&MemoryVfs::new());
    put(&family, [1, 3]);
    family.put(key(2), vec![b'v'; 50_000]).unwrap();
    db.flush().unwrap();
    let size = |lower, upper| {
        let range: (Bound<String>, Bound<String>) = (lower, upper);
        family.approximate_bytes(range).unwrap()
    };
    let (included, excluded) = (|| Bound::Included(key(2)), || Bound::Excluded(key(2)));
    assert!(size(Bound::Unbounded, included()) > 50_000);
    assert!(size(Bound::Unbounded, excluded()) < 1_000);
    assert!(size(included(), Bound::Unbounded) > 50_000);
    assert!(size(excluded(), Bound::Unbounded) < 1_000);
}

#[test]
fn rows_count_once_they_are_in_tables_and_until_a_compaction_removes_them() {
    let vfs = MemoryVfs::new();
    let (db, family) = opened(&vfs);
    put(&family, 0..100);
    let size = || family.approximate_bytes(key(20)..key(80)).unwrap();
    assert_eq!(size(), 0);
    db.flush().unwrap();
    let flushed = size();
    assert!(flushed > 5_000);
    family.delete_range(key(0)..key(100)).unwrap();
    assert_eq!(size(), flushed);
    db.compact().unwrap();
    assert_eq!(size(), 0);
}

#[test]
fn a_table_whose_range_tombstone_ends_after_its_rows_lies_before_that_end() {
    let vfs = MemoryVfs::new();
    let (db, family) = opened(&vfs);
    // What the tombstone deletes lies in another table, so the flush keeps it.
    put(&family, 600..650);
    db.flush().unwrap();
    put(&family, 0..100);
    family.delete_range(key(500)..key(900)).unwrap();
    db.flush().unwrap();
    assert_eq!(files(&vfs, ".sst").len(), 2);
    let before = family.approximate_bytes(..key(700)).unwrap();
    assert_eq!(before, table_bytes(&vfs));
    assert_eq!(family.approximate_bytes(key(700)..).unwrap(), 0);
}

#[test]
fn indexes_are_read_and_no_rows() {
    let vfs = MemoryVfs::new();
    let (db, family) = opened(&vfs);
    put(&family, 0..100);
    db.flush().unwrap();
    let sound = family.approximate_bytes(key(20)..key(80)).unwrap();
    drop((family, db));

    let table = files(&vfs, ".sst").remove(0);
    let bytes = vfs.read(&table).unwrap();
    let rows_are_damaged = |from: usize, to: usize| {
        let mut damaged = bytes.clone();
        damaged[from..to].fill(0);
        vfs.damage(&table, damaged).unwrap();
        opened(&vfs)
    };
    let (db, family) = rows_are_damaged(0, 5_000);
    assert!(matches!(family.get(key(20)), Err(Error::Corruption { .. })));
    assert_eq!(family.approximate_bytes(key(20)..key(80)).unwrap(), sound);
    drop((family, db));

    let (_db, family) = rows_are_damaged(bytes.len() - 100, bytes.len());
    let cut = family.approximate_bytes(key(20)..key(80));
    assert!(matches!(cut, Err(Error::Corruption { .. })), "{cut:?}");
    assert_eq!(
        family.approximate_bytes::<&str>(..).unwrap(),
        bytes.len() as u64
    );
}
