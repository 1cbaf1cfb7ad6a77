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
use crate::sstable::{Asked, GET_MANY_MAX};

/// A key that no run has settled yet.
struct Unsettled<'k> {
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
        let mut unsettled: Vec<Unsettled<'_>> = keys
            .map(|(place, key)| Unsettled {
                key,
                hash: KeyHash::of(key),
                place,
            })
            .collect();
        let (gets, mut in_vain) = (unsettled.len() as u64, 0);
        for memtable in view.memtables() {
            ask_memtable(memtable, sequence, &mut unsettled, &mut values);
            in_vain += unsettled.len() as u64;
        }
        let mut seek_keys = Vec::new();
        for group in unsettled.chunks(GET_MANY_MAX) {
            seek_keys.clear();
            for key in group {
                internal_key::append_seek(&mut seek_keys, key.key, sequence);
            }
            let mut asked = as_asked(group, &seek_keys);
            let version = &view.version;
            version.get_many(self.comparator(), &mut asked, &mut in_vain)?;
            for (key, asked) in group.iter().zip(asked) {
                values[key.place] = asked.found.and_then(value_of);
            }
        }
        self.looked_in_vain(view, gets, in_vain);
        Ok(values)
    }
}

/// The questions of a group to the tables. `seek_keys` holds the keys' internal keys, one after the other.
fn as_asked<'k>(group: &[Unsettled<'_>], seek_keys: &'k [u8]) -> Vec<Asked<'k>> {
    let mut asked = Vec::with_capacity(group.len());
    let mut rest = seek_keys;
    for key in group {
        let (seek_key, after) = rest.split_at(key.key.len() + TRAILER_BYTES);
        rest = after;
        asked.push(Asked {
            seek_key,
            hash: key.hash,
            found: None,
        });
    }
    asked
}

/// Takes the values that the memtable has, and keeps in `unsettled` the keys that it does not settle.
fn ask_memtable(
    memtable: &Memtable,
    sequence: u64,
    unsettled: &mut Vec<Unsettled<'_>>,
    values: &mut [Option<Value>],
) {
    let hashed: Vec<(&[u8], KeyHash)> = unsettled.iter().map(|key| (key.key, key.hash)).collect();
    let mut found: Vec<Option<Found>> = unsettled.iter().map(|_| None).collect();
    memtable.get_many(&hashed, sequence, &mut found);
    let mut found = found.into_iter();
    unsettled.retain(|key| {
        let found = found.next().expect("one for each key");
        match settled(memtable, key.key, sequence, found) {
            Some(value) => {
                values[key.place] = value;
                false
            }
            None => true,
        }
    });
}

impl Family {
    /// The values of many keys at one moment, in the order of the keys.
    ///
    /// Faster than as many calls of [`get`](Self::get), because the waits for memory overlap: `docs/performance.md`
    /// has the figures.
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
