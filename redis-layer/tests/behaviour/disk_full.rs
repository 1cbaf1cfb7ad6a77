//! A disk without space: writes are refused in words, reads go on, and when there is space again all goes on by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use engine::vfs::{Fault, FaultVfs, MemoryVfs};
use redis_layer::server::Options;
use redis_layer::store::{Batch, EngineStore, Error, Result, Store};

use crate::common;
use crate::common::StoreKind;
use crate::common::client::{Client, Command, encode};
use crate::common::counting::Counting;
use crate::common::hooked::{Hooked, Hooks};
use crate::common::servers::Ours;
use crate::common::waiting::eventually;

/// How Redis begins, too.
const REFUSED: &str = "-MISCONF Errors writing to the AOF file: ";

/// A server whose disk can be made to fail.
fn start() -> (FaultVfs, Ours) {
    let disk = FaultVfs::new(Arc::new(MemoryVfs::new()));
    let engine = engine::Options {
        vfs: Arc::new(disk.clone()),
        ..engine::Options::default()
    };
    let store = EngineStore::open_with("/data", engine).unwrap();
    let ours = Ours::start_with(Arc::new(store), Options::default());
    (disk, ours)
}

#[test]
fn when_space_returns_writes_succeed_and_expired_keys_are_removed() {
    let (disk, ours) = start();
    let mut client = Client::connect(ours.address);
    // Nobody removes them before the disk is full, however late that is.
    client.call(&["debug", "set-active-expire", "0"]);
    for n in 0..100 {
        let key = format!("short{n}");
        assert_eq!(client.call(&["set", &key, "v", "px", "400"]), "+OK\\r\\n");
    }
    client.call(&["set", "kept", "before"]);

    disk.fail_nth(1, Fault::NoSpace);
    // What has been reserved of the log can still be written, down to the last bytes.
    let mut refused = String::new();
    for length in [100_000, 1_000, 10] {
        let value = "v".repeat(length);
        eventually(|| {
            refused = client.call(&["set", "kept", &value]);
            refused != "+OK\\r\\n"
        });
    }
    assert!(refused.starts_with(REFUSED), "{refused}");
    assert!(refused.contains("Free some space on the disk"), "{refused}");
    // They expire now, and cannot be removed.
    client.call(&["debug", "set-active-expire", "1"]);
    thread::sleep(Duration::from_millis(1_500));
    assert_eq!(client.call(&["get", "short1"]), "$-1\\r\\n");
    assert_eq!(removed(&mut client), 0);
    assert_eq!(client.call(&["exists", "kept"]), ":1\\r\\n");

    disk.heal();
    eventually(|| client.call(&["set", "kept", "after"]) == "+OK\\r\\n");
    eventually(|| removed(&mut client) == 100);
    assert_eq!(client.call(&["dbsize"]), ":1\\r\\n");
    assert_eq!(client.call(&["get", "kept"]), "$5\\r\\nafter\\r\\n");
}

/// A new collection takes a number, and the store writes down which are taken before the command changes anything.
#[test]
fn what_would_create_a_collection_is_refused_with_the_same_code() {
    let (disk, ours) = start();
    let mut client = Client::connect(ours.address);
    disk.fail_nth(1, Fault::NoSpace);
    for length in [100_000, 1_000, 10] {
        let value = "v".repeat(length);
        eventually(|| client.call(&["set", "k", &value]).starts_with(REFUSED));
    }
    for line in [
        "rpush l a",
        "sadd s a",
        "hset h f a",
        "zadd z 1 a",
        "setrange long 500000 a",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let refused = client.call(&words);
        assert!(refused.starts_with(REFUSED), "{line}: {refused}");
    }
    assert_eq!(
        client.call(&["exists", "l", "s", "h", "z", "long"]),
        ":0\\r\\n"
    );
}

/// How many keys the server has removed because they had expired.
fn removed(client: &mut Client) -> u64 {
    let info = client.call(&["info", "stats"]);
    let (_, rest) = info.split_once("expired_keys:").unwrap();
    let digits = rest.split('\\').next().unwrap();
    digits.parse().unwrap()
}

