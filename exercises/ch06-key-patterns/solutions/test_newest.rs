//! The test of `test-newest`: the plainest right answer, a filter and a sort, beside the index, at every edge.

use std::cmp::Reverse;

/// An event: its time and its name.
pub type Event<'a> = (u64, &'a [u8]);

/// Somebody's feed: `newest(events, from, to, limit)` gives names.
pub type Newest<'a> = &'a dyn Fn(&[Event<'_>], u64, u64, usize) -> Vec<Vec<u8>>;

/// Times where something changes, each with a neighbour.
const TIMES: [u64; 17] = [
    0,
    1,
    2,
    255,
    256,
    u32::MAX as u64,
    1 << 32,
    9_999_999_999,
    10_000_000_000,
    8_999_999_999_999,
    9_000_000_000_000,
    1 << 53,
    (1 << 53) + 1,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

/// Panics if `newest` breaks a rule.
pub fn test(newest: Newest<'_>) {
    // The last name in order first. No name is at two times: a wrong window shall hold wrong names.
    let mut named = Vec::new();
    for (number, time) in (0_u8..).zip(TIMES) {
        for name in [&b"\xff\x00"[..], b"b", b"a"] {
            named.push((time, [name, &[number]].concat()));
        }
    }
    // One name is empty: the third at time 0.
    named[2].1.clear();
    let events: Vec<Event<'_>> = named
        .iter()
        .map(|(time, name)| (*time, &name[..]))
        .collect();
    let mut sorted = events.clone();
    sorted.sort_by_key(|(time, name)| (Reverse(*time), *name));

    for from in TIMES {
        for to in TIMES {
            for limit in [1000, 4, 0] {
                let inside = sorted.iter().filter(|(time, _)| (from..to).contains(time));
                let right: Vec<Vec<u8>> =
                    inside.take(limit).map(|(_, name)| name.to_vec()).collect();
                let found = newest(&events, from, to, limit);
                assert_eq!(found, right, "from {from} to {to}, at most {limit}");
            }
        }
    }
}
