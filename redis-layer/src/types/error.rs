//! Why an operation on a Redis type was refused.

use engine::keys::{DecodeError, hex};

use crate::store::{self, Space};

/// The result of an operation on a Redis type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation on a Redis type was refused. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The key holds another type.
    #[error("the key holds a value of another type")]
    WrongType,
    /// A score would be NaN: it was given so, or became so by arithmetic.
    #[error("the score would not be a number")]
    NotANumber,
    /// The strings that a command asks for, when put together from their pieces, would take too much memory.
    #[error("the strings are longer than 1 GiB together")]
    TooMuch,
    /// A row of the store is not one that this layer writes.
    #[error(
        "{0}. Stop the server, let `redis-layer fsck` list what else is wrong, and restore the data from a backup"
    )]
    Damaged(Damage),
    /// The rank index of a sorted set was changed after the snapshot was taken. The caller holds no lock; it takes
    /// the lock and asks again: see [`rank::ask`](crate::types::zset::rank::ask).
    #[error("the rank index is ahead of the snapshot")]
    Outdated,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The store could not be written, as on a full disk.
    #[error(transparent)]
    NotWritten(store::Error),
}

/// What is wrong with a row. `fsck` lists these, without the advice to run it.
#[derive(Debug, thiserror::Error)]
#[error("the {} row {key} is damaged: {what}", space.name())]
pub struct Damage {
    /// The space of the row.
    pub space: Space,
    /// The key of the row in hexadecimal.
    pub key: String,
    /// What is wrong with it.
    pub what: String,
}

impl Error {
    /// A row whose key or value cannot be decoded.
    pub(crate) fn damaged(space: Space, key: &[u8], what: &str) -> Self {
        Self::Damaged(Damage {
            space,
            key: hex(key),
            what: what.to_owned(),
        })
    }

    /// A row whose key or value cannot be decoded, with the decoder's reason.
    pub(crate) fn undecodable(space: Space, key: &[u8], reason: &DecodeError) -> Self {
        Self::damaged(space, key, &reason.to_string())
    }
}
