//! Every rectangle of a small map, and some on a large one.

use std::ops::RangeInclusive;
use std::sync::Arc;

use kit::exercise::Part;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, check};

use crate::{mistakes, solutions, stubs};
use ch09_two_dimensions::box_ranges as learner;

type Span = RangeInclusive<u32>;

/// Somebody's `box_ranges`.
pub(crate) type Ranges = Arc<dyn Fn(Span, Span) -> Vec<RangeInclusive<u64>> + Send + Sync>;

/// The middle of a map of 26 bits, and that of one of 32.
const MIDDLES: [u32; 2] = [1 << 25, 1 << 31];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Arc::new(learner::box_ranges)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Ranges) -> Exercise<Ranges> {
    let cast: Cast<Ranges> = Cast {
        learner,
        stub: Arc::new(stubs::box_ranges::box_ranges),
        solution: Arc::new(solutions::box_ranges::box_ranges),
    };
    let mut part = PartOf::new("box_ranges", "list").slow(
        "rectangles on a large map",
        "Do you try all numbers between the corners? For some of these rectangles they are more than 10^15. List the points \
         of the rectangle, or cut it in two along the greatest border in it.",
    )
    .says(first_fault);
    for (x, y) in small().into_iter().chain(large()) {
        part = probe(part, x, y);
    }
    Exercise::new("box-ranges", "09-two-dimensions", cast)
        .part(part)
        .check(check::answers(
            "box_ranges",
            "ranges",
            "All numbers of the rectangle and no others, in as few ranges as there can be, ascending.",
        ))
        .mistakes(mistakes::box_ranges::all())
}

/// Rectangles on a map of eight by eight, those with few points first, then spans that run backwards.
fn small() -> Vec<(Span, Span)> {
    let spans: Vec<Span> = (0..6)
        .flat_map(|low| (low..6).map(move |high| low..=high))
        .collect();
    let mut all: Vec<(Span, Span)> = (spans.iter())
        .flat_map(|x| spans.iter().map(|y| (x.clone(), y.clone())))
        .collect();
    let size = |span: &Span| span.end() - span.start() + 1;
    all.sort_by_key(|(x, y)| (size(x) * size(y), x.end() + y.end()));
    let backwards = |low: u32, high: u32| RangeInclusive::new(high, low);
    all.extend([
        (backwards(1, 2), 0..=3),
        (0..=3, backwards(1, 2)),
        (backwards(0, 1), backwards(0, 1)),
        (0..=7, 0..=7),
        (2..=6, 2..=3),
    ]);
    all
}

/// Rectangles with few ranges, far from the corner of the map or with many points.
fn large() -> Vec<(Span, Span)> {
    let mut all = Vec::new();
    for middle in MIDDLES {
        let two = middle - 1..=middle;
        all.push((two.clone(), two.clone()));
        all.push((two.clone(), middle..=middle));
        all.push((middle - 2..=middle + 1, two));
        // Two parts of this one are one range.
        all.push((middle..=middle + 1, middle + 1..=middle + 2));
    }
    // Where the map ends.
    let last = u32::MAX - 1..=u32::MAX;
    all.push((last.clone(), 0..=0));
    all.push((0..=1, last.clone()));
    all.push((last.clone(), last));
    // A cell, two cells that follow each other, and a square that is none.
    all.push((256..=511, 768..=1023));
    all.push((0..=127, 0..=255));
    all.push((64..=191, 64..=191));
    // As many ranges as can be read.
    all.push((1..=14, 1..=14));
    // More ranges than anybody reads, and few points.
    all.push((0..=1499, 1..=1));
    all
}

fn probe(part: PartOf<Ranges>, x: Span, y: Span) -> PartOf<Ranges> {
    let call = format!("box_ranges({}, {})", span(&x), span(&y));
    let classes = classes(&x, &y);
    part.probe(
        call.clone(),
        Answer::text(call),
        &classes,
        move |f: &Ranges| {
            let ranges = f(x.clone(), y.clone());
            let texts: Vec<String> = ranges
                .iter()
                .map(|r| format!("{}..={}", r.start(), r.end()))
                .collect();
            Answer::text(format!("[{}]", texts.join(", ")))
        },
    )
}

type Listed = Vec<(u64, u64)>;

