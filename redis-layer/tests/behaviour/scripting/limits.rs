//! Scripts that take too long, too much memory, or too deep a stack.

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use redis_layer::commands::{Server, execute};
use redis_layer::store::{Result, Snapshot, Store};

use crate::common::client::{Client, encode};
use crate::common::hooked::{Hooked, Hooks, Watched};
use crate::common::program::Running;
use crate::common::servers::Ours;
use crate::common::waiting::{eventually, rest_for};
use crate::common::{CutOff, Direct, Over, StoreKind, scope_in_time, show, unescape};

fn eval(client: &mut Client, script: &str) -> String {
    client.call(&["eval", script, "0"])
}

/// Sends a script without waiting for its answer.
fn send(client: &mut Client, script: &str) {
    let command = [
        "eval".into(),
        Bytes::copy_from_slice(script.as_bytes()),
        "0".into(),
    ];
    client.send(&encode(&command.to_vec())).unwrap();
}

fn busy_after(direct: &Direct, limit_ms: &str) {
    let set = ["config", "set", "busy-reply-threshold", limit_ms];
    assert_eq!(words(&direct.server, &set), "OK");
}

const BUSY: &str =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";

const ENDLESS: [&str; 8] = [
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "while true do xpcall(function() while true do end end, function(e) return e end) end",
    "local c = coroutine.wrap(function() while true do end end) c()",
    "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    "while true do redis.pcall('get', 'x') end",
    // No coroutine runs for so many instructions that its hook is called.
    "while true do coroutine.wrap(function() for i = 1, 9e3 do coroutine.wrap(function() for j = 1, 9e4 do end end)() end end)() end",
    "local function busy() for i = 1, 9e4 do end end \
     local function many() for i = 1, 5e3 do coroutine.resume(coroutine.create(busy)) end end \
     while true do coroutine.resume(coroutine.create(many)) end",
];

#[test]
fn an_endless_script_is_killed_however_it_resists() {
    let direct = Direct::new(StoreKind::BTree);
    busy_after(&direct, "30");
    for script in ENDLESS {
        scope_in_time(|scope| {
            let _cut_off = CutOff(&direct.server);
            let endless = scope.spawn(|| run(&direct.server, script));
            eventually(|| words(&direct.server, &["ping"]).starts_with("BUSY Redis is busy"));
            assert!(words(&direct.server, &["set", "k", "1"]).starts_with("BUSY"));
            assert!(words(&direct.server, &["function", "stats"]).starts_with("BUSY"));
            assert_eq!(words(&direct.server, &["function", "kill"]), BUSY);
            assert_eq!(words(&direct.server, &["script", "kill"]), "OK");
            let reply = endless.join().unwrap();
            let killed = "ERR Script killed by user with SCRIPT KILL... script: ";
            assert!(reply.starts_with(killed), "{script}: {reply}");
        });
        assert_eq!(words(&direct.server, &["ping"]), "PONG");
        assert!(words(&direct.server, &["script", "kill"]).starts_with("NOTBUSY"));
    }
}

#[test]
fn a_script_that_has_written_is_not_killed() {
    let gate = Gate::default();
    let store = Hooked::over(StoreKind::BTree.open(), gate.clone());
    let mut direct = Direct::over(store);
    busy_after(&direct, "1");
    let server = Arc::clone(&direct.server);
    // It is late by then, and goes on when the test lets it.
    let script = "redis.call('set','k',1) for i = 1, 1e7 do end \
                  redis.call('get','gate') return 'done'";
    scope_in_time(|scope| {
        let open = Over(&gate.0);
        let writer = scope.spawn(|| run(&server, script));
        eventually(|| words(&server, &["ping"]).starts_with("BUSY"));
        for kill in [["script", "kill"], ["function", "kill"]] {
            let refused = words(&server, &kill);
            assert!(
                refused.starts_with("UNKILLABLE Sorry the script already"),
                "{kill:?}: {refused}"
            );
        }
        // The server ends meanwhile only if nothing is to be saved.
        for shutdown in [&["shutdown"][..], &["shutdown", "save", "now"]] {
            assert_eq!(words(&server, shutdown), BUSY);
        }
        direct.expect(&[
            ("multi", "OK"),
            ("get k", BUSY),
            (
                "exec",
                "EXECABORT Transaction discarded because of: BUSY Redis is busy running a \
                      script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
            ),
        ]);
        drop(open);
        assert_eq!(writer.join().unwrap(), "done");
    });
    assert_eq!(direct.show("get k"), "1");
}

/// Holds up whoever asks for the key `gate` until it is open.
#[derive(Clone, Default)]
struct Gate(Arc<AtomicBool>);

