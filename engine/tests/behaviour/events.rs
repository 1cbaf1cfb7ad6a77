//! Events give a true picture of the levels at every moment, in order, whatever fails; and a
//! listener can do no harm.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::version::{current_manifest, read_manifest};
use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use engine::{
    Background, Compression, Db, Decision, Event, EventListener, FamilyOptions, Options, Outcome,
    Stall, TableInfo, WriteBatch, WriteOptions,
};
use parking_lot::Mutex;

use crate::support::waiting::{Gate, wait_until};
use crate::support::{Dice, Recorder, seed_or, steps_or, tiny};

fn open(vfs: Arc<dyn Vfs>, background: Background, listener: Arc<dyn EventListener>) -> Db {
    let options = Options {
        vfs,
        background,
        ..Options::default()
    };
    let options = options
        .family("default", tiny())
        .family("other", tiny())
        .listener(listener);
    Db::open("db", options).unwrap()
}

/// A database with manual background work on a fresh disk, and the recorder of its events.
fn recorded() -> (Db, Arc<Recorder>, MemoryVfs) {
    let (recorder, vfs) = (Arc::new(Recorder::default()), MemoryVfs::new());
    let db = open(Arc::new(vfs.clone()), Background::Manual, recorder.clone());
    (db, recorder, vfs)
}

/// The levels as a listener draws them: tables by number.
#[derive(Default)]
struct Picture(BTreeMap<u64, TableInfo>);

impl Picture {
    /// Applies an event to the picture, and checks that the picture is still a valid tree.
    fn draw(&mut self, event: &Event) {
        match event {
            Event::Opened { tables, .. } => {
                self.0 = tables.iter().map(|t| (t.number, t.clone())).collect();
            }
            Event::TableWritten { table } => {
                let before = self.0.insert(table.number, table.clone());
                assert_eq!(before, None, "written twice");
            }
            Event::TableRemoved { table } => {
                assert_eq!(self.0.remove(&table.number).as_ref(), Some(table));
            }
            Event::TableMoved { table, from } => {
                let before = self.0.insert(table.number, table.clone());
                let level = before.expect("it was there").level;
                assert_eq!((level, level + 1), (*from, table.level));
            }
            Event::FlushEnded { outputs, .. } | Event::CompactionEnded { outputs, .. } => {
                for table in outputs {
                    assert!(
                        table.bytes > 0 && table.entries > 0 && table.smallest <= table.largest
                    );
                }
            }
            _ => {}
        }
    }

    /// Between edits, the tables of one deeper level do not overlap.
    fn check(&self) {
        let mut levels: BTreeMap<(&str, usize), Vec<&TableInfo>> = BTreeMap::new();
        for table in self.0.values().filter(|table| table.level > 0) {
            let level = levels.entry((&table.family, table.level)).or_default();
            level.push(table);
        }
        for tables in levels.values_mut() {
            tables.sort_by_key(|table| &table.smallest);
            for pair in tables.windows(2) {
                assert!(pair[0].largest < pair[1].smallest, "{pair:?}");
            }
        }
    }

    /// Family, level, number, bytes and entries of every table.
    fn rows(&self, ids: &BTreeMap<&str, u32>) -> Vec<(u32, usize, u64, u64, u64)> {
        let row = |t: &TableInfo| {
            (
                ids[t.family.as_str()],
                t.level,
                t.number,
                t.bytes,
                t.entries,
            )
        };
        self.0.values().map(row).collect()
    }
}

/// What the manifest says, in the same form: the truth, from the disk.
fn on_disk(vfs: &MemoryVfs) -> Vec<(u32, usize, u64, u64, u64)> {
    let dir = Path::new("db");
    let number = current_manifest(vfs, dir).unwrap();
    let mut tables = BTreeMap::new();
    for (_, edit) in read_manifest(vfs, dir, number).unwrap() {
        for (_, _, number) in &edit.files_removed {
            tables.remove(number);
        }
        for (id, level, file) in &edit.files_added {
            let row = (id.0, *level, file.number, file.bytes, file.entries);
            tables.insert(file.number, row);
        }
        tables.retain(|_, row| !edit.families_dropped.iter().any(|id| id.0 == row.0));
    }
    tables.into_values().collect()
}

