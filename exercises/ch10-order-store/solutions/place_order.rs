//! Four tuples, one batch, synced.

use engine::Db;
use engine::WriteBatch;
use engine::WriteOptions;
use engine::keys::{Desc, OrderedKey as _};

use crate::order::Order;

/// The keys of the four rows: the order, by user, by time, by status.
pub fn keys(order: &Order) -> [Vec<u8>; 4] {
    let Order {
        id,
        user,
        at,
        status,
    } = order;
    [
        (b'o', *id).to_key(),
        (b'u', user.as_str(), Desc(*at), *id).to_key(),
        (b't', *at, *id).to_key(),
        (b's', status.byte(), *at, *id).to_key(),
    ]
}

/// Stores a new order. Returns `false`, and changes nothing, if its id is taken.
pub fn place(db: &Db, order: &Order) -> engine::Result<bool> {
    let [own, indexes @ ..] = keys(order);
    if db.get(&own)?.is_some() {
        return Ok(false);
    }
    let rows = db.default_family();
    let mut batch = WriteBatch::new();
    batch.put(&rows, own, order.value());
    for key in indexes {
        batch.put(&rows, key, b"");
    }
    db.write(batch, WriteOptions { sync: true })?;
    Ok(true)
}
