//! An order over some seventy keys: every pair both ways, the laws first, then the answers. Pairs of large numbers and of very
//! long keys besides.

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

use kit::answer::quoted;
use kit::check::{Check, Finding};
use kit::exercise::Sheet;
use kit::values::{bit_by_bit, one_bit_changed};
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, Show as _, check};

use crate::solutions::numeric_comparator::{compare as right, split};
use crate::{mistakes, stubs};
use ch07_comparators::numeric_comparator as learner;

/// Somebody's comparator.
pub(crate) type Order = Arc<dyn Fn(&[u8], &[u8]) -> Ordering + Send + Sync>;

/// The keys, the plainest first: a finding names the first pair or triple of them that shows a fault.
const KEYS: [&[u8]; 75] = [
    b"item:1",
    b"item:2",
    b"item:10",
    b"user:1",
    b"user:2",
    b"item:9",
    b"item:",
    b"item:01",
    b"item:0",
    b"a9",
    b"a10",
    b"a1x",
    b"item",
    b"item1",
    b"item:00",
    b"item:002",
    b"a1b2",
    b"a1b10",
    b"7",
    b"10",
    b"",
    b"item:-5",
    b"item:-10",
    b"item:+5",
    b"item:+10",
    b"item:2000000000",
    b"item:3000000000",
    b"item:4294967297",
    b"item:4294967306",
    b"item:9007199254740992",
    b"item:09007199254740993",
    b"item:9223372036854775807",
    b"item:9223372036854775808",
    b"item:18446744073709551615",
    b"item:18446744073709551616",
    b"item:18446744073709551618",
    b"item:99999999999999999999999",
    b"item:100000000000000000000000",
    b"item:1000000000000000000000000000000000000000000001",
    b"item:1000000000000000000000000000000000000000000020",
    b"item:0000000000000000000000002",
    b"\xfe1",
    b"\xff1",
    b"\xfe2",
    b"Item:3",
    b" item:3",
    b"item:3 ",
    b"item:3",
    b"item:3\n",
    // The byte before the digits.
    b"item/2",
    b"item:1_0",
    // A decimal number ends in a fraction: as one, 1.10 comes before 1.5.
    b"item:1.5",
    b"item:1.10",
    b"item\x002",
    b"item\x0010",
    // A digit in Latin-1, and none in ASCII.
    b"item:\xb2",
    // A digit in Unicode, and none in ASCII: the Arabic 3.
    "item:\u{663}".as_bytes(),
    // Within 128 bits, and beyond what digits are often filled up to.
    &long::<36>(b'9'),
    &long::<37>(b'1'),
    // Beyond 128 bits, and not beyond what digits are often filled up to.
    &long::<39>(b'9'),
    &long::<40>(b'1'),
    &long::<50>(b'9'),
    &long::<51>(b'1'),
    &long::<300>(b'2'),
    &long::<301>(b'1'),
    &long::<301>(b'3'),
    // A byte does not hold the count of these digits.
    &long::<255>(b'9'),
    &long::<256>(b'4'),
    &long::<6000>(b'9'),
    &long::<6001>(b'1'),
    &behind::<5001>(*b"x9"),
    &behind::<5002>(*b"10"),
    // Prefixes of one length that differ in their last byte, and numbers that sort the other way round.
    &behind::<10>(*b"a2"),
    &behind::<10>(*b"b1"),
    &behind::<5001>(*b"y1"),
];

/// Keys of more bytes than 8 bits count, or 16. They are not among [`KEYS`]: put to all others and in triples they
/// would take too long.
const LONGEST: [(&[u8], &[u8]); 10] = [
    // Whoever looks at many digits and not at all finds these numbers equal. By their bytes they are the other way round.
    (&apart::<5000>(0, b'1'), &apart::<5001>(1, b'2')),
    (b"7", &long::<65_537>(b'1')),
    (b"7", &long::<65_536>(b'1')),
    (b"0x1", &long::<65_537>(b'1')),
    // Here the zeros in front are so many.
    (b"1", &zeros::<300>(b'2')),
    (b"10", &zeros::<300>(b'2')),
    (b"1", &zeros::<65_538>(b'2')),
    (b"10", &zeros::<65_538>(b'2')),
    // And here it is the prefix that is so long. The longer key of the second pair has the smaller number.
    (b"7", &behind::<65_537>(*b"x2")),
    (&behind::<65_538>(*b"01"), &behind::<65_537>(*b"x2")),
];

/// Pairs of large numbers that differ in one bit. The greater one has a zero in front, so that the bytes of the keys are in the
/// other order: whatever becomes of the bit shows.
static BITS: LazyLock<Vec<[String; 2]>> = LazyLock::new(|| {
    let numbers = bit_by_bit(u64::MAX);
    let mut pairs = Vec::new();
    for &less in &numbers {
        let greater = one_bit_changed(less).filter(|n| *n > less && numbers.contains(n));
        pairs.extend(greater.map(|n| [format!("item:{less}"), format!("item:0{n}")]));
    }
    pairs
});

