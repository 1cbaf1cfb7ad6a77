//! Commands on places: members of sorted sets, with their positions as scores.
//!
//! ```text
//! places    adding places, and asking for their positions and distances
//! search    the places in a circle or a box
//! ```

pub(crate) mod places;
pub(crate) mod search;
