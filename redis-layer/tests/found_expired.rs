//! Whoever meets a key that has expired removes it, as in Redis: the cleaner is not needed.

mod common;

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use common::StoreKind;
use common::client::Client;
use common::servers::{Ours, RealRedis};

const PATIENCE: Duration = Duration::from_millis(300);
/// What makes four keys that will soon have expired, and that nobody removes by himself.
const EXPIRED: [&str; 9] = [
    "flushall",
    "debug set-active-expire 0",
    "set s 1 px 1",
    "sadd t 1",
    "rpush l 1",
    "hset h f 1",
    "pexpire t 1",
    "pexpire l 1",
    "pexpire h 1",
];

fn call(client: &mut Client, line: &str) -> String {
    client.call(&line.split(' ').collect::<Vec<_>>())
}

fn servers() -> Option<(RealRedis, Ours)> {
    let real = RealRedis::start_with(&["--enable-debug-command", "yes"])?;
    Some((real, Ours::start(StoreKind::BTree.open())))
}

/// How many expired keys a command removes, and what listeners hear of that, in no order.
fn removes(address: SocketAddr, line: &str) -> (String, Vec<String>) {
    let (mut client, mut listener) = (Client::connect(address), Client::connect(address));
    call(&mut client, "config set notify-keyspace-events Ex");
    for line in EXPIRED {
        let reply = call(&mut client, line);
        assert!(!reply.starts_with('-'), "{line}: {reply}");
    }
    thread::sleep(Duration::from_millis(10));
    call(&mut listener, "psubscribe *");
    call(&mut client, "config resetstat");
    call(&mut client, line);
    let info = call(&mut client, "info stats");
    let lines = info.split("\\r\\n");
    let count = lines.filter(|line| line.starts_with("expired_keys:"));
    call(&mut client, "publish end x");
    let messages = std::iter::repeat_with(|| listener.reply().unwrap());
    let messages = messages.map(|message| message.escape_ascii().to_string());
    let mut heard: Vec<_> = messages.take_while(|text| !text.contains("end")).collect();
    heard.sort();
    (count.collect(), heard)
}

#[test]
fn the_same_keys_are_removed_as_in_redis() {
    let Some((real, ours)) = servers() else {
        return;
    };
    for line in [
        "ping",
        "get s",
        "mget s x l",
        "exists s t l h",
        "type h",
        "ttl s",
        "scan 0",
        "scan 0 match x*",
        "scan 0 match s type string",
        "randomkey",
        "keys *",
        "debug object s",
        "set s 2",
        "setnx s 2",
        "lpush l 2",
        "del s t",
        "rename s l",
        "rename x s",
        "lpop l",
        "blpop l 0.01",
        "incr t",
        "sunionstore x t h",
        "eval redis.call('get','s') 0",
    ] {
        let (found, expected) = (removes(ours.address, line), removes(real.address, line));
        assert_eq!(found, expected, "{line}");
    }
}

/// Who keeps copies is told of a key that it finds expired if it had read it before, and goes on to hear of it.
#[test]
fn who_keeps_copies_hears_of_keys_that_it_finds_expired() {
    let Some((real, ours)) = servers() else {
        return;
    };
    let hears = |address| {
        let mut client = Client::connect(address);
        for line in [
            "flushall",
            "debug set-active-expire 0",
            "hello 3",
            "client tracking on",
        ] {
            call(&mut client, line);
        }
        for line in [
            "mset a 1 b 1 c 1",
            "pexpire a 500",
            "pexpire b 500",
            "mget a c",
        ] {
            call(&mut client, line);
        }
        thread::sleep(Duration::from_millis(510));
        for line in [
            "mget a b c",
            "get a",
            "get b",
            "set a 2",
            "set b 2",
            "del a",
            "get a",
        ] {
            client.send(format!("{line}\r\n").as_bytes()).unwrap();
            thread::sleep(Duration::from_millis(10));
        }
        client.rest(PATIENCE).0.escape_ascii().to_string()
    };
    assert_eq!(hears(ours.address), hears(real.address));
}
