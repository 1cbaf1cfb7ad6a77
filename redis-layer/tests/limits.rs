//! Clients that send too much, read too little, or come in great numbers: memory stays bounded,
//! and others are served.

#[expect(dead_code, reason = "the tests beside use the rest")]
mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use common::StoreKind;
use common::client::{Client, encode};
use common::program::Running;
use common::servers::{Ours, RealRedis};
use common::waiting::{DEADLINE, eventually, rest_for};
use redis_layer::server::Options;
use rlimit::Resource;

const PATIENCE: Duration = DEADLINE;

fn ours_with(config: &[(&'static str, &str)]) -> Ours {
    let config = config
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()));
    let options = Options {
        config: config.collect(),
        ..Options::default()
    };
    Ours::start_with(StoreKind::BTree.open(), options)
}

#[test]
fn a_command_larger_than_the_limit_ends_the_connection() {
    let ours = ours_with(&[("client-query-buffer-limit", "1mb")]);
    for start in [
        // One long argument.
        "*2\r\n$4\r\necho\r\n$3000000\r\n",
        // Many arguments.
        "*1000000\r\n",
    ] {
        let mut client = Client::connect(ours.address);
        client.send(start.as_bytes()).unwrap();
        let piece = if start.contains("echo") {
            "x".repeat(10_000)
        } else {
            "$5\r\nxxxxx\r\n".repeat(1_000)
        };
        // The server may hang up before all of it is sent.
        let all_taken = (0..300).all(|_| client.send(piece.as_bytes()).is_ok());
        let (said, closed) = client.rest(PATIENCE);
        assert!(closed && said.is_empty() || !all_taken, "{start}");
    }
    assert_eq!(Client::connect(ours.address).call(&["ping"]), "+PONG\\r\\n");
}

/// A length that a client only announces costs nothing.
#[test]
fn announced_lengths_allocate_nothing() {
    let program = Running::in_memory(&[]);
    let before = program.bytes_of("VmRSS");
    let mut clients = Vec::new();
    for _ in 0..100 {
        let mut client = Client::connect(program.address);
        client.send(b"*1000000\r\n$500000000\r\nabc").unwrap();
        clients.push(client);
    }
    assert_eq!(
        Client::connect(program.address).call(&["ping"]),
        "+PONG\\r\\n"
    );
    let grown = program.bytes_of("VmRSS").saturating_sub(before);
    assert!(
        grown < 100 * 256 * 1024,
        "{grown} bytes for 100 half commands"
    );
}

/// A long argument goes with its command. Nothing that arrived together with it and is kept keeps it too: neither half a
/// command, nor one that is queued, nor a message.
#[test]
fn what_came_with_a_long_argument_does_not_keep_it() {
    const BYTES: usize = 8 << 20;
    const CLIENTS: usize = 10;
    let program = Running::in_memory(&[]);
    let mut listener = Client::connect(program.address);
    listener.call(&["subscribe", "a"]);
    // So much that it waits in the server, because the listener does not read.
    let mut speaker = Client::connect(program.address);
    for _ in 0..70 {
        speaker.call(&["publish", "a", &"x".repeat(100_000)]);
    }
    let held = || program.bytes_of("RssAnon");
    let long = vec![b'x'; BYTES].into();
    let echo = encode(&vec!["echo".into(), long]);
    for behind in ["*", "multi\r\nget k\r\n", "publish a b\r\n"] {
        let before = held();
        let clients = (0..CLIENTS).map(|_| {
            let mut client = Client::connect(program.address);
            client.send(&[&echo, behind.as_bytes()].concat()).unwrap();
            client.reply().unwrap();
            client
        });
        let clients: Vec<Client> = clients.collect();
        let allowed = before + 2 * BYTES;
        eventually(|| held() <= allowed);
        drop(clients);
    }
}

