//! What a test decides, and what is said of it.

use std::collections::BTreeSet;

use super::*;
use crate::exercise::{Cast, Judged as _, Who};
use crate::isolate::observe_here;

type Number = fn(i64) -> i64;

const NEXT: Number = |n| n + 1;

fn ask(test: impl Fn(&Number) -> Result<(), String> + Send + Sync + 'static) -> Answer {
    Tester::new(test).judge(&NEXT, true)
}

fn call(number: &Number, n: i64) -> i64 {
    watch(move || format!("next({n})"), || number(n), Show::show)
}

#[test]
fn a_refusal_is_told_with_the_last_calls() {
    let accepted = ask(|next| (call(next, 1) == 2).then_some(()).ok_or("no".to_owned()));
    assert_eq!(accepted.text, ACCEPTED);
    assert_eq!(accepted.note.as_deref(), Some("makes 1 call: next(1)"));

    let refused = ask(|next| match call(next, 1) + call(next, 2) + call(next, 3) {
        10 => Ok(()),
        sum => Err(format!("the sum is {sum}")),
    });
    assert_eq!(refused.text, REFUSED);
    let note =
        "It returns an error: the sum is 9. Its last calls were next(2) = 3 and next(3) = 4.";
    assert_eq!(refused.note.as_deref(), Some(note));
    assert_eq!(refused, Answer::text(REFUSED), "a reason is not compared");
}

fn note(test: impl Fn(&Number) + Send + Sync + 'static) -> String {
    let judged = Tester::new(test).judge(&NEXT, true);
    assert_eq!(judged.text, REFUSED);
    judged.note.unwrap_or_default()
}

#[test]
fn who_compares_afterwards_reads_which_calls_differ() {
    let numbers = || [3, 5, 7, 6, 9, 12].into_iter();
    let all = move |next: &Number| numbers().map(|n| call(next, n)).collect::<Vec<i64>>();
    let pair = "up to next(7) = 8, and then comes next(6) = 7: if";
    let compared = note(move |next| {
        let all = all(next);
        for i in 1..all.len() {
            assert!(all[i - 1] < all[i]);
        }
    });
    assert!(compared.contains("Its last calls were next(9) = 10 and next(12) = 13."));
    assert!(compared.contains(pair), "{compared}");
    let at_once = note(move |next| assert!(all(next).is_sorted_by(|a, b| a < b)));
    assert!(at_once.contains(pair), "{at_once}");
    let returned = Tester::new(move |next: &Number| all(next).windows(2).all(|p| p[0] < p[1]));
    let returned = returned.judge(&NEXT, true).note.unwrap_or_default();
    assert!(returned.contains(pair), "{returned}");

    let equal = note(move |next| {
        let all = all(next);
        assert_eq!(all[0], all[3]);
    });
    let both = "next(3) had returned what is on the left, and next(6) what is on the right.";
    assert!(equal.ends_with(both), "{equal}");
    // 8 came twice, and nobody knows from which call this one is.
    let one = note(move |next| {
        call(next, 7);
        assert_eq!(all(next)[2], 70);
    });
    assert!(one.ends_with("next(12) = 13."), "{one}");
    // 4 was expected, and that next(3) had returned it is by chance.
    let chance = note(move |next| {
        all(next);
        assert_eq!(call(next, 20), 4);
    });
    assert!(chance.ends_with("next(20) = 21."), "{chance}");
    // The last calls are told already.
    let told = note(move |next| assert_eq!(all(next)[5], 14));
    assert!(told.ends_with("next(12) = 13."), "{told}");
    let told = note(|next| assert!(call(next, 1) < call(next, 2) && call(next, 3) < call(next, 0)));
    assert!(told.ends_with("next(3) = 4 and next(0) = 1."), "{told}");
    // Each pair was asked for by itself, and the last one failed.
    let pairs = note(|next| {
        for (a, b) in [(1, 2), (1, 3), (2, 3), (5, 4), (8, 9)] {
            let (a, b) = (call(next, a), call(next, b));
            assert!(a < b);
        }
    });
    assert!(pairs.ends_with("next(5) = 6 and next(4) = 5."), "{pairs}");
    // Nothing says that the order matters.
    let other = note(move |next| assert!(all(next).contains(&70)));
    assert!(other.ends_with("next(12) = 13."), "{other}");
}

