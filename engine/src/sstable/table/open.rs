//! Opens a table: reads and verifies everything but its data blocks.

use super::Table;
use super::load::end_bytes;
use crate::comparator::{Comparator, Compare};
use crate::error::{Error, Result};
use crate::range_tombstone::RangeTombstones;
use crate::sstable::block::Block;
use crate::sstable::cache::SharedReads;
use crate::sstable::filter::Filter;
use crate::sstable::footer::{FOOTER_BYTES, Footer};
use crate::sstable::index::Index;
use crate::sstable::properties::Properties;
use crate::sstable::range_block;
use crate::sstable::stored::{self, Compression, Handle};
use crate::sstable::table_numbers::TableNumbers;
use crate::sstable::verified::Verified;
use crate::vfs::{FileSlice, RandomFile};
use std::cmp::Ordering;
use std::sync::Arc;

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
    /// [`read_range_tombstones`](crate::sstable::read_range_tombstones).
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

pub(in crate::sstable) fn properties_of(
    file: &dyn RandomFile,
    footer: &Footer,
) -> Result<Properties> {
    let part = read_part(file, footer.properties)?;
    Properties::decode(&part).map_err(|(at, what)| {
        Error::corruption(file.path(), footer.properties.offset + at as u64, what)
    })
}

pub(in crate::sstable) fn read_footer(file: &dyn RandomFile) -> Result<Footer> {
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
pub(in crate::sstable) fn read_part(file: &dyn RandomFile, handle: Handle) -> Result<FileSlice> {
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
