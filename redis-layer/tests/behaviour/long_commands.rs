//! A command that goes through many rows does not keep the only thread from other clients.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use redis_layer::commands::{Session, execute};
use redis_layer::server::Options;
use redis_layer::store::{Batch, Result, Store};

use crate::common::client::{Client, Command, encode};
use crate::common::hooked::{Hooked, Hooks};
use crate::common::servers::Ours;
use crate::common::waiting::{DEADLINE, eventually};
use crate::common::{Direct, StoreKind};

/// As long as it is shut, no batch of many changes is written.
#[derive(Default)]
struct Gate {
    is_shut: AtomicBool,
    is_reached: AtomicBool,
}

impl Gate {
    fn pass(&self) {
        while self.is_shut.load(Ordering::SeqCst) {
            self.is_reached.store(true, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Hooks for Gate {
    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        if batch.changes().nth(1_000).is_some() {
            self.pass();
        }
        inner.write(batch)
    }
}

#[test]
fn others_are_served_while_a_command_changes_many_rows() {
    let members: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
    let words = |before: &[&str]| -> Command {
        let members = members.iter().map(String::as_str);
        let words = before.iter().copied().chain(members);
        words.map(|word| word.to_owned().into()).collect()
    };
    let few = |line: &str| -> Command {
        let words = line.split(' ');
        words.map(|word| word.to_owned().into()).collect()
    };
    for (before, long) in [
        (None, words(&["sadd", "s"])),
        (None, words(&["mset"])),
        (Some(words(&["mset"])), words(&["del"])),
        (Some(words(&["sadd", "s"])), few("sunionstore d s")),
        (Some(words(&["sadd", "s"])), few("spop s 15000")),
    ] {
        let name = long[0].escape_ascii().to_string();
        let gate = Hooked::over(StoreKind::BTree.open(), Gate::default());
        let store = Arc::clone(&gate) as Arc<dyn Store>;
        let ours = Ours::start_on(1, store, Options::default());
        let [mut slow, mut other] = [(), ()].map(|()| Client::connect(ours.address));
        if let Some(before) = before {
            slow.pipeline(&[before]);
        }
        other.call(&["ping"]);
        gate.is_shut.store(true, Ordering::SeqCst);
        slow.send(&encode(&long)).unwrap();
        eventually(|| gate.is_reached.load(Ordering::SeqCst));
        other.send(b"get another\r\n").unwrap();
        let answer = other.reply_within(DEADLINE / 4);
        gate.is_shut.store(false, Ordering::SeqCst);
        assert!(answer.is_some(), "{name} keeps the thread");
        assert!(slow.reply_within(DEADLINE).is_some(), "{name}");
    }
}

/// Holds up writes of few changes, and those of many.
#[derive(Default)]
struct Gates {
    few: Gate,
    many: Gate,
}

impl Hooks for Gates {
    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        if batch.changes().nth(1_000).is_none() {
            self.few.pass();
        }
        self.many.write(inner, batch)
    }
}

/// A server with a single thread, a set of 20,000 members in it, and clients.
struct Crowd {
    gates: Arc<Hooked<Gates>>,
    _ours: Ours,
    first: Client,
    other: Client,
    slow: Client,
    beside: Client,
}

impl Crowd {
    fn come() -> Self {
        let gates = Hooked::over(StoreKind::BTree.open(), Gates::default());
        let store = Arc::clone(&gates) as Arc<dyn Store>;
        let ours = Ours::start_on(1, store, Options::default());
        let [first, other, mut slow, beside] = [(); 4].map(|()| {
            let mut client = Client::connect(ours.address);
            client.call(&["ping"]);
            client
        });
        let members = (0..20_000).map(|n| n.to_string());
        let words = ["sadd", "s"].map(str::to_owned).into_iter().chain(members);
        slow.pipeline(&[words.map(Into::into).collect::<Command>()]);
        Self {
            gates,
            _ours: ours,
            first,
            other,
            slow,
            beside,
        }
    }

    /// Three clients get ready while the only thread stands at the gate. The first of them runs alone, and the others
    /// may run together. Then the thread goes on.
    fn get_ready(&mut self, long: &str) {
        let Gates { few, many } = &**self.gates;
        for gate in [few, many] {
            gate.is_shut.store(true, Ordering::SeqCst);
            gate.is_reached.store(false, Ordering::SeqCst);
        }
        self.first.send(b"set first 1\r\n").unwrap();
        eventually(|| few.is_reached.load(Ordering::SeqCst));
        self.other.send(b"get before\r\n").unwrap();
        self.slow.send(long.as_bytes()).unwrap();
        self.beside.send(b"get a\r\n").unwrap();
        thread::sleep(Duration::from_millis(200));
        few.is_shut.store(false, Ordering::SeqCst);
        for client in [&mut self.first, &mut self.other] {
            assert!(client.reply_within(DEADLINE).is_some());
        }
        eventually(|| many.is_reached.load(Ordering::SeqCst));
    }

    /// The long command goes on.
    fn open(&self) {
        self.gates.many.is_shut.store(false, Ordering::SeqCst);
    }
}

#[test]
fn who_runs_together_with_a_long_command_and_sends_more_holds_up_nobody() {
    let mut crowd = Crowd::come();
    crowd.get_ready("spop s 15000\r\n");
    crowd.beside.send(b"get b\r\n").unwrap();
    thread::sleep(Duration::from_millis(50));
    crowd.other.send(b"get c\r\n").unwrap();
    let answer = crowd.other.reply_within(DEADLINE / 4);
    crowd.open();
    assert!(answer.is_some(), "the thread waits for the long command");
    assert!(crowd.slow.reply_within(DEADLINE).is_some());
    for _ in ["a", "b"] {
        assert!(crowd.beside.reply_within(DEADLINE).is_some());
    }
}

/// All of them would get their answers after the long one.
#[test]
fn nobody_runs_together_with_a_command_that_writes_what_other_keys_hold() {
    let mut crowd = Crowd::come();
    // Its own commands run with it, and those of others do not, wherever it stands.
    for long in ["sunionstore d s\r\n", "get a\r\nsunionstore d s\r\n"] {
        crowd.get_ready(long);
        let answer = crowd.beside.reply_within(DEADLINE / 4);
        crowd.open();
        assert!(answer.is_some(), "a reader waits for {long:?}");
        for _ in long.lines() {
            assert!(crowd.slow.reply_within(DEADLINE).is_some());
        }
    }
}

/// Whether others are served beside a task that has done this, and keeps its thread until then, or until it loses patience.
fn gives_up_its_thread<R: Send + 'static>(
    patience: Duration,
    work: impl FnOnce() -> R + Send + 'static,
) -> bool {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let task = runtime.spawn(async move {
        let _result = work();
        let (served, is_served) = mpsc::channel();
        tokio::spawn(async move { served.send(()) });
        is_served.recv_timeout(patience).is_ok()
    });
    runtime.block_on(task).unwrap()
}

/// A command, with names as its last words.
fn with_names(before: &str, count: usize) -> Command {
    let names = (0..count).map(|n| format!("name-{n}"));
    let words = before.split(' ').map(str::to_owned).chain(names);
    words.map(Into::into).collect()
}

/// What gives up its thread, of all that a client does with so many names that it listens to or waits for.
fn what_gives_up_its_thread(count: usize, patience: Duration) -> Vec<String> {
    let client = || Direct::new(StoreKind::BTree).session;
    let mut found = Vec::new();
    let mut note = |what: &str, gives_up| {
        if gives_up {
            found.push(what.to_owned());
        }
    };
    let run = |mut session: Session, command: Command| {
        gives_up_its_thread(patience, move || {
            execute(&mut session, &command);
            session
        })
    };
    for (begin, end) in [
        ("subscribe", "unsubscribe"),
        ("psubscribe", "punsubscribe"),
        ("ssubscribe", "sunsubscribe"),
    ] {
        let begun = || {
            let mut session = client();
            execute(&mut session, &with_names(begin, count));
            session
        };
        note(begin, run(client(), with_names(begin, count)));
        note(end, run(begun(), with_names(end, count)));
        note("end all", run(begun(), with_names(end, 0)));
        let session = begun();
        note(
            "leave",
            gives_up_its_thread(patience, move || drop(session)),
        );
    }
    let mut blpop = with_names("blpop", count);
    blpop.push("0".into());
    let mut session = client();
    let waiting = execute(&mut session, &blpop).waiting.unwrap();
    let other = session.server().connect("other".into(), "other".into());
    let push = ["lpush", "name-7", "x"].map(Into::into).to_vec();
    note("push", run(other, push));
    note(
        "end blpop",
        gives_up_its_thread(patience, move || drop(waiting)),
    );
    found
}

#[test]
fn who_listens_to_many_names_or_waits_for_them_gives_up_its_thread() {
    let of_many = what_gives_up_its_thread(10_000, DEADLINE / 4);
    assert_eq!(of_many.len(), 14, "{of_many:?}");
    let of_few = what_gives_up_its_thread(100, Duration::from_millis(50));
    assert!(of_few.is_empty(), "{of_few:?}");
}
