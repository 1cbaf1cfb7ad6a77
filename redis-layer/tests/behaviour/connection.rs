//! The wire: protocol errors as a real server answers them, pipelines, silence, and leaving.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use redis_layer::server::Options;
use redis_layer::store::Scope;

use crate::common::client::{Client, Command, encode};
use crate::common::servers::{Ours, RealRedis};
use crate::common::tree::Node;
use crate::common::waiting::eventually;
use crate::common::{self, StoreKind, both, scope_in_time};

/// Long enough for an answer on this machine, short enough to wait for silence.
const PATIENCE: Duration = Duration::from_millis(300);

fn ours() -> Ours {
    Ours::start(StoreKind::BTree.open())
}

/// Raw bytes, each on its own connection; some end it.
fn odd_requests() -> Vec<Vec<u8>> {
    let mut requests: Vec<Vec<u8>> = [
        &b"*2147483648\r\n"[..],
        b"*a\r\n",
        b"*\r\n",
        b"* 1\r\n",
        b"*+1\r\n",
        b"*01\r\n",
        b"*1\n$4\r\nPING\r\n",
        b"*-5\r\nPING\r\n",
        b"*0\r\n*-9223372036854775808\r\nPING\r\n",
        b"*-9223372036854775809\r\n",
        b"*1\r\n:4\r\n",
        b"*1\r\n\r4\r\n",
        b"*1\r\n$-1\r\n",
        b"*1\r\n$\r\n",
        b"*1\r\n$a\r\n",
        b"*1\r\n$536870913\r\n",
        b"*1\r\n$4\nxPING\r\n",
        b"*1\r\n$4\r\nPINGxx*1\r\n$4\r\nPING\r\n",
        b"*3\r\n$3\r\nfoo\r\n$2\r\na\r\n$1\r\n\x00\r\n",
        b"*1\r\n$0\r\n\r\n",
        b"\"abc\r\n",
        b"'abc\r\n",
        b"set a \"b\"c\r\n",
        b"set a \"b\\x41\\n\"\r\nget a\r\n",
        b"set a 'b\\'c'\r\nget a\r\n",
        b"\r\n\r\nPING\r\n",
        b"PING\nPING\r\n",
        b"   PING   \r\n",
        b"\xff\xfe x\r\n",
        b"PING\x00 a b c\r\n",
        b"set a b extra words here\r\n",
        b"echo \"\"\r\n",
    ]
    .map(<[u8]>::to_vec)
    .into();
    for start in [&b"*"[..], b"*1\r\n$", b""] {
        requests.push([start, &b"1".repeat(70_000)].concat());
    }
    requests
}

#[test]
fn odd_requests_are_answered_as_by_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    scope_in_time(|scope| {
        for request in odd_requests() {
            let ask = move |address| {
                let mut client = Client::connect(address);
                // A server may close before it has read everything.
                let _ = client.send(&request);
                client.rest(PATIENCE)
            };
            let (real, ours) = (real.address, ours.address);
            scope.spawn(move || {
                let (expected, found) = (ask.clone()(real), ask.clone()(ours));
                let shown = |(bytes, closed): &(Vec<u8>, bool)| {
                    format!("{} closed: {closed}", bytes.escape_ascii())
                };
                assert_eq!(shown(&found), shown(&expected));
            });
        }
    });
}

