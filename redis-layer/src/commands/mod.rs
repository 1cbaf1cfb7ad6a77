//! Redis commands: what they take, what they do, what they answer.
//!
//! [`execute`] is the whole interface: arguments in, a [`Reply`] out. A [`Reply`] knows what is
//! answered and not how it is written, so the wire protocol is the server's business.
//!
//! Everything about a command that is not its work stands in the [`table`]: its name, arity,
//! flags and keys drive dispatch, locking, the arity errors and `COMMAND`.

mod args;
mod bitfield;
mod bits;
mod blocking;
mod client;
mod connection;
mod counters;
mod dispatch;
mod docs;
mod error;
mod expire;
mod generic;
mod glob;
mod hashes;
mod introspection;
mod lcs;
mod list_pops;
mod lists;
mod pipeline;
mod random;
mod reply;
mod scan;
mod server;
mod session;
mod sets;
mod string_parts;
mod strings;
pub mod table;
mod transactions;
mod zset_range;
mod zset_read;
mod zset_write;

pub use args::Args;
pub use blocking::Waiting;
pub use dispatch::{Executed, execute};
pub use docs::command_page;
pub use error::CommandError;
pub use expire::remove_expired;
pub use pipeline::execute_next;
pub use reply::{Protocol, Reply};
pub use session::{Counters, Server, Session, Settings};

/// The version of Redis whose behaviour this is. Clients ask for it.
pub const REDIS_VERSION: &str = "7.0.15";

pub use crate::types::DATABASES;

/// What a command answers.
pub type Outcome = Result<Reply, CommandError>;