#[test]
fn of_two_long_lists_the_place_is_told_where_they_differ() {
    let told = |left: &[Vec<u8>], right: &[Vec<u8>]| {
        let (left, right) = (left.to_vec(), right.to_vec());
        note(move |_| assert_eq!(left, right))
    };
    let many: Vec<Vec<u8>> = (0..100).map(|n| vec![n, n]).collect();
    let told_apart = told(&many, &[&many[..50], &[vec![50, 7]], &many[51..]].concat());
    let left = "left: ... [50, 50], [51, 51], [52, 52],";
    let right = "right: ... [50, 7], [51, 51], [52, 52],";
    assert!(
        told_apart.contains(left) && told_apart.contains(right),
        "{told_apart}"
    );
    let cut = told(&many, &many[..50]);
    assert!(cut.contains("right: ... [49, 49]]."), "{cut}");
    let at_once = told(&many, &many[1..]);
    assert!(at_once.contains("left: [[0, 0], [1, 1],"), "{at_once}");
    // No items at all, and letters of several bytes.
    let texts = note(|_| assert_eq!("ä".repeat(300), format!("{}b", "ä".repeat(299))));
    assert!(texts.contains("left: \"ää"), "{texts}");
}

#[test]
fn a_panic_refuses_and_a_false_does() {
    let panics = Tester::new(|next: &Number| assert_eq!(call(next, 1), 3)).judge(&NEXT, true);
    let note = panics.note.unwrap_or_default();
    assert_eq!(panics.text, REFUSED);
    assert!(
        note.contains("left == right` failed; left: 2; right: 3. Its only call was next(1) = 2."),
        "{note}"
    );

    let inside: Number = |_| panic!("inside");
    let panics = Tester::new(|next: &Number| call(next, 1) == 2).judge(&inside, true);
    let note = panics.note.unwrap_or_default();
    assert!(
        note.ends_with("Its only call was next(1), which did not return."),
        "{note}"
    );

    let no = Tester::new(|_: &Number| false).judge(&inside, true);
    assert_eq!(
        no.note.as_deref(),
        Some("It returns false. It had called nothing.")
    );
}

#[test]
fn a_test_that_breaks_down_has_refused_nobody() {
    let numbers = [1, 2];
    let sum = |next: &Number| assert!(call(next, 1) + i64::MAX > 0);
    let index = move |next: &Number| assert!(numbers[numbers.len() + call(next, 0) as usize] > 0);
    let unwrap = |next: &Number| assert!(call(next, 1).checked_add(i64::MAX).unwrap() > 0);
    let range = |next: &Number| {
        let found = BTreeSet::from([1, 2]).range(call(next, 1)..1).count();
        assert_eq!(found, 0);
    };
    let unwritten = |next: &Number| match call(next, 1) {
        2 => unimplemented!("the rest"),
        other => assert_eq!(other, 2),
    };
    let broken = [
        (Tester::new(range), "range start is greater"),
        (Tester::new(sum), "attempt to add with overflow"),
        (Tester::new(index), "index out of bounds"),
        (Tester::new(unwrap), "called `Option::unwrap()`"),
        (Tester::new(unwritten), "not implemented: the rest"),
    ];
    for (tester, message) in broken {
        let on_right = tester.judge(&NEXT, true);
        assert_eq!(on_right.text, BROKEN);
        assert!(
            on_right.note.unwrap_or_default().contains(message),
            "{message}"
        );
        assert_eq!(
            tester.judge(&NEXT, false).text,
            REFUSED,
            "a wrong one may be the cause"
        );
    }
    // What the candidate does with an argument is not the test's own arithmetic.
    let overflows: Number = |n| n.checked_add(i64::MAX).expect("attempt to add");
    let asked = Tester::new(|next: &Number| assert!(call(next, 1) > 0));
    assert_eq!(asked.judge(&overflows, true).text, REFUSED);
}

#[test]
fn a_mistake_taken_for_the_rule_is_told() {
    let candidates = || {
        Candidates::<Number>::new("number")
            .right("next", "It adds one.", |n| n + 1)
            .wrong(Wrong::new("same", (|n| n) as Number).says("It adds nothing."))
            .wrong(Wrong::new("before", (|n| n - 1) as Number).says("It subtracts one."))
    };
    let observed = |test: fn(&Number)| {
        let cast = Cast {
            learner: Tester::new(test),
            stub: Tester::new(|_: &Number| -> bool { todo!() }),
            solution: Tester::new(|next: &Number| assert_eq!(call(next, 1), 2)),
        };
        let exercise = Exercise::new("e", "c", cast).tester("test", |t| t, candidates());
        let behaviour = observe_here(&exercise, Who::Learner);
        observe(&exercise.sheet().parts[0], &behaviour.outcomes).join(" ")
    };
    let wrong_rule = observed(|next| assert_eq!(call(next, 7), 6));
    let told = "It accepts `before`, which is wrong: It subtracts one.";
    assert!(wrong_rule.contains(told), "{wrong_rule}");
    assert!(!wrong_rule.contains("`same`"), "{wrong_rule}");
    // It accepts a mistake because it is weak, and the right one too.
    let weak = observed(|next| assert!(call(next, 7) < 9));
    assert!(!weak.contains("which is wrong"), "{weak}");
}