/// A store that has space for some more writes only.
struct Scarce {
    left: AtomicI64,
}

impl Scarce {
    fn new() -> Arc<Hooked<Self>> {
        let left = AtomicI64::new(i64::MAX);
        Hooked::over(StoreKind::BTree.open(), Self { left })
    }

    fn leave(&self, writes: i64) {
        self.left.store(writes, Ordering::Relaxed);
    }
}

impl Hooks for Scarce {
    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        if self.left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            return Err(Error::new("No space left on device"));
        }
        inner.write(batch)
    }
}

/// The push fits, and what would take the element away again does not. A client that went on waiting would not be
/// served before the next push, although there is an element.
#[test]
fn who_waits_is_told_that_the_element_cannot_be_taken() {
    let store = Scarce::new();
    let ours = Ours::start(Arc::clone(&store) as Arc<dyn Store>);
    let mut writer = Client::connect(ours.address);
    for [push, wait, length, take] in [
        ["rpush l a", "blpop l 0", "llen l", "lpop l"],
        ["rpush l a", "blmove l to left left 0", "llen l", "lpop l"],
        ["rpush l a", "blmpop 0 1 l left", "llen l", "lpop l"],
        ["zadd z 1 a", "bzpopmin z 0", "zcard z", "zpopmin z"],
        ["zadd z 1 a", "bzmpop 0 1 z min", "zcard z", "zpopmin z"],
    ] {
        let words = |line: &'static str| line.split(' ').collect::<Vec<_>>();
        let wait = words(wait).into_iter().map(common::unescape).collect();
        let mut waiting = [(), ()].map(|()| Client::connect(ours.address));
        for client in &mut waiting {
            client.send(&encode(&wait)).unwrap();
        }
        let waits = |info: &str| info.contains("blocked_clients:2");
        eventually(|| waits(&writer.call(&["info", "clients"])));
        store.leave(1);
        assert_eq!(writer.call(&words(push)), ":1\\r\\n");
        for client in &mut waiting {
            let reply = client.reply().unwrap().escape_ascii().to_string();
            assert!(reply.starts_with(REFUSED), "{reply}");
        }
        assert_eq!(writer.call(&words(length)), ":1\\r\\n", "nothing is lost");
        store.leave(i64::MAX);
        writer.call(&words(take));
    }
}

/// Commands that arrive together share a transaction. One that cannot be written must not take readers with it.
#[test]
fn what_only_reads_is_answered_beside_a_write_that_fails() {
    let store = Scarce::new();
    let ours = Ours::start(Arc::clone(&store) as Arc<dyn Store>);
    let mut client = Client::connect(ours.address);
    client.call(&["set", "k", "v"]);
    store.leave(0);
    let lines = ["get k", "set k new", "get k", "incr n", "exists k n"];
    let commands = lines.map(|line| line.split(' ').map(common::unescape).collect());
    let replies = client.pipeline(&commands);
    let replies: Vec<String> = replies
        .iter()
        .map(|reply| reply.escape_ascii().to_string())
        .collect();
    for refused in [&replies[1], &replies[3]] {
        assert!(refused.starts_with(REFUSED), "{refused}");
    }
    assert_eq!(replies[0], "$1\\r\\nv\\r\\n");
    assert_eq!(replies[2], "$1\\r\\nv\\r\\n");
    assert_eq!(replies[4], ":1\\r\\n");
}

/// The commands of `lines`, over and over.
fn commands(lines: &[&str], count: usize) -> Vec<Command> {
    let lines = lines.iter().cycle().take(count);
    lines
        .map(|line| line.split(' ').map(common::unescape).collect())
        .collect()
}

