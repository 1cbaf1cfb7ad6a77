//! Tests of searches for places, tried on right searches and on wrong ones.

use std::collections::{BTreeMap, BTreeSet};

use kit::tester::watch;
use kit::{Answer, Candidates, Cast, Exercise, Judged, Tester, Wrong};

use crate::{mistakes, solutions, stubs};
use ch09_two_dimensions::test_place_search as learner;

/// A place, by column and row.
pub(crate) type Place = (u8, u8);

/// Somebody's search.
#[derive(Clone, Copy)]
pub(crate) struct Search(fn(&[Place], Place, u8) -> Vec<usize>);

/// The learner's view of a search.
pub(crate) type Asked<'a> = &'a dyn Fn(&[Place], Place, u8) -> Vec<usize>;

/// The greatest reach that the task lets a test ask with.
const REACH_MAX: u8 = 100;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(tester(learner::test)))
}

/// A function of the learner's type, as a tester.
pub(crate) fn tester(test: impl Fn(Asked<'_>) + Send + Sync + 'static) -> Tester<Search> {
    Tester::new(move |search: &Search| {
        let asked = |places: &[Place], centre: Place, reach: u8| {
            let shown = shown(places);
            let call = move || format!("search({shown}, {centre:?}, {reach})");
            let show = |found: &Vec<usize>| Answer::text(indices(found));
            let run = || {
                // Said here: beyond it, right searches differ.
                assert!(
                    reach <= REACH_MAX,
                    "your test asks with a reach of {reach}, and the task says that it is from 0 to {REACH_MAX}"
                );
                (search.0)(places, centre, reach)
            };
            watch(call, run, show)
        };
        test(&asked);
    })
}

/// Indices as they are written, if there are few.
fn indices(found: &[usize]) -> String {
    match found {
        [first, second, .., last] if found.len() > 8 => {
            format!("[{first}, {second}, .., {last}], {} indices", found.len())
        }
        _ => format!("{found:?}"),
    }
}

/// Places as they are written, if there are few.
fn shown(places: &[Place]) -> String {
    if places.len() > 6 {
        return format!("&[{} places]", places.len());
    }
    format!("&{places:?}")
}

/// The exercise with anybody's test in the learner's place.
pub(crate) fn exercise_of(learner: Tester<Search>) -> Exercise<Tester<Search>> {
    let cast = Cast {
        learner,
        stub: tester(stubs::test_place_search::test),
        solution: tester(solutions::test_place_search::test),
    };
    Exercise::new("test-place-search", "09-two-dimensions", cast)
        .tester("test", |test| test, candidates())
        .mistakes(mistakes::test_place_search::all())
}

/// What a search does wrong.
#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    None,
    OwnCell,
    Corners,
    SmallCells,
    NoWayAround,
    EndsJoined,
    NoDistance,
    Square,
    Blocks,
    EdgeLeftOut,
    LastNumber,
    OneAtEachPoint,
    FoundTwice,
    RowsAsSignedBytes,
    ReachOfNothing,
    HalfTheBits,
    NearestFirst,
}
use Flaw::{
    Blocks, Corners, EdgeLeftOut, EndsJoined, FoundTwice, HalfTheBits, LastNumber, NearestFirst,
    NoDistance, NoWayAround, OneAtEachPoint, OwnCell, ReachOfNothing, RowsAsSignedBytes,
    SmallCells, Square,
};

fn interleave(x: u32, y: u32) -> u32 {
    (0..8)
        .map(|i| (x >> i & 1) << (2 * i + 1) | (y >> i & 1) << (2 * i))
        .sum()
}

fn is_near(place: Place, centre: Place, reach: u8, flaw: Flaw) -> bool {
    let across = u32::from(place.0.abs_diff(centre.0));
    let across = if flaw == NoWayAround {
        across
    } else {
        across.min(256 - across)
    };
    let rows = u32::from(place.1.abs_diff(centre.1));
    let up = match flaw {
        EndsJoined => rows.min(256 - rows),
        RowsAsSignedBytes => {
            let difference = place.1.wrapping_sub(centre.1).cast_signed();
            u32::from(difference.unsigned_abs())
        }
        _ => rows,
    };
    let reach = u32::from(reach);
    match flaw {
        NoDistance => true,
        Square => across.max(up) <= reach,
        Blocks => across + up <= reach,
        EdgeLeftOut => across * across + up * up < reach * reach,
        ReachOfNothing if reach == 0 => false,
        _ => across * across + up * up <= reach * reach,
    }
}

