//! Where a client in RESP3 that listens to events hears of its own commands: before the reply or after it, as in Redis.
//! The same of one that tracks keys too.

use std::net::SocketAddr;
use std::time::Duration;

use redis_layer::commands::table::Flag;

use crate::common::client::Client;
use crate::common::servers::{Ours, RealRedis};
use crate::common::waiting::eventually;
use crate::common::{StoreKind, both, without_a_line};

const KEYS: [&str; 7] = [
    "set s v",
    "rpush l a",
    "rpush l2 a b",
    "sadd t a",
    "sadd t2 b",
    "zadd z 1 a",
    "hset h f 1",
];

/// The commands that are compared.
const LINES: [&str; 104] = [
    "set s 1",
    "set s 1 get",
    "set no 1 get",
    "set s 1 ex 9 get",
    "getset s 1",
    "getset no 1",
    "getdel s",
    "getex s ex 9",
    "getex s pxat 1",
    "append s 1",
    "incr no",
    "mset s 1 no 2",
    "setrange s 1 x",
    "setbit s 1 1",
    "bitop not to s",
    "expire s 9",
    "pexpire s 9000",
    "expireat s 9999999999",
    "expire s -1",
    "del s",
    "rename s to",
    "copy s to",
    "move s 3",
    "lpop l",
    "rpop l 1",
    "lmpop 1 l left",
    "blpop l 1",
    "brpop l2 1",
    "blmpop 1 1 l right",
    "lmove l l2 left right",
    "rpoplpush l to",
    "blmove l to left left 1",
    "brpoplpush l to 1",
    "lpush l b",
    "rpush no b",
    "lpushx l b",
    "lset l 0 b",
    "linsert l before a b",
    "lrem l 0 a",
    "ltrim l 5 6",
    "sadd no a",
    "spop t",
    "spop t 1",
    "srem t a",
    "smove t t2 a",
    "sunionstore to t t2",
    "sunionstore t no",
    "sunionstore s no no2",
    "sinterstore to t t",
    "sinterstore l t t2",
    "sinterstore t t t2",
    "sinterstore l t no",
    "sinterstore no t t2",
    "sdiffstore to t t2",
    "sdiffstore t t t",
    "zadd no 1 a",
    "zadd z 2 a",
    "zincrby z 1 a",
    "geoadd no 1 1 a",
    "zrem z a",
    "zunionstore to 1 z",
    "zinterstore to 1 z",
    "zdiffstore z 2 z z",
    "zrangestore to z 0 -1",
    "zrangestore z z 5 6",
    "zremrangebyrank z 0 -1",
    "hset h f 2",
    "hset no f 2",
    "hmset h f 2",
    "hsetnx h g 2",
    "hincrby h f 1",
    "hincrbyfloat h f 1",
    "hdel h f",
    "sort t alpha store to",
    "decr no",
    "decrby no 2",
    "incrby no 2",
    "incrbyfloat no 1.5",
    "msetnx no 1 no2 2",
    "msetnx s 1 no 2",
    "psetex s 9000 1",
    "setex s 9 1",
    "setnx no 1",
    "setnx s 1",
    "bitfield s set u8 0 1",
    "bitfield no incrby u8 0 1 get u8 0",
    "bitfield s get u8 0",
    "persist s",
    "pexpireat s 9999999999999",
    "renamenx s to",
    "renamenx s l",
    "swapdb 0 1",
    "unlink s no l",
    "rpushx l b",
    "zremrangebylex z - +",
    "zremrangebyscore z 0 9",
    "georadius z 0 0 100 km store to",
    "georadiusbymember z a 1 km store to",
    "geosearchstore to z frommember a byradius 1 km",
    "flushall",
    "flushdb",
    "getdel no",
    "del no s",
    "get no",
];

/// Commands that write and are not compared, and why.
const NOT_COMPARED: [(&str, &str); 7] = [
    ("restore", "its payload is no word of a line: dump.rs"),
    ("zpopmin", IN_THE_REPLY),
    ("zpopmax", IN_THE_REPLY),
    ("zmpop", IN_THE_REPLY),
    ("bzpopmin", IN_THE_REPLY),
    ("bzpopmax", IN_THE_REPLY),
    ("bzmpop", IN_THE_REPLY),
];
const IN_THE_REPLY: &str = "Redis sends its event within the reply: no_event_comes_within_a_reply";

/// Everything that the client gets for a command, and for the `PING` after it. `before` is what it says once it listens.
fn hears(address: SocketAddr, before: &[&str], line: &str) -> String {
    let mut client = Client::connect(address);
    let mut call = |line: &str| client.call(&line.split(' ').collect::<Vec<_>>());
    call("flushall");
    for line in KEYS {
        call(line);
    }
    call("config set notify-keyspace-events AEmn");
    call("hello 3");
    call("psubscribe __key*");
    for line in before {
        call(line);
    }
    let both = format!("{line}\r\nping end-of-line\r\n");
    client.send(both.as_bytes()).unwrap();
    let mut all = String::new();
    eventually(|| {
        let (heard, is_closed) = client.rest(Duration::from_millis(20));
        assert!(!is_closed, "{line}: {all}");
        all += &heard.escape_ascii().to_string();
        all.contains("end-of-line")
    });
    all
}

#[test]
fn events_come_before_or_after_the_reply_as_in_redis() {
    compare(&[], &LINES);
}

#[test]
fn keys_that_are_out_of_date_are_named_after_the_reply_and_the_events() {
    const READ: &str = "exists s no no2 l l2 t t2 z h to";
    let is_flushed = |line: &&str| {
        ["flush", "swapdb"]
            .iter()
            .any(|name| line.starts_with(name))
    };
    let lines: Vec<&str> = LINES.into_iter().filter(|line| !is_flushed(line)).collect();
    for tracking in ["client tracking on", "client tracking on bcast"] {
        compare(&[tracking, READ], &lines);
        compare(&[tracking, READ], &["ltrim l2 0 9"]);
    }
}

/// `before` as in [`hears`].
fn compare(before: &[&str], lines: &[&str]) {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let mut wrong = Vec::new();
    for line in lines {
        let (found, expected) = both(ours.address, real.address, |address| {
            hears(address, before, line)
        });
        if found != expected {
            wrong.push(format!("{line}: {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A command that writes and is forgotten here may send its events on the other side of its reply.
#[test]
fn every_command_that_writes_is_compared_or_has_a_reason() {
    let missing: Vec<&str> = without_a_line(Flag::Write, &LINES)
        .filter(|name| NOT_COMPARED.iter().all(|(excused, _)| excused != name))
        .collect();
    assert!(
        missing.is_empty(),
        "add a line to LINES for each of these, or a reason to NOT_COMPARED: {missing:?}"
    );
}

/// Redis sends `zpopmin` within the reply, which no client can read. Here it comes before.
#[test]
fn no_event_comes_within_a_reply() {
    let ours = Ours::start(StoreKind::BTree.open());
    let pop =
        "*4\r\n$8\r\npmessage\r\n$6\r\n__key*\r\n$22\r\n__keyevent@0__:zpopmin\r\n$1\r\nz\r\n";
    let heard = hears(ours.address, &[], "zpopmin z").replace('>', "*");
    let place = |text: &str| {
        heard
            .find(&text.as_bytes().escape_ascii().to_string())
            .unwrap()
    };
    assert!(place(pop) < place("$1\r\na\r\n,1\r\n"), "{heard}");
    assert!(place("$1\r\na\r\n,1\r\n") < place("__:del"), "{heard}");
}
