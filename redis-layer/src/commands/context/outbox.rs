//! Messages for a client that are not replies to its commands: published messages, what `MONITOR` shows, and cached
//! keys that are out of date. Also the request that a connection end.
//!
//! Any thread puts messages in. The task of the connection takes them out between two commands,
//! or is woken while it waits for the client.
//!
//! Invariants
//! 1. Messages come out in the order in which they went in.
//! 2. The bytes that wait are bounded by the limit for the client's class. A client that exceeds it is disconnected,
//!    as in Redis: its messages are dropped and the connection ends.
//! 3. Messages after the mark of `Outbox::reply_here` are not taken together with those before it.
//! 4. A wakeup is never lost. The waiting task leaves its waker, then looks; a thread that changes something changes
//!    it, then takes the waker. Whichever of the two locks the waker second sees what the other did.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use parking_lot::Mutex;

use crate::commands::Reply;
use crate::commands::config::value::OutputLimit;

/// What a message takes besides its bytes.
const MESSAGE_BYTES: usize = 64;

/// A message, shared by all clients that get it.
#[derive(Debug, Clone)]
pub struct Message {
    /// What is sent.
    pub reply: Arc<Reply>,
    bytes: usize,
}

impl Message {
    pub(crate) fn new(reply: Reply) -> Self {
        Self {
            bytes: reply_bytes(&reply) + MESSAGE_BYTES,
            reply: Arc::new(reply),
        }
    }

    /// About how much memory it takes.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}

/// About how many bytes the strings of a message take.
fn reply_bytes(reply: &Reply) -> usize {
    match reply {
        Reply::Bulk(bytes) | Reply::Line(bytes) => bytes.len() + 16,
        Reply::Array(items) | Reply::Push(items) => items.iter().map(reply_bytes).sum(),
        _ => 16,
    }
}

/// The messages of one client.
#[derive(Debug, Default)]
pub struct Outbox {
    queue: Mutex<Queue>,
    /// Bytes that wait here or with the connection, readable without a lock.
    waiting_bytes: AtomicUsize,
    /// Whether there may be messages in the queue.
    has_messages: AtomicBool,
    is_closed: AtomicBool,
    is_stopping: AtomicBool,
    /// Wakes the task of the connection. It stays after the task has gone on; then a wakeup is superfluous, and the
    /// task finds the change anyway.
    waker: Mutex<Option<Waker>>,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Message>,
    /// How many messages there have been so far, with those that have gone.
    added: u64,
    /// The messages from this index on come after the next reply.
    reply_at: Option<usize>,
    /// The bytes of `messages`.
    bytes: usize,
    /// The bytes that the connection has taken but not sent yet.
    taken_bytes: usize,
    /// Since when the bytes have been above the soft limit.
    above_soft_since: Option<Instant>,
}

impl Outbox {
    /// Adds a message and wakes the connection. If that exceeds the limit, ends the connection instead.
    pub(crate) fn add(&self, message: Message, limit: OutputLimit) {
        if self.is_closed() {
            return;
        }
        let mut queue = self.queue.lock();
        queue.bytes += message.bytes;
        let all = queue.bytes + queue.taken_bytes;
        if queue.exceeds(all, limit) {
            drop(queue);
            self.close();
            return;
        }
        queue.messages.push_back(message);
        queue.added += 1;
        self.waiting_bytes.store(all, Ordering::Relaxed);
        self.has_messages.store(true, Ordering::Release);
        drop(queue);
        self.call();
    }

    /// Makes the client's next reply come after the messages that wait now, and before those that are added later.
    pub(crate) fn reply_here(&self) {
        let mut queue = self.queue.lock();
        queue.reply_at = Some(queue.messages.len());
        self.has_messages.store(true, Ordering::Release);
    }

    /// How many messages there have been so far.
    pub(crate) fn added(&self) -> u64 {
        self.queue.lock().added
    }

