//! Read the order, then one batch: its row anew, the old row by status out, the new one in.

use engine::Db;
use engine::WriteBatch;
use engine::WriteOptions;
use engine::keys::OrderedKey as _;

use super::place_order::keys;
use crate::order::{Change, Order, Status};

/// Gives an order another status.
pub fn change_status(db: &Db, id: u32, to: Status) -> engine::Result<Change> {
    let own = (b'o', id).to_key();
    let Some(value) = db.get(&own)? else {
        return Ok(Change::Unknown);
    };
    let before = Order::read(id, &value).expect("`place` wrote this value");
    if before.status == to {
        return Ok(Change::Unchanged);
    }
    let after = Order {
        status: to,
        ..before.clone()
    };
    let ([_, _, _, old], [_, _, _, new]) = (keys(&before), keys(&after));
    let rows = db.default_family();
    let mut batch = WriteBatch::new();
    batch.put(&rows, own, after.value());
    batch.delete(&rows, old);
    batch.put(&rows, new, b"");
    db.write(batch, WriteOptions { sync: true })?;
    Ok(Change::Changed)
}
