//! A database of places that counts what a search costs: how often it seeks, and how many rows it reads.

use std::ops::RangeInclusive;

use engine::keys::{ZBox, deinterleave, encode_u64};
use engine::{Db, Family, Options, WriteBatch, WriteOptions};
use redis_layer::types::geo::Point;
use tempfile::TempDir;

use crate::places::Place;

/// What a search cost, and the places that it read.
#[derive(Debug, Default)]
pub(crate) struct Found<'a> {
    pub(crate) seeks: usize,
    pub(crate) rows: Vec<&'a Place>,
}

/// Rows `key of the place ++ name`. The value says which place it is.
pub(crate) struct Counted<'a> {
    rows: Family,
    places: &'a [Place],
    _folder: TempDir,
}

impl<'a> Counted<'a> {
    pub(crate) fn new<K: AsRef<[u8]>>(places: &'a [Place], key: impl Fn(Point) -> K) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path(), Options::default()).unwrap();
        let rows = db.default_family();
        let mut batch = WriteBatch::new();
        for (n, place) in places.iter().enumerate() {
            let key = [key(place.at).as_ref(), place.name.as_bytes()].concat();
            batch.put(&rows, key, (n as u64).to_be_bytes());
        }
        db.write(batch, WriteOptions::default()).unwrap();
        Self {
            rows,
            places,
            _folder: folder,
        }
    }

    fn place(&self, value: &[u8]) -> &'a Place {
        let n = u64::from_be_bytes(value.try_into().unwrap());
        &self.places[n as usize]
    }

    // ANCHOR: scan
    /// Reads the rows from `low` on, up to `high`, which is left out.
    pub(crate) fn scan(&self, low: &[u8], high: &[u8], found: &mut Found<'a>) {
        found.seeks += 1;
        for row in self.rows.range(low..high) {
            let (_, value) = row.unwrap();
            found.rows.push(self.place(&value));
        }
    }

    /// One scan for each range of numbers.
    pub(crate) fn scan_ranges(&self, ranges: &[RangeInclusive<u64>]) -> Found<'a> {
        let mut found = Found::default();
        for range in ranges {
            // Numbers of places have 52 bits, so one can be added.
            let (low, high) = (encode_u64(*range.start()), encode_u64(range.end() + 1));
            self.scan(&low, &high, &mut found);
        }
        found
    }
    // ANCHOR_END: scan

    // ANCHOR: jump
    /// Walks along the curve, and jumps when it has left the box.
    pub(crate) fn walk_and_jump(&self, searched: ZBox) -> Found<'a> {
        let mut found = Found::default();
        let mut cursor = self.rows.cursor().unwrap();
        let mut target = Some(searched.first());
        while let Some(number) = target {
            found.seeks += 1;
            cursor.seek(encode_u64(number)).unwrap();
            target = None;
            while cursor.valid() {
                let number = number_in(cursor.key());
                found.rows.push(self.place(cursor.value()));
                if !searched.contains(number) {
                    target = searched.next(number);
                    break;
                }
                cursor.next().unwrap();
            }
        }
        found
    }
    // ANCHOR_END: jump
}

/// The number that a key begins with.
fn number_in(key: &[u8]) -> u64 {
    u64::from_be_bytes(*key.first_chunk().expect("a number and a name"))
}

/// The number of a place, as GEOADD stores it.
pub(crate) fn number(place: Point) -> u64 {
    // A whole number below 2^53.
    place.score() as u64
}

/// The rectangle of the map between two corners.
pub(crate) fn box_between(low: Point, high: Point) -> ZBox {
    let (low, high) = (deinterleave(number(low)), deinterleave(number(high)));
    ZBox::new(low.0..=high.0, low.1..=high.1).expect("the lower corner first")
}
