//! The Unix socket beside that of a real server: what clients see of it, and what becomes of its file.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use redis_layer::server::Options;

use crate::common;
use crate::common::StoreKind;
use crate::common::client::encode;
use crate::common::program::{Running, command, end_of, output_of};
use crate::common::servers::{Ours, RealRedis, installed};
use crate::common::waiting::DEADLINE;

fn connect(path: &Path) -> UnixStream {
    let stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.set_write_timeout(Some(DEADLINE)).unwrap();
    stream
}

/// What comes back for lines, until the other side has closed.
fn ask(path: &Path, lines: &str) -> String {
    let mut stream = connect(path);
    stream.write_all(lines.as_bytes()).unwrap();
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).unwrap();
    answers.escape_ascii().to_string()
}

fn ours_at(path: &Path) -> Ours {
    let options = Options {
        unix_socket: Some(path.to_owned()),
        unix_socket_mode: 0o700,
        ..Options::default()
    };
    Ours::start_with(StoreKind::BTree.open(), options)
}

/// A field of a line of `CLIENT LIST`.
fn field(line: &str, name: &str) -> String {
    let mut fields = line.split(' ');
    let found = fields.find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
    found.unwrap_or_default().to_owned()
}

#[test]
fn who_comes_through_the_socket_is_shown_as_in_redis() {
    let dir = tempfile::tempdir().unwrap();
    let paths = ["real", "ours"].map(|name| dir.path().join(name));
    let path = paths[0].to_str().unwrap();
    let Some(_real) = RealRedis::start_with(&[
        "--unixsocket",
        path,
        "--unixsocketperm",
        "700",
        "--enable-debug-command",
        "local",
    ]) else {
        return;
    };
    let _ours = ours_at(&paths[1]);
    let seen = |path: &PathBuf| {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        let info = ask(path, "client info\r\nquit\r\n");
        let own = ["addr", "laddr", "flags"].map(|name| field(&info, name));
        let lines = [
            "config get unixsocket",
            "config get unixsocketperm",
            "config set unixsocketperm 777",
            "config set slowlog-log-slower-than 0",
            "set a 1",
            "client no-evict on",
            "debug sleep 0",
            "multi",
            "get a",
            "exec",
            "quit",
        ];
        let answers = ask(path, &(lines.join("\r\n") + "\r\n"));
        let slow = ask(path, "slowlog get 1\r\nquit\r\n");
        let is_named_slow = slow.contains(&format!("{}:0", path.display()));
        let killed = format!("client kill \"{}:0\"\r\n", path.display());
        let all = (mode, own, answers, is_named_slow, ask(path, &killed));
        format!("{all:?}").replace(path.to_str().unwrap(), "PATH")
    };
    assert_eq!(seen(&paths[1]), seen(&paths[0]));
}

#[test]
fn monitors_see_the_file_of_who_sends() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let _ours = ours_at(&path);
    let mut monitor = connect(&path);
    monitor.write_all(b"monitor\r\n").unwrap();
    let mut ok = [0; 5];
    monitor.read_exact(&mut ok).unwrap();
    ask(&path, "get a\r\nquit\r\n");
    let mut line = [0; 256];
    let count = monitor.read(&mut line).unwrap();
    let line = String::from_utf8_lossy(&line[..count]).into_owned();
    let sender = format!("[0 unix:{}] \"get\" \"a\"\r\n", path.display());
    assert!(line.contains(&sender), "{line}");
}

/// Pipelines of megabytes go through it, both ways at once.
#[test]
fn large_pipelines_go_through() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let _ours = ours_at(&path);
    let value = "x".repeat(100_000);
    let set = ["set", "k", &value].map(common::unescape).to_vec();
    let pipeline = [encode(&set), b"get k\r\n".repeat(100)].concat();
    let mut stream = connect(&path);
    let mut reader = stream.try_clone().unwrap();
    let expected = 5 + 100 * (value.len() + "$100000\r\n\r\n".len());
    let reading = std::thread::spawn(move || {
        let mut answers = vec![0; expected];
        reader.read_exact(&mut answers).map(|()| answers)
    });
    stream.write_all(&pipeline).unwrap();
    let answers = reading.join().unwrap().unwrap();
    assert!(answers.ends_with(b"x\r\n"));
}

/// Only a socket that nobody listens at is replaced.
#[test]
fn no_file_of_others_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |path: &Path| {
        let mut command = command();
        command.args(["--memory", "--port", "0", "--unixsocket"]);
        let output = output_of(command.arg(path), b"");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let used = dir.path().join("used");
    let listener = UnixListener::bind(&used).unwrap();
    assert!(refused(&used).contains("Another program listens there"));
    drop(listener);
    let file = dir.path().join("file");
    fs::write(&file, "data").unwrap();
    assert!(refused(&file).contains("That file is no socket"));
    assert_eq!(fs::read(&file).unwrap(), b"data");
    let nowhere = dir.path().join("none/socket");
    assert!(refused(&nowhere).contains("Its directory must exist"));
    let long = dir.path().join("a".repeat(110));
    assert!(refused(&long).contains("at most 107 bytes"));
}

#[test]
fn the_file_is_left_by_a_kill_replaced_at_the_start_and_gone_after_a_stop() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let run = || Running::in_memory(&["--unixsocket", path.to_str().unwrap()]);
    drop(run());
    assert!(path.exists());
    let mut running = run();
    assert_eq!(ask(&path, "ping\r\nquit\r\n"), "+PONG\\r\\n+OK\\r\\n");
    if installed("redis-cli") {
        let mut cli = Command::new("redis-cli");
        cli.args(["-s", path.to_str().unwrap(), "set", "a", "1"]);
        assert_eq!(output_of(&mut cli, b"").stdout, b"OK\n");
    }
    let pid = running.process.id().to_string();
    let kill = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(kill.unwrap().success());
    assert_eq!(end_of(&mut running.process).code(), Some(0));
    assert!(!path.exists());
}
