//! Logs with right checksums and wrong contents: an opening says which record is wrong, `verify` says the same, and
//! a record that is only odd leaves a sound database.

use std::path::Path;

use engine::log::LogWriter;
use engine::vfs::{MemoryVfs, Vfs};
use engine::{Db, Options, varint, verify};

use crate::support::{manual, tiny};

const DIR: &str = "db";

fn options(vfs: &MemoryVfs) -> Options {
    manual(vfs).family("default", tiny())
}

/// A batch, field by field: its first sequence number, its count, its records.
fn batch(sequence: u64, count: u32, records: &[Vec<u8>]) -> Vec<u8> {
    let header = [&sequence.to_le_bytes()[..], &count.to_le_bytes()].concat();
    [&[header], records].concat().concat()
}

/// A record of any kind; a deletion, kind 0, has no value.
fn record(kind: u8, family: u64, key: &[u8], value: Option<&[u8]>) -> Vec<u8> {
    let mut out = vec![kind];
    varint::append(&mut out, family);
    varint::append_bytes(&mut out, key);
    if let Some(value) = value {
        varint::append_bytes(&mut out, value);
    }
    out
}

fn put(key: &str) -> Vec<u8> {
    record(1, 0, key.as_bytes(), Some(b"v"))
}

/// A database whose log holds these records, and nothing else.
fn with_log(records: &[Vec<u8>]) -> MemoryVfs {
    let vfs = MemoryVfs::new();
    drop(Db::open(DIR, options(&vfs)).unwrap());
    let names = vfs.list(Path::new(DIR)).unwrap();
    let mut logs = names
        .iter()
        .filter_map(|name| name.to_str()?.strip_suffix(".log"));
    let (name, None) = (logs.next().unwrap(), logs.next()) else {
        panic!("a new database has one log: {names:?}");
    };
    let path = Path::new(DIR).join(name).with_extension("log");
    let mut log = LogWriter::new(vfs.create(&path).unwrap(), name.parse().unwrap());
    for record in records {
        log.add_record(record).unwrap();
    }
    log.sync().unwrap();
    vfs
}

#[test]
fn a_sound_log_is_taken_for_one() {
    let vfs = with_log(&[batch(1, 2, &[put("a"), put("b")]), batch(3, 1, &[put("c")])]);
    assert!(verify(DIR, &options(&vfs)).unwrap().is_clean());
    let db = Db::open(DIR, options(&vfs)).unwrap();
    assert_eq!(db.get("c").unwrap().as_deref(), Some(&b"v"[..]));
}

#[test]
fn a_wrong_record_is_named_with_the_log_and_the_place() {
    let sound = batch(1, 1, &[put("a")]);
    let cut_key = vec![1, 0, 9, b'k'];
    let cases: [(&str, Vec<u8>); 13] = [
        ("at least 12 bytes", vec![1; 11]),
        (
            "fewer records than the header counts",
            batch(2, 2, &[put("b")]),
        ),
        (
            "fewer records than the header counts",
            batch(2, u32::MAX, &[put("b")]),
        ),
        ("bytes after the last record", batch(2, 0, &[put("b")])),
        (
            "bytes after the last record",
            batch(2, 1, &[put("b"), put("c")]),
        ),
        (
            "a record of unknown kind",
            batch(2, 1, &[record(3, 0, b"b", Some(b"v"))]),
        ),
        (
            "a record without a family",
            batch(2, 1, &[record(1, 1 << 32, b"b", Some(b"v"))]),
        ),
        (
            "which never was",
            batch(2, 1, &[record(1, 9, b"b", Some(b"v"))]),
        ),
        ("a key longer than the batch", batch(2, 1, &[cut_key])),
        (
            "a value longer than the batch",
            batch(2, 1, &[record(1, 0, b"b", None)]),
        ),
        ("its sequence number is 1, and 2 follows", sound.clone()),
        (
            "its sequence number is 3, and 2 follows",
            batch(3, 1, &[put("b")]),
        ),
        (
            "its sequence number is 18446744073709551615",
            batch(u64::MAX, 1, &[put("b")]),
        ),
    ];
    for (words, wrong) in cases {
        let vfs = with_log(&[sound.clone(), wrong]);
        let error = Db::open(DIR, options(&vfs)).unwrap_err().to_string();
        assert!(error.contains(words), "{words:?} is not in: {error}");
        assert!(error.contains(".log is damaged at byte"), "{error}");
        let report = verify(DIR, &options(&vfs)).unwrap();
        let mut damage = report.damage();
        assert!(
            damage.any(|found| found.what.contains(words)),
            "{words:?} is not in: {report:#?}"
        );
    }
}

/// The first record alone decides where the log begins.
#[test]
fn a_log_that_begins_anywhere_else_is_refused() {
    for sequence in [0, 2, 1 << 56, u64::MAX] {
        let vfs = with_log(&[batch(sequence, 1, &[put("a")])]);
        let error = Db::open(DIR, options(&vfs)).unwrap_err().to_string();
        assert!(error.contains(".log is damaged"), "{sequence}: {error}");
        assert!(
            !verify(DIR, &options(&vfs)).unwrap().is_clean(),
            "{sequence}"
        );
    }
}

/// Ranges that cover nothing, ends of no length, batches without records: no write makes them, and none hides a row.
#[test]
fn odd_records_leave_a_sound_database() {
    let range = |from: &[u8], to: &[u8]| record(2, 0, from, Some(to));
    let cases: [(&str, Vec<Vec<u8>>); 6] = [
        ("no record", vec![]),
        ("a range that ends where it begins", vec![range(b"m", b"m")]),
        (
            "a range that ends before it begins",
            vec![range(b"z", b"a")],
        ),
        ("a range that ends in nothing", vec![range(b"a", b"")]),
        ("a range of nothing", vec![range(b"", b"")]),
        ("a range before all rows", vec![range(b"", b"a")]),
    ];
    for (case, odd) in cases {
        let count = odd.len() as u32;
        let rows = ["a", "m", "z"];
        let vfs = with_log(&[
            batch(1, 3, &rows.map(put)),
            batch(4, count, &odd),
            batch(4 + u64::from(count), 1, &[put("n")]),
        ]);
        let report = verify(DIR, &options(&vfs)).unwrap();
        assert!(report.is_clean(), "{case}: {report:#?}");
        let db = Db::open(DIR, options(&vfs)).unwrap();
        let look = |db: &Db, when: &str| {
            for key in ["a", "m", "n", "z"] {
                let found = db.get(key).unwrap();
                assert_eq!(found.as_deref(), Some(&b"v"[..]), "{case}, {when}: {key}");
            }
            let all = db.default_family().range::<&str>(..).count();
            assert_eq!(all, 4, "{case}, {when}");
        };
        look(&db, "replayed");
        db.flush().unwrap();
        look(&db, "flushed");
        db.compact().unwrap();
        look(&db, "compacted");
        drop(db);
        let report = verify(DIR, &options(&vfs)).unwrap();
        assert!(report.is_clean(), "{case}: {report:#?}");
    }
}
