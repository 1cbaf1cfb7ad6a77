//! Checks a whole table: every byte, and everything that the table says about itself.
//!
//! Reading finds damage only where it reads. A check looks everywhere, continues after an error
//! wherever that makes sense, and holds only one block at a time besides index and filter.
//!
//! What is compared
//! 1. Every checksum; the zeros before the filter, which have none; that the parts fill the file without gaps.
//! 2. The order of entries within and across data blocks; restarts and their heads; the keys of the
//!    index against the blocks on both sides.
//! 3. Every user key against the filter, which must let it pass.
//! 4. The range tombstones: their order, and their number.
//! 5. What the properties state against what the table holds.
//!
//! Without the comparator, such as a custom one that the caller does not have, the orders of point
//! 2 and 4 are not checked.

mod stated;

use super::block::{Block, BlockCursor, Damage};
use super::filter::Filter;
use super::footer::{FOOTER_BYTES, Footer};
use super::index::{DataBlock, Index};
use super::parts::{properties_of, read_filter, read_footer, read_index_block};
use super::properties::Properties;
use super::stored::{self, Handle};
use crate::bloom::KeyHash;
use crate::comparator::Comparator;
use crate::error::{Error, Result};
use crate::internal_key;
use crate::vfs::{FileSlice, RandomFile};
use std::cmp::Ordering;

/// Checks the table in `file` and calls `found` for each thing that is wrong, with its offset and a
/// description.
///
/// Returns the properties if they are readable. `order` is the comparator of the table's family, if available.
pub fn check_table(
    file: &dyn RandomFile,
    order: Option<&Comparator>,
    found: &mut dyn FnMut(u64, String),
) -> Option<Properties> {
    let footer = told(found, read_footer(file))?;
    let stated = told(found, properties_of(file, &footer));
    if let (Some(stated), Some(order)) = (&stated, order)
        && let Some(what) = stated.other_comparator(order)
    {
        found(footer.properties.offset, what);
    }
    let filter = footer
        .filter
        .and_then(|handle| told(found, read_filter(file, handle)));
    let index = told(found, read_index_block(file, &footer));
    if let Some(index) = index.map(Index::to_walk) {
        let mut check = Check {
            file,
            order,
            found,
            filter,
            last_key: Vec::new(),
            last_index_key: None,
            seen: Properties::default(),
            whole: true,
        };
        let end = check.data_blocks(&index, &footer);
        check.layout(end, &footer, stated.as_ref());
        if let Some(stated) = &stated {
            check.range_deletes(stated, &footer);
            check.compare(stated, &footer);
        }
    }
    stated
}

/// Returns the value, or reports why it could not be read.
fn told<T>(found: &mut dyn FnMut(u64, String), read: Result<T>) -> Option<T> {
    read.map_err(|error| match error {
        Error::Corruption { offset, what, .. } => found(offset, what),
        other => found(0, other.to_string()),
    })
    .ok()
}

/// A check under way.
struct Check<'c> {
    file: &'c dyn RandomFile,
    order: Option<&'c Comparator>,
    found: &'c mut dyn FnMut(u64, String),
    filter: Option<Filter>,
    /// The last key of the previous entry.
    last_key: Vec<u8>,
    /// The index key of the previous block.
    last_index_key: Option<Vec<u8>>,
    /// The properties that the entries add up to.
    seen: Properties,
    /// Whether all data blocks could be read, so that the sums can be compared.
    whole: bool,
}

