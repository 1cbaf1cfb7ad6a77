//! Commands of several clients that are ready together run together, and no client can tell.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use redis_layer::commands::{
    Arrived, Executed, Server, Session, Settings, Wait, execute_next, execute_together,
};
use redis_layer::server::{Options, SyncPolicy};
use redis_layer::store::{BTreeStore, Batch, Change, Error, Result, Snapshot, Store};
use redis_layer::types::ManualClock;

use crate::common::client::{Client, encode};
use crate::common::hooked::{Hooked, Hooks, Watched};
use crate::common::random::Random;
use crate::common::scope_in_time;
use crate::common::servers::Ours;
use crate::common::waiting::eventually;

const CLIENTS: usize = 6;

/// A server, and clients that talk to it without a network.
struct Sessions {
    server: Arc<Server>,
    clients: Vec<TestClient>,
}

struct TestClient {
    session: Session,
    commands: VecDeque<Vec<Bytes>>,
    executed: Vec<Executed>,
}

impl TestClient {
    fn arrived(&mut self) -> Arrived<'_> {
        Arrived {
            session: &mut self.session,
            commands: &mut self.commands,
            executed: &mut self.executed,
        }
    }

    /// Runs its first command alone.
    fn run_one(&mut self, server: &Server) {
        let rest = self.commands.split_off(1);
        let _ = execute_next(server, self.arrived(), Wait::Block);
        self.commands = rest;
    }

    fn answers(&self) -> Vec<String> {
        let executed = self.executed.iter();
        executed
            .map(|executed| format!("{:?}", executed.reply))
            .collect()
    }
}

impl Sessions {
    fn new() -> Self {
        let store = Arc::new(BTreeStore::new());
        let settings = Settings {
            config: Vec::new(),
            port: 0,
        };
        let server = Arc::new(Server::new(
            store,
            Arc::new(ManualClock::new(1000)),
            settings,
        ));
        let client = |_| TestClient {
            session: server.connect(String::new(), String::new()),
            commands: VecDeque::new(),
            executed: Vec::new(),
        };
        let clients = (0..CLIENTS).map(client).collect();
        Self { server, clients }
    }
}

fn words(line: &str) -> Vec<Bytes> {
    let words = line.split_whitespace();
    words
        .map(|word| Bytes::copy_from_slice(word.as_bytes()))
        .collect()
}

/// A command: mostly one that may run with others, on few keys, sometimes of the wrong type.
fn any_command(random: &mut Random) -> String {
    let key = random.pick(&["a", "b", "c", "d"]);
    let other = random.pick(&["a", "b", "c", "d"]);
    let n = random.below(5);
    match random.below(40) {
        0 => "multi".to_owned(),
        1 | 2 => "exec".to_owned(),
        3 => format!("select {}", random.below(2)),
        // Nothing runs together from here to the end of it.
        4 if random.once_in(4) => format!("watch {key}"),
        4 | 5 => "unwatch".to_owned(),
        6 => "nonsense".to_owned(),
        7 => "get".to_owned(),
        8 => "flushall".to_owned(),
        9 => "client reply skip".to_owned(),
        10 => "dbsize".to_owned(),
        11 if random.once_in(4) => "client tracking on".to_owned(),
        12 => "client tracking off".to_owned(),
        11 | 13..16 => format!("set {key} {n}"),
        16..19 => format!("get {key}"),
        19..22 => format!("incr {key}"),
        22 | 23 => format!("append {key} {n}"),
        24 | 25 => format!("del {key} {other}"),
        26 | 27 => format!("lpush {key} {n}"),
        28 => format!("rpoplpush {key} {other}"),
        29 => format!("lrange {key} 0 -1"),
        30 => format!("sadd {key} {n}"),
        31 => format!("sunionstore {key} {other} {key}"),
        32 => format!("zadd {key} {n} {other}"),
        33 => format!("zrange {key} 0 -1 withscores"),
        34 => format!("hincrby {key} {other} {n}"),
        35 => format!("expire {key} {n}"),
        36 => format!("type {key}"),
        37 => format!("ttl {key}"),
        38 => format!("rename {key} {other}"),
        _ => format!("mset {key} {n} {other} {n}"),
    }
}

