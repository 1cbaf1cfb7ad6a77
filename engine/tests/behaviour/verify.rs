//! Verify finds every kind of damage, says in which file and where, and continues with the next one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::internal_key::{self, ValueKind};
use engine::log::LogWriter;
use engine::sstable::{TableBuilder, TableOptions};
use engine::version::{current_manifest, file_name, read_manifest};
use engine::vfs::{FaultVfs, MemoryVfs, Vfs};
use engine::{
    Comparator, Compression, Db, Error, FamilyOptions, Options, Severity, VerifyReport, WriteBatch,
    WriteOptions, verify,
};

use crate::support::hooked::Hooked;
use crate::support::{Dice, files, roomy, tiny};
use crate::support::{checksum::checksum, manual};

fn options(vfs: &MemoryVfs) -> Options {
    let numeric = FamilyOptions {
        comparator: Comparator::custom(engine::comparator::NumericSuffix),
        compression: Compression::Lz4,
        ..tiny()
    };
    manual(vfs)
        .family("default", tiny())
        .family("numeric", numeric)
}

/// Tables in several levels, rows in a log, two families.
fn database() -> MemoryVfs {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", roomy(options(&vfs))).unwrap();
    let mut dice = Dice::new(11);
    for step in 0..400u32 {
        let mut batch = WriteBatch::new();
        for name in ["default", "numeric"] {
            let (family, key) = (db.family(name).unwrap(), format!("key:{}", dice.below(300)));
            if dice.one_in(6) {
                batch.delete(&family, key);
            } else {
                batch.put(&family, key, format!("{step} {}", "v".repeat(40)));
            }
        }
        db.write(batch, WriteOptions::default()).unwrap();
        if step % 40 == 0 {
            db.flush().unwrap();
            db.step().unwrap();
        }
    }
    db.flush().unwrap();
    db.put("last", "in the log").unwrap();
    db.put("last", "again").unwrap();
    db.close().unwrap();
    vfs
}

fn check(vfs: &MemoryVfs) -> VerifyReport {
    verify("db", &options(vfs)).unwrap()
}

/// What verify reports after `change` was made to the bytes of `file`.
fn damaged(vfs: &MemoryVfs, file: &Path, change: impl FnOnce(&mut Vec<u8>)) -> VerifyReport {
    let copy = vfs.crash(1);
    let mut bytes = copy.read(file).unwrap();
    change(&mut bytes);
    copy.damage(file, bytes).unwrap();
    check(&copy)
}

/// A disk that fails under a mapping ends the process with a signal, and nothing is reported.
#[test]
fn no_file_is_mapped() {
    let vfs = database();
    let unmapped = Hooked::new(&vfs, |operation, path| {
        assert_ne!(operation, "open_mapped", "{}", path.display());
    });
    let options = Options {
        vfs: Arc::new(unmapped),
        ..options(&vfs)
    };
    let report = verify("db", &options).unwrap();
    assert!(report.is_clean() && report.tables > 4, "{report:#?}");
}

#[track_caller]
fn assert_found(report: &VerifyReport, file: &Path, what: &str) {
    let found = report
        .damage()
        .any(|finding| finding.file == file && finding.what.contains(what));
    assert!(
        found,
        "{what:?} of {} is not in {:#?}",
        file.display(),
        report.findings
    );
}

#[test]
fn a_sound_database_is_clean_and_counted() {
    let vfs = database();
    let report = check(&vfs);
    assert_eq!(report.findings, []);
    assert_eq!(report.tables, files(&vfs, ".sst").len() as u64);
    assert!(
        report.tables > 4 && report.entries > 300 && report.table_bytes > 10_000,
        "{report:?}"
    );
    assert_eq!((report.logs, report.batches), (1, 2));
    let families: Vec<_> = report
        .families
        .iter()
        .map(|family| family.name.as_str())
        .collect();
    assert_eq!(families, ["default", "numeric"]);
    assert_eq!(
        check(&vfs.crash(1)),
        report,
        "nothing was written, not even a lock file"
    );
}

