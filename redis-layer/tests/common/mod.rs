//! What the tests share: stores to run over and to hook into, a client without sockets, a client with one, a server of ours and a
//! real one, whether these have anything left to do, how to wait, the program in a process of its own, replies as trees, a model of a key, and random numbers with a seed.

pub(crate) mod client;
pub(crate) mod counting;
pub(crate) mod hooked;
pub(crate) mod model;
pub(crate) mod program;
pub(crate) mod random;
pub(crate) mod servers;
pub(crate) mod threads;
pub(crate) mod tree;
pub(crate) mod waiting;

use std::fmt::Debug;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::panic::resume_unwind;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use bytes::Bytes;
use engine::vfs::MemoryVfs;
use redis_layer::commands::table::{COMMANDS, Flag};
use redis_layer::commands::{Reply, Server, Session, Settings, execute};
use redis_layer::store::{BTreeStore, EngineStore, Store};
use redis_layer::types::{Clock, ManualClock, check, check_ranks};

use servers::{Ours, RealRedis};
use waiting::DEADLINE;

/// Says that something is over when it is dropped: also where a test fails, or those who work until they are told would go on
/// for ever, and the test with them.
pub(crate) struct Over<'a>(pub(crate) &'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// [`thread::scope`] that must come to its end. Who waits for a lock for ever cannot be told to end: so the program of the tests
/// does, and says why.
pub(crate) fn scope_in_time<'env, T>(
    work: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
) -> T {
    let test = thread::current().name().unwrap_or("?").to_owned();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let begun = Instant::now();
            while !is_over.load(Ordering::Acquire) {
                if begun.elapsed() > 10 * DEADLINE {
                    // Past what keeps the output of tests back.
                    let _ = writeln!(io::stderr(), "{test} stands still");
                    process::abort();
                }
                thread::sleep(Duration::from_millis(5));
            }
        });
        let _over = Over(&is_over);
        thread::scope(work)
    })
}

/// Ends what runs on a server where a test fails, as a stop does: a script without an end, somebody who sleeps for long.
pub(crate) struct CutOff<'a>(pub(crate) &'a Server);

impl Drop for CutOff<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.cut_off();
        }
    }
}

/// A day in 2026, in milliseconds.
pub(crate) const START_MS: i64 = 1_790_000_000_000;

/// The commands with a flag that none of these lines begins with.
pub(crate) fn without_a_line(flag: Flag, lines: &[&str]) -> impl Iterator<Item = &'static str> {
    let begins = |line: &&str, name: &str| line.split(' ').next() == Some(name);
    COMMANDS
        .iter()
        .filter(move |spec| spec.has(flag))
        .map(|spec| spec.name)
        .filter(move |name| !lines.iter().any(|line| begins(line, name)))
}

/// Talks to a server of ours and to a real one, and compares what comes of it. Does nothing where no real one is
/// installed.
#[track_caller]
pub(crate) fn assert_alike<T: PartialEq + Debug + Send>(talk: impl Fn(SocketAddr) -> T + Sync) {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(Arc::new(BTreeStore::new()));
    let (found, expected) = both(ours.address, real.address, talk);
    assert_eq!(found, expected);
}

/// What comes of the same talk with two servers. Both are talked to at once: who listens whether more is said mostly waits.
pub(crate) fn both<T: Send>(
    ours: SocketAddr,
    real: SocketAddr,
    talk: impl Fn(SocketAddr) -> T + Sync,
) -> (T, T) {
    thread::scope(|scope| {
        let found = scope.spawn(|| talk(ours));
        let expected = talk(real);
        let found = found.join().unwrap_or_else(|panic| resume_unwind(panic));
        (found, expected)
    })
}

/// The stores that behaviour must not depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreKind {
    BTree,
    Engine,
}

impl StoreKind {
    pub(crate) const ALL: [Self; 2] = [Self::BTree, Self::Engine];

    /// A new, empty store. The engine's is in memory too.
    pub(crate) fn open(self) -> Arc<dyn Store> {
        match self {
            Self::BTree => Arc::new(BTreeStore::new()),
            Self::Engine => Arc::new(engine_over(&MemoryVfs::new())),
        }
    }
}

