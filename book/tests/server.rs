//! The workbook's server, as a browser, a second program on the port, or a hostile page meets it.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use book::server::{Event, ServeError, ServeOptions, Server};
use futures_util::StreamExt;
use serde_json::Value;
use tempfile::{NamedTempFile, TempDir};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Long enough for a build on a busy machine; nothing waits this long when all is well.
const PATIENCE: Duration = Duration::from_secs(180);

/// What must come, and comes in time.
async fn soon<T>(what: &str, come: impl Future<Output = T>) -> T {
    let in_time = timeout(PATIENCE, come).await;
    in_time.unwrap_or_else(|_| panic!("{what} did not come"))
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

struct Running {
    book: TempDir,
    addr: SocketAddr,
    status: watch::Sender<String>,
    events: Arc<Mutex<Vec<Event>>>,
    /// The threads that told of them.
    builders: Arc<Mutex<HashSet<ThreadId>>>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), ServeError>>,
}

/// At once: whoever polls the file must not find it empty in between.
fn write(book: &Path, file: &str, text: &str) {
    let path = book.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut new = NamedTempFile::new().unwrap();
    new.write_all(text.as_bytes()).unwrap();
    new.persist(path).unwrap();
}

fn scratch_book() -> TempDir {
    let book = tempfile::tempdir().unwrap();
    write(
        book.path(),
        "book.toml",
        "[book]\ntitle = \"Scratch\"\nsrc = \"chapters\"\n[build]\ncreate-missing = false\n",
    );
    write(
        book.path(),
        "chapters/SUMMARY.md",
        "# Summary\n\n- [One](one.md)\n",
    );
    write(book.path(), "chapters/one.md", "# One\n\nfirst text\n");
    book
}

async fn start() -> Running {
    start_with(|_| {}).await
}

/// Serves the scratch book after `change`.
async fn start_with(change: impl FnOnce(&Path)) -> Running {
    let book = scratch_book();
    change(book.path());
    let (status, status_feed) = watch::channel(String::new());
    let events = Arc::new(Mutex::new(Vec::new()));
    let builders = Arc::<Mutex<HashSet<_>>>::default();
    let (heard, heard_from) = (Arc::clone(&events), Arc::clone(&builders));
    let mut options = ServeOptions::new(book.path(), status_feed);
    options.port = 0;
    options.poll_interval = Duration::from_millis(20);
    options.on_event = Arc::new(move |event| {
        heard_from.lock().unwrap().insert(thread::current().id());
        heard.lock().unwrap().push(event);
    });
    let server = Server::bind(options).await.unwrap();
    let addr = server.addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(server.run(async move {
        let _ = stopped.await;
    }));
    Running {
        book,
        addr,
        status,
        events,
        builders,
        stop: Some(stop),
        task,
    }
}

impl Running {
    async fn connect(&self) -> Socket {
        connect(self.addr).await
    }

    async fn get(&self, path: &str) -> String {
        get(self.addr, path).await
    }

    /// Waits for the build that answers `path` with `status`.
    async fn until(&self, tab: &mut Socket, path: &str, status: &str) {
        while !self.get(path).await.contains(status) {
            next(tab, "book", has_build).await;
        }
    }

    async fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        soon("the server's end", self.task).await.unwrap().unwrap();
    }
}

async fn connect(addr: SocketAddr) -> Socket {
    let asked = connect_async(format!("ws://{addr}/live"));
    soon("a socket", asked).await.unwrap().0
}

/// Sends the path exactly as given: no client that would tidy `..` away stands between.
async fn get(addr: SocketAddr, path: &str) -> String {
    let ask = async {
        let mut stream = TcpStream::connect(addr).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        answer
    };
    String::from_utf8_lossy(&soon(path, ask).await).into_owned()
}

/// The next message of the given type for which `wanted` holds.
async fn next(socket: &mut Socket, kind: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let search = async {
        loop {
            let message = socket.next().await.expect("the server hung up").unwrap();
            let Message::Text(text) = message else {
                continue;
            };
            let value: Value = serde_json::from_str(&text).unwrap();
            if value["type"] == kind && wanted(&value) {
                return value;
            }
        }
    };
    soon("such a message", search).await
}

fn has_build(message: &Value) -> bool {
    message["build"] != "" && message["problems"].as_array().unwrap().is_empty()
}

