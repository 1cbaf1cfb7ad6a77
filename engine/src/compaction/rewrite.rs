//! How tables are rewritten: merge sorted sources, keep what survives, write tables.
//!
//! Invariants
//! 1. All versions of a user key end up in one table, so that tables of a level never share one.
//! 2. Every output is complete and synced on return; the caller syncs the directory once for all.
//! 3. After an error or a cancellation the outputs are removed, and nothing that existed before has changed.
//! 4. Entries in = entries out + entries dropped, and the entries in are as many as the inputs'
//!    metadata say. This is checked in every build: if a merge skipped an entry, the rewrite fails,
//!    instead of a row missing later. With debug assertions it panics, unless a table itself has another number of
//!    entries than its metadata say: a failure in the background would only be tried again, and no test would see it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::annotate::count;
use crate::compaction::input::Input;
use crate::compaction::outputs::{Grandparents, Outputs};
use crate::compaction::picker::user_key_range;
use crate::compaction::survivors::{Below, Fate, Survivors};
use crate::compaction::{CompactionFilter, Dropped, Plan, Snapshots};
use crate::comparator::Comparator;
use crate::cursor::InternalCursor;
use crate::error::{Error, Result};
use crate::internal_key::{self, ValueKind};
use crate::iter::{MergeCursor, Source};
use crate::memtable::Memtable;
use crate::range_tombstone::Fragment;
use crate::sstable::TableOptions;
use crate::version::{FileMeta, LEVELS, LevelCursor, TableFile, Tables, Version};
use crate::vfs::WritableFile;

/// A flushed table is written in smaller pieces than others. It is soon rewritten, and the small
/// pages of such pieces are faster to get than huge pages: `docs/performance.md`.
const FLUSHED_PIECE_BYTES: usize = 128 << 10;

/// What a rewrite needs from its caller.
pub struct Environment<'a> {
    /// How tables are written.
    pub table_options: TableOptions,
    /// The length at which an output of a compaction ends.
    pub target_file_bytes: u64,
    /// An output ends when its key range overlaps more bytes than this in the next deeper level.
    pub overlap_bytes_max: u64,
    /// The snapshots that are held.
    pub snapshots: &'a dyn Snapshots,
    /// The filter that is asked about entries, if there is one.
    pub filter: Option<&'a dyn CompactionFilter>,
    /// Reserves a number for a table and creates its file.
    pub create: &'a dyn Fn() -> Result<(u64, Box<dyn WritableFile>)>,
    /// Removes a file that turned out not to be needed.
    pub discard: &'a dyn Fn(&PathBuf),
    /// Checked for every entry.
    pub cancellation: Cancellation<'a>,
}

/// What makes a rewrite stop early. It then leaves nothing behind, because its result is no longer needed.
#[derive(Debug, Clone, Copy)]
pub struct Cancellation<'a> {
    /// Whether the database is closing, which stops compactions. A flush continues, because closing needs it.
    pub closing: &'a AtomicBool,
    /// Whether the family was dropped.
    pub dropped: &'a AtomicBool,
}

impl Cancellation<'_> {
    #[inline]
    fn is_asked_for(&self, is_compaction: bool) -> bool {
        (is_compaction && self.closing.load(Ordering::Relaxed))
            || self.dropped.load(Ordering::Relaxed)
    }
}

/// What a rewrite made.
#[derive(Debug, Default)]
pub struct Output {
    /// The tables, in key order. There may be none, if nothing survived.
    pub files: Vec<FileMeta>,
    /// Entries read, or known to be covered by a range tombstone without having been read.
    pub entries_in: u64,
    /// Entries not written.
    pub dropped: Dropped,
}

impl Output {
    /// Entries written.
    #[must_use]
    pub fn entries_out(&self) -> u64 {
        self.files.iter().map(|file| file.entries).sum()
    }

    /// Length of all tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Checks that every entry that was read is accounted for.
    ///
    /// # Errors
    /// `Corruption`, naming the file `input`; `Memory` if there is none.
    fn check_counts(&self, expected: u64, input: Option<&Path>) -> Result<()> {
        let (out, dropped) = (self.entries_out(), self.dropped.total());
        if self.entries_in == expected && out + dropped == expected {
            return Ok(());
        }
        let read = self.entries_in;
        let among = input.map_or("", |_| ", this file's among them,");
        let what = format!(
            "a rewrite of {}{among} read {read}, wrote {out} and dropped {dropped}; \
             nothing was changed",
            count(expected, "entry")
        );
        Err(match input {
            Some(file) => Error::corruption(file, 0, what),
            None => Error::Memory { what },
        })
    }
}

