//! Small types are tried completely. The release-mode example `exhaust_keys` goes further.
//!
//! For 8 bits every pair is compared. For 16 bits the values are walked in ascending order, and
//! each key must be greater than the one before: `<` on byte strings is transitive, so the order
//! of all 2^32 pairs follows. That is the same claim in 65,536 steps.

use std::fmt::Debug;

use engine::keys::{DecodeKey, Varint, decode_f16_bits, encode_f16_bits, encode_i8, encode_u8};

use crate::binary16;

#[test]
fn all_pairs_of_i8_and_u8_sort_as_their_keys() {
    for a in u8::MIN..=u8::MAX {
        for b in u8::MIN..=u8::MAX {
            assert_eq!(encode_u8(a).cmp(&encode_u8(b)), a.cmp(&b), "{a} {b}");
            let (a, b) = (a as i8, b as i8);
            assert_eq!(encode_i8(a).cmp(&encode_i8(b)), a.cmp(&b), "{a} {b}");
        }
    }
}

/// Walks ascending values: keys must ascend too, and every value must come back.
fn ascending<T: DecodeKey + PartialOrd + Debug>(values: impl Iterator<Item = T>) -> usize {
    let mut last: Option<(T, Vec<u8>)> = None;
    let mut count = 0;
    for value in values {
        let key = value.to_key();
        assert_eq!(T::from_key(&key).as_ref(), Ok(&value));
        if let Some((last_value, last_key)) = &last {
            assert!(
                *last_value < value,
                "the values ascend: {last_value:?}, {value:?}"
            );
            assert!(
                *last_key < key,
                "{last_value:?} {value:?}: {last_key:02x?} {key:02x?}"
            );
        }
        last = Some((value, key));
        count += 1;
    }
    count
}

#[test]
fn all_values_of_8_and_16_bits_ascend_with_their_keys() {
    assert_eq!(ascending(i8::MIN..=i8::MAX), 1 << 8);
    assert_eq!(ascending(u8::MIN..=u8::MAX), 1 << 8);
    assert_eq!(ascending(i16::MIN..=i16::MAX), 1 << 16);
    assert_eq!(ascending(u16::MIN..=u16::MAX), 1 << 16);
    assert_eq!(ascending([false, true].into_iter()), 2);
}

#[test]
fn all_values_of_binary16_ascend_with_their_keys() {
    let mut all: Vec<_> = (0..=u16::MAX)
        .map(|bits| (bits, binary16::value(bits)))
        .collect();
    all.sort_by(|a, b| binary16::total_order(*a, *b));
    for pair in all.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        assert!(
            binary16::total_order(a, b).is_lt(),
            "the model is strict: {a:04x?} {b:04x?}"
        );
        assert!(
            encode_f16_bits(a.0) < encode_f16_bits(b.0),
            "{a:04x?} {b:04x?}"
        );
    }
    assert!(
        all.iter()
            .all(|&(bits, _)| decode_f16_bits(encode_f16_bits(bits)) == bits)
    );
}

#[test]
fn the_binary16_model_knows_some_numbers() {
    for (bits, value) in [
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x3555, 0.333_251_953_125),
        (0x0001, 5.960_464_477_539_063e-8),
        (0x0400, 6.103_515_625e-5),
        (0x7bff, 65_504.0),
        (0xfc00, f64::NEG_INFINITY),
    ] {
        assert_eq!(
            binary16::value(bits).to_bits(),
            f64::to_bits(value),
            "{bits:04x}"
        );
    }
    assert!(binary16::value(0x7e00).is_nan() && binary16::value(0xfc01).is_nan());
}

#[test]
fn varints_around_every_change_of_length_ascend_with_their_keys() {
    let edges = (0..64).flat_map(|power| {
        let edge = 1_u64 << power;
        [edge - 1, edge, edge + 1]
    });
    let mut values: Vec<_> = (0..70_000)
        .chain(edges)
        .chain([u64::MAX - 1, u64::MAX])
        .collect();
    values.sort_unstable();
    values.dedup();
    let count = values.len();
    assert_eq!(ascending(values.into_iter().map(Varint)), count);
}
