//! Channels, patterns, keyspace notifications and what a subscriber may do, beside a real server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis_layer::server::Options;

use crate::common::client::Client;
use crate::common::servers::{Ours, RealRedis};
use crate::common::waiting::{DEADLINE, eventually};
use crate::common::{self, Over, StoreKind, both, scope_in_time};

const PATIENCE: Duration = Duration::from_millis(300);

/// Runs the same steps over several connections of both servers and compares all that arrives.
///
/// A step is the number of a connection and what it sends; what arrives at each connection is
/// collected at the end.
fn compare(name: &str, steps: &[(usize, &str)]) {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let run = |address| {
        let count = steps.iter().map(|(at, _)| at + 1).max().unwrap_or(0);
        let mut clients: Vec<Client> = (0..count).map(|_| Client::connect(address)).collect();
        for (at, line) in steps {
            clients[*at].send(format!("{line}\r\n").as_bytes()).unwrap();
            // The steps of several connections happen in this order.
            clients[*at].settle();
        }
        let arrived = clients.iter_mut().map(|client| {
            let (bytes, closed) = client.rest(PATIENCE);
            format!("{} closed: {closed}", bytes.escape_ascii())
        });
        arrived.collect::<Vec<_>>()
    };
    let (expected, found) = (run(real.address), run(ours.address));
    assert_eq!(found, expected, "{name}");
}

#[test]
fn messages_reach_channels_patterns_and_shards_as_in_redis() {
    for hello in ["hello 2", "hello 3"] {
        compare(
            hello,
            &[
                // What HELLO answers differs from server to server.
                (0, "client reply skip"),
                (0, hello),
                (0, "subscribe a b a"),
                (0, "psubscribe a* [bc]"),
                (0, "ssubscribe s"),
                (1, "publish a one"),
                (1, "publish b two"),
                (1, "publish c three"),
                (1, "publish A four"),
                (1, "publish nobody five"),
                (1, "spublish s six"),
                (1, "spublish a seven"),
                (1, "pubsub numsub a b c"),
                (1, "pubsub shardnumsub s a"),
                (1, "pubsub numpat"),
                (1, "pubsub channels a*"),
                (1, "pubsub shardchannels"),
                (0, "unsubscribe a nope"),
                (0, "punsubscribe"),
                (0, "unsubscribe"),
                (1, "publish a eight"),
                (0, "sunsubscribe"),
                (0, "unsubscribe"),
                (0, "ping"),
            ],
        );
    }
}

#[test]
fn a_subscriber_may_do_what_redis_lets_it_do() {
    for hello in ["hello 2", "hello 3"] {
        compare(
            hello,
            &[
                (0, "client reply skip"),
                (0, hello),
                (0, "subscribe a"),
                (0, "ping"),
                (0, "ping hello"),
                (0, "get k"),
                (0, "GET k k"),
                (0, "nope"),
                (0, "client list x"),
                (0, "eval \"return redis.call('ping','x')\" 0"),
                (0, "multi"),
                (0, "publish a self"),
                (0, "reset"),
                (0, "get k"),
                (0, "publish a nobody"),
                (0, "ssubscribe s"),
                (0, "set k v"),
                (0, "quit"),
            ],
        );
    }
}

#[test]
fn a_message_to_oneself_comes_before_the_reply() {
    compare(
        "self",
        &[
            (0, "client reply skip"),
            (0, "hello 3"),
            (0, "subscribe a"),
            (0, "publish a 1"),
            (0, "get k"),
            (0, "publish a 2"),
        ],
    );
}

#[test]
fn subscriptions_in_a_transaction_answer_inside_its_reply() {
    compare(
        "multi",
        &[
            (0, "multi"),
            (0, "subscribe a b"),
            (0, "unsubscribe a"),
            (0, "exec"),
            (1, "publish b 1"),
            (0, "get k"),
        ],
    );
}

#[test]
fn a_closed_connection_leaves_its_channels() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut other = Client::connect(ours.address);
    let mut subscriber = Client::connect(ours.address);
    subscriber.call(&["subscribe", "a"]);
    assert_eq!(other.call(&["publish", "a", "x"]), ":1\\r\\n");
    drop(subscriber);
    eventually(|| other.call(&["publish", "a", "x"]) == ":0\\r\\n");
    assert_eq!(other.call(&["pubsub", "channels"]), "*0\\r\\n");
}

