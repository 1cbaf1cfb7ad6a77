//! What people expect of rows before they look at the bytes.

use kit::{Mistake, letters};

use crate::predict_rows::Predictions;
use crate::solutions::predict_rows::{scan, touched};

const PREDICT: &str = "predict";
const ROWS: &str = "four-rows";
const MOVES: &str = "the-row-that-moves";

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Predictions>> {
    let mut mistakes = of_scan();
    mistakes.extend(of_touched());
    mistakes
}

fn of_scan() -> Vec<Mistake<Predictions>> {
    let expects =
        |name, scan| Mistake::new(name, "scan", "key-order", Predictions { scan, touched });
    vec![
        expects("order_by_order", || letters!(h g a f b c e d))
            .says("the rows of 7 and then the rows of 258")
            .why(
                "The store knows no orders, only keys. The letter comes first, so all rows of one index are \
                 neighbours, and the four rows of an order are far from each other.",
            )
            .link(ROWS),
        expects("indexes_in_the_order_of_writing", || letters!(h b g c e a d f))
            .says("the four kinds in the order in which they are written: order, user, time, status")
            .why("A scan does not know when a row was written. It sorts by the letter: o, s, t, u.")
            .link(ROWS),
        expects("time_before_status", || letters!(h b e a d f g c))
            .says("the rows by time before those by status")
            .why("The letter is the first byte of a key, and sorts the kinds: o, s, t, u. `s` is 73 and `t` is 74.")
            .link(ROWS),
        expects("anna_before_ann", || letters!(h b d f e a c g))
            .says("`anna` before `ann`")
            .why(
                "Rows by user sort by the user first, whatever the time. Where the name ann ends, there is `00 01`, and \
                 that is less than the last letter of anna.",
            )
            .link(ROWS),
        expects("by_status_sorted_by_time", || letters!(h b f d e a g c))
            .says("the rows by status with the later status, the later time or the smaller id first")
            .why(
                "In a row by status the status comes first. New is 00 and shipped is 02, so new orders are \
                 in front, and among them the oldest.",
            )
            .link(ROWS),
        expects("by_time_sorted_by_id", || letters!(h b d f a e g c))
            .says("the rows by time sorted by the id, or newest first")
            .why(
                "The id comes last in a row by time. The time decides, and it is not turned round here: 300 \
                 comes before 500.",
            )
            .link(ROWS),
        expects("sorted_by_id_in_each_index", || letters!(h b f d a e g c))
            .says("order 7 before order 258 in every kind of row")
            .why(
                "The id is the last field of an index row, and decides only where all before it are equal. By status, new is 00 and shipped \
                 is 02; by time, 300 comes before 500.",
            )
            .link(ROWS),
        expects("id_258_first", || letters!(b h d f e a g c))
            .says("258 before 7")
            .why(
                "It is so for digits, and for bytes with the lowest one first. But big-endian 7 is `00 00 00 07` and 258 is `00 00 01 02`. The third byte \
                 decides, not the last.",
            )
            .link(PREDICT),
        expects("backwards", || letters!(c g a e f d b h))
            .says("the whole list backwards")
            .why("A scan goes from the smallest key to the greatest: o before s, t and u.")
            .link(PREDICT),
    ]
}

fn of_touched() -> Vec<Mistake<Predictions>> {
    let expects =
        |name, touched| Mistake::new(name, "touched", "rows", Predictions { scan, touched });
    vec![
        expects("only_the_order", || vec!['b'])
            .says("the order's own row alone")
            .why(
                "This is the bug that opens the chapter. The row by status has the old status in its key. \
                 Nobody deletes it, and 258 stays under new.",
            )
            .link("a-scan-goes-wrong"),
        expects("only_the_index", || vec!['d'])
            .says("the row by status alone")
            .why("The order's own row holds the status in its value. It has to be overwritten as well.")
            .link(MOVES),
        expects("all_four", || vec!['b', 'c', 'd', 'e'])
            .says("all four rows of the order")
            .why(
                "Neither the user nor the time has changed. The rows by user and by time would be written with \
                 the very same keys.",
            )
            .link(MOVES),
        expects("all_indexes", || vec!['c', 'd', 'e'])
            .says("the three index rows, and not the order's own")
            .why(
                "Only the row by status has the status in its key. The order's own row has it in its value, \
                 and is overwritten.",
            )
            .link(MOVES),
        expects("nothing_touched", Vec::new)
            .says("no row at all")
            .why(
                "A row is added, and two more need care: the one that holds the old status in its value and the \
                 one that holds it in its key.",
            )
            .link(MOVES),
        expects("order_and_time", || vec!['b', 'd', 'e'])
            .says("the order, its row by status and its row by time")
            .why("The time is the time at which the order was placed. It does not change with the status.")
            .link(MOVES),
        expects("order_and_user", || vec!['b', 'c', 'd'])
            .says("the order, its row by status and its row by user")
            .why("The row by user holds the user and the time. Neither changes with the status.")
            .link(MOVES),
        expects("the_other_order", || vec!['f', 'h'])
            .says("the rows of order 7")
            .why("The change is made to 258. Its rows are b, c, d and e.")
            .link(MOVES),
    ]
}
