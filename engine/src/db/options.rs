//! What can be chosen when a database is opened, with the defaults and their reasons.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::compaction::{CompactionFilter, Shape, Strategy};
use crate::comparator::Comparator;
use crate::db::events::EventListener;
use crate::error::{Error, Result};
use crate::log::RecoveryMode;
use crate::memtable::MemtableWriter;
use crate::sstable::{Compression, TableOptions};
use crate::vfs::{StdVfs, Vfs};

/// With this many tables in level 0 a compaction is due.
pub(super) const LEVEL0_TRIGGER: usize = 4;
/// From this many tables in level 0 on, writes are slowed down.
pub(super) const LEVEL0_SLOW: usize = 8;
/// With this many tables in level 0, writes wait.
pub(super) const LEVEL0_STOP: usize = 12;

/// An output table ends when it overlaps more bytes than this many tables of the next deeper level.
const OVERLAP_TABLES_MAX: u64 = 10;

/// The longest name of a family, in bytes.
const FAMILY_NAME_BYTES_MAX: usize = 255;
/// With less, every write would make a table, and a level would consist of file headers.
const BYTES_MIN: u64 = 1 << 10;
/// A larger write buffer is probably a mistake in the unit: it must fit into memory twice while it is flushed.
const WRITE_BUFFER_BYTES_MAX: u64 = 1 << 40;
/// A larger file or level is probably a mistake in the unit too.
const LEVEL_BYTES_MAX: u64 = 1 << 50;
/// With a greater multiplier, all data would be in two levels.
const LEVEL_MULTIPLIER_MAX: u64 = 1000;

/// Choices for a whole database.
#[derive(Debug, Clone)]
pub struct Options {
    /// Create the database if the directory is missing or empty. Default: yes.
    pub create_if_missing: bool,
    /// Refuse to open a database that is already there. Default: no.
    pub error_if_exists: bool,
    /// The file system. Default: the real one.
    pub vfs: Arc<dyn Vfs>,
    /// Whether flushes and compactions run in threads of the database. Default: they do.
    pub background: Background,
    /// How tables are read. Default: mapped.
    pub table_reads: TableReads,
    /// Bytes of blocks to keep in memory because reading them took work: decompression, or a read
    /// by `Pread`. Mapped uncompressed blocks do not need it. 0 for no cache. Default: 32 MiB.
    pub block_cache_bytes: usize,
    /// Bytes that the memtables of all families take together before all are written out, 1 KiB to
    /// 1 TiB. It also limits each family's buffer. The log is about as long. Default: none; each
    /// family only has its own limit.
    pub total_write_buffer_bytes: Option<usize>,
    /// Flush and merge the upper runs of a family when they have cost its readers more time than
    /// merging takes, and little is written meanwhile; the same for tombstones in deeper levels. Default: yes.
    pub read_compaction: bool,
    /// What to do about a log whose end is torn. Default: open with what is valid before it.
    pub recovery: RecoveryMode,
    /// What to do about a family that exists but is not in `families`. Default: open it.
    pub unlisted: Unlisted,
    /// The families to open, and to create where missing, by name. `default` always exists. If a name is there twice,
    /// the later options count.
    pub families: Vec<(String, FamilyOptions)>,
    /// Receives events of flushes, compactions and stalls. Default: none.
    pub listener: Option<Arc<dyn EventListener>>,
}

/// Which thread does the background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// Threads that the database starts and stops.
    #[default]
    Threads,
    /// None, until `Db::step` is called. For tests that must run the same way each time.
    Manual,
}

/// How tables are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableReads {
    /// Files are mapped into memory, and blocks are read in place. Those for which the system allows no more mappings
    /// are read as by `Pread`.
    #[default]
    Mapped,
    /// Each block is read by a system call and verified, unless it is in the block cache.
    Pread,
}