#[test]
fn commands_that_run_together_answer_as_if_they_ran_one_after_the_other() {
    let mut together = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (mut room, mut plain) = (Sessions::new(), Sessions::new());
        for _ in 0..30 {
            for n in 0..CLIENTS {
                for _ in 0..random.below(4) {
                    let command = words(&any_command(&mut random));
                    room.clients[n].commands.push_back(command.clone());
                    plain.clients[n].commands.push_back(command);
                }
            }
            let before: Vec<usize> = room
                .clients
                .iter()
                .map(|client| client.executed.len())
                .collect();
            let mut arrived: Vec<Arrived<'_>> =
                room.clients.iter_mut().map(TestClient::arrived).collect();
            execute_together(&room.server, &mut arrived);
            for (n, client) in room.clients.iter_mut().enumerate() {
                for _ in before[n]..client.executed.len() {
                    plain.clients[n].run_one(&plain.server);
                    together += 1;
                }
            }
            // The rest by turns.
            for (client, twin) in room.clients.iter_mut().zip(&mut plain.clients) {
                while !client.commands.is_empty() {
                    client.run_one(&room.server);
                    twin.run_one(&plain.server);
                }
            }
            for (client, twin) in room.clients.iter().zip(&plain.clients) {
                assert_eq!(client.answers(), twin.answers(), "seed {seed}");
            }
        }
    }
    assert!(together > 2000, "only {together} commands ran together");
}

/// Subcommands of one command with as many words: each is what its own words say, behind another one of its client too.
#[test]
fn subcommands_that_run_together_are_not_taken_for_one_another() {
    const LINES: [&str; 6] = [
        "object refcount a",
        "object encoding a",
        "object refcount b",
        "object nonsense b",
        "memory usage a",
        "memory nonsense a",
    ];
    for (first, second) in LINES
        .iter()
        .flat_map(|first| LINES.map(|second| (*first, second)))
    {
        let (mut room, mut plain) = (Sessions::new(), Sessions::new());
        for Sessions { server, clients } in [&mut room, &mut plain] {
            clients[0].commands.push_back(words("set a text"));
            clients[0].run_one(server);
            let lines = [first, second].map(words);
            clients[0].commands.extend(lines);
        }
        let Sessions { server, clients } = &mut plain;
        while !clients[0].commands.is_empty() {
            clients[0].run_one(server);
        }
        let Sessions { server, clients } = &mut room;
        while !clients[0].commands.is_empty() {
            let _ = execute_next(server, clients[0].arrived(), Wait::Block);
        }
        let answers = [&room, &plain].map(|sessions| sessions.clients[0].answers());
        assert_eq!(answers[0], answers[1], "{first}, {second}");
    }
}

/// The time of commands that run together does not begin when one of their clients was served last.
#[test]
fn commands_that_run_together_after_a_pause_do_not_count_as_slow() {
    let runs_after_a_pause = || {
        let mut room = Sessions::new();
        let Sessions { server, clients } = &mut room;
        for line in ["config set slowlog-log-slower-than 1100000", "get a"] {
            clients[0].commands.push_back(words(line));
            clients[0].run_one(server);
        }
        thread::sleep(Duration::from_millis(1200));
        for client in &mut clients[..2] {
            client.commands.push_back(words("get a"));
        }
        let mut arrived: Vec<Arrived<'_>> = clients.iter_mut().map(TestClient::arrived).collect();
        execute_together(server, &mut arrived);
        clients[1].commands.push_back(words("slowlog len"));
        clients[1].run_one(server);
        clients[1].answers()
    };
    // On a busy machine the commands themselves may once take that long.
    eventually(|| runs_after_a_pause() == ["Null", "Integer(0)"]);
}

