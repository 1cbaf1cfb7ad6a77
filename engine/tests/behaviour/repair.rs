//! After a repair the database opens, verify finds nothing, and what could be read is there. Nothing is deleted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::version::file_name;
use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use engine::{
    Background, Comparator, Compare, Db, Error, FamilyOptions, Options, RepairReport, Severity,
    WriteBatch, WriteOptions, repair, verify,
};

use crate::support::{Dice, files, roomy, scan, tiny};

/// Shorter keys first: an order that the engine does not have.
struct ByLength;

impl Compare for ByLength {
    fn name(&self) -> &str {
        "by-length"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

const FAMILIES: [&str; 3] = ["default", "reverse", "by length"];

fn options_on(vfs: Arc<dyn Vfs>) -> Options {
    let ordered = |comparator| FamilyOptions {
        comparator,
        ..tiny()
    };
    Options {
        vfs,
        background: Background::Manual,
        ..Options::default()
    }
    .family("default", tiny())
    .family("reverse", ordered(Comparator::reverse_bytewise()))
    .family("by length", ordered(Comparator::custom(ByLength)))
}

fn options(vfs: &MemoryVfs) -> Options {
    options_on(Arc::new(vfs.clone()))
}

type Content = BTreeMap<String, Vec<(Vec<u8>, Vec<u8>)>>;

fn content(db: &Db) -> Content {
    db.families()
        .into_iter()
        .map(|name| (name.clone(), scan(db, &name)))
        .collect()
}

fn write(db: &Db, dice: &mut Dice, steps: u32) {
    for step in 0..steps {
        let mut batch = WriteBatch::new();
        for name in FAMILIES {
            let (family, key) = (db.family(name).unwrap(), format!("key:{}", dice.below(150)));
            if dice.one_in(4) {
                batch.delete(&family, key);
            } else {
                batch.put(&family, key, format!("{step} {}", "v".repeat(30)));
            }
        }
        if dice.one_in(20) {
            let start = format!("key:{}", dice.below(150));
            batch.delete_range(&db.default_family(), &start, format!("{start}~"));
        }
        db.write(batch, WriteOptions::default()).unwrap();
    }
}

/// A closed database and its rows: tables in several levels, deletions, and rows that are only in a log.
fn database() -> (MemoryVfs, Content) {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", roomy(options(&vfs))).unwrap();
    let mut dice = Dice::new(5);
    for _ in 0..12 {
        write(&db, &mut dice, 40);
        db.flush().unwrap();
        while db.step().unwrap() {}
    }
    // Tables in level 0, above deeper ones.
    write(&db, &mut dice, 5);
    db.flush().unwrap();
    write(&db, &mut dice, 20);
    let rows = content(&db);
    db.close().unwrap();
    (vfs, rows)
}

/// Repairs, and checks what every repair promises: the database opens, it is sound, and nothing was deleted.
fn repaired(vfs: &MemoryVfs) -> (RepairReport, Content) {
    let before: Vec<Vec<u8>> = [".sst", ".log", "MANIFEST"]
        .iter()
        .flat_map(|part| files(vfs, part))
        .map(|path| vfs.read(&path).unwrap())
        .collect();
    let report = repair("db", &options(vfs)).unwrap();
    let lost = Path::new("db/lost");
    let mut after: Vec<Vec<u8>> = files(vfs, "0")
        .iter()
        .map(|path| vfs.read(path).unwrap())
        .collect();
    if vfs.exists(lost).unwrap() {
        for name in vfs.list(lost).unwrap() {
            after.push(vfs.read(&lost.join(name)).unwrap());
        }
    }
    for contents in before {
        assert!(
            after.contains(&contents),
            "a file of {} bytes is gone",
            contents.len()
        );
    }
    for (path, why) in &report.aside {
        assert!(
            !vfs.exists(path).unwrap(),
            "{} was to be moved: {why}",
            path.display()
        );
    }
    let checked = verify("db", &options(vfs)).unwrap();
    assert!(checked.is_clean(), "{:#?}", checked.findings);
    let strays = checked
        .findings
        .iter()
        .filter(|finding| !finding.file.ends_with("lost"));
    assert_eq!(strays.count(), 0, "{:#?}", checked.findings);
    let db = Db::open("db", options(vfs)).unwrap();
    let rows = content(&db);
    // And the database works from then on.
    db.put("later", "1").unwrap();
    db.compact().unwrap();
    assert_eq!(db.get("later").unwrap().as_deref(), Some(&b"1"[..]));
    db.close().unwrap();
    assert!(verify("db", &options(vfs)).unwrap().is_clean());
    (report, rows)
}

#[test]
fn a_sound_database_loses_nothing() {
    let (vfs, rows) = database();
    let (report, found) = repaired(&vfs);
    assert_eq!(found, rows);
    assert_eq!(
        (report.rebuilt, report.lost.len(), report.merged),
        (false, 0, 0)
    );
    assert!(report.batches > 0 && report.tables > 3 && report.families == FAMILIES);
}

#[test]
fn a_lost_or_foreign_current_is_written_anew() {
    for wrong in [
        None,
        Some(&b""[..]),
        Some(b"MANIFEST-000999\n"),
        Some(b"\xff\0garbage"),
    ] {
        let (vfs, rows) = database();
        let current = Path::new("db/CURRENT");
        match wrong {
            None => vfs.remove(current).unwrap(),
            Some(bytes) => vfs.damage(current, bytes.to_vec()).unwrap(),
        }
        let (report, found) = repaired(&vfs);
        assert_eq!(found, rows);
        assert!(!report.rebuilt, "the manifest is still there, and believed");
    }
}

/// The order of versions is found from the tables alone, and what was deleted stays deleted: all
/// tables that compactions made are there, and each names what it replaced.
#[test]
fn without_a_manifest_all_rows_and_families_come_back_and_no_deleted_one() {
    let (vfs, rows) = database();
    for path in files(&vfs, "MANIFEST")
        .into_iter()
        .chain(files(&vfs, "CURRENT"))
    {
        vfs.remove(&path).unwrap();
    }
    let (report, found) = repaired(&vfs);
    assert_eq!(found, rows);
    assert!(report.rebuilt && report.merged > 0, "{report:#?}");
    assert_eq!(report.families, FAMILIES);
}

#[test]
fn a_manifest_that_is_torn_or_damaged_anywhere_is_no_loss() {
    let (vfs, rows) = database();
    let manifest = files(&vfs, "MANIFEST").remove(0);
    let whole = vfs.read(&manifest).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        for cut in [true, false] {
            let copy = vfs.crash(1);
            let mut bytes = whole.clone();
            match cut {
                true => bytes.truncate(at),
                false => bytes[at] ^= 0x10,
            }
            copy.damage(&manifest, bytes).unwrap();
            let (report, found) = repaired(&copy);
            assert_eq!(found, rows, "at {at}, cut {cut}: {report:#?}");
        }
    }
}

#[test]
fn tables_that_a_compaction_replaced_do_not_come_back() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    for key in ["a", "b", "c"] {
        db.put(key, "old").unwrap();
    }
    db.flush().unwrap();
    let old = files(&vfs, ".sst").remove(0);
    let kept = vfs.read(&old).unwrap();
    db.delete("b").unwrap();
    db.flush().unwrap();
    db.compact().unwrap();
    let rows = content(&db);
    db.close().unwrap();
    // It was still being read when the process ended, so it was not removed; and the manifest is lost.
    vfs.create(&old).unwrap().append(&kept).unwrap();
    for path in files(&vfs, "MANIFEST") {
        vfs.remove(&path).unwrap();
    }
    let (report, found) = repaired(&vfs);
    assert_eq!(found, rows);
    let why = report.aside.iter().find(|(path, _)| *path == old);
    assert_eq!(why.unwrap().1, "a compaction replaced it");
}

