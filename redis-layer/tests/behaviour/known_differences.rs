//! Where replies differ from Redis on purpose: `docs/differences.md`, each with its test. If a
//! difference goes away, its test fails and the page must change.

use redis_layer::types::dump::crc64;

use crate::common;
use crate::common::StoreKind;
use crate::common::client::Client;
use crate::common::servers::{Ours, RealRedis};
use crate::common::waiting::eventually;

fn both() -> Option<(RealRedis, Ours)> {
    Some((RealRedis::start()?, Ours::start(StoreKind::BTree.open())))
}

/// Redis keeps the sign of a zero in a skip list and shows it. Here the two zeros are one score.
#[test]
fn negative_zero_is_printed_without_its_sign() {
    let Some((real, ours)) = both() else {
        return;
    };
    let long_member = "m".repeat(100);
    let ask = |address| {
        let mut client = Client::connect(address);
        // One long member makes Redis use a skip list.
        client.call(&["zadd", "z", "1", &long_member]);
        client.call(&["zadd", "z", "-0", "a"]);
        [
            client.call(&["zscore", "z", "a"]),
            client.call(&["zrangebyscore", "z", "0", "0"]),
            client.call(&["zcount", "z", "-0", "0"]),
        ]
    };
    let (from_real, from_ours) = (ask(real.address), ask(ours.address));
    assert_eq!(from_real[0], "$2\\r\\n-0\\r\\n");
    assert_eq!(from_ours[0], "$1\\r\\n0\\r\\n");
    // Both find the member by either zero.
    assert_eq!(from_real[1..], from_ours[1..]);
    assert_eq!(from_ours[2], ":1\\r\\n");
}

/// Redis counts a key that expired until somebody asks for it. Here it is not counted.
#[test]
fn an_expired_key_is_not_counted() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let mut client = Client::connect(address);
        let script = [&["set", "s", "v", "pxat", "1"][..], &["dbsize"]];
        let command = |words: &&[&str]| words.iter().map(|word| common::unescape(word)).collect();
        let commands: Vec<_> = script.iter().map(command).collect();
        // At once, so that Redis's own cleaning has no time.
        client.pipeline(&commands)[1].clone()
    };
    assert_eq!(ask(real.address), b":1\r\n");
    assert_eq!(ask(ours.address), b":0\r\n");
}

/// Redis counts the places of its Lua stack, ours the levels.
#[test]
fn scripts_nest_less_deeply() {
    let Some((real, ours)) = both() else {
        return;
    };
    let answer = "local t = {} for _ = 2, ARGV[1] do t = {t} end return t";
    let unpack = "return type(cmsgpack.unpack(string.rep('\\145', ARGV[1]) .. '\\1'))";
    for (script, most, refusal) in [
        (answer, "128", "reached lua stack limit"),
        (unpack, "500", "stack overflow (in function mp_decode"),
    ] {
        let ask =
            |address, levels: &str| Client::connect(address).call(&["eval", script, "0", levels]);
        let more = "501";
        assert_eq!(ask(ours.address, most), ask(real.address, most));
        assert!(ask(ours.address, more).contains(refusal));
        assert!(!ask(real.address, more).contains(refusal));
    }
}

/// After a number that is out of range, Redis takes the numbers of the next SORT for such too, unless another call of the
/// system came between. Here each SORT looks at its own.
#[test]
fn a_number_out_of_range_spoils_one_sort_only() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let script = [
            &["rpush", "vast", "1e400", "2"][..],
            &["rpush", "plain", "2.5", "1"],
            &["sort", "vast"],
            &["sort", "plain"],
        ];
        let command = |words: &&[&str]| words.iter().map(|word| common::unescape(word)).collect();
        let commands: Vec<_> = script.iter().map(command).collect();
        Client::connect(address).pipeline(&commands).split_off(2)
    };
    let (from_real, from_ours) = (ask(real.address), ask(ours.address));
    assert!(from_real[0].starts_with(b"-ERR One or more scores"));
    assert_eq!(from_real[0], from_ours[0]);
    assert_eq!(from_real[1], from_real[0]);
    assert_eq!(from_ours[1], b"*2\r\n$1\r\n1\r\n$3\r\n2.5\r\n");
}