/// A store that counts batches and what syncs made safe, and panics when somebody asks for a row of the key `boom`, or writes one of the key `doom`.
#[derive(Default)]
struct Batches {
    written: AtomicU64,
    /// How many milliseconds each batch takes.
    takes_ms: AtomicU64,
    /// Who holds it holds up whoever writes.
    gate: Mutex<()>,
    safe: AtomicU64,
    syncs: AtomicU64,
    sync_fails: AtomicBool,
}

impl Hooks for Batches {
    fn snapshot(&self, inner: &dyn Store) -> Result<Box<dyn Snapshot>> {
        let trap = |key: &[u8]| assert!(!names(key, b"boom"), "boom");
        Ok(Box::new(Watched(inner.snapshot()?, trap)))
    }

    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        self.written.fetch_add(1, Ordering::SeqCst);
        let is_doomed = |(_, change): (_, &Change)| names(&change.key, b"doom");
        assert!(!batch.changes().any(is_doomed), "doom");
        drop(self.gate.lock());
        thread::sleep(Duration::from_millis(self.takes_ms.load(Ordering::SeqCst)));
        inner.write(batch)
    }

    fn sync(&self, _inner: &dyn Store) -> Result<()> {
        let written = self.written.load(Ordering::SeqCst);
        self.syncs.fetch_add(1, Ordering::SeqCst);
        if self.sync_fails.load(Ordering::SeqCst) {
            return Err(Error::new("the disk is broken"));
        }
        thread::sleep(Duration::from_millis(2));
        self.safe.store(written, Ordering::SeqCst);
        Ok(())
    }
}

/// Whether a row is one of this key.
fn names(row: &[u8], key: &[u8]) -> bool {
    row.windows(key.len()).any(|part| part == key)
}

/// A server on one thread, a client whose write keeps that thread busy while others send, and these others.
struct Crowd {
    store: Arc<Hooked<Batches>>,
    busy: Client,
    clients: Vec<Client>,
    _ours: Ours,
}

impl Crowd {
    fn of(count: usize) -> Crowd {
        Self::with(count, Options::default())
    }

    /// With a server that syncs before it answers.
    fn synced(count: usize) -> Crowd {
        let options = Options {
            sync: SyncPolicy::Always,
            ..Options::default()
        };
        Self::with(count, options)
    }

    fn with(count: usize, options: Options) -> Crowd {
        let store = Arc::<Hooked<Batches>>::default();
        let ours = Ours::start_on(1, Arc::<Hooked<Batches>>::clone(&store), options);
        let busy = Client::connect(ours.address);
        let mut clients: Vec<Client> = (0..count).map(|_| Client::connect(ours.address)).collect();
        for client in &mut clients {
            client.call(&["ping"]);
        }
        Crowd {
            store,
            busy,
            clients,
            _ours: ours,
        }
    }

    fn batches(&self) -> u64 {
        self.store.written.load(Ordering::SeqCst)
    }

    /// The first clients send a command each, one behind the other, while the thread is held in a write; their replies.
    fn call_while_busy(&mut self, commands: &[Vec<u8>]) -> Vec<String> {
        self.send_while_busy(commands);
        let answer = |client: &mut Client| client.reply().unwrap().escape_ascii().to_string();
        self.clients[..commands.len()]
            .iter_mut()
            .map(answer)
            .collect()
    }

    fn send_while_busy(&mut self, commands: &[Vec<u8>]) {
        self.send_behind_busy(commands);
        self.busy.reply().unwrap();
    }

    /// The same, without waiting for the answer to the write that keeps the thread busy.
    fn send_behind_busy(&mut self, commands: &[Vec<u8>]) {
        let before = self.batches();
        let gate = self.store.gate.lock();
        self.busy.send(b"SET busy 1\r\n").unwrap();
        eventually(|| self.batches() > before);
        for (client, command) in self.clients.iter_mut().zip(commands) {
            client.send(command).unwrap();
            wait_until_arrived(client);
        }
        drop(gate);
    }
}

/// Waits until the server's socket holds what a client sent: on a busy machine what is sent on one processor may arrive before
/// what was sent on another.
fn wait_until_arrived(client: &Client) {
    eventually(|| client.unread() != Some(false));
    if client.unread().is_none() {
        thread::sleep(Duration::from_millis(2));
    }
}

