//! The laws of an order, checked on samples, with a report that names the law and the keys.
//!
//! Every pair is compared both ways, so `n` samples cost about `n * n` calls. The answers are kept: an order that
//! changes its mind later is found by them. Transitivity needs no third loop: among `n` distinct keys under a total
//! order, the numbers of keys below each are exactly `0, 1, ..., n - 1`. If `a < b` but no fewer keys are below `a`
//! than below `b`, then some `c` is below `a` and not below `b`, and `a < b < c < a` is the cycle to report.

use std::cmp::Ordering;
use std::fmt;

use super::Compare;

/// A law that an order must keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Law {
    /// The same comparison always gives the same answer.
    Deterministic,
    /// A key equals itself.
    Reflexive,
    /// Different bytes never compare equal.
    DistinctKeysDiffer,
    /// `a < b` exactly when `b > a`.
    Antisymmetric,
    /// `a < b` and `b < c` give `a < c`.
    Transitive,
    /// `separator(a, b)` lies in `[a, b)`.
    SeparatorInRange,
    /// `successor(a)` is not before `a`.
    SuccessorInRange,
    /// A prefix range, where the order offers one, holds the keys with that prefix and no others.
    PrefixRangeExact,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deterministic => "the same question gets the same answer",
            Self::Reflexive => "a key equals itself",
            Self::DistinctKeysDiffer => "different bytes never compare equal",
            Self::Antisymmetric => "a < b exactly when b > a",
            Self::Transitive => "a < b and b < c give a < c",
            Self::SeparatorInRange => "separator(a, b) lies in [a, b)",
            Self::SuccessorInRange => "successor(a) is not before a",
            Self::PrefixRangeExact => {
                "a prefix range holds the keys with that prefix and no others"
            }
        })
    }
}

/// A law, the comparator that breaks it, and the keys that show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLaw {
    /// The comparator's name.
    pub comparator: String,
    /// The law that does not hold.
    pub law: Law,
    /// The keys that show it, named a, b, c in this order.
    pub keys: Vec<Vec<u8>>,
    /// What was answered.
    pub answered: String,
}

impl fmt::Display for BrokenLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "comparator {:?} breaks a law: {}",
            self.comparator, self.law
        )?;
        for (name, key) in ["a", "b", "c"].iter().zip(&self.keys) {
            writeln!(f, "  {name} = \"{}\"", key.escape_ascii())?;
        }
        write!(f, "  it answered: {}", self.answered)
    }
}

impl std::error::Error for BrokenLaw {}

/// Panics with a report if `order` breaks a law on `samples`; see [`check_comparator_laws`].
///
/// # Panics
/// If a law is broken. The message names the law, the keys and the answers.
pub fn assert_comparator_laws<K: AsRef<[u8]>>(order: &(impl Compare + ?Sized), samples: &[K]) {
    if let Err(broken) = check_comparator_laws(order, samples) {
        panic!("{broken}");
    }
}

/// Checks every law on every pair (and so every triple) of the samples.
///
/// Good samples are near each other: neighbours, prefixes, empty, very long, digits of different
/// lengths, bytes above 0x7f. A few hundred are checked quickly: a pair costs about four calls.
///
/// # Errors
/// The first [`BrokenLaw`], with the keys that show it.
pub fn check_comparator_laws<K: AsRef<[u8]>>(
    order: &(impl Compare + ?Sized),
    samples: &[K],
) -> Result<(), BrokenLaw> {
    let mut keys: Vec<&[u8]> = samples.iter().map(AsRef::as_ref).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut check = Check {
        order,
        is_below: vec![false; keys.len() * keys.len()],
        keys,
    };
    check.pairs()?;
    check.triples()?;
    check.shorteners()?;
    check.prefixes()
}

struct Check<'a, C: ?Sized> {
    order: &'a C,
    keys: Vec<&'a [u8]>,
    /// Whether key `n` is below key `m`, at `n * keys.len() + m`, as it was answered first.
    is_below: Vec<bool>,
}

