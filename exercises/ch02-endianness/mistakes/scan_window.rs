//! What goes wrong with a window of times.

use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::Arc;

use kit::{Mistake, Quirk, compose};

use crate::mistakes::scan_window_bounds;
use crate::scan_window::{Rows, Scan};

const TASK: &str = "scan-window";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    EndIncluded,
    StartExcluded,
    LittleEndianBounds,
    BoundsAsText,
    FourByteBounds,
    TimesReadLittleEndian,
    LatestFirst,
    SortedAsText,
    CrossedBoundsPanic,
    CrossedBoundsSwapped,
    StartIgnored,
    EndIgnored,
}
use Step::{
    BoundsAsText, CrossedBoundsPanic, CrossedBoundsSwapped, EndIgnored, EndIncluded,
    FourByteBounds, LatestFirst, LittleEndianBounds, SortedAsText, StartExcluded, StartIgnored,
    TimesReadLittleEndian,
};

const QUIRKS: [Quirk<Step>; 12] = [
    Quirk::new(EndIncluded, "end_included", "window")
        .says("a window that takes its end too")
        .why(
            "A time at the end is returned in this window and again in the next one, which starts there. \
         `a..b` leaves out `b`, `a..=b` takes it.",
        )
        .link(WRONG),
    Quirk::new(StartExcluded, "start_excluded", "window")
        .says("a window that leaves out its start")
        .why(
            "The window starts at `from`, and a time equal to it belongs to the window.",
        )
        .link(TASK),
    Quirk::new(LittleEndianBounds, "bounds_in_little_endian", "returns")
        .says("little-endian bounds given to `range`")
        .why(
            "The keys are big-endian, and a bound is compared with keys. The little-endian bytes of 4 \
              begin with 04 and lie after all small times, so most windows are empty. And where the \
              bounds change places, as those of 255 and 256 do, `range` panics. Encode bounds with the \
              function that encodes keys.",
        )
        .link(WRONG),
    Quirk::new(BoundsAsText, "bounds_as_text", "returns")
        .says("bounds that are decimal text")
        .why(
            "Text begins with a byte from 30 to 39, and the keys of all but huge times begin with 00. So \
              the window lies after them and is empty, or its bounds are crossed, 10 before 4, \
              and `range` panics. Encode bounds with the function that encodes keys.",
        )
        .link(WRONG),
    Quirk::new(FourByteBounds, "bounds_of_four_bytes", "returns")
        .says("bounds of four bytes given to `range` beside keys of eight")
        .why(
            "A bound has to have the width of the keys. The four bytes of 4 are compared with the upper \
              half of a time, which counts 2^32s, so small times fall out of the window. And `as u32` cuts \
              off the rest: 2^32 becomes 0, and `range` panics when bounds change places.",
        )
        .link(WRONG),
    Quirk::new(TimesReadLittleEndian, "times_read_in_little_endian", "window")
        .says("the right rows with their keys read in little-endian")
        .why(
            "The window is right. The keys were written big-endian, and have to be read in the same order: \
         4 comes back as 288230376151711744.",
        )
        .says_beside("keys read in little-endian")
        .why_beside(
            "The keys were written big-endian, and have to be read in the same order: 4 comes back as 288230376151711744.",
        )
        .link("invariants"),
    Quirk::new(LatestFirst, "latest_first", "window")
        .says("the right times in reverse")
        .says_beside("the latest time first")
        .why(
            "The rows come in ascending order by themselves, and so the times are asked for.",
        )
        .link(TASK),
    Quirk::new(SortedAsText, "sorted_as_text", "window")
        .says("the right times in the order of their decimal text")
        .says_beside("the times in the order of their decimal text")
        .why(
            "As text 10 comes before 5: so JavaScript sorts numbers, too. The rows are in the order of the times already, and nothing is \
             to be sorted.",
        )
        .link(TASK),
    Quirk::new(CrossedBoundsPanic, "crossed_bounds_panic", "returns")
        .says("`range` asked with its bounds crossed")
        .why(
            "`BTreeMap::range` panics when the start lies after the end. Somebody will ask for that; the \
              answer is an empty list.",
        )
        .link(TASK),
    Quirk::new(CrossedBoundsSwapped, "crossed_bounds_swapped", "window")
        .says("crossed bounds that are put in order first")
        .why(
            "From 7 to 4 there is nothing. Exchanging the bounds answers a question that nobody asked.",
        )
        .link(TASK),
    Quirk::new(StartIgnored, "start_ignored", "window")
        .says("all times before the end")
        .why(
            "A window has two bounds. Nothing keeps out what lies before `from`.",
        )
        .link(TASK),
    Quirk::new(EndIgnored, "end_ignored", "window")
        .says("all times from the start to the end of the store")
        .why(
            "A window has two bounds. Nothing stops the scan at `to`.",
        )
        .link(TASK),
];

