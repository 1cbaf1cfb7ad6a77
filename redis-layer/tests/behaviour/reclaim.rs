//! The space of removed sets comes back, and no power cut brings back a set without its rows.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use engine::vfs::MemoryVfs;
use parking_lot::Mutex;
use redis_layer::store::{Batch, EngineStore, KeyRange, Result, Snapshot, Space, Store};
use redis_layer::types::{Sweeper, check};

use crate::common::client::Client;
use crate::common::hooked::{Hooked, Hooks, Sizes};
use crate::common::random::Random;
use crate::common::servers::Ours;
use crate::common::waiting::eventually;
use crate::common::{Direct, StoreKind, engine_over, over_every_store};

fn orphans(store: &dyn Store) -> u64 {
    let report = check(store).unwrap();
    assert_eq!(report.faults, []);
    report.orphans
}

/// Removes and replaces sets among others that stay.
fn make_orphans(direct: &mut Direct) {
    direct.run("flushall");
    for set in ["a", "b", "c", "d", "e"] {
        direct.run(&format!("zadd {set} 1 x 2 y 3 z"));
    }
    direct.run("del b");
    direct.run("set d text");
    direct.run("del e");
    direct.run("zadd e 1 new");
}

#[test]
fn small_steps_remove_all_orphans_and_nothing_else() {
    over_every_store(|direct| {
        for most in [1, 2, 3, 7, 100] {
            make_orphans(direct);
            assert!(orphans(&*direct.store) >= 18);
            let mut sweeper = Sweeper::default();
            let mut removed = 0;
            for _ in 0..100 {
                let step = sweeper
                    .step(&*direct.store, &direct.server.shared, most)
                    .unwrap();
                assert!(step.removed <= most as u64);
                removed += step.removed;
                if step.is_last {
                    break;
                }
            }
            assert!(removed >= 18, "{removed} in steps of {most}");
            assert_eq!(orphans(&*direct.store), 0, "in steps of {most}");
            assert_eq!(direct.show("zrange a 0 -1"), "[x y z]");
            assert_eq!(direct.show("zrange e 0 -1"), "[new]");
        }
    });
}

/// Steps between commands, power cuts anywhere: what is left agrees with itself.
#[test]
fn a_power_cut_beside_a_sweep_leaves_whole_sets() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut disk = MemoryVfs::new();
        let mut direct = Direct::over(Arc::new(engine_over(&disk)));
        let mut sweeper = Sweeper::default();
        let mut removed = 0;
        for step in 0..150 {
            let set = random.below(3);
            match random.below(7) {
                // Enough to be removed as one range.
                0 if random.once_in(4) => {
                    let pairs: Vec<String> = (0..300).map(|n| format!("{n} l{n}")).collect();
                    direct.run(&format!("zadd {set} {}", pairs.join(" ")));
                }
                0..=2 => {
                    let (score, member) = (random.below(9), random.below(9));
                    direct.run(&format!("zadd {set} {score} m{member} {step} n{member}"));
                }
                3 => {
                    direct.run(&format!("del {set}"));
                }
                4 => {
                    direct.run(&format!("rename {set} {}", random.below(3)));
                }
                _ => {
                    let most = 1 + random.below(6);
                    removed += sweeper
                        .step(&*direct.store, &direct.server.shared, most)
                        .unwrap()
                        .removed;
                }
            }
            if random.once_in(10) {
                let after = disk.crash(random.next());
                let store = Arc::new(engine_over(&after));
                assert_eq!(
                    check(&*store).unwrap().faults,
                    [],
                    "seed {seed}, step {step}"
                );
                if random.once_in(3) {
                    disk = after;
                    direct = Direct::over(store);
                }
            }
        }
        assert!(removed > 0, "seed {seed} made no orphans");
    }
}

/// A store that notes which calls change it.
#[derive(Default)]
struct Noting {
    calls: Mutex<Vec<&'static str>>,
}

impl Hooks for Noting {
    fn snapshot(&self, inner: &dyn Store) -> Result<Box<dyn Snapshot>> {
        self.calls.lock().push("snapshot");
        inner.snapshot()
    }

    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        self.calls.lock().push("write");
        inner.write(batch)
    }

    fn sync(&self, inner: &dyn Store) -> Result<()> {
        self.calls.lock().push("sync");
        inner.sync()
    }
}

/// The safety of the sweep rests on this order, and not on the way a store keeps its log.
#[test]
fn what_a_step_saw_is_synced_before_it_removes_anything() {
    let mut direct = Direct::new(StoreKind::BTree);
    make_orphans(&mut direct);
    let store = &*Hooked::over(Arc::clone(&direct.store), Noting::default());
    let mut sweeper = Sweeper::default();
    assert_eq!(
        sweeper
            .step(store, &direct.server.shared, 100)
            .unwrap()
            .removed,
        9
    );
    assert_eq!(*store.calls.lock(), ["snapshot", "sync", "write"]);
    while !sweeper
        .step(store, &direct.server.shared, 100)
        .unwrap()
        .is_last
    {}
    store.calls.lock().clear();
    // With nothing to remove nothing is synced either.
    while !sweeper
        .step(store, &direct.server.shared, 100)
        .unwrap()
        .is_last
    {}
    assert_eq!(*store.calls.lock(), ["snapshot"; 3]);
}

