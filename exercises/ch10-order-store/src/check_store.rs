//! # check-store: ghosts and missing rows
//!
//! **Why.** An index can be wrong for years without anybody knowing: a query returns what the index says. A checker compares
//! the indexes with the orders, in both directions. Then the orders say what the indexes should be, and they can be made anew.
//!
//! **Task.** Write `faults` and `rebuild`. The rows `o` are the truth: an index is right when it holds the rows that the
//! orders ask for, and nothing else.
//!
//! 1. `faults` returns every `Ghost`, an index row that no order asks for, and every `Missing`, an index row that an
//!    order asks for and the store does not have, in the order of their keys. Whatever bytes come after the letter of
//!    an index: such a row may be a ghost, it must not be a panic.
//! 2. `rebuild` makes all three indexes right, in one batch. The rows `o` stay. Synced or not is up to you: it can be done again.
//!
//! Index rows begin with `s`, `t` or `u`. Rows that begin with anything else do not matter, and stay; so does a row
//! whose key is empty. The keys are those of `place-order`. An index row's value is empty; `faults` compares keys and no
//! values. Every row `o` can be read.
//!
//! A `BTreeSet<Vec<u8>>` sorts keys as the store does. `db.default_family().iter()` returns all rows.
//!
//! **Check.** `cargo workbook check check-store`, or `cargo test -p ch10-order-store check-store`.

use engine::Db;

use crate::order::Fault;

/// Everything that is wrong with the indexes, in the order of the keys.
pub fn faults(db: &Db) -> engine::Result<Vec<Fault>> {
    let _ = db;
    todo!("ghosts and missing rows")
}

/// Makes the indexes right, in one batch.
pub fn rebuild(db: &Db) -> engine::Result<()> {
    let _ = db;
    todo!("the indexes, from the orders")
}
