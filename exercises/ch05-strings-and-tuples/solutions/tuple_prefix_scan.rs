//! Both queries are one range: from a prefix up to, but without, its successor. They differ in whether the
//! prefix holds the end of the name.

use std::collections::BTreeSet;

/// The name with its zero bytes escaped, without an end: how the rows of all names that start with it begin.
/// Given; leave it as it is.
pub fn escape(name: &str) -> Vec<u8> {
    let bytes = name.bytes();
    bytes
        .flat_map(|byte| {
            if byte == 0 {
                vec![0x00, 0xff]
            } else {
                vec![byte]
            }
        })
        .collect()
}

/// The key of a row: the name, escaped and ended by `00 01`, then the number. Given; leave it as it is.
pub fn key(user: &str, number: u64) -> Vec<u8> {
    [&escape(user)[..], &[0x00, 0x01], &number.to_be_bytes()].concat()
}

/// The smallest byte string above every string that starts with `prefix`, if there is one.
pub fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xff)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

/// The order numbers of this user.
pub fn orders_of(rows: &BTreeSet<Vec<u8>>, user: &str) -> Vec<u64> {
    with_prefix(rows, [escape(user), vec![0x00, 0x01]].concat())
}

/// The order numbers of all users whose names start with `start`.
pub fn orders_starting(rows: &BTreeSet<Vec<u8>>, start: &str) -> Vec<u64> {
    with_prefix(rows, escape(start))
}

fn with_prefix(rows: &BTreeSet<Vec<u8>>, prefix: Vec<u8>) -> Vec<u64> {
    match successor(&prefix) {
        Some(end) => rows.range(prefix..end).map(|row| number(row)).collect(),
        None => rows.range(prefix..).map(|row| number(row)).collect(),
    }
}

/// The last field of a row: its last eight bytes.
fn number(row: &[u8]) -> u64 {
    row.last_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}