#[test]
fn a_damaged_table_is_put_aside_and_the_rest_stays_in_its_levels() {
    let (vfs, rows) = database();
    let (tables, mut missed) = (files(&vfs, ".sst").len(), 0);
    for table in files(&vfs, ".sst") {
        let copy = vfs.crash(1);
        let mut bytes = copy.read(&table).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        copy.damage(&table, bytes).unwrap();
        let (report, found) = repaired(&copy);
        assert_eq!(report.lost.len(), 1, "{report:#?}");
        assert_eq!(
            (&report.lost[0].file, report.lost[0].severity),
            (&table, Severity::Damage)
        );
        assert!(!report.rebuilt && report.merged == 0);
        let kept: usize = found.values().map(Vec::len).sum();
        assert!(kept > 20, "{kept}");
        missed += usize::from(found != rows);
    }
    // What was in a table is gone, or older versions show; but all rows of a small table may have
    // been overwritten.
    assert!(missed > 0 && missed + 2 > tables, "{missed} of {tables}");
}

#[test]
fn a_missing_table_is_named() {
    let (vfs, _) = database();
    let table = files(&vfs, ".sst").remove(1);
    vfs.remove(&table).unwrap();
    let report = repair("db", &options(&vfs)).unwrap();
    assert!(
        report.lost.iter().any(|lost| lost.file == table),
        "{report:#?}"
    );
    assert!(verify("db", &options(&vfs)).unwrap().is_clean());
}