    /// Those that still wait among the first `added` messages, for the answer to a client that was blocked.
    pub fn take_first(&self, added: u64) -> VecDeque<Message> {
        let mut queue = self.queue.lock();
        let later = usize::try_from(queue.added.saturating_sub(added)).unwrap_or(usize::MAX);
        queue.reply_at = Some(queue.messages.len().saturating_sub(later));
        drop(queue);
        self.has_messages.store(true, Ordering::Release);
        self.take()
    }

    /// The messages that wait, oldest first, up to the next reply. The connection calls [`Outbox::sent`] when they
    /// have been sent.
    pub fn take(&self) -> VecDeque<Message> {
        if !self.has_messages.load(Ordering::Acquire) {
            return VecDeque::new();
        }
        let mut queue = self.queue.lock();
        let behind = match queue.reply_at.take() {
            Some(at) => queue.messages.split_off(at),
            None => VecDeque::new(),
        };
        let bytes = behind.iter().map(|message| message.bytes).sum();
        self.has_messages
            .store(!behind.is_empty(), Ordering::Relaxed);
        queue.taken_bytes += std::mem::replace(&mut queue.bytes, bytes) - bytes;
        std::mem::replace(&mut queue.messages, behind)
    }

    /// Says that everything that was taken has been sent.
    pub fn sent(&self) {
        if self.waiting_bytes.load(Ordering::Relaxed) > 0 {
            self.drained();
        }
    }

    /// As [`sent`](Self::sent), after answers that the client did not take at once.
    pub fn drained(&self) {
        let mut queue = self.queue.lock();
        queue.taken_bytes = 0;
        queue.above_soft_since = None;
        self.waiting_bytes.store(queue.bytes, Ordering::Relaxed);
    }

    /// Whether too much waits for the client, or has waited for too long: messages, and `answer_bytes` that the
    /// connection tries to send.
    pub(crate) fn exceeds(&self, answer_bytes: usize, limit: OutputLimit) -> bool {
        let mut queue = self.queue.lock();
        // What the connection has taken from here is among the answers, once it tries to send it.
        let all = queue.bytes + queue.taken_bytes.max(answer_bytes);
        queue.exceeds(all, limit)
    }

    /// Completes when messages wait, the server stops, or the connection has to end.
    pub async fn changed(&self) {
        poll_fn(|cx| self.poll_changed(cx)).await;
    }

    /// As [`changed`](Self::changed), for a task that waits for other things too.
    pub(crate) fn poll_changed(&self, cx: &Context<'_>) -> Poll<()> {
        self.poll_is_so(cx, || {
            self.has_messages() || self.is_stopping() || self.is_closed()
        })
    }

    /// Completes when the connection has to end at once.
    pub async fn closed(&self) {
        poll_fn(|cx| self.poll_is_so(cx, || self.is_closed())).await;
    }

    /// Completes when a condition holds; [`Outbox::call`] must be called whenever it may have come true. Only one
    /// task waits at a time.
    fn poll_is_so(&self, cx: &Context<'_>, is_so: impl FnOnce() -> bool) -> Poll<()> {
        self.leave_waker(cx);
        if is_so() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    fn leave_waker(&self, cx: &Context<'_>) {
        let mut waker = self.waker.lock();
        let is_there = waker.as_ref().is_some_and(|w| w.will_wake(cx.waker()));
        if !is_there {
            *waker = Some(cx.waker().clone());
        }
    }

    /// Wakes the task of the connection, if it waits for a change.
    pub(crate) fn call(&self) {
        let waker = self.waker.lock().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Ends the connection once it has answered the commands that have arrived.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Release);
        self.call();
    }

    /// Whether the connection has to end as soon as it has nothing to do.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Acquire)
    }

    /// Whether there may be messages.
    #[must_use]
    pub fn has_messages(&self) -> bool {
        self.has_messages.load(Ordering::Acquire)
    }

    /// Ends the connection as soon as its task notices, without sending the messages that wait.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        let mut queue = self.queue.lock();
        queue.messages.clear();
        queue.reply_at = None;
        queue.bytes = 0;
        drop(queue);
        self.call();
    }

    /// Whether the connection has to end at once.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// How many bytes wait to be sent.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.waiting_bytes.load(Ordering::Relaxed)
    }

    /// How many messages wait.
    pub(crate) fn len(&self) -> usize {
        self.queue.lock().messages.len()
    }
}

