//! The order store of chapter 10: four rows for an order, written in one of several ways.
//!
//! Keys, each a tuple of `engine::keys` with a letter in front:
//!
//!     o id                    the order: user, time, status
//!     u user Desc(at) id      by user, newest first
//!     t at id                 by time
//!     s status at id          by status, oldest first

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::keys::{DecodeKey as _, Desc, OrderedKey as _, prefix_successor};
use engine::vfs::MemoryVfs;
use engine::{Background, Db, Options, WriteBatch, WriteOptions};

/// How far an order has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    New,
    Paid,
    Shipped,
}

impl Status {
    const ALL: [Self; 3] = [Self::New, Self::Paid, Self::Shipped];

    pub(crate) fn byte(self) -> u8 {
        self as u8
    }

    fn read(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.byte() == byte)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) id: u32,
    pub(crate) user: String,
    pub(crate) at: u64,
    pub(crate) status: Status,
}

pub(crate) fn order(id: u32, user: &str, at: u64, status: Status) -> Order {
    let user = user.to_owned();
    Order {
        id,
        user,
        at,
        status,
    }
}

impl Order {
    pub(crate) fn value(&self) -> Vec<u8> {
        (self.user.as_str(), self.at, self.status.byte()).to_key()
    }

    fn read(id: u32, value: &[u8]) -> Option<Self> {
        let (user, at, byte) = <(String, u64, u8)>::from_key(value).ok()?;
        let status = Status::read(byte)?;
        Some(order(id, &user, at, status))
    }
}

// ANCHOR: keys
/// The order's own row, and its rows by user, by time and by status.
pub(crate) fn keys(order: &Order) -> [Vec<u8>; 4] {
    let (id, at) = (order.id, order.at);
    [
        (b'o', id).to_key(),
        (b'u', order.user.as_str(), Desc(at), id).to_key(),
        (b't', at, id).to_key(),
        (b's', order.status.byte(), at, id).to_key(),
    ]
}
// ANCHOR_END: keys

pub(crate) fn open(vfs: &MemoryVfs) -> Db {
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        background: Background::Manual,
        ..Options::default()
    };
    Db::open("orders", options).unwrap()
}

/// A store in memory, without orders.
pub(crate) fn empty() -> Db {
    open(&MemoryVfs::new())
}

/// A key, and the value that it gets; without one it is deleted.
pub(crate) type Record = (Vec<u8>, Option<Vec<u8>>);

/// Into how many writes the records of one change are divided, and whether each is synced.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) divide: fn(Vec<Record>) -> Vec<Vec<Record>>,
    pub(crate) sync: bool,
}

// ANCHOR: ways
pub(crate) const WAYS: [Way; 4] = [
    Way {
        name: "a write for each row",
        divide: |records| records.into_iter().map(|record| vec![record]).collect(),
        sync: true,
    },
    Way {
        name: "the order, then its indexes",
        divide: |mut records| {
            let indexes = records.split_off(1);
            vec![records, indexes]
        },
        sync: true,
    },
    Way {
        name: "one batch, not synced",
        divide: |records| vec![records],
        sync: false,
    },
    Way {
        name: "one batch, synced",
        divide: |records| vec![records],
        sync: true,
    },
];
// ANCHOR_END: ways

/// The right way.
pub(crate) const ONE_BATCH: Way = WAYS[3];

pub(crate) fn write(db: &Db, records: Vec<Record>, way: Way) {
    let rows = db.default_family();
    for group in (way.divide)(records) {
        let mut batch = WriteBatch::new();
        for (key, value) in group {
            match value {
                Some(value) => batch.put(&rows, key, value),
                None => batch.delete(&rows, key),
            }
        }
        db.write(batch, WriteOptions { sync: way.sync }).unwrap();
    }
}

/// The records of a new order.
pub(crate) fn placed(order: &Order) -> Vec<Record> {
    let [own, indexes @ ..] = keys(order);
    let indexes = indexes.into_iter().map(|key| (key, Some(Vec::new())));
    [(own, Some(order.value()))]
        .into_iter()
        .chain(indexes)
        .collect()
}

// ANCHOR: changed
/// The records that give an order another status.
pub(crate) fn changed(before: &Order, status: Status) -> Vec<Record> {
    let after = Order {
        status,
        ..before.clone()
    };
    let ([own, .., old], [.., new]) = (keys(before), keys(&after));
    vec![
        (own, Some(after.value())),
        (old, None),
        (new, Some(Vec::new())),
    ]
}
// ANCHOR_END: changed

/// The records that remove an order.
pub(crate) fn removed(order: &Order) -> Vec<Record> {
    keys(order).map(|key| (key, None)).to_vec()
}

pub(crate) fn place(db: &Db, order: &Order) {
    write(db, placed(order), ONE_BATCH);
}

