//! Random commands, mostly right, on few keys, so that they meet. One file a group of commands.
//!
//! These keep the comparison fair:
//! - `l0` and `l1` hold members with equal scores only. What BYLEX finds among different scores is chance, unless the set
//!   is compact, so other sets are asked only from `-` to `+`. `tests/behaviour/lex.rs` asks compact ones more.
//! - Expiries lie far ahead or in the past, and no two are alike, so that the milliseconds between
//!   the two servers decide nothing.
//! - What a random command removes is chance. The commands behind it make both servers alike
//!   again: `SPOP t0 2` comes with `DEL t0`.
//! - A command that would wait for ever has a short time limit.
//! - Before `SORT` comes a command that clears an error of an earlier number, which Redis's `SORT` takes for its own:
//!   [`with_good_numbers`].
//!
//! Keys, members and values are short ones that meet, and now and then long ones with one start, of lengths around the limits of
//! encodings. A script in eight ends with a look at what every key holds.
//!
//! To add a group: a file with `pub(super) fn commands(g: &mut Generator) -> Vec<Command>`, and
//! a line in [`GROUPS`]. `compare.rs` says how its replies are compared. A test asks that
//! every command of the table is made here, or has its reason in `NOT_GENERATED`.

mod bits;
mod connection;
mod generic;
mod geo;
mod hashes;
mod lists;
mod pubsub;
mod scripting;
mod server;
mod sets;
mod strings;
mod transactions;
mod zsets;

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use redis_layer::commands::table::{Flag, find};

use crate::common::client::Command;
use crate::common::random::Random;
use crate::values::{
    ANY_KEYS, BAD_INTEGERS, BAD_SCORES, BOUNDS, INTEGERS, LEX_KEYS, LONG, LONG_KEYS, MEMBERS,
    SCORES, VAST,
};

/// Makes one command, with those that must follow it.
type Group = fn(&mut Generator) -> Vec<Command>;

/// The groups, each with its share. Transactions are made of them.
const GROUPS: &[(usize, Group)] = &[
    (24, zsets::commands),
    (8, strings::commands),
    (4, bits::commands),
    (8, hashes::commands),
    (8, sets::commands),
    (7, generic::commands),
    (10, lists::commands),
    (2, connection::commands),
    (8, geo::commands),
    (1, pubsub::commands),
    (4, scripting::commands),
    (1, server::commands),
];

/// Commands that are not made here, each with the place where they are tested, or the reason.
pub(crate) const NOT_GENERATED: &[(&str, &str)] = &[
    (
        "acl|cat",
        "lists the commands of the server: command_table.rs",
    ),
    ("acl|deluser", "changes who may do what: users.rs"),
    ("acl|dryrun", "depends on the users: users.rs"),
    ("acl|genpass", "by chance"),
    ("acl|getuser", "depends on the users: users.rs"),
    ("acl|help", "its text is our own"),
    ("acl|list", "depends on the users: users.rs"),
    ("acl|load", "there is no file of users"),
    ("acl|log", "tells of refused clients, none here"),
    ("acl|save", "there is no file of users"),
    ("acl|setuser", "changes who may do what: users.rs"),
    ("acl|users", "depends on the users: users.rs"),
    ("bgrewriteaof", "works in the background: saving.rs"),
    ("bgsave", "works in the background: saving.rs"),
    ("client|help", "its text is our own"),
    ("client|id", "numbers connections: connection.rs"),
    ("client|info", "describes the connection: connection.rs"),
    ("client|list", "describes the connections: connection.rs"),
    ("client|reply", "changes what is read: connection.rs"),
    ("command", "the table is compared in command_table.rs"),
    ("command|count", "the table is compared in command_table.rs"),
    ("command|docs", "the table is compared in command_table.rs"),
    (
        "command|getkeysandflags",
        "asked of every command in command_table.rs",
    ),
    ("command|help", "its text is our own"),
    ("command|info", "the table is compared in command_table.rs"),
    ("command|list", "the table is compared in command_table.rs"),
    ("config|get", "describes the server: program.rs"),
    ("config|help", "its text is our own"),
    ("config|resetstat", "counters are our own"),
    ("config|rewrite", "writes the file of the server: config.rs"),
    ("config|set", "settings are our own: known_differences.rs"),
    ("debug", "what it shows is our own"),
    ("dump", "its form is our own: dump.rs"),
    ("failover", "there are no replicas"),
    ("function|help", "its text is our own"),
    ("hello", "describes the server: connection.rs"),
    ("info", "describes the server: program.rs"),
    ("latency|doctor", "its text is our own"),
    ("latency|graph", "draws times"),
    ("latency|help", "its text is our own"),
    ("latency|histogram", "counts times"),
    ("latency|latest", "counts times"),
    ("latency|reset", "counts times"),
    ("lolwut", "draws by chance"),
    ("memory|doctor", "its text is our own"),
    ("memory|help", "its text is our own"),
    ("memory|malloc-stats", "describes the server"),
    ("memory|purge", "describes the server"),
    ("memory|stats", "describes the server"),
    ("memory|usage", "sizes are our own"),
    ("module|help", "its text is our own"),
    ("module|list", "there are none: config.rs"),
    ("monitor", "changes what is read: client.rs"),
    ("object|help", "its text is our own"),
    ("pubsub|help", "its text is our own"),
    ("quit", "closes the connection: connection.rs"),
    ("replconf", "there are no replicas: client.rs"),
    ("replicaof", "there are no replicas"),
    ("reset", "goes back to RESP2: connection.rs"),
    ("save", "writes a checkpoint: saving.rs"),
    ("script|debug", "compared in scripting/main.rs"),
    ("script|help", "its text is our own"),
    ("shutdown", "ends the server: program.rs"),
    ("slaveof", "there are no replicas"),
    ("slowlog|help", "its text is our own"),
    ("slowlog|reset", "counts times"),
];

