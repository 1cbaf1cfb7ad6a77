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
//!
//! ```text
//! running  runs what has arrived, and says what to do next
//! answers  makes bytes of results and messages; sending: sends them
//! waiting  for the client, for a blocking command, or for the end of a pause
//! ```

mod answers;
mod running;
mod sending;
mod waiting;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWriteExt;

use running::Next;
use waiting::Woken;

use crate::commands::{Arrived, Executed, Server, Session, Waiting, may_join_batch};
use crate::server::Durability;
use crate::server::batching::{BatchResult, Batcher};
use crate::server::resp::{Parser, ProtocolError};
use crate::server::stream::Stream;
use crate::server::turns::{others_may_be_ready, yield_to_ready};
use crate::server::wake_order::WakeOrder;
use crate::store::Waiter;

/// Answers are sent when they reach this size, even if more commands have arrived.
const SEND_BYTES: usize = 64 * 1024;
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

impl Connection {
    pub(super) fn new(
        stream: Stream,
        session: Session,
        batcher: Arc<Batcher>,
        durability: Arc<Durability>,
    ) -> Self {
        Self {
            parser: Parser::new(running::limits(&session)),
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
            Next::Pause if order.count_wakes(self.pause()).await => {
                order.let_earlier_run().await;
                Then::Again
            }
            Next::Wait | Next::Pause | Next::Queue | Next::Drop => Then::Leave,
            Next::Read => {
                self.rest();
                Then::Rest
            }
        }
    }

    /// Whether a sync has to come before the answers to commands that have run with those of others.
    pub(super) fn needs_sync(&self) -> bool {
        self.executed.iter().any(|executed| executed.wrote) && self.durability.must_sync()
    }

    /// Says that what the commands wrote is durable, so that their answers need no sync any more.
    pub(super) fn batch_is_durable(&mut self) {
        for executed in &mut self.executed {
            executed.wrote = false;
        }
    }

    /// Answers commands that have all run with those of others, if nothing has to be waited for. Returns whether it
    /// did; otherwise the task of the connection goes on with what is left.
    pub(super) fn answer_at_once(&mut self) -> bool {
        // More than may run together may have arrived, and what breaks the protocol may stand behind it.
        let all_ran = self.commands.is_empty() && self.parser.pending_bytes() == 0;
        if !all_ran || self.broken.is_some() || self.needs_sync() {
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

    /// Gives back memory that an idle connection does not need.
    fn rest(&mut self) {
        self.parser.release_buffer();
        if self.out.capacity() > IDLE_BYTES {
            self.out = Vec::new();
        }
        self.executed.shrink_to(IDLE_ANSWERS);
        self.show_memory();
    }

    /// Notes that the client sends or takes something, so that it does not count as idle.
    fn note_activity(&self) {
        let now_ms = self.server.clock.now_ms();
        self.session.peer().mark_active(now_ms);
    }

    /// Shows other clients how much memory the connection holds.
    fn show_memory(&self) {
        self.show_answers(self.out.len());
    }

    /// As [`show_memory`](Self::show_memory), with so many bytes to be sent.
    fn show_answers(&self, bytes: usize) {
        let peer = self.session.peer();
        let parsed: usize = self.commands.iter().flatten().map(Bytes::len).sum();
        let query_bytes = self.parser.pending_bytes() + parsed;
        peer.holds(query_bytes, bytes, self.out.capacity());
    }
}
