//! Generators for key tests, biased to where encodings break: the bytes 00 and ff, equal values,
//! neighbours, common prefixes.

use proptest::{collection::vec, prelude::*};

/// A byte, more often than not one that an encoding treats specially.
pub(crate) fn byte() -> impl Strategy<Value = u8> + Clone {
    prop_oneof![
        4 => Just(0x00),
        4 => Just(0xff),
        2 => Just(0x01),
        1 => Just(0xfe),
        1 => Just(0x80),
        1 => Just(0x7f),
        3 => any::<u8>(),
    ]
}

/// A short byte string.
pub(crate) fn bytes() -> impl Strategy<Value = Vec<u8>> + Clone {
    vec(byte(), 0..10)
}

/// A short text. U+0000 and code points of every UTF-8 length are frequent.
pub(crate) fn text() -> impl Strategy<Value = String> + Clone {
    let character = prop_oneof![
        Just('\0'),
        Just('\u{1}'),
        Just('a'),
        Just('\u{ff}'),
        Just('\u{ffff}'),
        Just(char::MAX),
        any::<char>(),
    ];
    vec(character, 0..6).prop_map(String::from_iter)
}

/// Two values of one kind, now and then the same one.
pub(crate) fn pair<T: Clone + std::fmt::Debug>(
    one: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = (T, T)> {
    let twice = one.clone().prop_map(|value| (value.clone(), value));
    prop_oneof![8 => (one.clone(), one), 1 => twice]
}

/// Two byte strings with a common prefix.
pub(crate) fn bytes_pair() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    (bytes(), bytes(), bytes())
        .prop_map(|(prefix, a, b)| ([prefix.as_slice(), &a].concat(), [prefix, b].concat()))
}

/// Bits of a number: any, few, or next to a power of two.
pub(crate) fn bits128() -> impl Strategy<Value = u128> + Clone {
    prop_oneof![
        any::<u128>(),
        (any::<u128>(), 0_u32..128).prop_map(|(bits, shift)| bits >> shift),
        (0_u32..128, 0_u128..3).prop_map(|(power, add)| (1 << power) - 1 + add),
        (0_u128..4).prop_map(|below| u128::MAX - below),
    ]
}

/// Bits of a 64-bit number or float: any, special, or close to a special one.
pub(crate) fn bits64() -> impl Strategy<Value = u64> + Clone {
    let special = prop_oneof![
        Just(0.0_f64.to_bits()),
        Just((-0.0_f64).to_bits()),
        Just(1.0_f64.to_bits()),
        Just((-1.0_f64).to_bits()),
        Just(f64::INFINITY.to_bits()),
        Just(f64::NEG_INFINITY.to_bits()),
        Just(0x7ff8_0000_0000_0000),
        Just(0xfff8_0000_0000_0000),
        Just(u64::MAX),
        (0_u32..64).prop_map(|power| 1 << power),
    ];
    prop_oneof![
        2 => any::<u64>(),
        1 => (any::<u64>(), 0_u32..64).prop_map(|(bits, shift)| bits >> shift),
        3 => (special, 0_u64..3).prop_map(|(bits, add)| bits.wrapping_add(add).wrapping_sub(1)),
    ]
}
