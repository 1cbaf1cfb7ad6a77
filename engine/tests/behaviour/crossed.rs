//! Features combined at random, compared with a `BTreeMap`. What each does alone has its own test.
//!
//! Four families, each in another order or with a compaction filter, with options that change in every
//! life, batches of all lengths, deleted ranges, snapshots, and held cursors. The cursors live on
//! across writes, flushes, compactions and the end of the database. They move in single steps both ways
//! and in runs, within bounds, until another opening sweeps up the files that they read. A life ends by
//! closing, by dropping all handles, or as when a process is killed. Now and then a copy whose manifest
//! is lost is repaired. `ENGINE_SEED` runs one seed again, `ENGINE_STEPS` sets how many steps each seed
//! takes, `ENGINE_SEEDS` how many seeds are run from that one on.

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use engine::comparator::NumericSuffix;
use engine::vfs::{MemoryVfs, Vfs};
use engine::{
    Background, CompactionFilter, Comparator, Compression, Db, Decision, Error, Family,
    FamilyOptions, Options, Snapshot, Strategy, TableReads, WriteBatch, WriteOptions,
};

use crate::support::walker::Walker;
use crate::support::{Bounds, Dice, Pair, Rows, seed_or, sorted, steps_or, take_range, within};

type Models = [Rows; 4];

const FAMILIES: [&str; 4] = ["default", "reverse", "numeric", "filtered"];
/// Rows of the last family may vanish or change in compactions.
const FILTERED: usize = 3;
/// The first byte of a value that the filter removes, and of one that it changes.
const TO_REMOVE: u8 = b'R';
const TO_CHANGE: u8 = b'C';
const CHANGED: u8 = b'c';
const HELD_MAX: usize = 4;
const RUN_MAX: u64 = 60;

struct Filter;

impl CompactionFilter for Filter {
    fn decide(&self, _key: &[u8], value: &[u8]) -> Decision {
        match value.first() {
            Some(&TO_REMOVE) => Decision::Remove,
            Some(&TO_CHANGE) => Decision::Change(changed(value)),
            _ => Decision::Keep,
        }
    }
}

fn changed(value: &[u8]) -> Vec<u8> {
    [&[CHANGED][..], &value[1..]].concat()
}

struct Life {
    vfs: MemoryVfs,
    dice: Dice,
    db: Option<Db>,
    /// Whether nothing happens except what a step asks for.
    is_manual: bool,
    models: Models,
    snapshots: Vec<(Snapshot, Models)>,
    walkers: Vec<Walker>,
    /// Counts writes, to make values differ.
    writes: u64,
}

fn key(dice: &mut Dice) -> Vec<u8> {
    match dice.below(16) {
        0 => Vec::new(),
        1 => vec![0xff; 1 + dice.below(3) as usize],
        2 => [&[b'x'; 130][..], &dice.below(9).to_be_bytes()].concat(),
        3..7 => {
            let len = dice.below(11);
            let letter = |dice: &mut Dice| [0, 1, b'a', 0xff][dice.below(4) as usize];
            (0..len).map(|_| letter(dice)).collect()
        }
        7 => format!("item:{}", dice.below(40)).into_bytes(),
        _ => format!("user:{:05}", dice.below(140)).into_bytes(),
    }
}

fn bounds(dice: &mut Dice) -> Bounds {
    let bound = |dice: &mut Dice| match dice.below(5) {
        0 | 1 => Bound::Unbounded,
        2 | 3 => Bound::Included(key(dice)),
        _ => Bound::Excluded(key(dice)),
    };
    let lower = bound(dice);
    // An included upper bound rules out reading in runs, so excluded ones are frequent.
    match dice.below(3) {
        0 => (lower, Bound::Excluded(key(dice))),
        _ => (lower, bound(dice)),
    }
}

