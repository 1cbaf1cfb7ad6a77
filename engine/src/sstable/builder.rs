//! Writes a table in one pass over sorted entries.

use super::block::BlockBuilder;
use super::filter::FilterBuilder;
use super::footer::Footer;
use super::index::IndexBuilder;
use super::properties::Properties;
use super::range_block::{self, RangeBlockBuilder};
use super::stored::{self, Compression, Handle};
use super::table_numbers::TableNumbers;
use crate::bloom::LINE_BYTES;
use crate::comparator::Comparator;
use crate::error::{Error, Result};
use crate::internal_key::{self, MAX_USER_KEY_BYTES, MAX_VALUE_BYTES, ParsedKey, ValueKind};
use crate::range_tombstone::Fragment;
use crate::vfs::WritableFile;
use std::cmp::Ordering;

/// The page cache of some systems keeps data that is written in such pieces as huge pages, and maps
/// them as such. A lookup in a mapped table then hardly ever waits for address translation;
/// `docs/performance.md` has the figures.
const PIECE_BYTES: usize = 2 << 20;

/// A look-up of an entry that is longer than a page waits for the entry's own bytes. A huge page would spare it little, and
/// takes the writer longer to get than smaller ones.
const LONG_ENTRY_BYTES: u64 = 4 << 10;
const LONG_ENTRIES_PIECE_BYTES: usize = 1 << 20;

const BLOCK_BYTES_MAX: usize = 16 << 20;
const RESTART_INTERVAL_MAX: usize = 1024;
const FILTER_BITS_PER_KEY_MAX: usize = 64;
/// Offsets in the index have 32 bits. After a longer index no data block is begun, so the key of the last one still fits.
const INDEX_BYTES_MAX: usize = u32::MAX as usize - 2 * MAX_USER_KEY_BYTES;

/// The program that the properties of a table name as its writer.
const WRITER: &str = concat!("engine ", env!("CARGO_PKG_VERSION"));

/// How a table is written.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// The order of the entries.
    pub comparator: Comparator,
    /// A data block ends when it reaches this length: up to 16 MiB.
    pub block_bytes: usize,
    /// Every this many entries, a key is stored whole and can be searched for: 1 to 1024.
    pub restart_interval: usize,
    /// Size of the bloom filter, up to 64 bits a key; 0 means none.
    pub filter_bits_per_key: usize,
    /// How data blocks are compressed.
    pub compression: Compression,
    /// The file is written in pieces of this length, each beginning at a multiple of it; the last is shorter. Where entries are
    /// longer than 4 KiB on average, pieces are at most 1 MiB.
    pub piece_bytes: usize,
    /// After an index of this length, no further data block is begun: up to 4 GiB, less the length of two keys.
    pub index_bytes_max: usize,
    /// Why the table is written, for its properties: "flush", "compaction to level 1".
    pub origin: String,
    /// The number of the column family that it belongs to, for its properties.
    pub family: u32,
    /// The name of that family.
    pub family_name: String,
    /// The tables that it is made from, for its properties.
    pub inputs: TableNumbers,
    /// The greatest sequence number of those tables, for its properties. It must be passed in
    /// because entries that now have number 0 no longer show which number they had.
    pub sequence_max: u64,
}