#[test]
fn a_pipeline_is_answered_in_order_however_it_is_cut() {
    let ours = ours();
    let command = |line: String| line.split(' ').map(common::unescape).collect::<Command>();
    let commands: Vec<Command> = (0..2000).map(|n| command(format!("echo {n}"))).collect();
    let mut client = Client::connect(ours.address);
    for (n, reply) in client.pipeline(&commands).into_iter().enumerate() {
        assert_eq!(
            reply,
            format!("${}\r\n{n}\r\n", n.to_string().len()).into_bytes()
        );
    }
    let bytes = encode(&command("echo slowly".to_owned()));
    for byte in &bytes {
        client.send(&[*byte]).unwrap();
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(client.reply().unwrap(), b"$6\r\nslowly\r\n");
}

/// redis-py and others send all of a pipeline before they read the first answer.
#[test]
fn a_pipeline_is_taken_while_nobody_reads_its_answers() {
    // Both sides exceed what the buffers of the system hold.
    const ANSWER_BYTES: usize = 8 * 1024;
    const COMMANDS: usize = 20_000;
    let ours = ours();
    let mut client = Client::connect(ours.address);
    let word = |text: &[u8]| Bytes::copy_from_slice(text);
    let value = word(&b"v".repeat(ANSWER_BYTES));
    let set: Command = vec![word(b"set"), word(b"k"), value];
    client.pipeline(&[set]);
    // The client gives up after its time limit if the server does not read.
    let long_key = word(&b"x".repeat(1024));
    let pair: [Command; 2] = [
        vec![word(b"get"), word(b"k")],
        vec![word(b"exists"), long_key],
    ];
    let request = pair.map(|command| encode(&command)).concat();
    client.send(&request.repeat(COMMANDS)).unwrap();
    for _ in 0..COMMANDS {
        assert_eq!(client.reply().unwrap().len(), ANSWER_BYTES + 9);
        assert_eq!(client.reply().unwrap(), b":0\r\n");
    }
}

#[test]
fn silence_when_a_client_asks_for_it() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    for script in [
        "client reply skip\r\nping\r\necho a\r\n",
        "client reply off\r\nping\r\necho a\r\nclient reply on\r\necho b\r\n",
        "client reply off\r\nclient reply skip\r\nclient reply on\r\necho b\r\n",
        "client reply skip\r\nclient reply skip\r\necho a\r\necho b\r\n",
        "client reply skip\r\nnope\r\necho a\r\n",
        "client reply skip\r\nclient reply on\r\necho a\r\n",
        "multi\r\nclient reply skip\r\nclient reply on\r\nexec\r\necho a\r\necho b\r\n",
        "multi\r\nclient reply skip\r\nclient reply off\r\nclient reply on\r\nexec\r\necho a\r\necho b\r\n",
        "client reply x\r\necho a\r\n",
        "client reply off\r\n*2\r\n$3\r\nget\r\n$-1\r\n",
        "client reply skip\r\n*2\r\n$3\r\nget\r\n$-1\r\n",
        "client reply skip\r\necho \"a\r\n",
        "client reply skip\r\nreset\r\necho a\r\n",
        "client reply off\r\nreset\r\necho a\r\n",
        // What is pushed comes all the same, in both protocols.
        "client reply off\r\nsubscribe c\r\npsubscribe p*\r\nunsubscribe\r\npunsubscribe\r\n",
        "client reply skip\r\nsubscribe c\r\n",
        "client reply off\r\nhello 3\r\nsubscribe c\r\npublish c text\r\necho a\r\nunsubscribe\r\n",
    ] {
        let ask = |address| {
            let mut client = Client::connect(address);
            client.send(script.as_bytes()).unwrap();
            client.rest(PATIENCE).0.escape_ascii().to_string()
        };
        let (found, expected) = both(ours.address, real.address, ask);
        assert_eq!(found, expected, "{script}");
    }
}

#[test]
fn hello_chooses_the_protocol_and_refuses_what_a_real_server_refuses() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let (mut real, mut ours) = (Client::connect(real.address), Client::connect(ours.address));
    for line in [
        "hello 4",
        "hello 1",
        "hello x",
        "hello 3 auth a b",
        "hello 3 auth default",
        "hello 3 setname a\\x20b",
        "hello 3 setname",
        "hello 2 foo\\x00bar",
        "hello 99999999999999999999",
        "auth x",
        "auth a b c",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(ours.call(&words), real.call(&words), "{line}");
    }
    let describes = |client: &mut Client, words: &[&str]| {
        let reply = client.call(words);
        let id = client.id();
        // Not the protocol's number, which may be the same.
        reply.replace(&format!("\\nid\\r\\n:{id}\\r\\n"), "\\nid\\r\\n:ID\\r\\n")
    };
    for words in [
        &["hello"][..],
        &["hello", "3"],
        &["hello", "3", "setname", "n"],
        &["hello", "2"],
    ] {
        assert_eq!(
            describes(&mut ours, words),
            describes(&mut real, words),
            "{words:?}"
        );
        assert_eq!(
            ours.call(&["client", "getname"]),
            real.call(&["client", "getname"])
        );
    }
}

