//! Observations: sentences about an answer that are computed from it, and therefore true of it.
//!
//! They are given when an answer behaves like no known mistake. None of them guesses at a reason.

mod lists;

use std::collections::{HashMap, HashSet};

use self::lists::lists;
use crate::answer::{Death, Outcome};
use crate::check::{has_key, is_wrong, key, shared_answer, sorted, wrong_answers};
use crate::exercise::Part;
use crate::panics;
use crate::relate::relation;
use crate::render::{brief, count, some_of};

/// At most so many calls are named one by one.
const NAMED_MAX: usize = 4;

/// Everything that can be said of a part's outcomes.
pub(crate) fn observe(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(no_answer(part, outcomes));
    if !part.ranks.is_empty() {
        said.extend(order(part, outcomes));
        said.extend(text(part, outcomes));
        said.extend(lengths(part, outcomes));
        said.extend(withheld(part, outcomes));
        said.extend(given(part, outcomes));
    }
    said.extend(shared(part, outcomes));
    said.extend(one_answer(part, outcomes));
    let related = relations(part, outcomes);
    if part.ranks.is_empty() || (!related.is_empty() && !some_right(part, outcomes)) {
        said.extend(right_and_wrong(part, outcomes));
        said.extend(lists(part, outcomes));
    } else {
        said.extend(exceptions(part, outcomes));
    }
    said.extend(related);
    said.extend(part.says.iter().flat_map(|says| says(part, outcomes)));
    said
}

/// Describes a set of probes in the shortest true way.
pub(crate) fn describe(part: &Part, set: &[usize]) -> String {
    let total = part.probes.len();
    if set.len() == total {
        return format!("all {}", count(total, "probe"));
    }
    // One call may be asked for in several ways, as a decoder for keys that happen to be the same.
    let mut calls = calls(part, set);
    let mut seen = HashSet::new();
    calls.retain(|call| seen.insert(*call));
    if calls.len() <= NAMED_MAX {
        return some_of(calls.into_iter());
    }
    if let Some(class) = part.classes().into_iter().find(|c| part.members(c) == set) {
        return format!("the {class}, all of them and no others");
    }
    let by_class: Vec<String> = part
        .groups()
        .into_iter()
        .filter_map(|class| {
            let members = part.members(class);
            let hit = members.iter().filter(|i| set.contains(i)).count();
            (hit > 0).then(|| format!("{hit} of {} {class}", members.len()))
        })
        .collect();
    format!(
        "{} of {total} probes ({}), the smallest {}",
        set.len(),
        by_class.join(", "),
        part.probes[set[0]].call
    )
}

fn calls<'a>(part: &'a Part, set: &[usize]) -> Vec<&'a str> {
    set.iter().map(|&i| part.probes[i].call.as_str()).collect()
}

fn where_is(outcomes: &[Outcome], what: impl Fn(&Outcome) -> bool) -> Vec<usize> {
    (0..outcomes.len())
        .filter(|&i| what(&outcomes[i]))
        .collect()
}

fn no_answer(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let mut said = Vec::new();
    let panicking = where_is(outcomes, |o| matches!(o, Outcome::Panic { .. }));
    // Of a single probe, the finding has said it all.
    if let Some(&first) = panicking.first().filter(|_| part.probes.len() > 1) {
        said.push(format!("It panics on {}.", describe(part, &panicking)));
        let differ = panicking
            .iter()
            .any(|&i| outcomes[i].brief() != outcomes[first].brief());
        if differ {
            said.push(format!(
                "The messages differ; the first is {}.",
                brief(&outcomes[first].brief())
            ));
        }
    }
    let mut messages = Vec::new();
    for outcome in outcomes {
        if let Outcome::Panic { message, .. } = outcome {
            messages.push(message.as_str());
        }
    }
    said.extend(panics::meanings(&messages));
    let todos = where_is(outcomes, |o| matches!(o, Outcome::Todo { .. }));
    if !todos.is_empty() {
        said.push(format!(
            "A `todo!()` is left on {}.",
            describe(part, &todos)
        ));
    }
    let dead = where_is(outcomes, |o| matches!(o, Outcome::Died(_)));
    if !dead.is_empty() {
        let answered = where_is(outcomes, |o| o.answer().is_some());
        let unasked = where_is(outcomes, |o| matches!(o, Outcome::NotAsked)).len();
        let before = if answered.is_empty() {
            "It answered no probe".to_owned()
        } else {
            format!("It did answer {}", describe(part, &answered))
        };
        said.push(if unasked == 0 {
            format!("{before}.")
        } else {
            format!("{before}; {} not tried after that.", were(unasked))
        });
    }
    let ended = |i: usize| {
        !matches!(
            outcomes[i],
            Outcome::Died(Death::EndlessLoop { .. } | Death::TooSlow { .. })
        )
    };
    if let Some((class, says)) = part.slow
        && !part.members(class).into_iter().all(ended)
    {
        said.push(says.to_owned());
    }
    said
}