/// All clients together hold no more than `maxmemory-clients`: whoever holds most has to go.
#[test]
fn no_value_is_made_that_is_longer_than_a_string_may_be() {
    let ours = ours_with(&[]);
    let mut client = Client::connect(ours.address);
    for bytes in ["536870913", "9223372036854775807"] {
        let answer = client.call(&["debug", "populate", "1", "key", bytes]);
        assert!(answer.contains("exceeds maximum allowed size"), "{answer}");
    }
    assert_eq!(client.call(&["dbsize"]), ":0\\r\\n");
    assert_eq!(
        client.call(&["debug", "populate", "1", "key", "9"]),
        "+OK\\r\\n"
    );
    assert_eq!(client.call(&["strlen", "key:0"]), ":9\\r\\n");
}

#[test]
fn clients_that_hold_too_much_together_are_closed_greatest_first() {
    let ours = ours_with(&[
        ("maxmemory-clients", "8mb"),
        ("client-query-buffer-limit", "64mb"),
    ]);
    let mut modest = Client::connect(ours.address);
    modest.send(b"*2\r\n$4\r\necho\r\n$100\r\nabc").unwrap();
    let mut greedy = Client::connect(ours.address);
    greedy.send(b"*2\r\n$4\r\necho\r\n$50000000\r\n").unwrap();
    let piece = "x".repeat(100_000);
    let deadline = Instant::now() + PATIENCE;
    while greedy.send(piece.as_bytes()).is_ok() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
    assert!(greedy.rest(PATIENCE).1);
    modest.send(&b"x".repeat(97)).unwrap();
    modest.send(b"\r\n").unwrap();
    assert_eq!(modest.reply().unwrap().len(), 108);
    let info = modest.call(&["info", "stats"]);
    assert!(info.contains("evicted_clients:1\\r\\n"), "{info}");
}

