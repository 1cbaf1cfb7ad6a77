//! Wrong and right answers that no gallery holds: what is said of them must be true.

#[path = "../checks/box_ranges.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod box_ranges;
#[path = "../checks/cell_range.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod cell_range;
#[path = "../checks/interleave.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod interleave;
#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../checks/predict_curve.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod predict_curve;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../checks/test_place_search.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_place_search;

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use kit::answer::Death;
use kit::isolate::observe_here;
use kit::judge::judge;
use kit::unseen::{every_bit_counts, judged, named, observed, pairs_call_nothing_right};
use kit::{Outcome, State, Verdict, Who};

use cell_range::Cells;
use interleave::Curve;
use predict_curve::Predictions;
use solutions::box_ranges::box_ranges as right_ranges;
use solutions::cell_range::{cell_range as right_range, common_cell as right_cell};
use solutions::interleave::{deinterleave, interleave as right_number};
use test_place_search::Asked;

fn curve(
    encode: impl Fn(u32, u32) -> u64 + Send + Sync + 'static,
    decode: impl Fn(u64) -> (u32, u32) + Send + Sync + 'static,
) -> Verdict {
    judged(&interleave::exercise_of(Curve::new(encode, decode)))
}

fn cells(
    range: impl Fn(u64, u32) -> Range<u64> + Send + Sync + 'static,
    common: impl Fn(u64, u64) -> (u64, u32) + Send + Sync + 'static,
) -> Verdict {
    judged(&cell_range::exercise_of(Cells::new(range, common)))
}

type Span = RangeInclusive<u32>;

fn ranges(f: impl Fn(Span, Span) -> Vec<RangeInclusive<u64>> + Send + Sync + 'static) -> Verdict {
    judged(&box_ranges::exercise_of(Arc::new(f)))
}

