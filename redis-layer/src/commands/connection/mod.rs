//! Commands of a client about its connection, and about those of others.
//!
//! ```text
//! hello     how a client introduces itself and leaves: HELLO, AUTH, SELECT, PING, RESET, QUIT
//! client    CLIENT: the list of connections and their state; ending and pausing them; cached keys
//! ```

pub(crate) mod client;
pub(crate) mod hello;