/// An answer may repeat a thousand times what is stored once. Beyond `maxmemory-clients` nobody gets a byte of it, and it takes
/// no memory.
#[test]
fn an_answer_larger_than_all_clients_may_hold_is_not_written() {
    let program = Running::in_memory(&[]);
    let mut modest = Client::connect(program.address);
    modest.call(&["config", "set", "maxmemory-clients", "8mb"]);
    let large = "x".repeat(100_000);
    modest.call(&["sadd", "s", &large]);
    modest.call(&["zadd", "z", "1", &large]);
    modest.call(&["hset", "h", "f", &large]);
    let before = program.bytes_of("VmRSS");
    let in_parts = |command: &str| format!("multi\r\n{}exec\r\n", command.repeat(300));
    for (n, commands) in [
        "srandmember s -10000\r\n".to_owned(),
        "zrandmember z -10000\r\n".to_owned(),
        "zrandmember z -10000 withscores\r\n".to_owned(),
        "hrandfield h -10000 withvalues\r\n".to_owned(),
        in_parts("srandmember s -10\r\n"),
        in_parts("srandmember s\r\n"),
        in_parts("hget h f\r\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut greedy = Client::connect(program.address);
        greedy.send(commands.as_bytes()).unwrap();
        let (said, is_closed) = greedy.rest(PATIENCE);
        assert!(is_closed, "{commands}");
        assert!(!said.contains(&b'x'), "{commands}");
        let info = modest.call(&["info", "stats"]);
        let evicted = format!("evicted_clients:{}\\r\\n", n + 1);
        assert!(info.contains(&evicted), "{commands} {info}");
    }
    let grown = program.bytes_of("VmRSS").saturating_sub(before);
    assert!(grown < 64 << 20, "{grown} bytes");
}

/// What waits for `EXEC` is held for the client like what it has not sent to its end.
#[test]
fn a_transaction_counts_as_what_its_client_holds() {
    let ours = ours_with(&[("maxmemory-clients", "8mb")]);
    let mut modest = Client::connect(ours.address);
    let mut greedy = Client::connect(ours.address);
    greedy.call(&["client", "setname", "greedy"]);
    greedy.call(&["multi"]);
    greedy.call(&["set", "k", &"x".repeat(100_000)]);
    let list = modest.call(&["client", "list"]);
    let held = |name: &str| -> usize {
        let line = list.split("\\n").find(|line| line.contains("name=greedy"));
        let mut words = line.unwrap().split(' ');
        let value = words.find_map(|word| word.strip_prefix(name)).unwrap();
        value.parse().unwrap()
    };
    assert!((100_000..101_000).contains(&held("multi-mem=")), "{list}");
    assert!(held("tot-mem=") > held("multi-mem="), "{list}");
    let command = format!("set k {}\r\n", "x".repeat(60_000));
    let deadline = Instant::now() + PATIENCE;
    let mut queued = 0;
    while greedy.send(command.as_bytes()).is_ok() && Instant::now() < deadline {
        match greedy.reply() {
            Ok(_) => queued += 1,
            Err(_) => break,
        }
        thread::sleep(Duration::from_millis(2));
    }
    assert!((100..1_000).contains(&queued), "{queued} commands");
    assert_eq!(modest.call(&["get", "k"]), "$-1\\r\\n");
    // What has run is held no longer.
    let mut thrifty = Client::connect(ours.address);
    thrifty.call(&["client", "setname", "greedy"]);
    thrifty.call(&["multi"]);
    thrifty.call(&["set", "k", &"x".repeat(100_000)]);
    thrifty.call(&["exec"]);
    let list = modest.call(&["client", "list"]);
    assert!(list.contains("multi-mem=0"), "{list}");
}

/// What a script answers is copied out of Lua, each map as often as it is mentioned. The one here contains itself.
#[test]
fn an_answer_of_maps_in_maps_takes_little_memory() {
    let program = Running::in_memory(&[]);
    let mut client = Client::connect(program.address);
    let script = "local m = {} m[1] = {map = m} for i = 2, 1e5 do m[i] = i end return m[1]";
    // The answer is long. It is made all the same.
    client.send(b"client reply off\r\n").unwrap();
    let eval = ["eval", script, "0"].map(|word| Bytes::from(word.to_owned()));
    client.send(&encode(&eval.to_vec())).unwrap();
    client.call(&["client", "reply", "on"]);
    let most = program.bytes_of("VmHWM");
    assert!(most < 1 << 30, "{most} bytes");
}

/// What a transaction publishes is sent after its commit. Until then it is held for the client, if anybody is to hear it.
#[test]
fn a_script_cannot_publish_without_an_end() {
    let program = Running::in_memory(&[]);
    let mut modest = Client::connect(program.address);
    modest.call(&["config", "set", "maxmemory-clients", "64mb"]);
    let script = "local s = string.rep('x', 1000000) \
                  for i = 1, 1000 do redis.call('publish', 'c', s) end return 'all'";
    let mut greedy = Client::connect(program.address);
    assert_eq!(greedy.call(&["eval", script, "0"]), "$3\\r\\nall\\r\\n");
    let mut listener = Client::connect(program.address);
    listener.call(&["subscribe", "c"]);
    greedy
        .send(&encode(&["eval", script, "0"].map(Bytes::from).to_vec()))
        .unwrap();
    assert!(greedy.rest(PATIENCE).1);
    assert!(
        modest
            .call(&["info", "stats"])
            .contains("evicted_clients:1\\r\\n")
    );
    let most = program.bytes_of("VmHWM");
    assert!(most < 400 << 20, "{most} bytes");
}

/// Whether the server has closed this connection by now.
fn is_closed(client: &mut Client) -> bool {
    client.rest(Duration::ZERO).1
}

/// So does what a client sends while it is blocked or paused.
#[test]
fn what_arrives_while_a_client_waits_counts() {
    for is_paused in [false, true] {
        let ours = ours_with(&[("maxmemory-clients", "8mb")]);
        let mut modest = Client::connect(ours.address);
        if is_paused {
            modest.call(&["client", "pause", "600000", "write"]);
        }
        let mut greedy: Vec<Client> = (0..3).map(|_| Client::connect(ours.address)).collect();
        for client in &mut greedy {
            client.call(&["client", "setname", "greedy"]);
            let waits = if is_paused {
                "set k v\r\n"
            } else {
                "blpop nothing 0\r\n"
            };
            client.send(waits.as_bytes()).unwrap();
            client.wait_until_held_up();
            client.send(b"*2\r\n$4\r\necho\r\n$10000000\r\n").unwrap();
        }
        for client in &mut greedy {
            // It may be closed meanwhile.
            let _ = client.send(&[b'x'; 2_500_000]);
        }
        eventually(|| {
            let list = modest.call(&["client", "list"]);
            let sent = list
                .split(' ')
                .filter_map(|word| word.strip_prefix("qbuf="));
            sent.filter(|bytes| bytes.len() == 7).count() >= 2
        });
        for client in &mut greedy {
            let _ = client.send(&[b'x'; 2_500_000]);
        }
        eventually(|| greedy.iter_mut().any(is_closed));
    }
}

/// What is kept for a client beyond a command counts as what it holds: its name, what it listens to, keys that it watches, prefixes
/// that it tracks, and the command with which it waits.
#[test]
fn what_is_kept_for_a_client_counts() {
    let long = |n: usize| format!("{n}{}", "x".repeat(100_000));
    let many = |word: &str| -> String {
        let names = (0..20).map(|n| format!(" {word}{}", long(n)));
        names.collect()
    };
    for (undo, commands) in [
        (
            "client setname x",
            format!("client setname {}{}", long(1), "x".repeat(1_900_000)),
        ),
        ("unwatch", format!("watch{}", many(""))),
        ("unsubscribe", format!("subscribe{}", many(""))),
        ("punsubscribe", format!("psubscribe{}", many(""))),
        ("sunsubscribe", format!("ssubscribe{}", many(""))),
        (
            "client tracking off",
            format!("client tracking on bcast{}", many("prefix ")),
        ),
        ("", format!("blpop{} 0", many(""))),
    ] {
        let ours = ours_with(&[("maxmemory-clients", "8mb")]);
        let mut modest = Client::connect(ours.address);
        let mut greedy = Client::connect(ours.address);
        let id = greedy.id();
        greedy.call(&["hello", "3"]);
        let held = |asks: &mut Client| -> usize {
            let list = asks.call(&["client", "list", "id", &id]);
            let value = list
                .split(' ')
                .find_map(|word| word.strip_prefix("tot-mem="));
            value.unwrap().parse().unwrap()
        };
        rest_for(Duration::from_millis(100));
        let before = held(&mut modest);
        greedy.send(&encode(&words(&commands))).unwrap();
        // What it is told must not count, and is read meanwhile.
        eventually(|| !is_closed(&mut greedy) && held(&mut modest) > 1_900_000);
        if undo.is_empty() {
            // All of the command may be here, and the client not wait yet.
            eventually(|| modest.call(&["client", "unblock", &id]).starts_with(":1"));
        } else {
            greedy.send(&encode(&words(undo))).unwrap();
        }
        eventually(|| !is_closed(&mut greedy) && held(&mut modest) < before + 10_000);
        // Of all clients, who holds most has to go.
        let mut others: Vec<Client> = (0..5)
            .map(|_| {
                let mut client = Client::connect(ours.address);
                client.send(&encode(&words(&commands))).unwrap();
                client
            })
            .collect();
        eventually(|| others.iter_mut().any(is_closed));
    }
}

fn words(line: &str) -> Vec<Bytes> {
    line.split(' ')
        .map(|word| Bytes::copy_from_slice(word.as_bytes()))
        .collect()
}

/// A script that changes one value again and again holds only the last one, and one that changes too much is stopped.
#[test]
fn what_a_transaction_changes_takes_little_memory() {
    let program = Running::in_memory(&[]);
    let mut client = Client::connect(program.address);
    client.call(&["config", "set", "maxmemory-clients", "64mb"]);
    let again = "local s = string.rep('x', 1000000) \
                 for i = 1, 1000 do redis.call('set', KEYS[1], s .. i) end return 'all'";
    assert_eq!(client.call(&["eval", again, "1", "k"]), "$3\\r\\nall\\r\\n");
    let copies = "for i = 1, 1000 do redis.call('copy', 'k', 'k' .. i) end";
    let refused = client.call(&["eval", copies, "0"]);
    assert!(refused.contains("maxmemory-clients"), "{refused}");
    client.call(&["multi"]);
    for n in 0..100 {
        client.call(&["copy", "k", &format!("m{n}")]);
    }
    let replies = client.call(&["exec"]);
    assert!(replies.starts_with("*100\\r\\n:1"), "{replies}");
    assert!(replies.contains("maxmemory-clients"), "{replies}");
    // Each alone is no transaction.
    for n in 0..100 {
        assert_eq!(
            client.call(&["copy", "k", &format!("alone{n}")]),
            ":1\\r\\n"
        );
    }
    let most = program.bytes_of("VmHWM");
    assert!(most < 800 << 20, "{most} bytes");
}

/// An answer that is larger than the limit for the client's class is not sent.
#[test]
fn an_answer_larger_than_the_limit_ends_the_connection() {
    let ours = ours_with(&[("client-output-buffer-limit", "normal 1mb 0 0")]);
    let mut client = Client::connect(ours.address);
    client.call(&["set", "k", &"v".repeat(900_000)]);
    assert!(client.call(&["get", "k"]).len() > 900_000);
    client.call(&["set", "k", &"v".repeat(1_100_000)]);
    client.send(b"get k\r\n").unwrap();
    assert_eq!(client.rest(PATIENCE), (Vec::new(), true));
}

/// A client that takes nothing of a long answer is closed when its time is over, or when the limit is lowered. One that
/// takes what it asked for is not.
#[test]
fn an_answer_that_waits_for_too_long_ends_the_connection() {
    const LENGTH: usize = 40 << 20;
    let (ours, real) = (ours_with(&[]), RealRedis::start());
    let addresses = [Some(ours.address), real.as_ref().map(|real| real.address)];
    for address in addresses.into_iter().flatten() {
        let mut other = Client::connect(address);
        let mut limit = |limit: &str| {
            let set = other.call(&["config", "set", "client-output-buffer-limit", limit]);
            assert_eq!(set, "+OK\\r\\n");
        };
        let mut waiting = Client::connect(address);
        waiting.call(&["set", "k", &"v".repeat(LENGTH)]);
        // Long enough for who is let wait for a processor meanwhile.
        limit("normal 0 1mb 3");
        let since = Instant::now();
        // The real one closes this client too.
        while address == ours.address && since.elapsed() < Duration::from_secs(4) {
            waiting.send(b"get k\r\n").unwrap();
            waiting.reply().unwrap();
        }
        waiting.send(b"get k\r\n").unwrap();
        rest_for(Duration::from_secs(6));
        let (taken, is_closed) = waiting.rest(PATIENCE);
        assert!(is_closed && taken.len() < LENGTH, "{}", taken.len());

        limit("normal 0 0 0");
        let mut waiting = Client::connect(address);
        waiting.send(b"get k\r\n").unwrap();
        rest_for(Duration::from_secs(2));
        limit("normal 1mb 0 0");
        rest_for(Duration::from_secs(2));
        let (taken, is_closed) = waiting.rest(PATIENCE);
        assert!(is_closed && taken.len() < LENGTH, "{}", taken.len());
    }
}

/// Unread answers do not pile up: the server stops to run commands of a client that does not read.
#[test]
fn a_client_that_does_not_read_holds_little_memory() {
    let program = Running::in_memory(&[]);
    let mut client = Client::connect(program.address);
    client.call(&["set", "k", &"v".repeat(100_000)]);
    let before = program.bytes_of("VmRSS");
    let mut lazy: Vec<Client> = (0..10).map(|_| Client::connect(program.address)).collect();
    for client in &mut lazy {
        // A hundred megabytes of answers each, if all of them were kept.
        client.send("get k\r\n".repeat(1_000).as_bytes()).unwrap();
    }
    thread::sleep(Duration::from_millis(300));
    assert_eq!(client.call(&["ping"]), "+PONG\\r\\n");
    let grown = program.bytes_of("VmRSS").saturating_sub(before);
    assert!(grown < 30 << 20, "{grown} bytes");
}

/// How many files this process may have open, after it was allowed as many as the system permits.
fn files_allowed() -> u64 {
    let (limit, most) = Resource::NOFILE.get().unwrap();
    if limit < most {
        Resource::NOFILE.set(most, most).unwrap();
    }
    Resource::NOFILE.get_soft().unwrap()
}

/// Ten thousand connections that say nothing, or once something, cost little. Others are served while they come, and so is
/// each of them in the end.
#[test]
fn idle_connections_are_cheap() {
    const CONNECTIONS: u64 = 10_000;
    // What the other tests of this process and the store of the program have open, and more.
    const OTHERS: u64 = 500;
    let connections = CONNECTIONS.min(files_allowed().saturating_sub(OTHERS));
    if connections < CONNECTIONS {
        eprintln!("{connections} connections: this system permits no more open files");
    }
    let room = (connections + OTHERS / 2).to_string();
    let program = Running::in_memory(&["--maxclients", &room]);
    let mut client = Client::connect(program.address);
    client.call(&["set", "k", "v"]);
    let before = program.bytes_of("VmRSS");
    let ping = |stream: &mut TcpStream| {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(b"PING\r\n").unwrap();
        let mut answer = [0; 7];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"+PONG\r\n");
    };
    // Of what an answer takes, what the program works meanwhile: by the clock a busy machine may take any time.
    let mut longest = Duration::ZERO;
    let mut idle = Vec::new();
    for n in 0..connections {
        let mut stream = TcpStream::connect(program.address).unwrap();
        // Some never sent anything, the others something once.
        if n % 2 == 0 {
            ping(&mut stream);
        }
        idle.push(stream);
        if n % 100 == 99 {
            let before = program.processor_time();
            assert_eq!(client.call(&["get", "k"]), "$1\\r\\nv\\r\\n");
            longest = longest.max(program.processor_time() - before);
        }
    }
    // The last ones may not have been accepted yet.
    let all = format!("connected_clients:{}\\r\\n", connections + 1);
    eventually(|| client.call(&["info", "clients"]).contains(&all));
    let each = program.bytes_of("VmRSS").saturating_sub(before) as u64 / connections;
    eprintln!("{each} bytes for an idle connection, {longest:?} for an answer to another");
    assert!(each < 8 * 1024, "{each} bytes for an idle connection");
    assert!(longest < Duration::from_secs(1), "{longest:?}");
    // None of them was lost.
    for stream in &mut idle {
        ping(stream);
    }
}