fn tested(test: impl Fn(Asked<'_>) + Send + Sync + 'static) -> Verdict {
    let tester = test_place_search::tester(test);
    judged(&test_place_search::exercise_of(tester))
}

/// The bits of a coordinate with a 0 before each, half by half.
fn spread(coordinate: u32) -> u64 {
    let mut bits = u64::from(coordinate);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}

/// All points of a small rectangle, sorted and joined.
fn listed(x: &Span, y: &Span) -> Vec<RangeInclusive<u64>> {
    let points = x
        .clone()
        .flat_map(|x| y.clone().map(move |y| right_number(x, y)));
    let mut numbers: Vec<u64> = points.collect();
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    runs.map(|run| run[0]..=run[run.len() - 1]).collect()
}

#[test]
fn right_answers_pass_however_they_are_written() {
    let by_text = |number: u64| {
        let bits: Vec<char> = format!("{number:064b}").chars().collect();
        let every = |from: usize| {
            let text: String = bits.iter().skip(from).step_by(2).collect();
            u32::from_str_radix(&text, 2).unwrap()
        };
        (every(0), every(1))
    };
    let verdict = curve(|x, y| spread(x) << 1 | spread(y), by_text);
    assert_eq!(verdict.state, State::Passed);

    let by_size = |prefix: u64, cuts: u32| {
        let size = 4_u64.pow(26 - cuts);
        prefix * size..prefix * size + size
    };
    let by_climbing = |a: u64, b: u64| {
        let mut cell = (a, b, 26);
        while cell.0 != cell.1 {
            cell = (cell.0 >> 2, cell.1 >> 2, cell.2 - 1);
        }
        (cell.0, cell.2)
    };
    assert_eq!(cells(by_size, by_climbing).state, State::Passed);
    assert_eq!(ranges(|x, y| listed(&x, &y)).state, State::Passed);
}

#[test]
fn a_bit_that_went_wrong_is_pointed_at() {
    let one_turned = |x, y| right_number(x, y) ^ 1;
    observed(
        &curve(one_turned, deinterleave),
        "number",
        &[
            "interleave(0, 0) must be 0, but it is 1",
            "`deinterleave` is right.",
        ],
    );
    // Eight steps forgotten: the loop goes to 24.
    let short = |x: u32, y: u32| right_number(x & 0xff_ffff, y & 0xff_ffff);
    observed(
        &curve(short, deinterleave),
        "number",
        &["It is right on all points with coordinates below 8"],
    );
    let x_alone = |x: u32, y: u32| right_number(x, y & 0xffff);
    observed(
        &curve(x_alone, deinterleave),
        "number",
        &["interleave(0, 0x10000) must be 0x100000000, but it is 0"],
    );
}

#[test]
fn two_misconceptions_are_named_as_two() {
    let exchanged_and_cut = |x: u32, y: u32| right_number(y & 0xffff, x & 0xffff);
    named(
        &curve(exchanged_and_cut, deinterleave),
        "axes_exchanged+sixteen_bits_alone",
    );
    let far_too_far = |prefix: u64, cuts: u32| {
        let rest = 64 - 2 * cuts;
        let shift = |bits: u64| bits.checked_shl(rest).unwrap_or(0);
        shift(prefix)..shift(prefix + 1).wrapping_add(1)
    };
    named(
        &cells(far_too_far, right_cell),
        "shifted_to_64_bits+end_one_too_far",
    );
    let exchanged_backwards = |x: Span, y: Span| {
        let mut ranges = right_ranges(y, x);
        ranges.reverse();
        ranges
    };
    named(
        &ranges(exchanged_backwards),
        "axes_exchanged+greatest_first",
    );
}

#[test]
fn a_wrong_way_back_beside_a_right_number() {
    let y_lost = |number: u64| (deinterleave(number).0, 0);
    observed(
        &curve(right_number, y_lost),
        "round-trip",
        &[
            "deinterleave(0x1) must be (0, 1), but it is (0, 0)",
            "It is right on all points with y = 0",
            "`interleave` is right.",
        ],
    );
    let one_more = |number: u64| {
        let (x, y) = deinterleave(number);
        (x.wrapping_add(1), y)
    };
    observed(
        &curve(right_number, one_more),
        "round-trip",
        &["but it is (1, 0)"],
    );
}

#[test]
fn cells_are_told_by_their_kind() {
    let never_the_smallest = |prefix: u64, cuts: u32| {
        if cuts == 26 {
            prefix..prefix
        } else {
            right_range(prefix, cuts)
        }
    };
    observed(
        &cells(never_the_smallest, right_cell),
        "range",
        &["It is right on all cells of 1 to 25 cuts, all cells without a cut"],
    );
}

#[test]
fn a_common_cell_that_is_too_large() {
    let one_cut_less = |a: u64, b: u64| {
        let (prefix, cuts) = right_cell(a, b);
        if cuts > 0 {
            (prefix >> 2, cuts - 1)
        } else {
            (prefix, cuts)
        }
    };
    observed(
        &cells(right_range, one_cut_less),
        "common",
        &[
            "common_cell(5, 5) must be prefix 5, 26 cuts, but it is prefix 1, 25 cuts",
            "It is right on all numbers that share no cell but the map.",
            "`cell_range` is right.",
        ],
    );
}

#[test]
fn rectangles_are_told_by_their_ranges() {
    // Cut through the middle of the rectangle, where the curve does not pass.
    fn halved(x: Span, y: Span) -> Vec<RangeInclusive<u64>> {
        if x.is_empty() || y.is_empty() {
            return Vec::new();
        }
        if x.start() == x.end() && y.start() == y.end() {
            let number = right_number(*x.start(), *y.start());
            return vec![number..=number];
        }
        let middle = |span: &Span| span.start() + (span.end() - span.start()) / 2;
        let (mut lower, upper) = if x.end() - x.start() >= y.end() - y.start() {
            let at = middle(&x);
            (
                halved(*x.start()..=at, y.clone()),
                halved(at + 1..=*x.end(), y),
            )
        } else {
            let at = middle(&y);
            (
                halved(x.clone(), *y.start()..=at),
                halved(x, at + 1..=*y.end()),
            )
        };
        lower.extend(upper);
        lower
    }
    observed(
        &ranges(halved),
        "ranges",
        &["box_ranges(0..=0, 0..=1) must be [0..=1], but it is [0..=0, 1..=1]"],
    );
    let lower_edges_lost = |x: Span, y: Span| {
        let start = if x.is_empty() {
            *x.start()
        } else {
            x.start() + 1
        };
        right_ranges(start..=*x.end(), y)
    };
    observed(
        &ranges(lower_edges_lost),
        "ranges",
        &["It is right on all rectangles without a point"],
    );
    let one_point_lost = |x: Span, y: Span| {
        let mut ranges = right_ranges(x, y);
        ranges.retain(|range| range.start() != range.end());
        ranges
    };
    observed(
        &ranges(one_point_lost),
        "ranges",
        &["box_ranges(0..=0, 0..=0) must be [0..=0], but it is []"],
    );
}

#[test]
fn predictions_show_one_wrong_place_and_not_the_answer() {
    let verdict = judged(&predict_curve::exercise_of(Predictions {
        by_number: || ['h', 'g', 'c', 'a', 'e', 'f', 'b', 'd'],
        shared_bits: || [4, 2, 0, 2],
    }));
    observed(
        &verdict,
        "numbers",
        &[
            "you put h before g, but h has the greater number",
            "of c and e you say that they share 2, but they share fewer",
        ],
    );
    let verdict = judged(&predict_curve::exercise_of(Predictions {
        by_number: || ['a'; 8],
        shared_bits: || [4, 1, 0, 9],
    }));
    observed(
        &verdict,
        "numbers",
        &[
            "a occurs 8 times in your list, not once",
            "of g and h you say that they share 9, but they share fewer",
        ],
    );
}

#[test]
fn a_test_that_no_gallery_holds_is_told_what_it_lets_pass() {
    let borders_alone = |search: Asked<'_>| {
        for at in [31, 63, 127] {
            assert_eq!(search(&[(at + 1, at + 1)], (at, at), 3), [0]);
            assert_eq!(
                search(&[(at + 3, at + 3)], (at, at), 3),
                Vec::<usize>::new()
            );
        }
    };
    observed(
        &tested(borders_alone),
        "kills",
        &["killed", "no_way_around"],
    );
    let always_no = |_: Asked<'_>| panic!("I trust nobody");
    let verdict = tested(always_no);
    named(&verdict, "refuses_everything");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    assert!(words.join(" ").contains("I trust nobody"));
}

