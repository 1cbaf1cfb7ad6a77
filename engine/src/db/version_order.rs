//! Whether of two tables with the same user key the upper one holds the newer versions: invariant 3 of a
//! [`Version`], which a lookup and a cursor both rely on, each in its own way. A lookup takes the first
//! version that it meets on its way down; a cursor compares sequence numbers.
//!
//! The manifest does not say it: tables of two levels may interleave in their sequence numbers and share no
//! user key. So all entries are read in order, as a merge of everything would.

use std::sync::Arc;

use crate::comparator::Comparator;
use crate::cursor::InternalCursor;
use crate::error::{Error, Result};
use crate::internal_key::{self, ParsedKey};
use crate::iter::{MergeCursor, Source};
use crate::range_tombstone::RangeTombstones;
use crate::version::{LEVELS, LevelCursor, Version};

/// Calls `found` for each version of a key that is above a newer one, or that a range tombstone of another
/// source hides although it is newer, or does not hide although it is older.
///
/// Cost: a walk over all entries, unless every source is wholly newer than those below it. All tables are
/// opened and stay open as long as the version lives.
///
/// # Errors
/// `Io` or `Corruption` from a table.
pub(super) fn check_version_order(
    version: &Version,
    comparator: &Comparator,
    found: &mut dyn FnMut(Error),
) -> Result<()> {
    let runs = Runs::of(version, comparator)?;
    if runs.are_apart() {
        return Ok(());
    }
    let mut tombstones = Tombstones {
        sets: runs.tombstones,
        stretch: None,
    };
    let mut merge = MergeCursor::new(comparator.clone(), runs.sources);
    merge.seek_to_first()?;
    // The version before: its user key, its source and its sequence number.
    let mut before: Option<(Vec<u8>, usize, u64)> = None;
    while merge.valid() {
        let (source, key) = (merge.source(), merge.key());
        let key = internal_key::parse(key).map_err(|what| merge.corruption(what.to_string()))?;
        let above = before
            .as_ref()
            .filter(|(user_key, _, _)| user_key == key.user_key)
            .filter(|(_, of, sequence)| source < *of || *sequence == key.sequence);
        let wrong = match above {
            Some((_, of, newer)) => Some(format!(
                "the key {} is here at {}, and at {newer} in {}, which may hold only older versions",
                quoted(key.user_key),
                key.sequence,
                runs.names[*of]
            )),
            None => tombstones.wrong(comparator, &key, source, &runs.names),
        };
        if let Some(what) = wrong {
            found(merge.corruption(what));
        }
        let (user_key, of, sequence) = before.get_or_insert_with(Default::default);
        user_key.clear();
        user_key.extend_from_slice(key.user_key);
        (*of, *sequence) = (source, key.sequence);
        merge.next()?;
    }
    Ok(())
}

fn quoted(key: &[u8]) -> String {
    format!("\"{}\"", key.escape_ascii())
}

/// The sorted runs of a version, the newest first: each table of level 0, each deeper level.
struct Runs {
    sources: Vec<Source>,
    names: Vec<String>,
    /// The least and the greatest sequence number.
    sequences: Vec<(u64, u64)>,
    /// The range tombstones, with the number of their source.
    tombstones: Vec<(usize, Arc<RangeTombstones>)>,
}

impl Runs {
    fn of(version: &Version, comparator: &Comparator) -> Result<Self> {
        let mut runs = Self {
            sources: Vec::new(),
            names: Vec::new(),
            sequences: Vec::new(),
            tombstones: Vec::new(),
        };
        for file in version.level(0).iter() {
            let table = file.table()?;
            let stated = table.properties();
            let tombstones = table.range_tombstones();
            runs.tombstones
                .extend(tombstones.map(|of| (runs.sources.len(), Arc::clone(of))));
            runs.names.push(format!("table {} of level 0", file.number));
            runs.sequences
                .push((stated.sequence_min, stated.sequence_max));
            runs.sources.push(Source::Table(table.cursor()));
        }
        for level in (1..LEVELS).filter(|level| !version.level(*level).is_empty()) {
            let mut sequences = (u64::MAX, 0);
            for file in version.level(level).iter() {
                let stated = file.table()?.properties();
                sequences.0 = sequences.0.min(stated.sequence_min);
                sequences.1 = sequences.1.max(stated.sequence_max);
            }
            let tombstones = version.level_tombstones(comparator, level)?;
            runs.tombstones
                .extend(tombstones.map(|of| (runs.sources.len(), Arc::clone(of))));
            runs.names.push(format!("level {level}"));
            runs.sequences.push(sequences);
            let tables = Arc::clone(version.level(level));
            let cursor = LevelCursor::new(comparator.clone(), tables);
            runs.sources.push(Source::Level(cursor));
        }
        Ok(runs)
    }

