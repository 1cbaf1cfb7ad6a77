//! A mistake that an answer shares with a known one, and a detail or a second mistake besides: they agree on most of the probes that
//! either of them gets wrong, and no other known mistake comes as near.
//!
//! It is told with numbers and without a name's verdict: where both differ, nobody knows why.

use crate::answer::Outcome;
use crate::check::is_wrong;
use crate::exercise::{Judged, Kind, Sheet, Who};
use crate::render::count;

/// With fewer wrong answers in common, two mistakes may agree by chance.
const SHARED_MIN: usize = 12;

/// So many wrong answers are compared with every mistake. Most differ in the first few.
const SAMPLE: usize = 32;

/// How near a known mistake comes.
pub(super) struct Near {
    /// An index into the sheet's mistakes.
    pub(super) mistake: usize,
    /// The probes that the answer gets wrong as the mistake does.
    shared: usize,
    /// The probes that it gets wrong in another way. The mistake may be right there.
    others: Vec<usize>,
    /// How many probes it gets right and the mistake does not.
    spared: usize,
}

/// The known mistake with which the answer agrees on at least three quarters of the probes that either of them gets wrong.
///
/// Left out: calls that gave no answer. One panic is like another, whatever led to it.
pub(super) fn nearly(exercise: &dyn Judged, part: usize, outcomes: &[Outcome]) -> Option<Near> {
    let sheet = exercise.sheet();
    let info = &sheet.parts[part];
    let answered = (0..outcomes.len()).filter(|&i| outcomes[i].answer().is_some());
    let (wrong, right): (Vec<usize>, Vec<usize>) =
        answered.partition(|&i| is_wrong(info, outcomes, i));
    if wrong.len() < SHARED_MIN {
        return None;
    }
    let start = sheet.start(part);
    let alike =
        |m: usize, i: usize| exercise.behaves_like(Who::Mistake(m), start + i, &outcomes[i]);
    let sample: Vec<usize> = wrong
        .iter()
        .copied()
        .step_by(wrong.len().div_ceil(SAMPLE))
        .collect();
    let near = |mistake: usize| {
        if !mostly(&sample, |i| alike(mistake, i)) {
            return None;
        }
        let (shared, others): (Vec<usize>, Vec<usize>) =
            wrong.iter().partition(|&&i| alike(mistake, i));
        let spared = right.iter().filter(|&&i| !alike(mistake, i)).count();
        // One answer to all of them may come from anywhere.
        let first = &outcomes[*shared.first()?];
        let says_something = shared.iter().any(|&i| !outcomes[i].behaves_like(first));
        let near = Near {
            mistake,
            shared: shared.len(),
            others,
            spared,
        };
        let is_near = near.shared >= SHARED_MIN && near.shared >= 3 * near.apart();
        (says_something && is_near).then_some(near)
    };
    let mut found: Vec<Near> = (0..sheet.mistakes.len())
        .filter(|&m| {
            let known = &sheet.mistakes[m];
            known.part == part && known.kind != Kind::Composed && !known.whole
        })
        .filter_map(near)
        .collect();
    found.sort_by_key(Near::apart);
    let [first, rest @ ..] = &found[..] else {
        return None;
    };
    let name = |near: &Near| &sheet.mistakes[near.mistake].name;
    let rival = rest.iter().find(|other| name(other) != name(first));
    if rival.is_some_and(|rival| rival.apart() == first.apart()) {
        return None;
    }
    Some(found.swap_remove(0))
}

/// Whether at least three quarters of them fulfil it. Asks no further when that cannot be any more.
fn mostly(sample: &[usize], fulfils: impl Fn(usize) -> bool) -> bool {
    let spare = sample.len() / 4;
    let failing = sample.iter().filter(|&&i| !fulfils(i));
    failing.take(spare + 1).count() <= spare
}

impl Near {
    /// The probes on which both differ.
    fn apart(&self) -> usize {
        self.others.len() + self.spared
    }

