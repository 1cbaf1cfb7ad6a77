//! `CLIENT TRACKING`: clients that keep copies are told as by a real server when these are old.

use std::iter;
use std::time::Duration;

use bytes::Bytes;

use crate::common::client::{Client, encode};
use crate::common::program::Running;
use crate::common::servers::{Ours, RealRedis};
use crate::common::waiting::eventually;
use crate::common::{StoreKind, assert_alike, both};

const PATIENCE: Duration = Duration::from_millis(300);

fn ours() -> Ours {
    Ours::start(StoreKind::BTree.open())
}

#[test]
fn cached_keys_are_named_when_they_change() {
    assert_alike(|address| {
        let (mut reader, mut writer) = (Client::connect(address), Client::connect(address));
        for line in [
            "client reply skip",
            "hello 3",
            "client tracking on",
            "get a",
            "get b",
            "get a",
        ] {
            reader.send(format!("{line}\r\n").as_bytes()).unwrap();
        }
        reader.settle();
        for line in ["set a 1", "set a 2", "set c 3", "del b", "set b 1"] {
            let words: Vec<&str> = line.split(' ').collect();
            writer.call(&words);
        }
        reader.settle();
        // Its own change is told too, after the reply.
        reader
            .send(b"get d\r\nset d 1\r\nclient tracking off\r\n")
            .unwrap();
        reader
            .send(b"client tracking on noloop\r\nget e\r\nset e 1\r\n")
            .unwrap();
        reader
            .send(b"client tracking off\r\nclient tracking on optin\r\n")
            .unwrap();
        reader
            .send(b"get f\r\nclient caching yes\r\nget g\r\nget h\r\n")
            .unwrap();
        reader.settle();
        for key in ["f", "g", "h"] {
            writer.call(&["set", key, "1"]);
        }
        reader.settle();
        reader
            .send(b"client tracking off\r\nclient tracking on bcast prefix x prefix y\r\n")
            .unwrap();
        reader.settle();
        for key in ["x1", "y1", "z1"] {
            writer.call(&["set", key, "1"]);
            reader.settle();
        }
        // Keys of one write come in one message a prefix.
        writer.call(&["mset", "y2", "1", "x3", "1", "x2", "1"]);
        reader.settle();
        writer.call(&["flushall"]);
        reader.rest(PATIENCE).0.escape_ascii().to_string()
    });
}

#[test]
fn another_connection_may_get_the_messages() {
    assert_alike(|address| {
        let (mut reader, mut listener) = (Client::connect(address), Client::connect(address));
        let mut writer = Client::connect(address);
        let listener_id = listener.id();
        listener.call(&["subscribe", "__redis__:invalidate"]);
        reader.call(&["client", "tracking", "on", "redirect", &listener_id]);
        reader.call(&["get", "a"]);
        writer.call(&["set", "a", "1"]);
        let told = listener.reply().unwrap().escape_ascii().to_string();
        let redirect = reader.call(&["client", "getredir"]) == format!(":{listener_id}\\r\\n");
        drop(listener);
        let gone = ["client", "list", "id", &listener_id];
        eventually(|| !writer.call(&gone).contains("id="));
        reader.call(&["get", "b"]);
        writer.call(&["set", "b", "1"]);
        let info = reader.call(&["client", "trackinginfo"]);
        (told, redirect, info.contains("broken_redirect"))
    });
}

/// It need not be subscribed to the channel of these messages, but to anything.
#[test]
fn who_gets_messages_for_others_may_be_subscribed_to_anything() {
    assert_alike(|address| {
        let (mut reader, mut writer) = (Client::connect(address), Client::connect(address));
        ["ping", "subscribe x", "psubscribe x*", "ssubscribe x"].map(|line| {
            let mut listener = Client::connect(address);
            let id = listener.id();
            listener.call(&line.split(' ').collect::<Vec<_>>());
            reader.call(&["client", "tracking", "on", "redirect", &id]);
            reader.call(&["get", "a"]);
            writer.call(&["set", "a", "1"]);
            listener.rest(PATIENCE).0
        })
    });
}

