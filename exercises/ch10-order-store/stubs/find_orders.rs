//! # find-orders: by user, by time, by status, page by page
//!
//! **Why.** The rows were written so that each of these questions is one scan. Nothing is sorted, nothing is filtered,
//! and nothing is read that the caller does not get.
//!
//! **Task.** Write three queries. Each returns the ids of orders. In all three, orders of the same millisecond come by id.
//!
//! 1. `of_user`: the orders of one user, newest first, at most `limit`.
//! 2. `between`: the orders placed from `from` on and before `until`, oldest first, at most `limit`. `until` itself is
//!    left out. If `until` is not after `from`, there are none. Either may be 0.
//!
//!    In both, a `limit` of 0 asks for no order, and `usize::MAX` for all.
//! 3. `with_status`: one page of the orders with a status, oldest first, at most `limit`, which is from 1 to `usize::MAX`.
//!    `next` is a *cursor*: give it back as `after`, and the next page begins after this one. It is `None` on the last page,
//!    when no order follows. What the bytes of the cursor mean is yours to choose. Between two pages orders come and go: no
//!    order that stays may be skipped or returned twice. One that comes meanwhile is listed if it belongs after all that are
//!    there, and not if it belongs before the last one listed.
//!
//! The keys are those of `place-order`. If you have solved it, `crate::place_order::keys` makes them; the tables there
//! show the bytes. Two orders may have the same time.
//!
//! `db.default_family().prefix(bytes)` returns the rows whose keys start with the bytes, `.range(from..until)`
//! those between two keys. Both are iterators, and each row that they give is a `Result<(key, value)>`.
//! `engine::keys` has `prefix_successor`, which is `None` for bytes that are all `ff`. `from_key` on the type of a
//! tuple takes a key apart, with the traits `DecodeKey` and `OrderedKey` in scope:
//! `<(u8, u64, u32)>::from_key(&key)`. A field that is turned round is a `Desc<u64>`, and a name is a `String`. It returns a `Result`
//! whose error is not that of the engine, so `?` does not pass it on. All rows here can be taken apart: `expect` will do.
//!
//! **Check.** `cargo workbook check find-orders`, or `cargo test -p ch10-order-store find-orders`.

use engine::Db;

use crate::order::{Page, Status};

/// The orders of a user, newest first, at most `limit`.
pub fn of_user(db: &Db, user: &str, limit: usize) -> engine::Result<Vec<u32>> {
    let _ = db;
    todo!("at most {limit} ids of {user}")
}

/// The orders placed in `from..until`, oldest first, at most `limit`.
pub fn between(db: &Db, from: u64, until: u64, limit: usize) -> engine::Result<Vec<u32>> {
    let _ = db;
    todo!("at most {limit} ids of {from}..{until}")
}

/// A page of the orders with a status, oldest first. `after` is the cursor of the page before.
pub fn with_status(
    db: &Db,
    status: Status,
    limit: usize,
    after: Option<&[u8]>,
) -> engine::Result<Page> {
    let _ = db;
    todo!("at most {limit} ids of {status:?} after {after:?}")
}
