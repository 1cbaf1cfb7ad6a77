//! Building: three folders in turn. Pages are served from one; the files of the build before are
//! still in the second, for pages that were loaded from it; the third is written.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use mdbook_driver::MDBook;
use tempfile::TempDir;

use crate::sources::files_below;

/// What a finished build gave.
pub(super) struct Built {
    /// The folder to serve.
    pub(super) dir: PathBuf,
    /// A fingerprint of every file in it: equal when nothing that a reader sees has changed.
    pub(super) id: String,
}

/// Builds into three folders in turn; all go when this is dropped.
pub(super) struct Builder {
    book_dir: PathBuf,
    folders: [TempDir; 3],
    /// The folder that the next build may overwrite: never one of the last two that were kept.
    next: usize,
}

impl Builder {
    pub(super) fn new(book_dir: &Path) -> std::io::Result<Self> {
        let folder = || tempfile::Builder::new().prefix("keys-in-order-").tempdir();
        Ok(Self {
            // Absolute, so that a later change of directory does not move the book.
            book_dir: std::path::absolute(book_dir)?,
            folders: [folder()?, folder()?, folder()?],
            next: 0,
        })
    }

    /// Builds the book. The next build overwrites this one, unless it is [kept](Self::keep); it never touches
    /// the two that were kept last.
    ///
    /// # Errors
    /// What mdBook says, or that there is no chapter: a `SUMMARY.md` that is being saved may be empty for a moment.
    pub(super) fn build(&self) -> Result<Built> {
        let dir = self.folders[self.next].path().to_owned();
        let mut book = MDBook::load(&self.book_dir)?;
        ensure!(
            book.book.chapters().next().is_some(),
            "SUMMARY.md names no chapter"
        );
        book.config.build.build_dir.clone_from(&dir);
        book.build()?;
        // With several renderers mdBook adds a folder for each.
        let dir = book.build_dir_for("html");
        let id = fingerprint(&dir)?;
        add_live_script(&dir, &id)?;
        Ok(Built { dir, id })
    }

    /// Keeps the last build: its folder is left alone until two others were kept.
    pub(super) fn keep(&mut self) {
        self.next = (self.next + 1) % self.folders.len();
    }
}

/// Hashes every path and content below `dir`.
fn fingerprint(dir: &Path) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for file in files_below(dir) {
        file.strip_prefix(dir)?.hash(&mut hasher);
        read(&file)?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Gives each page the script that keeps it up to date, and the build it belongs to. Only pages
/// served from here get it, so a book built by other means never asks for a server.
fn add_live_script(dir: &Path, id: &str) -> Result<()> {
    let script = format!("<script src=\"/live.js\" data-build=\"{id}\"></script>\n</head>");
    for file in files_below(dir).filter(|f| f.extension().is_some_and(|e| e == "html")) {
        let page = String::from_utf8(read(&file)?)
            .with_context(|| format!("{} is not UTF-8", file.display()))?;
        fs::write(&file, page.replacen("</head>", &script, 1))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_never_touches_the_folder_that_is_served() {
        let book = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| fs::write(book.path().join(file), text).unwrap();
        fs::create_dir(book.path().join("src")).unwrap();
        write("book.toml", "[build]\ncreate-missing = false\n");
        write("src/SUMMARY.md", "- [One](one.md)\n");
        write("src/one.md", "first text");
        let mut builder = Builder::new(book.path()).unwrap();
        let first = builder.build().unwrap();
        builder.keep();
        let page = |built: &Built| fs::read_to_string(built.dir.join("one.html")).unwrap();
        assert!(page(&first).contains("first text"));

        write("src/SUMMARY.md", "- [One](one.md)\n- [Two](two.md)\n");
        assert!(builder.build().is_err(), "two.md is missing");
        write("src/SUMMARY.md", "");
        assert!(builder.build().is_err(), "no chapter");
        assert!(page(&first).contains("first text"));

        write("src/SUMMARY.md", "- [One](one.md)\n");
        for passed_over in ["half", "more"] {
            write("src/one.md", passed_over);
            builder.build().unwrap();
        }
        write("src/one.md", "second text");
        let second = builder.build().unwrap();
        builder.keep();
        assert!(page(&first).contains("first text"));
        assert!(page(&second).contains("second text"));
        assert_ne!(first.id, second.id);
        let third = builder.build().unwrap();
        builder.keep();
        assert_eq!(second.id, third.id);
        assert!(
            page(&first).contains("first text"),
            "while the third was written, pages of the first were still open"
        );
        assert!(page(&second).contains("second text"));
    }
}
