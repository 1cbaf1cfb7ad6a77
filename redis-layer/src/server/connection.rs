//! One connection: read, run, answer, until one side has enough.
//!
//! Many clients send a whole pipeline before they read the first answer. So bytes are taken while
//! answers wait to be sent: a server that only sends would wait for the client to read, while the
//! client waits for the server to read. Nothing of what is taken meanwhile is run, so unread
//! answers never grow beyond [`SEND_BYTES`] and the last of them.
//!
//! Messages that others have for the client stand in its outbox. They are taken out before every
//! command, and after it; while the client is silent, or waits for a key, they wake the task.
//!
//! Commands whose keys others have locked wait without a thread ([`Connection::run_in_turn`]): the task is called when it is
//! worth to try again, and its thread reads and runs for others until then. A key that all want so becomes a queue of tasks,
//! of which one runs and none holds up a thread.
//!
//! Plain commands of connections that are ready together run together ([`Company`]).
//!
//! An idle connection waits in one place ([`Connection::idle`]), and holds no buffer there.

mod sending;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::commands::{
    Arrived, Executed, Outbox, Progress, Reply, Server, Session, Wait, Waiting, execute_next,
    is_sociable,
};
use crate::server::Durability;
use crate::server::company::{Company, Served};
use crate::server::order::Caller;
use crate::server::resp::{Limits, Parser, ProtocolError, encode};
use crate::server::stream::Stream;
use crate::server::turns::{let_others_run, others_may_be_ready};
use crate::store::Place;
use crate::types::packed::FRAME_BYTES_MAX;

/// Answers are sent when they reach this size, even if more commands are waiting.
const SEND_BYTES: usize = 64 * 1024;
/// So many commands are looked at before the first of them runs.
const COMMANDS_AHEAD: usize = 64;
/// And no more of them once they have so many bytes: what waits to run is not counted as a query.
const BYTES_AHEAD: usize = 64 * 1024;
/// How long a task waits to be called for locks before it waits on its thread.
const QUEUE_PATIENCE: Duration = Duration::from_millis(10);
/// A connection with nothing to do keeps no larger buffer for answers,
const IDLE_BYTES: usize = 4 * 1024;
/// and no more room for what comes of commands.
const IDLE_ANSWERS: usize = 4;

/// One connection at work.
pub(super) struct Connection {
    stream: Stream,
    server: Arc<Server>,
    session: Session,
    parser: Parser,
    out: Vec<u8>,
    /// Commands that have arrived and did not run yet.
    commands: VecDeque<Vec<Bytes>>,
    /// What came of commands that have run, and is not among the answers yet.
    executed: Vec<Executed>,
    /// What came behind them is no command.
    broken: Option<ProtocolError>,
    /// A blocking command that has no answer yet.
    waiting: Option<Waiting>,
    /// Where it waits for locks.
    place: Place,
    company: Arc<Company>,
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
    /// Close, whatever there is to send.
    Drop,
}

