//! Column families: created, listed, dropped and reopened; their files are reclaimed; batches are
//! atomic across them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::comparator::NumericSuffix;
use engine::vfs::{MemoryVfs, Vfs};
use engine::{Comparator, Db, Error, FamilyOptions, Options, Unlisted, WriteBatch, WriteOptions};

use crate::support::counting::taken_by;
use crate::support::waiting::Gate;
use crate::support::{hooked::Hooked, manual, tiny};

fn on(vfs: &MemoryVfs) -> Options {
    manual(vfs)
}

fn tables(vfs: &MemoryVfs) -> usize {
    let names = vfs.list(Path::new("db")).unwrap();
    names
        .iter()
        .filter(|name| name.to_string_lossy().ends_with(".sst"))
        .count()
}

#[test]
fn families_are_created_listed_and_found_again() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs)).unwrap();
    let reverse = FamilyOptions {
        comparator: Comparator::reverse_bytewise(),
        ..FamilyOptions::default()
    };
    let created = db.create_family("reverse", reverse.clone()).unwrap();
    created.put("a", "1").unwrap();
    created.put("b", "2").unwrap();
    db.put("a", "in default").unwrap();
    let error = db.create_family("reverse", reverse.clone()).unwrap_err();
    assert!(error.to_string().contains("already is"), "{error}");
    assert_eq!(db.families(), ["default", "reverse"]);
    drop((db, created));

    let db = Db::open("db", on(&vfs).family("reverse", reverse)).unwrap();
    let rows: Vec<_> = db
        .family("reverse")
        .unwrap()
        .iter()
        .map(|row| row.unwrap().0)
        .collect();
    assert_eq!(rows, [b"b", b"a"]);
    assert_eq!(db.get("a").unwrap().as_deref(), Some(&b"in default"[..]));
    let error = db.family("revers").unwrap_err();
    assert!(
        error.to_string().contains("\"reverse\""),
        "the families are listed: {error}"
    );
}

#[test]
fn a_dropped_family_is_gone_with_its_files_and_its_name_is_free() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs).family("doomed", tiny())).unwrap();
    let doomed = db.family("doomed").unwrap();
    doomed.put("in a table", "x").unwrap();
    db.flush().unwrap();
    doomed.put("in the log", "y").unwrap();
    db.put("kept", "z").unwrap();
    let cursor = doomed.cursor().unwrap();
    assert_eq!(tables(&vfs), 1);

    db.drop_family("doomed").unwrap();
    assert_eq!(db.families(), ["default"]);
    let error = doomed.put("k", "v").unwrap_err();
    assert!(error.to_string().contains("dropped"), "{error}");
    assert_eq!(tables(&vfs), 1, "a cursor still holds the table");
    drop(cursor);
    assert_eq!(tables(&vfs), 1, "and so does a handle");
    drop(doomed);
    assert_eq!(tables(&vfs), 0);
    assert!(db.drop_family("default").is_err());
    assert!(db.drop_family("doomed").is_err());
    drop(db);

    let db = Db::open("db", on(&vfs)).unwrap();
    assert_eq!(db.families(), ["default"]);
    assert_eq!(db.get("kept").unwrap().as_deref(), Some(&b"z"[..]));
    let again = db
        .create_family("doomed", FamilyOptions::default())
        .unwrap();
    assert_eq!(again.iter().count(), 0, "nothing of the old family returns");
}

/// The message was 17 KB long among 2,000 families.
#[test]
fn a_family_that_does_not_exist_is_told_with_a_few_of_those_that_do() {
    let db = Db::open("db", on(&MemoryVfs::new())).unwrap();
    db.create_family("orders", FamilyOptions::default())
        .unwrap();
    let told = |db: &Db| db.family("order").unwrap_err().to_string();
    assert_eq!(
        told(&db),
        "there is no column family \"order\"; there are [\"default\", \"orders\"]. Nothing was changed"
    );
    for at in 0..100 {
        db.create_family(&format!("family{at}"), FamilyOptions::default())
            .unwrap();
    }
    let message = told(&db);
    assert!(message.contains("\"orders\", \"family0\""), "{message}");
    assert!(
        message.ends_with("\"family17\"] and 82 more: see Db::families. Nothing was changed"),
        "{message}"
    );
}

