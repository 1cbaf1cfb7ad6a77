//! What goes wrong when the rows of a window are walked, or its names are put together.

use kit::Mistake;

use crate::newest_first::{Feed, Rows};
use crate::solutions::newest_first::{key, newest};

const WINDOW: &str = "a-window-turns-round";
const TASK: &str = "newest-first";

fn mistake(name: &str, scan: fn(&Rows, u64, u64, usize) -> Vec<Vec<u8>>) -> Mistake<Feed> {
    Mistake::<Feed>::new(name, "newest", "window", Feed::new(key, scan))
}

/// The first eight bytes of a row as a number.
fn front(row: &[u8]) -> u64 {
    row.first_chunk().map_or(0, |key| u64::from_be_bytes(*key))
}

fn time(row: &[u8]) -> u64 {
    u64::MAX - front(row)
}

fn names<'a>(rows: impl Iterator<Item = &'a Vec<u8>>) -> Vec<Vec<u8>> {
    rows.map(|row| row[8..].to_vec()).collect()
}

/// All of them.
pub(crate) fn all() -> Vec<Mistake<Feed>> {
    let mut mistakes = of_the_walk();
    mistakes.extend(of_the_bounds());
    mistakes.push(without_carry());
    mistakes.push(least_time());
    mistakes.extend(cut_to_32_bits());
    mistakes.extend(panics());
    mistakes
}

fn of_the_walk() -> Vec<Mistake<Feed>> {
    vec![
        mistake("walk_without_a_start", |rows, from, to, limit| {
            let inside = |row: &&Vec<u8>| (from..to).contains(&time(row));
            names(rows.iter().take_while(inside).take(limit))
        })
        .says("a walk from the newest row that stops at the first one outside of the window")
        .why(
            "`take_while` stops for good. If anything is newer than the window, that is the first row, and nothing is found. Begin after the rows of \
             `to`, by `range`, or `filter` all rows.",
        )
        .link(TASK),
        mistake("last_name_of_each_time", |rows, from, to, limit| {
            let all: Vec<&Vec<u8>> = rows.iter().collect();
            let last = all.chunk_by(|a, b| time(a) == time(b)).filter_map(<[_]>::last);
            let some: Rows = last.map(|row| row.to_vec()).collect();
            newest(&some, from, to, limit)
        })
        .says("one name of each time, the last")
        .why(
            "Several events may have one time, and the name tells their rows apart. A map from times to names keeps what was put in last, \
             and loses all others.",
        )
        .link(TASK),
        mistake("keys_read_as_plain_times", |rows, from, to, limit| {
            let inside = |row: &&Vec<u8>| (from..to).contains(&front(row));
            names(rows.iter().filter(inside).take(limit))
        })
        .says("the first eight bytes of a row taken for its time")
        .why("They are `u64::MAX - time`. Read back, they have to be turned round once more: `u64::MAX - number`.")
        .link(WINDOW),
        mistake("limit_counts_what_is_left_out", |rows, from, to, limit| {
            let found = rows.iter().filter(|row| from < to && (from..=to).contains(&time(row)));
            names(found.take(limit).filter(|row| time(row) < to))
        })
        .says("a limit that counts the events at `to`, which are left out afterwards")
        .why(
            "Where events are at `to`, fewer names are given than asked for, though there are more. What is not in the window has to be gone before the \
             limit counts: `filter` first, then `take`.",
        )
        .link(TASK),
        mistake("sorted_by_name_before_the_limit", |rows, from, to, limit| {
            let mut names = newest(rows, from, to, usize::MAX);
            names.sort();
            names.truncate(limit);
            names
        })
        .says("all names of the window sorted by their own bytes, and then the first of them")
        .why(
            "The newest time comes first, and a limit is for the newest events. The rows have that order already; a sort by names, or a set of \
             them, forgets it.",
        )
        .link(TASK),
    ]
}

fn of_the_bounds() -> Vec<Mistake<Feed>> {
    vec![
        mistake("greatest_to_is_no_end", |rows, from, to, limit| {
            let before = |row: &[u8]| time(row) < to || to == u64::MAX;
            let inside = |row: &&Vec<u8>| from < to && from <= time(row) && before(row);
            names(rows.iter().filter(inside).take(limit))
        })
        .says("no end where `to` is `u64::MAX`")
        .why(
            "`u64::MAX` is a time like any other, and the window leaves it out. Nobody can ask for the events at the greatest time with a window \
             that ends; that is how half-open windows are.",
        )
        .link(TASK),
        mistake("to_zero_is_no_end", |rows, from, to, limit| {
            let inside = |row: &&Vec<u8>| from <= time(row) && (time(row) < to || to == 0);
            names(rows.iter().filter(inside).take(limit))
        })
        .says("no end where `to` is 0")
        .why("0 is a time, and no window that ends there holds an event. Whoever wants no end asks for `u64::MAX`.")
        .link(TASK),
        mistake("ends_before_one_ff", |rows, from, to, limit| {
            let end = [&key(from)[..], b"\xff"].concat();
            let rows = rows.iter().filter(|row| time(row) < to && from < to && **row < end);
            names(rows.take(limit))
        })
        .says("an end just before the key of `from` and one byte ff")
        .why(
            "A name may be `\\xff`, or begin with it, and its row does not come before that end. The first key after all rows of `from` is that of \
             the time before it.",
        )
        .link(WINDOW),
        mistake("starts_at_one_ff", |rows, from, to, limit| {
            let start = [&key(to)[..], b"\xff"].concat();
            let rows = rows.iter().filter(|row| time(row) >= from && from < to && **row >= start);
            names(rows.take(limit))
        })
        .says("a start at the key of `to` and one byte ff")
        .why(
            "A name of `to` may begin with ff, and then its row is in. The first key after all rows of `to` is that of the time before it.",
        )
        .link(WINDOW),
    ]
}

