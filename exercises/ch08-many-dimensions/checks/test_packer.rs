//! Tests of packed scores, tried on right packers and on wrong ones.

use kit::tester::{Written, watch};
use kit::{Answer, Candidates, Cast, Exercise, Judged, Show, Tester, Wrong};

use crate::stubs::test_packer::{END, FIRST};
use crate::{mistakes, solutions, stubs};
use ch08_many_dimensions::test_packer as learner;

type Fields = (u64, bool, u64);

/// Somebody's pair of functions.
#[derive(Clone, Copy)]
pub(crate) struct Packer {
    pub(crate) pack: fn(u64, bool, u64) -> Option<f64>,
    pub(crate) unpack: fn(f64) -> Fields,
}

const GEMS_MAX: u64 = 8_388_607;
const TIME_MASK: u64 = (1 << 29) - 1;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(tester(|pack, unpack| {
        learner::test(pack, unpack);
    })))
}

/// A function of the learner's type, as a tester.
pub(crate) fn tester(
    test: impl Fn(&dyn Fn(u64, bool, u64) -> Option<f64>, &dyn Fn(f64) -> Fields)
    + Send
    + Sync
    + 'static,
) -> Tester<Packer> {
    Tester::new(move |packer: &Packer| {
        let written = Written::default();
        let pack = |gems: u64, paid: bool, second: u64| {
            let call = move || format!("pack({gems}, {paid}, {second})");
            let score = watch(call, || (packer.pack)(gems, paid, second), Show::show);
            if let Some(score) = score {
                written.remember(&score.to_be_bytes());
            }
            score
        };
        let unpack = |score: f64| {
            let call = move || format!("unpack({score:?})");
            let shown = |fields: &Fields| Answer::text(format!("{fields:?}"));
            let run = || {
                written.expect(&score.to_be_bytes(), "unpack", "pack");
                (packer.unpack)(score)
            };
            watch(call, run, shown)
        };
        test(&pack, &unpack);
    })
}

/// The exercise with anybody's test in the learner's place.
pub(crate) fn exercise_of(learner: Tester<Packer>) -> Exercise<Tester<Packer>> {
    let cast = Cast {
        learner,
        stub: tester(|pack, unpack| stubs::test_packer::test(pack, unpack)),
        solution: tester(|pack, unpack| solutions::test_packer::test(pack, unpack)),
    };
    Exercise::new("test-packer", "08-many-dimensions", cast)
        .tester("test", |test| test, candidates())
        .mistakes(mistakes::test_packer::all())
}

fn candidates() -> Candidates<Packer> {
    let mut all = Candidates::new("packer")
        .right(
            "bits_of_an_integer",
            "It packs 23 bits of gems, one of paid and 29 of time into an integer.",
            RIGHT,
        )
        .right(
            "below_zero",
            "It packs the same bits and subtracts 2^52, so that half of the scores are negative.",
            Packer {
                pack: |gems, paid, second| Some((RIGHT.pack)(gems, paid, second)? - MIDDLE),
                unpack: |score| (RIGHT.unpack)(score + MIDDLE),
            },
        )
        .right(
            "binary_fraction",
            "It packs the same bits and divides by 2^30: the gems come before the point, the rest is a binary \
             fraction.",
            Packer {
                pack: |gems, paid, second| Some((RIGHT.pack)(gems, paid, second)? / UNIT),
                unpack: |score| (RIGHT.unpack)(score * UNIT),
            },
        );
    for wrong in wrong_orders()
        .into_iter()
        .chain(wrong_sizes())
        .chain(wrong_limits())
        .chain(wrong_by_one())
        .chain(wrong_fields())
    {
        all = all.wrong(wrong);
    }
    all
}

/// 2^52.
const MIDDLE: f64 = 4_503_599_627_370_496.0;
/// 2^30: one gem.
const UNIT: f64 = 1_073_741_824.0;

const RIGHT: Packer = Packer {
    pack: |gems, paid, second| {
        let time = fitting(gems, second)?;
        Some(double(gems << 30 | u64::from(paid) << 29 | time))
    },
    unpack: |score| fields(integer(score)),
};

/// The time field, if gems and second fit.
fn fitting(gems: u64, second: u64) -> Option<u64> {
    let time = END.checked_sub(second)?;
    (gems <= GEMS_MAX && second >= FIRST).then_some(time)
}

fn fields(score: u64) -> Fields {
    (score >> 30, score >> 29 & 1 == 1, END - (score & TIME_MASK))
}

#[expect(clippy::cast_precision_loss, reason = "a score is a double")]
fn double(score: u64) -> f64 {
    score as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole numbers, and what a wrong one becomes is wrong"
)]
fn integer(score: f64) -> u64 {
    score as u64
}

/// Whether the first player is packed below the second.
fn below(packer: &Packer, worse: Fields, better: Fields) -> bool {
    let score = |(gems, paid, second): Fields| (packer.pack)(gems, paid, second);
    matches!((score(worse), score(better)), (Some(a), Some(b)) if a < b)
}

