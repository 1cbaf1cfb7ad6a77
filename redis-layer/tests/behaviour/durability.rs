//! What is left after a power cut, and after a clean stop.

use std::sync::Arc;

use engine::vfs::MemoryVfs;
use redis_layer::server::{Options, SyncPolicy};
use redis_layer::store::Store;

use crate::common::client::Client;
use crate::common::random::Random;
use crate::common::servers::Ours;
use crate::common::waiting::eventually;
use crate::common::{Direct, engine_over, scope_in_time, show};

/// Everything under the keys of these tests.
fn contents(direct: &mut Direct) -> Vec<String> {
    let ask = [
        "zrange z 0 -1 withscores",
        "zrange y 0 -1 withscores",
        "get s",
        "dbsize",
    ];
    ask.map(|line| direct.show(line)).to_vec()
}

fn random_command(random: &mut Random, step: u32) -> String {
    match random.below(8) {
        0..=3 => format!(
            "zadd z {} m{} {step} n{}",
            random.below(5),
            random.below(9),
            random.below(9)
        ),
        4 => format!("zadd y {step} m"),
        5 => random
            .pick(&["del z", "set y text", "set z text", "flushall", "zpopmin z"])
            .to_owned(),
        6 => format!("zrem z m{} n{}", random.below(9), random.below(9)),
        _ => format!("set s {step}"),
    }
}

/// After a power cut the keys are as they were at one moment between two commands, not before the
/// last sync, and all rows agree.
#[test]
fn a_power_cut_leaves_the_state_behind_some_command_after_the_last_sync() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let disk = MemoryVfs::new();
        let mut direct = Direct::over(Arc::new(engine_over(&disk)));
        let mut since_sync = vec![contents(&mut direct)];
        for step in 0..60 {
            direct.run(&random_command(&mut random, step));
            if random.once_in(12) {
                direct.store.sync().unwrap();
                since_sync.clear();
            }
            since_sync.push(contents(&mut direct));
            if !random.once_in(6) {
                continue;
            }
            let mut after = Direct::over(Arc::new(engine_over(&disk.crash(random.next()))));
            after.check();
            let found = contents(&mut after);
            assert!(
                since_sync.contains(&found),
                "seed {seed}, step {step}: {found:?} is none of {since_sync:#?}"
            );
        }
    }
}

/// A version that was handed out before a power cut must not come again behind it: the rows of
/// the first set would appear in the second.
#[test]
fn versions_are_not_handed_out_again() {
    for seed in 0..20 {
        let disk = MemoryVfs::new();
        let store = engine_over(&disk);
        let mut direct = Direct::over(Arc::new(store));
        direct.run("zadd z 1 orphan");
        direct.store.sync().unwrap();
        let used = direct.store.unique().unwrap();
        let after = engine_over(&disk.crash(seed));
        assert!(after.unique().unwrap() > used);
        let mut direct = Direct::over(Arc::new(after));
        direct.run("del z");
        direct.run("zadd z 2 new");
        assert_eq!(direct.show("zrange z 0 -1 withscores"), "[new=2]");
    }
}

/// With `always` an answer means that the write is safe; several clients share a sync.
#[test]
fn with_sync_always_no_answered_write_is_lost() {
    let disk = MemoryVfs::new();
    let options = Options {
        sync: SyncPolicy::Always,
        ..Options::default()
    };
    let ours = Ours::start_with(Arc::new(engine_over(&disk)), options);
    for round in 0..10_u64 {
        scope_in_time(|scope| {
            for client in 0..4 {
                let address = ours.address;
                scope.spawn(move || {
                    let mut connection = Client::connect(address);
                    for n in 0..5 {
                        let member = format!("m{round}-{client}-{n}");
                        assert_eq!(connection.call(&["zadd", "z", "1", &member]), ":1\\r\\n");
                    }
                });
            }
        });
        let mut after = Direct::over(Arc::new(engine_over(&disk.crash(round))));
        after.check();
        let expected = ((round + 1) * 20).to_string();
        assert_eq!(after.show("zcard z"), expected);
    }
}

/// The test above must be able to fail: without a sync, a power cut takes something.
#[test]
fn with_sync_no_a_power_cut_takes_writes() {
    let disk = MemoryVfs::new();
    let options = Options {
        sync: SyncPolicy::No,
        ..Options::default()
    };
    let ours = Ours::start_with(Arc::new(engine_over(&disk)), options);
    let mut client = Client::connect(ours.address);
    for n in 0..20 {
        client.call(&["zadd", "z", "1", &n.to_string()]);
    }
    let lost = (0..20).any(|seed| {
        let mut after = Direct::over(Arc::new(engine_over(&disk.crash(seed))));
        after.check();
        show(&after.run("zcard z")) != "20"
    });
    assert!(lost);
}

/// A stop syncs, whatever the policy is, and the next server finds everything.
#[test]
fn a_clean_stop_keeps_everything() {
    for sync in [SyncPolicy::Always, SyncPolicy::EverySecond, SyncPolicy::No] {
        let disk = MemoryVfs::new();
        let options = Options {
            sync,
            ..Options::default()
        };
        let mut ours = Ours::start_with(Arc::new(engine_over(&disk)), options);
        let mut client = Client::connect(ours.address);
        client.call(&["zadd", "z", "1", "a", "2", "b"]);
        client.call(&["set", "s", "v"]);
        ours.stop();
        let mut after = Direct::over(Arc::new(engine_over(&disk.crash(0))));
        after.check();
        assert_eq!(contents(&mut after)[0], "[a=1 b=2]", "{sync:?}");
        assert_eq!(after.show("get s"), "v");
    }
}

/// Once a second is soon enough for `everysec`.
#[test]
fn with_everysec_a_write_is_safe_a_little_later() {
    let disk = MemoryVfs::new();
    let ours = Ours::start(Arc::new(engine_over(&disk)));
    let mut client = Client::connect(ours.address);
    client.call(&["zadd", "z", "1", "a"]);
    eventually(|| {
        (0..20).all(|seed| {
            let mut after = Direct::over(Arc::new(engine_over(&disk.crash(seed))));
            show(&after.run("zcard z")) == "1"
        })
    });
}
