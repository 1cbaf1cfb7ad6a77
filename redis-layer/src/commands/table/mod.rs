//! The command table: what most of the server needs to know of a command.
//!
//! Dispatch, locking, arity errors, `COMMAND` and `docs/commands.md` all read this one table. A
//! test compares names, arities, flags, categories and key positions with a real server.
//!
//! ```text
//! the rows, a module for each chapter of Redis's manual
//!   strings, bitmaps, generic, lists, hashes, sets, sorted_sets, geo
//!   transactions, scripting, pubsub, connection, server, cluster
//! what a row says
//!   keys                which arguments are keys, and what is done with them
//!   syntax              the arguments, in one line
//! what follows from its name
//!   elements            which arguments name elements of the key
//! what COMMAND says besides
//!   categories          the sets of commands that ACL names
//!   notes, tips         Redis's remarks on keys, and hints for clients
//! ```

use std::sync::LazyLock;

use crate::commands::scripting::Form;
use crate::commands::{Args, Outcome, Session};
use crate::types::Txn;

mod bitmaps;
mod categories;
mod cluster;
mod connection;
mod elements;
mod generic;
mod geo;
mod hashes;
mod keys;
mod lists;
mod notes;
mod pubsub;
mod scripting;
mod server;
mod sets;
mod sorted_sets;
mod strings;
mod syntax;
mod tips;
mod transactions;

pub use categories::categories;
pub use elements::Elements;
pub use keys::{Key, Keys, Place, Use};
pub use notes::note;
pub use syntax::{Argument, Kind, Repeats, SyntaxError, Type};
pub use tips::tips;

/// Every command, by chapter of Redis's manual. `COMMAND` lists them in this order.
pub static COMMANDS: LazyLock<Vec<&'static Spec>> = LazyLock::new(|| {
    [
        strings::ROWS,
        bitmaps::ROWS,
        generic::ROWS,
        lists::ROWS,
        hashes::ROWS,
        sets::ROWS,
        sorted_sets::ROWS,
        geo::ROWS,
        transactions::ROWS,
        scripting::ROWS,
        pubsub::ROWS,
        connection::ROWS,
        server::ROWS,
        cluster::ROWS,
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// Rows of the table. A row has: name, arity, flags, keys, group, since, handler; then, for people, what the command
/// does, what it costs and its arguments (see [`syntax`]), later changes, and what replaces it. A row with
/// subcommands names their list after the handler. `$prefix` comes before the name in the full name. Each entry of
/// the keys says what is done with them, then a colon, then where they are: a constant of [`Place`], or a function of
/// it in parentheses.
macro_rules! table {
    ($prefix:literal: $(
        $name:literal, $arity:literal, [$($flag:ident),*], $keys:tt, $group:ident,
        $since:literal, $handler:expr $(=> $subcommands:ident)?;
        $summary:literal, $cost:literal $(, $syntax:literal)?
        $(; since $version:literal $change:literal)*
        $(; replaced $replaced_in:literal $replacement:literal)?
    )*) => {
        &[$(Spec {
            name: $name,
            full_name: concat!($prefix, $name),
            arity: $arity,
            flags: &[$($flag),*],
            flag_bits: $crate::commands::table::bits_of(&[$($flag),*]),
            keys: $crate::commands::table::keys_of!($keys),
            elements: $crate::commands::table::Elements::of(concat!($prefix, $name)),
            group: Group::$group,
            since: $since,
            summary: $summary,
            cost: $cost,
            syntax: concat!($($syntax)?),
            history: &[$(($version, $change)),*],
            replaced: $crate::commands::table::first(&[
                $(Some(($replaced_in, $replacement)),)? None,
            ]),
            handler: $handler,
            subcommands: $crate::commands::table::first(&[$($subcommands,)? &[]]),
        }),*]
    };
}

/// The keys of a row.
macro_rules! keys_of {
    ([$($usage:ident: $place:tt),*]) => {
        $crate::commands::table::Keys(&[$($crate::commands::table::Key {
            usage: $crate::commands::table::Use::$usage,
            place: $crate::commands::table::place_of!($place),
        }),*])
    };
}

/// Where the keys of a row are.
macro_rules! place_of {
    (($place:ident($($arg:expr),*))) => {
        $crate::commands::table::Place::$place($($arg),*)
    };
    ($place:ident) => {
        $crate::commands::table::Place::$place
    };
}

use {keys_of, place_of, table};

/// One bit for each flag.
const fn bits_of(flags: &[Flag]) -> u32 {
    let mut bits = 0;
    let mut at = 0;
    while at < flags.len() {
        bits |= 1 << flags[at] as u32;
        at += 1;
    }
    bits
}

/// The first of some values: what a row says, or the default after it.
const fn first<T: Copy>(said: &[T]) -> T {
    said[0]
}

/// The version of Redis since which a command is deprecated, and what to use instead.
pub type Replacement = (&'static str, &'static str);

/// One command, or one subcommand.
#[derive(Debug)]
pub struct Spec {
    /// The name, in lower case; for a subcommand without its container.
    pub name: &'static str,
    /// The name as errors show it: `client|id` for a subcommand.
    pub full_name: &'static str,
    /// The number of arguments, including the name; if negative, the least number.
    pub arity: i64,
    /// What kind of command it is, in the order in which Redis lists flags.
    pub flags: &'static [Flag],
    /// The same flags as bits, because every command is checked for some of them.
    pub(crate) flag_bits: u32,
    /// Which arguments are keys, and what is done with them.
    pub keys: Keys,
    /// Which arguments name elements of the key.
    pub elements: Elements,
    /// The chapter of Redis's manual.
    pub group: Group,
    /// The first version of Redis that had it.
    pub since: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// How the cost grows, in rows, elements and bytes that are touched. Empty if there is nothing to say.
    pub cost: &'static str,
    /// The arguments, in the notation of [`Argument::parse`].
    pub syntax: &'static str,
    /// What later versions of Redis changed.
    pub history: &'static [(&'static str, &'static str)],
    /// What replaces it.
    pub replaced: Option<Replacement>,
    /// The function that does its work.
    pub handler: Handler,
    /// The subcommands that the first argument may name.
    pub subcommands: &'static [Spec],
}

/// What does the work of a command.
#[derive(Clone, Copy)]
pub enum Handler {
    /// Works on keys, in a transaction.
    Keys(fn(&mut Txn<'_>, Args<'_>) -> Outcome),
    /// Works on the connection or the server.
    Session(fn(&mut Session, Args<'_>) -> Outcome),
    /// Works on keys, in a transaction, and needs the connection or the server too.
    Both(fn(&mut Session, &mut Txn<'_>, Args<'_>) -> Outcome),
    /// Runs the queued commands.
    Exec,
    /// Runs a script.
    Script(Form),
    /// Does nothing itself; its subcommands do.
    Container,
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Keys(_) => "Keys",
            Self::Session(_) => "Session",
            Self::Both(_) => "Both",
            Self::Exec => "Exec",
            Self::Script(_) => "Script",
            Self::Container => "Container",
        })
    }
}

