//! Finds the mistake that an answer behaves like, or says what can be said without a name.

mod nearly;

use self::nearly::nearly;
use crate::answer::Outcome;
use crate::check::{is_wrong, sorted};
use crate::exercise::{Judged, Kind, Sheet, Who};
use crate::guard;
use crate::observe::observe;
use crate::tester;

/// A class with fewer probes says too little for a comparison.
const CLASS_MIN: usize = 8;

/// What is known of one part's behaviour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Diagnosis {
    /// The mistake that agrees on every probe: an index into the sheet's mistakes.
    pub(crate) named: Option<usize>,
    /// The mistake's keys are other bytes, and come in the same order for all probes.
    pub(crate) by_order: bool,
    /// Sentences that are true of the behaviour; empty when there is a name.
    pub(crate) observations: Vec<String>,
    /// Of a test that the learner writes: it refuses every candidate. Many reasons lead there, so a name is
    /// an example and no more.
    pub(crate) refuses_all: bool,
}

impl Diagnosis {
    pub(crate) fn mistake(&self, sheet: &Sheet) -> Option<String> {
        Some(sheet.mistakes[self.named?].name.clone())
    }
}

/// Diagnoses one part.
pub(crate) fn diagnose(exercise: &dyn Judged, part: usize, outcomes: &[Outcome]) -> Diagnosis {
    let sheet = exercise.sheet();
    let all: Vec<usize> = (0..outcomes.len()).collect();
    let refuses_all = sheet.parts[part].judges.is_some() && tester::refuses_all(outcomes);
    if let Some(named) = agreeing(exercise, part, outcomes, &all).first() {
        return Diagnosis {
            named: Some(*named),
            refuses_all,
            ..Diagnosis::default()
        };
    }
    if let Some(named) = in_the_same_order(exercise, part, outcomes) {
        return Diagnosis {
            named: Some(named),
            by_order: true,
            ..Diagnosis::default()
        };
    }
    let info = &sheet.parts[part];
    let mut observations = match info.judges {
        Some(_) => tester::observe(info, outcomes),
        None => observe(info, outcomes),
    };
    // Weak tests that let the same mistakes live may differ in all else, and in what they do to right ones.
    if info.judges.is_none() {
        let near = nearly(exercise, part, outcomes);
        observations.extend(near.as_ref().map(|near| near.told(sheet)));
        let told = near.map(|near| near.mistake);
        observations.extend(nearest(exercise, part, outcomes, told));
    } else {
        observations.extend(as_weak_as(exercise, part, outcomes));
    }
    Diagnosis {
        observations,
        refuses_all,
        ..Diagnosis::default()
    }
}

/// The mistakes that behave like `outcomes` on the given probes: those that err in this part first,
/// written ones before their variants, and those before composed ones.
fn agreeing(
    exercise: &dyn Judged,
    part: usize,
    outcomes: &[Outcome],
    members: &[usize],
) -> Vec<usize> {
    let sheet = exercise.sheet();
    let start = sheet.start(part);
    // Wrong answers first: most mistakes differ there, and are asked nothing more.
    let (mut members, right): (Vec<usize>, Vec<usize>) = members
        .iter()
        .partition(|&i| is_wrong(&sheet.parts[part], outcomes, *i));
    members.extend(right);
    let mut found: Vec<usize> = (0..sheet.mistakes.len())
        .filter(|&mistake| {
            members
                .iter()
                .all(|&i| exercise.behaves_like(Who::Mistake(mistake), start + i, &outcomes[i]))
        })
        .collect();
    found.sort_by_key(|&i| (sheet.mistakes[i].part != part, sheet.mistakes[i].kind));
    found
}