    /// The sentence for the learner.
    pub(super) fn told(&self, sheet: &Sheet) -> String {
        let known = &sheet.mistakes[self.mistake];
        let (says, shared) = (&known.says, self.shared);
        let where_not = match (&self.others[..], self.spared) {
            ([], 0) => format!("Wherever it answers it behaves like {says}."),
            ([], spared) => format!(
                "Wherever it is wrong it behaves like {says}, but it is right on {} where that is not.",
                count(spared, "probe")
            ),
            ([first, ..], _) => format!(
                "On {shared} of the {} that it gets wrong it behaves like {says}. On the others there is something else, the smallest is {}.",
                count(shared + self.others.len(), "probe"),
                sheet.parts[known.part].probes[*first].call
            ),
        };
        format!(
            "{where_not} Read: {}/index.html#{}",
            sheet.chapter, known.link
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, Show as _};
    use crate::exercise::{Cast, Exercise, PartOf};
    use crate::gallery::Mistake;
    use crate::isolate::observe_here;

    type Halve = fn(u32) -> u32;

    /// What is told of somebody's halves of the numbers below 60, beside two mistakes: too much by one, and nothing halved.
    fn told(learner: Halve) -> String {
        let mut part = PartOf::new("halve", "number");
        for n in 0..60 {
            let class = ["even numbers", "odd numbers"][n as usize % 2];
            let ask = move |halve: &Halve| halve(n).show();
            part = part.probe(
                format!("halve({n})"),
                Answer::text(n.to_string()),
                &[class],
                ask,
            );
        }
        let cast: Cast<Halve> = Cast {
            learner,
            stub: |_| todo!(),
            solution: |n| n / 2,
        };
        let mistake = |name, says, halve: Halve| {
            Mistake::new(name, "halve", "half", halve)
                .says(says)
                .link("halves")
        };
        let exercise = Exercise::new("e", "c", cast).part(part).mistakes(vec![
            mistake("one_more", "one too many", |n| n / 2 + 1),
            mistake("whole", "nothing halved", |n| n),
            mistake("zero", "0 for everything", |_| 0),
        ]);
        let outcomes = observe_here(&exercise, Who::Learner).outcomes;
        let near = nearly(&exercise, 0, &outcomes);
        near.map(|near| near.told(exercise.sheet()))
            .unwrap_or_default()
    }

    #[test]
    fn a_mistake_with_something_else_besides_is_told_with_its_numbers() {
        assert_eq!(
            told(|n| if n == 7 || n > 55 { 99 } else { n / 2 + 1 }),
            "On 55 of the 60 probes that it gets wrong it behaves like one too many. On the others there is something else, the smallest is \
             halve(7). Read: c/index.html#halves"
        );
        assert_eq!(
            told(|n| if n < 9 { n / 2 } else { n / 2 + 1 }),
            "Wherever it is wrong it behaves like one too many, but it is right on 9 probes where that is not. Read: c/index.html#halves"
        );
        let panics: Halve = |n| {
            assert!(n < 50, "too great");
            n / 2 + 1
        };
        assert_eq!(
            told(panics),
            "Wherever it answers it behaves like one too many. Read: c/index.html#halves"
        );
    }

    #[test]
    fn what_agrees_by_chance_or_with_several_is_not_told() {
        let half_of_them: Halve = |n| if n < 30 { n / 2 + 1 } else { n };
        assert_eq!(told(half_of_them), "", "neither of two is the greater part");
        assert_eq!(
            told(|n| if n == 7 { 99 } else { 0 }),
            "",
            "one answer to nearly all"
        );
        let one_third_right: Halve = |n| if n < 20 { n / 2 } else { n / 2 + 1 };
        assert_eq!(
            told(one_third_right),
            "",
            "too often it is right where that is not"
        );
        let few: Halve = |n| if n < 11 { n / 2 + 1 } else { n / 2 };
        assert_eq!(told(few), "", "a few wrong answers say too little");
        assert_eq!(told(|n| n / 2), "");
    }
}