#[test]
fn a_batch_for_a_family_that_is_not_open_writes_nothing() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs).family("gone", tiny())).unwrap();
    let gone = db.family("gone").unwrap();
    db.drop_family("gone").unwrap();
    let mut batch = WriteBatch::new();
    batch.put(&db.default_family(), "k", "v");
    batch.put(&gone, "k", "v");
    assert!(db.write(batch, WriteOptions::default()).is_err());
    assert_eq!(db.get("k").unwrap(), None::<engine::Value>);
}

#[test]
fn a_family_with_a_small_buffer_does_not_keep_the_others_log() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", on(&vfs).family("busy", tiny())).unwrap();
    let busy = db.family("busy").unwrap();
    db.put("written once", "and never again").unwrap();
    for at in 0..2_000 {
        busy.put(format!("{at:06}"), [7; 40]).unwrap();
    }
    while db.step().unwrap() {}
    let names = vfs.list(Path::new("db")).unwrap();
    let logs = names
        .iter()
        .filter(|name| name.to_string_lossy().ends_with(".log"))
        .count();
    assert_eq!(logs, 1, "old logs are gone: {names:?}");
    drop((db, busy));
    let db = Db::open("db", on(&vfs).family("busy", tiny())).unwrap();
    assert_eq!(
        db.get("written once").unwrap().as_deref(),
        Some(&b"and never again"[..])
    );
}

#[test]
fn a_family_may_be_dropped_while_it_is_compacted() {
    let vfs = MemoryVfs::new();
    let gate = Arc::new(Gate::default());
    let held_up = FamilyOptions {
        compaction_filter: Some(gate.clone()),
        ..tiny()
    };
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    };
    let db = Db::open("db", options.family("doomed", held_up)).unwrap();
    let doomed = db.family("doomed").unwrap();
    std::thread::scope(|scope| {
        let compaction = scope.spawn(|| {
            for at in 0..100 {
                doomed.put(format!("{at:04}"), [1; 20])?;
            }
            db.compact()
        });
        gate.wait_until_reached();
        db.drop_family("doomed").unwrap();
        db.put("the others", "do not wait").unwrap();
        gate.open();
        compaction.join().unwrap().unwrap();
    });
    drop(doomed);
    db.close().unwrap();
    drop(db);
    let db = Db::open("db", on(&vfs)).unwrap();
    assert_eq!(db.families(), ["default"]);
    assert_eq!(db.default_family().iter().count(), 1);
    db.flush().unwrap();
    assert_eq!(
        tables(&vfs),
        1,
        "the outputs for the dropped family are gone"
    );
}

fn ordered(comparator: Comparator) -> FamilyOptions {
    FamilyOptions {
        comparator,
        ..FamilyOptions::default()
    }
}

/// A group goes into the memtables some hundred records at a time. Whatever record comes last, the
/// ranges that the group deletes take effect in all families: for readers now, and in the tables.
#[test]
fn ranges_of_a_long_batch_are_deleted_in_every_family() {
    for records in [1, 2, 255, 256, 257, 258, 512, 513, 514] {
        let vfs = MemoryVfs::new();
        let open = || Db::open("db", on(&vfs).family("other", FamilyOptions::default())).unwrap();
        let db = open();
        let other = db.family("other").unwrap();
        let (was_there, comes_after) = ("m", "n");
        other.put(was_there, "v").unwrap();
        let mut batch = WriteBatch::new();
        for at in 2..records {
            batch.put(&db.default_family(), format!("{at}"), "v");
        }
        batch.delete_range(&other, "a", "z");
        if records > 1 {
            batch.put(&db.default_family(), comes_after, "v");
        }
        assert_eq!(batch.len(), records);
        db.write(batch, WriteOptions::default()).unwrap();
        assert_eq!(other.get(was_there).unwrap(), None, "{records} records");
        db.flush().unwrap();
        assert_eq!(other.iter().count(), 0, "{records} records, in a table");
        drop((db, other));
        let other = open().family("other").unwrap();
        assert_eq!(
            other.get(was_there).unwrap(),
            None,
            "{records} records, reopened"
        );
    }
}

