//! Accepting connections, and stopping without losing an answer.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::commands::{Server, Session};
use crate::server::connection::Connection;
use crate::server::expire::Expirer;
use crate::server::reclaim::Reclaimer;
use crate::server::watch::watch_clients;
use crate::server::{Durability, Options, SyncPolicy};
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
         Use --requirepass, or --host 127.0.0.1, or --no-protected-mode if the network is trusted"
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
}

/// Why a server ended other than by a stop.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A thread beside the connections cannot be started.
    #[error("cannot start a thread that syncs or reclaims space: {0}")]
    Thread(io::Error),
    /// The store did not close.
    #[error("cannot close the data cleanly: {0}")]
    Close(store::Error),
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

/// A port that is taken, with nobody served yet. Clients that connect wait.
///
/// The port comes before the store, so that a server that cannot listen creates no data.
pub struct Listener {
    listener: TcpListener,
    address: SocketAddr,
    options: Options,
}

impl Listener {
    /// Takes the port.
    ///
    /// # Errors
    /// See [`StartError`].
    pub async fn bind(options: Options) -> Result<Self, StartError> {
        let host = options.host;
        if options.protected && options.password.is_empty() && !host.is_loopback() {
            return Err(StartError::NotProtected { host });
        }
        let address = SocketAddr::new(host, options.port);
        let listen = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        Ok(Self {
            address: listener.local_addr().map_err(listen)?,
            listener,
            options,
        })
    }

    /// The address that clients connect to.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves clients until `stop` is ready, then answers what has arrived, syncs and closes the
    /// store.
    ///
    /// # Errors
    /// See [`ServeError`].
    pub async fn serve(
        self,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let settings = self.options.settings(self.address.port());
        let server = Arc::new(Server::new(Arc::clone(&store), clock, settings));
        let asked = Arc::clone(&server);
        let policy = move || SyncPolicy::numbered(asked.config.live.sync());
        let durability = Durability::start(Arc::clone(&store), policy);
        let durability = Arc::new(durability.map_err(ServeError::Thread)?);
        let reclaimer = Reclaimer::start(Arc::clone(&store), Arc::clone(&durability));
        let reclaimer = reclaimer.map_err(ServeError::Thread)?;
        let expirer = Expirer::start(Arc::clone(&server), Arc::clone(&durability));
        let expirer = expirer.map_err(ServeError::Thread)?;
        let watching = tokio::spawn(watch_clients(Arc::clone(&server)));
        let stop = async {
            tokio::select! {
                () = stop => {}
                () = server.shutdown.asked() => tracing::info!("a client asked for a stop"),
            }
        };
        self.accept_until(stop, &server, &durability).await;
        watching.abort();
        drop(expirer);
        drop(reclaimer);
        if let Err(error) = server.shared.close(&*store) {
            tracing::warn!(%error, "the number of keys is not kept, the next start counts them");
        }
        durability.stop();
        store.close().map_err(ServeError::Close)
    }

    async fn accept_until(
        self,
        stop: impl Future<Output = ()>,
        server: &Arc<Server>,
        durability: &Arc<Durability>,
    ) {
        let mut connections = JoinSet::new();
        tokio::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        let session = self.welcome(stream, peer, server).await;
                        if let Some((stream, session)) = session {
                            let durability = Arc::clone(durability);
                            let connection = Connection::new(stream, session, durability);
                            connections.spawn(connection.serve());
                        }
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
        server.peers().iter().for_each(|peer| peer.outbox.stop());
        let all_ended = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_PATIENCE, all_ended)
            .await
            .is_err()
        {
            tracing::warn!("some clients do not take their answers, and are cut off");
            connections.shutdown().await;
        }
    }

    /// A session for a new connection, if there may be one more.
    async fn welcome(
        &self,
        mut stream: TcpStream,
        peer: SocketAddr,
        server: &Arc<Server>,
    ) -> Option<(TcpStream, Session)> {
        if server.client_count() >= server.config.live.max_clients() {
            server.counters.rejected.fetch_add(1, Ordering::Relaxed);
            // The client may be gone already.
            let _ = stream
                .write_all(b"-ERR max number of clients reached\r\n")
                .await;
            return None;
        }
        if let Err(error) = prepare(&stream, server.config.live.keepalive_s()) {
            tracing::debug!(%error, "a connection was lost before it began");
            return None;
        }
        let session = server.connect(peer.to_string(), self.address.to_string());
        let socket = &session.peer().socket;
        socket.store(stream.as_raw_fd(), Ordering::Relaxed);
        Some((stream, session))
    }
}

/// Answers are written in one piece, so waiting for more of them only costs time. And a client
/// whose machine is gone without a word is noticed some day.
fn prepare(stream: &TcpStream, keepalive_s: u64) -> io::Result<()> {
    stream.set_nodelay(true)?;
    if keepalive_s > 0 {
        // As Redis: the first question after the idle time, three more at a third of it.
        let keepalive = TcpKeepalive::new()
            .with_time(Duration::from_secs(keepalive_s))
            .with_interval(Duration::from_secs((keepalive_s / 3).max(1)))
            .with_retries(3);
        SockRef::from(stream).set_tcp_keepalive(&keepalive)?;
    }
    Ok(())
}
