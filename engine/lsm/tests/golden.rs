//! What the commands print about a small database, intact and damaged, compared with stored
//! outputs. `UPDATE=1` rewrites them.

mod support;

use std::fs;
use std::path::Path;

use engine::Db;

use support::{database, files, golden, lsm};

/// Paths differ between machines; names do not.
fn without_dir(text: &str, dir: &Path) -> String {
    text.replace(&format!("{}/", dir.display()), "")
        .replace(&dir.display().to_string(), "db")
}

fn run(dir: &Path, args: &[&str]) -> (u8, String) {
    let (code, text) = lsm(args);
    (code, without_dir(&text, dir))
}

#[test]
fn every_file_of_a_sound_database() {
    let dir = tempfile::tempdir().unwrap();
    database(dir.path());
    for file in files(dir.path()) {
        let name = file.file_name().unwrap().to_string_lossy();
        for command in ["explain", "dump"] {
            let (code, text) = run(dir.path(), &[command, file.to_str().unwrap()]);
            assert_eq!(code, 0, "{text}");
            golden(&format!("{command}-{name}.txt"), &text);
        }
    }
    let path = dir.path().to_str().unwrap();
    for (name, args) in [
        ("stats.txt", &["stats", path][..]),
        ("stats.json", &["stats", path, "--json"]),
        ("verify.txt", &["verify", path]),
        ("verify.json", &["verify", path, "--json"]),
        (
            "dump-hex.txt",
            &["dump", path, "--keys", "hex", "--limit", "2"],
        ),
        ("dump.json", &["dump", path, "--json"]),
    ] {
        let (code, text) = run(dir.path(), args);
        assert_eq!(code, 0, "{text}");
        golden(name, &text);
    }
}

/// One flipped bit in each kind of file, and what each command says about it.
#[test]
fn one_flipped_bit_in_each_kind_of_file_is_named() {
    let home = tempfile::tempdir().unwrap();
    database(home.path());
    let by_suffix = |suffix: &str| {
        let mut found = files(home.path());
        found.retain(|file| file.to_string_lossy().contains(suffix));
        found.remove(0)
    };
    let table = by_suffix(".sst");
    let footer = fs::metadata(&table).unwrap().len() as usize - 30;
    for (name, file, at) in [
        ("block", &table, 12),
        ("footer", &table, footer),
        ("log", &by_suffix(".log"), 30),
        ("manifest-type", &by_suffix("MANIFEST"), 6),
        ("manifest", &by_suffix("MANIFEST"), 40),
        ("current", &by_suffix("CURRENT"), 4),
    ] {
        let whole = fs::read(file).unwrap();
        let mut bytes = whole.clone();
        bytes[at] ^= 0x04;
        fs::write(file, &bytes).unwrap();
        let (code, text) = run(
            home.path(),
            &["explain", file.to_str().unwrap(), "--limit", "2"],
        );
        assert_eq!(code, 1, "{text}");
        golden(&format!("damaged-{name}-explain.txt"), &text);
        let (code, text) = run(home.path(), &["verify", home.path().to_str().unwrap()]);
        // In the last record of a log, a flipped bit looks like a torn end.
        assert!(code <= 1, "{text}");
        golden(&format!("damaged-{name}-verify.txt"), &text);
        // Blocks and logs are not read for it.
        let (code, text) = run(home.path(), &["stats", home.path().to_str().unwrap()]);
        let expected = match name {
            "block" | "log" => 0,
            _ => 1,
        };
        assert_eq!(code, expected, "{name}: {text}");
        golden(&format!("damaged-{name}-stats.txt"), &text);
        fs::write(file, whole).unwrap();
    }
}

/// What every run of the tool is looked through for: see `support::plural_of_one`.
#[test]
fn a_single_thing_is_no_plural() {
    assert_eq!(
        support::plural_of_one("4 01  1 records").as_deref(),
        Some("1 records")
    );
    assert_eq!(
        support::plural_of_one("1 more entries").as_deref(),
        Some("1 more entries")
    );
    assert_eq!(
        support::plural_of_one("1 entry, 2 tables, tag 1: keys, 1 is 1"),
        None
    );

    let dir = tempfile::tempdir().unwrap();
    let database = dir.path().join("database");
    let db = Db::open(&database, support::options()).unwrap();
    db.put("k", "v").unwrap();
    db.delete_range("a".."b").unwrap();
    db.flush().unwrap();
    db.put("l", "w").unwrap();
    db.close().unwrap();
    let path = database.to_str().unwrap();
    for command in ["stats", "verify", "dump"] {
        assert_eq!(lsm(&[command, path]).0, 0);
    }
    for file in files(&database) {
        let file = file.to_str().unwrap();
        for limit in ["0", "1", "2"] {
            assert_eq!(lsm(&["explain", file, "--limit", limit]).0, 0);
        }
        // Cut off after each byte: what is left of it, and what is missing.
        let bytes = fs::read(file).unwrap();
        for end in 0..bytes.len() {
            fs::write(file, &bytes[..end]).unwrap();
            lsm(&["explain", file]);
            lsm(&["verify", path]);
        }
        fs::write(file, &bytes).unwrap();
    }
    let (_, text) = lsm(&["repair", path]);
    assert!(text.contains("it opens again"), "{text}");
}