/// Names and orders, as they are listed without opening the database.
fn listed(vfs: &MemoryVfs) -> Vec<(String, String)> {
    let families = Db::list_families("db", vfs).unwrap().into_iter();
    families.map(|of| (of.name, of.comparator)).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, order): &(&str, &str)| ((*name).to_owned(), (*order).to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn the_families_of_a_closed_database_are_listed() {
    let vfs = MemoryVfs::new();
    let error = Db::list_families("db", &vfs).unwrap_err();
    assert!(error.is_not_found(), "{error}");

    let numeric = ordered(Comparator::custom(NumericSuffix));
    let options = on(&vfs).family("numeric", numeric).family("doomed", tiny());
    let db = Db::open("db", options).unwrap();
    db.create_family("late", ordered(Comparator::reverse_bytewise()))
        .unwrap();
    db.drop_family("doomed").unwrap();
    let expected = pairs(&[
        ("default", "bytewise"),
        ("numeric", "numeric-suffix"),
        ("late", "reverse-bytewise"),
    ]);
    assert_eq!(listed(&vfs), expected, "of an open database");
    db.close().unwrap();
    let before = vfs.list(Path::new("db")).unwrap();
    assert_eq!(listed(&vfs), expected, "of a closed one");
    assert_eq!(vfs.list(Path::new("db")).unwrap(), before);

    vfs.create(Path::new("db/CURRENT"))
        .unwrap()
        .append(b"my diary")
        .unwrap();
    let error = Db::list_families("db", &vfs).unwrap_err();
    assert!(matches!(error, Error::Corruption { .. }), "{error}");
}

#[test]
fn a_subset_may_be_opened_and_the_others_keep_their_order() {
    let vfs = MemoryVfs::new();
    let options = on(&vfs)
        .family("plain", FamilyOptions::default())
        .family("reverse", ordered(Comparator::reverse_bytewise()));
    let db = Db::open("db", options).unwrap();
    for name in ["plain", "reverse"] {
        let family = db.family(name).unwrap();
        for key in ["in a table 1", "in a table 2"] {
            family.put(key, "v").unwrap();
        }
        db.flush().unwrap();
        family.put("in the log", "v").unwrap();
    }
    drop(db);

    // Twice, so that what was written without listing the family is also read without listing it.
    for _ in 0..2 {
        let db = Db::open("db", on(&vfs)).unwrap();
        let reverse = db.family("reverse").unwrap();
        assert_eq!(reverse.comparator().name(), "reverse-bytewise");
        let keys: Vec<_> = reverse.iter().map(|row| row.unwrap().0).collect();
        assert!(keys.is_sorted_by(|a, b| a > b), "{keys:?}");
        for key in ["in a table 1", "in a table 2", "in the log"] {
            assert!(reverse.get(key).unwrap().is_some(), "{key}");
            assert!(db.family("plain").unwrap().get(key).unwrap().is_some());
        }
        reverse.put("written unlisted", "v").unwrap();
        db.flush().unwrap();
    }
    // Listed with another order it is refused, and with `Refuse` it is refused unlisted too.
    let bytewise = on(&vfs).family("reverse", FamilyOptions::default());
    let error = Db::open("db", bytewise).unwrap_err();
    assert!(matches!(error, Error::ComparatorMismatch { .. }), "{error}");
    let refuse = Options {
        unlisted: Unlisted::Refuse,
        ..on(&vfs)
    };
    let error = Db::open("db", refuse).unwrap_err().to_string();
    assert!(error.contains("do not list"), "{error}");
}

#[test]
fn a_custom_order_that_nobody_supplies_is_refused() {
    let vfs = MemoryVfs::new();
    let numeric = || ordered(Comparator::custom(NumericSuffix));
    drop(Db::open("db", on(&vfs).family("numeric", numeric())).unwrap());
    let error = Db::open("db", on(&vfs)).unwrap_err().to_string();
    for words in ["\"numeric\"", "\"numeric-suffix\"", "do not list it"] {
        assert!(error.contains(words), "{words:?} is not in: {error}");
    }
    drop(Db::open("db", on(&vfs).family("numeric", numeric())).unwrap());
}

/// The process that has the database open replaces the manifest just before it is read.
#[test]
fn what_is_read_of_an_open_database_is_read_of_the_manifest_in_force() {
    let vfs = MemoryVfs::new();
    drop(Db::open("db", on(&vfs)).unwrap());
    let replacing = || -> Arc<dyn Vfs> {
        let (own, once) = (vfs.clone(), AtomicBool::new(true));
        Arc::new(Hooked::new(&vfs, move |operation, path| {
            let is_manifest = path.to_string_lossy().contains("MANIFEST");
            if operation == "read" && is_manifest && once.swap(false, Ordering::SeqCst) {
                drop(Db::open("db", on(&own)).unwrap());
            }
        }))
    };
    assert_eq!(Db::list_families("db", &*replacing()).unwrap().len(), 1);
    let options = Options {
        vfs: replacing(),
        ..on(&vfs)
    };
    let found = engine::overview("db", &options).unwrap();
    assert!(vfs.exists(&found.manifest).unwrap());
    assert_eq!(found.families.len(), 1);
}

/// The processor time that this thread has used, whatever else the machine does.
#[cfg(target_os = "linux")]
fn thread_nanos() -> u64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanos = statistics.split_whitespace().next().unwrap();
    nanos.parse().unwrap()
}