#[test]
fn a_database_that_is_open_is_refused_and_another_directory_too() {
    let vfs = database();
    let db = Db::open("db", options(&vfs)).unwrap();
    assert!(matches!(
        verify("db", &options(&vfs)),
        Err(Error::Locked { .. })
    ));
    drop(db);
    vfs.create_dir_all(Path::new("empty")).unwrap();
    assert!(matches!(
        verify("empty", &options(&vfs)),
        Err(Error::NotADatabase { .. })
    ));
    assert!(matches!(
        verify("none", &options(&vfs)),
        Err(Error::Io { .. })
    ));
}

/// Every flipped byte, in any file that belongs to the database, is found in that file.
#[test]
fn every_flipped_byte_is_found() {
    let vfs = database();
    let mut flips = 0;
    for file in files(&vfs, "") {
        let bytes = vfs.read(&file).unwrap();
        // All bytes of the short files, and for tables a sample that has bytes of every kind.
        let step = if file.extension().is_some_and(|kind| kind == "sst") {
            23
        } else {
            1
        };
        for at in (0..bytes.len()).step_by(step) {
            let copy = vfs.crash(1);
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            copy.damage(&file, flipped).unwrap();
            let report = check(&copy);
            let named = |finding: &engine::Finding| finding.file == file;
            // In the last record of a log, damage and a torn end look the same: a note says so.
            let found = report.findings.iter().any(named);
            assert!(
                found,
                "byte {at} of {}: {:#?}",
                file.display(),
                report.findings
            );
            flips += 1;
        }
    }
    assert!(flips > 2000, "{flips}");
}

#[test]
fn all_damage_is_told_and_not_only_the_first() {
    let vfs = database();
    let tables = files(&vfs, ".sst");
    for table in &tables[..3] {
        let mut bytes = vfs.read(table).unwrap();
        bytes[10] ^= 1;
        vfs.damage(table, bytes).unwrap();
    }
    vfs.remove(&tables[3]).unwrap();
    let report = check(&vfs);
    for table in &tables[..3] {
        assert_found(&report, table, "data block 0: the checksum of a block is");
    }
    assert_found(&report, &tables[3], "the manifest lists it in level");
    assert_eq!(report.damage().count(), 4);
}

#[test]
fn cut_and_foreign_tables_are_named() {
    let vfs = database();
    let table = &files(&vfs, ".sst")[0];
    let report = damaged(&vfs, table, |bytes| bytes.truncate(bytes.len() / 2));
    assert_found(&report, table, "a table ends in");
    assert_found(&report, table, "the manifest says");
    let report = damaged(&vfs, table, |bytes| bytes.truncate(3));
    assert_found(&report, table, "this file has 3 bytes in all");
    // Another table of the same database under its name.
    let other = vfs.read(&files(&vfs, ".sst")[1]).unwrap();
    let report = damaged(&vfs, table, |bytes| *bytes = other);
    assert_found(&report, table, "the manifest has");
}

#[test]
fn wrong_pointers_and_manifests_are_named() {
    let vfs = database();
    let current = Path::new("db/CURRENT");
    let report = damaged(&vfs, current, |bytes| {
        *bytes = b"MANIFEST-000999\n".to_vec();
    });
    assert_found(&report, current, "it names db/MANIFEST-000999");
    let report = damaged(&vfs, current, Vec::clear);
    assert_found(&report, current, "should name a manifest");
    let copy = vfs.crash(1);
    copy.remove(current).unwrap();
    assert_found(&check(&copy), current, "Without it");

    let manifest = &files(&vfs, "MANIFEST")[0];
    let report = damaged(&vfs, manifest, |bytes| bytes[20] ^= 1);
    assert_found(&report, manifest, "says that everything before byte");
    let report = damaged(&vfs, manifest, |bytes| bytes.truncate(bytes.len() - 3));
    let torn = |finding: &engine::Finding| {
        finding.severity == Severity::Note && finding.what.contains("torn")
    };
    assert!(report.findings.iter().any(torn), "{:#?}", report.findings);
}

#[test]
fn logs_are_read_to_the_end() {
    let vfs = database();
    let log = &files(&vfs, ".log")[0];
    let report = damaged(&vfs, log, |bytes| bytes[14] ^= 1);
    assert_found(&report, log, "says that everything before byte");
    let copy = vfs.crash(1);
    copy.remove(log).unwrap();
    assert_found(&check(&copy), log, "the manifest needs it");
}

