//! The tables that a rewrite writes: where each of them ends, and which range tombstones it gets.
//!
//! Invariants
//! 1. A table ends between user keys.
//! 2. Range tombstones are cut where tables end. They do not count as entries.
//! 3. Files that were begun are removed when this is dropped, unless [`Outputs::keep`] was called.

use std::mem;
use std::path::PathBuf;

use crate::compaction::rewrite::Environment;
use crate::comparator::Comparator;
use crate::error::Result;
use crate::internal_key::{self, ValueKind};
use crate::range_tombstone::{Fragment, RangeTombstones};
use crate::sstable::{TableBuilder, TableOptions, TableSummary};
use crate::version::{FileMeta, Tables};

/// The outputs of one rewrite. Entries must be added in order.
pub(super) struct Outputs<'a> {
    environment: &'a Environment<'a>,
    /// The range tombstones to write, each into the output that its keys go to.
    tombstones: RangeTombstones,
    /// Where the key range of the current output begins, which is where the previous one ended.
    low: Option<Vec<u8>>,
    grandparents: Option<Grandparents>,
    /// The length at which an output ends.
    pub(super) target_file_bytes: u64,
    /// As in [`TableOptions`].
    pub(super) piece_bytes: usize,
    /// The greatest sequence number that any entry of the inputs was written with.
    sequence_max: u64,
    open: Option<Open>,
    /// Behind `open`, whose file is closed before it is removed.
    unfinished: Unfinished<'a>,
    /// The outputs that are complete.
    files: Vec<FileMeta>,
    /// Reused: the key of an entry whose key is changed.
    key: Vec<u8>,
}

/// A table that is being written.
struct Open {
    number: u64,
    builder: TableBuilder,
}

/// The files that a rewrite has begun. They are removed when this is dropped, also where the user's code panics.
struct Unfinished<'a> {
    paths: Vec<PathBuf>,
    discard: &'a dyn Fn(&PathBuf),
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.paths.iter().for_each(self.discard);
    }
}

/// The tables that the outputs will be merged with when they are compacted in turn. Counts their bytes that the current
/// output overlaps.
pub(super) struct Grandparents {
    comparator: Comparator,
    tables: Tables,
    at: usize,
    bytes: u64,
}

impl Grandparents {
    pub(super) const fn new(comparator: Comparator, tables: Tables) -> Self {
        Self {
            comparator,
            tables,
            at: 0,
            bytes: 0,
        }
    }

    /// The bytes passed since the last reset, up to `user_key`. Keys must ascend.
    fn pass(&mut self, user_key: &[u8]) -> u64 {
        while let Some(table) = self.tables.get(self.at)
            && table.ends_before(&self.comparator, user_key)
        {
            self.bytes += table.bytes;
            self.at += 1;
        }
        self.bytes
    }
}

impl<'a> Outputs<'a> {
    pub(super) fn new(
        environment: &'a Environment<'a>,
        tombstones: RangeTombstones,
        grandparents: Option<Grandparents>,
    ) -> Self {
        Self {
            environment,
            tombstones,
            low: None,
            grandparents,
            target_file_bytes: environment.target_file_bytes,
            piece_bytes: environment.table_options.piece_bytes,
            sequence_max: 0,
            open: None,
            unfinished: Unfinished {
                paths: Vec::new(),
                discard: environment.discard,
            },
            files: Vec::new(),
            key: Vec::new(),
        }
    }

    /// Notes that an entry of the inputs was written with this number. Must be called before entries are added.
    pub(super) fn note_sequence(&mut self, sequence: u64) {
        self.sequence_max = self.sequence_max.max(sequence);
    }

    /// Whether the current output is long enough to end before `user_key`, which must be another than that of the entry
    /// added last.
    pub(super) fn should_end(&mut self, user_key: &[u8]) -> bool {
        let Some(open) = &self.open else {
            return false;
        };
        // Half of the index is left for the versions of one key, between which no table ends.
        if open.builder.file_bytes() >= self.target_file_bytes || self.index_exceeds(2) {
            return true;
        }
        let limit = self.environment.overlap_bytes_max;
        self.grandparents
            .as_mut()
            .is_some_and(|tables| tables.pass(user_key) > limit)
    }

    /// Whether the current output can take no more entries, because its index would be too long.
    pub(super) fn is_full(&self) -> bool {
        self.index_exceeds(1)
    }

    /// Whether the index of the current output is longer than one `part`th of what it may be.
    fn index_exceeds(&self, part: usize) -> bool {
        let max = self.environment.table_options.index_bytes_max / part;
        let open = self.open.as_ref();
        open.is_some_and(|open| open.builder.index_bytes() > max)
    }

    /// Adds an entry under another key than it was read with.
    pub(super) fn add_as(
        &mut self,
        user_key: &[u8],
        sequence: u64,
        kind: ValueKind,
        value: &[u8],
    ) -> Result<()> {
        let mut key = mem::take(&mut self.key);
        key.clear();
        internal_key::append(&mut key, user_key, sequence, kind);
        let added = self.add(&key, value);
        self.key = key;
        added
    }

    #[inline]
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.opened()?.builder.add(key, value)
    }

    /// The current output. Begins one if there is none.
    fn opened(&mut self) -> Result<&mut Open> {
        if self.open.is_none() {
            let (number, file) = (self.environment.create)()?;
            self.unfinished.paths.push(file.path().to_path_buf());
            let options = TableOptions {
                piece_bytes: self.piece_bytes,
                sequence_max: self.sequence_max,
                ..self.environment.table_options.clone()
            };
            let builder = TableBuilder::new(file, options)?;
            if let Some(grandparents) = &mut self.grandparents {
                grandparents.bytes = 0;
            }
            self.open = Some(Open { number, builder });
        }
        Ok(self.open.as_mut().expect("opened above"))
    }

    /// Ends the current output, and writes to it the range tombstones up to `next_key`, where the
    /// next output begins. The last output takes the rest, even if there are no entries for it.
    pub(super) fn end_table(&mut self, next_key: Option<&[u8]>) -> Result<()> {
        let comparator = &self.environment.table_options.comparator;
        let low = self.low.take();
        let share = self.tombstones.within(comparator, low.as_deref(), next_key);
        let share: Vec<Fragment> = share.collect();
        self.low = next_key.map(<[u8]>::to_vec);
        if !share.is_empty() {
            let open = self.opened()?;
            for fragment in &share {
                open.builder.add_range_tombstone(fragment)?;
            }
        }
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let TableSummary {
            file_bytes,
            properties,
        } = open.builder.finish()?;
        self.files.push(FileMeta {
            number: open.number,
            bytes: file_bytes,
            entries: properties.entries,
            range_deletes: properties.range_deletes,
            smallest: properties.smallest,
            largest: properties.largest,
        });
        Ok(())
    }

    /// Ends the last output. Returns the metadata of all of them, in key order.
    pub(super) fn finish(&mut self) -> Result<Vec<FileMeta>> {
        self.end_table(None)?;
        Ok(mem::take(&mut self.files))
    }

    /// Keeps the files that were written.
    pub(super) fn keep(mut self) {
        self.unfinished.paths.clear();
    }
}
