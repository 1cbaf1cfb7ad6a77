//! Commands that wait for a list, with two clients and more: who is served, when, and with what.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use redis_layer::commands::{Waiting, execute};
use redis_layer::store::{Batch, Error, Result, Store};

use crate::common::client::{Client, encode};
use crate::common::hooked::{Hooked, Hooks};
use crate::common::program::Running;
use crate::common::servers::{Ours, RealRedis};
use crate::common::waiting::{DEADLINE, eventually, joined, rest_for};
use crate::common::{self, Direct, StoreKind, assert_alike, both, show};

/// Long enough for an answer that must not come.
const SETTLE: Duration = Duration::from_millis(100);

fn start() -> Ours {
    Ours::start(StoreKind::BTree.open())
}

/// Sends a command and waits until the server waits with it.
fn wait_with(server: &Ours, line: &str) -> Client {
    let mut client = Client::connect(server.address);
    send(&mut client, line);
    client.wait_until_held_up();
    client
}

fn send(client: &mut Client, line: &str) {
    let command = line.split(' ').map(common::unescape).collect();
    client.send(&encode(&command)).unwrap();
}

fn call(client: &mut Client, line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    client.call(&words)
}

fn reply(client: &mut Client) -> String {
    client.reply().unwrap().escape_ascii().to_string()
}

fn bulks(words: &[&str]) -> String {
    let items = words.iter().map(|w| format!("${}\\r\\n{w}\\r\\n", w.len()));
    format!("*{}\\r\\n{}", words.len(), items.collect::<String>())
}

#[test]
fn who_came_first_is_served_first() {
    let server = start();
    let mut first = wait_with(&server, "blpop l 0");
    let mut second = wait_with(&server, "brpop other l 0");
    let mut third = wait_with(&server, "blmpop 0 2 other l left count 5");
    let mut writer = Client::connect(server.address);
    // The answer to the push is its length before anybody was served.
    assert_eq!(call(&mut writer, "rpush l a b c d"), ":4\\r\\n");
    assert_eq!(reply(&mut first), bulks(&["l", "a"]));
    assert_eq!(reply(&mut second), bulks(&["l", "d"]));
    let rest = bulks(&["b", "c"]);
    assert_eq!(reply(&mut third), format!("*2\\r\\n$1\\r\\nl\\r\\n{rest}"));
    assert_eq!(call(&mut writer, "exists l"), ":0\\r\\n");
}

#[test]
fn the_first_key_of_the_command_that_has_something_is_taken() {
    let server = start();
    let mut writer = Client::connect(server.address);
    call(&mut writer, "rpush b x");
    call(&mut writer, "rpush a y");
    assert_eq!(call(&mut writer, "blpop nope a b 0"), bulks(&["a", "y"]));
    let mut waiting = wait_with(&server, "blpop one two 0");
    send(&mut writer, "multi");
    send(&mut writer, "rpush two 2");
    send(&mut writer, "rpush one 1");
    send(&mut writer, "exec");
    // Both came at one moment, and the key that was written first serves first.
    assert_eq!(reply(&mut waiting), bulks(&["two", "2"]));
    assert_eq!(call(&mut waiting, "llen one"), ":1\\r\\n");
}

/// The keys of a transaction are served in the order in which they were written, not in that of their names.
#[test]
fn the_key_that_was_written_first_is_served_first() {
    let server = start();
    let mut writer = Client::connect(server.address);
    for (first, second) in [("a", "b"), ("b", "a")] {
        call(&mut writer, "del a b");
        let mut one = wait_with(&server, "blmpop 0 2 a b left count 9");
        let mut two = wait_with(&server, "blmpop 0 2 a b left count 9");
        send(&mut writer, "multi");
        send(&mut writer, &format!("rpush {first} 1"));
        send(&mut writer, &format!("rpush {second} 2"));
        send(&mut writer, "exec");
        for _ in 0..4 {
            reply(&mut writer);
        }
        for (client, key, element) in [(&mut one, first, "1"), (&mut two, second, "2")] {
            let served = format!("*2\\r\\n$1\\r\\n{key}\\r\\n{}", bulks(&[element]));
            assert_eq!(reply(client), served);
        }
    }
}

