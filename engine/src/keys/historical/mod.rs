//! Encodings that real systems use or used, kept to compare and to show what they cost.
//!
//! Nothing in the engine or the Redis layer stores these forms. Tests and the book run them.
//!
//! | module | system | what it shows |
//! |---|---|---|
//! | [`ledis`] | LedisDB | a marker byte instead of a flipped bit: the same order in nine bytes |
//! | [`qdb`] | QDB | testing the value instead of the sign bit: two zeros in one key, NaN as a tiny number |
//! | [`neokv`] | NeoKV | testing the sign bit: the total order, and two keys for zero |
//! | [`upper_bound`] | SSDB, NeoKV | one `ff` as the end of a range: members that nobody finds |

pub mod ledis;
pub mod neokv;
pub mod qdb;
pub mod upper_bound;
