//! `report`: one copy, or a folder of them.

use std::fs;

use serde_json::Value;

use crate::fixture::{Repository, text};

const FIRST: &str = "exercises/ch90-first/src/twice.rs";
const SECOND: &str = "exercises/ch91-second/src/twice.rs";
const RIGHT: &str = "pub fn twice(n: i64) -> i64 { n + n }\n";
const SQUARED: &str = "pub fn twice(n: i64) -> i64 { n * n }\n";

fn states(learner: &Value) -> Vec<&str> {
    let exercises = learner["exercises"].as_array().unwrap();
    exercises
        .iter()
        .map(|e| e["state"].as_str().unwrap())
        .collect()
}

#[test]
fn this_copy_is_reported_in_full() {
    let repository = Repository::new("reportone");
    repository.write(SECOND, SQUARED);
    let all = repository.json(&["report", "--json"]);
    assert_eq!(states(&all[0]), ["not-started", "failing"]);
    assert_eq!(all[0]["exercises"][1]["check"], "doubles");
    assert_eq!(all[0]["exercises"][1]["mistake"], "squared");

    let shown = text(&repository.run(&["report"]));
    assert!(shown.contains("first-twice   not started"), "{shown}");
    assert!(
        shown.contains("second-twice  failing      doubles: squared"),
        "{shown}"
    );
}

#[test]
fn a_folder_of_copies_is_judged_by_this_one_and_left_alone() {
    let repository = Repository::new("reportall");
    repository.write(FIRST, "pub fn twice(n: i64) -> i64 { n - n }\n");
    for (file, answer) in [
        ("class/ann/exercises/ch90-first/src/twice.rs", RIGHT),
        ("class/ann/exercises/ch91-second/src/twice.rs", SQUARED),
        // Whatever a learner has done to the checks: they are not asked.
        (
            "class/ann/exercises/ch91-second/checks/main.rs",
            "fn main() {}\n",
        ),
        (
            "class/bob/exercises/ch90-first/src/twice.rs",
            "pub fn twice(n: i64) -> i64 { n + }\n",
        ),
        ("class/notes/readme.txt", "not a copy\n"),
    ] {
        repository.write(file, answer);
    }
    let all = repository.json(&["report", "class", "--json"]);
    assert_eq!(all.as_array().unwrap().len(), 2, "{all}");
    assert_eq!(all[0]["name"], "ann");
    assert_eq!(states(&all[0]), ["passed", "failing"]);
    assert_eq!(all[0]["exercises"][1]["mistake"], "squared");
    assert_eq!(states(&all[1]), ["failing", "not-started"]);
    let diagnosis = all[1]["exercises"][0]["diagnosis"].as_str().unwrap();
    assert!(diagnosis.starts_with("does not compile"), "{diagnosis}");
    // The instructor's own answer stands as it stood.
    assert!(repository.read(FIRST).contains("n - n"));

    let shown = text(&repository.run(&["report", "class"]));
    for line in [
        "ann  1 passed, 1 failing, 0 not started",
        "second-twice  0 passed, 1 failing, 1 not started  1 squared",
    ] {
        assert!(shown.contains(line), "{line:?} is not in {shown}");
    }
    fs::create_dir(repository.path("empty")).unwrap();
    let none = repository.run(&["report", "empty"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none).contains("holds no folder"), "{}", text(&none));
}
