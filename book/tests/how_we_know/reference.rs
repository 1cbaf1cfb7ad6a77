//! The table of every encoding of `engine::keys`, made by the code that it describes.

use book::output;
use engine::keys::{self, DecodeKey, Desc, Numeric, OrderedKey, PaddedDecimal, Raw, Varint};

/// A line of the table. `names` are the functions and types that it stands for.
struct Row {
    names: &'static str,
    rule: &'static str,
    order: &'static str,
    bytes: String,
    example: &'static str,
    key: String,
    refused: String,
}

/// Bytes in hexadecimal. Of many, the first and the last: a column has no room for more.
fn hex(bytes: &[u8]) -> String {
    match bytes {
        [a, b, .., y, z] if bytes.len() > 10 => {
            format!("{}…{}", keys::hex(&[*a, *b]), keys::hex(&[*y, *z]))
        }
        _ => keys::hex(bytes),
    }
}

/// What the decoder says of bytes that are no key.
fn refusal<T: DecodeKey>(bytes: &[u8]) -> String {
    match T::from_key(bytes) {
        Ok(_) => panic!("{} is a key", hex(bytes)),
        Err(error) => format!("`{}`: {}", hex(bytes), error.why),
    }
}

/// A fixed width is told by keys, a range of widths by two of them.
fn width(keys: &[Vec<u8>]) -> String {
    let (least, most) = (
        keys.iter().map(Vec::len).min(),
        keys.iter().map(Vec::len).max(),
    );
    let [least, most] = [least, most].map(Option::unwrap_or_default);
    if least == most {
        least.to_string()
    } else {
        format!("{least} to {most}")
    }
}

/// Two widths and nothing between.
fn both(one: &[u8], other: &[u8]) -> String {
    format!("{}, {}", one.len(), other.len())
}

#[expect(
    clippy::too_many_lines,
    reason = "a table, one line of it after another"
)]
fn rows() -> Vec<Row> {
    vec![
        Row {
            names: "u8 u16 u32 u64 u128",
            rule: "big-endian",
            order: "numeric",
            bytes: width(&[0u8.to_key(), 0u128.to_key()]),
            example: "256_u64",
            key: hex(&256u64.to_key()),
            refused: refusal::<u64>(&[0; 7]),
        },
        Row {
            names: "i8 i16 i32 i64 i128",
            rule: "sign bit flipped, big-endian",
            order: "numeric",
            bytes: width(&[0i8.to_key(), 0i128.to_key()]),
            example: "-1_i64",
            key: hex(&(-1i64).to_key()),
            refused: refusal::<i64>(&[0; 9]),
        },
        Row {
            names: "f32 f64",
            rule: "sign bit set: all inverted; else set it",
            order: "total: every pattern has a place",
            bytes: both(&0f32.to_key(), &0f64.to_key()),
            example: "-0.0_f64",
            key: hex(&(-0.0f64).to_key()),
            refused: refusal::<f64>(&[0; 7]),
        },
        Row {
            names: "f16_bits",
            rule: "the same, on the 16 bits of a binary16",
            order: "total",
            bytes: width(&[keys::encode_f16_bits(0).to_vec()]),
            example: "0xbc00 (-1)",
            key: hex(&keys::encode_f16_bits(0xbc00)),
            refused: "nothing: it takes two bytes".to_owned(),
        },
        Row {
            names: "Numeric f32_numeric f64_numeric",
            rule: "-0.0 becomes 0.0, then as `f64`; the encoder refuses NaN",
            order: "`<`, one zero",
            bytes: both(&number32(1.0).to_key(), &number(1.0).to_key()),
            example: "-0.0",
            key: hex(&number(-0.0).to_key()),
            refused: refusal::<Numeric<f64>>(&keys::encode_f64(-0.0)),
        },
        Row {
            names: "bool",
            rule: "0 or 1",
            order: "false first",
            bytes: width(&[true.to_key()]),
            example: "true",
            key: hex(&true.to_key()),
            refused: refusal::<bool>(&[2]),
        },
        Row {
            names: "Vec<u8> [u8] bytes",
            rule: "`00` becomes `00 ff`; `00 01` ends it",
            order: "bytes, shorter first",
            bytes: "n + zeros + 2".to_owned(),
            example: "a\\0b",
            key: hex(&keys::encode_bytes(b"a\0b")),
            refused: refusal::<Vec<u8>>(&[0, 0]),
        },
        Row {
            names: "String str",
            rule: "the same, on UTF-8",
            order: "code points",
            bytes: "n + zeros + 2".to_owned(),
            example: "\"é\"",
            key: hex(&"é".to_key()),
            refused: refusal::<String>(&[0xff, 0, 1]),
        },
        Row {
            names: "Raw",
            rule: "as it is; nothing may follow",
            order: "bytes, shorter first",
            bytes: "n".to_owned(),
            example: "Raw(\"ab\")",
            key: hex(&Raw("ab").to_key()),
            refused: "nothing".to_owned(),
        },
        Row {
            names: "Varint varint",
            rule: "leading ones count the bytes that follow",
            order: "numeric",
            bytes: width(&[Varint(0).to_key(), Varint(u64::MAX).to_key()]),
            example: "Varint(300)",
            key: hex(&Varint(300).to_key()),
            refused: refusal::<Varint>(&[0x80, 0x01]),
        },
        Row {
            names: "PaddedDecimal decimal",
            rule: "twenty digits",
            order: "numeric",
            bytes: width(&[PaddedDecimal(0).to_key(), PaddedDecimal(u64::MAX).to_key()]),
            example: "PaddedDecimal(42)",
            key: hex(&PaddedDecimal(42).to_key()),
            refused: refusal::<PaddedDecimal>(b"0000000000000000004x"),
        },
        Row {
            names: "Desc descending",
            rule: "all bytes of a key inverted, its end too",
            order: "reversed",
            bytes: "as inside".to_owned(),
            example: "Desc(1_u16)",
            key: hex(&Desc(1u16).to_key()),
            refused: refusal::<Desc<u16>>(&[0xff]),
        },
        Row {
            names: "(A, B, ...)",
            rule: "one field after another, up to eight",
            order: "field by field",
            bytes: "sum".to_owned(),
            example: "(\"a\", 1_u16)",
            key: hex(&("a", 1u16).to_key()),
            refused: refusal::<(String, u16)>(b"a\0\x01\0\x01\0"),
        },
        Row {
            names: "interleave",
            rule: "the bits of two `u32` in turn, x first; then as `u64`",
            order: "Z-order",
            bytes: width(&[keys::interleave(0, 0).to_key()]),
            example: "interleave(1, 3)",
            key: hex(&keys::interleave(1, 3).to_key()),
            refused: refusal::<u64>(&[0; 7]),
        },
    ]
}

