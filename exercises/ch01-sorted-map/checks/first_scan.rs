//! Half-open ranges: all pairs of bounds over small stores, then long keys, and a store of many.

use kit::values::{LENGTHS, woven_bytes};
use kit::{Answer, Cast, Exercise, Judged, PartOf, check};

use crate::stores::{Store, list, long, many, quoted, store, store_shown, with_byte};
use crate::{mistakes, solutions, stubs};
use ch01_sorted_map::first_scan as learner;

/// Somebody's `first_scan`.
pub(crate) type Scan = fn(&Store, &[u8], &[u8]) -> Vec<Vec<u8>>;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(learner::first_scan))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Scan) -> Exercise<Scan> {
    Exercise::<Scan>::new(
        "first-scan",
        "01-sorted-map",
        Cast {
            learner,
            stub: stubs::first_scan::first_scan,
            solution: solutions::first_scan::first_scan,
        },
    )
    .part(scans())
    .check(check::answers(
        "first_scan",
        "range",
        "The keys from `lo` up to, but without, `hi`, in order.",
    ))
    .mistakes(mistakes::first_scan::all())
}

fn scans() -> PartOf<Scan> {
    let stores: [&[&[u8]]; 5] = [
        &[b"a", b"b", b"c"],
        &[b"B", b"a", b"aa", b"ab", b"b", b"z"],
        &[
            b"a",
            b"a\x00",
            b"a\xfe",
            b"a\xff",
            b"b",
            b"\xff",
            b"\xff\xff",
        ],
        &[],
        &[b"", b"\x00", b"a"],
    ];
    let bounds: [&[u8]; 13] = [
        b"a",
        b"b",
        b"c",
        b"aa",
        b"ab",
        b"bb",
        b"z",
        b"B",
        b"a\x00",
        b"a\xff",
        b"",
        b"\xff",
        b"\xff\xff\xff",
    ];
    let mut part = PartOf::new("first_scan", "list");
    for keys in stores {
        for pair in pairs(&bounds) {
            part = probe(part, keys, pair);
        }
    }
    // After no key at `hi` comes one that begins with it.
    part = probe(part, &[b"a", b"bb", b"c"], (b"a", b"b"));
    // Spaces are bytes of a key.
    part = probe(part, &[b" a", b"a", b"a "], (b"a", b"a "));
    // A byte has eight bits, and the first of them counts.
    part = probe(
        part,
        &[b"\x00", b"\x7f", b"\x80", b"\x81"],
        (b"\x7f", b"\x81"),
    );
    // Written as digits without a width, 7 is greater than 61.
    part = probe(part, &[b"\x07", b"a"], (b"\x07", b"a"));
    // The last length is more than two bytes hold.
    for length in LENGTHS.into_iter().chain([65_537]) {
        let keys = long(length, &[b"", b"a", b"b", b"c"]);
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        for (lo, hi) in [(0, 1), (1, 3), (2, 2)] {
            part = probe(part, &keys, (keys[lo], keys[hi]));
        }
    }
    // One key alone is first and last.
    part = probe(part, &[b"b"], (b"a", b"c"));
    part = probe(part, &[b"b"], (b"b", b"c"));
    // Of the bytes none equals another, and none is skipped.
    let bytes: Vec<[u8; 1]> = (0..=u8::MAX).map(|byte| [byte]).collect();
    let keys: Vec<&[u8]> = bytes.iter().map(<[u8; 1]>::as_slice).collect();
    for first in (0..keys.len() - 16).step_by(16) {
        part = probe(part, &keys, (keys[first], keys[first + 16]));
    }
    for woven in woven_bytes() {
        let [before, behind, between, twice, often, longer] = woven.each_ref().map(Vec::as_slice);
        let keys: [&[u8]; 7] = [before, behind, between, twice, often, longer, b"35"];
        let mut bounds: [&[u8]; 6] = [before, behind, between, often, b"3", b"4"];
        bounds.sort_unstable();
        for pair in bounds.windows(2) {
            part = probe(part, &keys, (pair[0], pair[1]));
        }
    }
    // Nor is one lost further on in a key.
    for byte in 0..=u8::MAX {
        let keys = with_byte(byte);
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        part = probe(part, &keys, (b"a", b"b"));
        part = probe(part, &keys, (&[b'a', byte], b"b"));
    }
    let keys = many(b"");
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    for bounds in [(b"", b"a"), (b"0100", b"0900"), (b"0900", b"0100")] as [(&[u8], &[u8]); 3] {
        part = probe(part, &keys, bounds);
    }
    part
}

/// All pairs, those of the first bounds first.
fn pairs<'a>(bounds: &[&'a [u8]]) -> Vec<(&'a [u8], &'a [u8])> {
    let mut pairs = Vec::new();
    for (n, &later) in bounds.iter().enumerate() {
        pairs.extend(bounds[..n].iter().map(|&earlier| (earlier, later)));
        pairs.push((later, later));
        pairs.extend(bounds[..n].iter().map(|&earlier| (later, earlier)));
    }
    pairs
}

fn probe(part: PartOf<Scan>, keys: &[&[u8]], (lo, hi): (&[u8], &[u8])) -> PartOf<Scan> {
    let class = match (keys.contains(&lo), keys.contains(&hi)) {
        _ if lo > hi => "ranges that end before they start",
        _ if lo == hi => "ranges from a bound to itself",
        (true, true) => "ranges from a key to a key",
        (true, false) => "ranges from a key to a gap",
        (false, true) => "ranges from a gap to a key",
        (false, false) => "ranges from a gap to a gap",
    };
    let call = format!(
        "first_scan({}, {}, {})",
        store_shown(keys),
        quoted(lo),
        quoted(hi)
    );
    let input = Answer::text(format!("{} up to {}", quoted(lo), quoted(hi)));
    let (store, lo, hi) = (store(keys), lo.to_vec(), hi.to_vec());
    part.probe(call, input, &[class], move |scan| {
        list(scan(&store, &lo, &hi))
    })
}