/// Pairs with each byte within their prefixes. What follows it decides, and the numbers are the other way round.
static BYTES: LazyLock<Vec<[[u8; 4]; 2]>> = LazyLock::new(|| {
    let bytes = (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit());
    bytes
        .map(|byte| [[b'a', byte, b'x', b'2'], [b'a', byte, b'y', b'1']])
        .collect()
});

/// A number of so many digits, longer than any that somebody pads to: zeros after a first digit.
const fn long<const DIGITS: usize>(first: u8) -> [u8; DIGITS] {
    let mut key = [b'0'; DIGITS];
    key[0] = first;
    key
}

/// A key of so many bytes: some zeros, a number that begins with 1, and its last digit.
const fn apart<const LENGTH: usize>(in_front: usize, last: u8) -> [u8; LENGTH] {
    let mut key = zeros(last);
    key[in_front] = b'1';
    key
}

/// A number of so many digits that are zeros, but for the last.
const fn zeros<const DIGITS: usize>(last: u8) -> [u8; DIGITS] {
    let mut key = [b'0'; DIGITS];
    key[DIGITS - 1] = last;
    key
}

/// A key of so many bytes that ends like this, after nothing but `x`.
const fn behind<const LENGTH: usize>(end: [u8; 2]) -> [u8; LENGTH] {
    let mut key = [b'x'; LENGTH];
    [key[LENGTH - 2], key[LENGTH - 1]] = end;
    key
}

const SAME_PREFIX: &str = "pairs with one prefix and different numbers";
const OTHER_PREFIX: &str = "pairs with different prefixes";
const ZEROS: &str = "pairs that differ in zeros in front of the number";
const ITSELF: &str = "keys compared with themselves";
const NO_NUMBER: &str = "pairs in which a key has no number";
const BEYOND_U32: &str = "pairs whose greater number needs 33 to 64 bits";
const BEYOND_U64: &str = "pairs in which a number needs more than 64 bits";
const NOT_TEXT: &str = "pairs in which a key is not text";

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Arc::new(learner::compare)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Order) -> Exercise<Order> {
    let cast: Cast<Order> = Cast {
        learner,
        stub: Arc::new(stubs::numeric_comparator::compare),
        solution: Arc::new(right),
    };
    let mut part = PartOf::new("compare", "answer");
    for (n, &later) in KEYS.iter().enumerate() {
        for &earlier in &KEYS[..n] {
            part = probe(part, earlier, later);
            part = probe(part, later, earlier);
        }
        part = probe(part, later, later);
    }
    let bits = BITS.iter().map(|[a, b]| (a.as_bytes(), b.as_bytes()));
    let bytes = BYTES.iter().map(|[a, b]| (&a[..], &b[..]));
    for (earlier, later) in bits.chain(LONGEST).chain(bytes) {
        part = probe(part, earlier, later);
        part = probe(part, later, earlier);
    }
    Exercise::new("numeric-comparator", "07-comparators", cast)
        .part(part)
        .check(law("itself", "A key equals itself.", itself))
        .check(law(
            "opposite",
            "Asked the other way round, a comparator gives the opposite answer.",
            opposite,
        ))
        .check(law(
            "distinct",
            "Different keys never compare equal.",
            distinct,
        ))
        .check(law(
            "transitive",
            "If a comes before b and b before c, then a comes before c.",
            transitive,
        ))
        .check(check::answers(
            "compare",
            "order",
            "The prefix as bytes, then the number, then the whole key as bytes.",
        ))
        .mistakes(mistakes::numeric_comparator::all())
}

fn call(a: &[u8], b: &[u8]) -> String {
    format!("compare({}, {})", quoted(a), quoted(b))
}

fn probe(part: PartOf<Order>, a: &'static [u8], b: &'static [u8]) -> PartOf<Order> {
    part.probe(
        call(a, b),
        Answer::text(format!("{} and {}", quoted(a), quoted(b))),
        &classes(a, b),
        move |order: &Order| order(a, b).show(),
    )
}