fn were(probes: usize) -> String {
    let verb = if probes == 1 { "was" } else { "were" };
    format!("{} {verb}", count(probes, "probe"))
}

fn order(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let with_key = |i: &usize| key(part, outcomes, *i).is_some();
    let all: Vec<usize> = (0..outcomes.len()).filter(with_key).collect();
    if all.len() < 2 {
        return Vec::new();
    }
    if sorted(part, outcomes, &all) {
        let due = (0..part.probes.len()).filter(|&i| has_key(part, i));
        return vec![if all.len() == due.count() {
            format!("The {}s are in order.", part.makes)
        } else {
            format!("Where it answers, the {}s are in order.", part.makes)
        }];
    }
    if reversed(part, outcomes, &all) {
        return vec![format!(
            "All {}s are in exactly the reverse order.",
            part.makes
        )];
    }
    let mut said = Vec::new();
    let makes = one(part.makes);
    let groups: Vec<(&str, Vec<usize>)> = part
        .groups()
        .into_iter()
        .map(|class| {
            let mut members = part.members(class);
            members.retain(with_key);
            (class, members)
        })
        .filter(|(_, members)| !members.is_empty())
        .collect();
    for (class, members) in groups.iter().filter(|(_, m)| m.len() > 1) {
        let how = if sorted(part, outcomes, members) {
            "in order among themselves".to_owned()
        } else if reversed(part, outcomes, members) {
            "in exactly the reverse order among themselves".to_owned()
        } else if neighbours(part, outcomes, members, |a, b| a <= b) {
            format!("never out of order among themselves, but some of them share {makes}")
        } else if neighbours(part, outcomes, members, |a, b| a >= b) {
            format!("in the reverse order among themselves, and some of them share {makes}")
        } else {
            "not in order among themselves".to_owned()
        };
        said.push(format!("The {class} are {how}."));
    }
    let mut by_rank = groups;
    by_rank.sort_by_key(|(_, members)| members.iter().map(|&i| part.ranks[i]).min());
    for pair in by_rank.windows(2) {
        said.extend(across(part, outcomes, &pair[0], &pair[1]));
    }
    said
}

fn reversed(part: &Part, outcomes: &[Outcome], members: &[usize]) -> bool {
    neighbours(part, outcomes, members, |a, b| a > b)
}

/// Whether the keys of any two neighbours, by rank, are related so.
fn neighbours(
    part: &Part,
    outcomes: &[Outcome],
    members: &[usize],
    related: impl Fn(Option<&[u8]>, Option<&[u8]>) -> bool,
) -> bool {
    let mut ranked = members.to_vec();
    ranked.sort_by_key(|&i| part.ranks[i]);
    ranked
        .windows(2)
        .all(|pair| related(outcomes[pair[0]].bytes(), outcomes[pair[1]].bytes()))
}

fn across(
    part: &Part,
    outcomes: &[Outcome],
    (low, lows): &(&str, Vec<usize>),
    (high, highs): &(&str, Vec<usize>),
) -> Option<String> {
    let rank = |i: &usize| part.ranks[*i];
    if lows.iter().map(rank).max() >= highs.iter().map(rank).min() {
        return None;
    }
    let keys = |set: &[usize]| {
        set.iter()
            .filter_map(|&i| outcomes[i].bytes())
            .collect::<Vec<_>>()
    };
    let (a, b) = (keys(lows), keys(highs));
    Some(if a.iter().max() < b.iter().min() {
        format!("All {low} sort before all {high}, as they should.")
    } else if a.iter().min() > b.iter().max() {
        format!("All {low} sort after all {high}.")
    } else {
        format!("The {}s of the {low} and the {high} are mixed.", part.makes)
    })
}

/// Keys that are out of order, printed though nobody asks for it: digits that people read.
fn text(part: &Part, outcomes: &[Outcome]) -> Option<String> {
    let all: Vec<usize> = (0..outcomes.len()).filter(|&i| has_key(part, i)).collect();
    let is_text = |bytes: &[u8]| bytes.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let written = |i: &usize| outcomes[*i].bytes().is_some_and(is_text);
    let asked = |i: &usize| {
        let expected = part.probes[*i].expected.as_ref();
        expected.is_some_and(|answer| answer.bytes.as_deref().is_some_and(is_text))
    };
    let inputs_are_text = part.probes.iter().all(|probe| {
        let bytes = probe.input.bytes.as_deref();
        bytes.is_none_or(is_text)
    });
    let is_unasked = !all.iter().all(asked) && !inputs_are_text;
    (all.len() > 1 && is_unasked && all.iter().all(written) && !sorted(part, outcomes, &all)).then(
        || {
            format!(
                "Every {} is text: digits, letters and signs. Text is compared from the left, sign by sign, whatever number \
                 it says; cut to a width, or printed with a fixed number of digits, it loses what does not fit.",
                part.makes
            )
        },
    )
}

