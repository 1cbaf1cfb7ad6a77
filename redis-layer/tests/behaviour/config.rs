//! `CONFIG`, and what settings do while the server runs, beside a real server where it is the same.

use std::net::Ipv4Addr;

use redis_layer::server::{Listener, Options};

use crate::common::client::Client;
use crate::common::servers::{Ours, RealRedis};
use crate::common::{Direct, StoreKind, assert_alike};

const NUMBER: &[&str] = &[
    "0",
    "1",
    "-1",
    "x",
    "5",
    "99999999999999999999",
    "2147483648",
    " 1",
    "1 ",
];
const BYTES: &[&str] = &[
    "0", "1kb", "2Mb", "1g", "3b", "1tb", "-1", "", "1048576", "1.5mb",
];
const FLAG: &[&str] = &["yes", "NO", "1", ""];
const TEXT: &[&str] = &["", "some text", "a b"];

/// Settings, and the values that each is given in turn.
const SETTINGS: &[(&str, &[&str])] = &[
    ("timeout", NUMBER),
    ("tcp-keepalive", NUMBER),
    ("maxclients", &["0", "50", "x", "-5"]),
    ("slowlog-log-slower-than", NUMBER),
    ("slowlog-max-len", NUMBER),
    ("latency-monitor-threshold", NUMBER),
    ("busy-reply-threshold", NUMBER),
    ("lua-time-limit", NUMBER),
    ("hz", NUMBER),
    ("hash-max-listpack-entries", NUMBER),
    ("hash-max-ziplist-value", BYTES),
    ("zset-max-listpack-entries", NUMBER),
    ("list-max-listpack-size", NUMBER),
    ("set-max-intset-entries", NUMBER),
    ("maxmemory", BYTES),
    (
        "maxmemory-clients",
        &["5%", "101%", "1mb", "%", "x%", "+5%", "05%", "-5%", "0"],
    ),
    ("maxmemory-policy", &["allkeys-lru", "NOEVICTION", "x"]),
    ("client-query-buffer-limit", &["1mb", "0", "x", "3mb"]),
    ("proto-max-bulk-len", BYTES),
    ("repl-backlog-size", BYTES),
    ("appendfsync", &["always", "EVERYSEC", "no", "x"]),
    ("latency-tracking", FLAG),
    ("lazyfree-lazy-user-del", FLAG),
    (
        "notify-keyspace-events",
        &["KEA", "Kg$", "x", "AKEnm", "q", "tdn", ""],
    ),
    (
        "client-output-buffer-limit",
        &[
            "pubsub 1mb 2kb 60",
            "replica 0 0 0 normal 1gb 2gb 3",
            "normal 1 2",
            "master 1 2 3",
            "normal x 2 3",
            "normal 1 2 -3",
            "normal  2 3",
            " normal 1gb 2 3",
            "normal 1gb 2 3 ",
            " ",
            "",
        ],
    ),
    (
        "save",
        &[
            "100 1", "100", "100 x", "", "0 1", "100  1", " 100 1", "100 1 ", " ",
        ],
    ),
    (
        "latency-tracking-info-percentiles",
        &[
            "50 99.9", "x", "101", "", "0 100", "50  99", " 50", "50 ", " ",
        ],
    ),
    (
        "oom-score-adj-values",
        &[
            "1 2 3", "1 2", "1 2 9999", "4  5", " 4 5", "4 5 ", "", "x 4 5",
        ],
    ),
    (
        "shutdown-on-sigterm",
        &[
            "now force",
            "x",
            "",
            "Force save now save",
            "save nosave",
            "default nosave",
            "default",
            "default default",
            "save  force",
            " save",
            "save ",
            " ",
        ],
    ),
    (
        "proc-title-template",
        &[
            "{port} {listen-addr}",
            "{nope}",
            "{title",
            "{port",
            "}",
            "{{nope}",
            "{}",
            "",
            " ",
            "{title} {server-mode}",
            "{title}:{tls-port} {config-file} {unixsocket}",
        ],
    ),
    ("tracking-table-max-keys", NUMBER),
    ("masterauth", TEXT),
    ("port", &["1"]),
    ("databases", &["3"]),
    ("daemonize", &["yes"]),
    ("dir", &["/"]),
    ("dbfilename", &["x"]),
    ("nope", &["x"]),
];

fn ours() -> Ours {
    Ours::start(StoreKind::BTree.open())
}

