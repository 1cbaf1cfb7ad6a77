//! What people expect of a board.

use kit::Mistake;

use crate::predict_board::Boards;
use crate::solutions::predict_board::{by_gems, by_score, with_many_gems};

const SCAN: &str = "a-scan-goes-wrong";
const LAYOUT: &str = "bit-fields-in-the-score";
const WRONG: &str = "wrong-answers-and-what-each-breaks";
const BITS: &str = "fifty-three-bits";

fn gems(name: &'static str, by_gems: fn() -> [char; 6]) -> Mistake<Boards> {
    let boards = Boards {
        by_gems,
        by_score,
        with_many_gems,
    };
    Mistake::new(name, "by_gems", "gems", boards).link(SCAN)
}

fn score(name: &'static str, by_score: fn() -> [char; 6]) -> Mistake<Boards> {
    let boards = Boards {
        by_gems,
        by_score,
        with_many_gems,
    };
    Mistake::new(name, "by_score", "packed", boards).link(WRONG)
}

fn many(name: &'static str, with_many_gems: fn() -> [char; 6]) -> Mistake<Boards> {
    let boards = Boards {
        by_gems,
        by_score,
        with_many_gems,
    };
    Mistake::new(name, "with_many_gems", "doubles", boards).link(BITS)
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Boards>> {
    let mut mistakes = of_gems();
    mistakes.extend(of_scores());
    mistakes.extend(of_many());
    mistakes
}

fn of_gems() -> Vec<Mistake<Boards>> {
    vec![
        gems("gems_ties_by_name_upwards", || ['c', 'a', 'b', 'd', 'f', 'e'])
            .says("ties in the order of their names, or the earlier player first")
            .why(
                "`ZREVRANGE` reads the whole board backwards, and so the ties too: of two members with one score, the \
                 greater name comes first. The time is not in this score.",
            ),
        gems("gems_smallest_first", || ['e', 'a', 'b', 'd', 'f', 'c'])
            .says("the order of `ZRANGE`, the smallest first")
            .why("`ZREVRANGE` returns the greatest score first. This list is its reverse."),
        gems("gems_smallest_first_ties_backwards", || ['e', 'f', 'd', 'b', 'a', 'c'])
            .says("the smallest score first, and ties backwards")
            .why("`ZREVRANGE` returns the greatest score first. In this list only the ties run that way."),
        gems("gems_as_you_wish", || ['c', 'b', 'd', 'a', 'f', 'e'])
            .says("the order that the game wants")
            .why(
                "The score is the number of gems and nothing else. The server does not know who paid, and so the \
                 names sort the ties.",
            ),
    ]
}

fn of_scores() -> Vec<Mistake<Boards>> {
    vec![
        score("score_ignores_low_fields", || ['c', 'f', 'd', 'b', 'a', 'e'])
            .says("the order by gems, with the ties by name")
            .why("In a packed score the low fields decide where the gems are equal, before any name does.")
            .link(LAYOUT),
        score("score_unpaid_first", || ['c', 'a', 'f', 'b', 'd', 'e'])
            .says("those who did not pay before those who did")
            .why("1 is greater than 0, and the greatest score comes first."),
        score("score_time_before_paid", || ['c', 'a', 'b', 'd', 'f', 'e'])
            .says("the time before `paid`, or the names alone where the gems are equal")
            .why("`paid` is at bit 29, right below the gems. So it decides before the time does, and any field before a name."),
        score("score_later_first", || ['c', 'd', 'b', 'f', 'a', 'e'])
            .says("the smaller time field first, or the time left out")
            .why(
                "Where gems and `paid` are equal, the time decides before any name. The field counts down: the greater one came earlier, and \
                 the greatest score comes first.",
            ),
        score("score_paid_before_gems", || ['b', 'd', 'e', 'c', 'a', 'f'])
            .says("those who paid before all others")
            .why("The gems are above `paid`. So they decide first, and `paid` only where they are equal."),
        score("score_time_before_all", || ['e', 'a', 'c', 'b', 'd', 'f'])
            .says("the greatest time field first, whatever the gems are")
            .why(
                "The fields are named from the top: gems, then `paid`, then the time. So the gems decide first, and the time only where gems and \
                 `paid` are equal.",
            )
            .link(LAYOUT),
        score("score_smallest_first", || ['e', 'f', 'a', 'd', 'b', 'c'])
            .says("the smallest score first")
            .why("`ZREVRANGE` returns the greatest score first. This list is its reverse.")
            .link(SCAN),
    ]
}

fn of_many() -> Vec<Mistake<Boards>> {
    vec![
        many("many_nothing_lost", || ['c', 'b', 'd', 'a', 'f', 'e'])
            .says("the order without any loss")
            .why(
                "Between 2^54 and 2^55 a double has no room for the last two bits: a time is rounded to a multiple \
                 of 4. 13 and 12 both become 12, so b and d have one score. Of two members with one score the greater name comes first.",
            ),
        many("many_all_fields_lost", || ['c', 'f', 'd', 'b', 'a', 'e'])
            .says("the order by gems, with the ties by name")
            .why("Two bits are lost, not all thirty. `paid` is at bit 29, far from the end, and it decides as before."),
        many("many_time_lost", || ['c', 'd', 'b', 'f', 'a', 'e'])
            .says("an order without the time, or with the smaller time first")
            .why(
                "Only the last two bits of the time are lost. 21 and 9 are more than 4 apart, so they still are two \
                 doubles, and the greater time comes first.",
            ),
        many("many_smallest_first", || ['e', 'f', 'a', 'b', 'd', 'c'])
            .says("the smallest score first")
            .why("`ZREVRANGE` returns the greatest score first. This list is its reverse.")
            .link(SCAN),
    ]
}
