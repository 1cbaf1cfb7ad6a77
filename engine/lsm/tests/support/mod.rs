//! What the tests of the tool share: a small database, the same each time, and a way to run the
//! tool in this process.

use std::fs;
use std::path::{Path, PathBuf};

use std::sync::Arc;

use engine::{
    Background, CompactionFilter, Comparator, Compression, Db, Decision, FamilyOptions, Options,
    WriteBatch, WriteOptions,
};

/// With a filter, a compaction on request rewrites all tables.
struct Keeps;

impl CompactionFilter for Keeps {
    fn decide(&self, _key: &[u8], _value: &[u8]) -> Decision {
        Decision::Keep
    }
}

pub(crate) fn options() -> Options {
    let reverse = FamilyOptions {
        comparator: Comparator::reverse_bytewise(),
        compression: Compression::Lz4,
        ..small()
    };
    Options {
        background: Background::Manual,
        ..Options::default()
    }
    .family("default", small())
    .family("newest first", reverse)
}

fn small() -> FamilyOptions {
    FamilyOptions {
        block_bytes: 96,
        restart_interval: 2,
        compaction_filter: Some(Arc::new(Keeps)),
        ..FamilyOptions::default()
    }
}

/// Two families, a table in level 1, one in level 0, and a log with two batches. It is closed, so
/// its bytes are the same each time.
pub(crate) fn database(dir: &Path) {
    let db = Db::open(dir, options()).unwrap();
    let newest = db.family("newest first").unwrap();
    for (fruit, colour) in [
        ("apple", "red"),
        ("apricot", "orange"),
        ("banana", "yellow"),
        ("cherry", "red"),
    ] {
        let mut batch = WriteBatch::new();
        batch.put(&db.default_family(), fruit, colour);
        batch.put(
            &newest,
            format!("2024-{}", fruit.len()),
            "again and again ".repeat(12),
        );
        db.write(batch, WriteOptions::default()).unwrap();
    }
    db.flush().unwrap();
    db.compact().unwrap();
    db.put("apple", "green").unwrap();
    db.delete("cherry").unwrap();
    db.flush().unwrap();
    let mut batch = WriteBatch::new();
    batch.put(&db.default_family(), "date", "brown");
    batch.delete(&newest, "2024-5");
    db.write(batch, WriteOptions::default()).unwrap();
    db.put([0u8, 0xff, b'k'], "a key that is no text").unwrap();
    db.close().unwrap();
}

/// Runs the tool and returns its exit code and what it printed, without colours.
pub(crate) fn lsm(args: &[&str]) -> (u8, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = {
        let mut out = anstream::StripStream::new(&mut out as &mut dyn std::io::Write);
        let mut err = anstream::StripStream::new(&mut err as &mut dyn std::io::Write);
        lsm::run(
            std::iter::once("lsm").chain(args.iter().copied()),
            &mut out,
            &mut err,
        )
    };
    out.extend(err);
    let text = String::from_utf8(out).unwrap();
    assert_eq!(plural_of_one(&text), None, "in:\n{text}");
    (code, text)
}

/// Where a text says "1 records" or "1 more entries".
pub(crate) fn plural_of_one(text: &str) -> Option<String> {
    let is_plural = |word: &str| {
        let word = word.trim_end_matches(|c: char| !c.is_alphabetic());
        word.ends_with('s') && !["follows", "has", "holds", "is", "says", "was"].contains(&word)
    };
    text.lines().find_map(|line| {
        let words: Vec<&str> = line.split([' ', '(']).collect();
        let at = (0..words.len()).find(|&at| {
            let noun = at + 1 + usize::from(words.get(at + 1) == Some(&"more"));
            words[at] == "1" && words.get(noun).is_some_and(|word| is_plural(word))
        })?;
        Some(words[at..].join(" "))
    })
}

/// The engine's files in a directory, by name.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|file| !file.ends_with("LOCK"));
    files.sort();
    files
}

/// Compares `found` with the stored output `name`, or stores it with `UPDATE=1`.
#[track_caller]
pub(crate) fn golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, found).unwrap();
        return;
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    let difference = similar::TextDiff::from_lines(stored.as_str(), found);
    assert!(
        stored == found,
        "{name} is another now; if that is meant, run with UPDATE=1 and read the difference:\n{}",
        difference.unified_diff()
    );
}
