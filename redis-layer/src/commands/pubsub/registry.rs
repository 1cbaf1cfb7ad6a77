//! Which clients are subscribed to what.
//!
//! Channels and shard channels are found by their hash; patterns are tried one after the other, as Redis does. One
//! lock guards all of it. A publisher holds it until the message is in every outbox, so all subscribers see the
//! messages of all publishers in one order. Nothing waits while holding the lock.
//!
//! Invariant: a name without subscribers is not in a map.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;

use crate::commands::Reply;
use crate::commands::args::glob;
use crate::commands::config::value::OutputLimit;
use crate::commands::context::outbox::Message;
use crate::commands::context::peer::Peer;

/// The kind of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    Channel,
    Pattern,
    Shard,
}

/// A message on its way to the subscribers of a channel.
#[derive(Debug)]
pub(crate) struct Publication {
    pub(crate) channel: Bytes,
    pub(crate) payload: Bytes,
    pub(crate) in_shard: bool,
    /// A client that had no subscription when the message was published: it does not get the message, even if it
    /// subscribes later in the same transaction.
    pub(crate) except: Option<u64>,
}

impl Publication {
    /// About how much memory it takes.
    pub(super) const fn bytes(&self) -> usize {
        size_of::<Self>() + self.channel.len() + self.payload.len()
    }
}

/// Subscribers by the number of their connection.
type Subscribers = BTreeMap<u64, Arc<Peer>>;
type Topics = HashMap<Bytes, Subscribers>;

/// The subscribers that were not told to end. Those that were are gone for other clients.
fn staying(subscribers: &Subscribers) -> impl Iterator<Item = &Arc<Peer>> {
    let peers = subscribers.values();
    peers.filter(|peer| !peer.outbox.is_closed())
}

fn count(subscribers: &Subscribers) -> u64 {
    staying(subscribers).count() as u64
}

/// Which clients are subscribed to what.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    /// Indexed by [`Topic`].
    topics: Mutex<[Topics; 3]>,
    /// How many subscriptions there are, so that publishing to nobody takes no lock.
    subscriptions: AtomicUsize,
}

impl Registry {
    pub(crate) fn subscribe(&self, topic: Topic, name: Bytes, peer: &Arc<Peer>) {
        let mut topics = self.topics.lock();
        let subscribers = topics[topic as usize].entry(name).or_default();
        if subscribers.insert(peer.id, Arc::clone(peer)).is_none() {
            self.subscriptions.fetch_add(1, Ordering::SeqCst);
        }
    }

    pub(crate) fn unsubscribe(&self, topic: Topic, name: &Bytes, client: u64) {
        let mut topics = self.topics.lock();
        let topics = &mut topics[topic as usize];
        let Some(subscribers) = topics.get_mut(name) else {
            return;
        };
        if subscribers.remove(&client).is_some() {
            self.subscriptions.fetch_sub(1, Ordering::SeqCst);
        }
        if subscribers.is_empty() {
            topics.remove(name);
        }
    }

    /// Puts a message into the outboxes of all subscribers, except of `except`. Returns how many deliveries that
    /// were: a client gets the message once for its channel and once for each of its patterns that match.
    pub(crate) fn deliver(
        &self,
        channel: &Bytes,
        payload: &Reply,
        limit: OutputLimit,
        except: Option<u64>,
    ) -> u64 {
        if self.subscriptions.load(Ordering::SeqCst) == 0 {
            return 0;
        }
        let topics = self.topics.lock();
        let mut deliveries = 0;
        let mut put = |subscribers: &Subscribers, parts: Vec<Reply>| {
            let message = Message::new(Reply::Push(parts));
            for peer in staying(subscribers).filter(|peer| except != Some(peer.id)) {
                peer.outbox.add(message.clone(), limit);
                deliveries += 1;
            }
        };
        let name = || Reply::Bulk(channel.clone());
        if let Some(subscribers) = topics[Topic::Channel as usize].get(channel) {
            put(
                subscribers,
                vec![Reply::text("message"), name(), payload.clone()],
            );
        }
        for (pattern, subscribers) in &topics[Topic::Pattern as usize] {
            if glob::matches(pattern, channel, glob::Case::Exact) {
                let pattern = Reply::Bulk(pattern.clone());
                put(
                    subscribers,
                    vec![Reply::text("pmessage"), pattern, name(), payload.clone()],
                );
            }
        }
        deliveries
    }

