//! Clients that are blocked on a key: `BLPOP` and similar commands.
//!
//! A command that finds nothing answers [`Reply::Wait`]. The dispatcher then registers the client at every key that the
//! command waits for, of `BLMOVE` and `BRPOPLPUSH` the first one alone, before it releases their locks, so that no write
//! comes in between. A command that writes one of these keys serves the waiting clients in the order in which they came:
//! it runs their commands again, after it has released its own locks and before its own answer is sent. A `BLMOVE` that is
//! served this way writes another key, which may serve more clients, and so on.
//!
//! A write costs those who wait for another type nothing: what the key holds is read once, and only clients that wait
//! for that type are served. If the type changes meanwhile, the command that changes it serves the others.
//!
//! Invariants
//! 1. A blocked command is answered once: by a command that writes its key, by its time limit, or by `CLIENT UNBLOCK`.
//!    Whoever takes the sender out of [`BlockedCommand::sender`] sends the answer, also if its change could not be
//!    written.
//! 2. The mutexes of this module are held only to look something up or take it out: under them nothing is read,
//!    written or locked. The tasks of connections lock them too.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::commands::args::own_copies;
use crate::commands::context::parts::Parts;
use crate::commands::context::peer::{ENTRY_BYTES, Peer};
use crate::commands::dispatch::key_locks::Locks;
use crate::commands::dispatch::{Executed, Writer, commit, flag_watchers, tell};
use crate::commands::table::{Group, Handler, Spec};
use crate::commands::{Args, CommandError, Outcome, Reply, Server, Session};
use crate::types::rows::{decode_metadata_key, is_metadata_key, metadata_key};
use crate::types::{self, DbNumber, Kind, Txn};

/// Which commands are blocked on which keys, by metadata row.
#[derive(Debug, Default)]
pub(crate) struct BlockedCommands {
    by_key: Parts<InOrder>,
    by_client: Mutex<HashMap<u64, Arc<BlockedCommand>>>,
    last_number: AtomicU64,
}

/// The commands that are blocked on a key, by the type that they wait for, then by number, which is the order in which
/// they came.
type InOrder = BTreeMap<(Kind, u64), Arc<BlockedCommand>>;

/// One command that waits for a key.
#[derive(Debug)]
struct BlockedCommand {
    number: u64,
    client: u64,
    peer: Arc<Peer>,
    db: DbNumber,
    spec: &'static Spec,
    args: Vec<Bytes>,
    /// About how much memory it takes.
    bytes: usize,
    on_timeout: Reply,
    /// Whoever takes it sends the answer.
    sender: Mutex<Option<oneshot::Sender<Executed>>>,
    /// How many messages the client had got when the answer was sent.
    messages_before: AtomicU64,
}

/// The wait of a client. Dropping it ends the wait.
pub struct Waiting {
    server: Arc<Server>,
    command: Arc<BlockedCommand>,
    deadline: Option<Instant>,
    receiver: oneshot::Receiver<Executed>,
    /// The client wanted no reply when it began to wait.
    is_silent: bool,
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.command.fmt(f)
    }
}

impl Waiting {
    /// Registers a client at the keys of its command. The caller holds their locks.
    pub(crate) fn begin(
        session: &Session,
        args: Args<'_>,
        timeout_ms: u64,
        on_timeout: Reply,
    ) -> Self {
        let server = Arc::clone(&session.server);
        let (sender, receiver) = oneshot::channel();
        let blocked = Arc::new(BlockedCommand {
            number: server.blocked.last_number.fetch_add(1, Ordering::Relaxed),
            client: session.id,
            peer: Arc::clone(&session.peer),
            db: session.db,
            spec: args.spec,
            args: own_copies(args.from(0)),
            bytes: args.from(0).iter().map(|arg| arg.len() + ENTRY_BYTES).sum(),
            on_timeout,
            sender: Mutex::new(Some(sender)),
            messages_before: AtomicU64::new(0),
        });
        server.shared.observe();
        session.peer.keeps(blocked.bytes);
        server.begin_work_on(blocked.args.len());
        for row in blocked.rows() {
            let mut part = server.blocked.by_key.part(&row);
            let of_key = part.entry(row).or_default();
            of_key.insert(blocked.place(), Arc::clone(&blocked));
        }
        let mut by_client = server.blocked.by_client.lock();
        by_client.insert(blocked.client, Arc::clone(&blocked));
        drop(by_client);
        // A time limit too far in the future for the clock counts as none.
        let deadline = (timeout_ms > 0)
            .then(|| Instant::now().checked_add(Duration::from_millis(timeout_ms)))
            .flatten();
        Self {
            server,
            command: blocked,
            deadline,
            receiver,
            is_silent: false,
        }
    }