/// A copy of each kind of file, under a number that nothing can have assigned: with it the database
/// does not open.
#[test]
fn a_file_with_a_number_beyond_all_counting_is_put_aside() {
    type Named = fn(&Path, u64) -> PathBuf;
    let kinds: [(&str, Named); 3] = [
        (".sst", file_name::table),
        (".log", file_name::log),
        ("MANIFEST", file_name::manifest),
    ];
    for (kind, named) in kinds {
        for (number, manifest_is_there) in [1 << 40, (1 << 48) - 1, 1 << 48, 1 << 63, u64::MAX]
            .into_iter()
            .flat_map(|number| [(number, true), (number, false)])
        {
            let (vfs, rows) = database();
            let stray = named(Path::new("db"), number);
            let copied = vfs.read(files(&vfs, kind).last().unwrap()).unwrap();
            vfs.create(&stray).unwrap().append(&copied).unwrap();
            if manifest_is_there {
                Db::open("db", options(&vfs)).unwrap_err();
            } else {
                vfs.remove(Path::new("db/CURRENT")).unwrap();
            }
            let (report, found) = repaired(&vfs);
            assert_eq!(found, rows, "{}", stray.display());
            assert!(
                report.aside.iter().any(|(path, _)| *path == stray),
                "{:?}",
                report.aside
            );
        }
    }
}

#[test]
fn a_damaged_log_gives_its_rows_up_to_the_damage() {
    let (vfs, rows) = database();
    let (whole, _) = repaired(&vfs.crash(1));
    let log = files(&vfs, ".log").remove(0);
    let mut bytes = vfs.read(&log).unwrap();
    let late = bytes.len() * 3 / 4;
    bytes[late] ^= 1;
    vfs.damage(&log, bytes).unwrap();
    assert!(matches!(
        Db::open("db", options(&vfs)),
        Err(Error::Corruption { .. })
    ));
    let (report, found) = repaired(&vfs);
    let batches = whole.batches / 2..whole.batches;
    assert!(batches.contains(&report.batches), "{report:#?}");
    assert_eq!(report.lost.len(), 1);
    assert_eq!(report.lost[0].file, log);
    let common = rows["default"]
        .iter()
        .filter(|row| found["default"].contains(row))
        .count();
    assert!(
        common * 10 > rows["default"].len() * 8,
        "{common} of {}",
        rows["default"].len()
    );
}

