//! Files that no engine wrote, and orders that the tool does not know: every command ends, with words, and says nothing that is not so.

#[expect(dead_code, reason = "no output is stored")]
mod support;

use std::cmp::Ordering;
use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use engine::internal_key::{self, ValueKind};
use engine::log::LogWriter;
use engine::sstable::{TableBuilder, TableOptions};
use engine::vfs::{StdVfs, Vfs};
use engine::{Background, Comparator, Compare, Db, FamilyOptions, Options};
use support::{database, files, lsm};

/// Short keys first: an order that no program but its own has.
struct Shortlex(&'static str);

impl Compare for Shortlex {
    fn name(&self) -> &str {
        self.0
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then(a.cmp(b))
    }
}

fn table_in_order(path: &Path, name: &'static str) {
    let options = TableOptions::new(Comparator::custom(Shortlex(name)));
    let mut table = TableBuilder::new(StdVfs.create(path).unwrap(), options).unwrap();
    let key = internal_key::encode(b"key", 1, ValueKind::Put);
    table.add(&key, b"value").unwrap();
    table.finish().unwrap();
}

#[test]
fn a_batch_at_the_greatest_of_all_numbers_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("000003.log");
    let mut log = LogWriter::new(StdVfs.create(&path).unwrap(), 3);
    let puts = [1, 0, 1, b'k', 1, b'v'].repeat(2);
    let batch = [&u64::MAX.to_le_bytes()[..], &2u32.to_le_bytes(), &puts].concat();
    log.add_record(&batch).unwrap();
    for command in ["dump", "explain"] {
        let (code, text) = lsm(&[command, path.to_str().unwrap()]);
        assert!(
            code == 0 && text.contains("18446744073709551615"),
            "{command}: {text}"
        );
    }
}

#[test]
fn ranges_that_were_deleted_in_an_order_of_somebodys_own_are_dumped() {
    let dir = tempfile::tempdir().unwrap();
    let family = FamilyOptions {
        comparator: Comparator::custom(Shortlex("shortlex")),
        ..FamilyOptions::default()
    };
    let options = Options {
        background: Background::Manual,
        ..Options::default()
    };
    let db = Db::open(dir.path(), options.family("default", family)).unwrap();
    for key in ["b", "cc", "aaa", "bbbb"] {
        db.put(key, "v").unwrap();
    }
    db.flush().unwrap();
    // Backwards in the order of bytes.
    db.delete_range("cc".."aab").unwrap();
    db.delete_range("bbb".."aaaa").unwrap();
    db.flush().unwrap();
    db.close().unwrap();
    let table = files(dir.path())
        .into_iter()
        .rfind(|file| file.extension().is_some_and(|kind| kind == "sst"))
        .unwrap();
    let table = table.to_str().unwrap();
    let (code, text) = lsm(&["dump", table]);
    assert_eq!(code, 0, "{text}");
    for line in [
        "2 range tombstones",
        "delete range \"cc\" up to \"aab\"",
        "delete range \"bbb\" up to \"aaaa\"",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let (code, text) = lsm(&["dump", table, "--json"]);
    let ranges = text.lines().filter(|line| line.contains("delete range"));
    assert!(code == 0 && ranges.count() == 2, "{text}");
    let (_, text) = lsm(&["dump", table, "--limit", "1"]);
    assert!(text.contains("and 1 more"), "{text}");
}

#[test]
fn the_terminal_is_not_spoken_to_by_a_name_from_a_file() {
    const SPEAKS: &str = "\x1b]0;title\x07order";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("000009.sst");
    table_in_order(&path, SPEAKS);
    let db = dir.path().join("db");
    let family = FamilyOptions {
        comparator: Comparator::custom(Shortlex(SPEAKS)),
        ..FamilyOptions::default()
    };
    drop(Db::open(&db, Options::default().family("own", family)).unwrap());
    let (table, db) = (path.to_str().unwrap(), db.to_str().unwrap());
    for args in [
        &["lsm", "dump", table][..],
        &["lsm", "explain", table],
        &["lsm", "stats", db],
        &["lsm", "dump", db],
        &["lsm", "verify", db],
        &["lsm", "repair", db],
    ] {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        lsm::run(args, &mut out, &mut err);
        out.extend(err);
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("title"), "{args:?}: {text:?}");
        assert!(
            !text.contains("\x1b]") && !text.contains('\x07'),
            "{args:?}: {text:?}"
        );
    }
}

#[test]
fn one_damaged_table_does_not_hide_the_other_files() {
    for json in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        database(dir.path());
        let tables = files(dir.path());
        let table = tables
            .iter()
            .find(|file| file.extension().is_some_and(|kind| kind == "sst"));
        let table = table.unwrap();
        let mut bytes = fs::read(table).unwrap();
        let last = bytes.len() - 20;
        bytes[last] ^= 1;
        fs::write(table, bytes).unwrap();
        let mut args = vec!["dump", dir.path().to_str().unwrap()];
        args.extend(json.then_some("--json"));
        let (code, text) = lsm(&args);
        assert_eq!(code, 1, "{text}");
        for file in &tables {
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(text.contains(name), "{name}: {text}");
        }
        assert!(text.contains("is damaged at byte"), "{text}");
    }
}

/// Whoever opens a pipe waits for another to open its other end.
#[cfg(unix)]
#[test]
fn a_pipe_under_the_name_of_a_file_is_no_trap() {
    let home = tempfile::tempdir().unwrap();
    let sound = home.path().join("sound");
    database(&sound);
    let mut names: Vec<_> = files(&sound)
        .into_iter()
        .map(|file| file.file_name().unwrap().to_owned())
        .collect();
    names.push("LOCK".into());
    for name in names {
        for command in ["stats", "dump", "verify", "repair", "checkpoint", "explain"] {
            let dir = home.path().join(format!("{command}-{}", name.display()));
            fs::create_dir(&dir).unwrap();
            for file in fs::read_dir(&sound).unwrap() {
                let file = file.unwrap();
                fs::copy(file.path(), dir.join(file.file_name())).unwrap();
            }
            let pipe = dir.join(&name);
            fs::remove_file(&pipe).unwrap();
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.unwrap().success());
            let (done, outcome) = mpsc::channel();
            let target = home.path().join("target");
            let paths = match command {
                "explain" => vec![pipe],
                "checkpoint" => vec![dir, target],
                _ => vec![dir],
            };
            std::thread::spawn(move || {
                let mut args = vec![command];
                args.extend(paths.iter().map(|path| path.to_str().unwrap()));
                done.send(lsm(&args))
            });
            let outcome = outcome.recv_timeout(Duration::from_secs(20));
            let Ok((_, text)) = outcome else {
                panic!(
                    "lsm {command} waits for the other end of {}",
                    name.display()
                );
            };
            assert!(!text.is_empty());
        }
    }
}
