//! `docs/README.md` names every document and every test of a behaviour, and every file that a document links to exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn pages() -> BTreeSet<String> {
    let files = std::fs::read_dir(docs())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    files
        .map(|name| name.into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect()
}

/// Where the links of a page lead, without the part after `#` and without links to the web.
fn links(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(docs().join(page)).unwrap();
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next());
    targets
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_index_names_every_document() {
    let named: BTreeSet<_> = links("README.md").into_iter().collect();
    for page in pages().iter().filter(|page| *page != "README.md") {
        assert!(named.contains(page), "docs/README.md does not name {page}");
    }
}

#[test]
fn every_linked_file_is_there() {
    let mut followed = 0;
    for page in pages() {
        for link in links(&page) {
            assert!(
                docs().join(&link).exists(),
                "docs/{page} links to {link}, which is not there"
            );
            followed += 1;
        }
    }
    assert!(followed > 30, "{followed} links");
}

/// What no row names is a feature that nobody finds.
#[test]
fn the_index_names_every_test() {
    let named = links("README.md");
    for folder in ["../tests", "../tests/behaviour"] {
        let not_tests = ["main.rs", "support", "behaviour", "keys"];
        for entry in docs().join(folder).read_dir().unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = format!("{folder}/{name}");
            assert!(
                not_tests.contains(&&*name) || named.iter().any(|link| link.starts_with(&path)),
                "docs/README.md has no row for {path}"
            );
        }
    }
}

/// This also covers tests that a page names in passing, as in `Tests: families.rs`.
#[test]
fn every_named_test_is_there() {
    let mut named = 0;
    for page in pages() {
        let text = std::fs::read_to_string(docs().join(&page)).unwrap();
        for line in text.lines().filter(|line| line.starts_with("Tests: ")) {
            for test in line.split('`').filter(|part| part.ends_with(".rs")) {
                let tests = docs().join("../tests");
                assert!(
                    tests.join(test).exists() || tests.join("behaviour").join(test).exists(),
                    "docs/{page} names {test}, which is not in tests/"
                );
                named += 1;
            }
        }
    }
    assert!(named > 10, "{named} tests");
}