/// A log after one that is cut is left out by an opening, and that is noted; but not if the opening is refused, because
/// the manifest says that both were durable.
#[test]
fn no_power_cut_is_blamed_for_a_log_that_was_durable() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let db = Db::open("db", manual(&vfs)).unwrap();
    vfs.limit_bytes("sst", 0);
    db.put("first", "v").unwrap();
    db.flush().unwrap_err();
    db.put("second", "v").unwrap();
    let killed = memory.crash(1);
    let opened = Db::open("db", manual(&killed)).unwrap();
    for (vfs, is_known) in [(killed.crash(1), true), (memory.crash(1), false)] {
        let logs = files(&vfs, ".log");
        vfs.damage(&logs[0], Vec::new()).unwrap();
        let report = check(&vfs);
        let left_out = |finding: &engine::Finding| {
            finding.file == logs[1] && finding.what.contains("left out at opening")
        };
        assert_eq!(report.is_clean(), !is_known, "{:#?}", report.findings);
        assert_eq!(
            report.findings.iter().any(left_out),
            !is_known,
            "{:#?}",
            report.findings
        );
        assert_eq!(Db::open("db", manual(&vfs)).is_err(), is_known);
    }
    drop(opened);
}

/// An opening stops at the first log that is wrong.
#[test]
fn every_wrong_log_is_named() {
    let vfs = MemoryVfs::new();
    drop(Db::open("db", options(&vfs)).unwrap());
    let dir = Path::new("db");
    let number = current_manifest(&vfs, dir).unwrap();
    let (_, edit) = read_manifest(&vfs, dir, number).unwrap().remove(0);
    let first = edit.oldest_log.unwrap();
    // A put for `family` in each log, the only record of a batch.
    let mut next = 1_u64;
    let logs: Vec<PathBuf> = [0, 9, 0, 0, 0, 8, 0]
        .into_iter()
        .zip((first..).filter(|log| *log != number))
        .map(|(family, log)| {
            let path = file_name::log(dir, log);
            let mut writer = LogWriter::new(vfs.create(&path).unwrap(), log);
            let record = [1, family, 1, b'k', 1, b'v'];
            let batch = [&next.to_le_bytes()[..], &1_u32.to_le_bytes(), &record].concat();
            writer.add_record(&batch).unwrap();
            writer.sync().unwrap();
            next += 1;
            path
        })
        .collect();
    let mut bytes = vfs.read(&logs[3]).unwrap();
    bytes[14] ^= 1;
    vfs.damage(&logs[3], bytes).unwrap();
    let report = check(&vfs);
    assert_found(&report, &logs[1], "it is for family 9, which never was");
    assert_found(&report, &logs[3], "says that everything before byte");
    assert_found(&report, &logs[5], "it is for family 8, which never was");
    assert_eq!(report.damage().count(), 3, "{report:#?}");
    assert_eq!((report.logs, report.batches), (7, 4));
}

#[test]
fn what_nothing_refers_to_is_noted_and_no_damage() {
    let vfs = database();
    for name in [
        "000900.sst",
        "000001.log",
        "MANIFEST-000001",
        "CURRENT.tmp",
        "readme.txt",
    ] {
        vfs.create(&Path::new("db").join(name)).unwrap();
    }
    let report = check(&vfs);
    assert!(report.is_clean());
    let mut noted: Vec<_> = report
        .findings
        .iter()
        .map(|finding| finding.file.display().to_string())
        .collect();
    noted.sort();
    assert_eq!(
        noted,
        [
            "db/000001.log",
            "db/000900.sst",
            "db/CURRENT.tmp",
            "db/MANIFEST-000001",
            "db/readme.txt"
        ]
    );
}

/// An opening refuses such a file, so a database with one is not sound.
#[test]
fn a_file_with_a_number_beyond_all_counting_is_damage() {
    for name in [
        "9999999999999.sst",
        "9999999999999.log",
        "MANIFEST-9999999999999",
    ] {
        let vfs = database();
        let stray = Path::new("db").join(name);
        vfs.create(&stray).unwrap();
        Db::open("db", options(&vfs)).unwrap_err();
        let report = check(&vfs);
        assert_found(&report, &stray, "an opening refuses it");
        assert_eq!(report.findings.len(), 1, "{:#?}", report.findings);
    }
}