#[tokio::test]
async fn a_change_reaches_every_one_of_ten_tabs() {
    let server = start().await;
    let mut tabs = Vec::new();
    for _ in 0..10 {
        tabs.push(server.connect().await);
    }
    let mut old = Vec::new();
    for tab in &mut tabs {
        old.push(next(tab, "book", has_build).await["build"].clone());
    }
    let page = server.get("/one.html").await;
    assert!(page.contains("first text"), "{page}");
    assert!(page.contains(&format!("data-build={}", old[0])), "{page}");

    write(
        server.book.path(),
        "chapters/one.md",
        "# One\n\nsecond text\n",
    );
    for (tab, old) in tabs.iter_mut().zip(&old) {
        next(tab, "book", |m| has_build(m) && m["build"] != *old).await;
    }
    assert!(server.get("/one.html").await.contains("second text"));
    server.stop().await;
}

#[tokio::test]
async fn a_page_loaded_before_a_build_finds_its_files_after_it() {
    let server = start().await;
    write(server.book.path(), "chapters/old.css", "i {}");
    write(
        server.book.path(),
        "chapters/SUMMARY.md",
        "# Summary\n\n- [One](one.md)\n- [Two](two.md)\n",
    );
    write(server.book.path(), "chapters/two.md", "# Two\n");
    let mut tab = server.connect().await;
    server.until(&mut tab, "/two.html", "200 OK").await;
    server.until(&mut tab, "/old.css", "200 OK").await;

    // No build is made of half of this: a file is kept for one build only.
    write(server.book.path(), "chapters/SUMMARY.md", "- [No](no.md)\n");
    fs::remove_file(server.book.path().join("chapters/old.css")).unwrap();
    fs::remove_file(server.book.path().join("chapters/two.md")).unwrap();
    let one = "# Summary\n\n- [One](one.md)\n";
    write(server.book.path(), "chapters/SUMMARY.md", one);
    server.until(&mut tab, "/two.html", "404 Not Found").await;
    let style = server.get("/old.css").await;
    assert!(
        style.contains("200 OK") && style.contains("i {}"),
        "{style}"
    );
    let page = server.get("/two.html").await;
    assert!(
        page.contains("404 Not Found"),
        "a page that is gone: {page}"
    );
    let never = server.get("/never.css").await;
    assert!(never.contains("404 Not Found"), "{never}");
    server.stop().await;
}