/// Writes a memtable as one table for level 0, or as several if the index of one would be too long; `None` if its
/// family was dropped.
///
/// # Errors
/// `Io` from the files, `Memory` if the entries are out of order, `InvalidArgument` if the versions of one key, or the
/// range tombstones, take too much for a table; nothing is left behind.
pub fn flush(
    environment: &Environment<'_>,
    memtable: &Memtable,
    version: &Version,
) -> Result<Option<Output>> {
    let comparator = environment.table_options.comparator.clone();
    let sorted = (1..LEVELS)
        .map(|level| Arc::clone(version.level(level)))
        .collect();
    let below = Below::new(comparator, Arc::clone(version.level(0)), sorted);
    let tombstones = memtable.range_tombstones();
    let tombstones = tombstones.map_or_else(Vec::new, |of| of.fragments().to_vec());
    let mut rewrite = Rewrite::new(environment, below, tombstones, None);
    // A flush makes a single table if it can, because level 0 is measured in tables.
    rewrite.outputs.target_file_bytes = u64::MAX;
    rewrite.outputs.piece_bytes = FLUSHED_PIECE_BYTES;
    let entries = memtable.len() as u64;
    rewrite.run(&mut memtable.entries(), entries, None, || true)
}

/// Merges the inputs of a plan into tables for its output level; `None` if it was cancelled.
///
/// # Errors
/// `Corruption` or `Io` from an input, `Io` from an output, `InvalidArgument` as for [`flush`]; nothing is left behind.
pub fn compact(
    environment: &Environment<'_>,
    plan: &Plan,
    version: &Version,
) -> Result<Option<Output>> {
    let comparator = &environment.table_options.comparator;
    let deeper = plan.output_level + 1..LEVELS;
    let sorted = deeper
        .map(|level| Arc::clone(version.level(level)))
        .collect();
    let below = Below::new(comparator.clone(), Tables::default(), sorted);
    let grandparents = grandparents(plan, version, comparator);
    let entries = plan.inputs.iter().map(|(_, table)| table.entries).sum();
    let first = plan.inputs.first().map(|(_, table)| table.path());
    let tombstones = input_tombstones(plan)?;
    let mut rewrite = Rewrite::new(environment, below, tombstones, Some(grandparents));
    let inputs = rewrite.without_covered(&plan.inputs)?;
    let mut merge = MergeCursor::new(comparator.clone(), sources(&inputs, comparator)?);
    merge.seek_to_first()?;
    let is_sound = || all_hold_what_they_say(plan);
    rewrite.run(&mut merge, entries, first.as_deref(), is_sound)
}

/// Whether every input can be read from end to end, and has as many entries as its metadata and its properties say.
fn all_hold_what_they_say(plan: &Plan) -> bool {
    let is_so = |table: &TableFile| {
        let opened = table.table()?;
        let mut cursor = opened.cursor().through_all();
        let mut entries = 0;
        cursor.seek_to_first()?;
        while cursor.valid() {
            entries += 1;
            cursor.next()?;
        }
        Ok::<bool, Error>(entries == table.entries && entries == opened.properties().entries)
    };
    let mut inputs = plan.inputs.iter();
    inputs.all(|(_, table)| is_so(table).unwrap_or(false))
}

fn input_tombstones(plan: &Plan) -> Result<Vec<Fragment>> {
    let mut fragments = Vec::new();
    for (_, table) in plan.inputs.iter().filter(|(_, of)| of.range_deletes > 0) {
        if let Some(tombstones) = table.table()?.range_tombstones() {
            fragments.extend_from_slice(tombstones.fragments());
        }
    }
    Ok(fragments)
}

fn sources(inputs: &[(usize, Arc<TableFile>)], comparator: &Comparator) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for level in 0..LEVELS {
        let inputs = inputs.iter().filter(|(from, _)| *from == level);
        let mut tables: Vec<_> = inputs.map(|(_, table)| Arc::clone(table)).collect();
        if level == 0 {
            for table in tables {
                sources.push(Source::Table(table.table()?.cursor().through_all()));
            }
        } else if !tables.is_empty() {
            tables.sort_by(|a, b| comparator.compare(a.smallest_user_key(), b.smallest_user_key()));
            let level = LevelCursor::new(comparator.clone(), Arc::new(tables));
            sources.push(Source::Level(level.through_all()));
        }
    }
    Ok(sources)
}

/// The tables that the outputs will be merged with when they are compacted in turn.
fn grandparents(plan: &Plan, version: &Version, comparator: &Comparator) -> Grandparents {
    let inputs: Vec<_> = plan
        .inputs
        .iter()
        .map(|(_, table)| Arc::clone(table))
        .collect();
    let tables = match user_key_range(comparator, &inputs) {
        Some((smallest, largest)) if plan.output_level + 1 < LEVELS => {
            Arc::new(version.overlapping(comparator, plan.output_level + 1, smallest, largest))
        }
        _ => Tables::default(),
    };
    Grandparents::new(comparator.clone(), tables)
}