/// Among different scores Redis finds by chance what lies between two members, if the set is not compact: its skip list
/// asks some of the members only. Here a small set answers as a compact one does, and a large one by the members' bytes.
#[test]
fn lexical_ranges_do_not_depend_on_chance() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address, others: u32| {
        let mut client = Client::connect(address);
        client.call(&["del", "z"]);
        client.call(&["zadd", "z", "9", "a", "1", "b", "5", "c"]);
        for number in 0..others {
            client.call(&["zadd", "z", "10", &format!("{number:03}")]);
        }
        client.call(&["zrangebylex", "z", "[b", "(z"])
    };
    let from_real = ask(real.address, 0);
    assert_eq!(ask(ours.address, 0), from_real);
    assert_eq!(from_real, "*0\\r\\n");
    let by_bytes = "*2\\r\\n$1\\r\\nb\\r\\n$1\\r\\nc\\r\\n";
    assert_eq!(ask(ours.address, 200), by_bytes);
}

/// What a client may hold in memory is bounded more tightly than in Redis.
#[test]
fn clients_may_hold_less_in_memory() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address, name: &str| {
        let reply = Client::connect(address).call(&["config", "get", name]);
        let value = reply.trim_end_matches("\\r\\n").rsplit("\\r\\n").next();
        value.unwrap_or_default().to_owned()
    };
    for (name, of_redis, here) in [
        ("client-query-buffer-limit", "1073741824", "268435456"),
        ("maxmemory-clients", "0", "1073741824"),
    ] {
        assert_eq!(ask(real.address, name), of_redis);
        assert_eq!(ask(ours.address, name), here);
    }
}

/// There are no replicas, and the server cannot become one.
#[test]
fn replication_is_refused() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    let refused = client.call(&["replicaof", "127.0.0.1", "6379"]);
    assert!(
        refused.starts_with("-ERR REPLICAOF is not supported"),
        "{refused}"
    );
    assert_eq!(client.call(&["replicaof", "no", "one"]), "+OK\\r\\n");
    for port in ["x", "-1", "65536", "1.5"] {
        let refused = client.call(&["replicaof", "127.0.0.1", port]);
        assert_eq!(refused, "-ERR Invalid master port\\r\\n");
    }
}

/// DEBUG SLEEP and other long commands hold up nobody else.
#[test]
fn one_client_sleeps_alone() {
    let ours = Ours::start(StoreKind::BTree.open());
    // More sleepers than the server has threads. They wake when it stops.
    let sleepers = [(); 3].map(|()| {
        let mut sleeper = Client::connect(ours.address);
        sleeper.send(b"debug sleep 3600\r\n").unwrap();
        sleeper.settle();
        sleeper
    });
    let mut client = Client::connect(ours.address);
    assert_eq!(client.call(&["ping"]), "+PONG\\r\\n");
    for mut sleeper in sleepers {
        assert_eq!(sleeper.rest(std::time::Duration::ZERO), (Vec::new(), false));
    }
}

/// Redis wakes who waits for a key when the key is made, and not when a result overwrites a key of another type.
#[test]
fn a_result_over_another_type_wakes_who_waits() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let mut waiter = Client::connect(address);
        let id = waiter.id();
        let wait = ["bzpopmin", "z", "0"].map(common::unescape).to_vec();
        waiter.send(&common::client::encode(&wait)).unwrap();
        waiter.wait_until_held_up();
        let mut writer = Client::connect(address);
        writer.call(&["zadd", "other", "1", "m"]);
        writer.call(&["set", "z", "v"]);
        writer.call(&["zunionstore", "z", "1", "other"]);
        // Who still waits is told that its time is over.
        writer.call(&["client", "unblock", &id]);
        waiter.reply().unwrap()
    };
    assert_eq!(ask(real.address), b"*-1\r\n");
    assert_eq!(
        ask(ours.address),
        b"*3\r\n$1\r\nz\r\n$1\r\nm\r\n$1\r\n1\r\n"
    );
}

