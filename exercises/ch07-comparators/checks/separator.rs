//! Separators for every pair of some twenty keys, and for long ones: in range, shorter, and as short as the best raised cut.

use std::sync::Arc;

use kit::answer::quoted;
use kit::check::{Check, Finding};
use kit::exercise::{Part, Sheet};
use kit::values::LENGTHS;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, Show as _, check};

use crate::solutions::separator::{compare, separator as right};
use crate::{mistakes, stubs};
use ch07_comparators::separator as learner;

/// Somebody's `separator`.
pub(crate) type Separate = Arc<dyn Fn(&[u8], &[u8]) -> Option<Vec<u8>> + Send + Sync>;

/// Pairs that show one thing each, the plainest first; then all pairs of `KEYS`.
const PAIRS: [(&[u8], &[u8]); 20] = [
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
    // One prefix, and a raised cut with the same number.
    (b"item:001", b"item:5"),
    // The bytes ascend, and the prefixes do not.
    (b"a!55", b"a9"),
    // A capital is not its small letter, a space is a byte, and a zero is no end.
    (b"ABC:1", b"ABD"),
    (b" item:1", b" item;x"),
    (b"item\0:1", b"item\0;x"),
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
    let pairs = pairs();
    let mut part = PartOf::new("separator", "separator").open().says(what_it_gives).slow(
        LONG,
        "Do you go through the bytes of a key one by one, once for each cut? A key of 5,000 bytes has nearly as many cuts, so that is \
         millions of steps. Cut with a slice, `a[..n].to_vec()`, and compare with `compare`: both take all bytes at once. \
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

/// All pairs that are asked for.
fn pairs() -> Vec<Keys> {
    let all = KEYS.iter().flat_map(|&a| KEYS.iter().map(move |&b| (a, b)));
    PAIRS
        .into_iter()
        .chain(all)
        .map(|(a, b)| (a.to_vec(), b.to_vec()))
        .chain(long_pairs())
        .collect()
}

/// Keys that differ far after their start: there alone a raised cut fits. In the last pair none does, but for `a` raised itself.
fn long_pairs() -> impl Iterator<Item = Keys> {
    let with = |length, end: &[u8]| [&vec![b'x'; length], end].concat();
    // Somebody may try each byte at each place, which is right: of the longest keys that would take minutes.
    let lengths = LENGTHS.into_iter().filter(|length| *length <= LONG_MIN);
    let pairs = lengths.map(move |length| (with(length, b"a:1"), with(length, b"c")));
    let none = (with(300, b":1"), with(300, b":3"));
    pairs.chain([none])
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

/// What kind of answer it is for a pair with `a` before `b`; nothing for a right one.
fn kind(a: &[u8], b: &[u8], answer: Option<&[u8]>) -> Option<&'static str> {
    let Some(found) = answer else {
        return right(a, b).map(|_| "`None`, though a raised cut fits");
    };
    if compare(found, a).is_lt() {
        Some("a key before `a`")
    } else if compare(found, b).is_ge() {
        Some("a key that is not before `b`")
    } else if found.len() >= a.len() {
        Some("a key that is no shorter than `a`")
    } else {
        not_shortest(a, b, answer).map(|_| "a longer key than the best raised cut")
    }
}

/// How often it gives which kind of wrong answer; then what the keys are that it gives, and the cuts that it misses.
fn what_it_gives(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let pairs = pairs();
    let asked: Vec<Asked<'_>> = pairs
        .iter()
        .zip(outcomes)
        .zip(&part.probes)
        .filter(|((_, outcome), _)| outcome.answer().is_some())
        .map(|(((a, b), outcome), probe)| (&a[..], &b[..], outcome.bytes(), &probe.call[..]))
        .collect();
    let mut said = Vec::new();
    let (ascending, others): (Vec<_>, Vec<_>) = asked
        .into_iter()
        .partition(|(a, b, ..)| compare(a, b).is_lt());
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for &(a, b, answer, call) in &ascending {
        let Some(kind) = kind(a, b, answer) else {
            continue;
        };
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, calls)) => calls.push(call),
            None => kinds.push((kind, vec![call])),
        }
    }
    for (kind, calls) in &kinds {
        let (count, all) = (calls.len(), ascending.len());
        said.push(format!(
            "It gives {kind}, on {count} of {all} pairs with `a` before `b`, the first {}.",
            calls[0]
        ));
    }
    let answered = others.iter().filter(|(_, _, answer, _)| answer.is_some());
    if let Some((.., call)) = answered.clone().next() {
        let (count, all) = (answered.count(), others.len());
        said.push(format!(
            "It gives a key, on {count} of {all} pairs with `a` not before `b`, the first {call}."
        ));
    }
    let given: Vec<_> = ascending
        .iter()
        .filter_map(|&(a, b, answer, _)| Some((a, b, answer?)))
        .collect();
    let whole: [(&str, Of); 3] = [
        ("a beginning of `a`, not raised", |a, _, key| {
            a.starts_with(key)
        }),
        ("a beginning of `b`", |_, b, key| b.starts_with(key)),
        ("a raised cut of `a`", raised_cut),
    ];
    if !given.is_empty() {
        let fits = whole
            .iter()
            .find(|(_, is)| given.iter().all(|(a, b, key)| is(a, b, key)));
        said.extend(fits.map(|(what, _)| {
            format!("Where `a` is before `b`, every key that it gives is {what}.")
        }));
    }
    said.extend(missed(&ascending));
    said
}

