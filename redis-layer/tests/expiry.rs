//! Keys expire by a clock that the test moves.

mod common;

use common::{START_MS, over_every_store};

#[test]
fn a_key_is_gone_one_millisecond_after_its_expiry() {
    over_every_store(|direct| {
        direct.expect(&[
            ("set s v px 1000", "OK"),
            ("zadd z 1 a", "1"),
            ("pexpire z 1000", "1"),
            ("pttl s", "1000"),
            ("ttl z", "1"),
        ]);
        direct.clock.advance_ms(1000);
        direct.expect(&[
            ("get s", "v"),
            ("pttl s", "0"),
            ("zcard z", "1"),
            ("dbsize", "2"),
        ]);
        direct.clock.advance_ms(1);
        direct.expect(&[
            ("get s", "nil"),
            ("ttl s", "-2"),
            ("zcard z", "0"),
            ("zrange z 0 -1", "[]"),
            ("type z", "none"),
            ("exists s z", "0"),
            ("dbsize", "0"),
            ("del s z", "0"),
            ("persist z", "0"),
            ("expire s 10", "0"),
        ]);
    });
}

#[test]
fn what_follows_an_expired_key_starts_anew() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 1 a 2 b", "2"),
            ("expire z 1", "1"),
            ("set s v px 1", "OK"),
        ]);
        direct.clock.advance_ms(5000);
        direct.expect(&[
            ("zadd z xx 1 a", "0"),
            ("zadd z 3 c", "1"),
            ("zrange z 0 -1 withscores", "[c=3]"),
            ("ttl z", "-1"),
            ("set s w xx", "nil"),
            ("set s w nx keepttl", "OK"),
            ("ttl s", "-1"),
            (
                "zadd s 1 a",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
            ),
        ]);
    });
}

#[test]
fn an_expiry_stays_with_changes_and_goes_with_set() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 1 a", "1"),
            ("expire z 100", "1"),
            ("zadd z 2 b", "1"),
            ("zpopmin z", "[a 1]"),
            ("ttl z", "100"),
            ("set s v ex 100", "OK"),
            ("set s w keepttl", "OK"),
            ("ttl s", "100"),
            ("set s w", "OK"),
            ("ttl s", "-1"),
            ("expire s 100", "1"),
            ("persist s", "1"),
            ("persist s", "0"),
            ("ttl s", "-1"),
        ]);
    });
}

#[test]
fn conditions_compare_with_the_expiry_that_is_there() {
    over_every_store(|direct| {
        direct.expect(&[
            ("set s v", "OK"),
            ("expire s 100 xx", "0"),
            ("expire s 100 gt", "0"),
            ("expire s 100 lt", "1"),
            ("expire s 100 nx", "0"),
            ("expire s 100 gt", "0"),
            ("expire s 101 gt xx", "1"),
            ("expire s 101 lt", "0"),
            ("pexpire s 100999 lt", "1"),
            ("pttl s", "100999"),
            ("ttl s", "101"),
        ]);
    });
}

#[test]
fn absolute_times_and_the_limits_of_numbers() {
    const SET: &str = "ERR invalid expire time in 'set' command";
    const EXPIRE: &str = "ERR invalid expire time in 'expire' command";
    over_every_store(|direct| {
        let in_a_minute = START_MS / 1000 + 60;
        direct.expect(&[
            (&format!("set s v exat {in_a_minute}"), "OK"),
            ("ttl s", "60"),
            (&format!("set s v pxat {in_a_minute}000"), "OK"),
            ("pttl s", "60000"),
            (&format!("expireat s {}", in_a_minute + 60), "1"),
            ("ttl s", "120"),
            ("set s v ex 9223372036854775807", SET),
            ("set s v px 9223372036854775807", SET),
            ("set s v ex 0", SET),
            ("expire s 9223372036854775807", EXPIRE),
            ("pexpireat s 9223372036854775807", "1"),
            ("pttl s", &(i64::MAX - START_MS).to_string()),
            ("set s v exat 1", "OK"),
            ("exists s", "0"),
            ("set s v", "OK"),
            ("expire s -1", "1"),
            ("exists s", "0"),
            ("dbsize", "0"),
        ]);
    });
}
