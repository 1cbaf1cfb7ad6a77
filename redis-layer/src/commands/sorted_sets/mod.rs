//! Commands on sorted sets.
//!
//! ```text
//! write      ZADD and what is built on it; other commands store their results through it
//! read       members and counts
//! range      ZRANGE in all its forms, and the older commands that are special cases of it
//! remove     removing members, also by forms that wait for one
//! algebra    unions, intersections and differences
//! ```

pub(crate) mod algebra;
pub(crate) mod range;
pub(crate) mod read;
pub(crate) mod remove;
pub(crate) mod write;
