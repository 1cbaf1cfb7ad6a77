//! Numbers of points and points of numbers. The task fixes every bit.

use std::sync::Arc;

use kit::exercise::Part;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch09_two_dimensions::interleave as learner;

type Encode = Arc<dyn Fn(u32, u32) -> u64 + Send + Sync>;
type Decode = Arc<dyn Fn(u64) -> (u32, u32) + Send + Sync>;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Curve {
    pub(crate) interleave: Encode,
    pub(crate) deinterleave: Decode,
}

impl Curve {
    pub(crate) fn new(
        interleave: impl Fn(u32, u32) -> u64 + Send + Sync + 'static,
        deinterleave: impl Fn(u64) -> (u32, u32) + Send + Sync + 'static,
    ) -> Self {
        Self {
            interleave: Arc::new(interleave),
            deinterleave: Arc::new(deinterleave),
        }
    }
}

/// Coordinates, the plainest first. Every pair of them is tried.
const COORDINATES: [u32; 22] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    10,
    100,
    255,
    256,
    1234,
    0x8000,
    0xffff,
    0x1_0000,
    0x1_2345,
    0x3ff_ffff,
    0x400_0000,
    0x5a5a_a5a5,
    0x7fff_ffff,
    0x8000_0000,
    u32::MAX,
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Curve::new(
        learner::interleave,
        learner::deinterleave,
    )))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Curve) -> Exercise<Curve> {
    use solutions::interleave::{deinterleave, interleave};
    let cast = Cast {
        learner,
        stub: Curve::new(
            stubs::interleave::interleave,
            stubs::interleave::deinterleave,
        ),
        solution: Curve::new(interleave, deinterleave),
    };
    let mut encode = PartOf::new("interleave", "number").says(single_bits);
    let mut decode = PartOf::new("deinterleave", "point").says(single_bits_back);
    let mut own = PartOf::new("deinterleave", "point");
    let mut pairs: Vec<(u32, u32)> = COORDINATES
        .iter()
        .flat_map(|&x| COORDINATES.map(|y| (x, y)))
        .collect();
    pairs.sort_by_key(|&(x, y)| (x.max(y), x.min(y), x));
    for (x, y) in pairs {
        let class = classes(x, y);
        let call = format!("interleave({}, {})", show(x), show(y));
        encode = encode.probe(
            call.clone(),
            Answer::text(call.clone()),
            &class,
            move |c: &Curve| {
                let number = (c.interleave)(x, y);
                Answer {
                    text: if number < 4096 {
                        number.to_string()
                    } else {
                        format!("{number:#x}")
                    },
                    ..number.show()
                }
            },
        );
        let number = interleave(x, y);
        let asked = format!("deinterleave({number:#x})");
        decode = decode.probe(
            asked.clone(),
            Answer::text(asked),
            &class,
            move |c: &Curve| point((c.deinterleave)(number)),
        );
        let asked = format!("deinterleave({call})");
        own = own
            .probe(
                asked.clone(),
                Answer::text(asked),
                &class,
                move |c: &Curve| point((c.deinterleave)((c.interleave)(x, y))),
            )
            .expect(point((x, y)));
    }
    Exercise::new("interleave", "09-two-dimensions", cast)
        .part(encode)
        .decoder(decode, own)
        .check(check::answers(
            "interleave",
            "number",
            "The bits of x and of y take turns, the highest ones first, x before y.",
        ))
        .check(check::answers(
            "deinterleave",
            "round-trip",
            "A right number gives its point back.",
        ))
        .mistakes(mistakes::interleave::all())
}

/// So many bits that go astray are told.
const TOLD_MAX: usize = 3;

/// Which bits of the number are set by a single bit of a coordinate, where it is another one than it should be.
fn single_bits(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let bits = |number: u64| -> Vec<String> {
        let set = (0..64).filter(|bit| number >> bit & 1 == 1);
        set.map(|bit: u32| bit.to_string()).collect()
    };
    let number = |bytes: &[u8]| Some(u64::from_be_bytes(bytes.try_into().ok()?));
    let astray = part.probes.iter().zip(outcomes).filter_map(|(probe, outcome)| {
        let right = number(probe.expected.as_ref()?.bytes.as_deref()?)?;
        let given = number(outcome.bytes()?)?;
        if right.count_ones() != 1 || given == right {
            return None;
        }
        let place = right.trailing_zeros();
        let axis = if place % 2 == 1 { 'x' } else { 'y' };
        let set = match bits(given).as_slice() {
            [] => "no bit".to_owned(),
            [one] => format!("bit {one}"),
            several => format!("the bits {}", several.join(", ")),
        };
        let call = &probe.call;
        Some(format!(
            "Bit {} of {axis} belongs to bit {place} of the number, and here it sets {set}: {call}.",
            place / 2
        ))
    });
    astray.take(TOLD_MAX).collect()
}

/// Which points come from numbers of a single bit, where they are others than they should be.
fn single_bits_back(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let asked = part.probes.iter().zip(outcomes);
    let astray = asked.filter_map(|(probe, outcome)| {
        let digits = probe.call.split_once("(0x")?.1.strip_suffix(')')?;
        let number = u64::from_str_radix(digits, 16).ok()?;
        let (right, given) = (probe.expected.as_ref()?, outcome.answer()?);
        if number.count_ones() != 1 || given == right {
            return None;
        }
        let place = number.trailing_zeros();
        let axis = if place % 2 == 1 { 'x' } else { 'y' };
        let (call, given) = (&probe.call, &given.text);
        Some(format!(
            "Bit {place} of the number is bit {} of {axis}, and here it gives {given}: {call}.",
            place / 2
        ))
    });
    astray.take(TOLD_MAX).collect()
}

fn show(coordinate: u32) -> String {
    if coordinate < 4096 {
        coordinate.to_string()
    } else {
        format!("{coordinate:#x}")
    }
}

fn point((x, y): (u32, u32)) -> Answer {
    Answer::text(format!("({}, {})", show(x), show(y)))
}

fn classes(x: u32, y: u32) -> Vec<&'static str> {
    let most = x.max(y);
    let mut classes = vec![match most {
        0..=7 => "points with coordinates below 8",
        8..=0xffff => "points with coordinates of 4 to 16 bits",
        0x1_0000..=0x3ff_ffff => "points with coordinates of 17 to 26 bits",
        _ => "points with coordinates of 27 to 32 bits",
    }];
    if x == y {
        classes.push("points with equal coordinates");
    } else if x == 0 {
        classes.push("points with x = 0");
    } else if y == 0 {
        classes.push("points with y = 0");
    }
    classes
}