#[test]
fn quit_answers_and_closes() {
    let ours = ours();
    let mut client = Client::connect(ours.address);
    client.send(b"quit\r\nping\r\n").unwrap();
    assert_eq!(client.until_closed(), (b"+OK\r\n".to_vec(), true));
}

#[test]
fn clients_are_listed_while_they_are_connected() {
    let ours = ours();
    let mut first = Client::connect(ours.address);
    let mut second = Client::connect(ours.address);
    first.call(&["client", "setname", "first"]);
    second.call(&["select", "3"]);
    let list = first.call(&["client", "list"]);
    assert_eq!(list.matches("resp=2\\n").count(), 2, "{list}");
    assert!(
        list.contains(" name=first ") && list.contains(" db=3 "),
        "{list}"
    );
    assert!(
        list.contains(" cmd=select ") && list.contains(" cmd=client|list "),
        "{list}"
    );
    let id = second.id();
    let one = first.call(&["client", "list", "id", &id]);
    assert!(
        one.contains(&format!("id={id} ")) && !one.contains("name=first"),
        "{one}"
    );
    let twice = first.call(&["client", "list", "id", &id, "0", "-1", &id]);
    assert_eq!(twice.matches(&format!("id={id} ")).count(), 2, "{twice}");
    drop(second);
    // The server notices at its own pace.
    eventually(|| {
        first
            .call(&["info", "clients"])
            .contains("connected_clients:1\\r\\n")
    });
}

#[test]
fn one_client_too_many_is_told_so() {
    let options = Options {
        max_clients: 1,
        ..Options::default()
    };
    let ours = Ours::start_with(StoreKind::BTree.open(), options);
    let mut first = Client::connect(ours.address);
    assert_eq!(first.call(&["ping"]), "+PONG\\r\\n");
    let mut second = Client::connect(ours.address);
    let (said, closed) = second.until_closed();
    assert_eq!(
        (&*said, closed),
        (&b"-ERR max number of clients reached\r\n"[..], true)
    );
    assert_eq!(first.call(&["ping"]), "+PONG\\r\\n");
}

#[test]
fn half_a_command_and_a_lost_client_harm_nobody() {
    let ours = ours();
    for request in odd_requests() {
        let mut stream = TcpStream::connect(ours.address).unwrap();
        let _ = stream.write_all(&request[..request.len() / 2]);
    }
    let mut client = Client::connect(ours.address);
    assert_eq!(client.call(&["ping"]), "+PONG\\r\\n");
}

#[test]
fn a_stopping_server_answers_what_has_arrived() {
    let mut ours = ours();
    let mut client = Client::connect(ours.address);
    client.call(&["zadd", "z", "1", "a"]);
    client.send(b"zscore z a\r\n").unwrap();
    assert_eq!(client.reply().unwrap(), b"$1\r\n1\r\n");
    ours.stop();
    let (said, closed) = client.until_closed();
    assert_eq!((said.len(), closed), (0, true));
    assert!(TcpStream::connect(ours.address).is_err());
}

/// `ACL LOG` has the passwords that were refused, as a real server has them: those that are alike counted together, newest
/// first, no more than the limit. What is said of the client and of the time is compared by its form.
#[test]
fn refused_passwords_are_logged() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = ours();
    let say = |address| {
        let mut client = Client::connect(address);
        client.call(&["hello", "3"]);
        let mut said = Vec::new();
        for line in [
            "acl log",
            "auth bob wrong",
            "auth bob other",
            "auth ann wrong",
            "hello 3 auth bob wrong",
            "AUTH bob wrong",
            "multi",
            "auth bob wrong",
            "exec",
            "auth bob wrong",
            "config set requirepass right",
            "auth wrong",
            "auth right",
            "acl log",
            "acl log 2",
            "acl log 0",
            "acl log -1",
            "acl log x",
            "acl log 1 2",
            "config set acllog-max-len 2",
            "acl log",
            "auth eve wrong",
            "acl log",
            "config set acllog-max-len 0",
            "auth eve wrong",
            "acl log",
            "acl log reset",
            "acl log",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let facts = Node::of(&mut client, &words).facts();
            said.extend(
                facts
                    .into_iter()
                    .map(|fact| format!("{line}: {}", without_chance(&fact))),
            );
        }
        said
    };
    let (from_ours, from_real) = both(ours.address, real.address, say);
    for (here, there) in from_ours.iter().zip(&from_real) {
        assert_eq!(here, there);
    }
    assert_eq!(from_ours.len(), from_real.len());
    assert!(
        from_ours
            .iter()
            .any(|fact| fact == "acl log: /1/count = :1"),
        "{from_ours:#?}"
    );
}