/// Sequence numbers have 56 bits. Like an opening, verify and repair accept the last of them, and
/// none after it.
#[test]
fn a_batch_that_runs_past_the_last_sequence_number_is_damage() {
    const LAST: u64 = internal_key::MAX_SEQUENCE;
    for (first, count, fits) in [
        (LAST - 2, 2u32, true),
        (LAST - 1, 2, true),
        (LAST, 1, true),
        (LAST, 2, false),
    ] {
        let vfs = MemoryVfs::new();
        drop(Db::open("db", options(&vfs)).unwrap());
        let dir = Path::new("db");
        let number = current_manifest(&vfs, dir).unwrap();
        let (_, mut edit) = read_manifest(&vfs, dir, number).unwrap().remove(0);
        edit.last_sequence = Some(first - 1);
        let record = |path: &Path, number, record: &[u8]| {
            let mut log = LogWriter::new(vfs.create(path).unwrap(), number);
            log.add_record(record).unwrap();
            log.sync().unwrap();
        };
        record(&file_name::manifest(dir, number), number, &edit.encode());
        // A put for family 0 with a key and a value of one byte each.
        let mut batch = [&first.to_le_bytes()[..], &count.to_le_bytes()].concat();
        for key in 0..count as u8 {
            batch.extend([1, 0, 1, b'a' + key, 1, b'v']);
        }
        let log = files(&vfs, ".log").remove(0);
        record(&log, edit.oldest_log.unwrap(), &batch);
        let report = check(&vfs);
        let repaired = engine::repair("db", &options(&vfs.crash(1))).unwrap();
        assert_eq!(
            Db::open("db", options(&vfs)).is_ok(),
            fits,
            "{first} {count}"
        );
        assert_eq!(report.is_clean(), fits, "{first} {count}: {report:#?}");
        assert_eq!(
            repaired.lost.is_empty(),
            fits,
            "{first} {count}: {repaired:#?}"
        );
        if !fits {
            assert_found(&report, &log, "runs past the last sequence number");
        }
    }
}

#[test]
fn an_order_that_is_not_given_is_not_checked_and_said() {
    struct Own;
    impl engine::Compare for Own {
        fn name(&self) -> &str {
            "own"
        }
        fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
            a.len().cmp(&b.len()).then_with(|| a.cmp(b))
        }
    }
    let vfs = MemoryVfs::new();
    let own = FamilyOptions {
        comparator: Comparator::custom(Own),
        ..tiny()
    };
    let given = manual(&vfs).family("own", own);
    let db = Db::open("db", given.clone()).unwrap();
    let family = db.family("own").unwrap();
    for key in ["b", "aa", "c", "dd"] {
        family.put(key, "1").unwrap();
    }
    db.flush().unwrap();
    drop((db, family));
    assert_eq!(verify("db", &given).unwrap().findings, []);
    let report = verify(
        "db",
        &Options {
            vfs: Arc::new(vfs),
            ..Options::default()
        },
    )
    .unwrap();
    assert!(report.is_clean(), "{report:#?}");
    assert!(report.findings[0].what.contains("\"own\""), "{report:#?}");
}

/// Replaces a table by one that is intact in itself but wrong, which only a comparison finds.
fn replaced(
    vfs: &MemoryVfs,
    options: TableOptions,
    entries: &[(&str, u64, ValueKind)],
) -> (PathBuf, VerifyReport) {
    let table = files(vfs, ".sst").remove(0);
    let copy = vfs.crash(1);
    let mut builder = TableBuilder::new(copy.create(Path::new("other")).unwrap(), options).unwrap();
    for (key, sequence, kind) in entries {
        let key = internal_key::encode(key.as_bytes(), *sequence, *kind);
        builder.add(&key, b"v").unwrap();
    }
    builder.finish().unwrap();
    let bytes = copy.read(Path::new("other")).unwrap();
    copy.damage(&table, bytes).unwrap();
    (table, check(&copy))
}