impl Queue {
    fn exceeds(&mut self, bytes: usize, limit: OutputLimit) -> bool {
        let bytes = bytes as u64;
        if limit.hard > 0 && bytes >= limit.hard {
            return true;
        }
        if limit.soft == 0 || bytes < limit.soft {
            self.above_soft_since = None;
            return false;
        }
        let since = self.above_soft_since.get_or_insert_with(Instant::now);
        since.elapsed().as_secs() > limit.soft_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &'static str) -> Message {
        Message::new(Reply::text(text))
    }

    #[test]
    fn messages_come_out_in_order_and_are_counted_until_they_are_sent() {
        let outbox = Outbox::default();
        outbox.add(message("a"), OutputLimit::default());
        outbox.add(message("b"), OutputLimit::default());
        let bytes = outbox.waiting_bytes();
        assert!(bytes > 2);
        let taken = outbox.take();
        let texts: Vec<&Reply> = taken.iter().map(|message| &*message.reply).collect();
        assert_eq!(texts, [&Reply::text("a"), &Reply::text("b")]);
        assert_eq!(outbox.waiting_bytes(), bytes);
        assert!(outbox.take().is_empty());
        outbox.sent();
        assert_eq!(outbox.waiting_bytes(), 0);
    }

    #[test]
    fn a_reply_has_its_place_among_the_messages() {
        let outbox = Outbox::default();
        outbox.add(message("a"), OutputLimit::default());
        outbox.reply_here();
        outbox.add(message("b"), OutputLimit::default());
        let bytes = outbox.waiting_bytes();
        assert_eq!(outbox.take().len(), 1);
        assert!(outbox.has_messages());
        assert_eq!(outbox.waiting_bytes(), bytes);
        outbox.sent();
        assert_eq!(outbox.waiting_bytes(), bytes / 2);
        assert_eq!(outbox.take().len(), 1);
        assert!(!outbox.has_messages());
        outbox.reply_here();
        assert!(outbox.take().is_empty());
    }

    #[test]
    fn what_came_before_an_answer_is_taken_before_it() {
        let outbox = Outbox::default();
        outbox.add(message("a"), OutputLimit::default());
        outbox.take();
        outbox.add(message("b"), OutputLimit::default());
        outbox.add(message("c"), OutputLimit::default());
        let before = outbox.added();
        outbox.add(message("d"), OutputLimit::default());
        for left in [2, 0] {
            assert_eq!(outbox.take_first(before).len(), left);
            assert!(outbox.has_messages());
        }
        assert_eq!(outbox.take().len(), 1);
        assert!(outbox.take_first(before).is_empty());
        assert!(!outbox.has_messages());
    }

    #[test]
    fn whoever_reads_too_slowly_is_closed_and_its_messages_are_dropped() {
        let hard = OutputLimit {
            hard: 300,
            ..OutputLimit::default()
        };
        let outbox = Outbox::default();
        outbox.add(message("a"), hard);
        assert_eq!(outbox.take().len(), 1);
        for _ in 0..3 {
            // Messages that were taken but not sent count too.
            outbox.add(message("b"), hard);
        }
        assert!(outbox.is_closed());
        assert!(outbox.take().is_empty());
        outbox.add(message("c"), hard);
        assert!(outbox.take().is_empty());
    }

    #[test]
    fn the_soft_limit_gives_time() {
        let soft = OutputLimit {
            soft: 1,
            soft_s: 100,
            ..OutputLimit::default()
        };
        let outbox = Outbox::default();
        outbox.add(message("a"), soft);
        outbox.add(message("b"), soft);
        assert!(!outbox.is_closed());
        let mut queue = outbox.queue.lock();
        queue.above_soft_since = Instant::now().checked_sub(std::time::Duration::from_secs(102));
        assert!(queue.above_soft_since.is_none() || queue.exceeds(1000, soft));
    }
}
