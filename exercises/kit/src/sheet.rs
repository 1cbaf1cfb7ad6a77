//! The sheet of an exercise: all of it that is free of implementations. It is compiled once, not once a chapter.

use std::collections::BTreeSet;

use crate::answer::{Answer, Outcome};
use crate::check::Check;

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The code that the learner edits.
    Learner,
    /// The stub as it was before any edit.
    Stub,
    /// The reference solution.
    Solution,
    /// The mistake with this index.
    Mistake(usize),
}

/// One call of a function.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The call as the learner would write it: `encode(-1)`.
    pub call: String,
    /// The value that it is about.
    pub input: Answer,
    /// The classes it belongs to. The first one divides the part's probes: each has exactly one.
    pub classes: Vec<&'static str>,
    /// The answer of the solution, when there is just one right answer.
    pub expected: Option<Answer>,
}

/// The probes of one function.
#[derive(Clone, Debug)]
pub struct Part {
    /// The function's name.
    pub function: &'static str,
    /// The probes, smallest first.
    pub probes: Vec<Probe>,
    /// For a function whose answers must sort like its inputs: each probe's place in that order.
    /// Equal places mean equal inputs. Empty for other functions.
    pub ranks: Vec<usize>,
    /// What the function makes, for sentences: `key`, `number`, `list`.
    pub makes: &'static str,
    /// For a decoder asked for given keys: the part in which it is asked for the keys of the
    /// implementation's own encoder. A decoder that is right there undoes its encoder.
    pub own_keys: Option<usize>,
    /// The functions of the exercise that this one is likely to call: while one of them is wrong, a wrong answer here
    /// may come from there.
    pub after: Vec<&'static str>,
    /// Asked only for the sake of another part, and not judged by itself.
    pub auxiliary: bool,
    /// A class on which a certain way takes for ever, and a sentence about that way.
    pub slow: Option<(&'static str, &'static str)>,
    /// What the exercise itself has to say of answers that no mistake matches.
    pub says: Option<Says>,
    /// For a test that the learner writes: what each probe hands to it, as `encoder`.
    pub judges: Option<&'static str>,
}

/// Sentences that are true of the outcomes of a part, in its own terms.
pub type Says = fn(&Part, &[Outcome]) -> Vec<String>;

impl Part {
    /// A part without probes.
    pub(crate) fn new(function: &'static str, makes: &'static str) -> Self {
        Self {
            function,
            probes: Vec::new(),
            ranks: Vec::new(),
            makes,
            own_keys: None,
            after: Vec::new(),
            auxiliary: false,
            slow: None,
            says: None,
            judges: None,
        }
    }

    /// The first classes, in order of first appearance.
    pub fn divisions(&self) -> Vec<&'static str> {
        self.classes_where(|probe| probe.classes.iter().take(1))
    }

    /// The classes to compare with each other: those that divide the probes, or, where all probes have
    /// the same first class, the other classes.
    pub fn groups(&self) -> Vec<&'static str> {
        let divisions = self.divisions();
        let finer = self.classes().split_off(divisions.len());
        if divisions.len() == 1 && !finer.is_empty() {
            finer
        } else {
            divisions
        }
    }

    /// All classes, in order of first appearance, those that divide the probes first.
    pub fn classes(&self) -> Vec<&'static str> {
        let mut classes = self.divisions();
        for class in self.classes_where(|probe| probe.classes.iter().take(usize::MAX)) {
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        classes
    }

    fn classes_where<'a, C: Iterator<Item = &'a &'static str>>(
        &'a self,
        of: impl Fn(&'a Probe) -> C,
    ) -> Vec<&'static str> {
        let mut seen = Vec::new();
        for probe in &self.probes {
            for class in of(probe) {
                if !seen.contains(class) {
                    seen.push(*class);
                }
            }
        }
        seen
    }

    /// The places of the probes of a class.
    pub fn members(&self, class: &str) -> Vec<usize> {
        (0..self.probes.len())
            .filter(|&i| self.probes[i].classes.contains(&class))
            .collect()
    }
}

