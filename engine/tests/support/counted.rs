//! Writers that count: what a database holds says how many writes of each are in it, and that none of them is halved.
//!
//! Each writer has its own keys, the same in two families. Each of its writes is one batch: a key in turn put or
//! deleted, and the writer's counter, in both families. So the two counters of a writer say the same number, and all rows
//! follow from it.

use engine::{Db, Family, FamilyOptions, Options, WriteBatch};

use crate::support::{Rows, scan, tiny};

/// How many writes of each writer.
pub(crate) type Counts = [u64; WRITERS as usize];

pub(crate) const WRITERS: u64 = 3;
const FAMILIES: [&str; 2] = ["default", "other"];
const KEYS: u64 = 40;
/// After this many writes, a key is deleted.
const DELETE_EVERY: u64 = 7;

pub(crate) fn options() -> Options {
    let family = || FamilyOptions {
        write_buffer_bytes: 16 << 10,
        ..tiny()
    };
    Options::default()
        .family("default", family())
        .family("other", family())
}

pub(crate) fn families(db: &Db) -> [Family; 2] {
    FAMILIES.map(|name| db.family(name).unwrap())
}

/// The `write`-th write of a writer, counted from 1.
pub(crate) fn batch(families: &[Family], writer: u64, write: u64) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for family in families {
        if write.is_multiple_of(DELETE_EVERY) {
            batch.delete(family, key(writer, write));
        } else {
            batch.put(family, key(writer, write), value(write));
        }
        batch.put(family, counter(writer), write.to_string());
    }
    batch
}

/// How many writes of each writer are in the database. Fails if one of them is there in part.
pub(crate) fn counts(db: &Db, context: &str) -> Counts {
    let mut rows = Rows::new();
    let counts = std::array::from_fn(|writer| {
        let found = families(db).map(|family| count(&family, writer as u64));
        assert_eq!(found[0], found[1], "{context}: a batch is halved");
        expect(writer as u64, found[0], &mut rows);
        found[0]
    });
    let rows: Vec<_> = rows.into_iter().collect();
    for family in FAMILIES {
        assert_eq!(scan(db, family), rows, "{context}: {family}");
    }
    counts
}

fn key(writer: u64, write: u64) -> String {
    format!("{writer}:{:02}", write % KEYS)
}

fn value(write: u64) -> Vec<u8> {
    format!("{write:06}")
        .repeat(1 + (write % 20) as usize)
        .into()
}

fn counter(writer: u64) -> String {
    format!("{writer}:writes")
}

/// What the counter of a writer says.
fn count(family: &Family, writer: u64) -> u64 {
    let found = family.get(counter(writer)).unwrap();
    found.map_or(0, |text| {
        std::str::from_utf8(&text).unwrap().parse().unwrap()
    })
}

/// The rows that a writer has left after `writes` writes.
fn expect(writer: u64, writes: u64, rows: &mut Rows) {
    for write in writes.saturating_sub(KEYS) + 1..=writes {
        if !write.is_multiple_of(DELETE_EVERY) {
            rows.insert(key(writer, write).into(), value(write));
        }
    }
    if writes > 0 {
        rows.insert(counter(writer).into(), writes.to_string().into());
    }
}
