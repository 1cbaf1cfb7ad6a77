//! One connection: it reads, runs commands and answers, until one side ends it.
//!
//! Many clients send a whole pipeline before they read the first answer. So bytes are received while answers wait to
//! be sent: a server that only sends would wait for the client to read, while the client waits for the server to
//! read. Commands that are received meanwhile are not run yet, so unread answers never grow beyond [`SEND_BYTES`] and
//! the last of them.
//!
//! Messages from other clients wait in the client's outbox. They are taken out before every command and after it;
//! while the client is silent, or blocked on a key, they wake the task.
//!
//! If other clients hold the locks of a command's keys, the connection's task waits without blocking its thread
//! ([`Connection::run_in_turn`]). The task is woken when it is worth trying again; until then the thread reads and
//! runs commands for other connections. So a key that every client wants has a queue of tasks, of which one runs and
//! none blocks a thread.
//!
//! Plain commands of connections that are ready together run together ([`Batcher`]).
//!
//! An idle connection waits in one place ([`Connection::idle`]), and holds no buffer there.

mod sending;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::commands::{
    Arrived, COMMANDS_MAX, Executed, Message, Outbox, Progress, Reply, Server, Session, Wait,
    Waiting, execute_next, may_join_batch,
};
use crate::server::Durability;
use crate::server::batching::{BatchResult, Batcher};
use crate::server::resp::{Limits, Parser, ProtocolError, encode};
use crate::server::stream::Stream;
use crate::server::turns::{others_may_be_ready, yield_to_ready};
use crate::server::wake_order::WakeOrder;
use crate::store::Waiter;
use crate::types::packed::FRAME_BYTES_MAX;

/// Answers are sent when they reach this size, even if more commands have arrived.
const SEND_BYTES: usize = 64 * 1024;
/// Commands are parsed before the first of them runs: at most as many as may run together, and only until they have this
/// many bytes, because what is parsed but not run is not counted as a query.
const BYTES_AHEAD: usize = 64 * 1024;
/// How long a task waits to be woken for locks before it waits on its thread.
const QUEUE_TIMEOUT: Duration = Duration::from_millis(10);
/// An idle connection keeps no larger buffer for answers than this,
const IDLE_BYTES: usize = 4 * 1024;
/// and no more room for the results of commands than this.
const IDLE_ANSWERS: usize = 4;

/// One connection at work.
pub(super) struct Connection {
    stream: Stream,
    server: Arc<Server>,
    session: Session,
    parser: Parser,
    out: Vec<u8>,
    /// Commands that have arrived but not run yet.
    commands: VecDeque<Vec<Bytes>>,
    /// The results of commands that have run but are not among the answers yet.
    executed: Vec<Executed>,
    /// Set if the bytes after the commands are not a valid command.
    broken: Option<ProtocolError>,
    /// A blocking command that has no answer yet.
    waiting: Option<Waiting>,
    /// Its task in the queues for locks.
    waiter: Waiter,
    batcher: Arc<Batcher>,
    durability: Arc<Durability>,
}

/// What to do after some commands have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Send, then run more of what has arrived.
    Continue,
    /// Send, then wait for bytes.
    Read,
    /// Send, then wait for the answer to a blocking command.
    Wait,
    /// Send, then wait for the end of a pause.
    Pause,
    /// Wait for locks. There is nothing to send.
    Queue,
    /// Send, then close.
    Close,
    /// Close, even if there is something to send.
    Drop,
}

/// What a connection does after its commands have been answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Run more of what has arrived.
    Again,
    /// Wait for the client.
    Rest,
    /// End the stream.
    End,
    /// Go, without a word.
    Leave,
}

/// Commands that have run but are not answered yet.
#[derive(Debug, Clone, Copy)]
struct Ran {
    /// The number of the last batch that they committed.
    wrote: Option<u64>,
    next: Next,
}

/// Why a connection stops waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Woken {
    /// Bytes arrived.
    Bytes,
    /// There may be a message, or the connection has to end at once.
    Message,
    /// The client is gone.
    Gone,
    /// The server stops.
    Stop,
}