#[tokio::test]
async fn a_file_saved_without_effect_reloads_nothing() {
    let server = start().await;
    let mut tab = server.connect().await;
    let build = next(&mut tab, "book", has_build).await["build"].clone();
    write(
        server.book.path(),
        "chapters/one.md",
        "# One\n\nfirst text\n\n",
    );
    let again = next(&mut tab, "book", |_| true).await;
    assert_eq!(
        again["build"], build,
        "the page is the same, so is the build"
    );
    let events = server.events.lock().unwrap().clone();
    let changed: Vec<_> = events
        .iter()
        .map(|e| matches!(e, Event::Built { changed: true, .. }))
        .collect();
    assert_eq!(changed, [true, false], "{events:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_file_included_from_elsewhere_is_watched() {
    let server = start().await;
    let outside = tempfile::tempdir().unwrap();
    write(
        outside.path(),
        "code.rs",
        "// ANCHOR: a\nold line\n// ANCHOR_END: a\n",
    );
    // From the chapters, by names that the test chose: where temporary files are may have a space, at which such a path would end.
    let folder = outside.path().file_name().unwrap().display();
    let include = format!("# One\n\n{{{{#include ../../{folder}/code.rs:a}}}}\n");
    let mut tab = server.connect().await;
    let first = next(&mut tab, "book", has_build).await["build"].clone();
    write(server.book.path(), "chapters/one.md", &include);
    let second =
        next(&mut tab, "book", |m| has_build(m) && m["build"] != first).await["build"].clone();
    assert!(server.get("/one.html").await.contains("old line"));
    write(
        outside.path(),
        "code.rs",
        "// ANCHOR: a\nnew line\n// ANCHOR_END: a\n",
    );
    next(&mut tab, "book", |m| has_build(m) && m["build"] != second).await;
    assert!(server.get("/one.html").await.contains("new line"));
    server.stop().await;
}

#[tokio::test]
async fn the_exercises_state_is_pushed_and_garbage_is_not() {
    let server = start().await;
    let mut early = server.connect().await;
    server
        .status
        .send(r#"[{"name":"order-i64","state":"failing"}]"#.into())
        .unwrap();
    let told = next(&mut early, "status", |_| true).await;
    assert_eq!(told["exercises"][0]["state"], "failing");

    server.status.send("not json".into()).unwrap();
    server
        .status
        .send(r#"[{"name":"order-i64","state":"passed"}]"#.into())
        .unwrap();
    let told = next(&mut early, "status", |_| true).await;
    assert_eq!(told["exercises"][0]["state"], "passed");

    let mut late = server.connect().await;
    let told = next(&mut late, "status", |_| true).await;
    assert_eq!(
        told["exercises"][0]["state"], "passed",
        "a late tab is told the present state"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_failed_build_keeps_the_last_good_book_and_says_why() {
    let server = start().await;
    let mut tab = server.connect().await;
    let build = next(&mut tab, "book", has_build).await["build"].clone();

    write(
        server.book.path(),
        "chapters/SUMMARY.md",
        "- [One](one.md)\n- [Two](two.md)\n",
    );
    let failed = next(&mut tab, "book", |m| !has_build(m)).await;
    assert_eq!(failed["build"], build);
    let why = failed["problems"][0].as_str().unwrap();
    assert!(
        why.contains("does not build") && why.contains("two.md"),
        "{why}"
    );
    assert!(server.get("/one.html").await.contains("first text"));
    let events = server.events.lock().unwrap().clone();
    assert!(
        matches!(events.last(), Some(Event::BuildFailed { message }) if message.contains("two.md")),
        "{events:?}"
    );

    write(
        server.book.path(),
        "chapters/two.md",
        "# Two\n\nsecond chapter\n",
    );
    next(&mut tab, "book", |m| has_build(m) && m["build"] != build).await;
    assert!(server.get("/two.html").await.contains("second chapter"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_build_is_made_by_one_thread_of_its_own() {
    let server = start().await;
    let mut tab = server.connect().await;
    next(&mut tab, "book", has_build).await;
    for text in ["second text", "third text", "fourth text"] {
        write(server.book.path(), "chapters/one.md", text);
        server.until(&mut tab, "/one.html", text).await;
    }
    let builders = server.builders.lock().unwrap().clone();
    assert_eq!(builders.len(), 1, "{builders:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_missing_include_is_named_in_the_page() {
    let server = start().await;
    let mut tab = server.connect().await;
    next(&mut tab, "book", has_build).await;
    write(
        server.book.path(),
        "chapters/one.md",
        "# One\n\n{{#include gone.txt}}\n",
    );
    let told = next(&mut tab, "book", |m| !has_build(m)).await;
    let problem = told["problems"][0].as_str().unwrap();
    assert!(
        problem.contains("one.md:3") && problem.contains("gone.txt"),
        "{problem}"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_book_broken_from_the_start_waits_for_its_repair() {
    let book = scratch_book();
    write(book.path(), "chapters/SUMMARY.md", "- [Two](two.md)\n");
    let (_status, feed) = watch::channel(String::new());
    let mut options = ServeOptions::new(book.path(), feed);
    options.port = 0;
    options.poll_interval = Duration::from_millis(20);
    let server = Server::bind(options).await.unwrap();
    let addr = server.addr().unwrap();
    let task = tokio::spawn(server.run(std::future::pending()));
    let mut tab = connect(addr).await;
    let told = next(&mut tab, "book", |m| {
        !m["problems"].as_array().unwrap().is_empty()
    })
    .await;
    assert_eq!(told["build"], "");
    let waiting = get(addr, "/").await;
    assert!(waiting.starts_with("HTTP/1.1 503"), "{waiting}");
    // Without one the browser would ask for /favicon.ico.
    assert!(waiting.contains("rel=\"icon\""), "{waiting}");
    write(book.path(), "chapters/two.md", "# Two\n");
    next(&mut tab, "book", has_build).await;
    task.abort();
}

#[tokio::test]
async fn an_emptied_summary_keeps_the_last_book() {
    let server = start().await;
    let mut tab = server.connect().await;
    next(&mut tab, "book", has_build).await;
    write(server.book.path(), "chapters/SUMMARY.md", "");
    let told = next(&mut tab, "book", |m| {
        !m["problems"].as_array().unwrap().is_empty()
    })
    .await;
    let problem = told["problems"][0].as_str().unwrap();
    assert!(problem.contains("names no chapter"), "{problem}");
    assert!(server.get("/one.html").await.contains("first text"));
    server.stop().await;
}

/// A second renderer changes the chapter while the book is built from it.
#[cfg(unix)]
#[tokio::test]
async fn what_was_built_while_a_chapter_changed_is_not_shown() {
    let server = start_with(|book| {
        let script = book.join("write.sh");
        let swap =
            "cat > /dev/null; cd \"${0%/*}\"; [ ! -e next.md ] || mv next.md chapters/one.md";
        write(book, "write.sh", swap);
        let config = format!(
            "[book]\nsrc = \"chapters\"\n[output.html]\n[output.writer]\ncommand = \"sh '{}'\"\n",
            script.display()
        );
        write(book, "book.toml", &config);
    })
    .await;
    let mut tab = server.connect().await;
    server.until(&mut tab, "/one.html", "first text").await;
    write(server.book.path(), "next.md", "# One\n\nthe third text\n");
    write(
        server.book.path(),
        "chapters/one.md",
        "# One\n\nsecond text\n",
    );
    server.until(&mut tab, "/one.html", "third text").await;
    let events = server.events.lock().unwrap().clone();
    let built = |event: &&Event| matches!(event, Event::Built { changed: true, .. });
    assert_eq!(events.iter().filter(built).count(), 2, "{events:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_taken_port_is_an_error_that_offers_a_free_one() {
    let server = start().await;
    let (_status, feed) = watch::channel(String::new());
    let mut options = ServeOptions::new(server.book.path(), feed);
    options.port = server.addr.port();
    let Err(error) = Server::bind(options.clone()).await else {
        panic!("two servers on one port");
    };
    let ServeError::PortTaken {
        port,
        next_free: Some(free),
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(port, server.addr.port());
    assert!(
        error.to_string().contains(&format!("--port {free}")),
        "{error}"
    );
    options.port = free;
    assert_eq!(
        Server::bind(options).await.unwrap().addr().unwrap().port(),
        free
    );
    server.stop().await;
}

#[tokio::test]
async fn a_folder_without_a_book_is_named() {
    let empty = tempfile::tempdir().unwrap();
    let (_status, feed) = watch::channel(String::new());
    let Err(error) = Server::bind(ServeOptions::new(empty.path(), feed)).await else {
        panic!("served a folder without a book");
    };
    assert!(error.to_string().contains("book.toml"), "{error}");
}

#[tokio::test]
async fn only_own_pages_may_open_the_socket() {
    let server = start().await;
    let ask = |host: String, origin: String| {
        let mut request = format!("ws://{}/live", server.addr)
            .into_client_request()
            .unwrap();
        request.headers_mut().insert("host", host.parse().unwrap());
        request
            .headers_mut()
            .insert("origin", origin.parse().unwrap());
        soon("an answer", connect_async(request))
    };
    let own = server.addr.to_string();
    assert!(ask(own.clone(), format!("http://{own}")).await.is_ok());
    let rebound = format!("evil.example:{}", server.addr.port());
    for (host, origin) in [
        (own.clone(), "http://evil.example".to_owned()),
        (own.clone(), "null".to_owned()),
        (rebound.clone(), format!("http://{rebound}")),
    ] {
        match ask(host, origin.clone()).await {
            Err(WsError::Http(answer)) => assert_eq!(answer.status(), 403, "{origin}"),
            other => panic!("{origin}: {other:?}"),
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn no_path_leaves_the_built_book() {
    let server = start().await;
    let mut tab = server.connect().await;
    next(&mut tab, "book", has_build).await;
    for path in [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/css/../../../../../etc/passwd",
        "//etc/passwd",
        "/%00",
        "/chapters/../book.toml",
        "/..\\..\\etc\\passwd",
    ] {
        let answer = server.get(path).await;
        let status = answer.split(' ').nth(1).unwrap_or("");
        assert!(matches!(status, "400" | "404"), "{path}: {answer}");
        assert!(
            !answer.contains("root:") && !answer.contains("[book]"),
            "{path}: {answer}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn stopping_closes_the_pages_sockets() {
    let server = start().await;
    let mut tab = server.connect().await;
    next(&mut tab, "book", has_build).await;
    let addr = server.addr;
    server.stop().await;
    let ended = async {
        while let Some(Ok(message)) = tab.next().await {
            if matches!(message, Message::Close(_)) {
                break;
            }
        }
    };
    soon("the end of the socket", ended).await;
    assert!(
        TcpStream::connect(addr).await.is_err(),
        "the port is free again"
    );
}
