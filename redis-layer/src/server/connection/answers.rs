//! Turns the results of commands, and the messages of other clients, into the bytes that wait to be sent.

use std::collections::VecDeque;

use super::Connection;
use crate::commands::{Executed, Message};
use crate::server::resp::encode;
use crate::types::packed::FRAME_BYTES_MAX;

impl Connection {
    /// Adds answers to those that wait to be sent, and notes a blocking command. Returns the same as
    /// [`take_answer`](Self::take_answer).
    pub(super) fn take_answers(&mut self) -> Option<u64> {
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
    pub(super) fn take_answer(&mut self, executed: &Executed) -> Option<u64> {
        if !self.session.replies_first() {
            self.take_messages();
        }
        self.add_answer(executed)
    }

    /// As [`take_answer`](Self::take_answer), without any messages.
    pub(super) fn add_answer(&mut self, executed: &Executed) -> Option<u64> {
        let wrote = executed.wrote.then(|| self.durability.mark_written());
        encode(&executed.reply, self.session.protocol(), &mut self.out);
        wrote
    }

    /// Adds the messages of the outbox to what is to be sent.
    pub(super) fn take_messages(&mut self) {
        let outbox = &self.session.peer().outbox;
        if !outbox.has_messages() {
            return;
        }
        let messages = outbox.take();
        self.add_messages(messages);
    }

    pub(super) fn add_messages(&mut self, messages: VecDeque<Message>) {
        for message in messages {
            if message.reply.is_push() || !self.session.is_silent() {
                encode(&message.reply, self.session.protocol(), &mut self.out);
            }
        }
    }

    /// Whether more waits to be sent than the client's limit allows.
    pub(super) fn exceeds_output_limit(&self) -> bool {
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
}
