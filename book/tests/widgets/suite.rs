//! The browser tests in `browser/`: playwright drives Debian's Chromium over pages from files and from the server.
//!
//! The packages come from the registry that npm is set up for, at the versions of `browser/package-lock.json`, into the
//! build directory. Where npm, node, Chromium or the packages cannot be had the tests say so and pass; under `CI` they
//! fail. `CHROMIUM` names another program. `BOOK_PDF` names a file for the printed book, to look at, and `BOOK_PICTURE` one for
//! the picture of the README.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use book::server::{ServeOptions, Server};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, spawn_blocking};

use crate::site;

/// The longest silence of a script: it says of each test that it has ended, and no test of it has so much time.
const SILENCE_MAX: Duration = Duration::from_secs(900);

/// The elements of `widgets/load.js`.
const WIDGETS: [&str; 6] = [
    "bits-explorer",
    "byte-sorter",
    "tuple-builder",
    "score-packer",
    "z-order-map",
    "comparator-race",
];

fn own(file: &str) -> PathBuf {
    site::book_dir().join("tests/widgets").join(file)
}

pub(crate) fn installed(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        missing(&format!("{names:?} is not on the path"));
    }
    found
}

/// On a developer's machine a test says what it lacks and ends, under `CI` it fails.
fn missing(what: &str) {
    assert!(
        std::env::var_os("CI").is_none(),
        "CI must have it, or the widgets are not tested: {what}"
    );
    println!("skipped: {what}");
}

/// Chromium's program and the folder of the scripts with their packages.
struct Tools {
    chromium: PathBuf,
    scripts: PathBuf,
}

/// Installed once for all the tests of this program.
fn tools() -> Option<&'static Tools> {
    static TOOLS: OnceLock<Option<Tools>> = OnceLock::new();
    TOOLS.get_or_init(install).as_ref()
}

fn install() -> Option<Tools> {
    let chromium = match std::env::var_os("CHROMIUM") {
        Some(named) => PathBuf::from(named),
        None => installed(&["chromium", "chromium-browser", "google-chrome"])?,
    };
    installed(&["node"])?;
    installed(&["npm"])?;
    let scripts = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    fs::create_dir_all(&scripts).unwrap();
    let lock = |folder: &Path| fs::read(folder.join("package-lock.json")).ok();
    let is_there = scripts.join("node_modules").is_dir() && lock(&scripts) == lock(&own("browser"));
    for entry in fs::read_dir(own("browser")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, scripts.join(path.file_name().unwrap())).unwrap();
    }
    if !is_there {
        let output = Command::new("npm")
            .args(["ci", "--loglevel=error", "--no-audit", "--no-fund"])
            // A registry that does not answer is told within minutes.
            .args(["--fetch-timeout=60000", "--fetch-retries=2"])
            .current_dir(&scripts)
            .output()
            .unwrap();
        if !output.status.success() {
            // A later run must not take the lock file for a finished installation.
            let _ = fs::remove_file(scripts.join("package-lock.json"));
            missing(&String::from_utf8_lossy(&output.stderr));
            return None;
        }
    }
    Some(Tools { chromium, scripts })
}

/// Runs a script to its end. A line `do: …` of it is an order to the test.
async fn run(
    tools: &'static Tools,
    script: &'static str,
    mut given: Value,
    order: impl FnMut(&str) + Send + 'static,
) {
    given["chromium"] = json!(tools.chromium);
    spawn_blocking(move || follow(tools, script, &given, order))
        .await
        .unwrap();
}

