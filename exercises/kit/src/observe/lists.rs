//! What a wrong list holds, compared with the right one.

use crate::answer::Outcome;
use crate::check::wrong_answers;
use crate::exercise::Part;

/// A right list, and the wrong one that was given.
type Pair<'a> = (Vec<&'a str>, Vec<&'a str>);

/// How wrong lists differ from the right ones, if all of them do in one way, and the end at which they do.
pub(super) fn lists(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let pairs: Option<Vec<Pair<'_>>> = wrong_answers(part, outcomes)
        .into_iter()
        .filter_map(|i| Some((part.probes[i].expected.as_ref()?, outcomes[i].answer()?)))
        .map(|(right, given)| Some((items(&right.text)?, items(&given.text)?)))
        .collect();
    let pairs = pairs.unwrap_or_default();
    let end = wrong_end(&pairs);
    held(&pairs).into_iter().chain(end).collect()
}

fn held(pairs: &[Pair<'_>]) -> Option<String> {
    let all = |holds: &dyn Fn(&[&str], &[&str]) -> bool| pairs.iter().all(|(r, g)| holds(r, g));
    if pairs.is_empty() {
        return None;
    }
    let length = pairs[0].1.len();
    // A few at the front may be found for many reasons.
    let cut = length > FRONT_MIN && all(&|r, g| g.len() == length && r.starts_with(g));
    if all(&|_, g| g.is_empty()) {
        return Some("Where the list is wrong, it is empty.".to_owned());
    }
    let says = if cut {
        format!("the first {length} of the right ones, and nothing after them")
    } else if all(&|r, g| r.iter().rev().eq(g)) {
        "the right ones in reverse".to_owned()
    } else if all(&|r, g| sorted_items(r) == sorted_items(g)) {
        "the right ones in another order".to_owned()
    } else if let Some(end) = one_more_or_less(pairs) {
        format!("all the right ones {end}")
    } else if all(&|r, g| g.len() < r.len() && holds_all(r, g)) {
        "some of the right ones and no others".to_owned()
    } else if all(&|r, g| holds_all(r, g)) {
        "no others than the right ones: some are missing, or they are in another order".to_owned()
    } else if all(&|r, g| g.len() > r.len() && holds_all(g, r)) {
        "all the right ones and others besides".to_owned()
    } else if all(&|r, g| holds_all(g, r)) {
        "all the right ones: there are others besides, or they are in another order".to_owned()
    } else {
        return None;
    };
    Some(format!("Where the list is wrong, it holds {says}."))
}

/// A list of fewer may be the beginning of the right one by chance.
const FRONT_MIN: usize = 9;

/// Fewer lists may have an end in common by chance.
const ENDS_MIN: usize = 6;

/// A bound that is wrong: the lists with something in them have one end in common with the right ones, and not the other.
fn wrong_end(pairs: &[Pair<'_>]) -> Option<String> {
    let both: Vec<[[&str; 2]; 2]> = pairs
        .iter()
        .filter_map(|(right, given)| Some([ends(right)?, ends(given)?]))
        .collect();
    let [begins, stops] = [0, 1].map(|end| both.iter().all(|[r, g]| r[end] == g[end]));
    let says = match (begins, stops) {
        _ if both.len() < ENDS_MIN || one_more_or_less(pairs).is_some() => return None,
        (true, false) => "begins as the right one does, and stops elsewhere",
        (false, true) => "stops as the right one does, and begins elsewhere",
        _ => return None,
    };
    Some(format!(
        "Where the list is wrong, and neither it nor the right one is empty, it {says}."
    ))
}

fn ends<'a>(list: &[&'a str]) -> Option<[&'a str; 2]> {
    Some([list.first()?, list.last()?])
}

/// A bound that is off by one: the end at which every given list has one item more or less than the right one.
fn one_more_or_less(pairs: &[Pair<'_>]) -> Option<&'static str> {
    type Ends = fn(&[&str], &[&str]) -> bool;
    let ways: [(&str, Ends); 4] = [
        ("but the first", |r, g| {
            r.split_first().is_some_and(|(_, rest)| rest == g)
        }),
        ("but the last", |r, g| {
            r.split_last().is_some_and(|(_, rest)| rest == g)
        }),
        ("and one more after them", |r, g| {
            g.split_last().is_some_and(|(_, rest)| rest == r)
        }),
        ("and one more before them", |r, g| {
            g.split_first().is_some_and(|(_, rest)| rest == r)
        }),
    ];
    let fit = |ends: Ends| pairs.iter().all(|(right, given)| ends(right, given));
    let mut fitting = ways.into_iter().filter(|(_, ends)| fit(*ends));
    let (way, _) = fitting.next()?;
    // One item beside an empty list is at both of its ends.
    fitting.next().is_none().then_some(way)
}

/// The items of a list as it is shown: `[1, 2]`. Commas in texts and in inner lists part nothing.
fn items(list: &str) -> Option<Vec<&str>> {
    let inner = list.strip_prefix('[')?.strip_suffix(']')?;
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            // That list has ended, and something follows: this is no list alone.
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                found.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = inner[start..].trim();
    found.extend((!last.is_empty()).then_some(last));
    Some(found)
}

fn sorted_items<'a>(list: &[&'a str]) -> Vec<&'a str> {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted
}

