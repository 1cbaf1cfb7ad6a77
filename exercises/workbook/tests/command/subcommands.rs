//! The subcommands, run in a small repository.

use std::fs::File;
use std::process::Stdio;

use crate::fixture::{Repository, run_to_end, text};
use serde_json::{Value, json};

const FIRST: &str = "exercises/ch90-first/src/twice.rs";
const SECOND: &str = "exercises/ch91-second/src/twice.rs";
const RIGHT: &str = "pub fn twice(n: i64) -> i64 { n + n }\n";
const SQUARED: &str = "pub fn twice(n: i64) -> i64 { n * n }\n";

fn row<'a>(rows: &'a Value, name: &str) -> &'a Value {
    rows.as_array()
        .and_then(|rows| rows.iter().find(|row| row["name"] == name))
        .unwrap_or_else(|| panic!("{name} is missing from {rows}"))
}

#[test]
fn list_tells_the_three_states() {
    let repository = Repository::new("list");
    let rows = repository.json(&["list", "--json"]);
    assert_eq!(
        rows[0],
        json!({
            "name": "first-twice",
            "title": "Twice",
            "chapter": repository.package("ch90-first"),
            "file": FIRST,
            "minutes": 1,
            "state": "not-started",
            "diagnosis": null,
        })
    );
    repository.write(FIRST, RIGHT);
    repository.write(SECOND, SQUARED);
    let rows = repository.json(&["list", "--json"]);
    assert_eq!(row(&rows, "first-twice")["state"], "passed");
    let second = row(&rows, "second-twice");
    assert_eq!(second["state"], "failing");
    let diagnosis = second["diagnosis"].as_str().unwrap();
    assert_eq!(
        diagnosis,
        "on every probe, your `twice` agrees with the square: twice(1) must be 2, but it is 1."
    );
    let table = text(&repository.run(&["list"]));
    assert!(
        table.contains("1 passed, 1 failing, 0 not started"),
        "{table}"
    );
}

#[test]
fn check_judges_one_and_its_exit_code_tells() {
    let repository = Repository::new("check");
    repository.write(SECOND, SQUARED);
    let output = repository.run(&["check", "first-twice"]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("not started"), "{}", text(&output));
    // From a folder below, as an editor's terminal may stand.
    let below = ["check", "second-twice"];
    let below = run_to_end(&mut repository.command("exercises/ch91-second/src", &below));
    assert_eq!(below.status.code(), Some(1), "{}", text(&below));
    assert!(
        text(&below).contains("on every probe, your `twice` agrees with the square (`squared`)")
    );
    let rows = repository.json(&["check", "second-twice", "--json"]);
    assert!(
        rows[0]["message"].as_str().unwrap().contains("`squared`"),
        "{rows}"
    );
}

#[test]
fn a_half_written_answer_is_told_that_nothing_is_judged_yet() {
    let repository = Repository::new("half-written");
    let told = "every call still ends in a `todo!()`";
    let untouched = text(&repository.run(&["check", "first-twice"]));
    assert!(!untouched.contains(told), "{untouched}");
    repository.write(
        FIRST,
        "pub fn twice(n: i64) -> i64 { todo!(\"{}\", n + n) }\n",
    );
    let half_written = text(&repository.run(&["check", "first-twice"]));
    assert!(half_written.contains("not started"), "{half_written}");
    assert!(half_written.contains(told), "{half_written}");
    let rows = repository.json(&["list", "--json"]);
    let said = row(&rows, "first-twice")["diagnosis"].as_str().unwrap();
    assert!(said.contains(told), "{said}");
}

