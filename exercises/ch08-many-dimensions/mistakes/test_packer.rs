//! Tests that are too weak, or too strict.

use kit::{Mistake, Tester};

use crate::stubs::test_packer::{END, FIRST, Pack, Unpack};
use crate::test_packer::{Packer, tester};

const TESTER: &str = "test-packer";
const GEMS_MAX: u64 = 8_388_607;
const NOON: u64 = 1_571_819_021;

type Fields = (u64, bool, u64);

fn weak(
    name: &'static str,
    check: &'static str,
    test: impl Fn(Pack, Unpack) + Send + Sync + 'static,
) -> Mistake<Tester<Packer>> {
    Mistake::new(name, "test", check, tester(test)).link(TESTER)
}

/// Both ends, and what lies around every power of two.
fn values(max: u64) -> Vec<u64> {
    let mut values: Vec<u64> = (1..=max.ilog2())
        .flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1])
        .chain([0, 1, max - 1, max])
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The seconds from the last to the first.
fn seconds() -> Vec<u64> {
    values(END - FIRST).iter().map(|back| END - back).collect()
}

/// All players of these gems and seconds, the worst first.
fn players(gems: &[u64], paid: &[bool], seconds: &[u64]) -> Vec<Fields> {
    let mut players = Vec::new();
    for &gems in gems {
        for &paid in paid {
            for &second in seconds {
                players.push((gems, paid, second));
            }
        }
    }
    players
}

fn everybody() -> Vec<Fields> {
    players(&values(GEMS_MAX), &[false, true], &seconds())
}

fn score(pack: Pack, (gems, paid, second): Fields) -> f64 {
    pack(gems, paid, second).expect("it fits")
}

fn in_order(pack: Pack, players: &[Fields]) {
    for pair in players.windows(2) {
        assert!(score(pack, pair[0]) < score(pack, pair[1]));
    }
}

fn back_again(pack: Pack, unpack: Unpack, players: &[Fields]) {
    for &player in players {
        assert_eq!(unpack(score(pack, player)), player);
    }
}

fn refusals(pack: Pack) {
    for paid in [false, true] {
        assert_eq!(pack(GEMS_MAX + 1, paid, END), None);
        assert_eq!(pack(200, paid, END + 1), None);
        assert_eq!(pack(200, paid, FIRST - 1), None);
    }
}

/// All three rules, on these players.
fn on(players: Vec<Fields>) -> impl Fn(Pack, Unpack) + Send + Sync + 'static {
    move |pack, unpack| {
        in_order(pack, &players);
        back_again(pack, unpack, &players);
        refusals(pack);
    }
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Tester<Packer>>> {
    let mut mistakes = too_strict();
    mistakes.extend(one_rule());
    mistakes.extend(too_few_players());
    mistakes
}

