//! Manifests with right checksums that say what the engine would never write. An opening refuses
//! them, `verify` reports them, and a repair makes a database of the files.

use std::path::Path;

use engine::batch::FamilyId;
use engine::internal_key;
use engine::log::LogWriter;
use engine::version::edit::FAMILY_ID_MAX;
use engine::version::{FamilyRecord, VersionEdit, current_manifest, file_name, read_manifest};
use engine::vfs::{MemoryVfs, Vfs};
use engine::{Db, Family, Options, repair, verify};

use crate::support::{manual, tiny};

const DIR: &str = "db";

fn options(vfs: &MemoryVfs) -> Options {
    manual(vfs)
        .family("default", tiny())
        .family("other", tiny())
}

/// A closed database with a table in each of two families, and a manifest of several edits.
fn database() -> MemoryVfs {
    let vfs = MemoryVfs::new();
    let db = Db::open(DIR, options(&vfs)).unwrap();
    for family in ["default", "other"] {
        db.family(family).unwrap().put("key", family).unwrap();
    }
    db.flush().unwrap();
    drop(db);
    vfs
}

/// Writes the manifest in force anew, with changed edits.
fn craft(vfs: &MemoryVfs, change: impl FnOnce(&mut Vec<VersionEdit>)) {
    let dir = Path::new(DIR);
    let number = current_manifest(vfs, dir).unwrap();
    let edits = read_manifest(vfs, dir, number).unwrap();
    let mut edits = edits.into_iter().map(|(_, edit)| edit).collect();
    change(&mut edits);
    let path = file_name::manifest(dir, number);
    let mut log = LogWriter::new(vfs.create(&path).unwrap(), number);
    for edit in &edits {
        log.add_record(&edit.encode()).unwrap();
    }
    log.sync().unwrap();
}

/// An opening refuses the database with these words, `verify` reports them, and what a repair makes of it
/// is sound and opens.
#[track_caller]
fn assert_refused(vfs: &MemoryVfs, words: &str) {
    let error = Db::open(DIR, options(vfs)).unwrap_err().to_string();
    assert!(error.contains(words), "{words:?} is not in: {error}");
    let report = verify(DIR, &options(vfs)).unwrap();
    let mut damage = report.damage();
    assert!(
        damage.any(|finding| finding.what.contains(words)),
        "{words:?} is not in: {report:#?}"
    );
    repair(DIR, &options(vfs)).unwrap();
    let report = verify(DIR, &options(vfs)).unwrap();
    assert!(report.is_clean(), "{report:#?}");
    let db = Db::open(DIR, options(vfs)).unwrap();
    for family in ["default", "other"] {
        let value = db.family(family).unwrap().get("key").unwrap();
        assert_eq!(value.as_deref(), Some(family.as_bytes()));
    }
}

#[test]
fn a_counter_that_runs_backwards_is_named_with_its_values() {
    type Set = fn(&mut VersionEdit, Option<u64>);
    let counters: [(&str, Set); 4] = [
        ("next file number", |edit, to| edit.next_file = to),
        ("oldest log", |edit, to| edit.oldest_log = to),
        ("last sequence number", |edit, to| edit.last_sequence = to),
        ("next family number", |edit, to| {
            edit.next_family = to.map(|to| to as u32);
        }),
    ];
    for (name, set) in counters {
        let vfs = database();
        craft(&vfs, |edits| {
            for to in [900, 899] {
                let mut edit = VersionEdit::default();
                set(&mut edit, Some(to));
                edits.push(edit);
            }
        });
        assert_refused(&vfs, &format!("the {name} runs backwards, from 900 to 899"));
    }
}