/// What is said of a command is long. Redis says it as often as its name is sent.
#[test]
fn few_commands_are_described_at_a_time() {
    let Some((real, ours)) = both() else {
        return;
    };
    for form in [
        ["command", "docs"],
        ["command", "info"],
        ["latency", "histogram"],
    ] {
        let ask = |address, count| {
            let words = [&form[..], &vec!["get"; count]].concat();
            Client::connect(address).call(&words)
        };
        assert!(ask(ours.address, 1024).starts_with('*'));
        assert_eq!(
            ask(ours.address, 1025),
            "-ERR too many names of commands\\r\\n"
        );
        assert!(ask(real.address, 1025).starts_with('*'));
    }
}

/// Redis 7.0 puts what a transaction publishes to its own client between the replies of the transaction, where a client takes
/// it for one of them: its next versions do not. Here it comes after them.
#[test]
fn a_transactions_own_messages_come_after_its_replies() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let mut client = Client::connect(address);
        client.call(&["hello", "3"]);
        client.call(&["subscribe", "c"]);
        client
            .send(b"multi\r\npublish c m\r\nget a\r\nexec\r\n")
            .unwrap();
        let patience = std::time::Duration::from_millis(300);
        client.rest(patience).0.escape_ascii().to_string()
    };
    let begin = r"+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n";
    let message = r">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n";
    let replies = r":1\r\n_\r\n";
    assert_eq!(ask(real.address), format!("{begin}{message}{replies}"));
    assert_eq!(ask(ours.address), format!("{begin}{replies}{message}"));
}

/// Redis sends the events of keys and the messages of a transaction in the order of its commands. Here the events come first.
#[test]
fn a_transactions_events_come_before_its_messages() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let (mut client, mut listener) = (Client::connect(address), Client::connect(address));
        client.call(&["config", "set", "notify-keyspace-events", "E$"]);
        listener.call(&["subscribe", "c", "__keyevent@0__:set"]);
        listener.reply().unwrap();
        client
            .send(b"multi\r\npublish c m\r\nset k 1\r\nexec\r\n")
            .unwrap();
        [(); 2].map(|()| listener.reply().unwrap().escape_ascii().to_string())
    };
    let message = r"*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n";
    let event = r"*3\r\n$7\r\nmessage\r\n$18\r\n__keyevent@0__:set\r\n$1\r\nk\r\n";
    assert_eq!(ask(real.address), [message, event]);
    assert_eq!(ask(ours.address), [event, message]);
}

/// Redis sends an event to those who are subscribed when the command runs. Here they are those who are when it is committed.
#[test]
fn who_subscribes_in_a_transaction_hears_all_its_events() {
    let Some((real, ours)) = both() else {
        return;
    };
    let hears = |address, lines: &[&str]| {
        let mut client = Client::connect(address);
        client.call(&["config", "set", "notify-keyspace-events", "E$"]);
        client.call(&["hello", "3"]);
        let lines = lines.join("\r\n") + "\r\n";
        client.send(lines.as_bytes()).unwrap();
        let patience = std::time::Duration::from_millis(300);
        let text = client.rest(patience).0.escape_ascii().to_string();
        let keys = ["a", "b"].map(|key| format!("__keyevent@0__:set\\r\\n$1\\r\\n{key}"));
        keys.map(|key| text.contains(&key))
    };
    let begins = [
        "multi",
        "set a 1",
        "subscribe __keyevent@0__:set",
        "set b 1",
        "exec",
    ];
    assert_eq!(hears(real.address, &begins), [false, true]);
    assert_eq!(hears(ours.address, &begins), [true, true]);
    let ends = [
        "subscribe __keyevent@0__:set",
        "multi",
        "set a 1",
        "unsubscribe",
        "set b 1",
        "exec",
    ];
    assert_eq!(hears(real.address, &ends), [true, false]);
    assert_eq!(hears(ours.address, &ends), [false, false]);
}

