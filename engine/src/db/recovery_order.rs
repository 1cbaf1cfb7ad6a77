//! The order in which the entries of a log go into a memtable: by key, the newest version first.
//!
//! A comparison of two keys waits for memory twice, because each key is somewhere else in the log.
//! So under the bytewise order, eight bytes of each key after the prefix that all keys share (its
//! head, as in a block) are first copied side by side, and usually these decide.

use std::cmp::Ordering;

use crate::comparator::{Comparator, common_prefix_len};
use crate::internal_key::ParsedKey;
use crate::sstable::head;

/// An entry of a log, borrowed from it.
pub(super) type Entry<'a> = (ParsedKey<'a>, &'a [u8]);

/// Sorts the entries into the order of a memtable.
pub(super) fn sorted<'a>(mut entries: Vec<Entry<'a>>, order: &Comparator) -> Vec<Entry<'a>> {
    let compare = |(a, _): &Entry<'_>, (b, _): &Entry<'_>| -> Ordering {
        let by_key = order.compare(a.user_key, b.user_key);
        by_key.then(b.sequence.cmp(&a.sequence))
    };
    if !order.is_bytewise() {
        entries.sort_unstable_by(compare);
        return entries;
    }
    let skip = shared_prefix(&entries);
    let heads = entries.iter().map(|(key, _)| head(key.user_key, skip));
    let mut places: Vec<(u64, usize)> = heads.zip(0..).collect();
    places.sort_unstable_by(|a, b| {
        let by_head = a.0.cmp(&b.0);
        by_head.then_with(|| compare(&entries[a.1], &entries[b.1]))
    });
    places.into_iter().map(|(_, at)| entries[at]).collect()
}

/// How many bytes all keys share at their beginning.
fn shared_prefix(entries: &[Entry<'_>]) -> usize {
    let Some(((first, _), rest)) = entries.split_first() else {
        return 0;
    };
    rest.iter().fold(first.user_key.len(), |shared, (key, _)| {
        common_prefix_len(&first.user_key[..shared], key.user_key)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::internal_key::ValueKind;
    use proptest::prelude::*;

    fn entry(user_key: &[u8], sequence: u64) -> Entry<'_> {
        let kind = ValueKind::Put;
        let key = ParsedKey {
            user_key,
            sequence,
            kind,
        };
        (key, user_key)
    }

    fn places<'a>(entries: &[Entry<'a>]) -> Vec<(&'a [u8], u64, &'a [u8])> {
        let places = entries.iter();
        places
            .map(|(key, value)| (key.user_key, key.sequence, *value))
            .collect()
    }

    proptest! {
        /// Keys that share a prefix, keys that are prefixes of others, keys that end in zeros,
        /// several versions of one key.
        #[test]
        fn heads_change_nothing(
            prefix in prop::collection::vec(0u8..2, 0..10),
            ends in prop::collection::vec(prop::collection::vec(0u8..3, 0..12), 0..60),
        ) {
            let keys: Vec<Vec<u8>> = ends.iter().map(|end| [&prefix[..], end].concat()).collect();
            let entries: Vec<_> = keys.iter().zip(1..).map(|(key, at)| entry(key, at)).collect();
            let mut expected = entries.clone();
            expected.sort_by(|a, b| {
                let by_key = a.0.user_key.cmp(b.0.user_key);
                by_key.then(b.0.sequence.cmp(&a.0.sequence))
            });
            let found = sorted(entries.clone(), &Comparator::Bytewise);
            prop_assert_eq!(places(&found), places(&expected));
            // Keys in reverse, but still the newest version first.
            let reverse = sorted(entries, &Comparator::reverse_bytewise());
            expected.sort_by(|a, b| b.0.user_key.cmp(a.0.user_key));
            prop_assert_eq!(places(&reverse), places(&expected));
        }
    }
}
