//! Whoever meets a key that has expired removes it, as in Redis: the cleaner is not needed.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use bytes::Bytes;

use crate::common::client::{Client, Command};
use crate::common::servers::{Ours, RealRedis};
use crate::common::{StoreKind, both, unescape};

const PATIENCE: Duration = Duration::from_millis(300);
/// What makes four keys that will soon have expired, and that nobody removes by himself.
/// Not after 1 ms: a busy machine may take that long to begin a `PEXPIRE`, which then removes the key itself.
const EXPIRED: [&str; 9] = [
    "flushall",
    "debug set-active-expire 0",
    "set s 1 px 1",
    "sadd t 1",
    "rpush l 1",
    "hset h f 1",
    "pexpire t 30",
    "pexpire l 30",
    "pexpire h 30",
];

fn call(client: &mut Client, line: &str) -> String {
    client.call(&line.split(' ').collect::<Vec<_>>())
}

fn servers() -> Option<(RealRedis, Ours)> {
    let real = RealRedis::start_with(&["--enable-debug-command", "yes"])?;
    Some((real, Ours::start(StoreKind::BTree.open())))
}

/// What clients see of commands.
struct Seen {
    replies: Vec<String>,
    /// The line of `INFO` that counts the keys that were removed as expired.
    expired_keys: String,
    /// The messages of keyspace events, in order.
    heard: Vec<String>,
}

/// Sends `lines` one by one while `EXPIRED` have expired, after `before`, which says which events are sent.
fn see(address: SocketAddr, before: &[&str], lines: &[&str]) -> Seen {
    see_when(address, before, |client| {
        lines.iter().map(|line| call(client, line)).collect()
    })
}

/// As [`see`], but `talk` sends the commands and returns the replies.
fn see_when(
    address: SocketAddr,
    before: &[&str],
    talk: impl FnOnce(&mut Client) -> Vec<String>,
) -> Seen {
    let (mut client, mut listener) = (Client::connect(address), Client::connect(address));
    for line in EXPIRED.iter().chain(before) {
        let reply = call(&mut client, line);
        assert!(!reply.starts_with('-'), "{line}: {reply}");
    }
    thread::sleep(Duration::from_millis(50));
    call(&mut listener, "psubscribe *");
    call(&mut client, "config resetstat");
    let replies = talk(&mut client);
    let info = call(&mut client, "info stats");
    let mut stats = info.split("\\r\\n");
    let expired_keys = stats.find(|line| line.starts_with("expired_keys:"));
    call(&mut client, "publish end x");
    let messages = std::iter::repeat_with(|| listener.reply().unwrap());
    let messages = messages.map(|message| message.escape_ascii().to_string());
    Seen {
        replies,
        expired_keys: expired_keys.unwrap().to_owned(),
        heard: messages.take_while(|text| !text.contains("end")).collect(),
    }
}

/// How many expired keys a command removes, and what listeners hear of that, in no order.
fn removes(address: SocketAddr, line: &str) -> (String, Vec<String>) {
    let mut seen = see(address, &["config set notify-keyspace-events Ex"], &[line]);
    seen.heard.sort();
    (seen.expired_keys, seen.heard)
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
        let (found, expected) = both(ours.address, real.address, |address| removes(address, line));
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
        call(&mut client, "mset a 1 b 1 c 1");
        // All at once, so that it is read before it expires on a busy machine too.
        let command = |line: &str| line.split(' ').map(unescape).collect::<Command>();
        let lines = ["pexpire a 1500", "pexpire b 1500", "mget a c"];
        client.pipeline(&lines.map(command));
        thread::sleep(Duration::from_millis(1510));
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
            client.settle();
        }
        client.rest(PATIENCE).0.escape_ascii().to_string()
    };
    let (found, expected) = both(ours.address, real.address, hears);
    assert_eq!(found, expected);
}

/// The replies to `lines`, how many keys were removed as expired, and all events in order.
fn tells(address: SocketAddr, lines: &[&str]) -> (Vec<String>, String, Vec<String>) {
    let before = [
        "config set notify-keyspace-events EA",
        "set str 1",
        "sadd src 1 2",
        "zadd z 1 a",
        "geoadd g 1 1 a",
    ];
    let seen = see(address, &before, lines);
    (seen.replies, seen.expired_keys, seen.heard)
}

