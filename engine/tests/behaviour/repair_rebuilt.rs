//! What a repair makes of tables and logs where the manifest is lost, torn or damaged: rows that
//! were durable stay, and rows that were deleted do not come back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine::internal_key::{self, ValueKind};
use engine::log::LogWriter;
use engine::sstable::{TableBuilder, TableOptions};
use engine::version::{VersionEdit, current_manifest, file_name, read_manifest};
use engine::vfs::{MemoryVfs, Vfs};
use engine::{
    Comparator, Db, FamilyOptions, Options, RepairReport, WriteBatch, WriteOptions, repair, verify,
};

use crate::support::{files, manual, scan, tiny};

type Content = BTreeMap<String, Vec<(Vec<u8>, Vec<u8>)>>;

const SYNCED: WriteOptions = WriteOptions { sync: true };

/// Flushed when the test says so, and not on closing.
fn family() -> FamilyOptions {
    FamilyOptions {
        write_buffer_bytes: 1 << 20,
        ..tiny()
    }
}

fn options(vfs: &MemoryVfs) -> Options {
    manual(vfs)
        .family("default", family())
        .family("other", family())
}

fn content(db: &Db) -> Content {
    db.families()
        .into_iter()
        .map(|name| (name.clone(), scan(db, &name)))
        .collect()
}

/// Copies the files that are missing on the other disk to it.
fn put_back(from: &MemoryVfs, paths: &[PathBuf], to: &MemoryVfs) {
    for path in paths {
        if !to.exists(path).unwrap() {
            let bytes = from.read(path).unwrap();
            to.create(path).unwrap().append(&bytes).unwrap();
        }
    }
}

fn lose_manifest(vfs: &MemoryVfs) {
    for path in files(vfs, "MANIFEST") {
        vfs.remove(&path).unwrap();
    }
}

fn repaired(vfs: &MemoryVfs) -> (RepairReport, Content) {
    let report = repair("db", &options(vfs)).unwrap();
    let checked = verify("db", &options(vfs)).unwrap();
    assert!(checked.is_clean(), "{:#?}", checked.findings);
    let db = Db::open("db", options(vfs)).unwrap();
    (report, content(&db))
}

/// Puts `value` under the keys of these numbers, in both families, one batch per key.
fn write(db: &Db, keys: std::ops::Range<u32>, value: &str) {
    let other = db.family("other").unwrap();
    for key in keys {
        let mut batch = WriteBatch::new();
        batch.put(&db.default_family(), format!("k{key:03}"), value);
        batch.put(&other, format!("k{key:03}"), value);
        db.write(batch, SYNCED).unwrap();
    }
}

/// A flush was cut short: one family's table is there, and the other's rows are only in the log.
#[test]
fn half_a_flush_is_not_taken_for_all_of_it() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    write(&db, 0..5, "old");
    db.flush().unwrap();
    write(&db, 3..9, "new");
    let rows = content(&db);
    let before = vfs.crash(1);
    let known = files(&before, ".sst");
    db.flush().unwrap();
    for new in files(&vfs, ".sst") {
        if known.contains(&new) {
            continue;
        }
        let cut = before.crash(1);
        put_back(&vfs, std::slice::from_ref(&new), &cut);
        lose_manifest(&cut);
        let (report, found) = repaired(&cut);
        assert_eq!(found, rows, "with {}: {report:#?}", new.display());
        assert!(report.rebuilt && report.batches == 6, "{report:#?}");
    }
}

/// A table holds the first rows of a log and not the last ones: the rest is added above it, and nothing twice.
#[test]
fn a_table_that_reaches_a_part_of_a_log_keeps_its_place_below_the_rest() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    write(&db, 0..9, "first");
    db.delete_range("k002".."k004").unwrap();
    db.sync().unwrap();
    let early = vfs.crash(1);
    Db::open("db", options(&early)).unwrap().flush().unwrap();
    db.put("k003", "again").unwrap();
    db.delete_range("k006".."k008").unwrap();
    write(&db, 8..10, "last");
    let rows = content(&db);
    db.close().unwrap();
    drop(db);
    put_back(&early, &files(&early, ".sst"), &vfs);
    lose_manifest(&vfs);
    let (report, found) = repaired(&vfs);
    assert_eq!(found, rows, "{report:#?}");
    // Those that are in no table, and the first deletion: a flush drops a deletion that has nothing below it.
    assert_eq!(report.batches, 5, "{report:#?}");
}

