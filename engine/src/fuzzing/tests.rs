//! Runs the targets on every seed, and on every input that ever failed.

use super::*;
use crate::comparator::Comparator;
use crate::db::{Background, Db, FamilyOptions, Options, WriteOptions};
use crate::log::{LogReader, RecoveryMode};
use crate::sstable::{Compression, Properties, TableNumbers, read_properties};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

type Target = fn(&[u8]) -> usize;

const TARGETS: [(&str, Target); 6] = [
    ("batch", batch),
    ("block", block),
    ("explain", explanation),
    ("log", log),
    ("manifest", manifest),
    ("table", table),
];

/// Seeds above this size only slow the fuzzer down.
const SEED_BYTES_MAX: usize = 8 << 10;

fn folder(kind: &str, target: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz"))
        .join(kind)
        .join(target)
}

fn files(kind: &str, target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder(kind, target)) else {
        return Vec::new();
    };
    entries
        .map(|entry| {
            let path = entry.expect("a readable folder").path();
            let bytes = fs::read(&path).expect("a readable file");
            (path, bytes)
        })
        .collect()
}

/// A small database that has everything a decoder may encounter.
fn database(comparator: &Comparator, compression: Compression) -> (MemoryVfs, PathBuf) {
    let vfs = MemoryVfs::new();
    let family = |filter_bits_per_key| FamilyOptions {
        comparator: comparator.clone(),
        compression,
        block_bytes: 128,
        restart_interval: 4,
        filter_bits_per_key,
        ..FamilyOptions::default()
    };
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        background: Background::Manual,
        ..Options::default()
    };
    let options = options
        .family("default", family(10))
        .family("other", family(0));
    let db = Db::open("db", options).expect("a new database opens");
    let other = db.family("other").expect("it is listed");
    let (mut low, mut high) = ("user:010", "user:013");
    if comparator.compare(low.as_bytes(), high.as_bytes()).is_gt() {
        (low, high) = (high, low);
    }
    let range = low..high;
    // The compaction keeps the versions that it sees.
    let mut held = None;
    for round in 0..3 {
        for at in 0..20 {
            db.put(format!("user:{at:03}"), format!("{round}").repeat(at))
                .expect("a write");
            other.put(format!("item:{}", at * 7), "v").expect("a write");
        }
        db.delete("user:004").expect("a write");
        db.delete_range(range.clone()).expect("a write");
        db.flush().expect("a flush");
        held.get_or_insert_with(|| db.snapshot());
        if round == 1 {
            db.compact().expect("a compaction");
        }
    }
    let mut batch = WriteBatch::new();
    batch.put(&other, "a", "1");
    batch.delete(&other, "item:7");
    batch.put(&db.default_family(), "", "");
    batch.delete_range(&db.default_family(), low, high);
    db.write(batch, WriteOptions { sync: true })
        .expect("a write");
    db.put("long", vec![b'x'; 3000]).expect("a write");
    (vfs, PathBuf::from("db"))
}