impl TableOptions {
    /// The defaults: blocks of 4 KiB, a restart every 4 entries, 10 filter bits a key, no compression, pieces of 2 MiB.
    pub fn new(comparator: Comparator) -> TableOptions {
        TableOptions {
            comparator,
            block_bytes: 4096,
            restart_interval: 4,
            filter_bits_per_key: 10,
            compression: Compression::None,
            piece_bytes: PIECE_BYTES,
            index_bytes_max: INDEX_BYTES_MAX,
            origin: String::new(),
            family: 0,
            family_name: String::new(),
            inputs: TableNumbers::default(),
            sequence_max: 0,
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        let checks = [
            ("block_bytes", self.block_bytes, 1, BLOCK_BYTES_MAX),
            ("piece_bytes", self.piece_bytes, 1, PIECE_BYTES),
            ("index_bytes_max", self.index_bytes_max, 0, INDEX_BYTES_MAX),
            (
                "restart_interval",
                self.restart_interval,
                1,
                RESTART_INTERVAL_MAX,
            ),
            (
                "filter_bits_per_key",
                self.filter_bits_per_key,
                0,
                FILTER_BITS_PER_KEY_MAX,
            ),
        ];
        for (option, value, min, max) in checks {
            if !(min..=max).contains(&value) {
                return Err(Error::invalid(format!(
                    "the option {option} is {value}, it takes {min} to {max}"
                )));
            }
        }
        Ok(())
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSummary {
    /// Length of the file.
    pub file_bytes: u64,
    /// Counts, key range and sequence range.
    pub properties: Properties,
}

/// Writes one table. Entries must come in order; the table is complete only after [`finish`](Self::finish).
#[derive(Debug)]
pub struct TableBuilder {
    file: Box<dyn WritableFile>,
    options: TableOptions,
    /// What has not been appended to the file yet.
    buffer: Vec<u8>,
    data: BlockBuilder,
    index: IndexBuilder,
    filter: FilterBuilder,
    ranges: RangeBlockBuilder,
    properties: Properties,
}

impl TableBuilder {
    /// Begins a table in a file that was just created.
    ///
    /// # Errors
    /// `InvalidArgument` if an option is out of its range.
    ///
    /// # Panics
    /// If the file is not empty.
    pub fn new(file: Box<dyn WritableFile>, options: TableOptions) -> Result<TableBuilder> {
        assert_eq!(
            file.len(),
            0,
            "{} is not empty, and a table begins at its file's start",
            file.path().display()
        );
        options.check()?;
        let properties = Properties {
            comparator: options.comparator.name().to_owned(),
            sequence_min: internal_key::MAX_SEQUENCE,
            writer: WRITER.to_owned(),
            origin: options.origin.clone(),
            family: options.family,
            family_name: options.family_name.clone(),
            inputs: options.inputs.clone(),
            ..Properties::default()
        };
        Ok(TableBuilder {
            file,
            buffer: Vec::new(),
            data: BlockBuilder::new(&options.comparator, options.restart_interval),
            index: IndexBuilder::new(&options.comparator),
            filter: FilterBuilder::new(options.filter_bits_per_key),
            ranges: RangeBlockBuilder::new(&options.comparator, options.restart_interval),
            properties,
            options,
        })
    }

    /// Appends an entry. `key` is an internal key and must come after the last one.
    ///
    /// # Errors
    /// `InvalidArgument` for a key out of order, a malformed key, a range tombstone (which is not an entry),
    /// a key or value beyond the engine's limits, or an index beyond its own; `Io` from the file, after which the
    /// table must be discarded.
    pub fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let parsed = internal_key::parse(key).map_err(Error::invalid)?;
        if parsed.kind == ValueKind::RangeDelete {
            return Err(Error::invalid(
                "a range tombstone cannot be added as an entry of a table",
            ));
        }
        check_limits(&parsed, value)?;
        self.check_order(key)?;
        if self.data.is_empty() {
            self.index.block_begins(&self.options.comparator, key);
            self.check_index()?;
        }
        self.data.add(key, value);
        self.filter.add(parsed.user_key);
        self.properties.count(key, &parsed, value);
        if self.data.size() >= self.options.block_bytes {
            self.finish_block()?;
        }
        Ok(())
    }

    /// Adds a fragment of range tombstones, which must come after the last one. May be called at
    /// any time before [`finish`](Self::finish).
    ///
    /// # Errors
    /// `InvalidArgument` for a fragment out of order, and if the fragments grow beyond 4 GiB.
    pub fn add_range_tombstone(&mut self, fragment: &Fragment) -> Result<()> {
        let added = self.ranges.add(&self.options.comparator, fragment);
        added.map_err(Error::invalid)?;
        let properties = &mut self.properties;
        for sequence in fragment.sequences.iter() {
            properties.sequence_min = properties.sequence_min.min(*sequence);
            properties.sequence_max = properties.sequence_max.max(*sequence);
        }
        Ok(())
    }

    /// How many entries were added.
    pub fn entries(&self) -> u64 {
        self.properties.entries
    }

    /// The length of the file so far, with the unfinished block but without the index: the measure
    /// for when to begin another table.
    pub fn file_bytes(&self) -> u64 {
        self.file.len() + (self.buffer.len() + self.data.size()) as u64
    }

    /// The length of the index so far, without the unfinished block.
    pub fn index_bytes(&self) -> usize {
        self.index.size()
    }

    /// Completes the table and syncs the file. The caller must sync the directory.
    ///
    /// # Errors
    /// `InvalidArgument` if there are neither entries nor range tombstones; `Io` from the file,
    /// which must then be removed.
    pub fn finish(mut self) -> Result<TableSummary> {
        if self.properties.entries == 0 && self.ranges.count() == 0 {
            return Err(Error::invalid("a table needs at least one entry"));
        }
        if !self.data.is_empty() {
            self.finish_block()?;
        }
        let filter = self.filter.finish().map(|filter| {
            let end = self.file.len() + self.buffer.len() as u64;
            let padding = end.next_multiple_of(LINE_BYTES as u64) - end;
            self.buffer.resize(self.buffer.len() + padding as usize, 0);
            self.store(&filter)
        });
        let range_deletes = self.ranges.finish(&mut self.buffer, self.file.len());
        self.properties.range_delete_block = range_deletes;
        self.properties.range_deletes = self.ranges.count();
        self.widen_to_ranges();
        if self.properties.sequence_min == 0 {
            self.properties.sequence_max =
                self.properties.sequence_max.max(self.options.sequence_max);
        }
        let properties = self.store(&self.properties.encode());
        let offset = self.file.len();
        let index = self.index.finish(&self.options.comparator, |contents| {
            stored::append(&mut self.buffer, offset, contents, Compression::None)
        });
        self.buffer.extend_from_slice(
            &Footer {
                index,
                filter,
                properties,
            }
            .encode(),
        );
        self.append_buffer(self.buffer.len())?;
        self.file.sync()?;
        Ok(TableSummary {
            file_bytes: self.file.len(),
            properties: self.properties,
        })
    }

    /// Extends the key range of the entries to the keys that the range tombstones delete.
    fn widen_to_ranges(&mut self) {
        let Some((first, last)) = self.ranges.ends() else {
            return;
        };
        let (start, end) = (range_block::start_key(first), range_block::end_key(last));
        let properties = &mut self.properties;
        let empty = properties.entries == 0;
        let comes_before =
            |a: &[u8], b: &[u8]| internal_key::compare(&self.options.comparator, a, b).is_lt();
        if empty || comes_before(&start, &properties.smallest) {
            properties.smallest = start;
        }
        if empty || comes_before(&properties.largest, &end) {
            properties.largest = end;
        }
    }

    fn store(&mut self, contents: &[u8]) -> Handle {
        stored::append(
            &mut self.buffer,
            self.file.len(),
            contents,
            Compression::None,
        )
    }

    fn finish_block(&mut self) -> Result<()> {
        let offset = self.file.len();
        let handle = self.data.finish(|contents| {
            stored::append(&mut self.buffer, offset, contents, self.options.compression)
        });
        self.properties.data_blocks += 1;
        self.index
            .block_ended(self.properties.largest.clone(), handle);
        let piece_bytes = self.piece_bytes();
        let begin = self.file.len();
        let end = (begin + self.buffer.len() as u64) / piece_bytes * piece_bytes;
        self.append_buffer(end.saturating_sub(begin) as usize)
    }

    /// The length of a piece, as long as entries go on as they are.
    fn piece_bytes(&self) -> u64 {
        let long = self.file_bytes() / self.properties.entries > LONG_ENTRY_BYTES;
        let most = if long {
            LONG_ENTRIES_PIECE_BYTES
        } else {
            PIECE_BYTES
        };
        self.options.piece_bytes.min(most) as u64
    }

    /// Appends the first `bytes` bytes of the buffer to the file.
    fn append_buffer(&mut self, bytes: usize) -> Result<()> {
        if bytes > 0 {
            self.file.append(&self.buffer[..bytes])?;
            self.buffer.drain(..bytes);
        }
        Ok(())
    }

    fn check_index(&self) -> Result<()> {
        let (bytes, max) = (self.index_bytes(), self.options.index_bytes_max);
        if bytes <= max {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the index of the table has {bytes} bytes, and after {max} no block is added; all versions of a key are in one \
             table, so if they are many, release snapshots"
        )))
    }

    fn check_order(&self, key: &[u8]) -> Result<()> {
        let last = &self.properties.largest;
        let in_order = self.properties.entries == 0
            || internal_key::compare(&self.options.comparator, last, key) == Ordering::Less;
        if in_order {
            return Ok(());
        }
        let (last, key) = (last.escape_ascii(), key.escape_ascii());
        let order = &self.options.comparator;
        Err(Error::invalid(format!(
            "a table takes keys in order, and internal key \"{key}\" does not come after \"{last}\" under {:?}{}",
            order.name(),
            order.suspicion()
        )))
    }
}

fn check_limits(key: &ParsedKey<'_>, value: &[u8]) -> Result<()> {
    let checks = [
        ("key", key.user_key.len(), MAX_USER_KEY_BYTES),
        ("value", value.len(), MAX_VALUE_BYTES),
    ];
    for (what, len, max) in checks {
        if len > max {
            return Err(Error::invalid(format!(
                "a {what} has {len} bytes, the limit is {max}"
            )));
        }
    }
    Ok(())
}