#[test]
fn events_of_keys_are_published_in_both_forms() {
    compare(
        "events",
        &[
            (0, "psubscribe __key*"),
            (1, "set a 1"),
            (1, "config set notify-keyspace-events KEA"),
            (1, "set a 2"),
            (1, "set a 2 ex 100"),
            (1, "incr a"),
            (1, "append a x"),
            (1, "incr a"),
            (1, "rpush l a b"),
            (1, "lpop l"),
            (1, "lpop l"),
            (1, "select 3"),
            (1, "sadd s a"),
            (1, "sadd s a"),
            (1, "hset h f 1"),
            (1, "hdel h f"),
            (1, "multi"),
            (1, "set m 1"),
            (1, "incr m"),
            (1, "exec"),
            (1, "config set notify-keyspace-events Kl"),
            (1, "set a 3"),
            (1, "rpush l a"),
            (1, "config set notify-keyspace-events El$"),
            (1, "set a 3"),
            (1, "rpush l a"),
            (1, "config set notify-keyspace-events l"),
            (1, "rpush l b"),
        ],
    );
}

/// BITFIELD lengthens a string before it knows whether its numbers fit. Only a number that was written is told of.
#[test]
fn numbers_that_do_not_fit_are_not_told_of() {
    compare(
        "numbers",
        &[
            (0, "psubscribe __key*"),
            (1, "config set notify-keyspace-events KEAn"),
            (1, "bitfield none overflow fail incrby u8 0 300"),
            (1, "strlen none"),
            (1, "bitfield none overflow fail incrby u8 8 300 get u8 64"),
            (1, "strlen none"),
            (
                1,
                "bitfield none overflow fail incrby u8 0 300 incrby u8 0 0",
            ),
            (
                1,
                "bitfield none overflow fail incrby u8 0 300 incrby u8 24 0",
            ),
            (1, "bitfield other overflow fail set u8 0 300 set u8 8 0"),
            (1, "bitfield other overflow fail set u8 0 300 set u8 8 1"),
            (1, "bitfield third overflow sat set u8 0 300"),
        ],
    );
}

/// The two classes that `A` does not name: keys that were created, and keys that were asked for in vain.
#[test]
fn keys_that_are_new_or_missing_are_told_of_if_somebody_wants_that() {
    compare(
        "news",
        &[
            (0, "psubscribe __key*"),
            (1, "config set notify-keyspace-events KEAnm"),
            (1, "set a 1"),
            (1, "set a 2"),
            (1, "get nope"),
            (1, "mget a nope neither"),
            (1, "exists nope"),
            (1, "incr nope"),
            (1, "rename a b"),
            (1, "copy b c"),
            (1, "rename b c"),
            (1, "copy c nope replace"),
            (1, "hset h f 1"),
            (1, "set h 1"),
            (1, "sadd s a b"),
            (1, "sunionstore h s"),
            (1, "sunionstore h2 s"),
            (1, "rpush l a b"),
            (1, "lmove l l2 left left"),
            (1, "multi"),
            (1, "set m 1"),
            (1, "set n 1"),
            (1, "get missing"),
            (1, "del m"),
            (1, "rpush m a"),
            (1, "exec"),
            (1, "object encoding nowhere"),
            (1, "ttl nowhere"),
            (1, "type nowhere"),
            (1, "config set notify-keyspace-events Em"),
            (1, "hget h f"),
            (1, "set d 1"),
        ],
    );
}

/// Many publish at once. Every subscriber sees all messages, in one order.
#[test]
fn all_subscribers_see_one_order() {
    const PUBLISHERS: usize = 4;
    const MESSAGES: usize = 300;
    let ours = Ours::start(StoreKind::BTree.open());
    let mut subscribers: Vec<Client> = (0..3).map(|_| Client::connect(ours.address)).collect();
    for subscriber in &mut subscribers {
        subscriber.call(&["subscribe", "a"]);
    }
    scope_in_time(|scope| {
        for publisher in 0..PUBLISHERS {
            let mut client = Client::connect(ours.address);
            scope.spawn(move || {
                let lines = (0..MESSAGES).map(|n| format!("publish a {publisher}-{n}"));
                let commands: Vec<_> = lines
                    .map(|line| line.split(' ').map(common::unescape).collect())
                    .collect();
                client.pipeline(&commands);
            });
        }
    });
    let mut seen = subscribers.iter_mut().map(|subscriber| {
        let messages = (0..PUBLISHERS * MESSAGES).map(|_| subscriber.reply().unwrap());
        messages.collect::<Vec<_>>()
    });
    let first = seen.next().unwrap();
    assert!(seen.all(|other| other == first));
    let of_one = first
        .iter()
        .filter(|m| m.escape_ascii().to_string().contains("2-"));
    let numbers: Vec<usize> = of_one
        .map(|message| {
            let text = String::from_utf8_lossy(message).into_owned();
            let number = text.trim_end().rsplit('-').next().unwrap();
            number.parse().unwrap()
        })
        .collect();
    assert_eq!(numbers, (0..MESSAGES).collect::<Vec<_>>());
}