/// In the moment in which it was told to end, too: what it would have been told is lost.
#[test]
fn who_is_told_to_end_gets_no_messages_for_others() {
    assert_alike(|address| {
        let (mut reader, mut listener) = (Client::connect(address), Client::connect(address));
        let mut writer = Client::connect(address);
        let listener_id = listener.id();
        reader.call(&["hello", "3"]);
        reader.call(&["client", "tracking", "on", "redirect", &listener_id]);
        reader.call(&["get", "a"]);
        let lines = format!(
            "client kill id {listener_id}\r\nset a 1\r\nclient tracking on redirect {listener_id}\r\n"
        );
        writer.send(lines.as_bytes()).unwrap();
        let replies = writer.rest(PATIENCE).0.escape_ascii().to_string();
        let told = reader.rest(PATIENCE).0.escape_ascii().to_string();
        (replies, told.replace(&format!(":{listener_id}\\r\\n"), ""))
    });
}

/// A script that reads anything lets the client cache the keys that the script was given, and no others.
#[test]
fn the_keys_of_a_script_are_cached_if_it_reads() {
    assert_alike(|address| {
        let (mut reader, mut writer) = (Client::connect(address), Client::connect(address));
        reader.call(&["hello", "3"]);
        reader.call(&["client", "tracking", "on"]);
        let mut said = Vec::new();
        for (form, script) in [
            ("eval", "redis.call('set', 'other', 1)"),
            ("eval", "redis.call('get', 'other')"),
            ("eval_ro", "redis.call('ping')"),
            (
                "eval_ro",
                "redis.call('get', 'other') redis.call('get', 'b')",
            ),
        ] {
            said.push(reader.call(&[form, script, "2", "a", "b"]));
            writer.call(&["mset", "b", "1", "a", "1", "other", "1"]);
            // All of it, so that the next reply is that of the next script.
            said.push(reader.rest(PATIENCE).0.escape_ascii().to_string());
        }
        said
    });
}

/// Who waits hears of the change that its own command made, and gets its answer first.
#[test]
fn the_answer_to_a_wait_comes_before_the_message_about_it() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let run = |address| {
        let (mut reader, mut writer) = (Client::connect(address), Client::connect(address));
        reader.call(&["hello", "3"]);
        writer.call(&["rpush", "to", "a"]);
        reader.call(&["client", "tracking", "on"]);
        reader.call(&["lrange", "to", "0", "-1"]);
        reader.send(b"blmove from to left left 0\r\n").unwrap();
        reader.wait_until_held_up();
        writer.call(&["rpush", "from", "x"]);
        reader.rest(PATIENCE).0.escape_ascii().to_string()
    };
    for _ in 0..10 {
        let mut client = Client::connect(real.address);
        client.call(&["flushall"]);
        Client::connect(ours.address).call(&["flushall"]);
        let (found, expected) = both(ours.address, real.address, run);
        assert_eq!(found, expected);
    }
}

/// A smaller table forgets keys at once, and says which.
#[test]
fn a_smaller_table_forgets_keys_at_once() {
    let ours = ours();
    let (mut reader, mut writer) = (Client::connect(ours.address), Client::connect(ours.address));
    reader.call(&["hello", "3"]);
    reader.call(&["client", "tracking", "on"]);
    reader.call(&["mget", "a", "b", "c"]);
    writer.call(&["config", "set", "tracking-table-max-keys", "1"]);
    let told = reader.rest(PATIENCE).0.escape_ascii().to_string();
    assert_eq!(told.matches("invalidate").count(), 2, "{told}");
}

