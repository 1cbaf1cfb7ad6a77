//! Accepting connections, and stopping without losing an answer.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::commands::Server;
use crate::server::connection::Connection;
use crate::server::{Durability, Options};
use crate::store::{self, Store};
use crate::types::Clock;

/// How long a stopping server waits for answers to be sent.
const STOP_PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait before the next try when the system has no more sockets to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Others could reach the server, and nothing would keep them out.
    #[error(
        "{host} can be reached from other machines, and this server asks nobody for a password. \
         Use --host 127.0.0.1, or --no-protected-mode if the network is trusted"
    )]
    NotProtected {
        /// The address.
        host: IpAddr,
    },
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {source}.{}", advice(source))]
    Listen {
        /// The address and the port.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The thread that syncs cannot be started.
    #[error("cannot start the thread that syncs: {0}")]
    Thread(io::Error),
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::AddrInUse => {
            " Another program has this port: stop it, or choose another --port"
        }
        io::ErrorKind::PermissionDenied => {
            " Ports below 1024 need privileges: choose another --port"
        }
        io::ErrorKind::AddrNotAvailable => " This machine does not have this --host address",
        _ => "",
    }
}

/// A server that listens and has not yet accepted anybody.
pub struct Listener {
    listener: TcpListener,
    options: Options,
    server: Arc<Server>,
    durability: Arc<Durability>,
}

impl Listener {
    /// Takes the port.
    ///
    /// # Errors
    /// See [`StartError`].
    pub async fn bind(
        options: Options,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StartError> {
        let host = options.host;
        if options.protected && !host.is_loopback() {
            return Err(StartError::NotProtected { host });
        }
        let address = SocketAddr::new(host, options.port);
        let listen = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let port = listener.local_addr().map_err(listen)?.port();
        let durability = Durability::start(Arc::clone(&store), options.sync);
        Ok(Self {
            listener,
            server: Arc::new(Server::new(store, clock, options.settings(port))),
            options,
            durability: Arc::new(durability.map_err(StartError::Thread)?),
        })
    }

    /// The address that clients connect to.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(self.options.host, self.server.settings.port)
    }

    /// Serves clients until `stop` is ready, then answers what has arrived, syncs and closes the
    /// store.
    ///
    /// # Errors
    /// Closing the store failed.
    pub async fn run(self, stop: impl Future<Output = ()>) -> store::Result<()> {
        let (stopping, stopped) = watch::channel(false);
        let mut connections = JoinSet::new();
        tokio::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        self.welcome(stream, peer, &mut connections, &stopped).await;
                    }
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
                // Forgets the connections that have ended.
                Some(_) = connections.join_next() => {}
            }
        }
        drop(self.listener);
        stopping.send_replace(true);
        let all_ended = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_PATIENCE, all_ended)
            .await
            .is_err()
        {
            tracing::warn!("some clients do not take their answers, and are cut off");
            connections.shutdown().await;
        }
        self.durability.stop();
        self.server.store.close()
    }

    async fn welcome(
        &self,
        mut stream: TcpStream,
        peer: SocketAddr,
        connections: &mut JoinSet<()>,
        stopped: &watch::Receiver<bool>,
    ) {
        if self.server.client_count() >= self.options.max_clients {
            self.server
                .counters
                .rejected
                .fetch_add(1, Ordering::Relaxed);
            // The client may be gone already.
            let _ = stream
                .write_all(b"-ERR max number of clients reached\r\n")
                .await;
            return;
        }
        // Answers are written in one piece, so waiting for more of them only costs time.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection was lost before it began");
            return;
        }
        let session = self
            .server
            .connect(peer.to_string(), self.address().to_string());
        let limits = self.options.limits;
        let connection = Connection::new(stream, session, limits, Arc::clone(&self.durability));
        connections.spawn(connection.serve(stopped.clone()));
    }
}
