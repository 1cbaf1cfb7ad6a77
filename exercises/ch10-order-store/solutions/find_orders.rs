//! Each query is one scan: its bounds are a prefix or two keys, and the limit ends it.

use engine::Db;
use engine::keys::{DecodeKey as _, Desc, OrderedKey as _, prefix_successor};

use crate::order::{Page, Status};

/// The orders of a user, newest first, at most `limit`.
pub fn of_user(db: &Db, user: &str, limit: usize) -> engine::Result<Vec<u32>> {
    let mut ids = Vec::new();
    for row in db
        .default_family()
        .prefix((b'u', user).to_key())
        .take(limit)
    {
        let (key, _) = row?;
        let field = <(u8, String, Desc<u64>, u32)>::from_key(&key);
        ids.push(field.expect("`place` wrote this row").3);
    }
    Ok(ids)
}

/// The orders placed in `from..until`, oldest first, at most `limit`.
pub fn between(db: &Db, from: u64, until: u64, limit: usize) -> engine::Result<Vec<u32>> {
    let mut ids = Vec::new();
    if from >= until {
        return Ok(ids);
    }
    let range = (b't', from).to_key()..(b't', until).to_key();
    for row in db.default_family().range(range).take(limit) {
        let (key, _) = row?;
        ids.push(
            <(u8, u64, u32)>::from_key(&key)
                .expect("`place` wrote this row")
                .2,
        );
    }
    Ok(ids)
}

/// A page of the orders with a status, oldest first. `after` is the cursor of the page before: its last key.
pub fn with_status(
    db: &Db,
    status: Status,
    limit: usize,
    after: Option<&[u8]>,
) -> engine::Result<Page> {
    let prefix = (b's', status.byte()).to_key();
    let end = prefix_successor(&prefix).expect("a letter is never ff");
    // All keys have one length, so the first key after the last one begins with it, and a zero.
    let start = after.map_or(prefix, |last| [last, &[0]].concat());
    let (mut ids, mut last) = (Vec::new(), None);
    for row in db.default_family().range(start..end) {
        let (key, _) = row?;
        if ids.len() == limit {
            return Ok(Page { ids, next: last });
        }
        let field = <(u8, u8, u64, u32)>::from_key(&key);
        ids.push(field.expect("`place` wrote this row").3);
        last = Some(key);
    }
    Ok(Page { ids, next: None })
}
