//! The gallery of mistakes: misconceptions as implementations, alone and two at a time.

use crate::exercise::{Kind, MistakeInfo};

/// A misconception, as an implementation that embodies it.
pub struct Mistake<I> {
    pub(crate) imp: I,
    pub(crate) variants: Vec<I>,
    pub(crate) function: &'static str,
    name: String,
    check: &'static str,
    says: String,
    why: String,
    link: String,
    whole: bool,
    kind: Kind,
}

impl<I> Mistake<I> {
    /// A mistake in `function`, caught by `check`.
    pub fn new(
        name: impl Into<String>,
        function: &'static str,
        check: &'static str,
        imp: I,
    ) -> Self {
        Self {
            imp,
            variants: Vec::new(),
            function,
            name: name.into(),
            check,
            says: String::new(),
            why: String::new(),
            link: String::new(),
            whole: false,
            kind: Kind::Written,
        }
    }

    /// What it behaves like: completes "your `encode` agrees with ...".
    #[must_use]
    pub fn says(mut self, says: impl Into<String>) -> Self {
        self.says = says.into();
        self
    }

    /// Why it is wrong.
    #[must_use]
    pub fn why(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }

    /// The heading of the chapter that explains it, as it stands in the page's address after `#`.
    #[must_use]
    pub fn link(mut self, link: impl Into<String>) -> Self {
        self.link = link.into();
        self
    }

    /// What is said of it is said of all classes together: it is never told of one of them alone.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// The same misconception in other code, which errs on other probes. What is said of the mistake must be true of this too.
    #[must_use]
    pub fn or(mut self, variant: I) -> Self {
        self.variants.push(variant);
        self
    }

    pub(crate) fn info(&self, part: usize) -> MistakeInfo {
        MistakeInfo {
            name: self.name.clone(),
            part,
            check: self.check,
            says: self.says.clone(),
            why: self.why.clone(),
            link: self.link.clone(),
            whole: self.whole,
            kind: self.kind,
        }
    }
}

/// One way to go wrong that can be combined with others.
#[derive(Clone, Copy, Debug)]
pub struct Quirk<Q> {
    /// What the exercise's `build` understands.
    pub id: Q,
    /// The mistake's name.
    pub name: &'static str,
    /// The check that catches it when it is alone.
    pub check: &'static str,
    /// Completes "your `encode` agrees with ...".
    pub says: &'static str,
    /// Why it is wrong.
    pub why: &'static str,
    /// The chapter's heading.
    pub link: &'static str,
    /// What it behaves like and why it is wrong, said in a pair.
    pub beside: [Option<&'static str>; 2],
}

impl<Q> Quirk<Q> {
    /// A quirk with its name, caught by `check` when it is alone.
    pub const fn new(id: Q, name: &'static str, check: &'static str) -> Self {
        Self {
            id,
            name,
            check,
            says: "",
            why: "",
            link: "",
            beside: [None; 2],
        }
    }

    /// A quirk with everything that there is to say, for exercises with a table of them.
    pub const fn of(
        id: Q,
        name: &'static str,
        check: &'static str,
        says: &'static str,
        why: &'static str,
        link: &'static str,
    ) -> Self {
        Self {
            id,
            name,
            check,
            says,
            why,
            link,
            beside: [None; 2],
        }
    }

    /// What it behaves like: completes "your `encode` agrees with ...".
    #[must_use]
    pub const fn says(mut self, says: &'static str) -> Self {
        self.says = says;
        self
    }

    /// Why it is wrong.
    #[must_use]
    pub const fn why(mut self, why: &'static str) -> Self {
        self.why = why;
        self
    }

    /// The chapter's heading.
    #[must_use]
    pub const fn link(mut self, link: &'static str) -> Self {
        self.link = link;
        self
    }

    /// What it behaves like when another quirk is there too: nothing is right then but for this one.
    #[must_use]
    pub const fn says_beside(mut self, says: &'static str) -> Self {
        self.beside[0] = Some(says);
        self
    }