/// The cells around a centre, each with `1 << size` columns and rows.
fn cells(centre: Place, size: u32, flaw: Flaw) -> Vec<(u32, u32)> {
    let side = 256_i32 >> size;
    let (x, y) = (i32::from(centre.0) >> size, i32::from(centre.1) >> size);
    let mut cells = Vec::new();
    for (east, north) in (-1..=1).flat_map(|east| (-1..=1).map(move |north| (east, north))) {
        let skipped = match flaw {
            OwnCell => (east, north) != (0, 0),
            Corners => east != 0 && north != 0,
            NoWayAround => !(0..side).contains(&(x + east)),
            _ => false,
        };
        let on_the_map = (0..side).contains(&(y + north)) || flaw == EndsJoined;
        if !skipped && on_the_map {
            let (column, row) = ((x + east).rem_euclid(side), (y + north).rem_euclid(side));
            cells.push((column.cast_unsigned(), row.cast_unsigned()));
        }
    }
    if flaw == FoundTwice {
        return cells;
    }
    // On a map of two columns of cells, the one to the east is the one to the west.
    let once: BTreeSet<(u32, u32)> = cells.into_iter().collect();
    once.into_iter().collect()
}

/// Nine cells, and the distance.
fn nine_cells(places: &[Place], centre: Place, reach: u8, flaw: Flaw) -> Vec<usize> {
    let mut store: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let kept = |place: Place| match flaw {
        HalfTheBits => (place.0 & 0xfe, place.1 & 0xfe),
        _ => place,
    };
    for (n, &place) in places.iter().enumerate() {
        let (x, y) = kept(place);
        let row = store.entry(interleave(x.into(), y.into())).or_default();
        if flaw == OneAtEachPoint {
            row.clear();
        }
        row.push(n);
    }
    let needed = u32::from(reach.max(1)).next_power_of_two().ilog2();
    let size = if flaw == SmallCells {
        needed.saturating_sub(1)
    } else {
        needed
    };
    let mut found = Vec::new();
    for (column, row) in cells(centre, size, flaw) {
        let first = interleave(column, row) << (2 * size);
        let mut end = first + (1 << (2 * size));
        if flaw == LastNumber && size > 0 {
            end -= 1;
        }
        for n in store.range(first..end).flat_map(|(_, row)| row) {
            if is_near(kept(places[*n]), centre, reach, flaw) {
                found.push(*n);
            }
        }
    }
    found.sort_unstable();
    if flaw == NearestFirst {
        let way = |n: &usize| {
            let (x, y) = (
                places[*n].0.abs_diff(centre.0),
                places[*n].1.abs_diff(centre.1),
            );
            let (x, y) = (u32::from(x), u32::from(y));
            x.min(256 - x).pow(2) + y.pow(2)
        };
        found.sort_by_key(way);
    }
    found
}

fn walked(places: &[Place], centre: Place, reach: u8) -> Vec<usize> {
    let near = |n: &usize| is_near(places[*n], centre, reach, Flaw::None);
    (0..places.len()).filter(near).collect()
}

/// A walk through the index, which counts the rows of the index.
fn positions(places: &[Place], centre: Place, reach: u8) -> Vec<usize> {
    let mut rows = places.to_vec();
    rows.sort_by_key(|&(x, y)| interleave(x.into(), y.into()));
    walked(&rows, centre, reach)
}

