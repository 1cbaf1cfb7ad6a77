//! A headless Chromium, driven over its debugging protocol.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

const PATIENCE: Duration = Duration::from_secs(30);

/// The browser's program: `$CHROMIUM`, or the first known name on the path.
///
/// Without one there is nothing to test with: on a developer's machine the test says so and ends,
/// under `CI` it fails.
pub(crate) fn program() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = named.or_else(|| {
        std::env::split_paths(&path)
            .flat_map(|dir| {
                ["chromium", "chromium-browser", "google-chrome"].map(|name| dir.join(name))
            })
            .find(|program| program.is_file())
    });
    assert!(
        found.is_some() || std::env::var_os("CI").is_none(),
        "CI must have chromium: the widgets are not tested without it"
    );
    if found.is_none() {
        println!("skipped: no chromium on the path (set CHROMIUM to its program)");
    }
    found
}

/// One page of one browser; both end when this is dropped.
pub(crate) struct Page {
    child: Child,
    _profile: TempDir,
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    last_id: u64,
    loaded: bool,
    /// What went wrong in the page since it was opened: exceptions, errors, failed requests.
    pub(crate) errors: Vec<String>,
    /// The address of every request since the page was opened.
    pub(crate) requests: Vec<String>,
}

impl Drop for Page {
    fn drop(&mut self) {
        // The browser may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Page {
    pub(crate) async fn open(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let child = Command::new(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .args([
                "--remote-debugging-port=0",
                "--hide-scrollbars",
                "--window-size=1280,900",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut child = Some(child);
        let opened = timeout(PATIENCE, page_address(profile.path())).await;
        if opened.is_err() {
            let _ = child.as_mut().map(Child::kill);
        }
        let (socket, _) = connect_async(opened.expect("the browser did not start"))
            .await
            .unwrap();
        let mut page = Self {
            child: child.take().unwrap(),
            _profile: profile,
            socket,
            last_id: 0,
            loaded: false,
            errors: Vec::new(),
            requests: Vec::new(),
        };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({})).await;
        }
        page
    }

    /// Opens an address and waits until it is loaded; what was noted before is forgotten.
    pub(crate) async fn goto(&mut self, url: &str) {
        self.errors.clear();
        self.requests.clear();
        self.loaded = false;
        self.call("Page.navigate", json!({ "url": url })).await;
        self.until_loaded().await;
    }

    /// Waits for the end of a load that was begun by other means.
    pub(crate) async fn until_loaded(&mut self) {
        while !self.loaded {
            let message = self.receive().await;
            self.note(&message);
        }
    }

    /// The value of an expression in the page; a promise is awaited.
    pub(crate) async fn eval(&mut self, expression: &str) -> Value {
        let answer = self
            .call(
                "Runtime.evaluate",
                json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
            )
            .await;
        assert!(
            answer.get("exceptionDetails").is_none(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Evaluates until the answer is `true`.
    pub(crate) async fn wait_for(&mut self, expression: &str) {
        let started = Instant::now();
        while self.eval(expression).await != true {
            assert!(
                started.elapsed() < PATIENCE,
                "never true: {expression}; errors: {:?}",
                self.errors
            );
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Presses a key with the browser's own events, as a hand would.
    pub(crate) async fn press(&mut self, key: &str, text: &str) {
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key, "code": key, "text": text }),
            )
            .await;
        }
    }

    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({ "id": id, "method": method, "params": params });
        self.socket
            .send(Message::text(request.to_string()))
            .await
            .unwrap();
        loop {
            let message = self.receive().await;
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    async fn receive(&mut self) -> Value {
        loop {
            let message = timeout(PATIENCE, self.socket.next())
                .await
                .expect("the browser is silent");
            if let Message::Text(text) = message.expect("the browser has gone").unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or("") {
            "Page.loadEventFired" => self.loaded = true,
            "Page.frameStartedNavigating" => self.loaded = false,
            "Runtime.exceptionThrown" => self.errors.push(params["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if params["type"] != "log" => {
                self.errors.push(params["args"].to_string());
            }
            "Log.entryAdded" if params["entry"]["level"] == "error" => {
                self.errors.push(params["entry"].to_string());
            }
            "Network.requestWillBeSent" => {
                self.requests
                    .push(params["request"]["url"].as_str().unwrap_or("").to_owned());
            }
            _ => {}
        }
    }
}

/// The debugging address of the browser's first page, once it has written down its port.
async fn page_address(profile: &Path) -> String {
    loop {
        sleep(Duration::from_millis(20)).await;
        let file = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
        let port = file.lines().next().and_then(|line| line.parse().ok());
        let Some(port) = port else { continue };
        let targets = targets(port).await.unwrap_or_default();
        let page = targets.iter().find(|target| target["type"] == "page");
        if let Some(url) = page.and_then(|page| page["webSocketDebuggerUrl"].as_str()) {
            return url.to_owned();
        }
    }
}

async fn targets(port: u16) -> std::io::Result<Vec<Value>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let request = format!("GET /json/list HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    // The browser keeps the connection open: the answer ends where its JSON does.
    while stream.read_buf(&mut answer).await? > 0 {
        let text = String::from_utf8_lossy(&answer);
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        if let Ok(targets) = serde_json::from_str(body) {
            return Ok(targets);
        }
    }
    Ok(Vec::new())
}
