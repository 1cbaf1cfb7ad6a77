//! What the behaviour tests share: a small generator, a model, option sets, and walks of cursors.

pub(crate) mod checksum;
pub(crate) mod counting;
pub(crate) mod counting_order;
pub(crate) mod hooked;
pub(crate) mod waiting;
pub(crate) mod walker;

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::vfs::{MemoryVfs, Vfs};
use engine::{
    Background, Comparator, Compression, Db, Event, EventListener, Family, FamilyOptions, Options,
    Strategy, TableReads,
};
use parking_lot::Mutex;

/// Keeps every event that it receives.
#[derive(Default)]
pub(crate) struct Recorder(Mutex<Vec<Event>>);

impl EventListener for Recorder {
    fn on_event(&self, event: &Event) {
        self.0.lock().push(event.clone());
    }
}

impl Recorder {
    pub(crate) fn all(&self) -> Vec<Event> {
        self.0.lock().clone()
    }

    pub(crate) fn has_heard(&self, event: &Event) -> bool {
        self.0.lock().contains(event)
    }

    /// All so far, which are forgotten.
    pub(crate) fn take(&self) -> Vec<Event> {
        std::mem::take(&mut self.0.lock())
    }
}

/// A random generator whose output depends only on its seed (splitmix64).
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

/// The files of the database `db` whose names contain `part`.
pub(crate) fn files(vfs: &MemoryVfs, part: &str) -> Vec<PathBuf> {
    let names = vfs.list(Path::new("db")).unwrap();
    let paths = names.into_iter().map(|name| Path::new("db").join(name));
    paths
        .filter(|path| path.to_string_lossy().contains(part))
        .collect()
}

/// The seed to run with: `ENGINE_SEED`, or the one given.
pub(crate) fn seed_or(default: u64) -> u64 {
    number_from("ENGINE_SEED", default)
}

/// How long to run: `ENGINE_STEPS`, or the length given.
pub(crate) fn steps_or(default: u64) -> u64 {
    number_from("ENGINE_STEPS", default)
}

fn number_from(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is a number, not {text:?}")),
        Err(_) => default,
    }
}

/// Rows of one family, in bytewise order whatever the family's order is.
pub(crate) type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Takes out the rows from `start` up to `end`, as a family of this order does. Returns the bounds in order.
pub(crate) fn take_range(
    rows: &mut Rows,
    order: &Comparator,
    a: Vec<u8>,
    b: Vec<u8>,
) -> (Vec<u8>, Vec<u8>) {
    let (start, end) = if order.compare(&a, &b).is_le() {
        (a, b)
    } else {
        (b, a)
    };
    rows.retain(|key, _| order.compare(key, &start).is_lt() || order.compare(key, &end).is_ge());
    (start, end)
}

/// A row: its key and its value.
pub(crate) type Pair = (Vec<u8>, Vec<u8>);
/// Where a range begins and ends.
pub(crate) type Bounds = (Bound<Vec<u8>>, Bound<Vec<u8>>);

/// What a range holds by definition: the rows not before its start and not after its end. A range
/// whose start comes after its end holds nothing.
pub(crate) fn within(rows: &[Pair], order: &Comparator, (lower, upper): &Bounds) -> Vec<Pair> {
    let is_within = |key: &[u8]| {
        let after_start = match lower {
            Bound::Unbounded => true,
            Bound::Included(lower) => order.compare(key, lower).is_ge(),
            Bound::Excluded(lower) => order.compare(key, lower).is_gt(),
        };
        let before_end = match upper {
            Bound::Unbounded => true,
            Bound::Included(upper) => order.compare(key, upper).is_le(),
            Bound::Excluded(upper) => order.compare(key, upper).is_lt(),
        };
        after_start && before_end
    };
    rows.iter()
        .filter(|(key, _)| is_within(key))
        .cloned()
        .collect()
}

/// A way to run the same script.
#[derive(Clone)]
pub(crate) struct OptionSet {
    pub(crate) name: &'static str,
    pub(crate) family: FamilyOptions,
    pub(crate) reads: TableReads,
    pub(crate) background: Background,
}

impl OptionSet {
    pub(crate) fn options(&self, vfs: &MemoryVfs) -> Options {
        self.options_on(Arc::new(vfs.clone()))
    }

    pub(crate) fn options_on(&self, vfs: Arc<dyn Vfs>) -> Options {
        Options {
            vfs,
            background: self.background,
            table_reads: self.reads,
            ..Options::default()
        }
        .family("default", self.family.clone())
        .family("other", self.family.clone())
    }
}

/// Small enough that a few hundred writes fill several levels.
pub(crate) fn tiny() -> FamilyOptions {
    FamilyOptions {
        write_buffer_bytes: 4 << 10,
        block_bytes: 128,
        target_file_bytes: 2 << 10,
        level_base_bytes: 8 << 10,
        level_multiplier: 4,
        ..FamilyOptions::default()
    }
}

