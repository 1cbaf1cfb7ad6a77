//! Decoders meet bytes that no encoder wrote: they answer with an error that says where and why,
//! or with a value whose key is exactly those bytes. They never panic.

use std::fmt::Debug;

use engine::keys::{
    DecodeError, DecodeKey, Desc, Numeric, OrderedKey, PaddedDecimal, Varint, Why,
    historical::ledis,
};
use proptest::prelude::*;

use crate::exact::{exact, exact_for_all_types};
use crate::generators::{bits64, byte, bytes, text};

#[test]
fn every_short_string_over_the_bytes_that_matter_is_one_key_or_refused() {
    const ALPHABET: [u8; 8] = [0x00, 0x01, 0x02, 0x7f, 0x80, 0xfe, 0xff, b'0'];
    let mut keys = vec![Vec::new()];
    for length in 0..=4 {
        for key in &keys {
            assert_eq!(key.len(), length);
            exact_for_all_types(key);
        }
        keys = keys
            .iter()
            .flat_map(|key| ALPHABET.map(|byte| [key.as_slice(), &[byte]].concat()))
            .collect();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes_are_one_key_or_refused(key in proptest::collection::vec(byte(), 0..24)) {
        exact_for_all_types(&key);
    }

    #[test]
    fn damaged_keys_are_other_keys_or_refused(
        name in bytes(), label in text(), bits in bits64(), at in any::<prop::sample::Index>(),
        new in byte(), cut in any::<prop::sample::Index>(), tail in bytes(),
    ) {
        type Row = (Vec<u8>, Varint, Desc<(String, Numeric<f64>)>, PaddedDecimal, bool);
        let score = Numeric::<f64>::new(f64::from_bits(bits)).or(Numeric::<f64>::new(0.0));
        let score = score.expect("zero is a number");
        let row: Row = (name, Varint(bits), Desc((label, score)), PaddedDecimal(bits), bits % 2 == 0);
        let key = row.to_key();
        prop_assert_eq!(&Row::from_key(&key), &Ok(row));

        let mut changed = key.clone();
        changed[at.index(key.len())] = new;
        exact::<Row>(&changed);

        let cut = cut.index(key.len());
        let shortened = Row::from_key(&key[..cut]);
        prop_assert!(matches!(shortened, Err(DecodeError { offset, why: Why::Truncated { missing } })
            if offset == cut && missing > 0), "{:?}", shortened);

        let longer = Row::from_key(&[key.as_slice(), &tail, &[0]].concat());
        let why = Why::TrailingBytes { count: tail.len() + 1 };
        prop_assert_eq!(longer.err(), Some(DecodeError { offset: key.len(), why }));
    }

    #[test]
    fn a_ledis_marker_that_does_not_fit_is_refused(marker in prop_oneof![Just(b'<'), Just(b'='), any::<u8>()], score in any::<i64>()) {
        let mut key = ledis::encode_i64(score);
        prop_assert_eq!(ledis::decode_i64(key), Ok(score));
        key[0] = marker;
        match ledis::decode_i64(key) {
            Ok(score) => prop_assert_eq!(ledis::encode_i64(score), key),
            Err(error) => prop_assert_eq!(error.offset, 0),
        }
    }
}

/// The error of `T` for these bytes.
fn refused<T: DecodeKey + Debug>(key: &[u8]) -> (usize, Why) {
    let error = T::from_key(key).expect_err("these bytes are not a key");
    (error.offset, error.why)
}

#[test]
fn missing_and_surplus_bytes_are_counted() {
    let truncated = |missing| Why::Truncated { missing };
    assert_eq!(refused::<u64>(&[0; 3]), (3, truncated(5)));
    assert_eq!(
        refused::<u64>(&[0; 9]),
        (8, Why::TrailingBytes { count: 1 })
    );
    assert_eq!(refused::<Vec<u8>>(b"ab"), (2, truncated(2)));
    assert_eq!(refused::<Vec<u8>>(b"ab\x00"), (3, truncated(1)));
    assert_eq!(refused::<Varint>(&[0xff, 0]), (2, truncated(7)));
}

#[test]
fn a_second_spelling_of_a_value_is_refused() {
    let overlong = |used, needed| Why::OverlongVarint { used, needed };
    assert_eq!(refused::<Varint>(&[0x80, 0x7f]), (0, overlong(2, 1)));
    let key = [0xff, 0, 0xff, 0, 0, 0, 0, 0, 0];
    assert_eq!(refused::<Varint>(&key), (0, overlong(9, 8)));
    let negative_zero = [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    assert_eq!(
        refused::<Numeric<f64>>(&negative_zero),
        (0, Why::NegativeZero)
    );
    assert_eq!(refused::<Numeric<f64>>(&[0xff; 8]), (0, Why::Nan));
    assert_eq!(refused::<Numeric<f32>>(&[0x00; 4]), (0, Why::Nan));
    let ledis = |key: &[u8; 9]| ledis::decode_i64(*key).map_err(|error| error.why);
    let contradiction = Why::MarkerContradictsSign { marker: b'<' };
    assert_eq!(ledis(b"<\0\0\0\0\0\0\0\0"), Err(contradiction));
    assert_eq!(
        ledis(b">\0\0\0\0\0\0\0\0"),
        Err(Why::BadMarker { found: b'>' })
    );
}

#[test]
fn a_byte_that_means_nothing_is_shown() {
    assert_eq!(
        refused::<(u8, bool)>(&[9, 2]),
        (1, Why::NotABool { found: 2 })
    );
    // A buffer longer than its fields.
    assert_eq!(
        refused::<Vec<u8>>(b"ab\0\0\0"),
        (3, Why::BadEscape { found: 0 })
    );
    assert_eq!(
        refused::<String>(b"a\0\xff\xc3\x28\0\x01"),
        (3, Why::NotUtf8)
    );
    assert_eq!(
        refused::<(u8, String)>(b"\x07\0\xff\xff\0\x01"),
        (3, Why::NotUtf8)
    );
    // The bytes just before '0' and just after '9'.
    let not_a_digit = |found| Why::NotADigit { found };
    assert_eq!(
        refused::<PaddedDecimal>(b"0000000000000000/012"),
        (16, not_a_digit(b'/'))
    );
    assert_eq!(
        refused::<PaddedDecimal>(b"0000000000000000000:"),
        (19, not_a_digit(b':'))
    );
    assert_eq!(
        refused::<PaddedDecimal>(b"18446744073709551616"),
        (19, Why::DecimalOverflow)
    );
    assert_eq!(
        refused::<PaddedDecimal>(b"99999999999999999999"),
        (19, Why::DecimalOverflow)
    );
    // Offsets count from the start of the key inside a descending tuple, too.
    let key = [0x09, 0xf6, 0xfd];
    assert_eq!(
        refused::<(u8, Desc<(u8, bool)>)>(&key),
        (2, Why::NotABool { found: 2 })
    );
}

#[test]
fn messages_read_as_sentences() {
    let message = |error: DecodeError| error.to_string();
    assert_eq!(
        message(u64::from_key(&[0; 3]).unwrap_err()),
        "at byte 3 of the key: the key ends here; bytes missing: 5"
    );
    assert_eq!(
        message(Vec::from_key(b"ab\0\0").unwrap_err()),
        "at byte 3 of the key: 00 is followed by ff (a zero byte) or 01 (the end), found 00"
    );
    assert_eq!(
        message(Varint::from_key(&[0x80, 0x7f]).unwrap_err()),
        "at byte 0 of the key: this varint takes 2 bytes, but its value fits in 1"
    );
}
