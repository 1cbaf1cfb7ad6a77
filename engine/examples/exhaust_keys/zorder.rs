//! The Z-order: every point of 16 and 16 bits, and every box on a small map.

use engine::keys::{ZBox, deinterleave, interleave};

use crate::{Outcome, in_parallel};

/// Every point has the number that interleaving bit by bit gives, and decodes to itself.
pub(crate) fn points() -> Outcome {
    const SIDE: u64 = 1 << 16;
    // The bits of one coordinate, moved one at a time. A point's number is the sum of two of these.
    let spread: Vec<u64> = (0..SIDE)
        .map(|n| (0..16).map(|bit| (n >> bit & 1) << (2 * bit)).sum())
        .collect();
    in_parallel(SIDE, |from, to| {
        for x in from..to {
            for y in 0..SIDE {
                let number = interleave(x as u32, y as u32);
                let expected = 2 * spread[x as usize] + spread[y as usize];
                if number != expected || deinterleave(number) != (x as u32, y as u32) {
                    return Err(format!("({x}, {y}) becomes {number}, not {expected}"));
                }
            }
        }
        Ok((to - from) * SIDE)
    })
}

/// The ranges of every box are the stretches of the curve inside it, and the next number inside is
/// found from every number.
pub(crate) fn boxes() -> Outcome {
    const SIDE: u32 = 16;
    in_parallel(u64::from(SIDE), |from, to| {
        let mut count = 0;
        for left in from as u32..to as u32 {
            for (bottom, right, top) in rests(left, SIDE) {
                let searched = ZBox::new(left..=right, bottom..=top).ok_or("an empty box")?;
                count += one_box(searched, u64::from(SIDE * SIDE))?;
            }
        }
        Ok(count)
    })
}

/// The other three edges that a box with this left edge may have.
fn rests(left: u32, side: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    (left..side).flat_map(move |right| {
        (0..side).flat_map(move |bottom| (bottom..side).map(move |top| (bottom, right, top)))
    })
}

fn one_box(searched: ZBox, numbers: u64) -> Outcome {
    let ranges = searched.ranges(usize::MAX);
    let mut next = None;
    for number in (0..numbers).rev() {
        if searched.contains(number) {
            next = Some(number);
        }
        if searched.next(number) != next {
            return Err(format!("{searched:?}: next({number}) is not {next:?}"));
        }
        let is_held = ranges.iter().any(|range| range.contains(&number));
        if is_held != searched.contains(number) {
            return Err(format!(
                "{searched:?}: {number} is in {ranges:?}: {is_held}"
            ));
        }
    }
    if let Some(pair) = ranges.windows(2).find(|w| w[0].end() + 1 >= *w[1].start()) {
        return Err(format!("{searched:?}: {pair:?} are one range"));
    }
    Ok(numbers)
}
