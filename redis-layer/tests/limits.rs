//! Clients that send too much, read too little, or come in great numbers: memory stays bounded,
//! and others are served.

mod common;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use common::StoreKind;
use common::client::Client;
use common::program::Running;
use common::servers::Ours;
use redis_layer::server::Options;

const PATIENCE: Duration = Duration::from_secs(5);

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

/// How much memory a program has in use.
fn resident_bytes(program: &Running) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", program.process.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    let kilobytes: usize = line
        .split_ascii_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    kilobytes * 1024
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
    let before = resident_bytes(&program);
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
    let grown = resident_bytes(&program).saturating_sub(before);
    assert!(
        grown < 100 * 256 * 1024,
        "{grown} bytes for 100 half commands"
    );
}

/// All clients together hold no more than `maxmemory-clients`: whoever holds most has to go.
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

/// Unread answers do not pile up: the server stops to run commands of a client that does not read.
#[test]
fn a_client_that_does_not_read_holds_little_memory() {
    let program = Running::in_memory(&[]);
    let mut client = Client::connect(program.address);
    client.call(&["set", "k", &"v".repeat(100_000)]);
    let before = resident_bytes(&program);
    let mut lazy: Vec<Client> = (0..10).map(|_| Client::connect(program.address)).collect();
    for client in &mut lazy {
        // A hundred megabytes of answers each, if all of them were kept.
        client.send("get k\r\n".repeat(1_000).as_bytes()).unwrap();
    }
    thread::sleep(Duration::from_millis(300));
    assert_eq!(client.call(&["ping"]), "+PONG\\r\\n");
    let grown = resident_bytes(&program).saturating_sub(before);
    assert!(grown < 30 << 20, "{grown} bytes");
}

/// Thousands of connections that say nothing cost little, and others are served beside them.
#[test]
fn idle_connections_are_cheap() {
    const CONNECTIONS: usize = 3_000;
    let program = Running::in_memory(&["--maxclients", "20000"]);
    let mut client = Client::connect(program.address);
    client.call(&["ping"]);
    let before = resident_bytes(&program);
    let mut idle = Vec::with_capacity(CONNECTIONS);
    for n in 0..CONNECTIONS {
        let mut stream = TcpStream::connect(program.address).unwrap();
        // Some never sent anything, the others something once.
        if n % 2 == 0 {
            stream.write_all(b"PING\r\n").unwrap();
            let mut answer = [0; 7];
            stream.read_exact(&mut answer).unwrap();
        }
        idle.push(stream);
    }
    // Whoever connected last is served by now.
    client.call(&["ping"]);
    let each = resident_bytes(&program).saturating_sub(before) / CONNECTIONS;
    eprintln!("{each} bytes for an idle connection");
    assert!(each < 8 * 1024, "{each} bytes for an idle connection");
    let started = Instant::now();
    assert_eq!(client.call(&["ping"]), "+PONG\\r\\n");
    assert!(started.elapsed() < Duration::from_secs(1));
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
