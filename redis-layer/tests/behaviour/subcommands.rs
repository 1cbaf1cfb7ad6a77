//! Subcommands with too few, too many and odd arguments: every one is refused with the words of a real server, and every other is
//! answered, with the same type.

use std::slice;

use bytes::Bytes;

use crate::common::StoreKind;
use crate::common::client::{Client, Command};
use crate::common::servers::{Ours, RealRedis};

/// Arguments for every subcommand: a string, a list, no key, numbers, and a word that is none of these.
const WORDS: [&str; 7] = ["s", "l", "nokey", "1", "-1", "0", "x"];

/// Subcommands with words of their own. Left out: `CLIENT REPLY`, after which nothing is answered; what changes users or
/// stops a server; and of `DEBUG` what shows the insides of Redis's memory.
const SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("acl cat", &["geo", "nope"]),
    ("acl deluser", &["default"]),
    ("acl dryrun", &["default", "get"]),
    ("acl genpass", &["4097"]),
    ("acl getuser", &["default"]),
    ("acl help", &[]),
    ("acl list", &[]),
    ("acl load", &[]),
    ("acl log", &["reset"]),
    ("acl nope", &[]),
    ("acl save", &[]),
    ("acl users", &[]),
    ("acl whoami", &[]),
    ("client caching", &["yes", "no"]),
    ("client getname", &[]),
    ("client getredir", &[]),
    ("client help", &[]),
    ("client id", &[]),
    ("client info", &[]),
    (
        "client kill",
        &["id", "type", "addr", "user", "skipme", "normal", "yes"],
    ),
    ("client list", &["id", "type", "normal"]),
    ("client no-evict", &["on", "off"]),
    ("client nope", &[]),
    ("client pause", &["write", "all"]),
    ("client setname", &["a b", ""]),
    (
        "client tracking",
        &[
            "on", "off", "redirect", "prefix", "bcast", "optin", "optout",
        ],
    ),
    ("client trackinginfo", &[]),
    ("client unblock", &["timeout", "error"]),
    ("client unpause", &[]),
    ("command count", &[]),
    ("command docs", &["get"]),
    ("command getkeys", &["get", "eval", "mset", "sort", "store"]),
    ("command getkeysandflags", &["get", "eval", "mset", "sort"]),
    ("command help", &[]),
    ("command info", &["get"]),
    ("command list", &["filterby", "module", "aclcat", "pattern"]),
    ("command nope", &[]),
    ("config get", &["maxmemory", "t*"]),
    ("config help", &[]),
    ("config nope", &[]),
    ("config resetstat", &[]),
    ("config rewrite", &[]),
    ("config set", &["maxmemory-samples", "hz", "appendfsync"]),
    ("debug change-repl-id", &[]),
    ("debug digest", &[]),
    ("debug digest-value", &[]),
    ("debug error", &["ERR a b"]),
    ("debug help", &[]),
    ("debug htstats", &["15", "16"]),
    ("debug log", &[]),
    ("debug nope", &[]),
    ("debug object", &["fast"]),
    ("debug pause-cron", &[]),
    ("debug populate", &[]),
    ("debug protocol", &["string", "map", "push"]),
    ("debug quicklist-packed-threshold", &["1b", "3gb", "4gb"]),
    ("debug reload", &["merge"]),
    (
        "debug replybuffer",
        &["peak-reset-time", "never", "resizing"],
    ),
    ("debug set-active-expire", &[]),
    ("debug set-disable-deny-scripts", &[]),
    ("debug sleep", &[]),
    ("debug stringmatch-len", &[]),
    ("function flush", &["sync", "async"]),
    ("function list", &["withcode", "libraryname"]),
    ("latency doctor", &[]),
    ("latency graph", &[]),
    ("latency help", &[]),
    ("latency histogram", &["get"]),
    ("latency history", &["command"]),
    ("latency latest", &[]),
    ("latency nope", &[]),
    ("latency reset", &["command"]),
    ("memory doctor", &[]),
    ("memory help", &[]),
    ("memory malloc-stats", &[]),
    ("memory nope", &[]),
    ("memory purge", &[]),
    ("memory stats", &[]),
    ("memory usage", &["samples"]),
    ("object encoding", &[]),
    ("object freq", &[]),
    ("object help", &[]),
    ("object idletime", &[]),
    ("object nope", &[]),
    ("object refcount", &[]),
    ("pubsub channels", &["*"]),
    ("pubsub help", &[]),
    ("pubsub nope", &[]),
    ("pubsub numpat", &[]),
    ("pubsub numsub", &[]),
    ("pubsub shardchannels", &[]),
    ("pubsub shardnumsub", &[]),
    ("script debug", &["yes", "no", "sync"]),
    ("script exists", &[]),
    ("script flush", &["sync", "async"]),
    ("script help", &[]),
    ("script kill", &[]),
    ("script load", &["return 1", "return ("]),
    ("script nope", &[]),
    ("slowlog get", &["10"]),
    ("slowlog help", &[]),
    ("slowlog len", &[]),
    ("slowlog nope", &[]),
    ("slowlog reset", &[]),
];