/// Redis tells nobody whose copies are of databases that were swapped, so that these stay old.
#[test]
fn who_keeps_copies_hears_of_a_swap() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let (mut reader, mut other) = (Client::connect(address), Client::connect(address));
        reader.call(&["hello", "3"]);
        reader.call(&["client", "tracking", "on"]);
        reader.call(&["set", "a", "1"]);
        reader.call(&["get", "a"]);
        other.call(&["swapdb", "0", "1"]);
        let patience = std::time::Duration::from_millis(300);
        reader.rest(patience).0.escape_ascii().to_string()
    };
    assert_eq!(ask(real.address), "");
    let all_is_old = r">2\r\n$10\r\ninvalidate\r\n_\r\n";
    assert_eq!(ask(ours.address), all_is_old);
}

/// A client gets the messages of another one, and changes a key that this one has read. In Redis it hears of the key before
/// the reply to its own command, here after it, as of a key that it has read itself.
#[test]
fn who_hears_for_another_gets_the_reply_first() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let (mut reader, mut writer) = (Client::connect(address), Client::connect(address));
        writer.call(&["hello", "3"]);
        writer.call(&["client", "tracking", "on"]);
        let id = writer.id();
        reader.call(&["client", "tracking", "on", "redirect", &id]);
        reader.call(&["get", "a"]);
        writer.send(b"set a 1\r\n").unwrap();
        let patience = std::time::Duration::from_millis(300);
        writer.rest(patience).0.escape_ascii().to_string()
    };
    let (message, reply) = (r">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n", r"+OK\r\n");
    assert_eq!(ask(real.address), [message, reply].concat());
    assert_eq!(ask(ours.address), [reply, message].concat());
}

/// In Redis, `CLIENT REPLY SKIP` hides from a client that monitors all commands until its own next one.
#[test]
fn a_skipped_reply_is_not_a_skipped_command_of_others() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let (mut monitor, mut other) = (Client::connect(address), Client::connect(address));
        monitor.call(&["monitor"]);
        monitor.send(b"client reply skip\r\n").unwrap();
        monitor.settle();
        other.call(&["get", "a"]);
        let patience = std::time::Duration::from_millis(300);
        let shown = monitor.rest(patience).0.escape_ascii().to_string();
        shown.contains("get")
    };
    assert!(!ask(real.address));
    assert!(ask(ours.address));
}

/// To Redis, what a script changes by prefix was changed by another client. Here it was changed by who sent the script.
#[test]
fn a_client_without_echo_does_not_hear_of_its_own_scripts() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let mut client = Client::connect(address);
        client.call(&["hello", "3"]);
        client.call(&["client", "tracking", "on", "bcast", "noloop"]);
        client
            .send(b"set a 1\r\neval \"redis.call('set', KEYS[1], 1)\" 1 b\r\n")
            .unwrap();
        let patience = std::time::Duration::from_millis(300);
        client.rest(patience).0.escape_ascii().to_string()
    };
    let replies = r"+OK\r\n_\r\n";
    let echo = r">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nb\r\n";
    assert_eq!(ask(real.address), format!("{replies}{echo}"));
    assert_eq!(ask(ours.address), replies);
}