/// The same with write buffers of the usual size, in which a few rows are so little that closing
/// leaves them in the log.
pub(crate) fn roomy(mut options: Options) -> Options {
    for (_, family) in &mut options.families {
        family.write_buffer_bytes = FamilyOptions::default().write_buffer_bytes;
    }
    options
}

/// Options over this file system, whose background work a test does step by step.
pub(crate) fn manual(vfs: &(impl Vfs + Clone + 'static)) -> Options {
    Options {
        vfs: Arc::new(vfs.clone()),
        background: Background::Manual,
        ..Options::default()
    }
}

/// Family options under which size alone causes no flush or compaction in a test.
pub(crate) fn ample() -> FamilyOptions {
    FamilyOptions {
        write_buffer_bytes: 1 << 20,
        level_base_bytes: 1 << 20,
        ..tiny()
    }
}

/// Options of a database whose default family has these.
pub(crate) fn of_default(
    vfs: Arc<dyn Vfs>,
    background: Background,
    family: FamilyOptions,
) -> Options {
    let options = Options {
        vfs,
        background,
        ..Options::default()
    };
    options.family("default", family)
}

/// The database `db`, whose default family has these options.
pub(crate) fn open(vfs: &MemoryVfs, background: Background, family: FamilyOptions) -> Db {
    Db::open("db", of_default(Arc::new(vfs.clone()), background, family)).unwrap()
}

/// The bytes of all tables of the database `db`. A table may be removed meanwhile.
pub(crate) fn table_bytes(vfs: &dyn Vfs) -> u64 {
    let dir = Path::new("db");
    let names = vfs.list(dir).unwrap();
    let tables = names
        .iter()
        .filter(|name| name.to_string_lossy().ends_with(".sst"));
    let bytes = tables.map(|name| match vfs.len(&dir.join(name)) {
        Err(error) if error.is_not_found() => 0,
        len => len.unwrap(),
    });
    bytes.sum()
}

/// A new in-memory database with manual background work, and its only family, a small one in this order.
pub(crate) fn family_in(comparator: Comparator) -> (Db, Family) {
    let options = manual(&MemoryVfs::new());
    let family = FamilyOptions {
        comparator,
        ..tiny()
    };
    let db = Db::open("db", options.family("f", family)).unwrap();
    let family = db.family("f").unwrap();
    (db, family)
}

pub(crate) fn option_sets() -> Vec<OptionSet> {
    let set = |name, family| OptionSet {
        name,
        family,
        reads: TableReads::Mapped,
        background: Background::Threads,
    };
    vec![
        set("defaults", FamilyOptions::default()),
        set("tiny memtable, tiny blocks", tiny()),
        set(
            "tiny blocks, tiny levels",
            FamilyOptions {
                block_bytes: 64,
                target_file_bytes: 1 << 10,
                level_base_bytes: 1 << 10,
                level_multiplier: 2,
                ..tiny()
            },
        ),
        set(
            "tiered",
            FamilyOptions {
                strategy: Strategy::Tiered,
                ..tiny()
            },
        ),
        set(
            "no tables but by force",
            FamilyOptions {
                write_buffer_bytes: 4 << 20,
                ..FamilyOptions::default()
            },
        ),
        set(
            "restart interval 1, no filter",
            FamilyOptions {
                restart_interval: 1,
                filter_bits_per_key: 0,
                ..tiny()
            },
        ),
        set(
            "reverse comparator",
            FamilyOptions {
                comparator: Comparator::reverse_bytewise(),
                ..tiny()
            },
        ),
        set(
            "numeric comparator",
            FamilyOptions {
                comparator: Comparator::custom(engine::comparator::NumericSuffix),
                ..tiny()
            },
        ),
        set(
            "lz4",
            FamilyOptions {
                compression: Compression::Lz4,
                ..tiny()
            },
        ),
        OptionSet {
            name: "manual background, pread",
            family: tiny(),
            reads: TableReads::Pread,
            background: Background::Manual,
        },
        OptionSet {
            name: "pread, lz4, reverse, tiered",
            family: FamilyOptions {
                comparator: Comparator::reverse_bytewise(),
                compression: Compression::Lz4,
                strategy: Strategy::Tiered,
                restart_interval: 3,
                filter_bits_per_key: 4,
                ..tiny()
            },
            reads: TableReads::Pread,
            background: Background::Threads,
        },
    ]
}

/// All rows of a family by a scan, as the cursor gives them.
pub(crate) fn scan(db: &Db, family: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    db.family(family)
        .unwrap()
        .iter()
        .map(|row| row.unwrap())
        .collect()
}

/// The model's rows in a family's order.
pub(crate) fn sorted(rows: &Rows, order: &Comparator) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut sorted: Vec<_> = rows
        .iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    sorted.sort_by(|a, b| order.compare(&a.0, &b.0));
    sorted
}
