//! The Redis model over an ordered store.
//!
//! Layers, each using only those below it (a test reads the imports):
//!
//! ```text
//! server     sockets, the wire protocol, durability
//! commands   what Redis commands do, and what they answer
//! scripting  Lua scripts, their sandbox and libraries
//! types      Redis types as rows
//! store      an ordered store: the engine, or a map in memory
//! ```
//!
//! Beside them stands the [`allocator`], for the program.

pub mod allocator;
pub mod commands;
pub mod scripting;
pub mod server;
pub mod store;
pub mod types;