/// Whether a key is a beginning of `a` with one added to its last byte.
fn raised_cut(a: &[u8], _: &[u8], key: &[u8]) -> bool {
    key.split_last().is_some_and(|(last, front)| {
        a.starts_with(front) && a.get(front.len()).copied() == last.checked_sub(1)
    })
}

/// A pair, the answer and the call.
type Asked<'a> = (&'a [u8], &'a [u8], Option<&'a [u8]>, &'a str);
/// Something that may be true of the best raised cut of a pair.
type Of = fn(&[u8], &[u8], &[u8]) -> bool;

/// What the cuts have in common that it misses, and none of those that it finds.
fn missed(asked: &[Asked<'_>]) -> Option<String> {
    let with_cut = asked.iter().filter_map(|&(a, b, answer, _)| {
        let best = right(a, b)?;
        let found = answer.is_some_and(|key| key.len() <= best.len());
        Some((a, b, best, found))
    });
    let (found, missed): (Vec<_>, Vec<_>) = with_cut.partition(|(.., found)| *found);
    let ways: [(&str, Of); 7] = [
        ("are as long as `b` or longer", |_, b, cut| {
            cut.len() >= b.len()
        }),
        ("end before the first byte that differs", |a, b, cut| {
            cut.len() <= shared(a, b)
        }),
        ("end at the first byte that differs", |a, b, cut| {
            cut.len() == shared(a, b) + 1
        }),
        ("end after the first byte that differs", |a, b, cut| {
            cut.len() > shared(a, b) + 1
        }),
        ("raise a digit", |_, _, cut| before(cut).is_ascii_digit()),
        (
            "raise a byte that is no letter and no digit",
            |_, _, cut| !before(cut).is_ascii_alphanumeric(),
        ),
        ("raise a byte from 7f on", |_, _, cut| before(cut) >= 0x7f),
    ];
    let parts = |is: &Of| {
        missed.iter().all(|(a, b, cut, _)| is(a, b, cut))
            && !found.iter().any(|(a, b, cut, _)| is(a, b, cut))
    };
    let (how, _) = ways
        .iter()
        .find(|(_, is)| !missed.is_empty() && parts(is))?;
    Some(format!(
        "The cuts that it misses are those that {how}, and no others."
    ))
}

/// How many bytes two keys share at their beginning.
fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// The byte that was raised at the end of a cut.
fn before(cut: &[u8]) -> u8 {
    cut.last().map_or(0, |last| last.wrapping_sub(1))
}