/// A fact of an entry of `ACL LOG`, without what is by chance: how old it is, and who the client was.
fn without_chance(fact: &str) -> String {
    let (way, value) = fact.split_once(" = ").unwrap();
    if way.ends_with("/age-seconds") {
        let age_s: f64 = value.strip_prefix(',').unwrap().parse().unwrap();
        assert!((0.0..120.0).contains(&age_s), "{fact}");
        return way.to_owned();
    }
    if way.ends_with("/client-info") {
        let fields = value
            .split(' ')
            .map(|field| field.split('=').next().unwrap());
        return format!("{way} = {}", fields.collect::<Vec<_>>().join(" "));
    }
    fact.to_owned()
}

/// They wait as tasks at first, and on threads at last: for a moment and for long.
#[test]
fn pipelines_that_wait_for_a_key_hold_up_nobody_and_run_when_it_is_free() {
    let store = StoreKind::BTree.open();
    let server = Ours::start(Arc::clone(&store));
    let key = [&b"k"[..]];
    let mut other = Client::connect(server.address);
    for (round, held_ms) in [2, 100].into_iter().enumerate() {
        let mut waiting: Vec<Client> = (0..8).map(|_| Client::connect(server.address)).collect();
        let guard = store.lock(Scope::Keys(&key)).unwrap();
        for client in &mut waiting {
            client.send(b"incr k\r\nincr k\r\n").unwrap();
        }
        thread::sleep(Duration::from_millis(held_ms));
        assert_eq!(other.call(&["ping"]), "+PONG\\r\\n");
        let set: Command = ["set", "l", "1"].map(Bytes::from).to_vec();
        assert_eq!(other.pipeline(&[set.clone(), set]).len(), 2);
        assert_eq!(waiting[0].reply_within(Duration::from_millis(1)), None);
        drop(guard);
        for client in &mut waiting {
            client.reply().unwrap();
            client.reply().unwrap();
        }
        let sum = (16 * (round + 1)).to_string();
        assert!(other.call(&["get", "k"]).contains(&sum));
    }
}

/// The locks that are kept for a pipeline, which has waited for long, are also for its commands when they run one by one.
#[test]
fn a_pipeline_that_has_waited_does_not_wait_for_itself() {
    let store = StoreKind::BTree.open();
    let server = Ours::start(Arc::clone(&store));
    // Nobody knows for which of its two keys a client waits first, so there are several.
    let keys: [Vec<String>; 2] =
        ["k", "l"].map(|name| (0..8).map(|n| format!("{name}{n}")).collect());
    let [first, second] = keys.each_ref().map(|keys| {
        let keys: Vec<&[u8]> = keys.iter().map(String::as_bytes).collect();
        store.lock(Scope::Keys(&keys)).unwrap()
    });
    let mut clients: Vec<Client> = (0..8).map(|_| Client::connect(server.address)).collect();
    for (n, client) in clients.iter_mut().enumerate() {
        client
            .send(format!("incr k{n}\r\nincr l{n}\r\n").as_bytes())
            .unwrap();
    }
    thread::sleep(Duration::from_millis(150));
    // Half of them are woken in vain.
    drop(first);
    thread::sleep(Duration::from_millis(50));
    // While a client watches a key, commands run one by one.
    let mut watching = Client::connect(server.address);
    assert_eq!(watching.call(&["watch", "m"]), "+OK\\r\\n");
    drop(second);
    for client in &mut clients {
        let replies = [client.reply().unwrap(), client.reply().unwrap()];
        assert_eq!(replies, [b":1\r\n", b":1\r\n"]);
    }
}
