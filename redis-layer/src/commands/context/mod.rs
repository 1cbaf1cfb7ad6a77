//! What a command runs in: the server that all connections share, and its own connection.
//!
//! ```text
//! session    the server, and one connection
//! peer       a connection as other connections see it
//! outbox     messages to a client that are not replies to its commands
//! ```

pub(crate) mod outbox;
pub(crate) mod peer;
pub(crate) mod session;
