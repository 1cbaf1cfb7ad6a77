//! What a double has room for: numbers, so the answers say all.

use kit::{Cast, Exercise, Judged, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch08_many_dimensions::lost_bits as learner;

/// Somebody's two functions.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) largest_top: fn(u32) -> u64,
    pub(crate) lost_bits: fn(u64) -> u32,
}

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Limits {
        largest_top: learner::largest_top,
        lost_bits: learner::lost_bits,
    }))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Limits) -> Exercise<Limits> {
    let cast = Cast {
        learner,
        stub: Limits {
            largest_top: stubs::lost_bits::largest_top,
            lost_bits: stubs::lost_bits::lost_bits,
        },
        solution: Limits {
            largest_top: solutions::lost_bits::largest_top,
            lost_bits: solutions::lost_bits::lost_bits,
        },
    };
    Exercise::new("lost-bits", "08-many-dimensions", cast)
        .part(tops())
        .part(sizes())
        .check(check::answers(
            "largest_top",
            "limit",
            "Up to this top field no score shares its double with another integer, and with the next one some does.",
        ))
        .check(check::answers(
            "lost_bits",
            "size",
            "A double has room for 53 bits, counted from the first 1.",
        ))
        .mistakes(mistakes::lost_bits::all())
}

fn tops() -> PartOf<Limits> {
    let mut part = PartOf::new("largest_top", "number");
    let others = (0..=53).filter(|bits| *bits != 30);
    for bits in [30].into_iter().chain(others) {
        let class = match bits {
            0 => "layouts of one field",
            53 => "layouts without room for a top field",
            _ => "layouts of two fields",
        };
        part = part.probe(
            format!("largest_top({bits})"),
            bits.show(),
            &[class],
            move |limits: &Limits| (limits.largest_top)(bits).show(),
        );
    }
    part
}

fn sizes() -> PartOf<Limits> {
    let mut part = PartOf::new("lost_bits", "number");
    let mut scores = vec![
        8_388_607 << 30,
        8_388_608 << 30,
        16_777_216 << 30,
        215_575_307_891,
        0,
        1,
    ];
    for bits in 51..64 {
        let power: u64 = 1 << bits;
        scores.extend([
            power - 1,
            power,
            power + 1,
            power | power >> 1,
            power | power >> 20,
            // Neighbours of this size are far apart, and this one is not beside one of them.
            power | 0b101,
            // Even, with few zeros at the end.
            power | 0b110,
            // Halved and rounded up it becomes the power. As a double it stays below it, where four divides neighbours.
            power - 3,
        ]);
    }
    scores.push(u64::MAX);
    for score in scores {
        let class = match score {
            ..0x20_0000_0000_0000 => "numbers below 2^53",
            _ if score.is_power_of_two() => "powers of two from 2^53 on",
            _ if score % 2 == 0 => "other even numbers above 2^53",
            _ => "odd numbers above 2^53",
        };
        let classes = if score > i64::MAX.cast_unsigned() {
            vec![class, "numbers from 2^63 on"]
        } else {
            vec![class]
        };
        part = part.probe(
            format!("lost_bits({score})"),
            score.show(),
            &classes,
            move |limits: &Limits| (limits.lost_bits)(score).show(),
        );
    }
    part
}