impl Hooks for Gate {
    fn snapshot(&self, inner: &dyn Store) -> Result<Box<dyn Snapshot>> {
        let is_open = Arc::clone(&self.0);
        let wait = move |key: &[u8]| {
            if key.ends_with(b"gate") {
                eventually(|| is_open.load(Ordering::Acquire));
            }
        };
        Ok(Box::new(Watched(inner.snapshot()?, wait)))
    }
}

/// A script is killed or has written, never both. Until it notices that it was killed, it may come to a write.
#[test]
fn a_killed_script_has_changed_nothing() {
    let direct = Direct::new(StoreKind::BTree);
    let server = &direct.server;
    // It is known as running after a hundred thousand instructions, and looks again after as many.
    let script = "for i = 1, 150000 do end redis.call('set', 'k', 1) for i = 1, 1e6 do end";
    let mut killed = 0;
    for _ in 0..100 {
        scope_in_time(|scope| {
            let runs = scope.spawn(|| run(server, script));
            // The script may have ended before anybody saw it: then nothing is left to kill.
            let mut kills =
                iter::from_fn(|| (!runs.is_finished()).then(|| words(server, &["script", "kill"])));
            let is_killed = kills
                .find(|kill| !kill.starts_with("NOTBUSY"))
                .is_some_and(|kill| kill == "OK");
            let reply = runs.join().unwrap();
            assert_eq!(reply.starts_with("ERR Script killed by user"), is_killed);
            killed += usize::from(is_killed);
            let value = if is_killed { "nil" } else { "1" };
            assert_eq!(words(server, &["get", "k"]), value);
            words(server, &["del", "k"]);
        });
    }
    assert!(killed > 0);
}

/// Who waits for the lock of a key that a script holds is refused when the script is late.
#[test]
fn nobody_waits_for_a_late_script() {
    let direct = Direct::new(StoreKind::BTree);
    busy_after(&direct, "100");
    let server = &direct.server;
    let answer_beside_it = || {
        scope_in_time(|scope| {
            let _cut_off = CutOff(server);
            let keys = ["eval", "while true do end", "1", "k"];
            let endless = scope.spawn(move || words(server, &keys));
            rest_for(Duration::from_millis(20));
            let answer = words(server, &["set", "k", "1"]);
            eventually(|| words(server, &["script", "kill"]) == "OK");
            endless.join().unwrap();
            answer
        })
    };
    // On a busy machine the script may begin too late, and has nobody wait.
    let mut answers = iter::repeat_with(answer_beside_it);
    let answer = answers.by_ref().take(20).find(|answer| answer != "OK");
    assert_eq!(answer.as_deref(), Some(BUSY));
}

/// A server has as many threads as processors. Scripts that take all of them are still killed.
#[test]
fn a_server_whose_threads_all_run_scripts_still_answers() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut clients = [(); 5].map(|()| Client::connect(ours.address));
    for client in &mut clients[..4] {
        send(client, "while true do end");
    }
    let mut other = Client::connect(ours.address);
    assert_eq!(other.call(&["get", "x"]), "$-1\\r\\n");
    let mut left: Vec<&mut Client> = clients[..4].iter_mut().collect();
    eventually(|| {
        other.call(&["script", "kill"]);
        left.retain_mut(|client| {
            client
                .reply_within(Duration::from_millis(20))
                .is_none_or(|reply| {
                    assert!(reply.starts_with(b"-ERR Script killed by user"));
                    false
                })
        });
        left.is_empty()
    });
    assert!(other.call(&["script", "kill"]).starts_with("-NOTBUSY"));
}

/// More clients than the server may have threads wait for a key that a script holds. The others are served all the while,
/// also those who write, and one of them can end the script.
#[test]
fn a_crowd_that_waits_for_a_script_keeps_no_thread_from_others() {
    const CROWD: usize = 750;
    let server = Running::in_memory(&["--set", "busy-reply-threshold=0"]);
    let mut holder = Client::connect(server.address);
    let mut other = Client::connect(server.address);
    let mut crowd: Vec<Client> = (0..CROWD)
        .map(|_| Client::connect(server.address))
        .collect();
    let words = ["eval", "while true do end", "1", "k"].map(Bytes::from);
    holder.send(&encode(&words.to_vec())).unwrap();
    eventually(|| other.call(&["client", "list"]).contains("cmd=eval"));
    for (n, client) in crowd.iter_mut().enumerate() {
        let sent = [
            "INCR k\r\n",
            "MULTI\r\nINCR k\r\nEXEC\r\n",
            "EVAL \"return redis.call('incr', KEYS[1])\" 1 k\r\n",
        ];
        client.send(sent[n % sent.len()].as_bytes()).unwrap();
    }
    for n in 1..=50 {
        rest_for(Duration::from_millis(10));
        assert_eq!(other.call(&["incr", "other"]), format!(":{n}\\r\\n"));
    }
    assert_eq!(other.call(&["script", "kill"]), "+OK\\r\\n");
    let all = format!("$3\\r\\n{CROWD}\\r\\n");
    eventually(|| other.call(&["get", "k"]) == all);
    for (n, client) in crowd.iter_mut().enumerate() {
        let replies = if n % 3 == 1 { 3 } else { 1 };
        for _ in 0..replies {
            assert!(!client.reply().unwrap().starts_with(b"-"));
        }
    }
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
        "local s = ('x'):rep(5e7) return redis.log(redis.LOG_DEBUG,s,s,s,s,s,s,s,s,s)",
        "return cmsgpack.unpack('\\221\\255\\255\\255\\255')",
        "return #{struct.unpack(('s'):rep(2e7), ('\\0'):rep(2e7))}",
        "return #{struct.unpack(('b'):rep(2e7), ('\\0'):rep(2e7))}",
    ] {
        let reply = run(&direct.server, script);
        assert!(reply.starts_with("ERR "), "{script}: {reply}");
        assert_eq!(run(&direct.server, "return #('x'):rep(1e6)"), "1000000");
    }
}