/// A misconception, described.
#[derive(Clone, Debug)]
pub struct MistakeInfo {
    /// Its name, in `snake_case`; joined by `+` for two at once.
    pub name: String,
    /// The part it errs in: an index into the sheet's parts.
    pub part: usize,
    /// The check that catches it.
    pub check: &'static str,
    /// What it behaves like, to complete "your `encode` agrees with ...".
    pub says: String,
    /// Why it is wrong, in a few sentences.
    pub why: String,
    /// The heading of the chapter that explains it.
    pub link: String,
    /// Never told of one class of the probes alone.
    pub whole: bool,
    /// Where it comes from.
    pub kind: Kind,
}

/// Where a mistake comes from. Of two that behave alike the first in this order gives the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An author has written it. Its message is a golden one.
    Written,
    /// Other code with the misconception of a written one, whose name it has.
    Variant,
    /// Composed of two mistakes by the kit.
    Composed,
}

/// All of an exercise but the implementations.
pub struct Sheet {
    /// The exercise's name, unique in the workbook.
    pub name: &'static str,
    /// The chapter's folder: `03-twos-complement`.
    pub chapter: &'static str,
    /// The parts, in the order in which a learner writes them.
    pub parts: Vec<Part>,
    /// The checks, in the order in which they are reported.
    pub checks: Vec<Check>,
    /// The mistakes.
    pub mistakes: Vec<MistakeInfo>,
    /// What else `prove` has to look into.
    pub facts: Vec<Fact>,
    /// The exercises of the chapter whose functions this one may call: while one of them is wrong, a wrong answer here may
    /// come from there.
    pub rests_on: Vec<&'static str>,
}

/// Something that must hold of an exercise, whatever a learner writes.
pub struct Fact {
    /// What must hold, as a line of the proof.
    pub what: String,
    /// Why it does not hold; nothing if it does.
    pub fault: Box<dyn Fn() -> Option<String> + Send + Sync>,
}

impl Sheet {
    /// The number of probes in all parts.
    pub fn probe_count(&self) -> usize {
        self.parts.iter().map(|part| part.probes.len()).sum()
    }

    /// The part with this function.
    ///
    /// # Panics
    /// If there is none: the author named a function that the exercise does not have.
    pub fn part_of(&self, function: &str) -> usize {
        self.parts
            .iter()
            .position(|part| part.function == function)
            .unwrap_or_else(|| panic!("no part has the function `{function}`"))
    }

    /// The outcomes of one part, out of those of all parts.
    pub fn of_part<'a>(&self, part: usize, outcomes: &'a [Outcome]) -> &'a [Outcome] {
        let start = self.start(part);
        &outcomes[start..start + self.parts[part].probes.len()]
    }

    /// The place of a part's first probe among the probes of all parts.
    pub fn start(&self, part: usize) -> usize {
        self.parts[..part].iter().map(|p| p.probes.len()).sum()
    }

    /// The plainest probe of each class, counted over all parts. Those of testers are left out: their calls take long, and
    /// the learner has been told how often they come.
    pub(crate) fn plainest(&self) -> BTreeSet<usize> {
        let of_part = |(place, part): (usize, &Part)| {
            let classes = part.classes().into_iter();
            let plainest = classes.filter_map(|class| part.members(class).first().copied());
            plainest
                .map(|probe| self.start(place) + probe)
                .collect::<Vec<_>>()
        };
        let parts = self.parts.iter().enumerate();
        parts
            .filter(|(_, part)| part.judges.is_none())
            .flat_map(of_part)
            .collect()
    }

    /// The call of a probe, counted over all parts.
    pub fn call(&self, probe: usize) -> &str {
        self.parts
            .iter()
            .flat_map(|part| &part.probes)
            .nth(probe)
            .map_or("a call", |probe| probe.call.as_str())
    }

    /// The function of a probe, counted over all parts.
    pub fn function(&self, probe: usize) -> &'static str {
        let mut left = probe;
        for part in &self.parts {
            if left < part.probes.len() {
                return part.function;
            }
            left -= part.probes.len();
        }
        "the function"
    }
}
