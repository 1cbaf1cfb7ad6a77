//! Commands on keys of any type, and on whole databases.
//!
//! ```text
//! generic         existence, type, renaming, copies
//! time_to_live    when a key expires: EXPIRE, TTL, PERSIST
//! walk            over all keys: KEYS, SCAN, RANDOMKEY
//! databases       moving a key to another database, exchanging and emptying databases
//! dump            values as strings that a real Redis understands: DUMP, RESTORE
//! object          how Redis would store a value
//! sort            SORT
//! ```

pub(crate) mod databases;
pub(crate) mod dump;
pub(crate) mod generic;
pub(crate) mod object;
pub(crate) mod sort;
pub(crate) mod time_to_live;
pub(crate) mod walk;