    /// Whether everything in each run is newer than everything in the runs below it.
    fn are_apart(&self) -> bool {
        self.sequences.windows(2).all(|pair| pair[0].0 > pair[1].1)
    }
}

/// The range tombstones of all sources, looked up once for all keys that lie between two of their ends.
struct Tombstones {
    /// By source, ascending.
    sets: Vec<(usize, Arc<RangeTombstones>)>,
    stretch: Option<Stretch>,
}

/// Keys over which the same range tombstones are.
struct Stretch {
    low: Option<Arc<[u8]>>,
    high: Option<Arc<[u8]>>,
    over: Vec<Over>,
}

/// The tombstones of one source over the keys of a stretch.
struct Over {
    source: usize,
    /// The oldest of this source and those above it.
    oldest_down_to: u64,
    /// The newest of this source and those below it.
    newest_from: u64,
}

impl Tombstones {
    /// What is wrong between an entry of `source` and the range tombstones of the other sources.
    fn wrong(
        &mut self,
        comparator: &Comparator,
        key: &ParsedKey<'_>,
        source: usize,
        names: &[String],
    ) -> Option<String> {
        if self.sets.is_empty() {
            return None;
        }
        let over = &self.stretch_of(comparator, key.user_key).over;
        let above = over.partition_point(|of| of.source < source);
        let below = over.partition_point(|of| of.source <= source);
        let older_above = above
            .checked_sub(1)
            .map(|at| (&over[at], over[at].oldest_down_to))
            .filter(|(_, oldest)| *oldest < key.sequence);
        let newer_below = over
            .get(below)
            .map(|of| (of, of.newest_from))
            .filter(|(_, newest)| *newest > key.sequence);
        let (of, tombstone) = older_above.or(newer_below)?;
        let place = match of.source < source {
            true => format!("in or above {}", names[of.source]),
            false => format!("in or below {}", names[of.source]),
        };
        Some(format!(
            "the key {} is here at {}, and a range tombstone over it has the number {tombstone} {place}: the \
             upper one of two must be newer",
            quoted(key.user_key),
            key.sequence
        ))
    }

    fn stretch_of(&mut self, comparator: &Comparator, user_key: &[u8]) -> &Stretch {
        let is_in = |stretch: &Stretch| {
            let from = |low: &Arc<[u8]>| comparator.compare(low, user_key).is_le();
            let upto = |high: &Arc<[u8]>| comparator.compare(user_key, high).is_lt();
            stretch.low.as_ref().is_none_or(from) && stretch.high.as_ref().is_none_or(upto)
        };
        let known = self.stretch.take().filter(is_in);
        let stretch = known.unwrap_or_else(|| self.look_up(comparator, user_key));
        self.stretch.insert(stretch)
    }

    fn look_up(&self, comparator: &Comparator, user_key: &[u8]) -> Stretch {
        let (mut low, mut high) = (None::<&Arc<[u8]>>, None::<&Arc<[u8]>>);
        let mut over = Vec::new();
        for (source, set) in &self.sets {
            let one = set.around(comparator, user_key);
            low = match (low, one.low) {
                (Some(a), Some(b)) if comparator.compare(a, b).is_ge() => Some(a),
                (a, b) => b.or(a),
            };
            high = match (high, one.high) {
                (Some(a), Some(b)) if comparator.compare(a, b).is_le() => Some(a),
                (a, b) => b.or(a),
            };
            let sequences = one.fragment.map_or(&[][..], |of| &of.sequences);
            if let (Some(oldest), Some(newest)) = (sequences.first(), sequences.last()) {
                over.push(Over {
                    source: *source,
                    oldest_down_to: *oldest,
                    newest_from: *newest,
                });
            }
        }
        for at in 1..over.len() {
            over[at].oldest_down_to = over[at].oldest_down_to.min(over[at - 1].oldest_down_to);
        }
        for at in (1..over.len()).rev() {
            over[at - 1].newest_from = over[at - 1].newest_from.max(over[at].newest_from);
        }
        Stretch {
            low: low.cloned(),
            high: high.cloned(),
            over,
        }
    }
}
