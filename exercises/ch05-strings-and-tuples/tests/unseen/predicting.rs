//! What is said of predictions.

use kit::unseen::{judged, named, observed};

use crate::predict_strings;
use crate::predict_strings::{Orders, RIGHT};

#[test]
fn an_order_is_named_by_the_rule_that_gives_it() {
    fn sorted_by(key: fn(&[u8]) -> Vec<u8>) -> [char; 6] {
        let mut letters = ['a', 'b', 'c', 'd', 'e', 'f'];
        letters.sort_by_key(|letter| key(predict_strings::string(*letter).unwrap()));
        letters
    }
    let lengths = |length_first| {
        let orders = Orders {
            length_first,
            ..RIGHT
        };
        judged(&predict_strings::exercise_of(orders))
    };
    let behind =
        lengths(|| sorted_by(|string| [string, &[u8::try_from(string.len()).unwrap()]].concat()));
    named(&behind, "lengths_after");
    let colon = lengths(|| sorted_by(|string| [string, b":"].concat()));
    named(&colon, "lengths_like_joined");
}

#[test]
fn predictions_show_one_wrong_pair_and_not_the_answer() {
    let verdict = judged(&predict_strings::exercise_of(Orders {
        joined: || ['b', 'd', 'e', 'f', 'c', 'a'],
        bare: || ['x'; 6],
        ..RIGHT
    }));
    observed(
        &verdict,
        "colon",
        &[
            "you put c before a, but the key of a comes first",
            "'x' is none of the letters a to f",
        ],
    );
}

#[test]
fn strings_that_end_at_their_zero_are_named() {
    let orders = Orders {
        length_first: || kit::letters!(b f d c e a),
        ..RIGHT
    };
    named(
        &judged(&predict_strings::exercise_of(orders)),
        "lengths_up_to_the_zero",
    );
}