#[test]
fn an_unknown_name_suggests_the_nearest() {
    let repository = Repository::new("unknown");
    for command in ["check", "hint", "reset", "prove", "time"] {
        let output = repository.run(&[command, "frist-twice"]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let text = text(&output);
        assert!(
            text.contains("is called `frist-twice`; did you mean `first-twice`?"),
            "{command}: {text}"
        );
    }
    let chapter = text(&repository.run(&["check", "ch91"]));
    assert!(chapter.contains("did you mean `ch91-"), "{chapter}");
}

#[test]
fn a_name_without_a_command_is_told_the_command() {
    let repository = Repository::new("nocheck");
    for name in ["first-twice", &repository.package("ch90-first")] {
        let output = repository.run(&[name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let told = format!("did you mean `cargo workbook check {name}`?");
        assert!(text(&output).contains(&told), "{}", text(&output));
    }
    // Anything else is told as before.
    let output = text(&repository.run(&["chek"]));
    assert!(output.contains("'check'"), "{output}");
}

#[test]
fn a_syntax_error_stays_in_its_chapter() {
    let repository = Repository::new("syntax");
    repository.write(FIRST, "pub fn twice(n: i64) -> i64 { n + }\n");
    repository.write(SECOND, RIGHT);
    let rows = repository.json(&["list", "--json"]);
    assert_eq!(row(&rows, "second-twice")["state"], "passed");
    let first = row(&rows, "first-twice");
    assert_eq!(first["state"], "failing");
    let diagnosis = first["diagnosis"].as_str().unwrap();
    assert!(
        diagnosis.starts_with("does not compile: expected expression, found `}`"),
        "{diagnosis}"
    );
    assert!(
        diagnosis.contains("ch90-first/src/twice.rs:1)"),
        "{diagnosis}"
    );
    let output = repository.run(&["check"]);
    assert_eq!(output.status.code(), Some(1));
    let text = text(&output);
    assert_eq!(
        text.matches("error: expected expression").count(),
        1,
        "{text}"
    );
    assert!(text.contains("1 passed, 1 failing"), "{text}");
}

/// The compiler names a place in the checks then, which the learner neither wrote nor can mend.
#[test]
fn a_function_with_another_name_or_type_is_said_to_be_the_learners() {
    let repository = Repository::new("unfit");
    repository.write(FIRST, "pub fn double(n: i64) -> i64 { n + n }\n");
    repository.write(SECOND, "pub fn twice(n: i32) -> i32 { n + n }\n");
    let told = "in src/ these need the names, types and `pub` that they have in stubs/";
    let rows = repository.json(&["list", "--json"]);
    for (name, compiler) in [
        ("first-twice", "cannot find value `twice`"),
        ("second-twice", "mismatched types"),
    ] {
        let diagnosis = row(&rows, name)["diagnosis"].as_str().unwrap();
        assert!(diagnosis.contains(compiler), "{diagnosis}");
        assert!(diagnosis.contains(told), "{diagnosis}");
        let said = text(&repository.run(&["check", name]));
        assert_eq!(said.matches(told).count(), 1, "{said}");
    }
}

#[test]
fn reset_asks_keeps_a_copy_and_says_where() {
    let repository = Repository::new("reset");
    let stub = repository.read("exercises/ch90-first/stubs/twice.rs");
    repository.write(FIRST, SQUARED);
    let refused = repository.run(&["reset", "first-twice"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused).contains("--yes"), "{}", text(&refused));
    assert_eq!(repository.read(FIRST), SQUARED);

    let done = repository.json(&["reset", "first-twice", "--yes", "--json"]);
    assert_eq!(done["changed"], true);
    assert_eq!(repository.read(FIRST), stub);
    let backup = done["backup"].as_str().unwrap();
    assert_eq!(repository.read(backup), SQUARED);

    let again = repository.json(&["reset", "first-twice", "--yes", "--json"]);
    assert_eq!(again["changed"], false);
    assert_eq!(again["backup"], Value::Null);
}

/// Nothing is lost by that, so nobody is asked.
#[test]
fn a_file_that_was_deleted_comes_back() {
    let repository = Repository::new("deleted");
    let stub = repository.read(FIRST);
    std::fs::remove_file(repository.path(FIRST)).unwrap();
    let rows = repository.json(&["check", "--json"]);
    let diagnosis = row(&rows, "first-twice")["diagnosis"].as_str().unwrap();
    let told = "src/twice.rs is not there; `cargo workbook reset first-twice` brings it back";
    assert!(diagnosis.contains(told), "{diagnosis}");

    let done = repository.json(&["reset", "first-twice", "--json"]);
    assert_eq!(done["changed"], true);
    assert_eq!(done["backup"], Value::Null);
    assert_eq!(repository.read(FIRST), stub);
}

#[test]
fn hints_come_one_at_a_time() {
    let repository = Repository::new("hints");
    let first = text(&repository.run(&["hint", "first-twice"]));
    assert!(
        first.contains("hint number 1") && !first.contains("hint number 2"),
        "{first}"
    );
    assert!(
        first.contains("cargo workbook hint first-twice 2"),
        "{first}"
    );
    let third = repository.json(&["hint", "first-twice", "3", "--json"]);
    assert_eq!(
        third,
        json!({"name": "first-twice", "step": 3, "of": 3, "text": "hint number 3"})
    );
    let none = repository.run(&["hint", "first-twice", "4"]);
    assert_eq!(none.status.code(), Some(2));
}

/// As in `cargo workbook hint first-twice | head -1`, and on a full disk.
#[cfg(unix)]
#[test]
fn what_cannot_be_printed_ends_without_a_panic() {
    let repository = Repository::new("unread");
    let (nobody, pipe) = std::io::pipe().unwrap();
    drop(nobody);
    let hint = |out: Stdio| {
        let mut command = repository.command("", &["hint", "first-twice"]);
        command.stdout(out).output().unwrap()
    };
    let unread = hint(pipe.into());
    assert_eq!(unread.status.code(), Some(0), "{}", text(&unread));
    assert_eq!(text(&unread), "");
    if let Ok(full) = File::options().write(true).open("/dev/full") {
        let full = hint(full.into());
        assert_eq!(full.status.code(), Some(2), "{}", text(&full));
        assert!(text(&full).contains("cannot print: "), "{}", text(&full));
    }
}

/// What `prove` finds wrong, as `subject: what`.
fn faults(repository: &Repository, arguments: &[&str]) -> Vec<String> {
    let proofs = repository.json(arguments);
    proofs
        .as_array()
        .unwrap()
        .iter()
        .filter(|proof| !proof["fault"].is_null())
        .map(|proof| format!("{}: {}", proof["exercise"], proof["what"]).replace('"', ""))
        .collect()
}

#[test]
fn prove_holds_exercises_to_their_promises() {
    let repository = Repository::new("prove");
    let golden = "exercises/ch90-first/golden/first-twice/squared.txt";
    let missing = faults(&repository, &["prove", "first-twice", "--json"]);
    assert_eq!(
        missing,
        ["first-twice: squared fails `doubles` with its golden message"]
    );
    let mut update = repository.command(".", &["prove", "first-twice"]);
    let updated = run_to_end(update.env("UPDATE_GOLDEN", "1"));
    assert!(updated.status.success(), "{}", text(&updated));
    assert!(repository.read(golden).contains("twice(1) must be 2"));

    repository.write(golden, "something else\n");
    repository.write("book/chapters/90-first/index.md", "# Another heading\n");
    repository.write(FIRST, RIGHT);
    let faulty = faults(&repository, &["prove", "first-twice", "--json"]);
    assert_eq!(
        faulty,
        [
            "first-twice: squared fails `doubles` with its golden message",
            "first-twice: every mistake links to a heading of the chapter",
            "first-twice: src holds the stub"
        ]
    );
    let with_answers = ["prove", "first-twice", "--with-answers", "--json"];
    assert_eq!(faults(&repository, &with_answers).len(), 2);
    assert_eq!(repository.run(&with_answers).status.code(), Some(1));
}

#[test]
fn prove_sees_a_wrong_solution_a_mistake_that_is_none_and_a_later_crate() {
    let repository = Repository::new("proofs");
    repository.write(
        "exercises/ch91-second/mistakes/twice.rs",
        "// ch90_first::twice may be named in a comment\n\
         mod redis_layer { pub fn two() -> i64 { 2 } }\n\
         pub fn squared(n: i64) -> i64 { n * redis_layer::two() }\n",
    );
    let prove = ["prove", "second-twice", "--json"];
    let found = faults(&repository, &prove);
    let import = format!(
        "{}: no check uses what a later chapter introduces",
        repository.package("ch91-second")
    );
    assert!(found.contains(&import), "{found:#?}");
    // The golden message is missing, and `double` is what the solution does.
    let mistake = "second-twice: squared fails `doubles` with its golden message".to_owned();
    assert!(found.contains(&mistake), "{found:#?}");

    repository.write(
        "exercises/ch91-second/solutions/twice.rs",
        "pub fn twice(n: i64) -> i64 { todo!(\"{n}\") }\n",
    );
    repository.write("exercises/ch91-second/hints/second-twice.md", "no hints\n");
    let found = faults(&repository, &prove);
    for fault in ["the solution passes", "it has three hints"] {
        let fault = format!("second-twice: {fault}");
        assert!(found.contains(&fault), "{fault}: {found:#?}");
    }
}

#[test]
fn outside_of_the_repository_it_says_where_to_go() {
    let repository = Repository::new("outside");
    let elsewhere = tempfile::tempdir().unwrap();
    let mut list = repository.command(".", &["list"]);
    let listed = run_to_end(list.current_dir(elsewhere.path()));
    assert_eq!(listed.status.code(), Some(2));
    assert!(
        text(&listed).contains("is not inside the workbook's repository"),
        "{}",
        text(&listed)
    );
}

#[test]
fn a_lost_library_is_told_with_the_command_that_brings_it_back() {
    let repository = Repository::new("lost");
    let lost = [
        "exercises/ch91-second/src/lib.rs",
        "exercises/ch91-second/Cargo.toml",
    ];
    for file in lost {
        let contents = repository.read(file);
        std::fs::write(repository.path(file), "[").unwrap();
        if file.ends_with(".rs") {
            std::fs::remove_file(repository.path(file)).unwrap();
        }
        for arguments in [&["list"][..], &["check"], &["reset", "first-twice"]] {
            let output = repository.run(arguments);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            let text = text(&output);
            let told = "`git checkout -- exercises/ch91-second/Cargo.toml exercises/ch91-second/src/lib.rs ";
            assert!(text.contains(told), "{file}, {arguments:?}: {text}");
        }
        repository.write(file, &contents);
    }
}

#[test]
fn exercises_of_one_name_are_refused() {
    let repository = Repository::new("twins");
    let manifest = "exercises/ch91-second/Cargo.toml";
    let twin = repository
        .read(manifest)
        .replace("second-twice", "first-twice");
    repository.write(manifest, &twin);
    let output = repository.run(&["list"]);
    assert_eq!(output.status.code(), Some(2));
    let told = format!(
        "two exercises are called `first-twice`, in {} and in {}",
        repository.package("ch90-first"),
        repository.package("ch91-second")
    );
    assert!(text(&output).contains(&told), "{}", text(&output));
}