fn bytes(steps: &[Step], time: u64) -> Vec<u8> {
    if steps.contains(&LittleEndianBounds) {
        time.to_le_bytes().to_vec()
    } else if steps.contains(&BoundsAsText) {
        time.to_string().into_bytes()
    } else if steps.contains(&FourByteBounds) {
        time.to_be_bytes()[4..].to_vec()
    } else {
        time.to_be_bytes().to_vec()
    }
}

fn answer(steps: &[Step], rows: &Rows, from: u64, to: u64) -> Vec<u64> {
    let has = |step| steps.contains(&step);
    let (mut from, mut to) = (from, to);
    if has(CrossedBoundsSwapped) && from > to {
        (from, to) = (to, from);
    }
    // Who takes the end too takes a window of one time for one that holds it.
    let empty = from > to || from == to && !has(EndIncluded);
    if empty && !has(CrossedBoundsPanic) {
        return Vec::new();
    }
    let (low, high) = (bytes(steps, from), bytes(steps, to));
    let low = match (has(StartIgnored), has(StartExcluded)) {
        (true, _) => Unbounded,
        (_, true) => Excluded(&low[..]),
        _ => Included(&low[..]),
    };
    let high = match (has(EndIgnored), has(EndIncluded)) {
        (true, _) => Unbounded,
        (_, true) => Included(&high[..]),
        _ => Excluded(&high[..]),
    };
    let keys = rows.range::<[u8], _>((low, high)).map(|(key, _)| *key);
    let mut times: Vec<u64> = keys
        .map(|key| {
            if has(TimesReadLittleEndian) {
                u64::from_le_bytes(key)
            } else {
                u64::from_be_bytes(key)
            }
        })
        .collect();
    if has(SortedAsText) {
        times.sort_by_key(u64::to_string);
    }
    if has(LatestFirst) {
        times.reverse();
    }
    times
}

fn with(steps: &[Step]) -> Option<Scan> {
    let apart = [
        &[LittleEndianBounds, BoundsAsText, FourByteBounds][..],
        &[CrossedBoundsPanic, CrossedBoundsSwapped],
        &[StartExcluded, StartIgnored],
        &[EndIncluded, EndIgnored],
        &[StartIgnored, EndIgnored],
        // A range with one bound does not panic.
        &[StartIgnored, CrossedBoundsPanic],
        &[EndIgnored, CrossedBoundsPanic],
    ];
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if apart.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Arc::new(move |rows, from, to| {
        answer(&steps, rows, from, to)
    }))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Scan>> {
    let mut mistakes = by_walking();
    mistakes.extend(scan_window_bounds::all());
    mistakes.extend(compose("scan_window", &QUIRKS, with));
    mistakes
}

