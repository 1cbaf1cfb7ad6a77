//! What the properties of a table state, against what the table holds.
//!
//! The entries were counted while their blocks were checked. Range tombstones are read here, because only the properties
//! say where they are.

use super::{Check, told};
use crate::internal_key;
use crate::range_tombstone::Fragment;
use crate::sstable::footer::Footer;
use crate::sstable::parts::read_range_block;
use crate::sstable::properties::Properties;
use crate::sstable::range_block;
use crate::sstable::stored::Handle;

impl Check<'_> {
    /// Adds the range tombstones to the properties seen so far.
    pub(super) fn range_deletes(&mut self, stated: &Properties, footer: &Footer) {
        let Some(handle) = stated.range_delete_block else {
            return;
        };
        match self.fragments(footer, handle, stated.range_deletes) {
            Some(Ok(fragments)) => self.add_fragments(&fragments, stated),
            Some(Err(what)) => {
                self.whole = false;
                (self.found)(handle.offset, what);
            }
            None => self.whole = false,
        }
    }

    /// Reads the block of range tombstones. `None` if it cannot be read, which is told already.
    fn fragments(
        &mut self,
        footer: &Footer,
        handle: Handle,
        count: u64,
    ) -> Option<Result<Vec<Fragment>, String>> {
        let contents = told(self.found, read_range_block(self.file, footer, handle))?;
        let fragments = range_block::fragments_of(contents, count);
        Some(fragments.and_then(|fragments| match self.order {
            Some(order) => range_block::in_order(order, fragments.clone()).map(|_| fragments),
            None => Ok(fragments),
        }))
    }

    fn add_fragments(&mut self, fragments: &[Fragment], stated: &Properties) {
        let seen = &mut self.seen;
        let empty = seen.entries == 0;
        if empty {
            seen.sequence_min = internal_key::MAX_SEQUENCE;
        }
        for sequence in fragments.iter().flat_map(|of| of.sequences.iter()) {
            seen.sequence_min = seen.sequence_min.min(*sequence);
            seen.sequence_max = seen.sequence_max.max(*sequence);
        }
        let (Some(first), Some(last)) = (fragments.first(), fragments.last()) else {
            return;
        };
        let (start, end) = (range_block::start_key(first), range_block::end_key(last));
        let Some(order) = self.order else {
            // Which key comes first is not known, so the stated one is accepted if it is one of the two.
            for (stated, of_range, seen) in [
                (&stated.smallest, start, &mut seen.smallest),
                (&stated.largest, end, &mut seen.largest),
            ] {
                if empty || *stated == of_range {
                    *seen = of_range;
                }
            }
            return;
        };
        if empty || internal_key::compare(order, &start, &seen.smallest).is_lt() {
            seen.smallest = start;
        }
        if empty || internal_key::compare(order, &seen.largest, &end).is_lt() {
            seen.largest = end;
        }
    }

    /// Compares what the properties state with what the entries add up to.
    pub(super) fn compare(&mut self, stated: &Properties, footer: &Footer) {
        if !self.whole {
            return;
        }
        let seen = &self.seen;
        // All are named, so that nobody can add one and forget this. What no entry says, such as the writer, is not
        // compared, and `range_deletes` is where the tombstones are read.
        let Properties {
            comparator: _,
            entries,
            deletes,
            smallest,
            largest,
            sequence_min,
            sequence_max,
            key_bytes,
            value_bytes,
            data_blocks,
            writer: _,
            origin: _,
            family: _,
            family_name: _,
            inputs: _,
            range_deletes: _,
            range_delete_block: _,
            older_versions,
        } = stated;
        // An entry that was given number 0 had a greater one before, and only the properties still say so.
        let seen_max = match seen.sequence_min {
            0 => seen.sequence_max.max(*sequence_max),
            _ => seen.sequence_max,
        };
        let numbers = [
            ("entries", *entries, seen.entries),
            ("tombstones", *deletes, seen.deletes),
            ("bytes of keys", *key_bytes, seen.key_bytes),
            ("bytes of values", *value_bytes, seen.value_bytes),
            ("data blocks", *data_blocks, seen.data_blocks),
            ("older versions", *older_versions, seen.older_versions),
            (
                "as the smallest sequence number",
                *sequence_min,
                seen.sequence_min,
            ),
            ("as the largest sequence number", *sequence_max, seen_max),
        ];
        for (what, stated, seen) in numbers {
            if stated != seen {
                let what =
                    format!("the properties state {stated} {what}, and the entries give {seen}");
                (self.found)(footer.properties.offset, what);
            }
        }
        for (which, stated, seen) in [
            ("smallest", smallest, &seen.smallest),
            ("largest", largest, &seen.largest),
        ] {
            if stated != seen {
                let what = another_key(which, stated, seen);
                (self.found)(footer.properties.offset, what);
            }
        }
    }
}

fn another_key(which: &str, stated: &[u8], seen: &[u8]) -> String {
    format!(
        "the properties state the {which} key \"{}\", and it is \"{}\"",
        stated.escape_ascii(),
        seen.escape_ascii()
    )
}
