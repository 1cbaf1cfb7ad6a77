//! What a transaction knows of the keys that it looked up.
//!
//! The commit needs to know what the snapshot holds under each key that was changed; for the keys noted here it need
//! not read the row again. For the last key, if it is a collection, its present metadata is kept decoded: several
//! commands that run together often use one key, and each looks it up and writes it back.
//!
//! Invariant: the last key's `now` is what its metadata row says, including the changes of the transaction. A change
//! of the row in any way other than [`Key::changed`], and a return to a savepoint, forget it.

use std::borrow::Cow;

use bytes::Bytes;

use crate::store::Space;
use crate::types::Metadata;
use crate::types::rows::{DbNumber, is_metadata_key};
use crate::types::txn::{Stored, Txn};

/// How many keys are remembered besides the last one. A forgotten key costs a point read.
const KEYS_MAX: usize = 32;

/// A key that was looked up.
#[derive(Debug)]
pub(super) struct Key {
    row: Vec<u8>,
    stored: Stored,
    /// What it holds now, if it is a collection.
    now: Option<Metadata>,
    /// The index of its row among the changes, once it was written.
    pub(super) changed_at: Option<usize>,
    /// Whether this use of the key is noted.
    pub(super) is_noted: bool,
}

/// The keys that were looked up. Most commands look up a single one, which needs no vector.
#[derive(Debug, Default)]
pub(super) struct Seen {
    last: Option<Key>,
    before: Vec<Key>,
}

impl Key {
    fn is(&self, db: DbNumber, key: &[u8]) -> bool {
        is_metadata_key(&self.row, db, key)
    }

    /// The key of its metadata row.
    pub(super) fn row(&self) -> &[u8] {
        &self.row
    }

    /// What it holds now, if that is a collection and is known.
    pub(super) const fn now(&self) -> Option<&Metadata> {
        self.now.as_ref()
    }

    /// Says that its row was written, what it holds now unless that is a string, and the row's index among the
    /// changes.
    fn changed(&mut self, metadata: Option<&Metadata>, at: usize, now_ms: i64) {
        let now = metadata.and_then(collection);
        self.now = now.filter(|now| now.is_live(now_ms));
        self.changed_at = Some(at);
    }

    fn forget(&mut self) {
        self.now = None;
        self.changed_at = None;
    }
}

impl Seen {
    /// The key that was looked up last, if it is this one.
    #[inline]
    pub(super) fn last(&mut self, db: DbNumber, key: &[u8]) -> Option<&mut Key> {
        self.last.as_mut().filter(|last| last.is(db, key))
    }

    /// Notes a key that was looked up in the snapshot. `now` is what it holds if it is live.
    fn push(&mut self, row: Vec<u8>, stored: Stored, now: Option<&Metadata>, is_noted: bool) {
        let last = Key {
            row,
            stored,
            now: now.and_then(collection),
            changed_at: None,
            is_noted,
        };
        if let Some(before) = self.last.replace(last)
            && self.before.len() < KEYS_MAX
        {
            self.before.push(before);
        }
    }

    /// What the snapshot holds under a metadata row's key, if that was looked up.
    pub(super) fn stored(&self, row: &[u8]) -> Option<Stored> {
        let mut seen = self.last.iter().chain(&self.before);
        seen.find(|seen| seen.row == row).map(|seen| seen.stored)
    }

    /// Says that a metadata row is being changed.
    pub(super) fn forget(&mut self, row: &[u8]) {
        if let Some(last) = self.last.as_mut().filter(|last| last.row == row) {
            last.forget();
        }
    }

    /// Says that any row may have changed.
    pub(super) fn forget_last(&mut self) {
        if let Some(last) = &mut self.last {
            last.forget();
        }
    }
}

impl Txn<'_> {
    /// Remembers what the snapshot holds under the key of a metadata row, and what the key holds if it has not
    /// expired. If rows were read ahead, only collections are remembered.
    pub(crate) fn remember(
        &self,
        row: Cow<'_, [u8]>,
        value: Option<&Bytes>,
        now: Option<&Metadata>,
        is_noted: bool,
    ) {
        let has_now = now.is_some_and(|now| now.content.collection().is_some());
        let mut seen = self.reads.seen.borrow_mut();
        if self.reads.metadata.is_empty() {
            seen.push(
                row.into_owned(),
                Stored::of(value.map(|value| &**value)),
                now,
                is_noted,
            );
        } else if has_now {
            // The commit finds the rows that were read ahead among them, so no earlier key need be kept.
            seen.last = None;
            seen.push(
                row.into_owned(),
                Stored::of(value.map(|value| &**value)),
                now,
                is_noted,
            );
        }
    }

    /// What a key holds, if it is the last one that was looked up and is a collection. Notes the use.
    pub(crate) fn seen_last(&self, key: &[u8], is_use: bool) -> Option<Metadata> {
        let mut seen = self.reads.seen.borrow_mut();
        let last = seen.last(self.db(), key)?;
        let now = last.now()?.clone();
        if is_use && !last.is_noted {
            last.is_noted = true;
            self.shared.accesses().note(last.row(), self.now_ms);
        }
        Some(now)
    }

    /// Writes the metadata row of the key that was looked up last, if this transaction has written it before. Returns
    /// whether it did.
    pub(crate) fn write_again(&mut self, key: &[u8], metadata: &Metadata) -> bool {
        let (db, now_ms) = (self.db(), self.now_ms);
        let last = self.reads.seen.get_mut().last(db, key);
        let Some(last) = last.filter(|last| last.now().is_some() && last.is_noted) else {
            return false;
        };
        let Some(at) = last.changed_at else {
            return false;
        };
        last.changed(Some(metadata), at, now_ms);
        // The key was live until now.
        self.expired.has_written |= !metadata.is_live(now_ms);
        let row = metadata.encode();
        self.pending.replace(Space::Metadata, at, row);
        true
    }

    /// Writes the metadata row of a key, whose use is noted. `metadata` is what the value says, unless that is a
    /// string.
    pub(crate) fn write_metadata(
        &mut self,
        key: &[u8],
        row: Vec<u8>,
        value: Bytes,
        metadata: Option<&Metadata>,
    ) {
        let at = self.change(Space::Metadata, row, Some(value));
        let (db, now_ms) = (self.db(), self.now_ms);
        if let Some(last) = self.reads.seen.get_mut().last(db, key) {
            last.changed(metadata, at, now_ms);
            last.is_noted = true;
        }
    }

    /// Says that the next use of a key is to be noted again.
    pub(crate) fn note_again(&self, key: &[u8]) {
        if let Some(last) = self.reads.seen.borrow_mut().last(self.db(), key) {
            last.is_noted = false;
        }
    }
}

