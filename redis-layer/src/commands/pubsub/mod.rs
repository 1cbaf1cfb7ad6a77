//! Publish and subscribe: messages to the clients that are subscribed at the moment. Nothing is stored.
//!
//! A subscriber's confirmations are replies; published messages come through its outbox. A confirmation must come
//! before the first message of its channel, although another thread may publish between the two. So a session that
//! subscribes sets [`Session::reply_first`], and its connection sends the reply before it looks into the outbox. After
//! any other command it looks into the outbox first, because a client that publishes to itself sees the message
//! before the reply.
//!
//! ```text
//! registry       which clients are subscribed to what
//! events         messages about what happened to keys
//! event_order    which of them come after the reply of the command
//! ```

mod event_order;
mod events;
mod registry;

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

pub(crate) use event_order::events_after_reply;
pub(crate) use events::{send_events, wanted_classes};
pub(crate) use registry::{Publication, Registry, Topic};

use crate::commands::args::glob;
use crate::commands::config::OutputClass;
use crate::commands::context::peer::ENTRY_BYTES;
use crate::commands::manual::help_lines;
use crate::commands::{Args, CommandError, Outcome, Reply, Server, Session};

/// What one client is subscribed to.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    /// Indexed by [`Topic`]: names, with numbers in the order in which they were added.
    names: [HashMap<Bytes, u64>; 3],
    last: u64,
}

/// The messages that a transaction has published so far.
#[derive(Debug, Default)]
pub(crate) struct Publications {
    messages: Vec<Publication>,
    /// About how much memory they take.
    bytes: usize,
}

impl Publications {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Subscriptions {
    pub(crate) fn count(&self, topic: Topic) -> usize {
        self.names[topic as usize].len()
    }

    /// Whether there are none. A client that has any is a subscriber.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.iter().all(HashMap::is_empty)
    }

    /// Returns whether it was not there.
    fn insert(&mut self, topic: Topic, name: Bytes) -> bool {
        self.last += 1;
        let names = &mut self.names[topic as usize];
        let before = names.len();
        names.entry(name).or_insert(self.last);
        names.len() > before
    }

    /// The names in the order in which they were added.
    fn in_order(&self, topic: Topic) -> Vec<Bytes> {
        let names = self.names[topic as usize].iter();
        let mut names: Vec<_> = names.map(|(name, at)| (*at, name.clone())).collect();
        names.sort_unstable();
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// The number in a confirmation: channels and patterns are counted together.
    fn shown(&self, topic: Topic) -> Reply {
        let count = match topic {
            Topic::Shard => self.count(Topic::Shard),
            Topic::Channel | Topic::Pattern => {
                self.count(Topic::Channel) + self.count(Topic::Pattern)
            }
        };
        Reply::count(count as u64)
    }
}

impl Session {
    /// Ends all subscriptions without confirmations.
    pub(crate) fn unsubscribe_all(&mut self) {
        for topic in [Topic::Channel, Topic::Pattern, Topic::Shard] {
            self.server.begin_work_on(self.subscriptions.count(topic));
            for (name, _) in std::mem::take(&mut self.subscriptions.names[topic as usize]) {
                let registry = &self.server.pubsub;
                registry.unsubscribe(topic, &name, self.id);
                self.peer.keeps_no_more(bytes_of(&name));
            }
        }
        self.show_subscriptions();
    }

