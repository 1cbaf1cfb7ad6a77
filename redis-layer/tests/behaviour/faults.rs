//! Faults that published systems have, and this one must not: a test for each.
//!
//! The systems are named as they were read from public sources; the years are those of reading.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use redis_layer::store::{Batch, Cursor, Direction, KeyRange, Result, Snapshot, Space, Store};

use crate::common::hooked::{Hooked, Hooks};
use crate::common::{Direct, over_every_store};

/// NeoKV (here and below: the listings in `12-ZSet类型.md`, commit 9797450) and SSDB (`t_zset.cpp`, 2021) end a range of
/// scores with one `ff` byte.
#[test]
fn members_of_ff_bytes_lie_within_the_range_of_their_score() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 1 \\xff 1 \\xff\\x00 1 \\xff\\xff\\xff 1 a 2 b", "5"),
            (
                "zrangebyscore z 1 1",
                "[a \\xff \\xff\\x00 \\xff\\xff\\xff]",
            ),
            (
                "zrevrangebyscore z 1 1",
                "[\\xff\\xff\\xff \\xff\\x00 \\xff a]",
            ),
            ("zcount z 1 1", "4"),
            ("zcount z (1 2", "1"),
            (
                "zrangebyscore z -inf (2",
                "[a \\xff \\xff\\x00 \\xff\\xff\\xff]",
            ),
        ]);
    });
}

/// NeoKV and Kvrocks (`encoding.cc`, 2024) give the two zeros different keys. A real server finds
/// the member, see `known_differences.rs` for what it prints.
#[test]
fn both_zeros_are_one_score() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z -0 a 0 b", "2"),
            ("zrangebyscore z 0 0", "[a b]"),
            ("zrangebyscore z -0 -0 withscores", "[a=0 b=0]"),
            ("zrangebyscore z (-0 +inf", "[]"),
            ("zadd z ch 0 a -0 b", "0"),
            ("zrank z b", "1"),
            ("zadd z 5 c", "1"),
            ("zincrby z -5 c", "0"),
            ("zcount z 0 0", "3"),
        ]);
    });
}

/// tiny-lsm (2025) writes scores as padded decimal numbers, so it has no fractions, and -10 comes after -5.
#[test]
fn negative_and_broken_scores_are_in_order() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z -10 a -5 b -9 c -9.5 d 0.25 e 100 f 20 g", "7"),
            ("zrange z 0 -1", "[a d c b e g f]"),
            ("zrangebyscore z -9.75 -5", "[d c b]"),
            ("zrank z a", "0"),
        ]);
    });
}

/// NeoKV reads the store and not its own batch; Kvrocks #298 and #1651 were alike.
#[test]
fn one_command_may_name_a_member_twice() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 1 a 2 a", "1"),
            ("zrange z 0 -1 withscores", "[a=2]"),
            ("zcard z", "1"),
            ("zadd z ch 3 a 2 a 3 a", "3"),
            ("zadd z nx 7 b 8 b", "1"),
            ("zmscore z a b", "[3 7]"),
            ("zrem z a a b a", "2"),
            ("exists z", "0"),
        ]);
    });
}

/// NeoKV overwrites a key of another type.
#[test]
fn a_key_of_another_type_is_refused_and_kept() {
    const WRONG: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
    over_every_store(|direct| {
        direct.expect(&[
            ("set s text", "OK"),
            ("zadd s 1 a", WRONG),
            ("zincrby s 1 a", WRONG),
            ("zrem s a", WRONG),
            ("zpopmin s", WRONG),
            ("zrange s 0 -1", WRONG),
            ("zscore s a", WRONG),
            ("zcard s", WRONG),
            ("get s", "text"),
            ("zadd z 1 a", "1"),
            ("get z", WRONG),
            ("set z text get", WRONG),
            ("zcard z", "1"),
            ("set z text", "OK"),
            ("type z", "string"),
        ]);
    });
}

/// NeoKV, Pika (`pika_zset.cc`, 2024) and qdb (`zset.go`, 2015) store NaN. toyDB (`keycode.rs`, 2026) says that NaN comes last, but
/// one with the sign bit set comes first.
#[test]
fn nan_is_refused_from_arguments_and_from_arithmetic() {
    const SUM: &str = "ERR resulting score is not a number (NaN)";
    const ARGUMENT: &str = "ERR value is not a valid float";
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z inf a -inf b", "2"),
            ("zincrby z -inf a", SUM),
            ("zadd z incr inf b", SUM),
            ("zadd z nan c", ARGUMENT),
            ("zadd z 1 d -nan c", ARGUMENT),
            ("zincrby z nan a", ARGUMENT),
            ("zrangebyscore z nan inf", "ERR min or max is not a float"),
            ("zrange z 0 -1 withscores", "[b=-inf a=inf]"),
            ("zincrby z inf a", "inf"),
        ]);
    });
}

