//! The Redis model over an ordered store.
