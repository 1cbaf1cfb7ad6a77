//! Ranks are right whatever happens to a set, and their cost does not grow with it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redis_layer::store::{Direction, Scope};
use redis_layer::types::zset::{AddRule, SortedSet, rank};
use redis_layer::types::{Content, Txn, check_ranks};

use crate::common::counting::Counting;
use crate::common::random::Random;
use crate::common::{Direct, Over, START_MS, StoreKind, over_every_store, scope_in_time};

/// A set as a map, and its order.
#[derive(Default)]
struct Model(BTreeMap<String, i64>);

impl Model {
    fn sorted(&self) -> Vec<(&str, i64)> {
        let mut pairs: Vec<(&str, i64)> = self.0.iter().map(|(m, s)| (m.as_str(), *s)).collect();
        pairs.sort_by_key(|(member, score)| (*score, *member));
        pairs
    }
}

fn names<'m>(pairs: impl Iterator<Item = &'m (&'m str, i64)>) -> String {
    let names: Vec<&str> = pairs.map(|(member, _)| *member).collect();
    format!("[{}]", names.join(" "))
}

/// Asks everything that counts, and compares with the model.
fn ask(direct: &mut Direct, model: &Model, random: &mut Random) {
    let sorted = model.sorted();
    let size = sorted.len();
    let member = format!("m{}", random.below(900));
    let rank = sorted.iter().position(|(name, _)| *name == member);
    let shown = |rank: Option<usize>| rank.map_or("nil".to_owned(), |rank| rank.to_string());
    assert_eq!(direct.show(&format!("zrank z {member}")), shown(rank));
    let behind = rank.map(|rank| size - 1 - rank);
    assert_eq!(direct.show(&format!("zrevrank z {member}")), shown(behind));

    let (first, count) = (random.below(size + 1), random.below(20));
    let part = sorted.iter().skip(first).take(count + 1);
    let line = format!("zrange z {first} {}", first + count);
    assert_eq!(direct.show(&line), names(part), "{line}");
    let part = sorted.iter().rev().skip(first).take(count + 1);
    let line = format!("zrevrange z {first} {}", first + count);
    assert_eq!(direct.show(&line), names(part), "{line}");

    let (a, b) = (random.below(60), random.below(60));
    let (min, max) = (a.min(b) as i64, a.max(b) as i64);
    let within = sorted
        .iter()
        .filter(|(_, score)| (min..=max).contains(score));
    let inside: Vec<&(&str, i64)> = within.collect();
    let line = format!("zcount z {min} {max}");
    assert_eq!(direct.show(&line), inside.len().to_string(), "{line}");
    let open = inside
        .iter()
        .filter(|(_, score)| *score != min && *score != max);
    let line = format!("zcount z ({min} ({max}");
    assert_eq!(direct.show(&line), open.count().to_string(), "{line}");

    let offset = random.below(inside.len() + 5);
    let part = inside.iter().skip(offset).take(4).copied();
    let line = format!("zrangebyscore z {min} {max} limit {offset} 4");
    assert_eq!(direct.show(&line), names(part), "{line}");
    let part = inside.iter().rev().skip(offset).take(4).copied();
    let line = format!("zrevrangebyscore z {max} {min} limit {offset} 4");
    assert_eq!(direct.show(&line), names(part), "{line}");
}

fn change(direct: &mut Direct, model: &mut Model, random: &mut Random) {
    let member = format!("m{}", random.below(900));
    let score = random.below(60) as i64;
    match random.below(20) {
        0..=12 => {
            direct.run(&format!("zadd z {score} {member}"));
            model.0.insert(member, score);
        }
        13 => {
            direct.run(&format!("zincrby z 3 {member}"));
            *model.0.entry(member).or_default() += 3;
        }
        14..=16 => {
            direct.run(&format!("zrem z {member}"));
            model.0.remove(&member);
        }
        17 | 18 => {
            let sorted = model.sorted();
            let (command, popped) = if score % 2 == 0 {
                ("zpopmin z", sorted.first())
            } else {
                ("zpopmax z", sorted.last())
            };
            let gone = popped.map(|(name, _)| (*name).to_owned());
            direct.run(command);
            gone.and_then(|name| model.0.remove(&name));
        }
        _ if random.once_in(40) => {
            direct.run("del z");
            model.0.clear();
        }
        _ => {}
    }
}

