//! Commands on lists.
//!
//! ```text
//! elements    one list: pushing, reading, changing the middle
//! pops        taking elements: pops, moves, and the forms that wait for an element
//! ```

pub(crate) mod elements;
pub(crate) mod pops;
