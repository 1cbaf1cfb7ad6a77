//! The stored vectors of the book's widgets are what the code computes today.
//!
//! To rewrite them: `UPDATE_OUTPUTS=1 cargo test -p engine --test keys vectors::`.

use std::{env, fs, path::Path};

#[path = "../../examples/key_vectors/vectors.rs"]
mod export;

const STORED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../book/widgets/vectors.json");

#[test]
fn the_stored_vectors_equal_the_export() {
    let export = export::json();
    let path = Path::new(STORED);
    if env::var_os("UPDATE_OUTPUTS").is_some() {
        fs::create_dir_all(path.parent().expect("the path has a folder")).expect("folder");
        fs::write(path, &export).expect("write the vectors");
    }
    let stored = fs::read_to_string(path).expect("book/widgets/vectors.json is stored");
    // A checkout may turn line ends into CRLF. Nothing else may differ.
    let difference = stored.lines().zip(export.lines()).position(|(a, b)| a != b);
    assert_eq!(
        difference.map(|line| line + 1),
        None,
        "the stored vectors differ from this line on; UPDATE_OUTPUTS=1 rewrites them"
    );
    assert_eq!(stored.lines().count(), export.lines().count(), "lines");
}

#[test]
fn the_vectors_of_each_type_are_in_order_and_only_the_right_key_says_so() {
    let export: serde_json::Value = serde_json::from_str(&export::json()).expect("JSON");
    let types = export["types"].as_array().expect("a list");
    let names: Vec<_> = types
        .iter()
        .filter_map(|entry| entry["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"
        ]
    );
    for entry in types {
        let name = entry["name"].as_str().expect("a name");
        let ascending = |field: &str| {
            let keys: Vec<_> = entry["vectors"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|vector| vector[field].as_str().expect("a key"))
                .collect();
            assert!(keys.len() >= 8, "{name} has enough values");
            keys.windows(2).all(|pair| pair[0] < pair[1])
        };
        assert!(ascending("encoded"), "{name}: keys ascend");
        assert!(!ascending("descending"), "{name}: descending keys do not");
        assert_eq!(
            ascending("big_endian"),
            name.starts_with('u'),
            "{name}: big-endian"
        );
        assert_eq!(
            ascending("little_endian"),
            name == "u8",
            "{name}: little-endian"
        );
    }
}
