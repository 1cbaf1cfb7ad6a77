//! What counts as a use of a key: the hits and misses of `INFO`, and who is told of keys that were asked for in vain. The
//! sources of a command that stores count as well; what it only looks at to change it does not.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use crate::common::client::Client;
use crate::common::servers::{Ours, RealRedis};
use crate::common::{Direct, StoreKind, both};

const KEYS: &[&str] = &[
    "flushall",
    "set a xy",
    "set n 5",
    "rpush l 1 2",
    "rpush m 1",
    "sadd s 1 2 3",
    "sadd t 1",
    "zadd z 1 a 2 b",
    "hset h f 1",
    "geoadd g 1 2 p",
];

const COMMANDS: &[&str] = &[
    "get a",
    "get no",
    "get l",
    "object encoding s",
    "object encoding z",
    "sort h",
    "sort a get x*",
    "getdel l",
    "getset l x",
    "getex l",
    "getex l x",
    "set l x xx get",
    "set l x foo",
    "georadius g 1 2 x km store to",
    "georadius no 1 2 x km store to",
    "georadiusbymember g q 1 km store to",
    "geosearchstore to a fromlonlat 1 2 byradius 1 km",
    "geosearchstore to g fromlonlat 1 2 byradius x km",
    "sinterstore to no l",
    "sdiffstore to s l no",
    "zunionstore to 2 no l",
    "zinterstore to 2 z l",
    "bitop and to no a l",
    "lcs l no",
    "lcs a l",
    "lrange a 0 1",
    "zscore h a",
    "mget a no no2",
    "set a 1 get",
    "set no 1 nx get",
    "set no 1 xx",
    "setnx no 1",
    "getset a 1",
    "getset no 1",
    "getdel a",
    "getdel no",
    "getex a ex 10",
    "getex no",
    "append no 1",
    "incr no",
    "msetnx no 1 a 2",
    "bitop or to a no n",
    "bitop not no a",
    "bitfield no get u8 0",
    "bitfield a get u8 0 get u8 1",
    "bitfield no set u8 0 1",
    "lpop no",
    "lmove no l left left",
    "hincrby no f 1",
    "smove no t 1",
    "sinterstore to no s",
    "sunionstore to s no",
    "sdiffstore to s no t",
    "zincrby no 1 a",
    "zrangestore to z 0 1",
    "zrangestore to no 0 1",
    "zunionstore to 2 z no",
    "zinterstore to 2 no z",
    "zdiffstore to 2 z no",
    "zunionstore to 2 z s",
    "zinterstore to 2 s t",
    "zdiffstore to 2 s no",
    "zunion 2 s z",
    "zintercard 2 s t",
    "spop s",
    "spop s 2",
    "spop s 3",
    "spop s 9",
    "spop s 0",
    "spop no 3",
    "geosearchstore to no fromlonlat 1 2 byradius 100 km",
    "georadius g 1 2 100 km store to",
    "georadiusbymember no p 100 km",
    "rename no a",
    "renamenx a n",
    "copy a to",
    "copy a n",
    "copy no to",
    "move no 1",
    "expire no 10",
    "persist no",
    "sort l",
    "sort no",
    "sort_ro l",
    "sort l store to",
    "sort s by w_*",
    "sort l by n* get m*",
    "dump l",
    "dump z",
    "dump no",
    "object encoding a",
    "object encoding no",
    "memory usage a",
    "memory usage no",
    "touch a no",
    "exists a no",
    "type no",
    "ttl no",
    "eval return(redis.call('getdel',KEYS[1])) 1 no",
];

/// What a listener hears until somebody publishes to the channel `end`.
fn messages_to_the_end(listener: &mut Client) -> Vec<String> {
    let mut messages = Vec::new();
    loop {
        let message = listener.reply().unwrap().escape_ascii().to_string();
        if message.contains("\\nend\\r") {
            return messages;
        }
        messages.push(message);
    }
}

/// Hits, misses, and which keys were missed.
fn uses(address: SocketAddr, line: &str) -> (Vec<String>, Vec<String>) {
    let (mut client, mut listener) = (Client::connect(address), Client::connect(address));
    let call = |client: &mut Client, line: &str| client.call(&line.split(' ').collect::<Vec<_>>());
    call(&mut client, "config set notify-keyspace-events Em");
    for line in KEYS {
        call(&mut client, line);
    }
    call(&mut listener, "psubscribe *");
    call(&mut client, "config resetstat");
    call(&mut client, line);
    let info = call(&mut client, "info stats");
    let counts = info.split("\\r\\n").filter(|line| {
        let name = line.split(':').next().unwrap_or_default();
        matches!(name, "keyspace_hits" | "keyspace_misses")
    });
    call(&mut client, "publish end x");
    let missed = messages_to_the_end(&mut listener);
    (counts.map(str::to_owned).collect(), missed)
}

