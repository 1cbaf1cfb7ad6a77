//! `report`: one copy, or a folder of them.

use std::fs::{self, File};
use std::process::Stdio;

use serde_json::Value;

use crate::fixture::{Killed, Lines, Repository, text};

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
    // The instructor's own answer stands as it stood, and nobody else's is judged in its place.
    assert!(repository.read(FIRST).contains("n - n"));
    let own = repository.json(&["report", "--json"]);
    assert_eq!(states(&own[0]), ["failing", "not-started"]);

    let shown = text(&repository.run(&["report", "class"]));
    for line in [
        "ann  1 passed, 1 failing, 0 not started",
        &format!(
            "  {}  failing      does not compile: ",
            repository.package("ch90-first")
        ),
        "second-twice  0 passed, 1 failing, 1 not started  1 squared",
    ] {
        assert!(shown.contains(line), "{line:?} is not in {shown}");
    }
    fs::create_dir(repository.path("empty")).unwrap();
    let none = repository.run(&["report", "empty"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none).contains("holds no folder"), "{}", text(&none));
}

/// A chapter may give its exercises a module. A learner's copy is older than it, or has it changed.
#[test]
fn what_a_chapter_gives_is_this_copy_s() {
    let repository = Repository::new("reportgiven");
    let given = "exercises/ch91-second/src/given.rs";
    repository.write(given, "pub const TWO: i64 = 2;\n");
    repository.write(
        "exercises/ch91-second/src/lib.rs",
        "pub mod given;\npub mod twice;\n",
    );
    let answer = "pub fn twice(n: i64) -> i64 { n.wrapping_mul(crate::given::TWO) }\n";
    for learner in ["ann", "bob"] {
        let file = "exercises/ch91-second/src/twice.rs";
        repository.write(&format!("class/{learner}/{file}"), answer);
    }
    repository.write(&format!("class/bob/{given}"), "pub const TWO: i64 = 3;\n");
    let all = repository.json(&["report", "class", "--json"]);
    assert_eq!(states(&all[0]), ["not-started", "passed"]);
    assert_eq!(states(&all[1]), ["not-started", "passed"]);
}

#[cfg(unix)]
#[test]
fn links_are_named_and_not_followed() {
    use std::os::unix::fs::symlink;

    let repository = Repository::new("reportlinks");
    repository.write("elsewhere/src/twice.rs", RIGHT);
    let linked = |link: &str, target: &str| {
        symlink(repository.path(target), repository.path(link)).unwrap();
    };
    // A whole `src`, a file in one, and a folder above one.
    repository.write("class/ann/exercises/ch90-first/Cargo.toml", "");
    repository.write("class/ann/exercises/ch91-second/src/notes.txt", "");
    linked("class/ann/exercises/ch90-first/src", "elsewhere/src");
    linked(
        "class/ann/exercises/ch91-second/src/twice.rs",
        "elsewhere/src/twice.rs",
    );
    repository.write("class/bob/exercises/ch91-second/src/twice.rs", RIGHT);
    linked("class/bob/exercises/ch90-first", "elsewhere");
    // The instructor's own link to a copy that lies elsewhere is followed, and has its own name.
    repository.write("collected/exercises/ch90-first/src/twice.rs", RIGHT);
    linked("class/cid", "collected");

    let output = repository.run(&["report", "class"]);
    let shown = text(&output);
    for line in [
        "ann: exercises/ch90-first/src is a link; what it leads to is not read, and counts as not started",
        "ann: exercises/ch91-second/src/twice.rs is a link; ",
        "bob: exercises/ch90-first is a link; ",
        "ann  0 passed, 0 failing, 2 not started",
        "bob  1 passed, 0 failing, 1 not started",
        "cid  1 passed, 0 failing, 1 not started",
    ] {
        assert!(shown.contains(line), "{line:?} is not in {shown}");
    }
}

