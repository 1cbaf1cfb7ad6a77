//! `MONITOR`: shows every command that runs to the clients that asked for it.
//!
//! Commands for administrators are not shown, and passwords never are. A client that monitors may not use keys: Redis
//! counts it among the replicas there, and among the normal clients where it lists or ends clients.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::commands::config::OutputClass;
use crate::commands::context::outbox::Message;
use crate::commands::context::peer::Peer;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};

/// The clients that monitor.
#[derive(Debug, Default)]
pub(crate) struct Monitors {
    peers: Mutex<BTreeMap<u64, Arc<Peer>>>,
    count: AtomicUsize,
}

impl Monitors {
    /// Whether any client monitors.
    pub(crate) fn are_any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    fn add(&self, peer: &Arc<Peer>) {
        let mut peers = self.peers.lock();
        peers.insert(peer.id, Arc::clone(peer));
        self.count.store(peers.len(), Ordering::Relaxed);
    }

    pub(crate) fn remove(&self, id: u64) {
        if self.are_any() {
            let mut peers = self.peers.lock();
            peers.remove(&id);
            self.count.store(peers.len(), Ordering::Relaxed);
        }
    }

    /// Shows a command to the clients that monitor.
    pub(crate) fn show(&self, session: &Session, args: Args<'_>) {
        if !self.are_any() {
            return;
        }
        let micros = session.server.clock.now_us();
        let mut line = format!(
            "{}.{:06} [{} {}]",
            micros / 1_000_000,
            micros % 1_000_000,
            session.db,
            sender(session)
        )
        .into_bytes();
        for position in 0..args.len() {
            line.push(b' ');
            let word: &[u8] = if is_secret(args, position) {
                b"(redacted)"
            } else {
                args.get(position)
            };
            quote(word, &mut line);
        }
        let message = Message::new(Reply::Line(line.into()));
        // Redis bounds these messages like answers to replicas: without a limit unless one is set.
        let limit = session
            .server
            .config
            .live
            .output_limit(OutputClass::Replica);
        for peer in self.peers.lock().values() {
            peer.outbox.add(message.clone(), limit);
        }
    }
}

/// The address of the client that sent a command.
fn sender(session: &Session) -> Cow<'_, str> {
    if session.in_script {
        return "lua".into();
    }
    let peer = &session.peer;
    let path = peer.unix_path();
    path.map_or(Cow::from(&peer.address), |path| {
        format!("unix:{path}").into()
    })
}

/// Whether an argument is a password.
pub(crate) fn is_secret(args: Args<'_>, position: usize) -> bool {
    match args.spec.full_name {
        "auth" => position > 0,
        "hello" => {
            let after = |distance: usize| {
                position
                    .checked_sub(distance)
                    .is_some_and(|at| at > 1 && args.is(at, "AUTH"))
            };
            after(1) || after(2)
        }
        "config|set" => {
            let name = position.saturating_sub(1);
            let secrets = ["requirepass", "masterauth", "masteruser"];
            position > 2 && secrets.iter().any(|secret| args.is(name, secret))
        }
        "acl|setuser" => position > 1,
        _ => false,
    }
}

/// Appends a word in double quotes, with escapes for characters that cannot be printed.
fn quote(word: &[u8], line: &mut Vec<u8>) {
    line.push(b'"');
    for &byte in word {
        match byte {
            b'\\' | b'"' => line.extend([b'\\', byte]),
            b'\n' => line.extend(b"\\n"),
            b'\r' => line.extend(b"\\r"),
            b'\t' => line.extend(b"\\t"),
            0x07 => line.extend(b"\\a"),
            0x08 => line.extend(b"\\b"),
            b' '..=b'~' => line.push(byte),
            _ => line.extend(format!("\\x{byte:02x}").bytes()),
        }
    }
    line.push(b'"');
}

/// `MONITOR`
pub(crate) fn monitor(session: &mut Session, _args: Args<'_>) -> Outcome {
    if session.in_transaction {
        return Err(CommandError::fixed(
            "ERR MONITOR isn't allowed for DENY BLOCKING client",
        ));
    }
    if session.is_monitor {
        return Ok(Reply::Silence);
    }
    session.is_monitor = true;
    session.server.monitors.add(&session.peer);
    session.peer.view.lock().is_monitor = true;
    // Commands of other clients from now on must be shown after this reply.
    session.reply_first = true;
    Ok(Reply::OK)
}