#[test]
fn a_table_that_is_whole_and_not_the_one_meant_is_found() {
    let vfs = database();
    let entries = [("a", 1 << 40, ValueKind::Put), ("b", 5, ValueKind::Delete)];
    let bytewise = TableOptions::new(Comparator::Bytewise);
    let (table, report) = replaced(&vfs, bytewise.clone(), &entries);
    for what in [
        "entries, the table 2",
        "smallest key",
        "largest key",
        "sequence number 1099511627776",
    ] {
        assert_found(&report, &table, what);
    }
    let reverse = TableOptions::new(Comparator::reverse_bytewise());
    let turned = [("b", 5, ValueKind::Put), ("a", 4, ValueKind::Put)];
    let (table, report) = replaced(&vfs, reverse, &turned);
    assert_found(
        &report,
        &table,
        "the table is sorted by the comparator \"reverse-bytewise\"",
    );
    assert_found(&report, &table, "does not come after the one before");
    let stranger = TableOptions {
        family: 9,
        family_name: "stranger".to_owned(),
        ..bytewise
    };
    let (table, report) = replaced(&vfs, stranger, &entries);
    assert_found(&report, &table, "it belongs to family 9 \"stranger\"");
}

/// A look-up relies on this property, and would return the older version where that is a restart.
#[test]
fn a_table_that_denies_its_older_versions_is_found() {
    const OLDER_VERSIONS: u8 = 17;
    let vfs = MemoryVfs::new();
    let db = Db::open("db", roomy(options(&vfs))).unwrap();
    db.put("key", "older").unwrap();
    let snapshot = db.snapshot();
    db.put("key", "newer").unwrap();
    db.flush().unwrap();
    drop((snapshot, db));
    let table = &files(&vfs, ".sst")[0];
    let report = damaged(&vfs, table, |bytes| {
        let properties = handle(bytes, 32);
        forge(bytes, properties, |properties| {
            let field = [OLDER_VERSIONS, 1, 1];
            let at = properties.len() - field.len();
            assert_eq!(properties[at..], field);
            // Readers skip tags that they do not know.
            properties[at] += 1;
        });
    });
    assert_found(&report, table, "0 older versions, and the entries give 1");
}

/// Changes a part of a table and gives it a right checksum for the wrong contents.
fn forge(bytes: &mut [u8], part: std::ops::Range<usize>, change: impl FnOnce(&mut [u8])) {
    change(&mut bytes[part.clone()]);
    let checksum = checksum(part.start, &bytes[part.start..=part.end]);
    bytes[part.end + 1..part.end + 5].copy_from_slice(&checksum);
}

/// The offset and length that the footer has.
fn handle(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let footer = bytes.len() - 64;
    let number = |at: usize| {
        u64::from_le_bytes(bytes[footer + at..footer + at + 8].try_into().unwrap()) as usize
    };
    number(at)..number(at) + number(at + 8)
}

#[test]
fn lies_under_right_checksums_are_found() {
    let vfs = database();
    let table = &files(&vfs, ".sst")[0];
    let report = damaged(&vfs, table, |bytes| {
        let filter = handle(bytes, 16);
        forge(bytes, filter, |filter| filter[..64].fill(0));
    });
    assert_found(&report, table, "the filter denies the key");

    // Tag 2 follows the comparator's name; its value is the number of entries.
    let report = damaged(&vfs, table, |bytes| {
        let properties = handle(bytes, 32);
        forge(bytes, properties, |properties| {
            let entries = 2 + usize::from(properties[1]);
            assert_eq!(properties[entries], 2);
            properties[entries + 2] ^= 1;
        });
    });
    assert_found(&report, table, "entries, and the entries give");

    // The first key of the index becomes the smallest there is.
    let report = damaged(&vfs, table, |bytes| {
        let index = handle(bytes, 0);
        forge(bytes, index, |index| {
            let key = index.windows(4).position(|window| window == b"key:");
            index[key.unwrap()] = 0;
        });
    });
    assert_found(
        &report,
        table,
        "the index has a smaller key for the block than the block's last",
    );

    let report = damaged(&vfs, table, |bytes| {
        let filter = handle(bytes, 16);
        bytes[filter.start - 1] = 7;
    });
    let padded = report
        .damage()
        .any(|finding| finding.what.contains("must be zeros"));
    assert!(
        padded
            || report
                .damage()
                .any(|finding| finding.what.contains("checksum")),
        "{report:#?}"
    );
}
