//! Redis commands: what they take, what they do, what they answer.
//!
//! [`execute`] is the main interface: arguments in, a [`Reply`] out. A [`Reply`] says what is answered but not how it
//! is encoded: the wire protocol belongs to the server.
//!
//! Everything about a command except its work is in the [`table`]: name, arity, flags and keys drive dispatch,
//! locking, the arity errors and `COMMAND`.
//!
//! ```text
//! the way of a command
//!   table                        what is known of each; introspection, manual, docs: the same for clients and people
//!   dispatch                     finds, checks, locks, runs, commits; admission: may it run now; key_locks: its locks
//!   pipeline                     runs commands together that arrived together; run_blocking: work that takes long
//!   blocking                     waits for a key; transactions: MULTI; scripting: EVAL
//!   expire                       removes expired keys that a command, or the server, has found
//!   args, reply, error           what goes in and what comes out; glob, pops, random, scan: arguments that many share
//!   recording                    notes what ran, in statistics, slowlog and latency; rates, monitor: who looks on
//! the context of a command
//!   session                      the server, and one connection; peer, outbox: how other connections see it and send
//!   client, acl, pubsub, config  clients and what they ask for, settings; seldom: errors that would fill the log
//! the work
//!   strings, string_parts        strings; counters, bits, bitfield, lcs: as numbers, as bits, compared
//!   hashes, sets, lists          one type each; list_pops: what takes elements from lists
//!   zset_write, zset_read        sorted sets; zset_range, zset_remove, zset_algebra; geo, geo_search: places
//!   generic, keyspace, expiry    keys of any type; object, dump, sort
//!   connection, server, info     the connection and the server; cluster, debug, memory, persistence, process
//! ```

mod acl;
mod admission;
mod args;
mod bitfield;
mod bits;
mod blocking;
mod client;
mod cluster;
pub mod config;
mod connection;
mod counters;
mod debug;
mod dispatch;
mod docs;
mod dump;
mod error;
mod expire;
mod expiry;
mod generic;
mod geo;
mod geo_search;
mod glob;
mod hashes;
mod info;
mod introspection;
mod key_locks;
mod keyspace;
mod latency;
mod lcs;
mod list_pops;
mod lists;
mod manual;
mod memory;
mod monitor;
mod object;
pub mod outbox;
mod peer;
mod persistence;
mod pipeline;
mod pops;
mod process;
mod pubsub;
mod random;
mod rates;
mod recording;
mod reply;
mod run_blocking;
mod scan;
mod scripting;
pub(crate) mod seldom;
mod server;
mod session;
mod sets;
mod slowlog;
mod sort;
mod statistics;
mod string_parts;
mod strings;
pub mod table;
mod transactions;
mod zset_algebra;
mod zset_range;
mod zset_read;
mod zset_remove;
mod zset_write;

pub use args::Args;
pub use blocking::Waiting;
pub use dispatch::{Executed, execute};
pub use docs::command_page;
pub use error::CommandError;
pub use expire::remove_expired;
pub use key_locks::Wait;
pub use outbox::{Message, Outbox};
pub use peer::Peer;
pub use pipeline::{
    Arrived, COMMANDS_MAX, Progress, execute_next, execute_together, may_join_batch,
};
pub use reply::{Protocol, Reply};
pub(crate) use run_blocking::{run_blocking, run_maybe_blocking};
pub use session::{Server, Session, Settings, Shutdown};
pub use statistics::Counters;

/// The version of Redis whose behaviour is implemented. Clients ask for it.
pub const REDIS_VERSION: &str = "7.0.15";

pub use crate::types::DATABASES;

/// What a command answers.
pub type Outcome = Result<Reply, CommandError>;
