//! What the server notes about itself and about commands, and the commands that show it.
//!
//! ```text
//! recording         what is noted about every command that runs: in the modules of the next three lines
//! statistics        how often and how long commands ran, and their errors; rates: the current load
//! slowlog           SLOWLOG: the last commands that took long; latency: LATENCY, delays by their cause
//! monitor           MONITOR: shows every command to those who asked for it
//! info              INFO
//! memory            MEMORY; process: what the operating system knows about the process
//! seldom            errors that would fill the log are logged once in a while
//! ```

pub(crate) mod info;
pub(crate) mod latency;
pub(crate) mod memory;
pub(crate) mod monitor;
pub(crate) mod process;
pub(crate) mod rates;
pub(crate) mod recording;
pub(crate) mod seldom;
pub(crate) mod slowlog;
pub(crate) mod statistics;