/// Compares what ours tells of these commands with what a real server tells.
fn tell_the_same(commands: &[&[&str]]) {
    let Some((real, ours)) = servers() else {
        return;
    };
    for lines in commands {
        let (found, expected) = both(ours.address, real.address, |address| tells(address, lines));
        assert_eq!(found, expected, "{lines:?}");
    }
}

/// Some commands of Redis take a key for an ordinary one although its time has passed: those that empty a database,
/// that remove a key because there is nothing to store, and `RESTORE ... REPLACE`.
#[test]
fn an_expired_key_that_nobody_looks_up_is_removed_as_any_other() {
    let restore = "redis.call('restore','s',ARGV[1],redis.call('dump','str'),'replace','absttl')";
    let (restored, restored_late) = (format!("eval {restore} 0 0"), format!("eval {restore} 0 1"));
    tell_the_same(&[
        &["flushall"][..],
        &["flushdb"],
        &["flushall async"],
        &["multi", "set s 1", "flushall", "exec"],
        &["multi", "get s", "flushall", "exec"],
        &["sunionstore s no"],
        &["sinterstore t no no"],
        &["sdiffstore l no"],
        &["sunionstore t t no"],
        &["zunionstore s 1 no"],
        &["zinterstore h 1 no"],
        &["zdiffstore s 1 no"],
        &["zrangestore s no 0 -1"],
        &["zrangestore s z 5 6"],
        &["sort no store l"],
        &["geosearchstore s no fromlonlat 0 0 byradius 1 m"],
        &["geosearchstore s g fromlonlat 80 50 byradius 1 m"],
        &["georadius g 80 50 1 m store s"],
        &["bitop and s no"],
        &["multi", "sunionstore s no", "set s 1", "exec"],
        &["multi", "get s", "sunionstore s no", "exec"],
        &["eval redis.call('sunionstore',KEYS[1],'no') 1 s"],
        &["sunionstore s src"],
        &[&restored],
        &[&restored_late],
    ]);
}

/// `MOVE` looks at its target only if there is something to move.
#[test]
fn the_target_of_nothing_is_not_looked_up() {
    tell_the_same(&[
        &["select 1", "move s 0"],
        &["select 1", "set s 1", "move s 0"],
        &["move s 1"],
    ]);
}

#[test]
fn the_size_of_an_expired_key_is_told() {
    let Some((real, ours)) = servers() else {
        return;
    };
    for lines in [
        &["memory usage s"][..],
        &["memory usage t samples 0"],
        &["multi", "get h", "memory usage h", "exec"],
        &["memory usage no"],
    ] {
        let no_sizes = |address| {
            let (mut replies, expired_keys, heard) = tells(address, lines);
            for reply in replies.iter_mut().filter(|reply| reply.starts_with(':')) {
                "size".clone_into(reply);
            }
            (replies, expired_keys, heard)
        };
        let (found, expected) = both(ours.address, real.address, no_sizes);
        assert_eq!(found, expected, "{lines:?}");
    }
}

/// That a key has expired is told where a command finds that out, not where it changes the key.
#[test]
fn a_key_expires_before_the_command_does_anything() {
    tell_the_same(&[
        &["rename str s"][..],
        &["renamenx str s"],
        &["smove src t 1"],
        &["copy str s replace"],
        &["move str 1"],
        &["multi", "set str 2", "set s 2", "exec"],
        &["multi", "set str 2", "rename str s", "exec"],
        &["multi", "set str 2", "get s", "set str 3", "exec"],
        &["mset str 1 s 1"],
        &["del str s src t"],
        &["unlink l str s"],
    ]);
}

/// Some of the keys are changed, and some only read: that they have expired is told in the order in which they were found.
#[test]
fn keys_expire_in_the_order_in_which_they_are_found() {
    let script = "eval redis.call('get','t');redis.call('set','s',1);redis.call('get','l');redis.call('del','h') 0";
    tell_the_same(&[
        &["multi", "set s 2", "get t", "exec"][..],
        &["multi", "get t", "set s 2", "get l", "exec"],
        &["multi", "get t", "del s", "get l", "exec"],
        &["multi", "del t", "get h", "set s 2", "exec"],
        &["multi", "del t s", "get l", "set str 2", "get h", "exec"],
        &["multi", "set str 2", "mget t l", "del s h", "exec"],
        &[
            "multi",
            "config set notify-keyspace-events EAm",
            "get t",
            "set s 1",
            "get l",
            "exec",
        ],
        &[script],
    ]);
}