/// Rows of the filtered family: any that the filter removes may be gone, and any that it changes
/// may have been changed.
fn assert_filtered(found: Vec<Pair>, expected: Vec<Pair>, context: &str) {
    let mut found = found.into_iter().peekable();
    for (key, value) in expected {
        match found.next_if(|(of, _)| *of == key) {
            Some((_, seen)) if seen == value => {}
            Some((_, seen)) if value.first() == Some(&TO_CHANGE) => {
                assert_eq!(seen, changed(&value), "{context}: {key:?}");
            }
            Some((_, seen)) => panic!("{context}: {key:?} is {seen:?} and was {value:?}"),
            None => assert_eq!(value.first(), Some(&TO_REMOVE), "{context}: no {key:?}"),
        }
    }
    assert_eq!(found.next(), None, "{context}");
}

fn assert_rows(which: usize, found: Vec<Pair>, expected: Vec<Pair>, context: &str) {
    if which == FILTERED {
        assert_filtered(found, expected, context);
    } else {
        assert!(
            found == expected,
            "{context}: {found:?} is not {expected:?}"
        );
    }
}

/// Random options. What is stored does not depend on them: any life can read what another one wrote.
fn options(dice: &mut Dice, vfs: &MemoryVfs) -> Options {
    let mut family = |comparator: Comparator| FamilyOptions {
        comparator,
        write_buffer_bytes: [1 << 10, 4 << 10, 32 << 10, 1 << 20][dice.below(4) as usize],
        memtable_huge_pages: dice.below(2) == 0,
        block_bytes: [1, 64, 200, 1000][dice.below(4) as usize],
        restart_interval: [1, 2, 4, 16][dice.below(4) as usize],
        filter_bits_per_key: [0, 2, 10][dice.below(3) as usize],
        compression: [Compression::None, Compression::Lz4][dice.below(2) as usize],
        strategy: [Strategy::Leveled, Strategy::Leveled, Strategy::Tiered][dice.below(3) as usize],
        target_file_bytes: [1 << 10, 3 << 10, 1 << 20][dice.below(3) as usize],
        level_base_bytes: [2 << 10, 8 << 10, 1 << 20][dice.below(3) as usize],
        level_multiplier: 2 + dice.below(4),
        compaction_filter: None,
    };
    let filtered = FamilyOptions {
        compaction_filter: Some(Arc::new(Filter)),
        ..family(Comparator::Bytewise)
    };
    let families = [
        family(Comparator::Bytewise),
        family(Comparator::reverse_bytewise()),
        family(Comparator::custom(NumericSuffix)),
        filtered,
    ];
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        background: [Background::Threads, Background::Manual][dice.below(2) as usize],
        table_reads: [TableReads::Mapped, TableReads::Pread][dice.below(2) as usize],
        block_cache_bytes: [0, 4 << 10, 1 << 20][dice.below(3) as usize],
        ..Options::default()
    };
    let named = FAMILIES.into_iter().zip(families);
    named.fold(options, |options, (name, of)| options.family(name, of))
}

impl Life {
    fn db(&self) -> &Db {
        self.db.as_ref().expect("open between the steps")
    }

    fn family(&self, which: usize) -> Family {
        self.db().family(FAMILIES[which]).unwrap()
    }

    fn which(&mut self) -> usize {
        self.dice.below(FAMILIES.len() as u64) as usize
    }

    fn step(&mut self) {
        match self.dice.below(60) {
            0..20 => self.write(),
            20..26 => self.get(),
            26..30 => self.take_walker(),
            30..48 => self.walk(),
            48..50 => self.take_snapshot(),
            50 => self.check_all(),
            51 => self.db().flush().unwrap(),
            52 => self.compact(),
            53 => self.compact_range(),
            54..57 if self.is_manual => self.background(),
            57 if self.is_manual => self.repair_a_copy(),
            54..58 => self.get(),
            _ => self.end_life(),
        }
    }

    fn walk(&mut self) {
        for walker in &mut self.walkers {
            let target = key(&mut self.dice);
            walker.walk(&mut self.dice, &target, RUN_MAX, "a held cursor");
        }
    }

    fn value(&mut self) -> Vec<u8> {
        self.writes += 1;
        let first = [b'v', TO_REMOVE, TO_CHANGE][self.dice.below(3) as usize];
        let len = [0, 3, 20, 400][self.dice.below(4) as usize];
        let number = self.writes.to_be_bytes();
        [&[first], &number[..], &vec![first; len]].concat()
    }

