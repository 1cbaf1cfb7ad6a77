//! Seeds of the fuzz target `keys`: a key of every type, and the inputs that once failed.

use std::fs;
use std::path::PathBuf;

use engine::keys::{Desc, Numeric, OrderedKey, PaddedDecimal, Raw, Varint};

use crate::exact::exact_for_all_types;

fn folder(kind: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz"))
        .join(kind)
        .join("keys")
}

fn seeds() -> [(&'static str, Vec<u8>); 8] {
    let score = Numeric::<f64>::new(-12.5).expect("it is a number");
    [
        ("i64", (-300_i64).to_key()),
        ("f64", f64::INFINITY.to_key()),
        ("text", "a\0b".to_key()),
        ("decimal", PaddedDecimal(42).to_key()),
        ("varint", Varint(70_000).to_key()),
        ("desc-text", Desc("z\0".to_owned()).to_key()),
        (
            "row",
            (Varint(3), Desc(("m".to_owned(), score)), Raw("tail")).to_key(),
        ),
        (
            "nested",
            ((true, Varint(9)), (Desc(Varint(9)), "x")).to_key(),
        ),
    ]
}

/// `UPDATE_OUTPUTS=1 cargo test -p engine --test keys seeds` rewrites them.
#[test]
fn seeds_are_as_the_encoders_write_them() {
    for (name, key) in seeds() {
        let path = folder("seeds").join(name);
        if std::env::var_os("UPDATE_OUTPUTS").is_some() {
            fs::create_dir_all(folder("seeds")).expect("a writable folder");
            fs::write(&path, &key).expect("a writable folder");
        }
        let stored = fs::read(&path).unwrap_or_default();
        assert_eq!(stored, key, "{}", path.display());
    }
}

#[test]
fn seeds_and_inputs_that_once_failed_keep_the_promise() {
    for kind in ["seeds", "found"] {
        for entry in fs::read_dir(folder(kind)).into_iter().flatten() {
            let path = entry.expect("a readable folder").path();
            println!("{}", path.display());
            exact_for_all_types(&fs::read(path).expect("a readable file"));
        }
    }
}
