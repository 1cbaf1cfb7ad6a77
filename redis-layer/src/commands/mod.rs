//! Redis commands: what they take, what they do, what they answer.
//!
//! [`execute`] is the main interface: arguments in, a [`Reply`] out. A [`Reply`] says what is answered but not how it
//! is encoded: the wire protocol belongs to the server.
//!
//! What most of the server needs to know of a command is in the [`table`]: name, arity, flags and keys drive dispatch,
//! locking, the arity errors and `COMMAND`. What concerns a few commands only stands where it is needed, by their names:
//! `docs/adding-a-command.md` lists these places.
//!
//! ```text
//! what every command goes through
//!   table                  what is known of each command; manual: the same for clients and people
//!   dispatch               finds, checks, locks, runs, commits
//!   args, reply, error     what goes in and what comes out
//!   context                what a command runs in: the server, and its own connection
//!   acl, config            users and settings, and their commands
//!   monitoring             what is noted about commands, and the commands that show it: INFO, SLOWLOG, MONITOR
//! the commands, by family
//!   strings, hashes, lists, sets, sorted_sets
//!   geo                    places in sorted sets
//!   keys                   keys of any type, and databases
//!   transactions           several commands as one: MULTI
//!   scripting              EVAL
//!   pubsub                 channels
//!   connection             what a client asks about its connection, and about others
//!   administration         for those who run the server: SAVE, SHUTDOWN, DEBUG
//! ```

mod acl;
mod administration;
mod args;
pub mod config;
mod connection;
mod context;
mod dispatch;
mod error;
mod geo;
mod hashes;
mod keys;
mod lists;
mod manual;
pub(crate) mod monitoring;
mod pubsub;
mod reply;
mod scripting;
mod sets;
mod sorted_sets;
mod strings;
pub mod table;
mod transactions;

pub use administration::shutdown::Shutdown;
pub use args::Args;
pub use context::outbox::{Message, Outbox};
pub use context::peer::Peer;
pub use context::server::{Server, Settings};
pub use context::session::Session;
pub use dispatch::blocking::Waiting;
pub use dispatch::expired_keys::remove_expired;
pub use dispatch::key_locks::Wait;
pub use dispatch::long_work::Turn;
pub(crate) use dispatch::long_work::{run_blocking, run_maybe_blocking};
pub use dispatch::pipeline::{
    Arrived, COMMANDS_MAX, Progress, execute_next, execute_together, may_join_batch,
};
pub use dispatch::{Executed, execute};
pub use error::CommandError;
pub use manual::page::command_page;
pub use monitoring::statistics::Counters;
pub use reply::{Protocol, Reply};

/// The version of Redis whose behaviour is implemented. Clients ask for it.
pub const REDIS_VERSION: &str = "7.0.15";

pub use crate::types::DATABASES;

/// What a command answers.
pub type Outcome = Result<Reply, CommandError>;
