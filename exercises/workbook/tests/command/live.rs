//! `cargo workbook` itself: it serves, watches, and prints what a save changes.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::fixture::{Lines, PATIENCE, Repository, text};

const FIRST: &str = "exercises/ch90-first/src/twice.rs";

/// A running workbook; asked to end when it goes out of scope.
struct Running {
    child: Child,
    lines: Lines,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.ask_to_end();
    }
}

impl Running {
    fn start(repository: &Repository) -> Self {
        Self::start_in(repository, &std::env::temp_dir())
    }

    /// Starts it with `temporary` for its temporary files.
    fn start_in(repository: &Repository, temporary: &Path) -> Self {
        let mut child = repository
            .command(".", &["--port", "0"])
            .env("TMPDIR", temporary)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command runs");
        let lines = Lines::of(child.stdout.take());
        Self { child, lines }
    }

    /// Sends the signal that `kill` sends, and waits. A process that does not heed it fails the test by
    /// never ending, which the test runner shows by name.
    fn ask_to_end(&mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").arg(pid).stderr(Stdio::null()).status();
        if !sent.is_ok_and(|sent| sent.success()) {
            let _ = self.child.kill();
        }
        self.child.wait().expect("a child to wait for")
    }

    fn wait_for(&self, part: &str) -> String {
        self.lines.wait_for(part)
    }
}

#[test]
fn a_save_changes_the_table_and_the_page_is_served() {
    let repository = Repository::new("save");
    let running = Running::start(&repository);
    let line = running.wait_for("http://127.0.0.1:");
    let address = line.split('/').nth(2).expect("an address").to_owned();
    running.wait_for("0 passed, 0 failing, 2 not started");

    repository.write(FIRST, "pub fn twice(n: i64) -> i64 { n * n }\n");
    let verdict = running.wait_for("first-twice  failing");
    assert!(verdict.contains("s after it was saved"), "{verdict}");
    running.wait_for("on every probe, your `twice` agrees with the square (`squared`)");
    running.wait_for("0 passed, 1 failing, 1 not started");

    repository.write(FIRST, "pub fn twice(n: i64) -> i64 { n + }\n");
    running.wait_for("error: expected expression");
    running.wait_for("does not compile");

    repository.write(FIRST, "pub fn twice(n: i64) -> i64 { n + n }\n");
    running.wait_for("1 passed, 0 failing, 1 not started");

    let mut stream = TcpStream::connect(&address).expect("the server listens");
    write!(
        stream,
        "GET /90-first/index.html HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("<title>One"), "{page}");
}

#[test]
fn a_workbook_that_is_asked_to_end_leaves_nothing_behind() {
    let repository = Repository::new("end");
    let temporary = tempfile::tempdir().unwrap();
    let left = || std::fs::read_dir(temporary.path()).unwrap().count();
    let mut running = Running::start_in(&repository, temporary.path());
    running.wait_for("http://127.0.0.1:");
    let begin = Instant::now();
    while left() == 0 {
        assert!(begin.elapsed() < PATIENCE, "the served pages stand nowhere");
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(running.ask_to_end().code(), Some(0));
    assert_eq!(left(), 0);
}

#[test]
fn a_taken_port_names_a_free_one() {
    let repository = Repository::new("port");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = repository.run(&["--port", &port]);
    assert_eq!(output.status.code(), Some(2));
    let text = text(&output);
    assert!(
        text.contains(&format!("port {port} on 127.0.0.1 is taken; port ")),
        "{text}"
    );
    assert!(text.contains("is free: --port "), "{text}");
}
