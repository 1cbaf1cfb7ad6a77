//! What people expect of comparators before they try them.

use kit::{Mistake, letters};

use crate::predict_broken::Predictions;
use crate::solutions::predict_broken::{circle, hidden, order};

const SCAN: &str = "a-scan-goes-wrong";
const PREDICT: &str = "predict";
const REPAIR: &str = "the-repair";

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Predictions>> {
    let mut mistakes = of_order();
    mistakes.extend(of_hidden());
    mistakes.extend(of_circle());
    mistakes
}

fn of_order() -> Vec<Mistake<Predictions>> {
    let expects = |name, order| {
        let predictions = Predictions {
            order,
            hidden,
            circle,
        };
        Mistake::new(name, "order", "sorted", predictions)
    };
    vec![
        expects("plain_bytes", || letters!(e c d a h g b f))
            .says("plain byte order")
            .why("`item:10` comes before `item:9` as bytes. By rule 2 the numbers are compared: 9, then 10, then 100.")
            .link(SCAN),
        expects("zero_in_front_last", || letters!(e c b d a h g f))
            .says("`item:9` before `item:09`")
            .why("Both have the prefix `item:` and the number 9. Rule 3 decides: `0` is less than `9`, so `item:09` comes first.")
            .link(REPAIR),
        expects("no_number_last", || letters!(e d b a h c g f))
            .says("`item:` after the numbers of its prefix")
            .why("A key without a number comes before those with one.")
            .link(REPAIR),
        expects("number_inside_taken", || letters!(e c g d b a h f))
            .says("`item:1x` among the numbers")
            .why("The number is at the end of a key. `item:1x` ends in a letter: all of it is prefix, and `item:1x` is greater than `item:`.")
            .link(REPAIR),
        expects("number_inside_taken_no_number_last", || letters!(e g d b a h c f))
            .says("`item:1x` among the numbers, and `item:` after them")
            .why("`item:1x` ends in a letter, so all of it is prefix. `item:` has no number and comes before those with one.")
            .link(REPAIR),
        expects("colon_expected", || letters!(c d b a h g e f))
            .says("`item1` after the keys with `item:`")
            .why("`item1` ends in a digit, so its prefix is `item`. That is the beginning of `item:`, so it comes first.")
            .link(REPAIR),
        expects("colon_expected_in_front_of_letters", || letters!(c d b a h e g f))
            .says("`item1` between the keys with `item:`")
            .why("`item1` ends in a digit, so its prefix is `item`. That is the beginning of `item:`, so it comes first.")
            .link(REPAIR),
        expects("colon_overlooked", || letters!(c e d b a h g f))
            .says("`item1` as number 1 of `item:`")
            .why("Only digits belong to the number. The prefix of `item1` is `item`, without a colon, and comes before the prefix `item:`.")
            .link(REPAIR),
        expects("prefix_ignored", || letters!(c g e f d b a h))
            .says("the numbers first, whatever comes before them")
            .why("Rule 1 comes first: `user:1` comes after all keys whose prefix is less than `user:`.")
            .link(SCAN),
        expects("greatest_first", || letters!(f g h a b d c e))
            .says("the right order, read from the end")
            .why("The smallest key comes first.")
            .link(REPAIR),
    ]
}

