//! Changes of a packed score on a board that others change too, between any two calls.
//!
//! What others do commutes with what the learner is to do. So however many calls an answer makes, there is
//! one right end. What counts besides is how often it changed the board: once, or somebody sees half of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use kit::exercise::Part;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, check};

use crate::board::Board;
use crate::{mistakes, solutions, stubs};
use ch08_many_dimensions::compare_and_set as learner;

type AddGems = dyn Fn(&mut dyn Board, &str, u64) + Send + Sync;
type SetPaid = dyn Fn(&mut dyn Board, &str) -> bool + Send + Sync;
type Win = dyn Fn(&mut dyn Board, &str, u64, u64) -> bool + Send + Sync;

/// Somebody's three functions.
#[derive(Clone)]
pub(crate) struct Changes {
    pub(crate) add_gems: Arc<AddGems>,
    pub(crate) set_paid: Arc<SetPaid>,
    pub(crate) win: Arc<Win>,
}

impl Changes {
    pub(crate) fn new(
        add_gems: impl Fn(&mut dyn Board, &str, u64) + Send + Sync + 'static,
        set_paid: impl Fn(&mut dyn Board, &str) -> bool + Send + Sync + 'static,
        win: impl Fn(&mut dyn Board, &str, u64, u64) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            add_gems: Arc::new(add_gems),
            set_paid: Arc::new(set_paid),
            win: Arc::new(win),
        }
    }
}

/// More calls than any right answer makes.
const CALLS_MAX: usize = 512;
/// Where nobody else writes, more gems are added: a loop that goes round once for each of them ends, and its answer shows the changes.
const CALLS_MAX_ALONE: usize = 100_000;
/// Of more changes than this, the first ones are shown.
const STEPS_MAX: usize = 3;
const PAID: u64 = 1 << 29;

/// What somebody else does.
#[derive(Clone, Copy, PartialEq)]
enum Other {
    Gems(u64),
    Paid,
    Leaves,
    Joins,
    AnotherMember,
}
use Other::{AnotherMember, Gems, Joins, Leaves, Paid};

impl Other {
    fn told(self) -> String {
        match self {
            Gems(1) => "E gets 1 gem".to_owned(),
            Gems(gems) => format!("E gets {gems} gems"),
            Paid => "E pays".to_owned(),
            Leaves => "E is removed".to_owned(),
            Joins => "E comes with 5 gems".to_owned(),
            AnotherMember => "F gets 7 gems".to_owned(),
        }
    }
}

/// What happens, and before which of the learner's calls.
type Story = &'static [(usize, Other)];

/// Somebody comes between a read and a write more often than anybody who counts would try.
const OFTEN: [(usize, Other); 120] = {
    let mut story = [(0, Gems(1)); 120];
    let mut n = 0;
    while n < story.len() {
        story[n].0 = 2 * (n + 1);
        n += 1;
    }
    story
};

/// As long, but before each call: whoever writes without a comparison overwrites it, whichever call it is.
const EACH_TIME: [(usize, Other); 239] = {
    let mut story = [(0, Gems(1)); 239];
    let mut n = 0;
    while n < story.len() {
        story[n].0 = n + 2;
        n += 1;
    }
    story
};

const STORIES: [Story; 18] = [
    &[],
    &[(2, Gems(5))],
    &[(2, Paid)],
    &[(1, Gems(5))],
    &[(3, Gems(5))],
    &[(2, AnotherMember)],
    &[(2, Gems(5)), (4, Gems(1))],
    &[(2, Gems(5)), (3, Gems(1))],
    &[(2, Gems(5)), (4, Paid)],
    &[(3, Paid)],
    &OFTEN,
    &EACH_TIME,
    &[(2, Leaves)],
    &[(1, Leaves)],
    &[(2, Joins)],
    &[(3, Joins)],
    &[(4, Joins)],
    &[(5, Joins)],
];

/// The member's score before, if it is there.
const BEFORE: [Option<u64>; 5] = [
    Some(200 << 30 | 290_072_179),
    Some(200 << 30 | PAID | 290_072_179),
    Some(0),
    Some(8_000_000 << 30 | PAID | ((1 << 29) - 1)),
    None,
];

