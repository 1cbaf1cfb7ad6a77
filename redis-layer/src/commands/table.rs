//! The command table: everything about a command that is not its work.
//!
//! Dispatch, locking, arity errors, `COMMAND` and `docs/commands.md` all read this one table. A
//! test compares names, arities, flags, categories and key positions with a real server.

use std::collections::HashMap;
use std::sync::LazyLock;

use bytes::Bytes;

use crate::commands::{Args, Outcome, Session};
use crate::types::Txn;

mod entries;

pub use entries::COMMANDS;

/// One command, or one subcommand.
#[derive(Debug)]
pub struct Spec {
    /// The name, in lower case; of a subcommand, without its container.
    pub name: &'static str,
    /// The name as errors show it: `client|id` for a subcommand.
    pub full_name: &'static str,
    /// How many arguments there are, the name included; if negative, how many at least.
    pub arity: i64,
    /// What kind of command it is, in the order in which Redis lists flags.
    pub flags: &'static [Flag],
    /// Which arguments are keys.
    pub keys: Keys,
    /// The chapter of Redis's manual.
    pub group: Group,
    /// The first version of Redis that had it.
    pub since: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Its work.
    pub handler: Handler,
    /// What may stand in the place of the first argument.
    pub subcommands: &'static [Spec],
}

/// Who does the work of a command.
#[derive(Clone, Copy)]
pub enum Handler {
    /// Works on keys, in a transaction.
    Keys(fn(&mut Txn<'_>, Args<'_>) -> Outcome),
    /// Works on the connection or the server.
    Session(fn(&mut Session, Args<'_>) -> Outcome),
    /// Only its subcommands work.
    Container,
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Keys(_) => "Keys",
            Self::Session(_) => "Session",
            Self::Container => "Container",
        })
    }
}

/// A property of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// Changes keys, so it takes locks: those of its keys, or all if it names none.
    Write,
    /// Reads keys.
    ReadOnly,
    /// May need more memory.
    DenyOom,
    /// Is for administrators.
    Admin,
    /// Is not for scripts.
    NoScript,
    /// May run while the server loads.
    Loading,
    /// May run on a replica that lost its master.
    Stale,
    /// Takes O(1) or O(log n).
    Fast,
    /// May run before the client said who it is.
    NoAuth,
    /// May run while a script does not end.
    AllowBusy,
}

impl Flag {
    /// The name that Redis gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::ReadOnly => "readonly",
            Self::DenyOom => "denyoom",
            Self::Admin => "admin",
            Self::NoScript => "noscript",
            Self::Loading => "loading",
            Self::Stale => "stale",
            Self::Fast => "fast",
            Self::NoAuth => "no_auth",
            Self::AllowBusy => "allow_busy",
        }
    }
}

/// Which arguments of a command are keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    /// The position of the first key, 0 if there is none.
    pub first: i64,
    /// The position of the last key; if negative, counted from the end.
    pub last: i64,
    /// From one key to the next.
    pub step: i64,
}

impl Keys {
    /// No argument is a key.
    pub const NONE: Self = Self {
        first: 0,
        last: 0,
        step: 0,
    };
    /// The first argument is a key.
    pub const FIRST: Self = Self {
        first: 1,
        last: 1,
        step: 1,
    };
    /// All arguments are keys.
    pub const ALL: Self = Self {
        first: 1,
        last: -1,
        step: 1,
    };

    /// Whether no argument is a key.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.first == 0
    }

    /// The keys among the arguments, the name of the command included.
    pub fn of<'a>(&self, args: &'a [Bytes]) -> impl Iterator<Item = &'a Bytes> + use<'a> {
        let count = i64::try_from(args.len()).unwrap_or(i64::MAX);
        let last = if self.last < 0 {
            count + self.last
        } else {
            self.last
        };
        let step = usize::try_from(self.step).unwrap_or(1).max(1);
        // Without keys the range is empty: it would start at 1 and end before it.
        let first = usize::try_from(self.first).unwrap_or(0);
        let behind = if self.is_none() {
            0
        } else {
            usize::try_from(last + 1).unwrap_or(0)
        };
        args.iter().take(behind).skip(first).step_by(step)
    }
}

/// The chapter of Redis's manual that a command belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Keys of any type.
    Generic,
    /// Strings.
    String,
    /// Sorted sets.
    SortedSet,
    /// The connection.
    Connection,
    /// The server.
    Server,
}

impl Group {
    /// The name that Redis gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::String => "string",
            Self::SortedSet => "sorted-set",
            Self::Connection => "connection",
            Self::Server => "server",
        }
    }
}

