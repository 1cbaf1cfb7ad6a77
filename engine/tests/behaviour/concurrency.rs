//! Writers, readers, cursors, snapshots, flushes and compactions at once, checked against what must
//! hold at any moment.
//!
//! Each writer owns a set of keys and writes rising numbers to all of them, one batch at a time. So at every
//! moment all keys of a writer hold the same number, and no reader ever sees a number fall. Each reader also
//! holds a snapshot and a cursor for a while: what they have shown once, they show until they are dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::vfs::MemoryVfs;
use engine::{Cursor, Db, Family, FamilyOptions, Options, Snapshot, WriteBatch, WriteOptions};

use crate::support::waiting::{SetAtEnd, wait_until};
use crate::support::{seed_or, steps_or, tiny};

const WRITERS: u64 = 8;
const READERS: usize = 4;
const KEYS: u64 = 12;

fn key(writer: u64, at: u64) -> String {
    format!("writer:{writer}:{at:02}")
}

/// Writes so many rounds; calls `halfway` in the midst of them.
fn write_all(db: &Db, families: &[Family; 2], writer: u64, rounds: u64, halfway: impl Fn()) {
    for round in 1..=rounds {
        if round == rounds.div_ceil(2) {
            halfway();
        }
        let mut batch = WriteBatch::new();
        for at in 0..KEYS {
            for family in families {
                // Every third round deletes and puts in one batch: the put wins.
                if round % 3 == 0 {
                    batch.delete(family, key(writer, at));
                }
                batch.put(family, key(writer, at), round.to_be_bytes());
            }
        }
        db.write(
            batch,
            WriteOptions {
                sync: round % 50 == 0,
            },
        )
        .unwrap();
    }
}

fn number(value: &[u8]) -> u64 {
    u64::from_be_bytes(value.try_into().expect("eight bytes"))
}

/// A moment that a reader holds on to: what it showed of every writer.
struct Held {
    snapshot: Snapshot,
    cursor: Cursor,
    numbers: Vec<u64>,
}

impl Held {
    fn take(db: &Db, families: &[Family; 2]) -> Self {
        let snapshot = db.snapshot();
        Self {
            cursor: snapshot.cursor(&families[0]).unwrap(),
            numbers: numbers_of(&snapshot, families),
            snapshot,
        }
    }

    fn check(&mut self, families: &[Family; 2]) {
        assert_eq!(
            numbers_of(&self.snapshot, families),
            self.numbers,
            "a snapshot has changed"
        );
        let mut rows = 0;
        self.cursor.seek_to_last().unwrap();
        while self.cursor.valid() {
            let writer = self.cursor.key()[7] - b'0';
            assert_eq!(
                number(self.cursor.value()),
                self.numbers[usize::from(writer)],
                "a cursor has changed"
            );
            rows += 1;
            self.cursor.prev().unwrap();
        }
        let begun = self.numbers.iter().filter(|number| **number > 0).count() as u64;
        assert_eq!(rows, begun * KEYS, "a cursor shows each row once");
    }
}

fn numbers_of(snapshot: &Snapshot, families: &[Family; 2]) -> Vec<u64> {
    (0..WRITERS)
        .map(|writer| by_snapshot(snapshot, families, writer))
        .collect()
}

/// For how many rounds a reader holds on to a moment.
const HELD_FOR: u64 = 20;

/// Reads by snapshot and by cursor, until told to stop, and counts how often.
fn read(db: &Db, families: &[Family; 2], reader: u64, reads: &AtomicU64, stop: &AtomicBool) {
    let mut last = [0; WRITERS as usize];
    let mut rounds = 0;
    let mut held = Held::take(db, families);
    while !stop.load(Ordering::Acquire) {
        if rounds % HELD_FOR == HELD_FOR - 1 {
            held.check(families);
            held = Held::take(db, families);
        }
        let writer = (rounds + reader) % WRITERS;
        let seen = if rounds % 2 == 0 {
            by_snapshot(&db.snapshot(), families, writer)
        } else {
            by_cursor(
                &families[(rounds / 2 % 2) as usize],
                writer,
                rounds % 4 == 1,
            )
        };
        assert!(
            seen >= last[writer as usize],
            "writer {writer}: {seen} after {last:?}"
        );
        last[writer as usize] = seen;
        rounds += 1;
        reads.store(rounds, Ordering::Release);
    }
}

fn by_snapshot(snapshot: &Snapshot, families: &[Family; 2], writer: u64) -> u64 {
    let mut numbers = families
        .iter()
        .flat_map(|family| (0..KEYS).map(move |at| (family, at)))
        .map(|(family, at)| {
            snapshot
                .get(family, key(writer, at))
                .unwrap()
                .map_or(0, |value| number(&value))
        });
    let first = numbers.next().unwrap();
    assert!(
        numbers.all(|other| other == first),
        "a batch is seen in part"
    );
    first
}

fn by_cursor(family: &Family, writer: u64, forward: bool) -> u64 {
    let mut cursor = family.cursor_in(key(writer, 0)..key(writer, 99)).unwrap();
    if forward {
        cursor.seek_to_first()
    } else {
        cursor.seek_to_last()
    }
    .unwrap();
    let mut numbers = Vec::new();
    while cursor.valid() {
        numbers.push(number(cursor.value()));
        if forward {
            cursor.next()
        } else {
            cursor.prev()
        }
        .unwrap();
    }
    assert!(
        numbers.is_empty() || numbers.len() as u64 == KEYS,
        "{} of {KEYS} keys",
        numbers.len()
    );
    assert!(
        numbers.windows(2).all(|pair| pair[0] == pair[1]),
        "a batch is seen in part: {numbers:?}"
    );
    numbers.first().copied().unwrap_or(0)
}

#[test]
fn nobody_sees_a_batch_in_part_or_time_run_back() {
    let rounds = steps_or(1_500);
    println!("ENGINE_SEED={} ENGINE_STEPS={rounds}", seed_or(0));
    let vfs = MemoryVfs::new();
    let small = FamilyOptions {
        write_buffer_bytes: 32 << 10,
        ..tiny()
    };
    let options = || {
        Options {
            vfs: Arc::new(vfs.clone()),
            ..Options::default()
        }
        .family("default", small.clone())
        .family("other", small.clone())
    };
    let db = Db::open("db", options()).unwrap();
    let families = [db.default_family(), db.family("other").unwrap()];
    let (stop, reads) = (
        AtomicBool::new(false),
        [(); READERS].map(|()| AtomicU64::new(0)),
    );
    // Also where readers get no processor for a while.
    let readers_run_beside = || {
        wait_until("every reader has read", || {
            reads.iter().all(|reads| reads.load(Ordering::Acquire) > 0)
        });
    };
    std::thread::scope(|scope| {
        let (db, families, stop) = (&db, &families, &stop);
        let end = SetAtEnd(stop);
        for (reader, reads) in (0..).zip(&reads) {
            scope.spawn(move || read(db, families, reader, reads, stop));
        }
        scope.spawn(move || {
            while !stop.load(Ordering::Acquire) {
                db.flush().unwrap();
                db.compact().unwrap();
            }
        });
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn(move || write_all(db, families, writer, rounds, readers_run_beside))
            })
            .collect();
        writers
            .into_iter()
            .for_each(|writer| writer.join().unwrap());
        drop(end);
    });
    drop((families, db));
    let db = Db::open("db", options()).unwrap();
    for writer in 0..WRITERS {
        let families = [db.default_family(), db.family("other").unwrap()];
        assert_eq!(by_snapshot(&db.snapshot(), &families, writer), rounds);
    }
}
