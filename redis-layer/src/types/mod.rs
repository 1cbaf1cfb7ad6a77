//! The Redis types as rows of an ordered store.
//!
//! A command runs in a [`Txn`]: it reads a snapshot overlaid with its own changes, and commits
//! them as one batch. Which bytes a row has is decided in [`rows`] alone. `docs/rows.md` draws
//! them.
//!
//! Nothing here knows a command, a reply or an error text of Redis. Of its protocol, [`packed`] knows how a string is
//! sent, and nothing else does.
//!
//! ```text
//! txn                           a transaction; shared, databases: what all transactions of a server share
//! keyspace, expiry, transfer    keys of any type; value: what they hold as a whole; random, scan: one of them, all
//! strings, bits                 strings, also as rows of bits
//! opened                        what all open collections have in common; losses: how many rows each has lost
//! elements, set                 hashes and sets; name_hash: the order of their rows
//! beside                        walks over several sets at once
//! list                          lists
//! zset, geo                     sorted sets; places as scores
//! rows                          the bytes of every row
//! orphans, check                rows that no key owns any more; whether all rows agree
//! dump                          values in the format of Redis's files
//! accesses                      when keys were last used
//! draw                          which elements a walk takes at random
//! clock, number, packed, words  small helpers: the time, numbers as Redis reads them, strings; sharded: counters
//! error                         why an operation was refused
//! ```

mod accesses;
mod beside;
pub mod bits;
mod check;
mod clock;
mod databases;
mod draw;
pub mod dump;
pub mod elements;
mod error;
pub mod expiry;
pub mod geo;
mod keyspace;
pub mod list;
mod losses;
pub mod name_hash;
pub mod number;
mod opened;
mod orphans;
pub mod packed;
pub mod random;
pub mod rows;
pub mod scan;
pub mod set;
mod sharded;
mod shared;
pub mod strings;
pub mod transfer;
mod txn;
pub mod value;
pub mod words;
pub mod zset;

pub use accesses::Accesses;
pub use check::{Fault, Report, check, check_ranks};
pub use clock::{Clock, ManualClock, SystemClock};
pub use databases::DATABASES;
pub use error::{Damage, Error, Result};
pub use keyspace::{FlushScope, each_key, flush};
pub use orphans::{Step, Sweeper, sweep};
pub use rows::{Content, DbNumber, Kind, Metadata};
pub use sharded::Sharded;
pub use shared::{Class, Event, Shared};
pub use txn::{Committed, FoundExpired, Lookups, Savepoint, Txn};