/// To cut the replies of a transaction off, Redis writes an array that is shorter than it says, and its client waits for the
/// rest. Here it gets nothing, or all.
#[test]
fn the_replies_of_a_transaction_are_all_there_or_none() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address, cuts: &str| {
        let mut client = Client::connect(address);
        let cuts = cuts.replace("ID", &client.id());
        let lines = format!("multi\r\nset a 1\r\n{cuts}\r\nset b 2\r\nexec\r\n");
        client.send(lines.as_bytes()).unwrap();
        let patience = std::time::Duration::from_millis(300);
        let all = client.rest(patience).0.escape_ascii().to_string();
        all.rsplit("+QUEUED\\r\\n")
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    for (cuts, of_redis, here) in [
        ("client reply off", r"*3\r\n+OK\r\n", ""),
        (
            "client kill id ID skipme no",
            r"*3\r\n+OK\r\n:1\r\n",
            r"*3\r\n+OK\r\n:1\r\n+OK\r\n",
        ),
    ] {
        assert_eq!(ask(real.address, cuts), of_redis);
        assert_eq!(ask(ours.address, cuts), here);
    }
}

/// Redis closes after the last answer is sent, and so never where none is to be sent: the client stays, and nothing that it
/// sends is read.
#[test]
fn a_client_that_hears_nothing_can_leave() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address, lines: &str| {
        let mut client = Client::connect(address);
        let lines = lines.replace("itself", &client.address().to_string());
        client.send(lines.as_bytes()).unwrap();
        client.rest(std::time::Duration::from_millis(300))
    };
    for silence in ["off", "skip"] {
        for end in ["quit", "client kill itself", "*no-number"] {
            let lines = format!("client reply {silence}\r\n{end}\r\nping\r\n");
            assert_eq!(ask(real.address, &lines), (Vec::new(), false), "{lines}");
            assert_eq!(ask(ours.address, &lines), (Vec::new(), true), "{lines}");
        }
    }
}

/// For Redis an empty request is the one that gets no answer. Here it is no request.
#[test]
fn an_empty_request_is_not_the_one_to_skip() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address, empty: &str| {
        let mut client = Client::connect(address);
        let lines = format!("client reply skip\r\n{empty}\r\necho a\r\necho b\r\n");
        client.send(lines.as_bytes()).unwrap();
        let all = client.rest(std::time::Duration::from_millis(300)).0;
        String::from_utf8(all).unwrap()
    };
    for empty in ["", "*0", "*-1"] {
        assert_eq!(ask(real.address, empty), "$1\r\na\r\n$1\r\nb\r\n");
        assert_eq!(ask(ours.address, empty), "$1\r\nb\r\n");
    }
}

/// Redis looks at the length of a line only while its end has not been read. What it answers depends on how the bytes
/// arrive.
#[test]
fn a_line_is_too_long_although_its_end_is_there() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let mut client = Client::connect(address);
        let line = format!("{}\r\n", "a".repeat(64 * 1024 + 1));
        client.send(line.as_bytes()).unwrap();
        client.reply().unwrap()
    };
    assert!(ask(real.address).starts_with(b"-ERR unknown command"));
    let refusal = b"-ERR Protocol error: too big inline request\r\n";
    assert_eq!(ask(ours.address), refusal);
}

/// Redis tells of each change of a transaction by itself. Here a transaction is one change: who keeps copies hears
/// afterwards which are old.
#[test]
fn who_keeps_copies_hears_of_a_transaction_once() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address, commands: &[&str]| {
        let mut client = Client::connect(address);
        client.call(&["hello", "3"]);
        client.send(commands.join("\r\n").as_bytes()).unwrap();
        client.send(b"\r\n").unwrap();
        let patience = std::time::Duration::from_millis(300);
        let all = client.rest(patience).0.escape_ascii().to_string();
        all.matches("invalidate").count()
    };
    for (commands, of_redis, here) in [
        (
            &["client tracking on", "multi", "flushdb", "flushdb", "exec"][..],
            2,
            1,
        ),
        (
            &["multi", "set a 1", "client tracking on bcast", "exec"],
            0,
            1,
        ),
        (
            &[
                "client tracking on",
                "get a",
                "multi",
                "set a 1",
                "client tracking off",
                "exec",
            ],
            1,
            0,
        ),
    ] {
        assert_eq!(ask(real.address, commands), of_redis, "{commands:?}");
        assert_eq!(ask(ours.address, commands), here, "{commands:?}");
    }
}