/// Who reads a key after changing it, both in one transaction, has read the newest: no message calls it old. But what it
/// had read before is old, and it is told so.
#[test]
fn what_a_transaction_reads_after_changing_it_is_not_old() {
    assert_alike(|address| {
        let (mut reader, mut writer) = (Client::connect(address), Client::connect(address));
        reader.call(&["hello", "3"]);
        reader.call(&["client", "tracking", "on"]);
        for lines in [
            "multi\r\nset a 1\r\nget a\r\nset b 1\r\nexec\r\n",
            "multi\r\nget c\r\nset c 1\r\nexec\r\n",
            "multi\r\nset d 1\r\nget d\r\nset d 2\r\nexec\r\n",
            "get g\r\nmulti\r\nset g 1\r\nget g\r\nexec\r\n",
            "multi\r\nstrlen h\r\nset h 1\r\nget h\r\nexec\r\n",
            "get i\r\neval \"redis.call('set', KEYS[1], 1) redis.call('get', KEYS[1])\" 1 i\r\n",
            "get z\r\nmulti\r\nflushdb\r\nexec\r\n",
            "get y\r\neval \"redis.call('flushall')\" 0\r\n",
            "eval \"redis.call('set', KEYS[1], 1) redis.call('get', KEYS[1])\" 1 e\r\n",
            "eval \"redis.call('get', KEYS[1]) redis.call('set', KEYS[1], 1)\" 1 f\r\n",
        ] {
            reader.send(lines.as_bytes()).unwrap();
            reader.settle();
        }
        // What it knows, it still hears of.
        for key in ["a", "e", "g", "h", "i"] {
            writer.call(&["set", key, "2"]);
        }
        reader.rest(PATIENCE).0.escape_ascii().to_string()
    });
}

/// What a client tracked that is gone must not push out what the next one tracks.
#[test]
fn the_table_is_empty_when_nobody_tracks() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let run = |address| {
        let (mut first, mut writer) = (Client::connect(address), Client::connect(address));
        for line in [
            "client tracking on",
            "mget a b c",
            "client tracking off",
            "flushall",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            first.call(&words);
        }
        writer.call(&["config", "set", "tracking-table-max-keys", "2"]);
        let mut reader = Client::connect(address);
        reader
            .send(b"hello 3\r\nclient tracking on\r\nmget d e\r\nping\r\n")
            .unwrap();
        let told = reader.rest(PATIENCE).0.escape_ascii().to_string();
        let info = writer.call(&["info", "stats"]);
        let counts: Vec<String> = info
            .split("\\r\\n")
            .filter(|line| line.starts_with("tracking_"))
            .map(str::to_owned)
            .collect();
        (told.contains("invalidate"), counts)
    };
    let expected = run(real.address);
    assert!(!expected.0 && expected.1.len() == 3, "{expected:?}");
    assert_eq!(run(ours.address), expected);
}

/// What `CLIENT CACHING` says holds until the next command that is not about the client itself.
#[test]
fn a_choice_to_cache_outlives_commands_about_the_client() {
    assert_alike(|address| {
        let (mut reader, mut writer) = (Client::connect(address), Client::connect(address));
        reader.call(&["hello", "3"]);
        reader.call(&["client", "tracking", "on", "optin"]);
        let between: [&[&str]; 7] = [
            &[],
            &["client trackinginfo"],
            &["client caching no"],
            &["ping"],
            &["client nope"],
            &["nope"],
            &["multi", "client trackinginfo", "ping", "exec"],
        ];
        let mut said = Vec::new();
        for (number, lines) in between.into_iter().enumerate() {
            let key = format!("k{number}");
            let get = format!("get {key}");
            let lines = ["client caching yes"].iter().chain(lines);
            for line in lines.copied().chain([get.as_str(), "client trackinginfo"]) {
                let words: Vec<&str> = line.split(' ').collect();
                said.push(reader.call(&words));
            }
            writer.call(&["set", &key, "v"]);
            let told = reader.rest(PATIENCE).0;
            said.push(format!("{key}: {:?}", told.len()));
        }
        said
    });
}

