//! Files that the engine did not write, and orders that the tool does not know: every command must
//! end with a message, and claim nothing false.

#[expect(dead_code, reason = "no output is stored")]
mod support;

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use engine::internal_key::{self, ValueKind};
use engine::log::LogWriter;
use engine::sstable::{TableBuilder, TableOptions};
use engine::vfs::{StdVfs, Vfs};
use engine::{Background, Comparator, Compare, Db, FamilyOptions, Options};
use support::{database, files, lsm};

/// Short keys first: an order that only this program has.
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

/// U+202E shows what follows it from right to left, so that `"a" = "b"` could look like any other row.
#[test]
fn keys_that_turn_the_order_of_letters_around_are_shown_as_hexadecimal_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("000003.sst");
    let options = TableOptions::new(Comparator::Bytewise);
    let mut table = TableBuilder::new(StdVfs.create(&path).unwrap(), options).unwrap();
    for key in ["a\u{202e}b", "\u{5d0}\u{5d1}"] {
        let key = internal_key::encode(key.as_bytes(), 1, ValueKind::Put);
        table.add(&key, b"value").unwrap();
    }
    table.finish().unwrap();
    let (code, text) = lsm(&["dump", path.to_str().unwrap()]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("0x61e280ae62 = \"value\""), "{text}");
    assert!(
        text.contains("\"\u{5d0}\u{5d1}\""),
        "Hebrew letters are letters: {text}"
    );
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
    // These ranges run backwards in byte order.
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
    let named = dir.path().join("named");
    let family = FamilyOptions::default();
    drop(Db::open(&named, Options::default().family(SPEAKS, family)).unwrap());
    let (table, db) = (path.to_str().unwrap(), db.to_str().unwrap());
    let named = named.to_str().unwrap();
    for args in [
        &["lsm", "dump", table][..],
        &["lsm", "explain", table],
        &["lsm", "stats", db],
        &["lsm", "dump", db],
        &["lsm", "verify", db],
        &["lsm", "repair", db],
        &["lsm", "stats", named],
        &["lsm", "dump", named],
        &["lsm", "repair", named],
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

fn a_table(files: &[PathBuf]) -> &PathBuf {
    let is_table = |file: &&PathBuf| file.extension().is_some_and(|kind| kind == "sst");
    files.iter().find(is_table).unwrap()
}

#[test]
fn one_damaged_table_does_not_hide_the_other_files() {
    for json in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        database(dir.path());
        let tables = files(dir.path());
        let table = a_table(&tables);
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

/// The footer is found from the end of the file, so a second copy of it leads to the same parts.
#[test]
fn bytes_of_a_table_that_belong_to_no_part_are_wrong() {
    let dir = tempfile::tempdir().unwrap();
    database(dir.path());
    let tables = files(dir.path());
    let table = a_table(&tables);
    let mut bytes = fs::read(table).unwrap();
    let footer = bytes[bytes.len() - 64..].to_vec();
    bytes.extend(footer);
    fs::write(table, bytes).unwrap();
    let (code, text) = lsm(&["explain", table.to_str().unwrap()]);
    assert!(
        code == 1 && text.contains("the footer should begin here"),
        "{text}"
    );
}

/// Whatever else it is, a power cut did not make it.
#[test]
fn what_another_program_wrote_is_not_called_torn() {
    const TEXT: &[u8] = b"Dear diary, today a file system was full, and nobody knew.\n";
    const PROGRAM: &[u8] = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0";
    let noise: Vec<u8> = (0..5_000_u32)
        .map(|at| (at.wrapping_mul(0x9e37_79b9) >> 24) as u8 | 0x40)
        .collect();
    let long = TEXT.repeat(2_000);
    let programs = PROGRAM.repeat(300);
    let dir = tempfile::tempdir().unwrap();
    // The name, the contents, the expected message, and the expected exit code.
    let cases: [(&str, &[u8], &str, u8); 16] = [
        ("notes.txt", TEXT, "looks like no file of this engine", 2),
        (
            "long.txt",
            &long,
            "it begins with \"Dear diary, toda...\"",
            2,
        ),
        ("empty", b"", "it is empty", 2),
        ("zeros", &[0; 5_000], "it is 5000 zeros", 2),
        ("noise", &noise, "looks like no file of this engine", 2),
        ("program", &programs, "it begins with \"\\x7fELF", 2),
        (
            "000005.log",
            TEXT,
            "by its name this is a write-ahead log, and it looks like none",
            1,
        ),
        (
            "000006.log",
            &long,
            "it begins with \"Dear diary, toda...\"",
            1,
        ),
        ("000007.log", b"hi", "it begins with \"hi\"", 1),
        ("000008.log", &programs, "looks like none", 1),
        ("000009.log", &noise, "looks like none", 1),
        ("MANIFEST-000010", TEXT, "by its name this is a manifest", 1),
        ("000011.sst", &long, "KeysTbl", 1),
        ("000012.sst", b"", "a footer of 64 bytes", 1),
        ("CURRENT", TEXT, "CURRENT names the manifest in force", 1),
        ("LOCK", TEXT, "the lock file is empty", 1),
    ];
    for (name, bytes, says, ends) in cases {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        for command in ["dump", "explain"] {
            let (code, text) = lsm(&[command, path.to_str().unwrap()]);
            assert!(text.contains(says), "{command} {name}: {text}");
            assert_eq!(code, ends, "{command} {name}: {text}");
            assert!(!text.contains("is torn"), "{command} {name}: {text}");
        }
    }
    let (code, text) = lsm(&["explain", dir.path().to_str().unwrap()]);
    assert!(
        code == 2 && text.contains("takes one of its files"),
        "{text}"
    );
}

/// Checks what the message about such a log says about opening.
#[test]
fn a_text_with_the_name_of_a_log_is_removed_by_a_later_opening() {
    let dir = tempfile::tempdir().unwrap();
    database(dir.path());
    let text = dir.path().join("000099.log");
    fs::write(&text, "Dear diary").unwrap();
    drop(Db::open(dir.path(), support::options()).unwrap());
    // Logs before it were needed.
    assert!(text.exists());
    drop(Db::open(dir.path(), support::options()).unwrap());
    assert!(!text.exists());
}

/// A log whose first write is incomplete, or that has a damaged header, is still recognized as a log.
#[test]
fn a_log_that_a_power_cut_tore_is_still_called_one() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("000008.log");
    let mut log = LogWriter::new(StdVfs.create(&whole).unwrap(), 8);
    log.add_record(&[7; 1_000]).unwrap();
    drop(log);
    let whole = fs::read(whole).unwrap();
    let path = dir.path().join("000008.log");
    let mut torn: Vec<Vec<u8>> = vec![
        vec![0; 1_000],
        whole[..512].to_vec(),
        [&[0; 512], &whole[512..]].concat(),
        [&whole[..512], &[0; 499]].concat(),
        whole[..9].to_vec(),
    ];
    for at in 0..11 {
        let mut flipped = whole.clone();
        flipped[at] ^= 8;
        torn.push(flipped);
    }
    for (case, bytes) in torn.iter().enumerate() {
        fs::write(&path, bytes).unwrap();
        let (code, text) = lsm(&["dump", path.to_str().unwrap()]);
        assert!(
            code == 0 && text.contains("write-ahead log"),
            "{case}: {text}"
        );
        assert!(!text.contains("looks like none"), "{case}: {text}");
    }
}

/// An empty log is fine, and so is space that was reserved ahead. A manifest in force must never be either.
#[test]
fn of_a_file_without_a_record_it_is_said_whether_that_is_in_order() {
    let dir = tempfile::tempdir().unwrap();
    database(dir.path());
    let current = fs::read_to_string(dir.path().join("CURRENT")).unwrap();
    let in_force = current.trim_end();
    let cases: [(&str, &[u8], &str, u8); 7] = [
        (
            "000098.log",
            b"",
            "it is empty, as a log is before its first write",
            0,
        ),
        ("000099.log", &[0; 4_096], "4096 zeros", 0),
        ("MANIFEST-000097", b"", "this one never came into force", 0),
        (
            "MANIFEST-000097",
            &[0; 600],
            "this one never came into force",
            0,
        ),
        (in_force, b"", "CURRENT names it", 1),
        (in_force, &[0; 600], "CURRENT names it", 1),
        (in_force, b"\x01\x02\x03", "CURRENT names it", 1),
    ];
    for (name, bytes, says, ends) in cases {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        for args in [&["dump", path][..], &["dump", path, "--json"]] {
            let (code, text) = lsm(args);
            assert!(text.contains(says), "{args:?} of {bytes:?}: {text}");
            assert_eq!(code, ends, "{args:?} of {bytes:?}: {text}");
        }
        let (code, text) = lsm(&["explain", path]);
        assert_eq!(code, ends, "explain {name} of {bytes:?}: {text}");
        assert!(!text.trim().is_empty(), "explain {name} of {bytes:?}");
    }
    // What the message says about opening is true.
    let refused = Db::open(dir.path(), support::options()).unwrap_err();
    assert!(refused.to_string().contains(in_force), "{refused}");
    let (code, text) = lsm(&["dump", dir.path().to_str().unwrap()]);
    assert!(code == 1 && text.contains("000098.log"), "{text}");
}

/// Opening a pipe waits for another process to open its other end.
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
            let outcome = outcome.recv_timeout(Duration::from_secs(120));
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

#[test]
fn a_directory_without_a_database_is_called_that_by_every_command() {
    let home = tempfile::tempdir().unwrap();
    let (notes, empty) = (home.path().join("notes"), home.path().join("empty"));
    fs::create_dir(&notes).unwrap();
    fs::write(notes.join("todo.txt"), "buy apples").unwrap();
    fs::create_dir(&empty).unwrap();
    for dir in [&notes, &empty] {
        for (command, (code, text)) in with_each_command(dir) {
            let is_told = match command {
                "explain" => "is a directory",
                _ => "is not a database of this engine",
            };
            assert!(code == 2 && text.contains(is_told), "{command}: {text}");
            speaks_of_this_tool(command, &text);
        }
    }
}

#[test]
fn a_path_that_leads_nowhere_or_to_a_file_is_called_that_by_every_command() {
    let home = tempfile::tempdir().unwrap();
    let (missing, file) = (home.path().join("missing"), home.path().join("todo.txt"));
    fs::write(&file, "buy apples").unwrap();
    for (command, (code, text)) in with_each_command(&missing) {
        let is_told = code == 2 && text.contains("is missing");
        assert!(is_told, "{command}: {text}");
        speaks_of_this_tool(command, &text);
    }
    for (command, (code, text)) in with_each_command(&file) {
        let is_told = match command {
            "dump" | "explain" => "looks like no file of this engine",
            _ => "is a file, and this command takes the directory",
        };
        assert!(code == 2 && text.contains(is_told), "{command}: {text}");
        speaks_of_this_tool(command, &text);
    }
}

#[test]
fn what_a_database_in_use_or_in_an_order_of_its_own_needs_is_said_for_this_tool() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("db");
    let family = FamilyOptions {
        comparator: Comparator::custom(Shortlex("shortlex")),
        ..FamilyOptions::default()
    };
    let db = Db::open(&dir, Options::default().family("short", family)).unwrap();
    for (command, (code, text)) in with_each_command(&dir) {
        let is_locked = text.contains("Close it there and try again");
        let locks = ["verify", "repair", "checkpoint"].contains(&command);
        assert_eq!(is_locked, locks, "{command}: {text}");
        assert!(!locks || code == 2, "{command}: {text}");
        speaks_of_this_tool(command, &text);
    }
    drop(db);
    let target = home.path().join("copy");
    let (code, text) = lsm(&[
        "checkpoint",
        dir.to_str().unwrap(),
        target.to_str().unwrap(),
    ]);
    assert!(code == 2 && text.contains("`Db::checkpoint`"), "{text}");
    speaks_of_this_tool("checkpoint", &text);
}