fn number(value: f64) -> Numeric<f64> {
    Numeric::<f64>::new(value).expect("no NaN here")
}

fn number32(value: f32) -> Numeric<f32> {
    Numeric::<f32>::new(value).expect("no NaN here")
}

#[test]
fn the_table_of_every_encoding() {
    let mut table = String::from("| type | rule | order | bytes |\n|---|---|---|---|\n");
    let mut examples =
        String::from("| type | example | its key | refused, and why |\n|---|---|---|---|\n");
    for row in rows() {
        let types: Vec<String> = row
            .names
            .split_whitespace()
            .filter(|name| !name.starts_with(|c: char| c.is_lowercase()) || is_type(name))
            .map(|name| format!("`{name}`"))
            .collect();
        let types = if types.is_empty() {
            format!("`{}`", row.names)
        } else {
            types.join(" ")
        };
        // A tuple's name has spaces of its own.
        let types = if row.names.starts_with('(') {
            format!("`{}`", row.names)
        } else {
            types
        };
        table += &format!(
            "| {types} | {} | {} | {} |\n",
            row.rule, row.order, row.bytes
        );
        examples += &format!(
            "| {types} | `{}` | `{}` | {} |\n",
            row.example, row.key, row.refused
        );
    }
    // In one table the columns would not fit a page.
    output::check(
        "how-we-know/outputs/reference.md",
        &format!("{table}\n{examples}"),
    );
}

fn is_type(name: &str) -> bool {
    ["bool", "str"].contains(&name) || name.get(1..).is_some_and(|bits| bits.parse::<u8>().is_ok())
}

/// Every encoder that the module exports has a line: a new one cannot be forgotten.
#[test]
fn no_encoder_is_missing_from_the_table() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src/keys/mod.rs");
    let source = std::fs::read_to_string(path).unwrap();
    let exported = source.split("pub use ").skip(1);
    let words = exported.flat_map(|list| {
        let list = list.split(';').next().unwrap_or_default();
        list.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    let encoders: Vec<String> = words
        .filter_map(|word| {
            Some(
                word.strip_prefix("encode_")?
                    .trim_end_matches("_into")
                    .to_owned(),
            )
        })
        .collect();
    assert!(
        encoders.len() > 15,
        "the exports are not read: {encoders:?}"
    );
    let names: Vec<&str> = rows()
        .iter()
        .flat_map(|row| row.names.split_whitespace())
        .collect();
    for encoder in encoders {
        assert!(
            names.contains(&encoder.as_str()),
            "`encode_{encoder}` has no line in the table"
        );
    }
    for other in [
        "Raw",
        "Varint",
        "PaddedDecimal",
        "Desc",
        "Numeric",
        "interleave",
    ] {
        assert!(source.contains(other) && names.contains(&other), "{other}");
    }
}
