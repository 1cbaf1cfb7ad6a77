//! Opens a table: reads and verifies everything but its data blocks.

use super::Table;
use super::load::end_bytes;
use crate::annotate::count;
use crate::comparator::{Comparator, Compare};
use crate::error::Result;
use crate::range_tombstone::RangeTombstones;
use crate::sstable::cache::SharedReads;
use crate::sstable::footer::Footer;
use crate::sstable::index::Index;
use crate::sstable::parts::{
    corrupt, properties_of, read_filter, read_footer, read_index_block, read_range_block,
};
use crate::sstable::properties::Properties;
use crate::sstable::range_block;
use crate::sstable::table_numbers::TableNumbers;
use crate::sstable::verified::Verified;
use crate::vfs::RandomFile;
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
        if let Some(what) = properties.other_comparator(&comparator) {
            return Err(corrupt(&*file, footer.properties, what));
        }
        let range_tombstones = match properties.range_delete_block {
            None => None,
            Some(handle) => {
                let contents = read_range_block(&*file, &footer, handle)?;
                let read = range_block::decode(contents, &comparator, properties.range_deletes);
                let read = read.map_err(|what| corrupt(&*file, handle, what))?;
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
        let index = Index::new(read_index_block(&*file, footer)?)
            .map_err(|damage| corrupt(&*file, footer.index, damage.to_string()))?;
        if index.blocks() as u64 != properties.data_blocks {
            let (found, stated) = (index.blocks(), properties.data_blocks);
            let found = count(found as u64, "block");
            let what = format!("the index has {found}, the properties state {stated}");
            return Err(corrupt(&*file, footer.index, what));
        }
        let filter = footer.filter.map(|handle| read_filter(&*file, handle));
        let filter = filter.transpose()?;
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
