//! The fences of a sorted level: eight bytes of each table's last user key, those that distinguish
//! it from the others, side by side.
//!
//! Finding the table of a level that may hold a key is a binary search too. Over the tables themselves,
//! each step follows two pointers and compares keys, which is most of the work of looking up an absent
//! key. The heads are like those of a block (see `sstable`), with the same rule: if they differ, they
//! decide; if they are equal, or the key lacks the shared prefix, they say nothing.
//!
//! Invariant: the heads have the number and order of the tables. They are made with the version and
//! never change.

use std::sync::Arc;

use crate::comparator::{Comparator, common_prefix_len};
use crate::sstable::head;
use crate::version::TableFile;

/// The heads of the tables in a level.
#[derive(Clone, Default)]
pub(super) struct Fences {
    /// The prefix that the last user keys of all tables share.
    prefix: Box<[u8]>,
    /// The head of each table's last user key, after the prefix. Empty if the order is not bytewise.
    heads: Box<[u64]>,
}

impl Fences {
    /// The fences of the tables of a level deeper than 0.
    pub(super) fn new(comparator: &Comparator, tables: &[Arc<TableFile>]) -> Fences {
        let (Some(first), Some(last), true) =
            (tables.first(), tables.last(), comparator.is_bytewise())
        else {
            return Fences::default();
        };
        let (first, last) = (first.largest_user_key(), last.largest_user_key());
        let shared = common_prefix_len(first, last);
        let head_of = |table: &Arc<TableFile>| head(table.largest_user_key(), shared);
        Fences {
            prefix: first[..shared].into(),
            heads: tables.iter().map(head_of).collect(),
        }
    }

    /// How many tables end before `user_key`, if the heads can tell; in that case none ends with `user_key`.
    #[inline]
    pub(super) fn ending_before(&self, user_key: &[u8]) -> Option<usize> {
        if self.heads.is_empty() || !user_key.starts_with(&self.prefix) {
            return None;
        }
        let wanted = head(user_key, self.prefix.len());
        let before = self.heads.partition_point(|head| *head < wanted);
        let is_told = self.heads.get(before).is_none_or(|head| *head != wanted);
        is_told.then_some(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::internal_key::{self, ValueKind};
    use crate::version::{FileMeta, TableAccess, first_ending_at_or_after};
    use crate::vfs::MemoryVfs;
    use proptest::prelude::*;
    use std::path::Path;

    fn tables<'a>(last_keys: impl Iterator<Item = &'a Vec<u8>>) -> Vec<Arc<TableFile>> {
        let (vfs, dir) = (Arc::new(MemoryVfs::new()), Path::new("db"));
        let access = Arc::new(TableAccess::new(vfs, dir, Comparator::Bytewise, true));
        let table = |key: &Vec<u8>| {
            let key = internal_key::encode(key, 1, ValueKind::Put);
            let meta = FileMeta {
                number: 1,
                bytes: 1,
                entries: 1,
                range_deletes: 0,
                smallest: key.clone(),
                largest: key,
            };
            Arc::new(TableFile::new(meta, Arc::clone(&access)))
        };
        last_keys.map(table).collect()
    }

    proptest! {
        #[test]
        fn what_fences_tell_the_tables_tell(
            keys in prop::collection::btree_set(prop::collection::vec(0u8..3, 0..12), 0..20),
            targets in prop::collection::vec(prop::collection::vec(0u8..3, 0..14), 20),
        ) {
            let tables = tables(keys.iter());
            let fences = Fences::new(&Comparator::Bytewise, &tables);
            for target in keys.iter().chain(&targets) {
                if let Some(told) = fences.ending_before(target) {
                    let found = first_ending_at_or_after(&Comparator::Bytewise, &tables, target);
                    prop_assert_eq!(told, found, "{:?}", target);
                }
            }
        }
    }

    #[test]
    fn they_tell_unless_a_head_is_the_same_or_the_prefix_another() {
        let keys = [b"user:b".to_vec(), b"user:d".to_vec()];
        let fences = Fences::new(&Comparator::Bytewise, &tables(keys.iter()));
        let told = |key: &str| fences.ending_before(key.as_bytes());
        assert_eq!(
            ["user:a", "user:c", "user:dd"].map(told),
            [Some(0), Some(1), Some(2)]
        );
        assert_eq!(["user:b", "user", "zebra"].map(told), [None; 3]);
        let other = Fences::new(&Comparator::reverse_bytewise(), &tables(keys.iter()));
        assert_eq!(other.ending_before(b"user:c"), None);
    }
}
