//! Runs the commands that have arrived, and says what the connection has to do next.

use std::future::poll_fn;
use std::task::{Poll, Waker};
use std::time::Duration;

use bytes::Bytes;

use super::{Connection, SEND_BYTES};
use crate::commands::{Arrived, COMMANDS_MAX, Progress, Reply, Session, Turn, Wait, execute_next};
use crate::server::resp::{Limits, ProtocolError, encode};

/// Commands are parsed before the first of them runs: at most as many as may run together, and only until they have this
/// many bytes, because what is parsed but not run is not counted as a query.
const BYTES_AHEAD: usize = 64 * 1024;
/// How long a task waits to be woken for locks before it asks whether a script takes too long.
const QUEUE_TIMEOUT: Duration = Duration::from_millis(50);

/// What to do after some commands have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Send, then run more of what has arrived.
    Continue,
    /// Send, then wait for bytes.
    Read,
    /// Send, then wait for the answer to a blocking command.
    Wait,
    /// Send, then wait for the end of a pause, or for a thread.
    Pause,
    /// Wait for locks. There is nothing to send.
    Queue,
    /// Send, then close.
    Close,
    /// Close, even if there is something to send.
    Drop,
}

/// Commands that have run but are not answered yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ran {
    /// The number of the last batch that they committed.
    pub(super) wrote: Option<u64>,
    pub(super) next: Next,
}

impl Connection {
    /// Runs commands. While other clients hold the locks, the task waits and its thread serves other connections, until
    /// a script takes too long: then the commands are refused.
    pub(super) async fn run_in_turn(&mut self) -> Ran {
        let ran = poll_fn(|cx| Poll::Ready(self.run_commands(Some(cx.waker())))).await;
        if ran.next != Next::Queue {
            return ran;
        }
        while !self.server.scripts.is_busy() {
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
            if let Ok(ran) = tokio::time::timeout(QUEUE_TIMEOUT, called).await {
                return ran;
            }
        }
        self.run_commands(None)
    }

    /// Runs complete commands until there are none left, the answers are large enough to send, or other clients hold
    /// the locks and will wake `waker`. Without a waker it waits for locks on this thread.
    fn run_commands(&mut self, waker: Option<&Waker>) -> Ran {
        let mut wrote = None;
        let _turn = Turn::begin();
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
    pub(super) fn next_instead_of_running(&mut self) -> Option<Next> {
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
        let is_delayed =
            self.session.paused_until(first).is_some() || self.session.waits_for_thread(first);
        is_delayed.then_some(Next::Pause)
    }

    /// Takes commands that have arrived completely, as many as may run together. Of a client that has not
    /// authenticated yet only one is taken, because that may change what is allowed next.
    pub(super) fn take_commands(&mut self) {
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
            None => {
                if self.parser.pending_bytes() > 0 {
                    // Who takes long to send a command is not idle.
                    self.note_activity();
                }
                Next::Read
            }
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
}

/// How much this client may send at the moment.
pub(super) fn limits(session: &Session) -> Limits {
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
