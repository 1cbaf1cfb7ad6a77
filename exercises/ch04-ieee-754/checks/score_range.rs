//! Ranges of scores over small sets of rows: every pair of bounds, over every set.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use kit::answer::quoted;
use kit::values::{one_bit_changed, woven_texts};
use kit::{Answer, Cast, Exercise, Judged, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch04_ieee_754::score_range as learner;

/// The store: keys of scores, each with its member after it.
pub(crate) type Rows = BTreeSet<Vec<u8>>;

/// Somebody's `score_range`.
pub(crate) type Scan = Arc<dyn Fn(&Rows, f64, f64) -> Vec<Vec<u8>> + Send + Sync>;

/// A member and its score.
type Member = (f64, &'static [u8]);

const INF: f64 = f64::INFINITY;
/// From here on not every whole number is a double.
const TWO_TO_53: f64 = 9_007_199_254_740_992.0;

/// The members, the plainest stores first.
const STORES: [&[Member]; 16] = [
    &[(1.0, b"ann"), (2.0, b"bob"), (3.0, b"cid")],
    &[
        (1.0, b"ann"),
        (2.0, b"bob"),
        (2.0, b"\xff\x00"),
        (3.0, b"cid"),
    ],
    &[(-2.0, b"ann"), (-1.0, b"bob"), (0.0, b"cid"), (1.0, b"dee")],
    &[(-0.0, b"ann"), (0.0, b"bob")],
    &[
        (-INF, b"ann"),
        (1.0, b"bob"),
        (INF, b"cid"),
        (INF, b"dee"),
        (INF, b"\xff\xff"),
    ],
    &[],
    &[(1.0, b""), (1.0, b"\x00")],
    &[(1.0, b"ann"), (1.0 + f64::EPSILON, b"")],
    &[(1.0, b"ann"), (1.0, &[0xff; 5000])],
    &[
        (1.0, b""),
        (1.0, b"\x00"),
        (2.0, b""),
        (2.0, b"\xff"),
        (2.0, &[0xff; 5000]),
        (3.0, b""),
    ],
    &[
        (1.0, b"zoe"),
        (1.0 + f64::EPSILON, b"yan"),
        (1.5, b"xia"),
        (2.0, b"wim"),
        (2.5, b"van"),
    ],
    &[
        (-INF, b""),
        (f64::MIN, b"ann"),
        (-TWO_TO_53, b"bob"),
        (-1.5, b"cid"),
        (-f64::EPSILON, b"dee"),
        (5e-324, b"eve"),
        (TWO_TO_53, b"fay"),
        (TWO_TO_53 + 2.0, b"gus"),
        (f64::MAX, b"hal"),
        (INF, b"ida"),
    ],
    // A member may begin with any letter of any text, or with a byte that is none.
    &[
        (1.0, b"ann"),
        (2.0, b"}"),
        (2.0, b"~"),
        (2.0, b"\xc3\xa9"),
        (2.0, b"\xf5"),
    ],
    // One member at two scores: the store does not forbid it.
    &[(1.0, b"ann"), (2.0, b"ann"), (2.0, b"bob"), (3.0, b"ann")],
    // A zero byte within a member.
    &[(1.0, b"a\x00b"), (2.0, b"\x00c")],
    // Capitals, spaces, tabs and the end of a line are bytes of a member.
    &[(1.0, b" Ann "), (2.0, b"\tbob\r\n"), (2.0, b"Bob\n")],
];

/// Longer than any end that somebody makes of many ff.
static FARTHEST: [u8; 1 << 18] = [0xff; 1 << 18];
const LONG: &[Member] = &[(1.0, b"ann"), (1.0, &FARTHEST), (2.0, b"bob")];

/// More rows than a large page has.
static MANY: LazyLock<Vec<Member>> =
    LazyLock::new(|| (0..5100).map(|n| (f64::from(n), &b"ann"[..])).collect());

/// Members with every sign that somebody may treat in a way of his own.
static WOVEN: LazyLock<Vec<[Member; 6]>> = LazyLock::new(|| {
    let members = woven_texts().map(|texts| texts.map(str::as_bytes));
    let scored = |[a, b, c, d, e, f]: [&'static [u8]; 6]| {
        [(1.0, a), (1.0, b), (1.0, c), (2.0, d), (2.0, e), (2.0, f)]
    };
    members.map(scored).collect()
});

/// 2^1000 and all scores that differ from it in one bit. They lie too far apart for a tolerance, whatever it is.
static BITS: LazyLock<Vec<Member>> = LazyLock::new(|| {
    let power = 2_f64.powi(1000).to_bits();
    let bits = std::iter::once(power).chain(one_bit_changed(power));
    bits.map(|bits| (f64::from_bits(bits), &b"ann"[..]))
        .collect()
});

/// The bounds, the plainest first.
const BOUNDS: [f64; 17] = [
    1.0,
    2.0,
    3.0,
    0.0,
    -1.0,
    -2.0,
    INF,
    -INF,
    -0.0,
    1.5,
    -1.5,
    TWO_TO_53,
    1.0 + f64::EPSILON,
    5e-324,
    f64::MAX,
    f64::MIN,
    -TWO_TO_53,
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Arc::new(learner::score_range)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Scan) -> Exercise<Scan> {
    let cast: Cast<Scan> = Cast {
        learner,
        stub: Arc::new(stubs::score_range::score_range),
        solution: Arc::new(solutions::score_range::score_range),
    };
    let mut part = PartOf::new("score_range", "list");
    for members in STORES {
        for (n, &bound) in BOUNDS.iter().enumerate() {
            for &other in &BOUNDS[..n] {
                // The range that goes upwards first.
                let (low, high) = if bound < other {
                    (bound, other)
                } else {
                    (other, bound)
                };
                part = probe(part, members, low, high);
                part = probe(part, members, high, low);
            }
            part = probe(part, members, bound, bound);
        }
    }
    for members in WOVEN.iter() {
        part = probe(part, members, 1.0, 2.0);
        part = probe(part, members, 2.0, 2.0);
    }
    for (score, _) in BITS.iter() {
        part = probe(part, &BITS, *score, *score);
    }
    part = probe(part, LONG, 1.0, 1.0);
    for (min, max) in [(-INF, INF), (100.0, 899.0)] {
        part = probe(part, &MANY, min, max);
    }
    Exercise::new("score-range", "04-ieee-754", cast)
        .part(part)
        .check(check::answers(
            "score_range",
            "range",
            "All members with scores from `min` to `max`, both included, in the order of the rows.",
        ))
        .mistakes(mistakes::score_range::all())
}

fn probe(part: PartOf<Scan>, members: &'static [Member], min: f64, max: f64) -> PartOf<Scan> {
    let row = |(score, member): &Member| format!("{score:?} {}", quoted(member));
    let shown = match members {
        [first, .., last] if members.len() == MANY.len() => {
            format!("{} to {}", row(first), row(last))
        }
        _ if members.len() == BITS.len() => {
            "2^1000 and each score that differs from it in one bit".to_owned()
        }
        _ => members.iter().map(row).collect::<Vec<_>>().join(", "),
    };
    let call = format!(
        "score_range({{{shown}}}, {}, {})",
        min.show().text,
        max.show().text
    );
    part.probe(
        call.clone(),
        Answer::text(call),
        &classes(members, min, max),
        move |scan: &Scan| {
            // The key that the task gives, not the learner's copy of it.
            let row =
                |(score, member): &Member| [&stubs::score_range::key(*score)[..], member].concat();
            let rows: Rows = members.iter().map(row).collect();
            let found: Vec<String> = scan(&rows, min, max).iter().map(|m| quoted(m)).collect();
            Answer::text(format!("[{}]", found.join(", ")))
        },
    )
}

fn classes(members: &[Member], min: f64, max: f64) -> Vec<&'static str> {
    let found = || members.iter().filter(|(s, _)| min <= *s && *s <= max);
    let mut classes = vec![if min > max {
        "ranges with crossed bounds"
    } else if found().next().is_none() {
        "ranges without a member"
    } else if min == max {
        "ranges of one score"
    } else {
        "ranges from one score to a greater one"
    }];
    if min <= max {
        if min.is_infinite() || max.is_infinite() {
            classes.push("ranges with an infinite end");
        }
        if max < 0.0 {
            classes.push("ranges below zero");
        }
        if found().any(|(score, member)| *score == max && member.starts_with(b"\xff")) {
            classes.push("ranges whose last score has a member that begins with ff");
        }
    }
    classes
}