/// What cannot be written together is not tried together again after each command.
#[test]
fn a_pipeline_that_cannot_be_written_costs_at_most_twice_as_much_as_its_commands() {
    let scarce = Scarce::new();
    let (store, counters) = Counting::over(Arc::clone(&scarce) as Arc<dyn Store>);
    let ours = Ours::start(store);
    let mut client = Client::connect(ours.address);
    let commands = commands(&["set a v", "get b", "incr n", "exists c", "set d v"], 64);
    scarce.leave(0);
    counters.gets();
    let one_by_one: Vec<_> = commands
        .iter()
        .flat_map(|command| client.pipeline(std::slice::from_ref(command)))
        .collect();
    let each = counters.gets();
    assert_eq!(client.pipeline(&commands), one_by_one);
    let together = counters.gets();
    assert!(each >= 64, "{each} rows were looked up");
    assert!(together <= 2 * each, "{together} rows instead of {each}");
}

/// A command that is tried twice has run once for everybody else.
#[test]
fn what_is_tried_again_is_counted_once() {
    let lines = [
        "set s v",
        "lpush s a",
        "lrange l 0 -1",
        "get s",
        "incr s",
        "get missing",
        "del missing",
        "sadd l m",
    ];
    let commands = commands(&lines, 32);
    let mut seen = Vec::new();
    for at_once in [1, commands.len()] {
        let store = Scarce::new();
        let ours = Ours::start(Arc::clone(&store) as Arc<dyn Store>);
        let mut client = Client::connect(ours.address);
        client.call(&["set", "s", "v"]);
        client.call(&["rpush", "l", "a"]);
        let mut monitor = Client::connect(ours.address);
        monitor.call(&["monitor"]);
        store.leave(0);
        let replies: Vec<_> = commands
            .chunks(at_once)
            .flat_map(|chunk| client.pipeline(chunk))
            .collect();
        let counts = client.counts();
        let shown: Vec<String> = commands
            .iter()
            .map(|_| monitor.reply().unwrap().escape_ascii().to_string())
            .map(|line| line.split_once("] ").unwrap().1.to_owned())
            .collect();
        seen.push((replies, counts, shown));
    }
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn what_reads_the_state_of_the_server_sees_that_writes_fail() {
    let store = Scarce::new();
    let ours = Ours::start(Arc::clone(&store) as Arc<dyn Store>);
    let mut client = Client::connect(ours.address);
    let mut sees = |expected: &str| {
        let info = client.call(&["info", "persistence"]);
        assert!(info.contains(&format!("aof_last_write_status:{expected}\\r")));
    };
    let mut writer = Client::connect(ours.address);
    sees("ok");
    for line in ["set k v", "eval return(redis.call('set','k','v')) 0"] {
        store.leave(0);
        let refused = writer.call(&line.split(' ').collect::<Vec<_>>());
        assert!(refused.starts_with(REFUSED), "{refused}");
        sees("err");
        assert_eq!(writer.call(&["get", "k"]), "$-1\\r\\n");
        // What changes nothing says nothing about the disk.
        assert_eq!(writer.call(&["del", "k"]), ":0\\r\\n");
        sees("err");
        store.leave(i64::MAX);
        assert_eq!(writer.call(&["set", "other", "v"]), "+OK\\r\\n");
        sees("ok");
    }
    store.leave(0);
    writer.call(&["multi"]);
    writer.call(&["set", "k", "v"]);
    let refused = writer.call(&["exec"]);
    assert!(refused.starts_with(REFUSED), "{refused}");
    sees("err");
}

/// Redis refuses all commands that may write, and `PING`, until its log can be written again.
#[test]
fn only_what_does_not_fit_is_refused() {
    let store = Scarce::new();
    let ours = Ours::start(Arc::clone(&store) as Arc<dyn Store>);
    let mut client = Client::connect(ours.address);
    store.leave(0);
    assert!(client.call(&["set", "k", "v"]).starts_with(REFUSED));
    for (line, answer) in [
        ("ping", "+PONG\\r\\n"),
        ("del k", ":0\\r\\n"),
        ("blpop l 0.01", "*-1\\r\\n"),
        ("eval return(redis.call('get','k')) 0", "$-1\\r\\n"),
        ("multi", "+OK\\r\\n"),
        ("set k v", "+QUEUED\\r\\n"),
        ("discard", "+OK\\r\\n"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(client.call(&words), answer, "{line}");
    }
}
