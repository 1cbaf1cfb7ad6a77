//! Sends answers, once what they promise is durable, and receives bytes at the same time.

use std::io;
use std::sync::Arc;

use tokio::io::Interest;

use super::Connection;

impl Connection {
    /// Sends the answers, once what they promise is durable. Returns whether bytes arrived meanwhile.
    pub(super) async fn answer(&mut self, wrote: Option<u64>) -> io::Result<bool> {
        if let Some(written) = wrote {
            self.durability
                .acknowledge(written)
                .await
                .map_err(io::Error::other)?;
        }
        if self.out.is_empty() {
            return Ok(false);
        }
        let arrived = self.send().await?;
        self.all_sent();
        Ok(arrived)
    }

    /// Sends the answers, if the client takes all of them at once. Returns whether it did. Otherwise the rest is left
    /// to [`answer`](Self::answer), which also meets the error of a client that is gone.
    pub(super) fn send_at_once(&mut self) -> bool {
        let sent = self.stream.try_write(&self.out).unwrap_or(0);
        if sent < self.out.len() {
            self.server.counters.sent(sent);
            self.out.drain(..sent);
            return false;
        }
        self.all_sent();
        true
    }

    fn all_sent(&mut self) {
        self.server.counters.sent(self.out.len());
        self.out.clear();
        self.session.peer().outbox.sent();
    }

    /// Sends the answers, and receives bytes meanwhile, up to the size of the largest command. Returns whether any
    /// arrived. Most answers are sent by the first call.
    async fn send(&mut self) -> io::Result<bool> {
        let mut sent = none_if_blocked(self.stream.try_write(&self.out))?.unwrap_or(0);
        let mut arrived = false;
        let mut at_end = false;
        let peer = Arc::clone(self.session.peer());
        let waits = sent < self.out.len();
        while sent < self.out.len() {
            self.show_answers(self.out.len() - sent);
            let takes_more = !at_end && self.parser.may_read_more();
            let interest = if takes_more {
                Interest::WRITABLE | Interest::READABLE
            } else {
                Interest::WRITABLE
            };
            let ready = tokio::select! {
                ready = self.stream.ready(interest) => ready?,
                () = peer.outbox.closed() => return Err(io::ErrorKind::ConnectionAborted.into()),
            };
            self.note_activity();
            if ready.is_writable() {
                sent += none_if_blocked(self.stream.try_write(&self.out[sent..]))?.unwrap_or(0);
            }
            if takes_more && ready.is_readable() {
                let count = none_if_blocked(self.stream.try_read_buf(self.parser.buffer()))?;
                at_end = count == Some(0);
                if let Some(count) = count.filter(|&count| count > 0) {
                    self.arrived(&Ok(count));
                    arrived = true;
                }
            }
        }
        if waits {
            self.show_answers(0);
            peer.outbox.drained();
        }
        Ok(arrived)
    }
}

/// The result of a call to a socket, or `None` if the call would have blocked.
fn none_if_blocked(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(count) => Ok(Some(count)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}
