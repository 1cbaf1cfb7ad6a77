//! Multi-get: the values of many keys at one moment.
//!
//! The newest memtable is asked for all of them together. Those that it does not hold are looked up in their order, whatever
//! order they were asked in: neighbours then find the same tables, index entries and blocks at hand. Before that, the
//! tables look ahead (`sstable::warm`). So the waits for memory overlap.
//!
//! Each answer comes from the same function as a single `get`. So there is one truth about versions and tombstones.

use crate::bloom::KeyHash;
use crate::db::family::{FamilyCore, View};
use crate::db::{Family, Snapshot, Value};
use crate::error::Result;
use crate::memtable::Found;
use crate::sstable::WARM_KEYS_MAX;

impl FamilyCore {
    /// As [`get`](Self::get), for many keys; the answers in the order of the keys.
    pub(super) fn get_many<K: AsRef<[u8]>>(
        &self,
        view: &View,
        keys: &[K],
        sequence: u64,
    ) -> Result<Vec<Option<Value>>> {
        let hashed = keys
            .iter()
            .map(|key| (key.as_ref(), KeyHash::of(key.as_ref())));
        let hashed: Vec<(&[u8], KeyHash)> = hashed.collect();
        let mut newest: Vec<Option<Found>> = keys.iter().map(|_| None).collect();
        view.memtable.get_together(&hashed, sequence, &mut newest);
        let mut elsewhere = Vec::new();
        let mut values: Vec<Option<Value>> = Vec::with_capacity(keys.len());
        for (at, (&(key, hash), newest)) in hashed.iter().zip(newest).enumerate() {
            values.push(match newest {
                Some(_) => self.get_knowing(view, key, hash, sequence, newest)?,
                None => {
                    elsewhere.push(at);
                    None
                }
            });
        }
        let key = |at: usize| hashed[at].0;
        elsewhere.sort_unstable_by(|&a, &b| self.comparator().compare(key(a), key(b)));
        for places in elsewhere.chunks(WARM_KEYS_MAX) {
            let group: Vec<&[u8]> = places.iter().map(|&at| key(at)).collect();
            view.version.warm(self.comparator(), &group)?;
            for &at in places {
                let (key, hash) = hashed[at];
                values[at] = self.get_knowing(view, key, hash, sequence, None)?;
            }
        }
        Ok(values)
    }
}

impl Family {
    /// The values of many keys, all of the same moment, in the order of the keys.
    ///
    /// For 100 random keys, a tenth faster than as many calls of [`get`](Self::get).
    ///
    /// # Errors
    /// `Io` or `Corruption` from a table, for whichever key; then there are no answers.
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
    /// As for [`get`](Self::get), for whichever key; then there are no answers.
    pub fn get_many<K: AsRef<[u8]>>(
        &self,
        family: &Family,
        keys: &[K],
    ) -> Result<Vec<Option<Value>>> {
        self.check(family)?;
        let view = family.core.view.load();
        family.core.get_many(&view, keys, self.sequence())
    }
}
