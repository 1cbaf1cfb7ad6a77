//! The pages in `docs/` say what the code says. `UPDATE_DOCS=1` rewrites the generated one.

use std::fs;
use std::path::Path;

use redis_layer::commands::command_page;

#[test]
fn the_page_of_commands_is_the_command_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
    let page = command_page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == page,
        "{} is old: run this test with UPDATE_DOCS=1",
        path.display()
    );
}

#[test]
fn every_known_difference_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/differences.md")).unwrap();
    let named: Vec<&str> = page
        .split('`')
        .filter_map(|code| code.strip_prefix("tests/")?.split_once("::"))
        .map(|(file, test)| {
            let source = fs::read_to_string(root.join("tests").join(file)).unwrap();
            assert!(
                source.contains(&format!("fn {test}()")),
                "{file} has no test {test}"
            );
            test
        })
        .collect();
    assert!(named.len() >= 4, "{named:?}");
}

#[test]
fn the_index_names_every_page_and_every_link_leads_somewhere() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    let mut followed = 0;
    for entry in fs::read_dir(&docs).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".md") {
            continue;
        }
        assert!(
            name == "README.md" || index.contains(&format!("]({name})")),
            "docs/README.md does not name {name}"
        );
        let page = fs::read_to_string(docs.join(&name)).unwrap();
        for rest in page.split("](").skip(1) {
            let target = rest.split([')', '#']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            assert!(
                docs.join(target).exists(),
                "docs/{name} links to {target}, which is not there"
            );
            followed += 1;
        }
    }
    assert!(followed > 10, "{followed} links");
}
