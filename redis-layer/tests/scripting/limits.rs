//! Scripts that take too long, too much memory, or too deep a stack.

use std::thread;
use std::time::{Duration, Instant};

use redis_layer::commands::{Server, execute};

use crate::common::client::Client;
use crate::common::servers::Ours;
use crate::common::{Direct, StoreKind, show, unescape};

fn eval(client: &mut Client, script: &str) -> String {
    client.call(&["eval", script, "0"])
}

/// Sends a script that will not end by itself.
fn send(client: &mut Client, script: &str, key: Option<&str>) {
    let keys = key.map_or_else(
        || "$1\r\n0\r\n".to_owned(),
        |key| format!("$1\r\n1\r\n${}\r\n{key}\r\n", key.len()),
    );
    let count = if key.is_some() { 4 } else { 3 };
    let command = format!(
        "*{count}\r\n$4\r\neval\r\n${}\r\n{script}\r\n{keys}",
        script.len()
    );
    client.send(command.as_bytes()).unwrap();
}

/// Asks until the answer is this one.
fn wait_for(client: &mut Client, words: &[&str], start: &str) -> String {
    let started = Instant::now();
    loop {
        let reply = client.call(words);
        if reply.starts_with(start) {
            return reply;
        }
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{words:?}: {reply}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

fn busy_after(ours: &Ours, limit_ms: &str) {
    let mut client = Client::connect(ours.address);
    let reply = client.call(&["config", "set", "busy-reply-threshold", limit_ms]);
    assert_eq!(reply, "+OK\\r\\n");
}

const ENDLESS: [&str; 6] = [
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "while true do xpcall(function() while true do end end, function(e) return e end) end",
    "local c = coroutine.wrap(function() while true do end end) c()",
    "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    "while true do redis.pcall('get', 'x') end",
];

#[test]
fn an_endless_script_makes_others_wait_and_can_be_killed_however_it_resists() {
    let ours = Ours::start(StoreKind::BTree.open());
    busy_after(&ours, "50");
    let mut other = Client::connect(ours.address);
    for script in ENDLESS {
        // The server has two threads. Both would be lost to these without a word to the runtime.
        let mut clients = [(); 3].map(|()| Client::connect(ours.address));
        for client in &mut clients {
            send(client, script, Some("locked"));
        }
        wait_for(
            &mut other,
            &["ping"],
            "-BUSY Redis is busy running a script.",
        );
        assert!(other.call(&["set", "locked", "1"]).starts_with("-BUSY"));
        for client in &mut clients {
            loop {
                // Those that waited for the lock were refused, or run now.
                other.call(&["script", "kill"]);
                thread::sleep(Duration::from_millis(5));
                if let Some(reply) = client.reply_within(Duration::from_millis(20)) {
                    let reply = String::from_utf8(reply).unwrap();
                    let killed = "-ERR Script killed by user with SCRIPT KILL... script: ";
                    assert!(
                        reply.starts_with(killed) || reply.starts_with("-BUSY"),
                        "{reply}"
                    );
                    break;
                }
            }
        }
        wait_for(&mut other, &["ping"], "+PONG");
        assert!(other.call(&["script", "kill"]).starts_with("-NOTBUSY"));
    }
}

#[test]
fn a_script_that_has_written_is_not_killed() {
    let ours = Ours::start(StoreKind::BTree.open());
    busy_after(&ours, "20");
    let mut writer = Client::connect(ours.address);
    let mut other = Client::connect(ours.address);
    let script =
        "redis.call('set',KEYS[1],1) local i = 0 while i < 3e7 do i = i + 1 end return 'done'";
    send(&mut writer, script, Some("k"));
    wait_for(&mut other, &["ping"], "-BUSY");
    assert!(
        other
            .call(&["script", "kill"])
            .starts_with("-UNKILLABLE Sorry the script already")
    );
    assert!(other.call(&["multi"]).starts_with("+OK"));
    assert!(other.call(&["get", "k"]).starts_with("-BUSY"));
    assert!(other.call(&["exec"]).starts_with("-EXECABORT"));
    assert_eq!(writer.reply().unwrap(), b"$4\r\ndone\r\n");
    wait_for(&mut other, &["get", "k"], "$1");
}

#[test]
fn memory_is_bounded_and_the_next_script_has_it_again() {
    let direct = Direct::new(StoreKind::BTree);
    for script in [
        "return #string.rep('x', 1e9)",
        "local t = {} while true do t[#t+1] = ('x'):rep(1e6) .. #t end",
        "local s = 'x' while true do s = s .. s end",
        "local ok, e = pcall(string.rep, 'x', 1e10) error(e)",
        "local t = {} for i = 1, 1e9 do t[i] = i end",
        "return cjson.encode({[2^31-1]=1})",
        "cjson.encode_sparse_array(false, 0) return cjson.encode({[2^31-1]=1})",
        "local s = ('x'):rep(5e7) return cjson.encode({s,s,s,s,s,s,s,s,s})",
        "local s = ('x'):rep(5e7) return cmsgpack.pack({s,s,s,s,s,s,s,s,s})",
        "local s = ('x'):rep(5e7) return redis.call('echo',s,s,s,s,s,s,s,s,s)",
        "return cmsgpack.unpack('\\xdd\\xff\\xff\\xff\\xff')",
    ] {
        let reply = run(&direct.server, script);
        assert!(reply.starts_with("ERR "), "{script}: {reply}");
        assert_eq!(run(&direct.server, "return #('x'):rep(1e6)"), "1000000");
    }
}

fn run(server: &std::sync::Arc<Server>, script: &str) -> String {
    let mut session = server.connect(String::new(), String::new());
    let words = ["eval".into(), unescape(script), "0".into()];
    show(&execute(&mut session, &words).reply)
}

/// Hostile input reaches no Rust stack overflow, no panic and no crash.
#[test]
fn deep_and_twisted_values_are_refused() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    for script in [
        "local t = {} t[1] = t return t",
        "local t = {} t.map = t return t",
        "local t = {} local r = t for i=1,100000 do t[1]={} t=t[1] end return r",
        "local c = cjson.new() c.encode_max_depth(2^31-1) local t = {} t[1] = t return c.encode(t)",
        "local c = cjson.new() c.decode_max_depth(2^31-1) return c.decode(('['):rep(1e6))",
        "return cmsgpack.unpack(('\\145'):rep(1e6))",
        "local t = {} t[1] = t return #cmsgpack.pack(t)",
        "local function f() return pcall(f) end return f()",
        "local function f() return xpcall(f, f) end return f()",
        "error(setmetatable({}, {__index = function() error('again') end}))",
        "return string.find(('a'):rep(3e5), ('a?'):rep(3e5) .. 'b')",
        "return string.find(('a'):rep(3e5), ('.-'):rep(3e4) .. 'b')",
        "local t = setmetatable({}, {__index = function(t, k) return t[k] end}) return t.x",
        "return loadstring(('('):rep(1e5))",
        "return loadstring('return ' .. ('{'):rep(1e5) .. ('}'):rep(1e5))",
        "return loadstring(string.dump(loadstring('return 1')))",
        "return select(-1e9, 1)",
        "return unpack({}, 1, 1e8)",
        "return string.format('%99999d', 1)",
        "return table.concat({}, 'x', 1, 1e9)",
        "local c c = coroutine.wrap(function() return c() end) return c()",
        "local function f() return coroutine.wrap(f)() end return f()",
    ] {
        let reply = eval(&mut client, script);
        assert!(!reply.is_empty(), "{script}");
        assert_eq!(
            eval(&mut client, "return 'alive'"),
            "$5\\r\\nalive\\r\\n",
            "{script}"
        );
    }
}