/// A copy of the metadata of a collection, which is cheap. `None` for a string, which is looked up again.
fn collection(metadata: &Metadata) -> Option<Metadata> {
    metadata.content.collection().map(|_| metadata.clone())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::store::{BTreeStore, Store};
    use crate::types::rows::{Collection, metadata_key};
    use crate::types::{Content, Shared};

    #[derive(Debug, Clone)]
    enum Step {
        Look(u8),
        Write(u8, u64),
        Remove(u8),
        Save,
        GoBack,
        Choose(u32),
        Count,
    }

    fn step() -> impl Strategy<Value = Step> {
        let key = 0_u8..2;
        prop_oneof![
            4 => key.clone().prop_map(Step::Look),
            4 => (key.clone(), 1_u64..6).prop_map(|(key, size)| Step::Write(key, size)),
            1 => key.prop_map(Step::Remove),
            2 => Just(Step::Save),
            2 => Just(Step::GoBack),
            1 => (0_u32..2).prop_map(Step::Choose),
            2 => Just(Step::Count),
        ]
    }

    /// Metadata for a test: a string if `size` is even, else a set of `size` members, which has expired if `size` is
    /// 3.
    fn metadata(size: u64) -> Metadata {
        let content = if size.is_multiple_of(2) {
            Content::String(vec![b'x'; size as usize].into())
        } else {
            Content::Set(Collection { version: 1, size })
        };
        let expires_ms = (size == 3).then_some(-1);
        Metadata {
            expires_ms,
            ..Metadata::new(content)
        }
    }

    fn live(size: Option<u64>) -> Option<Metadata> {
        size.map(metadata).filter(|metadata| metadata.is_live(0))
    }

    proptest! {
        #[test]
        fn what_was_seen_last_is_what_a_look_would_find(
            stored in proptest::collection::btree_map((0_u32..2, 0_u8..2), 1_u64..6, 0..4),
            steps in proptest::collection::vec(step(), 0..40), fetches in any::<bool>(),
        ) {
            let store = BTreeStore::new();
            let shared = Shared::default();
            let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
            for ((db, key), size) in &stored {
                txn.set_db(*db);
                txn.set_metadata(&[*key], &metadata(*size));
            }
            txn.commit().unwrap();
            let mut model: BTreeMap<(u32, u8), u64> = stored;
            let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
            if fetches {
                let keys = [0_u8, 1].map(|key| Bytes::from(vec![key]));
                txn.prefetch(keys.iter()).unwrap();
            }
            let mut db = 0;
            let mut saved = Vec::new();
            for step in steps {
                match step {
                    Step::Look(key) => {
                        let row = metadata_key(db, &[key]);
                        let is_own = txn.changed(Space::Metadata, &row).is_some();
                        let found = txn.lookup(&[key]).unwrap();
                        txn.count_lookups(true);
                        let size = model.get(&(db, key)).copied();
                        prop_assert_eq!(&found, &live(size));
                        // What the transaction itself has written is gone once it is found expired.
                        if found.is_none() && is_own {
                            model.remove(&(db, key));
                        }
                    }
                    Step::Write(key, size) => {
                        txn.set_metadata(&[key], &metadata(size));
                        model.insert((db, key), size);
                    }
                    Step::Remove(key) => {
                        let existed = txn.remove_key(&[key]).unwrap();
                        txn.count_lookups(false);
                        prop_assert_eq!(existed, live(model.remove(&(db, key))).is_some());
                    }
                    Step::Save => saved.push((txn.savepoint(), model.clone())),
                    Step::GoBack => if let Some((savepoint, then)) = saved.pop() {
                        txn.roll_back(&savepoint);
                        model = then;
                    }
                    Step::Choose(number) => {
                        db = number;
                        txn.set_db(db);
                    }
                    Step::Count => for db in 0..2 {
                        let of = model.iter().filter(|((of, _), _)| *of == db);
                        let alive = of.filter(|(_, size)| live(Some(**size)).is_some());
                        let expected = alive.count() as u64;
                        prop_assert_eq!(txn.live_keys(db).unwrap().keys, expected);
                    }
                }
            }
            txn.commit().unwrap();
            let snapshot = store.snapshot().unwrap();
            for db in 0..2 {
                for key in 0..2 {
                    let row = metadata_key(db, &[key]);
                    let value = snapshot.get(Space::Metadata, &row).unwrap();
                    let expected = model.get(&(db, key)).map(|size| metadata(*size).encode());
                    prop_assert_eq!(value, expected);
                }
            }
            let count = |db| shared.databases().count(db).keys;
            for db in 0..2 {
                let keys = model.keys().filter(|(of, _)| *of == db).count();
                prop_assert_eq!(count(db), keys as i64);
            }
        }
    }
}