impl Check<'_> {
    /// Checks all data blocks, and returns where the last one ends.
    fn data_blocks(&mut self, index: &Index, footer: &Footer) -> u64 {
        let mut cursor = index.cursor();
        let mut end = 0;
        let mut moved = cursor.entries().seek_to_first();
        loop {
            let current = moved.and_then(|()| cursor.current());
            let block = match current {
                Ok(Some(block)) => block,
                Ok(None) => break,
                Err(damage) => {
                    (self.found)(footer.index.offset + damage.at as u64, damage.to_string());
                    self.whole = false;
                    break;
                }
            };
            self.seen.data_blocks += 1;
            let key = cursor.entries().key().to_vec();
            if let Err((at, what)) = self.block_in_place(block, &key, end, footer.index) {
                (self.found)(at, what);
                self.whole = false;
                // The first key of the next block must not be compared with a key in the middle
                // of this one.
                self.last_key.clear();
            }
            self.last_index_key = Some(key);
            if block.handle.range_within(self.file.len()).is_some() {
                end = end_of(block.handle).unwrap_or(end).max(end);
            }
            moved = cursor.entries().next();
        }
        if let Some(last) = &self.last_index_key
            && self.whole
            && let Err(damage) = index.check_heads(internal_key::user_key(last))
        {
            (self.found)(footer.index.offset + damage.at as u64, damage.to_string());
        }
        end
    }

    /// Checks that a data block begins at `end`, where the one before ends, and then the block.
    fn block_in_place(
        &mut self,
        block: DataBlock,
        index_key: &[u8],
        end: u64,
        index: Handle,
    ) -> Result<(), (u64, String)> {
        let begin = block.handle.offset;
        if begin != end {
            let what = format!(
                "data block {} should begin here, where the one before ends; the index leads to byte {begin}",
                block.number
            );
            // Not read: many entries may lead to the same block.
            if begin < end {
                return Err((end, what));
            }
            (self.found)(end, what);
        }
        self.data_block(block, index_key, index)
    }

    fn data_block(
        &mut self,
        block: DataBlock,
        index_key: &[u8],
        index: Handle,
    ) -> Result<(), (u64, String)> {
        let DataBlock { number, handle } = block;
        let parts_end = self.file.len() - FOOTER_BYTES as u64;
        let Some(range) = handle.range_within(parts_end) else {
            let what =
                format!("the index leads to {handle} for data block {number}, outside the file");
            return Err((index.offset, what));
        };
        let here = |what: String| (handle.offset, format!("data block {number}: {what}"));
        let stored = self
            .file
            .read_at(handle.offset, range.len() + stored::TRAILER_BYTES);
        let stored = stored.map_err(|error| here(error.to_string()))?;
        let contents = stored::contents(&stored, handle.offset).map_err(here)?;
        self.entries(&contents, block, index_key)
            .map_err(|damage| here(damage.to_string()))
    }

    fn entries(
        &mut self,
        contents: &FileSlice,
        DataBlock { number, handle }: DataBlock,
        index_key: &[u8],
    ) -> Result<(), Damage> {
        let block = Block::new(contents.clone())?;
        let frame = block.clone();
        let restarts = block.view().restarts();
        for restart in 0..restarts {
            block.view().restart_entry(restart)?;
        }
        let mut cursor = BlockCursor::new(block);
        cursor.seek_to_first()?;
        let mut first = true;
        let mut last_restart = 0;
        while cursor.valid() {
            let (at, key) = (cursor.position(), cursor.key());
            let wrong = |what: String| {
                format!("data block {number}: {what}, at byte {at} of the block's contents")
            };
            if let Err(what) = self.entry(key, cursor.value(), first) {
                (self.found)(handle.offset, wrong(what));
            }
            first = false;
            last_restart = cursor.restart();
            self.last_key.clear();
            self.last_key.extend_from_slice(key);
            cursor.next()?;
        }
        if restarts > 0 && last_restart + 1 != restarts {
            let what = "a restart points at no entry";
            return Err(Damage {
                at: contents.len(),
                what,
            });
        }
        frame
            .view()
            .check_heads(internal_key::user_key(&self.last_key))?;
        if let Some(order) = self.order
            && internal_key::compare(order, &self.last_key, index_key) == Ordering::Greater
        {
            let what = "the index has a smaller key for the block than the block's last";
            return Err(Damage { at: 0, what });
        }
        Ok(())
    }

    fn entry(&mut self, key: &[u8], value: &[u8], first: bool) -> Result<(), String> {
        let parsed = internal_key::parse(key)?;
        if self.seen.entries == 0 {
            self.seen.sequence_min = internal_key::MAX_SEQUENCE;
        }
        self.seen.count(key, &parsed, value);
        if let Some(filter) = &self.filter
            && !filter.may_contain(KeyHash::of(parsed.user_key))
        {
            return Err(format!(
                "the filter denies the key \"{}\", which is here",
                parsed.user_key.escape_ascii()
            ));
        }
        let Some(order) = self.order else {
            return Ok(());
        };
        if !self.last_key.is_empty()
            && internal_key::compare(order, &self.last_key, key) != Ordering::Less
        {
            return Err(format!(
                "the key \"{}\" does not come after the one before, \"{}\"{}",
                key.escape_ascii(),
                self.last_key.escape_ascii(),
                order.suspicion()
            ));
        }
        if first
            && let Some(separator) = &self.last_index_key
            && internal_key::compare(order, separator, key) != Ordering::Less
        {
            return Err(format!(
                "the block begins with \"{}\", which the index leads to the block before{}",
                key.escape_ascii(),
                order.suspicion()
            ));
        }
        Ok(())
    }

    /// Checks the zeros before the filter, and that the parts follow one another without gaps.
    fn layout(&mut self, data_end: u64, footer: &Footer, stated: Option<&Properties>) {
        let mut parts = vec![("properties", footer.properties), ("index", footer.index)];
        if let Some(handle) = stated.and_then(|stated| stated.range_delete_block) {
            parts.insert(0, ("range deletes", handle));
        }
        let mut end = data_end;
        if let Some(filter) = footer.filter {
            parts.insert(0, ("filter", filter));
            let padding = filter.offset.checked_sub(end).filter(|bytes| *bytes < 64);
            let zeros = padding.and_then(|bytes| self.file.read_at(end, bytes as usize).ok());
            match zeros {
                Some(zeros) if zeros.iter().any(|byte| *byte != 0) => {
                    let at = zeros.iter().position(|byte| *byte != 0).unwrap_or(0) as u64;
                    (self.found)(
                        end + at,
                        "the bytes between the data blocks and the filter must be zeros, and this one is not"
                            .into(),
                    );
                }
                Some(_) => {}
                None => self.gap("filter", end, filter.offset),
            }
            end = filter.offset;
        }
        for (name, handle) in parts {
            if handle.offset != end {
                self.gap(name, end, handle.offset);
            }
            end = end_of(handle).unwrap_or(end);
        }
        let footer_at = self.file.len() - FOOTER_BYTES as u64;
        if end != footer_at {
            self.gap("footer", end, footer_at);
        }
    }

    fn gap(&mut self, name: &str, end: u64, at: u64) {
        let what = format!(
            "the {name} should begin here, where the part before ends, and begins at byte {at}"
        );
        (self.found)(end, what);
    }
}

/// Where the part stored at `handle` ends, trailer included.
fn end_of(handle: Handle) -> Option<u64> {
    let stored = handle.length.checked_add(stored::TRAILER_BYTES as u64)?;
    handle.offset.checked_add(stored)
}