/// A board, and everybody else who writes to it.
struct Busy {
    scores: BTreeMap<String, u64>,
    story: Story,
    calls: usize,
    /// What the member was after each change that the learner made.
    changes: Vec<u64>,
}

impl Busy {
    /// Lets happen what happens before the next call.
    fn next_call(&mut self) {
        self.calls += 1;
        let most = if self.story.is_empty() {
            CALLS_MAX_ALONE
        } else {
            CALLS_MAX
        };
        assert!(
            self.calls <= most,
            "the board was called more than {most} times, in a loop that does not end here"
        );
        let now = self.calls;
        for &(_, other) in self.story.iter().filter(|(call, _)| *call == now) {
            self.let_happen(other);
        }
    }

    fn let_happen(&mut self, other: Other) {
        match other {
            Gems(gems) => {
                // They know the member from before, and add nobody.
                if let Some(score) = self.scores.get_mut("E") {
                    *score += gems << 30;
                }
            }
            Paid => {
                if let Some(score) = self.scores.get_mut("E") {
                    *score |= PAID;
                }
            }
            Leaves => {
                self.scores.remove("E");
            }
            Joins => *self.scores.entry("E".to_owned()).or_default() += 5 << 30,
            AnotherMember => *self.scores.entry("F".to_owned()).or_default() += 7 << 30,
        }
    }

    /// What has not happened yet happens after the last call.
    fn finish(&mut self) {
        let calls = self.calls;
        for &(_, other) in self.story.iter().filter(|(call, _)| *call > calls) {
            self.let_happen(other);
        }
    }

    fn write(&mut self, member: &str, score: u64) {
        if self.scores.insert(member.to_owned(), score) != Some(score) {
            self.changes.push(score);
        }
    }

    fn told(&self) -> String {
        let members = self.scores.iter();
        let members: Vec<String> = members
            .map(|(member, score)| format!("{member} {}", fields(*score)))
            .collect();
        if members.is_empty() {
            "an empty board".to_owned()
        } else {
            members.join(", ")
        }
    }
}

/// Gems, paid and time of a score.
fn fields(score: u64) -> String {
    let paid = if score & PAID == 0 { "unpaid" } else { "paid" };
    format!("{} {paid} {}", score >> 30, score & (PAID - 1))
}

impl Board for Busy {
    fn score(&mut self, member: &str) -> Option<u64> {
        self.next_call();
        self.scores.get(member).copied()
    }

    fn set(&mut self, member: &str, score: u64) {
        self.next_call();
        self.write(member, score);
    }

    fn add(&mut self, member: &str, delta: u64) -> u64 {
        self.next_call();
        let sum = self.scores.get(member).unwrap_or(&0).wrapping_add(delta);
        self.write(member, sum);
        sum
    }

    fn compare_and_set(&mut self, member: &str, seen: u64, new: u64) -> bool {
        self.next_call();
        let same = self.scores.get(member) == Some(&seen);
        if same {
            self.write(member, new);
        }
        same
    }
}

