//! `a < b` exactly when `a`'s key comes before `b`'s, for every type that is a key.
//!
//! One function, `laws`, checks them all for every type: order, round trip, self-delimitation, the
//! descending form, and the order of a tuple that continues after the value.

use std::{cmp::Ordering, fmt::Debug};

use engine::keys::{
    DecodeKey, Desc, Numeric, OrderedKey, PaddedDecimal, Raw, Reader, SelfDelimiting, Varint,
    descending, encode_f64, encode_f64_numeric, encode_i64, encode_u64, escape_into,
    prefix_successor, varint_len,
};
use proptest::prelude::*;

use crate::generators::{bits64, bits128, bytes, bytes_pair, pair, text};

type Outcome = Result<(), TestCaseError>;

/// The laws of a self-delimiting key, given two values and the order that they should have.
fn laws<T>(a: &T, b: &T, expected: Ordering) -> Outcome
where
    T: DecodeKey + SelfDelimiting + Debug,
{
    let (key_a, key_b) = (a.to_key(), b.to_key());
    prop_assert_eq!(
        key_a.cmp(&key_b),
        expected,
        "order: {:02x?} {:02x?}",
        key_a,
        key_b
    );

    let decoded = T::from_key(&key_a);
    prop_assert_eq!(
        decoded.map(|value| value.to_key()),
        Ok(key_a.clone()),
        "round trip"
    );

    if expected.is_ne() {
        let nested = key_a.starts_with(&key_b) || key_b.starts_with(&key_a);
        prop_assert!(
            !nested,
            "one key is a prefix of the other: {:02x?} {:02x?}",
            key_a,
            key_b
        );
    }

    let (down_a, down_b) = (Desc(a).to_key(), Desc(b).to_key());
    prop_assert_eq!(down_a.cmp(&down_b), expected.reverse(), "descending order");
    let decoded = Desc::<T>::from_key(&down_a);
    prop_assert_eq!(
        decoded.map(|value| value.0.to_key()),
        Ok(key_a.clone()),
        "descending trip"
    );
    prop_assert_eq!(
        Desc(Desc(a)).to_key(),
        key_a,
        "twice descending is ascending"
    );

    for (tail_a, tail_b) in [(0x00, 0xff), (0xff, 0x00), (0x01, 0x01)] {
        let tails = u8::cmp(&tail_a, &tail_b);
        let (long_a, long_b) = ((a, tail_a).to_key(), (b, tail_b).to_key());
        prop_assert_eq!(long_a.cmp(&long_b), expected.then(tails), "a byte follows");
        let (long_a, long_b) = ((Desc(a), tail_a).to_key(), (Desc(b), tail_b).to_key());
        prop_assert_eq!(
            long_a.cmp(&long_b),
            expected.reverse().then(tails),
            "and descending"
        );
    }
    Ok(())
}

