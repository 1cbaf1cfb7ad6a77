//! The table of encodings in the documentation of `engine::keys` says what the code does.

use engine::keys::{Desc, Numeric, OrderedKey, PaddedDecimal, Raw, Varint, hex};

const DOCUMENTATION: &str = include_str!("../../src/keys/mod.rs");

#[test]
fn each_example_has_the_key_that_the_table_shows() {
    let zero = Numeric::<f64>::new(-0.0).expect("zero is a number");
    let examples = [
        ("256_u64", 256_u64.to_key()),
        ("-1_i64", (-1_i64).to_key()),
        ("-0.0_f64", (-0.0_f64).to_key()),
        ("-0.0", zero.to_key()),
        ("true", true.to_key()),
        ("\"a\\0b\"", "a\0b".to_key()),
        ("Raw(\"ab\")", Raw("ab").to_key()),
        ("Varint(300)", Varint(300).to_key()),
        ("PaddedDecimal(42)", PaddedDecimal(42).to_key()),
        ("Desc(1_u16)", Desc(1_u16).to_key()),
        ("(\"a\", 1_u16)", ("a", 1_u16).to_key()),
    ];
    let rows = DOCUMENTATION
        .lines()
        .skip_while(|line| !line.starts_with("//! | type |"));
    let rows: Vec<_> = rows
        .take_while(|line| line.starts_with("//! |"))
        .skip(2)
        .collect();
    assert_eq!(rows.len(), examples.len(), "one example for each row");
    for (row, (example, key)) in rows.into_iter().zip(examples) {
        let shown = format!("| `{example}` | `{}` |", hex(&key));
        assert!(row.ends_with(&shown), "{row}\nshould end with\n{shown}");
    }
}