/// A property of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// Changes keys, so it takes locks: those of its keys, or of everything if it names none.
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
    /// May run before the client has authenticated.
    NoAuth,
    /// May run while a script takes too long.
    AllowBusy,
    /// Is about channels, so a subscriber may send it.
    PubSub,
    /// May wait until another client writes.
    Blocking,
    /// Is not for `MULTI`.
    NoMulti,
    /// Its keys are not all at fixed positions.
    MovableKeys,
    /// Is not shown to `MONITOR`.
    SkipMonitor,
    /// Is not put into the slow log.
    SkipSlowlog,
    /// May not run while the server loads in the background.
    NoAsyncLoading,
    /// May have no keys at all, although its keys are at movable positions.
    NoMandatoryKeys,
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
            Self::PubSub => "pubsub",
            Self::Blocking => "blocking",
            Self::NoMulti => "no_multi",
            Self::MovableKeys => "movablekeys",
            Self::SkipMonitor => "skip_monitor",
            Self::SkipSlowlog => "skip_slowlog",
            Self::NoAsyncLoading => "no_async_loading",
            Self::NoMandatoryKeys => "no_mandatory_keys",
        }
    }
}

/// The chapter of Redis's manual that a command belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Keys of any type.
    Generic,
    /// Strings.
    String,
    /// Strings, bit by bit.
    Bitmap,
    /// Hashes.
    Hash,
    /// Lists.
    List,
    /// Sets.
    Set,
    /// Sorted sets.
    SortedSet,
    /// Places on the earth.
    Geo,
    /// Transactions.
    Transactions,
    /// Scripts.
    Scripting,
    /// Channels.
    PubSub,
    /// Clusters.
    Cluster,
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
            Self::Bitmap => "bitmap",
            Self::Hash => "hash",
            Self::List => "list",
            Self::Set => "set",
            Self::SortedSet => "sorted-set",
            Self::Geo => "geo",
            Self::Transactions => "transactions",
            Self::Scripting => "scripting",
            Self::PubSub => "pubsub",
            Self::Cluster => "cluster",
            Self::Connection => "connection",
            Self::Server => "server",
        }
    }
}

