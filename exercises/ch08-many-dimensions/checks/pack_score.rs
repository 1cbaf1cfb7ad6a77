//! Packed scores: the order is the reason, and the layout says the exact bits.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use kit::check::has_key;
use kit::values::{bit_by_bit, one_bit_changed, ranks};
use kit::{Answer, Cast, Exercise, Judged, PartOf, Show as _, check};

use crate::solutions::pack_score::pack as right;
use crate::stubs::pack_score::END;
use crate::{mistakes, solutions, stubs};
use ch08_many_dimensions::pack_score as learner;

/// Gems, paid, milliseconds.
pub(crate) type Player = (u64, bool, u64);

type Pack = dyn Fn(u64, bool, u64) -> Option<u64> + Send + Sync;
type Unpack = dyn Fn(u64) -> Option<(u64, bool, u64)> + Send + Sync;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Packer {
    pub(crate) pack: Arc<Pack>,
    pub(crate) unpack: Arc<Unpack>,
}

impl Packer {
    pub(crate) fn new(
        pack: impl Fn(u64, bool, u64) -> Option<u64> + Send + Sync + 'static,
        unpack: impl Fn(u64) -> Option<(u64, bool, u64)> + Send + Sync + 'static,
    ) -> Self {
        Self {
            pack: Arc::new(pack),
            unpack: Arc::new(unpack),
        }
    }
}

/// The first second that the time field can hold.
pub(crate) const FIRST: u64 = END - (1 << 29) + 1;
const GEMS_MAX: u64 = (1 << 23) - 1;

/// Numbers that are no score, the smallest first.
const FOREIGN: [u64; 7] = [
    1 << 53,
    (1 << 53) + 1,
    (1 << 54) - 1,
    1 << 54,
    1_309_426_671_287_543_552,
    1 << 63,
    u64::MAX,
];

const FITS: &str = "players whose fields fit";
const GEMS: &str = "players with too many gems";
const LATE: &str = "players after the end";
const EARLY: &str = "players from before the time field begins";
const PAID: &str = "players who paid";
const UNPAID: &str = "players who did not pay";

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Packer::new(learner::pack, learner::unpack)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Packer) -> Exercise<Packer> {
    let cast = Cast {
        learner,
        stub: Packer::new(stubs::pack_score::pack, stubs::pack_score::unpack),
        solution: Packer::new(right, solutions::pack_score::unpack),
    };
    Exercise::new("pack-score", "08-many-dimensions", cast)
        .part(packings())
        .decoder(unpackings(), round_trips())
        .check(check::order(
            "pack",
            "More gems first, then paid, then the earlier second: the better player has the greater score.",
        ))
        .check(check::answers_where(
            "pack",
            "refusal",
            "A player with a field that does not fit has no score.",
            |part, probe| !has_key(part, probe),
        ))
        .check(check::answers_where(
            "pack",
            "layout",
            "Every field is in its bits.",
            has_key,
        ))
        .check(check::answers(
            "unpack",
            "round-trip",
            "A score gives its fields back, and a number that is no score gives `None`.",
        ))
        .mistakes(mistakes::pack_score::all())
}

/// The players that are asked for, those of the chapter first.
fn players() -> Vec<Player> {
    let mut players = vec![
        (200, false, 1_571_819_021_259),
        (200, true, 1_571_819_021_259),
        (200, true, 1_571_810_001_259),
        (100, true, 1_571_819_021_259),
        (400, false, 1_571_819_021_259),
        (201, false, 1_571_819_021_259),
    ];
    for gems in [0, 1, 200, 255, 65_536, 4_194_304, GEMS_MAX - 1, GEMS_MAX] {
        for paid in [false, true] {
            for at_ms in [
                1_571_819_021_000,
                1_571_819_021_999,
                1_571_819_022_000,
                END * 1000 - 1,
                END * 1000,
                END * 1000 + 999,
                FIRST * 1000 + 999,
                FIRST * 1000,
            ] {
                players.push((gems, paid, at_ms));
            }
        }
    }
    // Joined, its fields are 2^53 and no more.
    players.push((1 << 23, false, END * 1000));
    for paid in [false, true] {
        for gems in [
            1 << 23,
            (1 << 23) + 1,
            (1 << 24) - 1,
            1 << 24,
            (1 << 32) - 1,
            1 << 32,
            (1 << 33) - 1,
            1 << 33,
            1 << 34,
            u64::MAX,
        ] {
            players.push((gems, paid, 1_571_819_021_259));
        }
        // Rounded, all but the first are at the next second; with one millisecond more, none is.
        for rest in [499, 500, 998] {
            players.push((200, paid, 1_571_819_021_000 + rest));
        }
        // These fit when their second is cut to 32 bits, or their milliseconds to 63.
        let cut = (1_571_819_021 + (1 << 32)) * 1000;
        let signed = (1 << 63) + 1_571_819_021_259;
        for at_ms in [
            END * 1000 + 1000,
            END * 1000 + 60_000,
            cut,
            signed,
            u64::MAX,
        ] {
            players.push((200, paid, at_ms));
        }
        for at_ms in [
            FIRST * 1000 - 1,
            FIRST * 1000 - 60_000,
            1_000_000_000_000,
            0,
        ] {
            players.push((200, paid, at_ms));
        }
    }
    players.extend(bits());
    let mut seen = HashSet::new();
    players.retain(|player| seen.insert(*player));
    players
}