fn classes(a: &[u8], b: &[u8]) -> Vec<&'static str> {
    let ((a_prefix, a_digits), (b_prefix, b_digits)) = (split(a), split(b));
    let value = |digits: &[u8]| {
        let text = String::from_utf8_lossy(digits).into_owned();
        text.trim_start_matches('0').to_owned()
    };
    let (x, y) = (value(a_digits), value(b_digits));
    // No text is 0; what does not even fit here is beyond both limits.
    let number = |digits: &str| match digits {
        "" => 0,
        digits => digits.parse::<u128>().unwrap_or(u128::MAX),
    };
    let any = |holds: &dyn Fn(u128) -> bool| holds(number(&x)) || holds(number(&y));
    let no_number = a_digits.is_empty() || b_digits.is_empty();
    let mut classes = vec![if a == b {
        ITSELF
    } else if a_prefix != b_prefix {
        OTHER_PREFIX
    } else if x == y && !no_number {
        ZEROS
    } else {
        SAME_PREFIX
    }];
    if no_number && a != b {
        classes.push(NO_NUMBER);
    }
    if any(&|n| n > u128::from(u64::MAX)) {
        classes.push(BEYOND_U64);
    } else if any(&|n| n > u128::from(u32::MAX)) {
        classes.push(BEYOND_U32);
    }
    if [a, b].iter().any(|key| str::from_utf8(key).is_err()) {
        classes.push(NOT_TEXT);
    }
    classes
}

/// The answers, by the places of the two keys.
struct Answers(Vec<Vec<Option<Ordering>>>);

impl Answers {
    /// The probes come pair by pair, both ways, and then the key with itself.
    fn new(outcomes: &[Outcome]) -> Self {
        let ordering = |at: usize| match outcomes.get(at)?.answer()?.text.as_str() {
            "Less" => Some(Ordering::Less),
            "Equal" => Some(Ordering::Equal),
            "Greater" => Some(Ordering::Greater),
            _ => None,
        };
        let place = |a: usize, b: usize| match a.cmp(&b) {
            Ordering::Less => b * b + 2 * a,
            Ordering::Greater => a * a + 2 * b + 1,
            Ordering::Equal => a * a + 2 * a,
        };
        let row = |a| (0..KEYS.len()).map(|b| ordering(place(a, b))).collect();
        Self((0..KEYS.len()).map(row).collect())
    }

    fn less(&self, a: usize, b: usize) -> bool {
        self.0[a][b] == Some(Ordering::Less)
    }
}

/// A check of a law: what it finds are the places of one, two or three keys.
fn law(
    name: &'static str,
    claim: &'static str,
    broken: fn(&Answers) -> Option<Vec<usize>>,
) -> impl FnOnce(&Sheet) -> Check {
    check::custom("compare", name, claim, move |_, outcomes| {
        let answers = Answers::new(outcomes);
        let places = broken(&answers)?;
        let said = |a: usize, b: usize| {
            let answer = answers.0[a][b].map_or_else(|| "?".to_owned(), |o| format!("{o:?}"));
            format!("{} is {answer}", call(KEYS[a], KEYS[b]))
        };
        let pairs: Vec<(usize, usize)> = match places[..] {
            [a] => vec![(a, a)],
            [a, b] => vec![(a, b), (b, a)],
            [a, b, c] => vec![(a, b), (b, c), (c, a)],
            _ => Vec::new(),
        };
        let lines: Vec<String> = pairs.iter().map(|&(a, b)| said(a, b)).collect();
        let summary = match &lines[..] {
            [only] => only.clone(),
            [front @ .., last] => format!("{}, and {last}", front.join(", ")),
            [] => String::new(),
        };
        Some(Finding {
            summary,
            detail: String::new(),
            calls: pairs.iter().map(|&(a, b)| call(KEYS[a], KEYS[b])).collect(),
        })
    })
}

fn itself(answers: &Answers) -> Option<Vec<usize>> {
    let unequal = |&a: &usize| answers.0[a][a] != Some(Ordering::Equal);
    (0..KEYS.len()).find(unequal).map(|a| vec![a])
}

/// All pairs, those of the plainest keys first.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..KEYS.len()).flat_map(|b| (0..b).map(move |a| (a, b)))
}

fn opposite(answers: &Answers) -> Option<Vec<usize>> {
    let same_way = |&(a, b): &(usize, usize)| {
        let back = answers.0[b][a].map(Ordering::reverse);
        answers.0[a][b] != back
    };
    pairs().find(same_way).map(|(a, b)| vec![a, b])
}

fn distinct(answers: &Answers) -> Option<Vec<usize>> {
    let equal = |&(a, b): &(usize, usize)| answers.0[a][b] == Some(Ordering::Equal);
    pairs().find(equal).map(|(a, b)| vec![a, b])
}

fn transitive(answers: &Answers) -> Option<Vec<usize>> {
    // The laws before this one hold, so three keys that do not sort go in a circle, one way or the other.
    (0..KEYS.len()).find_map(|last| {
        let pair = (0..last).flat_map(|b| (0..b).map(move |a| (a, b)));
        pair.into_iter().find_map(|(a, b)| {
            let circle = |a, b, c| answers.less(a, b) && answers.less(b, c) && answers.less(c, a);
            if circle(a, b, last) {
                Some(vec![a, b, last])
            } else {
                circle(b, a, last).then(|| vec![b, a, last])
            }
        })
    })
}