/// Where there is no cluster, nobody counts the arguments of CLUSTER's subcommands.
#[test]
fn there_is_no_cluster_whatever_is_asked_of_it() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address, words: &[&str]| Client::connect(address).call(words);
    let none = r"-ERR This instance has cluster support disabled\r\n";
    let words = ["cluster", "slots"];
    assert_eq!(ask(real.address, &words), none);
    assert_eq!(ask(ours.address, &words), none);
    let words = ["cluster", "slots", "x"];
    assert!(ask(real.address, &words).contains("wrong number of arguments"));
    assert_eq!(ask(ours.address, &words), none);
}

/// Redis counts uses under some policies for memory, and forgets idle times. Here nothing is evicted: each key is like a new one.
#[test]
fn nobody_counts_how_often_a_key_is_used() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address, commands: &[&str]| -> Vec<String> {
        let mut client = Client::connect(address);
        let words = commands.iter().map(|line| line.split(' ').collect());
        words.map(|words: Vec<&str>| client.call(&words)).collect()
    };
    let alike = [
        "config set maxmemory-policy volatile-lfu",
        "set a v",
        "object freq a",
        "object freq none",
        "object idletime a",
        "object idletime none",
        "config set maxmemory-policy allkeys-lru",
        "object freq a",
    ];
    assert_eq!(ask(real.address, &alike), ask(ours.address, &alike));
    let more = [
        "config set maxmemory-policy allkeys-lfu",
        "set b v",
        "get b",
        "object freq b",
    ];
    assert_eq!(ask(real.address, &more)[3], ":6\\r\\n");
    assert_eq!(ask(ours.address, &more)[3], ":5\\r\\n");
}

/// Redis does not tell who watches, or keeps copies, of a string that BITFIELD only made or lengthened, because no number
/// fitted. Here the key is another one than it was.
#[test]
fn who_watches_hears_of_a_string_that_only_grew() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let (mut watcher, mut other) = (Client::connect(address), Client::connect(address));
        let mut keeper = Client::connect(address);
        keeper.call(&["hello", "3"]);
        keeper.call(&["client", "tracking", "on", "bcast"]);
        watcher.call(&["watch", "a"]);
        let growth = [
            "bitfield", "a", "overflow", "fail", "incrby", "u8", "0", "300",
        ];
        let refused = other.call(&growth);
        let length = other.call(&["strlen", "a"]);
        watcher.call(&["multi"]);
        [
            refused,
            length,
            watcher.call(&["exec"]),
            keeper.call(&["ping"]),
        ]
    };
    let grew = [r"*1\r\n$-1\r\n", r":1\r\n"];
    let unheard = [r"*0\r\n", r"+PONG\r\n"];
    let heard = [r"*-1\r\n", r">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n"];
    assert_eq!(ask(real.address), [grew, unheard].concat()[..]);
    assert_eq!(ask(ours.address), [grew, heard].concat()[..]);
}

/// Redis ends a script at the start of a line. One that catches its end, and has no further line, goes on.
#[test]
fn no_script_goes_on_after_its_end() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let (mut endless, mut killer) = (Client::connect(address), Client::connect(address));
        killer.call(&["config", "set", "busy-reply-threshold", "30"]);
        let script = "eval \"pcall(function() while true do end end) return 'survived'\" 0\r\n";
        endless.send(script.as_bytes()).unwrap();
        eventually(|| killer.call(&["script", "kill"]) == "+OK\\r\\n");
        endless.reply().unwrap()
    };
    assert_eq!(ask(real.address), b"$8\r\nsurvived\r\n");
    assert!(ask(ours.address).starts_with(b"-ERR Script killed by user with SCRIPT KILL"));
}