#[test]
fn the_same_lookups_count_as_in_redis() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let mut wrong = Vec::new();
    for line in COMMANDS {
        let (found, expected) = both(ours.address, real.address, |address| uses(address, line));
        assert_eq!(expected.0.len(), 2);
        if found != expected {
            wrong.push(format!("{line}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What listeners hear of these lines, sent by one client when all keys that begin with `e` have expired.
fn events(address: SocketAddr, lines: &[&str]) -> Vec<String> {
    let (mut client, mut listener) = (Client::connect(address), Client::connect(address));
    let call = |client: &mut Client, line: &str| client.call(&line.split(' ').collect::<Vec<_>>());
    // Nobody but who asks for a key finds that it has expired.
    // A `PEXPIRE` of 1 ms that begins later, on a busy machine, would remove the key itself.
    for line in [
        "flushall",
        "debug set-active-expire 0",
        "mset e1 1 e2 2",
        "sadd e3 1",
        "rpush l 1",
        "pexpire e1 30",
        "pexpire e2 30",
        "pexpire e3 30",
        "config set notify-keyspace-events EAmn",
    ] {
        let reply = call(&mut client, line);
        assert!(!reply.starts_with('-'), "{line}: {reply}");
    }
    thread::sleep(Duration::from_millis(50));
    call(&mut listener, "psubscribe __key*");
    call(&mut listener, "subscribe end");
    for line in lines {
        call(&mut client, line);
    }
    call(&mut client, "publish end x");
    messages_to_the_end(&mut listener)
}

/// A command that asks for an expired key sends `expired`, then `keymiss`; if it then puts something there, that is `new`.
#[test]
fn events_come_in_the_order_of_redis() {
    let Some(real) = RealRedis::start_with(&["--enable-debug-command", "yes"]) else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let script = "eval redis.call('get','e1')redis.call('set','a',1)redis.call('get','e2') 0";
    let mut wrong = Vec::new();
    for lines in [
        &["getset no 1"][..],
        &["set no 1 get"],
        &["set no 1 nx get"],
        &["get e1"],
        &["exists e1 e2"],
        &["ttl e1"],
        &["smembers e3"],
        &["mget e1 no e2 e1 no2"],
        &["set e1 1"],
        &["set e1 1 get"],
        &["getset e1 1"],
        &["incr e1"],
        &["append e1 1"],
        &["expire e1 10"],
        &["lpop e1"],
        &["sunionstore to no e3"],
        &["multi", "get e1", "set a 1", "get e2", "set e2 1", "exec"],
        &["multi", "set a 1", "get e1", "set e1 1", "exec"],
        &[script],
        &["get e1", "get e1", "set e1 1"],
        &["rename e1 to"],
        &["restore e1 0 x"],
        &["lset e1 0 1"],
        &["blpop e1 0.01"],
        &["sinter no l"],
        &["sinterstore to no l"],
        &["sunionstore to l no"],
        &["sdiffstore to e1 no l"],
        &["zinter 2 no l"],
        &["zunionstore to 2 no l"],
        &["zdiffstore to 2 no a weights 1 2"],
        &["bitop and to no l no2"],
        &["lcs l no"],
        &["lcs no l"],
        &[
            "multi",
            "set a 1",
            "bitop or to no l",
            "sinter no2 a",
            "set b 1",
            "exec",
        ],
        &["eval redis.pcall('sunionstore','to','no','l')redis.pcall('lcs','no','l') 0"],
        &["eval redis.call('set','a',1)redis.call('zunionstore','to',2,'no','l') 0"],
    ] {
        let (found, expected) = both(ours.address, real.address, |address| events(address, lines));
        if found != expected {
            wrong.push(format!("{lines:?}: {found:#?}, not {expected:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A question that needs the lock of its key looks the key up once more, under the lock.
#[test]
fn a_question_under_a_lock_counts_once() {
    let mut direct = Direct::new(StoreKind::BTree);
    let pairs: Vec<String> = (0..300).map(|i| format!("{i} m{i}")).collect();
    let pairs = pairs.join(" ");
    direct.run(&format!("zadd z {pairs}"));
    direct.run(&format!("rpush l {pairs}"));
    for pivot in ["m20", "m150", "m280"] {
        direct.run(&format!("linsert l before {pivot} x"));
    }
    for line in [
        "zrank z m150",
        "zrank z m151",
        "lindex l 300",
        "lrange l 300 301",
    ] {
        let before = direct.server.shared.lookups().hits;
        direct.run(line);
        assert_eq!(direct.server.shared.lookups().hits - before, 1, "{line}");
    }
}