/// What was said in one mode shows in another one, and not where there is nothing to choose.
#[test]
fn a_choice_to_cache_outlives_its_mode() {
    assert_alike(|address| {
        let mut reader = Client::connect(address);
        ["optin", "caching yes", "", "optout"].map(|words| {
            let line = match words {
                "caching yes" => "client caching yes".to_owned(),
                options => format!("client tracking on {options}"),
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            let said = reader.call(&words);
            (said, reader.call(&["client", "trackinginfo"]))
        })
    });
}

/// Who tracks prefixes hears of all that a pipeline has changed in one message a prefix, behind the answers.
#[test]
fn changes_that_arrive_together_are_told_together() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let run = |address| {
        let mut clients = [
            "bcast",
            "bcast noloop",
            "bcast prefix y prefix x",
            "bcast prefix x:y",
        ]
        .map(|options| {
            let mut client = Client::connect(address);
            client.call(&["hello", "3"]);
            let words = format!("client tracking on {options}");
            client.call(&words.split(' ').collect::<Vec<_>>());
            client
        });
        let pipeline = "set x:y 1\r\nset a 1\r\nget a\r\nmset y 2 x 3\r\nmulti\r\ndel a\r\nrpush x:l a b\r\nexec\r\n\
            set x:y 2\r\nping\r\n";
        let mut said = Vec::new();
        for sender in 0..clients.len() {
            clients[sender].send(pipeline.as_bytes()).unwrap();
            let heard = clients.iter_mut().map(|client| client.rest(PATIENCE).0);
            said.extend(heard.map(|bytes| bytes.escape_ascii().to_string()));
        }
        // What the client changes that serves another is told with its own changes.
        let mut waiter = Client::connect(address);
        waiter.send(b"blmove x:from x:to left left 0\r\n").unwrap();
        waiter.wait_until_held_up();
        clients[0].send(b"rpush x:from a\r\nset b 1\r\n").unwrap();
        let heard = clients.iter_mut().map(|client| client.rest(PATIENCE).0);
        said.extend(heard.map(|bytes| bytes.escape_ascii().to_string()));
        // Who leaves a prefix, or the server, behind its changes hears nothing of them.
        clients[0]
            .send(b"set b 1\r\nclient tracking off\r\nset b 1\r\n")
            .unwrap();
        clients[0].settle();
        clients[2].send(b"set x 1\r\nquit\r\n").unwrap();
        let heard = clients.iter_mut().map(|client| client.rest(PATIENCE).0);
        said.extend(heard.map(|bytes| bytes.escape_ascii().to_string()));
        said
    };
    let (found, expected) = both(ours.address, real.address, run);
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "{at}");
    }
}

/// The cleaning of expired keys, which has a thread of its own, does not end the turn of a client in the middle of it.
#[test]
fn a_pipeline_that_takes_long_is_one_turn() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let pipeline = "set x 1\r\neval \"local function now() local t = redis.call('time') return t[1] * 1000 + t[2] / 1000 end \
        local till = now() + 400 while now() < till do end\" 0\r\nping\r\n";
    let run = |address| {
        let mut client = Client::connect(address);
        client.call(&["hello", "3"]);
        client.call(&["client", "tracking", "on", "bcast"]);
        client.send(pipeline.as_bytes()).unwrap();
        let replies = [0; 4].map(|_| client.reply().unwrap().escape_ascii().to_string());
        replies.concat()
    };
    let (found, expected) = both(ours.address, real.address, run);
    assert_eq!(found, expected);
}

/// What the table forgets is no change: who tracks prefixes is not told, and who has just read it is told behind the answer.
#[test]
fn a_key_that_the_table_forgets_has_not_changed() {
    assert_alike(|address| {
        let (mut reader, mut other) = (Client::connect(address), Client::connect(address));
        let mut by_prefix = Client::connect(address);
        for client in [&mut reader, &mut by_prefix] {
            client.call(&["hello", "3"]);
        }
        by_prefix.call(&["client", "tracking", "on", "bcast"]);
        reader.call(&["client", "tracking", "on"]);
        other.call(&["config", "set", "tracking-table-max-keys", "1"]);
        let answer = reader.call(&["mget", "a", "b", "c"]);
        // A real server forgets a few at a time, before the next command.
        for _ in 0..20 {
            other.call(&["ping"]);
        }
        let told = reader.rest(PATIENCE).0.escape_ascii().to_string();
        let heard = by_prefix.rest(PATIENCE).0;
        (answer, told.matches("invalidate").count(), heard)
    });
}

/// Who was told to end tracks nothing any more, though its connection may not have noticed.
#[test]
fn who_is_told_to_end_is_not_counted() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let run = |address| {
        let (mut tracker, mut other) = (Client::connect(address), Client::connect(address));
        let tracker_id = tracker.id();
        tracker.call(&["client", "tracking", "on"]);
        let kill = format!("client kill id {tracker_id}\r\ninfo clients\r\n");
        other.send(kill.as_bytes()).unwrap();
        other.reply().unwrap();
        let info = other.reply().unwrap().escape_ascii().to_string();
        let mut lines = info.split("\\r\\n");
        let line = lines.find(|line| line.starts_with("tracking_clients"));
        line.map(str::to_owned)
    };
    let expected = run(real.address);
    assert_eq!(expected.as_deref(), Some("tracking_clients:0"));
    for _ in 0..20 {
        assert_eq!(run(ours.address), expected);
    }
}

