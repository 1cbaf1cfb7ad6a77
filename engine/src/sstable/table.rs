//! Reads a table: opens it, and finds single keys.

use super::block::{BYTES_PER_RESTART, Block, BlockView, Damage, FRAME_BYTES, Found, Frame};
use super::cache::SharedReads;
use super::cursor::TableCursor;
use super::filter::Filter;
use super::footer::{FOOTER_BYTES, Footer};
use super::index::{DataBlock, Index};
use super::properties::Properties;
use super::range_block;
use super::stored::{self, Compression, Handle};
use super::table_numbers::TableNumbers;
use super::verified::Verified;
use crate::bloom::KeyHash;
use crate::comparator::{Comparator, Compare};
use crate::error::{Error, Result};
use crate::internal_key::{self, ValueKind};
use crate::range_tombstone::RangeTombstones;
use crate::vfs::{FileSlice, RandomFile};
use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// An open table. Any number of threads read it at once, without locks.
///
/// A mapped file (see [`Vfs::open_mapped`](crate::vfs::Vfs::open_mapped)) is read in place. Any
/// other file is read block by block into memory, and each block is verified whenever it is read.
/// Such blocks, and decompressed ones, stay in the cache of [`SharedReads`].
#[derive(Debug)]
pub struct Table {
    file: Arc<dyn RandomFile>,
    /// The whole file, if it can be read in place.
    mapped: Option<FileSlice>,
    comparator: Comparator,
    index: Index,
    index_handle: Handle,
    filter: Option<Filter>,
    range_tombstones: Option<Arc<RangeTombstones>>,
    properties: Properties,
    /// About how many bytes the heads and restarts of a data block take.
    end_bytes: usize,
    /// Whether every user key has a single version here, and the order is bytewise.
    single_versions: bool,
    verified: Verified,
    shared: Arc<SharedReads>,
    /// The number of this table among those that share.
    number: u64,
}

/// How much of a block's end is prefetched at most. A core does not fetch more cache lines at once anyway.
const END_BYTES_MAX: usize = 512;

/// What a lookup found: the newest version at or below the sequence number that was asked for.
#[derive(Clone, Debug)]
pub struct TableEntry {
    /// When it was written.
    pub sequence: u64,
    /// Whether it is a value, a tombstone, or deleted by a range tombstone.
    pub kind: ValueKind,
    /// The value, held in place.
    pub value: FileSlice,
}

/// The restart interval of a data block in which a search continues. If the entry is not in it, it
/// is the first one after it.
pub(super) struct Interval<'t> {
    block: DataBlock,
    contents: Contents<'t>,
    frame: Frame,
    restart: usize,
}

/// The contents of a data block.
enum Contents<'t> {
    /// A range of the mapped file.
    InPlace(&'t FileSlice, Range<usize>),
    /// Bytes in memory of their own: read or decompressed.
    Own(FileSlice),
}

impl Contents<'_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        match self {
            Contents::InPlace(file, range) => &file[range.clone()],
            Contents::Own(contents) => contents,
        }
    }

    /// A part of the contents, pinned.
    #[inline]
    fn slice(&self, part: Range<usize>) -> FileSlice {
        match self {
            Contents::InPlace(file, range) => {
                file.slice(range.start + part.start..range.start + part.end)
            }
            Contents::Own(contents) => contents.slice(part),
        }
    }
}

impl Table {
    /// Opens a table whose entries are sorted by `comparator`.
    ///
    /// Reads and verifies footer, index, filter, range tombstones and properties; data blocks are
    /// verified when they are first read.
    ///
    /// # Errors
    /// `Corruption` if the file is not a complete table or was sorted by another comparator,
    /// `UnsupportedVersion` if a later release wrote it, `Io`.
    pub fn open(file: Arc<dyn RandomFile>, comparator: Comparator) -> Result<Table> {
        Self::open_sharing(file, comparator, Arc::new(SharedReads::new(0)))
    }

