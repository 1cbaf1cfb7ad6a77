//! `kill -9` under load: what was acknowledged is there after the restart, and every row agrees with the others.
//!
//! Each client takes steps that are known beforehand: commands of all five types on keys of its own, alone and in transactions,
//! and now and then a transaction that notes the step in four keys of all clients. A [model](common::model) says what its
//! keys hold after each step. After a kill they must hold what they held after one of those steps, all of them
//! after the same one, and none before the last that was answered. From there the client goes on.
//!
//! KILLS in the environment says how often. A kill takes the process and not the machine: power cuts are in
//! `durability.rs`, over a file system that loses what was not synced.

use std::array;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::client::{Client, elements, encode};
use crate::common::model::{ANY, Key, TYPES, Value, random_command, words};
use crate::common::program::{Running, command, output_of};
use crate::common::random::Random;
use crate::common::scope_in_time;
use crate::common::tree::Node;
use crate::common::waiting::{eventually, rest_for};

const CLIENTS: usize = 4;
/// Keys of each client: two of each type, and one that changes its type.
const KEYS: usize = 2 * TYPES.len() + 1;
/// Members and fields that commands on them name.
const MEMBERS: usize = 50;
/// So many steps of a client are noted in the keys of all: each fourth.
const NOTED: u64 = 4;

/// One thread that serves syncs itself; for two, a third one does.
fn start(dir: &Path, threads: &str) -> Running {
    Running::over(dir, &["--sync", "always", "--threads", threads])
}

fn fsck(dir: &Path) -> Output {
    output_of(command().args(["fsck", "--dir"]).arg(dir), b"")
}

#[track_caller]
fn assert_sound(dir: &Path) -> String {
    let output = fsck(dir);
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{report}{errors}");
    report
}

/// A step of a client: a command on a key of its own, or a transaction of several and of notes.
struct Step {
    /// Which key, and the command.
    own: Vec<(usize, String)>,
    is_transaction: bool,
    /// In the keys of all clients: a list, a set, a hash and a sorted set.
    notes: Vec<String>,
}

impl Step {
    /// The step with a number. It is the same whenever it is asked for.
    fn new(client: usize, number: u64) -> Self {
        let mut random = Random::new((client as u64) << 32 | number);
        let is_noted = number.is_multiple_of(NOTED);
        let is_transaction = is_noted || random.once_in(4);
        let commands = 1 + if is_transaction { random.below(4) } else { 0 };
        let own = (0..commands).map(|_| own_command(&mut random)).collect();
        let name = format!("{client}:{number}");
        let notes = [
            format!("rpush events {name}"),
            format!("sadd seen {name}"),
            format!("hset facts {name} {number}"),
            format!("zadd board {} {name}", score(number)),
        ];
        Self {
            own,
            is_transaction,
            notes: notes.into_iter().filter(|_| is_noted).collect(),
        }
    }

    /// The commands as they are sent.
    fn commands(&self, client: usize) -> Vec<Vec<u8>> {
        let sent = |words: Vec<&str>| {
            let words = words.into_iter().map(|word| word.to_owned().into());
            encode(&words.collect())
        };
        let own = self.own.iter();
        let own = own.map(|(key, line)| sent(words(line, &own_key(client, *key))));
        let notes = self
            .notes
            .iter()
            .map(|line| sent(line.split(' ').collect()));
        let inner = own.chain(notes);
        if !self.is_transaction {
            return inner.collect();
        }
        let (begin, end) = (sent(vec!["multi"]), sent(vec!["exec"]));
        [begin].into_iter().chain(inner).chain([end]).collect()
    }
}

fn own_command(random: &mut Random) -> (usize, String) {
    let key = random.below(KEYS);
    let of_type = TYPES.get(key % TYPES.len()).filter(|_| key < KEYS - 1);
    let commands = match of_type {
        _ if random.once_in(10) => ANY,
        Some(commands) => commands,
        None => random.pick(&TYPES),
    };
    (key, random_command(random, commands, MEMBERS))
}