fn of_hidden() -> Vec<Mistake<Predictions>> {
    let expects = |name, hidden| {
        let predictions = Predictions {
            order,
            hidden,
            circle,
        };
        Mistake::new(name, "hidden", "newest", predictions)
    };
    vec![
        expects("nothing_hidden", Vec::new)
            .says("no hidden row at all")
            .why("Different bytes are not enough: this engine believes its comparator. `item:1` and `user:1` both have the number 1.")
            .link(SCAN),
        expects("oldest_kept", || letters!(c d f g).to_vec())
            .says("the newer rows hidden")
            .why("A write replaces what was there, as in every sorted map. Of rows that compare equal the newest is found.")
            .link(SCAN),
        expects("prefix_counted", || letters!(b e).to_vec())
            .says("a comparator that looks at the prefix")
            .why("`atoi` sees only what comes after the last colon. `item:1` and `user:1` are both 1, and `new` is 0 under any prefix.")
            .link(SCAN),
        expects("prefix_counted_and_overflow_forgotten", || letters!(e).to_vec())
            .says("a comparator that looks at the prefix and reads large numbers rightly")
            .why(
                "Two things. `atoi` sees only what comes after the last colon: `item:1` and `user:1` are both 1. And 4294967298 is 2^32 + 2: cut to 32 \
                 bits it is 2, so `item:2` is hidden too.",
            )
            .link(SCAN),
        expects("overflow_forgotten", || letters!(a e f).to_vec())
            .says("a comparator for which 4294967298 is like no other number")
            .why("4294967298 is 2^32 + 2. Cut to 32 bits, and not kept or held at the greatest number, it is 2. So `item:2` is hidden too.")
            .link(SCAN),
        expects("text_is_not_zero_and_overflow_forgotten", || letters!(a e).to_vec())
            .says("a comparator for which text equals text alone, and 4294967298 is like no other number")
            .why(
                "Two things. `atoi` answers 0 for text, so the row f compares equal to e and to g. And 4294967298 is 2^32 + 2: cut to 32 bits it \
                 is 2, so `item:2` is hidden too.",
            )
            .link(SCAN),
        expects("overflow_taken_for_zero", || letters!(a d e f).to_vec())
            .says("a comparator that takes too large a number for 0")
            .why(
                "`parse().unwrap_or(0)` does so. This one cuts what does not fit into 32 bits: 4294967298 is 2^32 + 2, and becomes 2. So d hides \
                 `item:2`, and nothing hides d.",
            )
            .link(SCAN),
        expects("readable_rows_named", || letters!(c d g h).to_vec())
            .says("the rows that can still be read")
            .why("Asked are the others. A row is hidden where a later one compares equal to it.")
            .link(SCAN),
        expects("text_forgotten", || letters!(a b).to_vec())
            .says("a comparator that knows text from 0")
            .why("`new` has no digits, and `atoi` answers 0 for it. So e, f and g compare equal, and only the last is found.")
            .link(SCAN),
        expects("text_is_not_zero", || letters!(a b e).to_vec())
            .says("text that equals text, and is not 0")
            .why("`atoi` answers 0 for text, and 0 for `0`. The row f compares equal to e and to g, and g is the newest.")
            .link(SCAN),
        expects("all_equals_hidden", || letters!(a b c d e f g).to_vec())
            .says("all rows hidden that compare equal to another")
            .why("One of them is found: the newest.")
            .link(SCAN),
    ]
}

fn of_circle() -> Vec<Mistake<Predictions>> {
    let expects = |name, circle| {
        let predictions = Predictions {
            order,
            hidden,
            circle,
        };
        Mistake::new(name, "circle", "circle", predictions)
    };
    vec![
        expects("sorted_by_the_rules", || letters!(a b c))
            .says("`k8`, `k12`, `kx`")
            .why("These three are in order: both numbers come before `kx`, because digits come before letters. Look for a key that comes between `k12` and `k8` in byte order.")
            .link(PREDICT),
        expects("circle_backwards", || letters!(e b a))
            .says("the right three keys, the wrong way round")
            .why("Name each key before the one that it precedes: the number puts `k8` before `k12`.")
            .link(PREDICT),
        expects("other_prefix_taken", || letters!(d a b))
            .says("`j9` in the circle")
            .why("`j9` comes before every key that begins with `k`, by bytes. Nothing leads back to it.")
            .link(PREDICT),
        expects("bare_prefix_taken", || letters!(f a b))
            .says("`k` in the circle")
            .why("`k` is the beginning of the others and comes before all of them. Nothing leads back to it.")
            .link(PREDICT),
    ]
}