/// To Redis, a small hash or set has no cursors: it answers all of it to any number. Here a number stands for a place.
#[test]
fn a_cursor_that_nobody_gave_out_is_a_place() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let mut client = Client::connect(address);
        client.call(&["hset", "h", "f", "v"]);
        client.call(&["sadd", "s", "7"]);
        let far = "18446744073709551615";
        [
            client.call(&["hscan", "h", far]),
            client.call(&["sscan", "s", far]),
        ]
    };
    let all = [
        r"*2\r\n$1\r\n0\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n",
        r"*2\r\n$1\r\n0\r\n*1\r\n$1\r\n7\r\n",
    ];
    assert_eq!(ask(real.address), all);
    let nothing = r"*2\r\n$1\r\n0\r\n*0\r\n";
    assert_eq!(ask(ours.address), [nothing; 2]);
}

/// When all keys go, Redis writes to the client that gets the messages of another a null of the protocol that the other speaks.
#[test]
fn that_all_copies_are_old_is_said_in_the_protocol_of_who_hears_it() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let (mut cache, mut hearer) = (Client::connect(address), Client::connect(address));
        hearer.call(&["hello", "3"]);
        cache.call(&["client", "tracking", "on", "redirect", &hearer.id()]);
        cache.call(&["get", "a"]);
        cache.call(&["flushall"]);
        let patience = std::time::Duration::from_millis(300);
        hearer.rest(patience).0.escape_ascii().to_string()
    };
    let begin = r">2\r\n$10\r\ninvalidate\r\n";
    assert_eq!(ask(real.address), format!(r"{begin}$-1\r\n"));
    assert_eq!(ask(ours.address), format!(r"{begin}_\r\n"));
}

/// Redis looks for the rest of a value in the version and the checksum, and takes as much of a score as is a number.
#[test]
fn a_damaged_payload_is_refused_although_its_checksum_is_right() {
    let Some((real, ours)) = both() else {
        return;
    };
    let nothing = vec![0; 10];
    let signed = [&b"\x00\x03a"[..], b"\x03\x01\x01a\x032&5"].map(|value| {
        let mut payload = [value, &10_u16.to_le_bytes()].concat();
        payload.extend(crc64(&payload).to_le_bytes());
        payload
    });
    for payload in signed.into_iter().chain([nothing]) {
        let command = ["restore".into(), "k".into(), "0".into(), payload.into()];
        let ask = |address| {
            Client::connect(address)
                .pipeline(&[command.to_vec()])
                .remove(0)
        };
        assert_eq!(ask(real.address), b"+OK\r\n");
        assert_eq!(ask(ours.address), b"-ERR Bad data format\r\n");
        Client::connect(real.address).call(&["flushall"]);
    }
}

#[test]
fn a_password_is_text() {
    let Some((real, ours)) = both() else {
        return;
    };
    let taken = |address| {
        let mut said = Vec::new();
        for word in [&b"p\xff"[..], b"a\0b", "ä".as_bytes()] {
            let bytes = |text: &'static str| bytes::Bytes::from(text);
            for command in [
                vec![
                    bytes("config"),
                    bytes("set"),
                    bytes("requirepass"),
                    word.to_vec().into(),
                ],
                vec![
                    bytes("config"),
                    bytes("set"),
                    bytes("MASTERAUTH"),
                    word.to_vec().into(),
                ],
            ] {
                // Whoever has no password sets one, and then nobody new comes in.
                let mut client = Client::connect(address);
                let reset = vec![
                    bytes("acl"),
                    bytes("setuser"),
                    bytes("default"),
                    bytes("nopass"),
                ];
                let replies = client.pipeline(&[command, reset]);
                said.push(replies[0] == b"+OK\r\n");
            }
        }
        said
    };
    assert_eq!(taken(real.address), [true; 6]);
    let [t, f] = [true, false];
    assert_eq!(taken(ours.address), [f, f, f, f, t, t]);
}

