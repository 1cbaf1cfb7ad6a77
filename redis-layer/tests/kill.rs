//! `kill -9` under load: what was acknowledged is there after the restart, and every row agrees with the others.
//!
//! KILLS in the environment says how often. A kill takes the process and not the machine: power cuts are in
//! `durability.rs`, over a file system that loses what was not synced.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use common::client::Client;
use common::program::{Running, command};
use common::random::Random;

const CLIENTS: usize = 4;

/// One thread that serves syncs itself; for two, a third one does.
fn start(dir: &Path, threads: &str) -> Running {
    Running::over(dir, &["--sync", "always", "--threads", threads])
}

fn fsck(dir: &Path) -> Output {
    command().args(["fsck", "--dir"]).arg(dir).output().unwrap()
}

#[track_caller]
fn assert_sound(dir: &Path) -> String {
    let output = fsck(dir);
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{report}{errors}");
    report
}

/// What one client sent, and what it got an answer to. Round `n` sets `last:<client>` to `n`, adds the member
/// `<client>:<n>` to the common set, and pops from a queue of its own in a transaction.
#[derive(Default)]
struct Progress {
    sent: AtomicU64,
    answered: AtomicU64,
}

fn round(client: usize, n: u64) -> String {
    let (last, member) = (format!("last:{client}"), format!("{client}:{n}"));
    let (queue, done) = (format!("queue:{client}"), format!("done:{client}"));
    format!(
        "SET {last} {n}\r\nZADD board {} {member}\r\nZADD board {n} moves:{client}\r\n\
         MULTI\r\nZADD {queue} {n} {n}\r\nZADD {done} {n} {n}\r\nEXEC\r\n\
         MULTI\r\nZREM {queue} {n}\r\nZINCRBY sum 1 {client}\r\nEXEC\r\n",
        n * 7919 % 1000
    )
}

/// Answers to a round: as many lines as [`round`] makes.
const LINES: usize = 3 + (1 + 2 + 3) + (1 + 2 + 4);

/// Works until the server is gone.
fn work(address: SocketAddr, client: usize, progress: &Progress) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    let mut arrived = Vec::new();
    loop {
        let n = progress.answered.load(Ordering::Relaxed) + 1;
        // A round that was sent and not answered is sent again: it says the same, but for the sum.
        progress.sent.store(n, Ordering::Relaxed);
        stream.write_all(round(client, n).as_bytes())?;
        arrived.clear();
        while arrived.iter().filter(|byte| **byte == b'\n').count() < LINES {
            let mut buffer = [0; 4096];
            let count = stream.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            arrived.extend_from_slice(&buffer[..count]);
        }
        let text = String::from_utf8_lossy(&arrived);
        assert!(!text.contains("-ERR"), "{text}");
        progress.answered.store(n, Ordering::Relaxed);
    }
}