/// A log whose removal was not durable is still there. Its rows are in tables and some have changed
/// since: the tables count, and no row of the log.
#[test]
fn a_log_that_is_in_tables_brings_nothing_back() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    write(&db, 0..9, "old");
    let before = vfs.crash(1);
    db.flush().unwrap();
    write(&db, 4..6, "new");
    db.delete("k007").unwrap();
    db.default_family().delete_range("k000".."k002").unwrap();
    db.compact().unwrap();
    let rows = content(&db);
    db.close().unwrap();
    drop(db);
    put_back(&before, &files(&before, ".log"), &vfs);
    lose_manifest(&vfs);
    let (report, found) = repaired(&vfs);
    assert_eq!(found, rows, "{report:#?}");
    assert_eq!(report.batches, 0);
}

/// A power cut after any operation, and then the manifest is lost: every synced row of either
/// family is there, and none is older than it was.
#[test]
fn after_any_power_cut_a_lost_manifest_costs_no_synced_row() {
    let vfs = MemoryVfs::new().recording();
    let db = Db::open("db", options(&vfs)).unwrap();
    let mut synced = Vec::new();
    let mut first_tables = None;
    for step in 0..40 {
        write(&db, step * 7 % 10..step * 7 % 10 + 1, &format!("{step:03}"));
        synced.push((vfs.operations(), content(&db)));
        if step % 6 == 5 {
            db.flush().unwrap();
            first_tables.get_or_insert(vfs.operations());
            while db.step().unwrap() {}
        }
    }
    // From here on each family has a table, so its name is known.
    for at in first_tables.unwrap()..vfs.operations() {
        let disk = vfs.state_after(at).crash(at);
        lose_manifest(&disk);
        let (report, found) = repaired(&disk);
        let (_, least) = synced.iter().rfind(|(done, _)| *done <= at).unwrap();
        for (name, rows) in least {
            let found: BTreeMap<_, _> = found[name].iter().cloned().collect();
            for (key, value) in rows {
                assert!(
                    found.get(key) >= Some(value),
                    "cut after {at}, {name}: {report:#?}"
                );
            }
        }
    }
}

/// `CURRENT` is lost, and beside the manifest is another one that an opening had only begun to write.
#[test]
fn a_manifest_without_a_beginning_gives_way_to_the_one_before() {
    for begun in [0, 20] {
        let vfs = MemoryVfs::new();
        let db = Db::open("db", options(&vfs)).unwrap();
        write(&db, 0..3, "in a table");
        db.flush().unwrap();
        let fresh = db.create_family("fresh", family()).unwrap();
        let mut batch = WriteBatch::new();
        batch.put(&fresh, "k", "in the log only");
        db.write(batch, SYNCED).unwrap();
        let rows = content(&db);
        drop((db, fresh));
        let torn = Path::new("db/MANIFEST-000099");
        vfs.create(torn).unwrap().append(&vec![0; begun]).unwrap();
        vfs.remove(Path::new("db/CURRENT")).unwrap();
        let (report, found) = repaired(&vfs);
        assert_eq!(found, rows, "{begun} bytes: {report:#?}");
        let passed_over = report.lost.iter().filter(|lost| lost.file == torn);
        assert!(
            passed_over
                .map(|lost| &lost.what)
                .any(|what| what.contains("passed over")),
            "{report:#?}"
        );
    }
}

/// The manifest is damaged after its first record, which names a family. A table of the previous
/// family of the same name is still there.
#[test]
fn a_dropped_family_does_not_take_the_place_of_the_one_that_has_its_name() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    let old = db.create_family("twice", family()).unwrap();
    old.put("old", "dropped").unwrap();
    db.flush().unwrap();
    let before = vfs.crash(1);
    drop(old);
    db.drop_family("twice").unwrap();
    let new = db.create_family("twice", family()).unwrap();
    let mut batch = WriteBatch::new();
    batch.put(&new, "new", "in the log only");
    db.write(batch, SYNCED).unwrap();
    drop((db, new));
    // Opening writes a manifest that names the existing families. Then one edit is added, and damaged.
    let db = Db::open("db", options(&vfs)).unwrap();
    let rows = content(&db);
    let manifest = files(&vfs, "MANIFEST").remove(0);
    db.create_family("zebra", family()).unwrap();
    drop(db);
    let mut bytes = vfs.read(&manifest).unwrap();
    let name = bytes.windows(5).position(|window| window == b"zebra");
    bytes[name.unwrap()] ^= 1;
    vfs.damage(&manifest, bytes).unwrap();
    put_back(&before, &files(&before, ".sst"), &vfs);
    let (report, found) = repaired(&vfs);
    assert!(report.rebuilt, "{report:#?}");
    assert_eq!(found, rows, "{report:#?}");
}