#[test]
fn random_changes_and_questions_agree_with_a_model() {
    over_every_store(|direct| {
        let mut indexes_seen = 0;
        for seed in 0..4 {
            let mut random = Random::new(seed);
            let mut model = Model::default();
            direct.run("del z");
            for step in 0..1500 {
                // Some changes go together, and are asked about before they are committed.
                let is_together = random.once_in(50);
                if is_together {
                    direct.run("multi");
                }
                for _ in 0..if is_together { 30 } else { 1 } {
                    change(direct, &mut model, &mut random);
                }
                if is_together {
                    let sorted = model.sorted();
                    let asked = random.below(sorted.len() + 1);
                    let expected = names(sorted.iter().skip(asked).take(2));
                    direct.run(&format!("zrange z {asked} {}", asked + 1));
                    let replies = direct.show("exec");
                    assert!(replies.ends_with(&format!("{expected}]")), "{replies}");
                }
                if step % 3 == 0 {
                    ask(direct, &model, &mut random);
                }
                if step % 100 == 0 {
                    indexes_seen += direct.server.shared.rank_indexes().len();
                    direct.check();
                }
            }
        }
        assert!(
            indexes_seen > 20,
            "only {indexes_seen} looks found an index"
        );
    });
}

/// Members with one score: their ranks are those of their bytes.
#[test]
fn members_of_one_score_are_counted_by_name() {
    over_every_store(|direct| {
        let mut expected: Vec<String> = (0..500).map(|n| format!("m{n}")).collect();
        for member in &expected {
            direct.run(&format!("zadd z 7 {member}"));
        }
        expected.sort();
        let count = |from: &str, to: &str| {
            let inside = expected
                .iter()
                .filter(|m| m.as_str() >= from && m.as_str() < to);
            inside.count().to_string()
        };
        assert_eq!(direct.show("zlexcount z [m12 (m34"), count("m12", "m34"));
        assert_eq!(
            direct.show("zlexcount z (m12 [m34"),
            count("m12\0", "m34\0")
        );
        assert_eq!(direct.show("zlexcount z - +"), "500");
        assert_eq!(direct.show("zlexcount z + -"), "0");
        assert_eq!(direct.show("zlexcount z - (m200"), count("", "m200"));
        assert_eq!(direct.show("zlexcount z [m200 +"), count("m200", "n"));
        assert_eq!(direct.server.shared.rank_indexes().len(), 1);
        // With a second score the order by name is not the order of the set.
        direct.run("zadd z 1 m999");
        assert_eq!(direct.show("zlexcount z [m9 +"), "12");
    });
}

/// A set of 1,000 members `m000` to `m999` with scores 0 to 999, and its index.
fn large(kind: StoreKind) -> Direct {
    let mut direct = Direct::new(kind);
    for n in 0..1000 {
        direct.run(&format!("zadd z {n} m{n:03}"));
    }
    assert_eq!(direct.show("zrank z m500"), "500");
    direct
}

fn rank_in(txn: &mut Txn<'_>, member: &[u8]) -> Option<u64> {
    let set = SortedSet::open_ranked(txn, b"z").unwrap().unwrap();
    rank::rank_of(&set, member, Direction::Forward).unwrap()
}

fn add(txn: &mut Txn<'_>, score: f64, member: &[u8]) {
    let mut set = SortedSet::open_or_create(txn, b"z").unwrap();
    set.add(member, score, AddRule::default()).unwrap();
    set.finish().unwrap();
}

/// A command sees its own changes; what is rolled back or never committed is as if it had not been.
#[test]
fn an_index_follows_a_transaction_forwards_and_back() {
    for kind in StoreKind::ALL {
        // Once with an index from before, once with one that the transaction makes itself.
        for has_index in [true, false] {
            let direct = large(kind);
            let shared = &direct.server.shared;
            if !has_index {
                shared.rank_indexes().clear();
            }
            let begin = || {
                let txn = Txn::begin(&*direct.store, shared, 0, START_MS).unwrap();
                txn.under(Some(Scope::Everything))
            };
            let mut txn = begin();
            for n in 0..200 {
                add(&mut txn, -1.0, format!("new{n}").as_bytes());
            }
            assert_eq!(rank_in(&mut txn, b"m500"), Some(700));
            let savepoint = txn.savepoint();
            for n in 0..200 {
                add(&mut txn, 2000.0, format!("new{n}").as_bytes());
            }
            for n in 0..100 {
                let mut set = SortedSet::open_or_create(&mut txn, b"z").unwrap();
                assert!(set.remove(format!("m{n:03}").as_bytes()).unwrap());
                set.finish().unwrap();
            }
            assert_eq!(rank_in(&mut txn, b"m500"), Some(400));
            txn.roll_back(&savepoint);
            assert_eq!(rank_in(&mut txn, b"m500"), Some(700));
            drop(txn);
            assert_eq!(
                check_ranks(&*direct.store, shared.rank_indexes()).unwrap(),
                []
            );
            let mut txn = begin();
            assert_eq!(rank_in(&mut txn, b"m500"), Some(500));
            add(&mut txn, -1.0, b"new");
            txn.commit().unwrap();
            assert_eq!(rank_in(&mut begin(), b"m500"), Some(501));
            direct.check();
        }
    }
}

