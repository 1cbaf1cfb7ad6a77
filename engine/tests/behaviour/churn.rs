//! Everything at once, again and again: writers, families that come and go, snapshots, long-lived cursors,
//! flushes, compactions, and now and then the database is closed and opened while others use it.
//!
//! What a snapshot or a cursor has shown once, it shows until it is dropped, whatever the others do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use engine::vfs::MemoryVfs;
use engine::{Cursor, Db, FamilyOptions, Options, Snapshot, TableReads, WriteBatch, WriteOptions};

use crate::support::waiting::SetAtEnd;
use crate::support::{Dice, seed_or, steps_or, tiny};

const WRITERS: u64 = 2;
const KEYS: u64 = 60;
const PINNED: usize = 12;

/// One row for each key that a reader saw.
type Seen = Vec<(Vec<u8>, Vec<u8>)>;

/// Something that must keep showing what it showed.
struct Pinned {
    cursor: Cursor,
    snapshot: Option<Snapshot>,
    family: &'static str,
    seen: Seen,
}

fn options(vfs: &MemoryVfs, reads: TableReads) -> Options {
    let small = FamilyOptions {
        write_buffer_bytes: 3 << 10,
        target_file_bytes: 1 << 10,
        level_base_bytes: 4 << 10,
        level_multiplier: 2,
        restart_interval: 3,
        ..tiny()
    };
    Options {
        vfs: Arc::new(vfs.clone()),
        table_reads: reads,
        ..Options::default()
    }
    .family("default", small.clone())
    .family("other", small)
}

/// Both families always hold the same numbers for a writer's keys: each batch sets a stretch of keys in both.
fn write(db: &Db, writer: u64, dice: &mut Dice, steps: u64) -> u64 {
    let families = ["default", "other"].map(|name| db.family(name).unwrap());
    for step in 0..steps {
        let mut batch = WriteBatch::new();
        let (start, len) = (dice.below(KEYS), 1 + dice.below(8));
        for at in start..(start + len).min(KEYS) {
            let key = format!("{writer}:{at:03}");
            let delete = dice.one_in(4);
            let value = dice
                .next()
                .to_be_bytes()
                .repeat(1 + dice.below(12) as usize);
            for family in &families {
                if delete {
                    batch.delete(family, &key);
                } else {
                    batch.put(family, &key, &value);
                }
            }
        }
        let sync = dice.one_in(40);
        if db.write(batch, WriteOptions { sync }).is_err() {
            return step; // Closed meanwhile.
        }
    }
    steps
}

fn rows_of(cursor: &mut Cursor, backward: bool) -> Seen {
    let mut seen = Vec::new();
    if backward {
        cursor.seek_to_last()
    } else {
        cursor.seek_to_first()
    }
    .unwrap();
    while cursor.valid() {
        seen.push((cursor.key().to_vec(), cursor.value().to_vec()));
        if backward {
            cursor.prev()
        } else {
            cursor.next()
        }
        .unwrap();
    }
    if backward {
        seen.reverse();
    }
    seen
}

impl Pinned {
    fn new(db: &Db, dice: &mut Dice) -> Self {
        let snapshot = db.snapshot();
        let mut cursors =
            ["default", "other"].map(|name| snapshot.cursor(&db.family(name).unwrap()).unwrap());
        let [first, second] = &mut cursors;
        let seen = rows_of(first, dice.one_in(2));
        assert_eq!(seen, rows_of(second, dice.one_in(2)), "a batch is halved");
        let [first, second] = cursors;
        let (cursor, family) = if dice.one_in(2) {
            (first, "default")
        } else {
            (second, "other")
        };
        Self {
            cursor,
            snapshot: dice.one_in(2).then_some(snapshot),
            family,
            seen,
        }
    }

    fn check(&mut self, db: &Db, dice: &mut Dice) {
        assert_eq!(rows_of(&mut self.cursor, dice.one_in(2)), self.seen);
        let Some(snapshot) = &self.snapshot else {
            return;
        };
        let family = db.family(self.family).unwrap();
        let rows: Seen = snapshot.iter(&family).map(Result::unwrap).collect();
        assert_eq!(rows, self.seen);
        let key = format!("{}:{:03}", dice.below(WRITERS), dice.below(KEYS));
        let expected = self.seen.iter().find(|(seen, _)| *seen == key.as_bytes());
        assert_eq!(
            snapshot.get(&family, &key).unwrap().as_deref(),
            expected.map(|(_, value)| &value[..])
        );
    }
}

fn read(db: &Db, dice: &mut Dice, stop: &AtomicBool) -> Vec<Pinned> {
    let mut pinned: Vec<Pinned> = Vec::new();
    while !stop.load(Ordering::Acquire) {
        if pinned.len() < PINNED {
            pinned.push(Pinned::new(db, dice));
        }
        let at = dice.below(pinned.len() as u64) as usize;
        pinned[at].check(db, dice);
        if dice.one_in(3) {
            pinned.swap_remove(at);
        }
    }
    pinned
}

/// Families are created, filled and dropped, while others flush and compact.
fn disturb(db: &Db, dice: &mut Dice, stop: &AtomicBool) {
    while !stop.load(Ordering::Acquire) {
        let outcome = match dice.below(4) {
            0 => db.flush(),
            1 => db.compact(),
            2 => db.create_family("passing", tiny()).and_then(|passing| {
                (0u32..50).try_for_each(|at| passing.put(at.to_be_bytes(), [7; 50]))
            }),
            _ => db.drop_family("passing"),
        };
        if let Err(error) = outcome {
            let told = error.to_string();
            let expected = ["passing", "closed", "dropped"];
            assert!(expected.iter().any(|word| told.contains(word)), "{told}");
        }
    }
}

#[test]
fn what_was_seen_once_is_seen_until_the_reader_goes() {
    let (seed, lives) = (seed_or(5), steps_or(6));
    println!("ENGINE_SEED={seed} ENGINE_STEPS={lives}");
    let vfs = MemoryVfs::new();
    let mut dice = Dice::new(seed);
    let mut last = Seen::new();
    for life in 0..lives {
        let reads = [TableReads::Mapped, TableReads::Pread][(life % 2) as usize];
        let db = Db::open("db", options(&vfs, reads)).unwrap();
        let mut now = db.default_family().cursor().unwrap();
        assert_eq!(rows_of(&mut now, true), last, "life {life}");
        let stop = AtomicBool::new(false);
        let closes_under_them = dice.one_in(2);
        let survivors = thread::scope(|scope| {
            let (db, stop) = (&db, &stop);
            let end = SetAtEnd(stop);
            let mut dice = || Dice::new(dice.next());
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let mut dice = dice();
                    scope.spawn(move || write(db, writer, &mut dice, 1_500))
                })
                .collect();
            let (mut first, mut second) = (dice(), dice());
            let readers = [
                scope.spawn(move || read(db, &mut first, stop)),
                scope.spawn(move || read(db, &mut second, stop)),
            ];
            let mut third = dice();
            let disturber = scope.spawn(move || disturb(db, &mut third, stop));
            if closes_under_them {
                thread::sleep(std::time::Duration::from_millis(30));
                db.close().unwrap();
            }
            for writer in writers {
                let written = writer.join().unwrap();
                assert!(closes_under_them || written == 1_500);
            }
            drop(end);
            disturber.join().unwrap();
            readers.map(|reader| reader.join().unwrap())
        });
        last = rows_of(&mut db.default_family().cursor().unwrap(), false);
        // Readers outlive a close.
        let _ = db.close();
        for mut pinned in survivors.into_iter().flatten() {
            pinned.check(&db, &mut dice);
        }
    }
}