impl<C: Compare + ?Sized> Check<'_, C> {
    fn broken(&self, law: Law, keys: &[&[u8]], answered: String) -> BrokenLaw {
        BrokenLaw {
            comparator: self.order.name().to_owned(),
            law,
            keys: keys.iter().map(|key| key.to_vec()).collect(),
            answered,
        }
    }

    fn less(&self, a: &[u8], b: &[u8]) -> bool {
        self.order.compare(a, b) == Ordering::Less
    }

    fn pairs(&mut self) -> Result<(), BrokenLaw> {
        let count = self.keys.len();
        for n in 0..count {
            let a = self.keys[n];
            let own = self.order.compare(a, a);
            if own != Ordering::Equal {
                return Err(self.broken(Law::Reflexive, &[a], format!("compare(a, a) = {own:?}")));
            }
            for m in n + 1..count {
                let is_less = self.pair(a, self.keys[m])?.is_lt();
                self.is_below[n * count + m] = is_less;
                self.is_below[m * count + n] = !is_less;
            }
        }
        Ok(())
    }

    fn pair(&self, a: &[u8], b: &[u8]) -> Result<Ordering, BrokenLaw> {
        let forth = self.order.compare(a, b);
        let back = self.order.compare(b, a);
        let again = self.order.compare(a, b);
        let answered = format!("compare(a, b) = {forth:?}, compare(b, a) = {back:?}");
        if forth != again {
            let answered = format!("compare(a, b) = {forth:?}, and then {again:?}");
            return Err(self.broken(Law::Deterministic, &[a, b], answered));
        }
        if forth != back.reverse() {
            return Err(self.broken(Law::Antisymmetric, &[a, b], answered));
        }
        if forth == Ordering::Equal {
            return Err(self.broken(Law::DistinctKeysDiffer, &[a, b], answered));
        }
        Ok(forth)
    }

    /// Whether key `n` was found to be below key `m`. Requires that `pairs` has passed, as all that follows does.
    fn is_below(&self, n: usize, m: usize) -> bool {
        self.is_below[n * self.keys.len() + m]
    }

    fn triples(&self) -> Result<(), BrokenLaw> {
        let all = 0..self.keys.len();
        let below = |n| all.clone().filter(|&other| self.is_below(other, n)).count();
        let mut ranked: Vec<(usize, usize)> = all.clone().map(|n| (below(n), n)).collect();
        ranked.sort_unstable();
        for pair in ranked.windows(2) {
            let [(rank, x), (next_rank, y)] = [pair[0], pair[1]];
            if rank < next_rank {
                continue;
            }
            let (a, b) = if self.is_below(x, y) { (x, y) } else { (y, x) };
            // `a` has no fewer keys below it than `b`, but `a` itself is below `b` only.
            let c = all
                .clone()
                .find(|&c| self.is_below(c, a) && self.is_below(b, c))
                .expect("some key is below a and not below b");
            let answered = "a < b, b < c, and yet c < a".to_owned();
            let circle = [a, b, c].map(|n| self.keys[n]);
            return Err(self.broken(Law::Transitive, &circle, answered));
        }
        Ok(())
    }

    fn shorteners(&self) -> Result<(), BrokenLaw> {
        for (n, &a) in self.keys.iter().enumerate() {
            let successor = self.order.successor(a);
            if self.order.compare(&successor, a) == Ordering::Less {
                let answered = format!("successor(a) = \"{}\"", successor.escape_ascii());
                return Err(self.broken(Law::SuccessorInRange, &[a], answered));
            }
            for (m, &b) in self.keys.iter().enumerate() {
                let is_less = self.less(a, b);
                if is_less != self.is_below(n, m) {
                    let answered = format!("first that a < b is {}, and then {is_less}", !is_less);
                    return Err(self.broken(Law::Deterministic, &[a, b], answered));
                }
                if !is_less {
                    continue;
                }
                let separator = self.order.separator(a, b);
                if self.less(&separator, a) || !self.less(&separator, b) {
                    let answered = format!("separator(a, b) = \"{}\"", separator.escape_ascii());
                    return Err(self.broken(Law::SeparatorInRange, &[a, b], answered));
                }
            }
        }
        Ok(())
    }

    fn prefixes(&self) -> Result<(), BrokenLaw> {
        use std::ops::Bound::{Excluded, Included, Unbounded};
        for &a in &self.keys {
            let Some(range) = self.order.prefix_range(a) else {
                continue;
            };
            for &b in &self.keys {
                let after_start = match &range.start {
                    Included(start) => !self.less(b, start),
                    Excluded(start) => self.less(start, b),
                    Unbounded => true,
                };
                let before_end = match &range.end {
                    Included(end) => !self.less(end, b),
                    Excluded(end) => self.less(b, end),
                    Unbounded => true,
                };
                if (after_start && before_end) != b.starts_with(a) {
                    let answered = format!("prefix_range(a) = {range:?}, which is wrong about b");
                    return Err(self.broken(Law::PrefixRangeExact, &[a, b], answered));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparator::{Comparator, NumericSuffix, PrefixRange};
    use std::ops::Bound;

    const SAMPLES: &[&str] = &[
        "",
        "0",
        "00",
        "1",
        "10",
        "9",
        "a",
        "ab",
        "item:",
        "item:1",
        "item:10",
        "item:2",
        "item:9",
        "item:01",
        "item:99999999999999999999999",
        "user:1",
        "user:2",
        "\u{7f}",
        "\u{ff}",
    ];

    #[test]
    fn an_order_that_changes_later_is_not_deterministic() {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        // An order each time, but a different one after all pairs were compared.
        let changes = |a: &[u8], b: &[u8]| {
            let later = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 12;
            if later { b.cmp(a) } else { a.cmp(b) }
        };
        let broken = check_comparator_laws(&Given(changes), &["a", "b", "c"]).unwrap_err();
        assert_eq!(broken.law, Law::Deterministic);
        let report = broken.to_string();
        assert!(
            report.contains("first that a < b is true, and then false"),
            "{report}"
        );
    }

    /// An order given by a closure, to break one law at a time.
    struct Given<F>(F);

    impl<F: Fn(&[u8], &[u8]) -> Ordering + Send + Sync> Compare for Given<F> {
        fn name(&self) -> &str {
            "given"
        }
        fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
            (self.0)(a, b)
        }
    }

    fn law_broken(order: impl Fn(&[u8], &[u8]) -> Ordering + Send + Sync, keys: &[&str]) -> Law {
        check_comparator_laws(&Given(order), keys)
            .expect_err("a law is broken")
            .law
    }

    #[test]
    fn good_orders_pass() {
        assert_comparator_laws(&Comparator::Bytewise, SAMPLES);
        assert_comparator_laws(&Comparator::reverse_bytewise(), SAMPLES);
        assert_comparator_laws(&NumericSuffix, SAMPLES);
    }

    #[test]
    fn each_law_is_reported_by_name() {
        let never_equal = |a: &[u8], b: &[u8]| a.cmp(b).then(Ordering::Less);
        assert_eq!(law_broken(never_equal, SAMPLES), Law::Reflexive);
        let always_less = |a: &[u8], b: &[u8]| {
            if a == b {
                Ordering::Equal
            } else {
                Ordering::Less
            }
        };
        assert_eq!(law_broken(always_less, SAMPLES), Law::Antisymmetric);
        let by_len = |a: &[u8], b: &[u8]| a.len().cmp(&b.len());
        assert_eq!(law_broken(by_len, SAMPLES), Law::DistinctKeysDiffer);
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let fickle = move |a: &[u8], b: &[u8]| {
            let flip = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 7 == 6;
            if flip { b.cmp(a) } else { a.cmp(b) }
        };
        assert_eq!(law_broken(fickle, SAMPLES), Law::Deterministic);
    }

    /// Bytewise, with proposals of its own.
    struct Proposes {
        separator: &'static [u8],
        successor: &'static [u8],
    }

    impl Compare for Proposes {
        fn name(&self) -> &str {
            "proposes"
        }
        fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
            a.cmp(b)
        }
        fn separator(&self, _: &[u8], _: &[u8]) -> Vec<u8> {
            self.separator.to_vec()
        }
        fn successor(&self, _: &[u8]) -> Vec<u8> {
            self.successor.to_vec()
        }
    }

    #[test]
    fn wrong_proposals_are_reported_with_the_proposal() {
        let right = Proposes {
            separator: b"b",
            successor: b"z",
        };
        let broken = |order: Proposes| {
            let broken = check_comparator_laws(&order, &["b", "bb", "c"]).unwrap_err();
            (broken.law, broken.to_string())
        };
        let (law, report) = broken(Proposes {
            successor: b"a",
            ..right
        });
        assert_eq!(law, Law::SuccessorInRange);
        assert!(report.contains("successor(a) = \"a\""), "{report}");
        let (law, report) = broken(right);
        assert_eq!(law, Law::SeparatorInRange);
        assert!(report.contains("a = \"bb\"\n  b = \"c\""), "{report}");
    }

    #[test]
    fn a_prefix_range_that_is_too_short_is_reported() {
        /// The bound that many stores use: everything up to the prefix followed by one 0xff.
        struct UpToOneFf;
        impl Compare for UpToOneFf {
            fn name(&self) -> &str {
                "up-to-one-ff"
            }
            fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
                a.cmp(b)
            }
            fn prefix_range(&self, prefix: &[u8]) -> Option<PrefixRange> {
                Some(PrefixRange {
                    start: Bound::Included(prefix.to_vec()),
                    end: Bound::Included([prefix, b"\xff"].concat()),
                })
            }
        }
        let keys: [&[u8]; 3] = [b"a", b"a\xff\x00", b"b"];
        let broken = check_comparator_laws(&UpToOneFf, &keys).unwrap_err();
        assert_eq!(broken.law, Law::PrefixRangeExact);
        assert_eq!(broken.keys, [b"a".to_vec(), b"a\xff\x00".to_vec()]);
    }

    #[test]
    fn a_circle_is_shown_by_its_three_keys() {
        // Rock, paper, scissors: antisymmetric, and yet not an order.
        let circle = |a: &[u8], b: &[u8]| {
            let of = |key: &[u8]| i16::from(key.first().copied().unwrap_or(0) % 3);
            match (of(b) - of(a)).rem_euclid(3) {
                1 => Ordering::Less,
                2 => Ordering::Greater,
                _ => a.cmp(b),
            }
        };
        let broken = check_comparator_laws(&Given(circle), &["r", "s", "t", "zebra"]).unwrap_err();
        assert_eq!(broken.law, Law::Transitive);
        let [a, b, c] = &broken.keys[..] else {
            panic!("three keys: {broken}")
        };
        assert_eq!(
            [circle(a, b), circle(b, c), circle(c, a)],
            [Ordering::Less; 3]
        );
        assert!(
            broken.to_string().contains("a < b, b < c, and yet c < a"),
            "{broken}"
        );
    }

    #[test]
    fn atoi_order_is_caught() {
        // The usual example: overflow and text both read as 0, so different keys compare equal.
        let atoi = |key: &[u8]| -> i32 {
            std::str::from_utf8(key)
                .ok()
                .and_then(|text| text.parse().ok())
                .unwrap_or(0)
        };
        let order = move |a: &[u8], b: &[u8]| atoi(a).cmp(&atoi(b));
        assert_eq!(
            law_broken(order, &["1", "2", "x", "99999999999"]),
            Law::DistinctKeysDiffer
        );
    }
}
