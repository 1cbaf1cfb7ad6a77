//! The book as stock mdBook builds it, and a look at its pages.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mdbook_driver::MDBook;
use tempfile::TempDir;
use walkdir::WalkDir;

/// The folder of `book.toml`.
pub(crate) fn book_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Builds the book into a folder of its own.
pub(crate) fn build() -> TempDir {
    build_book(&book_dir())
}

/// The same of another book.
pub(crate) fn build_book(dir: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut book = MDBook::load(dir).unwrap();
    book.config.build.build_dir = folder.path().to_owned();
    book.build().unwrap();
    folder
}

/// Every page below `folder`, by path.
pub(crate) fn pages(folder: &Path) -> BTreeMap<PathBuf, String> {
    WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|e| e == "html"))
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}