/// The columns and rows that can be near, as one or two rectangles: lower corners and upper corners.
fn rectangles(centre: Place, reach: u8) -> Vec<(Place, Place)> {
    let (low, high) = (
        centre.1.saturating_sub(reach),
        centre.1.saturating_add(reach),
    );
    let columns = match (centre.0.checked_sub(reach), centre.0.checked_add(reach)) {
        (Some(west), Some(east)) => vec![(west, east)],
        _ => vec![
            (centre.0.wrapping_sub(reach), 255),
            (0, centre.0.wrapping_add(reach)),
        ],
    };
    columns
        .into_iter()
        .map(|(west, east)| ((west, low), (east, high)))
        .collect()
}

/// One range from corner to corner of each rectangle. It may stop at the first stranger.
fn corner_to_corner(places: &[Place], centre: Place, reach: u8, stops: bool) -> Vec<usize> {
    let number = |place: Place| interleave(place.0.into(), place.1.into());
    let mut rows: Vec<(u32, usize)> = places
        .iter()
        .enumerate()
        .map(|(n, &p)| (number(p), n))
        .collect();
    rows.sort_unstable();
    let mut found = Vec::new();
    for (low, high) in rectangles(centre, reach) {
        let inside = |place: Place| {
            (low.0..=high.0).contains(&place.0) && (low.1..=high.1).contains(&place.1)
        };
        let range = number(low)..=number(high);
        for (_, n) in rows.iter().filter(|(number, _)| range.contains(number)) {
            if stops && !inside(places[*n]) {
                break;
            }
            // What comes between the corners of one rectangle may be near, and belong to the other.
            if inside(places[*n]) && is_near(places[*n], centre, reach, Flaw::None) {
                found.push(*n);
            }
        }
    }
    found.sort_unstable();
    found
}

fn candidates() -> Candidates<Search> {
    let mut all = Candidates::new("search function")
        .right("walks_all_places", "It looks at every place.", Search(walked))
        .right(
            "nine_cells_and_distance",
            "It reads the cell of the centre and its eight neighbours, and keeps what is near.",
            Search(|places, centre, reach| nine_cells(places, centre, reach, Flaw::None)),
        )
        .right(
            "corner_to_corner",
            "It reads one range for a rectangle around the centre, or two at the edge of the map, and keeps what is near.",
            Search(|places, centre, reach| corner_to_corner(places, centre, reach, false)),
        );
    for wrong in wrong_cells()
        .into_iter()
        .chain(wrong_distances())
        .chain(wrong_rows())
    {
        all = all.wrong(wrong);
    }
    all
}

/// A wrong search over nine cells.
macro_rules! wrong {
    ($name:literal, $flaw:ident) => {
        Wrong::new(
            $name,
            Search(|places, centre, reach| nine_cells(places, centre, reach, $flaw)),
        )
    };
}

/// Whether a search finds just these.
fn finds(search: &Search, places: &[Place], centre: Place, reach: u8, expected: &[usize]) -> bool {
    (search.0)(places, centre, reach) == expected
}

/// They read too few cells, or the wrong ones.
fn wrong_cells() -> Vec<Wrong<Search>> {
    vec![
        wrong!("own_cell_alone", OwnCell)
            .says("It reads the cell of the centre and no other.")
            .shows("when the border of a cell runs between centre and place", |search| {
                finds(search, &[(128, 9)], (127, 9), 2, &[0])
            }),
        wrong!("corners_forgotten", Corners)
            .says("It reads the cells to the north, south, east and west, and not those at the corners.")
            .shows("when a place lies in a cell that touches only at a corner", |search| {
                finds(search, &[(128, 128)], (127, 127), 2, &[0])
            }),
        wrong!("cells_too_small", SmallCells)
            .says("Its cells are half as wide as they have to be.")
            .shows("at places nearly as far away as the reach", |search| {
                (0..16).all(|x| finds(search, &[(x + 8, 9)], (x, 9), 8, &[0]))
            }),
        wrong!("no_way_around", NoWayAround)
            .says("It stops at the western and eastern edge of the map.")
            .shows("between columns 255 and 0", |search| {
                finds(search, &[(255, 9)], (0, 9), 2, &[0])
            }),
        wrong!("ends_joined", EndsJoined)
            .says("It goes on in row 0 after row 255.")
            .shows("between rows 255 and 0", |search| {
                finds(search, &[(9, 255)], (9, 0), 2, &[])
            }),
        Wrong::new(
            "stops_at_a_stranger",
            Search(|places, centre, reach| corner_to_corner(places, centre, reach, true)),
        )
        .says("It reads from the lowest corner of a rectangle upwards, and stops at the first place outside of it.")
        .shows("when the curve leaves the rectangle and a place is there", |search| {
            finds(search, &[(2, 1), (3, 0), (4, 1)], (3, 2), 2, &[0, 1, 2])
                && finds(search, &[(2, 2), (0, 4), (3, 4)], (3, 3), 2, &[0, 2])
        }),
    ]
}