/// Whether the one list holds each item of the other, as often as that.
fn holds_all(one: &[&str], other: &[&str]) -> bool {
    let one = sorted_items(one);
    let mut rest = one.iter();
    let other = sorted_items(other);
    other.iter().all(|item| rest.any(|one| one == item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;
    use crate::exercise::{Cast, Exercise, Judged as _, PartOf, Who};
    use crate::isolate::observe_here;

    type List = fn(usize) -> Vec<usize>;

    fn said(learner: List) -> String {
        let mut part = PartOf::new("f", "list");
        for n in [1, 12, 20] {
            let ask = move |f: &List| Answer::text(format!("{:?}", f(n)));
            part = part.probe(
                format!("f({n})"),
                Answer::text(n.to_string()),
                &["lists"],
                ask,
            );
        }
        let cast: Cast<List> = Cast {
            learner,
            stub: |_| todo!(),
            solution: |n| (0..n).collect(),
        };
        let exercise = Exercise::new("e", "c", cast).part(part);
        let behaviour = observe_here(&exercise, Who::Learner);
        lists(&exercise.sheet().parts[0], &behaviour.outcomes).join(" ")
    }

    #[test]
    fn wrong_lists_are_told_by_what_is_in_them() {
        let holds = |learner: List, what: &str| {
            let said = said(learner);
            assert!(said.contains(what), "{said:?} lacks {what:?}");
        };
        holds(
            |n| (0..n.min(10)).collect(),
            "the first 10 of the right ones",
        );
        holds(|n| (0..n).rev().collect(), "the right ones in reverse");
        holds(|n| (n / 2..n).chain(0..n / 2).collect(), "in another order");
        holds(
            |n| (0..n).step_by(2).collect(),
            "some of the right ones and no others",
        );
        holds(
            |n| (0..n.min(2)).collect(),
            "some of the right ones and no others",
        );
        holds(
            |n| (0..n + 2).collect(),
            "all the right ones and others besides",
        );
        holds(|n| (0..n).chain(0..2).collect(), "others besides");
        let half_or_turned: List = |n| match n {
            12 => (0..n).rev().collect(),
            _ => (0..n).step_by(2).collect(),
        };
        holds(half_or_turned, "some are missing, or they are in another");
        let more_or_turned: List = |n| match n {
            12 => (0..n).rev().collect(),
            _ => (0..=n).collect(),
        };
        holds(more_or_turned, "others besides, or they are in another");
        holds(|_| Vec::new(), "Where the list is wrong, it is empty.");
        holds(|n| (1..n).collect(), "all the right ones but the first.");
        holds(|n| (0..n - 1).collect(), "all the right ones but the last.");
        holds(
            |n| (0..=n).collect(),
            "all the right ones and one more after them.",
        );
        holds(
            |n| [n].into_iter().chain(0..n).collect(),
            "all the right ones and one more before them.",
        );
        // Nobody knows which end of a list without items that would be.
        let only_one = |right: &[&'static str], given: &[&'static str]| {
            one_more_or_less(&[(right.to_vec(), given.to_vec())])
        };
        assert_eq!(only_one(&[], &["a"]), None);
        assert_eq!(
            only_one(&["a"], &["a", "b"]),
            Some("and one more after them")
        );
        assert_eq!(said(|n| (1..=n).collect()), "");
        assert_eq!(said(|n| (0..n).collect()), "", "a right one is not told");
    }

    #[test]
    fn the_end_at_which_lists_are_wrong_is_told() {
        let told = |given: fn(usize) -> std::ops::Range<usize>| {
            let texts: Vec<[Vec<String>; 2]> = (1..9)
                .map(|n| [3..9, given(n)].map(|list| list.map(|i| i.to_string()).collect()))
                .collect();
            let list = |list: &'static [String]| list.iter().map(String::as_str).collect();
            let pairs = texts
                .leak()
                .iter()
                .map(|[right, given]| (list(right), list(given)));
            wrong_end(&pairs.collect::<Vec<Pair<'_>>>()).unwrap_or_default()
        };
        assert!(told(|n| 3..9 + 2 * n).contains("begins as the right one does"));
        assert!(told(|n| 3..3 + n / 2).contains("begins as the right one does"));
        assert!(told(|n| 9 - n..9).contains("stops as the right one does"));
        assert_eq!(told(|n| 9 - n..9 + n), "");
        assert_eq!(told(|_| 0..0), "");
        assert_eq!(told(|_| 3..10), "", "that is told as one more");
    }

    #[test]
    fn a_list_is_taken_apart_at_its_own_commas() {
        let parted = |list| items(list).unwrap_or_default();
        assert_eq!(
            parted(r#"["a, \"b", (1, 2), [3, 4]]"#),
            [r#""a, \"b""#, "(1, 2)", "[3, 4]"]
        );
        assert_eq!(parted("[]"), [""; 0]);
        assert_eq!(items("[1] [2] end"), None);
        assert_eq!(items("true and the rows [1]"), None);
        assert_eq!(items("[1], [2]"), None);
    }
}