/// What arrives while the thread is busy runs in the order in which it arrived. Many times: what a connection did before, and
/// whether it ran alone then, must not matter.
#[test]
fn clients_are_served_in_the_order_in_which_they_sent() {
    const CLIENTS: usize = 8;
    const ROUNDS: usize = 20;
    let mut crowd = Crowd::of(CLIENTS);
    // A script runs by itself.
    for push in [
        "rpush list {}",
        "eval return(redis.call('rpush','list','{}')) 0",
    ]
    .repeat(ROUNDS)
    {
        for count in [2, CLIENTS] {
            crowd.busy.call(&["del", "list"]);
            let command = |n: usize| encode(&words(&push.replace("{}", &n.to_string())));
            let commands: Vec<Vec<u8>> = (0..count).map(command).collect();
            crowd.call_while_busy(&commands);
            let list = crowd.busy.call(&["lrange", "list", "0", "-1"]);
            let found: Vec<&str> = list.split("\\r\\n").skip(2).step_by(2).collect();
            let sent: Vec<String> = (0..count).map(|n| n.to_string()).collect();
            assert_eq!(found, sent, "{push}");
        }
    }
}

/// Those who waited for one key and are served by one write go on in the order in which they waited. Many times, because the runtime
/// looks for what is new after so many tasks, and does other things then.
#[test]
fn a_client_that_is_served_first_continues_first() {
    const CLIENTS: usize = 6;
    const ROUNDS: usize = 100;
    let mut crowd = Crowd::of(CLIENTS);
    let waited: Vec<String> = (0..CLIENTS).map(|n| n.to_string()).collect();
    for round in 0..ROUNDS {
        crowd.busy.call(&["del", "order"]);
        for (n, client) in crowd.clients.iter_mut().enumerate() {
            let waits = encode(&words("blpop wanted 0"));
            let goes_on = encode(&words(&format!("rpush order {n}")));
            client.send(&[waits, goes_on].concat()).unwrap();
            let blocked = format!("blocked_clients:{}\\r", n + 1);
            let mut clients = || crowd.busy.call(&["info", "clients"]);
            eventually(|| clients().contains(&blocked));
        }
        let elements = ["x"; CLIENTS].join(" ");
        crowd
            .busy
            .send(&encode(&words(&format!("rpush wanted {elements}"))))
            .unwrap();
        crowd.busy.reply().unwrap();
        for client in &mut crowd.clients {
            client.reply().unwrap();
            client.reply().unwrap();
        }
        let order = crowd.busy.call(&["lrange", "order", "0", "-1"]);
        let order: Vec<&str> = order.split("\\r\\n").skip(2).step_by(2).collect();
        assert_eq!(order, waited, "round {round}");
    }
}

/// While the thread writes for one client, commands of others arrive. The first of them is answered at once, the others become
/// one batch.
#[test]
fn commands_that_arrive_while_the_thread_is_busy_become_two_batches() {
    const WRITERS: usize = 20;
    const ROUNDS: usize = 10;
    let mut crowd = Crowd::of(WRITERS);
    let mut all: Vec<String> = (1..=WRITERS).map(|n| format!(":{n}\\r\\n")).collect();
    all.sort();
    let mut batches_of_round = || {
        crowd.busy.call(&["del", "counter"]);
        let before = crowd.batches();
        let mut answers = crowd.call_while_busy(&vec![b"INCR counter\r\n".to_vec(); WRITERS]);
        answers.sort();
        assert_eq!(answers, all);
        crowd.batches() - before
    };
    let batches: Vec<u64> = (0..ROUNDS).map(|_| batches_of_round()).collect();
    // One more where the runtime looks for what is new between them, as it does once in so many tasks.
    assert!(batches.iter().all(|&batches| batches <= 4), "{batches:?}");
    assert!(batches.iter().any(|&batches| batches <= 3), "{batches:?}");
}