/// Who does not hold the lock of the key asks no index: its counts may be ahead of the snapshot.
#[test]
fn a_reader_without_a_lock_walks_its_own_snapshot() {
    let mut direct = large(StoreKind::Engine);
    let store = Arc::clone(&direct.store);
    let server = Arc::clone(&direct.server);
    let mut before = Txn::begin(&*store, &server.shared, 0, START_MS).unwrap();
    direct.run("zadd z -1 new");
    let set = SortedSet::open_ranked(&mut before, b"z").unwrap().unwrap();
    assert_eq!(set.len(), 1000);
    let rank = rank::rank_of(&set, b"m500", Direction::Forward).unwrap();
    assert_eq!(rank, Some(500));
    assert_eq!(direct.show("zrank z m500"), "501");
}

/// A size in a metadata row may be wrong, which `fsck` reports. The search for members that are not there ends.
#[test]
fn random_members_come_to_an_end_although_the_size_of_the_set_is_wrong() {
    let mut direct = Direct::new(StoreKind::BTree);
    for n in 0..200 {
        direct.run(&format!("zadd z {n} m{n}"));
    }
    let shared = &direct.server.shared;
    let begin = || Txn::begin(&*direct.store, shared, 0, START_MS).unwrap();
    let mut txn = begin();
    let mut metadata = txn.lookup(b"z").unwrap().unwrap();
    let Content::SortedSet(collection, _) = &mut metadata.content else {
        panic!("it is a sorted set");
    };
    collection.size = 4000;
    txn.set_metadata(b"z", &metadata);
    txn.commit().unwrap();
    let mut txn = begin();
    let set = SortedSet::open(&mut txn, b"z").unwrap().unwrap();
    assert!(rank::random_different(&set, 1000).unwrap().len() < 1000);
}

/// Who only reads needs no lock: the index tells whether it is that of the snapshot.
#[test]
fn ranks_are_answered_while_somebody_holds_the_lock_of_the_key() {
    for kind in StoreKind::ALL {
        let mut direct = large(kind);
        direct.run("zadd z 499.5 new");
        let store = Arc::clone(&direct.store);
        let lock = store.lock(Scope::Everything).unwrap();
        assert_eq!(direct.show("zrank z m500"), "501");
        assert_eq!(direct.show("zcount z 400 (600"), "201");
        assert_eq!(direct.show("zrange z 500 501"), "[new m500]");
        assert_eq!(direct.show("zrange missing 500 501"), "[]");
        drop(lock);
    }
}

/// Without an index, a reader of ranks takes the lock; if somebody keeps it for long, a walk answers.
#[test]
fn ranks_are_answered_without_an_index_while_somebody_keeps_the_lock_of_the_key() {
    for kind in StoreKind::ALL {
        let mut direct = large(kind);
        for n in 0..300 {
            direct.run(&format!("rpush l {n}"));
        }
        direct.run("linsert l before 150 new");
        direct.server.shared.rank_indexes().clear();
        let store = Arc::clone(&direct.store);
        let lock = store.lock(Scope::Everything).unwrap();
        assert_eq!(direct.show("zrank z m500"), "500");
        assert_eq!(direct.show("zcount z 400 (600"), "200");
        assert_eq!(direct.show("zrange z 500 501"), "[m500 m501]");
        assert_eq!(direct.show("lindex l 150"), "new");
        assert_eq!(direct.server.shared.rank_indexes().len(), 0);
        drop(lock);
        assert_eq!(direct.show("zrank z m500"), "500");
        assert_eq!(direct.server.shared.rank_indexes().len(), 1);
    }
}