/// A rewrite under way.
struct Rewrite<'a> {
    environment: &'a Environment<'a>,
    is_compaction: bool,
    survivors: Survivors<'a>,
    outputs: Outputs<'a>,
    entries_in: u64,
    dropped: Dropped,
}

impl<'a> Rewrite<'a> {
    /// A rewrite of inputs with these range tombstones: a compaction if there are `grandparents`, otherwise a flush.
    fn new(
        environment: &'a Environment<'a>,
        below: Below,
        tombstones: Vec<Fragment>,
        grandparents: Option<Grandparents>,
    ) -> Self {
        let is_compaction = grandparents.is_some();
        let filter = environment.filter.filter(|_| is_compaction);
        let mut survivors = Survivors::new(environment.snapshots, filter, below, tombstones);
        if is_compaction {
            survivors = survivors.settling();
        }
        let outputs = Outputs::new(environment, survivors.tombstones(), grandparents);
        Self {
            environment,
            is_compaction,
            survivors,
            outputs,
            entries_in: 0,
            dropped: Dropped::default(),
        }
    }

    /// Rewrites all of `input`, which must hold `entries` entries, the first of them in `file` if not in
    /// memory. `is_sound` says whether they really are there; it is asked with debug assertions, if another
    /// number was read.
    fn run(
        mut self,
        input: &mut impl Input,
        entries: u64,
        file: Option<&Path>,
        is_sound: impl Fn() -> bool,
    ) -> Result<Option<Output>> {
        if !self.copy(input)? {
            return Ok(None);
        }
        let output = Output {
            files: self.outputs.finish()?,
            entries_in: self.entries_in,
            dropped: self.dropped,
        };
        debug_assert_eq!(
            output.entries_in,
            output.entries_out() + output.dropped.total(),
            "entries in, and entries out and dropped"
        );
        let counted = output.check_counts(entries, file);
        debug_assert!(
            counted.is_ok() || !is_sound(),
            "the inputs hold what they should: {counted:?}"
        );
        counted?;
        self.outputs.keep();
        Ok(Some(output))
    }

    /// Copies what survives. Returns `false` if it was cancelled before the end.
    fn copy(&mut self, input: &mut impl Input) -> Result<bool> {
        while let Some((key, value)) = input.here() {
            let cancellation = &self.environment.cancellation;
            if cancellation.is_asked_for(self.is_compaction) {
                return Ok(false);
            }
            let entry = internal_key::parse(key).map_err(|what| input.corruption(what))?;
            self.entries_in += 1;
            if self.survivors.begins_key(&entry) && self.outputs.should_end(entry.user_key) {
                self.outputs.end_table(Some(entry.user_key))?;
            }
            let fate = self.survivors.judge(&entry, value);
            let is_as_it_came = !matches!(fate, Fate::Changes(_));
            let written = match fate {
                Fate::Goes(why) => {
                    self.dropped.count(why);
                    Ok(())
                }
                Fate::Stays => self.outputs.add(key, value),
                Fate::Changes(value) => self.outputs.add(key, &value),
                Fate::Settles => self
                    .outputs
                    .add_as(entry.user_key, 0, ValueKind::Put, value),
                Fate::BecomesTombstone => {
                    let (user_key, sequence) = (entry.user_key, entry.sequence);
                    self.outputs
                        .add_as(user_key, sequence, ValueKind::Delete, &[])
                }
            };
            written.map_err(|error| match error {
                // If a table that is not full refuses an entry that was read, then what it was read from is wrong.
                Error::InvalidArgument { what } if is_as_it_came && !self.outputs.is_full() => {
                    input.corruption(what)
                }
                other => other,
            })?;
            input.advance()?;
        }
        Ok(true)
    }

    /// The inputs except those that a range tombstone covers as a whole, which are counted but not read.
    fn without_covered(
        &mut self,
        inputs: &[(usize, Arc<TableFile>)],
    ) -> Result<Vec<(usize, Arc<TableFile>)>> {
        let mut left = Vec::new();
        for (level, table) in inputs {
            let properties = table.table()?.properties();
            self.outputs.note_sequence(properties.sequence_max);
            let sequences = properties.sequence_min..=properties.sequence_max;
            if self.survivors.covers(table, sequences) {
                self.entries_in += properties.entries;
                self.dropped.range_deleted += properties.entries;
            } else {
                left.push((*level, Arc::clone(table)));
            }
        }
        Ok(left)
    }
}