/// A key may be written when its time has passed already. The next command that comes to it finds it expired, also if
/// both run in one transaction.
#[test]
fn a_key_that_expired_when_it_was_written_is_found_by_the_commands_behind() {
    let Some((real, ours)) = servers() else {
        return;
    };
    for commands in [
        &["del x b"][..],
        &["unlink b b x b"],
        &["get b"],
        &["get b", "get b"],
        &["mget x b c"],
        &["exists b b"],
        &["touch b x b"],
        &["type b"],
        &["strlen b"],
        &["ttl b", "expiretime b"],
        &["persist b", "expire b 100"],
        &["incr b"],
        &["append b 1", "append b 1"],
        &["setrange b 3 1"],
        &["getset b 2"],
        &["getdel b"],
        &["getex b persist"],
        &["set b 2"],
        &["set b 2 get"],
        &["set b 2 nx", "set b 3 xx"],
        &["set b 2 xx"],
        &["set b 2 keepttl"],
        &["set b 2 pxat 1", "set b 3 exat 1 get"],
        &["set b 2 pxat 1", "get b", "set b 3"],
        &["setnx b 2"],
        &["mset c 1 b 2"],
        &["msetnx c 1 b 2"],
        &["rename x b"],
        &["renamenx x b"],
        &["rename b x"],
        &["copy x b"],
        &["copy x b replace"],
        &["copy b x replace"],
        &["move b 1"],
        &["lset b 0 1"],
        &["lpush b 1", "lpop b", "lpop b"],
        &["rpoplpush src b"],
        &["sadd b 1", "set b 2 pxat 1", "zadd b 1 a"],
        &["smove x b 1"],
        &["sunionstore c b x"],
        &["sunionstore b x"],
        &["sunionstore b b"],
        &["sinterstore b no"],
        &["zunionstore b 1 no"],
        &["bitop not b b"],
        &["bitop not b x"],
        &["sort b store c"],
        &["sort x store b"],
        &["dump b"],
        &["object encoding b"],
        &["zrange b 0 -1"],
        &["hget b f"],
        &["set s 2 pxat 1", "get s"],
        &["get s", "set s 2 pxat 1", "del s"],
        &["get s", "set s 2 pxat 1", "sunionstore s no"],
        &["set t 2 pxat 1", "sadd t 1"],
        &["del s b t"],
        &["incrby b no"],
    ] {
        let mut lines = vec!["sadd x 1", "set b v pxat 1"];
        lines.extend(commands);
        let encode = |line: &&str| {
            let words = line.split(' ').map(|word| Bytes::from(word.to_owned()));
            words.collect::<Command>()
        };
        let piped: Vec<Command> = lines.iter().map(encode).collect();
        let pipeline = |commands: &[Command], client: &mut Client| {
            let replies = client.pipeline(commands).into_iter();
            replies
                .map(|reply| reply.escape_ascii().to_string())
                .collect::<Vec<_>>()
        };
        let before = ["config set notify-keyspace-events EAmn"];
        for frame in [None, Some(["multi", "exec"])] {
            let mut sent = piped.clone();
            if let Some([begin, end]) = frame {
                sent.insert(0, encode(&begin));
                sent.push(encode(&end));
            }
            let tells = |address| {
                let seen = see_when(address, &before, |client| pipeline(&sent, client));
                (seen.replies, seen.expired_keys, seen.heard)
            };
            let (found, expected) = both(ours.address, real.address, tells);
            assert_eq!(found, expected, "{lines:?} {frame:?}");
        }
        let calls = lines
            .iter()
            .map(|line| format!("redis.pcall('{}')", line.replace(' ', "','")));
        let script = format!("eval {} 0", calls.collect::<Vec<_>>().join(";"));
        let tells = |address| {
            let seen = see(address, &before, &[&script]);
            (seen.replies, seen.expired_keys, seen.heard)
        };
        let (found, expected) = both(ours.address, real.address, tells);
        assert_eq!(found, expected, "{script}");
    }
}
