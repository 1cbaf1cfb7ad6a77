//! The way of every command: found in the table, checked, its keys locked, run, committed.
//!
//! A command runs in one of two ways, and does not know in which: alone ([`execute`](self::execute())), or by [`call`]
//! in the transaction of an `EXEC` or of a script. Commands that arrive together may share one transaction, too:
//! [`pipeline`].
//!
//! ```text
//! execute         runs one command, from its words to its answer
//! resolve         which command the words mean
//! admission       whether it may run now
//! key_locks       the locks of its keys, and how a client waits for them
//! inside          runs one of several commands inside a transaction
//! commit          ends a transaction, and tells everybody concerned
//! expired_keys    removes expired keys that a command, or the server, has found
//! pipeline        runs commands together that arrived together
//! blocking        clients that wait for a key
//! long_work       lets other connections be served while a thread works for long
//! ```

pub(crate) mod admission;
pub(crate) mod blocking;
mod commit;
mod execute;
pub(crate) mod expired_keys;
mod inside;
pub(crate) mod key_locks;
pub(crate) mod long_work;
pub(crate) mod pipeline;
mod resolve;

pub(crate) use commit::{Writer, commit, finish, finish_for_many, flag_watchers, tell};
pub use execute::{Executed, execute};
pub(crate) use execute::{KEYS_AHEAD_MAX, execute_at};
pub(crate) use inside::{attempt, call, counts_lookups};
pub(crate) use resolve::{named, resolve};