#[test]
fn a_family_that_was_dropped_and_made_again_is_the_new_one() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    let old = db.create_family("twice", tiny()).unwrap();
    old.put("k", "old").unwrap();
    old.put("only in the old", "1").unwrap();
    db.flush().unwrap();
    let kept: Vec<_> = files(&vfs, ".sst")
        .into_iter()
        .map(|path| (vfs.read(&path).unwrap(), path))
        .collect();
    drop(old);
    db.drop_family("twice").unwrap();
    let new = db.create_family("twice", tiny()).unwrap();
    new.put("k", "new").unwrap();
    db.flush().unwrap();
    let rows = content(&db);
    drop(new);
    db.close().unwrap();
    for (bytes, path) in kept {
        if !vfs.exists(&path).unwrap() {
            vfs.create(&path).unwrap().append(&bytes).unwrap();
        }
    }
    for path in files(&vfs, "MANIFEST") {
        vfs.remove(&path).unwrap();
    }
    let (_, found) = repaired(&vfs);
    assert_eq!(found, rows);
}

#[test]
fn a_comparator_that_is_not_given_is_asked_for_and_nothing_changes() {
    let (vfs, _) = database();
    let before = vfs.tree();
    let bare = Options {
        vfs: Arc::new(vfs.clone()),
        ..Options::default()
    };
    let error = repair("db", &bare).unwrap_err();
    assert!(
        matches!(&error, Error::InvalidArgument { what } if what.contains("by-length")),
        "{error}"
    );
    assert_eq!(vfs.tree(), before);
}

#[test]
fn what_is_no_database_or_open_is_refused() {
    let (vfs, _) = database();
    let db = Db::open("db", options(&vfs)).unwrap();
    assert!(matches!(
        repair("db", &options(&vfs)),
        Err(Error::Locked { .. })
    ));
    drop(db);
    vfs.create_dir_all(Path::new("empty")).unwrap();
    assert!(matches!(
        repair("empty", &options(&vfs)),
        Err(Error::NotADatabase { .. })
    ));
    assert!(matches!(
        repair("none", &options(&vfs)),
        Err(Error::Io { .. })
    ));
}

/// A repair that is cut short, by a failure or by a power cut, is repeated and ends as the first
/// one would have.
#[test]
fn a_repair_that_is_cut_short_is_repeated() {
    let (vfs, rows) = database();
    for path in files(&vfs, "MANIFEST") {
        vfs.remove(&path).unwrap();
    }
    let vfs = vfs.crash(1);
    let recording = vfs.recording();
    repair("db", &options(&recording)).unwrap();
    let operations = recording.operations();
    assert!(operations > 20);
    for at in 0..=operations {
        let state = recording.state_after(at);
        for seed in 0..4 {
            let disk = state.crash(seed);
            // Whatever an opening makes of it, it removes nothing that the repair still needs.
            if let Ok(db) = Db::open("db", options(&disk)) {
                assert_eq!(content(&db), rows, "operation {at}, seed {seed}");
                continue;
            }
            repair("db", &options(&disk)).unwrap();
            let db = Db::open("db", options(&disk)).unwrap();
            assert_eq!(content(&db), rows, "operation {at}, seed {seed}");
        }
    }
    // A rename that fails may or may not have taken effect.
    for (n, done) in (1..).flat_map(|n| [(n, 0), (n, 1)]) {
        let disk = vfs.crash(1);
        let faulty = FaultVfs::new(Arc::new(disk.clone()));
        faulty.do_what_fails(done);
        faulty.fail_nth(n, Fault::Io);
        let _ = repair("db", &options_on(Arc::new(faulty.clone())));
        if faulty.failed().is_empty() {
            break;
        }
        repair("db", &options(&disk)).unwrap();
        let db = Db::open("db", options(&disk)).unwrap();
        // A table that could not be read for a moment was put aside, with its rows.
        let read = faulty.failed()[0].starts_with("read") || faulty.failed()[0].starts_with("open");
        if !read {
            assert_eq!(content(&db), rows, "{:?}", faulty.failed());
        }
    }
}