/// Seeds for each target, by name, taken from the files of real databases.
fn seeds() -> BTreeMap<(&'static str, String), Vec<u8>> {
    let mut seeds = BTreeMap::new();
    for (name, comparator, compression) in [
        ("plain", Comparator::Bytewise, Compression::None),
        (
            "reverse-lz4",
            Comparator::reverse_bytewise(),
            Compression::Lz4,
        ),
    ] {
        let (vfs, dir) = database(&comparator, compression);
        for file in vfs.list(&dir).expect("it is there") {
            let bytes = vfs.read(&dir.join(&file)).expect("it is there");
            let file = file.to_str().expect("the engine's names").to_owned();
            let seed = format!("{name}-{}", file.replace('.', "-"));
            let kinds = [".sst", ".log", "MANIFEST", "CURRENT"];
            if let Some(kind) = kinds.iter().position(|kind| file.contains(kind))
                && !bytes.is_empty()
            {
                let explained = [&[kind as u8], &bytes[..]].concat();
                seeds.insert(("explain", seed.clone()), explained);
            }
            if file.ends_with(".log") && !bytes.is_empty() {
                let number = file[..6].parse().expect("a number");
                let mut reader = LogReader::new(&bytes, &file, number, RecoveryMode::PointInTime);
                let mut at = 0;
                while let Some(record) = reader.next_record().expect("it is whole") {
                    seeds.insert(("batch", format!("{seed}-{at}")), record.to_vec());
                    at += 1;
                }
                seeds.insert(("log", seed), bytes);
            } else if file.starts_with("MANIFEST") {
                seeds.insert(("manifest", seed), bytes);
            } else if file.ends_with(".sst") {
                for (at, block) in blocks_of(&bytes).into_iter().enumerate().step_by(3) {
                    seeds.insert(("block", format!("{seed}-{at}")), block);
                }
                seeds.insert(("table", seed), bytes);
            }
        }
    }
    seeds.retain(|_, bytes| bytes.len() <= SEED_BYTES_MAX);
    seeds
}

/// `UPDATE_OUTPUTS=1 cargo test -p engine --lib fuzzing` rewrites the seeds.
#[test]
fn every_seed_is_understood() {
    if std::env::var_os("UPDATE_OUTPUTS").is_some() {
        for (target, _) in TARGETS {
            let _ = fs::remove_dir_all(folder("seeds", target));
            fs::create_dir_all(folder("seeds", target)).expect("a writable folder");
        }
        for ((target, name), bytes) in seeds() {
            fs::write(folder("seeds", target).join(name), bytes).expect("a writable folder");
        }
    }
    for (target, run) in TARGETS {
        let seeds = files("seeds", target);
        assert!(!seeds.is_empty(), "{target} has no seeds");
        for (path, bytes) in seeds {
            assert!(
                run(&bytes) > 0,
                "{} leads nowhere. If a format has changed, write the seeds anew: \
                 UPDATE_OUTPUTS=1 cargo test -p engine --lib fuzzing",
                path.display()
            );
        }
    }
}

/// What a decoder of tables may meet has to be among the stored seeds, because a fuzzer hardly finds it by chance.
#[test]
fn the_seeds_of_tables_have_every_part() {
    let tables: Vec<Properties> = files("seeds", "table")
        .into_iter()
        .map(|(_, bytes)| {
            let (vfs, path) = (MemoryVfs::new(), Path::new("000001.sst"));
            let mut file = vfs.create(path).expect("memory takes every file");
            file.append(&bytes).expect("memory takes every file");
            let file = vfs.open_random(path).expect("it is there");
            read_properties(&*file).expect("a seed is whole")
        })
        .collect();
    let any = |has: fn(&Properties) -> bool| tables.iter().any(has);
    assert!(
        any(|of| of.inputs != TableNumbers::default()),
        "the result of a compaction"
    );
    assert!(
        any(|of| of.inputs == TableNumbers::default()),
        "the result of a flush"
    );
    assert!(any(|of| of.range_deletes > 0) && any(|of| of.range_deletes == 0));
    assert!(any(|of| of.older_versions > 0) && any(|of| of.deletes > 0));
    assert!(any(|of| of.data_blocks > 1));
}

/// Cheap, and catches in each test run what a fuzzer would find immediately.
#[test]
fn seeds_with_a_changed_byte_are_survived() {
    for ((target, _), bytes) in seeds() {
        let (_, run) = TARGETS
            .iter()
            .find(|(name, _)| *name == target)
            .expect("a target");
        let step = (bytes.len() / 16).max(1);
        for at in (0..bytes.len()).step_by(step) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x81;
            run(&changed);
            run(&bytes[..at]);
        }
    }
}

#[test]
fn inputs_that_once_failed_are_survived() {
    for (target, run) in TARGETS {
        for (path, bytes) in files("found", target) {
            println!("{}", path.display());
            run(&bytes);
        }
    }
}
