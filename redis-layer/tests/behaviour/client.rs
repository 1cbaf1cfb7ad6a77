//! `CLIENT`, `AUTH`, `HELLO` and `RESET`, beside a real server where it answers the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::client::{Client, encode};
use crate::common::program::Running;
use crate::common::servers::{Ours, RealRedis};
use crate::common::waiting::eventually;
use crate::common::{self, StoreKind, assert_alike};

const PATIENCE: Duration = Duration::from_millis(300);

fn ours() -> Ours {
    Ours::start(StoreKind::BTree.open())
}

/// Commands whose replies do not describe the server.
const PLAIN: &[&str] = &[
    "client",
    "client nope",
    "client setinfo lib-name x",
    "client kill",
    "client kill 1.2.3.4:5",
    "client kill id x",
    "client kill id 0",
    "client kill id 999999",
    "client kill type x",
    "client kill type master",
    "client kill user nobody",
    "client kill a b c",
    "client kill skipme x",
    "client kill laddr 1.2.3.4:5 addr 1.2.3.4:5",
    "client list type x",
    "client list type master",
    "client list id",
    "client list id x",
    "client list id 0 -1",
    "client no-evict on",
    "client no-evict off",
    "client no-evict x",
    "client unblock 999999",
    "client unblock x",
    "client unblock 999999 x",
    "client unblock 999999 error",
    "client pause x",
    "client pause -1",
    "client pause 1 x",
    "client pause 1 all x",
    "client pause 1 write",
    "client unpause",
    "client caching yes",
    "client getredir",
    "client trackinginfo",
    "client tracking x",
    "client tracking on redirect 999999",
    "client tracking on redirect x",
    "client tracking on prefix a",
    "client tracking on optin optout",
    "client tracking on bcast optin",
    "client tracking on bcast prefix a prefix ab",
    "client tracking on optin",
    "client caching no",
    "client caching yes",
    "client trackinginfo",
    "client tracking on bcast",
    "client tracking off",
    "client tracking on",
    "client caching yes",
    "client caching no",
    "client caching x",
    "client tracking off",
    "client tracking on bcast",
    "client tracking on optout",
    "client tracking off",
    "client tracking on bcast prefix foo prefix bar noloop",
    "client trackinginfo",
    "client tracking on bcast prefix fo",
    "client tracking on bcast prefix other",
    "client trackinginfo",
    "client getredir",
    "client tracking off",
    "acl whoami",
    "acl users",
    "acl list",
    "acl getuser default",
    "acl getuser nope",
    "acl cat",
    "acl cat nope",
    "acl setuser default foo",
    "acl setuser default on nopass ~* &* +@all",
    "acl deluser default",
    "acl deluser nope",
    "acl dryrun default get a",
    "acl dryrun nope get a",
    "acl dryrun default nope",
    "acl dryrun default get",
    "acl dryrun default config",
    "acl dryrun default config get",
    "acl dryrun default CONFIG get x",
    "acl dryrun default Config nosuch",
    "acl dryrun default config nosuch x",
    "acl dryrun default config|get x",
    "acl genpass 0",
    "acl genpass x",
    "acl log reset",
    "acl log",
    "acl log x",
    "acl load",
    "acl save",
    "acl nope",
    "auth x",
    "auth default x",
    "auth nobody x",
    "auth a b c",
    "select 16",
    "select x",
    "select -1",
    "echo",
    "ping a b",
    "role",
    "failover",
    "failover abort",
    "failover abort abort",
    "failover nope",
    "failover timeout",
    "failover timeout x",
    "failover timeout 0 abort",
    "failover timeout 10 timeout 10",
    "failover to a",
    "failover to a b",
    "failover to a 1 force timeout 10",
    "failover to a 1 to b 2",
    "failover force force",
    "replicaof no one",
    "replconf",
    "replconf x",
    "replconf x 1",
    "replconf listening-port 1",
    "replconf listening-port x",
    "replconf ip-address a capa eof capa psync2",
    "replconf capa eof x",
    "replconf rdb-only 1 rdb-only 2",
    "replconf rdb-only x",
    "replconf rdb-filter-only functions",
    "replconf rdb-filter-only nope",
    "cluster info",
    "readonly",
    "module list",
    "memory usage nope",
    "memory usage nope samples -1",
    "memory usage nope x",
    "memory purge",
    "slowlog get -2",
    "slowlog get 1 2",
    "slowlog reset",
    "latency history x",
    "latency graph x",
    "latency latest",
    "latency reset",
    "latency histogram nope",
    "lolwut x",
    "lolwut version",
    "lolwut version x",
    "lolwut version 5 x",
    "lolwut version 6 1 x",
    "debug",
    "shutdown x",
    "shutdown abort",
    "shutdown save nosave",
    "bgsave x",
    "save",
    "pubsub numpat x",
    "pubsub channels a b",
    "monitor x",
    "time x",
];

