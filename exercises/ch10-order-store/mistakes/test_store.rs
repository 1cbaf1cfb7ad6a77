//! Tests that are too weak, or too strict.

use kit::{Mistake, Tester};

use crate::order::Status::{New, Paid};
use crate::order::{Change, Order, OrderStore, Status};
use crate::solutions::test_store::{
    SCRIPTS, acknowledged, cut_changes, cut_places, filled, neighbours, walk,
};
use crate::test_store::{Recipe, tester};

type Open<'a> = &'a dyn Fn() -> Box<dyn OrderStore>;

const TASK: &str = "test-store";
const RULES: &str = "invariants";
const NEXT: &str = "the-next-page";
const CUT: &str = "without-a-batch";
const SYNC: &str = "sync-and-what-is-acknowledged";
const MOVES: &str = "the-row-that-moves";

fn weak(
    name: &'static str,
    check: &'static str,
    link: &'static str,
    test: impl Fn(Open) + Send + Sync + 'static,
) -> Mistake<Tester<Recipe>> {
    Mistake::new(name, "test", check, tester(test)).link(link)
}

/// All scripts but some.
fn without(left_out: &'static [&'static str]) -> impl Fn(Open) + Send + Sync + 'static {
    move |open| {
        for (name, script) in SCRIPTS {
            if !left_out.contains(&name) {
                script(open);
            }
        }
    }
}

