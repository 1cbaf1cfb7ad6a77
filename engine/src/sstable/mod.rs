//! A sorted table: an immutable file of entries in key order, with what is needed to find one of them.
//!
//! Format, in the order of the file; each part has its own module:
//!
//! ```text
//! data block*   sorted entries                                 block, stored
//! zeros         up to a multiple of 64
//! filter        a bloom filter over all user keys, or nothing  filter, stored
//! range deletes the range tombstones, or nothing               range_block, stored
//! properties    what the table holds, for people and checks    properties, stored
//! index         one entry a data block                         index, block, stored
//! footer        64 bytes: where the others are                 footer
//! ```
//!
//! And what is done with it:
//!
//! ```text
//! builder        writes one, in one pass
//! table          opens one, finds a key; multi_get: finds several; cursor: walks over all
//!   parts        reads the parts besides the data blocks
//!   verified     which data blocks have had their checksums compared; cache: those that took work to read
//!   read_ahead   which data blocks a cursor asks the disk for before it reaches them
//! check          everything that one says about itself, against all that it holds
//! explain        what each byte means; by_checksum: where that must be said without footer or index
//! table_numbers  the tables that one was made from
//! ```
//!
//! All integers are little-endian. `engine/docs/formats.md` has the bytes.
//!
//! Invariants
//! 1. A table is written once, in key order, and never changed. Readers share it without locks.
//! 2. Every byte is covered by a checksum, except the zeros before the filter, which mean nothing.
//! 3. Index entry i leads to data block i; its key is >= every key in that block and < every key in the next.
//! 4. Nothing in a file is trusted before its checksum was compared, and no length in it is used
//!    before it was compared with what remains.
//!
//! A point lookup checks the filter (one cache line), searches the index (binary search), then a data block
//! (binary search over restarts, then a few steps). In a mapped table under the bytewise order it allocates
//! nothing: the value is a reference into the mapping. Lookups of several keys go through these steps together.
//!
//! Source: the shape is LevelDB's table, the whole-table filter and the properties are RocksDB's.

mod block;
mod builder;
mod by_checksum;
mod cache;
mod check;
mod cursor;
mod explain;
mod filter;
mod footer;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod index;
mod multi_get;
mod parts;
mod properties;
mod range_block;
mod read_ahead;
mod stored;
mod table;
mod table_numbers;
mod verified;

pub(crate) use block::head;
pub use builder::{TableBuilder, TableOptions, TableSummary};
pub use cache::{ReadCounts, SharedReads};
pub use check::check_table;
pub use cursor::TableCursor;
pub use explain::{ExplainOptions, explain_table};
pub(crate) use footer::CHECKSUM_AT as FOOTER_CHECKSUM_AT;
pub use footer::FORMAT_VERSION;
pub use multi_get::{Asked, GET_MANY_MAX, get_many};
pub use parts::{is_table, read_properties, read_range_tombstones};
pub use properties::Properties;
pub use stored::Compression;
pub use table::{Table, TableEntry};
pub use table_numbers::TableNumbers;
