//! Accepts connections, and stops the server without losing an answer.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::commands::config::descriptors::{RESERVED, allow_clients};
use crate::commands::monitoring::seldom::Seldom;
use crate::commands::{Server, Session};
use crate::server::batching::Batcher;
use crate::server::client_checks::check_clients;
use crate::server::connection::Connection;
use crate::server::expire::start_expirer;
use crate::server::forget::forget_unused;
use crate::server::reclaim::start_reclaimer;
use crate::server::stream::Stream;
use crate::server::unix_socket::UnixSocket;
use crate::server::wake_order::{WakeCounts, WakeOrder};
use crate::server::{Durability, Options};
use crate::store::{self, Store};
use crate::types::Clock;

/// How long a stopping server waits for answers to be sent.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait before trying again when the system has no more sockets.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Other machines could reach the server, and nothing would keep them out.
    #[error(
        "{host} can be reached from other machines, and this server asks nobody for a password. \
         Use --requirepass, or --host 127.0.0.1, or --no-protected-mode if the network is trusted"
    )]
    NotProtected {
        /// The address.
        host: IpAddr,
    },
    /// The system lets the server have too few files open.
    #[error(
        "the limit on open files (`ulimit -n`) leaves none for clients, because the server itself keeps {RESERVED}. \
         Raise it to {} for {clients} clients (--maxclients)", clients + RESERVED
    )]
    Descriptors {
        /// How many clients were wanted.
        clients: u64,
    },
    /// The server cannot listen on the address.
    #[error("cannot listen at {address}: {source}.{}", advice(source))]
    Listen {
        /// The address and the port.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The server cannot listen on the Unix socket.
    #[error("cannot listen at the Unix socket {}: {source}.{}", path.display(), socket_advice(source))]
    Socket {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Why a server ended without being stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A background thread cannot be started.
    #[error(
        "cannot start a thread that syncs, removes expired keys or reclaims space: {0}. Raise the limit on processes \
         (`ulimit -u`), or end other programs"
    )]
    Thread(io::Error),
    /// The store could not be closed.
    #[error(
        "cannot close the data cleanly: {0}. What was acknowledged as durable is there; the next start reads the rest \
         from the logs, as far as they reached the disk"
    )]
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

fn socket_advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::AddrInUse => {
            " Another program listens there: stop it, or choose another --unixsocket"
        }
        io::ErrorKind::AlreadyExists => {
            " That file is no socket: remove it, or choose another --unixsocket"
        }
        io::ErrorKind::NotFound => " Its directory must exist",
        io::ErrorKind::PermissionDenied => {
            " Its directory must let this user write: choose another --unixsocket"
        }
        // The system stores the path of a socket in a field of fixed length.
        io::ErrorKind::InvalidInput => " Choose a path of at most 107 bytes",
        _ => "",
    }
}

/// Wants no more clients than the system allows, and says so.
fn limit_clients(options: &mut Options) -> Result<(), StartError> {
    let clients = options.effective().live.max_clients() as u64;
    let possible = allow_clients(clients);
    if possible == 0 {
        return Err(StartError::Descriptors { clients });
    }
    if possible < clients {
        let needed = clients + RESERVED;
        tracing::warn!(
            "maxclients is {possible} and not {clients}: the system lets this process have too few files open. Raise the limit \
             (`ulimit -n`) to {needed}"
        );
        options.config.push(("maxclients", possible.to_string()));
    }
    Ok(())
}

/// A port that the server listens on, before it serves clients. Clients that connect have to wait.
///
/// The server takes the port before it opens the store, so that a server that cannot listen creates no data.
pub struct Listener {
    listener: TcpListener,
    unix: Option<UnixSocket>,
    address: SocketAddr,
    options: Options,
}

impl Listener {
    /// Takes the port, and the Unix socket if one is wanted. Only clients on this machine can reach the socket, so
    /// the permissions of its file are all the protection it needs.
    ///
    /// # Errors
    /// See [`StartError`].
    pub async fn bind(mut options: Options) -> Result<Self, StartError> {
        let host = options.host;
        let asks_nobody = options.effective().get("requirepass").is_empty();
        if options.protected && asks_nobody && !host.is_loopback() {
            return Err(StartError::NotProtected { host });
        }
        limit_clients(&mut options)?;
        let address = SocketAddr::new(host, options.port);
        let listen = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let unix = options.unix_socket.as_ref().map(|path| {
            let socket = UnixSocket::bind(path, options.unix_socket_mode);
            socket.map_err(|source| StartError::Socket {
                path: path.clone(),
                source,
            })
        });
        Ok(Self {
            address: listener.local_addr().map_err(listen)?,
            listener,
            unix: unix.transpose()?,
            options,
        })
    }