/// A write looks at the families that it names, and at no others.
#[cfg(target_os = "linux")]
#[test]
fn a_write_costs_the_same_among_thousands_of_families() {
    const WRITES: u32 = 40_000;
    let nanos_of = |families: u32| {
        let vfs = MemoryVfs::new();
        let mut options = on(&vfs);
        for number in 1..families {
            let family = FamilyOptions::default();
            options.families.push((format!("{number}"), family));
        }
        let db = Db::open("db", options).unwrap();
        let last = db.family(db.families().last().unwrap()).unwrap();
        let write = || {
            for at in 0..WRITES {
                let mut batch = WriteBatch::new();
                batch.put(&last, at.to_be_bytes(), "value");
                batch.put(&db.default_family(), at.to_be_bytes(), "value");
                db.write(batch, WriteOptions::default()).unwrap();
            }
        };
        let begun = thread_nanos();
        write();
        thread_nanos() - begun
    };
    let least = |families| (0..3).map(|_| nanos_of(families)).min().unwrap();
    let (few, many) = (least(2), least(4_000));
    assert!(
        many < 4 * few,
        "{WRITES} writes: {few} ns among 2 families, {many} among 4,000"
    );
}

/// What an edit costs does not grow with the families that it does not name.
#[test]
fn a_family_is_created_and_dropped_at_the_same_cost_among_many() {
    let db = Db::open("db", manual(&MemoryVfs::new())).unwrap();
    let mut made = 0;
    // The least of a few, because now and then a list grows or the manifest is replaced.
    let mut cost_among = |families: usize| {
        while made < families {
            db.create_family(&format!("other {made}"), tiny()).unwrap();
            made += 1;
        }
        let costs = (0..5).map(|_| {
            let change = || {
                db.create_family("passing", tiny()).unwrap();
                db.drop_family("passing").unwrap();
            };
            taken_by(change).1.count
        });
        costs.min().unwrap()
    };
    let [few, many] = [10, 1_000].map(&mut cost_among);
    assert!(
        many < 2 * few,
        "{many} allocations among many, {few} among few"
    );
}
