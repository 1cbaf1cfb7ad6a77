//! What the server counts and notes of scripts and their commands, beside a real server: calls, failures, refusals,
//! errors, and what was slow.

use super::eval;

use crate::common::StoreKind;
use crate::common::client::{Client, Command};
use crate::common::servers::{Ours, RealRedis};

/// Scripts that meet errors, each run alone. There is a list at `l`.
const SCRIPTS: &[&str] = &[
    // Errors of commands, which are counted where they arise.
    "return redis.call('incr','l')",
    "return redis.pcall('incr','l')",
    "error(redis.pcall('incr','l'))",
    "redis.pcall('incr','l') return 1",
    "return redis.call('set','a','1','EX','x')",
    "return {redis.pcall('incr','l'),1}",
    "return {redis.pcall('incr','l'),redis.pcall('incr','l')}",
    "for i=1,3 do redis.pcall('incr','l') end return redis.pcall('incr','l')",
    "local e=redis.pcall('incr','l') e.err='NEW x' return e",
    "local e=redis.pcall('incr','l') e.ignore_error_stats_update=nil return e",
    "local ok,e=pcall(redis.call,'incr','l') error(e)",
    "local ok,e=pcall(redis.call,'incr','l') return {err=e}",
    "local ok,e=xpcall(function() redis.call('incr','l') end, function(e) return e end) return e",
    // Refusals.
    "redis.pcall('nosuch') return 1",
    "return redis.call('nosuch')",
    "redis.pcall('get') return 1",
    "return redis.call('get')",
    "return redis.call('config')",
    "return redis.call('config','nosuch')",
    "return redis.call('config','set','maxclients','x')",
    "return redis.call('object','encoding')",
    "return redis.call('subscribe','a')",
    "return redis.call('eval','return 1',0)",
    "#!lua flags=no-writes\nreturn redis.call('set','a',1)",
    // A script that is run again from the start, for it writes a key that it did not name.
    "redis.call('get','o') redis.pcall('nosuch') redis.pcall('get') redis.call('set','k','1') \
     redis.pcall('get') redis.call('set','m','2') return redis.pcall('incr','l')",
    // Errors of the script itself.
    "error('x')",
    "error({err='X y'})",
    "error({err='X y',ignore_error_stats_update=true})",
    "return nothing",
    "return (",
    "return redis.call()",
    "redis.pcall({}) return 1",
    "redis.setresp(9)",
    "local ok,e=xpcall(function() redis.setresp(9) end, function(e) return e end) return e",
    "redis.pcall('incr','l') error('x')",
    "return {err='X y'}",
    "return {err='X y',ignore_error_stats_update=true}",
    "return {err='X y',ignore_error_stats_update=1}",
    "return {{err='MYERR x'},{err='YOUR y'}}",
    "return {redis.pcall('incr','l'),{err='X y'}}",
    "return {map={a={err='X y'}}}",
    "return {set={[{err='X y'}]=true}}",
    "return redis.error_reply('X y')",
    // The word that an error is counted by.
    "return {err='NOSPACE'}",
    "return {err=''}",
    "return {err=' x'}",
    "return {err='-X y'}",
    "return {err='ABCDEFGHIJABCDEFGHIJABCDEFGHIJ b'}",
    "return {err='ABCDEFGHIJABCDEFGHIJABCDEFGHIJA b'}",
    "return {err='A:B=C,D# b'}",
];

/// Commands, run one after the other.
const LINES: &[&[&[&str]]] = &[
    &[&["evalsha", "abc", "0"]],
    &[&["eval", "return 1", "x"]],
    &[&["eval_ro", "return redis.call('set','a',1)", "0"]],
    &[&["eval_ro", "redis.pcall('set') return 1", "0"]],
    &[&["eval_ro", "#!lua\nreturn 1", "0"]],
    &[
        &["multi"],
        &["eval", "return redis.call('incr','l')", "0"],
        &["eval", "error('x')", "0"],
        &["eval", "redis.call('set','x','1') return {err='X y'}", "0"],
        &["get", "x"],
        &["evalsha", "abc", "0"],
        &["eval_ro", "#!lua\nreturn 1", "0"],
        &["incr", "l"],
        &["exec"],
    ],
    &[&["debug", "error", "CUSTOM x"]],
    &[&["multi"], &["debug", "error", "CUSTOM x"], &["exec"]],
    &[
        &["debug", "set-disable-deny-scripts", "1"],
        &["eval", "return redis.call('debug','error','X y')", "0"],
        &["eval", "redis.pcall('debug','error','X y') return 1", "0"],
        &["debug", "set-disable-deny-scripts", "0"],
    ],
];

#[test]
fn errors_of_scripts_are_counted_once() {
    let Some(real) = RealRedis::start_with(&["--enable-debug-command", "yes"]) else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let mut clients = [real.address, ours.address].map(Client::connect);
    let mut ask = |commands: &[Command]| {
        let [of_real, of_ours] = clients.each_mut().map(|client| {
            client.call(&["flushall"]);
            client.call(&["rpush", "l", "1"]);
            client.call(&["config", "resetstat"]);
            (client.pipeline(commands), client.counts())
        });
        assert_eq!(of_ours, of_real, "{commands:?}");
    };
    for script in SCRIPTS {
        ask(&[eval(script.as_bytes())]);
    }
    for line in LINES {
        let command = |words: &&[&str]| words.iter().map(|word| word.to_string().into()).collect();
        ask(&line.iter().map(command).collect::<Vec<_>>());
    }
}

/// Redis runs the commands of a script for a client of the script's own, which has neither address nor name.
#[test]
fn slow_commands_of_scripts_came_from_nowhere() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let slow = |address| {
        let mut client = Client::connect(address);
        client.call(&["client", "setname", "me"]);
        client.call(&["config", "set", "slowlog-log-slower-than", "0"]);
        client.call(&["slowlog", "reset"]);
        client.call(&["eval", "redis.call('set','a','1') redis.pcall('get')", "0"]);
        client.call(&["multi"]);
        client.call(&["set", "b", "1"]);
        client.call(&["eval", "redis.call('set','c','1')", "0"]);
        client.call(&["exec"]);
        client.call(&["config", "set", "slowlog-log-slower-than", "-1"]);
        let entries = client.call(&["slowlog", "get"]);
        let here = client.address().to_string();
        let entries = entries.replace(&format!("${}\\r\\n{here}", here.len()), "here");
        // The number, the time and how long it took stand in front of the words of each.
        let times = |entry: &str| {
            entry
                .splitn(5, "\\r\\n")
                .nth(4)
                .unwrap_or_default()
                .to_owned()
        };
        entries.split("*6\\r\\n").map(times).collect::<Vec<_>>()
    };
    let of_real = slow(real.address);
    assert!(
        of_real.iter().any(|entry| entry.contains("?:0")),
        "{of_real:?}"
    );
    assert_eq!(slow(ours.address), of_real);
}