#[test]
fn one_block_only_and_one_that_is_not_there() {
    let dir = tempfile::tempdir().unwrap();
    database(dir.path());
    let table = files(dir.path())
        .into_iter()
        .find(|file| file.extension().is_some_and(|kind| kind == "sst"))
        .unwrap();
    let table = table.to_str().unwrap();
    let (code, text) = lsm(&["explain", table, "--block", "0"]);
    assert!(
        code == 0 && text.contains("data block 0") && !text.contains("footer"),
        "{text}"
    );
    let (code, text) = lsm(&["explain", table, "--block", "99"]);
    assert!(
        code != 0 && text.contains("there is no data block 99"),
        "{text}"
    );
    assert_eq!(code, 2, "a mistyped number is no damage");
    let current = dir.path().join("CURRENT");
    let (code, text) = lsm(&["explain", current.to_str().unwrap(), "--block", "0"]);
    assert!(
        code == 2 && text.contains("only tables have data blocks"),
        "{text}"
    );
}

#[test]
fn repair_and_checkpoint_say_what_they_did() {
    let home = tempfile::tempdir().unwrap();
    let (dir, copy) = (home.path().join("db"), home.path().join("copy"));
    database(&dir);
    let (db, target) = (dir.to_str().unwrap(), copy.to_str().unwrap());
    let (code, text) = lsm(&["checkpoint", db, target]);
    assert!(code == 0 && text.contains("copy holds what"), "{text}");
    let before = files(&dir);
    let (code, text) = lsm(&["checkpoint", db, target]);
    assert_eq!(files(&dir), before, "nothing was changed");
    assert!(
        code == 2 && text.contains("exists, and a checkpoint takes a name that is free"),
        "{text}"
    );
    assert_eq!(lsm(&["verify", target]).0, 0);

    fs::remove_file(dir.join("CURRENT")).unwrap();
    assert_eq!(lsm(&["verify", db]).0, 1);
    let (code, text) = run(&dir, &["repair", db]);
    assert_eq!(code, 1, "something was lost, if only CURRENT");
    golden("repair.txt", &text);
    assert_eq!(lsm(&["verify", db]).0, 0);
    assert_eq!(lsm(&["repair", db]).0, 0);
}

#[test]
fn what_cannot_be_done_is_said_with_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().to_str().unwrap();
    for args in [
        &["verify", path][..],
        &["stats", path],
        &["dump", path],
        &["repair", path],
        &["explain", "no/such/file"],
        &["checkpoint", path, "anywhere"],
        &["unknown"],
        &[],
    ] {
        let (code, text) = lsm(args);
        assert_eq!(code, 2, "{args:?}: {text}");
        assert!(text.len() > 40, "{args:?}: {text}");
    }
    let (code, help) = lsm(&["explain", "--help"]);
    assert!(code == 0 && help.contains("Examples"), "{help}");
}

/// `engine/docs/lsm.md` shows stored outputs, each between two comments.
#[test]
fn the_page_shows_what_the_commands_print() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = here.join("../docs/lsm.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut written = String::new();
    let mut rest = page.as_str();
    let mut outputs = 0;
    while let Some((before, after)) = rest.split_once("<!-- output: ") {
        let (name, after) = after.split_once(" -->\n").unwrap();
        let (_, after) = after.split_once("<!-- end -->").unwrap();
        let stored = fs::read_to_string(here.join("tests/golden").join(name)).unwrap();
        written += &format!("{before}<!-- output: {name} -->\n```text\n{stored}```\n<!-- end -->");
        rest = after;
        outputs += 1;
    }
    written += rest;
    assert!(outputs > 5);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, written).unwrap();
        return;
    }
    assert!(
        page == written,
        "docs/lsm.md shows another output; run with UPDATE=1"
    );
}