/// To be answered is to wake up: the client of whom the first answer leaves finds the others there when it has read that.
#[test]
fn pipelines_that_arrive_together_are_answered_when_all_have_run() {
    const WRITERS: usize = 8;
    // Together they are more than run in one batch.
    let pipeline = b"INCR counter\r\n".repeat(192);
    let mut crowd = Crowd::of(WRITERS);
    let before = crowd.batches();
    // Who is answered before the last batch sees that it is not written.
    crowd.store.takes_ms.store(50, Ordering::SeqCst);
    crowd.send_while_busy(&vec![pipeline; WRITERS]);
    let store = &crowd.store;
    // The first is answered at once: it was alone.
    let waiting: Vec<u64> = scope_in_time(|scope| {
        let ask = |client| {
            scope.spawn(move || {
                Client::reply(client).unwrap();
                store.written.load(Ordering::SeqCst)
            })
        };
        let asked: Vec<_> = crowd.clients[1..].iter_mut().map(ask).collect();
        asked
            .into_iter()
            .map(|answered| answered.join().unwrap())
            .collect()
    });
    let all = crowd.batches();
    assert!(all > before + 3, "{all} batches, {before} of them before");
    assert_eq!(waiting, [all; WRITERS - 1]);
}

/// One of them answers for all, and waits for nobody: what a client does not take at once, its own connection sends.
#[test]
fn who_takes_no_answer_holds_up_nobody_and_gets_all_of_them_later() {
    const ROUNDS: usize = 300;
    let mut crowd = Crowd::of(3);
    let value = "v".repeat(30_000);
    crowd.busy.call(&["set", "long", &value]);
    let commands = ["INCR counter\r\n", "GET long\r\n", "INCR counter\r\n"];
    for _ in 0..ROUNDS {
        crowd.send_while_busy(&commands.map(|command| command.as_bytes().to_vec()));
        crowd.clients[0].reply().unwrap();
        crowd.clients[2].reply().unwrap();
    }
    let answer = format!("$30000\r\n{value}\r\n");
    for round in 0..ROUNDS {
        let reply = crowd.clients[1].reply().unwrap();
        assert!(reply == answer.as_bytes(), "round {round}");
    }
}

/// What breaks the protocol may stand behind as many commands as run together. It is told once, after their answers.
#[test]
fn an_error_behind_a_full_batch_is_answered_once_and_ends_the_connection() {
    let mut crowd = Crowd::of(2);
    let mut pipeline = b"INCR counter\r\n".repeat(512);
    pipeline.extend_from_slice(b"*1\r\n$x\r\n");
    crowd.send_while_busy(&[b"INCR counter\r\n".to_vec(), pipeline]);
    for _ in 0..512 {
        assert!(crowd.clients[1].reply().unwrap().starts_with(b":"));
    }
    let (rest, is_closed) = crowd.clients[1].until_closed();
    assert_eq!(rest, b"-ERR Protocol error: invalid bulk length\r\n");
    assert!(is_closed);
}

/// An answered connection is told what happens as any other: the rest of a command, a message, the end of the client.
#[test]
fn who_was_answered_with_others_is_woken_by_bytes_and_by_messages() {
    let mut crowd = Crowd::of(4);
    crowd.clients[2].call(&["hello", "3"]);
    crowd.clients[2].call(&["subscribe", "news"]);
    let mut commands = vec![b"INCR counter\r\n".to_vec(); 4];
    commands[1].extend_from_slice(b"INCR cou");
    for round in 0..20 {
        crowd.call_while_busy(&commands);
        crowd.busy.call(&["publish", "news", "today"]);
        let message = crowd.clients[2].reply().unwrap();
        assert!(message.ends_with(b"today\r\n"), "{message:?}");
        crowd.clients[1].send(b"nter\r\n").unwrap();
        let counted = crowd.clients[1].reply().unwrap();
        assert_eq!(counted, format!(":{}\r\n", 5 * (round + 1)).as_bytes());
    }
    crowd.send_while_busy(&commands);
    crowd.clients.clear();
    assert_eq!(crowd.busy.call(&["get", "counter"]), "$3\\r\\n104\\r\\n");
}