/// Players whose gems or seconds differ in one bit from those of another one, in a field or above it.
fn bits() -> Vec<Player> {
    const SECOND: u64 = 1_571_819_021;
    let gems = bit_by_bit(GEMS_MAX).into_iter();
    let gems = gems.chain([200, GEMS_MAX].into_iter().flat_map(one_bit_changed));
    // The field holds `END` minus the second.
    let fields = bit_by_bit((1 << 29) - 1).into_iter();
    let seconds = fields.map(|field| END - field);
    let seconds = seconds.chain([SECOND, FIRST, END].into_iter().flat_map(one_bit_changed));
    let in_ms = |second: u64| second.checked_mul(1000);
    let gems = gems.map(|gems| (gems, false, SECOND * 1000));
    gems.chain(seconds.filter_map(in_ms).map(|at_ms| (200, true, at_ms)))
        .collect()
}

fn classes((gems, paid, at_ms): Player) -> [&'static str; 2] {
    let first = if gems > GEMS_MAX {
        GEMS
    } else if at_ms / 1000 > END {
        LATE
    } else if at_ms / 1000 < FIRST {
        EARLY
    } else {
        FITS
    };
    [first, if paid { PAID } else { UNPAID }]
}

fn packings() -> PartOf<Packer> {
    let players = players();
    let place = |&(gems, paid, at_ms): &Player| (gems, paid, Reverse(at_ms / 1000));
    let mut part =
        PartOf::new("pack", "score").ranked(ranks(&players, |a, b| place(a).cmp(&place(b))));
    for player in players {
        let (gems, paid, at_ms) = player;
        let fields = format!("({gems}, {paid}, {at_ms})");
        part = part.probe(
            format!("pack{fields}"),
            Answer::text(fields),
            &classes(player),
            move |packer: &Packer| (packer.pack)(gems, paid, at_ms).show(),
        );
    }
    part
}

fn fields(answer: Option<(u64, bool, u64)>) -> Answer {
    Answer::text(format!("{answer:?}"))
}

fn unpackings() -> PartOf<Packer> {
    let mut part = PartOf::new("unpack", "answer");
    let own = players().into_iter().filter_map(|player| {
        let score = right(player.0, player.1, player.2)?;
        Some((score, ["scores", classes(player)[1]]))
    });
    // The last score of all, and one of the chapter, with a bit above the fields.
    let above = [(1 << 53) - 1, 215_575_307_891]
        .into_iter()
        .flat_map(one_bit_changed);
    let foreign = FOREIGN
        .into_iter()
        .chain(above.filter(|score| *score > 1 << 53));
    let foreign =
        foreign.map(|score| (score, ["numbers that are no score", "numbers from 2^53 on"]));
    for (score, classes) in own.chain(foreign) {
        part = part.probe(
            format!("unpack({score})"),
            score.show(),
            &classes,
            move |packer: &Packer| fields((packer.unpack)(score)),
        );
    }
    part
}

fn round_trips() -> PartOf<Packer> {
    let mut part = PartOf::new("unpack", "answer");
    for player in players() {
        let (gems, paid, at_ms) = player;
        if right(gems, paid, at_ms).is_none() {
            continue;
        }
        let trip = move |packer: &Packer| match (packer.pack)(gems, paid, at_ms) {
            Some(score) => fields((packer.unpack)(score)),
            None => Answer::text("no score"),
        };
        part = part
            .probe(
                format!("unpack(pack({gems}, {paid}, {at_ms}))"),
                Answer::text(format!("({gems}, {paid}, {at_ms})")),
                &classes(player),
                trip,
            )
            .expect(fields(Some((gems, paid, at_ms / 1000))));
    }
    part
}
