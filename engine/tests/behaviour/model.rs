//! A random script compared with a `BTreeMap`: whatever the options, the database answers as the map does.
//!
//! At random, the script writes, deletes ranges, writes batches over three families, reads, moves
//! cursors both ways, takes snapshots, flushes, compacts everything or a range, makes checkpoints,
//! takes background steps and reopens. The third family has other options than the two that an
//! option set describes. After each close the files are verified. A failure prints the seed and the
//! option set; `ENGINE_SEED` runs one seed again and `ENGINE_STEPS` sets the length.

use std::cmp::Ordering;

use engine::vfs::MemoryVfs;
use engine::{Comparator, Compression, Cursor, Db, Family, FamilyOptions, Options};
use engine::{Snapshot, WriteBatch, WriteOptions};

use crate::support::{
    Dice, OptionSet, Rows, option_sets, seed_or, sorted, steps_or, take_range, tiny,
};

const FAMILIES: [&str; 3] = ["default", "other", "third"];
const WHICH: u64 = FAMILIES.len() as u64;
/// Few enough keys that most are overwritten and deleted many times.
const KEYS: u64 = 120;
const SNAPSHOTS_MAX: usize = 4;

type Models = [Rows; 3];

struct Run<'a> {
    set: &'a OptionSet,
    vfs: MemoryVfs,
    dice: Dice,
    db: Option<Db>,
    models: Models,
    snapshots: Vec<(Snapshot, Models)>,
    checkpoints: u64,
}

fn key(dice: &mut Dice) -> Vec<u8> {
    let number = dice.below(KEYS);
    match number % 3 {
        0 => format!("item:{number}").into_bytes(),
        1 => format!("user:{number:04}").into_bytes(),
        _ => vec![number as u8, 0xff, 0][..1 + (number % 3) as usize].to_vec(),
    }
}

fn value(dice: &mut Dice) -> Vec<u8> {
    let len = match dice.below(20) {
        0 => dice.below(3000),
        1 => 0,
        _ => dice.below(60),
    };
    let byte = dice.next() as u8;
    (0..len)
        .map(|at| byte.wrapping_add((at / 7) as u8))
        .collect()
}