fn lengths(part: &Part, outcomes: &[Outcome]) -> Option<String> {
    let lengths = || outcomes.iter().filter_map(|o| Some(o.bytes()?.len()));
    let (min, max) = (lengths().min()?, lengths().max()?);
    (min != max).then(|| format!("A {} has between {min} and {max} bytes.", part.makes))
}

/// Inputs that are to have a key, and were given an answer that is none: `None`, or an error.
fn withheld(part: &Part, outcomes: &[Outcome]) -> Option<String> {
    let has_none = |i: &usize| {
        let answer = outcomes[*i].answer();
        has_key(part, *i) && answer.is_some_and(|answer| answer.bytes.is_none())
    };
    let set: Vec<usize> = (0..outcomes.len()).filter(has_none).collect();
    (!set.is_empty()).then(|| format!("It gives no {} on {}.", part.makes, describe(part, &set)))
}

/// Inputs that are to have no key, and were given one.
fn given(part: &Part, outcomes: &[Outcome]) -> Option<String> {
    let has_one = |i: &usize| !has_key(part, *i) && outcomes[*i].bytes().is_some();
    let set: Vec<usize> = (0..outcomes.len()).filter(has_one).collect();
    (!set.is_empty()).then(|| {
        format!(
            "It gives {} where there is none, on {}.",
            one(part.makes),
            describe(part, &set)
        )
    })
}

/// The noun with its article.
fn one(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

fn shared(part: &Part, outcomes: &[Outcome]) -> Option<String> {
    // Where answers may well coincide, as with a list or a yes, there is nothing to say.
    if part.ranks.is_empty() {
        return None;
    }
    let keys: Vec<Outcome> = outcomes
        .iter()
        .map(|outcome| match outcome.bytes() {
            Some(_) => outcome.clone(),
            None => Outcome::NotAsked,
        })
        .collect();
    let (a, b) = shared_answer(part, &keys)?;
    Some(format!(
        "Different inputs share {}: {} and {} are both {}.",
        one(part.makes),
        part.probes[a].call,
        part.probes[b].call,
        brief(&outcomes[a].brief())
    ))
}

/// One answer to nearly everything, as from a function that knows a few examples alone.
fn one_answer(part: &Part, outcomes: &[Outcome]) -> Option<String> {
    let mut given: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, outcome) in outcomes.iter().enumerate() {
        let answer = outcome.answer()?;
        given.entry(&answer.text).or_default().push(i);
    }
    let (text, set) = given.into_iter().max_by_key(|(_, set)| set.len())?;
    let right = set
        .iter()
        .filter(|&&i| !is_wrong(part, outcomes, i))
        .count();
    let others = where_is(outcomes, |o| o.answer().is_some_and(|a| a.text != text));
    let few = !others.is_empty() && set.len() >= 9 * others.len();
    (few && set.len() > 2 * right).then(|| {
        format!(
            "It gives {} on all probes but {}: {}.",
            brief(text),
            others.len(),
            some_of(calls(part, &others).into_iter())
        )
    })
}

fn some_right(part: &Part, outcomes: &[Outcome]) -> bool {
    wrong_answers(part, outcomes).len() < part.probes.len()
}

/// How many answers of each class are right.
fn right_and_wrong(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let wrong: Vec<usize> = wrong_answers(part, outcomes)
        .into_iter()
        .filter(|&i| outcomes[i].answer().is_some())
        .collect();
    // Of a single probe, the finding has said it all.
    if wrong.is_empty() || part.probes.len() == 1 {
        return Vec::new();
    }
    let mut said = vec![format!("It is wrong on {}.", describe(part, &wrong))];
    let (mut right_on, mut wrong_on) = (Vec::new(), Vec::new());
    for class in part.classes() {
        let members = part.members(class);
        let hit = members.iter().filter(|i| wrong.contains(i)).count();
        if hit == 0 && members.iter().all(|&i| outcomes[i].answer().is_some()) {
            right_on.push(class);
        } else if hit == members.len() && !part.groups().contains(&class) {
            // The first sentence has counted the classes that divide the probes.
            wrong_on.push(class);
        }
    }
    if !right_on.is_empty() {
        said.push(format!("It is right on all {}.", right_on.join(", all ")));
    }
    if !wrong_on.is_empty() && said[0].contains(" probes (") {
        said.push(format!("It is wrong on all {}.", wrong_on.join(", all ")));
    }
    said
}

