//! Every place that a failing exercise sends its reader to is in the book.

#[path = "support/html.rs"]
mod html;
#[path = "support/site.rs"]
mod site;

use std::fs;
use std::path::PathBuf;

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