/// Mistakes of those who walk over all rows, or who calculate with the bounds.
fn by_walking() -> Vec<Mistake<Scan>> {
    let mistake = |name, check, scan: fn(&Rows, u64, u64) -> Vec<u64>| {
        Mistake::<Scan>::new(name, "scan_window", check, Arc::new(scan))
    };
    vec![
        mistake("rows_compared_in_little_endian", "window", |rows, from, to| {
            let (low, high) = (from.to_le_bytes(), to.to_le_bytes());
            let inside = rows.keys().filter(|key| **key >= low && **key < high);
            inside.map(|key| u64::from_be_bytes(*key)).collect()
        })
        .says("a comparison of rows with little-endian bounds")
        .why(
            "The keys are big-endian, and a bound is compared with keys. The little-endian bytes of 4 \
             begin with 04 and lie after all small times, so the window is empty. Encode bounds with \
             the function that encodes keys.",
        )
        .link(WRONG),
        mistake("little_endian_throughout", "returns", |rows, from, to| {
            let steps = [LittleEndianBounds, TimesReadLittleEndian, CrossedBoundsPanic];
            answer(&steps, rows, from, to)
        })
        .says("little-endian bounds given to `range` unchecked, and keys read in little-endian")
        .why(
            "Your own bytes agree with each other, but the keys of the store are big-endian. Most \
             windows are empty, or `range` panics because the bounds of 255 and 256 change places. Make \
             the bounds as the keys were made, and deal with crossed bounds first.",
        )
        .link(WRONG),
        mistake("keys_taken_for_little_endian", "window", |rows, from, to| {
            let times = rows.keys().map(|key| u64::from_le_bytes(*key));
            times.filter(|time| (from..to).contains(time)).collect()
        })
        .says("a comparison of keys read in little-endian")
        .why(
            "The keys were written big-endian. Read the other way round, 4 is 288230376151711744, and \
             falls out of the window.",
        )
        .link("invariants"),
        mistake("bounds_must_exist", "window", |rows, from, to| {
            let keys = rows.keys().map(|key| u64::from_be_bytes(*key));
            let inside = keys.skip_while(|time| *time != from);
            let times: Vec<u64> = inside.take_while(|time| *time != to).collect();
            if from < to { times } else { Vec::new() }
        })
        .says("a walk from the row at `from` to the row at `to`")
        .why(
            "There may be no row at a bound. Without a row at `from` this walk never begins, without one \
             at `to` it never ends. Compare with `<`, not with `==`.",
        )
        .link(TASK),
        mistake("end_minus_one", "returns", |rows, from, to| {
            let times = rows.range(from.to_be_bytes()..=(to - 1).to_be_bytes());
            times.map(|(key, _)| u64::from_be_bytes(*key)).collect()
        })
        .says("`range` up to and with `to - 1` for all bounds")
        .why(
            "Where `to` is 0 there is no `to - 1`, and from 4 to 3 `range` panics. `from..to` leaves out \
             its end without a subtraction, and crossed bounds need an answer before `range` is asked.",
        )
        .link(TASK),
        mistake("end_minus_one_of_equal_bounds", "returns", |rows, from, to| {
            if from > to {
                return Vec::new();
            }
            let times = rows.range(from.to_be_bytes()..=(to - 1).to_be_bytes());
            times.map(|(key, _)| u64::from_be_bytes(*key)).collect()
        })
        .says("`range` up to and with `to - 1` where `from` is not greater than `to`")
        .why(
            "From 4 to 4 that is a range from 4 to 3, and `range` panics; from 0 to 0 there is no `to - 1`. `from..to` leaves \
             out its end without a subtraction.",
        )
        .link(TASK),
        mistake("walk_without_a_start", "window", |rows, from, to| {
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            times.take_while(|time| (from..to).contains(time)).collect()
        })
        .says("a walk from the first row that stops at the first time outside the window")
        .why("The first row seldom lies in the window, and then the walk ends before it has begun. Start at `from`.")
        .link(TASK),
        mistake("end_saturated", "window", |rows, from, to| {
            if from > to {
                return Vec::new();
            }
            let (low, high) = (from, to.saturating_sub(1));
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            times.filter(|time| (low..=high).contains(time)).collect()
        })
        .says("the times up to and with `to.saturating_sub(1)`")
        .why(
            "Nothing lies below 0, so the difference stays 0, and a window from 0 to 0 holds a time at 0. `from..to` leaves \
             out its end without a subtraction.",
        )
        .link(TASK),
        mistake("start_not_looked_at", "window", |rows, _, to| {
            let times = rows.range(..to.to_be_bytes());
            times.map(|(key, _)| u64::from_be_bytes(*key)).collect()
        })
        .says("all times before `to`, whatever `from` is")
        .why("A window has two bounds. Nothing keeps out what lies before `from`.")
        .link(TASK),
        mistake("end_not_looked_at", "window", |rows, from, _| {
            let times = rows.range(from.to_be_bytes()..);
            times.map(|(key, _)| u64::from_be_bytes(*key)).collect()
        })
        .says("all times from `from` on, whatever `to` is")
        .why("A window has two bounds. Nothing stops the scan at `to`, not even when `to` lies before `from`.")
        .link(TASK),
        mistake("no_bound_looked_at", "window", |rows, _, _| {
            rows.keys().map(|key| u64::from_be_bytes(*key)).collect()
        })
        .says("all times of the store, whatever `from` and `to` are")
        .why("A window has two bounds, and neither is looked at. Times before `from` and from `to` on are not wanted.")
        .link(TASK),
        mistake("one_bound_is_enough", "window", |rows, from, to| {
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            times.filter(|time| *time >= from || *time < to).collect()
        })
        .says("a filter that takes a time for one of the two bounds: `||` in place of `&&`")
        .why("From 4 up to 6 every time is either at least 4 or less than 6. It has to be both.")
        .link(TASK),
        mistake("end_included_unless_equal", "window", |rows, from, to| {
            if from >= to {
                return Vec::new();
            }
            let times = rows.range(from.to_be_bytes()..=to.to_be_bytes());
            times.map(|(key, _)| u64::from_be_bytes(*key)).collect()
        })
        .says("a `..=` between bounds that differ")
        .why(
            "A time at the end is returned in this window and again in the next one, which starts there. \
             `a..b` leaves out `b`, `a..=b` takes it.",
        )
        .link(WRONG),
        mistake("times_compared_as_signed", "window", |rows, from, to| {
            let signed = |time: u64| time.cast_signed();
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            times.filter(|time| (signed(from)..signed(to)).contains(&signed(*time))).collect()
        })
        .says("a filter that compares times as `i64`")
        .why(
            "From 2^63 on a `u64` is a negative `i64`: `u64::MAX` becomes -1, and no time lies between 0 and -1. Compare the \
             times as they are.",
        )
        .link(TASK),
        mistake("end_minus_one_wraps", "window", |rows, from, to| {
            let last = to.wrapping_sub(1);
            if from > to || from > last {
                return Vec::new();
            }
            let times = rows.range(from.to_be_bytes()..=last.to_be_bytes());
            times.map(|(key, _)| u64::from_be_bytes(*key)).collect()
        })
        .says("a window up to and with `to.wrapping_sub(1)`")
        .why(
            "0 minus 1 wraps round to `u64::MAX`, and from 0 to 0 becomes a window over all times. `from..to` leaves out its end without a \
             subtraction.",
        )
        .link(TASK),
        mistake("times_measured_from_the_start", "window", |rows, from, to| {
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            let width = to.wrapping_sub(from);
            times.filter(|time| time.wrapping_sub(from) < width).collect()
        })
        .says("a wrapping difference to `from`, compared with that of `to`")
        .why(
            "From 6 to 4 the difference wraps round, and the window goes on over the greatest time to the least one. There `from` is not less \
             than `to`, and the window is empty.",
        )
        .link(TASK),
        #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
        mistake("times_compared_as_doubles", "window", |rows, from, to| {
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            times.filter(|time| (from as f64..to as f64).contains(&(*time as f64))).collect()
        })
        .says("a filter that compares times as `f64`")
        .why(
            "A double holds 53 binary digits. Beyond 2^53 neighbours become one number: `u64::MAX` and the time before it are both 2^64. \
             Compare the times as they are.",
        )
        .link(TASK),
        mistake("times_compared_as_nineteen_digits", "window", |rows, from, to| {
            let digits = |time: u64| format!("{time:019}");
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            times.filter(|time| (digits(from)..digits(to)).contains(&digits(*time))).collect()
        })
        .says("a filter that compares times as text of nineteen digits")
        .why(
            "A `u64` has up to twenty digits. From 10^19 on they do not fit: `u64::MAX`, which begins with 1, \
             comes before 2^63, which begins with 9. Compare the times as they are.",
        )
        .link(WRONG),
        mistake("times_compared_as_text", "window", |rows, from, to| {
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            times.filter(|time| (from.to_string()..to.to_string()).contains(&time.to_string())).collect()
        })
        .or(Arc::new(|rows: &Rows, from, to| {
            let digits = |time: u64| format!("{time:x}");
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            times.filter(|time| (digits(from)..digits(to)).contains(&digits(*time))).collect()
        }))
        .says("a filter that compares times as digits of no fixed width")
        .why(
            "Text is compared from the left, sign by sign: `1` comes before `4`, and so does any longer number that begins with 1. \
             Compare the times as numbers.",
        )
        .link(WRONG),
        mistake("nothing_found", "window", |_, _, _| Vec::new())
            .says("an empty list for every window")
            .why(
                "If you meant to find something: the times are in the keys, and the values hold none. Print the first \
                 key of the store and your bound, and compare their bytes.",
            )
            .link(WRONG),
    ]
}
