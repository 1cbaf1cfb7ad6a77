//! The memory of tables that have shrunk.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

/// A table gives memory back when it has room for more than this many times what it holds, and for more than
/// [`ROOM_LEAST`].
const ROOM_MOST: usize = 8;
pub(crate) const ROOM_LEAST: usize = 64;

/// Gives memory back, if a table has much more room than it needs. To be called after something was removed: of itself, a
/// table keeps the room of the most that it ever held.
///
/// Cost: O(1) for each removal on average.
pub(crate) fn give_back<K: Eq + Hash, V, S: BuildHasher>(table: &mut HashMap<K, V, S>) {
    if table.capacity() > ROOM_LEAST.max(ROOM_MOST * table.len()) {
        table.shrink_to_fit();
    }
}