#[test]
fn a_test_that_panics_by_itself_refuses_nobody() {
    let verdict = tested(|search| {
        for reach in 0..=100_u8 {
            let near = usize::from(reach * reach <= reach * reach);
            assert_eq!(search(&[(reach, 0)], (0, 0), reach).len(), near);
        }
    });
    observed(
        &verdict,
        "accepts-right",
        &[
            "your test panics by itself at ",
            "attempt to multiply with overflow",
        ],
    );
}

#[test]
fn rectangles_reach_the_end_of_the_map() {
    let half_open = |x: Span, y: Span| {
        let columns = *x.start()..x.end().checked_add(1).expect("a column after the last");
        let rows = *y.start()..y.end().checked_add(1).expect("a row after the last");
        if columns.is_empty() || rows.is_empty() {
            return Vec::new();
        }
        right_ranges(columns.start..=columns.end - 1, rows.start..=rows.end - 1)
    };
    named(&ranges(half_open), "edge_plus_one_overflows");
}

#[test]
fn rectangles_may_have_many_ranges() {
    let sixteen_at_most = |x: Span, y: Span| {
        let mut ranges = right_ranges(x, y);
        if let (Some(last), 17..) = (ranges.last().cloned(), ranges.len()) {
            ranges.truncate(16);
            ranges[15] = *ranges[15].start()..=*last.end();
        }
        ranges
    };
    observed(
        &ranges(sixteen_at_most),
        "ranges",
        &["box_ranges(1..=14, 1..=14)"],
    );
}

#[test]
fn every_range_counts_however_many_there_are() {
    for most in [40, 100, 1000] {
        let cut = move |x: Span, y: Span| {
            let mut found = right_ranges(x, y);
            found.truncate(most);
            found
        };
        observed(&ranges(cut), "ranges", &["It is wrong on"]);
        // As many as wanted, and the last one is another.
        let bent = move |x: Span, y: Span| {
            let mut found = right_ranges(x, y);
            if let Some(last) = found.get_mut(most) {
                *last = *last.start()..=*last.end() + 1;
            }
            found
        };
        observed(&ranges(bent), "ranges", &["It is wrong on"]);
    }
}

#[test]
fn a_test_that_sorts_is_not_taken_for_one_that_counts() {
    let near = |place: (u8, u8), centre: (u8, u8), reach: u8| {
        let across = i32::from(place.0.abs_diff(centre.0));
        let across = across.min(256 - across);
        let up = i32::from(place.1.abs_diff(centre.1));
        across * across + up * up <= i32::from(reach).pow(2)
    };
    let sorts = move |search: Asked<'_>| {
        let places: Vec<(u8, u8)> = (0..=u16::MAX)
            .step_by(5)
            .map(|place| ((place >> 8) as u8, place as u8))
            .chain([(1, 1), (1, 1)])
            .collect();
        for centre in [(0, 0), (128, 128), (255, 255), (127, 127), (63, 200)] {
            for reach in [0, 1, 2, 3, 31, 32, 64, 99, 100] {
                let mut found = search(&places, centre, reach);
                found.sort_unstable();
                let wanted = (0..places.len()).filter(|&n| near(places[n], centre, reach));
                assert_eq!(found, wanted.collect::<Vec<_>>());
            }
        }
    };
    named(&tested(sorts), "sorted_before_compared");
}