pub(crate) struct Generator {
    random: Random,
    /// Makes every expiry another one.
    expiries: i64,
    now_s: i64,
}

/// `SORT` in Redis takes an error of an earlier number for its own. So a command with good numbers, which clears it, comes
/// before each one.
pub(crate) fn with_good_numbers(commands: Vec<Command>) -> Vec<Command> {
    let good = args([b"georadius_ro", b"no places", b"0", b"0", b"0", b"m"]);
    let mut all: Vec<Command> = Vec::with_capacity(commands.len() + 1);
    for command in commands {
        if is_sort(&command) && all.last() != Some(&good) {
            all.push(good.clone());
        }
        all.push(command);
    }
    all
}

fn is_sort(command: &Command) -> bool {
    let name = command[0].to_ascii_lowercase();
    [&b"sort"[..], b"sort_ro"].contains(&&*name)
}

/// Whether the answer to the same words in another order is no chance, and comes soon.
fn may_be_rearranged(command: &Command) -> bool {
    let name = command[0].to_ascii_lowercase();
    let waits = find(&name).is_none_or(|spec| spec.has(Flag::Blocking)) || name == *b"wait";
    // A value in the place of a time may be a millisecond.
    let expires_soon = name.ends_with(b"setex");
    let describes = [&b"command"[..], b"client"].contains(&&*name);
    let has = |wanted: &[u8]| command.iter().any(|arg| arg.eq_ignore_ascii_case(wanted));
    // Sorting has options in all orders already; `COUNT` without its `ANY` returns any places.
    let is_chance = is_sort(command) || has(b"any");
    let is_lex = command.iter().any(|arg| LEX_KEYS.contains(&&**arg));
    !(waits || expires_soon || describes || is_chance || is_lex)
}

/// Words as arguments.
fn args<const N: usize>(words: [&[u8]; N]) -> Command {
    words
        .iter()
        .map(|word| Bytes::copy_from_slice(word))
        .collect()
}

