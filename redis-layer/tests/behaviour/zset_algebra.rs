//! Several sorted sets together: weights, sums of infinities, limits, refusals in the order of Redis, and stored results.

use crate::common::over_every_store;

#[test]
fn scores_are_weighted_and_joined() {
    over_every_store(|redis| {
        redis.expect(&[
            ("zadd a 1 x 2 y 3 z", "3"),
            ("zadd b 10 y 20 z 30 w", "3"),
            ("zunion 2 a b withscores", "[x=1 y=12 z=23 w=30]"),
            (
                "zunion 2 a b weights 2 0.5 withscores",
                "[x=2 y=9 w=15 z=16]",
            ),
            (
                "zunion 2 a b aggregate min withscores",
                "[x=1 y=2 z=3 w=30]",
            ),
            ("zunion 2 a b aggregate MAX", "[x y z w]"),
            ("zinter 2 a b withscores", "[y=12 z=23]"),
            (
                "zinter 2 a b weights 1 -1 aggregate sum withscores",
                "[z=-17 y=-8]",
            ),
            ("zinter 2 a nothing", "[]"),
            ("zdiff 2 a b withscores", "[x=1]"),
            ("zdiff 2 a a", "[]"),
            ("zdiff 1 a", "[x y z]"),
            ("zunion 2 a a withscores", "[x=2 y=4 z=6]"),
            ("zintercard 2 a b", "2"),
            ("zintercard 2 a b limit 1", "1"),
            ("zintercard 2 a b limit 0", "2"),
        ]);
    });
}

#[test]
fn no_sum_is_ever_nan() {
    over_every_store(|redis| {
        redis.expect(&[
            ("zadd up inf m", "1"),
            ("zadd down -inf m", "1"),
            ("zadd none 0 m", "1"),
            ("zunion 2 up down withscores", "[m=0]"),
            ("zinter 2 up down withscores", "[m=0]"),
            ("zunion 1 none weights inf withscores", "[m=0]"),
            ("zunion 1 up weights 0 withscores", "[m=0]"),
            (
                "zinter 2 none up weights inf 0 aggregate max withscores",
                "[m=0]",
            ),
            ("zunionstore d 1 up weights -1", "1"),
            ("zscore d m", "-inf"),
            ("zadd neg -1 m", "1"),
            ("zunionstore d 1 neg weights 0", "1"),
            ("zrangebyscore d 0 0", "[m]"),
        ]);
    });
}

#[test]
fn a_result_replaces_what_stood_under_the_key() {
    over_every_store(|redis| {
        redis.expect(&[
            ("zadd a 1 x 2 y", "2"),
            ("zadd b 5 y", "1"),
            ("set d string ex 1000", "OK"),
            ("zunionstore d 2 a b", "2"),
            ("zrange d 0 -1 withscores", "[x=1 y=7]"),
            ("ttl d", "-1"),
            ("zinterstore a 2 a b", "1"),
            ("zrange a 0 -1 withscores", "[y=7]"),
            ("zdiffstore a 2 a b", "0"),
            ("exists a", "0"),
            ("zrangestore copy d 0 0", "1"),
            ("zrangestore d d 2 (8 byscore", "1"),
            ("zrange d 0 -1", "[y]"),
            ("zrangestore d nothing 0 -1", "0"),
            ("exists d", "0"),
        ]);
    });
}

#[test]
fn refusals_come_in_the_order_of_redis() {
    const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
    over_every_store(|redis| {
        redis.expect(&[
            ("zadd a 1 x", "1"),
            ("set s v", "OK"),
            ("zunion x a", "ERR value is not an integer or out of range"),
            (
                "zunion 0 a",
                "ERR at least 1 input key is needed for 'zunion' command",
            ),
            (
                "zinterstore d -1 a",
                "ERR at least 1 input key is needed for 'zinterstore' command",
            ),
            ("zunion 3 a b", "ERR syntax error"),
            ("zunion 2 a s nonsense", WRONG_TYPE),
            ("zunion 1 a nonsense", "ERR syntax error"),
            ("zunion 2 a b weights 1", "ERR syntax error"),
            ("zunion 1 a weights x", "ERR weight value is not a float"),
            ("zunion 1 a aggregate avg", "ERR syntax error"),
            ("zunionstore d 1 a withscores", "ERR syntax error"),
            ("zdiff 1 a weights 1", "ERR syntax error"),
            ("zintercard 1 a limit -1", "ERR LIMIT can't be negative"),
            ("zintercard 1 a withscores", "ERR syntax error"),
            ("zrangestore d s 0 -1 withscores", "ERR syntax error"),
            ("zrangestore d s 0 -1", WRONG_TYPE),
            ("zmpop 0 a min", "ERR numkeys should be greater than 0"),
            ("zmpop 9 a min", "ERR syntax error"),
            ("zmpop 1 a mid", "ERR syntax error"),
            (
                "zmpop 1 a min count 0",
                "ERR count should be greater than 0",
            ),
            ("zmpop 1 a min count 1 count 1", "ERR syntax error"),
            ("bzmpop x 1 a mid", "ERR syntax error"),
            (
                "bzmpop x 1 a min",
                "ERR timeout is not a float or out of range",
            ),
            ("bzpopmin a -1", "ERR timeout is negative"),
            ("exists d", "0"),
        ]);
    });
}

#[test]
fn the_first_set_with_members_is_popped() {
    over_every_store(|redis| {
        redis.expect(&[
            ("zadd a 1 x 2 y 3 z", "3"),
            ("zmpop 2 nothing a min count 2", "[a [[x 1] [y 2]]]"),
            ("zmpop 2 nothing a max count 99", "[a [[z 3]]]"),
            ("exists a", "0"),
            ("zmpop 2 nothing a max", "nil"),
            ("zadd a 1 x 2 y", "2"),
            ("bzpopmax nothing a 0", "[a y 2]"),
            ("bzmpop 0 2 nothing a min", "[a [[x 1]]]"),
            ("exists a", "0"),
        ]);
    });
}

#[test]
fn a_range_is_removed_and_the_key_with_its_last_member() {
    over_every_store(|redis| {
        redis.expect(&[
            ("zadd a 1 u 2 v 3 w 4 x 5 y", "5"),
            ("zremrangebyrank a 1 -4", "1"),
            ("zremrangebyscore a (3 4", "1"),
            ("zrange a 0 -1", "[u w y]"),
            ("zremrangebyrank a 3 9", "0"),
            ("zremrangebyscore a x 4", "ERR min or max is not a float"),
            ("zremrangebylex a [w +", "2"),
            (
                "zremrangebylex a x +",
                "ERR min or max not valid string range item",
            ),
            ("zremrangebyscore a -inf inf", "1"),
            ("exists a", "0"),
            ("zremrangebyrank a 0 -1", "0"),
        ]);
    });
}
