//! A chapter, the workbook and a test of the book share every crate with `cargo test`: the root manifest, "One build".

use std::collections::BTreeSet;
use std::process::Command;

/// What a build compiles, each crate with its features.
fn crates(selection: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--prefix", "none", "--no-dedupe"])
        .args(["--format", "{p} [{f}]"])
        .args(selection)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{selection:?}: {complaints}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn no_crate_is_compiled_again_for_a_part_of_the_workspace() {
    let all = crates(&["--workspace"]);
    assert!(all.len() > 200, "only {} crates", all.len());
    let without_tests = ["--edges", "normal,build"];
    for (package, edges) in [
        ("workbook", &without_tests[..]),
        ("ch02-endianness", &[]),
        ("ch07-comparators", &[]),
        ("book", &[]),
    ] {
        let own = crates(&[&["--package", package], edges].concat());
        let again: Vec<&String> = own.difference(&all).collect();
        assert!(
            again.is_empty(),
            "a build of {package} alone compiles these with other features than `cargo test` does: {again:#?}\n\
             give the features that are missing to the dependency in the root Cargo.toml, under \"One build\""
        );
    }
}