/// A list as the answer shows it.
fn parsed(list: &str) -> Option<Listed> {
    let inner = list.strip_prefix('[')?.strip_suffix(']')?;
    let ranges = inner.split(", ").filter(|range| !range.is_empty());
    let ends = |range: &str| {
        let (start, end) = range.split_once("..=")?;
        Some((start.parse().ok()?, end.parse().ok()?))
    };
    ranges.map(ends).collect()
}

/// What is wrong with the smallest wrong answer: numbers too many, numbers too few, or the right ones in other ranges.
fn first_fault(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let fault = part
        .probes
        .iter()
        .zip(outcomes)
        .find_map(|(probe, outcome)| {
            let expected = probe.expected.as_ref()?;
            let given = outcome.answer().filter(|given| *given != expected)?;
            let (right, yours) = (parsed(&expected.text)?, parsed(&given.text)?);
            Some(format!("Of {}: {}", probe.call, fault(&right, &yours)?))
        });
    fault.into_iter().collect()
}

fn fault(right: &[(u64, u64)], yours: &[(u64, u64)]) -> Option<String> {
    let point = |number: u64| {
        let (x, y) = solutions::interleave::deinterleave(number);
        format!("{number}, the number of column {x} and row {y},")
    };
    if let Some((start, end)) = yours.iter().find(|(start, end)| start > end) {
        return Some(format!(
            "{start}..={end} ends before it starts, and holds no number."
        ));
    }
    if let Some(number) = first_outside(yours, right) {
        let between = |pair: &[(u64, u64)]| pair[0].1 < number && number < pair[1].0;
        let gap = right.windows(2).find(|pair| between(pair));
        let gap = gap.filter(|_| {
            yours
                .iter()
                .any(|range| range.0 < number && number < range.1)
        });
        let joined = gap.map(|gap| {
            let [(a, b), (c, d)] = [gap[0], gap[1]];
            format!(" It lies between {a}..={b} and {c}..={d}, which are no neighbours and stay two ranges.")
        });
        let point = point(number);
        let joined = joined.unwrap_or_default();
        return Some(format!(
            "{point} is in your ranges and not in the rectangle.{joined}"
        ));
    }
    if let Some(number) = first_outside(right, yours) {
        return Some(format!(
            "{} is in the rectangle and in none of your ranges.",
            point(number)
        ));
    }
    let named = |(a, b): &(u64, u64)| format!("{a}..={b}");
    let pair = yours
        .windows(2)
        .find(|pair| pair[0].1.saturating_add(1) >= pair[1].0)?;
    let (first, second) = (named(&pair[0]), named(&pair[1]));
    Some(if pair[1].0 < pair[0].0 {
        format!("the numbers are the right ones, and {first} comes before {second}: ranges ascend.")
    } else if pair[0].1 < pair[1].0 {
        format!(
            "the numbers are the right ones, and {first} and {second} touch: they are one range."
        )
    } else {
        format!(
            "the numbers are the right ones, and {first} and {second} share some: each belongs into one range."
        )
    })
}

/// The least number that is in these ranges and in none of the others.
fn first_outside(these: &[(u64, u64)], others: &[(u64, u64)]) -> Option<u64> {
    let mut others = others.to_vec();
    others.sort_unstable();
    let outside = |&(start, end): &(u64, u64)| {
        let mut next = Some(start);
        for &(a, b) in &others {
            if next.is_some_and(|number| (a..=b).contains(&number)) {
                next = b.checked_add(1);
            }
        }
        next.filter(|next| *next <= end)
    };
    these.iter().filter_map(outside).min()
}

fn span(span: &Span) -> String {
    let edge = |n: u32| {
        if n > 1 << 20 {
            format!("{n:#x}")
        } else {
            n.to_string()
        }
    };
    format!("{}..={}", edge(*span.start()), edge(*span.end()))
}

fn classes(x: &Span, y: &Span) -> Vec<&'static str> {
    if x.is_empty() || y.is_empty() {
        return vec!["rectangles without a point"];
    }
    let ranges = solutions::box_ranges::box_ranges(x.clone(), y.clone()).len();
    let large = *x.end().max(y.end()) > 7;
    let mut classes = vec![match (large, ranges) {
        (false, 1) => "small rectangles of one range",
        (false, _) => "small rectangles of several ranges",
        (true, _) => "rectangles on a large map",
    }];
    if x.start() == x.end() || y.start() == y.end() {
        classes.push("single columns and rows");
    }
    classes
}