    /// The client gets no answer, whatever comes of its command.
    pub(crate) const fn silence(&mut self) {
        self.is_silent = true;
    }

    /// The answer, once there is one. May be dropped and called again.
    pub async fn outcome(&mut self) -> Executed {
        let received = match self.deadline {
            None => (&mut self.receiver).await,
            Some(deadline) => match timeout_at(deadline, &mut self.receiver).await {
                Ok(received) => received,
                Err(_) => {
                    let answer = self.command.on_timeout.clone();
                    self.command.answer(Executed::reply(answer));
                    (&mut self.receiver).await
                }
            },
        };
        // The sender is dropped only after it has sent.
        let executed =
            received.unwrap_or_else(|_| Executed::reply(self.command.on_timeout.clone()));
        self.for_client(executed)
    }

    /// How many of all the client's messages came before the answer. They must be sent before it: what they say is out
    /// of date was so before the element came.
    #[must_use]
    pub fn messages_before(&self) -> u64 {
        self.command.messages_before.load(Ordering::Acquire)
    }

    /// Records that the command ran after all. The slow log counts the work before the wait, but not the wait itself.
    pub fn served(&self, session: &Session) {
        let args = Args::new(&self.command.args, self.command.spec);
        self.server
            .slowlog
            .consider(session, args, session.worked_micros);
    }

    /// What of an outcome is sent to the client.
    fn for_client(&self, mut executed: Executed) -> Executed {
        if self.is_silent {
            executed.reply = Reply::Silence;
        }
        executed
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // Nobody serves it any more, although it takes a while to leave many keys.
        drop(self.command.sender.lock().take());
        self.server.begin_work_on(self.command.args.len());
        let place = self.command.place();
        for row in self.command.rows() {
            let leave = |of_key: &mut InOrder| drop(of_key.remove(&place));
            let by_key = &self.server.blocked.by_key;
            by_key.reduce(&row, leave, InOrder::is_empty);
        }
        self.server
            .blocked
            .by_client
            .lock()
            .remove(&self.command.client);
        self.server.shared.unobserve();
        self.command.peer.keeps_no_more(self.command.bytes);
    }
}

impl BlockedCommands {
    /// Ends the wait of a client, with an empty answer or an error. Returns whether it was waiting.
    pub(crate) fn unblock(
        &self,
        server: &Server,
        client: u64,
        error: Option<CommandError>,
    ) -> bool {
        let blocked = self.by_client.lock().get(&client).map(Arc::clone);
        blocked.is_some_and(|blocked| match error {
            Some(error) => blocked.fail(server, error),
            None => {
                let answered = blocked.answer(Executed::reply(blocked.on_timeout.clone()));
                // As in Redis, it counts as failed, although it gets what it would get when its time is over.
                server.statistics.failed(blocked.spec, u64::from(answered));
                answered
            }
        })
    }

    /// The keys of these databases that somebody waits for.
    pub(crate) fn rows_in(&self, databases: &[DbNumber]) -> Vec<Vec<u8>> {
        let is_in =
            |row: &&Vec<u8>| decode_metadata_key(row).is_ok_and(|(db, _)| databases.contains(&db));
        let mut rows = Vec::new();
        for part in self.by_key.all() {
            rows.extend(part.keys().filter(is_in).cloned());
        }
        rows
    }

    /// Whether anybody waits for a key.
    fn any_at(&self, row: &[u8]) -> bool {
        self.by_key.part(row).contains_key(row)
    }

