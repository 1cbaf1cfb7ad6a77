//! What goes wrong with a range over keys.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::ops::Bound::{Excluded, Included, Unbounded};

use kit::Mistake;

use super::first_scan_compared;
use crate::first_scan::Scan;
use crate::stores::Store;

const WRONG: &str = "wrong-answers-and-what-each-breaks";
const TASK: &str = "first-scan";
const INVARIANTS: &str = "invariants";

fn keys<'a>(entries: impl Iterator<Item = (&'a Vec<u8>, &'a Vec<u8>)>) -> Vec<Vec<u8>> {
    entries.map(|(key, _)| key.clone()).collect()
}

fn mistake(name: &str, scan: Scan) -> Mistake<Scan> {
    Mistake::new(name, "first_scan", "range", scan)
}

fn panics(name: &str, scan: Scan) -> Mistake<Scan> {
    Mistake::new(name, "first_scan", "returns", scan)
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Scan>> {
    let mut all = wrong_bounds();
    all.extend(wrong_idea_of_a_bound());
    all.extend(wrong_idea_of_a_byte());
    all.extend(first_scan_compared::all());
    all.extend(wrong_lists());
    all
}

fn wrong_bounds() -> Vec<Mistake<Scan>> {
    vec![
        mistake("end_taken", |store, lo, hi| {
            if lo > hi { Vec::new() } else { keys(store.range::<[u8], _>((Included(lo), Included(hi)))) }
        })
        .says("a range that takes its end")
        .why(
            "`hi` is where the range stops, and no part of it. Two ranges that meet at a key would \
             both return it.",
        )
        .link(WRONG),
        mistake("end_taken_unless_equal", |store, lo, hi| {
            if lo >= hi { Vec::new() } else { keys(store.range::<[u8], _>((Included(lo), Included(hi)))) }
        })
        .says("a range that takes its end, and no keys where both bounds are the same")
        .why(
            "From `b` to `b` there is nothing, and your answer knows it. But from `a` to `b` it returns `b`: `hi` is where the range stops, \
             and no part of it. Two ranges that meet at a key would both return it.",
        )
        .link(WRONG),
        mistake("start_left_out", |store, lo, hi| {
            if lo >= hi { Vec::new() } else { keys(store.range::<[u8], _>((Excluded(lo), Excluded(hi)))) }
        })
        .says("a range that leaves out its start")
        .why("`lo` is part of the range. Of two ranges that meet at a key, neither would return it.")
        .link(WRONG),
        mistake("start_left_out_and_end_taken", |store, lo, hi| {
            if lo >= hi { Vec::new() } else { keys(store.range::<[u8], _>((Excluded(lo), Included(hi)))) }
        })
        .says("a range with its ends the wrong way round: `lo` left out, `hi` taken")
        .why("Half-open means that the start is taken and the end is not.")
        .link(WRONG),
        panics("both_ends_left_to_the_map", |store, lo, hi| {
            keys(store.range::<[u8], _>((Included(lo), Excluded(hi))))
        })
        .says("`range` alone, which panics when `lo` is greater than `hi`")
        .why(
            "`BTreeMap::range` refuses a start after the end by a panic. Nothing lies between such \
             bounds, so the answer is no keys.",
        )
        .link("first-scan"),
        panics("guard_turned_round", |store, lo, hi| {
            if lo < hi {
                return Vec::new();
            }
            keys(store.range::<[u8], _>((Included(lo), Excluded(hi))))
        })
        .says("no keys where `lo` is less than `hi`, and `range` elsewhere, which panics there")
        .why(
            "That guard is the wrong way round: between bounds in order there may be keys, and it is the others that \
             `BTreeMap::range` refuses. Return where `lo` is not less than `hi`.",
        )
        .link("first-scan"),
        panics("end_taken_and_both_left_to_the_map", |store, lo, hi| {
            keys(store.range::<[u8], _>((Included(lo), Included(hi))))
        })
        .says("`range` alone with `..=`, which takes its end and panics when `lo` is greater than `hi`")
        .why(
            "Two things. `hi` is where the range stops, and no part of it: `..` leaves it out. And \
             `BTreeMap::range` refuses a start after the end by a panic, where the answer is no keys.",
        )
        .link("first-scan"),
        panics("start_left_out_and_left_to_the_map", |store, lo, hi| {
            keys(store.range::<[u8], _>((Excluded(lo), Excluded(hi))))
        })
        .says("`range` alone with both bounds `Excluded`, which panics unless `lo` is less than `hi`")
        .why(
            "Two things. `lo` is part of the range: it is `Included`. And `BTreeMap::range` refuses a start after the end by \
             a panic, and two equal bounds that are both left out as well. Nothing lies between such bounds, so the answer \
             is no keys.",
        )
        .link("first-scan"),
        mistake("start_ignored", |store, lo, hi| {
            if lo >= hi { Vec::new() } else { keys(store.range::<[u8], _>((Unbounded, Excluded(hi)))) }
        })
        .says("a range from the beginning of the store")
        .why("Nothing keeps out what comes before `lo`.")
        .link("first-scan"),
        mistake("walk_without_a_start", |store: &Store, lo, hi| {
            keys(store.iter().take_while(|(key, _)| lo <= &key[..] && &key[..] < hi))
        })
        .says("a walk from the first key of the store that stops at the first key outside the range")
        .why(
            "The keys of a range are next to each other, but seldom at the start of the store. The walk ends before it reaches \
             them. Begin at `lo`.",
        )
        .link("first-scan"),
        mistake("start_not_looked_at", |store, _, hi| keys(store.range::<[u8], _>((Unbounded, Excluded(hi)))))
            .says("all keys before `hi`, whatever `lo` is")
            .why("A range has two bounds. Nothing keeps out what comes before `lo`.")
            .link("first-scan"),
        mistake("end_not_looked_at", |store, lo, _| keys(store.range::<[u8], _>((Included(lo), Unbounded))))
            .says("all keys from `lo` on, whatever `hi` is")
            .why("A range has two bounds. Nothing stops this one at `hi`, not even when `hi` comes before `lo`.")
            .link("first-scan"),
        mistake("one_bound_is_enough", |store: &Store, lo, hi| {
            keys(store.iter().filter(|(key, _)| &key[..] >= lo || &key[..] < hi))
        })
        .says("a filter that takes a key for one of the two bounds: `||` in place of `&&`")
        .why("From `a` up to `b` every key is either at least `a` or less than `b`. It has to be both.")
        .link("first-scan"),
        mistake("end_ignored", |store, lo, hi| {
            if lo >= hi { Vec::new() } else { keys(store.range::<[u8], _>((Included(lo), Unbounded))) }
        })
        .says("a range that runs to the end of the store")
        .why("Nothing stops it at `hi`.")
        .link(WRONG),
        mistake("end_taken_and_last_dropped", |store, lo, hi| {
            if lo >= hi { return Vec::new(); }
            let mut found = keys(store.range::<[u8], _>((Included(lo), Included(hi))));
            found.pop();
            found
        })
        .says("a range that takes its end, and loses its last key afterwards")
        .why(
            "The last key of the range is `hi` only if `hi` is a key. Otherwise a key is dropped that belongs to the range. `..` leaves out \
             the end, and nothing else.",
        )
        .link(WRONG),
        mistake("end_taken_with_all_that_begins_with_it", |store: &Store, lo, hi| {
            keys(store.iter().filter(|(key, _)| &key[..] >= lo && (&key[..] < hi || key.starts_with(hi))))
        })
        .says("a range that takes `hi` and all keys that begin with it")
        .why("`hi` is where the range stops, and no part of it. What begins with `hi` is not less than `hi`, so it is outside as well.")
        .link(WRONG),
        mistake("end_lowered_by_one", |store, lo, hi| {
            let mut end = hi.to_vec();
            if let Some(last) = end.last_mut() {
                *last = last.wrapping_sub(1);
            }
            if lo >= hi || *lo > end[..] { return Vec::new(); }
            keys(store.range::<[u8], _>((Included(lo), Included(&end[..]))))
        })
        .says("a range up to `hi` with its last byte lowered by one, that key included")
        .why(
            "Between `a` and `b` there are more keys than one can count: `a\\x00`, `aa`, `az`. No key comes just before `b`, so no end that \
             is taken can stand for one that is not.",
        )
        .link(WRONG),
        mistake("backwards_when_swapped", |store, lo, hi| {
            if lo <= hi { return keys(store.range::<[u8], _>((Included(lo), Excluded(hi)))); }
            keys(store.range::<[u8], _>((Included(hi), Excluded(lo))).rev())
        })
        .says("a range that runs backwards when its bounds are the wrong way round")
        .why(
            "From `c` up to `a` there is no key: none is both at least `c` and less than `a`. Who wants to go backwards asks for the range from \
             `a` up to `c` and reverses it.",
        )
        .link(INVARIANTS),
        mistake("bounds_exchanged", |store: &Store, lo, hi| {
            keys(store.iter().filter(|(key, _)| &key[..] >= hi && &key[..] < lo))
        })
        .or(|store, lo, hi| keys(store.range::<[u8], _>((Included(hi), Excluded(lo)))))
        .says("a range from `hi` up to `lo`: the two bounds are exchanged")
        .why("The range begins at `lo`, and `hi` ends it: a key belongs to it if it is at least `lo` and less than `hi`.")
        .link(TASK),
        mistake("outside_of_the_range", |store: &Store, lo, hi| {
            keys(store.iter().filter(|(key, _)| &key[..] < lo || &key[..] >= hi))
        })
        .says("the keys that are not in the range")
        .why("That test is the right one, turned round: it takes what comes before `lo`, and all from `hi` on. `retain` keeps what its test is true of, and so does `filter`.")
        .link(TASK),
        mistake("equal_bounds_find_their_key", |store, lo, hi| match lo.cmp(hi) {
            Less => keys(store.range::<[u8], _>((Included(lo), Excluded(hi)))),
            Equal => keys(store.get_key_value(lo).into_iter()),
            Greater => Vec::new(),
        })
        .says("the right keys, and the key itself where both bounds are one key")
        .why("`hi` is no part of the range, so from `b` up to `b` there is nothing: `b` would have to be less than itself.")
        .link(WRONG),
        mistake("crossed_bounds_find_everything", |store: &Store, lo, hi| {
            if lo >= hi { return keys(store.iter()); }
            keys(store.range::<[u8], _>((Included(lo), Excluded(hi))))
        })
        .or(|store: &Store, lo, hi| {
            if lo > hi { return keys(store.iter()); }
            keys(store.range::<[u8], _>((Included(lo), Excluded(hi))))
        })
        .says("the whole store where the bounds are the wrong way round")
        .why("From `c` up to `a` there is no key: none is both at least `c` and less than `a`. Such a range is empty, and asks for no key.")
        .link(TASK),
        mistake("bounds_swapped", |store, lo, hi| {
            let (lo, hi) = if lo <= hi { (lo, hi) } else { (hi, lo) };
            keys(store.range::<[u8], _>((Included(lo), Excluded(hi))))
        })
        .says("a range that swaps its bounds when they are the wrong way round")
        .why(
            "From `c` up to `a` there is no key: none is both at least `c` and less than `a`. Who asks for \
             it has a bug, or an empty window, and neither is helped by rows.",
        )
        .link(INVARIANTS),
    ]
}

fn wrong_idea_of_a_bound() -> Vec<Mistake<Scan>> {
    vec![
        mistake("start_must_exist", |store, lo, hi| {
            if lo >= hi || !store.contains_key(lo) {
                return Vec::new();
            }
            keys(store.range::<[u8], _>((Included(lo), Excluded(hi))))
        })
        .says("a scan that looks `lo` up and gives up when it is not a key")
        .why(
            "A bound is a place between keys, not a key. The scan begins at the first key that is not \
             less than `lo`.",
        )
        .link(WRONG),
        mistake("end_must_exist", |store: &Store, lo, hi| {
            let rest = store.range::<[u8], _>((Included(lo), Unbounded));
            if lo >= hi { Vec::new() } else { keys(rest.take_while(|(key, _)| *key != hi)) }
        })
        .says("a scan that stops only when it meets `hi` itself")
        .why(
            "When `hi` is not a key, the scan never meets it and runs to the end of the store. Stop at \
             the first key that is not less than `hi`.",
        )
        .link(WRONG),
        mistake("end_must_exist_and_come_after", |store: &Store, lo, hi| {
            let rest = store.range::<[u8], _>((Included(lo), Unbounded));
            keys(rest.take_while(|(key, _)| *key != hi))
        })
        .says("a scan from `lo` on that stops only when it meets `hi` itself")
        .why(
            "When `hi` is not a key, or comes before `lo`, the scan never meets it and runs to the end of \
             the store. Stop at the first key that is not less than `hi`.",
        )
        .link(WRONG),
        mistake("both_ends_must_exist", |store: &Store, lo, hi| {
            let from = store.iter().skip_while(|(key, _)| *key != lo);
            keys(from.take_while(|(key, _)| *key != hi))
        })
        .says("a walk from the key that equals `lo` to the key that equals `hi`")
        .why(
            "Neither bound has to be a key. Without a key at `lo` this walk never begins, without one after it at `hi` it \
             never ends. Compare with `<`, not with `==`.",
        )
        .link(WRONG),
        panics("bounds_looked_up_and_unwrapped", |store: &Store, lo, hi| {
            let sorted: Vec<&Vec<u8>> = store.keys().collect();
            let place = |bound: &[u8]| sorted.iter().position(|key| *key == bound).unwrap();
            sorted[place(lo)..place(hi)].iter().map(|key| key.to_vec()).collect()
        })
        .or(|store, lo, hi| {
            if lo >= hi {
                return Vec::new();
            }
            let sorted: Vec<&Vec<u8>> = store.keys().collect();
            let place = |bound: &[u8]| sorted.iter().position(|key| *key == bound).unwrap();
            sorted[place(lo)..place(hi)].iter().map(|key| key.to_vec()).collect()
        })
        .says("a search for the two bounds among the keys, and a panic where one of them is none")
        .why(
            "Neither bound has to be a key, so the search may find nothing, and `unwrap` panics. Look for the first key that is not less: \
             `partition_point` finds its place, and `range` needs no key at its bounds. A slice \
             that ends before it starts is a panic as well.",
        )
        .link(WRONG),
        panics("crossed_bounds_cut_a_slice", |store: &Store, lo, hi| {
            let sorted: Vec<&Vec<u8>> = store.keys().collect();
            let place = |bound: &[u8]| sorted.partition_point(|key| key[..] < *bound);
            sorted[place(lo)..place(hi)].iter().map(|key| key.to_vec()).collect()
        })
        .says("the sorted keys from the place of `lo` to that of `hi`, also where these are crossed")
        .why(
            "A slice that ends before it starts is a panic and not an empty list, and so is the difference of the two places, which is below 0. If \
             `lo` is not less than `hi`, there are no keys: say so first.",
        )
        .link(TASK),
        mistake("start_is_a_prefix", |store: &Store, lo, hi| {
            keys(store.iter().filter(|(key, _)| key.starts_with(lo) && &key[..] < hi))
        })
        .says("the keys that start with `lo` and come before `hi`")
        .why("A bound is a place between keys, not a beginning of them: from `a` up to `c` there is `b` as well. Compare with `<=`.")
        .link(WRONG),
        mistake("gap_counted_as_a_key", |store: &Store, lo, hi| {
            let sorted: Vec<&Vec<u8>> = store.keys().collect();
            let place = |bound: &[u8]| sorted.binary_search_by(|key| key[..].cmp(bound));
            if lo >= hi { return Vec::new(); }
            let start = place(lo).unwrap_or_else(|gap| gap);
            let end = place(hi).unwrap_or_else(|gap| (gap + 1).min(sorted.len()));
            sorted[start..end].iter().map(|key| key.to_vec()).collect()
        })
        .says("one key too many where `hi` is not a key")
        .why(
            "A search that does not find `hi` gives the place where `hi` would stand: the first key that is greater. That key is no part of \
             the range, just as `hi` itself is none.",
        )
        .link(WRONG),
        mistake("gap_counted_backwards", |store: &Store, lo, hi| {
            let sorted: Vec<&Vec<u8>> = store.keys().collect();
            let place = |bound: &[u8]| sorted.binary_search_by(|key| key[..].cmp(bound));
            if lo >= hi { return Vec::new(); }
            let start = place(lo).unwrap_or_else(|gap| gap.saturating_sub(1));
            let end = place(hi).unwrap_or_else(|gap| gap);
            sorted[start.min(end)..end].iter().map(|key| key.to_vec()).collect()
        })
        .says("one key too many where `lo` is not a key")
        .why(
            "A search that does not find `lo` gives the place where `lo` would stand: the first key that is greater, and the range begins \
             there. The key before it is less than `lo`.",
        )
        .link(WRONG),
        mistake("gap_counted_as_the_start", |store: &Store, lo, hi| {
            let sorted: Vec<&Vec<u8>> = store.keys().collect();
            let place = |bound: &[u8]| sorted.binary_search_by(|key| key[..].cmp(bound));
            let start = place(lo).unwrap_or_else(|gap| gap + 1);
            let end = place(hi).unwrap_or_else(|gap| gap);
            let found = sorted.get(start..end).unwrap_or_default();
            found.iter().map(|key| key.to_vec()).collect()
        })
        .says("one key too few where `lo` is not a key")
        .why(
            "A search that does not find `lo` gives the place where `lo` would stand: the first key that is greater. The range begins with \
             that key, and not after it.",
        )
        .link(WRONG),
        mistake("first_key_for_a_start_after_all", |store: &Store, lo, hi| {
            let place = |bound: &[u8]| store.keys().position(|key| &key[..] >= bound);
            let (start, end) = (place(lo).unwrap_or(0), place(hi).unwrap_or(store.len()));
            let found = store.keys().skip(start).take(end.saturating_sub(start));
            found.cloned().collect()
        })
        .says("a range that begins with the first key of the store where no key is `lo` or greater")
        .why(
            "Where all keys are less than `lo`, none of them is in the range. A search that finds nothing has no place, and 0 is one: that of \
             the first key. If you wrote `position(..).unwrap_or(0)`: the place after all keys is their number.",
        )
        .link(WRONG),
        mistake("nothing_for_an_end_after_all", |store: &Store, lo, hi| {
            let place = |bound: &[u8]| store.keys().position(|key| &key[..] >= bound);
            let (start, end) = (place(lo).unwrap_or(store.len()), place(hi).unwrap_or(0));
            let found = store.keys().skip(start).take(end.saturating_sub(start));
            found.cloned().collect()
        })
        .says("no key where none is `hi` or greater")
        .why(
            "`hi` need not be a key, and may come after all of them: then the range goes on to the last one. If you wrote \
             `position(..).unwrap_or(0)`: the place after all keys is their number.",
        )
        .link(WRONG),
        mistake("empty_end_is_no_end", |store: &Store, lo, hi| {
            let end = if hi.is_empty() { Unbounded } else { Excluded(hi) };
            if lo >= hi && !hi.is_empty() {
                return Vec::new();
            }
            keys(store.range::<[u8], _>((Included(lo), end)))
        })
        .says("a scan that runs to the end of the store where `hi` is empty")
        .why(
            "Many interfaces take an empty end for \"no end\". Here it is a bound like any other, and the \
             least of all: no key comes before it, so there is nothing to collect.",
        )
        .link(TASK),
        mistake("shorter_first", |store: &Store, lo, hi| {
            let rank = |key: &[u8]| (key.len(), key.to_vec());
            keys(store.iter().filter(|(key, _)| rank(lo) <= rank(key) && rank(key) < rank(hi)))
        })
        .says("a scan that compares lengths before bytes")
        .why(
            "Byte order compares from the left; the length counts only when one key is the beginning \
             of the other. `aa` comes before `b`.",
        )
        .link(INVARIANTS),
        mistake("first_byte_only", |store: &Store, lo, hi| {
            keys(store.iter().filter(|(key, _)| lo.first() <= key.first() && key.first() < hi.first()))
        })
        .says("a scan that compares first bytes only")
        .why("The first byte decides only when it differs. `a` and `ab` share it, and the second byte decides.")
        .link(INVARIANTS),
        mistake("printed_lists", |store: &Store, lo, hi| {
            let printed = |key: &[u8]| format!("{key:?}");
            keys(store.iter().filter(|(key, _)| {
                printed(lo) <= printed(key) && printed(key) < printed(hi)
            }))
        })
        .says("a scan that compares keys as `{:?}` prints them")
        .why(
            "`[97, 255]` is text. There the comma and the bracket are compared with digits, and 98 comes after 255. \
             Slices of bytes compare by themselves, with `<`.",
        )
        .link(INVARIANTS),
        mistake("letters_without_case", |store: &Store, lo, hi| {
            let (lo, hi) = (lo.to_ascii_lowercase(), hi.to_ascii_lowercase());
            keys(store.iter().filter(|(key, _)| {
                let key = key.to_ascii_lowercase();
                lo <= key && key < hi
            }))
        })
        .or(|store, lo, hi| {
            let (lo, hi) = (lo.to_ascii_uppercase(), hi.to_ascii_uppercase());
            keys(store.iter().filter(|(key, _)| {
                let key = key.to_ascii_uppercase();
                lo <= key && key < hi
            }))
        })
        .says("a scan that takes `B` and `b` for the same letter")
        .why("Bytes are numbers: `B` is 42 and `b` is 62, so every capital letter comes before every small one.")
        .link(INVARIANTS),
    ]
}

/// Keys taken for text, or their bytes for signed numbers.
fn wrong_idea_of_a_byte() -> Vec<Mistake<Scan>> {
    vec![
        mistake("signed_bytes", |store: &Store, lo, hi| {
            let signed = |key: &[u8]| key.iter().map(|byte| byte.cast_signed()).collect::<Vec<i8>>();
            let (lo, hi) = (signed(lo), signed(hi));
            keys(store.iter().filter(|(key, _)| lo <= signed(key) && signed(key) < hi))
        })
        .says("a scan that takes the bytes from 80 to ff for negative numbers")
        .why("Bytes count as unsigned numbers: ff is 255 and the greatest, not -1.")
        .link(INVARIANTS),
        mistake("text_with_losses", |store: &Store, lo, hi| {
            let text = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
            let (lo, hi) = (text(lo), text(hi));
            keys(store.iter().filter(|(key, _)| lo <= text(key) && text(key) < hi))
        })
        .says("a scan that turns keys into text with `from_utf8_lossy`")
        .why(
            "Keys are bytes, and not all bytes are text. Each one that is not becomes the same replacement \
             character: `a\\xfe` and `a\\xff` can no longer be told apart.",
        )
        .link(INVARIANTS),
        panics("text_only", |store: &Store, lo, hi| {
            let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap_or_else(|e| panic!("{e}"));
            keys(store.iter().filter(|(key, _)| text(lo) <= text(key) && text(key) < text(hi)))
        })
        .says("a scan that turns keys into text, and panics where they are none")
        .why("Keys are bytes: ff occurs in no UTF-8 text. Slices of bytes compare by themselves, with `<`.")
        .link(INVARIANTS),
        panics("bounds_made_text_first", |store: &Store, lo, hi| {
            let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap_or_else(|e| panic!("{e}"));
            let (lo, hi) = (text(lo), text(hi));
            keys(store.iter().filter(|(key, _)| lo <= text(key) && text(key) < hi))
        })
        .says("a scan that turns bounds and keys into text, and panics where they are none")
        .why("Bounds and keys are bytes: ff occurs in no UTF-8 text. Slices of bytes compare by themselves, with `<`.")
        .link(INVARIANTS),
    ]
}

fn wrong_lists() -> Vec<Mistake<Scan>> {
    fn right(store: &Store, lo: &[u8], hi: &[u8]) -> Vec<Vec<u8>> {
        crate::solutions::first_scan::first_scan(store, lo, hi)
    }
    vec![
        mistake("empty_start_finds_nothing", |store, lo, hi| {
            if lo.is_empty() { Vec::new() } else { right(store, lo, hi) }
        })
        .says("no keys where `lo` is empty, and the right ones elsewhere")
        .why(
            "The empty byte string is a bound like any other, and the least of all: a range from it begins with the first key of the \
             store.",
        )
        .link(INVARIANTS),
        mistake("byte_for_byte", |store: &Store, lo, hi| {
            let inside = |(key, _): &(&Vec<u8>, _)| {
                key.iter().zip(lo).all(|(byte, low)| byte >= low) && key.iter().zip(hi).all(|(byte, high)| byte < high)
            };
            keys(store.iter().filter(inside))
        })
        .says("a comparison of every byte with the bytes at the same place of both bounds")
        .why(
            "The first byte that differs decides, and those after it no longer count: `az` lies between `ab` and `ba`, though `z` is greater \
             than `a`. `<` on slices does that.",
        )
        .link(INVARIANTS),
        mistake("compared_up_to_the_shorter", |store, lo, hi| {
            let less = |a: &[u8], b: &[u8]| {
                let differing = a.iter().zip(b).find(|(x, y)| x != y);
                differing.is_some_and(|(x, y)| x < y)
            };
            let inside = |(key, _): &(&Vec<u8>, _)| !less(key, lo) && less(key, hi);
            keys(store.iter().filter(inside))
        })
        .says("a comparison that ends with the shorter of two keys, and takes them for equal then")
        .why(
            "`zip` ends with the shorter one, and `a` and `aa` agree so far. Then the lengths decide: the beginning of a key comes before \
             the key. `<` on slices does all of it.",
        )
        .link(INVARIANTS),
        mistake("backwards", |store, lo, hi| {
            right(store, lo, hi).into_iter().rev().collect()
        })
        .says("the right keys, last one first")
        .why("A scan returns keys in the order of the store, the least one first.")
        .link(INVARIANTS),
        mistake("values_for_keys", |store, lo, hi| {
            right(store, lo, hi)
                .iter()
                .filter_map(|key| store.get(key).cloned())
                .collect()
        })
        .says("the values of the right keys")
        .why("The task asks for the keys. The map's iterator gives pairs: the key comes first.")
        .link("first-scan"),
        mistake("values_compared", |store: &Store, lo, hi| {
            keys(store.iter().filter(|(_, value)| &value[..] >= lo && &value[..] < hi))
        })
        .says("the keys whose values lie between the bounds")
        .why("The bounds are bounds of keys. The map's iterator gives pairs: the key comes first, and values may be anything.")
        .link(TASK),
        mistake("first_key_only", |store, lo, hi| {
            right(store, lo, hi).into_iter().take(1).collect()
        })
        .says("the first key of the range alone")
        .why("A range holds as many keys as lie between its bounds, not one.")
        .link("first-scan"),
        mistake("nothing", |_, _, _| Vec::new())
            .says("a scan that finds nothing")
            .why("It returns an empty list whatever the bounds are.")
            .link("first-scan"),
        mistake("everything", |store, _, _| keys(store.iter()))
            .says("a scan over the whole store")
            .why("It looks at neither bound.")
            .link("first-scan"),
    ]
}