/// They refuse a right answer.
fn too_strict() -> Vec<Mistake<Tester<Packer>>> {
    vec![
        weak("exact_scores", "accepts-right", |pack, _| {
            assert_eq!(pack(200, false, NOON), Some(215_038_436_979.0));
            assert_eq!(pack(200, true, NOON), Some(215_575_307_891.0));
        })
        .says("a test that demands the scores of one layout")
        .why(
            "Those scores are right, and others are right too. The task fixes an order, not numbers. Compare the \
             scores with each other.",
        ),
        weak("integers_demanded", "accepts-right", |pack, unpack| {
            on(everybody())(pack, unpack);
            for player in everybody() {
                assert_eq!(score(pack, player).fract(), 0.0);
            }
        })
        .says("a test of all rules that also demands integers")
        .why(
            "All rules are tested well. But a score is a double, and a binary fraction of few enough bits is as \
             exact as an integer.",
        ),
        weak("certain_scores_demanded", "accepts-right", |pack, unpack| {
            on(everybody())(pack, unpack);
            assert!(score(pack, (0, false, END)) >= 0.0);
        })
        .says("a test of all rules that also demands something of the scores: none below zero, say, or 0.0 for nothing")
        .why(
            "All rules are tested well. But the layout is free: a score may be below zero, and 0.0 need not be that of the least player.",
        ),
        weak("order_the_wrong_way_round", "accepts-right", |pack, _| {
            assert!(score(pack, (200, true, NOON)) < score(pack, (200, true, NOON + 9020)));
        })
        .says("a test that wants the later player to have the greater score")
        .why(
            "The board is read from the greatest score down, and the *earlier* player comes first. Here the test \
             has the mistake that it should find.",
        ),
        weak("greatest_gems_wanted_refused", "accepts-right", |pack, unpack| {
            let gems = values(GEMS_MAX - 1);
            on(players(&gems, &[false, true], &seconds()))(pack, unpack);
            assert_eq!(pack(GEMS_MAX, false, END), None);
        })
        .says("a test that wants 8388607 gems refused")
        .why("8388607 gems fit: they are 2^23 - 1, and 23 bits hold them. The first number that does not fit is 8388608, which is 2^23."),
        weak("refuses_everything", "accepts-right", |pack, _| {
            let [one, other] = [0, 0].map(|_| score(pack, (200, true, NOON)));
            assert!(one < other);
        })
        .says("a test that wants two players apart who are alike in all three")
        .why(
            "Packers that keep the three rules fail it too, so what failed above is none of them. Common reasons: two players who are alike in all \
             three are wanted apart; a second before `FIRST` or after `END` is to have a score, or a player who fits is to have none; \
             `unpack` is asked for a score that no `pack` has returned; or a list of players is taken to be in the order of rule 2, and is \
             not.",
        ),
    ]
}

/// They look at a part of the rules.
fn one_rule() -> Vec<Mistake<Tester<Packer>>> {
    vec![
        weak("accepts_everything", "kills", |pack, unpack| {
            for (gems, paid, second) in everybody() {
                let _ = pack(gems, paid, second).map(unpack);
            }
        })
        .says("a test that accepts everything")
        .why(
            "Such a test compares nothing by `assert!`, or keeps what an `assert!` raises from its caller, or tries only what comes out right from a wrong packer too. A test that has \
             never failed proves nothing.",
        ),
        weak("round_trip_only", "kills", |pack, unpack| {
            back_again(pack, unpack, &everybody());
        })
        .says("a test that packs and unpacks")
        .why(
            "Such a test accepts every layout that can be read back, also one that sorts wrongly. The order is what the \
             score is for: compare scores.",
        ),
        weak("order_only", "kills", |pack, _| in_order(pack, &everybody()))
            .says("a test of the order alone")
            .why(
                "A score is read back too, and what does not fit is refused. Such a test does not ask for either.",
            ),
        weak("no_refusals", "kills", |pack, unpack| {
            in_order(pack, &everybody());
            back_again(pack, unpack, &everybody());
        })
        .says("a test of players that fit")
        .why(
            "What does not fit is where fields flow over. Such a test never asks for it. Ask one step beyond each \
             limit.",
        ),
        weak("refusals_far_away", "kills", |pack, unpack| {
            in_order(pack, &everybody());
            back_again(pack, unpack, &everybody());
            assert_eq!(pack(u64::MAX, false, END), None);
            assert_eq!(pack(200, false, u64::MAX), None);
            // A player from 1970 has so great a time field that a later check of the sum finds it.
            assert!(pack(GEMS_MAX, true, 0).is_none_or(|score| score > 1e15));
        })
        .says("a test that wants only values far beyond the limits refused")
        .why(
            "Mistakes at a limit are mistakes by one. Such a test steps over them. Ask one step beyond each limit, \
             with each of the fields.",
        ),
        weak("one_gem_too_many_never_asked", "kills", |pack, unpack| {
            in_order(pack, &everybody());
            back_again(pack, unpack, &everybody());
            for paid in [false, true] {
                assert_eq!(pack(GEMS_MAX + 2, paid, END), None);
                assert_eq!(pack(200, paid, END + 1), None);
                assert_eq!(pack(200, paid, FIRST - 1), None);
            }
        })
        .says("a test that never asks for 8388608 gems, and wants greater numbers refused")
        .why(
            "8388607 gems are the most that fit, so 8388608 is the first number to be refused. A packer that is wrong by one takes that \
             one and no other.",
        ),
        weak("ties_accepted", "kills", |pack, _| {
            for pair in everybody().windows(2) {
                assert!(score(pack, pair[0]) <= score(pack, pair[1]));
            }
            refusals(pack);
        })
        .says("a test that accepts equal scores, and reads none back")
        .why(
            "Two players who differ have different scores. With `<=`, a layout passes that loses its last bits. Use \
             `<`.",
        ),
    ]
}