    /// Most batches are short. Some are about as long as what goes into the memtables at once, or
    /// several times that.
    fn write(&mut self) {
        let records = match self.dice.below(30) {
            0 => 250 + self.dice.below(15),
            1 => 506 + self.dice.below(12),
            2..7 => 20 + self.dice.below(20),
            _ => 1 + self.dice.below(3),
        };
        let hot = self
            .dice
            .one_in(10)
            .then(|| (self.which(), key(&mut self.dice)));
        let mut batch = WriteBatch::new();
        for _ in 0..records {
            let (which, key) = match &hot {
                Some((which, key)) => (*which, key.clone()),
                None => (self.which(), key(&mut self.dice)),
            };
            self.add(&mut batch, which, key);
        }
        let sync = self.dice.one_in(5);
        self.db().write(batch, WriteOptions { sync }).unwrap();
    }

    fn add(&mut self, batch: &mut WriteBatch, which: usize, one: Vec<u8>) {
        let family = self.family(which);
        match self.dice.below(90) {
            0 => {
                let (other, order) = (key(&mut self.dice), family.comparator());
                let (start, end) = take_range(&mut self.models[which], order, one, other);
                batch.delete_range(&family, start, end);
            }
            1..22 => {
                batch.delete(&family, &one);
                self.models[which].remove(&one);
            }
            _ => {
                let value = self.value();
                batch.put(&family, &one, &value);
                self.models[which].insert(one, value);
            }
        }
    }

    /// Looks up many keys at once, in a snapshot or now, and the first of them alone.
    fn get(&mut self) {
        let which = self.which();
        let family = self.family(which);
        let count = 1 + self.dice.below(60);
        let keys: Vec<_> = (0..count).map(|_| key(&mut self.dice)).collect();
        let at = self.dice.below(self.snapshots.len() as u64 + 1) as usize;
        let (found, first, model) = match self.snapshots.get(at) {
            Some((of, models)) => {
                let (found, first) = (of.get_many(&family, &keys), of.get(&family, &keys[0]));
                (found, first, &models[which])
            }
            None => (
                family.get_many(&keys),
                family.get(&keys[0]),
                &self.models[which],
            ),
        };
        let found = [vec![first.unwrap()], found.unwrap()].concat();
        for (key, found) in [&keys[..1], &keys].concat().into_iter().zip(found) {
            let found = found.map(|value| (key.clone(), value.to_vec()));
            let expected = model.get(&key).map(|value| (key, value.clone()));
            assert_rows(
                which,
                Vec::from_iter(found),
                Vec::from_iter(expected),
                "get",
            );
        }
    }

    fn take_walker(&mut self) {
        // Not the filtered family: what the filter removes would have to be looked up with a cursor.
        let which = self.dice.below(FILTERED as u64) as usize;
        let (family, bounds) = (self.family(which), bounds(&mut self.dice));
        let at = self.dice.below(self.snapshots.len() as u64 + 2) as usize;
        let (cursor, model) = match self.snapshots.get(at) {
            Some((snapshot, models)) => {
                (snapshot.cursor_in(&family, bounds.clone()), &models[which])
            }
            None => (family.cursor_in(bounds.clone()), &self.models[which]),
        };
        let order = family.comparator().clone();
        let rows = within(&sorted(model, &order), &order, &bounds);
        let walker = Walker::new(cursor.unwrap(), order, rows);
        if self.walkers.len() == HELD_MAX {
            self.walkers
                .swap_remove(self.dice.below(HELD_MAX as u64) as usize);
        }
        self.walkers.push(walker);
    }

    fn take_snapshot(&mut self) {
        if self.snapshots.len() == HELD_MAX {
            self.snapshots
                .swap_remove(self.dice.below(HELD_MAX as u64) as usize);
        }
        let snapshot = self.db().snapshot();
        self.snapshots.push((snapshot, self.models.clone()));
    }

    fn compact(&mut self) {
        self.db().compact().unwrap();
        self.check_all();
    }

    fn compact_range(&mut self) {
        let which = self.which();
        let (family, bounds) = (self.family(which), bounds(&mut self.dice));
        self.db().compact_range(&family, bounds).unwrap();
        self.check_all();
    }