#[test]
fn of_a_learner_s_copy_sources_are_read_and_of_this_one_packages() {
    let repository = Repository::new("reportsources");
    repository.write("data/dump", "a server's\n");
    repository.write("class/ann/exercises/ch90-first/src/twice.rs", RIGHT);
    repository.write("class/ann/exercises/ch90-first/src/table.csv", "1,2\n");
    let long = format!("{RIGHT}// {}\n", "x".repeat(1 << 20));
    repository.write("class/ann/exercises/ch91-second/src/twice.rs", &long);
    let shown = text(&repository.run(&["report", "class"]));
    for line in [
        "ann: exercises/ch90-first/src/table.csv is no Rust source, and is not read",
        "ann: exercises/ch91-second/src/twice.rs is longer than 1 MiB; ",
        "ann  1 passed, 0 failing, 1 not started",
    ] {
        assert!(shown.contains(line), "{line:?} is not in {shown}");
    }
    let mut copied: Vec<String> = fs::read_dir(repository.path("target/report"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    copied.sort();
    assert_eq!(copied, [".cargo", "Cargo.lock", "Cargo.toml", "exercises"]);
}

#[test]
fn an_odd_copy_ends_nobody_else_s_report() {
    let repository = Repository::new("reportodd");
    let ours = |learner: &str, file: &str| {
        repository.write(
            &format!("class/{learner}/exercises/ch90-first/src/{file}"),
            RIGHT,
        );
    };
    for learner in ["ann", "bob", "cid", "dee"] {
        ours(learner, "twice.rs");
    }
    // A folder where the next one has a file, and a folder where the chapter has one.
    ours("ann", "notes.rs/first.rs");
    ours("bob", "notes.rs");
    ours("cid", "lib.rs/first.rs");
    let shown = text(&repository.run(&["report", "class", "--only", "first-twice"]));
    for line in [
        "ann  1 passed, 0 failing, 0 not started",
        "bob  1 passed, 0 failing, 0 not started",
        "cid  not judged: cannot ",
        "dee  1 passed, 0 failing, 0 not started",
        "first-twice  3 passed, 0 failing, 0 not started",
    ] {
        assert!(shown.contains(line), "{line:?} is not in {shown}");
    }
    let room = text(&repository.run(&["report", "class", "--only", "first-twice", "--room"]));
    assert!(room.contains("1 copy not judged: "), "{room}");
    assert!(!room.contains("lib.rs"), "{room}");
}

#[test]
fn one_chapter_can_be_judged_alone() {
    let repository = Repository::new("reportonly");
    repository.write("class/ann/exercises/ch90-first/src/twice.rs", RIGHT);
    let package = repository.package("ch90-first");
    for only in ["first-twice", &package] {
        let all = repository.json(&["report", "class", "--only", only, "--json"]);
        assert_eq!(states(&all[0]), ["passed"], "{only}");
    }
    let own = repository.json(&["report", "--only", "first-twice", "--json"]);
    assert_eq!(states(&own[0]), ["not-started"]);
    let wrong = repository.run(&["report", "class", "--only", "first-twise"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong).contains("did you mean"), "{}", text(&wrong));
}

#[test]
fn the_room_sees_no_names() {
    let repository = Repository::new("reportroom");
    let answer = |learner: &str, chapter: &str, answer: &str| {
        repository.write(
            &format!("class/{learner}/exercises/{chapter}/src/twice.rs"),
            answer,
        );
    };
    answer("annabel", "ch90-first", RIGHT);
    answer("berthold", "ch90-first", SQUARED);
    answer("cornelia", "ch90-first", SQUARED);
    answer(
        "dietmar",
        "ch90-first",
        "pub fn twice(dietmar: i64) -> i64 { dietmar + }\n",
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        repository.path(FIRST),
        repository.path("class/annabel/exercises/ch90-first/src/annabel.rs"),
    )
    .unwrap();
    let output = repository.run(&["report", "class", "--room"]);
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output);
    for line in [
        "4 copies\n\nfirst-twice  1 passed, 2 failing, 0 not started\n    2  squared\n       on every probe, your `twice` agrees",
        &format!(
            "{}: 1 copy does not compile\n",
            repository.package("ch90-first")
        ),
        "Not begun by anyone: second-twice\n",
    ] {
        assert!(shown.contains(line), "{line:?} is not in {shown}");
    }
    for name in ["annabel", "berthold", "cornelia", "dietmar"] {
        assert!(!shown.contains(name), "{name} is on the wall: {shown}");
    }
    let alone = repository.run(&["report", "--room"]);
    assert_eq!(alone.status.code(), Some(2), "a room is a folder of copies");
}

#[test]
fn the_room_is_watched_and_only_what_changed_is_judged_again() {
    let repository = Repository::new("reportwatch");
    fs::create_dir(repository.path("class")).unwrap();
    let arguments = [
        "report",
        "class",
        "--room",
        "--watch",
        "--only",
        "first-twice",
    ];
    let child = repository
        .command(".", &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = Killed(child);
    let (shown, judged) = (
        Lines::of(child.0.stdout.take()),
        Lines::of(child.0.stderr.take()),
    );
    // Moved in and out as a whole: a look between two files would see a copy that is none.
    let learner = |name: &str, answer: &str| {
        repository.write(
            &format!("made/{name}/exercises/ch90-first/src/twice.rs"),
            answer,
        );
        let [from, to] = ["made", "class"].map(|folder| repository.path(folder).join(name));
        fs::rename(from, to).unwrap();
    };
    shown.wait_for("0 copies");
    learner("ann", SQUARED);
    shown.wait_for("first-twice  0 passed, 1 failing, 0 not started");
    learner("bob", RIGHT);
    shown.wait_for("2 copies");
    shown.wait_for("first-twice  1 passed, 1 failing, 0 not started");
    fs::rename(repository.path("class/ann"), repository.path("made/ann")).unwrap();
    shown.wait_for("1 copy");
    shown.wait_for("first-twice  1 passed, 0 failing, 0 not started");
    drop(child);
    let judged = judged.rest();
    let judged: Vec<&String> = judged.iter().filter(|l| l.starts_with("judging")).collect();
    assert_eq!(judged, ["judging copy 1", "judging copy 2"]);
}

#[test]
fn a_second_report_waits_for_the_first() {
    let repository = Repository::new("reportturn");
    repository.write("class/ann/exercises/ch90-first/src/twice.rs", RIGHT);
    fs::create_dir(repository.path("target")).unwrap();
    let first = File::create(repository.path("target/report.lock")).unwrap();
    first.lock().unwrap();
    let child = repository
        .command(".", &["report", "class", "--only", "first-twice"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = Killed(child);
    let (shown, told) = (
        Lines::of(child.0.stdout.take()),
        Lines::of(child.0.stderr.take()),
    );
    told.wait_for("report.lock; waiting until it has judged");
    first.unlock().unwrap();
    shown.wait_for("ann  1 passed, 0 failing, 0 not started");
}
