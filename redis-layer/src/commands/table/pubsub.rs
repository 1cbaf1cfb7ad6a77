//! Commands about channels.

use crate::commands::pubsub;
use crate::commands::table::Flag::{Fast, Loading, NoScript, PubSub, Stale};
use crate::commands::table::Handler::{Container, Session};
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "psubscribe", -2, [PubSub, NoScript, Loading, Stale], [], PubSub, "2.0.0", Session(pubsub::psubscribe);
        "Listens to all channels whose names match patterns.", "O(n) for n patterns",
        "(pattern: pattern:pattern)..."
    "publish", 3, [PubSub, Loading, Stale, Fast], [], PubSub, "2.0.0", Session(pubsub::publish);
        "Sends a message to those who listen to a channel.",
        "O(n + m) for n who listen to the channel and m patterns",
        "channel message"
    "pubsub", -2, [], [], PubSub, "2.8.0", Container => PUBSUB;
        "Commands about subscriptions.", "Depends on the subcommand."
    "punsubscribe", -1, [PubSub, NoScript, Loading, Stale], [], PubSub, "2.0.0", Session(pubsub::punsubscribe);
        "Listens no more to patterns, or to none at all.", "O(n) for n patterns",
        "[pattern:pattern...]"
    "spublish", 3, [PubSub, Loading, Stale, Fast], [Channel: FIRST], PubSub, "7.0.0", Session(pubsub::spublish);
        "Sends a message to those who listen to a shard channel.", "O(n) for n who listen to the channel",
        "shardchannel message"
    "ssubscribe", -2, [PubSub, NoScript, Loading, Stale], [Channel: ALL], PubSub, "7.0.0", Session(pubsub::ssubscribe);
        "Listens to shard channels.", "O(n) for n channels",
        "shardchannel..."
    "subscribe", -2, [PubSub, NoScript, Loading, Stale], [], PubSub, "2.0.0", Session(pubsub::subscribe);
        "Listens to channels.", "O(n) for n channels",
        "channel..."
    "sunsubscribe", -1, [PubSub, NoScript, Loading, Stale], [Channel: ALL], PubSub, "7.0.0", Session(pubsub::sunsubscribe);
        "Listens no more to shard channels, or to none at all.", "O(n) for n channels",
        "[shardchannel...]"
    "unsubscribe", -1, [PubSub, NoScript, Loading, Stale], [], PubSub, "2.0.0", Session(pubsub::unsubscribe);
        "Listens no more to channels, or to none at all.", "O(n) for n channels",
        "[channel...]"
};

const PUBSUB: &[Spec] = table! { "pubsub|":
    "channels", -2, [PubSub, Loading, Stale], [], PubSub, "2.8.0", Session(pubsub::channels);
        "Names the channels that somebody listens to.", "O(n) for n channels",
        "[pattern:pattern]"
    "help", 2, [Loading, Stale], [], PubSub, "6.2.0", Session(pubsub::help);
        "Lists the subcommands.", "O(1)"
    "numpat", 2, [PubSub, Loading, Stale], [], PubSub, "2.8.0", Session(pubsub::numpat);
        "Counts the patterns that somebody listens to.", "O(1)"
    "numsub", -2, [PubSub, Loading, Stale], [], PubSub, "2.8.0", Session(pubsub::numsub);
        "Counts those who listen to channels.", "O(n) for n channels",
        "[channel...]"
    "shardchannels", -2, [PubSub, Loading, Stale], [], PubSub, "7.0.0", Session(pubsub::shard_channels);
        "Names the shard channels that somebody listens to.", "O(n) for n channels",
        "[pattern:pattern]"
    "shardnumsub", -2, [PubSub, Loading, Stale], [], PubSub, "7.0.0", Session(pubsub::shard_numsub);
        "Counts those who listen to shard channels.", "O(n) for n channels",
        "[shardchannel...]"
};
