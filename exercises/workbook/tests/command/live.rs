//! `cargo workbook` itself: it serves, watches, and prints what a save changes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use crate::fixture::{Killed, Lines, PATIENCE, Repository, text, until};

const FIRST: &str = "exercises/ch90-first/src/twice.rs";

/// A running workbook; asked to end when it goes out of scope.
struct Running {
    child: Killed,
    lines: Lines,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.send("-TERM");
        // A test that fails waits for nothing more.
        if !thread::panicking() {
            self.child.ends();
        }
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
        let child = Killed(child);
        Self { child, lines }
    }

    fn send(&self, signal: &str) {
        let pid = self.child.0.id().to_string();
        let mut kill = Command::new("sh");
        kill.args(["-c", "kill $0 $1", signal, &pid]);
        // It may have ended.
        let _ = kill.stderr(Stdio::null()).status();
    }

    fn wait_for(&self, part: &str) -> String {
        self.lines.wait_for(part)
    }

    /// What comes before a line that contains `part`.
    fn before(&self, part: &str) -> String {
        self.lines.before(part).join("\n")
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
    let read = running.wait_for("  Read: ");
    assert!(read.contains(&format!("Read: http://{address}/")), "{read}");
    // The chapter that was saved, and no other: the verdict is to stay in the window.
    let beneath = running.before("0 passed, 1 failing, 1 not started");
    assert!(
        beneath.contains("first-twice  failing        1 min"),
        "{beneath}"
    );
    assert!(!beneath.contains("second-twice"), "{beneath}");

    repository.write(FIRST, "pub fn twice(n: i64) -> i64 { n + }\n");
    running.wait_for("error: expected expression");
    running.wait_for("does not compile");

    // What the checks call is gone: the compiler speaks of the checks, and the last line of the task.
    repository.write(FIRST, "pub fn double(n: i64) -> i64 { n + n }\n");
    running.wait_for("error[E0425]");
    running.wait_for("in src/ these need the names, types and `pub` that they have in stubs/");

    repository.write(FIRST, "pub fn twice(n: i64) -> i64 { n + n }\n");
    running.wait_for("1 passed, 0 failing, 1 not started");

    // The book is built beside all that.
    let mut page = String::new();
    let mut is_served = || {
        page = get(&address, "/90-first/index.html");
        page.starts_with("HTTP/1.1 200")
    };
    until(&mut is_served, "the page is not served");
    assert!(page.contains("<title>One"), "{page}");
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

#[test]
fn a_workbook_that_is_asked_to_end_leaves_nothing_behind() {
    let repository = Repository::new("end");
    // `kill`, and a terminal that is closed.
    for signal in ["-TERM", "-HUP"] {
        let temporary = tempfile::tempdir().unwrap();
        let mut running = Running::start_in(&repository, temporary.path());
        running.wait_for("http://127.0.0.1:");
        until(
            || count(temporary.path()) > 0,
            "the served pages stand nowhere",
        );
        running.send(signal);
        assert_eq!(running.child.ends().code(), Some(0), "{signal}");
        assert_eq!(count(temporary.path()), 0, "{signal}");
    }
}

#[test]
fn a_workbook_that_nobody_reads_leaves_nothing_behind() {
    let repository = Repository::new("unread");
    let temporary = tempfile::tempdir().unwrap();
    let mut child = repository
        .command(".", &["--port", "0"])
        .env("TMPDIR", temporary.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // As `head -1` does.
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    until(
        || count(temporary.path()) > 0,
        "the served pages stand nowhere",
    );
    drop(stdout);
    let mut child = Killed(child);
    assert_eq!(child.ends().code(), Some(0));
    assert_eq!(count(temporary.path()), 0);
}

/// How many folders of built books there are. A compiler that is still at work has folders of its own there.
fn count(folder: &Path) -> usize {
    std::fs::read_dir(folder)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with("keys-in-order-")
        })
        .count()
}

#[test]
fn an_address_of_another_machine_is_refused_with_one_reason() {
    let repository = Repository::new("address");
    // For documentation alone (RFC 5737): no machine has it.
    let output = repository.run(&["--host", "192.0.2.1", "--port", "0"]);
    assert_eq!(output.status.code(), Some(2));
    let text = text(&output);
    assert!(text.contains("cannot listen on 192.0.2.1:0: "), "{text}");
    assert_eq!(text.matches("os error").count(), 1, "{text}");
}

#[test]
fn a_taken_port_names_a_free_one() {
    let repository = Repository::new("port");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    // Whoever knows `mdbook serve` types the second.
    for arguments in [&["--port", &port][..], &["serve", "--port", &port]] {
        let output = repository.run(arguments);
        assert_eq!(output.status.code(), Some(2));
        let text = text(&output);
        assert!(
            text.contains(&format!("port {port} on 127.0.0.1 is taken; port ")),
            "{text}"
        );
        assert!(text.contains("is free: --port "), "{text}");
    }
}