/// A command that changes two keys names them in the order in which Redis does.
#[test]
fn keys_are_named_in_the_order_of_their_changes() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let hears = |address, line: &str| {
        let (mut client, mut writer) = (Client::connect(address), Client::connect(address));
        let call = |client: &mut Client, line: &str| {
            client.call(&line.split(' ').collect::<Vec<_>>());
        };
        for line in [
            "flushall",
            "mset a 1 b 2",
            "rpush l 1 2",
            "rpush m 1 2",
            "sadd t 1",
            "sadd u 2",
        ] {
            call(&mut writer, line);
        }
        for line in [
            "hello 3",
            "client tracking on",
            "mget a b",
            "exists l m t u",
        ] {
            call(&mut client, line);
        }
        call(&mut writer, line);
        client.rest(PATIENCE).0.escape_ascii().to_string()
    };
    for line in [
        "rename a b",
        "rename b a",
        "rename l t",
        "renamenx b c",
        "lmove l m left left",
        "lmove m l right left",
        "rpoplpush m l",
        "blmove l m left right 1",
        "brpoplpush m l 1",
        "smove t u 1",
        "smove u t 2",
        "move a 1",
        "mset b 1 a 2",
    ] {
        let (found, expected) = both(ours.address, real.address, |address| hears(address, line));
        assert_eq!(found, expected, "{line}");
    }
}

/// Whoever changes a key before it pushes an element has changed it for the client that waits for that element, too:
/// with its answer in hand, that client must not read its old copy.
#[test]
fn what_changed_before_an_element_came_is_told_before_the_element() {
    assert_alike(|address| {
        let mut waiting = Client::connect(address);
        let mut writer = Client::connect(address);
        let mut said = Vec::new();
        for lines in [
            "hello 3\r\nclient tracking on\r\nget k\r\nsubscribe c\r\nblpop l 0\r\nping\r\n",
            "get k\r\nblmove l to left left 0\r\nping\r\n",
            "get k\r\nbzpopmin l 0\r\nping\r\n",
        ] {
            waiting.send(lines.as_bytes()).unwrap();
            waiting.rest(PATIENCE);
            waiting.wait_until_held_up();
            let push = if lines.contains("bzpop") {
                "zadd l 1 x"
            } else {
                "rpush l x"
            };
            let writes = format!("set k 1\r\npublish c before\r\n{push}\r\nping\r\n");
            writer.send(writes.as_bytes()).unwrap();
            let (told, _) = waiting.rest(PATIENCE);
            said.push(told.escape_ascii().to_string());
        }
        said
    });
}

/// The first prefix that overlaps with any other is named, in the order in which they were given.
#[test]
fn prefixes_that_overlap_are_named_as_by_a_real_server() {
    assert_alike(|address| {
        let mut client = Client::connect(address);
        client.call(&["hello", "3"]);
        let mut said = Vec::new();
        for prefixes in [
            "x y",
            "y1 x1",
            "a ab x",
            "a x ab",
            "a b c ba aa",
            "a b a",
            "bb ba b",
            "z z",
            "q qq qqq q",
            "d",
            "e da f",
            "",
            "g",
        ] {
            let mut words = vec!["client", "tracking", "on", "bcast"];
            words.extend(prefixes.split(' ').flat_map(|word| ["prefix", word]));
            said.push(client.call(&words));
        }
        said
    });
}

/// Without a prefix, `BCAST` adds the empty one, although it overlaps with all.
#[test]
fn the_empty_prefix_is_added_unasked() {
    assert_alike(|address| {
        let mut client = Client::connect(address);
        ["prefix a prefix c", "", "prefix ab", "prefix c", "prefix b"].map(|prefixes| {
            let mut words = vec!["client", "tracking", "on", "bcast"];
            words.extend(prefixes.split_whitespace());
            client.call(&words)
        })
    });
}