#[test]
fn values_are_taken_shown_and_refused_as_by_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let (mut real, mut ours) = (Client::connect(real.address), Client::connect(ours.address));
    let mut wrong = Vec::new();
    for &(name, values) in SETTINGS {
        for value in values {
            if name == "port" {
                // The real server moves to another port.
                let refused = ours.call(&["config", "set", name, value]);
                assert!(refused.contains("Unable to listen"), "{refused}");
                continue;
            }
            for words in [
                &["config", "set", name, value][..],
                &["config", "get", name],
            ] {
                if *value == "%" || words[1] == "get" && matches!(name, "dir" | "dbfilename") {
                    continue;
                }
                let (found, expected) = (ours.call(words), real.call(words));
                if found != expected {
                    wrong.push(format!("{words:?}: {found}, not {expected}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn several_settings_are_named_at_once() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let (mut real, mut ours) = (Client::connect(real.address), Client::connect(ours.address));
    for line in [
        "config set timeout 5 maxmemory 1mb",
        "config get timeout",
        "config set timeout 6 maxmemory x",
        "config get timeout",
        "config set timeout 6 nope 1",
        "config set timeout 6 n\\xffpe 1",
        "config set timeout\\xff 6",
        "config get timeout\\xff",
        "config set timeout 6 daemonize yes",
        "config get timeout",
        "config set timeout 6 timeout 7",
        "config set timeout 6 maxmemory",
        "config set timeout",
        "config get",
        "config get TIMEOUT",
        "config get time*t t?meout",
        "config get nope*",
        "config get MaxClients maxclients",
        "config get maxclient? MAXCLIENTS",
        "config get MAXCLIENTS maxclient?",
        "config get slave-priorit? SLAVE-PRIORITY",
        "config set slave-priority 5 replica-priority 7",
        "config get slave-priority",
        "config set replica-priority 5 slave-priority 8",
        "config get slave-priority",
        "config set slave-priority 5 replica-priority x",
        "config set slave-priority 5 replica-priority 7 SLAVE-PRIORITY 8",
        "config get slave-priority",
        "config set lua-time-limit 6000 busy-reply-threshold 5000",
        "config get lua-time-limit",
        "config get [m]axmemory",
        "config resetstat",
        "config resetstat x",
        "config rewrite",
        "config nope",
        "config",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(ours.call(&words), real.call(&words), "{line}");
    }
}

/// The names and values that `CONFIG GET *` shows.
fn all_settings(client: &mut Client) -> Vec<(String, String)> {
    let reply = client.call(&["config", "get", "*"]);
    // Each word comes after its length, and all of them after their number.
    let parts: Vec<&str> = reply.split("\\r\\n").skip(1).collect();
    let words: Vec<&str> = parts
        .chunks_exact(2)
        .map(|length_and_word| length_and_word[1])
        .collect();
    words
        .chunks_exact(2)
        .map(|pair| (pair[0].to_owned(), pair[1].to_owned()))
        .collect()
}

/// Whatever `CONFIG GET *` shows can be asked for alone, and is a setting of the real server too.
#[test]
fn every_setting_is_one_of_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let (mut real, mut ours) = (Client::connect(real.address), Client::connect(ours.address));
    let all = all_settings(&mut ours);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.len() > 140, "{names:?}");
    for name in names {
        assert!(
            ours.call(&["config", "get", name]).starts_with("*2"),
            "{name}"
        );
        assert!(
            real.call(&["config", "get", name]).starts_with("*2"),
            "{name}"
        );
    }
}

/// What `CONFIG GET` shows, `CONFIG SET` takes, but for what is fixed in Redis too.
#[test]
fn every_setting_takes_its_own_value() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let (mut real, mut ours) = (Client::connect(real.address), Client::connect(ours.address));
    for (name, value) in all_settings(&mut ours) {
        let words = ["config", "set", &name, &value];
        let found = ours.call(&words);
        if matches!(name.as_str(), "port" | "bind" | "maxclients") {
            // The real server would move, or may have fewer sockets.
            assert_eq!(found, "+OK\\r\\n", "{name}");
        } else {
            assert_eq!(found, real.call(&words), "{name}");
        }
    }
}

#[test]
fn settings_take_effect_at_once() {
    let ours = ours();
    let mut client = Client::connect(ours.address);
    // maxclients
    client.call(&["config", "set", "maxclients", "1"]);
    let mut refused = Client::connect(ours.address);
    let (said, closed) = refused.until_closed();
    assert_eq!(said, b"-ERR max number of clients reached\r\n");
    assert!(closed);
    client.call(&["config", "set", "maxclients", "100"]);
    assert_eq!(Client::connect(ours.address).call(&["ping"]), "+PONG\\r\\n");
    // slowlog
    client.call(&[
        "config",
        "set",
        "slowlog-log-slower-than",
        "0",
        "slowlog-max-len",
        "2",
    ]);
    client.call(&["slowlog", "reset"]);
    for word in ["a", "b", "c"] {
        client.call(&["echo", word]);
    }
    let slow = client.call(&["slowlog", "get"]);
    assert!(slow.starts_with("*2\\r\\n"), "{slow}");
    assert!(
        slow.contains("echo\\r\\n$1\\r\\nc") && !slow.contains("echo\\r\\n$1\\r\\na"),
        "{slow}"
    );
    client.call(&["config", "set", "slowlog-log-slower-than", "-1"]);
    client.call(&["slowlog", "reset"]);
    assert_eq!(client.call(&["slowlog", "len"]), ":0\\r\\n");
    // latency
    client.call(&["config", "set", "latency-monitor-threshold", "10"]);
    client.call(&["debug", "sleep", "0.03"]);
    let latest = client.call(&["latency", "latest"]);
    assert!(
        latest.starts_with("*1\\r\\n*4\\r\\n$7\\r\\ncommand\\r\\n"),
        "{latest}"
    );
    let graph = client.call(&["latency", "graph", "command"]);
    assert!(graph.contains("command - high"), "{graph}");
    assert_eq!(client.call(&["latency", "reset", "command"]), ":1\\r\\n");
    // proto-max-bulk-len
    client.call(&["config", "set", "proto-max-bulk-len", "1mb"]);
    client.send(b"*2\r\n$4\r\necho\r\n$1048577\r\n").unwrap();
    let (said, closed) = client.until_closed();
    assert_eq!(said, b"-ERR Protocol error: invalid bulk length\r\n");
    assert!(closed);
}

#[test]
fn info_has_the_sections_and_fields_of_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let (mut real, mut ours) = (Client::connect(real.address), Client::connect(ours.address));
    let sections = |client: &mut Client, words: &[&str]| {
        let text = client.call(words);
        let titles = text.split("\\r\\n").filter(|line| line.starts_with("# "));
        titles.map(str::to_owned).collect::<Vec<_>>()
    };
    for line in [
        "info",
        "info all",
        "info everything",
        "info default",
        "info server",
        "info nope",
        "info cpu keyspace",
        "info commandstats",
        "info everything cpu",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(
            sections(&mut ours, &words),
            sections(&mut real, &words),
            "{line}"
        );
    }
    // What monitoring programs read has the name of the real server.
    let names = |client: &mut Client| {
        let text = client.call(&["info", "everything"]);
        let lines = text
            .split("\\r\\n")
            .filter_map(|line| Some(line.split_once(':')?.0.to_owned()));
        lines.collect::<Vec<_>>()
    };
    let of_real = names(&mut real);
    for name in names(&mut ours) {
        let own = matches!(&*name, "keys_in_order_version")
            || name.starts_with("cmdstat_")
            || name.starts_with("latency_percentiles")
            || name.starts_with("errorstat");
        assert!(own || of_real.contains(&name), "{name}");
    }
}

#[test]
fn calls_failures_and_refusals_are_counted() {
    assert_alike(|address| {
        let mut client = Client::connect(address);
        for line in [
            "config resetstat",
            "set k v",
            "get k",
            "get",
            "zadd k 1 a",
            "nope",
            "multi",
            "get k",
            "zadd k x a",
            "exec",
            "get nothing",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            client.call(&words);
        }
        client.counts()
    });
}

/// An error about a value names a setting as Redis has it, in whatever case the client wrote it.
#[test]
fn a_setting_is_named_in_small_letters() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let ask = |address| {
        let mut client = Client::connect(address);
        [
            client.call(&["config", "set", "MaxMemory", "x"]),
            client.call(&["config", "set", "LUA-time-limit", "x"]),
            client.call(&["config", "set", "DATABASES", "3"]),
            client.call(&["config", "set", "hz", "10", "HZ", "10"]),
            client.call(&["config", "set", "NoSuch", "1"]),
        ]
    };
    assert_eq!(ask(real.address), ask(ours.address));
}

