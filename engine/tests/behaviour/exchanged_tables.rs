//! A table under the name of another, from a copy that went wrong or a backup put together by hand.
//! It is intact, its checksums are right, and it may be as long as the one that should be there.
//! What the manifest knows about the two tells them apart.

use std::path::{Path, PathBuf};

use engine::vfs::{MemoryVfs, Vfs};
use engine::{Db, Error, FamilyOptions, Options};

use crate::support::{Rows, manual, tiny};

/// Names of the same length, so that the tables have the same length too.
const FAMILIES: [&str; 2] = ["one", "two"];

fn options(vfs: &MemoryVfs) -> Options {
    let family = || FamilyOptions {
        write_buffer_bytes: 1 << 20,
        ..tiny()
    };
    let options = manual(vfs);
    FAMILIES
        .into_iter()
        .fold(options, |options, name| options.family(name, family()))
}

/// In each family: a table of level 1 that holds the same keys at the same sequence number, 0; a
/// table of level 0 that overlaps it; and another table of level 0 beside that one.
fn database() -> MemoryVfs {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    let write = |keys: std::ops::Range<u32>, what: &str| {
        for (key, name) in keys.flat_map(|key| FAMILIES.map(|name| (key, name))) {
            let family = db.family(name).unwrap();
            family
                .put(format!("key:{key:03}"), format!("{name} {what}"))
                .unwrap();
        }
        db.flush().unwrap();
    };
    write(0..20, "old");
    db.compact().unwrap();
    write(0..20, "new");
    write(20..40, "new");
    db.close().unwrap();
    vfs
}

fn tables(vfs: &MemoryVfs) -> Vec<PathBuf> {
    let names = vfs.list(Path::new("db")).unwrap().into_iter();
    let paths = names.map(|name| Path::new("db").join(name));
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "sst"))
        .collect()
}

/// What both families hold, by key and name.
fn rows(vfs: &MemoryVfs) -> engine::Result<[Rows; 2]> {
    let db = Db::open("db", options(vfs))?;
    let [one, two] = FAMILIES.map(|name| db.family(name)?.iter().collect::<engine::Result<Rows>>());
    Ok([one?, two?])
}

#[test]
fn a_table_under_the_name_of_another_is_no_answer() {
    let vfs = database();
    let right = rows(&vfs.crash(1)).unwrap();
    assert!(right.iter().all(|rows| rows.len() == 40));
    let tables = tables(&vfs);
    assert_eq!(tables.len(), 6);
    let mut as_long = 0;
    for left in &tables {
        for other in tables.iter().filter(|other| *other != left) {
            let [left_bytes, other_bytes] = [left, other].map(|path| vfs.read(path).unwrap());
            as_long += usize::from(left_bytes.len() == other_bytes.len());
            let doubled = vfs.crash(1);
            doubled.damage(left, other_bytes.clone()).unwrap();
            let exchanged = doubled.crash(1);
            exchanged.damage(other, left_bytes).unwrap();
            for (how, damaged) in [("doubled", doubled), ("exchanged", exchanged)] {
                let context = format!("{}, {} {how}", left.display(), other.display());
                let error = rows(&damaged).expect_err(&context);
                assert!(
                    matches!(error, Error::Corruption { .. }),
                    "{context}: {error}"
                );
                // A repair keeps no row that belongs to another family or was never written.
                engine::repair("db", &options(&damaged)).unwrap();
                let kept = rows(&damaged).unwrap();
                for ((kept, right), name) in kept.iter().zip(&right).zip(FAMILIES) {
                    for (key, value) in kept {
                        let old = format!("{name} old").into_bytes();
                        assert!(right[key] == *value || old == *value, "{context}");
                    }
                }
            }
        }
    }
    println!("30 pairs, {as_long} of them of one length");
    assert!(as_long >= 12, "lengths alone tell the others apart");
}