/// What happens to a family that exists on disk and is not listed in the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unlisted {
    /// It is opened with the default options in its stored order, if that is bytewise or reverse
    /// bytewise. A custom order is refused, because only an entry in the options can supply it.
    #[default]
    Open,
    /// The database is not opened.
    Refuse,
}

/// Choices for one column family.
#[derive(Clone)]
pub struct FamilyOptions {
    /// The order of the keys. Its name is stored, and the family is never opened under another one.
    pub comparator: Comparator,
    /// Bytes that a memtable takes before it is written out, 1 KiB to 1 TiB. Default: 64 MiB: fewer, larger tables in
    /// level 0, at the price of memory (three such buffers may be held) and of a longer replay after a crash.
    pub write_buffer_bytes: usize,
    /// Whether a memtable that has grown asks the system for huge pages. Default: yes: its searches and scans wait
    /// less for memory. Without them it fills faster where the system takes long to find and clear huge pages, as in
    /// many virtual machines. It may differ from one opening to the next.
    pub memtable_huge_pages: bool,
    /// Bytes of a table's block before compression, 1 B to 16 MiB. Default: 4 KiB, a page: larger
    /// blocks compress better but make a point lookup slower.
    pub block_bytes: usize,
    /// Every how many entries a block stores a whole key, 1 to 1,024. Default: 4. A lookup walks half
    /// of that many entries on average, so more whole keys make lookups shorter and blocks longer.
    pub restart_interval: usize,
    /// Bits of bloom filter for each key, 0 to 64; 0 for no filter. Default: 10, about one false positive in 100.
    pub filter_bits_per_key: usize,
    /// How blocks are compressed. Default: not at all, so that mapped blocks are read in place.
    pub compression: Compression,
    /// How compaction keeps the family in shape. Default: leveled, which reads fastest and takes
    /// the least space; tiered writes less. It may differ from one opening to the next.
    pub strategy: Strategy,
    /// Bytes after which a compaction starts a new table, 1 KiB to 1 PiB. Default: 16 MiB, so that
    /// one compaction has little to rewrite.
    pub target_file_bytes: u64,
    /// Bytes that level 1 holds before it is compacted into level 2, 1 KiB to 1 PiB. Default: 128
    /// MiB. If two or three tables of level 0 hold as many bytes, they are compacted too, so that
    /// merging the two levels costs about the same for each byte.
    pub level_base_bytes: u64,
    /// How many times larger each level is than the one above, 2 to 1,000. Default: 10, as in LevelDB: to move
    /// a byte down one level, about five are rewritten, and obsolete rows take about a tenth of the space.
    pub level_multiplier: u64,
    /// The filter that is asked about each entry that a compaction rewrites. Default: none.
    pub compaction_filter: Option<Arc<dyn CompactionFilter>>,
}

/// How a write is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Return only when the write would survive a power cut. Without it a write survives the end of the
    /// process, and a power cut loses at most the last writes, and never an earlier one without the later ones.
    pub sync: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            create_if_missing: true,
            error_if_exists: false,
            vfs: Arc::new(StdVfs),
            background: Background::Threads,
            table_reads: TableReads::Mapped,
            block_cache_bytes: 32 << 20,
            total_write_buffer_bytes: None,
            read_compaction: true,
            recovery: RecoveryMode::PointInTime,
            unlisted: Unlisted::Open,
            families: Vec::new(),
            listener: None,
        }
    }
}

impl Options {
    /// Opens the family `name` with these options, and creates it if it is missing. If it is named
    /// twice, the later options count.
    #[must_use]
    pub fn family(mut self, name: impl Into<String>, options: FamilyOptions) -> Self {
        self.families.push((name.into(), options));
        self
    }

    /// Sends events to `listener`: see [`Event`](crate::Event).
    #[must_use]
    pub fn listener(mut self, listener: Arc<dyn EventListener>) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Opens with this recovery mode. It applies to the write-ahead logs; a torn edit of the
    /// manifest was never in force.
    #[must_use]
    pub fn recovery(mut self, mode: RecoveryMode) -> Self {
        self.recovery = mode;
        self
    }