#[test]
fn loops_over_bits_that_go_wrong_are_named() {
    let both_left = |mut x: u32, mut y: u32| {
        let (mut number, mut bit) = (0, 0);
        while x > 0 && y > 0 {
            number |= u64::from(y & 1) << bit | u64::from(x & 1) << (bit + 1);
            (x, y, bit) = (x >> 1, y >> 1, bit + 2);
        }
        number
    };
    named(&curve(both_left, deinterleave), "ends_with_the_smaller");
    let one_place = |x: u32, y: u32| spread(x) | spread(y);
    named(&curve(one_place, deinterleave), "both_on_the_even_bits");
    let upwards = |mut a: u64, mut b: u64| {
        let mut steps = 0;
        while a != b {
            (a, b, steps) = (a >> 2, b >> 2, steps + 1);
        }
        (a, steps)
    };
    named(&cells(right_range, upwards), "cuts_counted_from_below");
}

#[test]
fn the_end_of_the_map_is_no_small_rectangle() {
    let narrow = |x: Span, y: Span| {
        let mut ranges = right_ranges(x, y);
        for range in &mut ranges {
            let low = |n: &u64| n & u64::from(u32::MAX);
            *range = low(range.start())..=low(range.end());
        }
        ranges
    };
    observed(
        &ranges(narrow),
        "ranges",
        &["It is right on all small rectangles of one range"],
    );
}

#[test]
fn a_mask_that_is_wrong_in_one_bit_is_told_by_that_bit() {
    let spread = |coordinate: u32| {
        let steps = [
            (16, 0x0000_ffff_0000_ffff_u64),
            (8, 0x00ff_00ff_00ff_00ff),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
            (2, 0x3333_3333_3333_3333),
            (1, 0x5555_5555_5555_5557),
        ];
        let step = |bits, (shift, mask)| (bits | bits << shift) & mask;
        steps.into_iter().fold(u64::from(coordinate), step)
    };
    let masked = move |x, y| spread(x) << 1 | spread(y);
    let bit = "Bit 0 of y belongs to bit 0 of the number, and here it sets the bits 0, 1: interleave(0, 1).";
    observed(&curve(masked, deinterleave), "number", &[bit]);
    let lost = |x, y| right_number(x, y) & !(1 << 32);
    let bit = "Bit 16 of y belongs to bit 32 of the number, and here it sets no bit";
    observed(&curve(lost, deinterleave), "number", &[bit]);
}

#[test]
fn the_first_fault_of_a_rectangle_is_told() {
    let told = |f: fn(Span, Span) -> Vec<RangeInclusive<u64>>, fault: &str| {
        observed(&ranges(f), "ranges", &[fault]);
    };
    let joined = |x: Span, y: Span| {
        let mut joined: Vec<RangeInclusive<u64>> = Vec::new();
        for range in right_ranges(x, y) {
            match joined.last_mut() {
                Some(last) if range.start() - last.end() <= 3 => {
                    *last = *last.start()..=*range.end();
                }
                _ => joined.push(range),
            }
        }
        joined
    };
    told(
        joined,
        "1, the number of column 0 and row 1, is in your ranges and not in the rectangle. It lies between 0..=0 and 2..=2",
    );
    let split = |x: Span, y: Span| {
        let parts = |range: RangeInclusive<u64>| match range.end() - range.start() {
            0..=3 => vec![range],
            _ => vec![
                *range.start()..=range.start() + 2,
                range.start() + 3..=*range.end(),
            ],
        };
        right_ranges(x, y).into_iter().flat_map(parts).collect()
    };
    told(split, "0..=2 and 3..=4 touch: they are one range.");
    let doubled = |x: Span, y: Span| {
        let parts = |range: RangeInclusive<u64>| match range.end() - range.start() {
            0..=3 => vec![range],
            _ => vec![range.clone(), *range.end()..=*range.end()],
        };
        right_ranges(x, y).into_iter().flat_map(parts).collect()
    };
    told(doubled, "0..=4 and 4..=4 share some");
    let fewer = |x: Span, y: Span| {
        let mut ranges = right_ranges(x, y);
        ranges.truncate(2);
        ranges
    };
    told(fewer, "is in the rectangle and in none of your ranges.");
    let mixed = |x: Span, y: Span| {
        let mut ranges = right_ranges(x, y);
        if ranges.len() > 2 {
            ranges.swap(0, 1);
        }
        ranges
    };
    told(mixed, "comes before 0..=0: ranges ascend.");
}