fn follow(tools: &Tools, script: &str, given: &Value, mut order: impl FnMut(&str)) {
    let mut child = Command::new("node")
        .arg(script)
        .arg(given.to_string())
        .current_dir(&tools.scripts)
        .stdout(Stdio::piped())
        // Not ours: Node makes a pipe that it gets answer at once, and of two that run at a time the second leaves it so. Whoever
        // prints into it later, faster than it is read, would fail.
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let errors = child.stderr.take().unwrap();
    let errors = thread::spawn(|| io::read_to_string(errors).unwrap());
    let output = BufReader::new(child.stdout.take().unwrap());
    let (hand_over, lines) = mpsc::channel();
    thread::spawn(move || output.lines().try_for_each(|line| hand_over.send(line)));
    let mut said = String::new();
    loop {
        match lines.recv_timeout(SILENCE_MAX) {
            Ok(line) => {
                let line = line.unwrap();
                match line.strip_prefix("do: ") {
                    Some(asked) => order(asked),
                    None => said.extend([line.as_str(), "\n"]),
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                // Its browser ends with it.
                child.kill().unwrap();
                said += "… and nothing more: it stands still\n";
                break;
            }
        }
    }
    let status = child.wait().unwrap();
    println!("{said}");
    eprint!("{}", errors.join().unwrap());
    assert!(status.success(), "{script}: {status}");
}

/// A book of its own with the real one's looks and widgets, and other chapters.
fn book_of(chapters: &Path) -> TempDir {
    let book = tempfile::tempdir().unwrap();
    for entry in ["book.toml", "theme", "widgets", "chapters/widgets"] {
        copy(&site::book_dir().join(entry), &book.path().join(entry));
    }
    copy(chapters, &book.path().join("chapters"));
    book
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// The workbook's server over a book.
struct Served {
    url: String,
    status: watch::Sender<String>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Served {
    async fn start(book: &Path) -> Self {
        let (status, feed) = watch::channel(String::new());
        let mut options = ServeOptions::new(book, feed);
        options.port = 0;
        let server = Server::bind(options).await.unwrap();
        let url = format!("http://{}", server.addr().unwrap());
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let stopped = async move {
                let _ = stopped.await;
            };
            server.run(stopped).await.unwrap();
        });
        Self {
            url,
            status,
            stop: Some(stop),
            task,
        }
    }

    async fn end(mut self) {
        // It may have been stopped by the script.
        let _ = self.stop.take().map(|stop| stop.send(()));
        self.task.await.unwrap();
    }
}

/// A script that needs the fixture: a book with a page for each widget, from files and from a server.
async fn drive(script: &'static str) {
    let Some(tools) = tools() else { return };
    let book = book_of(&own("fixture"));
    let files = site::build_book(book.path());
    let served = Served::start(book.path()).await;
    let given = json!({
        "fixtureFiles": files.path(),
        "fixtureUrl": served.url,
    });
    run(tools, script, given, |_| {}).await;
    served.end().await;
}

/// A script that needs the real book as well. It starts servers only if the script asks them: each builds its book again.
async fn read(script: &'static str, served: bool) {
    let Some(tools) = tools() else { return };
    let book = book_of(&own("fixture"));
    let fixture = site::build_book(book.path());
    let files = site::build();
    // 404.html has absolute links, print.html is for paper, toc.html is a frame.
    let pages: Vec<String> = site::pages(files.path())
        .into_keys()
        .map(|page| {
            page.strip_prefix(files.path())
                .unwrap()
                .display()
                .to_string()
        })
        .filter(|page| !["404.html", "print.html", "toc.html"].contains(&page.as_str()))
        .collect();
    let mut given = json!({
        "siteFiles": files.path(),
        "pages": pages,
        "widgets": WIDGETS,
        "fixtureFiles": fixture.path(),
        "pdf": std::env::var("BOOK_PDF").ok(),
        "picture": std::env::var("BOOK_PICTURE").ok(),
    });
    let mut servers = Vec::new();
    if served {
        for (name, book) in [
            ("siteUrl", site::book_dir()),
            ("fixtureUrl", book.path().to_owned()),
        ] {
            let server = Served::start(&book).await;
            given[name] = json!(server.url);
            servers.push(server);
        }
    }
    run(tools, script, given, |_| {}).await;
    for server in servers {
        server.end().await;
    }
}

#[tokio::test]
async fn the_bits_explorer() {
    drive("explorer.mjs").await;
}

#[tokio::test]
async fn the_byte_sorter() {
    drive("sorter.mjs").await;
}

#[tokio::test]
async fn the_tuple_builder() {
    drive("tuples.mjs").await;
}

#[tokio::test]
async fn the_score_packer() {
    drive("packer.mjs").await;
}

#[tokio::test]
async fn the_z_order_map() {
    drive("map.mjs").await;
}

#[tokio::test]
async fn the_comparator_race() {
    drive("race.mjs").await;
}

#[tokio::test]
async fn every_page() {
    read("pages.mjs", true).await;
}

#[tokio::test]
async fn axe_finds_nothing() {
    read("axe.mjs", false).await;
}

#[tokio::test]
async fn the_book_on_paper() {
    read("print.mjs", false).await;
}

#[tokio::test]
async fn a_served_page() {
    let Some(tools) = tools() else { return };
    let chapters = tempfile::tempdir().unwrap();
    fs::write(chapters.path().join("SUMMARY.md"), "- [One](one.md)\n").unwrap();
    fs::write(chapters.path().join("one.md"), "# One\n").unwrap();
    let book = book_of(chapters.path());
    let mut served = Served::start(book.path()).await;
    let (status, mut stop) = (served.status.clone(), served.stop.take());
    let given = json!({ "chapters": book.path().join("chapters"), "url": served.url });
    run(tools, "live.mjs", given, move |asked| {
        match asked.split_once(' ') {
            Some(("status", exercises)) => status.send(exercises.to_owned()).unwrap(),
            _ => {
                let _ = stop.take().map(|stop| stop.send(()));
            }
        }
    })
    .await;
    served.end().await;
}