pub(crate) fn exercise() -> Box<dyn Judged> {
    let learner = Changes::new(learner::add_gems, learner::set_paid, learner::win);
    Box::new(exercise_of(learner))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Changes) -> Exercise<Changes> {
    use solutions::compare_and_set as right;
    use stubs::compare_and_set as stub;
    let cast = Cast {
        learner,
        stub: Changes::new(stub::add_gems, stub::set_paid, stub::win),
        solution: Changes::new(right::add_gems, right::set_paid, right::win),
    };
    Exercise::new("compare-and-set", "08-many-dimensions", cast)
        .part(part(
            "add_gems",
            &[
                ("E, 3", |changes, board| {
                    (changes.add_gems)(board, "E", 3);
                    String::new()
                }),
                ("E, 300", |changes, board| {
                    (changes.add_gems)(board, "E", 300);
                    String::new()
                }),
                ("E, 70000", |changes, board| {
                    (changes.add_gems)(board, "E", 70_000);
                    String::new()
                }),
                // The member that is asked for, and not the one that is there.
                ("F, 3", |changes, board| {
                    (changes.add_gems)(board, "F", 3);
                    String::new()
                }),
            ],
        ))
        .part(part(
            "set_paid",
            &[
                ("E", |changes, board| {
                    format!("{}, ", (changes.set_paid)(board, "E"))
                }),
                ("F", |changes, board| {
                    format!("{}, ", (changes.set_paid)(board, "F"))
                }),
            ],
        ))
        .part(part(
            "win",
            &[
                ("E, 3, 290081199", |changes, board| {
                    format!("{}, ", (changes.win)(board, "E", 3, 290_081_199))
                }),
                ("E, 300, 21645743", |changes, board| {
                    format!("{}, ", (changes.win)(board, "E", 300, 21_645_743))
                }),
                ("E, 70000, 21645743", |changes, board| {
                    format!("{}, ", (changes.win)(board, "E", 70_000, 21_645_743))
                }),
                // No gems are no reason to keep the old time.
                ("E, 0, 21645743", |changes, board| {
                    format!("{}, ", (changes.win)(board, "E", 0, 21_645_743))
                }),
                // Nor is the time that the member has already a reason to keep the gems.
                ("E, 3, 290072179", |changes, board| {
                    format!("{}, ", (changes.win)(board, "E", 3, 290_072_179))
                }),
                // Of the old time nothing is left, whichever of its bits were set.
                ("E, 3, 0", |changes, board| {
                    format!("{}, ", (changes.win)(board, "E", 3, 0))
                }),
                ("F, 3, 290081199", |changes, board| {
                    format!("{}, ", (changes.win)(board, "F", 3, 290_081_199))
                }),
            ],
        ))
        .check(check::answers(
            "add_gems",
            "gems",
            "The gems are added to what others left, in one change.",
        ))
        .check(check::answers(
            "set_paid",
            "paid",
            "The bit is set, and what others wrote is kept.",
        ))
        .check(check::answers(
            "win",
            "both",
            "Gems and time change together, and what others wrote is kept.",
        ))
        .mistakes(mistakes::compare_and_set::all())
}

