//! The server: sockets, the wire protocol, and when an answer may be sent.
//!
//! There is one task for each connection. It reads what has arrived, runs every complete command, and writes all
//! answers with one call; so a pipeline of a thousand commands costs a few system calls. Plain commands of
//! connections that are ready together run in one transaction. A command runs to its end on the task's thread:
//! usually the store is fast, and while it waits for the disk, the thread waits too. When a command has worked for long,
//! another thread takes over the other connections (`commands::dispatch::long_work`). If a single thread serves all
//! clients, they are served in the order in which they sent their commands (`wake_order`).
//!
//! With `--sync always` the answers wait until the store has synced, and one sync serves every connection that waits
//! ([`Durability`]). Separate threads remove expired keys and free the space of removed collections.
//!
//! ```text
//! listener             accepts connections, starts and stops all else; options: what it is started with
//! stream, unix_socket  what a connection comes over; client_checks: which connections have to end
//! connection           the task of a connection; resp: the wire protocol
//! batching             commands of several connections in one transaction
//! turns, wake_order    how one thread serves all in turn, and in which order
//! durability           when an answer may be sent
//! forget               gives back memory that is of no use any more
//! expire, reclaim      the separate threads; background: how they stop; outage: what they log
//! fsck                 checks the data instead of serving it
//! ```

mod background;
mod batching;
mod client_checks;
mod connection;
mod durability;
mod expire;
mod forget;
mod fsck;
mod listener;
mod options;
mod outage;
mod reclaim;
pub mod resp;
mod stream;
mod turns;
mod unix_socket;
mod wake_order;

pub use crate::commands::config::SyncPolicy;
pub use durability::Durability;
pub use fsck::{FsckError, fsck};
pub use listener::{Listener, ServeError, StartError};
pub use options::Options;
pub use turns::thread_parks;