#[test]
fn shifts_by_the_wrong_count_and_a_range_that_is_lost_are_named() {
    named(
        &curve(
            |x, y| {
                let at = |i: u32| u64::from(x >> i & 1) | u64::from(y >> i & 1);
                (0..32).fold(0, |number, i| number | at(i) << (2 * i + 1))
            },
            deinterleave,
        ),
        "both_on_the_odd_bits",
    );
    named(
        &curve(right_number, |number| {
            let (mut x, mut y) = (0, 0);
            for i in 0..32 {
                x |= u32::from(number >> (i + 1) & 1 == 1) << i;
                y |= u32::from(number >> i & 1 == 1) << i;
            }
            (x, y)
        }),
        "decode_shifts_by_the_bit_alone",
    );
    named(
        &cells(
            |prefix, cuts| prefix << (26 - cuts)..(prefix + 1) << (26 - cuts),
            right_cell,
        ),
        "shifted_by_half_of_the_rest",
    );
    named(
        &cells(
            |prefix, cuts| {
                let width = cuts + cuts;
                prefix << width..(prefix + 1) << width
            },
            right_cell,
        ),
        "shifted_by_what_is_cut",
    );
    named(
        &cells(right_range, |a, b| match (a ^ b).leading_zeros() / 2 {
            cuts @ 0..26 => (a >> (52 - 2 * cuts), cuts),
            _ => (a, 26),
        }),
        "counted_in_64_bits_up_to_26_cuts",
    );
    named(
        &ranges(|x, y| {
            let (mut found, mut open) = (Vec::new(), None);
            for range in listed(&x, &y) {
                found.extend(open.replace(range));
            }
            found
        }),
        "last_range_lost",
    );
}

#[test]
fn a_reach_that_the_task_excludes_is_told_so() {
    // One of the right searches finds a place twice here.
    let verdict = tested(|search| {
        assert_eq!(search(&[(0, 0), (128, 0)], (0, 0), 200), [0, 1]);
    });
    named(&verdict, "refuses_everything");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    let text = words.join(" ");
    let asks = "your test asks with a reach of 200, and the task says that it is from 0 to 100";
    assert!(text.contains(asks), "{text}");
    assert!(
        text.contains("or asks with a reach that the task excludes"),
        "{text}"
    );
}

#[test]
fn a_test_that_compares_sets_is_named() {
    let verdict = tested(|search| {
        for centre in [(0, 0), (127, 127), (255, 255), (128, 0)] {
            for reach in [0, 1, 5, 40, 90] {
                let strewn = (0..400_u32).map(|n| {
                    let [x, y] = [n * 7, n * n].map(|n| n.to_le_bytes()[0]);
                    (x, y)
                });
                let places: Vec<(u8, u8)> = strewn.chain([centre, centre]).collect();
                let near = |n: &usize| {
                    let across = i32::from(places[*n].0.abs_diff(centre.0));
                    let across = across.min(256 - across);
                    let up = i32::from(places[*n].1.abs_diff(centre.1));
                    across * across + up * up <= i32::from(reach) * i32::from(reach)
                };
                let wanted: HashSet<usize> = (0..places.len()).filter(near).collect();
                let found: HashSet<usize> = search(&places, centre, reach).into_iter().collect();
                assert_eq!(found, wanted);
            }
        }
    });
    named(&verdict, "compared_as_sets");
}

#[test]
fn a_shift_that_is_too_far_is_explained() {
    let narrow = |x: u32, y: u32| {
        let bits = (0..32).map(|i| (x >> i & 1) << (2 * i + 1) | (y >> i & 1) << (2 * i));
        u64::from(bits.sum::<u32>())
    };
    let verdict = curve(narrow, deinterleave);
    let parts = [
        "`attempt to shift left with overflow` means that a number was shifted by as many bits as it has",
    ];
    observed(&verdict, "returns", &parts);
}