/// What the library says names the place in the script; what Lua says, once the text is built, does not.
#[test]
fn a_text_of_struct_is_refused_while_it_is_built() {
    let direct = Direct::new(StoreKind::BTree);
    let pack = "local s = ('x'):rep(5e7) return struct.pack(('s'):rep(9),s,s,s,s,s,s,s,s,s)";
    let script = format!("local ok, e = pcall(function() {pack} end) return e");
    assert_eq!(
        run(&direct.server, &script),
        "user_script:1: not enough memory"
    );
}

/// A client must not take a part of an answer for all of it.
#[test]
fn an_answer_that_is_too_large_is_refused_as_a_whole() {
    let direct = Direct::new(StoreKind::BTree);
    let strings = "local s, t = ('x'):rep(1e6), {} for n = 1, 300 do t[n] = s end";
    for answer in [
        "t",
        "{1, t}",
        "{map = {a = t, b = 1}}",
        "{set = {[t] = true}}",
    ] {
        let script = format!("redis.setresp(3) {strings} return {answer}");
        let reply = run(&direct.server, &script);
        assert!(
            reply.starts_with("ERR not enough memory"),
            "{answer}: {reply:.99}"
        );
    }
}

fn run(server: &Arc<Server>, script: &str) -> String {
    words(server, &["eval", script, "0"])
}

fn words(server: &Arc<Server>, words: &[&str]) -> String {
    let mut session = server.connect(String::new(), String::new());
    let words: Vec<Bytes> = words.iter().map(|word| unescape(word)).collect();
    show(&execute(&mut session, &words).reply)
}

/// Lua counts them in 32 bits, and more ended the process.
#[test]
fn more_results_than_can_be_counted_are_refused() {
    let direct = Direct::new(StoreKind::BTree);
    for (first, last) in [
        ("-2", "2147483647"),
        ("0", "2147483647"),
        ("-2147483648", "-1"),
        ("-2147483648", "2147483647"),
        ("'-2'", "2147483647.5"),
        ("2^32 - 2", "2^31 - 1"),
    ] {
        for call in [
            format!("return {{unpack({{1,2,3}}, {first}, {last})}}"),
            format!("return {{pcall(unpack, {{1,2,3}}, {first}, {last})}}"),
            format!(
                "return {{pcall(coroutine.wrap(function(...) return unpack(...) end), {{}}, {first}, {last})}}"
            ),
        ] {
            let answer = run(&direct.server, &call);
            assert!(
                answer.contains("too many results to unpack"),
                "{call}: {answer}"
            );
        }
    }
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
        eprintln!("{script}");
        let reply = eval(&mut client, script);
        assert!(!reply.is_empty(), "{script}");
        assert_eq!(
            eval(&mut client, "return 'alive'"),
            "$5\\r\\nalive\\r\\n",
            "{script}"
        );
    }
}

/// `DEBUG SET-DISABLE-DENY-SCRIPTS`: tests of clients make replies of every type so.
#[test]
fn scripts_may_debug_while_somebody_allows_it() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    let script = "return redis.call('debug', 'protocol', 'integer')";
    let refusal = "not allowed from script";
    assert!(eval(&mut client, script).contains(refusal));
    client.call(&["debug", "set-disable-deny-scripts", "1"]);
    assert_eq!(eval(&mut client, script), ":12345\\r\\n");
    // Lua has nothing for attributes.
    let with_attribute = "redis.setresp(3) return redis.call('debug', 'protocol', 'attrib')";
    assert!(eval(&mut client, with_attribute).contains("Some real reply"));
    // It would wait for the locks of its own script.
    assert!(eval(&mut client, "return redis.call('debug', 'populate', '9')").contains(refusal));
    client.call(&["debug", "set-disable-deny-scripts", "0"]);
    assert!(eval(&mut client, script).contains(refusal));
}