impl Spec {
    /// Whether the command has a property.
    #[must_use]
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// Whether so many arguments are right, the name included.
    #[must_use]
    pub fn accepts(&self, count: usize) -> bool {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        if self.arity < 0 {
            count >= -self.arity
        } else {
            count == self.arity
        }
    }

    /// The subcommand of this name, in any case.
    #[must_use]
    pub fn subcommand(&self, name: &[u8]) -> Option<&'static Spec> {
        let mut subcommands = self.subcommands.iter();
        subcommands.find(|spec| name.eq_ignore_ascii_case(spec.name.as_bytes()))
    }
}

/// The command of this name, in any case.
#[must_use]
pub fn find(name: &[u8]) -> Option<&'static Spec> {
    static BY_NAME: LazyLock<HashMap<&[u8], &Spec>> = LazyLock::new(|| {
        COMMANDS
            .iter()
            .map(|spec| (spec.name.as_bytes(), spec))
            .collect()
    });
    let mut lower = [0; 32];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    BY_NAME.get(&*lower).copied()
}

/// The command or subcommand of this full name, in any case.
#[must_use]
pub fn find_full_name(name: &[u8]) -> Option<&'static Spec> {
    match name.iter().position(|&byte| byte == b'|') {
        Some(bar) => find(&name[..bar])?.subcommand(&name[bar + 1..]),
        None => find(name),
    }
}

/// The access-control categories of a command, in the order in which Redis lists them.
pub fn categories(spec: &Spec) -> impl Iterator<Item = &'static str> {
    let is_container = matches!(spec.handler, Handler::Container);
    let in_group = |group| spec.group == group && !is_container;
    let on_keyspace = matches!(spec.name, "flushall" | "flushdb" | "dbsize");
    // Redis files COMMAND under the server and guards it with the connection.
    let is_command = spec.full_name.starts_with("command");
    let dangerous = spec.has(Flag::Admin)
        || matches!(spec.name, "flushall" | "flushdb")
        || spec.full_name == "info";
    [
        ("@keyspace", in_group(Group::Generic) || on_keyspace),
        ("@read", spec.has(Flag::ReadOnly)),
        ("@write", spec.has(Flag::Write)),
        ("@sortedset", in_group(Group::SortedSet)),
        ("@string", in_group(Group::String)),
        ("@admin", spec.has(Flag::Admin)),
        ("@fast", spec.has(Flag::Fast)),
        ("@slow", !spec.has(Flag::Fast)),
        ("@dangerous", dangerous),
        ("@connection", in_group(Group::Connection) || is_command),
    ]
    .into_iter()
    .filter_map(|(name, applies)| applies.then_some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_nothing_else_is() {
        assert_eq!(find(b"zAdD").unwrap().name, "zadd");
        assert_eq!(find_full_name(b"CLIENT|Id").unwrap().full_name, "client|id");
        for unknown in [
            &b""[..],
            b"zadd ",
            b"nope",
            &[b'x'; 33],
            b"client|nope",
            b"|",
        ] {
            assert!(find_full_name(unknown).is_none(), "{unknown:?}");
        }
    }

    #[test]
    fn keys_stand_where_the_table_says() {
        let args: Vec<Bytes> = [&b"cmd"[..], b"a", b"b", b"c"]
            .map(Bytes::from_static)
            .into();
        let keys = |keys: Keys| keys.of(&args).cloned().collect::<Vec<_>>();
        assert_eq!(keys(Keys::NONE), Vec::<Bytes>::new());
        assert_eq!(keys(Keys::FIRST), ["a"]);
        assert_eq!(keys(Keys::ALL), ["a", "b", "c"]);
        let pairs = Keys {
            first: 1,
            last: -1,
            step: 2,
        };
        assert_eq!(keys(pairs), ["a", "c"]);
    }

    #[test]
    fn every_entry_is_consistent() {
        let all = COMMANDS
            .iter()
            .flat_map(|spec| std::iter::once(spec).chain(spec.subcommands));
        for spec in all {
            let name = spec.full_name;
            assert_eq!(name, name.to_lowercase());
            assert!(
                name == spec.name || name.ends_with(&format!("|{}", spec.name)),
                "{name}"
            );
            assert_ne!(spec.arity, 0, "{name}");
            assert!(spec.summary.ends_with('.'), "{name}");
            let is_container = matches!(spec.handler, Handler::Container);
            assert!(
                !is_container || (!spec.subcommands.is_empty() && spec.arity <= -2),
                "{name}"
            );
            let on_keys = matches!(spec.handler, Handler::Keys(_));
            assert_eq!(
                on_keys,
                spec.has(Flag::Write) || spec.has(Flag::ReadOnly),
                "{name}"
            );
        }
    }
}