/// Where the bytes of a key are free and its order is not: the mistake whose keys put all probes in the very order of the
/// given ones, with the same keys shared.
///
/// Cost: few questions for most mistakes. The probes are gone through in the given order, up to the first two that are
/// otherwise.
fn in_the_same_order(exercise: &dyn Judged, part: usize, outcomes: &[Outcome]) -> Option<usize> {
    let sheet = exercise.sheet();
    let info = &sheet.parts[part];
    if info.ranks.is_empty() || info.probes.iter().any(|probe| probe.expected.is_some()) {
        return None;
    }
    let keys: Vec<&[u8]> = outcomes.iter().map(Outcome::bytes).collect::<Option<_>>()?;
    let mut order: Vec<usize> = (0..keys.len()).collect();
    // Who has the order right may have it from anywhere.
    if sorted(info, outcomes, &order) {
        return None;
    }
    order.sort_by_key(|&i| keys[i]);
    let alike = |mistake: &usize| {
        let mut theirs: Option<Vec<u8>> = None;
        order.iter().enumerate().all(|(place, &i)| {
            let ask = || exercise.ask(Who::Mistake(*mistake), sheet.start(part) + i);
            let outcome = guard::call(ask);
            let Some(key) = outcome.bytes() else {
                return false;
            };
            let before = theirs.replace(key.to_vec());
            let given = |before: usize| keys[before].cmp(keys[i]);
            before.is_none_or(|before| before.as_slice().cmp(key) == given(order[place - 1]))
        })
    };
    let mut of_part: Vec<usize> = (0..sheet.mistakes.len())
        .filter(|&mistake| sheet.mistakes[mistake].part == part)
        .collect();
    of_part.sort_by_key(|&mistake| sheet.mistakes[mistake].kind);
    of_part.into_iter().find(alike)
}

/// Classes on which the answer is wrong and just one known mistake agrees with all of it, but for the mistake that is told already.
///
/// Calls that gave no answer do not count for or against a mistake.
fn nearest(
    exercise: &dyn Judged,
    part: usize,
    outcomes: &[Outcome],
    told: Option<usize>,
) -> Vec<String> {
    let sheet = exercise.sheet();
    let info = &sheet.parts[part];
    let start = sheet.start(part);
    let right = |i: usize| exercise.behaves_like(Who::Solution, start + i, &outcomes[i]);
    let mut found: Vec<(usize, Vec<&str>)> = Vec::new();
    for class in info.groups() {
        let members: Vec<usize> = info
            .members(class)
            .into_iter()
            .filter(|&i| outcomes[i].answer().is_some())
            .collect();
        // A class with one wrong answer is told by that call: what it is like may be chance.
        let wrong = members.iter().filter(|&&i| !right(i)).count();
        if members.len() < CLASS_MIN || wrong < 2 {
            continue;
        }
        // One answer to all of them, which is right for some, may come from anywhere.
        let first = &outcomes[members[0]];
        let one_answer = members.iter().all(|&i| outcomes[i].behaves_like(first));
        if one_answer && members.iter().any(|&i| right(i)) {
            continue;
        }
        let mut agreeing: Vec<usize> = agreeing(exercise, part, outcomes, &members)
            .into_iter()
            .filter(|&m| sheet.mistakes[m].kind != Kind::Composed)
            .collect();
        // Several codes with one misconception are one.
        agreeing.dedup_by_key(|m| &sheet.mistakes[*m].name);
        let [only] = agreeing[..] else { continue };
        let name = |m: usize| &sheet.mistakes[m].name;
        if sheet.mistakes[only].whole || told.is_some_and(|told| name(told) == name(only)) {
            continue;
        }
        match found.iter_mut().find(|(mistake, _)| *mistake == only) {
            Some((_, classes)) => classes.push(class),
            None => found.push((only, vec![class])),
        }
    }
    let complete = outcomes.iter().all(|o| o.answer().is_some());
    found
        .into_iter()
        .map(|(mistake, classes)| {
            format!(
                "On the {} it behaves like {}{}.",
                listed(&classes),
                sheet.mistakes[mistake].says,
                if complete {
                    ""
                } else {
                    ", wherever it answers"
                }
            )
        })
        .collect()
}

