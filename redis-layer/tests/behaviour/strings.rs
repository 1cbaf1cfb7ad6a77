//! Strings: whole ones, parts of them, and numbers in them.

use crate::common::{START_MS, over_every_store};

const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";

#[test]
fn strings_are_stored_under_conditions_and_read_back() {
    over_every_store(|direct| {
        direct.expect(&[
            ("set a 1 nx get", "nil"),
            ("set a 2 nx get", "1"),
            ("set a 2 xx get", "1"),
            ("get a", "2"),
            ("set b 1 xx", "nil"),
            ("set a 3 nx xx", "ERR syntax error"),
            ("set a 3 persist", "ERR syntax error"),
            ("setnx a 4", "0"),
            ("setnx b 4", "1"),
            ("getset b 5", "4"),
            ("getset new 5", "nil"),
            ("getdel b", "5"),
            ("getdel b", "nil"),
            ("zadd z 1 a", "1"),
            ("set z 1 get", WRONG_TYPE),
            ("getset z 1", WRONG_TYPE),
            ("getdel z", WRONG_TYPE),
            ("mget a z nothing new", "[2 nil nil 5]"),
            ("set z 1", "OK"),
            ("type z", "string"),
        ]);
    });
}

#[test]
fn expiries_are_given_kept_and_taken() {
    const SETEX: &str = "ERR invalid expire time in 'setex' command";
    let past = START_MS - 1;
    over_every_store(|direct| {
        direct.expect(&[
            ("setex a 100 v", "OK"),
            ("ttl a", "100"),
            ("psetex a 5000 v", "OK"),
            ("pttl a", "5000"),
            ("setex a 0 v", SETEX),
            ("setex a x v", "ERR value is not an integer or out of range"),
            ("append a w", "2"),
            ("setrange a 0 x", "2"),
            ("setbit a 0 1", "0"),
            ("pttl a", "5000"),
            ("set n 5 ex 100", "OK"),
            ("incr n", "6"),
            ("incrbyfloat n 1.5", "7.5"),
            ("ttl n", "100"),
            ("getex n", "7.5"),
            ("ttl n", "100"),
            ("getex n persist", "7.5"),
            ("ttl n", "-1"),
            ("getex n px 2000", "7.5"),
            ("pttl n", "2000"),
            ("getex n ex 1 persist", "ERR syntax error"),
            ("getex n ex 0", "ERR invalid expire time in 'getex' command"),
            ("getex nothing ex x", "nil"),
            (&format!("getex n pxat {past}"), "7.5"),
            ("exists n", "0"),
            ("getset a v", "\\xf8w"),
            ("ttl a", "-1"),
            ("mset a 1", "OK"),
        ]);
    });
}

#[test]
fn several_strings_are_stored_at_once_or_not_at_all() {
    over_every_store(|direct| {
        direct.expect(&[
            ("mset a 1 b 2 a 3", "OK"),
            ("mget a b", "[3 2]"),
            ("msetnx c 1 b 9", "0"),
            ("exists c", "0"),
            ("msetnx c 1 d 2 c 3", "1"),
            ("mget c d", "[3 2]"),
            (
                "mset a 1 b",
                "ERR wrong number of arguments for 'mset' command",
            ),
            (
                "msetnx a",
                "ERR wrong number of arguments for 'msetnx' command",
            ),
        ]);
    });
}

#[test]
fn integers_are_counted_up_and_down_within_64_bits() {
    const OVERFLOW: &str = "ERR increment or decrement would overflow";
    const NOT_INTEGER: &str = "ERR value is not an integer or out of range";
    over_every_store(|direct| {
        direct.expect(&[
            ("incr n", "1"),
            ("incrby n 9223372036854775806", "9223372036854775807"),
            ("incr n", OVERFLOW),
            ("get n", "9223372036854775807"),
            ("set n -9223372036854775808", "OK"),
            ("decr n", OVERFLOW),
            (
                "decrby n -9223372036854775808",
                "ERR decrement would overflow",
            ),
            ("decrby n -1", "-9223372036854775807"),
            ("incrby n 1.0", NOT_INTEGER),
            ("set t 1.5", "OK"),
            ("incr t", NOT_INTEGER),
            ("incrby t x", NOT_INTEGER),
            ("set t 01", "OK"),
            ("incr t", NOT_INTEGER),
            ("append empty ", "0"),
            ("incr empty", NOT_INTEGER),
            ("sadd s a", "1"),
            ("incr s", WRONG_TYPE),
        ]);
    });
}

/// What a real server answers, which adds in the processor's 80-bit format.
#[test]
fn decimal_numbers_are_added_as_a_long_double() {
    over_every_store(|direct| {
        direct.expect(&[
            ("set f 3.0", "OK"),
            ("incrbyfloat f 1.200e-01", "3.12"),
            ("set f 10.50", "OK"),
            ("incrbyfloat f 0.1", "10.6"),
            ("incrbyfloat f -5", "5.6"),
            ("set f 18446744073709551615", "OK"),
            ("incrbyfloat f 1", "18446744073709551616"),
            (
                "incrbyfloat f inf",
                "ERR increment would produce NaN or Infinity",
            ),
            ("incrbyfloat f nan", "ERR value is not a valid float"),
            ("get f", "18446744073709551616"),
            ("incrbyfloat new 0x10", "16"),
        ]);
    });
}

#[test]
fn parts_are_read_and_written() {
    const TOO_LONG: &str = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";
    over_every_store(|direct| {
        direct.expect(&[
            ("append a Hello", "5"),
            ("append a \\x00\\xff", "7"),
            ("strlen a", "7"),
            ("strlen nothing", "0"),
            ("getrange a 0 -1", "Hello\\x00\\xff"),
            ("getrange a 1 3", "ell"),
            ("getrange a -2 -1", "\\x00\\xff"),
            ("getrange a -1 -2", ""),
            ("getrange a 5 2", ""),
            ("getrange a -100 100", "Hello\\x00\\xff"),
            ("substr a 0 0", "H"),
            ("setrange a 1 EY", "7"),
            ("get a", "HEYlo\\x00\\xff"),
            ("setrange b 3 x", "4"),
            ("get b", "\\x00\\x00\\x00x"),
            ("setrange b 9 ", "4"),
            ("setrange nothing 9 ", "0"),
            ("exists nothing", "0"),
            ("setrange b -1 x", "ERR offset is out of range"),
            ("setrange b 536870912 x", TOO_LONG),
            ("setrange b 9223372036854775807 x", TOO_LONG),
        ]);
    });
}

#[test]
fn the_longest_common_text_is_found() {
    over_every_store(|direct| {
        direct.expect(&[
            ("mset a ohmytext b mynewtext", "OK"),
            ("lcs a b", "mytext"),
            ("lcs a b len", "6"),
            (
                "lcs a b idx",
                "[matches=[[[4 7] [5 8]] [[2 3] [0 1]]] len=6]",
            ),
            (
                "lcs a b idx minmatchlen 4 withmatchlen",
                "[matches=[[[4 7] [5 8] 4]] len=6]",
            ),
            ("lcs a nothing", ""),
            ("lcs a nothing idx", "[matches=[] len=0]"),
            (
                "lcs a b len idx",
                "ERR If you want both the length and indexes, please just use IDX.",
            ),
            ("lcs a b foo", "ERR syntax error"),
            ("setbit big 800000 1", "0"),
            (
                "lcs big big",
                "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len",
            ),
            ("zadd z 1 a", "1"),
            (
                "lcs a z",
                "ERR The specified keys must contain string values",
            ),
        ]);
    });
}