/// A call: its arguments after the board, and what it returns.
type Call = (&'static str, fn(&Changes, &mut dyn Board) -> String);

/// The first call in every story; the others, with other bits, where nobody else writes.
fn part(function: &'static str, calls: &[Call]) -> PartOf<Changes> {
    let mut part = PartOf::new(function, "end").says(what_is_wrong);
    let stories = STORIES.map(|story| (story, calls[0]));
    let others = calls[1..].iter().map(|call| (STORIES[0], *call));
    let stories: Vec<(Story, Call)> = stories.into_iter().chain(others).collect();
    // What goes wrong with a member by itself is shown before what goes wrong beside another one.
    let (alone, beside): (Vec<_>, Vec<_>) = stories
        .into_iter()
        .partition(|(_, (arguments, _))| arguments.starts_with('E'));
    for (before, stories) in BEFORE
        .map(|before| (before, &alone))
        .into_iter()
        .chain(BEFORE.map(|before| (before, &beside)))
    {
        for &(story, (arguments, run)) in stories {
            if !possible(before, story) || by_luck(function, before, story) {
                continue;
            }
            let scores = before.map(|score| ("E".to_owned(), score));
            let board = move || Busy {
                scores: scores.clone().into_iter().collect(),
                story,
                calls: 0,
                changes: Vec::new(),
            };
            let call = format!(
                "{function}({arguments}) on {{{}}}, {}",
                board().told(),
                told(story)
            );
            part = part.probe(
                call.clone(),
                Answer::text(call),
                &classes(before, story),
                move |changes: &Changes| {
                    let mut board = board();
                    let returned = run(changes, &mut board);
                    board.finish();
                    // Whoever sets a bit that another has set meanwhile changes nothing.
                    let changed = board.changes.len();
                    let first = board.changes.iter().take(STEPS_MAX);
                    let mut steps: Vec<String> = first.map(|s| fields(*s)).collect();
                    if changed > STEPS_MAX {
                        steps.push("and so on".to_owned());
                    }
                    let changes = match (function, changed) {
                        ("set_paid", _) => String::new(),
                        (_, 0) => "0 changes, ".to_owned(),
                        (_, 1) => "1 change, ".to_owned(),
                        (_, n) => format!("{n} changes ({}), ", steps.join(", then ")),
                    };
                    Answer::text(format!("{returned}{changes}{}", board.told()))
                },
            );
        }
    }
    part
}

/// The members at the end of an answer: name, gems, paid and time of each.
fn members(answer: &Answer) -> Vec<Vec<&str>> {
    let is_member = |text: &&str| text.starts_with("E ") || text.starts_with("F ");
    let members = answer.text.split(", ").filter(is_member);
    members
        .map(|member| member.split_whitespace().collect())
        .collect()
}

/// Which fields of a score are wrong wherever a board ends otherwise than it should, if some are never wrong.
fn what_is_wrong(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let pairs = part
        .probes
        .iter()
        .zip(outcomes)
        .filter_map(|(probe, outcome)| {
            let (right, given) = (probe.expected.as_ref()?, outcome.answer()?);
            (right != given).then(|| (members(right), members(given)))
        });
    let pairs: Vec<_> = pairs.collect();
    if pairs.is_empty() {
        return Vec::new();
    }
    if pairs.iter().all(|(right, given)| right == given) {
        let rest = match part.function {
            "add_gems" => "Wrong is how often it changed.",
            "set_paid" => "Wrong is what the function returns.",
            _ => "Wrong is what the function returns, or how often the board changed.",
        };
        return vec![format!("Every board ends as it should. {rest}")];
    }
    let names = |members: &[Vec<&str>]| -> Vec<String> {
        let names = members.iter().filter_map(|member| member.first());
        names.map(|name| (*name).to_owned()).collect()
    };
    if pairs
        .iter()
        .any(|(right, given)| names(right) != names(given))
    {
        return Vec::new();
    }
    let is_wrong = |field: usize| {
        let differs = |(a, b): (&Vec<&str>, &Vec<&str>)| a.get(field) != b.get(field);
        pairs
            .iter()
            .any(|(right, given)| right.iter().zip(given).any(differs))
    };
    let fields = [(1, "the gems"), (2, "`paid`"), (3, "the time")];
    let wrong: Vec<&str> = fields
        .into_iter()
        .filter(|(field, _)| is_wrong(*field))
        .map(|(_, name)| name)
        .collect();
    if wrong.len() == fields.len() {
        return Vec::new();
    }
    let wrong = wrong.join(" and ");
    vec![format!(
        "Of the three fields of a score, none is ever wrong at the end but {wrong}."
    )]
}

/// What happens, in words.
fn told(story: Story) -> String {
    if let [(a, _), (b, _), (c, _), .., (last, other)] = story {
        let happens = other.told();
        return format!("before calls {a}, {b}, {c} and so on to {last} {happens}");
    }
    let events: Vec<String> = story
        .iter()
        .map(|(call, other)| format!("before call {call} {}", other.told()))
        .collect();
    if events.is_empty() {
        "alone".to_owned()
    } else {
        events.join(", ")
    }
}

fn joins(story: Story) -> bool {
    story.iter().any(|(_, other)| matches!(other, Joins))
}

/// Who is not there can only come, and who is there cannot.
fn possible(before: Option<u64>, story: Story) -> bool {
    match before {
        None => story.is_empty() || joins(story),
        Some(_) => !joins(story),
    }
}

/// Whether a right answer may end in two ways: then it is not asked for.
fn by_luck(function: &str, before: Option<u64>, story: Story) -> bool {
    let leaves = story.iter().any(|(_, other)| matches!(other, Leaves));
    match function {
        // The member may leave before or after the addition.
        "add_gems" => leaves,
        // Who sees the bit may have seen it before the member left.
        "set_paid" if leaves => before.is_some_and(|score| score & PAID != 0),
        // Who finds nobody may have looked before the member came.
        _ => joins(story),
    }
}

fn classes(before: Option<u64>, story: Story) -> Vec<&'static str> {
    let mut classes = vec![if story.is_empty() {
        "boards where nobody else writes"
    } else if joins(story) {
        "boards that the member joins"
    } else if story.iter().any(|(_, other)| matches!(other, Leaves)) {
        "boards that the member leaves"
    } else if story.iter().any(|(_, other)| matches!(other, Paid)) {
        "boards where somebody else sets the bit"
    } else if story
        .iter()
        .any(|(_, other)| matches!(other, AnotherMember))
    {
        "boards where another member changes"
    } else {
        "boards where somebody else adds gems"
    }];
    classes.push(match before {
        None => "boards without the member",
        Some(score) if score & PAID == 0 => "members that have not paid",
        Some(_) => "members that have paid already",
    });
    classes
}