/// What each command says of a path.
fn with_each_command(path: &Path) -> Vec<(&'static str, (u8, String))> {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("target");
    ["stats", "dump", "verify", "repair", "checkpoint", "explain"]
        .map(|command| {
            let mut args = vec![command, path.to_str().unwrap()];
            args.extend((command == "checkpoint").then(|| target.to_str().unwrap()));
            (command, lsm(&args))
        })
        .into()
}

/// The engine advises programs. No command creates a database or has the engine's options.
#[track_caller]
fn speaks_of_this_tool(command: &str, text: &str) {
    for of_programs in [
        "empty directory",
        "create_if_missing",
        "another directory",
        "the options",
    ] {
        assert!(!text.contains(of_programs), "{command}: {text}");
    }
}

/// A table with a hole that is longer than memory: what is wrong with it is told, as far as that needs no memory.
#[cfg(target_os = "linux")]
#[test]
fn a_table_longer_than_memory_is_explained_and_checked() {
    // Of file systems in wide use this one allows such lengths.
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else {
        return;
    };
    let path = dir.path().join("000005.sst");
    let created = fs::File::create(&path).unwrap();
    if created.set_len(1 << 50).is_err() {
        return;
    }
    for command in ["dump", "explain"] {
        let (code, text) = lsm(&[command, path.to_str().unwrap()]);
        assert_eq!(code, 1, "{command}: {text}");
        assert!(text.contains("a table ends in"), "{command}: {text}");
    }
}