    /// Of the commands that are blocked on a key and wait for this type, the first one whose number is at least
    /// `number`.
    fn first_at(&self, row: &[u8], kind: Kind, number: u64) -> Option<Arc<BlockedCommand>> {
        let part = self.by_key.part(row);
        let mut rest = part.get(row)?.range((kind, number)..=(kind, u64::MAX));
        rest.next().map(|(_, blocked)| Arc::clone(blocked))
    }
}

/// Serves the clients that wait for keys that were written. The caller holds no locks.
pub(crate) fn serve(server: &Server, touched: Vec<Vec<u8>>) {
    let mut rows = VecDeque::from(touched);
    while let Some(row) = rows.pop_front() {
        if !server.blocked.any_at(&row) {
            continue;
        }
        // If the row cannot be read, the commands that it serves meet the same fault, and their clients are told.
        let kinds = match kind_at(server, &row) {
            Ok(kind) => kind.into_iter().collect(),
            Err(_) => vec![Kind::List, Kind::SortedSet],
        };
        for kind in kinds {
            serve_at(server, &row, kind, &mut rows);
        }
    }
}

/// Serves the clients that wait for this type at one key, until nothing is left for them. Adds the rows of the keys
/// that this writes.
fn serve_at(server: &Server, row: &[u8], kind: Kind, written: &mut VecDeque<Vec<u8>>) {
    let mut number = 0;
    while let Some(blocked) = server.blocked.first_at(row, kind, number) {
        number = blocked.number + 1;
        match blocked.serve(server, row) {
            Ok(Served::Answered(touched)) => written.extend(touched),
            Ok(Served::NotForIt) => {}
            Ok(Served::NothingLeft) => break,
            // What it waits for is there, so it must not wait for more. The next one may have better luck.
            Err(error) => {
                blocked.fail(server, error);
            }
        }
    }
}

/// What became of a blocked command when one of its keys was written.
enum Served {
    /// It has its answer. Serving it wrote these keys.
    Answered(Vec<Vec<u8>>),
    /// It goes on waiting; the key may still have what others want.
    NotForIt,
    /// The key is gone again.
    NothingLeft,
}

impl BlockedCommand {
    /// The metadata rows of the keys that it waits for. The key that it would move an element to is not one of them.
    fn rows(&self) -> impl Iterator<Item = Vec<u8>> {
        let keys = self.spec.keys.of(&self.args);
        let most = if self.moves() { 1 } else { usize::MAX };
        keys.take(most).map(|key| metadata_key(self.db, key))
    }

    /// Its place among the commands that are blocked on a key.
    fn place(&self) -> (Kind, u64) {
        (self.waits_for(), self.number)
    }

    /// Whether it takes an element from its first key and adds it to its second one.
    fn moves(&self) -> bool {
        matches!(self.spec.full_name, "blmove" | "brpoplpush")
    }

    /// Whether the client has not been told to end. An element that is pushed after `CLIENT KILL` would be lost with
    /// it.
    fn stays(&self, server: &Server) -> bool {
        server.peer(self.client).is_some()
    }

    /// Sends an answer, if nobody else has. Returns whether it was sent.
    fn answer(&self, executed: Executed) -> bool {
        let sender = self.sender.lock().take();
        sender.is_some_and(|sender| self.send(sender, executed))
    }

    /// Sends an error and counts it, if nobody else has answered. Returns whether it was sent. The call itself was
    /// counted when the wait began.
    fn fail(&self, server: &Server, error: CommandError) -> bool {
        let sender = self.sender.lock().take();
        sender.is_some_and(|sender| self.send_error(server, sender, error))
    }

    fn send_error(
        &self,
        server: &Server,
        sender: oneshot::Sender<Executed>,
        error: CommandError,
    ) -> bool {
        server.statistics.error(&server.counters, &error);
        server.statistics.failed(self.spec, 1);
        self.send(sender, Executed::reply(Reply::Error(error)))
    }