#[test]
fn what_two_right_ones_differ_in_is_told_to_be_free() {
    let observed = |test: fn(&Number)| {
        let cast = Cast {
            learner: Tester::new(test),
            stub: Tester::new(|_: &Number| -> bool { todo!() }),
            solution: Tester::new(|next: &Number| assert!(call(next, 1) > 1)),
        };
        let candidates = Candidates::<Number>::new("number")
            .right("next", "It adds one.", |n| n + 1)
            .right("after", "It adds two.", |n| n + 2)
            .wrong(Wrong::new("same", (|n| n) as Number).says("It adds nothing."));
        let exercise = Exercise::new("e", "c", cast).tester("test", |t| t, candidates);
        let behaviour = observe_here(&exercise, Who::Learner);
        observe(&exercise.sheet().parts[0], &behaviour.outcomes).join(" ")
    };
    let narrow = observed(|next| assert_eq!(call(next, 7), 8));
    let told = "it accepts `next` and refuses `after`. Both keep the rules";
    assert!(narrow.contains(told), "{narrow}");
    let weak = observed(|next| assert!(call(next, 7) > 6));
    assert!(!weak.contains("Both keep"), "{weak}");
    let strict = observed(|next| assert!(call(next, 7) < 6));
    assert!(!strict.contains("Both keep"), "{strict}");
    // One that breaks down has refused nobody.
    let broken = observed(|next| assert!([1][call(next, 7) as usize - 8] > 0));
    assert!(!broken.contains("Both keep"), "{broken}");
}

#[test]
fn a_test_that_does_not_come_back_is_told_by_what_it_was_tried_on() {
    let by_two: Number = |n| n + 2;
    let candidates = Candidates::<Number>::new("counter")
        .right("by_one", "It adds one.", NEXT)
        .wrong(Wrong::new("by_two", by_two).says("It adds two."));
    let cast = Cast {
        learner: Tester::new(|_: &Number| ()),
        stub: Tester::new(|_: &Number| -> bool { todo!() }),
        solution: Tester::new(|next: &Number| next(1) == 2),
    };
    let exercise = Exercise::new("e", "c", cast).tester("test", |test| test, candidates);
    let part = &exercise.sheet().parts[0];
    let accepted = || Outcome::Answer(Answer::text(ACCEPTED));
    let died = |outcomes: &[Outcome]| observe(part, outcomes).join(" ");
    let endless = || Outcome::Died(Death::EndlessLoop { limit_ms: 1000 });
    let on_a_right_one = died(&[endless(), Outcome::NotAsked]);
    assert!(on_a_right_one.contains("a right counter, whose calls all return."));
    let on_a_wrong_one = died(&[accepted(), endless()]);
    assert!(
        on_a_wrong_one.contains(
            "a wrong counter, `by_two`, and came back from every right one. It adds two."
        )
    );
    let limit_ms = 8000;
    let slow = || {
        Outcome::Died(Death::TooSlow {
            limit_ms,
            waits: true,
        })
    };
    for too_slow in [[slow(), Outcome::NotAsked], [accepted(), slow()]] {
        let told = died(&too_slow);
        let of_all =
            "the limit is for all times together: it is tried on 2 counters, and twice on each.";
        assert!(told.contains(of_all) && !told.contains("by_two"), "{told}");
    }
    let ended = died(&[accepted(), Outcome::Died(Death::Exit(1))]);
    assert!(ended.contains("refuses by a panic"), "{ended}");
    let waits = Outcome::Died(Death::Waits { limit_ms: 4000 });
    assert_eq!(died(&[waits, Outcome::NotAsked]), "");
}

#[test]
fn a_witness_must_tell_right_from_wrong() {
    let candidates = |witness: fn(&Number) -> bool| {
        Candidates::<Number>::new("number")
            .right("next", "It adds one.", |n| n + 1)
            .wrong(Wrong::new("same", (|n| n) as Number).shows("at 1", witness))
    };
    assert_eq!(false_witness(&candidates(|next| next(1) == 2)), None);
    let blind = false_witness(&candidates(|_| true)).unwrap_or_default();
    assert!(blind.contains("does not refuse it"), "{blind}");
    let strict = false_witness(&candidates(|next| next(1) == 3)).unwrap_or_default();
    assert!(strict.contains("refuses next, which is right"), "{strict}");
}

#[test]
fn long_lines_are_cut() {
    let line = on_one_line(&format!("left\n  {}\n", "x".repeat(300)));
    assert_eq!(line.len(), "left; ".len() + LINE_MAX + " ...".len());
}
