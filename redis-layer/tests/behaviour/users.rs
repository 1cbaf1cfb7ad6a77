//! `ACL`: users, their rules, and what they may do, beside a real server.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use crate::common;
use crate::common::StoreKind;
use crate::common::client::{Client, Command};
use crate::common::random::Random;
use crate::common::servers::{Ours, RealRedis};

const PATIENCE: Duration = Duration::from_millis(300);

fn both() -> Option<(RealRedis, Ours)> {
    Some((RealRedis::start()?, Ours::start(StoreKind::BTree.open())))
}

/// Runs lines on several connections: the first word of a line names its connection. Returns each line with its reply.
fn run(address: SocketAddr, lines: &str) -> Vec<String> {
    let mut clients: HashMap<&str, Client> = HashMap::new();
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let mut words = line.split(' ');
            let name = words.next().unwrap();
            let client = clients
                .entry(name)
                .or_insert_with(|| Client::connect(address));
            let words: Vec<&str> = words.collect();
            let reply = client.call(&words);
            // Redis shows the single commands of a user in an order by chance.
            if line.contains(" acl list") || line.contains(" acl getuser") {
                let reply = reply.replace("\\r\\n", " ");
                let mut words: Vec<&str> = reply.split(' ').collect();
                words.sort_unstable();
                return format!("{line}\n    {}", words.join(" "));
            }
            format!("{line}\n    {reply}")
        })
        .collect()
}

#[track_caller]
fn assert_same(from_ours: &[String], from_real: &[String]) {
    for (here, there) in from_ours.iter().zip(from_real) {
        assert_eq!(here, there);
    }
    assert_eq!(from_ours.len(), from_real.len());
}