fn is_an_end_of_work(event: &Event) -> bool {
    matches!(
        event,
        Event::Opened { .. } | Event::FlushEnded { .. } | Event::CompactionEnded { .. }
    )
}

fn random_writes(db: &Db, dice: &mut Dice, steps: u64) {
    for _ in 0..steps {
        let family = if dice.one_in(3) { "other" } else { "default" };
        let family = db.family(family).unwrap();
        let key = format!("key:{:03}", dice.below(200));
        if dice.one_in(4) {
            family.delete(key).unwrap();
        } else {
            let value = vec![dice.next() as u8; dice.below(200) as usize];
            family.put(key, value).unwrap();
        }
    }
}

#[test]
fn replayed_events_are_the_levels_that_the_manifest_records() {
    for background in [Background::Manual, Background::Threads] {
        let (recorder, vfs) = (Arc::new(Recorder::default()), MemoryVfs::new());
        let mut dice = Dice::new(seed_or(3));
        let mut picture = Picture::default();
        for _ in 0..3 {
            let db = open(Arc::new(vfs.clone()), background, recorder.clone());
            random_writes(&db, &mut dice, steps_or(2_000));
            db.compact().unwrap();
            random_writes(&db, &mut dice, steps_or(700));
            while background == Background::Manual && db.step().unwrap() {}
            db.close().unwrap();
            let ids = BTreeMap::from([("default", 0), ("other", 1)]);
            for event in recorder.take() {
                picture.draw(&event);
                if is_an_end_of_work(&event) {
                    picture.check();
                }
            }
            assert_eq!(picture.rows(&ids), on_disk(&vfs), "{background:?}");
            assert!(picture.0.len() > 5, "there is something in the picture");
        }
    }
}

#[test]
fn what_became_of_each_entry_is_told() {
    struct DropX;
    impl engine::CompactionFilter for DropX {
        fn decide(&self, key: &[u8], _value: &[u8]) -> Decision {
            if key == b"x" {
                Decision::Remove
            } else {
                Decision::Keep
            }
        }
    }
    let recorder = Arc::new(Recorder::default());
    let family = FamilyOptions {
        compaction_filter: Some(Arc::new(DropX)),
        compression: Compression::None,
        ..FamilyOptions::default()
    };
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        background: Background::Manual,
        ..Options::default()
    };
    let options = options.family("default", family).listener(recorder.clone());
    let db = Db::open("db", options).unwrap();
    for key in ["a", "b", "b", "c", "x"] {
        db.put(key, "first").unwrap();
    }
    db.flush().unwrap(); // b's older version is shadowed: four entries.
    db.put("a", "second").unwrap();
    db.delete("c").unwrap();
    db.flush().unwrap(); // The tombstone has c below it: two entries.
    recorder.take();
    db.compact().unwrap();
    let events = recorder.all();
    let [
        Event::CompactionBegun {
            inputs,
            output_level: 1,
            reason,
            ..
        },
        Event::TableRemoved { .. },
        Event::TableRemoved { .. },
        Event::TableWritten { table },
        Event::CompactionEnded {
            outputs,
            entries,
            outcome,
            moved: false,
            ..
        },
    ] = &events[..]
    else {
        panic!("{events:#?}");
    };
    assert_eq!(*reason, engine::Reason::Manual);
    let levels: Vec<_> = inputs.iter().map(|t| (t.level, t.entries)).collect();
    assert_eq!(levels, [(0, 2), (0, 4)], "the newest first");
    assert_eq!(outputs, std::slice::from_ref(table));
    assert_eq!((&*table.smallest, &*table.largest), (&b"a"[..], &b"b"[..]));
    assert_eq!((entries.read, entries.written), (6, 2));
    let dropped = entries.dropped;
    assert_eq!(dropped.shadowed, 2, "a's and c's first versions");
    assert_eq!((dropped.tombstones, dropped.filtered), (1, 1));
    assert_eq!(*outcome, Outcome::Done);
}

