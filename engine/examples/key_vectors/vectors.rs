//! Chosen values with their bytes under each encoding, both right and wrong encodings.
//!
//! Shape: one entry for each type, and in it one vector for each value, in ascending total order,
//! so `encoded` is strictly increasing. All keys are hexadecimal. A field is absent where it makes
//! no sense for the type. `numeric` is null for NaN, which that encoding refuses.
//!
//! `value` is written so that JavaScript's `Number(..)` (for floats) or `BigInt(..)` (for integers)
//! reads it. NaNs differ only in their bits, so read those from `big_endian`.

use engine::keys::{
    OrderedKey, encode_decimal, encode_f32, encode_f32_numeric, encode_f64, encode_f64_numeric,
    encode_varint, hex,
    historical::{ledis, neokv, qdb},
};
use serde::Serialize;

#[derive(Serialize)]
struct Export {
    about: &'static str,
    types: Vec<Type>,
}

#[derive(Serialize)]
struct Type {
    name: &'static str,
    size_bytes: usize,
    vectors: Vec<Vector>,
}

/// One value under every encoding that its type has.
#[derive(Serialize, Default)]
struct Vector {
    value: String,
    /// As zeros and ones, with the sign or highest bit first.
    bits: String,
    little_endian: String,
    /// The bytes of `bits`, unchanged. For signed types and floats this does not sort.
    big_endian: String,
    /// The key of `engine::keys`. For floats, the total order.
    encoded: String,
    /// `encoded` with every byte inverted.
    descending: String,
    /// Wrong on purpose: all bits are inverted, whatever the sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong_all_inverted: Option<String>,
    /// Wrong on purpose, for floats: the sign bit is flipped and negatives are not inverted.
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong_sign_flipped_only: Option<String>,
    /// The key of `Numeric`: one zero, null for NaN.
    #[serde(skip_serializing_if = "Option::is_none")]
    numeric: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    varint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decimal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ledis: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qdb: Option<String>,
    /// What QDB reads back from its own key.
    #[serde(skip_serializing_if = "Option::is_none")]
    qdb_decoded: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    neokv: Option<String>,
}

impl Vector {
    fn new(value: String, big_endian: &[u8], key: &[u8]) -> Self {
        Self {
            value,
            bits: big_endian
                .iter()
                .map(|byte| format!("{byte:08b}"))
                .collect(),
            little_endian: hex(&big_endian.iter().rev().copied().collect::<Vec<_>>()),
            big_endian: hex(big_endian),
            encoded: hex(key),
            descending: inverted(key),
            ..Self::default()
        }
    }

    fn signed(mut self, big_endian: &[u8]) -> Self {
        self.wrong_all_inverted = Some(inverted(big_endian));
        self
    }
}

fn inverted(bytes: &[u8]) -> String {
    hex(&bytes.iter().map(|byte| !byte).collect::<Vec<_>>())
}

fn sign_flipped_only(big_endian: &[u8]) -> String {
    let mut key = big_endian.to_vec();
    key[0] ^= 0x80;
    hex(&key)
}

/// A float as JavaScript writes and reads it.
fn float_text(value: f64, debug: String) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else {
        debug
    }
}

macro_rules! integers {
    ($name:literal, $type:ty, $values:expr, $finish:expr) => {{
        let mut values: Vec<$type> = $values.into();
        values.extend([
            <$type>::MIN,
            <$type>::MIN + 1,
            <$type>::MAX - 1,
            <$type>::MAX,
        ]);
        values.sort_unstable();
        values.dedup();
        let vector = |value: $type| {
            let vector = Vector::new(value.to_string(), &value.to_be_bytes(), &value.to_key());
            $finish(vector, value)
        };
        Type {
            name: $name,
            size_bytes: size_of::<$type>(),
            vectors: values.into_iter().map(vector).collect(),
        }
    }};
}

macro_rules! signed {
    ($name:literal, $type:ty, $values:expr) => {
        integers!($name, $type, $values, |vector: Vector, value: $type| vector
            .signed(&value.to_be_bytes()))
    };
}

fn u64_vectors() -> Type {
    let values = [
        0,
        1,
        2,
        9,
        10,
        127,
        128,
        255,
        256,
        257,
        300,
        16_383,
        16_384,
        65_535,
        65_536,
        99_999,
        0xffff_0000,
        0xffff_ffff,
        1 << 32,
        1_571_819_021_259,
        1 << 53,
        1 << 56,
        1 << 63,
    ];
    integers!("u64", u64, values, |vector: Vector, value: u64| Vector {
        varint: Some(hex(&encode_varint(value))),
        decimal: Some(hex(&encode_decimal(value))),
        ..vector
    })
}

fn i64_vectors() -> Type {
    let values = [
        -(1 << 53),
        -0xffff_0000,
        -65_536,
        -300,
        -257,
        -256,
        -255,
        -200,
        -129,
        -128,
        -127,
        -2,
        -1,
        0,
        1,
        2,
        100,
        127,
        128,
        200,
        255,
        256,
        257,
        300,
        65_535,
        65_536,
        0xffff_0000,
        1 << 53,
    ];
    integers!("i64", i64, values, |vector: Vector, value: i64| Vector {
        ledis: Some(hex(&ledis::encode_i64(value))),
        ..vector.signed(&value.to_be_bytes())
    })
}