/// Words with `\x20` for a space.
const RULES: &str = r"
a acl setuser bob
a acl getuser bob
a acl list
a acl setuser bob on >pw +@read -get +config|get ~a* %R~b* &ch* resetchannels &x (+set ~z) (+@write %W~q)
a acl setuser bob +select|0
a acl setuser bob -select|0
a acl setuser bob +set|
a acl setuser bob +config|get|x
a acl setuser bob +config|foo
a acl setuser bob +config|
a acl setuser bob foo
a acl setuser bob +foo
a acl setuser bob +foo|x
a acl setuser bob +@foo
a acl setuser bob +@
a acl setuser bob +
a acl setuser bob -
a acl setuser bob #abc
a acl setuser bob #30C952FAB122C3F9759F02A6D95C3758B246B4FEE239957B2D4FEE46E26170C4
a acl setuser bob #ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
a acl setuser bob >abc
a acl setuser bob <foo
a acl setuser bob !abc
a acl setuser bob !0000000000000000000000000000000000000000000000000000000000000000
a acl setuser bob ~* ~a
a acl setuser bob allkeys %R~a
a acl setuser bob &* &a
a acl setuser bob %~a
a acl setuser bob %X~a
a acl setuser bob %R
a acl setuser bob %
a acl setuser bob ~
a acl setuser bob %w~b*
a acl setuser bob (
a acl setuser bob (+get
a acl setuser bob (+get ~x) (+set
a acl setuser bob (+get ~x)
a acl setuser bob (~a (+get ~y)
a acl setuser bob (~a ( )
a acl setuser bob (~a (+get) ~b)
a acl setuser bob (~a (+get
a acl setuser bob (on)
a acl setuser bob (+foo)
a acl setuser bob ()
a acl setuser bob )
a acl setuser bob ~a\x20b
a acl setuser bob &a\x20b
a acl setuser bo\x20b on
a acl getuser bob
a acl list
a acl users
a acl dryrun bob get x
a acl dryrun bob strlen x
a acl dryrun bob strlen a1
a acl dryrun bob strlen b1
a acl dryrun bob set z 1
a acl dryrun bob set q 1
a acl dryrun bob set q 1 get
a acl dryrun bob set q1 1
a acl dryrun bob subscribe x
a acl dryrun bob config get x
a acl dryrun bob config set x y
a acl dryrun bob select 0
a acl dryrun bob select 1
a acl dryrun bob auth x
a acl dryrun bob hello
a acl dryrun nobody get x
a acl setuser bob clearselectors
a acl getuser bob
a acl setuser bob sanitize-payload
a acl setuser bob nopass
a acl list
a acl setuser bob skip-sanitize-payload resetpass
a acl list
a acl setuser bob +@all +select|0
a acl getuser bob
a acl setuser bob -select +select|1
a acl list
a acl setuser bob +@all -@dangerous
a acl getuser bob
a acl setuser bob +@all -@hyperloglog
a acl list
a acl setuser bob +@all -@stream -@geo
a acl list
a acl setuser bob -@all +@stream +@geo -@geo
a acl list
a acl setuser bob resetkeys resetchannels
a acl setuser bob allchannels allkeys allcommands
a acl list
a acl setuser bob nocommands
a acl list
a acl setuser bob RESET
a acl list
a acl setuser bob +@ALL -GET +GeT
a acl list
a config set acl-pubsub-default allchannels
a acl setuser ann
a acl list
a config set acl-pubsub-default resetchannels
a acl deluser ann default
a acl deluser ann bob nobody
a acl users
a acl deluser default
a acl setuser default -get
a acl list
a get x
a acl setuser default +get
a acl getuser default
a acl setuser default >abc
a acl list
a config get requirepass
b ping
b acl whoami
b auth nobody abc
b auth abd
b auth abc
b acl whoami
a acl setuser default nopass
a config set requirepass foo
a acl list
a config set requirepass other
a acl setuser default off
c ping
c auth default x
a acl setuser default on nopass
c ping
a acl log reset
";

#[test]
fn rules_are_understood_as_by_a_real_server() {
    let Some((real, ours)) = both() else { return };
    assert_same(&run(ours.address, RULES), &run(real.address, RULES));
}

/// What a user may not do is refused: alone, in a transaction, in a script, and to who waits for messages.
const RIGHTS: &str = r"
a acl setuser bob on >pw ~a* %R~b* %W~c* &news +@all -@dangerous -mset +info
a acl setuser bob -acl +acl|whoami +acl|users
a rpush a1 3 1 2
a set b1 v
b auth bob pw
b acl whoami
b acl users
b acl list
b mset a1 1
b get a
b get b
b get c
b get d
b set b 1
b set c 1
b set c 1 get
b set d 1
b append c x
b append b x
b copy b1 a2
b copy b1 c2
b copy c2 a3
b rename b1 a4
b exists d
b type d
b type b
b ttl d
b del a9 d
b publish news x
b publish olds x
b spublish olds x
b lpush a5 1
b lmove a5 b5 left left
b lmove a5 c5 left left
b zunionstore a6 2 a7 b7
b zunionstore a6 2 a7 c7
b zunionstore b6 1 a7
b zunion 2 a7 x
b zunion 9 a7 x
b bitfield b8 get u8 0
b bitfield b8 set u8 0 1
b bitfield c8 set u8 0 1
b sort a1
b sort_ro a1
b sort a1 by nosort
b flushall
b info keyspace nope
b keys *
b ping x
b eval return\x20redis.call('get',KEYS[1]) 1 b1
b eval return\x20redis.call('get',KEYS[1]) 1 d1
b eval return\x20redis.call('get','d1') 0
b eval return\x20redis.call('keys','*') 0
b eval return\x20redis.pcall('publish','olds','x') 0
b eval return\x20redis.pcall('mset','a1','x').err 0
b eval return\x20{redis.acl_check_cmd('get','a'),redis.acl_check_cmd('get','d')} 0
b eval return\x20redis.acl_check_cmd('mset','a','1') 0
b eval return\x20redis.acl_check_cmd('nope') 0
a acl setuser bob -sort
b sort a1
a acl setuser bob +sort +sort_ro
b sort a1 by b*
b sort a1 get b*
b sort a1 limit by* 1
b multi
b get a1
b strlen a
b get d
b exec
b multi
b strlen a
b strlen b
b publish news x
b spublish news x
a acl setuser bob -strlen resetchannels
b exec
a acl setuser bob +strlen
b strlen a
b reset
b acl whoami
b get d
a acl setuser bob off
b auth bob pw
b hello 3 auth bob pw
a client kill user bob
a client kill user nobody
a acl setuser eve on nopass (+get ~x) (+set ~y) (+sort ~*) +@connection
b auth eve anything
b get x
b get y
b set y 1
b set x 1
b sort x by w* get #
b select 1
a acl setuser eve reset on nopass +select|0 +select|2 +acl|whoami
b select 1
b select 2
b acl whoami
";

#[test]
fn what_a_user_may_not_do_is_refused() {
    let Some((real, ours)) = both() else { return };
    assert_same(&run(ours.address, RIGHTS), &run(real.address, RIGHTS));
    let log = |address| {
        let mut client = Client::connect(address);
        let log = client.call(&["acl", "log", "100"]);
        let is_fixed = |line: &&str| !line.starts_with("id=") && !line.contains('.');
        let lines = log.split("\\r\\n").filter(is_fixed);
        // The lengths of texts that are by chance.
        let lines = lines.filter(|line| !line.starts_with('$'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_same(&log(ours.address), &log(real.address));
}

/// Commands that arrive together are checked too, also when the rules change between two of them.
#[test]
fn each_command_of_a_pipeline_is_checked() {
    let Some((real, ours)) = both() else { return };
    let said = |address| {
        let mut client = Client::connect(address);
        let lines = [
            "acl setuser bob on nopass ~a* +@all",
            "auth bob x",
            "set a1 1",
            "set b1 1",
            "get a1",
            "get b1",
            "mget a1 b1",
            "acl setuser bob -get",
            "get a1",
            "set a2 1",
            "acl setuser bob ~*",
            "set b2 1",
            "get b2",
        ];
        let command = |line: &str| line.split(' ').map(common::unescape).collect::<Command>();
        client.pipeline(&lines.map(command))
    };
    let (here, there) = (said(ours.address), said(real.address));
    assert_eq!(here, there);
    assert!(here[3].starts_with(b"-NOPERM"));
}

/// Who is logged in as a user that is removed, or hears a channel that the user may no longer hear, is disconnected.
#[test]
fn connections_end_with_their_rights() {
    let Some((real, ours)) = both() else { return };
    let said = |address| {
        let log_in = || {
            let mut client = Client::connect(address);
            client.call(&["auth", "bob", "x"]);
            client
        };
        let mut admin = Client::connect(address);
        admin.call(&["acl", "setuser", "bob", "on", "nopass", "+@all", "&*", "~*"]);
        let mut clients = [log_in(), log_in(), log_in(), log_in()];
        let topics = [
            ("subscribe", "kept"),
            ("subscribe", "lost"),
            ("psubscribe", "l*"),
            ("ssubscribe", "lost"),
        ];
        for (client, (command, topic)) in clients.iter_mut().zip(topics) {
            client.call(&[command, topic]);
        }
        let mut said = vec![admin.call(&["acl", "setuser", "bob", "resetchannels", "&kept"])];
        for client in &mut clients {
            said.push(format!("{:?}", client.rest(PATIENCE)));
        }
        let mut other = log_in();
        said.push(admin.call(&["acl", "deluser", "bob"]));
        for client in [&mut other, &mut clients[0]] {
            said.push(format!("{:?}", client.rest(PATIENCE)));
        }
        // Who removes itself has its answer first.
        admin.call(&["acl", "setuser", "bob", "on", "nopass", "+@all"]);
        let mut own = log_in();
        said.push(own.call(&["acl", "deluser", "bob"]));
        said.push(format!("{:?}", own.rest(PATIENCE)));
        said
    };
    let (here, there) = (said(ours.address), said(real.address));
    assert_eq!(here, there);
    assert!(here[2].contains("true"), "{here:?}");
}

/// Rules by chance, and then what the user may do.
#[test]
fn any_rules_give_the_rights_that_a_real_server_gives() {
    let Some((real, ours)) = both() else { return };
    let mut clients = [Client::connect(ours.address), Client::connect(real.address)];
    let mut random = Random::new(7);
    let listed = clients[1].call(&["acl", "cat"]);
    // Every second part is a length.
    let listed = listed.split("\\r\\n").skip(2).step_by(2);
    let categories: Vec<&str> = std::iter::once("all").chain(listed).collect();
    assert!(categories.len() > 20, "{categories:?}");
    let commands = [
        "get",
        "set",
        "lpush",
        "config|get",
        "config",
        "client|id",
        "client",
        "select",
        "sort",
        "subscribe",
        "publish",
        "eval",
        "hgetall",
        "zadd",
        "acl|whoami",
        "object|encoding",
    ];
    let tried = [
        "get k",
        "set k v",
        "set k v get",
        "lpush l a",
        "config get x",
        "config set x y",
        "client id",
        "client kill x",
        "select 0",
        "select 1",
        "sort k",
        "subscribe ch",
        "publish ch x",
        "psubscribe c*",
        "eval x 1 k",
        "hgetall h",
        "zadd z 1 m",
        "acl whoami",
        "object encoding k",
        "copy k l",
        "sunionstore k l h",
        "ping",
        "debug x",
        "multi",
        "blpop l 0",
        "keys x",
    ];
    for round in 0..300 {
        let mut words = vec!["acl".to_owned(), "setuser".to_owned(), "u".to_owned()];
        for _ in 0..=random.below(5) {
            let sign = random.pick(&["+", "-"]);
            let pattern = random.pick(&["k", "*", "l*", "?", "h"]);
            let rule = match random.below(10) {
                0..=2 => format!("{sign}@{}", random.pick(&categories)),
                3..=5 => format!("{sign}{}", random.pick(&commands)),
                6 => format!("{}~{pattern}", random.pick(&["", "%R", "%W", "%RW"])),
                7 => format!("&{}", random.pick(&["ch", "c*", "*", "x"])),
                8 => random
                    .pick(&[
                        "+select|0",
                        "+get|k",
                        "-select|0",
                        "reset",
                        "clearselectors",
                    ])
                    .to_owned(),
                _ => random
                    .pick(&[
                        "resetkeys",
                        "resetchannels",
                        "allkeys",
                        "(+get %R~k)",
                        "(+@write ~l*)",
                        "(~k",
                        "(+@read",
                        "%R~h)",
                    ])
                    .to_owned(),
            };
            words.push(rule);
        }
        let mut say = |words: &[&str]| clients.each_mut().map(|client| client.call(words));
        let all: Vec<&str> = words.iter().map(String::as_str).collect();
        let [here, there] = say(&all);
        assert_eq!(here, there, "round {round}: {words:?}");
        for line in tried {
            let mut dry = vec!["acl", "dryrun", "u"];
            dry.extend(line.split(' '));
            let [here, there] = say(&dry);
            assert_eq!(here, there, "round {round}: {words:?}, then {line}");
        }
        // The order of single commands is by chance in Redis, and it has more commands.
        let [here, there] = say(&["acl", "getuser", "u"]).map(|reply| {
            let lines = reply.split("\\r\\n").filter(|line| !line.contains('@'));
            let lines = lines.filter(|line| !line.starts_with('$'));
            lines.map(str::to_owned).collect::<Vec<_>>()
        });
        assert_eq!(here, there, "round {round}: {words:?}");
    }
}

/// The rules that are shown lead to the same rights.
#[test]
fn the_rules_that_are_shown_can_be_given_again() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    let given = [
        "+@read -get +config|get +select|0",
        "+@all -@dangerous -client|id +info",
        "-@all +client -client|kill",
        "+@all -config +config|get",
        "+@string +@hash -set",
    ];
    for rules in given {
        let words = |name: &'static str| vec!["acl", "setuser", name, "reset"];
        let mut first = words("one");
        first.extend(rules.split(' '));
        assert_eq!(client.call(&first), "+OK\\r\\n");
        let shown = client.call(&["acl", "list"]);
        let line = shown
            .split("\\r\\n")
            .find(|line| line.starts_with("user one "))
            .unwrap();
        let mut again = words("two");
        again.extend(line.split(' ').skip(2));
        assert_eq!(client.call(&again), "+OK\\r\\n");
        let shown = client.call(&["acl", "list"]);
        let mut lines = shown
            .split("\\r\\n")
            .filter_map(|line| line.strip_prefix("user "));
        let mut next =
            || lines.find_map(|line| line.strip_prefix("one ").or(line.strip_prefix("two ")));
        assert_eq!(next().unwrap(), next().unwrap(), "{rules}");
    }
}