    /// Shows other clients how many subscriptions there are.
    fn show_subscriptions(&self) {
        let mut view = self.peer.view.lock();
        view.subscriptions = [Topic::Channel, Topic::Pattern, Topic::Shard]
            .map(|topic| self.subscriptions.count(topic));
    }
}

/// About how much memory a subscription takes.
fn bytes_of(name: &Bytes) -> usize {
    name.len() + ENTRY_BYTES
}

fn subscribe_to(
    session: &mut Session,
    args: Args<'_>,
    topic: Topic,
    word: &'static str,
) -> Outcome {
    session.reply_first = true;
    session.server.begin_work_on(args.len());
    let mut confirmations = Vec::new();
    for name in args.from(1) {
        // A copy, so that the name does not keep the whole query in memory.
        let name = Bytes::copy_from_slice(name);
        if session.subscriptions.insert(topic, name.clone()) {
            session.peer.keeps(bytes_of(&name));
        }
        let registry = &session.server.pubsub;
        registry.subscribe(topic, name.clone(), &session.peer);
        confirmations.push(Reply::Push(vec![
            Reply::text(word),
            Reply::Bulk(name),
            session.subscriptions.shown(topic),
        ]));
    }
    session.show_subscriptions();
    Ok(Reply::Several(confirmations))
}

fn unsubscribe_from(
    session: &mut Session,
    args: Args<'_>,
    topic: Topic,
    word: &'static str,
) -> Outcome {
    let names: Vec<Bytes> = if args.len() > 1 {
        session.server.begin_work_on(args.len());
        args.from(1).to_vec()
    } else {
        session
            .server
            .begin_work_on(session.subscriptions.count(topic));
        session.subscriptions.in_order(topic)
    };
    let mut confirmations = Vec::new();
    for name in names {
        let names = &mut session.subscriptions.names[topic as usize];
        if names.remove(&name).is_some() {
            session.peer.keeps_no_more(bytes_of(&name));
        }
        let registry = &session.server.pubsub;
        registry.unsubscribe(topic, &name, session.id);
        confirmations.push(Reply::Push(vec![
            Reply::text(word),
            Reply::Bulk(name),
            session.subscriptions.shown(topic),
        ]));
    }
    if confirmations.is_empty() {
        let count = session.subscriptions.shown(topic);
        confirmations.push(Reply::Push(vec![Reply::text(word), Reply::Null, count]));
    }
    session.show_subscriptions();
    Ok(Reply::Several(confirmations))
}

/// `SUBSCRIBE channel [channel ...]`
pub(crate) fn subscribe(session: &mut Session, args: Args<'_>) -> Outcome {
    subscribe_to(session, args, Topic::Channel, "subscribe")
}

/// `PSUBSCRIBE pattern [pattern ...]`
pub(crate) fn psubscribe(session: &mut Session, args: Args<'_>) -> Outcome {
    subscribe_to(session, args, Topic::Pattern, "psubscribe")
}

/// `SSUBSCRIBE shardchannel [shardchannel ...]`
pub(crate) fn ssubscribe(session: &mut Session, args: Args<'_>) -> Outcome {
    // The other commands are allowed, as in Redis: old clients send them in transactions.
    if session.in_transaction {
        return Err(CommandError::fixed(
            "ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client",
        ));
    }
    subscribe_to(session, args, Topic::Shard, "ssubscribe")
}

/// `UNSUBSCRIBE [channel ...]`
pub(crate) fn unsubscribe(session: &mut Session, args: Args<'_>) -> Outcome {
    unsubscribe_from(session, args, Topic::Channel, "unsubscribe")
}

/// `PUNSUBSCRIBE [pattern ...]`
pub(crate) fn punsubscribe(session: &mut Session, args: Args<'_>) -> Outcome {
    unsubscribe_from(session, args, Topic::Pattern, "punsubscribe")
}

/// `SUNSUBSCRIBE [shardchannel ...]`
pub(crate) fn sunsubscribe(session: &mut Session, args: Args<'_>) -> Outcome {
    unsubscribe_from(session, args, Topic::Shard, "sunsubscribe")
}

/// `PUBLISH channel message`
pub(crate) fn publish(session: &mut Session, args: Args<'_>) -> Outcome {
    Ok(post(session, args, false))
}

/// `SPUBLISH shardchannel message`
pub(crate) fn spublish(session: &mut Session, args: Args<'_>) -> Outcome {
    Ok(post(session, args, true))
}

/// Sends a message. In a transaction, keeps it until the commit, so that a client that gets it finds the changes made
/// before it. And a script that has to run again sends nothing twice.
fn post(session: &mut Session, args: Args<'_>, in_shard: bool) -> Reply {
    if session.server.pubsub.is_empty() {
        return Reply::Integer(0);
    }
    // Copies, so that a message that waits for its subscriber does not keep the whole query in memory.
    let mut publication = Publication {
        channel: Bytes::copy_from_slice(args.get(1)),
        payload: Bytes::copy_from_slice(args.get(2)),
        in_shard,
        publisher: None,
    };
    if session.in_transaction {
        let (receivers, own) = session.server.pubsub.receivers(&publication, session.id);
        publication.publisher = Some((Arc::clone(&session.peer), own));
        let bytes = session.publications.bytes + publication.bytes();
        // Nobody needs to wait for the commit of what nobody hears. A script can publish without an end.
        if receivers > 0 && !session.holds_too_much(bytes) {
            session.publications.messages.push(publication);
            session.publications.bytes = bytes;
        }
        return Reply::count(receivers);
    }
    Reply::count(send(&session.server, &publication))
}

/// Sends the messages that a transaction has published, in their order.
pub(crate) fn send_publications(session: &mut Session) {
    for publication in std::mem::take(&mut session.publications).messages {
        send(&session.server, &publication);
    }
}

fn send(server: &Server, publication: &Publication) -> u64 {
    let limit = server.config.live.output_limit(OutputClass::PubSub);
    server.pubsub.send(publication, limit)
}

/// `PUBSUB CHANNELS [pattern]`
pub(crate) fn channels(session: &mut Session, args: Args<'_>) -> Outcome {
    names(session, args, Topic::Channel)
}

/// `PUBSUB SHARDCHANNELS [pattern]`
pub(crate) fn shard_channels(session: &mut Session, args: Args<'_>) -> Outcome {
    names(session, args, Topic::Shard)
}

fn names(session: &Session, args: Args<'_>, topic: Topic) -> Outcome {
    if args.len() > 3 {
        return Err(CommandError::unknown_subcommand(args.spec, args.get(1)));
    }
    let mut names = session.server.pubsub.names(topic);
    names.retain(|name| args.len() == 2 || glob::matches(args.get(2), name, glob::Case::Exact));
    Ok(Reply::Array(names.into_iter().map(Reply::Bulk).collect()))
}

/// `PUBSUB NUMSUB [channel ...]`
pub(crate) fn numsub(session: &mut Session, args: Args<'_>) -> Outcome {
    Ok(subscriber_counts(session, args, Topic::Channel))
}

/// `PUBSUB SHARDNUMSUB [shardchannel ...]`
pub(crate) fn shard_numsub(session: &mut Session, args: Args<'_>) -> Outcome {
    Ok(subscriber_counts(session, args, Topic::Shard))
}

fn subscriber_counts(session: &Session, args: Args<'_>, topic: Topic) -> Reply {
    let registry = &session.server.pubsub;
    let pairs = args.from(2).iter().flat_map(|name| {
        let count = Reply::count(registry.subscribers(topic, name));
        [Reply::Bulk(name.clone()), count]
    });
    Reply::Array(pairs.collect())
}

/// `PUBSUB NUMPAT`
pub(crate) fn numpat(session: &mut Session, _args: Args<'_>) -> Outcome {
    let registry = &session.server.pubsub;
    Ok(Reply::count(registry.count(Topic::Pattern)))
}

/// `PUBSUB HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("pubsub"))
}