/// A reader whose snapshot is older than the index is not told of what came later, and takes the lock.
#[test]
fn a_reader_with_an_old_snapshot_takes_a_new_one_under_the_lock() {
    let mut direct = large(StoreKind::Engine);
    let (store, server) = (Arc::clone(&direct.store), Arc::clone(&direct.server));
    let begin = || {
        let txn = Txn::begin(&*store, &server.shared, 0, START_MS).unwrap();
        txn.under(None)
    };
    let ask = |txn: &mut Txn<'_>| {
        let rank = |set: &SortedSet<'_, '_>| rank::rank_of(set, b"m500", Direction::Forward);
        rank::ask(txn, b"z", rank).unwrap().flatten()
    };
    let mut old = begin();
    direct.run("zadd z -1 new");
    assert_eq!(ask(&mut old), Some(501));
    drop(old);
    let mut writer = begin().under(Some(Scope::Everything));
    add(&mut writer, -2.0, b"newer");
    assert_eq!(rank_in(&mut writer, b"m500"), Some(502));
    drop(writer);
    let lock = store.lock(Scope::Everything).unwrap();
    assert_eq!(ask(&mut begin()), Some(501), "it is settled again");
    drop(lock);
}

#[test]
fn indexes_go_with_their_sets() {
    over_every_store(|direct| {
        for end in ["del z", "flushall", "zpopmin z 1000"] {
            for n in 0..300 {
                direct.run(&format!("zadd z {n} m{n}"));
            }
            assert_eq!(direct.show("zrank z m200"), "200");
            assert_eq!(direct.server.shared.rank_indexes().len(), 1);
            direct.run(end);
            assert_eq!(direct.server.shared.rank_indexes().len(), 0, "{end}");
            assert_eq!(direct.server.shared.rank_indexes().bytes(), 0, "{end}");
        }
    });
}

/// Readers beside writers, with a set whose size never changes: every answer is one of a whole state.
#[test]
fn readers_beside_writers_never_count_half_a_change() {
    let direct = large(StoreKind::Engine);
    let stop = AtomicBool::new(false);
    scope_in_time(|scope| {
        for thread in 0..2 {
            let server = Arc::clone(&direct.server);
            let store = Arc::clone(&direct.store);
            let clock = Arc::clone(&direct.clock);
            let stop = &stop;
            scope.spawn(move || {
                let session = server.connect("writer".into(), "test".into());
                let mut writer = Direct {
                    store,
                    clock,
                    server,
                    session,
                };
                let mut random = Random::new(thread);
                while !stop.load(Ordering::Relaxed) {
                    let (score, member) = (random.below(1000), random.below(1000));
                    writer.run(&format!("zadd z {score} m{member:03}"));
                }
            });
        }
        let server = Arc::clone(&direct.server);
        let session = server.connect("reader".into(), "test".into());
        let mut reader = Direct {
            store: Arc::clone(&direct.store),
            clock: Arc::clone(&direct.clock),
            server,
            session,
        };
        let _over = Over(&stop);
        for _ in 0..3000 {
            assert_eq!(reader.show("zcount z 0 5000"), "1000");
            assert_eq!(reader.show("zrange z 999 1001").split(' ').count(), 1);
        }
    });
    direct.check();
}

/// The steps of a question do not grow with the set; those of the first one build the index.
#[test]
fn the_cost_of_a_rank_does_not_grow_with_the_set() {
    for size in [1000, 20_000] {
        let (store, counters) = Counting::over(StoreKind::BTree.open());
        let mut direct = Direct::over(store);
        for chunk in 0..size / 100 {
            let pairs: Vec<String> = (0..100)
                .map(|n| chunk * 100 + n)
                .map(|n| format!("{} m{n}", n * 7919 % size))
                .collect();
            direct.run(&format!("zadd z {}", pairs.join(" ")));
        }
        counters.steps();
        direct.run("zrank z m500");
        let steps = counters.steps();
        assert!(steps >= size && steps < size + 100, "{steps} to build");
        let middle = size / 2;
        // How many times the way of one question each of them takes.
        let asked = [
            (1, "zrank z m900".to_owned()),
            (1, "zrevrank z m700".to_owned()),
            (1, "zrange z 400 401".to_owned()),
            (1, "zrevrange z 500 501".to_owned()),
            (1, "zcount z 10 (900".to_owned()),
            (1, "zrangebyscore z 100 +inf limit 300 2".to_owned()),
            (1, "zrandmember z".to_owned()),
            (3, "zrandmember z 3 withscores".to_owned()),
            (3, "zrandmember z -3".to_owned()),
            (1, format!("zremrangebyrank z {middle} {}", middle + 2)),
            (1, format!("zremrangebyrank z {middle} {middle}")),
            (1, "zremrangebyrank z -402 -400".to_owned()),
        ];
        for (ways, line) in asked {
            counters.steps();
            direct.run(&line);
            let steps = counters.steps();
            assert!(
                steps <= ways * (2 * 64 + 4),
                "{line} takes {steps} steps among {size}"
            );
        }
        assert_eq!(direct.show("zcard z"), (size - 7).to_string());
    }
}
