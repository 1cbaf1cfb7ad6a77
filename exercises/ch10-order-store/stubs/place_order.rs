//! # place-order: one batch writes four rows
//!
//! **Why.** An order that is in one index and not in another is lost for some queries. A batch is whole or not at
//! all, and a synced one survives a power cut.
//!
//! **Task.** Write `keys` and `place`.
//!
//! 1. `keys` gives the four keys of an order: the order's own row, by user (newest first), by time, by status.
//! 2. `place` writes the four rows, with `order.value()` in the first and nothing in the others. All of them, or
//!    none, whenever the power fails. When `place` has returned, they survive a power cut.
//! 3. An id that is taken is refused: `place` returns `false` and changes nothing. Otherwise it returns `true`.
//!
//! The keys of order 7 of `ann`, placed at 500, status new:
//!
//! | row       | tuple                        | key                                                 |
//! |-----------|------------------------------|-----------------------------------------------------|
//! | the order | `o`, 7                       | `6f 00000007`                                       |
//! | by user   | `u`, "ann", 500 turned, 7    | `75 616e6e0001 fffffffffffffe0b 00000007`           |
//! | by time   | `t`, 500, 7                  | `74 00000000000001f4 00000007`                      |
//! | by status | `s`, 0, 500, 7               | `73 00 00000000000001f4 00000007`                   |
//!
//! A tuple of `engine::keys` makes them: `(b'o', id).to_key()`, with the trait `OrderedKey` in scope. `Desc(at)` turns a
//! field round.
//! `db.get(key)?`, which is the value of a row or `None`, `WriteBatch::new`, `batch.put(&db.default_family(), key, value)`
//! and `db.write(batch, WriteOptions { sync })` are all that `place` needs. They are in `engine` and in `engine::keys`;
//! `cargo doc --no-deps -p engine --open` shows each with its types.
//!
//! **Check.** `cargo workbook check place-order`, or `cargo test -p ch10-order-store place-order`.

use engine::Db;

use crate::order::Order;

/// The keys of the four rows: the order, by user, by time, by status.
pub fn keys(order: &Order) -> [Vec<u8>; 4] {
    todo!("four keys for {order:?}")
}

/// Stores a new order. Returns `false`, and changes nothing, if its id is taken.
pub fn place(db: &Db, order: &Order) -> engine::Result<bool> {
    let _ = db;
    todo!("four rows for {order:?}")
}
