//! Random commands, mostly right, on few keys, so that they meet.
//!
//! Two things keep the comparison fair:
//! - `l0` and `l1` hold members with equal scores only. Redis leaves undefined what BYLEX finds
//!   among different scores, so it is asked of those two alone.
//! - Expiries lie far ahead or in the past, and no two are alike, so that the milliseconds between
//!   the two servers decide nothing.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;

use crate::common::client::Command;
use crate::common::random::Random;
use crate::values::{BAD_INTEGERS, BAD_SCORES, BOUNDS, INTEGERS, KEYS, LEX_KEYS, MEMBERS, SCORES};

pub(crate) struct Generator {
    random: Random,
    /// Makes every expiry another one.
    expiries: i64,
    now_s: i64,
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
        let mut script = Vec::with_capacity(length + 2);
        while script.len() < length {
            let command = self.command();
            let key = command.get(1).cloned().unwrap_or_default();
            let is_set = command[0].eq_ignore_ascii_case(b"set");
            script.push(command);
            if is_set {
                // Redis counts a key that expired in the past until somebody asks for it.
                script.push(args([b"exists", &key]));
            }
        }
        script
    }

    fn command(&mut self) -> Command {
        let mut command = match self.random.below(40) {
            0..=9 => self.add(),
            10..=13 => self.change(),
            14..=17 => self.ask(),
            18..=23 => self.range(),
            24..=27 => self.lex(),
            28..=30 => self.string(),
            31..=35 => self.generic(),
            36 => self.expire(),
            37 => self.connection(),
            38 => return self.unknown(),
            _ if self.random.once_in(8) => self.flush(),
            _ => self.add_many(),
        };
        if self.random.once_in(25) {
            self.damage(&mut command);
        }
        if self.random.once_in(4) {
            command[0] = command[0].to_ascii_uppercase().into();
        }
        command
    }

    /// Takes an argument away, or adds one. Never to a command on the keys of `lex`, which must
    /// keep their equal scores.
    fn damage(&mut self, command: &mut Command) {
        let is_lex = command.iter().any(|arg| LEX_KEYS.contains(&&**arg));
        if is_lex {
            return;
        }
        if self.random.once_in(2) {
            let keep = 1 + self.random.below(command.len());
            command.truncate(keep);
        } else {
            let extra = [&b"x"[..], b"1", b"nx", b"withscores", b"limit"];
            command.push(Bytes::from_static(self.random.pick(&extra)));
        }
    }

    fn key(&mut self) -> &'static [u8] {
        // Mostly sorted sets, sometimes a string where a set is wanted, and the reverse.
        if self.random.once_in(8) {
            return self.random.pick(&KEYS);
        }
        self.random.pick(&KEYS[..3])
    }

    fn member(&mut self) -> &'static [u8] {
        self.random.pick(&MEMBERS)
    }

    fn score(&mut self) -> &'static [u8] {
        if self.random.once_in(12) {
            return self.random.pick(&BAD_SCORES).as_bytes();
        }
        self.random.pick(&SCORES).as_bytes()
    }

    fn bound(&mut self) -> &'static [u8] {
        match self.random.below(3) {
            0 => self.random.pick(&BOUNDS).as_bytes(),
            _ => self.score(),
        }
    }

    fn integer(&mut self) -> &'static [u8] {
        if self.random.once_in(15) {
            return self.random.pick(&BAD_INTEGERS).as_bytes();
        }
        self.random.pick(&INTEGERS).as_bytes()
    }

    fn push_options(&mut self, command: &mut Command, options: &[&'static str]) {
        while self.random.once_in(2) {
            command.push(Bytes::from_static(self.random.pick(options).as_bytes()));
        }
    }

    fn add(&mut self) -> Command {
        let mut command = args([b"zadd", self.key()]);
        if self.random.once_in(2) {
            self.push_options(&mut command, &["nx", "xx", "GT", "lt", "ch", "INCR"]);
        }
        for _ in 0..1 + self.random.below(3) {
            command.push(Bytes::from_static(self.score()));
            command.push(Bytes::from_static(self.member()));
        }
        command
    }

    /// Enough members for Redis to leave its compact form for a skip list.
    fn add_many(&mut self) -> Command {
        let mut command = args([b"zadd", self.key()]);
        let scores = 1 + self.random.below(200);
        for member in 0..100 + self.random.below(60) {
            command.push(self.random.below(scores).to_string().into());
            command.push(format!("m{member}").into());
        }
        command
    }

    fn change(&mut self) -> Command {
        let key = self.key();
        let mut command = match self.random.below(5) {
            0 => args([b"zincrby", key, self.score(), self.member()]),
            1 => args([b"zrem", key, self.member(), self.member()]),
            2 => args([b"zpopmin", key]),
            3 => args([b"zpopmax", key]),
            _ => args([b"zpopmin", key, self.integer()]),
        };
        if command[0] == b"zpopmax".as_slice() && self.random.once_in(2) {
            command.push(Bytes::from_static(self.integer()));
        }
        command
    }

    fn ask(&mut self) -> Command {
        let key = self.key();
        match self.random.below(6) {
            0 => args([b"zscore", key, self.member()]),
            1 => args([b"zmscore", key, self.member(), self.member()]),
            2 => args([b"zcard", key]),
            3 => args([b"zcount", key, self.bound(), self.bound()]),
            4 => args([b"zrank", key, self.member()]),
            _ => args([b"zrevrank", key, self.member()]),
        }
    }

    fn range(&mut self) -> Command {
        let key = self.key();
        let mut command = match self.random.below(6) {
            0 => args([b"zrange", key, self.integer(), self.integer()]),
            1 => args([b"zrevrange", key, self.integer(), self.integer()]),
            2 => args([b"zrange", key, self.bound(), self.bound(), b"byscore"]),
            3 => args([
                b"zrange",
                key,
                self.bound(),
                self.bound(),
                b"BYSCORE",
                b"rev",
            ]),
            4 => args([b"zrangebyscore", key, self.bound(), self.bound()]),
            _ => args([b"zrevrangebyscore", key, self.bound(), self.bound()]),
        };
        let is_by_score = command.len() > 4 || command[0].ends_with(b"byscore");
        if self.random.once_in(2) {
            self.push_options(&mut command, &["withscores", "WITHSCORES", "rev"]);
        }
        if self.random.once_in(if is_by_score { 2 } else { 10 }) {
            let limit = args([b"limit", self.integer(), self.integer()]);
            command.extend(limit);
        }
        command
    }

    fn lex_bound(&mut self) -> Bytes {
        match self.random.below(8) {
            0 => Bytes::from_static(b"-"),
            1 => Bytes::from_static(b"+"),
            2 => Bytes::from_static(self.random.pick(&[&b""[..], b"a", b"+x", b"-\x00", b"1"])),
            3..=5 => [b"[", self.member()].concat().into(),
            _ => [b"(", self.member()].concat().into(),
        }
    }

    fn lex(&mut self) -> Command {
        let key = self.random.pick(&LEX_KEYS);
        let (from, to) = (self.lex_bound(), self.lex_bound());
        let mut command = match self.random.below(9) {
            0..=2 => {
                let mut command = args([b"zadd", key]);
                for _ in 0..1 + self.random.below(4) {
                    command.push(Bytes::from_static(b"0"));
                    command.push(Bytes::from_static(self.member()));
                }
                return command;
            }
            3 => return args([b"zrem", key, self.member()]),
            4 => return args([b"zlexcount", key, &from, &to]),
            5 => args([b"zrangebylex", key, &from, &to]),
            6 => args([b"zrevrangebylex", key, &from, &to]),
            7 => args([b"zrange", key, &from, &to, b"bylex"]),
            _ => args([b"zrange", key, &from, &to, b"bylex", b"rev"]),
        };
        if self.random.once_in(2) {
            command.extend(args([b"limit", self.integer(), self.integer()]));
        }
        if self.random.once_in(10) {
            command.push(Bytes::from_static(b"withscores"));
        }
        command
    }

    fn string(&mut self) -> Command {
        let key = if self.random.once_in(6) {
            self.key()
        } else {
            self.random.pick(&KEYS[3..5])
        };
        if self.random.once_in(3) {
            return args([b"get", key]);
        }
        let mut command = args([b"set", key, self.member()]);
        if self.random.once_in(2) {
            self.push_options(&mut command, &["nx", "XX", "get", "keepttl", "NX\0x"]);
        }
        if self.random.once_in(3) {
            let (option, number) = self.set_expiry();
            command.push(Bytes::from_static(option.as_bytes()));
            command.push(number);
        }
        command
    }

    /// An option of `SET` and its number: far ahead, in the past, or wrong.
    fn set_expiry(&mut self) -> (&'static str, Bytes) {
        let ahead_s = self.next_expiry_s();
        if self.random.once_in(6) {
            let option = self.random.pick(&["ex", "PX", "exat", "pxat", "ex"]);
            let numbers = [
                "0",
                "-1",
                "x",
                "9223372036854775807",
                "9223372036854775",
                "1",
            ];
            // A second from now is too soon to compare; since 1970 it is long ago.
            let limit = if option.ends_with("at") {
                numbers.len()
            } else {
                numbers.len() - 1
            };
            return (
                option,
                Bytes::from_static(self.random.pick(&numbers[..limit]).as_bytes()),
            );
        }
        match self.random.below(4) {
            0 => ("ex", ahead_s.to_string().into()),
            1 => ("px", (ahead_s * 1000).to_string().into()),
            2 => ("exat", (self.now_s + ahead_s).to_string().into()),
            _ => ("PXAT", ((self.now_s + ahead_s) * 1000).to_string().into()),
        }
    }

    /// Another number of seconds each time, minutes apart from every other.
    fn next_expiry_s(&mut self) -> i64 {
        self.expiries += 1;
        let steps = i64::try_from(self.random.below(1000)).unwrap() * 1000 + self.expiries;
        10_000 + steps * 300
    }

    fn expire(&mut self) -> Command {
        let key = self.key();
        let ahead_s = self.next_expiry_s();
        let (name, number) = match self.random.below(6) {
            0 => ("expire", ahead_s),
            1 => ("pexpire", ahead_s * 1000),
            2 => ("expireat", self.now_s + ahead_s),
            3 => ("pexpireat", (self.now_s + ahead_s) * 1000),
            4 => (
                self.random
                    .pick(&["expire", "pexpire", "expireat", "pexpireat"]),
                -1,
            ),
            _ => {
                let name = self
                    .random
                    .pick(&["expire", "pexpire", "expireat", "pexpireat"]);
                let number = self.random.pick(&[
                    &b"x"[..],
                    b"9223372036854775807",
                    b"-9223372036854775808",
                    b"0",
                    b"",
                    b"-9223372036854775",
                    b"9223372036854776",
                ]);
                return args([name.as_bytes(), key, number]);
            }
        };
        let mut command = args([name.as_bytes(), key, number.to_string().as_bytes()]);
        if self.random.once_in(2) {
            self.push_options(&mut command, &["nx", "XX", "gt", "LT", "gt", "lt"]);
        }
        if self.random.once_in(30) {
            command.push(Bytes::from_static(b"foo\r\nbar\x00x"));
        }
        command
    }

    fn generic(&mut self) -> Command {
        let key = self.key();
        match self.random.below(9) {
            0 => args([b"del", key, self.key()]),
            1 => args([b"exists", key, self.key(), key]),
            2 => args([b"type", key]),
            3 => args([b"ttl", key]),
            4 => args([b"pttl", key]),
            5 => args([b"persist", key]),
            6 => args([b"dbsize"]),
            7 => self.expire(),
            _ => args([b"del", key]),
        }
    }

    fn connection(&mut self) -> Command {
        let word = self.member();
        match self.random.below(9) {
            0 => args([b"ping"]),
            1 => args([b"ping", word]),
            2 => args([b"echo", word]),
            3 => {
                let index = self
                    .random
                    .pick(&[&b"0"[..], b"0", b"1", b"15", b"16", b"-1", b"x"]);
                args([b"select", index])
            }
            4 => args([b"client", b"setname", word]),
            5 => args([b"client", b"getname"]),
            6 => args([
                b"client",
                b"NO-EVICT",
                self.random.pick(&[&b"on"[..], b"off", b"x"]),
            ]),
            7 => args([b"select", self.integer()]),
            _ => args([b"auth", word, word]),
        }
    }

    fn unknown(&mut self) -> Command {
        let name = self.random.pick(&[
            &b"foo"[..],
            b"",
            b"zad",
            b"get\r\n",
            b"\x00get",
            b"\xff",
            b"zaddzaddzaddzaddzaddzaddzaddzadd",
        ]);
        let mut command = args([name]);
        for _ in 0..self.random.below(4) {
            let long = b"x".repeat(self.random.below(150));
            let word = if self.random.once_in(2) {
                long.into()
            } else {
                Bytes::from_static(self.member())
            };
            command.push(word);
        }
        match self.random.below(6) {
            0 => args([b"client", b"setinfo", b"lib-name", b"x"]),
            1 => args([b"CONFIG", b"nope\r\n"]),
            2 => args([b"command", b"getkeys", b"zadd", self.key(), b"1", b"a"]),
            3 => args([b"command", b"getkeys", b"del", b"a", b"b"]),
            _ => command,
        }
    }

    fn flush(&mut self) -> Command {
        match self.random.below(4) {
            0 => args([b"flushdb"]),
            1 => args([b"flushall", b"async"]),
            2 => args([b"flushall", b"x"]),
            _ => args([b"flushdb", b"SYNC"]),
        }
    }
}
