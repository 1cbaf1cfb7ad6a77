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
//!   acl, pubsub, config          users, channels, settings; seldom: errors that would fill the log
//! the work
//!   strings, hashes, lists       a type each; strings also as numbers and as bits
//!   sets, sorted_sets, geo       geo: places in sorted sets
//!   keys                         keys of any type, and databases
//!   connection                   what a client asks about its connection, and about others
//!   server, info                 the server; cluster, debug, memory, persistence, process
//! ```

mod acl;
mod admission;
mod args;
mod blocking;
mod cluster;
pub mod config;
mod connection;
mod debug;
mod dispatch;
mod docs;
mod error;
mod expire;
mod geo;
mod glob;
mod hashes;
mod info;
mod introspection;
mod key_locks;
mod keys;
mod latency;
mod lists;
mod manual;
mod memory;
mod monitor;
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
mod sorted_sets;
mod statistics;
mod strings;
pub mod table;
mod transactions;

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
