//! What can go wrong below the Redis model.

/// The result of a call to a store.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of a store. The text is the store's own and says what a person can do.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<dyn std::error::Error + Send + Sync>);

impl Error {
    /// Wraps the error of a store.
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(source.into())
    }
}