impl Run<'_> {
    fn db(&self) -> &Db {
        self.db.as_ref().expect("open between the steps")
    }

    fn family(&self, which: usize) -> Family {
        self.db().family(FAMILIES[which]).unwrap()
    }

    fn step(&mut self) {
        match self.dice.below(100) {
            0..40 => self.write_one(),
            40..55 => self.write_batch(),
            55..75 => self.get(),
            75..85 => self.walk(),
            85..88 => self.check_range(),
            88..91 => self.take_snapshot(),
            91..94 => self.check_snapshot(),
            94 => self.db().flush().unwrap(),
            95 => self.compact_range(),
            96 => match self.dice.below(3) {
                0 => self.checkpoint(),
                _ => self.compact(),
            },
            97 => self.background(),
            98 => self.reopen(),
            _ => self.check_all(),
        }
    }

    fn write_one(&mut self) {
        let which = self.dice.below(WHICH) as usize;
        let key = key(&mut self.dice);
        if self.dice.one_in(30) {
            let (start, end) = self.take_range(which, key);
            self.family(which).delete_range(start..end).unwrap();
        } else if self.dice.one_in(3) {
            self.family(which).delete(&key).unwrap();
            self.models[which].remove(&key);
        } else {
            let value = value(&mut self.dice);
            self.family(which).put(&key, &value).unwrap();
            self.models[which].insert(key, value);
        }
    }

    /// Takes a range that begins or ends with `key` out of a model.
    fn take_range(&mut self, which: usize, one: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
        let other = key(&mut self.dice);
        let order = self.family(which).comparator().clone();
        take_range(&mut self.models[which], &order, one, other)
    }

    fn write_batch(&mut self) {
        let mut batch = WriteBatch::new();
        for _ in 0..self.dice.below(12) {
            let which = self.dice.below(WHICH) as usize;
            let key = key(&mut self.dice);
            if self.dice.one_in(40) {
                let (start, end) = self.take_range(which, key);
                batch.delete_range(&self.family(which), start, end);
            } else if self.dice.one_in(3) {
                batch.delete(&self.family(which), &key);
                self.models[which].remove(&key);
            } else {
                let value = value(&mut self.dice);
                batch.put(&self.family(which), &key, &value);
                self.models[which].insert(key, value);
            }
        }
        self.db()
            .write(
                batch,
                WriteOptions {
                    sync: self.dice.clone().one_in(4),
                },
            )
            .unwrap();
    }

    fn get(&mut self) {
        let which = self.dice.below(WHICH) as usize;
        let key = key(&mut self.dice);
        let found = self.family(which).get(&key).unwrap();
        assert_eq!(
            found.as_deref(),
            self.models[which].get(&key).map(Vec::as_slice),
            "get {key:?}"
        );
    }

    /// A cursor moves at random and is compared with an index into the sorted model.
    fn walk(&mut self) {
        let which = self.dice.below(WHICH) as usize;
        let family = self.family(which);
        let order = family.comparator().clone();
        let rows = sorted(&self.models[which], &order);
        let mut cursor = family.cursor().unwrap();
        let mut at: Option<usize> = None;
        for _ in 0..30 {
            let key = key(&mut self.dice);
            match (self.dice.below(10), at) {
                (0, _) => {
                    cursor.seek_to_first().unwrap();
                    at = (!rows.is_empty()).then_some(0);
                }
                (1, _) => {
                    cursor.seek_to_last().unwrap();
                    at = rows.len().checked_sub(1);
                }
                (2, _) => {
                    cursor.seek(&key).unwrap();
                    let found = rows.partition_point(|row| order.compare(&row.0, &key).is_lt());
                    at = (found < rows.len()).then_some(found);
                }
                (3, _) => {
                    cursor.seek_for_prev(&key).unwrap();
                    let after = rows.partition_point(|row| order.compare(&row.0, &key).is_le());
                    at = after.checked_sub(1);
                }
                (4..7, Some(here)) => {
                    cursor.next().unwrap();
                    at = (here + 1 < rows.len()).then_some(here + 1);
                }
                (_, Some(here)) => {
                    cursor.prev().unwrap();
                    at = here.checked_sub(1);
                }
                (_, None) => {}
            }
            assert_eq!(here(&cursor), at.map(|at| (&*rows[at].0, &*rows[at].1)));
        }
    }

    fn check_range(&mut self) {
        let which = self.dice.below(WHICH) as usize;
        let family = self.family(which);
        let order = family.comparator().clone();
        let (low, high) = self.ordered_keys(&family);
        let expected: Vec<_> = sorted(&self.models[which], &order)
            .into_iter()
            .filter(|row| {
                order.compare(&row.0, &low).is_ge() && order.compare(&row.0, &high).is_lt()
            })
            .collect();
        let range = || {
            family
                .range(low.as_slice()..high.as_slice())
                .map(Result::unwrap)
        };
        assert_eq!(range().collect::<Vec<_>>(), expected);
        let mut backward: Vec<_> = range().rev().collect();
        backward.reverse();
        assert_eq!(backward, expected);
        // From both ends at once, in random turns.
        let mut ends = range();
        let (mut front, mut back) = (Vec::new(), Vec::new());
        loop {
            let taken = if self.dice.one_in(2) {
                ends.next().map(|row| front.push(row))
            } else {
                ends.next_back().map(|row| back.push(row))
            };
            if taken.is_none() {
                break;
            }
        }
        front.extend(back.into_iter().rev());
        assert_eq!(front, expected);
    }

    fn take_snapshot(&mut self) {
        if self.snapshots.len() == SNAPSHOTS_MAX {
            let oldest = self.dice.below(SNAPSHOTS_MAX as u64) as usize;
            self.snapshots.swap_remove(oldest);
        }
        self.snapshots
            .push((self.db().snapshot(), self.models.clone()));
    }

    fn check_snapshot(&mut self) {
        for (snapshot, models) in &self.snapshots {
            for (which, model) in models.iter().enumerate() {
                let family = self.family(which);
                let expected = sorted(model, family.comparator());
                let seen: Vec<_> = snapshot.iter(&family).map(Result::unwrap).collect();
                assert_eq!(seen, expected, "a snapshot's scan");
                let mut backward: Vec<_> =
                    snapshot.iter(&family).rev().map(Result::unwrap).collect();
                backward.reverse();
                assert_eq!(backward, expected, "a snapshot's scan backward");
                let key = key(&mut self.dice);
                let found = snapshot.get(&family, &key).unwrap();
                assert_eq!(found.as_deref(), model.get(&key).map(Vec::as_slice));
            }
        }
    }

    fn compact(&mut self) {
        self.db().compact().unwrap();
        self.check_all();
    }

    fn compact_range(&mut self) {
        let which = self.dice.below(WHICH) as usize;
        let family = self.family(which);
        let (low, high) = self.ordered_keys(&family);
        let compacted = match self.dice.below(3) {
            0 => self.db().compact_range(&family, low..high),
            1 => self.db().compact_range(&family, low..),
            _ => self.db().compact_range(&family, ..=high),
        };
        compacted.unwrap();
        self.check_all();
    }

    /// A checkpoint opens with what the database held, and is an independent database from then on.
    fn checkpoint(&mut self) {
        self.checkpoints += 1;
        let dir = format!("checkpoint{}", self.checkpoints);
        self.db().checkpoint(&dir).unwrap();
        let copy = Db::open(&dir, options(self.set, &self.vfs)).unwrap();
        check_rows(&copy, &self.models);
        copy.put(key(&mut self.dice), "only in the copy").unwrap();
        copy.compact().unwrap();
        drop(copy);
        self.check_files(&dir);
        self.check_all();
    }

    /// What `verify` finds in a closed database.
    fn check_files(&self, dir: &str) {
        let report = engine::verify(dir, &options(self.set, &self.vfs)).unwrap();
        let damage: Vec<_> = report.damage().collect();
        assert!(damage.is_empty(), "{damage:?}");
    }

    fn background(&mut self) {
        if self.set.background == engine::Background::Manual {
            for _ in 0..self.dice.below(4) {
                self.db().step().unwrap();
            }
        }
    }

    fn reopen(&mut self) {
        self.snapshots.clear();
        let db = self.db.take().expect("open between the steps");
        if self.dice.one_in(2) {
            db.close().unwrap();
        }
        drop(db);
        self.check_files("db");
        self.db = Some(Db::open("db", options(self.set, &self.vfs)).unwrap());
        self.check_all();
    }

    fn check_all(&mut self) {
        check_rows(self.db(), &self.models);
    }

    /// Two keys, the first not after the second.
    fn ordered_keys(&mut self, family: &Family) -> (Vec<u8>, Vec<u8>) {
        let (a, b) = (key(&mut self.dice), key(&mut self.dice));
        match family.comparator().compare(&a, &b) {
            Ordering::Greater => (b, a),
            _ => (a, b),
        }
    }
}