/// The engine in a directory of a file system in memory.
pub(crate) fn engine_over(disk: &MemoryVfs) -> EngineStore {
    let options = engine::Options {
        vfs: Arc::new(disk.clone()),
        ..engine::Options::default()
    };
    EngineStore::open_with("/data", options).unwrap()
}

/// One connection to commands, without sockets and with a clock that stands still.
pub(crate) struct Direct {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) server: Arc<Server>,
    pub(crate) session: Session,
}

impl Direct {
    pub(crate) fn new(kind: StoreKind) -> Self {
        Self::over(kind.open())
    }

    pub(crate) fn over(store: Arc<dyn Store>) -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let settings = Settings {
            config: vec![],
            port: 0,
        };
        let server = Arc::new(Server::new(
            Arc::clone(&store),
            Arc::clone(&clock) as Arc<dyn Clock>,
            settings,
        ));
        let session = server.connect("test".into(), "test".into());
        Self {
            store,
            clock,
            server,
            session,
        }
    }

    /// Runs a command given as words. `\xhh` in a word is one byte.
    pub(crate) fn run(&mut self, line: &str) -> Reply {
        let words: Vec<Bytes> = line.split(' ').map(unescape).collect();
        self.run_args(&words)
    }

    pub(crate) fn run_args(&mut self, args: &[Bytes]) -> Reply {
        execute(&mut self.session, args).reply
    }

    /// Runs a command and shows the reply in one line.
    pub(crate) fn show(&mut self, line: &str) -> String {
        show(&self.run(line))
    }

    /// Runs commands, each with the reply that it must get.
    #[track_caller]
    pub(crate) fn expect(&mut self, script: &[(&str, &str)]) {
        for (line, expected) in script {
            assert_eq!(self.show(line), *expected, "{line}");
        }
        self.check();
    }

    /// All rows agree with one another.
    #[track_caller]
    pub(crate) fn check(&self) {
        let report = check(&*self.store).unwrap();
        assert_eq!(report.faults, [], "{report:?}");
        let ranks = self.server.shared.rank_indexes();
        assert_eq!(check_ranks(&*self.store, ranks).unwrap(), []);
    }
}

/// Runs a test over every store.
pub(crate) fn over_every_store(test: impl Fn(&mut Direct)) {
    for kind in StoreKind::ALL {
        eprintln!("over {kind:?}");
        test(&mut Direct::new(kind));
    }
}

/// A reply in one line: errors as they are, arrays in brackets, null as `nil`.
pub(crate) fn show(reply: &Reply) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(" "));
    match reply {
        Reply::Status(text) => (*text).to_owned(),
        Reply::Verbatim { text, .. } => text.escape_ascii().to_string(),
        Reply::Error(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        Reply::Integer(number) => number.to_string(),
        Reply::Bulk(bytes) => bytes.escape_ascii().to_string(),
        Reply::Text(text) | Reply::Decimal(text) => text.clone(),
        Reply::Double(value) => value.to_string(),
        Reply::Null | Reply::NullArray => "nil".to_owned(),
        Reply::Array(items) | Reply::Set(items) | Reply::Push(items) => {
            list(items.iter().map(show).collect())
        }
        Reply::Map(pairs) | Reply::Pairs(pairs) => {
            let pairs = pairs
                .iter()
                .map(|(name, value)| show(name) + "=" + &show(value));
            list(pairs.collect())
        }
        Reply::Strings(strings) => list(
            strings
                .iter()
                .map(|s| s.escape_ascii().to_string())
                .collect(),
        ),
        Reply::Scored(members) => {
            let pairs = members
                .iter()
                .map(|(member, score)| format!("{}={score}", member.escape_ascii()));
            list(pairs.collect())
        }
        Reply::Line(text) | Reply::BigNumber(text) => text.escape_ascii().to_string(),
        Reply::Boolean(value) => value.to_string(),
        Reply::Several(replies) => list(replies.iter().map(show).collect()),
        Reply::Earlier(_, reply) => show(reply),
        Reply::Silence | Reply::Attributes(_) => String::new(),
        Reply::Wait { .. } => "waiting".to_owned(),
    }
}

/// The bytes of a word in which `\xhh` is one byte.
pub(crate) fn unescape(word: &str) -> Bytes {
    let mut parts = word.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes.into()
}