/// An end for time 0, which has no time before it.
fn least_time() -> Mistake<Feed> {
    fn ending(ff: usize) -> Feed {
        Feed::new(key, move |rows: &Rows, from, to, limit| {
            let end = if from == 0 {
                vec![0xff; ff]
            } else {
                key(from - 1).to_vec()
            };
            let inside = |row: &&Vec<u8>| from < to && time(row) < to && **row < end;
            names(rows.iter().filter(inside).take(limit))
        })
    }
    Mistake::new("time_zero_ends_at_bytes_ff", "newest", "window", ending(9))
        .or(ending(16))
        .says("the right window, but for an end made of bytes ff where `from` is 0")
        .why(
            "The key of time 0 is eight bytes ff, and its names follow. A name may be bytes ff as well, as many as somebody likes: no number of them comes \
             after all rows. A window from 0 needs no end: `range(start..)`.",
        )
        .link(WINDOW)
}

/// Numbers that `as u32` has cut.
fn cut_to_32_bits() -> [Mistake<Feed>; 2] {
    fn cut(time: u64) -> u64 {
        time & u64::from(u32::MAX)
    }
    // In a class without a greater number, 16 bits are as good as 32: whole.
    let mistake =
        |name, scan: fn(&Rows, u64, u64, usize) -> Vec<Vec<u8>>| mistake(name, scan).whole();
    [
        mistake("bounds_cut_to_32_bits", |rows, from, to, limit| {
            let inside = |row: &&Vec<u8>| (cut(from)..cut(to)).contains(&time(row));
            names(rows.iter().filter(inside).take(limit))
        })
            .says("a window between bounds cut by `as u32`")
            .why(
                "A time is a `u64`, and 32 bits hold milliseconds for 49 days. A bound that needs more becomes another one: `u64::MAX` becomes \
                 4294967295, and all later events stay out.",
            )
            .link(TASK),
        mistake("times_cut_to_32_bits", |rows, from, to, limit| {
            let inside = |row: &&Vec<u8>| (cut(from)..cut(to)).contains(&cut(time(row)));
            names(rows.iter().filter(inside).take(limit))
        })
            .says("times and bounds cut by `as u32` before they are compared")
            .why("A time is a `u64`, and 32 bits hold milliseconds for 49 days. Cut to that, 2^32 is 0, and the events of many years are put in one place.")
            .link(TASK),
    ]
}

/// The first key after all rows of a time, without the carry.
fn without_carry() -> Mistake<Feed> {
    fn raised(time: u64) -> Vec<u8> {
        let [front @ .., last] = key(time);
        [&front[..], &[last.wrapping_add(1)]].concat()
    }
    // Whoever begins at the key of the last time in the window has one bound right.
    fn first(to: u64) -> Vec<u8> {
        to.checked_sub(1)
            .map_or_else(|| raised(to), |last| key(last).to_vec())
    }
    let feed = |start: fn(u64) -> Vec<u8>| {
        Feed::new(key, move |rows, from, to, limit| {
            let (start, end) = (start(to), raised(from));
            if from >= to || start >= end {
                return Vec::new();
            }
            names(rows.range(start..end).take(limit))
        })
    };
    Mistake::new("last_byte_raised_without_carry", "newest", "window", feed(raised))
        .or(feed(first))
        .says("a bound that is a key with one added to its last byte, and ff made 00")
        .why(
            "You look for what comes after all rows of a time, and that is the right thought. But where the last byte is ff, as in the key of time 256, 00 \
             is smaller: one has to be carried into the byte before it. The key of the time before is that bound, and only time 0 has none before it.",
        )
        .link(WINDOW)
}

/// Bounds that `range`, or their own bytes, have no room for.
fn panics() -> Vec<Mistake<Feed>> {
    let mistake = |name, scan: fn(&Rows, u64, u64, usize) -> Vec<Vec<u8>>| {
        Mistake::<Feed>::new(name, "newest", "returns", Feed::new(key, scan))
    };
    // The key with one added to its last byte.
    fn raised(time: u64) -> Vec<u8> {
        let [front @ .., last] = key(time);
        let last = last.checked_add(1).expect("attempt to add with overflow");
        [&front[..], &[last]].concat()
    }
    vec![
        mistake("bounds_not_exchanged_and_nothing_asked", |rows, from, to, limit| {
            names(rows.range(key(from).to_vec()..key(to).to_vec()).take(limit))
        })
        .says("a range from the key of `from` to the key of `to`, whichever of them comes first")
        .why(
            "The greater time has the smaller key. So the range of every window ends before it starts, and `range` panics. From and to change \
             places. And where `from` is not less than `to`, no range is needed: there are no events.",
        )
        .link(WINDOW),
        mistake("last_byte_raised_panics", |rows, from, to, limit| {
            if from >= to {
                return Vec::new();
            }
            names(rows.range(raised(to)..raised(from)).take(limit))
        })
        .says("bounds that are the keys of `to` and `from` with one added to the last byte")
        .why(
            "You look for what comes after all rows of a time, and that is the right thought. But the last byte of a key may be ff, as for the time 256. Then \
             one has to be carried into the byte before it. The key of the time before is that bound, and only time 0 has none before it.",
        )
        .link(WINDOW),
    ]
}