fn order(id: u32, user: &str, at: u64, status: Status) -> Order {
    let user = user.to_owned();
    Order {
        id,
        user,
        at,
        status,
    }
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Tester<Recipe>>> {
    let mut mistakes = too_strict();
    mistakes.extend(too_little());
    mistakes.extend(scripts_left_out());
    mistakes
}

/// They refuse a right answer.
fn too_strict() -> Vec<Mistake<Tester<Recipe>>> {
    vec![
        weak("cursor_looked_into", "accepts-right", NEXT, |open| {
            without(&["pages"])(open);
            let store = filled(open, &neighbours());
            let next = store.with_status(New, 2, None).next;
            let end = next.as_ref().and_then(|key| key.last_chunk::<4>());
            assert_eq!(end, Some(&10_u32.to_be_bytes()), "the last order of the page");
        })
        .says("a test that demands the last order of the page in the cursor")
        .why(
            "What the bytes of a cursor mean is free. A store may name the first order of the next page just as well. Give \
             the cursor back and look at what the next page holds.",
        ),
        weak("cut_must_change_nothing", "accepts-right", SYNC, |open| {
            for operations in 0..20 {
                let mut store = open();
                store.fail_in(operations);
                store.place(&order(10, "ann", 500, New));
                assert!(store.of_user("ann", 10).is_empty());
            }
        })
        .says("a test that demands that a call in which the power fails has done nothing")
        .why(
            "All or nothing is the rule. Once the batch is synced, the order is there, though the call may not have \
             returned.",
        ),
        weak("refuses_everything", "accepts-right", RULES, |open| {
            for operations in 0..20 {
                let mut store = open();
                store.fail_in(operations);
                store.place(&order(10, "ann", 500, New));
                assert_eq!(store.of_user("ann", 10), [10]);
            }
        })
        .says("a test that demands what the rules do not")
        .why(
            "Stores that keep the rules fail it too, so what failed above is none of them: look at the last calls. If the power failed \
             in one of them, all of it may be there or nothing, and it has returned as ever.",
        ),
    ]
}

/// They say nothing wrong, and too little.
fn too_little() -> Vec<Mistake<Tester<Recipe>>> {
    vec![
        weak("accepts_everything", "kills", TASK, |open| {
            let mut store = open();
            store.place(&order(10, "ann", 500, New));
            _ = (store.of_user("ann", 10), store.between(0, 1000, 10));
        })
        .says("a test that accepts everything")
        .why(
            "Such a test compares nothing by `assert!`, or keeps what an `assert!` raises from its caller, or tries only what comes out right from a wrong store too. Say with \
             `assert_eq!` what each answer has to be.",
        ),
        weak("one_order", "kills", RULES, |open| {
            let mut store = filled(open, &[order(10, "ann", 500, New)]);
            assert_eq!(store.of_user("ann", 10), [10]);
            assert_eq!(store.between(500, 501, 10), [10]);
            assert_eq!(walk(&*store, New, 10), [[10]]);
            store.change_status(10, Paid);
            assert_eq!(walk(&*store, New, 10).concat().len(), 0);
            assert_eq!(walk(&*store, Paid, 10), [[10]]);
            store.remove(10);
            assert_eq!(store.of_user("ann", 10).len(), 0);
        })
        .says("a test with a single order")
        .why(
            "With one order nothing can come first, nothing is too many, and no two rows collide. Take neighbours: names \
             that begin alike, equal times, more orders than the limit.",
        ),
        weak("new_status_alone", "kills", MOVES, |open| {
            without(&["changes", "cut_changes", "acknowledged"])(open);
            let mut store = filled(open, &neighbours());
            store.change_status(10, Paid);
            assert_eq!(walk(&*store, Paid, 10), [[2, 10, 5]]);
        })
        .says("a test that looks for a changed order under its new status alone")
        .why(
            "A ghost is under the old status. After every change, ask where the order should no longer be. And change \
             an order to the status that it has.",
        ),
        weak("far_apart", "kills", RULES, |open| {
            let orders = [
                order(1, "bob", 100, New),
                order(2, "kim", 200, Paid),
                order(3, "zoe", 300, New),
            ];
            let mut store = filled(open, &orders);
            assert_eq!(store.of_user("kim", 10), [2]);
            assert_eq!(store.between(100, 300, 10), [1, 2]);
            assert_eq!(walk(&*store, New, 1), [[1], [3]]);
            store.change_status(1, Paid);
            assert_eq!(walk(&*store, New, 10), [[3]]);
            assert!(!store.place(&order(1, "kim", 400, Paid)));
            assert_eq!(store.change_status(77, Paid), Change::Unknown);
            cut_places(open);
            cut_changes(open);
            acknowledged(open);
        })
        .says("a test in which no two orders share a user, a time or the beginning of a name")
        .why(
            "Faults of keys show between neighbours: `ann` and `anna`, two orders of one millisecond, 900 and 1000.",
        ),
        weak("cut_after_the_return_alone", "kills", CUT, without(&["cut_places", "cut_changes", "cut_removals"]))
            .says("a test that cuts the power only when a call has returned")
            .why(
                "Then the call is done, and two batches look like one. Cut after each file operation: `fail_in(0)`, \
                 `fail_in(1)` and so on, each time with a new store.",
            ),
        weak(
            "cuts_of_place_alone",
            "kills",
            CUT,
            without(&["cut_changes", "cut_removals"]),
        )
        .says("a test that cuts the power in the middle of `place` alone")
        .why(
            "Every call that writes can be divided. Cut `change_status` and `remove` after each file operation as well, \
             each time with a new store.",
        ),
    ]
}

/// A rule is left out.
fn scripts_left_out() -> Vec<Mistake<Tester<Recipe>>> {
    let left_out = |name, link, scripts, says: &'static str, why: &'static str| {
        weak(name, "kills", link, without(scripts))
            .says(says)
            .why(why)
    };
    vec![
        left_out(
            "power_never_fails",
            CUT,
            &[
                "cut_places",
                "cut_changes",
                "cut_removals",
                "acknowledged",
                "acknowledged_removals",
            ],
            "a test in which the power never fails",
            "Two batches, or no sync, answer every query rightly until the power fails. `fail_in` lets it.",
        ),
        left_out(
            "removals_left_out",
            "deletes",
            &["removals", "cut_removals", "acknowledged_removals"],
            "a test that does not look for a removed order in every query",
            "After `remove`, ask all three queries. Each index may have kept its row.",
        ),
        left_out(
            "pages_left_out",
            NEXT,
            &["pages"],
            "a test that never goes from one page to the next",
            "Walk from page to page with a limit of one and of two, until there is no cursor. Let the last page be full, and \
             let one end between two orders of one time.",
        ),
        left_out(
            "users_left_out",
            "three-questions",
            &["users"],
            "a test that does not look closely at the query by user",
            "Ask for a user with several orders, with and without a tight limit, beside a user whose name begins alike.",
        ),
        left_out(
            "times_left_out",
            "three-questions",
            &["times"],
            "a test that does not look closely at the query by time",
            "Ask for a range that ends where an order is. Take times of different lengths, and two orders of one \
             millisecond.",
        ),
        left_out(
            "refusals_left_out",
            TASK,
            &["refusals"],
            "a test that never uses a number twice, or one that no order has",
            "A number that is taken and a number that is unknown are calls as well. Place an order twice, and change one that is \
             not there.",
        ),
    ]
}