impl Connection {
    pub(super) fn new(
        stream: Stream,
        session: Session,
        batcher: Arc<Batcher>,
        durability: Arc<Durability>,
    ) -> Self {
        Self {
            parser: Parser::new(limits(&session)),
            stream,
            server: Arc::clone(session.server()),
            session,
            out: Vec::new(),
            commands: VecDeque::new(),
            executed: Vec::new(),
            broken: None,
            waiting: None,
            waiter: Waiter::default(),
            batcher,
            durability,
        }
    }

    /// The commands that have arrived and may run with those of other clients; `None` if the client is to be
    /// disconnected.
    pub(super) fn waiting_commands(&mut self) -> Option<Arrived<'_>> {
        let is_closed = self.session.peer().outbox.is_closed();
        (!is_closed).then_some(Arrived {
            session: &mut self.session,
            commands: &mut self.commands,
            executed: &mut self.executed,
        })
    }

    /// The server to which the client is connected.
    pub(super) fn server(&self) -> Arc<Server> {
        Arc::clone(&self.server)
    }

    /// Serves the client until it leaves, breaks the protocol, or the server stops. Commands that have arrived
    /// completely before a stop are still answered.
    pub(super) async fn serve(mut self: Box<Self>, mut order: WakeOrder) {
        let slot = Arc::default();
        loop {
            let mut batch = BatchResult::SomeLeft;
            if others_may_be_ready() && self.may_join_batch() {
                let batcher = Arc::clone(&self.batcher);
                (self, batch) = batcher.join(&slot, self, &mut order).await;
            }
            let then = match batch {
                BatchResult::Answered => Then::Rest,
                BatchResult::AllRan | BatchResult::SomeLeft => {
                    self.run_and_answer(batch, &mut order).await
                }
            };
            match then {
                Then::Again => continue,
                Then::Rest => {}
                Then::End => break,
                Then::Leave => return,
            }
            match order.count_wakes(self.idle()).await {
                Woken::Bytes => order.let_earlier_run().await,
                Woken::Message => {}
                Woken::Stop => break,
                Woken::Gone => return,
            }
        }
        // The client may be gone already.
        let _ = self.stream.shutdown().await;
    }

    /// Runs commands that have arrived, as far as they did not run with those of others, and sends the answers.
    async fn run_and_answer(&mut self, batch: BatchResult, order: &mut WakeOrder) -> Then {
        let ran = self.run_in_turn().await;
        // Let other connections run before the answers are sent, unless they have just run together with this one.
        if batch == BatchResult::SomeLeft && ran.next == Next::Read && !self.out.is_empty() {
            yield_to_ready().await;
        }
        self.session.send_invalidations();
        if ran.next == Next::Drop {
            return Then::Leave;
        }
        if ran.next != Next::Close {
            self.take_messages();
        }
        let Ok(arrived) = self.answer(ran.wrote).await else {
            return Then::Leave;
        };
        match ran.next {
            Next::Close => Then::End,
            Next::Continue => Then::Again,
            Next::Read if arrived => Then::Again,
            Next::Wait if order.count_wakes(self.wait()).await => {
                order.let_earlier_run().await;
                Then::Again
            }
            Next::Pause if self.pause().await => Then::Again,
            Next::Wait | Next::Pause | Next::Queue | Next::Drop => Then::Leave,
            Next::Read => {
                self.rest();
                Then::Rest
            }
        }
    }

    /// Answers commands that have all run with those of others, if nothing has to be waited for. Returns whether it
    /// did; otherwise the task of the connection goes on with what is left.
    pub(super) fn answer_at_once(&mut self) -> bool {
        // More than may run together may have arrived, and what breaks the protocol may stand behind it.
        let all_ran = self.commands.is_empty() && self.parser.pending_bytes() == 0;
        let wrote = self.executed.iter().any(|executed| executed.wrote);
        let may_answer = all_ran && self.broken.is_none();
        if !may_answer || wrote && self.durability.must_sync() {
            return false;
        }
        self.take_answers();
        if self.next_instead_of_running() != Some(Next::Read) {
            return false;
        }
        self.session.send_invalidations();
        self.take_messages();
        let is_sent = self.send_at_once();
        if is_sent {
            self.rest();
        }
        is_sent
    }

    /// Completes when there may be bytes or a message. Nothing is read.
    pub(super) fn poll_woken(&self, cx: &mut Context<'_>) -> Poll<()> {
        let woken = self.session.peer().outbox.poll_changed(cx);
        if woken.is_pending() && self.stream.poll_readable(cx).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Wakes the task of the connection.
    pub(super) fn wake(&self) {
        self.session.peer().outbox.call();
    }

    /// Whether the next commands may run with those of other clients.
    fn may_join_batch(&mut self) -> bool {
        self.take_commands();
        may_join_batch(&self.session, &self.commands)
    }

    /// Runs commands. While other clients hold the locks, the task waits and its thread serves other connections. A
    /// task that has been woken in vain for too long blocks its thread instead, where the lock is handed to it in the
    /// end.
    async fn run_in_turn(&mut self) -> Ran {
        let ran = poll_fn(|cx| Poll::Ready(self.run_commands(Some(cx.waker())))).await;
        if ran.next != Next::Queue {
            return ran;
        }
        let mut is_called = false;
        let called = poll_fn(|cx| {
            // The commands were tried just now, so the first poll only waits.
            if !std::mem::replace(&mut is_called, true) {
                return Poll::Pending;
            }
            let ran = self.run_commands(Some(cx.waker()));
            if ran.next == Next::Queue {
                return Poll::Pending;
            }
            Poll::Ready(ran)
        });
        match tokio::time::timeout(QUEUE_TIMEOUT, called).await {
            Ok(ran) => ran,
            Err(_) => self.run_commands(None),
        }
    }

    /// Gives back memory that an idle connection does not need.
    fn rest(&mut self) {
        self.parser.release_buffer();
        if self.out.capacity() > IDLE_BYTES {
            self.out = Vec::new();
        }
        self.executed.shrink_to(IDLE_ANSWERS);
        self.show_memory();
    }

    /// Waits until something happens.
    async fn idle(&mut self) -> Woken {
        let peer = Arc::clone(self.session.peer());
        tokio::select! {
            biased;
            more = read(&mut self.stream, &mut self.parser) => self.arrived(&more),
            () = peer.outbox.changed() => called(&peer.outbox),
        }
    }

    /// Runs complete commands until there are none left, the answers are large enough to send, or other clients hold
    /// the locks and will wake `waker`. Without a waker it waits for locks on this thread.
    fn run_commands(&mut self, waker: Option<&Waker>) -> Ran {
        let mut wrote = None;
        self.session.begin_turn();
        let mut waiter = std::mem::take(&mut self.waiter);
        if waker.is_none() {
            waiter.leave();
        }
        let next = loop {
            wrote = self.take_answers().or(wrote);
            if let Some(next) = self.next_instead_of_running() {
                break next;
            }
            let wait = match waker {
                Some(waker) => Wait::Queue {
                    waker,
                    waiter: &mut waiter,
                },
                None => Wait::Block,
            };
            let arrived = Arrived {
                session: &mut self.session,
                commands: &mut self.commands,
                executed: &mut self.executed,
            };
            if execute_next(&self.server, arrived, wait) == Progress::Queued {
                if wrote.is_some() || !self.out.is_empty() {
                    break Next::Continue;
                }
                self.waiter = waiter;
                return Ran {
                    wrote,
                    next: Next::Queue,
                };
            }
        };
        Ran { wrote, next }
    }

    /// What to do before any command runs, if there is such a thing. If there is none, a command has arrived and may run.
    fn next_instead_of_running(&mut self) -> Option<Next> {
        if self.exceeds_output_limit() {
            return Some(Next::Drop);
        }
        if self.waiting.is_some() {
            return Some(Next::Wait);
        }
        if self.session.is_closing() {
            return Some(Next::Close);
        }
        if self.session.peer().outbox.is_closed() {
            return Some(Next::Drop);
        }
        self.take_messages();
        if self.out.len() >= SEND_BYTES {
            return Some(Next::Continue);
        }
        self.take_commands();
        let Some(first) = self.commands.front() else {
            return Some(self.end_of_commands());
        };
        if is_web_request(first) {
            tracing::warn!(
                client = self.session.address(),
                "a web browser was led here: somebody may try to send commands through it"
            );
            return Some(Next::Drop);
        }
        let is_paused = self.session.paused_until(first).is_some();
        is_paused.then_some(Next::Pause)
    }

    /// Takes commands that have arrived completely, as many as may run together. Of a client that has not
    /// authenticated yet only one is taken, because that may change what is allowed next.
    fn take_commands(&mut self) {
        let most = if self.session.is_trusted() {
            COMMANDS_MAX
        } else {
            1
        };
        self.parser.set_limits(limits(&self.session));
        let waiting = self.commands.iter().flatten().map(Bytes::len);
        let room = BYTES_AHEAD.saturating_sub(waiting.sum());
        if self.broken.is_none() {
            let taken = self.parser.next_commands(most, room, &mut self.commands);
            self.broken = taken.err();
        }
    }

    /// What to do after all commands that have arrived have run.
    fn end_of_commands(&mut self) -> Next {
        match self.broken.take() {
            None => Next::Read,
            Some(ProtocolError::Refused(text)) => {
                if !self.session.silences_next() {
                    let error = Reply::Error(text);
                    encode(&error, self.session.protocol(), &mut self.out);
                }
                Next::Close
            }
            Some(ProtocolError::QueryTooLarge) => {
                tracing::warn!(
                    client = self.session.address(),
                    "a command is larger than client-query-buffer-limit"
                );
                Next::Drop
            }
        }
    }

    /// Adds answers to those that wait to be sent, and notes a blocking command. Returns the same as
    /// [`take_answer`](Self::take_answer).
    fn take_answers(&mut self) -> Option<u64> {
        let mut executed = std::mem::take(&mut self.executed);
        let bytes: usize = executed.iter().map(|executed| executed.reply.size()).sum();
        if self.session.holds_too_much(self.out.len() + bytes) {
            // Nobody gets the answers. But what the commands wrote is not undone, so `Durability` must know of it.
            let wrote = executed.drain(..).filter(|executed| executed.wrote);
            return wrote.map(|_| self.durability.mark_written()).last();
        }
        // This matters for large answers: otherwise the buffer would grow in many steps, each of which copies it.
        self.out.reserve(bytes + FRAME_BYTES_MAX);
        let mut wrote = None;
        for executed in executed.drain(..) {
            wrote = self.take_answer(&executed).or(wrote);
            self.waiting = executed.waiting;
        }
        // The vector is empty now, and is kept for its memory.
        self.executed = executed;
        wrote
    }

    /// Adds an answer to those that wait to be sent, in its order among the messages. Returns the number of the batch
    /// that has to be durable before the answer is sent.
    fn take_answer(&mut self, executed: &Executed) -> Option<u64> {
        if !self.session.replies_first() {
            self.take_messages();
        }
        self.add_answer(executed)
    }

    /// As [`take_answer`](Self::take_answer), without any messages.
    fn add_answer(&mut self, executed: &Executed) -> Option<u64> {
        let wrote = executed.wrote.then(|| self.durability.mark_written());
        encode(&executed.reply, self.session.protocol(), &mut self.out);
        wrote
    }

    /// Adds the messages of the outbox to what is to be sent.
    fn take_messages(&mut self) {
        let outbox = &self.session.peer().outbox;
        if !outbox.has_messages() {
            return;
        }
        let messages = outbox.take();
        self.add_messages(messages);
    }

    fn add_messages(&mut self, messages: VecDeque<Message>) {
        for message in messages {
            if message.reply.is_push() || !self.session.is_silent() {
                encode(&message.reply, self.session.protocol(), &mut self.out);
            }
        }
    }

    /// Whether more waits to be sent than the client's limit allows.
    fn exceeds_output_limit(&self) -> bool {
        let limit = self.session.hard_output_limit();
        let exceeds = limit > 0 && self.out.len() as u64 > limit;
        if exceeds {
            tracing::warn!(
                client = self.session.address(),
                "an answer is larger than client-output-buffer-limit"
            );
        }
        exceeds
    }

    /// Waits for the answer to a blocking command, and adds it to those to be sent. Returns false if the client left
    /// or the server stops.
    async fn wait(&mut self) -> bool {
        let Some(mut waiting) = self.waiting.take() else {
            return true;
        };
        let peer = Arc::clone(self.session.peer());
        let _blocked = peer.block();
        let executed = loop {
            let takes_more = self.parser.may_read_more();
            let woken = tokio::select! {
                biased;
                executed = waiting.outcome() => break executed,
                more = read(&mut self.stream, &mut self.parser), if takes_more => {
                    self.arrived(&more)
                }
                () = peer.outbox.changed() => called(&peer.outbox),
            };
            match woken {
                Woken::Bytes => {}
                Woken::Message if !peer.outbox.is_closed() => {
                    self.take_messages();
                    if self.answer(None).await.is_err() {
                        return false;
                    }
                }
                Woken::Message | Woken::Gone | Woken::Stop => return false,
            }
        };
        if executed.wrote {
            waiting.served(&self.session);
            self.session.confirm_change();
        }
        self.add_messages(peer.outbox.take_first(waiting.messages_before()));
        match self.add_answer(&executed) {
            Some(written) => self.durability.acknowledge(written).await.is_ok(),
            None => true,
        }
    }

    /// Waits for the end of a pause. Returns false if the client left or the server stops.
    async fn pause(&mut self) -> bool {
        // Listens before it looks again: the pause may have ended while answers were sent.
        let ended = self.session.pause_ended();
        let first = self.commands.front();
        let Some(until) = first.and_then(|first| self.session.paused_until(first)) else {
            return true;
        };
        let deadline = tokio::time::Instant::from_std(until);
        let peer = Arc::clone(self.session.peer());
        let _blocked = peer.block();
        let takes_more = self.parser.may_read_more();
        let woken = tokio::select! {
            () = tokio::time::sleep_until(deadline) => return true,
            () = ended => return true,
            more = read(&mut self.stream, &mut self.parser), if takes_more => {
                self.arrived(&more)
            }
            () = peer.outbox.changed() => called(&peer.outbox),
        };
        matches!(woken, Woken::Bytes | Woken::Message)
    }

    /// Counts the bytes of a read.
    fn arrived(&self, more: &io::Result<usize>) -> Woken {
        match more {
            Ok(0) | Err(_) => Woken::Gone,
            Ok(bytes) => {
                self.server.counters.received(*bytes);
                Woken::Bytes
            }
        }
    }

    /// Shows other clients how much memory the connection holds.
    fn show_memory(&self) {
        self.show_answers(self.out.len());
    }

    /// As [`show_memory`](Self::show_memory), with so many bytes to be sent.
    fn show_answers(&self, bytes: usize) {
        let peer = self.session.peer();
        peer.holds(self.parser.pending_bytes(), bytes, self.out.capacity());
    }
}

