//! Separators for every pair of some twenty keys, and for long ones: in range, shorter, and as short as the best raised cut.

use std::sync::Arc;

use kit::answer::quoted;
use kit::check::{Check, Finding};
use kit::exercise::Sheet;
use kit::values::LENGTHS;
use kit::{Answer, Cast, Exercise, Judged, PartOf, Show as _, check};

use crate::solutions::separator::{compare, separator as right};
use crate::{mistakes, stubs};
use ch07_comparators::separator as learner;

/// Somebody's `separator`.
pub(crate) type Separate = Arc<dyn Fn(&[u8], &[u8]) -> Option<Vec<u8>> + Send + Sync>;

/// Pairs that show one thing each, the plainest first; then all pairs of `KEYS`.
const PAIRS: [(&[u8], &[u8]); 15] = [
    (b"item:123", b"user:1"),
    (b"item:123", b"item:124"),
    (b"abc:1", b"abd"),
    (b"abc:1", b"abd:1"),
    (b"item:177", b"item:300"),
    (b"item:199", b"item:2000"),
    (b"a/1", b"a1:1"),
    (b"item:9999", b"item;"),
    (b"\xff\xff:1", b"\xff\xff;x"),
    (b"\xff\xff1", b"\xff\xff2"),
    // A raised cut within what both share: `a1` has the number of `a001`, and a shorter prefix than `a00x`.
    (b"a001", b"a00x"),
    (b"user:1", b"item:1"),
    (b"item:10", b"item:10"),
    // The byte to raise may be the last of ASCII, or any above.
    (b"\x7f123", b"\x811"),
    (b"\xfe123", b"\xff1"),
];
const KEYS: [&[u8]; 17] = [
    b"",
    b"a",
    b"a1",
    b"a2b7",
    b"a3b7",
    b"abc:9",
    b"abc:10",
    b"abcd:1",
    b"b",
    b"item:2",
    b"item:10",
    b"item:1:5",
    b"item\xff\xff:7",
    b"itf",
    b"user:123456",
    b"\xff",
    b"\xff\xff",
];

const WRONG_WAY: &str = "pairs with `a` not before `b`";
const SAME_PREFIX: &str = "pairs with one prefix";
const OTHER_PREFIX: &str = "pairs with different prefixes";
const NONE_FITS: &str = "pairs without a raised cut that fits";
/// Keys of [`LONG_MIN`] bytes and more.
const LONG: &str = "pairs of long keys";
const LONG_MIN: usize = 5000;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Arc::new(learner::separator)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Separate) -> Exercise<Separate> {
    let cast: Cast<Separate> = Cast {
        learner,
        stub: Arc::new(stubs::separator::separator),
        solution: Arc::new(right),
    };
    let all = KEYS.iter().flat_map(|&a| KEYS.iter().map(move |&b| (a, b)));
    let mut pairs: Vec<Keys> = PAIRS
        .into_iter()
        .chain(all)
        .map(|(a, b)| (a.to_vec(), b.to_vec()))
        .collect();
    pairs.extend(long_pairs());
    let mut part = PartOf::new("separator", "separator").open().slow(
        LONG,
        "Do you go through the bytes of a key one by one, once for each cut? A key of 20,000 bytes has nearly as many cuts, so that is \
         hundreds of millions of steps. Cut with a slice, `a[..n].to_vec()`, and compare with `compare`: both take all bytes at once. \
         If you try every byte that could follow, or all keys between: raised cuts are enough.",
    );
    for (a, b) in pairs.clone() {
        part = part.probe(
            call(&a, &b),
            Answer::text(format!("{} and {}", quoted(&a), quoted(&b))),
            &classes(&a, &b),
            move |separate: &Separate| separate(&a, &b).show(),
        );
    }
    Exercise::new("separator", "07-comparators", cast)
        .part(part)
        .check(looked_at(
            "in-range",
            "A separator is at or after `a` and before `b`.",
            &pairs,
            out_of_range,
        ))
        .check(looked_at(
            "shorter",
            "A separator is shorter than `a`.",
            &pairs,
            too_long,
        ))
        .check(looked_at(
            "shortest",
            "A separator is as short as the best raised cut of `a`.",
            &pairs,
            not_shortest,
        ))
        .mistakes(mistakes::separator::all())
}