fn returns(packer: &Packer, player: Fields) -> bool {
    let score = (packer.pack)(player.0, player.1, player.2);
    score.is_some_and(|score| (packer.unpack)(score) == player)
}

fn refuses(packer: &Packer, (gems, paid, second): Fields) -> bool {
    (packer.pack)(gems, paid, second).is_none()
}

const NOON: u64 = 1_571_819_021;

fn wrong_orders() -> Vec<Wrong<Packer>> {
    vec![
        Wrong::new(
            "time_not_reversed",
            Packer {
                pack: |gems, paid, second| {
                    fitting(gems, second)?;
                    Some(double(
                        gems << 30 | u64::from(paid) << 29 | (second - FIRST),
                    ))
                },
                unpack: |score| {
                    let (gems, paid, second) = fields(integer(score));
                    (gems, paid, END - second + FIRST)
                },
            },
        )
        .says("Its time field grows with the time.")
        .shows("between two players who differ in the second alone", |p| {
            below(p, (200, true, NOON), (200, true, NOON - 9020))
        }),
        Wrong::new(
            "paid_inverted",
            Packer {
                pack: |gems, paid, second| (RIGHT.pack)(gems, !paid, second),
                unpack: |score| {
                    let (gems, paid, second) = (RIGHT.unpack)(score);
                    (gems, !paid, second)
                },
            },
        )
        .says("It writes 0 for players who paid, and reads it back as it was written.")
        .shows("between two players of whom one has paid", |p| {
            below(p, (200, false, NOON), (200, true, NOON))
        }),
        Wrong::new(
            "paid_above_gems",
            Packer {
                pack: |gems, paid, second| {
                    let time = fitting(gems, second)?;
                    Some(double(u64::from(paid) << 52 | gems << 29 | time))
                },
                unpack: |score| {
                    let score = integer(score);
                    let gems = score >> 29 & GEMS_MAX;
                    (gems, score >> 52 == 1, END - (score & TIME_MASK))
                },
            },
        )
        .says("Its first field is paid, and the gems come second.")
        .shows("where the player with fewer gems has paid", |p| {
            below(p, (200, true, NOON), (201, false, NOON))
        }),
        Wrong::new(
            "time_above_paid",
            Packer {
                pack: |gems, paid, second| {
                    let time = fitting(gems, second)?;
                    Some(double(gems << 30 | time << 1 | u64::from(paid)))
                },
                unpack: |score| {
                    let score = integer(score);
                    let time = score >> 1 & TIME_MASK;
                    (score >> 30, score & 1 == 1, END - time)
                },
            },
        )
        .says("Its second field is the time, and paid comes last.")
        .shows("where the player who did not pay came earlier", |p| {
            below(p, (200, false, NOON - 9020), (200, true, NOON))
        }),
    ]
}

fn wrong_sizes() -> Vec<Wrong<Packer>> {
    vec![
        Wrong::new(
            "gems_shifted_by_29",
            Packer {
                pack: |gems, paid, second| {
                    let time = fitting(gems, second)?;
                    Some(double((gems << 29) + (u64::from(paid) << 29) + time))
                },
                unpack: |score| {
                    let score = integer(score);
                    (score >> 29, false, END - (score & TIME_MASK))
                },
            },
        )
        .says("It lays gems and paid over each other: a paid player has a gem more.")
        .shows(
            "between a paid player and one with a gem more who came at the same second",
            |p| below(p, (200, true, NOON), (201, false, NOON)),
        ),
        Wrong::new(
            "decimal_fraction",
            Packer {
                pack: |gems, paid, second| {
                    let time = fitting(gems, second)?;
                    format!("{gems}.{}{time:09}", u8::from(paid)).parse().ok()
                },
                unpack: |score| {
                    let text = format!("{score:.10}");
                    let (gems, rest) = text.split_once('.').unwrap_or((&text, "0000000000"));
                    let number = |digits: &str| digits.parse().unwrap_or(0);
                    let time: u64 = number(&rest[1..]);
                    (
                        number(gems),
                        rest.starts_with('1'),
                        END - time.min(TIME_MASK),
                    )
                },
            },
        )
        .says("It writes the gems, a point, and ten digits for paid and the time.")
        .shows(
            "between neighbouring seconds, when there are many gems",
            |p| {
                (0..8).all(|s| {
                    below(
                        p,
                        (GEMS_MAX, true, NOON + s + 1),
                        (GEMS_MAX, true, NOON + s),
                    )
                })
            },
        ),
        Wrong::new(
            "bits_kept_free",
            Packer {
                pack: |gems, paid, second| {
                    let time = fitting(gems, second)?;
                    Some(double(gems << 33 | u64::from(paid) << 29 | time))
                },
                unpack: |score| {
                    let score = integer(score);
                    let (_, paid, second) = fields(score);
                    (score >> 33, paid, second)
                },
            },
        )
        .says("It keeps three bits free between gems and paid, for later: 56 bits in all.")
        .shows(
            "between neighbouring seconds, when the gems are near their greatest number",
            |p| {
                (0..8).all(|s| {
                    below(
                        p,
                        (GEMS_MAX, true, NOON + s + 1),
                        (GEMS_MAX, true, NOON + s),
                    ) && returns(p, (GEMS_MAX, true, NOON + s))
                })
            },
        ),
        Wrong::new(
            "minutes",
            Packer {
                pack: |gems, paid, second| {
                    (RIGHT.pack)(gems, paid, second / 60 * 60).or_else(|| {
                        // The first minute begins before the first second.
                        (RIGHT.pack)(gems, paid, second)
                    })
                },
                unpack: RIGHT.unpack,
            },
        )
        .says("It counts the time in minutes.")
        .shows("between two seconds of one minute", |p| {
            below(p, (200, true, NOON + 1), (200, true, NOON))
        }),
    ]
}