/// A family that is created later would get the number of one that exists.
#[test]
fn a_family_with_a_number_that_the_counter_has_not_passed_is_refused() {
    for id in [2, 3, 1000] {
        let vfs = database();
        craft(&vfs, |edits| {
            assert_eq!(edits[0].next_family, Some(2));
            edits.push(VersionEdit {
                families_added: vec![FamilyRecord {
                    id: FamilyId(id),
                    name: "uncounted".to_owned(),
                    comparator: "bytewise".to_owned(),
                }],
                ..VersionEdit::default()
            });
        });
        let words =
            format!("family \"uncounted\" has the number {id}, and the next family number is 2");
        assert_refused(&vfs, &words);
    }
}

/// The first one stays: its tables are there.
#[test]
fn a_family_whose_name_or_number_is_taken_is_refused() {
    for (id, name, words) in [
        (2, "other", "two families are named \"other\""),
        (1, "third", "family 1 is created twice"),
    ] {
        let vfs = database();
        craft(&vfs, |edits| {
            edits.push(VersionEdit {
                families_added: vec![FamilyRecord {
                    id: FamilyId(id),
                    name: name.to_owned(),
                    comparator: "bytewise".to_owned(),
                }],
                next_family: Some(3),
                ..VersionEdit::default()
            });
        });
        assert_refused(&vfs, words);
    }
}

/// No comparator has an empty name, so there is none to open such a family with.
#[test]
fn an_empty_name_is_refused() {
    let vfs = database();
    craft(&vfs, |edits| edits[0].families_added[1].comparator.clear());
    assert_refused(&vfs, "a comparator's name is empty");
    let vfs = database();
    craft(&vfs, |edits| edits[0].families_added[1].name.clear());
    assert_refused(&vfs, "a family's name is empty");
}

/// A lookup would find what the upper table holds of a key, and a cursor what is newer.
#[test]
fn a_table_above_newer_ones_is_found_and_repaired() {
    type Write = fn(&Family);
    let put: Write = |family| family.put("key", "default").unwrap();
    let delete: Write = |family| family.delete("key").unwrap();
    let delete_range: Write = |family| family.delete_range("a".."z").unwrap();
    // Each write is flushed into a table, and the tables are put into these levels.
    let cases: [(&str, &[(Write, usize)]); 4] = [
        ("here at 1, and at 2 in level 2", &[(put, 1), (put, 2)]),
        ("here at 1, and at 2 in level 2", &[(put, 1), (delete, 2)]),
        (
            "has the number 2 in or below level 2",
            &[(put, 1), (delete_range, 2)],
        ),
        (
            "has the number 2 in or above level 1",
            &[(put, 3), (delete_range, 1), (put, 2)],
        ),
    ];
    for (words, writes) in cases {
        let vfs = MemoryVfs::new();
        let db = Db::open(DIR, options(&vfs)).unwrap();
        for (write, _) in writes {
            write(&db.default_family());
            db.flush().unwrap();
        }
        let newest = db.get("key").unwrap();
        drop(db);
        assert!(verify(DIR, &options(&vfs)).unwrap().is_clean());
        craft(&vfs, |edits| {
            let added = edits.iter_mut().flat_map(|edit| &mut edit.files_added);
            for ((_, level), (_, of, _)) in writes.iter().zip(added) {
                *of = *level;
            }
        });
        let report = verify(DIR, &options(&vfs)).unwrap();
        let mut damage = report.damage();
        assert!(
            damage.any(|finding| finding.what.contains(words)),
            "{words:?} is not in: {report:#?}"
        );
        let report = repair(DIR, &options(&vfs)).unwrap();
        assert_eq!(
            (report.lost.len(), report.merged),
            (1, writes.len() as u64),
            "{report:#?}"
        );
        let report = verify(DIR, &options(&vfs)).unwrap();
        assert!(report.is_clean(), "{report:#?}");
        let db = Db::open(DIR, options(&vfs)).unwrap();
        assert_eq!(db.get("key").unwrap(), newest, "{words}");
    }
}

