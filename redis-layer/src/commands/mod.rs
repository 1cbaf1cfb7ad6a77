//! Redis commands: what they take, what they do, what they answer.
//!
//! [`execute`] is the main interface: arguments in, a [`Reply`] out. A [`Reply`] says what is answered but not how it
//! is encoded: the wire protocol belongs to the server.
//!
//! Everything about a command except its work is in the [`table`]: name, arity, flags and keys drive dispatch,
//! locking, the arity errors and `COMMAND`.
//!
//! ```text
//! the way of every command
//!   table                  what is known of each command, except its work; manual: the same for clients and people
//!   dispatch               finds, checks, locks, runs, commits
//!   transactions           several commands as one: MULTI; scripting: EVAL
//!   args, reply, error     what goes in and what comes out
//!   context                what a command runs in: the server, and its own connection
//!   recording              notes what ran, in statistics, slowlog and latency; rates, monitor: who looks on
//!   acl, config, seldom    users, settings; errors that would fill the log
//! the work, by family
//!   strings, hashes, lists, sets, sorted_sets
//!   geo                    places in sorted sets
//!   keys                   keys of any type, and databases
//!   connection             what a client asks about its connection, and about others
//!   pubsub                 channels
//!   server, info           the server; cluster, debug, memory, persistence, process
//! ```

mod acl;
mod args;
mod cluster;
pub mod config;
mod connection;
mod context;
mod debug;
mod dispatch;
mod error;
mod geo;
mod hashes;
mod info;
mod keys;
mod latency;
mod lists;
mod manual;
mod memory;
mod monitor;
mod persistence;
mod process;
mod pubsub;
mod rates;
mod recording;
mod reply;
mod scripting;
pub(crate) mod seldom;
mod server;
mod sets;
mod slowlog;
mod sorted_sets;
mod statistics;
mod strings;
pub mod table;
mod transactions;

pub use args::Args;
pub use context::outbox::{Message, Outbox};
pub use context::peer::Peer;
pub use context::session::{Server, Session, Settings, Shutdown};
pub use dispatch::blocking::Waiting;
pub use dispatch::expired_keys::remove_expired;
pub use dispatch::key_locks::Wait;
pub(crate) use dispatch::long_work::{run_blocking, run_maybe_blocking};
pub use dispatch::pipeline::{
    Arrived, COMMANDS_MAX, Progress, execute_next, execute_together, may_join_batch,
};
pub use dispatch::{Executed, execute};
pub use error::CommandError;
pub use manual::page::command_page;
pub use reply::{Protocol, Reply};
pub use statistics::Counters;

/// The version of Redis whose behaviour is implemented. Clients ask for it.
pub const REDIS_VERSION: &str = "7.0.15";

pub use crate::types::DATABASES;

/// What a command answers.
pub type Outcome = Result<Reply, CommandError>;