/// Commands that arrive in small parts take little more than their bytes: each part is read into a buffer that has
/// room for much more, and no argument may keep that.
#[test]
fn half_commands_are_cheap() {
    const CONNECTIONS: usize = 100;
    const ARGUMENTS: usize = 100;
    let program = Running::in_memory(&[]);
    let mut client = Client::connect(program.address);
    client.call(&["ping"]);
    let before = program.bytes_of("VmRSS");
    let mut slow: Vec<_> = (0..CONNECTIONS)
        .map(|_| TcpStream::connect(program.address).unwrap())
        .collect();
    let count = format!("*{}\r\n", ARGUMENTS + 1);
    let halves = [count.as_bytes()]
        .into_iter()
        .chain(std::iter::repeat_n([&b"$1\r\na"[..], b"\r\n"], ARGUMENTS).flatten());
    for half in halves {
        for stream in &mut slow {
            stream.write_all(half).unwrap();
        }
        // By now each of them has been read.
        client.call(&["ping"]);
    }
    let each = program.bytes_of("VmRSS").saturating_sub(before) / CONNECTIONS;
    eprintln!("{each} bytes for a connection with {ARGUMENTS} arguments of one byte");
    assert!(each < 64 * 1024, "{each} bytes for a connection");
}

/// A web page in a browser on the same machine can open a connection and send text. It gets nothing.
#[test]
fn web_requests_are_cut_off() {
    let ours = ours_with(&[]);
    for request in [
        "POST / HTTP/1.1\r\nHost: localhost\r\n\r\nset k v\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nset k v\r\n",
    ] {
        let mut client = Client::connect(ours.address);
        client.send(request.as_bytes()).unwrap();
        assert!(client.rest(PATIENCE).1, "{request}");
    }
    assert_eq!(
        Client::connect(ours.address).call(&["get", "k"]),
        "$-1\\r\\n"
    );
}