    /// Checks everything that can be checked before anything is touched.
    pub(super) fn check(&self) -> Result<()> {
        if let Some(bytes) = self.total_write_buffer_bytes {
            let range = BYTES_MIN..=WRITE_BUFFER_BYTES_MAX;
            check_range("total_write_buffer_bytes", bytes as u64, &range)?;
        }
        for (name, options) in self.listed().by_name {
            check_family_name(name)?;
            options.check(name)?;
        }
        Ok(())
    }

    /// The options of the families that are listed.
    pub(super) fn listed(&self) -> Listed<'_> {
        let families = self.families.iter();
        Listed {
            by_name: families.map(|(name, options)| (&**name, options)).collect(),
            total_bytes: self.total_bytes(),
        }
    }

    /// What the memtables of all families may take together.
    pub(super) fn total_bytes(&self) -> usize {
        self.total_write_buffer_bytes.unwrap_or(usize::MAX)
    }
}

/// The listed families, to look up by name: a database may have thousands.
pub(super) struct Listed<'o> {
    by_name: BTreeMap<&'o str, &'o FamilyOptions>,
    total_bytes: usize,
}

impl<'o> Listed<'o> {
    /// What is listed for a family, if it is.
    pub(super) fn get(&self, name: &str) -> Option<&'o FamilyOptions> {
        self.by_name.get(name).copied()
    }

    /// What is listed for all families.
    pub(super) fn all(&self) -> impl Iterator<Item = &'o FamilyOptions> {
        self.by_name.values().copied()
    }

    /// The options of a family, or the defaults if it is not listed.
    pub(super) fn of_family(&self, name: &str) -> FamilyOptions {
        let options = self.get(name).cloned();
        options.unwrap_or_default().within(self.total_bytes)
    }
}

pub(super) fn check_family_name(name: &str) -> Result<()> {
    if name.is_empty() || name.len() > FAMILY_NAME_BYTES_MAX {
        return Err(Error::invalid(format!(
            "a column family's name has 1 to {FAMILY_NAME_BYTES_MAX} bytes, and {name:?} has {}",
            name.len()
        )));
    }
    Ok(())
}

fn check_range(option: &str, value: u64, range: &RangeInclusive<u64>) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "the option {option} is {value}, it takes {} to {}",
        range.start(),
        range.end()
    )))
}

impl FamilyOptions {
    pub(super) fn check(&self, name: &str) -> Result<()> {
        let checks = [
            (
                "write_buffer_bytes",
                self.write_buffer_bytes as u64,
                BYTES_MIN..=WRITE_BUFFER_BYTES_MAX,
            ),
            (
                "target_file_bytes",
                self.target_file_bytes,
                BYTES_MIN..=LEVEL_BYTES_MAX,
            ),
            (
                "level_base_bytes",
                self.level_base_bytes,
                BYTES_MIN..=LEVEL_BYTES_MAX,
            ),
            (
                "level_multiplier",
                self.level_multiplier,
                2..=LEVEL_MULTIPLIER_MAX,
            ),
        ];
        let in_family = |error| match error {
            Error::InvalidArgument { what } => {
                Error::invalid(format!("column family {name:?}: {what}"))
            }
            other => other,
        };
        for (option, value, range) in checks {
            check_range(option, value, &range).map_err(in_family)?;
        }
        self.comparator.check_name().map_err(in_family)?;
        self.table_options("check").check().map_err(in_family)
    }

    /// Limits the write buffer to the given total: more would never be used, but a memtable's
    /// chunks grow with its buffer size.
    pub(super) fn within(self, total_write_buffer_bytes: usize) -> Self {
        Self {
            write_buffer_bytes: self.write_buffer_bytes.min(total_write_buffer_bytes),
            ..self
        }
    }

