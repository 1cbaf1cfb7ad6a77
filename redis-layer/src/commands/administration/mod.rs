//! Commands for those who run the server. Settings and users have folders of their own, as every command asks for them.
//!
//! ```text
//! persistence             checkpoints: SAVE and similar commands
//! shutdown                SHUTDOWN
//! debug                   DEBUG, for tests and for the search for faults
//! replication, cluster    what the server answers about other servers: there are none
//! modules                 MODULE: there are none
//! time, lolwut            the clock, and a picture
//! ```

pub(crate) mod cluster;
pub(crate) mod debug;
pub(crate) mod lolwut;
pub(crate) mod modules;
pub(crate) mod persistence;
pub(crate) mod replication;
pub(crate) mod shutdown;
pub(crate) mod time;
