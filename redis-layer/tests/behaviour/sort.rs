//! `SORT`, with all its options, and beside a model of numbers.

use crate::common::over_every_store;

#[test]
fn elements_are_sorted_by_number_or_by_bytes() {
    over_every_store(|direct| {
        direct.expect(&[
            ("rpush l 10 9 -1 2.5 1e1", "5"),
            ("sort l", "[-1 2.5 9 10 1e1]"),
            ("sort l desc", "[1e1 10 9 2.5 -1]"),
            ("sort l alpha", "[-1 10 1e1 2.5 9]"),
            ("sort l limit 1 2", "[2.5 9]"),
            ("sort l limit -5 2", "[-1 2.5]"),
            ("sort l limit 3 -1", "[10 1e1]"),
            ("sort l limit 9 2", "[]"),
            ("sort l by nosort", "[10 9 -1 2.5 1e1]"),
            ("sort l by nosort desc limit 0 2", "[1e1 2.5]"),
            ("zadd z 3 c 1 b 2 a", "3"),
            ("sort z alpha", "[a b c]"),
            ("sort z by nosort", "[b a c]"),
            ("sort z by nosort desc", "[c a b]"),
            (
                "sort z",
                "ERR One or more scores can't be converted into double",
            ),
            ("rpush far 1 1e400", "2"),
            (
                "sort far",
                "ERR One or more scores can't be converted into double",
            ),
            ("lset far 1 1e-400", "OK"),
            (
                "sort far",
                "ERR One or more scores can't be converted into double",
            ),
            ("lset far 1 -inf", "OK"),
            ("sort far", "[-inf 1]"),
            ("sadd s c a b aa", "4"),
            ("sort s by nosort", "[a aa b c]"),
            ("sort s by nosort get #", "[a aa b c]"),
            ("sort nope", "[]"),
            ("sort_ro l", "[-1 2.5 9 10 1e1]"),
            ("set s v", "OK"),
            (
                "sort s",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
            ),
            ("sort l limit 1", "ERR syntax error"),
            (
                "sort l limit x 1",
                "ERR value is not an integer or out of range",
            ),
            ("sort l get", "ERR syntax error"),
            ("sort_ro l store d", "ERR syntax error"),
        ]);
    });
}

#[test]
fn other_keys_say_how_to_sort_and_what_to_answer() {
    over_every_store(|direct| {
        direct.expect(&[
            ("rpush l 1 2 3", "3"),
            ("set w1 30", "OK"),
            ("set w2 20", "OK"),
            ("set w3 x", "OK"),
            ("set o1 one", "OK"),
            ("set o3-> three", "OK"),
            (
                "sort l by w*",
                "ERR One or more scores can't be converted into double",
            ),
            ("sort l by w* alpha", "[2 1 3]"),
            ("set w3 10", "OK"),
            ("sort l by w*", "[3 2 1]"),
            (
                "sort l by w* get # get o* get w*",
                "[3 nil 10 2 nil 20 1 one 30]",
            ),
            ("sort l get o*-> get nostar", "[nil nil nil nil three nil]"),
            ("sort l by missing*", "[1 2 3]"),
            ("rpush m 3 1 2", "3"),
            ("sort m by nostar by w*", "[3 1 2]"),
            ("sort m by w* by nostar desc", "[2 1 3]"),
            ("sort m by nostar by w* get w*", "[10 30 20]"),
            ("sort l get o* store d", "3"),
            ("lrange d 0 -1", "[one  ]"),
            ("type d", "list"),
            ("expire d 100", "1"),
            ("sort l by w* store d", "3"),
            ("lrange d 0 -1", "[3 2 1]"),
            ("ttl d", "-1"),
            ("sort nope store d", "0"),
            ("exists d", "0"),
            ("sort l store l", "3"),
        ]);
    });
}
