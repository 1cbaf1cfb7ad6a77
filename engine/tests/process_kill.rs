//! `kill -9` of a writing process on a real file system: what was acknowledged is there, synced or not.
//!
//! A dying process takes nothing with it that the operating system already has. The test runs
//! itself again as the writer. Each of the writer's threads notes every acknowledged write in a
//! file outside the database. After the kill the database must hold exactly the writes noted, and
//! perhaps one more that was under way in each thread.

#[expect(dead_code, reason = "each test takes what it needs")]
mod support;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use engine::{Db, FamilyOptions, Options, WriteBatch, WriteOptions};
use support::{Dice, Rows, scan, seed_or, steps_or, tiny};

const DIRECTORY: &str = "ENGINE_KILL_DIRECTORY";
const SYNC: &str = "ENGINE_KILL_SYNC";
const FAMILIES: [&str; 2] = ["default", "other"];
const THREADS: u64 = 3;
const KEYS: u64 = 40;
/// After this many writes, a key is deleted.
const DELETE_EVERY: u64 = 7;

fn open(dir: &Path) -> Db {
    let family = || FamilyOptions {
        write_buffer_bytes: 16 << 10,
        ..tiny()
    };
    let options = Options::default()
        .family("default", family())
        .family("other", family());
    Db::open(dir.join("db"), options).unwrap()
}

fn key(thread: u64, write: u64) -> String {
    format!("{thread}:{:02}", write % KEYS)
}

fn value(write: u64) -> Vec<u8> {
    format!("{write:06}")
        .repeat(1 + (write % 20) as usize)
        .into()
}

fn counter(thread: u64) -> String {
    format!("{thread}:writes")
}

/// The rows that a thread has left after `writes` writes.
fn expected(thread: u64, writes: u64, rows: &mut Rows) {
    for write in writes.saturating_sub(KEYS) + 1..=writes {
        if !write.is_multiple_of(DELETE_EVERY) {
            rows.insert(key(thread, write).into(), value(write));
        }
    }
    if writes > 0 {
        rows.insert(counter(thread).into(), writes.to_string().into());
    }
}

fn writes_found(db: &Db, family: &str, thread: u64) -> u64 {
    let found = db.family(family).unwrap().get(counter(thread)).unwrap();
    found.map_or(0, |text| {
        std::str::from_utf8(&text).unwrap().parse().unwrap()
    })
}

/// The writer, in its own process, until it is killed.
#[test]
#[ignore = "started by the other test, to be killed"]
fn writer_until_killed() {
    let Ok(dir) = std::env::var(DIRECTORY) else {
        return;
    };
    let (dir, sync) = (Path::new(&dir), std::env::var_os(SYNC).is_some());
    let db = open(dir);
    thread::scope(|scope| {
        for at in 0..THREADS {
            let db = &db;
            scope.spawn(move || write_on(db, dir, at, sync));
        }
    });
}

fn write_on(db: &Db, dir: &Path, thread: u64, sync: bool) {
    let path = dir.join(format!("acknowledged.{thread}"));
    let mut notes = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .unwrap();
    let families = FAMILIES.map(|name| db.family(name).unwrap());
    // Ends by itself if nobody kills it.
    let end = Instant::now() + Duration::from_secs(20);
    let mut write = writes_found(db, "default", thread);
    while Instant::now() < end {
        write += 1;
        let mut batch = WriteBatch::new();
        for family in &families {
            if write.is_multiple_of(DELETE_EVERY) {
                batch.delete(family, key(thread, write));
            } else {
                batch.put(family, key(thread, write), value(write));
            }
            batch.put(family, counter(thread), write.to_string());
        }
        db.write(batch, WriteOptions { sync }).unwrap();
        notes.write_all(&write.to_le_bytes()).unwrap();
    }
}

/// The last number in a file of notes.
fn last_acknowledged(dir: &Path, thread: u64) -> u64 {
    let notes = fs::read(dir.join(format!("acknowledged.{thread}"))).unwrap_or_default();
    let whole = notes.chunks_exact(8).last();
    whole.map_or(0, |note| u64::from_le_bytes(note.try_into().unwrap()))
}

fn all_acknowledged(dir: &Path) -> u64 {
    (0..THREADS)
        .map(|thread| last_acknowledged(dir, thread))
        .sum()
}

/// Checks the promises, given how many writes of each thread were there after the last kill, and
/// updates these numbers.
fn check(dir: &Path, writes: &mut [u64; THREADS as usize], context: &str) {
    let db = open(dir);
    let mut rows = Rows::new();
    for (thread, before) in (0..).zip(writes) {
        let found = FAMILIES.map(|family| writes_found(&db, family, thread));
        assert_eq!(found[0], found[1], "{context}: a batch is halved");
        // A write that was under way in an earlier life may never have been noted.
        let least = last_acknowledged(dir, thread).max(*before);
        assert!(
            (least..=least + 1).contains(&found[0]),
            "{context}: {least} writes of thread {thread} were acknowledged and {} are there",
            found[0]
        );
        expected(thread, found[0], &mut rows);
        *before = found[0];
    }
    let rows: Vec<_> = rows.into_iter().collect();
    for family in FAMILIES {
        assert_eq!(scan(&db, family), rows, "{context}: {family}");
    }
}

/// Waits until a writer has written, unless it is to be killed while it opens.
fn wait_for_a_write(dir: &Path, acknowledged: u64) {
    let end = Instant::now() + Duration::from_secs(20);
    while all_acknowledged(dir) == acknowledged && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_killed_process_loses_no_acknowledged_write() {
    let (seed, kills) = (seed_or(1), steps_or(24));
    println!("ENGINE_SEED={seed} ENGINE_STEPS={kills}");
    let mut dice = Dice::new(seed);
    let root = tempfile::tempdir().unwrap();
    let dir = root.path();
    let mut writes = [0; THREADS as usize];
    for kill in 0..kills {
        let mut writer = Command::new(std::env::current_exe().unwrap());
        writer.args(["--exact", "writer_until_killed", "--ignored", "--nocapture"]);
        writer.env(DIRECTORY, dir).stdout(Stdio::null());
        let sync = kill.is_multiple_of(2);
        if sync {
            writer.env(SYNC, "1");
        }
        let acknowledged = all_acknowledged(dir);
        let mut writer = writer.spawn().unwrap();
        if !dice.one_in(4) {
            wait_for_a_write(dir, acknowledged);
        }
        thread::sleep(Duration::from_millis(dice.below(60)));
        writer.kill().unwrap();
        writer.wait().unwrap();
        check(dir, &mut writes, &format!("kill {kill}, sync {sync}"));
    }
    let acknowledged = all_acknowledged(dir);
    println!("{acknowledged} writes acknowledged, {writes:?} found");
    assert!(acknowledged > kills, "most writers came to write");
}
