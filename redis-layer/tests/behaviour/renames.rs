//! A renamed collection keeps its rows where they are. Nothing but the cost may tell.

use bytes::Bytes;
use redis_layer::commands::Reply;
use redis_layer::store::{Batch, Direction, KeyRange, Space, Store};
use redis_layer::types::rows::{RowPrefix, forward_key, forwards};
use redis_layer::types::{Sweeper, check, sweep};

use crate::common::counting::Counting;
use crate::common::random::Random;
use crate::common::{Direct, StoreKind, over_every_store};

/// Writes of each type. `K` is the key, `N` a number.
const WRITES: &[(&str, &[&str])] = &[
    (
        "zset",
        &["zadd K N mN", "zadd K N m1 N m2", "zpopmin K", "zrem K mN"],
    ),
    ("hash", &["hset K fN N", "hset K fN N", "hdel K fN"]),
    (
        "list",
        &[
            "rpush K eN",
            "lpush K eN",
            "linsert K before eN x",
            "lpop K",
        ],
    ),
    ("set", &["sadd K mN", "sadd K mN", "srem K mN"]),
    ("string", &["setrange K 2N000 N", "append K N", "set K N"]),
];
const KEYS: &[&str] = &["a", "b", "c", "d"];

/// The rows of a space.
fn rows(store: &dyn Store, space: Space, range: &KeyRange) -> Vec<Vec<u8>> {
    let snapshot = store.snapshot().unwrap();
    let mut cursor = snapshot.scan(space, range, Direction::Forward).unwrap();
    let mut rows = Vec::new();
    while let Some((row, _)) = cursor.row() {
        rows.push(row.to_vec());
        cursor.advance().unwrap();
    }
    rows
}

#[test]
fn a_rename_costs_the_same_for_many_elements_as_for_few() {
    for fill in ["zadd old", "hset old", "sadd old", "rpush old"] {
        let costs = [20, 2_000].map(|count| {
            let (store, counters) = Counting::over(StoreKind::BTree.open());
            let mut direct = Direct::over(store);
            let pairs: Vec<String> = (1000..1000 + count).map(|n| n.to_string()).collect();
            direct.run(&format!("{fill} {}", pairs.join(" ")));
            let costs = || [counters.written(), counters.gets(), counters.steps()];
            costs();
            direct.run("rename old a-new-name");
            let first = costs();
            direct.run("rename a-new-name old");
            (first, costs())
        });
        assert_eq!(costs[0], costs[1], "{fill}");
    }
}