/// They try too few players.
fn too_few_players() -> Vec<Mistake<Tester<Packer>>> {
    let both = [false, true];
    let near: Vec<u64> = (0..60).map(|back| NOON - back).collect();
    let small: Vec<u64> = (0..=300).collect();
    vec![
        weak("the_five_players", "kills", |pack, unpack| {
            let best_last = [
                (100, true, NOON),
                (200, false, NOON),
                (200, true, NOON),
                (200, true, NOON - 9020),
                (400, false, NOON),
            ];
            in_order(pack, &best_last);
            back_again(pack, unpack, &best_last);
        })
        .says("a test of the chapter's five players")
        .why(
            "Sample data are what everybody's code was tried on. Such a test has no many gems, no neighbouring \
             seconds, and no limit.",
        ),
        weak("few_gems", "kills", on(players(&small, &both, &seconds())))
            .says("a test of few gems")
            .why(
                "A double loses bits when the number gets great. Such a test has no player near 8388607 gems: take the \
                 ends of every field.",
            ),
        weak("nobody_paid", "kills", on(players(&values(GEMS_MAX), &[false], &seconds())))
            .says("a test of players who did not pay")
            .why("Such a test never sees the bit in the middle. Take both values of it."),
        weak("paid_one_at_a_time", "kills", move |pack, unpack| {
            for paid in [false, true] {
                on(players(&values(GEMS_MAX), &[paid], &seconds()))(pack, unpack);
            }
        })
        .says("a test that never compares a player who paid with one who did not")
        .why("Between the two is where the bit decides, or where it does not. Sort them together."),
        weak("one_second", "kills", on(players(&values(GEMS_MAX), &both, &[NOON])))
            .says("a test of one second")
            .why("Such a test never sees the time decide. Take several seconds, neighbouring ones and distant ones."),
        weak(
            "no_neighbours_with_many_gems",
            "kills",
            on(players(
                &values(GEMS_MAX),
                &both,
                &[0, 1, 100, 3000, 6213].map(|days| END - 86_400 * days),
            )),
        )
        .says("a test without neighbouring seconds of players with many gems")
        .why(
            "The low bits are lost first, and in the greatest scores. Only neighbours differ in them alone: take seconds that differ by one, \
             with 8388607 gems too.",
        ),
        weak(
            "last_second_left_out",
            "kills",
            on(players(
                &values(GEMS_MAX),
                &both,
                &seconds().into_iter().skip(1).collect::<Vec<_>>(),
            )),
        )
        .says("a test that leaves out the last second")
        .why("`END` itself has to fit, and the time field is 0 there. Take the ends of every field."),
        weak(
            "first_second_left_out",
            "kills",
            on(players(
                &values(GEMS_MAX),
                &both,
                &seconds().into_iter().filter(|second| *second > FIRST).collect::<Vec<_>>(),
            )),
        )
        .says("a test that leaves out the first second")
        .why("`FIRST` itself has to fit, and all 29 bits of the time field are 1 there. Take the ends of every field."),
        weak("greatest_gems_left_out", "kills", on(players(&values(GEMS_MAX - 1), &both, &seconds())))
            .says("a test that leaves out the greatest number of gems")
            .why("8388607 gems have to fit, and 8388608 do not. A packer that is wrong by one is wrong at one of these two alone. Take both."),
        weak("seconds_of_one_minute", "kills", on(players(&small, &both, &near)))
            .says("a test of few gems and of one minute")
            .why("Neighbours are there. What is missing are the ends: 8388607 gems, `FIRST` and `END`."),
    ]
}