#[test]
fn bits_of_points_that_go_astray_are_told() {
    // The first step back is forgotten.
    let gathered = |number: u64| {
        let mut bits = number & 0x5555_5555_5555_5555;
        for (shift, mask) in [
            (2, 0x0f0f_0f0f_0f0f_0f0f),
            (4, 0x00ff_00ff_00ff_00ff),
            (8, 0x0000_ffff_0000_ffff),
            (16, 0x0000_0000_ffff_ffff),
        ] {
            bits = (bits | bits >> shift) & mask;
        }
        bits as u32
    };
    let point = move |number: u64| (gathered(number >> 1), gathered(number));
    let parts = [
        "Bit 2 of the number is bit 1 of y, and here it gives (0, 5): deinterleave(0x4).",
        "Bit 3 of the number is bit 1 of x, and here it gives (5, 0): deinterleave(0x8).",
    ];
    observed(&curve(right_number, point), "round-trip", &parts);
}

#[test]
fn a_range_that_is_wrong_after_any_one_count_of_cuts_is_found() {
    for wrong in 0..=26 {
        let too_far = move |prefix: u64, cuts: u32| {
            let Range { start, end } = right_range(prefix, cuts);
            start..end + u64::from(cuts == wrong)
        };
        assert_eq!(cells(too_far, right_cell).state, State::Failing, "{wrong}");
    }
}

#[test]
fn of_two_mistakes_nothing_is_called_right() {
    let right = Curve::new(right_number, deinterleave);
    pairs_call_nothing_right(&interleave::exercise_of(right));
    pairs_call_nothing_right(&cell_range::exercise_of(Cells::new(
        right_range,
        right_cell,
    )));
    pairs_call_nothing_right(&box_ranges::exercise_of(Arc::new(right_ranges)));
}

#[test]
fn a_second_round_that_is_too_slow_is_no_mistake_of_another_function() {
    let exercise = interleave::exercise_of(Curve::new(right_number, deinterleave));
    let mut behaviour = observe_here(&exercise, Who::Learner);
    let death = Death::TooSlow {
        limit_ms: 8000,
        waits: false,
    };
    behaviour.unstable = Some((0, Outcome::Died(death)));
    let verdict = judge(&exercise, &behaviour);
    observed(&verdict, "returns", &["asked for the second time"]);
}

#[test]
fn ranges_that_are_joined_near_the_corner_of_the_map_alone() {
    for bits in [16, 32] {
        let joined_if_small = move |x: Span, y: Span| {
            let ranges = right_ranges(x, y).into_iter();
            let parts = ranges.flat_map(|range| {
                let (start, end) = range.into_inner();
                let is_joined = start >> bits > 0 && start % 2 == 1 && end == start + 1;
                if is_joined {
                    vec![start..=start, end..=end]
                } else {
                    vec![start..=end]
                }
            });
            parts.collect()
        };
        observed(
            &ranges(joined_if_small),
            "ranges",
            &["touch: they are one range."],
        );
    }
}

#[test]
fn every_bit_of_a_large_number_counts() {
    fn small(number: u64) -> u32 {
        u32::try_from(number & u64::from(u32::MAX)).unwrap()
    }
    every_bit_counts(0..32, 1 << 17, |astray| {
        let x_astray = move |x: u32, y| right_number(small(astray.of(x.into())), y);
        interleave::exercise_of(Curve::new(x_astray, deinterleave))
    });
    every_bit_counts(0..32, 1 << 17, |astray| {
        let y_astray = move |x, y: u32| right_number(x, small(astray.of(y.into())));
        interleave::exercise_of(Curve::new(y_astray, deinterleave))
    });
    every_bit_counts(0..64, 1 << 40, |astray| {
        let back = move |number| deinterleave(astray.of(number));
        interleave::exercise_of(Curve::new(right_number, back))
    });
    every_bit_counts(0..52, 1 << 40, |astray| {
        let of_prefix = move |prefix, cuts| right_range(astray.of(prefix), cuts);
        cell_range::exercise_of(Cells::new(of_prefix, right_cell))
    });
    every_bit_counts(0..52, 1 << 40, |astray| {
        let of_a = move |a, b| right_cell(astray.of(a), b);
        cell_range::exercise_of(Cells::new(right_range, of_a))
    });
    every_bit_counts(0..52, 1 << 40, |astray| {
        let of_b = move |a, b| right_cell(a, astray.of(b));
        cell_range::exercise_of(Cells::new(right_range, of_b))
    });
    every_bit_counts(0..32, 1 << 17, |astray| {
        box_ranges::exercise_of(Arc::new(move |x: Span, y: Span| {
            let edge = |n: &u32| small(astray.of((*n).into()));
            right_ranges(edge(x.start())..=edge(x.end()), y)
        }))
    });
}