#[test]
fn a_rename_looks_its_source_up_once() {
    let (store, counters) = Counting::over(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    direct.expect(&[("set old v", "OK")]);
    counters.gets();
    // From a script that does not name its keys, for which nothing is read beforehand.
    let script = Bytes::from("return redis.call('rename', 'old', 'new')");
    direct.run_args(&[Bytes::from("eval"), script, Bytes::from("0")]);
    // One for the source. Of the target it is asked first whether it is there, and then it is removed.
    assert_eq!(counters.gets(), 3);
    assert_eq!(direct.show("get new"), "v");
}

#[test]
fn ranks_are_not_counted_anew_after_a_rename() {
    let (store, counters) = Counting::over(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    for member in 0..2_000 {
        direct.run(&format!("zadd old {member} {member}"));
    }
    direct.expect(&[("zrank old 1500", "1500")]);
    direct.run("rename old new");
    counters.steps();
    assert_eq!(direct.show("zrank new 1500"), "1500");
    let steps = counters.steps();
    assert!(steps < 500, "{steps}");
    direct.check();
}

/// What all keys of a database hold, and when they expire.
fn contents(direct: &mut Direct) -> Vec<(Reply, Reply)> {
    let ask = |key: &&str| {
        let dump = direct.run(&format!("dump {key}"));
        (dump, direct.run(&format!("pttl {key}")))
    };
    KEYS.iter().map(ask).collect()
}

/// One server renames. The other copies and removes, so that its rows always begin with their keys.
#[test]
fn nobody_can_tell_a_renamed_key_from_a_copied_one() {
    over_every_store(|renaming| {
        let mut copying = Direct::new(StoreKind::BTree);
        for seed in 0..4 {
            let mut random = Random::new(seed);
            let mut sweeper = Sweeper::default();
            let mut renamed = 0;
            for server in [&mut *renaming, &mut copying] {
                server.run("flushall");
                server.run("select 0");
            }
            for step in 0..300 {
                let (key, other) = (random.pick(KEYS), random.pick(KEYS));
                let line = match random.below(30) {
                    0..10 if key == other => continue,
                    0..10 => {
                        let reply = renaming.show(&format!("rename {key} {other}"));
                        let copied = copying.show(&format!("copy {key} {other} replace"));
                        assert_eq!(reply == "OK", copied == "1", "seed {seed}, step {step}");
                        copying.run(&format!("del {key}"));
                        renamed += u32::from(reply == "OK");
                        continue;
                    }
                    10 => format!("copy {key} {other} replace"),
                    11 => format!("move {key} 1"),
                    12 => "swapdb 0 1".to_owned(),
                    13 => format!("select {}", random.below(2)),
                    14 => format!("pexpire {key} {}", 1 + random.below(2000)),
                    15 => format!("persist {key}"),
                    16 => format!("del {key}"),
                    17 if random.once_in(10) => "flushdb".to_owned(),
                    17 => format!("sunionstore {other} {key}"),
                    18 => format!("zunionstore {other} 1 {key}"),
                    19 => {
                        renaming.clock.advance_ms(1000);
                        copying.clock.advance_ms(1000);
                        continue;
                    }
                    20 => {
                        let most = 1 + random.below(5);
                        sweeper
                            .step(&*renaming.store, &renaming.server.shared, most)
                            .unwrap();
                        continue;
                    }
                    _ => {
                        let kind = renaming.show(&format!("type {key}"));
                        let fitting = WRITES.iter().find(|(name, _)| *name == kind);
                        let any = || WRITES[random.below(WRITES.len())];
                        let writes = fitting.copied().unwrap_or_else(any).1;
                        let number = random.below(20).to_string();
                        let write = random.pick(writes).replace('K', key);
                        write.replace('N', &number)
                    }
                };
                let replies = [renaming.show(&line), copying.show(&line)];
                assert_eq!(replies[0], replies[1], "seed {seed}, step {step}: {line}");
                assert_eq!(
                    contents(renaming),
                    contents(&mut copying),
                    "seed {seed}, step {step}"
                );
                if step % 10 == 0 {
                    renaming.check();
                }
            }
            assert!(renamed > 20, "seed {seed}: {renamed}");
            sweep(&*renaming.store, &renaming.server.shared).unwrap();
            assert_eq!(check(&*renaming.store).unwrap().orphans, 0, "seed {seed}");
            assert_eq!(contents(renaming), contents(&mut copying), "seed {seed}");
        }
        renaming.run("flushall");
        sweep(&*renaming.store, &renaming.server.shared).unwrap();
        for space in [Space::Data, Space::Score] {
            assert_eq!(rows(&*renaming.store, space, &KeyRange::all()).len(), 0);
        }
        assert_eq!(rows(&*renaming.store, Space::System, &forwards()).len(), 0);
    });
}

#[test]
fn a_collection_that_comes_home_needs_no_forward() {
    over_every_store(|direct| {
        let forwards = |direct: &Direct| rows(&*direct.store, Space::System, &forwards()).len();
        direct.run("sadd a 1 2 3");
        let before = rows(&*direct.store, Space::Data, &KeyRange::all());
        direct.expect(&[("rename a b", "OK"), ("rename b c", "OK")]);
        assert_eq!(forwards(direct), 1);
        direct.expect(&[("rename c a", "OK"), ("sadd a 3 4", "1")]);
        assert_eq!(forwards(direct), 0);
        let after = rows(&*direct.store, Space::Data, &KeyRange::all());
        assert_eq!(after.len(), before.len() + 1);
        assert!(before.iter().all(|row| after.contains(row)));
    });
}

#[test]
fn a_transaction_sees_what_it_has_renamed() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd old 1 a 2 b", "2"),
            ("multi", "OK"),
            ("rename old mid", "QUEUED"),
            ("zadd mid 3 c", "QUEUED"),
            ("zadd old 9 z", "QUEUED"),
            ("rename mid new", "QUEUED"),
            ("zrange new 0 -1", "QUEUED"),
            ("zrange old 0 -1", "QUEUED"),
            ("exists mid", "QUEUED"),
            ("exec", "[OK 1 1 OK [a b c] [z] 0]"),
            ("zrank new c", "2"),
            ("rename new old", "OK"),
            ("zrange old 0 -1", "[a b c]"),
        ]);
    });
}

/// The checker finds a collection to which no forward leads, or one that leads elsewhere.
#[test]
fn the_checker_finds_a_lost_forward() {
    for to in [None, Some("elsewhere")] {
        let mut direct = Direct::new(StoreKind::BTree);
        direct.run("sadd a 1 2 3");
        direct.run("rename a b");
        let [forward] = &rows(&*direct.store, Space::System, &forwards())[..] else {
            panic!("there is one forward");
        };
        let mut batch = Batch::default();
        match to {
            None => batch.delete(Space::System, forward.clone()),
            Some(to) => batch.put(Space::System, forward.clone(), to.into()),
        }
        direct.store.write(batch).unwrap();
        let report = check(&*direct.store).unwrap();
        let [fault] = &report.faults[..] else {
            panic!("{report:?}");
        };
        assert_eq!(fault.key, b"b");
        assert!(fault.what.contains("no forward leads"), "{}", fault.what);
    }
}

#[test]
fn a_forward_that_cannot_be_read_is_a_fault_and_stops_the_sweep() {
    let direct = Direct::new(StoreKind::BTree);
    let mut batch = Batch::default();
    let mut forward = forward_key(&RowPrefix::new(0, b"k", 1));
    forward.pop();
    batch.put(Space::System, forward, Bytes::from("k"));
    direct.store.write(batch).unwrap();
    assert_eq!(check(&*direct.store).unwrap().faults.len(), 1);
    assert!(sweep(&*direct.store, &direct.server.shared).is_err());
}