/// They read enough, and decide wrongly.
fn wrong_distances() -> Vec<Wrong<Search>> {
    vec![
        wrong!("without_the_distance", NoDistance)
            .says("It returns everything in the nine cells.")
            .shows("at places outside of the circle", |search| {
                finds(search, &[(20, 20)], (16, 16), 4, &[])
            }),
        wrong!("square_for_circle", Square)
            .says("It takes the greater one of both ways for the distance.")
            .shows("at the corners of the square around the circle", |search| {
                finds(search, &[(20, 20)], (16, 16), 4, &[])
            }),
        wrong!("both_ways_added", Blocks)
            .says("It adds both ways, as one walks through a town.")
            .shows(
                "at places that are near, and neither in the column nor in the row of the centre",
                |search| finds(search, &[(19, 20)], (16, 16), 5, &[0]),
            ),
        wrong!("edge_left_out", EdgeLeftOut)
            .says("It takes places that are less far away than the reach.")
            .shows("at places exactly as far away as the reach", |search| {
                finds(search, &[(19, 20)], (16, 16), 5, &[0])
            }),
        wrong!("rows_as_signed_bytes", RowsAsSignedBytes)
            .says("It keeps the difference of two rows in a signed byte.")
            .shows("at places more than 128 rows away", |search| {
                finds(search, &[(9, 200)], (9, 0), 100, &[])
            }),
        wrong!("reach_of_nothing", ReachOfNothing)
            .says("It finds nothing when the reach is 0.")
            .shows(
                "when the reach is 0 and a place lies at the centre",
                |search| finds(search, &[(9, 9)], (9, 9), 0, &[0]),
            ),
    ]
}

/// They lose rows, or find some twice.
fn wrong_rows() -> Vec<Wrong<Search>> {
    vec![
        wrong!("last_number_missed", LastNumber)
            .says("Its ranges stop one before the last number of each cell.")
            .shows("at the north-eastern point of a cell", |search| {
                finds(search, &[(15, 15)], (12, 12), 8, &[0])
            }),
        wrong!("one_at_each_point", OneAtEachPoint)
            .says("It keeps one place for each number, so that the next one at the same point replaces it.")
            .shows("with two places at one point", |search| {
                finds(search, &[(9, 9), (9, 9)], (9, 9), 1, &[0, 1])
            }),
        wrong!("found_twice", FoundTwice)
            .says("When the map is only two cells wide, it reads the same cell as the eastern and as the western one.")
            .shows("with a reach of more than 64", |search| {
                finds(search, &[(130, 9)], (120, 9), 65, &[0])
            }),
        wrong!("nearest_first", NearestFirst)
            .says("It returns the nearest place first.")
            .shows("with a far place before a near one", |search| {
                finds(search, &[(12, 9), (9, 9)], (9, 9), 4, &[0, 1])
            }),
        Wrong::new("positions_for_indices", Search(positions))
            .says("It returns where the places are in its index, which is sorted by number, and not where they were given.")
            .shows("with places that are not given in the order of their numbers", |search| {
                finds(search, &[(12, 9), (9, 9)], (9, 9), 2, &[1])
            }),
        wrong!("half_the_bits", HalfTheBits)
            .says("It drops the lowest bit of each coordinate.")
            .shows("at places near the edge of the circle", |search| {
                finds(search, &[(19, 16)], (16, 16), 2, &[])
            }),
    ]
}