/// As above, but the manifest can be read. Only the manifest says that a table was replaced long
/// ago. A repair that is cut short must not leave that table's rows to the next one, which may find
/// the manifest at odds with the files.
#[test]
fn a_repair_that_is_cut_short_leaves_no_replaced_table_to_the_next_one() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    for key in ["a", "b", "c"] {
        db.put(key, "old").unwrap();
    }
    db.flush().unwrap();
    let replaced = files(&vfs, ".sst").remove(0);
    let kept = vfs.read(&replaced).unwrap();
    // Merged twice since, so the table with the remaining rows does not name it.
    for key in ["b", "c"] {
        db.delete(key).unwrap();
        db.flush().unwrap();
        db.compact().unwrap();
    }
    db.close().unwrap();
    let db = Db::open("db", roomy(options(&vfs))).unwrap();
    db.put("d", "lost").unwrap();
    db.flush().unwrap();
    let damaged = files(&vfs, ".sst").pop().unwrap();
    db.put("e", "in the log").unwrap();
    drop(db);
    let mut bytes = vfs.read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    vfs.damage(&damaged, bytes).unwrap();
    // It was still being read when the process ended, so it was not removed.
    vfs.create(&replaced).unwrap().append(&kept).unwrap();

    let vfs = vfs.crash(1);
    let recording = vfs.recording();
    let report = repair("db", &options(&recording)).unwrap();
    assert!(!report.rebuilt, "{report:#?}");
    let keys = |vfs: &MemoryVfs| -> Vec<Vec<u8>> {
        let db = Db::open("db", options(vfs)).unwrap();
        let rows = content(&db).remove("default").unwrap();
        rows.into_iter().map(|(key, _)| key).collect()
    };
    let expected = [b"a".to_vec(), b"e".to_vec()];
    assert_eq!(keys(&recording.crash(1)), expected);
    for at in 0..=recording.operations() {
        let state = recording.state_after(at);
        for seed in 0..20 {
            let disk = state.crash(seed);
            repair("db", &options(&disk)).unwrap();
            assert_eq!(keys(&disk), expected, "operation {at}, seed {seed}");
        }
    }
}

/// Two logs with rows that are in no table: the first is closed, the second was written after it.
/// Nothing was synced, except that the last write may be.
fn two_logs(sync: bool) -> MemoryVfs {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    let logs = || files(&vfs, ".log").len();
    let mut row = 0;
    while logs() < 2 {
        db.put(format!("{row:04}"), "v".repeat(100)).unwrap();
        row += 1;
    }
    let mut last = WriteBatch::new();
    last.put(&db.default_family(), "last", "");
    db.write(last, WriteOptions { sync }).unwrap();
    assert_eq!(logs(), 2);
    vfs.crash(1)
}

/// Cuts off the end of the first log, as a power cut does that loses its last sectors.
fn lose_end_of_first_log(vfs: &MemoryVfs) -> PathBuf {
    let first = files(vfs, ".log").remove(0);
    let bytes = vfs.read(&first).unwrap();
    vfs.damage(&first, bytes[..bytes.len() / 2].to_vec())
        .unwrap();
    first
}

#[test]
fn half_a_table_that_the_manifest_does_not_name_is_no_loss() {
    for half in [0, 1, 2] {
        let (vfs, rows) = database();
        // As a flush or a compaction leaves it when its process is killed.
        let whole = vfs.read(&files(&vfs, ".sst")[0]).unwrap();
        let unfinished = Path::new("db/009000.sst");
        let mut file = vfs.create(unfinished).unwrap();
        file.append(&whole[..whole.len() * half / 3]).unwrap();
        let (report, found) = repaired(&vfs);
        assert_eq!(found, rows);
        assert_eq!(report.lost, []);
        assert!(report.aside.iter().any(|(path, _)| path == unfinished));
    }
}