/// To others, who was told to end listens no more.
#[test]
fn who_was_told_to_end_gets_no_messages() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    for subscribes in ["subscribe", "psubscribe", "ssubscribe"] {
        let run = |address| {
            let (mut leaving, mut other) = (Client::connect(address), Client::connect(address));
            let id = leaving.id();
            leaving.call(&[subscribes, "a"]);
            let lines = format!(
                "client kill id {id}\r\npublish a x\r\nspublish a x\r\nmulti\r\npublish a x\r\n\
                 exec\r\npubsub numsub a\r\npubsub channels\r\npubsub numpat\r\n\
                 pubsub shardnumsub a\r\npubsub shardchannels\r\n"
            );
            other.send(lines.as_bytes()).unwrap();
            other.rest(PATIENCE).0.escape_ascii().to_string()
        };
        let (found, expected) = both(ours.address, real.address, run);
        assert_eq!(found, expected, "{subscribes}");
    }
}

/// Who subscribes while others publish sees the confirmation before the first message.
#[test]
fn the_confirmation_comes_before_the_first_message() {
    let ours = Ours::start(StoreKind::BTree.open());
    let is_over = AtomicBool::new(false);
    scope_in_time(|scope| {
        let mut publisher = Client::connect(ours.address);
        let (is_over, _over) = (&is_over, Over(&is_over));
        scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                publisher.call(&["publish", "a", "x"]);
            }
        });
        let mut seen_messages = 0;
        for _ in 0..300 {
            let mut client = Client::connect(ours.address);
            client.send(b"subscribe a\r\n").unwrap();
            let first = client.reply().unwrap().escape_ascii().to_string();
            assert!(first.contains("subscribe"), "{first}");
            client.send(b"unsubscribe a\r\n").unwrap();
            loop {
                let reply = client.reply().unwrap().escape_ascii().to_string();
                if reply.contains("unsubscribe") {
                    break;
                }
                seen_messages += 1;
            }
            let after = client.rest(Duration::from_millis(1)).0;
            assert!(after.is_empty(), "{}", after.escape_ascii());
        }
        assert!(seen_messages > 0, "nobody published meanwhile");
    });
}

/// Whoever does not read its messages is cut off, and the server's memory is its own again.
#[test]
fn a_subscriber_that_does_not_read_is_disconnected() {
    let options = Options {
        config: vec![("client-output-buffer-limit", "pubsub 1mb 0 0".to_owned())],
        ..Options::default()
    };
    let ours = Ours::start_with(StoreKind::BTree.open(), options);
    let mut lazy = Client::connect(ours.address);
    lazy.call(&["subscribe", "a"]);
    let mut publisher = Client::connect(ours.address);
    let payload = "x".repeat(100_000);
    let is_cut_off = (0..1000).any(|_| publisher.call(&["publish", "a", &payload]) == ":0\\r\\n");
    assert!(is_cut_off);
    let list = publisher.call(&["client", "list"]);
    assert_eq!(list.matches("id=").count(), 1, "{list}");
    assert!(lazy.until_closed().1);
}

/// What comes while a full socket holds up the messages before it is sent when they are.
#[test]
fn who_waits_for_a_key_gets_all_messages_however_late_it_reads() {
    const MESSAGES: usize = 16;
    let ours = Ours::start(StoreKind::BTree.open());
    let mut late = Client::connect(ours.address);
    late.call(&["hello", "3"]);
    late.call(&["subscribe", "a"]);
    late.send(b"blpop k 0\r\n").unwrap();
    let mut publisher = Client::connect(ours.address);
    late.wait_until_held_up();
    // Together more than the buffers of the system hold.
    let payload = "x".repeat(1_000_000);
    for _ in 0..MESSAGES {
        assert_eq!(publisher.call(&["publish", "a", &payload]), ":1\\r\\n");
    }
    for n in 0..MESSAGES {
        let message = late.reply_within(DEADLINE);
        assert!(message.is_some(), "{n} of {MESSAGES} messages came");
    }
    publisher.call(&["lpush", "k", "v"]);
    let popped = late.reply().unwrap().escape_ascii().to_string();
    assert_eq!(popped, "*2\\r\\n$1\\r\\nk\\r\\n$1\\r\\nv\\r\\n");
}

