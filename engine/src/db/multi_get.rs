//! Multi-get: the values of many keys at one moment.
//!
//! Each memtable is searched for all keys together that no newer one has settled, then the tables, for a
//! group of keys at a time. So the waits for memory overlap, which make up most of the time of a lookup.
//!
//! The steps are those of a single `get`, so both give the same answer about versions and tombstones.

use crate::bloom::KeyHash;
use crate::db::family::{FamilyCore, View, settled, value_of};
use crate::db::{Family, Snapshot, Value};
use crate::error::Result;
use crate::internal_key::{self, TRAILER_BYTES};
use crate::memtable::{Found, Memtable};
use crate::sstable::{Asked, TOGETHER_MAX};

/// A key that no run has settled yet.
struct Open<'k> {
    key: &'k [u8],
    hash: KeyHash,
    /// Its place among the answers.
    place: usize,
}

impl FamilyCore {
    /// Like [`get`](Self::get), for many keys. The answers are in the order of the keys.
    pub(super) fn get_many<K: AsRef<[u8]>>(
        &self,
        view: &View,
        keys: &[K],
        sequence: u64,
    ) -> Result<Vec<Option<Value>>> {
        // One key has no others to wait with.
        if let [key] = keys {
            return Ok(vec![self.get(view, key.as_ref(), sequence)?]);
        }
        let mut values: Vec<Option<Value>> = keys.iter().map(|_| None).collect();
        let keys = keys.iter().map(AsRef::as_ref).enumerate();
        let mut open: Vec<Open<'_>> = keys
            .map(|(place, key)| Open {
                key,
                hash: KeyHash::of(key),
                place,
            })
            .collect();
        let (gets, mut in_vain) = (open.len() as u64, 0);
        for memtable in view.memtables() {
            ask_memtable(memtable, sequence, &mut open, &mut values);
            in_vain += open.len() as u64;
        }
        let mut seek_keys = Vec::new();
        for group in open.chunks(TOGETHER_MAX) {
            seek_keys.clear();
            for open in group {
                internal_key::append_seek(&mut seek_keys, open.key, sequence);
            }
            let mut rest = &seek_keys[..];
            let mut asked: Vec<Asked<'_>> = Vec::with_capacity(group.len());
            for open in group {
                let (seek_key, after) = rest.split_at(open.key.len() + TRAILER_BYTES);
                rest = after;
                asked.push(Asked {
                    seek_key,
                    hash: open.hash,
                    found: None,
                });
            }
            let version = &view.version;
            version.get_together(self.comparator(), &mut asked, &mut in_vain)?;
            for (open, asked) in group.iter().zip(asked) {
                values[open.place] = asked.found.and_then(value_of);
            }
        }
        self.looked_in_vain(view, gets, in_vain);
        Ok(values)
    }
}

/// Takes the values that the memtable has, and keeps in `open` the keys that it does not settle.
fn ask_memtable(
    memtable: &Memtable,
    sequence: u64,
    open: &mut Vec<Open<'_>>,
    values: &mut [Option<Value>],
) {
    let hashed: Vec<(&[u8], KeyHash)> = open.iter().map(|open| (open.key, open.hash)).collect();
    let mut found: Vec<Option<Found>> = open.iter().map(|_| None).collect();
    memtable.get_together(&hashed, sequence, &mut found);
    let mut found = found.into_iter();
    open.retain(|open| {
        let found = found.next().expect("one for each key");
        match settled(memtable, open.key, sequence, found) {
            Some(value) => {
                values[open.place] = value;
                false
            }
            None => true,
        }
    });
}

impl Family {
    /// The values of many keys at one moment, in the order of the keys.
    ///
    /// For 100 random keys in tables, half faster than as many calls of [`get`](Self::get), because
    /// the waits for memory overlap.
    ///
    /// # Errors
    /// `Io` or `Corruption` from a table, for any of the keys; then there are no answers.
    pub fn get_many<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Vec<Option<Value>>> {
        let view = self.core.view.load();
        let sequence = self.handle.core.visible_sequence();
        self.core.get_many(&view, keys, sequence)
    }
}

impl Snapshot {
    /// The values that many keys had, in the order of the keys.
    ///
    /// # Errors
    /// As for [`get`](Self::get), for any of the keys; then there are no answers.
    pub fn get_many<K: AsRef<[u8]>>(
        &self,
        family: &Family,
        keys: &[K],
    ) -> Result<Vec<Option<Value>>> {
        self.check(family)?;
        let view = self.view(family);
        family.core.get_many(&view, keys, self.sequence())
    }
}