/// A repair makes of the logs what an opening makes of them, whatever else was wrong.
#[test]
fn no_row_comes_back_after_the_lost_end_of_a_log() {
    let vfs = two_logs(false);
    lose_end_of_first_log(&vfs);
    let rows = content(&Db::open("db", options(&vfs.crash(1))).unwrap());
    assert!(rows["default"].iter().all(|(key, _)| key != b"last"));
    type Wrong = fn(&MemoryVfs);
    let nothing: Wrong = |_| ();
    let half_a_table: Wrong = |vfs| drop(vfs.create(Path::new("db/000900.sst")).unwrap());
    let no_current: Wrong = |vfs| vfs.remove(Path::new("db/CURRENT")).unwrap();
    for (at, wrong) in [nothing, half_a_table, no_current].into_iter().enumerate() {
        let vfs = vfs.crash(1);
        wrong(&vfs);
        assert_eq!(repaired(&vfs).1, rows, "case {at}");
    }
}

/// The mark of the last write says that the first log was durable, so a power cut cannot have taken its end.
#[test]
fn a_log_that_lost_what_was_durable_is_damage_and_the_next_one_is_kept() {
    let vfs = two_logs(true);
    let first = lose_end_of_first_log(&vfs);
    let refused = Db::open("db", options(&vfs.crash(1))).unwrap_err();
    let is_of_first =
        |error: &Error| matches!(error, Error::Corruption { file, .. } if *file == first);
    assert!(is_of_first(&refused), "{refused}");
    let checked = verify("db", &options(&vfs)).unwrap();
    let damage: Vec<&PathBuf> = checked.damage().map(|finding| &finding.file).collect();
    assert_eq!(damage, [&first], "{:#?}", checked.findings);
    let (report, found) = repaired(&vfs);
    let lost: Vec<&PathBuf> = report.lost.iter().map(|finding| &finding.file).collect();
    assert_eq!(lost, [&first]);
    assert!(found["default"].iter().any(|(key, _)| key == b"last"));
}

/// Its numbers begin within those of the log before it, which no log of this database can.
#[test]
fn the_log_of_another_database_is_damage_and_gives_no_rows() {
    let vfs = two_logs(true);
    let other = MemoryVfs::new();
    let db = Db::open("db", options(&other)).unwrap();
    while files(&other, ".log").len() < 2 {
        db.put("long", "v".repeat(1000)).unwrap();
    }
    for row in 0..40 {
        db.put(format!("foreign {row}"), "").unwrap();
    }
    let second = files(&vfs, ".log").remove(1);
    assert_eq!(files(&other, ".log").get(1..), Some(&[second.clone()][..]));
    vfs.remove(&second).unwrap();
    let rows = content(&Db::open("db", options(&vfs.crash(1))).unwrap());
    let foreign = other.read(&second).unwrap();
    vfs.create(&second).unwrap().append(&foreign).unwrap();

    let refused = Db::open("db", options(&vfs)).unwrap_err();
    assert!(
        matches!(&refused, Error::Corruption { file, .. } if *file == second),
        "{refused}"
    );
    let checked = verify("db", &options(&vfs)).unwrap();
    let (report, found) = repaired(&vfs);
    assert!(checked.damage().eq(&report.lost), "{:#?}", report.lost);
    assert_eq!(found, rows);
}

