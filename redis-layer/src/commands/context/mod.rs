//! What a command runs in: the server that all connections share, and its own connection.
//!
//! ```text
//! server     what all connections share
//! session    one connection, as its own commands see it; replies: which replies it wants
//! peer       a connection, as other connections see it
//! outbox     messages to a client that are not replies to its commands
//! parts      a table of what clients wait for, in parts; room: the memory of such tables
//! ```

pub(crate) mod outbox;
pub(crate) mod parts;
pub(crate) mod peer;
pub(crate) mod replies;
pub(crate) mod room;
pub(crate) mod server;
pub(crate) mod session;