/// One push, and an element goes through three lists.
#[test]
fn a_chain_of_moves_is_served_to_its_end() {
    let server = start();
    let mut last = wait_with(&server, "blpop c 0");
    let mut second = wait_with(&server, "brpoplpush b c 0");
    let mut first = wait_with(&server, "blmove a b left right 0");
    let mut writer = Client::connect(server.address);
    assert_eq!(call(&mut writer, "lpush a x"), ":1\\r\\n");
    assert_eq!(reply(&mut first), "$1\\r\\nx\\r\\n");
    assert_eq!(reply(&mut second), "$1\\r\\nx\\r\\n");
    assert_eq!(reply(&mut last), bulks(&["c", "x"]));
    assert_eq!(call(&mut writer, "exists a b c"), ":0\\r\\n");
}

#[test]
fn a_time_limit_ends_the_wait() {
    let server = start();
    let mut client = Client::connect(server.address);
    for (line, answer) in [
        ("blpop l 0.05", "*-1\\r\\n"),
        ("brpop l m 0.05", "*-1\\r\\n"),
        ("blmove l m left left 0.05", "*-1\\r\\n"),
        ("brpoplpush l m 0.05", "*-1\\r\\n"),
        ("blmpop 0.05 1 l left", "*-1\\r\\n"),
        ("wait 1 50", ":0\\r\\n"),
    ] {
        let began = Instant::now();
        assert_eq!(call(&mut client, line), answer, "{line}");
        let took = began.elapsed();
        assert!(took >= Duration::from_millis(50), "{line}: {took:?}");
        assert!(took < Duration::from_secs(30), "{line}: {took:?}");
    }
    for (line, answer) in [
        ("blpop l -1", "-ERR timeout is negative\\r\\n"),
        ("blpop l 1e300", "-ERR timeout is negative\\r\\n"),
        (
            "blpop l x",
            "-ERR timeout is not a float or out of range\\r\\n",
        ),
        ("blpop l 1e400", "-ERR timeout is negative\\r\\n"),
        ("blpop l -1e400", "-ERR timeout is negative\\r\\n"),
        ("blmpop 1e400 1 l left", "-ERR timeout is negative\\r\\n"),
        ("blpop l -inf", "-ERR timeout is negative\\r\\n"),
        ("blpop l 1e-400", "*-1\\r\\n"),
        (
            "blpop l 1e5000",
            "-ERR timeout is not a float or out of range\\r\\n",
        ),
        ("wait 0 -1", "-ERR timeout is negative\\r\\n"),
        ("wait 0 0", ":0\\r\\n"),
    ] {
        assert_eq!(call(&mut client, line), answer, "{line}");
    }
    assert_eq!(call(&mut client, "hello 3").get(..1), Some("%"));
    assert_eq!(call(&mut client, "blpop l 0.01"), "_\\r\\n");
}

#[test]
fn nobody_waits_in_a_transaction() {
    let server = start();
    let mut client = Client::connect(server.address);
    for line in [
        "multi",
        "blpop l 0",
        "blmove l m left left 0",
        "blmpop 0 1 l left",
        "wait 1 0",
        "rpush l a",
        "brpop l 0",
    ] {
        send(&mut client, line);
        reply(&mut client);
    }
    let expected = format!(
        "*6\\r\\n*-1\\r\\n$-1\\r\\n*-1\\r\\n:0\\r\\n:1\\r\\n{}",
        bulks(&["l", "a"])
    );
    assert_eq!(call(&mut client, "exec"), expected);
}

/// What a client asked for before it left must stay.
#[test]
fn a_client_that_is_gone_takes_nothing() {
    let server = start();
    let gone = wait_with(&server, "blpop l 0");
    drop(gone);
    let mut writer = Client::connect(server.address);
    eventually(|| call(&mut writer, "info clients").contains("blocked_clients:0\\r"));
    assert_eq!(call(&mut writer, "rpush l a"), ":1\\r\\n");
    assert_eq!(call(&mut writer, "lrange l 0 -1"), bulks(&["a"]));
}

/// What is pushed behind `CLIENT KILL`, in one pipeline too, is for those who stay.
#[test]
fn who_was_told_to_end_takes_nothing() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = start();
    for (waits, lines) in [
        ("blpop k 0", "rpush k 1 2\r\nlrange k 0 -1\r\n"),
        (
            "blmove k d left left 0",
            "multi\r\nrpush k 1\r\nexec\r\nexists d\r\n",
        ),
        ("bzpopmin k 0", "zadd k 1 a\r\nzcard k\r\n"),
        ("blpop k 0", "client unblock ID\r\n"),
    ] {
        let run = |address| {
            let (mut waiting, mut other) = (Client::connect(address), Client::connect(address));
            let id = call(&mut waiting, "client id");
            let id = id.trim_matches(|c: char| !c.is_ascii_digit());
            send(&mut waiting, waits);
            waiting.wait_until_held_up();
            let lines = format!("client kill id {id}\r\n{lines}del k d\r\n").replace("ID", id);
            other.send(lines.as_bytes()).unwrap();
            other.rest(SETTLE).0.escape_ascii().to_string()
        };
        let (found, expected) = both(ours.address, real.address, run);
        assert_eq!(found, expected, "{waits}");
    }
}

