//! Three ways to number the points of a small map, compared: row by row, Z-order, and Hilbert's curve.

use std::ops::RangeInclusive;

use book::output;
use engine::keys::{ZBox, interleave};

/// Numbers the points of a square with this side.
type Curve = fn(side: u32, x: u32, y: u32) -> u64;

fn row_by_row(side: u32, x: u32, y: u32) -> u64 {
    u64::from(y * side + x)
}

fn z_order(_side: u32, x: u32, y: u32) -> u64 {
    interleave(x, y)
}

// ANCHOR: hilbert
/// Hilbert's curve: quarter by quarter as in Z-order, but each quarter is turned so that
/// its end touches the start of the next.
fn hilbert(side: u32, mut x: u32, mut y: u32) -> u64 {
    let mut number = 0;
    let mut half = side / 2;
    while half > 0 {
        let (right, top) = (x & half > 0, y & half > 0);
        let quarter = match (right, top) {
            (false, false) => 0,
            (false, true) => 1,
            (true, true) => 2,
            (true, false) => 3,
        };
        number = number << 2 | quarter;
        (x, y) = (x & (half - 1), y & (half - 1));
        if !top {
            if right {
                (x, y) = (half - 1 - x, half - 1 - y);
            }
            (x, y) = (y, x);
        }
        half /= 2;
    }
    number
}
// ANCHOR_END: hilbert

/// The ranges of numbers that the points of a rectangle form.
fn ranges(curve: Curve, side: u32, x: &RangeInclusive<u32>, y: &RangeInclusive<u32>) -> Vec<u64> {
    let mut numbers: Vec<u64> = (x.clone())
        .flat_map(|x| y.clone().map(move |y| curve(side, x, y)))
        .collect();
    numbers.sort_unstable();
    numbers
}

/// How many ranges these numbers form, and how many strangers stand in the gaps that are left over when only the
/// `limit - 1` widest gaps are kept out.
fn cost(numbers: &[u64], limit: usize) -> (usize, u64) {
    let mut gaps: Vec<u64> = (numbers.windows(2))
        .map(|pair| pair[1] - pair[0] - 1)
        .filter(|&gap| gap > 0)
        .collect();
    gaps.sort_unstable_by(|a, b| b.cmp(a));
    let wasted = gaps.iter().skip(limit - 1).sum();
    (gaps.len() + 1, wasted)
}

fn spans(side: u32) -> impl Iterator<Item = RangeInclusive<u32>> {
    (0..side).flat_map(move |low| (low..side).map(move |high| low..=high))
}

#[test]
fn hilberts_curve_visits_each_point_once_and_never_jumps() {
    let side = 16;
    let mut path = vec![None; 256];
    for x in 0..side {
        for y in 0..side {
            let place = &mut path[hilbert(side, x, y) as usize];
            assert_eq!(place.replace((x, y)), None);
        }
    }
    let steps = path.windows(2).map(|pair| {
        let ((a, b), (c, d)) = (pair[0].unwrap(), pair[1].unwrap());
        a.abs_diff(c) + b.abs_diff(d)
    });
    assert!(steps.into_iter().all(|step| step == 1));
}

// ANCHOR: curves
#[test]
fn what_every_rectangle_costs_on_three_curves() {
    const SIDE: u32 = 16;
    let curves: [(&str, Curve); 3] = [
        ("row by row", row_by_row),
        ("Z-order", z_order),
        ("Hilbert", hilbert),
    ];
    let mut table = format!(
        "{:<12}{:>14}{:>26}{:>26}\n",
        "curve", "exact ranges", "read, 1 range at most", "read, 4 ranges at most"
    );
    let mut means = Vec::new();
    for (name, curve) in curves {
        let (mut boxes, mut exact, mut points, mut one, mut four) = (0, 0, 0, 0, 0);
        for x in spans(SIDE) {
            for y in spans(SIDE) {
                let numbers = ranges(curve, SIDE, &x, &y);
                let (count, wasted) = cost(&numbers, 1);
                boxes += 1;
                exact += count;
                points += numbers.len() as u64;
                one += wasted;
                four += cost(&numbers, 4).1;
                if name == "Z-order" {
                    let searched = ZBox::new(x.clone(), y.clone()).unwrap();
                    assert_eq!(searched.ranges(usize::MAX).len(), count);
                }
            }
        }
        let mean = exact as f64 / f64::from(boxes);
        let times = |wasted: u64| (points + wasted) as f64 / points as f64;
        table += &format!(
            "{name:<12}{mean:>14.1}{:>26}{:>26}\n",
            format!("{:.2} times the points", times(one)),
            format!("{:.2} times the points", times(four)),
        );
        means.push((mean, times(four)));
    }
    table += &format!(
        "all {} rectangles of a map of {SIDE} by {SIDE}\n",
        136 * 136
    );
    output::check("09-two-dimensions/outputs/curves.txt", &table);
    let [rows, z, hilbert] = means[..] else {
        panic!("three curves")
    };
    assert!(hilbert.0 < z.0 && z.1 < rows.1);
}
// ANCHOR_END: curves