    /// Like [`open`](Self::open), for one of several tables that share a cache and counters.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_sharing(
        file: Arc<dyn RandomFile>,
        comparator: Comparator,
        shared: Arc<SharedReads>,
    ) -> Result<Table> {
        let footer = read_footer(&*file)?;
        let properties = properties_of(&*file, &footer)?;
        if properties.comparator != comparator.name() {
            let (stored, given) = (&properties.comparator, comparator.name());
            let what = format!(
                "the table is sorted by the comparator {stored:?}, its column family by {given:?}"
            );
            return Err(Error::corruption(
                file.path(),
                footer.properties.offset,
                what,
            ));
        }
        let range_tombstones = match properties.range_delete_block {
            None => None,
            Some(handle) => {
                let contents = read_part(&*file, handle)?;
                let read = range_block::decode(contents, &comparator, properties.range_deletes);
                let read =
                    read.map_err(|what| Error::corruption(file.path(), handle.offset, what))?;
                Some(Arc::new(read))
            }
        };
        Self::of_parts(
            file,
            &footer,
            properties,
            (comparator, range_tombstones),
            shared,
        )
    }

    /// Opens a table whose comparator is not available, only to walk it from one end to the other,
    /// which compares no keys. Seeks do not work, and range tombstones are left out: use
    /// [`read_range_tombstones`](super::read_range_tombstones).
    ///
    /// # Errors
    /// As for [`open`](Self::open), except for the comparator.
    pub fn open_to_walk(file: Arc<dyn RandomFile>) -> Result<Table> {
        let footer = read_footer(&*file)?;
        let properties = properties_of(&*file, &footer)?;
        let order = Comparator::custom(Unknown(properties.comparator.clone()));
        let shared = Arc::new(SharedReads::new(0));
        Self::of_parts(file, &footer, properties, (order, None), shared)
    }

    /// Reads and verifies what does not depend on the order.
    fn of_parts(
        file: Arc<dyn RandomFile>,
        footer: &Footer,
        properties: Properties,
        (comparator, range_tombstones): (Comparator, Option<Arc<RangeTombstones>>),
        shared: Arc<SharedReads>,
    ) -> Result<Table> {
        let corrupt =
            |handle: Handle, what: String| Error::corruption(file.path(), handle.offset, what);
        let index = Block::new(read_part(&*file, footer.index)?)
            .and_then(Index::new)
            .map_err(|damage| corrupt(footer.index, damage.to_string()))?;
        if index.blocks() as u64 != properties.data_blocks {
            let (found, stated) = (index.blocks(), properties.data_blocks);
            return Err(corrupt(
                footer.index,
                format!("the index has {found} blocks, the properties state {stated}"),
            ));
        }
        let filter = match footer.filter {
            None => None,
            Some(handle) => {
                let filter = Filter::new(read_part(&*file, handle)?);
                Some(filter.ok_or_else(|| {
                    corrupt(handle, "the filter is of an unknown kind".to_owned())
                })?)
            }
        };
        let verified = Verified::new(index.blocks());
        Ok(Table {
            mapped: file.contents(),
            file,
            index,
            index_handle: footer.index,
            filter,
            range_tombstones,
            end_bytes: end_bytes(&properties),
            single_versions: properties.older_versions == 0 && comparator.is_bytewise(),
            comparator,
            properties: Properties {
                inputs: TableNumbers::default(),
                ..properties
            },
            verified,
            number: shared.new_table(),
            shared,
        })
    }

    /// Finds the first entry at or after `target`, if it has the same user key. With the internal
    /// key of [`internal_key::append_seek`], that is the newest version that a reader sees. If the
    /// reader sees a newer range tombstone over the key, the result is that tombstone.
    ///
    /// Cost: one cache line of filter, two binary searches. In a mapped table under the bytewise order nothing is
    /// allocated.
    ///
    /// # Errors
    /// `Corruption` or `Io`, when a block cannot be read.
    pub fn get(&self, target: &[u8]) -> Result<Option<TableEntry>> {
        self.get_hashed(target, KeyHash::of(internal_key::user_key(target)))
    }

    /// Like [`get`](Self::get), for a caller that already has the hash of the target's user key.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub fn get_hashed(&self, target: &[u8], hash: KeyHash) -> Result<Option<TableEntry>> {
        let mut key = Vec::new();
        let entry = match self.find_block(target, hash, &mut key)? {
            None => None,
            Some(block) => {
                let interval = self.find_interval(block, target)?;
                self.find_entry(interval, target, &mut key)?
            }
        };
        Ok(self.beside_tombstones(entry, target))
    }

    /// Prefetches the memory that [`find_block`](Self::find_block) reads first.
    #[inline]
    pub(super) fn prefetch_filter(&self, hash: KeyHash) {
        if let Some(filter) = &self.filter {
            filter.prefetch(hash);
        }
    }

    /// First step of a lookup: the data block that holds the first entry at or after `target`, unless the
    /// filter rules its user key out. Prefetches what the second step reads. `key` is a scratch buffer.
    #[inline]
    pub(super) fn find_block(
        &self,
        target: &[u8],
        hash: KeyHash,
        key: &mut Vec<u8>,
    ) -> Result<Option<DataBlock>> {
        if !self.may_contain_hashed(hash) {
            self.shared.filter_was_useful();
            return Ok(None);
        }
        let block = self
            .index
            .find(&self.comparator, target, key)
            .map_err(|damage| self.index_damaged(&damage))?;
        match block {
            Some(block) => self.prefetch_end(block),
            None => self.filter_was_false(),
        }
        Ok(block)
    }

    /// Second step of a lookup: where in the block the search begins. Prefetches what the third step reads.
    ///
    /// A search for the first entry at or after the target normally begins in the interval before a
    /// restart that has the target's user key, because a newer version may be at the end of that
    /// interval. If every key has a single version, it can begin at that restart, which is shorter
    /// for one lookup in each restart interval's worth of keys.
    #[inline]
    pub(super) fn find_interval(&self, block: DataBlock, target: &[u8]) -> Result<Interval<'_>> {
        let contents = self.load(block)?;
        let user_key = internal_key::user_key(target);
        let trailer = if self.single_versions {
            &internal_key::LAST_TRAILER
        } else {
            &target[user_key.len()..]
        };
        let (frame, restart) = BlockView::new(contents.bytes())
            .and_then(|view| {
                let restart = view.interval_of(&self.comparator, user_key, trailer)?;
                Ok((view.frame(), restart))
            })
            .map_err(|damage| self.damaged(block.handle, &damage))?;
        Ok(Interval {
            block,
            contents,
            frame,
            restart,
        })
    }

    /// Third step of a lookup: the first entry at or after `target`, if it has the same user key.
    /// `key` is a scratch buffer.
    #[inline]
    pub(super) fn find_entry(
        &self,
        interval: Interval<'_>,
        target: &[u8],
        key: &mut Vec<u8>,
    ) -> Result<Option<TableEntry>> {
        let Interval {
            block,
            contents,
            frame,
            restart,
        } = interval;
        let found = BlockView::of_checked(contents.bytes(), frame)
            .first_from(restart, &self.comparator, target, key)
            .map_err(|damage| self.damaged(block.handle, &damage))?;
        let Some(Found { entry, .. }) = found.filter(|found| found.same_user_key) else {
            self.filter_was_false();
            return Ok(None);
        };
        Ok(Some(TableEntry {
            sequence: entry.version.sequence(),
            kind: entry.version.kind(),
            value: contents.slice(entry.value),
        }))
    }

    /// Last step of a lookup: combines the entry, if there is one, with the range tombstones that
    /// the reader sees. The filter does not know range tombstones.
    #[inline]
    pub(super) fn beside_tombstones(
        &self,
        entry: Option<TableEntry>,
        target: &[u8],
    ) -> Option<TableEntry> {
        let Some(tombstones) = &self.range_tombstones else {
            return entry;
        };
        let (user_key, reader) = (
            internal_key::user_key(target),
            internal_key::sequence(target),
        );
        let sequence = tombstones.newest_over(&self.comparator, user_key, reader);
        if sequence == 0
            || entry
                .as_ref()
                .is_some_and(|entry| entry.sequence > sequence)
        {
            return entry;
        }
        Some(TableEntry {
            sequence,
            kind: ValueKind::RangeDelete,
            value: Vec::new().into(),
        })
    }

    fn filter_was_false(&self) {
        if self.filter.is_some() {
            self.shared.filter_was_false();
        }
    }

    /// Whether the table may hold entries of this key. `false` is certain. Range tombstones do not
    /// count as entries.
    #[inline]
    pub fn may_contain(&self, user_key: &[u8]) -> bool {
        self.may_contain_hashed(KeyHash::of(user_key))
    }

    #[inline]
    fn may_contain_hashed(&self, hash: KeyHash) -> bool {
        let filter = self.filter.as_ref();
        filter.is_none_or(|filter| filter.may_contain(hash))
    }

    /// A cursor over all entries, which keeps the table open.
    pub fn cursor(self: &Arc<Self>) -> TableCursor {
        TableCursor::new(Arc::clone(self))
    }

    /// The range tombstones, if there are any.
    pub fn range_tombstones(&self) -> Option<&Arc<RangeTombstones>> {
        self.range_tombstones.as_ref()
    }

    /// What the table says about itself, without its `inputs`, which
    /// [`read_properties`](super::read_properties) reads. Each output of a compaction lists all inputs, so if
    /// every open table kept them, and their numbers were scattered, the memory would grow with the square of the number
    /// of tables.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// The table's file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// See [`RandomFile::leave_to_system`].
    pub fn leave_to_system(&self) {
        self.file.leave_to_system();
    }

    /// The length of the file.
    pub fn file_bytes(&self) -> u64 {
        self.file.len()
    }

    pub(super) fn comparator(&self) -> &Comparator {
        &self.comparator
    }

    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// The contents of a data block, with their checksum verified. All reads of blocks go through here.
    #[inline]
    fn load(&self, block: DataBlock) -> Result<Contents<'_>> {
        let wrong = |what| self.corruption(block.handle.offset, what);
        let Some(range) = block.handle.range_within(self.parts_end()) else {
            let what = format!(
                "the index leads to byte {}, outside the file",
                block.handle.offset
            );
            return Err(self.corruption(self.index_handle.offset, what));
        };
        let stored_len = range.len() + stored::TRAILER_BYTES;
        let Some(mapped) = &self.mapped else {
            let contents = self.shared.block(self.number, block.number, || {
                let stored = self.file.read_at(block.handle.offset, stored_len)?;
                stored::verify(&stored, block.handle.offset).map_err(wrong)?;
                match stored::compression(&stored).map_err(wrong)? {
                    Compression::None => Ok(stored.slice(0..range.len())),
                    Compression::Lz4 => self.decompress(block, &stored[..range.len()]),
                }
            });
            return contents.map(Contents::Own);
        };
        let stored = &mapped[range.start..range.start + stored_len];
        self.verified
            .once(block.number, || stored::verify(stored, block.handle.offset))
            .map_err(wrong)?;
        match stored::compression(stored).map_err(wrong)? {
            Compression::None => Ok(Contents::InPlace(mapped, range)),
            Compression::Lz4 => {
                let contents = self.shared.block(self.number, block.number, || {
                    self.decompress(block, &stored[..range.len()])
                });
                contents.map(Contents::Own)
            }
        }
    }

    fn decompress(&self, block: DataBlock, contents: &[u8]) -> Result<FileSlice> {
        stored::decompress(contents)
            .map(FileSlice::from)
            .map_err(|what| self.corruption(block.handle.offset, what))
    }

    /// Like [`load`](Self::load), as a block that can be kept.
    pub(super) fn load_block(&self, block: DataBlock) -> Result<Block> {
        let contents = self.load(block)?;
        let len = contents.bytes().len();
        Block::new(contents.slice(0..len)).map_err(|damage| self.damaged(block.handle, &damage))
    }

    /// Prefetches a block's end, which [`load`](Self::load) and the search for a restart read.
    #[inline]
    pub(super) fn prefetch_end(&self, block: DataBlock) {
        self.prefetch(block, |contents| {
            contents.end.saturating_sub(self.end_bytes)..contents.end + stored::TRAILER_BYTES
        });
    }

    /// Prefetches the beginning of a block's entries.
    #[inline]
    pub(super) fn prefetch_start(&self, block: DataBlock) {
        self.prefetch(block, |contents| contents.start..contents.start + 1);
    }

    /// Prefetches a part of the file, chosen from the range of a block's contents.
    #[inline]
    fn prefetch(&self, block: DataBlock, part: impl FnOnce(Range<usize>) -> Range<usize>) {
        if let Some(mapped) = &self.mapped
            && let Some(contents) = block.handle.range_within(self.parts_end())
        {
            let Range { start, end } = part(contents);
            mapped.prefetch(start, end);
        }
    }

    pub(super) fn parts_end(&self) -> u64 {
        self.file.len() - FOOTER_BYTES as u64
    }

    pub(super) fn damaged(&self, handle: Handle, damage: &Damage) -> Error {
        self.corruption(handle.offset, damage.to_string())
    }

    pub(super) fn index_damaged(&self, damage: &Damage) -> Error {
        self.damaged(self.index_handle, damage)
    }

    pub(super) fn corruption(&self, offset: u64, what: String) -> Error {
        Error::corruption(self.file.path(), offset, what)
    }
}