    /// The address that clients connect to.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves clients until `stop` completes, then answers the commands that have arrived, syncs and closes the
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
        let policy = move || asked.config.live.sync_policy();
        let syncing = Arc::clone(&server);
        let durability = Durability::start(move || syncing.sync(), policy);
        let durability = Arc::new(durability.map_err(ServeError::Thread)?);
        let reclaimer = start_reclaimer(Arc::clone(&server), Arc::clone(&durability));
        let reclaimer = reclaimer.map_err(ServeError::Thread)?;
        let expirer = start_expirer(Arc::clone(&server), Arc::clone(&durability));
        let expirer = expirer.map_err(ServeError::Thread)?;
        let checking = tokio::spawn(check_clients(Arc::clone(&server)));
        let forgetting = tokio::spawn(forget_unused(Arc::clone(&server)));
        let stop = async {
            tokio::select! {
                () = stop => {}
                () = server.shutdown.asked() => tracing::info!("a client asked for a stop"),
            }
        };
        self.accept_until(stop, &server, &durability).await;
        server.cut_off();
        checking.abort();
        forgetting.abort();
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
        let batcher = Arc::new(Batcher::new(Arc::clone(durability)));
        let wake_counts = Arc::new(WakeCounts::default());
        let mut connections = JoinSet::new();
        let failures = Seldom::new();
        tokio::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                accepted = self.accept() => match accepted {
                    Ok((stream, ends)) => {
                        let session = open_session(stream, ends, server).await;
                        if let Some((stream, session)) = session {
                            let batcher = Arc::clone(&batcher);
                            let durability = Arc::clone(durability);
                            let connection =
                                Connection::new(stream, session, batcher, durability);
                            let order = WakeOrder::new(&wake_counts);
                            connections.spawn(Box::new(connection).serve(order));
                        }
                    }
                    Err(error) => {
                        if let Some(unsaid) = failures.is_due() {
                            tracing::warn!(%error, unsaid, "cannot accept a connection");
                        }
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
                // Forgets connections that have ended.
                Some(_) = connections.join_next() => {}
            }
        }
        drop(self.listener);
        drop(self.unix);
        server.peers().iter().for_each(|peer| peer.outbox.stop());
        let all_ended = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_TIMEOUT, all_ended).await.is_err() {
            tracing::warn!(
                "some clients do not take their answers, or run long scripts, and are cut off"
            );
            server.cut_off();
            connections.shutdown().await;
        }
    }

    /// The next client, and the addresses of both ends.
    async fn accept(&self) -> io::Result<(Stream, [String; 2])> {
        let over_unix = async {
            match &self.unix {
                Some(unix) => unix.accept().await.map(|stream| (stream, unix.address())),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            accepted = self.listener.accept() => {
                let (stream, peer) = accepted?;
                let ends = [peer.to_string(), self.address.to_string()];
                Ok((Stream::Tcp(stream), ends))
            }
            accepted = over_unix => {
                let (stream, address) = accepted?;
                Ok((Stream::Unix(stream), [address.clone(), address]))
            }
        }
    }
}

/// A session for a new connection, unless there are too many connections.
async fn open_session(
    mut stream: Stream,
    [peer, local]: [String; 2],
    server: &Arc<Server>,
) -> Option<(Stream, Session)> {
    if server.client_count() >= server.config.live.max_clients() {
        server.counters.rejected.fetch_add(1, Ordering::Relaxed);
        // The client may be gone already.
        let _ = stream
            .write_all(b"-ERR max number of clients reached\r\n")
            .await;
        return None;
    }
    if let Err(error) = stream.prepare(server.config.live.keepalive_s()) {
        tracing::debug!(%error, "a connection was lost before it began");
        return None;
    }
    let session = server.connect(peer, local);
    let socket = &session.peer().socket;
    socket.store(stream.as_raw_fd(), Ordering::Relaxed);
    Some((stream, session))
}