fn own_key(client: usize, key: usize) -> String {
    format!("client:{client}:{key}")
}

/// What the note of a step has on the board.
fn score(number: u64) -> u64 {
    number * 7919 % 1000
}

/// What is known of a client outside of the server.
struct Known {
    client: usize,
    /// What its keys hold after the steps that were answered.
    keys: [Key; KEYS],
    answered: u64,
    sent: u64,
}

impl Known {
    fn nothing_of(client: usize) -> Self {
        Self {
            client,
            keys: array::from_fn(|_| Key::default()),
            answered: 0,
            sent: 0,
        }
    }

    /// Takes steps until the server is gone, and says when one was answered.
    fn work(&mut self, mut connection: Client, answered: &AtomicBool) -> io::Result<()> {
        loop {
            let first = self.answered + 1;
            self.sent = self.answered + 1 + first % 16;
            let steps = (first..=self.sent).map(|number| Step::new(self.client, number));
            let steps: Vec<_> = steps
                .map(|step| (step.commands(self.client), step))
                .collect();
            let bytes = steps.iter().flat_map(|(commands, _)| commands.concat());
            connection.send(&bytes.collect::<Vec<u8>>())?;
            for (commands, step) in &steps {
                let replies = commands.iter().map(|_| connection.reply());
                let replies: Vec<Vec<u8>> = replies.collect::<io::Result<_>>()?;
                self.is_answered(step, &replies);
                answered.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Takes the step in the model too, which must say the same.
    fn is_answered(&mut self, step: &Step, replies: &[Vec<u8>]) {
        let answers = if step.is_transaction {
            elements(replies.last().unwrap())
        } else {
            replies.to_vec()
        };
        assert_eq!(answers.len(), step.own.len() + step.notes.len());
        let (own, of_notes) = answers.split_at(step.own.len());
        for ((key, line), answer) in step.own.iter().zip(own) {
            let answer = String::from_utf8_lossy(answer);
            assert_eq!(self.keys[*key].apply(line, &answer), answer, "{line}");
        }
        assert!(of_notes.iter().all(|answer| answer[0] == b':'));
        self.answered += 1;
    }

    /// Takes steps in the model alone, until it says what the server has.
    fn find_in(&mut self, connection: &mut Client, noted: &[u64]) {
        let names = (0..KEYS).map(|key| own_key(self.client, key));
        let held: Vec<Key> = names.map(|name| read(connection, &name)).collect();
        let answered = self.answered;
        let before = self.keys.clone();
        loop {
            let expected = (1..=self.answered / NOTED).map(|note| note * NOTED);
            if held == self.keys && expected.eq(noted.iter().copied()) {
                return;
            }
            assert!(
                self.answered < self.sent,
                "client {}: no step from {answered} to {} leaves {held:#?}\nwith {} notes. After the first of them: {before:#?}",
                self.client,
                self.sent,
                noted.len()
            );
            self.answered += 1;
            for (key, line) in Step::new(self.client, self.answered).own {
                self.keys[key].apply(&line, "");
            }
        }
    }
}

/// The texts in the answer to a command.
fn texts(connection: &mut Client, words: &[&str]) -> Vec<String> {
    let nodes = Node::of(connection, words).nodes();
    nodes.iter().map(|node| node.text().to_owned()).collect()
}

/// Names and numbers by turns.
fn numbers(texts: &[String]) -> BTreeMap<String, i64> {
    let pairs = texts.chunks(2);
    let pairs = pairs.map(|pair| (pair[0].clone(), pair[1].parse().unwrap()));
    pairs.collect()
}

/// All that a key holds.
fn read(connection: &mut Client, key: &str) -> Key {
    let kind = Node::of(connection, &["type", key]);
    let value = match kind.text() {
        "+none" => Value::Nothing,
        "+string" => Value::Text(Node::of(connection, &["get", key]).text().to_owned()),
        "+hash" => Value::Hash(numbers(&texts(connection, &["hgetall", key]))),
        "+list" => Value::List(texts(connection, &["lrange", key, "0", "-1"]).into()),
        "+set" => Value::Set(texts(connection, &["smembers", key]).into_iter().collect()),
        "+zset" => {
            let words = ["zrange", key, "0", "-1", "withscores"];
            Value::SortedSet(numbers(&texts(connection, &words)))
        }
        other => panic!("{other}"),
    };
    let expires = Node::of(connection, &["pexpiretime", key]);
    let expires_ms = expires.text()[1..].parse().ok().filter(|ms| *ms > 0);
    Key { value, expires_ms }
}

/// Everything that was answered is there, each step as a whole, and ranks are those of the order.
fn verify(address: SocketAddr, clients: &mut [Known]) {
    let connection = &mut Client::connect(address);
    let events = texts(connection, &["lrange", "events", "0", "-1"]);
    for known in clients {
        let own = format!("{}:", known.client);
        let noted = events.iter().filter_map(|event| event.strip_prefix(&own));
        let noted: Vec<u64> = noted.map(|number| number.parse().unwrap()).collect();
        known.find_in(connection, &noted);
    }
    // A transaction is there as a whole: what is in one key of all is in the others.
    let number = |event: &String| event.split(':').nth(1).unwrap().parse::<u64>().unwrap();
    let with = |number_of: &dyn Fn(u64) -> u64| -> BTreeMap<String, i64> {
        let pairs = events.iter().map(|event| {
            let value = number_of(number(event)).try_into().unwrap();
            (event.clone(), value)
        });
        pairs.collect()
    };
    let facts = with(&|number| number);
    let board = with(&score);
    let mut seen = texts(connection, &["smembers", "seen"]);
    seen.sort();
    assert!(facts.keys().eq(&seen), "members of a set");
    assert_eq!(numbers(&texts(connection, &["hgetall", "facts"])), facts);
    let words = ["zrange", "board", "0", "-1", "withscores"];
    let ranked = texts(connection, &words);
    assert_eq!(numbers(&ranked), board);
    let members: Vec<&String> = ranked.iter().step_by(2).collect();
    for rank in (0..members.len()).step_by(1 + members.len() / 40) {
        let answer = connection.call(&["zrank", "board", members[rank]]);
        assert_eq!(answer, format!(":{rank}\\r\\n"), "{}", members[rank]);
    }
    let count = connection.call(&["zcount", "board", "-1", "1e9"]);
    assert_eq!(count, format!(":{}\\r\\n", members.len()));
}

#[test]
fn no_acknowledged_write_is_lost_and_all_rows_agree_after_each_kill() {
    let kills = std::env::var("KILLS").map_or(10, |kills| kills.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut random = Random::new(9);
    let mut clients: Vec<Known> = (0..CLIENTS).map(Known::nothing_of).collect();
    for kill in 0..kills {
        let running = start(&data, ["1", "2"][(kill % 2) as usize]);
        let address = running.address;
        verify(address, &mut clients);
        let answered = AtomicBool::new(false);
        scope_in_time(|scope| {
            for known in &mut clients {
                let (connection, answered) = (Client::connect(address), &answered);
                // It breaks: that is the point.
                scope.spawn(move || known.work(connection, answered));
            }
            eventually(|| answered.load(Ordering::Relaxed));
            rest_for(Duration::from_millis(100 + random.below(400) as u64));
            drop(running);
        });
        let answered: u64 = clients.iter().map(|known| known.answered).sum();
        eprintln!("kill {kill}: {answered} steps");
        assert_sound(&data);
    }
    let running = start(&data, "1");
    verify(running.address, &mut clients);
    drop(running);
    let report = assert_sound(&data);
    assert!(report.contains("sound"), "{report}");
    for kind in ["string", "hash", "list", "set", "zset"] {
        assert!(report.contains(&format!(" {kind}")), "{report}");
    }
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