fn f32_vectors() -> Type {
    let mut values = vec![
        f32::from_bits(0x7fc0_0000), // quiet NaNs
        f32::from_bits(0xffc0_0000),
        f32::from_bits(0x7f80_0001), // the smallest payload, signalling
        f32::from_bits(0xff80_0001),
        16_777_216.0,
        16_777_217.0_f64 as f32, // rounds to the one above: 2^24 is where integers end
        16_777_218.0,
    ];
    for magnitude in [
        0.0,
        f32::from_bits(1),
        f32::MIN_POSITIVE,
        0.1,
        0.5,
        1.0,
        1.0 + f32::EPSILON,
        1.5,
        2.0,
        100.0,
        f32::MAX,
        f32::INFINITY,
    ] {
        values.extend([magnitude, -magnitude]);
    }
    values.sort_unstable_by(f32::total_cmp);
    values.dedup_by_key(|value| value.to_bits());
    let vector = |value: f32| {
        let big_endian = value.to_bits().to_be_bytes();
        let text = float_text(f64::from(value), format!("{value:?}"));
        Vector {
            wrong_sign_flipped_only: Some(sign_flipped_only(&big_endian)),
            numeric: Some(encode_f32_numeric(value).ok().map(|key| hex(&key))),
            ..Vector::new(text, &big_endian, &encode_f32(value)).signed(&big_endian)
        }
    };
    Type {
        name: "f32",
        size_bytes: 4,
        vectors: values.into_iter().map(vector).collect(),
    }
}

fn f64_vectors() -> Type {
    let mut values = vec![
        f64::from_bits(0x7ff8_0000_0000_0000), // quiet NaNs
        f64::from_bits(0xfff8_0000_0000_0000),
        f64::from_bits(0x7ff0_0000_0000_0001), // the smallest payload, signalling
        f64::from_bits(0xfff0_0000_0000_0001),
        f64::from_bits(0x0007_ffff_ffff_ffff), // what QDB makes of NaN
        9_007_199_254_740_991.0,               // 2^53 - 1
        9_007_199_254_740_992.0,               // 2^53
        9_007_199_254_740_994.0,
        1.309_426_671_287_543_6e18,
    ];
    for magnitude in [
        0.0,
        f64::from_bits(1),
        f64::MIN_POSITIVE,
        0.1,
        0.5,
        1.0,
        1.0 + f64::EPSILON,
        1.5,
        2.0,
        3.0,
        100.0,
        256.0,
        1e21,
        f64::MAX,
        f64::INFINITY,
    ] {
        values.extend([magnitude, -magnitude]);
    }
    values.sort_unstable_by(f64::total_cmp);
    values.dedup_by_key(|value| value.to_bits());
    let vector = |value: f64| {
        let big_endian = value.to_bits().to_be_bytes();
        let qdb_key = qdb::encode_f64(value);
        let qdb_decoded = qdb::decode_f64(qdb_key);
        let text = float_text(value, format!("{value:?}"));
        Vector {
            wrong_sign_flipped_only: Some(sign_flipped_only(&big_endian)),
            numeric: Some(encode_f64_numeric(value).ok().map(|key| hex(&key))),
            qdb: Some(hex(&qdb_key)),
            qdb_decoded: Some(float_text(qdb_decoded, format!("{qdb_decoded:?}"))),
            neokv: Some(hex(&neokv::encode_f64(value))),
            ..Vector::new(text, &big_endian, &encode_f64(value)).signed(&big_endian)
        }
    };
    Type {
        name: "f64",
        size_bytes: 8,
        vectors: values.into_iter().map(vector).collect(),
    }
}

/// Adds nothing: the type has only one encoding.
fn plain<T>(vector: Vector, _value: T) -> Vector {
    vector
}

/// The export, exactly as the file holds it.
pub(crate) fn json() -> String {
    let export = Export {
        about: "Written by `UPDATE_OUTPUTS=1 cargo test -p engine --test keys vectors::`",
        types: vec![
            integers!("u8", u8, [0, 1, 2, 9, 10, 127, 128, 200], plain),
            integers!(
                "u16",
                u16,
                [0, 1, 2, 127, 128, 255, 256, 257, 300, 32_768],
                plain
            ),
            integers!(
                "u32",
                u32,
                [0, 1, 255, 256, 65_535, 65_536, 0xffff_0000],
                plain
            ),
            u64_vectors(),
            signed!("i8", i8, [-100, -2, -1, 0, 1, 2, 100]),
            signed!(
                "i16",
                i16,
                [-300, -256, -200, -2, -1, 0, 1, 2, 127, 128, 255, 256, 300]
            ),
            signed!(
                "i32",
                i32,
                [-65_536, -300, -256, -200, -1, 0, 1, 255, 256, 300, 65_536]
            ),
            i64_vectors(),
            f32_vectors(),
            f64_vectors(),
        ],
    };
    let mut text = serde_json::to_string_pretty(&export).expect("strings and numbers only");
    text.push('\n');
    text
}
