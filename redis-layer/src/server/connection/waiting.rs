//! Waits: for the client, for the answer to a blocking command, for the end of a pause, or for a thread. Bytes are received meanwhile,
//! and messages from other clients and the end of the server are noticed.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::ready;

use tokio::io::AsyncReadExt;
use tokio::time::{Duration, Instant, sleep_until};

use super::Connection;
use crate::commands::Outbox;
use crate::server::resp::Parser;
use crate::server::stream::Stream;

/// How long a command that might take a thread waits until it asks again whether too many are taken.
const THREAD_TIMEOUT: Duration = Duration::from_millis(50);

/// Why a connection stops waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
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
    /// Waits until something happens.
    pub(super) async fn idle(&mut self) -> Woken {
        let peer = Arc::clone(self.session.peer());
        tokio::select! {
            biased;
            more = read(&mut self.stream, &mut self.parser) => self.arrived(&more),
            () = peer.outbox.changed() => called(&peer.outbox),
        }
    }

    /// Waits for the answer to a blocking command, and adds it to those to be sent. Returns false if the client left
    /// or the server stops.
    pub(super) async fn wait(&mut self) -> bool {
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
                Woken::Bytes => self.show_memory(),
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

    /// Waits for the end of a pause, or for a while if the command might take a thread and too many are taken. Returns false
    /// if the client left or the server stops.
    pub(super) async fn pause(&mut self) -> bool {
        let Some(first) = self.commands.front() else {
            return true;
        };
        self.session.show_delayed(first);
        let waits_for_thread = self.session.waits_for_thread(first);
        // Listens before it looks again: the pause may have ended while answers were sent.
        let ended = self.session.pause_ended();
        let deadline = match self.session.paused_until(first) {
            Some(until) => Instant::from_std(until),
            None if waits_for_thread => Instant::now() + THREAD_TIMEOUT,
            None => return true,
        };
        let peer = Arc::clone(self.session.peer());
        let _blocked = peer.block();
        let takes_more = self.parser.may_read_more();
        let woken = tokio::select! {
            () = sleep_until(deadline) => return true,
            () = ended => return true,
            more = read(&mut self.stream, &mut self.parser), if takes_more => {
                self.arrived(&more)
            }
            () = peer.outbox.changed() => called(&peer.outbox),
        };
        self.show_memory();
        matches!(woken, Woken::Bytes | Woken::Message)
    }

    /// Counts the bytes of a read.
    pub(super) fn arrived(&self, more: &io::Result<usize>) -> Woken {
        match more {
            Ok(0) | Err(_) => Woken::Gone,
            Ok(bytes) => {
                self.server.counters.received(*bytes);
                Woken::Bytes
            }
        }
    }
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