/// Other writers wait for the whole of a batch.
#[test]
fn a_long_step_removes_in_small_batches() {
    let mut direct = Direct::new(StoreKind::BTree);
    let members: Vec<String> = (1000..1100).map(|member| member.to_string()).collect();
    for set in 0..30 {
        direct.run(&format!("sadd {set} {}", members.join(" ")));
    }
    direct.run("sadd stays 1 2 3");
    for set in 0..30 {
        direct.run(&format!("del {set}"));
    }
    let store = &*Hooked::over(Arc::clone(&direct.store), Sizes::default());
    let step = Sweeper::default()
        .step(store, &direct.server.shared, 4096)
        .unwrap();
    assert_eq!(step.removed, 3000);
    assert_eq!(*store.0.lock(), [1024, 1024, 952]);
    assert_eq!(orphans(&*direct.store), 0);
    assert_eq!(direct.show("scard stays"), "3");
}

#[test]
fn a_server_gives_space_back_by_itself() {
    let store: Arc<dyn Store> = StoreKind::Engine.open();
    let members = (0..50).map(|n| format!("1 m{n}"));
    let members = members.collect::<Vec<_>>().join(" ");
    let lines = [
        "zadd stays 1 a",
        &format!("zadd goes {members}"),
        "del goes",
    ];
    // Nobody sweeps yet.
    let mut direct = Direct::over(Arc::clone(&store));
    for line in lines {
        direct.run(line);
    }
    assert!(orphans(&*store) >= 100);
    drop(direct);
    let ours = Ours::start(Arc::clone(&store));
    eventually(|| orphans(&*store) == 0);
    let mut client = Client::connect(ours.address);
    for line in lines {
        client.call(&line.split(' ').collect::<Vec<_>>());
    }
    eventually(|| orphans(&*store) == 0);
    assert_eq!(client.call(&["zcard", "stays"]), ":1\\r\\n");
}

/// The bytes of all files in a directory.
fn bytes_in(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).unwrap();
    let lengths = entries.map(|entry| entry.unwrap().metadata().unwrap().len());
    lengths.sum()
}

/// Members of some length, so that a set is large with few of them.
fn fill(direct: &mut Direct, key: &str, members: usize) {
    let tail = "x".repeat(200);
    for chunk in 0..members / 500 {
        let pairs = (0..500).map(|n| chunk * 500 + n);
        let pairs: Vec<String> = pairs.map(|n| format!("{n} m{n:06}{tail}")).collect();
        direct.run(&format!("zadd {key} {}", pairs.join(" ")));
    }
}

/// The files shrink after a large set was removed, replaced, or has expired; what stays is not touched.
#[test]
fn the_bytes_of_a_large_set_come_back_from_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(EngineStore::open(dir.path()).unwrap());
    let mut direct = Direct::over(Arc::clone(&store) as Arc<dyn Store>);
    fill(&mut direct, "stays", 2000);
    for space in Space::ALL {
        store.reclaim(space, &KeyRange::all()).unwrap();
    }
    let without = bytes_in(dir.path());
    for end in ["del goes", "set goes text", "pexpire goes 1"] {
        fill(&mut direct, "goes", 50_000);
        for space in Space::ALL {
            store.reclaim(space, &KeyRange::all()).unwrap();
        }
        let with = bytes_in(dir.path());
        assert!(with > without + (20 << 20), "{with} bytes with the set");
        direct.run(end);
        direct.clock.advance_ms(10);
        // Whoever meets an expired key removes it; here that is the next write.
        direct.run("del goes");
        let mut sweeper = Sweeper::default();
        let mut large = Vec::new();
        loop {
            let step = sweeper.step(&*store, &direct.server.shared, 1000).unwrap();
            large.extend(step.large);
            if step.is_last {
                break;
            }
        }
        assert_eq!(large.len(), 2, "one range in each space: {large:?}");
        for (space, range) in large {
            store.reclaim(space, &range).unwrap();
        }
        let after = bytes_in(dir.path());
        assert!(
            after < without + (1 << 20),
            "{end}: {after} bytes, {without} before"
        );
        assert_eq!(orphans(&*store), 0);
        assert_eq!(direct.show("zcard stays"), "2000");
        direct.check();
    }
}

/// A server that nobody writes to gives the disk back after its database was emptied; what another one holds stays.
#[test]
fn the_bytes_of_an_emptied_database_come_back_from_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(EngineStore::open(dir.path()).unwrap());
    let mut direct = Direct::over(Arc::clone(&store) as Arc<dyn Store>);
    let value = "x".repeat(10_000);
    direct.run(&format!("set stays {value}"));
    direct.run("select 1");
    for n in 0..2_000 {
        direct.run(&format!("set goes{n} {value}"));
    }
    drop(direct);
    let ours = Ours::start(Arc::clone(&store) as Arc<dyn Store>);
    let mut client = Client::connect(ours.address);
    client.call(&["select", "1"]);
    assert_eq!(client.call(&["dbsize"]), ":2000\\r\\n");
    assert!(bytes_in(dir.path()) > 20_000_000);
    client.call(&["flushdb"]);
    eventually(|| bytes_in(dir.path()) < 1_000_000);
    client.call(&["select", "0"]);
    assert_eq!(client.call(&["strlen", "stays"]), ":10000\\r\\n");
}