/// Titan (2021) leaves the count as it was after `ZREMRANGEBYLEX`.
#[test]
fn what_a_range_of_members_has_lost_is_not_counted() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 0 a 0 b 0 c 0 d", "4"),
            ("zremrangebylex z [b (d", "2"),
            ("zcard z", "2"),
            ("zcount z -inf inf", "2"),
            ("zlexcount z - +", "2"),
            ("zrank z d", "1"),
            ("zremrangebylex z - +", "2"),
            ("zcard z", "0"),
            ("exists z", "0"),
        ]);
    });
}

/// NeoKV computes `LIMIT offset -1` as `offset + count`.
#[test]
fn a_negative_limit_means_all() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 1 a 2 b 3 c", "3"),
            ("zrangebyscore z -inf inf limit 1 -1", "[b c]"),
            ("zrangebyscore z -inf inf limit 0 -5", "[a b c]"),
            ("zrevrangebyscore z inf -inf limit 1 -1", "[b a]"),
            ("zrange z -inf inf byscore limit 2 -1", "[c]"),
            ("zrangebyscore z -inf inf limit -1 -1", "[]"),
            ("zrangebyscore z -inf inf limit 0 0", "[]"),
        ]);
    });
}

// Fault 7, updates that get lost without a lock, is in `concurrency.rs`.

/// Kvrocks (`redis_zset.cc`, 2024) starts a reversed scan at the first of several members at +inf.
#[test]
fn several_members_at_an_infinity_are_all_found_from_both_sides() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z inf a inf b inf \\xff\\xff -inf c -inf d 0 e", "6"),
            ("zrevrangebyscore z +inf -inf", "[\\xff\\xff b a e d c]"),
            ("zrevrangebyscore z +inf (0", "[\\xff\\xff b a]"),
            ("zpopmax z 2", "[\\xff\\xff=inf b=inf]"),
            ("zpopmin z 2", "[c=-inf d=-inf]"),
            ("zrevrank z a", "0"),
        ]);
    });
}

/// Kvrocks (`range_spec.cc`, 2024) refuses `+inf +inf`.
#[test]
fn a_range_from_infinity_to_infinity_holds_its_members() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z inf a inf b -inf c 1 d", "4"),
            ("zrangebyscore z +inf +inf", "[a b]"),
            ("zcount z -inf -inf", "1"),
            ("zrangebyscore z (+inf +inf", "[]"),
            ("zrangebyscore z (-inf (+inf", "[d]"),
        ]);
    });
}

/// Pika's comparator (2024) takes score + 1.0 for the next score: above 2^53 that is the same one.
#[test]
fn great_scores_have_neighbours() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 9007199254740992 a 9007199254740994 b 1e308 c", "3"),
            ("zrangebyscore z 9007199254740992 9007199254740992", "[a]"),
            ("zrangebyscore z (9007199254740992 (1e308", "[b]"),
            ("zcount z (1e308 inf", "0"),
            ("zrevrangebyscore z 1e308 1e308", "[c]"),
        ]);
    });
}

/// Pika (`storage_define.h`, 2024) has an escape under which two keys encode alike.
#[test]
fn keys_of_zero_bytes_do_not_mix() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd k 1 a", "1"),
            ("zadd k\\x00 2 a", "1"),
            ("zadd k\\x00\\x01 3 a", "1"),
            ("zadd k\\x00\\xff 4 a", "1"),
            ("zadd \\x00 5 a", "1"),
            ("zrange k 0 -1 withscores", "[a=1]"),
            ("zrange k\\x00 0 -1 withscores", "[a=2]"),
            ("zrange k\\x00\\x01 0 -1 withscores", "[a=3]"),
            ("zrange k\\x00\\xff 0 -1 withscores", "[a=4]"),
            ("zrange \\x00 0 -1 withscores", "[a=5]"),
            ("dbsize", "5"),
        ]);
    });
}

/// qdb (2015) puts the length before the member, so equal scores sort by length.
#[test]
fn equal_scores_sort_by_the_bytes_of_the_member() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 0 b 0 aa 0 aaa 0 a\\x00 0 a 0 10 0 9", "7"),
            ("zrange z 0 -1", "[10 9 a a\\x00 aa aaa b]"),
            ("zrangebylex z [a (b", "[a a\\x00 aa aaa]"),
        ]);
    });
}