/// Keys that differ far after their start: there alone a raised cut fits.
fn long_pairs() -> impl Iterator<Item = Keys> {
    LENGTHS.into_iter().map(|length| {
        let with = |end: &[u8]| [&vec![b'x'; length], end].concat();
        (with(b"a:1"), with(b"c"))
    })
}

fn call(a: &[u8], b: &[u8]) -> String {
    format!("separator({}, {})", quoted(a), quoted(b))
}

fn classes(a: &[u8], b: &[u8]) -> Vec<&'static str> {
    use crate::solutions::numeric_comparator::split;
    let mut classes = vec![if compare(a, b).is_ge() {
        WRONG_WAY
    } else if split(a).0 == split(b).0 {
        SAME_PREFIX
    } else {
        OTHER_PREFIX
    }];
    if right(a, b).is_none() && compare(a, b).is_lt() {
        classes.push(NONE_FITS);
    }
    if a.len() >= LONG_MIN {
        classes.push(LONG);
    }
    classes
}

type Keys = (Vec<u8>, Vec<u8>);
/// What is wrong with an answer for `a` and `b`, if anything is.
type Wrong = fn(&[u8], &[u8], Option<&[u8]>) -> Option<String>;

/// A check that looks at one answer after the other; what it says of one completes "separator(...) ...".
fn looked_at(
    name: &'static str,
    claim: &'static str,
    pairs: &[Keys],
    wrong: Wrong,
) -> impl FnOnce(&Sheet) -> Check {
    let pairs = pairs.to_vec();
    check::custom("separator", name, claim, move |part, outcomes| {
        let asked = pairs.iter().zip(outcomes).zip(&part.probes);
        asked.into_iter().find_map(|(((a, b), outcome), probe)| {
            let wrong = wrong(a, b, outcome.bytes())?;
            Some(Finding {
                summary: format!("{} {wrong}", probe.call),
                detail: String::new(),
                calls: vec![probe.call.clone()],
            })
        })
    })
}

fn out_of_range(a: &[u8], b: &[u8], answer: Option<&[u8]>) -> Option<String> {
    let found = answer?;
    let shown = quoted(found);
    if compare(a, b).is_ge() {
        return Some(format!(
            "is {shown}, but {} is not before {}",
            quoted(a),
            quoted(b)
        ));
    }
    if compare(found, a).is_lt() {
        return Some(format!("is {shown}, which comes before {}", quoted(a)));
    }
    match compare(found, b) {
        std::cmp::Ordering::Less => None,
        std::cmp::Ordering::Equal => Some(format!("is {shown}, which is `b` itself")),
        std::cmp::Ordering::Greater => Some(format!("is {shown}, which comes after {}", quoted(b))),
    }
}

fn too_long(a: &[u8], _: &[u8], answer: Option<&[u8]>) -> Option<String> {
    let found = answer?;
    (found.len() >= a.len()).then(|| {
        format!(
            "is {}, which has {}, and `a` has {}",
            quoted(found),
            bytes(found.len()),
            a.len()
        )
    })
}

fn bytes(count: usize) -> String {
    match count {
        1 => "one byte".to_owned(),
        _ => format!("{count} bytes"),
    }
}

fn not_shortest(a: &[u8], b: &[u8], answer: Option<&[u8]>) -> Option<String> {
    let best = right(a, b)?;
    match answer {
        None => Some(format!("is None, but {} would do", quoted(&best))),
        Some(found) if found.len() > best.len() => Some(format!(
            "is {}, but {} would do and is shorter",
            quoted(found),
            quoted(&best)
        )),
        Some(_) => None,
    }
}