impl Spec {
    /// Whether the command has a property.
    #[must_use]
    pub fn has(&self, flag: Flag) -> bool {
        self.flag_bits & (1 << flag as u32) != 0
    }

    /// Whether it changes keys, or does something else that Redis would send to replicas.
    #[must_use]
    pub fn may_write(&self) -> bool {
        // Redis has a flag for these commands that it does not show.
        let tells = matches!(
            self.full_name,
            "publish" | "spublish" | "eval" | "evalsha" | "fcall"
        );
        tells || self.has(Flag::Write)
    }

    /// Whether it writes what other keys hold, however much that is.
    pub(crate) fn copies_keys(&self) -> bool {
        self.has(Flag::Write) && self.keys.0.iter().any(|key| key.usage == Use::Read)
    }

    /// Its arguments after the name, in a form for people.
    #[must_use]
    pub fn arguments(&self) -> Vec<Argument> {
        // A test parses every line. If one were wrong all the same, clients would just see no arguments.
        Argument::parse(self.syntax).unwrap_or_default()
    }

    /// Whether this number of arguments, including the name, is right.
    #[must_use]
    pub fn accepts(&self, count: usize) -> bool {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        if self.arity < 0 {
            count >= -self.arity
        } else {
            count == self.arity
        }
    }

    /// The subcommand with this name, ignoring case.
    #[must_use]
    pub fn subcommand(&self, name: &[u8]) -> Option<&'static Spec> {
        let mut subcommands = self.subcommands.iter();
        subcommands.find(|spec| name.eq_ignore_ascii_case(spec.name.as_bytes()))
    }
}

/// The command with this name, ignoring case.
#[must_use]
pub fn find(name: &[u8]) -> Option<&'static Spec> {
    static NAMES: LazyLock<Names> = LazyLock::new(|| Names::of(&COMMANDS));
    NAMES.find(name)
}

/// Commands by name, ignoring case. Every command that arrives is looked up here, so it is a hash table with open
/// addressing and so much room that the first place is nearly always the right one.
struct Names(Vec<Option<&'static Spec>>);

impl Names {
    /// No name is longer than this.
    const LENGTH_MAX: usize = 32;
    /// How many bits of a hash are the place.
    const PLACE_BITS: u32 = 10;

    fn of(specs: &[&'static Spec]) -> Self {
        let mut places = vec![None; 1 << Self::PLACE_BITS];
        for &spec in specs {
            let free = Self::ways(spec.name.as_bytes()).find(|&at| places[at].is_none());
            places[free.expect("there are more places than names")] = Some(spec);
        }
        Self(places)
    }

    fn find(&self, name: &[u8]) -> Option<&'static Spec> {
        if name.len() > Self::LENGTH_MAX {
            return None;
        }
        let mut on_the_way = Self::ways(name).map_while(|at| self.0[at]);
        on_the_way.find(|spec| name.eq_ignore_ascii_case(spec.name.as_bytes()))
    }

    /// The places where a name may be, the likeliest first. The hash is FNV-1a of the letters, ignoring case.
    fn ways(name: &[u8]) -> impl Iterator<Item = usize> {
        const START: u64 = 0xcbf2_9ce4_8422_2325;
        const FACTOR: u64 = 0x0000_0100_0000_01b3;
        let add = |hash: u64, byte: &u8| (hash ^ u64::from(byte | 0x20)).wrapping_mul(FACTOR);
        let first = (name.iter().fold(START, add) >> (u64::BITS - Self::PLACE_BITS)) as usize;
        let count = 1 << Self::PLACE_BITS;
        (first..first + count).map(move |at| at % count)
    }
}

/// The command or subcommand with this full name, ignoring case.
#[must_use]
pub fn find_full_name(name: &[u8]) -> Option<&'static Spec> {
    match name.iter().position(|&byte| byte == b'|') {
        Some(bar) => find(&name[..bar])?.subcommand(&name[bar + 1..]),
        None => find(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_nothing_else_is() {
        assert_eq!(find(b"zAdD").unwrap().name, "zadd");
        for spec in COMMANDS.iter() {
            let found = find(spec.name.to_ascii_uppercase().as_bytes());
            assert_eq!(found.map(|found| found.name), Some(spec.name));
        }
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
    fn every_entry_is_consistent() {
        let all = COMMANDS
            .iter()
            .flat_map(|spec| std::iter::once(*spec).chain(spec.subcommands));
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
            if spec.has(Flag::Write) {
                let locks = matches!(spec.handler, Handler::Keys(_) | Handler::Both(_));
                assert!(locks, "{name}");
            }
        }
    }
}
