//! Book and exercises name each other: every exercise that a page shows exists, and every place
//! that a failing exercise sends its reader to.

#[path = "support/html.rs"]
mod html;
#[path = "support/site.rs"]
mod site;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use book::sources;
use walkdir::WalkDir;

/// Opens the part of a manifest that names an exercise.
const EXERCISES: &str = "[[package.metadata.workbook.exercises]]";

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

/// Whether a manifest is that of a chapter: `exercises/chNN-name/Cargo.toml`.
fn chapter_package(manifest: &Path) -> bool {
    let folder = manifest.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name.display().to_string().starts_with("ch"))
}

#[test]
fn every_exercise_that_a_chapter_shows_exists() {
    let manifests: BTreeMap<PathBuf, String> = exercise_files("Cargo.toml")
        .into_iter()
        .filter(|path| chapter_package(path))
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect();
    let mut shown = BTreeSet::new();
    for file in sources::chapters(&site::book_dir()) {
        let folder = file.parent().unwrap().file_name().unwrap();
        let package = format!("ch{}/Cargo.toml", folder.display());
        let own = manifests.iter().find(|(path, _)| path.ends_with(&package));
        // A package that names no exercise is one whose exercises are not written yet; a page
        // without a package may show any, so it waits for them all.
        let written = |text: &String| text.contains(EXERCISES);
        if !own.map_or_else(
            || manifests.values().all(written),
            |(_, text)| written(text),
        ) {
            println!("{}: exercises are not written yet", file.display());
            continue;
        }
        for tag in html::tags(&fs::read_to_string(&file).unwrap()) {
            if tag.name != "exercise-status" {
                continue;
            }
            let name = tag.get("name").unwrap_or("");
            let line = format!("name = \"{name}\"\n");
            let known = |text: &String| text.contains(&line);
            assert!(
                own.map_or_else(|| manifests.values().any(known), |(_, text)| known(text)),
                "{} shows the exercise `{name}`, which its package does not name",
                file.display()
            );
            shown.insert(name.to_owned());
        }
    }
    assert!(shown.len() >= 4, "chapters show only {shown:?}");
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