    fn background(&mut self) {
        for _ in 0..self.dice.below(4) {
            self.db().step().unwrap();
        }
    }

    fn check_all(&mut self) {
        check_rows(self.db(), &self.models);
        for (snapshot, models) in &self.snapshots {
            for (which, model) in models.iter().enumerate() {
                let family = self.family(which);
                let expected = sorted(model, family.comparator());
                let found = snapshot.iter(&family).map(Result::unwrap).collect();
                assert_rows(which, found, expected.clone(), "a snapshot");
                let mut found: Vec<_> = snapshot.iter(&family).rev().map(Result::unwrap).collect();
                found.reverse();
                assert_rows(which, found, expected, "a snapshot, backward");
            }
        }
    }

    /// The manifest and `CURRENT` are gone, yet nothing is lost: everything is in tables that name
    /// their families, and in the log. But replaced tables that are still being read come back, so
    /// this is not done while cursors or snapshots are held.
    fn repair_a_copy(&mut self) {
        self.walkers.clear();
        self.snapshots.clear();
        self.db().flush().unwrap();
        self.db().compact().unwrap();
        let mut dice = self.dice.clone();
        let copy = self.vfs.crash(1);
        let dir = Path::new("db");
        for name in copy.list(dir).unwrap() {
            let text = name.to_string_lossy();
            if text == "CURRENT" || text.starts_with("MANIFEST") {
                copy.remove(&dir.join(&name)).unwrap();
            }
        }
        let repaired = match engine::repair(dir, &options(&mut dice, &copy)) {
            // Without a single row there are no tables, and an empty log may be anybody's. The filter may have
            // removed rows that the model still has.
            Err(Error::NotADatabase { .. }) if self.has_no_rows() => return,
            repaired => repaired.unwrap(),
        };
        if repaired.families.len() == FAMILIES.len() {
            check_rows(
                &Db::open(dir, options(&mut dice, &copy)).unwrap(),
                &self.models,
            );
        }
    }

    fn has_no_rows(&self) -> bool {
        let mut names = FAMILIES.iter();
        names.all(|name| self.db().family(name).unwrap().iter().next().is_none())
    }

    fn end_life(&mut self) {
        self.snapshots.clear();
        let db = self.db.take().expect("open between the steps");
        if self.dice.one_in(3) {
            // As after a kill: everything written is there, and nothing was closed in order.
            self.vfs = self.vfs.crash(1);
            drop(db);
        } else {
            if self.dice.one_in(2) {
                db.close().unwrap();
            }
            drop(db);
            // The next opening sweeps up the files that they read.
            self.walk();
            self.walkers.clear();
        }
        let options = options(&mut self.dice, &self.vfs);
        let report = engine::verify("db", &options).unwrap();
        let damage: Vec<_> = report.damage().collect();
        assert!(damage.is_empty(), "{damage:?}");
        self.open(options);
        self.check_all();
    }

    fn open(&mut self, options: Options) {
        self.is_manual = options.background == Background::Manual;
        self.db = Some(Db::open("db", options).unwrap());
    }
}

fn check_rows(db: &Db, models: &Models) {
    for (which, model) in models.iter().enumerate() {
        let family = db.family(FAMILIES[which]).unwrap();
        let expected = sorted(model, family.comparator());
        let found = family.iter().map(Result::unwrap).collect();
        assert_rows(which, found, expected, FAMILIES[which]);
    }
}

#[test]
fn features_agree_with_the_model_whichever_come_together() {
    let (first, steps) = (seed_or(7_000), steps_or(250));
    let seeds = std::env::var("ENGINE_SEEDS").map_or(8, |seeds| seeds.parse().unwrap());
    for seed in first..first + seeds {
        println!("ENGINE_SEED={seed} ENGINE_SEEDS=1 ENGINE_STEPS={steps}");
        let mut life = Life {
            vfs: MemoryVfs::new(),
            dice: Dice::new(seed),
            db: None,
            is_manual: false,
            models: Models::default(),
            snapshots: Vec::new(),
            walkers: Vec::new(),
            writes: 0,
        };
        let options = options(&mut life.dice, &life.vfs);
        life.open(options);
        for _ in 0..steps {
            life.step();
        }
        life.end_life();
    }
}