#[test]
fn a_key_of_another_type_does_not_end_the_wait_but_a_wrong_target_does() {
    const WRONG: &str = "-WRONGTYPE Operation against a key holding the wrong kind of value\\r\\n";
    let server = start();
    let mut writer = Client::connect(server.address);
    let mut waiting = wait_with(&server, "blpop l 0");
    call(&mut writer, "set l string");
    call(&mut writer, "del l");
    call(&mut writer, "zadd l 1 a");
    call(&mut writer, "del l");
    call(&mut writer, "rpush l a");
    assert_eq!(reply(&mut waiting), bulks(&["l", "a"]));
    call(&mut writer, "set s string");
    assert_eq!(call(&mut writer, "blpop s 1"), WRONG);
    let mut moving = wait_with(&server, "blmove l s left left 0");
    call(&mut writer, "rpush l a");
    assert_eq!(reply(&mut moving), WRONG);
    assert_eq!(call(&mut writer, "lrange l 0 -1"), bulks(&["a"]));
}

/// A list may come to a key in other ways than by a push.
#[test]
fn whatever_brings_a_list_serves_those_who_wait_for_it() {
    let server = start();
    let mut writer = Client::connect(server.address);
    for lines in [
        &["rpush other a", "rename other l"][..],
        &["rpush other a", "copy other l", "del other"],
        &["select 1", "rpush l a", "move l 0", "select 0"],
        &[
            "select 1",
            "rpush l a",
            "select 0",
            "swapdb 0 1",
            "flushall",
        ],
        &["rpush other a", "sort other by nosort store l", "del other"],
        &["rpush other a", "lmove other l left left"],
    ] {
        let mut waiting = wait_with(&server, "blpop l 0");
        for line in lines {
            call(&mut writer, line);
        }
        assert_eq!(reply(&mut waiting), bulks(&["l", "a"]), "{lines:?}");
        call(&mut writer, "flushall");
    }
}

