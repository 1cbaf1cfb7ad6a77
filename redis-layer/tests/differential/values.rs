//! What commands are made of: few keys and members, and the numbers where things go wrong.

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
pub(crate) const SCORES: [&str; 36] = [
    "0",
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
pub(crate) const BAD_SCORES: [&str; 12] = [
    "nan", "-nan", "nan(1)", "abc", "", " 1", "1 ", "1e400", "-1e400", "1e-400", "0x", "1e",
];
pub(crate) const BOUNDS: [&str; 12] = [
    "-inf", "+inf", "inf", "(-inf", "(inf", "-0", "(0", "(1", "( 2", "", "(", "1\u{0}x",
];
pub(crate) const INTEGERS: [&str; 14] = [
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
    "4294967296",
    "1000000",
];
pub(crate) const BAD_INTEGERS: [&str; 8] = [
    "",
    "x",
    "1.5",
    "01",
    "+1",
    "9223372036854775808",
    " 1",
    "-9223372036854775809",
];
