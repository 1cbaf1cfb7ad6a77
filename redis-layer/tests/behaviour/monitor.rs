//! `MONITOR`: what is shown, and what who looks on may do, beside a real server.

use std::net::SocketAddr;
use std::time::Duration;

use crate::common::client::{Client, encode};
use crate::common::servers::Ours;
use crate::common::{self, StoreKind, assert_alike};

const PATIENCE: Duration = Duration::from_millis(300);

fn ours() -> Ours {
    Ours::start(StoreKind::BTree.open())
}

/// All that has arrived, without times and addresses, and whether the connection is closed.
fn arrived(client: &mut Client) -> (Vec<String>, bool) {
    let (bytes, closed) = client.rest(PATIENCE);
    let text = String::from_utf8(bytes).unwrap();
    let without_time = |line: &str| {
        let Some((_, behind)) = line.split_once(" [") else {
            return line.to_owned();
        };
        let (place, words) = behind.split_once(']').unwrap();
        format!("{}{words}", place.split(' ').next().unwrap())
    };
    (text.lines().map(without_time).collect(), closed)
}

/// What a client gets that sends these lines one after the other.
fn replies(address: SocketAddr, lines: &[&str]) -> Vec<(Vec<String>, bool)> {
    let mut client = Client::connect(address);
    let mut replies = Vec::new();
    for line in lines {
        client.send(format!("{line}\r\n").as_bytes()).unwrap();
        replies.push(arrived(&mut client));
    }
    replies
}

#[test]
fn monitors_see_commands_but_no_secrets() {
    assert_alike(|address| {
        let (mut monitor, mut client) = (Client::connect(address), Client::connect(address));
        monitor.call(&["monitor"]);
        for line in [
            "set a \\x00\\xff\"\\x0a",
            "get a",
            "nope",
            "get",
            "auth default secret",
            "config get port",
            "multi",
            "set b 1",
            "exec",
            "select 3",
            "get a",
            "eval return(redis.call('get','a')) 0",
            "multi",
            "eval return(redis.call('get','a')) 0",
            "eval return( 0",
            "evalsha no 0",
            "exec",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            client.call(&words);
        }
        arrived(&mut monitor)
    });
}

/// Of the commands that are refused, `EXEC` alone: whoever has seen its `MULTI` is told that the transaction is over.
#[test]
fn a_refused_exec_is_seen() {
    assert_alike(|address| {
        let mut monitor = Client::connect(address);
        monitor.call(&["monitor"]);
        let lines = [
            "multi",
            "get",
            "discard now",
            "exec now",
            "subscribe c",
            "get a",
            "exec",
        ];
        (replies(address, &lines), arrived(&mut monitor))
    });
}

#[test]
fn who_looks_on_leaves_the_keys_alone() {
    let lines = [
        "monitor",
        "get a",
        "set a 1",
        "eval 'return 1' 0",
        "eval_ro 'return 1' 0",
        "publish c m",
        "dbsize",
        "blpop a 0",
        "nosuch",
        "select 1",
        "echo x",
        "watch a",
        "monitor",
        "multi",
        "get a",
        "exec",
        "subscribe a",
        "ping",
        "reset",
        "get a",
    ];
    assert_alike(|address| replies(address, &lines));
}

/// A script that says that it does not write may run: it cannot do harm.
#[test]
fn who_looks_on_may_run_scripts_that_do_not_write() {
    assert_alike(|address| {
        let mut client = Client::connect(address);
        client.call(&["monitor"]);
        let script = "#!lua flags=no-writes\nreturn redis.call('echo', 'x')";
        let words = ["eval", script, "0"].map(common::unescape);
        client.send(&encode(&words.to_vec())).unwrap();
        arrived(&mut client)
    });
}

/// Commands that arrive together would run together, and past the refusal.
#[test]
fn commands_of_who_looks_on_are_refused_together_too() {
    let ours = ours();
    let mut client = Client::connect(ours.address);
    client.call(&["monitor"]);
    client.send(b"get a\r\nget b\r\nset a 1\r\n").unwrap();
    let refused = "-ERR Replica can't interact with the keyspace".to_owned();
    let expected = (vec![refused.clone(), refused.clone(), refused], false);
    assert_eq!(arrived(&mut client), expected);
}

#[test]
fn nobody_begins_to_look_on_in_a_transaction() {
    let lines = ["multi", "get a", "monitor", "exec", "ping", "get a"];
    assert_alike(|address| replies(address, &lines));
}

#[test]
fn who_leaves_does_not_see_that() {
    let lines = ["monitor", "ping", "quit"];
    assert_alike(|address| replies(address, &lines));
}

/// It is a client like others, or one that listens to channels.
#[test]
fn who_looks_on_is_no_replica() {
    assert_alike(|address| {
        let connect = || Client::connect(address);
        let (mut killer, mut monitor, mut listener) = (connect(), connect(), connect());
        monitor.call(&["monitor"]);
        listener.call(&["monitor"]);
        listener.call(&["subscribe", "a"]);
        let mut said = Vec::new();
        for kind in ["replica", "normal", "pubsub"] {
            let list = killer.call(&["client", "list", "type", kind]);
            said.push(list.matches("flags=O").count().to_string());
            said.push(killer.call(&["client", "kill", "type", kind]));
        }
        let closed = [monitor, listener].map(|mut client| client.rest(PATIENCE).1);
        (said, closed)
    });
}

#[test]
fn who_looks_on_is_not_held_back() {
    assert_alike(|address| {
        let (mut monitor, mut pauser) = (Client::connect(address), Client::connect(address));
        monitor.call(&["monitor"]);
        pauser.call(&["client", "pause", "60000"]);
        monitor.send(b"ping\r\nclient unpause\r\n").unwrap();
        (arrived(&mut monitor), pauser.call(&["ping"]))
    });
}