/// They share a sync, and who has sent more by then gets all answers too.
#[test]
fn who_wrote_with_others_is_answered_after_a_sync() {
    const ROUNDS: u64 = 30;
    let mut crowd = Crowd::synced(4);
    let commands = [
        "INCR counter\r\n",
        "GET counter\r\n",
        "INCR counter\r\n",
        "INCR counter\r\n",
    ];
    let commands = commands.map(|command| command.as_bytes().to_vec());
    let before = crowd.store.syncs.load(Ordering::SeqCst);
    for round in 0..ROUNDS {
        crowd.send_behind_busy(&commands);
        crowd.clients[3].send(b"INCR counter\r\n").unwrap();
        let first = crowd.clients[0].reply().unwrap();
        assert_eq!(first, format!(":{}\r\n", 4 * round + 1).as_bytes());
        assert!(crowd.clients[1].reply().unwrap().starts_with(b"$"));
        assert!(crowd.clients[2].reply().unwrap().starts_with(b":"));
        assert!(crowd.clients[3].reply().unwrap().starts_with(b":"));
        let last = crowd.clients[3].reply().unwrap();
        assert_eq!(last, format!(":{}\r\n", 4 * round + 4).as_bytes());
        crowd.busy.reply().unwrap();
        assert_eq!(crowd.store.safe.load(Ordering::SeqCst), crowd.batches());
    }
    let syncs = crowd.store.syncs.load(Ordering::SeqCst) - before;
    assert!(
        syncs <= 3 * ROUNDS,
        "{syncs} syncs of 5 writers in {ROUNDS} rounds"
    );
}

/// Nor does who read with them: it may have seen what they wrote.
#[test]
fn who_wrote_with_others_before_a_failed_sync_gets_no_answer() {
    let mut crowd = Crowd::synced(4);
    crowd.store.sync_fails.store(true, Ordering::SeqCst);
    let commands = ["INCR a\r\n", "GET a\r\n", "INCR a\r\n", "INCR a\r\n"];
    crowd.send_behind_busy(&commands.map(|command| command.as_bytes().to_vec()));
    for (index, client) in crowd.clients.iter_mut().enumerate() {
        let (answers, is_closed) = client.until_closed();
        assert_eq!((answers, is_closed), (vec![], true), "client {index}");
    }
    // The server syncs when it stops.
    crowd.store.sync_fails.store(false, Ordering::SeqCst);
}

/// A panic ends the connection whose command it was: not that of who runs the commands of all.
#[test]
fn a_panic_ends_the_connection_of_the_client_that_caused_it_and_no_other() {
    const CLIENTS: usize = 8;
    for guilty in [1, 4, CLIENTS - 1] {
        let mut crowd = Crowd::of(CLIENTS);
        let mut commands = vec![b"INCR counter\r\n".to_vec(); CLIENTS];
        commands[guilty] = b"GET boom\r\n".to_vec();
        crowd.send_while_busy(&commands);
        for (n, client) in crowd.clients.iter_mut().enumerate() {
            assert_eq!(client.reply().is_err(), n == guilty, "{n} beside {guilty}");
        }
        assert_eq!(crowd.busy.call(&["get", "counter"]), "$1\\r\\n7\\r\\n");
    }
}

/// Who panics while all are committed leaves nobody knowing what was done: nothing is done twice, and nobody is told so.
#[test]
fn nothing_is_done_twice_after_a_panic() {
    const CLIENTS: usize = 8;
    let mut crowd = Crowd::of(CLIENTS);
    let mut commands = vec![b"INCR counter\r\n".to_vec(); CLIENTS];
    commands[4] = b"SET doom 1\r\n".to_vec();
    crowd.send_while_busy(&commands);
    // The first runs alone.
    let answered = crowd
        .clients
        .iter_mut()
        .map(|client| client.reply().is_ok());
    assert_eq!(answered.filter(|&answered| answered).count(), 1);
    assert_eq!(crowd.busy.call(&["get", "counter"]), "$1\\r\\n1\\r\\n");
}
