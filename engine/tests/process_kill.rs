//! `kill -9` of a writing process on a real file system: what was acknowledged is there, synced or not.
//!
//! A dying process takes nothing with it that the operating system already has. The test runs
//! itself again as the writer. Each of the writer's threads notes every acknowledged write in a
//! file outside the database. After the kill the database must hold exactly the writes noted, and
//! perhaps one more that was under way in each thread.

#[path = "support/counted.rs"]
mod counted;
#[expect(dead_code, reason = "each test takes what it needs")]
mod support;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use counted::{Counts, WRITERS};
use engine::{Db, WriteOptions};
use support::waiting::{PATIENCE, wait_until};
use support::{Dice, seed_or, steps_or};

const DIRECTORY: &str = "ENGINE_KILL_DIRECTORY";
const SYNC: &str = "ENGINE_KILL_SYNC";

fn open(dir: &Path) -> Db {
    Db::open(dir.join("db"), counted::options()).unwrap()
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
        for (writer, found) in (0..).zip(counted::counts(&db, "before it writes")) {
            let db = &db;
            scope.spawn(move || write_on(db, dir, writer, found, sync));
        }
    });
}

fn write_on(db: &Db, dir: &Path, writer: u64, mut write: u64, sync: bool) {
    let path = dir.join(format!("acknowledged.{writer}"));
    let mut notes = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .unwrap();
    let families = counted::families(db);
    // Ends by itself if nobody kills it.
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        write += 1;
        let batch = counted::batch(&families, writer, write);
        db.write(batch, WriteOptions { sync }).unwrap();
        notes.write_all(&write.to_le_bytes()).unwrap();
    }
}

/// The last number in a file of notes.
fn last_acknowledged(dir: &Path, writer: u64) -> u64 {
    let notes = fs::read(dir.join(format!("acknowledged.{writer}"))).unwrap_or_default();
    let whole = notes.chunks_exact(8).last();
    whole.map_or(0, |note| u64::from_le_bytes(note.try_into().unwrap()))
}

fn all_acknowledged(dir: &Path) -> u64 {
    (0..WRITERS)
        .map(|writer| last_acknowledged(dir, writer))
        .sum()
}

/// Checks the promises, given how many writes of each writer were there after the last kill, and
/// updates these numbers.
fn check(dir: &Path, writes: &mut Counts, context: &str) {
    let found = counted::counts(&open(dir), context);
    for (writer, (before, found)) in (0..).zip(writes.iter_mut().zip(found)) {
        // A write that was under way in an earlier life may never have been noted.
        let least = last_acknowledged(dir, writer).max(*before);
        assert!(
            (least..=least + 1).contains(&found),
            "{context}: {least} writes of writer {writer} were acknowledged and {found} are there"
        );
        *before = found;
    }
}

/// A process that is killed when this is dropped.
struct Writer(Child);

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Waits until a writer has written.
fn wait_for_a_write(writer: &mut Writer, dir: &Path, acknowledged: u64) {
    wait_until("the writer writes", || {
        let ended = writer.0.try_wait().unwrap();
        let writes = all_acknowledged(dir) > acknowledged;
        assert!(writes || ended.is_none(), "the writer ended: {ended:?}");
        writes
    });
}

#[test]
fn a_killed_process_loses_no_acknowledged_write() {
    let (seed, kills) = (seed_or(1), steps_or(24));
    println!("ENGINE_SEED={seed} ENGINE_STEPS={kills}");
    let mut dice = Dice::new(seed);
    let root = tempfile::tempdir().unwrap();
    let dir = root.path();
    let mut writes = Counts::default();
    for kill in 0..kills {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "writer_until_killed", "--ignored", "--nocapture"]);
        command.env(DIRECTORY, dir).stdout(Stdio::null());
        let sync = kill.is_multiple_of(2);
        if sync {
            command.env(SYNC, "1");
        }
        let acknowledged = all_acknowledged(dir);
        let mut writer = Writer(command.spawn().unwrap());
        // Some are killed while they open the database.
        if !dice.one_in(4) {
            wait_for_a_write(&mut writer, dir, acknowledged);
        }
        thread::sleep(Duration::from_millis(dice.below(60)));
        drop(writer);
        check(dir, &mut writes, &format!("kill {kill}, sync {sync}"));
    }
    let acknowledged = all_acknowledged(dir);
    println!("{acknowledged} writes acknowledged, {writes:?} found");
    assert!(acknowledged > kills, "most writers came to write");
}
