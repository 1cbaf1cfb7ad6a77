//! A command that goes through many rows does not keep the only thread from other clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use redis_layer::server::Options;
use redis_layer::store::{Batch, Result, Store};

use crate::common::StoreKind;
use crate::common::client::{Client, Command, encode};
use crate::common::hooked::{Hooked, Hooks};
use crate::common::servers::Ours;
use crate::common::waiting::{DEADLINE, eventually};

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

#[test]
fn who_runs_together_with_a_long_command_and_sends_more_holds_up_nobody() {
    let gates = Hooked::over(StoreKind::BTree.open(), Gates::default());
    let store = Arc::clone(&gates) as Arc<dyn Store>;
    let ours = Ours::start_on(1, store, Options::default());
    let [mut first, mut slow, mut beside, mut other] =
        [(); 4].map(|()| Client::connect(ours.address));
    for client in [&mut first, &mut slow, &mut beside, &mut other] {
        client.call(&["ping"]);
    }
    let members = (0..20_000).map(|n| n.to_string());
    let words = ["sadd", "s"].map(str::to_owned).into_iter().chain(members);
    slow.pipeline(&[words.map(Into::into).collect::<Command>()]);
    // While the only thread stands at the gate, three clients get ready. The first of them runs alone, and the others together.
    gates.few.is_shut.store(true, Ordering::SeqCst);
    gates.many.is_shut.store(true, Ordering::SeqCst);
    first.send(b"set first 1\r\n").unwrap();
    eventually(|| gates.few.is_reached.load(Ordering::SeqCst));
    other.send(b"get before\r\n").unwrap();
    slow.send(b"spop s 15000\r\n").unwrap();
    beside.send(b"get a\r\n").unwrap();
    thread::sleep(Duration::from_millis(200));
    gates.few.is_shut.store(false, Ordering::SeqCst);
    assert!(other.reply_within(DEADLINE).is_some());
    eventually(|| gates.many.is_reached.load(Ordering::SeqCst));
    beside.send(b"get b\r\n").unwrap();
    thread::sleep(Duration::from_millis(50));
    other.send(b"get c\r\n").unwrap();
    let answer = other.reply_within(DEADLINE / 4);
    gates.many.is_shut.store(false, Ordering::SeqCst);
    assert!(answer.is_some(), "the thread waits for the long command");
    assert!(slow.reply_within(DEADLINE).is_some());
    for _ in ["a", "b"] {
        assert!(beside.reply_within(DEADLINE).is_some());
    }
}

/// All of them would get their answers after the long one.
#[test]
fn nobody_runs_together_with_a_command_that_writes_what_other_keys_hold() {
    let gates = Hooked::over(StoreKind::BTree.open(), Gates::default());
    let store = Arc::clone(&gates) as Arc<dyn Store>;
    let ours = Ours::start_on(1, store, Options::default());
    let [mut first, mut other, mut slow, mut beside] =
        [(); 4].map(|()| Client::connect(ours.address));
    for client in [&mut first, &mut other, &mut slow, &mut beside] {
        client.call(&["ping"]);
    }
    let members = (0..20_000).map(|n| n.to_string());
    let words = ["sadd", "s"].map(str::to_owned).into_iter().chain(members);
    slow.pipeline(&[words.map(Into::into).collect::<Command>()]);
    // Its own commands run with it, and those of others do not, wherever it stands.
    for line in ["sunionstore d s\r\n", "get a\r\nsunionstore d s\r\n"] {
        // Three get ready while the only thread stands at the gate. The first of them would run alone in any case.
        gates.few.is_shut.store(true, Ordering::SeqCst);
        gates.many.is_shut.store(true, Ordering::SeqCst);
        gates.few.is_reached.store(false, Ordering::SeqCst);
        gates.many.is_reached.store(false, Ordering::SeqCst);
        first.send(b"set first 1\r\n").unwrap();
        eventually(|| gates.few.is_reached.load(Ordering::SeqCst));
        other.send(b"get before\r\n").unwrap();
        slow.send(line.as_bytes()).unwrap();
        beside.send(b"get a\r\n").unwrap();
        thread::sleep(Duration::from_millis(200));
        gates.few.is_shut.store(false, Ordering::SeqCst);
        eventually(|| gates.many.is_reached.load(Ordering::SeqCst));
        let answer = beside.reply_within(DEADLINE / 4);
        gates.many.is_shut.store(false, Ordering::SeqCst);
        assert!(answer.is_some(), "a reader waits for {line:?}");
        for client in [&mut first, &mut other] {
            assert!(client.reply_within(DEADLINE).is_some());
        }
        for _ in line.lines() {
            assert!(slow.reply_within(DEADLINE).is_some());
        }
    }
}