/// "Right on every probe except ...", when that is short to say.
fn exceptions(part: &Part, outcomes: &[Outcome]) -> Option<String> {
    let wrong = wrong_answers(part, outcomes);
    let set = describe(part, &wrong);
    let short = wrong.len() <= NAMED_MAX || set.starts_with("the ");
    (short && !wrong.is_empty() && wrong.len() < part.probes.len()).then(|| {
        format!(
            "The {} is the right one on every probe except {set}.",
            part.makes
        )
    })
}

/// What the given bytes are in terms of the right ones, for all probes or for each division.
fn relations(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let pairs = |set: &[usize]| -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
        set.iter()
            .map(|&i| {
                let right = part.probes[i].expected.as_ref()?.bytes.clone()?;
                Some((right, outcomes[i].bytes()?.to_vec()))
            })
            .collect()
    };
    let related = |set: &[usize]| {
        let pairs = pairs(set)?;
        let borrowed: Vec<(&[u8], &[u8])> = pairs
            .iter()
            .map(|(right, given)| (right.as_slice(), given.as_slice()))
            .collect();
        relation(&borrowed)
    };
    let comparable = where_is(outcomes, |o| o.bytes().is_some())
        .into_iter()
        .filter(|&i| {
            let expected = part.probes[i].expected.as_ref();
            expected.is_some_and(|answer| answer.bytes.is_some())
        })
        .collect::<Vec<_>>();
    if let Some(is) = related(&comparable) {
        let makes = part.makes;
        return vec![if comparable.len() == part.probes.len() {
            format!("On every probe the {makes} is {is}.")
        } else {
            let compared = count(comparable.len(), "probe");
            format!("On all {compared} that can be compared, the {makes} is {is}.")
        }];
    }
    part.groups()
        .into_iter()
        .filter_map(|class| {
            let members: Vec<usize> = part
                .members(class)
                .into_iter()
                .filter(|i| comparable.contains(i))
                .collect();
            let is = related(&members)?;
            Some(format!("On the {class}, the {} is {is}.", part.makes))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Show as _;
    use crate::exercise::{Cast, Exercise, Judged as _, PartOf, Who};
    use crate::isolate::observe_here;

    #[test]
    fn one_answer_to_nearly_everything_is_told() {
        type Half = fn(u8) -> Option<u8>;
        let told = |learner: Half| {
            let mut part = PartOf::new("half", "number");
            for n in 0..100 {
                let ask = move |half: &Half| half(n).show();
                part = part.probe(format!("half({n})"), n.show(), &["numbers"], ask);
            }
            let cast: Cast<Half> = Cast {
                learner,
                stub: |_| todo!(),
                solution: |n| n.is_multiple_of(2).then_some(n / 2),
            };
            let exercise = Exercise::new("e", "c", cast).part(part);
            let outcomes = observe_here(&exercise, Who::Learner).outcomes;
            observe(&exercise.sheet().parts[0], &outcomes).join(" ")
        };
        let examples: Half = |n| match n {
            2 => Some(1),
            4 => Some(2),
            _ => Some(0),
        };
        let sentence = "It gives Some(0) on all probes but 2: half(2), half(4).";
        assert!(told(examples).contains(sentence), "{}", told(examples));
        let half_of_it_is_right: Half = |n| (n == 2).then_some(1);
        assert!(!told(half_of_it_is_right).contains("on all probes but"));
        assert!(!told(Some).contains("on all probes but"));
    }

    #[test]
    fn keys_that_are_withheld_or_given_to_none_are_told() {
        type Key = fn(u8) -> Option<Vec<u8>>;
        let mut part = PartOf::new("encode", "key").ranked((0..=9).collect());
        for n in 0..=9 {
            let ask = move |encode: &Key| encode(n).show();
            part = part.probe(format!("encode({n})"), n.show(), &["digits"], ask);
        }
        let cast: Cast<Key> = Cast {
            learner: |n| (n != 7).then(|| vec![n]),
            stub: |_| todo!(),
            solution: |n| (n < 9).then(|| vec![n]),
        };
        let exercise = Exercise::new("e", "c", cast).part(part);
        let part = &exercise.sheet().parts[0];
        let said = |who| observe(part, &observe_here(&exercise, who).outcomes).join(" ");
        let learner = said(Who::Learner);
        assert!(
            learner.contains("It gives no key on encode(7)."),
            "{learner}"
        );
        assert!(
            learner.contains("It gives a key where there is none, on encode(9)."),
            "{learner}"
        );
        let solution = said(Who::Solution);
        assert!(!solution.contains("gives"), "9 is to have none: {solution}");
    }
}