/// How much this client may send at the moment.
fn limits(session: &Session) -> Limits {
    let live = &session.server().config.live;
    let limits = Limits {
        bulk_bytes: live.bulk_bytes(),
        query_bytes: live.query_bytes(),
        ..Limits::default()
    };
    if session.is_trusted() {
        limits
    } else {
        limits.unauthenticated()
    }
}

/// Whether a web browser begins a connection like this. Redis closes such connections, so that no web page can send
/// commands to a server on the same machine.
fn is_web_request(args: &[Bytes]) -> bool {
    args.first().is_some_and(|name| {
        name.eq_ignore_ascii_case(b"post") || name.eq_ignore_ascii_case(b"host:")
    })
}

/// Why a waiting connection was woken: a message in its outbox, or the end of the server.
fn called(outbox: &Outbox) -> Woken {
    if outbox.is_stopping() {
        Woken::Stop
    } else {
        Woken::Message
    }
}

/// Waits for bytes and reads them. The buffer is allocated only once there are some, so an idle connection costs
/// little. Returns 0 at the end of the stream.
async fn read(stream: &mut Stream, parser: &mut Parser) -> io::Result<usize> {
    poll_fn(|cx| {
        ready!(stream.poll_readable(cx))?;
        // Tokio knows that a read which does not fill its buffer has taken everything. So `read_buf` saves the system
        // call that would only report that.
        let polled = pin!(stream.read_buf(parser.buffer())).poll(cx);
        if polled.is_pending() {
            // There were no bytes after all, as at the beginning of every connection.
            parser.release_buffer();
        }
        polled
    })
    .await
}
