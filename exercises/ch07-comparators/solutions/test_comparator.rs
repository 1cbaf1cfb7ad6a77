//! All pairs and all triples of keys that are near each other in many ways.

use std::cmp::Ordering;

const KEYS: [&[u8]; 36] = [
    b"",
    b"\0",
    b"a",
    b"a\0",
    b"a\0b",
    b"A",
    b"a ",
    b"ab",
    b"a1",
    b"a01",
    b"a9",
    b"a10",
    b"a1x",
    b"item:",
    b"item:1",
    b"item:2",
    b"item:10",
    b"user:1",
    b"item:x",
    b"item:y",
    b"item:2000000000",
    b"item:3000000000",
    b"item:4294967297",
    b"item:18446744073709551616",
    b"item:18446744073709551617",
    b"1",
    b"10",
    b"9",
    b"\x60",
    b"\x7f",
    b"\xc0",
    b"\xfe",
    b"\xff",
    b"a long key that differs only at its end: 1",
    b"a long key that differs only at its end: 2",
    b"\xff\xff",
];

/// Panics if the comparator breaks a law.
pub fn test(compare: &dyn Fn(&[u8], &[u8]) -> Ordering) {
    let answers = KEYS.map(|a| KEYS.map(|b| compare(a, b)));
    let all = 0..KEYS.len();
    let less = |a: usize, b: usize| answers[a][b] == Ordering::Less;
    for a in all.clone() {
        for b in all.clone() {
            let equal = answers[a][b] == Ordering::Equal;
            assert_eq!(equal, a == b, "law 1 or 4: {a} and {b}");
            assert_eq!(answers[a][b], answers[b][a].reverse(), "law 2: {a} and {b}");
            for c in all.clone().filter(|&c| less(a, b) && less(b, c)) {
                assert!(less(a, c), "law 3: {a}, {b} and {c}");
            }
        }
    }
}