    /// Why it is wrong, when another quirk is there too.
    #[must_use]
    pub const fn why_beside(mut self, why: &'static str) -> Self {
        self.beside[1] = Some(why);
        self
    }
}

/// Every quirk alone, and every two of them at once.
///
/// `build` makes an implementation with the given quirks, and refuses two that exclude each other.
/// Alone they are ordinary mistakes with a golden message each. Pairs carry both explanations; a pair
/// in which one quirk hides the other is told by the name of the one that shows.
pub fn compose<I, Q: Copy>(
    function: &'static str,
    quirks: &[Quirk<Q>],
    build: impl Fn(&[Q]) -> Option<I>,
) -> Vec<Mistake<I>> {
    compose_where(function, quirks, build, |_| true)
}

/// As [`compose`], where what is said of a quirk may not be true of it beside another one: `shows` says whether the first
/// quirk of two can be seen beside the second. A pair of which one cannot be seen has the words of the other.
pub fn compose_where<I, Q: Copy>(
    function: &'static str,
    quirks: &[Quirk<Q>],
    build: impl Fn(&[Q]) -> Option<I>,
    shows: impl Fn([Q; 2]) -> bool,
) -> Vec<Mistake<I>> {
    let told = |quirk: &Quirk<Q>, imp: I| {
        Mistake::new(quirk.name, function, quirk.check, imp)
            .says(quirk.says)
            .why(quirk.why)
            .link(quirk.link)
    };
    let alone = |quirk: &Quirk<Q>| Some(told(quirk, build(&[quirk.id])?));
    let mut mistakes: Vec<Mistake<I>> = quirks.iter().filter_map(alone).collect();
    for (n, a) in quirks.iter().enumerate() {
        for b in &quirks[n + 1..] {
            let Some(imp) = build(&[a.id, b.id]) else {
                continue;
            };
            let mut pair = match (shows([a.id, b.id]), shows([b.id, a.id])) {
                (false, _) => told(b, imp),
                (_, false) => told(a, imp),
                _ => {
                    let [says, why] = [0, 1].map(|words| {
                        let of = |quirk: &Quirk<Q>| {
                            quirk.beside[words].unwrap_or([quirk.says, quirk.why][words])
                        };
                        [of(a), of(b)]
                    });
                    Mistake::new(format!("{}+{}", a.name, b.name), function, a.check, imp)
                        .says(format!("{} and {} at once", says[0], says[1]))
                        .why(format!("Two things at once.\n1. {}\n2. {}", why[0], why[1]))
                        .link(a.link)
                }
            };
            pair.kind = Kind::Composed;
            mistakes.push(pair);
        }
    }
    mistakes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_pair_is_true_of_both() {
        let quirks = [
            Quirk::of('a', "cut", "order", "a cut", "The rest is right.", "cut")
                .says_beside("a cut besides")
                .why_beside("It is cut."),
            Quirk::of(
                'b',
                "turned",
                "order",
                "bytes turned",
                "Turn them.",
                "turned",
            ),
            Quirk::of('c', "empty", "bytes", "no bytes", "Write some.", "empty"),
        ];
        // Of nothing it does not show that it was turned, nor where it was cut.
        let shows = |[quirk, beside]: [char; 2]| beside != 'c' || quirk == 'c';
        let build = |ids: &[char]| (ids != ['a', 'c']).then(|| ids.to_vec());
        let told: Vec<String> = compose_where("f", &quirks, build, shows)
            .iter()
            .map(|m| format!("{} {:?}: {}, {}", m.name, m.kind, m.says, m.why))
            .collect();
        assert_eq!(
            told,
            [
                "cut Written: a cut, The rest is right.",
                "turned Written: bytes turned, Turn them.",
                "empty Written: no bytes, Write some.",
                "cut+turned Composed: a cut besides and bytes turned at once, \
                 Two things at once.\n1. It is cut.\n2. Turn them.",
                "empty Composed: no bytes, Write some.",
            ]
        );
    }
}