/// Many clients wait on one list, many push to it: each element goes to one of them, none is lost.
#[test]
fn each_element_goes_to_one_waiter() {
    const EACH: usize = 60;
    let server = start();
    let address = server.address;
    let takers: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(move || {
                let mut client = Client::connect(address);
                (0..EACH)
                    .map(|_| call(&mut client, "blpop l 100"))
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    let makers: Vec<_> = (0..4)
        .map(|maker| {
            thread::spawn(move || {
                let mut client = Client::connect(address);
                for i in 0..EACH {
                    call(&mut client, &format!("rpush l {maker}-{i}"));
                }
            })
        })
        .collect();
    for maker in makers {
        maker.join().unwrap();
    }
    let mut taken: Vec<String> = takers
        .into_iter()
        .flat_map(|taker| taker.join().unwrap())
        .collect();
    taken.sort();
    let mut expected: Vec<String> = (0..4)
        .flat_map(|maker| (0..EACH).map(move |i| bulks(&["l", &format!("{maker}-{i}")])))
        .collect();
    expected.sort();
    assert_eq!(taken, expected);
}

/// A command that waited comes into the slow log when it is served, with the time of its work: to wait is not slow.
#[test]
fn the_slow_log_gets_a_wait_when_it_is_served() {
    const LONG_WAIT: Duration = Duration::from_millis(600);
    const LONG_US: &str = "400000";
    let server = start();
    let real = RealRedis::start();
    let real = real.as_ref().map(|real| real.address);
    for address in std::iter::once(server.address).chain(real) {
        let mut writer = Client::connect(address);
        let mut wait_for = |threshold_us: &str, line: &str, end: &str| {
            let set = format!("config set slowlog-log-slower-than {threshold_us}");
            assert_eq!(call(&mut writer, &set), "+OK\\r\\n");
            call(&mut writer, "slowlog reset");
            let mut waiter = Client::connect(address);
            send(&mut waiter, line);
            if line.ends_with(" 0") {
                waiter.wait_until_held_up();
                rest_for(LONG_WAIT);
            }
            let before = call(&mut writer, "slowlog get").matches("lpop").count();
            call(&mut writer, end);
            waiter.reply().unwrap();
            (
                before,
                call(&mut writer, "slowlog get").matches("lpop").count(),
            )
        };
        assert_eq!(wait_for("0", "blpop l 0", "rpush l a"), (0, 1));
        assert_eq!(wait_for("0", "blpop l 0.6", "ping"), (0, 0));
        // On a busy machine the work itself may once take that long.
        eventually(|| wait_for(LONG_US, "blpop l 0", "rpush l a") == (0, 0));
        eventually(|| wait_for(LONG_US, "blpop l 0.6", "ping") == (0, 0));
    }
}

/// What is pushed to where an element will be moved serves nobody: its source is not looked at.
#[test]
fn who_moves_waits_for_the_source_alone() {
    assert_alike(|address| {
        let mut said = Vec::new();
        for wait in ["blmove from to left right 0", "brpoplpush from to 0"] {
            let (mut waiter, mut writer) = (Client::connect(address), Client::connect(address));
            send(&mut waiter, wait);
            waiter.wait_until_held_up();
            for line in ["set from x", "rpush to a", "del from to"] {
                call(&mut writer, line);
            }
            said.push(waiter.rest(SETTLE).0);
            call(&mut writer, "rpush from b");
            said.push(waiter.reply().unwrap());
            said.push(call(&mut writer, "lrange to 0 -1").into_bytes());
            call(&mut writer, "flushall");
        }
        said
    });
}

/// `EXEC` holds the locks of its keys while it ends the wait, and somebody who has pushed an element waits for them, to
/// serve the client.
#[test]
fn a_wait_that_is_being_served_is_ended_in_a_transaction() {
    let server = start();
    let mut waiting = Client::connect(server.address);
    let id = call(&mut waiting, "client id");
    let id = id.trim_start_matches(':').trim_end_matches("\\r\\n");
    send(&mut waiting, "blmove a b left right 0");
    waiting.wait_until_held_up();
    let mut ending = Client::connect(server.address);
    let unblock = format!("client unblock {id}");
    for line in ["multi", "llen b", "debug sleep 0.5", &unblock, "exec"] {
        send(&mut ending, line);
    }
    // By then `EXEC` sleeps.
    ending.settle();
    let mut writer = Client::connect(server.address);
    send(&mut writer, "rpush a x");
    for answer in ["+OK", "+QUEUED", "+QUEUED", "+QUEUED"] {
        assert_eq!(reply(&mut ending), format!("{answer}\\r\\n"));
    }
    let executed = reply(&mut ending);
    assert_eq!(executed, "*3\\r\\n:0\\r\\n+OK\\r\\n:1\\r\\n");
    assert_eq!(reply(&mut waiting), "*-1\\r\\n");
    assert_eq!(reply(&mut writer), ":1\\r\\n");
    assert_eq!(call(&mut writer, "llen a"), ":1\\r\\n");
}

/// What a wait ends with is counted like an answer that comes at once: the error by its code, and the command as failed.
#[test]
fn an_error_after_a_wait_is_counted() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = start();
    let counts = |address| {
        let mut client = Client::connect(address);
        let mut waiting = [Client::connect(address), Client::connect(address)];
        let [unblocked, served] = &mut waiting;
        let id = call(unblocked, "client id");
        let id = id.trim_start_matches(':').trim_end_matches("\\r\\n");
        send(unblocked, "blpop none 0");
        call(&mut client, "set text v");
        send(served, "blmove list text left left 0");
        unblocked.wait_until_held_up();
        served.wait_until_held_up();
        call(&mut client, "config resetstat");
        call(&mut client, &format!("client unblock {id} error"));
        call(&mut client, "rpush list a");
        let replies = [reply(unblocked), reply(served)];
        let counts = client.counts().into_iter();
        let wanted = ["errorstat_", "total_error", "cmdstat_bl"];
        let is_wanted = |line: &String| wanted.iter().any(|start| line.starts_with(start));
        // A real server counts the call when the wait ends, ours when it begins, which was before the reset.
        let counts = counts
            .filter(is_wanted)
            .map(|line| line.replace("calls=1", "calls=0"));
        (replies, counts.collect::<Vec<_>>())
    };
    let (here, there) = both(ours.address, real.address, counts);
    assert_eq!(here, there);
    assert!(
        here.1
            .iter()
            .any(|line| line.starts_with("errorstat_UNBLOCKED")),
        "{here:?}"
    );
}

/// As many as nobody needs: a push must not take long because of them.
#[test]
fn who_waits_for_many_keys_is_served_quickly() {
    let program = Running::in_memory(&[]);
    let keys: Vec<String> = (0..50_000).map(|n| format!("k{n}")).collect();
    let mut client = Client::connect(program.address);
    send(&mut client, &format!("blpop {} 0", keys.join(" ")));
    client.wait_until_held_up();
    let mut writer = Client::connect(program.address);
    let before = program.processor_time();
    assert_eq!(call(&mut writer, "rpush k49999 a"), ":1\\r\\n");
    assert_eq!(reply(&mut client), bulks(&["k49999", "a"]));
    // By the clock a busy machine may take any time.
    let taken = program.processor_time() - before;
    assert!(taken < Duration::from_secs(5), "{taken:?}");
}

/// Lets some writes pass, then stops one: it says so, and ends as it is told.
struct Gate {
    passing: AtomicUsize,
    reached: Sender<()>,
    ends: Mutex<Receiver<Result<()>>>,
}

impl Gate {
    /// Over an empty store, with the ends of the gate: what hears that a write is stopped, and what ends it.
    fn behind(passing: usize) -> (Arc<Hooked<Self>>, Receiver<()>, Sender<Result<()>>) {
        let (reached, hears) = channel();
        let (end, ends) = channel();
        let gate = Self {
            passing: passing.into(),
            reached,
            ends: ends.into(),
        };
        let store = Hooked::over(StoreKind::BTree.open(), gate);
        (store, hears, end)
    }
}

impl Hooks for Gate {
    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        let passes = |left: usize| left.checked_sub(1);
        let order = Ordering::SeqCst;
        if self.passing.fetch_update(order, order, passes).is_err() {
            self.reached.send(()).unwrap();
            self.ends.lock().unwrap().recv().unwrap()?;
        }
        inner.write(batch)
    }
}