/// Which prefixes a key begins with, whatever others there are.
#[test]
fn a_key_is_told_under_each_of_its_prefixes() {
    assert_alike(|address| {
        let mut clients = ["", "a", "ab", "abc", "abd", "b", "abcde"].map(|prefix| {
            let mut client = Client::connect(address);
            client.call(&["hello", "3"]);
            client.call(&["client", "tracking", "on", "bcast", "prefix", prefix]);
            client
        });
        let mut writer = Client::connect(address);
        for key in ["abcd", "abd", "abb", "a", "", "b", "c", "abcdef"] {
            writer.call(&["set", key, "1"]);
        }
        let heard = clients
            .iter_mut()
            .map(|client| client.rest(PATIENCE).0.escape_ascii().to_string());
        heard.collect::<Vec<_>>()
    });
}

/// As many as nobody needs: a server with one thread must not be busy with them for long.
const MANY: usize = 50_000;

fn names(beginning: &str) -> Vec<String> {
    (0..MANY).map(|n| format!("{beginning}{n:07}")).collect()
}

/// Fails if the program takes more processor time than this: by the clock a busy machine may take any.
#[track_caller]
fn assert_quick(program: &Running, most: Duration) {
    let taken = program.processor_time();
    assert!(taken < most, "{taken:?}");
}

#[test]
fn many_prefixes_are_checked_quickly() {
    let program = Running::in_memory(&[]);
    let mut client = Client::connect(program.address);
    let names = names("p");
    let mut words = vec!["client", "tracking", "on", "bcast"];
    words.extend(names.iter().flat_map(|name| ["prefix", name]));
    client.call(&["hello", "3"]);
    assert_eq!(client.call(&words), "+OK\\r\\n");
    assert!(
        client
            .call(&words)
            .contains("overlaps with an existing prefix")
    );
    assert_quick(&program, Duration::from_secs(5));
}

#[test]
fn a_long_transaction_of_a_client_with_a_cache_is_quick() {
    let program = Running::in_memory(&[]);
    let mut client = Client::connect(program.address);
    client.call(&["hello", "3"]);
    client.call(&["client", "tracking", "on"]);
    let names = names("k");
    let line = |word: &'static str| names.iter().map(move |name| format!("{word} {name} 1\r\n"));
    let lines: String = line("exists").chain(line("set")).collect();
    let lines = format!("multi\r\n{lines}exec\r\n");
    client.send(lines.as_bytes()).unwrap();
    for _ in 0..=2 * MANY {
        assert!(client.reply().unwrap().starts_with(b"+"));
    }
    assert!(client.reply().unwrap().starts_with(b"*100000"));
    assert_quick(&program, Duration::from_secs(30));
}

/// Who reads far more keys than the server remembers is told of them in the end, and nobody waits for long.
#[test]
fn far_too_many_keys_are_forgotten_quickly() {
    let program = Running::in_memory(&[]);
    let mut client = Client::connect(program.address);
    client.call(&["hello", "3"]);
    client.call(&["config", "set", "tracking-table-max-keys", "10"]);
    client.call(&["client", "tracking", "on"]);
    let names = names("k");
    let words: Vec<&str> = iter::once("exists")
        .chain(names.iter().map(String::as_str))
        .collect();
    // The answer comes first: who is told before it would take it for a newer value.
    assert_eq!(client.call(&words), ":0\\r\\n");
    let told = (0..MANY - 10).filter(|_| client.reply().unwrap().starts_with(b">2"));
    assert_eq!(told.count(), MANY - 10);
    assert_quick(&program, Duration::from_secs(5));
    assert!(
        client
            .call(&["info", "stats"])
            .contains("tracking_total_keys:10\\r\\n")
    );
}

/// A key may have half a gigabyte.
#[test]
fn long_keys_that_were_read_do_not_pile_up() {
    let program = Running::in_memory(&[]);
    let mut client = Client::connect(program.address);
    client.call(&["hello", "3"]);
    client.call(&["client", "tracking", "on"]);
    for n in 0..30 {
        let key = format!("{n}{}", "x".repeat(20_000_000));
        client
            .send(&encode(
                &["exists", &key]
                    .map(|word| Bytes::copy_from_slice(word.as_bytes()))
                    .to_vec(),
            ))
            .unwrap();
        while !client.reply().unwrap().starts_with(b":") {}
    }
    let held = program.bytes_of("VmRSS");
    assert!(held < 450 << 20, "{held} bytes");
}
