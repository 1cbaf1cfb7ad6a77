//! Tests that are too weak, or too strict.

use std::collections::BTreeSet;

use kit::{Mistake, Tester};

use crate::test_place_search::{Asked, Place, Search, tester};

const TESTER: &str = "test-place-search";
const NINE: &str = "neighbours-and-nine-cells";
const EDGES: &str = "the-edges-of-the-map";
const RULES: &str = "invariants";
const RANGES: &str = "a-rectangle-becomes-ranges";

fn weak(
    name: &'static str,
    check: &'static str,
    test: impl Fn(Asked<'_>) + Send + Sync + 'static,
) -> Mistake<Tester<Search>> {
    Mistake::new(name, "test", check, tester(test)).link(TESTER)
}

/// Columns, rows and the square of a distance.
fn distance(place: Place, centre: Place) -> u32 {
    let across = u32::from(place.0.abs_diff(centre.0));
    let (across, up) = (
        across.min(256 - across),
        u32::from(place.1.abs_diff(centre.1)),
    );
    across * across + up * up
}

fn is_near(place: Place, centre: Place, reach: u8) -> bool {
    distance(place, centre) <= u32::from(reach).pow(2)
}

/// Which ways, centres and reaches a test tries.
#[derive(Clone)]
struct Plan {
    ways: Vec<u8>,
    columns: Vec<u8>,
    rows: Vec<u8>,
    reaches: Vec<u8>,
    /// Places to the side alone, or above alone.
    only_straight: bool,
    /// One place in each search.
    one_by_one: bool,
    /// No point has two places.
    each_point_once: bool,
}

fn plan() -> Plan {
    Plan {
        ways: vec![
            0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 60, 64, 80, 100, 101, 127, 200,
        ],
        columns: vec![0, 1, 127, 128, 200, 254, 255],
        rows: vec![0, 100, 127, 128, 255],
        reaches: vec![0, 1, 2, 5, 8, 32, 64, 100],
        only_straight: false,
        one_by_one: false,
        each_point_once: false,
    }
}

/// The places of a plan around a centre.
fn places(plan: &Plan, centre: Place) -> Vec<Place> {
    let ways = &plan.ways;
    let mut places = vec![centre];
    for (n, &across) in ways.iter().enumerate() {
        let others = [
            0,
            across,
            ways[(n + 1) % ways.len()],
            ways[n * 7 % ways.len()],
            200,
        ];
        for up in others {
            let (across, up) = match plan.only_straight {
                true if n % 2 == 0 => (across, 0),
                true => (0, across),
                false => (across, up),
            };
            if up == 200 && !ways.contains(&200) {
                continue;
            }
            for x in [centre.0.wrapping_add(across), centre.0.wrapping_sub(across)] {
                for y in [centre.1.checked_add(up), centre.1.checked_sub(up)] {
                    places.extend(y.map(|y| (x, y)));
                }
            }
        }
    }
    places.push(centre);
    if plan.each_point_once || plan.one_by_one {
        places.sort_unstable();
        places.dedup();
    }
    places
}

/// Calls `check` with places, centre, reach and what was found, for all of a plan.
fn each(plan: &Plan, search: Asked<'_>, check: impl Fn(&[Place], Place, u8, Vec<usize>)) {
    for centre in (plan.columns.iter()).flat_map(|&x| plan.rows.iter().map(move |&y| (x, y))) {
        let places = places(plan, centre);
        for &reach in &plan.reaches {
            if plan.one_by_one {
                for place in places.chunks(1) {
                    check(place, centre, reach, search(place, centre, reach));
                }
            } else {
                check(&places, centre, reach, search(&places, centre, reach));
            }
        }
    }
}

/// The task's rules on a plan.
fn on(plan: Plan) -> impl Fn(Asked<'_>) + Send + Sync + 'static {
    judged(plan, is_near)
}

/// Somebody's rules on a plan.
fn judged(
    plan: Plan,
    near: fn(Place, Place, u8) -> bool,
) -> impl Fn(Asked<'_>) + Send + Sync + 'static {
    move |search| {
        each(&plan, search, |places, centre, reach, found| {
            let wanted = (0..places.len()).filter(|&n| near(places[n], centre, reach));
            assert_eq!(found, wanted.collect::<Vec<_>>());
        });
    }
}

/// The task's rules on many places that chance has strewn.
fn at_random(search: Asked<'_>) {
    let mut state = 1_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33).to_le_bytes()[0]
    };
    for _ in 0..200 {
        let places: Vec<Place> = (0..60).map(|_| (random(), random())).collect();
        let (centre, reach) = ((random(), random()), random() % 100 + 1);
        let wanted = (0..places.len()).filter(|&n| is_near(places[n], centre, reach));
        assert_eq!(search(&places, centre, reach), wanted.collect::<Vec<_>>());
    }
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Tester<Search>>> {
    let mut mistakes = too_strict();
    mistakes.extend(one_side());
    mistakes.extend(too_few_places());
    mistakes
}

/// They refuse a right answer.
fn too_strict() -> Vec<Mistake<Tester<Search>>> {
    let flat = |place: Place, centre: Place, reach: u8| {
        let (x, y) = (
            u32::from(place.0.abs_diff(centre.0)),
            u32::from(place.1.abs_diff(centre.1)),
        );
        x * x + y * y <= u32::from(reach).pow(2)
    };
    let round = |place: Place, centre: Place, reach: u8| {
        let way =
            |a: u8, b: u8| u32::from(a.abs_diff(b).min(b.wrapping_sub(a)).min(a.wrapping_sub(b)));
        let (x, y) = (way(place.0, centre.0), way(place.1, centre.1));
        x * x + y * y <= u32::from(reach).pow(2)
    };
    let nearer =
        |place: Place, centre: Place, reach: u8| distance(place, centre) < u32::from(reach).pow(2);
    vec![
        weak("flat_map", "accepts-right", judged(plan(), flat))
            .says("a test that takes the map for flat")
            .why(
                "Such a test holds a wrong copy of the rules: from column 255 to column 0 it is one step. It asks for the \
                 very fault that it should find.",
            )
            .link(EDGES),
        weak("ends_joined_demanded", "accepts-right", judged(plan(), round))
            .says("a test that takes the map for round in both directions")
            .why("The map is round from west to east. Row 0 and row 255 are ends, as the poles are.")
            .link(EDGES),
        weak("edge_refused", "accepts-right", judged(plan(), nearer))
            .says("a test that wants places nearer than the reach")
            .why("A place exactly as far away as the reach is near: `<=`. With a reach of 0 only that is left."),
        weak("refuses_everything", "accepts-right", |_| panic!("no search is good enough"))
            .says("a test that refuses every search")
            .why(
                "Such a test wants something that no right search gives, or asks with a reach that the task excludes. Take the example of \
                 the task, by hand, and see at which line it panics.",
            )
            .link(RULES),
        weak("nearest_first", "accepts-right", |search| {
            each(&plan(), search, |places, centre, _, found| {
                assert!(found.is_sorted_by_key(|&n| distance(places[n], centre)));
            });
        })
        .says("a test that wants the nearest place first")
        .why("The indices ascend. `ASC` of GEOSEARCH would be another rule, and nobody has set it here."),
    ]
}

/// They look at one side of the answer.
fn one_side() -> Vec<Mistake<Tester<Search>>> {
    vec![
        weak("accepts_everything", "kills", |search| each(&plan(), search, |_, _, _, _| {}))
            .says("a test that accepts everything except a panic")
            .why(
                "Such a test compares nothing by `assert!`, or keeps what an `assert!` raises from its caller, or tries only what comes out right from a wrong search too. A test that has \
             never failed proves nothing.",
            ),
        weak("near_ones_alone", "kills", |search| {
            each(&plan(), search, |places, centre, reach, found| {
                let mut wanted = (0..places.len()).filter(|&n| is_near(places[n], centre, reach));
                assert!(wanted.all(|n| found.contains(&n)));
            });
        })
        .says("a test that no near place is missing")
        .why(
            "A search that returns every place passes it. Ask as well that nothing is found that is not near, and nothing \
             twice: compare the whole list.",
        )
        .link(RULES),
        weak("far_ones_alone", "kills", |search| {
            each(&plan(), search, |places, centre, reach, found| {
                assert!(found.iter().all(|&n| is_near(places[n], centre, reach)));
            });
        })
        .says("a test that nothing far away is found")
        .why("A search that finds nothing at all passes it. The worst fault of a search is what it misses.")
        .link(RULES),
        weak("counts_alone", "kills", |search| {
            each(&plan(), search, |places, centre, reach, found| {
                let wanted = (0..places.len()).filter(|&n| is_near(places[n], centre, reach));
                assert_eq!(found.len(), wanted.count());
            });
        })
        .says("a test of how many are found")
        .why("The right count may be made of the wrong places, or of the right ones in another order. Compare the lists."),
        weak("sorted_before_compared", "kills", |search| {
            each(&plan(), search, |places, centre, reach, mut found| {
                found.sort_unstable();
                let wanted = (0..places.len()).filter(|&n| is_near(places[n], centre, reach));
                assert_eq!(found, wanted.collect::<Vec<_>>());
            });
        })
        .says("a test that sorts the indices before it compares them")
        .why("Ascending is a part of the rule: whoever sorts first, or looks up one index after the other, never sees the order."),
        weak("compared_as_sets", "kills", |search| {
            each(&plan(), search, |places, centre, reach, found| {
                let wanted = (0..places.len()).filter(|&n| is_near(places[n], centre, reach));
                let found: BTreeSet<usize> = found.into_iter().collect();
                assert_eq!(found, wanted.collect());
            });
        })
        .says("a test that puts the indices into a set before it compares them")
        .why("A set has an order of its own and holds each index once. So it shows neither an index that comes too early nor one that comes twice: compare the lists."),
        weak("one_example", "kills", |search| {
            assert_eq!(search(&[(3, 0), (255, 4), (0, 6)], (0, 0), 5), [0, 1]);
        })
        .says("a test of the example of the task")
        .why("It has an edge in it, and that is good. An example guards against the mistakes that you have seen."),
    ]
}

/// They compare everything, and not where it goes wrong.
fn too_few_places() -> Vec<Mistake<Tester<Search>>> {
    let with = |change: fn(&mut Plan)| {
        let mut plan = plan();
        change(&mut plan);
        on(plan)
    };
    vec![
        weak("never_at_the_edge", "kills", with(|plan| {
            plan.columns = vec![100, 127, 128, 130];
                plan.rows = vec![100, 127, 128, 130];
            plan.ways.retain(|way| *way <= 80);
            plan.reaches.retain(|reach| *reach <= 64);
        }))
        .says("a test of places in the middle of the map")
        .why(
            "Cells go wrong at their borders, and the map has two borders of its own: one that is none, between column 255 and column 0, \
             and one that is, at rows 0 and 255.",
        )
        .link(EDGES),
        weak("centres_in_the_middle", "kills", with(|plan| (plan.columns, plan.rows) = (vec![100], vec![100])))
            .says("a test without a centre near an edge of the map")
            .why(
                "Where the centre lies in its cell decides which neighbours are needed. Try centres on both sides of a great border, and \
                 at the edges.",
            )
            .link(NINE),
        weak("straight_ahead_alone", "kills", with(|plan| plan.only_straight = true))
            .says("a test of places straight to the north, south, east and west")
            .why(
                "In these four directions a square, a circle and a town block are the same, and no cell at a corner is \
                 needed.",
            )
            .link(NINE),
        weak("one_place_at_a_time", "kills", with(|plan| {
            plan.one_by_one = true;
            plan.columns = vec![0, 127, 128, 255];
                plan.rows = vec![0, 127, 255];
        }))
        .says("a test with one place in each search")
        .why("A lone place has no stranger before it on the curve, and shares its point with none.")
        .link(RANGES),
        weak("each_point_once", "kills", with(|plan| plan.each_point_once = true))
            .says("a test in which no two places share a point")
            .why("Two shops are in one house. A store with the number alone as its key keeps one of them."),
        weak("small_reaches", "kills", with(|plan| plan.reaches = vec![0, 1, 2, 5]))
            .says("a test of small reaches")
            .why(
                "With a large reach the cells are so large that there are two from west to east, and neighbours coincide. Redis has a \
                 line of code for that.",
            )
            .link(EDGES),
        weak("corners_of_cells_left_out", "kills", at_random)
            .says("a test that leaves out the last corner of a cell and the reach 0, such as one at random")
            .why(
                "Many places find what is often wrong. One corner of one cell, or a reach of 0 with a place at the centre, they hardly ever \
                 meet. Add centres and places that you choose: on both sides of a border, and at the ends of each range.",
            )
            .link(NINE),
        weak("no_reach_of_zero", "kills", with(|plan| plan.reaches.retain(|reach| *reach > 0)))
            .says("a test that never asks with a reach of 0")
            .why("0 is a reach like any other: what lies at the centre is near."),
        weak("never_far_away", "kills", with(|plan| plan.ways.retain(|way| *way <= 101)))
            .says("a test of places that are at most 101 columns and rows away")
            .why(
                "A search must not find what is on the other side of the map. A difference that does not fit into its type \
                 looks small again.",
            ),
    ]
}