/// Counting on from the last numbers would lead to a manifest that no opening accepts.
#[test]
fn counters_at_their_ends_never_lead_to_a_database_that_does_not_open() {
    const FILE_MAX: u64 = internal_key::MAX_SEQUENCE;
    const FAMILY_MAX: u32 = FAMILY_ID_MAX;
    type Set = fn(&mut VersionEdit, u64);
    let counters: [Set; 4] = [
        |edit, less| edit.next_file = Some(FILE_MAX - less),
        |edit, less| edit.last_sequence = Some(FILE_MAX - less),
        |edit, less| edit.next_family = Some(FAMILY_MAX + 1 - less as u32),
        |edit, less| {
            edit.next_family = Some(FAMILY_MAX + 1);
            edit.families_added.push(FamilyRecord {
                id: FamilyId(FAMILY_MAX - less as u32),
                name: "last".to_owned(),
                comparator: "bytewise".to_owned(),
            });
        },
    ];
    let mut opened = 0;
    for (set, less) in counters
        .iter()
        .flat_map(|set| (0..6).map(move |less| (set, less)))
    {
        let vfs = database();
        craft(&vfs, |edits| {
            let mut edit = VersionEdit::default();
            set(&mut edit, less);
            edits.push(edit);
        });
        let repaired = vfs.crash(1);
        repair(DIR, &options(&repaired)).unwrap();
        Db::open(DIR, options(&repaired)).unwrap();
        let mut refusal = None;
        for round in 0..4 {
            match Db::open(DIR, options(&vfs)) {
                Ok(db) => {
                    opened += 1;
                    let _ = db.put("k", "v").and_then(|()| db.flush());
                    let _ = db.create_family(&format!("{round}"), tiny());
                }
                Err(error) => refusal = Some(error.to_string()),
            }
        }
        // What cannot be counted on is said before anything is written.
        if let Some(refusal) = refusal {
            assert!(refusal.contains("is the last one"), "{less}: {refusal}");
        }
    }
    assert!(opened > 60, "{opened}");
}

/// A known limit: a killed process leaves tables that no manifest names yet or any more, so an opening removes such
/// tables. `verify` lists them before.
#[test]
fn what_a_manifest_leaves_out_is_believed_and_listed_by_verify() {
    let vfs = database();
    craft(&vfs, |edits| {
        for edit in edits {
            edit.files_added.retain(|(family, ..)| family.0 == 0);
        }
    });
    let report = verify(DIR, &options(&vfs)).unwrap();
    let found: Vec<_> = report.findings.iter().map(|of| &of.what[..]).collect();
    assert_eq!(found, ["nothing refers to it; the next opening removes it"]);
    let db = Db::open(DIR, options(&vfs)).unwrap();
    assert_eq!(db.family("other").unwrap().get("key").unwrap(), None);
    let value = db.family("default").unwrap().get("key").unwrap();
    assert_eq!(value.as_deref(), Some(&b"default"[..]));
}

/// An opening with the tables' own order is refused, `verify` names the tables, and a repair keeps them aside.
#[test]
fn another_comparator_than_the_tables_have_is_found_and_no_table_deleted() {
    let vfs = database();
    craft(&vfs, |edits| {
        let families = edits.iter_mut().flat_map(|edit| &mut edit.families_added);
        for family in families.filter(|family| family.name == "other") {
            family.comparator = "reverse-bytewise".to_owned();
        }
    });
    assert!(Db::open(DIR, options(&vfs)).is_err());
    let report = verify(DIR, &options(&vfs)).unwrap();
    let words = r#"sorted by the comparator "bytewise", its column family by "reverse-bytewise""#;
    assert!(report.damage().any(|finding| finding.what.contains(words)));
    let report = repair(DIR, &options(&vfs)).unwrap();
    let table = Path::new("db/000005.sst");
    assert!(report.lost.iter().any(|finding| finding.file == table));
    assert!(report.aside.iter().any(|(file, _)| file == table));
    assert!(vfs.exists(Path::new("db/lost/000005.sst")).unwrap());
}