/// A layer over TiKV (2024) passes binary members through text.
#[test]
fn bytes_stay_bytes() {
    over_every_store(|direct| {
        direct.expect(&[
            (
                "zadd \\xc3\\x28 1 \\xff\\xfe\\x80 1 \\xc3 1 \\xef\\xbf\\xbd",
                "3",
            ),
            (
                "zrange \\xc3\\x28 0 -1",
                "[\\xc3 \\xef\\xbf\\xbd \\xff\\xfe\\x80]",
            ),
            ("zscore \\xc3\\x28 \\xef\\xbf\\xbd", "1"),
            ("set \\x80 \\xff\\x00\\xff", "OK"),
            ("get \\x80", "\\xff\\x00\\xff"),
        ]);
    });
}

/// Lazy deletion leaves rows behind. A new set under the same key must not see them.
#[test]
fn a_new_set_does_not_see_the_rows_of_a_removed_one() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 1 a 2 b", "2"),
            ("del z", "1"),
            ("zscore z a", "nil"),
            ("zadd z 9 c", "1"),
            ("zrange z 0 -1 withscores", "[c=9]"),
            ("zadd z xx ch 5 a", "0"),
            ("set z text", "OK"),
            ("del z", "1"),
            ("zadd z 1 c", "1"),
            ("zrange z 0 -1 withscores", "[c=1]"),
        ]);
    });
}

/// The rows of removed sets take space until somebody sweeps; twice as many as a hash would leave.
#[test]
fn orphans_are_counted_and_swept_away() {
    use redis_layer::types::{check, sweep};
    over_every_store(|direct: &mut Direct| {
        direct.run("zadd kept 1 a");
        for (command, orphans) in [("del z", 4), ("set z text", 8), ("flushall", 14)] {
            direct.run("del z");
            direct.run("zadd z 1 a 2 b");
            direct.run(command);
            assert_eq!(check(&*direct.store).unwrap().orphans, orphans, "{command}");
            if command == "set z text" {
                direct.run("del z");
            }
        }
        direct.run("zadd kept 1 a 2 b");
        assert_eq!(sweep(&*direct.store, &direct.server.shared).unwrap(), 14);
        let report = check(&*direct.store).unwrap();
        assert_eq!((report.orphans, report.elements), (0, 2));
        direct.expect(&[("zrange kept 0 -1", "[a b]")]);
    });
}

/// Kvrocks #494: a set that is used as a queue slows down on its own tombstones. A pop must start
/// where the one before stopped, not at the start of the set.
#[test]
fn a_pop_does_not_walk_over_what_was_popped_before() {
    for (pop, direction) in [
        ("zpopmin", Direction::Forward),
        ("zpopmax", Direction::Backward),
    ] {
        let watched = Arc::<Hooked<Watched>>::default();
        let mut direct = Direct::over(Arc::clone(&watched) as Arc<dyn Store>);
        let members: Vec<String> = (0..100).map(|n| format!("{} m{n:03}", n / 50)).collect();
        direct.run(&format!("zadd z {}", members.join(" ")));
        for round in 0..50 {
            watched.scans.lock().clear();
            let removed = watched.removed.lock().clone();
            direct.run(&format!("{pop} z"));
            let (range, way) = watched.scans.lock()[0].clone();
            assert_eq!(way, direction);
            let passed = removed.iter().filter(|row| range.contains(row)).count();
            assert_eq!(
                passed, 0,
                "{pop} walks over removed rows after {round} rounds"
            );
            // New members come in between, as in a queue with priorities.
            direct.run(&format!("zadd z 0.5 n{round:03}"));
        }
        direct.check();
    }
}

/// A store that remembers which score rows were removed, and where scans of them went.
#[derive(Default)]
struct Watched {
    removed: Mutex<Vec<Vec<u8>>>,
    scans: Arc<Mutex<Vec<(KeyRange, Direction)>>>,
}

impl Hooks for Watched {
    fn snapshot(&self, inner: &dyn Store) -> Result<Box<dyn Snapshot>> {
        Ok(Box::new(WatchedSnapshot {
            snapshot: inner.snapshot()?,
            scans: Arc::clone(&self.scans),
        }))
    }

    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        for (space, change) in batch.changes() {
            if space == Space::Score && change.value.is_none() {
                self.removed.lock().push(change.key.clone());
            }
        }
        inner.write(batch)
    }
}

struct WatchedSnapshot {
    snapshot: Box<dyn Snapshot>,
    scans: Arc<Mutex<Vec<(KeyRange, Direction)>>>,
}

impl Snapshot for WatchedSnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        self.snapshot.get(space, key)
    }

    fn scan<'a>(
        &'a self,
        space: Space,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor + 'a>> {
        if space == Space::Score {
            self.scans.lock().push((range.clone(), direction));
        }
        self.snapshot.scan(space, range, direction)
    }
}
