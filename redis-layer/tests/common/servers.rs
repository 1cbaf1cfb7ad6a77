//! Servers to talk to: ours, in this process, and a real one, if it is installed.

use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};

use redis_layer::server::{Listener, Options, thread_parks};
use redis_layer::store::Store;
use redis_layer::types::SystemClock;
use tokio::sync::oneshot;

use super::threads::Threads;
use super::waiting::{DEADLINE, eventually};

/// A server of ours, on a free port. Stops when it is dropped.
pub(crate) struct Ours {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ours {
    pub(crate) fn start(store: Arc<dyn Store>) -> Self {
        Self::start_with(store, Options::default())
    }

    pub(crate) fn start_with(store: Arc<dyn Store>, options: Options) -> Self {
        Self::start_on(2, store, options)
    }

    /// As [`start_with`](Self::start_with), with so many threads that serve. A single one knows who is ready together.
    pub(crate) fn start_on(threads: usize, store: Arc<dyn Store>, options: Options) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (started, starting) = channel();
        let added = Threads::Added(Arc::default());
        let threads_added = added.clone();
        let thread = thread::spawn(move || {
            added.add_this();
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(threads)
                // A script may nest deeply.
                .thread_stack_size(8 << 20)
                // As the program with one thread.
                .on_thread_park(thread_parks)
                .on_thread_start(move || added.add_this())
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listener = Listener::bind(options).await.unwrap();
                started.send(listener.address()).unwrap();
                let stop = async { stopped.await.unwrap_or_default() };
                let clock = Arc::new(SystemClock);
                listener.serve(store, clock, stop).await.unwrap();
            });
        });
        let address = starting.recv().unwrap();
        threads_added.serve(address);
        Self {
            address,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Stops as SIGTERM does, and waits until everything is closed.
    pub(crate) fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            Threads::forget(self.address);
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            // A second panic, of a test that has failed, would take the other tests with it.
            if !thread::panicking() {
                eventually(|| thread.is_finished());
            }
            if thread.is_finished() {
                thread.join().unwrap();
            }
        }
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Becomes redis-server, beside a watcher that kills it when standard input ends: that is also when a test is killed,
/// which drops nothing.
const UNTIL_INPUT_ENDS: &str = r#"exec 3<&0; (read -r _ <&3; kill -9 $$ 2>/dev/null) >/dev/null & exec redis-server "$@" 3<&-"#;

/// A real redis-server, on a free port. Killed when it is dropped.
pub(crate) struct RealRedis {
    pub(crate) address: SocketAddr,
    process: Child,
    _dir: tempfile::TempDir,
}

impl RealRedis {
    /// `None` if the program is not installed. With `CI` set it must be.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// As [`start`](Self::start), with more options.
    pub(crate) fn start_with(more: &[&str]) -> Option<Self> {
        if !installed("redis-server") {
            return None;
        }
        loop {
            let dir = tempfile::tempdir().unwrap();
            let address = free_address();
            let process = Command::new("sh")
                .args(["-c", UNTIL_INPUT_ENDS, "sh"])
                .args(["--port", &address.port().to_string(), "--bind", "127.0.0.1"])
                .args(["--save", "", "--appendonly", "no"])
                .args(more)
                .current_dir(dir.path())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut server = Self {
                address,
                process,
                _dir: dir,
            };
            match server.becomes_ready() {
                Ok(()) => {
                    Threads::OfProcess(server.process.id()).serve(address);
                    return Some(server);
                }
                // Somebody else took the port meanwhile, a server of another test or the near end of a connection.
                Err(said) if said.contains("Address already in use") => {}
                Err(said) => panic!("redis-server did not start: {said}"),
            }
        }
    }

    /// Waits until the server says that it accepts connections, or what it said, if it ends first. Who only tries to connect may
    /// reach another server, which has the port that this one wants.
    fn becomes_ready(&mut self) -> Result<(), String> {
        let stdout = self.process.stdout.take().unwrap();
        let (tell, told) = channel();
        thread::spawn(move || tell.send(says_that_it_is_ready(stdout)));
        let told = told.recv_timeout(DEADLINE);
        told.expect("redis-server starts or ends")
    }
}

fn says_that_it_is_ready(stdout: impl Read) -> Result<(), String> {
    let mut said = String::new();
    for line in BufReader::new(stdout).lines() {
        let line = line.unwrap();
        if line.contains("Ready to accept connections") {
            return Ok(());
        }
        said += &line;
        said.push('\n');
    }
    Err(said)
}

impl Drop for RealRedis {
    fn drop(&mut self) {
        Threads::forget(self.address);
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A loopback address that was free a moment ago.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap()
}

/// A program that may not be installed. With `CI` set it must be.
pub(crate) fn installed(program: &str) -> bool {
    let found = std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|dir| Path::new(&dir).join(program).is_file())
    });
    assert!(
        found || std::env::var_os("CI").is_none(),
        "CI needs {program}"
    );
    if !found {
        eprintln!("skipped: {program} is not installed");
    }
    found
}
