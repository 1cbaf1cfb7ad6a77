//! Servers to talk to: ours, in this process and over the engine, and a real Redis where one is
//! installed. Both are stopped when they are dropped.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use engine::vfs::MemoryVfs;
use redis_layer::server::{Listener, Options};
use redis_layer::store::EngineStore;
use redis_layer::types::SystemClock;
use tokio::sync::oneshot;

use crate::client::Talk;

/// Tells the same story to our server and to a real Redis, and returns what was said.
///
/// # Panics
/// If the two answer differently.
pub(crate) fn told_to_both(story: impl Fn(&mut Talk)) -> String {
    let told = |address| {
        let mut talk = Talk::with(address);
        story(&mut talk);
        talk.transcript
    };
    let ours = Ours::start();
    let transcript = told(ours.address);
    if let Some(real) = RealRedis::start() {
        assert_eq!(transcript, told(real.address), "ours, and a real Redis");
    }
    transcript
}

/// Our server, on a free port, with the engine in memory below it.
pub(crate) struct Ours {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ours {
    pub(crate) fn start() -> Self {
        let (stop, stopped) = oneshot::channel();
        let (started, starting) = std::sync::mpsc::channel();
        let options = engine::Options {
            vfs: Arc::new(MemoryVfs::new()),
            ..engine::Options::default()
        };
        let store = Arc::new(EngineStore::open_with("/data", options).unwrap());
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                // A script may nest deeply.
                .thread_stack_size(8 << 20)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listener = Listener::bind(Options::default()).await.unwrap();
                started.send(listener.address()).unwrap();
                let stop = async { stopped.await.unwrap_or_default() };
                let clock = Arc::new(SystemClock);
                listener.serve(store, clock, stop).await.unwrap();
            });
        });
        Self {
            address: starting.recv().unwrap(),
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A real redis-server, on a free port.
struct RealRedis {
    address: SocketAddr,
    process: Child,
    _folder: tempfile::TempDir,
}

impl RealRedis {
    /// `None` if the program is not installed. With `CI` set it must be.
    fn start() -> Option<Self> {
        let found = std::env::var_os("PATH").is_some_and(|path| {
            std::env::split_paths(&path).any(|dir| Path::new(&dir).join("redis-server").is_file())
        });
        assert!(
            found || std::env::var_os("CI").is_none(),
            "CI needs redis-server"
        );
        if !found {
            eprintln!("told to our server alone: redis-server is not installed");
            return None;
        }
        loop {
            let folder = tempfile::tempdir().unwrap();
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let address = listener.local_addr().unwrap();
            drop(listener);
            let process = Command::new("redis-server")
                .args(["--port", &address.port().to_string(), "--bind", "127.0.0.1"])
                .args(["--save", "", "--appendonly", "no"])
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let mut server = Self {
                address,
                process,
                _folder: folder,
            };
            // It ends at once if somebody else took the port meanwhile.
            if accepts(address) && server.process.try_wait().unwrap().is_none() {
                return Some(server);
            }
        }
    }
}

impl Drop for RealRedis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn accepts(address: SocketAddr) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    while Instant::now() < deadline {
        if TcpStream::connect(address).is_ok() {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    false
}