/// Rewrites the manifest's first record, changed, with right checksums.
fn forge_manifest(vfs: &MemoryVfs, change: impl FnOnce(&mut VersionEdit)) {
    let dir = Path::new("db");
    let number = current_manifest(vfs, dir).unwrap();
    let (_, mut whole) = read_manifest(vfs, dir, number).unwrap().remove(0);
    change(&mut whole);
    let file = vfs.create(&file_name::manifest(dir, number)).unwrap();
    let mut log = LogWriter::new(file, number);
    log.add_record(&whole.encode()).unwrap();
    log.sync().unwrap();
}

/// A closed database with two tables of each family, and a manifest of one record.
fn with_two_tables() -> (MemoryVfs, Content) {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    write(&db, 0..9, "old");
    db.flush().unwrap();
    write(&db, 5..12, "new");
    db.flush().unwrap();
    let rows = content(&db);
    drop(db);
    drop(Db::open("db", options(&vfs)).unwrap());
    (vfs, rows)
}

#[test]
fn a_manifest_with_overlapping_tables_in_a_level_is_not_believed() {
    let (vfs, rows) = with_two_tables();
    forge_manifest(&vfs, |edit| {
        for (_, level, _) in &mut edit.files_added {
            *level = 3;
        }
    });
    let (report, found) = repaired(&vfs);
    assert!(report.rebuilt, "{report:#?}");
    assert_eq!(found, rows);
    let overlap = |what: &str| what.contains("overlap in level 3");
    assert!(report.lost.iter().any(|lost| overlap(&lost.what)));
}

/// Sound tables that differ from what a sound manifest says of them: none is kept under a wrong description.
#[test]
fn a_table_that_a_manifest_describes_otherwise_is_put_aside() {
    type Lie = fn(&mut VersionEdit);
    let lies: [(&str, Lie); 4] = [
        ("entries", |edit| edit.files_added[0].2.entries += 1),
        ("range tombstones", |edit| {
            edit.files_added[0].2.range_deletes += 1;
        }),
        ("name", |edit| {
            edit.families_added[0].name = "renamed".to_owned();
        }),
        ("order", |edit| {
            edit.families_added[1].comparator = "reverse-bytewise".to_owned();
        }),
    ];
    for (what, lie) in lies {
        let (vfs, _) = with_two_tables();
        forge_manifest(&vfs, lie);
        let report = repair("db", &options(&vfs)).unwrap();
        let checked = verify("db", &options(&vfs)).unwrap();
        assert!(checked.is_clean(), "{what}: {:#?}", checked.findings);
        let aside = report
            .aside
            .iter()
            .filter(|(_, why)| why.contains("another file"));
        assert!(aside.count() > 0, "{what}: {report:#?}");
    }
}

/// An intact table with numbers that no database can have reached: a database that counted on from
/// them could not be opened again.
#[test]
fn a_table_with_numbers_beyond_all_counting_is_put_aside() {
    let beyond = [
        TableOptions {
            family: u32::MAX,
            ..TableOptions::new(Comparator::Bytewise)
        },
        TableOptions {
            sequence_max: u64::MAX,
            ..TableOptions::new(Comparator::Bytewise)
        },
    ];
    for options_of_table in beyond {
        let (vfs, rows) = with_two_tables();
        lose_manifest(&vfs);
        let path = file_name::table(Path::new("db"), 900);
        let mut table = TableBuilder::new(vfs.create(&path).unwrap(), options_of_table).unwrap();
        // Number 0, as in what a compaction has settled: only the properties say which number it had.
        let key = internal_key::encode(b"stray", 0, ValueKind::Put);
        table.add(&key, b"value").unwrap();
        table.finish().unwrap();
        let (report, found) = repaired(&vfs);
        assert_eq!(found, rows, "{report:#?}");
        assert!(report.aside.iter().any(|(aside, _)| *aside == path));
        assert_eq!(
            report.lost.iter().filter(|lost| lost.file == path).count(),
            1
        );
    }
}
