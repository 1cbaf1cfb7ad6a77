//! What is said of predictions.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::SeqCst;

use kit::unseen::{judged, named, observed};
use kit::{State, letters};

use crate::predict_rows::Predictions;
use crate::{predict_rows, solutions};

#[test]
fn predictions_show_one_wrong_pair_and_not_the_answer() {
    let verdict = judged(&predict_rows::exercise_of(Predictions {
        scan: || ['h', 'b', 'd', 'f', 'a', 'e', 'c', 'g'],
        touched: || vec!['b', 'f'],
    }));
    observed(
        &verdict,
        "key-order",
        &[
            "you put a before e, but the key of a, t 500 7, is greater than that of e, t 300 258",
            "1 of the rows that you name needs no change, and 1 row that needs a change is not in your list",
        ],
    );
}

#[test]
fn every_set_of_touched_rows_is_counted() {
    static ROWS: AtomicU8 = AtomicU8::new(0);
    let touched = || {
        let rows = ROWS.load(SeqCst);
        let is_in = |&(i, _): &(usize, char)| rows >> i & 1 == 1;
        ('a'..='h')
            .enumerate()
            .filter(is_in)
            .map(|(_, c)| c)
            .collect()
    };
    for rows in 0..=u8::MAX {
        ROWS.store(rows, SeqCst);
        let scan = solutions::predict_rows::scan;
        let verdict = judged(&predict_rows::exercise_of(Predictions { scan, touched }));
        // The rows b and d.
        let right = 0b1010;
        assert_eq!(verdict.state == State::Passed, rows == right, "{rows:08b}");
        for (those, told) in [
            (rows & !right, "of the rows that you name need"),
            (right & !rows, "that need"),
        ] {
            let told = match those.count_ones() {
                0 => continue,
                1 if told == "that need" => "1 row that needs a change is not".to_owned(),
                n if told == "that need" => format!("{n} rows that need a change are not"),
                1 => format!("1 {told}s no change"),
                n => format!("{n} {told} no change"),
            };
            assert!(verdict.message.contains(&told), "{rows:08b}: {told}");
        }
    }
}

#[test]
fn a_list_of_rows_in_another_order_shows_its_first_wrong_pair() {
    type Scan = fn() -> [char; 8];
    let scans: [(Scan, &str); 7] = [
        // Two misconceptions at once.
        (|| letters!(b h d f a e g c), "you put b before h"),
        (|| letters!(h b d f a e c g), "you put a before e"),
        // Each order's rows, sorted.
        (|| letters!(h f a g b d e c), "you put g before b"),
        // The indexes before the orders, and the orders last.
        (|| letters!(d f e a h b g c), "you put a before h"),
        (|| letters!(h b d f g c e a), "you put c before e"),
        // The letters of the task.
        (|| letters!(a b c d e f g h), "you put a before b"),
        (
            || letters!(h b d f e a g g),
            "c occurs 0 times in your list, not once",
        ),
    ];
    for (scan, told) in scans {
        let touched = solutions::predict_rows::touched;
        let verdict = judged(&predict_rows::exercise_of(Predictions { scan, touched }));
        observed(&verdict, "key-order", &[told, "`touched` is right."]);
    }
    let capitals = || ['H', 'B', 'D', 'F', 'E', 'A', 'G', 'C'];
    let spaced = || vec!['b', ' ', 'd'];
    let verdict = judged(&predict_rows::exercise_of(Predictions {
        scan: capitals,
        touched: spaced,
    }));
    let told = ["'H' is none of the letters", "' ' is none of the letters"];
    observed(&verdict, "key-order", &told);
    let verdict = judged(&predict_rows::exercise_of(Predictions {
        scan: || letters!(h b f d e a g c),
        touched: || vec!['b', 'd', 'd'],
    }));
    named(&verdict, "by_status_sorted_by_time");
    for told in ["or the smaller id first", "a letter is in your list twice"] {
        assert!(verdict.message.contains(told), "{told}");
    }
}