    /// Whether there is no answer yet, and somebody who wants one.
    fn wants_answer(&self, server: &Server) -> bool {
        let is_open = |sender: &oneshot::Sender<_>| !sender.is_closed();
        self.sender.lock().as_ref().is_some_and(is_open) && self.stays(server)
    }

    /// Sends the answer. Returns false if the client is gone already.
    fn send(&self, sender: oneshot::Sender<Executed>, executed: Executed) -> bool {
        let before = self.peer.outbox.added();
        self.messages_before.store(before, Ordering::Release);
        sender.send(executed).is_ok()
    }

    /// The arguments as if it had waited for this key alone, because what its other keys hold does not matter any
    /// more. A command that moves an element keeps its two keys.
    fn args_for(&self, row: &[u8]) -> Vec<Bytes> {
        let mut args = self.args.clone();
        let keys = || self.spec.keys.of(&self.args);
        let is_row = |key: &&Bytes| is_metadata_key(row, self.db, key);
        if let Some(served) = keys().find(is_row).filter(|_| !self.moves()) {
            // They stand in the order of the arguments.
            let mut keys = keys().peekable();
            for (arg, original) in args.iter_mut().zip(&self.args) {
                if keys.next_if(|key| std::ptr::eq(*key, original)).is_some() {
                    arg.clone_from(served);
                }
            }
        }
        args
    }

    /// Runs its command again.
    ///
    /// # Errors
    /// The command failed, and nobody has told the client yet. Nothing was changed.
    fn serve(&self, server: &Server, row: &[u8]) -> Result<Served, CommandError> {
        let Handler::Keys(work) = self.spec.handler else {
            return Ok(Served::NotForIt);
        };
        server.begin_work_on(self.args.len());
        let served = self.args_for(row);
        let args = Args::new(&served, self.spec);
        let locks = Locks::of(self.spec.keys.of(&served));
        let guard = locks.take(&*server.store)?;
        if !self.wants_answer(server) {
            return Ok(Served::NotForIt);
        }
        let now_ms = server.clock.now_ms();
        let txn = Txn::begin(&*server.store, &server.shared, self.db, now_ms)?;
        let mut txn = txn.under(locks.scope());
        let (db, key) = decode_metadata_key(row)?;
        txn.set_db(db);
        let Some(metadata) = txn.lookup(&key)? else {
            return Ok(Served::NothingLeft);
        };
        let outcome: Outcome = work(&mut txn, args);
        let reply = match outcome {
            Ok(Reply::Wait { .. }) => return Ok(Served::NotForIt),
            Ok(reply) => reply,
            // The key holds another type by now. The client goes on waiting until the key holds the right one.
            Err(_) if metadata.content.kind() != self.waits_for() => return Ok(Served::NotForIt),
            Err(error) => return Err(error),
        };
        // From here on the client gets this answer and no other. Its time limit and `CLIENT UNBLOCK` find the sender
        // gone, so neither has to wait for the commit.
        let Some(sender) = self.sender.lock().take() else {
            return Ok(Served::NotForIt);
        };
        let committed = match commit(server, txn) {
            Ok(committed) => committed,
            Err(error) => {
                self.send_error(server, sender, error);
                return Ok(Served::NotForIt);
            }
        };
        flag_watchers(server, &committed);
        drop(guard);
        let mut executed = Executed::reply(reply);
        executed.wrote = committed.wrote;
        // The client may have left at this very moment. Then the element is lost, as it is when an answer is lost on
        // the way.
        let _ = self.send(sender, executed);
        // After the answer, so that notifications of the client's own change follow it.
        tell(server, &committed, Writer::default());
        Ok(Served::Answered(committed.touched))
    }

    /// The type of the key that can serve it.
    fn waits_for(&self) -> Kind {
        match self.spec.group {
            Group::SortedSet => Kind::SortedSet,
            _ => Kind::List,
        }
    }
}

/// The type that a key holds, if it exists. The row names the key by database and name.
fn kind_at(server: &Server, row: &[u8]) -> types::Result<Option<Kind>> {
    let (db, key) = decode_metadata_key(row)?;
    let metadata = server.begin(db)?.peek(&key)?;
    Ok(metadata.map(|metadata| metadata.content.kind()))
}
