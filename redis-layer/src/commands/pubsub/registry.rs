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
use crate::commands::context::room::give_back;

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
    /// The client that published it in a transaction, with what it gets itself. That was decided then, because it may
    /// subscribe and unsubscribe later in the same transaction.
    pub(crate) publisher: Option<(Arc<Peer>, Vec<Message>)>,
}

impl Publication {
    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let own = self.publisher.iter().flat_map(|(_, messages)| messages);
        let own: usize = own.map(Message::bytes).sum();
        size_of::<Self>() + self.channel.len() + self.payload.len() + own
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

/// Calls `put` for each name that a message reaches, with the subscribers and with what makes the message as they get it.
fn reach(
    topics: &[Topics; 3],
    (channel, payload, in_shard): (&Bytes, &Reply, bool),
    mut put: impl FnMut(&Subscribers, &dyn Fn() -> Message),
) {
    let message = |head: Vec<Reply>| {
        let tail = [Reply::Bulk(channel.clone()), payload.clone()];
        Message::new(Reply::Push(head.into_iter().chain(tail).collect()))
    };
    let (topic, word) = if in_shard {
        (Topic::Shard, "smessage")
    } else {
        (Topic::Channel, "message")
    };
    if let Some(subscribers) = topics[topic as usize].get(channel) {
        put(subscribers, &|| message(vec![Reply::text(word)]));
    }
    if in_shard {
        return;
    }
    for (pattern, subscribers) in &topics[Topic::Pattern as usize] {
        if glob::matches(pattern, channel, glob::Case::Exact) {
            put(subscribers, &|| {
                message(vec![Reply::text("pmessage"), Reply::Bulk(pattern.clone())])
            });
        }
    }
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
    /// Whether nobody is subscribed to anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.subscriptions.load(Ordering::SeqCst) == 0
    }

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
            give_back(topics);
        }
    }

    /// Puts a message into the outboxes of all subscribers.
    pub(crate) fn deliver(&self, channel: &Bytes, payload: &Reply, limit: OutputLimit) {
        if self.is_empty() {
            return;
        }
        let topics = self.topics.lock();
        reach(
            &topics,
            (channel, payload, false),
            |subscribers, message| {
                let message = message();
                for peer in staying(subscribers) {
                    peer.outbox.add(message.clone(), limit);
                }
            },
        );
    }

    /// Delivers what a client has published. Returns how many deliveries that were: a client gets the message once for
    /// its channel and once for each of its patterns that match.
    pub(crate) fn send(&self, publication: &Publication, limit: OutputLimit) -> u64 {
        let publisher = publication.publisher.as_ref();
        if publisher.is_none() && self.is_empty() {
            return 0;
        }
        let topics = self.topics.lock();
        let mut deliveries = 0;
        let mut put = |peer: &Peer, message: &Message| {
            peer.outbox.add(message.clone(), limit);
            deliveries += 1;
        };
        let is_other = |peer: &Peer| publisher.is_none_or(|(own, _)| own.id != peer.id);
        let payload = Reply::Bulk(publication.payload.clone());
        let message = (&publication.channel, &payload, publication.in_shard);
        reach(&topics, message, |subscribers, message| {
            let message = message();
            for peer in staying(subscribers).filter(|peer| is_other(peer)) {
                put(peer, &message);
            }
        });
        if let Some((own, messages)) = publisher {
            for message in messages {
                put(own, message);
            }
        }
        deliveries
    }

    /// How many deliveries [`send`](Self::send) would make now, and which messages a client would get of them.
    pub(crate) fn receivers(&self, publication: &Publication, client: u64) -> (u64, Vec<Message>) {
        let topics = self.topics.lock();
        let (mut deliveries, mut own) = (0, Vec::new());
        let payload = Reply::Bulk(publication.payload.clone());
        let message = (&publication.channel, &payload, publication.in_shard);
        reach(&topics, message, |subscribers, message| {
            deliveries += count(subscribers);
            if subscribers.contains_key(&client) {
                own.push(message());
            }
        });
        (deliveries, own)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::acl::Users;
    use crate::commands::context::room::ROOM_LEAST;

    /// Also while another channel has a subscriber.
    #[test]
    fn who_ends_many_subscriptions_leaves_nothing_behind() {
        let registry = Registry::default();
        let account = Users::default().default_account();
        let address = String::new;
        let peer = Arc::new(Peer::new(1, address(), address(), account, 0));
        let names = || (0..100_000).map(|n| Bytes::from(format!("channel:{n}")));
        for name in names() {
            registry.subscribe(Topic::Channel, name, &peer);
        }
        for name in names().skip(1) {
            registry.unsubscribe(Topic::Channel, &name, peer.id);
        }
        let room = registry.topics.lock()[Topic::Channel as usize].capacity();
        assert!(room <= ROOM_LEAST, "room for {room} channels is kept");
        assert_eq!(registry.count(Topic::Channel), 1);
    }
}
