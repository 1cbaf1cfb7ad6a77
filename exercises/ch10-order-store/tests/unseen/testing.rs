//! What is said of tests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::SeqCst;

use kit::State;
use kit::unseen::{judged, named, observed};

use crate::order::{Order, OrderStore, Status};
use crate::{Open, anns, solutions, test_store, tested};

#[test]
fn tests_are_scored_by_what_they_refuse() {
    let only_users = |open: &dyn Fn() -> Box<dyn OrderStore>| {
        let mut store = open();
        for (id, user) in [(1, "ann"), (2, "anna"), (3, "ann")] {
            let order = Order {
                id,
                user: user.to_owned(),
                at: 5,
                status: Status::New,
            };
            assert!(store.place(&order));
        }
        assert_eq!(store.of_user("ann", 9), [1, 3]);
    };
    observed(
        &judged(&test_store::exercise_of(test_store::tester(only_users))),
        "kills",
        &[
            "killed 2 of 18",
            "It accepts 2 of 2 right implementations, and refuses 2 of 18 mistakes.",
        ],
    );
}

#[test]
fn a_test_leaves_the_bytes_of_a_cursor_alone() {
    let whole_key = |open: &dyn Fn() -> Box<dyn OrderStore>| {
        solutions::test_store::test(open);
        let mut store = open();
        for id in [1, 2] {
            let order = Order {
                id,
                user: "ann".to_owned(),
                at: 5,
                status: Status::New,
            };
            store.place(&order);
        }
        let next = store.with_status(Status::New, 1, None).next;
        assert_eq!(next.map(|cursor| cursor.len()), Some(14));
    };
    let verdict = judged(&test_store::exercise_of(test_store::tester(whole_key)));
    observed(&verdict, "accepts-right", &["`next_row_as_cursor`"]);
}

#[test]
fn the_greatest_number_means_after_the_call() {
    let patient = |open: &dyn Fn() -> Box<dyn OrderStore>| {
        solutions::test_store::test(open);
        let mut store = open();
        store.fail_in(u64::MAX);
        assert!(!store.remove(1));
    };
    let verdict = judged(&test_store::exercise_of(test_store::tester(patient)));
    assert_eq!(verdict.state, State::Passed);
}

#[test]
fn a_right_store_keeps_what_it_was_told_however_many_calls_came_before() {
    // A store that flushes with each order compacts now and then, and such a call has more file operations.
    let later = |open: &dyn Fn() -> Box<dyn OrderStore>| {
        solutions::test_store::test(open);
        for orders in 0..16 {
            let mut store = open();
            for id in 0..=orders {
                if id == orders {
                    store.fail_in(20);
                }
                let order = Order {
                    id,
                    user: "ann".to_owned(),
                    at: 5,
                    status: Status::New,
                };
                assert!(store.place(&order));
            }
            assert!(store.get(orders).is_some(), "order {orders} is lost");
        }
    };
    let verdict = judged(&test_store::exercise_of(test_store::tester(later)));
    assert_eq!(verdict.state, State::Passed);
}

#[test]
fn a_test_that_takes_a_mistake_for_the_rule_is_told_which() {
    let tested = |test: fn(&dyn Fn() -> Box<dyn OrderStore>)| {
        judged(&test_store::exercise_of(test_store::tester(test)))
    };
    let collected = tested(|open| {
        let mut store = open();
        for id in 1..9 {
            let user = "ann".to_owned();
            let at = u64::from(id);
            let status = Status::New;
            store.place(&Order {
                id,
                user,
                at,
                status,
            });
        }
        let newest: Vec<Vec<u32>> = (0..9).map(|limit| store.of_user("ann", limit)).collect();
        let oldest: Vec<Vec<u32>> = (0..9).map(|limit| store.between(0, 99, limit)).collect();
        for (newest, oldest) in newest.iter().zip(&oldest) {
            assert_eq!(newest, oldest);
        }
    });
    observed(
        &collected,
        "accepts-right",
        &[
            "of_user(\"ann\", 1) had returned what is on the left, and between(0, 99, 1) what is on the right.",
            "It accepts `oldest_first`, which is wrong",
        ],
    );
}

#[test]
fn a_test_that_demands_what_is_free_reads_so() {
    let comes_between = |open: Open| {
        let mut store = anns(open, &[(1, 5), (3, 9)]);
        let next = store.with_status(Status::New, 1, None).next;
        let order = Order {
            id: 2,
            at: 7,
            ..store.get(1).unwrap()
        };
        store.place(&order);
        let page = store.with_status(Status::New, 9, next.as_deref());
        assert_eq!(page.ids, [2, 3]);
    };
    let page_of_none = |open: Open| {
        let page = anns(open, &[(1, 5)]).with_status(Status::New, 0, None);
        assert!(page.next.is_some());
    };
    let empty_cursor = |open: Open| {
        let page = anns(open, &[(1, 5)]).with_status(Status::New, 9, Some(b""));
        assert_eq!(page.ids, [1]);
    };
    let free = ["accepts 1 of 2", "something that the rules leave free"];
    observed(&tested(comes_between), "accepts-right", &free);
    observed(&tested(page_of_none), "accepts-right", &free);
    observed(&tested(empty_cursor), "accepts-right", &free);
}

#[test]
fn tests_that_see_little_are_told_what_passes() {
    let own_row_alone = |open: Open| {
        let store = anns(open, &[(1, 5)]);
        assert_eq!(store.get(1).map(|order| order.at), Some(5));
        assert_eq!(store.get(2), None);
    };
    named(&tested(own_row_alone), "accepts_everything");
    let swallowed = |open: Open| {
        let test = AssertUnwindSafe(|| solutions::test_store::test(open));
        _ = catch_unwind(test);
    };
    named(&tested(swallowed), "accepts_everything");
    let one_cut = |open: Open| {
        let mut store = open();
        store.fail_in(1);
        let order = anns(open, &[(1, 5)]).get(1).unwrap();
        store.place(&order);
        assert_eq!(store.get(1).is_some(), !store.of_user("ann", 9).is_empty());
    };
    named(&tested(one_cut), "accepts_everything");
    let gone_meanwhile = |open: Open| {
        let mut store = anns(open, &[(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]);
        let next = store.with_status(Status::New, 2, None).next;
        store.remove(2);
        store.remove(3);
        let page = store.with_status(Status::New, 9, next.as_deref());
        assert_eq!((page.ids, page.next), (vec![4, 5], None));
    };
    observed(&tested(gone_meanwhile), "kills", &["killed 1 of 18"]);
    let by_itself = |open: Open| assert_eq!(anns(open, &[]).of_user("ann", 9)[0], 1);
    let told = "your test panics by itself";
    observed(&tested(by_itself), "accepts-right", &[told]);
    let inverted = |open: Open| {
        let test = AssertUnwindSafe(|| solutions::test_store::test(open));
        assert!(catch_unwind(test).is_err());
    };
    let told = "It accepts 0 of 2 right implementations, and refuses 0 of 18";
    observed(&tested(inverted), "accepts-right", &[told]);
    // The first ones are the right ones, as who counts the calls may find out.
    let counted = |_: Open| {
        static CALLS: AtomicU8 = AtomicU8::new(0);
        assert!(CALLS.fetch_add(1, SeqCst) < 2);
    };
    observed(&tested(counted), "same-answer", &[]);
}
