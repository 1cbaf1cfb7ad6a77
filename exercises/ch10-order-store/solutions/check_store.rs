//! Two sets: the index rows that the orders ask for, and those that are there.

use std::collections::BTreeSet;

use engine::Db;
use engine::WriteBatch;
use engine::WriteOptions;
use engine::keys::DecodeKey as _;

use super::place_order::keys;
use crate::order::{Fault, Order};

/// The index rows that the orders ask for, and those that are there.
fn wanted_and_found(db: &Db) -> engine::Result<[BTreeSet<Vec<u8>>; 2]> {
    let (mut wanted, mut found) = (BTreeSet::new(), BTreeSet::new());
    for row in db.default_family().iter() {
        let (key, value) = row?;
        match key.first() {
            Some(b'o') => {
                let (_, id) = <(u8, u32)>::from_key(&key).expect("every row o can be read");
                let order = Order::read(id, &value).expect("every row o can be read");
                let [_, indexes @ ..] = keys(&order);
                wanted.extend(indexes);
            }
            Some(b's' | b't' | b'u') => {
                found.insert(key);
            }
            _ => {}
        }
    }
    Ok([wanted, found])
}

/// Everything that is wrong with the indexes, in the order of the keys.
pub fn faults(db: &Db) -> engine::Result<Vec<Fault>> {
    let [wanted, found] = wanted_and_found(db)?;
    let differing = wanted.symmetric_difference(&found).cloned();
    let fault = |key| {
        if found.contains(&key) {
            Fault::Ghost(key)
        } else {
            Fault::Missing(key)
        }
    };
    Ok(differing.map(fault).collect())
}

/// Makes the indexes right, in one batch.
pub fn rebuild(db: &Db) -> engine::Result<()> {
    let rows = db.default_family();
    let mut batch = WriteBatch::new();
    for fault in faults(db)? {
        match fault {
            Fault::Ghost(key) => batch.delete(&rows, key),
            Fault::Missing(key) => batch.put(&rows, key, b""),
        }
    }
    db.write(batch, WriteOptions { sync: true })
}