/// The known weak test that lets most pass of what this one does, and nothing that this one refuses.
///
/// Below half of what passes, another reason is the greater one, and the candidates that pass are told anyway.
fn as_weak_as(exercise: &dyn Judged, part: usize, outcomes: &[Outcome]) -> Option<String> {
    let sheet = exercise.sheet();
    let start = sheet.start(part);
    let info = &sheet.parts[part];
    let (alive, rest): (Vec<usize>, Vec<usize>) =
        (0..outcomes.len()).partition(|&i| is_wrong(info, outcomes, i));
    // Who refuses what is right has another trouble, and of what was not asked nothing is known.
    let asked = outcomes.iter().all(|o| o.answer().is_some());
    if alive.is_empty() || !asked || !tester::accepts_all_right(info, outcomes) {
        return None;
    }
    let alike =
        |m: usize, i: usize| exercise.behaves_like(Who::Mistake(m), start + i, &outcomes[i]);
    let (passes, mistake) = (0..sheet.mistakes.len())
        .filter(|&m| sheet.mistakes[m].part == part && rest.iter().all(|&i| alike(m, i)))
        .map(|m| (alive.iter().filter(|&&i| alike(m, i)).count(), m))
        .max_by_key(|&(passes, m)| (passes, std::cmp::Reverse(m)))?;
    let known = &sheet.mistakes[mistake];
    // Why the known test is weak is told of that one; where to read about it holds of both.
    (passes > 1 && 2 * passes >= alive.len()).then(|| {
        format!(
            "What {} (`{}`) lets pass, yours lets pass as well: {passes} of these {}. Read: {}/index.html#{}",
            known.says,
            known.name,
            alive.len(),
            sheet.chapter,
            known.link
        )
    })
}

