//! Book and exercises name each other: every exercise that a page shows exists and has its hints there, and
//! so does every place that a failing exercise sends its reader to.

#[path = "support/html.rs"]
mod html;
#[path = "support/site.rs"]
mod site;
#[path = "support/summary.rs"]
mod summary;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// The files of the chapters' exercise packages whose name ends in `suffix`.
fn exercise_files(suffix: &str) -> Vec<PathBuf> {
    let files: Vec<_> = WalkDir::new(site::book_dir().join("../exercises"))
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.to_str().is_some_and(|path| path.ends_with(suffix)))
        .collect();
    assert!(!files.is_empty(), "no {suffix} below exercises");
    files
}

/// The names of the exercises of each chapter's package, by the chapter's folder.
fn exercises() -> BTreeMap<String, BTreeSet<String>> {
    let mut exercises = BTreeMap::new();
    for path in exercise_files("Cargo.toml") {
        let package = path.parent().and_then(Path::file_name).unwrap();
        let package = package.display().to_string();
        let Some(chapter) = package.strip_prefix("ch") else {
            continue;
        };
        let manifest: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        let rows = manifest["package"]["metadata"]["workbook"]["exercises"].as_array();
        let names = rows
            .unwrap()
            .iter()
            .map(|row| row["name"].as_str().unwrap());
        exercises.insert(chapter.to_owned(), names.map(str::to_owned).collect());
    }
    exercises
}

#[test]
fn a_chapter_shows_exactly_the_exercises_of_its_package() {
    let exercises = exercises();
    let all: BTreeSet<&String> = exercises.values().flatten().collect();
    let mut chapters = 0;
    for page in summary::linked() {
        let text = fs::read_to_string(site::book_dir().join("chapters").join(&page)).unwrap();
        let shown: BTreeSet<String> = html::tags(&text)
            .iter()
            .filter(|tag| tag.name == "exercise-status")
            .map(|tag| tag.get("name").unwrap_or_default().to_owned())
            .collect();
        if let Some(own) = page
            .strip_suffix("/index.md")
            .and_then(|c| exercises.get(c))
        {
            assert_eq!(&shown, own, "{page}");
            chapters += 1;
        }
        // A page without a package may show any.
        let unknown: Vec<_> = shown.iter().filter(|name| !all.contains(name)).collect();
        assert!(
            unknown.is_empty(),
            "{page}: no exercise is named {unknown:?}"
        );
    }
    assert_eq!(chapters, exercises.len(), "packages without a page");
}

#[test]
fn every_task_ends_with_its_hints() {
    for (chapter, exercises) in exercises() {
        let page = format!("chapters/{chapter}/index.md");
        let text = fs::read_to_string(site::book_dir().join(&page)).unwrap();
        for name in exercises {
            let (_, task) = text.split_once(&format!("\n### {name}\n")).unwrap();
            let task = task.split("\n##").next().unwrap();
            let hints = format!(
                "<details class=\"hints\"><summary>Hints</summary>\n\n\
                 {{{{#include ../../../exercises/ch{chapter}/hints/{name}.md}}}}\n\n</details>"
            );
            assert_eq!(task.matches(&hints).count(), 1, "{page}: {name}");
        }
    }
}

#[test]
fn every_failing_exercise_sends_its_reader_to_a_heading() {
    let built = site::build();
    let pages = site::pages(built.path());
    let mut sent = 0;
    for file in exercise_files(".txt") {
        let message = fs::read_to_string(&file).unwrap();
        for place in message
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Read: "))
        {
            let (page, anchor) = place.split_once('#').unwrap_or((place, ""));
            let html = pages.get(&built.path().join(page));
            let html = html.unwrap_or_else(|| panic!("{}: no page {page}", file.display()));
            let found = html::tags(html)
                .iter()
                .any(|tag| tag.get("id") == Some(anchor));
            assert!(
                found || anchor.is_empty(),
                "{}: nothing at {place}",
                file.display()
            );
            sent += 1;
        }
    }
    assert!(sent > 5, "only {sent} messages name a place");
}