#[test]
fn refusals_and_plain_replies_are_those_of_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let mut wrong = Vec::new();
    for hello in ["2", "3"] {
        let (mut real, mut ours) = (Client::connect(real.address), Client::connect(ours.address));
        real.call(&["hello", hello]);
        ours.call(&["hello", hello]);
        for &line in PLAIN {
            let words: Vec<&str> = line.split(' ').collect();
            let (expected, found) = (real.call(&words), ours.call(&words));
            if line == "lolwut x" {
                // The picture is our own. A word that is no size is no error.
                assert!(found.contains("Redis ver. 7.0"), "{found}");
                continue;
            }
            if line == "debug" {
                // It is refused to nobody here.
                continue;
            }
            if found != expected {
                wrong.push(format!("{line} in RESP{hello}: {found}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_list_has_the_fields_of_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let fields = |address| {
        let mut client = Client::connect(address);
        client.call(&["client", "setname", "me"]);
        let line = client.call(&["client", "info"]);
        let line = line
            .split("\\r\\n")
            .nth(1)
            .unwrap()
            .trim_end_matches("\\n")
            .to_owned();
        let fields = line.split(' ');
        let names = fields.map(|field| field.split('=').next().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(fields(ours.address), fields(real.address));
    // The client that asks is busy asking, and has nothing else to say.
    let own = |address| {
        let mut client = Client::connect(address);
        // The client of before may still be on its way out.
        let mut list = || client.call(&["client", "list"]);
        eventually(|| list().matches(" name=").count() == 1);
        let line = list();
        let words = [
            "qbuf=",
            "argv-mem=",
            "multi-mem=",
            "obl=",
            "oll=",
            "omem=",
            "cmd=",
            "multi=",
        ];
        let kept = line
            .split(' ')
            .filter(|field| words.iter().any(|w| field.starts_with(w)));
        kept.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(own(ours.address), own(real.address));
}

#[test]
fn flags_and_counts_in_the_list_follow_what_a_client_does() {
    let ours = ours();
    let mut other = Client::connect(ours.address);
    let mut client = Client::connect(ours.address);
    let id = client.id();
    let mut shows = |expected: &[&str]| {
        let mut line = String::new();
        eventually(|| {
            line = other.call(&["client", "list", "id", &id]);
            expected
                .iter()
                .all(|field| line.contains(&format!(" {field} ")))
        });
    };
    shows(&["flags=N", "multi=-1", "sub=0"]);
    client.call(&["multi"]);
    client.call(&["get", "a"]);
    client.call(&["get", "a"]);
    shows(&["flags=x", "cmd=get"]);
    client.call(&["discard"]);
    client.call(&["client", "tracking", "on", "bcast"]);
    client.call(&["client", "no-evict", "on"]);
    shows(&["flags=tBe", "redir=0", "cmd=client|no-evict"]);
    client.call(&["client", "tracking", "off"]);
    client.call(&["client", "no-evict", "off"]);
    client.call(&["psubscribe", "a*"]);
    client.call(&["ssubscribe", "s"]);
    shows(&["flags=P", "psub=1", "ssub=1", "sub=0"]);
    client.call(&["reset"]);
    shows(&["flags=N", "psub=0", "cmd=reset"]);
    client.call(&["watch", "a"]);
    shows(&["flags=N", "cmd=watch"]);
    client.call(&["set", "a", "1"]);
    shows(&["flags=d", "cmd=set"]);
    client.call(&["unwatch"]);
    shows(&["flags=N", "cmd=unwatch"]);
    client.call(&["monitor"]);
    shows(&["flags=O"]);
}

#[test]
fn kill_ends_those_who_match_and_no_others() {
    let ours = ours();
    let connect = || Client::connect(ours.address);
    let (mut killer, mut victim, mut listener, mut spared) =
        (connect(), connect(), connect(), connect());
    let victim_id = victim.id();
    listener.call(&["subscribe", "a"]);
    assert_eq!(
        killer.call(&["client", "kill", "id", &victim_id]),
        ":1\\r\\n"
    );
    assert!(victim.until_closed().1);
    assert_eq!(
        killer.call(&["client", "kill", "type", "pubsub", "user", "default"]),
        ":1\\r\\n"
    );
    assert!(listener.until_closed().1);
    assert_eq!(spared.call(&["ping"]), "+PONG\\r\\n");
    // Itself it spares unless it is told not to, and then it answers first.
    assert_eq!(clients(&mut killer), 2);
    assert_eq!(
        killer.call(&["client", "kill", "type", "normal"]),
        ":1\\r\\n"
    );
    // Who was told to end is not told again, though its connection may not have noticed yet.
    assert_eq!(clients(&mut killer), 1);
    let local = ours.address.to_string();
    let words = ["client", "kill", "laddr", &local, "skipme", "no"];
    assert_eq!(killer.call(&words), ":1\\r\\n");
    assert!(killer.until_closed().1);
    assert!(spared.until_closed().1);
}

fn clients(asker: &mut Client) -> usize {
    asker.call(&["client", "list"]).matches("id=").count()
}

#[test]
fn kill_ends_a_client_that_does_not_read() {
    let ours = ours();
    let mut lazy = Client::connect(ours.address);
    let lazy_id = lazy.id();
    lazy.call(&["set", "k", &"v".repeat(1 << 20)]);
    for _ in 0..64 {
        lazy.send(b"get k\r\n").unwrap();
    }
    let mut killer = Client::connect(ours.address);
    eventually(|| {
        !killer
            .call(&["client", "list", "id", &lazy_id])
            .contains(" obl=0 ")
    });
    assert_eq!(killer.call(&["client", "kill", "id", &lazy_id]), ":1\\r\\n");
    eventually(|| killer.call(&["client", "list"]).matches("id=").count() == 1);
}

#[test]
fn a_pause_holds_back_writes_or_everything_until_it_ends() {
    let ours = ours();
    let (mut pauser, mut writer) = (Client::connect(ours.address), Client::connect(ours.address));
    let writer_id = writer.id();
    // The end of this one lies beyond every clock: Redis finds it in the past.
    let endless = i64::MAX.to_string();
    assert_eq!(pauser.call(&["client", "pause", &endless]), "+OK\\r\\n");
    pauser.call(&["client", "pause", "100000", "write"]);
    assert_eq!(writer.call(&["get", "k"]), "$-1\\r\\n");
    writer.send(b"set k v\r\nget k\r\n").unwrap();
    let is_blocked = |client: &mut Client| {
        let line = client.call(&["client", "list", "id", &writer_id]);
        line.contains(" flags=b ")
            && client
                .call(&["info", "clients"])
                .contains("blocked_clients:1")
    };
    eventually(|| is_blocked(&mut pauser));
    assert_eq!(pauser.call(&["get", "k"]), "$-1\\r\\n");
    assert_eq!(pauser.call(&["client", "unpause"]), "+OK\\r\\n");
    assert_eq!(writer.reply().unwrap(), b"+OK\r\n");
    assert_eq!(writer.reply().unwrap(), b"$1\r\nv\r\n");
    // A pause of everything ends by itself.
    let started = Instant::now();
    pauser.call(&["client", "pause", "200"]);
    assert_eq!(writer.call(&["get", "k"]), "$1\\r\\nv\\r\\n");
    assert!(started.elapsed() >= Duration::from_millis(190));
    // A transaction that only reads goes on, one that writes waits.
    pauser.call(&["client", "pause", "100000", "write"]);
    writer.call(&["multi"]);
    writer.call(&["get", "k"]);
    assert_eq!(writer.call(&["exec"]), "*1\\r\\n$1\\r\\nv\\r\\n");
    // A client that is held back can be ended.
    writer.send(b"del k\r\n").unwrap();
    eventually(|| is_blocked(&mut pauser));
    assert_eq!(
        pauser.call(&["client", "kill", "id", &writer_id]),
        ":1\\r\\n"
    );
    assert!(writer.until_closed().1);
    pauser.call(&["client", "unpause"]);
    assert_eq!(pauser.call(&["get", "k"]), "$1\\r\\nv\\r\\n");
}

#[test]
fn a_password_is_asked_of_everybody_who_comes_after_it() {
    assert_alike(|address| {
        let mut first = Client::connect(address);
        let mut said = vec![first.call(&["config", "set", "requirepass", "secret"])];
        said.push(first.call(&["get", "k"]));
        let mut second = Client::connect(address);
        for line in [
            "get k",
            "nope",
            "get",
            "hello 3",
            "hello 3 auth default wrong",
            "hello 2 setname x auth default secret",
            "client getname",
            "get k",
            "reset",
            "ping",
            "auth wrong",
            "auth secret",
            "auth default secret",
            "auth nobody secret",
            "ping",
            "multi",
            "reset",
            "auth secret",
            "exec",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let reply = second.call(&words);
            // What HELLO answers describes the server.
            let is_description = reply.contains("standalone");
            said.push(if is_description {
                "described".into()
            } else {
                reply
            });
        }
        let mut stranger = Client::connect(address);
        stranger.send(b"*11\r\n").unwrap();
        said.push(format!("{:?}", stranger.until_closed()));
        let mut stranger = Client::connect(address);
        stranger.send(b"*2\r\n$3\r\nget\r\n$20000\r\n").unwrap();
        said.push(format!("{:?}", stranger.until_closed()));
        said.push(first.call(&["config", "set", "requirepass", ""]));
        said.push(Client::connect(address).call(&["ping"]));
        said
    });
}

/// What a client may send is decided when its command is read, so all commands before have run.
#[test]
fn a_pipeline_may_change_what_its_own_rest_may_be() {
    assert_alike(|address| {
        let mut first = Client::connect(address);
        first.call(&["config", "set", "requirepass", "secret"]);
        let long = format!("echo {}", "x".repeat(16_385));
        let many = format!("mget{}", " k".repeat(10));
        let longest = format!("echo {}", "x".repeat(2 << 20));
        let inline = format!("inline {long}");
        let mut said = Vec::new();
        for lines in [
            &["auth secret", "reset", &long, "ping"][..],
            &["auth secret", "set k v", "get k", "ReSeT", &many, "ping"],
            &["auth secret", "reset", "auth secret", &long, &many],
            &["auth secret", "reset", &inline, "ping"],
            &["auth secret", "multi", "get k", "reset", &long],
            &["auth secret", "ping", "auth wrong", &long],
            &[
                "auth secret",
                "get k",
                "config set proto-max-bulk-len 1mb",
                &longest,
            ],
            &[
                "auth secret",
                "get k",
                "config set proto-max-bulk-len 4mb",
                &longest,
            ],
        ] {
            let mut bytes = Vec::new();
            for line in lines {
                match line.strip_prefix("inline ") {
                    Some(line) => bytes.extend([line.as_bytes(), b"\r\n"].concat()),
                    None => bytes.extend(encode(&line.split(' ').map(common::unescape).collect())),
                }
            }
            let mut client = Client::connect(address);
            // A server that refuses a command does not read what comes behind it.
            let _ = client.send(&bytes);
            let (answers, is_closed) = client.rest(PATIENCE);
            said.push((answers.escape_ascii().to_string(), is_closed));
        }
        said
    });
}

/// A refusal takes nothing back of what came before it.
#[test]
fn hello_takes_its_options_one_by_one() {
    assert_alike(|address| {
        let mut first = Client::connect(address);
        first.call(&["config", "set", "requirepass", "pass"]);
        let mut said = Vec::new();
        for line in [
            "hello 3 auth default pass foo",
            "hello 3 auth default pass setname",
            "hello 3 auth default bad auth default pass",
            "hello 3 auth default pass auth default bad",
            "hello 3 setname x foo",
            "hello 3 setname x auth default bad",
            "hello 3 setname x auth default pass setname a\\x20b",
            "hello 3 setname x",
            "hello 3 setname a\\x20b auth default pass",
            "hello 4 auth default pass",
        ] {
            let mut client = Client::connect(address);
            for line in [line, "ping", "auth pass", "client getname"] {
                let words: Vec<&str> = line.split(' ').collect();
                said.push(client.call(&words));
            }
        }
        said
    });
}

#[test]
fn idle_clients_are_closed_but_not_those_who_listen() {
    let ours = ours();
    let mut idle = Client::connect(ours.address);
    let mut listener = Client::connect(ours.address);
    listener.call(&["subscribe", "a"]);
    // Both are there by now.
    idle.call(&["config", "set", "timeout", "1"]);
    assert!(idle.until_closed().1);
    assert_eq!(
        listener.call(&["ping"]),
        "*2\\r\\n$4\\r\\npong\\r\\n$0\\r\\n\\r\\n"
    );
}

/// Neither who takes long to send a command nor who takes long to read an answer is idle.
#[test]
fn a_slow_client_is_not_idle() {
    assert_alike(|address| {
        let mut sender = Client::connect(address);
        sender.call(&["config", "set", "timeout", "3"]);
        let mut reader = Client::connect(address);
        reader.call(&["setrange", "k", "29999999", "x"]);
        reader.send(b"get k\r\n").unwrap();
        sender.send(b"*2\r\n$4\r\necho\r\n$15\r\n").unwrap();
        let mut read = 0;
        for _ in 0..15 {
            thread::sleep(Duration::from_millis(400));
            sender.send(b"x").unwrap();
            read += reader.read_some(2_000_000);
        }
        sender.send(b"\r\n").unwrap();
        assert_eq!(sender.reply().unwrap(), b"$15\r\nxxxxxxxxxxxxxxx\r\n");
        let length = "$30000000\r\n".len() + 30_000_000 + 2;
        while read < length {
            read += reader.read_some(2_000_000);
        }
        assert_eq!(read, length);
    });
}

/// Two pauses are one: it lasts as long as the longer, and holds back what either does.
#[test]
fn a_pause_joins_the_one_before_it() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    for address in [real.address, ours.address] {
        let (mut pauser, mut reader) = (Client::connect(address), Client::connect(address));
        let started = Instant::now();
        pauser.call(&["client", "pause", "400", "write"]);
        pauser.call(&["client", "pause", "1", "all"]);
        assert_eq!(reader.call(&["get", "k"]), "$-1\\r\\n");
        assert!(started.elapsed() >= Duration::from_millis(390));
        // It has ended, and is no part of the next one.
        pauser.call(&["client", "pause", "60000", "write"]);
        assert_eq!(reader.call(&["get", "k"]), "$-1\\r\\n");
        pauser.call(&["client", "unpause"]);
    }
}

/// What is refused anyway is refused at once, whatever a pause holds back.
#[test]
fn a_pause_holds_back_nothing_that_is_refused() {
    assert_alike(|address| {
        let connect = |prepare: &[&str]| {
            let mut client = Client::connect(address);
            client.call(prepare);
            client
        };
        let mut pauser = connect(&["acl", "setuser", "u", "on", "nopass", "~a", "+get", "+set"]);
        let mut user = connect(&["auth", "u", "x"]);
        let mut subscriber = connect(&["subscribe", "c"]);
        let mut transaction = connect(&["multi"]);
        let mut said = Vec::new();
        for pause in ["write", "all"] {
            said.push(pauser.call(&["client", "pause", "600000", pause]));
            for words in [&["set", "b", "1"][..], &["get", "b"], &["del", "a"]] {
                said.push(user.call(words));
            }
            said.push(subscriber.call(&["set", "a", "1"]));
            for words in [&["set"][..], &["nope"], &["config", "nope"]] {
                said.push(transaction.call(words));
            }
        }
        said
    });
}

/// Others see which command a pause holds back, and not the one before it.
#[test]
fn a_command_that_a_pause_holds_back_is_shown() {
    assert_alike(|address| {
        let (mut pauser, mut held) = (Client::connect(address), Client::connect(address));
        let held_id = held.id();
        pauser.call(&["client", "pause", "600000", "write"]);
        let mut shown = Vec::new();
        for commands in ["set k v\r\n", "multi\r\nset k v\r\n"] {
            held.send(commands.as_bytes()).unwrap();
            eventually(|| {
                pauser
                    .call(&["info", "clients"])
                    .contains("blocked_clients:1")
            });
            let line = pauser.call(&["client", "list", "id", &held_id]);
            let field = |name| line.split(' ').find(|field| field.starts_with(name));
            shown.push(["cmd=", "flags=", "multi="].map(|name| field(name).map(str::to_owned)));
            pauser.call(&["client", "unpause"]);
            held.reply().unwrap();
            pauser.call(&["client", "pause", "600000", "write"]);
        }
        shown
    });
}

/// As with a real server, where one thread serves.
#[test]
fn whom_a_pause_held_back_goes_on_in_the_order_of_arrival() {
    const WRITERS: usize = 8;
    let running = Running::in_memory(&["--threads", "1"]);
    let mut pauser = Client::connect(running.address);
    for (ends_by_itself, milliseconds) in [(false, "600000"), (true, "500")] {
        pauser.call(&["del", "l"]);
        pauser.call(&["client", "pause", milliseconds, "write"]);
        let connect = |_| Client::connect(running.address);
        let mut writers: Vec<Client> = (0..WRITERS).map(connect).collect();
        for (before, writer) in writers.iter_mut().enumerate() {
            writer.send(b"rpush l a\r\n").unwrap();
            let held = format!("blocked_clients:{}\\r", before + 1);
            eventually(|| pauser.call(&["info", "clients"]).contains(&held));
        }
        if !ends_by_itself {
            pauser.call(&["client", "unpause"]);
        }
        let reply = |writer: &mut Client| writer.reply().unwrap().escape_ascii().to_string();
        let replies: Vec<String> = writers.iter_mut().map(reply).collect();
        let expected: Vec<String> = (1..=WRITERS).map(|at| format!(":{at}\\r\\n")).collect();
        assert_eq!(replies, expected, "after {milliseconds}");
    }
}

/// The end of a pause wakes clients that were just about to wait for it, too.
#[test]
fn no_end_of_a_pause_is_missed() {
    const PAUSES: usize = 300;
    let ours = ours();
    let address = ours.address;
    let is_done = Arc::new(AtomicBool::new(false));
    let written: Arc<[AtomicUsize; 4]> = Arc::default();
    let writers: Vec<_> = (0..written.len())
        .map(|writer| {
            let (is_done, written) = (Arc::clone(&is_done), Arc::clone(&written));
            thread::spawn(move || {
                let mut client = Client::connect(address);
                while !is_done.load(Ordering::Relaxed) {
                    client.send(b"get k\r\nset k v\r\n").unwrap();
                    client.reply().unwrap();
                    client.reply().unwrap();
                    written[writer].fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let mut pauser = Client::connect(address);
    for _ in 0..PAUSES {
        pauser.call(&["client", "pause", "600000", "write"]);
        pauser.call(&["client", "unpause"]);
        // The next pause would end, too, and wake those who have missed the end of this one.
        for written in written.iter() {
            let before = written.load(Ordering::Relaxed);
            eventually(|| written.load(Ordering::Relaxed) > before);
        }
    }
    is_done.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.join().unwrap();
    }
}

/// A client that wants no reply to a blocking command gets none, whatever ends the wait.
#[test]
fn a_wait_without_a_reply_ends_without_one() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let ask = |address| {
        let (mut client, mut other) = (Client::connect(address), Client::connect(address));
        let client_id = client.id();
        let is_waiting = |other: &mut Client| {
            let clients = other.call(&["info", "clients"]);
            clients.contains("blocked_clients:1")
        };
        let mut seen = String::new();
        for silence in ["client reply skip", "client reply off"] {
            for end in [
                "rpush k v",
                "client unblock ID",
                "client unblock ID error",
                "",
            ] {
                let timeout = if end.is_empty() { "0.05" } else { "0" };
                let lines = format!("{silence}\r\nblpop k {timeout}\r\n");
                client.send(lines.as_bytes()).unwrap();
                if end.is_empty() {
                    thread::sleep(Duration::from_millis(300));
                } else {
                    eventually(|| is_waiting(&mut other));
                    let end = end.replace("ID", &client_id);
                    other.call(&end.split(' ').collect::<Vec<_>>());
                    eventually(|| !is_waiting(&mut other));
                }
                client.send(b"client reply on\r\necho end\r\n").unwrap();
                for _ in 0..2 {
                    seen += &String::from_utf8(client.reply().unwrap()).unwrap();
                }
            }
        }
        seen
    };
    let expected = "+OK\r\n$3\r\nend\r\n".repeat(8);
    assert_eq!(ask(real.address), expected);
    assert_eq!(ask(ours.address), expected);
}

/// While commands that write are held back, nothing else writes either: what has expired stays where it is.
#[test]
fn a_pause_holds_back_the_removal_of_what_has_expired() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    let mut expired = || {
        let info = client.call(&["info", "stats"]);
        let at = info.find("expired_keys:").unwrap();
        info[at..].split("\\r").next().unwrap().to_owned()
    };
    let mut writer = Client::connect(ours.address);
    // Both at one moment, so that the pause comes first on a busy machine too.
    writer
        .send(b"multi\r\nset k 1 px 300\r\nclient pause 60000 write\r\nexec\r\n")
        .unwrap();
    for answer in ["+OK", "+QUEUED", "+QUEUED", "*2\r\n+OK\r\n+OK"] {
        let reply = String::from_utf8(writer.reply().unwrap()).unwrap();
        assert_eq!(reply.trim_end(), answer);
    }
    thread::sleep(Duration::from_millis(600));
    assert_eq!(expired(), "expired_keys:0");
    writer.call(&["client", "unpause"]);
    eventually(|| expired() == "expired_keys:1");
}

/// A script may write unless it says that it does not, and a message is for replicas too.
#[test]
fn a_pause_of_writes_holds_back_scripts_and_messages() {
    let ours = ours();
    let mut writer = Client::connect(ours.address);
    for (line, is_held) in [
        ("eval|return 1|0", true),
        ("eval|#!lua\nreturn 1|0", true),
        ("eval|#!lua flags=no-writes\nreturn 1|0", false),
        ("eval_ro|return 1|0", false),
        ("publish|c|m", true),
        ("get|k", false),
    ] {
        for inside in [false, true] {
            let mut client = Client::connect(ours.address);
            let words: Vec<&str> = line.split('|').collect();
            if inside {
                client.call(&["multi"]);
                client.call(&words);
            }
            writer.call(&["client", "pause", "600000", "write"]);
            let words = if inside { vec!["exec"] } else { words };
            let command = words.iter().map(|word| word.as_bytes().to_vec().into());
            client.send(&encode(&command.collect())).unwrap();
            // Either never comes if the other does.
            if is_held {
                client.wait_until_held_up();
            } else {
                client.reply().unwrap();
            }
            writer.call(&["client", "unpause"]);
            if is_held {
                client.reply().unwrap();
            }
        }
    }
}

/// What is no command is shown as none, and counted for none.
#[test]
fn the_last_command_is_shown_though_it_was_refused() {
    assert_alike(|address| {
        let (mut client, mut other) = (Client::connect(address), Client::connect(address));
        let id = client.id();
        client.call(&["config", "resetstat"]);
        let mut shown = Vec::new();
        for line in [
            "get",
            "nosuch",
            "config get",
            "config nope",
            "client nope x",
            "debug",
        ] {
            client.call(&line.split(' ').collect::<Vec<_>>());
            let list = other.call(&["client", "list", "id", &id]);
            let fields = list.split(' ').filter(|field| field.starts_with("cmd="));
            shown.extend(fields.map(str::to_owned));
        }
        let statistics = other.call(&["info", "commandstats"]);
        let lines = statistics.split("\\r\\n");
        let refused = lines.filter(|line| line.contains("rejected_calls=1,"));
        let mut refused: Vec<_> = refused.map(str::to_owned).collect();
        refused.sort();
        (shown, refused)
    });
}

/// What others see of a client follows it through scripts, transactions that will not run, and `RESET`.
#[test]
fn the_list_shows_what_holds_for_the_next_command() {
    assert_alike(|address| {
        let (mut client, mut other) = (Client::connect(address), Client::connect(address));
        let id = client.id();
        let script = "redis.call('select', 1) return redis.call('set', KEYS[1], 1)";
        let lines: [&[&str]; 13] = [
            &["eval", script, "1", "a"],
            &["client", "no-evict", "on"],
            &["reset"],
            &["multi"],
            &["get", "a"],
            &["nosuch"],
            &["get", "a"],
            &["discard"],
            &["watch", "a"],
            &["set", "a", "1"],
            &["multi"],
            &["get", "a"],
            &["exec"],
        ];
        let mut shown = Vec::new();
        for words in lines {
            shown.push(client.call(words));
            let list = other.call(&["client", "list", "id", &id]);
            let is_shown = |field: &&str| {
                let names = ["db=", "multi=", "flags=", "cmd="];
                names.iter().any(|name| field.starts_with(name))
            };
            shown.extend(list.split(' ').filter(is_shown).map(str::to_owned));
        }
        shown
    });
}