/// Classes for a sentence that begins with "On the".
fn listed(classes: &[&str]) -> String {
    match classes {
        [a, b] => format!("{a} and on the {b}"),
        [front @ .., last] if !front.is_empty() => {
            format!("{} and the {last}", front.join(", the "))
        }
        _ => classes.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, Show};
    use crate::exercise::{Cast, Exercise, PartOf};
    use crate::gallery::Mistake;
    use crate::isolate::observe_here;
    use crate::tester::{Candidates, Tester, Wrong};

    type Encode = fn(u16) -> Vec<u8>;

    fn diagnosed(learner: Encode) -> Option<(String, bool)> {
        let mut part = PartOf::new("encode", "key")
            .open()
            .ranked((0..300).collect());
        for n in 0..300 {
            let input = Answer::text(n.to_string());
            let ask = move |encode: &Encode| encode(n).show();
            part = part.probe(format!("encode({n})"), input, &["numbers"], ask);
        }
        let cast: Cast<Encode> = Cast {
            learner,
            stub: |_| todo!(),
            solution: |n| n.to_be_bytes().to_vec(),
        };
        let mistake = |name, encode: Encode| Mistake::new(name, "encode", "order", encode);
        let exercise = Exercise::new("e", "c", cast).part(part).mistakes(vec![
            mistake("decimal", |n| n.to_string().into_bytes()),
            mistake("marked", |n| [&[7], &n.to_be_bytes()[..]].concat()),
            mistake("lowest_first", |n| n.to_le_bytes().to_vec()),
        ]);
        let behaviour = observe_here(&exercise, Who::Learner);
        let diagnosis = diagnose(&exercise, 0, &behaviour.outcomes);
        Some((diagnosis.mistake(exercise.sheet())?, diagnosis.by_order))
    }

    #[test]
    fn free_keys_are_known_by_their_order() {
        let named = |name: &str, by_order| Some((name.to_owned(), by_order));
        assert_eq!(
            diagnosed(|n| n.to_le_bytes().to_vec()),
            named("lowest_first", false)
        );
        let wider: Encode = |n| u64::from(n).to_le_bytes().to_vec();
        assert_eq!(diagnosed(wider), named("lowest_first", true));
        let ended: Encode = |n| format!("{n}!").into_bytes();
        assert_eq!(diagnosed(ended), named("decimal", true));
        // A sign whose byte is above the digits makes another order.
        let above: Encode = |n| format!("{n}|").into_bytes();
        assert_eq!(diagnosed(above), None);
        // What is in order behaves like no mistake by that.
        assert_eq!(diagnosed(|n| u64::from(n).to_be_bytes().to_vec()), None);
    }

    /// Keys of small numbers, which are below `great`, and of great ones.
    fn of_two_classes(numbers: impl IntoIterator<Item = u16>, great: u16) -> PartOf<Encode> {
        let part = PartOf::new("encode", "key");
        numbers.into_iter().fold(part, |part, n| {
            let class = if n < great {
                "small numbers"
            } else {
                "great ones"
            };
            let ask = move |encode: &Encode| encode(n).show();
            part.probe(format!("encode({n})"), n.show(), &[class], ask)
        })
    }

    #[test]
    fn other_code_with_a_misconception_has_its_name() {
        let diagnosed = |learner: Encode| {
            let part = of_two_classes([1, 2, 3].into_iter().chain(300..308), 300);
            let cast: Cast<Encode> = Cast {
                learner,
                stub: |_| todo!(),
                solution: |n| n.to_be_bytes().to_vec(),
            };
            let wrong = Mistake::new("cut", "encode", "order", (|n| vec![0, n as u8]) as Encode)
                .says("the lowest byte alone")
                .or(|n| vec![0, u8::try_from(n).unwrap()])
                .or(|n| vec![u8::from(n == 1), n as u8]);
            let exercise = Exercise::new("e", "c", cast)
                .part(part)
                .mistakes(vec![wrong]);
            let behaviour = observe_here(&exercise, Who::Learner);
            let diagnosis = diagnose(&exercise, 0, &behaviour.outcomes);
            (diagnosis.mistake(exercise.sheet()), diagnosis.observations)
        };
        let named = |learner| diagnosed(learner).0;
        assert_eq!(named(|n| vec![0, (n % 256) as u8]), Some("cut".to_owned()));
        let panics: Encode = |n| {
            assert!(n < 256, "too great");
            vec![0, n as u8]
        };
        assert_eq!(named(panics), Some("cut".to_owned()));
        // On the great numbers two codes with one misconception agree, and they are one.
        let (name, said) = diagnosed(|n| vec![u8::from(n == 2), n as u8]);
        assert_eq!(name, None);
        let nearest = "On the great ones it behaves like the lowest byte alone.".to_owned();
        assert!(said.contains(&nearest), "{said:?}");
    }

    #[test]
    fn a_mistake_is_told_of_a_class_only_where_that_says_something() {
        let told = |learner: Encode, mistake: Mistake<Encode>| {
            let part = of_two_classes(0..20, 10);
            let cast: Cast<Encode> = Cast {
                learner,
                stub: |_| todo!(),
                solution: |n| vec![n as u8 / 2],
            };
            let exercise = Exercise::new("e", "c", cast)
                .part(part)
                .mistakes(vec![mistake.says("a mistake")]);
            let behaviour = observe_here(&exercise, Who::Learner);
            let said = diagnose(&exercise, 0, &behaviour.outcomes).observations;
            said.iter().any(|s| s.contains("behaves like a mistake"))
        };
        let mistake = |encode| Mistake::new("mistake", "encode", "order", encode);
        let whole: Encode = |n| vec![n as u8];
        let half: Encode = |n| vec![if n < 10 { n as u8 } else { 77 }];
        assert!(told(half, mistake(whole)));
        assert!(!told(half, mistake(whole).whole()), "it is of all classes");
        // One answer to all small numbers, which is right for 0 and 1.
        let zero: Encode = |n| vec![if n < 10 { 0 } else { n as u8 }];
        assert!(
            !told(|_| vec![0], mistake(zero)),
            "who never looks gives it too"
        );
        let wrong: Encode = |n| vec![if n < 10 { 55 } else { n as u8 }];
        assert!(told(|_| vec![55], mistake(wrong)), "it is right nowhere");
        // Right on all numbers but one of each class, and wrong there as the mistake is.
        let at_five: Encode = |n| vec![if n == 5 { 55 } else { n as u8 / 2 }];
        let at_two: Encode = |n| vec![if n == 5 || n == 15 { 55 } else { n as u8 / 2 }];
        assert!(
            !told(at_two, mistake(at_five)),
            "one wrong answer may be chance"
        );
    }

    #[test]
    fn a_weak_test_is_told_which_known_one_it_is_as_weak_as() {
        type Number = fn(i64) -> i64;
        let tester = |tried: &'static [i64]| {
            Tester::new(move |double: &Number| tried.iter().all(|&n| double(n) == 2 * n))
        };
        let wrong = |name, number: Number| Wrong::new(name, number).says("It is wrong.");
        let told = |tried: &'static [i64]| {
            let candidates = Candidates::<Number>::new("number")
                .right("doubles", "It doubles.", |n| 2 * n)
                .wrong(wrong("at_1", |n| if n == 1 { 0 } else { 2 * n }))
                .wrong(wrong("at_2", |n| if n == 2 { 0 } else { 2 * n }))
                .wrong(wrong("below_0", |n| if n < 0 { 0 } else { 2 * n }))
                .wrong(wrong("below_9", |n| if n < -9 { 0 } else { 2 * n }));
            let cast = Cast {
                learner: tester(tried),
                stub: Tester::new(|_: &Number| -> bool { todo!() }),
                solution: tester(&[-10, 1, 2]),
            };
            let weak = Mistake::new("nothing_below_0", "test", "kills", tester(&[1, 2]))
                .says("a test of numbers from 0 on")
                .link("below");
            let exercise = Exercise::new("e", "c", cast)
                .tester("test", |test| test, candidates)
                .mistakes(vec![weak]);
            let behaviour = observe_here(&exercise, Who::Learner);
            let diagnosis = diagnose(&exercise, 0, &behaviour.outcomes);
            assert_eq!(diagnosis.named.is_some(), tried == [2, 1]);
            diagnosis.observations.join(" ")
        };
        let sentence = "What a test of numbers from 0 on (`nothing_below_0`) lets pass, yours lets pass as well: 2 of \
                        these 3. Read: c/index.html#below";
        assert!(told(&[1]).contains(sentence), "{}", told(&[1]));
        assert!(
            !told(&[1, -1]).contains("lets pass"),
            "it refuses one of the two"
        );
        assert!(!told(&[-10]).contains("lets pass"));
        assert!(!told(&[2, 1]).contains("lets pass"), "it has a name");
        // Half of all that passes is enough.
        let nothing = told(&[]);
        assert!(nothing.contains("2 of these 4"), "{nothing}");
    }

    #[test]
    fn a_test_that_was_ended_by_force_is_compared_with_no_other() {
        type Number = fn(i64) -> i64;
        let right: Number = |n| 2 * n;
        let nothing = || Tester::new(|_: &Number| true);
        let mut candidates = Candidates::<Number>::new("number").right("doubles", "", right);
        for name in ["a", "b", "c"] {
            candidates = candidates.wrong(Wrong::new(name, (|n| n) as Number));
        }
        let cast = Cast {
            learner: nothing(),
            stub: Tester::new(|_: &Number| -> bool { todo!() }),
            solution: Tester::new(|number: &Number| number(1) == 2),
        };
        let weak = Mistake::new("accepts_everything", "test", "kills", nothing());
        let exercise = Exercise::new("e", "c", cast)
            .tester("test", |test| test, candidates)
            .mistakes(vec![weak]);
        let mut outcomes = observe_here(&exercise, Who::Learner).outcomes;
        assert_eq!(diagnose(&exercise, 0, &outcomes).named, Some(0));
        outcomes[3] = Outcome::NotAsked;
        assert_eq!(
            diagnose(&exercise, 0, &outcomes).observations,
            [""; 0],
            "the last one may be refused"
        );
    }

    #[test]
    fn classes_are_listed() {
        assert_eq!(listed(&["small"]), "small");
        assert_eq!(listed(&["small", "great"]), "small and on the great");
        assert_eq!(listed(&["a", "b", "c"]), "a, the b and the c");
    }

    #[test]
    fn keys_that_coincide_coincide_in_the_mistake_too() {
        let halved: Encode = |n| (n / 2).to_le_bytes().to_vec();
        assert_eq!(diagnosed(halved), None);
        let silent: Encode = |n| {
            assert!(n < 200, "too large");
            n.to_le_bytes().to_vec()
        };
        assert_eq!(diagnosed(silent), None);
    }
}