/// All tuples of words of up to two, and some longer ones.
fn tuples(words: &[&'static str]) -> Vec<Vec<&'static str>> {
    let mut tuples = vec![vec![]];
    let mut last = tuples.clone();
    for length in 1..=4 {
        // Of the longer ones, those that end with few words.
        let most = [words.len(), words.len(), 3, 1][length - 1];
        let longer = |tuple: &Vec<&'static str>| {
            let tuple = tuple.clone();
            let words = words[..most].iter();
            words.map(move |word| [&tuple[..], &[*word]].concat())
        };
        last = last.iter().flat_map(longer).collect();
        tuples.extend(last.iter().cloned());
    }
    tuples
}

/// An error as it is, and of any other reply its type.
fn kind(reply: &[u8]) -> String {
    let end = if reply[0] == b'-' { reply.len() } else { 1 };
    reply[..end].escape_ascii().to_string()
}

#[test]
fn odd_arguments_are_refused_as_in_redis() {
    let Some(real) = RealRedis::start_with(&["--enable-debug-command", "local"]) else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let mut differences = Vec::new();
    for (subcommand, own) in SUBCOMMANDS {
        let words = [own, &WORDS[..]].concat();
        let mut tuples = tuples(&words);
        // A second is long.
        tuples.retain(|tuple| *subcommand != "debug sleep" || tuple.first() != Some(&"1"));
        let commands: Vec<Command> = tuples
            .iter()
            .map(|tuple| {
                let words = subcommand.split(' ').chain(tuple.iter().copied());
                words.map(|word| Bytes::from(word.to_owned())).collect()
            })
            .collect();
        let run = |address| {
            let mut client = Client::connect(address);
            for line in ["flushall", "set s v", "rpush l a", "client unpause"] {
                let words: Vec<&str> = line.split(' ').collect();
                client.call(&words);
            }
            let mut kinds = Vec::new();
            // Not so many at once that a server has to wait for the client to read, and no debugger in a pipeline.
            let most = if *subcommand == "script debug" {
                1
            } else {
                100
            };
            for some in commands.chunks(most) {
                let replies = client.pipeline(some);
                kinds.extend(replies.iter().map(|reply| kind(reply)));
            }
            kinds
        };
        let both = run(ours.address).into_iter().zip(run(real.address));
        for (tuple, (found, expected)) in tuples.iter().zip(both) {
            if found != expected {
                let args = tuple.join(" ");
                differences.push(format!("{subcommand} {args}: {found}, not {expected}"));
            }
        }
    }
    let few = &differences[..differences.len().min(20)];
    assert!(few.is_empty(), "{}: {few:#?}", differences.len());
}

/// Redis prints what it quotes as C does: up to the first zero byte, and of many an argument 128 bytes at most.
#[test]
fn what_errors_quote_is_cut_as_in_redis() {
    let Some(real) = RealRedis::start_with(&["--enable-debug-command", "local"]) else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    // `*` stands for the argument that is quoted.
    let lines = [
        "*",
        "get a b *",
        "debug *",
        "debug * a",
        "client *",
        "acl cat *",
        "latency graph *",
        "function list *",
        "hello 3 *",
        "config set * 1",
        "client tracking on bcast prefix * prefix *",
    ];
    let arguments = [
        &[b'x'; 127][..],
        &[b'x'; 128],
        &[b'x'; 3_000],
        b"a\0b",
        b"\0",
    ];
    for line in lines {
        for argument in arguments {
            let word = |word| match word {
                "*" => Bytes::from(argument),
                other => Bytes::from(other),
            };
            let command: Command = line.split(' ').map(word).collect();
            let ask = |address| {
                let replies = Client::connect(address).pipeline(slice::from_ref(&command));
                replies[0].escape_ascii().to_string()
            };
            let argument = argument.escape_ascii();
            assert_eq!(ask(ours.address), ask(real.address), "{line}: {argument}");
        }
    }
}
