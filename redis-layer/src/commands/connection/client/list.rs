//! `CLIENT LIST` and `CLIENT INFO`: one line for each connection.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::commands::connection::client::ClientType;
use crate::commands::context::peer::{Peer, View};
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::parse_integer;

/// `CLIENT INFO`
pub(crate) fn info(session: &mut Session, args: Args<'_>) -> Outcome {
    Ok(Reply::Text(describe(session, args) + "\n"))
}

/// The line of the client that runs this command, without a line end.
pub(crate) fn describe(session: &Session, args: Args<'_>) -> String {
    line(&session.peer, session.server.clock.now_ms(), Own::of(args))
}

/// `CLIENT LIST [TYPE type] [ID id [id ...]]`
pub(crate) fn list(session: &mut Session, args: Args<'_>) -> Outcome {
    let mut peers = session.server.peers();
    if args.len() == 4 && args.is(2, "TYPE") {
        let wanted = ClientType::parse(args, 3)?;
        peers.retain(|peer| peer.client_type() == wanted);
    } else if args.len() > 3 && args.is(2, "ID") {
        let ids = args.from(3).iter().map(|id| parse_integer(id));
        let ids: Option<Vec<i64>> = ids.collect();
        let ids = ids.ok_or(CommandError::fixed("ERR Invalid client ID"))?;
        // In the order in which they were asked for. A number that no client has is skipped.
        let found = |id: &i64| {
            let at = peers.binary_search_by_key(&u64::try_from(*id).ok()?, |peer| peer.id);
            Some(Arc::clone(&peers[at.ok()?]))
        };
        peers = ids.iter().filter_map(found).collect();
    } else if args.len() != 2 {
        return Err(CommandError::SYNTAX);
    }
    let now_ms = session.server.clock.now_ms();
    let own = Own::of(args);
    let lines = peers.iter().map(|peer| {
        let is_own = peer.id == session.id;
        line(peer, now_ms, if is_own { own } else { Own::default() }) + "\n"
    });
    Ok(Reply::Text(lines.collect()))
}

/// The memory of the running command itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Own {
    /// The length that it had in the query.
    query_bytes: usize,
    args_bytes: usize,
}

impl Own {
    fn of(args: Args<'_>) -> Self {
        let digits = |number: usize| number.to_string().len();
        let words = args.from(0);
        let in_query = |word: &bytes::Bytes| 5 + digits(word.len()) + word.len();
        Self {
            query_bytes: 3 + digits(words.len()) + words.iter().map(in_query).sum::<usize>(),
            args_bytes: words.iter().map(bytes::Bytes::len).sum(),
        }
    }
}

/// One line of the list, without a line end. The sizes of Redis's buffers that do not exist here are 0.
pub(crate) fn line(peer: &Peer, now_ms: i64, own: Own) -> String {
    let Peer {
        id,
        address,
        local_address,
        ..
    } = peer;
    let view = peer.view.lock().clone();
    let View {
        db, last_command, ..
    } = view;
    let socket = peer.socket.load(Ordering::Relaxed);
    let name = String::from_utf8_lossy(&view.name);
    let age_s = now_ms.saturating_sub(peer.connected_ms) / 1000;
    let idle_s = now_ms.saturating_sub(peer.active_ms()) / 1000;
    let flags = flags(peer, &view);
    let [channels, patterns, shards] = view.subscriptions;
    let queued = view.queued.map_or(-1, |n| i64::try_from(n).unwrap_or(-1));
    let queue_bytes = peer.queue_bytes();
    let query_bytes = peer.query_bytes() + own.query_bytes;
    let args_bytes = own.args_bytes;
    let buffer_bytes = peer.buffer_bytes();
    let answer_bytes = peer.answer_bytes();
    let message_count = peer.outbox.len();
    let message_bytes = peer.outbox.waiting_bytes();
    let all_bytes = peer.memory_bytes() + own.query_bytes + own.args_bytes;
    let redirect = if view.tracking.is_on {
        i64::try_from(view.tracking.redirect).unwrap_or(0)
    } else {
        -1
    };
    let user = String::from_utf8_lossy(&view.account.name);
    let resp = view.protocol.number();
    format!(
        "id={id} addr={address} laddr={local_address} fd={socket} name={name} age={age_s} \
         idle={idle_s} flags={flags} db={db} sub={channels} psub={patterns} ssub={shards} \
         multi={queued} qbuf={query_bytes} qbuf-free=0 argv-mem={args_bytes} multi-mem={queue_bytes} rbs={buffer_bytes} rbp={buffer_bytes} \
         obl={answer_bytes} oll={message_count} omem={message_bytes} tot-mem={all_bytes} events=r \
         cmd={last_command} user={user} redir={redirect} resp={resp}"
    )
}

/// A letter for each special state of a client.
fn flags(peer: &Peer, view: &View) -> String {
    let flags: String = [
        (view.is_monitor, 'O'),
        (view.is_subscriber(), 'P'),
        (view.queued.is_some(), 'x'),
        (peer.is_blocked.load(Ordering::Relaxed), 'b'),
        (view.tracking.is_on, 't'),
        (view.tracking.is_broken, 'R'),
        (view.tracking.is_broadcast, 'B'),
        (watches_in_vain(view), 'd'),
        (peer.outbox.is_closed(), 'A'),
        (peer.unix_path().is_some(), 'U'),
        (peer.no_evict.load(Ordering::Relaxed), 'e'),
    ]
    .into_iter()
    .filter_map(|(applies, letter)| applies.then_some(letter))
    .collect();
    if flags.is_empty() {
        "N".to_owned()
    } else {
        flags
    }
}

/// Whether a key that it watches has changed.
fn watches_in_vain(view: &View) -> bool {
    let changed = view.watched.as_ref();
    changed.is_some_and(|changed| changed.load(Ordering::Relaxed))
}

impl Peer {
    pub(crate) fn client_type(&self) -> ClientType {
        if self.view.lock().is_subscriber() {
            ClientType::PubSub
        } else {
            ClientType::Normal
        }
    }
}
