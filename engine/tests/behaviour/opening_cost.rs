//! What opening costs: in proportion to what the manifest says, not to the number of edits times tables.
//!
//! If versions were built again for each edit, all tables would be sorted and checked each time.

use std::path::Path;
use std::sync::Arc;

use engine::internal_key::{self, ValueKind};
use engine::version::{FamilyRecord, FileMeta, Manifest, State, VersionEdit, file_name};
use engine::vfs::{MemoryVfs, Vfs};
use engine::{Background, Comparator, Db, FamilyId, FamilyOptions, Options};

use crate::support::counting_order::CountingOrder;

const FAMILY: FamilyId = FamilyId(0);

/// Writes a manifest with one edit for each table, then counts the comparisons that opening makes.
fn comparisons_to_open(tables: u64) -> u64 {
    let (vfs, dir) = (MemoryVfs::new(), Path::new("db"));
    vfs.create_dir_all(dir).unwrap();
    let mut manifest = Manifest::create(Arc::new(vfs.clone()), dir, 1, &State::default()).unwrap();
    let family = FamilyRecord {
        id: FAMILY,
        name: "default".to_owned(),
        comparator: "counting".to_owned(),
    };
    let first = VersionEdit {
        families_added: vec![family],
        next_family: Some(1),
        next_file: Some(tables + 10),
        ..VersionEdit::default()
    };
    manifest.append(&first).unwrap();
    for number in 2..tables + 2 {
        let key =
            |end| internal_key::encode(format!("{number:06}{end}").as_bytes(), 1, ValueKind::Put);
        let file = FileMeta {
            number,
            bytes: 0,
            entries: 1,
            range_deletes: 0,
            smallest: key('a'),
            largest: key('b'),
        };
        let edit = VersionEdit {
            files_added: vec![(FAMILY, 1, file)],
            last_sequence: Some(number),
            ..VersionEdit::default()
        };
        manifest.append(&edit).unwrap();
        // A table is opened when it is first read, which never happens here.
        vfs.create(&file_name::table(dir, number)).unwrap();
    }
    drop(manifest);
    let counting = CountingOrder::default();
    let family = FamilyOptions {
        comparator: Comparator::custom(counting.clone()),
        ..FamilyOptions::default()
    };
    let options = Options {
        vfs: Arc::new(vfs),
        background: Background::Manual,
        ..Options::default()
    };
    let open = || Db::open(dir, options.family("default", family)).unwrap();
    let (_db, comparisons) = counting.during(open);
    comparisons
}

#[test]
fn opening_grows_with_the_manifest_and_not_with_its_square() {
    let (few, many) = (comparisons_to_open(200), comparisons_to_open(800));
    println!("{few} comparisons for 200 tables, {many} for 800");
    assert!(few >= 200, "the counter counts");
    assert!(many < 6 * few, "{few} for 200 tables, {many} for 800");
}