    /// Delivers a message. Returns how many deliveries that were.
    pub(crate) fn send(&self, publication: &Publication, limit: OutputLimit) -> u64 {
        let Publication {
            channel, payload, ..
        } = publication;
        if publication.in_shard {
            self.deliver_in_shard(publication, limit)
        } else {
            self.deliver(
                channel,
                &Reply::Bulk(payload.clone()),
                limit,
                publication.except,
            )
        }
    }

    /// How many deliveries [`send`](Self::send) would make.
    pub(crate) fn receivers(&self, publication: &Publication) -> u64 {
        if publication.in_shard {
            return self.subscribers(Topic::Shard, &publication.channel);
        }
        let topics = self.topics.lock();
        let matching = topics[Topic::Pattern as usize]
            .iter()
            .filter(|(pattern, _)| glob::matches(pattern, &publication.channel, glob::Case::Exact));
        let of_channel = topics[Topic::Channel as usize].get(&publication.channel);
        let all = of_channel
            .into_iter()
            .chain(matching.map(|(_, subscribers)| subscribers));
        all.map(count).sum()
    }

    /// Puts a message into the outboxes of the subscribers of a shard channel.
    fn deliver_in_shard(&self, publication: &Publication, limit: OutputLimit) -> u64 {
        let Publication {
            channel, payload, ..
        } = publication;
        let topics = self.topics.lock();
        let Some(subscribers) = topics[Topic::Shard as usize].get(channel) else {
            return 0;
        };
        let message = Message::new(Reply::Push(vec![
            Reply::text("smessage"),
            Reply::Bulk(channel.clone()),
            Reply::Bulk(payload.clone()),
        ]));
        let mut deliveries = 0;
        for peer in staying(subscribers).filter(|peer| publication.except != Some(peer.id)) {
            peer.outbox.add(message.clone(), limit);
            deliveries += 1;
        }
        deliveries
    }

    /// Whether a client is subscribed to a channel.
    pub(crate) fn is_subscribed(&self, channel: &[u8], client: u64) -> bool {
        let topics = self.topics.lock();
        let subscribers = topics[Topic::Channel as usize].get(channel);
        subscribers.is_some_and(|subscribers| subscribers.contains_key(&client))
    }

    /// The names that have subscribers.
    pub(crate) fn names(&self, topic: Topic) -> Vec<Bytes> {
        let topics = self.topics.lock();
        let heard = topics[topic as usize]
            .iter()
            .filter(|(_, subscribers)| count(subscribers) > 0);
        heard.map(|(name, _)| name.clone()).collect()
    }

    /// The connections that hear a name.
    pub(crate) fn peers(&self, topic: Topic, name: &[u8]) -> Vec<Arc<Peer>> {
        let topics = self.topics.lock();
        let subscribers = topics[topic as usize].get(name);
        subscribers
            .into_iter()
            .flat_map(staying)
            .map(Arc::clone)
            .collect()
    }

    /// How many subscribers a name has.
    pub(crate) fn subscribers(&self, topic: Topic, name: &[u8]) -> u64 {
        let topics = self.topics.lock();
        topics[topic as usize].get(name).map_or(0, count)
    }

    /// How many names have subscribers.
    pub(crate) fn count(&self, topic: Topic) -> u64 {
        let topics = self.topics.lock();
        let heard = topics[topic as usize]
            .values()
            .filter(|subscribers| count(subscribers) > 0);
        heard.count() as u64
    }
}