    /// A new memtable for a family with these options and this order.
    pub(super) fn new_memtable(&self, comparator: &Comparator) -> MemtableWriter {
        let memtable = MemtableWriter::new(comparator.clone(), self.write_buffer_bytes);
        match self.memtable_huge_pages {
            true => memtable,
            false => memtable.with_small_pages(),
        }
    }

    pub(super) fn table_options(&self, origin: &str) -> TableOptions {
        TableOptions {
            comparator: self.comparator.clone(),
            block_bytes: self.block_bytes,
            restart_interval: self.restart_interval,
            filter_bits_per_key: self.filter_bits_per_key,
            compression: self.compression,
            origin: origin.to_owned(),
            ..TableOptions::new(self.comparator.clone())
        }
    }

    /// How many bytes of the next deeper level an output may overlap, so that compacting it later
    /// stays cheap. Runs of tiered compaction are only ever compacted as a whole.
    pub(super) const fn overlap_bytes_max(&self) -> u64 {
        match self.strategy {
            Strategy::Leveled => self.target_file_bytes.saturating_mul(OVERLAP_TABLES_MAX),
            Strategy::Tiered => u64::MAX,
        }
    }

    pub(super) const fn shape(&self) -> Shape {
        Shape {
            strategy: self.strategy,
            level0_trigger: LEVEL0_TRIGGER,
            level_base_bytes: self.level_base_bytes,
            level_multiplier: self.level_multiplier,
            target_file_bytes: self.target_file_bytes,
        }
    }
}

impl Default for FamilyOptions {
    fn default() -> Self {
        Self {
            comparator: Comparator::Bytewise,
            write_buffer_bytes: 64 << 20,
            memtable_huge_pages: true,
            block_bytes: 4 << 10,
            restart_interval: 4,
            filter_bits_per_key: 10,
            compression: Compression::None,
            strategy: Strategy::Leveled,
            target_file_bytes: 16 << 20,
            level_base_bytes: 128 << 20,
            level_multiplier: 10,
            compaction_filter: None,
        }
    }
}

impl fmt::Debug for FamilyOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FamilyOptions")
            .field("comparator", &self.comparator)
            .field("write_buffer_bytes", &self.write_buffer_bytes)
            .field("memtable_huge_pages", &self.memtable_huge_pages)
            .field("block_bytes", &self.block_bytes)
            .field("restart_interval", &self.restart_interval)
            .field("filter_bits_per_key", &self.filter_bits_per_key)
            .field("compression", &self.compression)
            .field("strategy", &self.strategy)
            .field("target_file_bytes", &self.target_file_bytes)
            .field("level_base_bytes", &self.level_base_bytes)
            .field("level_multiplier", &self.level_multiplier)
            .field(
                "compaction_filter",
                &self.compaction_filter.as_ref().map(|_| ".."),
            )
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_family_that_is_listed_twice_the_later_options_count() {
        let holds = |write_buffer_bytes| FamilyOptions {
            write_buffer_bytes,
            ..FamilyOptions::default()
        };
        let options = Options::default()
            .family("a", holds(0))
            .family("b", holds(2 << 20))
            .family("a", holds(3 << 20));
        options.check().expect("the first ones do not count");
        let bytes = |name| options.listed().of_family(name).write_buffer_bytes;
        assert_eq!(["a", "b", "c"].map(bytes), [3 << 20, 2 << 20, 64 << 20]);
    }

    #[test]
    fn the_pages_of_a_memtable_are_those_of_the_options() {
        let has_huge_pages = |memtable_huge_pages| {
            let options = FamilyOptions {
                memtable_huge_pages,
                ..FamilyOptions::default()
            };
            let memtable = options.new_memtable(&Comparator::Bytewise);
            format!("{memtable:?}").contains("pages: Huge")
        };
        assert_eq!([true, false].map(has_huge_pages), [true, false]);
    }
}
