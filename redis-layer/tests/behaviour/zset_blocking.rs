//! Clients that wait for a member: served in their order, by every command that makes a sorted set, and never twice.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use redis_layer::commands::execute;

use crate::common::client::{Client, encode};
use crate::common::counting::Counting;
use crate::common::servers::Ours;
use crate::common::{self, Direct, StoreKind};

fn command(line: &str) -> Vec<bytes::Bytes> {
    line.split(' ').map(common::unescape).collect()
}

/// A client that waits, and is known to wait.
fn waiting(ours: &Ours, line: &str) -> Client {
    let mut client = Client::connect(ours.address);
    client.send(&encode(&command(line))).unwrap();
    // The server reads its clients in no order.
    client.wait_until_held_up();
    client
}

fn reply(client: &mut Client) -> String {
    client.reply().unwrap().escape_ascii().to_string()
}

#[test]
fn whoever_came_first_is_served_first() {
    for kind in StoreKind::ALL {
        let ours = Ours::start(kind.open());
        let mut first = waiting(&ours, "bzpopmin a b 0");
        let mut second = waiting(&ours, "bzpopmax b 0");
        let mut writer = Client::connect(ours.address);
        assert_eq!(writer.call(&["zadd", "b", "1", "x", "2", "y"]), ":2\\r\\n");
        assert_eq!(
            reply(&mut first),
            "*3\\r\\n$1\\r\\nb\\r\\n$1\\r\\nx\\r\\n$1\\r\\n1\\r\\n"
        );
        assert_eq!(
            reply(&mut second),
            "*3\\r\\n$1\\r\\nb\\r\\n$1\\r\\ny\\r\\n$1\\r\\n2\\r\\n"
        );
        assert_eq!(writer.call(&["exists", "b"]), ":0\\r\\n");
    }
}

#[test]
fn every_command_that_makes_a_sorted_set_wakes() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut writer = Client::connect(ours.address);
    writer.call(&["geoadd", "places", "13", "38", "p"]);
    writer.call(&["zadd", "source", "1", "p"]);
    for line in [
        "zadd a 1 p",
        "zincrby a 1 p",
        "zunionstore a 1 source",
        "zinterstore a 1 source",
        "zdiffstore a 1 source",
        "zrangestore a source 0 -1",
        "geoadd a 1 1 p",
        "geosearchstore a places frommember p byradius 1 m",
        "georadius places 13 38 1 km store a",
    ] {
        let mut client = waiting(&ours, "bzmpop 0 1 a min");
        assert_eq!(
            writer.pipeline(&[command(line)]).len(),
            1,
            "{line} is answered"
        );
        let popped = reply(&mut client);
        assert!(
            popped.starts_with("*2\\r\\n$1\\r\\na\\r\\n*1\\r\\n*2\\r\\n$1\\r\\np\\r\\n"),
            "{line}: {popped}"
        );
        assert_eq!(writer.call(&["exists", "a"]), ":0\\r\\n", "{line}");
    }
}

#[test]
fn a_wait_ends_in_time_and_in_vain() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    for line in [
        &["bzpopmin", "a", "0.1"][..],
        &["bzmpop", "0.1", "1", "a", "max"],
    ] {
        let started = Instant::now();
        assert_eq!(client.call(line), "*-1\\r\\n");
        let waited = started.elapsed();
        assert!(waited >= Duration::from_millis(100), "{waited:?}");
    }
    // In a transaction nobody waits.
    assert_eq!(client.call(&["multi"]), "+OK\\r\\n");
    assert_eq!(client.call(&["bzpopmin", "a", "0"]), "+QUEUED\\r\\n");
    assert_eq!(client.call(&["exec"]), "*1\\r\\n*-1\\r\\n");
}

#[test]
fn another_type_is_not_what_they_wait_for() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = waiting(&ours, "bzpopmin a 0");
    let mut writer = Client::connect(ours.address);
    writer.call(&["set", "a", "v"]);
    writer.call(&["del", "a"]);
    writer.call(&["zadd", "a", "1", "x"]);
    assert_eq!(
        reply(&mut client),
        "*3\\r\\n$1\\r\\na\\r\\n$1\\r\\nx\\r\\n$1\\r\\n1\\r\\n"
    );
}

#[test]
fn a_write_begins_no_transaction_for_each_of_those_who_wait_for_another_type() {
    const WAITERS: usize = 50;
    let (store, counters) = Counting::over(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    let server = Arc::clone(&direct.server);
    let connect = |_| server.connect("test".into(), "test".into());
    let mut clients: Vec<_> = (0..WAITERS).map(connect).collect();
    let wait = |client| execute(client, &command("bzpopmin a 0")).waiting.unwrap();
    let waits: Vec<_> = clients.iter_mut().map(wait).collect();
    counters.snapshots();
    assert_eq!(direct.show("lpush a x"), "1");
    // That of the command itself, and one to see which type the key has now.
    assert_eq!(counters.snapshots(), 2);
    assert_eq!(direct.show("lrange a 0 -1"), "[x]");
    drop(waits);
}

/// Many wait, many write: each member goes to exactly one of them.
#[test]
fn each_member_is_popped_once() {
    const CLIENTS: usize = 8;
    const EACH: usize = 100;
    let ours = Ours::start(StoreKind::BTree.open());
    let address = ours.address;
    let poppers: Vec<_> = (0..CLIENTS)
        .map(|_| {
            thread::spawn(move || {
                let mut client = Client::connect(address);
                let pop = |_| client.call(&["bzpopmin", "queue", "100"]);
                (0..EACH).map(pop).collect::<Vec<String>>()
            })
        })
        .collect();
    let writers: Vec<_> = (0..CLIENTS)
        .map(|writer| {
            thread::spawn(move || {
                let mut client = Client::connect(address);
                for number in 0..EACH {
                    let member = format!("{writer}-{number}");
                    client.call(&["zadd", "queue", &number.to_string(), &member]);
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let mut popped: Vec<String> = poppers
        .into_iter()
        .flat_map(|popper| popper.join().unwrap())
        .collect();
    assert!(
        popped.iter().all(|reply| reply.starts_with("*3")),
        "{popped:?}"
    );
    popped.sort_unstable();
    popped.dedup();
    assert_eq!(popped.len(), CLIENTS * EACH);
    assert_eq!(
        Client::connect(address).call(&["exists", "queue"]),
        ":0\\r\\n"
    );
}
