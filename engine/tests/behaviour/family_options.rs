//! Each family has its own options: order, filter bits, compression, compaction filter, write buffer.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use engine::comparator::NumericSuffix;
use engine::sstable::Table;
use engine::vfs::{MemoryVfs, Vfs};
use engine::{
    CompactionFilter, Comparator, Compression, Db, Decision, Family, FamilyOptions, Options,
};

use crate::support::{manual, tiny};

fn on(vfs: &MemoryVfs) -> Options {
    manual(vfs)
}

fn tables(vfs: &MemoryVfs) -> BTreeSet<OsString> {
    let names = vfs.list(Path::new("db")).unwrap().into_iter();
    names
        .filter(|name| name.to_string_lossy().ends_with(".sst"))
        .collect()
}

/// Writes the same rows to a family, alone, and opens the single table that a flush makes of them.
fn table_of(db: &Db, family: &Family, vfs: &MemoryVfs) -> Table {
    let before = tables(vfs);
    for at in 0..300 {
        family.put(format!("item:{at}"), [b'v'; 100]).unwrap();
    }
    db.flush().unwrap();
    let after = tables(vfs);
    let new: Vec<_> = after.difference(&before).collect();
    let [name] = new[..] else {
        panic!("one table for {:?}: {new:?}", family.name())
    };
    let file = vfs.open_mapped(&Path::new("db").join(name)).unwrap();
    Table::open(file, family.comparator().clone()).unwrap()
}

/// How many of a thousand absent keys the table's filter cannot rule out.
fn let_through(table: &Table) -> usize {
    let absent = (0..1_000).map(|at| format!("absent:{at}"));
    absent
        .filter(|key| table.may_contain(key.as_bytes()))
        .count()
}

#[test]
fn order_compression_and_filter_bits_are_the_familys_own() {
    let vfs = MemoryVfs::new();
    let family = |change: fn(&mut FamilyOptions)| {
        let mut family = FamilyOptions::default();
        change(&mut family);
        family
    };
    let options = on(&vfs)
        .family("plain", family(|_| {}))
        .family("unfiltered", family(|of| of.filter_bits_per_key = 0))
        .family("coarse", family(|of| of.filter_bits_per_key = 4))
        .family("packed", family(|of| of.compression = Compression::Lz4))
        .family(
            "numeric",
            family(|of| of.comparator = Comparator::custom(NumericSuffix)),
        );
    let db = Db::open("db", options).unwrap();
    let table = |name| table_of(&db, &db.family(name).unwrap(), &vfs);
    let plain = table("plain");
    assert_eq!(plain.properties().comparator, "bytewise");
    assert!(let_through(&plain) < 30, "{}", let_through(&plain));

    assert_eq!(let_through(&table("unfiltered")), 1_000);
    let coarse = let_through(&table("coarse"));
    assert!((50..400).contains(&coarse), "{coarse}");

    let packed = table("packed");
    assert_eq!(packed.properties().entries, 300);
    assert!(packed.file_bytes() < plain.file_bytes() / 3);

    assert_eq!(table("numeric").properties().comparator, "numeric-suffix");
    let numeric = db.family("numeric").unwrap();
    let keys: Vec<_> = numeric.iter().map(|row| row.unwrap().0).collect();
    assert_eq!(keys[9..11], [b"item:9".to_vec(), b"item:10".to_vec()]);
}

struct RemoveAll;

impl CompactionFilter for RemoveAll {
    fn decide(&self, _key: &[u8], _value: &[u8]) -> Decision {
        Decision::Remove
    }
}

#[test]
fn a_compaction_filter_sees_its_own_familys_rows_only() {
    let vfs = MemoryVfs::new();
    let emptied = FamilyOptions {
        compaction_filter: Some(Arc::new(RemoveAll)),
        ..tiny()
    };
    let options = on(&vfs).family("emptied", emptied).family("kept", tiny());
    let db = Db::open("db", options).unwrap();
    let (emptied, kept) = (db.family("emptied").unwrap(), db.family("kept").unwrap());
    for at in 0..100 {
        emptied.put(format!("{at:03}"), "v").unwrap();
        kept.put(format!("{at:03}"), "v").unwrap();
    }
    db.compact().unwrap();
    assert_eq!((emptied.iter().count(), kept.iter().count()), (0, 100));
}

#[test]
fn a_write_buffer_is_full_when_its_own_family_has_filled_it() {
    let vfs = MemoryVfs::new();
    let options = on(&vfs)
        .family("small", tiny())
        .family("large", FamilyOptions::default());
    let db = Db::open("db", options).unwrap();
    let fill = |name| {
        let family = db.family(name).unwrap();
        for at in 0..200 {
            family.put(format!("{at:03}"), [0; 100]).unwrap();
        }
        while db.step().unwrap() {}
        tables(&vfs).len()
    };
    assert_eq!(fill("large"), 0, "20 KB are little for 64 MiB");
    assert!(fill("small") > 0, "20 KB are much for 4 KiB");
}

#[test]
fn what_all_families_hold_together_has_a_bound() {
    let rotations_of_three = |total_write_buffer_bytes| {
        let vfs = MemoryVfs::new();
        let buffer = FamilyOptions {
            write_buffer_bytes: 64 << 10,
            ..FamilyOptions::default()
        };
        let options = Options {
            total_write_buffer_bytes,
            ..on(&vfs).family("a", buffer.clone()).family("b", buffer)
        };
        let db = Db::open("db", options).unwrap();
        // Its own bound is far away, and the common one applies to it just as to the families that were listed.
        db.create_family("c", FamilyOptions::default()).unwrap();
        for at in 0..300 {
            for name in ["a", "b", "c"] {
                let family = db.family(name).unwrap();
                family.put(format!("{at:03}"), [0; 100]).unwrap();
            }
        }
        while db.step().unwrap() {}
        tables(&vfs).len()
    };
    assert_eq!(rotations_of_three(None), 0, "30 KB are little for 64 KiB");
    let tables = rotations_of_three(Some(64 << 10));
    assert_eq!(tables, 3, "90 KB are much for 64 KiB, once");
}

#[test]
fn one_family_takes_no_more_than_all_may() {
    let vfs = MemoryVfs::new();
    let options = Options {
        total_write_buffer_bytes: Some(4 << 10),
        ..on(&vfs)
    };
    let db = Db::open("db", options).unwrap();
    for at in 0..200 {
        db.put(format!("{at:03}"), [0; 100]).unwrap();
    }
    while db.step().unwrap() {}
    assert!(tables(&vfs).len() > 1, "20 KB are much for 4 KiB");
}

#[test]
fn a_family_created_while_the_database_is_open_has_its_options_too() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs)).unwrap();
    let packed = FamilyOptions {
        compression: Compression::Lz4,
        filter_bits_per_key: 0,
        ..FamilyOptions::default()
    };
    let packed = db.create_family("packed", packed).unwrap();
    let table = table_of(&db, &packed, &vfs);
    assert!(table.file_bytes() < 300 * 50);
    assert_eq!(let_through(&table), 1_000);
    assert_eq!(packed.iter().count(), 300);
}