/// About how many bytes the heads and restarts of a data block take, with the default of a restart
/// every four entries.
fn end_bytes(properties: &Properties) -> usize {
    let entries = properties.entries / properties.data_blocks.max(1);
    let restarts = usize::try_from(entries / 4).unwrap_or(usize::MAX);
    let bytes = restarts.saturating_add(1).saturating_mul(BYTES_PER_RESTART);
    bytes.saturating_add(FRAME_BYTES).min(END_BYTES_MAX)
}

/// Represents an order of which only the name is known.
struct Unknown(String);

impl Compare for Unknown {
    fn name(&self) -> &str {
        &self.0
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }
}

pub(super) fn properties_of(file: &dyn RandomFile, footer: &Footer) -> Result<Properties> {
    let part = read_part(file, footer.properties)?;
    Properties::decode(&part).map_err(|(at, what)| {
        Error::corruption(file.path(), footer.properties.offset + at as u64, what)
    })
}

pub(super) fn read_footer(file: &dyn RandomFile) -> Result<Footer> {
    let len = file.len();
    let Some(start) = len.checked_sub(FOOTER_BYTES as u64) else {
        let what = format!(
            "a table ends in a footer of {FOOTER_BYTES} bytes, this file has {len} bytes in all"
        );
        return Err(Error::corruption(file.path(), 0, what));
    };
    let footer = file.read_at(start, FOOTER_BYTES)?;
    let footer = footer
        .first_chunk()
        .expect("as many bytes as were asked for");
    Footer::decode(footer, file.path(), len)
}

/// Reads a part that is never compressed: the index, the filter, the properties or the range deletes.
pub(super) fn read_part(file: &dyn RandomFile, handle: Handle) -> Result<FileSlice> {
    let corrupt = |what: String| Error::corruption(file.path(), handle.offset, what);
    let footer_at = file.len() - FOOTER_BYTES as u64;
    let Some(range) = handle.range_within(footer_at) else {
        let what = format!(
            "the footer leads to byte {}, outside the file",
            handle.offset
        );
        return Err(Error::corruption(file.path(), footer_at, what));
    };
    let stored = file.read_at(handle.offset, range.len() + stored::TRAILER_BYTES)?;
    stored::verify(&stored, handle.offset).map_err(corrupt)?;
    match stored::compression(&stored).map_err(corrupt)? {
        Compression::None => Ok(stored.slice(0..range.len())),
        Compression::Lz4 => Err(corrupt(
            "a part that must not be compressed is compressed".to_owned(),
        )),
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.shared.forget(self.number, self.index.blocks());
    }
}