/// Commands that have run and are not answered yet.
#[derive(Debug, Clone, Copy)]
struct Ran {
    /// The number of the last batch that was committed.
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
        company: Arc<Company>,
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
            place: Place::default(),
            company,
            durability,
        }
    }

    /// What has arrived and may run with what others sent, unless the client is told to end.
    pub(super) fn waiting_commands(&mut self) -> Option<Arrived<'_>> {
        let is_closed = self.session.peer().outbox.is_closed();
        (!is_closed).then_some(Arrived {
            session: &mut self.session,
            commands: &mut self.commands,
            executed: &mut self.executed,
        })
    }

    /// The server that the client talks to.
    pub(super) fn server(&self) -> Arc<Server> {
        Arc::clone(&self.server)
    }

    /// Serves the client until it leaves, breaks the protocol, or the server stops. What has
    /// arrived completely before a stop is still answered.
    pub(super) async fn serve(mut self: Box<Self>, mut caller: Caller) {
        loop {
            let mut served = Served::Some;
            if others_may_be_ready() && self.is_sociable() {
                let company = Arc::clone(&self.company);
                (self, served) = company.join(self).await;
            }
            let ran = self.run_in_turn().await;
            // Unless all have run with it in the company.
            if served == Served::Some && ran.next == Next::Read && !self.out.is_empty() {
                let_others_run().await;
            }
            self.session.tell_changes();
            if ran.next == Next::Drop {
                return;
            }
            if ran.next != Next::Close {
                self.take_messages();
            }
            let Ok(arrived) = self.answer(ran.wrote).await else {
                return;
            };
            match ran.next {
                Next::Close => break,
                Next::Continue => continue,
                Next::Read if arrived => continue,
                Next::Wait if caller.count(self.wait()).await => {
                    caller.let_earlier_run().await;
                    continue;
                }
                Next::Pause if self.pause().await => continue,
                Next::Wait | Next::Pause | Next::Queue | Next::Drop => return,
                Next::Read => {}
            }
            match caller.count(self.idle()).await {
                Woken::Bytes => caller.let_earlier_run().await,
                Woken::Message => {}
                Woken::Stop => break,
                Woken::Gone => return,
            }
        }
        // The client may be gone already.
        let _ = self.stream.shutdown().await;
    }

    /// Whether the next commands may run with what others sent.
    fn is_sociable(&mut self) -> bool {
        self.take_commands();
        is_sociable(&self.session, &self.commands)
    }

    /// Runs commands. As long as others hold their locks the task waits, and its thread serves others; who was called in vain
    /// for too long waits on its thread, where the lock is handed over at last.
    async fn run_in_turn(&mut self) -> Ran {
        let ran = poll_fn(|cx| Poll::Ready(self.run_commands(Some(cx.waker())))).await;
        if ran.next != Next::Queue {
            return ran;
        }
        let mut is_called = false;
        let called = poll_fn(|cx| {
            // The first time is now.
            if !std::mem::replace(&mut is_called, true) {
                return Poll::Pending;
            }
            let ran = self.run_commands(Some(cx.waker()));
            if ran.next == Next::Queue {
                return Poll::Pending;
            }
            Poll::Ready(ran)
        });
        match tokio::time::timeout(QUEUE_PATIENCE, called).await {
            Ok(ran) => ran,
            Err(_) => self.run_commands(None),
        }
    }

    /// Waits until something happens, and holds little meanwhile.
    async fn idle(&mut self) -> Woken {
        self.parser.rest();
        if self.out.capacity() > IDLE_BYTES {
            self.out = Vec::new();
        }
        self.executed.shrink_to(IDLE_ANSWERS);
        self.show_memory();
        let peer = Arc::clone(self.session.peer());
        tokio::select! {
            biased;
            more = read(&mut self.stream, &mut self.parser) => self.arrived(&more),
            () = peer.outbox.changed() => called(&peer.outbox),
        }
    }

    /// Runs complete commands until there are none, or the answers are worth sending, or others hold the locks and will call
    /// `waker`. Without one it waits for locks here.
    fn run_commands(&mut self, waker: Option<&Waker>) -> Ran {
        let mut wrote = None;
        self.session.begin_turn();
        let mut place = std::mem::take(&mut self.place);
        if waker.is_none() {
            place.leave();
        }
        let next = loop {
            wrote = self.take_answers().or(wrote);
            if self.exceeds_output_limit() {
                break Next::Drop;
            }
            if self.waiting.is_some() {
                break Next::Wait;
            }
            if self.session.is_closing() {
                break Next::Close;
            }
            if self.session.peer().outbox.is_closed() {
                break Next::Drop;
            }
            self.take_messages();
            if self.out.len() >= SEND_BYTES {
                break Next::Continue;
            }
            self.take_commands();
            let Some(first) = self.commands.front() else {
                break self.end_of_commands();
            };
            if is_web_request(first) {
                tracing::warn!(
                    client = self.session.address(),
                    "a web browser was led here: somebody may try to send commands through it"
                );
                break Next::Drop;
            }
            if self.session.paused_until(first).is_some() {
                break Next::Pause;
            }
            let wait = match waker {
                Some(waker) => Wait::Called {
                    waker,
                    place: &mut place,
                },
                None => Wait::There,
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
                self.place = place;
                return Ran {
                    wrote,
                    next: Next::Queue,
                };
            }
        };
        Ran { wrote, next }
    }

    /// Takes commands that have arrived completely, as many as may run together. What a stranger
    /// says first may change what it may say next.
    fn take_commands(&mut self) {
        let most = if self.session.is_trusted() {
            COMMANDS_AHEAD
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

    /// What to do when all commands that have arrived have run.
    fn end_of_commands(&mut self) -> Next {
        match self.broken.take() {
            None => Next::Read,
            Some(ProtocolError::Refused(text)) => {
                if !self.session.is_silent() {
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

    /// Puts answers with the others, and notes what waits. Answers as [`take_answer`](Self::take_answer).
    fn take_answers(&mut self) -> Option<u64> {
        let mut executed = std::mem::take(&mut self.executed);
        let bytes: usize = executed.iter().map(|executed| executed.reply.size()).sum();
        if self.session.holds_too_much(self.out.len() + bytes) {
            // Nobody gets the answers. What the commands wrote is not undone, and `Durability` is told of it.
            let wrote = executed.drain(..).filter(|executed| executed.wrote);
            return wrote.map(|_| self.durability.mark_written()).last();
        }
        // For large answers: else the room for them is found in many steps, each of them a copy.
        self.out.reserve(bytes + FRAME_BYTES_MAX);
        let mut wrote = None;
        for executed in executed.drain(..) {
            wrote = self.take_answer(&executed).or(wrote);
            self.waiting = executed.waiting;
        }
        // Empty, and kept for its memory.
        self.executed = executed;
        wrote
    }

    /// Puts an answer with the others, in its order among the messages. Answers the number of the batch that has to be
    /// safe before it is sent.
    fn take_answer(&mut self, executed: &Executed) -> Option<u64> {
        let wrote = executed.wrote.then(|| self.durability.mark_written());
        if !self.session.replies_first() {
            self.take_messages();
        }
        encode(&executed.reply, self.session.protocol(), &mut self.out);
        wrote
    }

    /// Puts the messages that wait with the answers.
    fn take_messages(&mut self) {
        let outbox = &self.session.peer().outbox;
        if !outbox.has_messages() {
            return;
        }
        for message in outbox.take() {
            if message.reply.is_push() || !self.session.is_silent() {
                encode(&message.reply, self.session.protocol(), &mut self.out);
            }
        }
    }

    /// Whether there is more to send than the client may have waiting.
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

    /// Waits for the answer to a blocking command, and puts it with the others. Answers false if the
    /// client left, or the server stops.
    async fn wait(&mut self) -> bool {
        let Some(mut waiting) = self.waiting.take() else {
            return true;
        };
        let peer = Arc::clone(self.session.peer());
        let _blocked = peer.block();
        let executed = loop {
            let takes_more = self.parser.has_room();
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
        match self.take_answer(&executed) {
            Some(written) => self.durability.acknowledge(written).await.is_ok(),
            None => true,
        }
    }

    /// Waits for the end of a pause. Answers false if the client left, or the server stops.
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
        let takes_more = self.parser.has_room();
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

    /// Counts what a read brought.
    fn arrived(&self, more: &io::Result<usize>) -> Woken {
        match more {
            Ok(0) | Err(_) => Woken::Gone,
            Ok(bytes) => {
                self.server.counters.received(*bytes);
                Woken::Bytes
            }
        }
    }

    /// Lets others see how much memory the connection holds.
    fn show_memory(&self) {
        let peer = self.session.peer();
        peer.holds(
            self.parser.pending_bytes(),
            self.out.len(),
            self.out.capacity(),
        );
    }
}

/// How much this client may send just now.
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
        limits.for_strangers()
    }
}

/// Whether this is how a web browser begins. Redis hangs up, so that no page in a browser can
/// send commands to a server on the same machine.
fn is_web_request(args: &[Bytes]) -> bool {
    args.first().is_some_and(|name| {
        name.eq_ignore_ascii_case(b"post") || name.eq_ignore_ascii_case(b"host:")
    })
}

/// Why a connection was called that waited: what is in its outbox, or the end of the server.
fn called(outbox: &Outbox) -> Woken {
    if outbox.is_stopping() {
        Woken::Stop
    } else {
        Woken::Message
    }
}

/// Waits for bytes and takes them. The buffer has its room only while there are some, so an idle connection costs little.
/// Answers 0 at the end of the stream.
async fn read(stream: &mut Stream, parser: &mut Parser) -> io::Result<usize> {
    poll_fn(|cx| {
        ready!(stream.poll_readable(cx))?;
        // This form knows that a read which does not fill its buffer has taken all there was, and saves the call that
        // would say so.
        let polled = pin!(stream.read_buf(parser.buffer())).poll(cx);
        if polled.is_pending() {
            // There was nothing after all, as at the beginning of every connection.
            parser.rest();
        }
        polled
    })
    .await
}