#[test]
fn families_come_and_go_with_their_tables() {
    let (db, recorder, _vfs) = recorded();
    let new = db.create_family("new", tiny()).unwrap();
    new.put("k", "v").unwrap();
    db.flush().unwrap();
    db.drop_family("new").unwrap();
    let events = recorder.all();
    let at = |wanted: &dyn Fn(&Event) -> bool| {
        let at = events.iter().position(wanted);
        at.unwrap_or_else(|| panic!("missing in {events:#?}"))
    };
    let family = || "new".to_owned();
    let created = at(&|event| *event == Event::FamilyCreated { family: family() });
    let frozen = at(
        &|event| matches!(event, Event::MemtablesFrozen { memtables } if memtables[0].entries == 1),
    );
    let written =
        at(&|event| matches!(event, Event::TableWritten { table } if table.family == "new"));
    let removed =
        at(&|event| matches!(event, Event::TableRemoved { table } if table.family == "new"));
    let dropped = at(&|event| *event == Event::FamilyDropped { family: family() });
    let order = [created, frozen, written, removed, dropped];
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn write_groups_tell_their_size_and_sync() {
    let (db, recorder, _vfs) = recorded();
    let mut batch = WriteBatch::new();
    for key in ["a", "b", "c"] {
        batch.put(&db.default_family(), key, "v");
    }
    let bytes = batch.encoded_len();
    db.write(batch, WriteOptions { sync: true }).unwrap();
    let told = recorder.all().pop().unwrap();
    let group = Event::WriteGroup {
        batches: 1,
        records: 3,
        bytes,
        synced: true,
    };
    assert_eq!(told, group);
}

#[test]
fn a_failure_is_told_and_the_work_is_tried_again() {
    let (recorder, memory) = (Arc::new(Recorder::default()), MemoryVfs::new());
    let vfs = FaultVfs::new(Arc::new(memory));
    let db = open(Arc::new(vfs.clone()), Background::Manual, recorder.clone());
    db.put("k", "v").unwrap();
    vfs.fail_nth(2, Fault::NoSpace); // The first is the new log.
    db.flush().unwrap_err();
    vfs.heal();
    db.flush().unwrap();
    let mut outcomes = Vec::new();
    let mut errors = Vec::new();
    for event in recorder.all() {
        match event {
            Event::FlushEnded { job, outcome, .. } => outcomes.push((job, outcome)),
            Event::BackgroundError { error, poisoned } => errors.push((error, poisoned)),
            _ => {}
        }
    }
    let [(1, Outcome::Failed(first)), (2, Outcome::Done)] = &outcomes[..] else {
        panic!("{outcomes:?}");
    };
    assert!(first.contains("no storage space"), "{first}");
    assert_eq!(errors, [(first.clone(), false)]);
}

#[test]
fn a_poisoned_database_is_told_once() {
    let (recorder, memory) = (Arc::new(Recorder::default()), MemoryVfs::new());
    let vfs = FaultVfs::new(Arc::new(memory));
    let db = open(Arc::new(vfs.clone()), Background::Manual, recorder.clone());
    vfs.fail_nth(1, Fault::Io);
    db.put("k", "v").unwrap_err();
    db.put("k", "v").unwrap_err();
    db.flush().unwrap_err();
    let told = recorder.all();
    let told: Vec<_> = told
        .iter()
        .filter(|event| matches!(event, Event::BackgroundError { .. }))
        .collect();
    assert!(
        matches!(told[..], [Event::BackgroundError { poisoned: true, .. }]),
        "{told:?}"
    );
}

#[test]
fn a_stall_begins_and_ends() {
    let recorder = Arc::new(Recorder::default());
    let gate = Arc::new(Gate::default());
    let family = FamilyOptions {
        compaction_filter: Some(gate.clone()),
        ..tiny()
    };
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        ..Options::default()
    };
    let options = options.family("default", family).listener(recorder.clone());
    let db = Db::open("db", options).unwrap();
    let is_stopped = || {
        recorder.has_heard(&Event::StallBegun {
            stall: Stall::Level0Stop,
        })
    };
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for at in 0..3_000_u64 {
                db.put((at % 50).to_be_bytes(), [at as u8; 60]).unwrap();
            }
        });
        // The stall is reported while it lasts, not afterwards.
        wait_until("the stall is told", || is_stopped() || writer.is_finished());
        assert!(is_stopped(), "the stall was told");
        gate.open();
    });
    db.close().unwrap();
    let (mut begun, mut ended) = (Vec::new(), Vec::new());
    for event in recorder.all() {
        match event {
            Event::StallBegun { stall } => begun.push(stall),
            Event::StallEnded { stall, .. } => ended.push(stall),
            _ => {}
        }
    }
    assert_eq!(begun, ended);
}