/// Redis looks for `STORE` behind every word, also behind itself, and its geo searches find it twice. So it names a key that the
/// command does not write.
#[test]
fn a_command_that_stores_has_the_key_that_it_writes() {
    let Some((real, ours)) = both() else {
        return;
    };
    let keys_of = |address, line: &str| {
        let words: Vec<&str> = "command getkeys"
            .split(' ')
            .chain(line.split(' '))
            .collect();
        Client::connect(address).call(&words)
    };
    let sort = "sort k store store desc";
    for address in [real.address, ours.address] {
        let mut client = Client::connect(address);
        client.call(&["rpush", "k", "2", "1"]);
        assert_eq!(
            client.call(&sort.split(' ').collect::<Vec<_>>()),
            ":2\\r\\n"
        );
        assert_eq!(client.call(&["exists", "store"]), ":1\\r\\n");
    }
    let [k, desc, x] = ["$1\\r\\nk\\r\\n", "$4\\r\\ndesc\\r\\n", "$1\\r\\nx\\r\\n"];
    let store = "$5\\r\\nstore\\r\\n";
    assert_eq!(keys_of(real.address, sort), format!("*2\\r\\n{k}{desc}"));
    assert_eq!(keys_of(ours.address, sort), format!("*2\\r\\n{k}{store}"));
    let geo = "georadius k 1 2 3 m storedist store x";
    assert_eq!(keys_of(real.address, geo), format!("*3\\r\\n{k}{x}{store}"));
    assert_eq!(keys_of(ours.address, geo), format!("*2\\r\\n{k}{store}"));
}

/// Redis adds and multiplies such numbers past their limits.
#[test]
fn places_and_times_beyond_all_limits_do_not_wrap_around() {
    let Some((real, ours)) = both() else {
        return;
    };
    let ask = |address| {
        let mut client = Client::connect(address);
        client.call(&["set", "s", "hello"]);
        let restored =
            client.pipeline(&[
                [&b"restore"[..], b"q", b"9223372036854775807", DUMP_OF_HELLO]
                    .map(bytes::Bytes::from_static)
                    .to_vec(),
            ]);
        let place = ["bitfield", "s", "get", "u8", "#-9223372036854775808"];
        let replies = [client.call(&["exists", "q"]), client.call(&place)];
        (restored[0].clone(), replies)
    };
    let (from_real, from_ours) = (ask(real.address), ask(ours.address));
    assert_eq!([&from_real.0, &from_ours.0], [b"+OK\r\n", b"+OK\r\n"]);
    assert_eq!(from_real.1, [":0\\r\\n", "*1\\r\\n:104\\r\\n"]);
    assert_eq!(from_ours.1[0], ":1\\r\\n");
    assert!(from_ours.1[1].contains("bit offset"), "{}", from_ours.1[1]);
}

/// What DUMP of a real Redis 7.0 answers for the text `hello`.
const DUMP_OF_HELLO: &[u8] = b"\x00\x05hello\x0a\x00cr\xdfve4\x20\x0a";

/// The length of a value in a file of Redis's, and how its lists lie in memory, mean nothing here.
#[test]
fn debug_object_shows_no_inner_form() {
    let Some(real) = RealRedis::start_with(&["--enable-debug-command", "yes"]) else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let ask = |address| {
        let mut client = Client::connect(address);
        client.call(&["rpush", "l", "a", "b"]);
        client.call(&["debug", "object", "l"])
    };
    let (from_real, from_ours) = (ask(real.address), ask(ours.address));
    assert!(from_real.contains(" ql_nodes:1"), "{from_real}");
    assert!(from_ours.contains(" serializedlength:"), "{from_ours}");
    assert!(!from_ours.contains(" ql_nodes"), "{from_ours}");
}