/// The laws for a type whose own order is the order of its keys. The value itself comes back.
fn ord_laws<T>(a: &T, b: &T) -> Outcome
where
    T: DecodeKey + SelfDelimiting + Ord + Clone + Debug,
{
    laws(a, b, a.cmp(b))?;
    prop_assert_eq!(&T::from_key(&a.to_key()), &Ok(a.clone()), "the same value");
    prop_assert_eq!(Desc::<T>::from_key(&Desc(a).to_key()), Ok(Desc(a.clone())));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn keys_of_integers_sort_as_the_integers((a, b) in pair(bits128())) {
        ord_laws(&(a as u8), &(b as u8))?;
        ord_laws(&(a as u16), &(b as u16))?;
        ord_laws(&(a as u32), &(b as u32))?;
        ord_laws(&(a as u64), &(b as u64))?;
        ord_laws(&a, &b)?;
        ord_laws(&(a as i8), &(b as i8))?;
        ord_laws(&(a as i16), &(b as i16))?;
        ord_laws(&(a as i32), &(b as i32))?;
        ord_laws(&(a as i64), &(b as i64))?;
        ord_laws(&(a as i128), &(b as i128))?;
    }

    #[test]
    fn keys_of_close_integers_sort_as_the_integers(a in bits128(), step in 1_u128..300) {
        ord_laws(&a, &a.wrapping_add(step))?;
        ord_laws(&(a as i128), &(a as i128).wrapping_add(step as i128))?;
        ord_laws(&(a as u64), &(a as u64).wrapping_add(step as u64))?;
        ord_laws(&(a as i64), &(a as i64).wrapping_add(step as i64))?;
        ord_laws(&(a as i32), &(a as i32).wrapping_add(step as i32))?;
        ord_laws(&(a as u32), &(a as u32).wrapping_add(step as u32))?;
    }

    #[test]
    fn keys_of_floats_sort_in_total_order((a, b) in pair(bits64())) {
        let (wide_a, wide_b) = (f64::from_bits(a), f64::from_bits(b));
        laws(&wide_a, &wide_b, wide_a.total_cmp(&wide_b))?;
        // Bit for bit, NaN payloads included. The bits are compared because NaN equals nothing.
        prop_assert_eq!(f64::from_key(&wide_a.to_key()).map(f64::to_bits), Ok(a));
        let (a, b) = ((a >> 32) as u32, (b >> 32) as u32);
        let (narrow_a, narrow_b) = (f32::from_bits(a), f32::from_bits(b));
        laws(&narrow_a, &narrow_b, narrow_a.total_cmp(&narrow_b))?;
        prop_assert_eq!(f32::from_key(&narrow_a.to_key()).map(f32::to_bits), Ok(a));
    }

    #[test]
    fn keys_of_numeric_floats_sort_as_the_numbers((a, b) in pair(bits64())) {
        let (wide_a, wide_b) = (f64::from_bits(a), f64::from_bits(b));
        prop_assert_eq!(Numeric::<f64>::new(wide_a).is_err(), wide_a.is_nan());
        prop_assert_eq!(encode_f64_numeric(wide_a).is_err(), wide_a.is_nan());
        if let (Ok(number_a), Ok(number_b)) = (Numeric::<f64>::new(wide_a), Numeric::<f64>::new(wide_b)) {
            let expected = wide_a.partial_cmp(&wide_b).expect("neither is NaN");
            laws(&number_a, &number_b, expected)?;
            ord_laws(&number_a, &number_b)?;
            prop_assert_eq!(encode_f64_numeric(wide_a).map(Vec::from), Ok(number_a.to_key()));
        }
        let (narrow_a, narrow_b) = (f32::from_bits((a >> 32) as u32), f32::from_bits((b >> 32) as u32));
        prop_assert_eq!(Numeric::<f32>::new(narrow_a).is_err(), narrow_a.is_nan());
        if let (Ok(number_a), Ok(number_b)) = (Numeric::<f32>::new(narrow_a), Numeric::<f32>::new(narrow_b)) {
            let expected = narrow_a.partial_cmp(&narrow_b).expect("neither is NaN");
            laws(&number_a, &number_b, expected)?;
            ord_laws(&number_a, &number_b)?;
        }
    }

    #[test]
    fn keys_of_byte_strings_sort_as_the_strings((a, b) in prop_oneof![pair(bytes()), bytes_pair()]) {
        ord_laws(&a, &b)?;
        prop_assert_eq!(a[..].to_key(), a.to_key(), "slices and vectors share a key");
        // The raw form keeps the order too, but not the order of what follows it in a tuple.
        prop_assert_eq!(Raw(&a).to_key().cmp(&Raw(&b).to_key()), a.cmp(&b));
        prop_assert_eq!(Raw::<Vec<u8>>::from_key(&Raw(&a).to_key()), Ok(Raw(a)));
    }

    #[test]
    fn keys_of_texts_sort_as_the_texts((a, b) in pair(text())) {
        ord_laws(&a, &b)?;
        prop_assert_eq!(a.as_str().to_key(), a.as_bytes().to_key(), "text is its UTF-8 bytes");
    }

    #[test]
    fn keys_of_varints_decimals_and_booleans_sort_as_the_values((a, b) in pair(bits64())) {
        ord_laws(&Varint(a), &Varint(b))?;
        ord_laws(&PaddedDecimal(a), &PaddedDecimal(b))?;
        ord_laws(&(a & 1 == 1), &(b & 1 == 1))?;
        prop_assert_eq!(Varint(a).to_key().len(), varint_len(a));
        prop_assert_eq!(PaddedDecimal(a).to_key(), format!("{a:020}").into_bytes());
    }

    #[test]
    fn tuples_whose_fields_are_often_equal_sort_field_by_field(
        (a, b) in pair((small_bytes(), -1_i8..=1, small_bytes(), any::<bool>()))
    ) {
        ord_laws(&a, &b)?;
        // Nested, descending inside ascending, and the other way round.
        let mixed = |(w, x, y, z): (Vec<u8>, i8, Vec<u8>, bool)| (Desc(w), (x, Desc((y, Desc(z)))));
        ord_laws(&mixed(a.clone()), &mixed(b.clone()))?;
        let with_tail = |(w, x, y, _): (Vec<u8>, i8, Vec<u8>, bool)| (Desc(w), x, Raw(y));
        let (a, b) = (with_tail(a), with_tail(b));
        prop_assert_eq!(a.to_key().cmp(&b.to_key()), a.cmp(&b), "raw bytes in the last position");
        prop_assert_eq!(DecodeKey::from_key(&a.to_key()), Ok(a));
    }

    #[test]
    fn tuples_of_every_arity_sort_field_by_field((a, b) in pair((bits64(), bits64())), share in 0_usize..9) {
        let fields = |(x, y): (u64, u64)| [x as u8, y as u8, (x >> 8) as u8, (y >> 8) as u8,
            (x >> 16) as u8, (y >> 16) as u8, (x >> 24) as u8, (y >> 24) as u8];
        let a = fields(a);
        let mut b = fields(b);
        b[..share.min(8)].copy_from_slice(&a[..share.min(8)]);
        let [a0, a1, a2, a3, a4, a5, a6, a7] = a;
        let [b0, b1, b2, b3, b4, b5, b6, b7] = b;
        ord_laws(&(a0,), &(b0,))?;
        ord_laws(&(a0, a1), &(b0, b1))?;
        ord_laws(&(a0, a1, a2), &(b0, b1, b2))?;
        ord_laws(&(a0, a1, a2, a3), &(b0, b1, b2, b3))?;
        ord_laws(&(a0, a1, a2, a3, a4), &(b0, b1, b2, b3, b4))?;
        ord_laws(&(a0, a1, a2, a3, a4, a5), &(b0, b1, b2, b3, b4, b5))?;
        ord_laws(&(a0, a1, a2, a3, a4, a5, a6), &(b0, b1, b2, b3, b4, b5, b6))?;
        ord_laws(&(a0, a1, a2, a3, a4, a5, a6, a7), &(b0, b1, b2, b3, b4, b5, b6, b7))?;
        prop_assert_eq!((a0, a1, a2, a3, a4, a5, a6, a7).to_key(), a);
    }

    #[test]
    fn tuples_with_floats_sort_field_by_field((a, b) in pair((small_bytes(), bits64(), bits64()))) {
        let value = |(name, x, y): (Vec<u8>, u64, u64)| (name, f64::from_bits(x), Desc(f64::from_bits(y)));
        let (a, b) = (value(a), value(b));
        let expected = a.0.cmp(&b.0)
            .then_with(|| a.1.total_cmp(&b.1))
            .then_with(|| b.2.0.total_cmp(&a.2.0));
        laws(&a, &b, expected)?;
    }

    #[test]
    fn fixed_size_functions_agree_with_the_trait(bits in bits64()) {
        prop_assert_eq!(&encode_u64(bits)[..], bits.to_key());
        prop_assert_eq!(&encode_i64(bits as i64)[..], (bits as i64).to_key());
        prop_assert_eq!(&encode_f64(f64::from_bits(bits))[..], f64::from_bits(bits).to_key());
        prop_assert_eq!(&descending(encode_i64(bits as i64))[..], Desc(bits as i64).to_key());
        prop_assert_eq!(encode_u64(u64::MAX - bits), descending(encode_u64(bits)));
    }

    #[test]
    fn the_prefix_successor_bounds_exactly_the_prefixed((prefix, other) in bytes_pair(), tail in bytes()) {
        let inside = [prefix.as_slice(), &tail].concat();
        match prefix_successor(&prefix) {
            Some(bound) => {
                prop_assert!(inside < bound && prefix < bound);
                prop_assert_eq!(prefix <= other && other < bound, other.starts_with(&prefix));
                prop_assert!(!bound.ends_with(&[0]), "no shorter bound exists");
            }
            None => {
                prop_assert!(prefix.iter().all(|&byte| byte == 0xff));
                prop_assert_eq!(prefix <= other, other.starts_with(&prefix));
            }
        }
    }

    #[test]
    fn an_escaped_prefix_bounds_the_strings_that_start_with_it((prefix, other) in bytes_pair()) {
        let mut start = Vec::new();
        escape_into(&prefix, &mut start);
        prop_assert_eq!(other.to_key().starts_with(&start), other.starts_with(&prefix));
    }

    #[test]
    fn a_reader_walks_over_fields_one_by_one(name in bytes(), n in any::<i64>(), rest in bytes()) {
        let key = (&name, Desc(n), Varint(n as u64), Raw(&rest)).to_key();
        let mut reader = Reader::new(&key);
        prop_assert_eq!(Vec::decode_from(&mut reader), Ok(name));
        prop_assert_eq!(Desc::decode_from(&mut reader), Ok(Desc(n)));
        prop_assert_eq!(Varint::decode_from(&mut reader), Ok(Varint(n as u64)));
        prop_assert_eq!(Raw::decode_from(&mut reader), Ok(Raw(rest)));
        prop_assert_eq!(reader.finish(), Ok(()));
    }
}

/// Up to two bytes of three kinds, so that two draws are often equal or nested.
fn small_bytes() -> impl Strategy<Value = Vec<u8>> + Clone {
    let byte = prop_oneof![Just(0x00), Just(0x01), Just(0xff)];
    proptest::collection::vec(byte, 0..3)
}