pub(crate) fn get(db: &Db, id: u32) -> Option<Order> {
    let value = db.get((b'o', id).to_key()).unwrap()?;
    Order::read(id, &value)
}

pub(crate) fn rows(db: &Db) -> Vec<(Vec<u8>, Vec<u8>)> {
    db.default_family().iter().map(Result::unwrap).collect()
}

/// The keys from `start` up to `end`.
pub(crate) fn range(db: &Db, start: &[u8], end: &[u8]) -> Vec<Vec<u8>> {
    let rows = db.default_family().range(start..end);
    rows.map(|row| row.unwrap().0).collect()
}

// ANCHOR: with_status
/// The ids with a status, oldest first: what its index rows say.
pub(crate) fn with_status(db: &Db, status: Status) -> Vec<u32> {
    let prefix = (b's', status.byte()).to_key();
    let rows = db.default_family().prefix(prefix);
    rows.map(|row| id_of(&row.unwrap().0)).collect()
}
// ANCHOR_END: with_status

// ANCHOR: page
/// A page of ids, and the key after which to go on, if anything follows.
pub(crate) fn page(
    db: &Db,
    status: Status,
    limit: usize,
    after: Option<&[u8]>,
) -> (Vec<u32>, Option<Vec<u8>>) {
    let prefix = (b's', status.byte()).to_key();
    let end = prefix_successor(&prefix).expect("a letter is never ff");
    let start = after.map_or(prefix, |last| [last, &[0]].concat());
    // One row more says whether another page follows.
    let rows = db.default_family().range(start..end);
    let rows = rows.take(limit.saturating_add(1));
    let mut found: Vec<_> = rows.map(|row| row.unwrap().0).collect();
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).cloned();
    (found.iter().map(|key| id_of(key)).collect(), next)
}
// ANCHOR_END: page

/// The id comes last in every key.
pub(crate) fn id_of(key: &[u8]) -> u32 {
    u32::from_be_bytes(*key.last_chunk().expect("every key ends with an id"))
}

/// The index rows that the orders ask for, and those that are there.
pub(crate) struct Difference {
    pub(crate) ghosts: Vec<Vec<u8>>,
    pub(crate) missing: Vec<Vec<u8>>,
}

impl Difference {
    pub(crate) fn is_empty(&self) -> bool {
        self.ghosts.is_empty() && self.missing.is_empty()
    }

    pub(crate) fn lines(&self) -> String {
        let line = |kind: &str, key: &Vec<u8>| format!("{kind:<8} {}\n", name(key));
        let ghosts = self.ghosts.iter().map(|key| line("ghost", key));
        let missing = self.missing.iter().map(|key| line("missing", key));
        let lines: String = ghosts.chain(missing).collect();
        if lines.is_empty() {
            "nothing is wrong\n".to_owned()
        } else {
            lines
        }
    }
}

// ANCHOR: check
/// Compares what the orders ask for with what the indexes hold.
pub(crate) fn check(db: &Db) -> Difference {
    let (mut wanted, mut found) = (BTreeSet::new(), BTreeSet::new());
    for (key, value) in rows(db) {
        match key.first() {
            Some(b'o') => {
                let order = Order::read(id_of(&key), &value).expect("valid");
                let [_, indexes @ ..] = keys(&order);
                wanted.extend(indexes);
            }
            Some(b's' | b't' | b'u') => {
                found.insert(key);
            }
            // Rows of others.
            _ => {}
        }
    }
    Difference {
        ghosts: found.difference(&wanted).cloned().collect(),
        missing: wanted.difference(&found).cloned().collect(),
    }
}
// ANCHOR_END: check

// ANCHOR: rebuild
/// Makes the indexes what the orders ask for, in one batch.
pub(crate) fn rebuild(db: &Db) {
    let Difference { ghosts, missing } = check(db);
    let deleted = ghosts.into_iter().map(|key| (key, None));
    let put = missing.into_iter().map(|key| (key, Some(Vec::new())));
    write(db, deleted.chain(put).collect(), ONE_BATCH);
}
// ANCHOR_END: rebuild

/// A key in words.
pub(crate) fn name(key: &[u8]) -> String {
    let status = |byte: u8| Status::read(byte).expect("a status");
    match key[0] {
        b'o' => {
            let (_, id) = <(u8, u32)>::from_key(key).unwrap();
            format!("o {id}")
        }
        b'u' => {
            let (_, user, at, id) = <(u8, String, Desc<u64>, u32)>::from_key(key).unwrap();
            format!("u {user} {} {id}", at.0)
        }
        b't' => {
            let (_, at, id) = <(u8, u64, u32)>::from_key(key).unwrap();
            format!("t {at} {id}")
        }
        _ => {
            let (_, byte, at, id) = <(u8, u8, u64, u32)>::from_key(key).unwrap();
            format!("s {:?} {at} {id}", status(byte))
        }
    }
}
