//! Reading in order: one cursor over many sources, which shows the visible version of each key.
//!
//! ```text
//! Cursor         rows as a reader of one sequence number sees them
//!   Bounds       the keys that it may return
//!   Coverage     the range tombstones of all sources, which hide entries
//!   MergeCursor  all entries of all sources, in internal order
//!     Source     a memtable, a table of level 0, a deeper level
//! ```

mod bounds;
mod coverage;
mod cursor;
mod merge;
mod range;
#[cfg(test)]
mod tests;

pub use self::bounds::Bounds;
pub(crate) use self::coverage::{Coverage, OfSource};
pub use self::cursor::Cursor;
pub use self::merge::{MergeCursor, Source};
pub use self::range::Range;