fn check_rows(db: &Db, models: &Models) {
    for (name, model) in FAMILIES.iter().zip(models) {
        let family = db.family(name).unwrap();
        let expected = sorted(model, family.comparator());
        let forward: Vec<_> = family.iter().map(Result::unwrap).collect();
        assert_eq!(forward, expected, "scan of {name}");
    }
}

/// The option set's families, and a third one that differs in every respect.
fn options(set: &OptionSet, vfs: &MemoryVfs) -> Options {
    let third = FamilyOptions {
        comparator: Comparator::reverse_bytewise(),
        compression: Compression::Lz4,
        write_buffer_bytes: 8 << 10,
        ..tiny()
    };
    set.options(vfs).family(FAMILIES[2], third)
}

fn here(cursor: &Cursor) -> Option<(&[u8], &[u8])> {
    cursor.valid().then(|| (cursor.key(), cursor.value()))
}

#[test]
fn every_option_set_answers_as_a_map_does() {
    let steps = steps_or(2_000);
    let sets = option_sets();
    assert!(sets.len() >= 10);
    for set in &sets {
        let seed = seed_or(20_260_101);
        println!(
            "option set {:?}: ENGINE_SEED={seed} ENGINE_STEPS={steps}",
            set.name
        );
        let vfs = MemoryVfs::new();
        let db = Some(Db::open("db", options(set, &vfs)).unwrap());
        let mut run = Run {
            set,
            vfs,
            dice: Dice::new(seed),
            db,
            models: Models::default(),
            snapshots: Vec::new(),
            checkpoints: 0,
        };
        for _ in 0..steps {
            run.step();
        }
        run.reopen();
    }
}