/// Everything that was answered is there, and ranks are those of the order.
fn verify(address: SocketAddr, progress: &[Progress]) {
    let mut connection = Client::connect(address);
    let mut ask = |words: &[&str]| -> String {
        let reply = connection.call(words);
        reply.rsplit("\\r\\n").nth(1).unwrap_or_default().to_owned()
    };
    for (client, progress) in progress.iter().enumerate() {
        let (answered, sent) = (
            progress.answered.load(Ordering::Relaxed),
            progress.sent.load(Ordering::Relaxed),
        );
        if answered == 0 {
            continue;
        }
        let last: u64 = ask(&["get", &format!("last:{client}")]).parse().unwrap();
        assert!(
            (answered..=sent).contains(&last),
            "{last} of {answered} to {sent}"
        );
        let moved: u64 = ask(&["zscore", "board", &format!("moves:{client}")])
            .parse()
            .unwrap();
        assert!(
            (answered..=sent).contains(&moved),
            "{moved} of {answered} to {sent}"
        );
        for n in (1..=answered).rev().take(50) {
            let member = format!("{client}:{n}");
            let score = ask(&["zscore", "board", &member]);
            assert_eq!(
                score,
                (n * 7919 % 1000).to_string(),
                "{member} was acknowledged"
            );
        }
        // A transaction is there as a whole: what is in the queue is in the list of what was done.
        let done: u64 = ask(&["zcard", &format!("done:{client}")])[1..]
            .parse()
            .unwrap();
        assert!(
            (answered..=sent).contains(&done),
            "{done} of {answered} to {sent}"
        );
        let queued: u64 = ask(&["zcard", &format!("queue:{client}")])[1..]
            .parse()
            .unwrap();
        assert!(queued <= 1, "{queued} left");
    }
    let size: u64 = ask(&["zcard", "board"])[1..].parse().unwrap();
    let mut before = 0;
    while before < size {
        let rank = before.to_string();
        let member = ask(&["zrange", "board", &rank, &rank]);
        assert_eq!(
            ask(&["zrank", "board", &member]),
            format!(":{rank}"),
            "{member}"
        );
        before += 1 + size / 40;
    }
    assert_eq!(ask(&["zcount", "board", "-1", "1e9"]), format!(":{size}"));
}

#[test]
fn no_acknowledged_write_is_lost_and_all_rows_agree_after_each_kill() {
    let kills = std::env::var("KILLS").map_or(10, |kills| kills.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut random = Random::new(9);
    let progress: Vec<Progress> = (0..CLIENTS).map(|_| Progress::default()).collect();
    for kill in 0..kills {
        let running = start(&data, ["1", "2"][(kill % 2) as usize]);
        let address = running.address;
        verify(address, &progress);
        thread::scope(|scope| {
            for (client, progress) in progress.iter().enumerate() {
                // Its connection breaks: that is the point.
                scope.spawn(move || work(address, client, progress));
            }
            thread::sleep(Duration::from_millis(100 + random.below(400) as u64));
            drop(running);
        });
        let answered: u64 = progress
            .iter()
            .map(|p| p.answered.load(Ordering::Relaxed))
            .sum();
        assert!(
            answered > kill,
            "{answered} rounds in {kill} kills: nobody worked"
        );
        assert_sound(&data);
    }
    let running = start(&data, "1");
    verify(running.address, &progress);
    drop(running);
    let report = assert_sound(&data);
    assert!(report.contains("sound"), "{report}");
}

/// The check above can fail: a directory that is not sound, not there, or in use.
#[test]
fn fsck_says_what_is_wrong_by_its_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let output = fsck(&data);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!data.exists(), "nothing is created");

    let running = start(&data, "1");
    let mut client = Client::connect(running.address);
    client.call(&["zadd", "z", "1", "a", "2", "b"]);
    client.call(&["set", "s", "v"]);
    let output = fsck(&data);
    assert_eq!(output.status.code(), Some(2), "it is in use: {output:?}");
    drop(running);
    let report = assert_sound(&data);
    assert!(
        report.contains("keys       2: 1 string, 1 zset"),
        "{report}"
    );

    {
        use redis_layer::store::{Batch, EngineStore, Space, Store};
        let store = EngineStore::open(&data).unwrap();
        let mut batch = Batch::default();
        batch.put(
            Space::Metadata,
            b"\0\0\0\0bad".to_vec(),
            bytes::Bytes::from_static(b"\x0e"),
        );
        store.write(batch).unwrap();
        store.close().unwrap();
    }
    let output = fsck(&data);
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert!(
        report.contains("FAULT") && report.contains("tag 0e"),
        "{report}"
    );

    // Half a log: the files themselves are damaged.
    let tables = std::fs::read_dir(&data)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let current = tables
        .into_iter()
        .find(|path| path.ends_with("CURRENT"))
        .unwrap();
    std::fs::write(current, "nonsense").unwrap();
    let output = fsck(&data);
    assert_ne!(output.status.code(), Some(0), "{output:?}");
}