fn words(line: &str) -> Vec<bytes::Bytes> {
    line.split(' ').map(common::unescape).collect()
}

/// The answer to a wait, if it comes soon.
fn outcome(waiting: &mut Waiting) -> Option<String> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().build().unwrap();
    let answer = async { tokio::time::timeout(DEADLINE, waiting.outcome()).await };
    let executed = runtime.block_on(answer).ok()?;
    Some(show(&executed.reply))
}

/// How many writes a push makes before the client that waits is served.
const PUSH_WRITES: usize = 1;

#[test]
fn unblocking_a_client_that_is_being_served_does_not_wait_for_the_write() {
    let (store, stopped, end) = Gate::behind(PUSH_WRITES);
    let mut writer = Direct::over(store);
    let server = Arc::clone(&writer.server);
    let connect = || server.connect("test".into(), "test".into());
    let (mut client, mut other) = (connect(), connect());
    let id = show(&execute(&mut client, &words("client id")).reply);
    let mut waiting = execute(&mut client, &words("blpop l 0")).waiting.unwrap();
    let pushing = thread::spawn(move || writer.show("rpush l a"));
    let reached = stopped.recv_timeout(DEADLINE);
    reached.expect("the write is stopped");
    let (answer, answers) = channel();
    let unblocking = thread::spawn(move || {
        let unblock = words(&format!("client unblock {id}"));
        let _ = answer.send(show(&execute(&mut other, &unblock).reply));
    });
    let unblocked = answers.recv_timeout(DEADLINE);
    end.send(Ok(())).unwrap();
    joined(unblocking);
    assert_eq!(joined(pushing), "1");
    assert_eq!(unblocked.as_deref(), Ok("0"), "it is served already");
    assert_eq!(outcome(&mut waiting).as_deref(), Some("[l a]"));
}

#[test]
fn a_client_whose_element_cannot_be_taken_is_told_so() {
    let (store, _stopped, end) = Gate::behind(PUSH_WRITES);
    let mut writer = Direct::over(store);
    let mut client = writer.server.connect("test".into(), "test".into());
    let mut waiting = execute(&mut client, &words("blpop l 0")).waiting.unwrap();
    end.send(Err(Error::new("the disk is full"))).unwrap();
    assert_eq!(writer.show("rpush l a"), "1");
    let answer = outcome(&mut waiting).expect("an answer");
    assert!(answer.contains("the disk is full"), "{answer}");
    assert_eq!(writer.show("lrange l 0 -1"), "[a]");
}
