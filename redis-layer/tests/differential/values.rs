//! What commands are made of: few keys and members, short and long, and the numbers where things go wrong.

use std::iter;
use std::sync::LazyLock;

/// The keys that usually hold one type. A command on another one of them meets the wrong type.
pub(crate) const STRINGS: [&[u8]; 3] = [b"s0", b"s1", b"s2"];
pub(crate) const HASHES: [&[u8]; 2] = [b"h0", b"h1"];
pub(crate) const LISTS: [&[u8]; 3] = [b"q0", b"q1", b"q2"];
pub(crate) const SETS: [&[u8]; 3] = [b"t0", b"t1", b"t2"];
pub(crate) const SORTED_SETS: [&[u8]; 3] = [b"z0", b"z1", b"z2"];
pub(crate) const PLACES: [&[u8]; 2] = [b"g0", b"g1"];
/// Sorted sets whose members all have one score.
pub(crate) const LEX_KEYS: [&[u8]; 2] = [b"l0", b"l1"];
/// Keys that may hold anything, but for those of `LEX_KEYS`.
pub(crate) const ANY_KEYS: [&[u8]; 15] = [
    b"s0",
    b"s1",
    b"h0",
    b"q0",
    b"q1",
    b"t0",
    b"t1",
    b"z0",
    b"z1",
    b"z2",
    b"g0",
    b"",
    b"\xff\xff",
    b"z\x000",
    b"nothing",
];
pub(crate) const MEMBERS: [&[u8]; 16] = [
    b"a",
    b"b",
    b"c",
    b"ab",
    b"",
    b"\x00",
    b"\xff",
    b"\xff\xff",
    b"\xff\xff\xff\xff",
    b"a\x00",
    b"a\xff",
    b"10",
    b"9",
    b"-0",
    b"\r\n",
    b"(a",
];
pub(crate) const SCORES: [&str; 37] = [
    "0",
    "-0",
    "1",
    "1",
    "2",
    "2",
    "3",
    "-1",
    "-2.5",
    "1.5",
    "inf",
    "+inf",
    "-inf",
    "Infinity",
    "-INFINITY",
    "1e308",
    "-1e308",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "0.1",
    "1e-5",
    "5e-324",
    "2.2250738585072014e-308",
    "0x10",
    "0x1.8p1",
    "-0x.8",
    "+.5",
    "5.",
    "123456789012345678",
    "1e17",
    "1e16",
    "3.14e2",
    "100000000000000000000",
    "0.30000000000000004",
];
/// For commands that add with a long double. Some are none.
pub(crate) const FLOATS: [&str; 31] = [
    "0",
    "-0",
    "1",
    "-1",
    "0.1",
    "0.2",
    "1.5",
    "-2.25",
    "3.0e3",
    "1e17",
    "-1e-5",
    "5e-324",
    "1e400",
    "-1e400",
    "1e-400",
    "9007199254740993",
    "9223372036854775807",
    "123456789.123456789",
    "0.00000000000000001",
    "1.23456789012345678901234567890",
    "0x10",
    "-0x.8p-3",
    "1e4932",
    "inf",
    "-Infinity",
    "nan",
    "abc",
    "",
    " 1",
    "1 ",
    "1e5000",
];
pub(crate) const BAD_SCORES: [&str; 12] = [
    "nan", "-nan", "nan(1)", "abc", "", " 1", "1 ", "1e400", "-1e400", "1e-400", "0x", "1e",
];
pub(crate) const BOUNDS: [&str; 12] = [
    "-inf", "+inf", "inf", "(-inf", "(inf", "-0", "(0", "(1", "( 2", "", "(", "1\u{0}x",
];
pub(crate) const INTEGERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "-2",
    "-3",
    "-100",
    "100",
    "9223372036854775807",
    "-9223372036854775808",
    "9007199254740991",
    "9007199254740993",
    "4294967296",
    "1000000",
];
pub(crate) const BAD_INTEGERS: [&str; 9] = [
    "-0",
    "",
    "x",
    "1.5",
    "01",
    "+1",
    "9223372036854775808",
    " 1",
    "-9223372036854775809",
];

/// Lengths on both sides of a limit: of embedded strings, of compact forms, of lengths in six, seven, eight and fourteen bits.
const LENGTHS: [usize; 10] = [44, 45, 63, 64, 65, 127, 128, 255, 256, 300];
/// The same, of lengths in fourteen and sixteen bits, and where strings are cut into pieces here.
const VAST_LENGTHS: [usize; 6] = [16_383, 16_384, 16_385, 65_535, 65_536, 70_000];
/// What they end with: as the longer ones go on, or otherwise.
const ENDS: [Option<u8>; 4] = [None, Some(b'x'), Some(0), Some(0xff)];

/// Texts of several hundred bytes, and of so many zeros.
pub(crate) static LONG: LazyLock<Vec<&[u8]>> = LazyLock::new(|| of_lengths(&LENGTHS));
/// Texts of many thousand bytes, and of so many zeros.
pub(crate) static VAST: LazyLock<Vec<&[u8]>> = LazyLock::new(|| of_lengths(&VAST_LENGTHS));
/// Keys that may hold anything: two that differ in their last byte, two of which one is the start of the other, one of zeros.
pub(crate) static LONG_KEYS: LazyLock<[&[u8]; 5]> = LazyLock::new(|| {
    [
        long(300, None),
        long(300, Some(b'x')),
        long(64, None),
        long(70_000, None),
        vec![0; 300].leak(),
    ]
});

/// All begin alike, so that two differ in their last byte only, or one is the start of the other.
fn of_lengths(lengths: &[usize]) -> Vec<&'static [u8]> {
    let texts = lengths
        .iter()
        .flat_map(|&length| ENDS.map(|end| long(length, end)));
    let zeros = lengths.iter().map(|&length| &*vec![0; length].leak());
    texts.chain(zeros).collect()
}

/// A text that begins as all of them do, and may have another last byte.
fn long(length: usize, end: Option<u8>) -> &'static [u8] {
    let words = iter::repeat(b"a long name, ").flatten().copied();
    let mut text: Vec<u8> = words.take(length).collect();
    if let (Some(end), Some(last)) = (end, text.last_mut()) {
        *last = end;
    }
    text.leak()
}
