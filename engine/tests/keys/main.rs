//! What must hold for every key encoding, and what earlier systems did.
//!
//! ```text
//! cargo test -p engine --test keys
//! ```

mod exact;
mod exhaustive;
mod generators;
mod hostile;
mod order;
mod proofs;
mod seeds;
mod systems;
mod table;
mod vectors;
mod zorder;

#[path = "../../examples/exhaust_keys/binary16.rs"]
mod binary16;
