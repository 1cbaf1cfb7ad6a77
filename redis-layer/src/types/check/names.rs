//! Hashes and sets: a row for each name, under the hash of the name.

use std::collections::HashSet;

use crate::store::{Direction, Snapshot, Space};
use crate::types::elements::decode_field;
use crate::types::name_hash::name_hash;
use crate::types::rows::RowPrefix;
use crate::types::{Kind, Result};

/// Checks that the size in the metadata row is the number of data rows and not 0, and that each row holds the hash
/// of its name. A member of a set has no value; the value of a field begins with its order, which no other field of
/// the hash has.
pub(super) fn faults(
    snapshot: &dyn Snapshot,
    prefix: &RowPrefix,
    size: u64,
    kind: Kind,
) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut found = 0;
    let mut orders = HashSet::new();
    let mut cursor = snapshot.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        let (hash, name) = prefix.hash_and_name(row)?;
        let shown = String::from_utf8_lossy(name);
        if hash != name_hash(name) {
            faults.push(format!(
                "the row of {shown:?} has the wrong hash {hash:012x}"
            ));
        }
        if kind == Kind::Set && !value.is_empty() {
            faults.push(format!("the member {shown:?} has a value"));
        }
        if kind == Kind::Hash && !orders.insert(decode_field(row, value)?.0) {
            faults.push(format!("the field {shown:?} has the order of another one"));
        }
        found += 1;
        cursor.advance()?;
    }
    if size == 0 || size != found {
        faults.push(format!("its size is {size}, it has {found} data rows"));
    }
    Ok(faults)
}