/// Panics at every event, or reads the database in it.
struct Unruly {
    panics: bool,
    db: Mutex<Option<Db>>,
    calls: AtomicU64,
}

impl EventListener for Unruly {
    fn on_event(&self, _event: &Event) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if let Some(db) = &*self.db.lock() {
            assert!(db.get("present").unwrap().is_some());
            assert!(db.default_family().iter().next().is_some());
        }
        assert!(!self.panics, "a listener's bug, caught");
    }
}

#[test]
fn a_listener_that_panics_or_reads_harms_nothing() {
    for (panics, background) in [
        (true, Background::Manual),
        (true, Background::Threads),
        (false, Background::Threads),
    ] {
        let unruly = Arc::new(Unruly {
            panics,
            db: Mutex::default(),
            calls: AtomicU64::new(0),
        });
        let vfs = MemoryVfs::new();
        let db = open(Arc::new(vfs.clone()), background, unruly.clone());
        db.put("present", "v").unwrap();
        if !panics {
            *unruly.db.lock() = Some(db.clone());
        }
        for at in 0..400_u32 {
            db.put(at.to_be_bytes(), [at as u8; 100]).unwrap();
        }
        db.compact().unwrap();
        db.drop_family("other").unwrap();
        assert!(
            unruly.calls.load(Ordering::SeqCst) > 400,
            "it is still called"
        );
        unruly.db.lock().take();
        db.close().unwrap();
        drop(db);
        let db = open(Arc::new(vfs), background, Arc::new(Recorder::default()));
        assert_eq!(db.default_family().iter().count(), 401);
    }
}

/// Holds the thread that calls it until it is released.
#[derive(Default)]
struct Holding {
    gate: Gate,
    groups: AtomicU64,
    missed: AtomicU64,
}

impl EventListener for Holding {
    fn on_event(&self, event: &Event) {
        match event {
            Event::WriteGroup { .. } => _ = self.groups.fetch_add(1, Ordering::SeqCst),
            Event::Missed { write_groups } => {
                _ = self.missed.fetch_add(*write_groups, Ordering::SeqCst);
            }
            _ => return,
        }
        self.gate.pass();
    }
}

#[test]
fn a_slow_listener_holds_up_nobody_else_and_learns_what_it_missed() {
    let listener = Arc::new(Holding::default());
    let db = open(
        Arc::new(MemoryVfs::new()),
        Background::Threads,
        listener.clone(),
    );
    const WRITES: u64 = 30_000;
    std::thread::scope(|scope| {
        scope.spawn(|| db.put("held", "v").unwrap());
        listener.gate.wait_until_reached();
        for at in 0..WRITES {
            db.put(at.to_be_bytes(), "v").unwrap();
        }
        listener.gate.open();
    });
    db.close().unwrap();
    let (told, missed) = (&listener.groups, &listener.missed);
    let (told, missed) = (told.load(Ordering::SeqCst), missed.load(Ordering::SeqCst));
    assert_eq!(told + missed, WRITES + 1);
    assert!(missed > 0 && told > 1_000, "{told} told, {missed} missed");
}