impl Generator {
    pub(crate) fn new(random: Random) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Self {
            random,
            expiries: 0,
            now_s: i64::try_from(now.as_secs()).unwrap(),
        }
    }

    pub(crate) fn script(&mut self, length: usize) -> Vec<Command> {
        let mut script = Vec::with_capacity(length + 8);
        while script.len() < length {
            if self.once_in(20) {
                script.extend(transactions::commands(self));
            } else if self.once_in(60) {
                script.extend(pubsub::subscription(self));
            } else if self.once_in(60) {
                script.push(server::refused(self));
            } else {
                script.extend(self.plain_commands());
            }
        }
        if self.once_in(8) {
            script.extend(generic::whole_state());
        }
        script
    }

    /// One command of any group, with those that must follow it.
    fn plain_commands(&mut self) -> Vec<Command> {
        let shares: usize = GROUPS.iter().map(|(share, _)| share).sum();
        let mut left = self.below(shares);
        let group = GROUPS.iter().find(|(share, _)| {
            let found = left < *share;
            left = left.saturating_sub(*share);
            found
        });
        let mut commands = group.unwrap().1(self);
        // What is around a SORT prepares it, or shows what it has stored.
        let at = commands.iter().position(is_sort).unwrap_or(0);
        // Nobody counts the arguments of CLUSTER here: known_differences.rs.
        if self.once_in(25) && commands[at][0] != "cluster" {
            self.damage(&mut commands[at]);
        }
        if self.once_in(12) {
            self.rearrange(&mut commands[at]);
        }
        if self.once_in(4) {
            let name = &mut commands[at][0];
            *name = name.to_ascii_uppercase().into();
        }
        if commands[0][0].eq_ignore_ascii_case(b"swapdb") {
            // Redis looks whether a watched key is in one of the two. Here every watch on them is broken.
            commands.push(args([b"unwatch"]));
        }
        with_good_numbers(commands)
    }

    /// Takes an argument away, or adds one. Never to a command on the keys of `lex`, which must
    /// keep their equal scores, nor to one that would then describe the server.
    fn damage(&mut self, command: &mut Command) {
        let is_lex = command.iter().any(|arg| LEX_KEYS.contains(&&**arg));
        if is_lex || command[0] == b"command".as_slice() {
            return;
        }
        if self.once_in(2) {
            let keep = 1 + self.below(command.len());
            command.truncate(keep);
        } else {
            let extra = [&b"x"[..], b"1", b"nx", b"withscores", b"limit"];
            command.push(Bytes::from_static(self.pick(&extra)));
        }
    }

    /// Moves some arguments to the end, or repeats them there: options may come in any order, and some of them twice. A
    /// number stays behind its own word or comes last, so that nothing expires sooner.
    fn rearrange(&mut self, command: &mut Command) {
        if !may_be_rearranged(command) || command.len() < 3 {
            return;
        }
        let start = 1 + self.below(command.len() - 1);
        let end = command.len().min(start + 1 + self.below(3));
        let run = if self.once_in(3) {
            command[start..end].to_vec()
        } else {
            command.drain(start..end).collect()
        };
        command.extend(run);
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn once_in(&mut self, n: usize) -> bool {
        self.random.once_in(n)
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        self.random.pick(items)
    }

    /// One of `keys`, or now and then any other: mostly the wanted type, sometimes a wrong one.
    fn key(&mut self, keys: &[&'static [u8]]) -> &'static [u8] {
        if self.once_in(8) {
            return self.any_key();
        }
        self.pick(keys)
    }

    /// A key that may hold anything.
    fn any_key(&mut self) -> &'static [u8] {
        if self.once_in(8) {
            return self.pick(&*LONG_KEYS);
        }
        self.pick(&ANY_KEYS)
    }

    /// A member, a field, an element or a value.
    fn member(&mut self) -> &'static [u8] {
        match self.below(160) {
            0 => self.pick(&VAST),
            1..=7 => self.pick(&LONG),
            _ => self.pick(&MEMBERS),
        }
    }

    /// What many names begin with: mostly something short, or much.
    fn start(&mut self, short: &'static [u8]) -> &'static [u8] {
        if self.once_in(4) {
            return self.pick(&LONG);
        }
        short
    }

    fn score(&mut self) -> &'static [u8] {
        if self.once_in(12) {
            return self.pick(&BAD_SCORES).as_bytes();
        }
        self.pick(&SCORES).as_bytes()
    }

    /// The bound of a range of scores.
    fn bound(&mut self) -> &'static [u8] {
        match self.below(3) {
            0 => self.pick(&BOUNDS).as_bytes(),
            _ => self.score(),
        }
    }

    fn integer(&mut self) -> &'static [u8] {
        if self.once_in(15) {
            return self.pick(&BAD_INTEGERS).as_bytes();
        }
        self.pick(&INTEGERS).as_bytes()
    }

    /// The time limit of a command that waits: short, or wrong. Never 0, which is for ever.
    fn timeout(&mut self) -> &'static [u8] {
        if self.once_in(4) {
            let wrong = [
                &b"-1"[..],
                b"x",
                b"",
                b"inf",
                b"nan",
                b"1e308",
                b" 1",
                b"-0.1",
            ];
            return self.pick(&wrong);
        }
        self.pick(&[&b"0.001"[..], b"0.0001", b"1e-3", b"0x1p-10"])
    }

    /// Some of these words: half of the time none, seldom many.
    fn push_options(&mut self, command: &mut Command, options: &[&'static str]) {
        while self.once_in(2) {
            command.push(Bytes::from_static(self.pick(options).as_bytes()));
        }
    }

    /// `MATCH` and `COUNT`, now and then wrong ones.
    fn push_scan_options(&mut self, command: &mut Command) {
        while self.once_in(2) {
            let patterns = [
                "*",
                "a*",
                "*1*",
                "[a-c]",
                "?",
                "**",
                "\\*",
                "",
                "a long n*e*",
            ];
            let (word, value) = match self.below(8) {
                0..=2 => ("match", self.pick(&patterns)),
                3..=5 => ("COUNT", self.pick(&["1", "10", "1000"])),
                6 => ("count", self.pick(&["0", "-1", "x"])),
                _ => (self.pick(&["type", "limit"]), "1"),
            };
            command.push(Bytes::from_static(word.as_bytes()));
            if !self.once_in(20) {
                command.push(Bytes::from_static(value.as_bytes()));
            }
        }
    }

    /// Another number of seconds each time, minutes apart from every other.
    fn next_expiry_s(&mut self) -> i64 {
        self.expiries += 1;
        let steps = i64::try_from(self.below(1000)).unwrap() * 1000 + self.expiries;
        10_000 + steps * 300
    }
}