/// Publishes first and writes much later; the key that it writes is not declared, so the script begins twice.
const PUBLISHES_BEFORE_IT_WRITES: &str = "redis.call('publish', 'news', ARGV[1]) \
     for i = 1, 3000 do redis.call('get', KEYS[1]) end \
     return redis.call('set', 'latest', ARGV[1])";

#[test]
fn who_gets_a_message_of_a_script_finds_what_the_script_wrote() {
    for store in StoreKind::ALL {
        let ours = Ours::start(store.open());
        let (mut reader, mut subscriber) =
            (Client::connect(ours.address), Client::connect(ours.address));
        subscriber.call(&["subscribe", "news"]);
        let mut writer = Client::connect(ours.address);
        for n in ["1", "2", "3"] {
            writer.call(&["eval", PUBLISHES_BEFORE_IT_WRITES, "1", "other", n]);
            let message = subscriber.reply().expect("a message");
            assert!(message.ends_with(format!("\r\n{n}\r\n").as_bytes()));
            assert_eq!(
                reader.call(&["get", "latest"]),
                format!("$1\\r\\n{n}\\r\\n")
            );
        }
        assert_eq!(subscriber.reply_within(PATIENCE), None, "each once");
    }
}

#[test]
fn who_gets_a_message_of_a_transaction_finds_what_the_transaction_wrote() {
    compare(
        "receivers are counted in a transaction as outside",
        &[
            (0, "subscribe news"),
            (0, "psubscribe n*"),
            (0, "ssubscribe shard"),
            (1, "multi"),
            (1, "publish news one"),
            (1, "publish nobody two"),
            (1, "spublish shard three"),
            (1, "set latest 1"),
            (1, "exec"),
            (1, "eval \"return redis.call('publish', 'news', 'four')\" 0"),
        ],
    );
}

/// Redis refuses shard channels there, and lets old clients subscribe to the others.
#[test]
fn a_transaction_may_not_subscribe_to_shard_channels() {
    for command in [
        "ssubscribe s",
        "sunsubscribe s",
        "subscribe s",
        "psubscribe s",
    ] {
        compare(
            "subscribe in a transaction",
            &[
                (0, "multi"),
                (0, command),
                (0, "ping"),
                (0, "exec"),
                (0, "ping"),
                (1, "pubsub shardchannels"),
                (1, "pubsub channels"),
            ],
        );
    }
}

/// Who subscribes hears what is published from then on, in a transaction too.
#[test]
fn a_transaction_does_not_hear_what_it_published_before_it_subscribed() {
    compare(
        "publish, then subscribe",
        &[
            (0, "multi"),
            (0, "publish c one"),
            (0, "subscribe c"),
            (0, "exec"),
            (1, "publish c two"),
        ],
    );
}

/// Who is subscribed may subscribe to more between two messages of its own transaction.
#[test]
fn a_subscriber_does_not_hear_what_it_published_before_it_subscribed_to_more() {
    compare(
        "publish, then subscribe to more",
        &[
            (0, "client reply skip"),
            (0, "hello 3"),
            (1, "subscribe c"),
            (0, "subscribe other"),
            (0, "multi"),
            (0, "publish c one"),
            (0, "subscribe c"),
            (0, "psubscribe c*"),
            (0, "exec"),
            (2, "publish c two"),
        ],
    );
}

/// Redis sends a client its own messages among the replies of the transaction, and they come after the replies here. So the
/// lines are compared in no order.
#[test]
fn a_transaction_hears_what_it_published_before_it_unsubscribed() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let hears = |address| {
        let mut client = Client::connect(address);
        for line in [
            "client reply skip",
            "hello 3",
            "subscribe c",
            "psubscribe c* ? d",
            "ssubscribe c",
            "multi",
            "publish c one",
            "unsubscribe",
            "punsubscribe c*",
            "publish c two",
            "spublish c three",
            "sunsubscribe",
            "spublish c four",
            "punsubscribe",
            "publish c five",
            "exec",
        ] {
            client.send(format!("{line}\r\n").as_bytes()).unwrap();
        }
        let (bytes, _) = client.rest(PATIENCE);
        let text = bytes.escape_ascii().to_string();
        let mut lines: Vec<String> = text.split("\\r\\n").map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let (found, expected) = (hears(ours.address), hears(real.address));
    assert_eq!(found, expected);
}
