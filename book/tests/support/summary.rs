//! What `SUMMARY.md` names: the measure for tests that must have seen the whole book.

use std::fs;
use std::path::Path;

use pulldown_cmark::{Event, Parser, Tag};

/// The pages that the summary links to, in its order, as paths below the chapters' folder.
pub(crate) fn linked() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("chapters/SUMMARY.md");
    let summary = fs::read_to_string(path).unwrap();
    let pages: Vec<String> = Parser::new(&summary)
        .filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
            _ => None,
        })
        .collect();
    assert!(!pages.is_empty(), "no link is seen");
    assert_eq!(pages.len(), summary.matches("](").count(), "{pages:?}");
    pages
}