fn wrong_limits() -> Vec<Wrong<Packer>> {
    vec![
        Wrong::new(
            "gems_not_checked",
            Packer {
                pack: |gems, paid, second| {
                    let time = fitting(0, second)?;
                    Some(double((gems << 30) + (u64::from(paid) << 29) + time))
                },
                unpack: RIGHT.unpack,
            },
        )
        .says("It packs any number of gems.")
        .shows("just above the greatest number of gems", |p| {
            refuses(p, (GEMS_MAX + 1, false, END))
        }),
        Wrong::new(
            "late_players_at_zero",
            Packer {
                pack: |gems, paid, second| (RIGHT.pack)(gems, paid, second.min(END)),
                unpack: RIGHT.unpack,
            },
        )
        .says("It writes a time field of 0 for all who come after the end.")
        .shows("just after the last second", |p| {
            refuses(p, (200, false, END + 1))
        }),
        Wrong::new(
            "early_time_flows_over",
            Packer {
                pack: |gems, paid, second| {
                    let time = END.checked_sub(second).filter(|_| gems <= GEMS_MAX)?;
                    Some(double((gems << 30) + (u64::from(paid) << 29) + time))
                },
                unpack: RIGHT.unpack,
            },
        )
        .says("It lets a time field that is too great flow over into paid.")
        .shows("just before the first second", |p| {
            refuses(p, (200, false, FIRST - 1))
        }),
        Wrong::new(
            "last_second_refused",
            Packer {
                pack: |gems, paid, second| {
                    (RIGHT.pack)(gems, paid, second).filter(|_| second < END)
                },
                unpack: RIGHT.unpack,
            },
        )
        .says("It refuses a time field of 0.")
        .shows("at the last second", |p| returns(p, (200, false, END))),
    ]
}

/// Each is wrong at one value: `<` where `<=` is meant, or the other way round.
fn wrong_by_one() -> Vec<Wrong<Packer>> {
    vec![
        Wrong::new(
            "greatest_gems_refused",
            Packer {
                pack: |gems, paid, second| {
                    (RIGHT.pack)(gems, paid, second).filter(|_| gems < GEMS_MAX)
                },
                unpack: RIGHT.unpack,
            },
        )
        .says("It refuses the greatest number of gems.")
        .shows("at the greatest number of gems", |p| {
            returns(p, (GEMS_MAX, false, END))
        }),
        Wrong::new(
            "one_gem_too_many",
            Packer {
                pack: |gems, paid, second| {
                    let time = fitting(gems.min(GEMS_MAX), second)?;
                    let score = (gems << 30) + (u64::from(paid) << 29) + time;
                    (gems <= GEMS_MAX + 1).then(|| double(score))
                },
                unpack: RIGHT.unpack,
            },
        )
        .says("It packs one gem more than fits, and refuses any greater number.")
        .shows("just above the greatest number of gems", |p| {
            refuses(p, (GEMS_MAX + 1, false, END))
        }),
        Wrong::new(
            "first_second_refused",
            Packer {
                pack: |gems, paid, second| {
                    (RIGHT.pack)(gems, paid, second).filter(|_| second > FIRST)
                },
                unpack: RIGHT.unpack,
            },
        )
        .says("It refuses a time field of 29 ones.")
        .shows("at the first second", |p| returns(p, (200, false, FIRST))),
    ]
}

fn wrong_fields() -> Vec<Wrong<Packer>> {
    vec![
        Wrong::new(
            "unpack_paid_from_bit_30",
            Packer {
                pack: RIGHT.pack,
                unpack: |score| {
                    let (gems, _, second) = (RIGHT.unpack)(score);
                    (gems, gems & 1 == 1, second)
                },
            },
        )
        .says("Its scores are right. Its `unpack` takes the lowest bit of the gems for paid.")
        .shows(
            "when a player is read back who has paid, and an even number of gems",
            |p| returns(p, (200, true, NOON)),
        ),
        Wrong::new(
            "unpack_sixteen_bits_of_gems",
            Packer {
                pack: RIGHT.pack,
                unpack: |score| {
                    let (gems, paid, second) = (RIGHT.unpack)(score);
                    (gems & 0xffff, paid, second)
                },
            },
        )
        .says("Its scores are right. Its `unpack` keeps 16 bits of the gems.")
        .shows("when a player with many gems is read back", |p| {
            returns(p, (65_536, true, NOON))
        }),
    ]
}