/// The system refuses times of more than nine hours. A client is not to blame for that.
#[test]
fn clients_connect_whatever_the_keepalive_time() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    for seconds in ["0", "1", "32767", "32768", "2147483647"] {
        let set = client.call(&["config", "set", "tcp-keepalive", seconds]);
        assert_eq!(set, "+OK\\r\\n", "{seconds}");
        let mut next = Client::connect(ours.address);
        assert_eq!(next.call(&["ping"]), "+PONG\\r\\n", "{seconds}");
    }
}

#[tokio::test]
async fn a_password_among_the_settings_counts_more_than_the_one_of_its_own_field() {
    for (password, settings, may_listen) in [
        ("", &[][..], false),
        ("a", &[], true),
        ("", &["b"], true),
        ("a", &[""], false),
        ("", &["b", ""], false),
        ("", &["", "b"], true),
    ] {
        let set = |value: &&str| ("requirepass", (*value).to_owned());
        let options = Options {
            host: Ipv4Addr::UNSPECIFIED.into(),
            password: password.to_owned(),
            config: settings.iter().map(set).collect(),
            ..Options::default()
        };
        let listener = Listener::bind(options).await;
        assert_eq!(listener.is_ok(), may_listen, "{password:?} {settings:?}");
    }
}

/// What the slow log shows of a command leaves out names and passwords for other servers, as in Redis.
#[test]
fn the_slow_log_hides_what_is_secret() {
    let mut direct = Direct::new(StoreKind::BTree);
    direct.show("config set slowlog-log-slower-than 0");
    for name in ["masterauth", "masteruser", "MasterUser", "requirepass"] {
        direct.show("slowlog reset");
        direct.show(&format!("config set timeout 7 {name} hidden"));
        let log = direct.show("slowlog get");
        assert!(log.contains("(redacted)") && log.contains('7'), "{log}");
        assert!(!log.contains("hidden"), "{log}");
    }
}
