//! Commands on strings: as texts, as numbers, as bits.
//!
//! ```text
//! whole             reads and stores whole strings: GET, SET, MGET
//! parts             reads and changes parts: APPEND, GETRANGE, SETRANGE
//! counters          strings as numbers: INCR and similar commands
//! bits, bitfield    single bits; numbers of any width within a string
//! lcs               what two strings have in common
//! ```

pub(crate) mod bitfield;
pub(crate) mod bits;
pub(crate) mod counters;
pub(crate) mod lcs;
pub(crate) mod parts;
pub(crate) mod whole;
