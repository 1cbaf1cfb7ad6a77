//! The workbook's server: builds the book, serves it, and keeps open pages up to date.
//!
//! It binds first (so that a taken port is told at once), builds, then serves and watches. Pages
//! hold one WebSocket at `/live`, over which they are told of a new build, of a failed one and of
//! the exercises' state. A failed build leaves the last good book in place.
//!
//! Left out on purpose: file notifications (they report mere opens and loop on the build's own
//! reads; a poll asks some 320 files when they were written and reads only those that changed, 3 ms
//! in a build without optimization) and server-sent events (browsers allow six per host, so a
//! seventh tab would hang).

mod build;
mod guard;
mod live;
mod pages;
mod rebuild;

use std::future::{Future, IntoFuture};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// How long open connections may take to end once the server is told to stop.
const STOP_WITHIN: Duration = Duration::from_secs(2);

/// The state of the book, as pages are told it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Site {
    /// The folder being served; `None` until a first build succeeds.
    dir: Option<PathBuf>,
    /// The folder served before, for the scripts and styles of pages that were loaded from it: the
    /// names of such files change with their contents.
    dir_before: Option<PathBuf>,
    /// Fingerprint of the served build; empty until there is one.
    build: String,
    /// What is wrong with the sources now: a failed build, missing includes, unknown anchors.
    problems: Vec<String>,
}

/// What [`Server::bind`] needs.
#[derive(Clone)]
pub struct ServeOptions {
    /// The folder that holds `book.toml`.
    pub book_dir: PathBuf,
    /// Address to bind. [`ServeOptions::new`] gives 127.0.0.1, which only this machine reaches.
    pub host: IpAddr,
    /// Port to bind; 0 lets the system choose (see [`Server::addr`]).
    pub port: u16,
    /// The exercises' state: the JSON array of `cargo workbook list --json`. Each new value is
    /// pushed to every open page. An empty string means "nothing known yet" and is not pushed.
    pub status: watch::Receiver<String>,
    /// Called for what a terminal should print. It runs on the server's tasks: keep it short.
    pub on_event: Arc<dyn Fn(Event) + Send + Sync>,
    /// How often the sources are looked at.
    pub poll_interval: Duration,
}

impl ServeOptions {
    /// Options for `book_dir` on 127.0.0.1 port 3000, with events dropped.
    pub fn new(book_dir: impl Into<PathBuf>, status: watch::Receiver<String>) -> Self {
        Self {
            book_dir: book_dir.into(),
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 3000,
            status,
            on_event: Arc::new(|_| {}),
            poll_interval: Duration::from_millis(250),
        }
    }
}

/// What happened, for the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The book was built; `changed` is false when the pages came out the same as before.
    Built {
        /// How long the build took.
        took: Duration,
        /// Whether open pages were told to reload.
        changed: bool,
        /// Mistakes that mdBook passes over in silence: missing includes, unknown anchors.
        problems: Vec<String>,
    },
    /// The build failed; the last good book is still served.
    BuildFailed {
        /// mdBook's message with its causes.
        message: String,
    },
}

/// Why the server could not start or go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Another program listens on the port.
    #[error("port {port} on {host} is taken{}", .next_free.map(|p| format!("; port {p} is free: --port {p}")).unwrap_or_default())]
    PortTaken {
        /// The address asked for.
        host: IpAddr,
        /// The port asked for.
        port: u16,
        /// The first free port above it, if there is one within a hundred.
        next_free: Option<u16>,
    },
    /// The address cannot be bound for another reason.
    #[error("cannot listen on {addr}")]
    Bind {
        /// The address asked for.
        addr: SocketAddr,
        /// The system's reason.
        source: std::io::Error,
    },
    /// `book_dir` holds no `book.toml`.
    #[error("no book in {}: book.toml is missing", .0.display())]
    NoBook(PathBuf),
    /// Anything else that the system refused.
    #[error("{what}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// A bound server that does not answer yet.
pub struct Server {
    listener: TcpListener,
    options: ServeOptions,
}

impl Server {
    /// Binds the port. Cheap: nothing is built yet.
    ///
    /// # Errors
    /// [`ServeError::PortTaken`] with a free port to offer, or why the address cannot be bound.
    pub async fn bind(options: ServeOptions) -> Result<Self, ServeError> {
        if !options.book_dir.join("book.toml").is_file() {
            return Err(ServeError::NoBook(options.book_dir));
        }
        let addr = SocketAddr::new(options.host, options.port);
        match TcpListener::bind(addr).await {
            Ok(listener) => Ok(Self { listener, options }),
            Err(e) if e.kind() == std::io::ErrorKind::AddrInUse => Err(ServeError::PortTaken {
                host: options.host,
                port: options.port,
                next_free: next_free_port(addr).await,
            }),
            Err(source) => Err(ServeError::Bind { addr, source }),
        }
    }

    /// The address that pages are served at.
    ///
    /// # Errors
    /// When the system cannot tell the address of its own socket.
    pub fn addr(&self) -> Result<SocketAddr, ServeError> {
        self.listener.local_addr().map_err(|source| ServeError::Io {
            what: "cannot read the server's own address",
            source,
        })
    }

    /// Builds, serves and watches until `stop` is done, then closes every connection.
    ///
    /// # Errors
    /// When no folder for the builds can be made, or the listener fails.
    pub async fn run(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let io = |what| move |source| ServeError::Io { what, source };
        let builder = build::Builder::new(&self.options.book_dir)
            .map_err(io("cannot make a folder for the built book"))?;
        let (site, site_feed) = watch::channel(Site::default());
        let (stopping, stop_feed) = watch::channel(false);
        let feeds = live::Feeds {
            bound: self.options.host,
            site: site_feed,
            status: self.options.status.clone(),
            stop: stop_feed.clone(),
        };
        let told = stop_feed.clone();
        spawn_blocking(move || rebuild::run(&self.options, builder, &site, told));
        let tell = stopping.clone();
        tokio::spawn(async move {
            stop.await;
            // An error says that the server has ended by itself.
            let _ = tell.send(true);
        });
        let stopped = |mut feed: watch::Receiver<bool>| async move {
            let _ = feed.wait_for(|stop| *stop).await;
        };
        let serving = axum::serve(self.listener, pages::router(feeds))
            .with_graceful_shutdown(stopped(stop_feed.clone()))
            .into_future();
        let overtime = async {
            stopped(stop_feed).await;
            tokio::time::sleep(STOP_WITHIN).await;
        };
        let result = tokio::select! {
            served = serving => served.map_err(io("the server ended")),
            () = overtime => Ok(()),
        };
        // The last build is waited for by the runtime, which ends when its threads have.
        let _ = stopping.send(true);
        result
    }
}

/// The first port above `taken` that can be bound on the same address.
async fn next_free_port(taken: SocketAddr) -> Option<u16> {
    for port in (taken.port()..=u16::MAX).skip(1).take(100) {
        if TcpListener::bind((taken.ip(), port)).await.is_ok() {
            return Some(port);
        }
    }
    None
}
