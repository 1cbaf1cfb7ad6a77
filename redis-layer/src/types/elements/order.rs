//! The order in which small hashes and sets are listed.
//!
//! Redis keeps a small hash in the order in which its fields were added, and a small set of integers in numeric
//! order. It promises neither, but programs and their tests rely on both. So the row of a field begins with a number
//! that grows from field to field:
//!
//! ```text
//! row of a field    order: varint | value
//! ```
//!
//! The order is a number that the store hands out, so it is greater than the orders of all earlier fields, including
//! those of a hash that was copied. A small collection is sorted when all of it is read. A new value leaves a field
//! where it is; a field that is removed and added again becomes the last.

use bytes::Bytes;
use engine::varint;

use crate::store::Space;
use crate::types::number::parse_integer;
use crate::types::{Error, Result};

/// Up to this many elements Redis keeps a hash or a set of integers in its compact form, which has an order and is
/// scanned in one call.
pub const COMPACT: u64 = 512;

/// What the row of a field holds.
pub(super) fn encode_field(order: u64, value: &[u8]) -> Bytes {
    let mut stored = Vec::with_capacity(4 + value.len());
    varint::append(&mut stored, order);
    stored.extend_from_slice(value);
    stored.into()
}

/// The order and the value of a field, as its row holds them.
///
/// # Errors
/// [`Error::Damaged`] if there is no order.
pub(crate) fn decode_field<'v>(row: &[u8], stored: &'v [u8]) -> Result<(u64, &'v [u8])> {
    let mut rest = stored;
    let order = varint::take(&mut rest)
        .ok_or_else(|| Error::damaged(Space::Data, row, "it holds no order"))?;
    Ok((order, rest))
}

/// Sorts the members numerically, if there are at most [`COMPACT`] and all are integers.
pub(crate) fn sort_integers<T>(members: &mut [T], name: impl Fn(&T) -> &[u8]) {
    let integer = |member: &T| parse_integer(name(member));
    if members.len() as u64 <= COMPACT && members.iter().all(|member| integer(member).is_some()) {
        members.sort_by_key(integer);
    }
}