/// A checkpoint that got the log of a later state of its database.
#[test]
fn a_log_that_does_not_follow_on_the_tables_is_damage_and_is_kept() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    db.put("first", "").unwrap();
    db.checkpoint("checkpoint").unwrap();
    db.put("between", "").unwrap();
    db.flush().unwrap();
    db.put("last", "").unwrap();
    let log = files(&vfs, ".log").remove(0);
    let there = Path::new("checkpoint").join(log.file_name().unwrap());
    let bytes = vfs.read(&log).unwrap();
    vfs.create(&there).unwrap().append(&bytes).unwrap();

    Db::open("checkpoint", options(&vfs)).unwrap_err();
    let checked = verify("checkpoint", &options(&vfs)).unwrap();
    let damage: Vec<&PathBuf> = checked.damage().map(|finding| &finding.file).collect();
    assert_eq!(damage, [&there]);
    let report = repair("checkpoint", &options(&vfs)).unwrap();
    let lost: Vec<&PathBuf> = report.lost.iter().map(|finding| &finding.file).collect();
    assert_eq!(lost, [&there]);
    let repaired = Db::open("checkpoint", options(&vfs)).unwrap();
    let keys: Vec<Vec<u8>> = scan(&repaired, "default")
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    assert_eq!(keys, [&b"first"[..], b"last"]);
}

/// Directories and links to nowhere under names of the engine are put aside like files that cannot be read.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_put_aside() {
    use std::fs;
    let directory = |path: &Path| fs::create_dir(path).unwrap();
    let link = |path: &Path| std::os::unix::fs::symlink("nowhere", path).unwrap();
    let put: [fn(&Path); 2] = [directory, link];
    // Whether it was needed, so that its loss is reported.
    let names = [
        ("CURRENT", true),
        ("CURRENT.tmp", false),
        ("MANIFEST-000002", true),
        ("000001.log", false),
        ("000003.log", true),
        ("000900.log", true),
        ("000900.sst", false),
        ("MANIFEST-000900", false),
    ];
    for ((name, needed), put) in names.iter().flat_map(|name| put.map(|put| (name, put))) {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("db");
        let db = Db::open(&dir, Options::default()).unwrap();
        db.put("flushed", "1").unwrap();
        db.flush().unwrap();
        drop(db);
        let path = dir.join(name);
        let _ = fs::remove_file(&path);
        put(&path);
        let report = repair(&dir, &Options::default())
            .unwrap_or_else(|error| panic!("{name} {}: {error}", path.is_dir()));
        let named = |finding: &engine::Finding| finding.file == path;
        let aside = report.aside.iter().any(|(aside, _)| *aside == path);
        assert!(aside, "{name}: {report:#?}");
        let lost = report.lost.iter().any(named);
        assert_eq!(lost, *needed, "{name}: {report:#?}");
        let moved = dir.join("lost").join(name);
        assert!(moved.is_symlink() || moved.is_dir(), "{name}");
        let checked = verify(&dir, &Options::default()).unwrap();
        assert!(checked.is_clean(), "{name}: {:#?}", checked.findings);
        let db = Db::open(&dir, Options::default()).unwrap();
        assert_eq!(db.get("flushed").unwrap().as_deref(), Some(&b"1"[..]));
    }
}

/// Whether the levels are right is not known then, and the next try can tell.
#[test]
fn a_table_that_cannot_be_read_for_a_moment_is_no_reason_to_merge() {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", options(&vfs)).unwrap();
    for value in ["old", "new"] {
        db.put("a", value).unwrap();
        db.put("z", value).unwrap();
        db.flush().unwrap();
        if value == "old" {
            db.compact().unwrap();
        }
    }
    drop(db);
    for n in 1.. {
        let faulty = FaultVfs::new(Arc::new(vfs.crash(1)));
        faulty.fail_nth(n, Fault::Io);
        let repaired = repair("db", &options_on(Arc::new(faulty.clone())));
        let failed = faulty.failed();
        let Some(failed) = failed.first() else {
            break;
        };
        if let (Ok(report), true) = (repaired, failed.contains(".sst")) {
            assert_eq!(report.merged, 0, "{failed}: {report:?}");
        }
    }
}
