//! What a command runs in: the server that all connections share, and its own connection.
//!
//! ```text
//! server     what all connections share
//! session    one connection, as its own commands see it; replies: which replies it wants
//! peer       a connection, as other connections see it
//! outbox     messages to a client that are not replies to its commands
//! room       the memory of tables of what clients wait for
//! ```

pub(crate) mod outbox;
pub(crate) mod peer;
pub(crate) mod replies;
pub(crate) mod room;
pub(crate) mod server;
pub(crate) mod session;
