//! The chapters as text: which files they are made of, and mistakes that mdBook passes over.
//!
//! mdBook leaves `{{#include}}` of a missing file in the page as it stands and puts nothing in the
//! place of an unknown anchor; both only as a line in a log. [`problems`] names them with file and
//! line; the server shows them in the page, the tests refuse them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

/// The folder of the chapters inside the book's folder; `book.toml` says the same.
pub const CHAPTERS: &str = "chapters";

/// One `{{#include path:part}}`, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// Line of the including file, from 1.
    pub line: usize,
    /// Path as written, relative to the including file.
    pub path: String,
    /// What stands after the colon: an anchor, or numbers of lines.
    pub part: Option<String>,
}

/// A mistake in a chapter's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file with the mistake.
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.what)
    }
}

/// The includes of a text, in order. Escaped ones (`\{{#include …}}`) are text, not includes.
#[must_use]
pub fn includes(text: &str) -> Vec<Include> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some(start) = rest.find("{{#") {
            let escaped = rest[..start].ends_with('\\');
            let Some(end) = rest[start..].find("}}").map(|at| start + at) else {
                break;
            };
            let mut words = rest[start + 3..end].split_whitespace();
            let is_include = matches!(words.next(), Some("include" | "rustdoc_include"));
            if let (true, false, Some(target)) = (is_include, escaped, words.next()) {
                let (path, part) = match target.split_once(':') {
                    Some((path, part)) => (path, Some(part.to_owned())),
                    None => (target, None),
                };
                found.push(Include {
                    line: index + 1,
                    path: path.to_owned(),
                    part,
                });
            }
            rest = &rest[end + 2..];
        }
    }
    found
}

/// The lines between `ANCHOR: name` and `ANCHOR_END: name`; `None` if the anchor never starts.
#[must_use]
pub fn anchored(text: &str, name: &str) -> Option<String> {
    let mut inside = None;
    for line in text.lines() {
        if marker(line, "ANCHOR:") == Some(name) {
            inside.get_or_insert_with(String::new);
        } else if marker(line, "ANCHOR_END:") == Some(name) {
            return inside;
        } else if let Some(lines) = inside.as_mut() {
            lines.push_str(line);
            lines.push('\n');
        }
    }
    inside
}

/// The anchor's name that follows `label` in a line.
fn marker<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let rest = line[line.find(label)? + label.len()..].trim_start();
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
        .unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Every Markdown file below the chapters' folder, sorted.
#[must_use]
pub fn chapters(book_dir: &Path) -> Vec<PathBuf> {
    files_below(&book_dir.join(CHAPTERS))
        .filter(|path| is_markdown(path))
        .collect()
}

fn is_markdown(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "md")
}

/// When a file was written and how long it is; `None` while it is missing.
pub type Stamp = Option<(SystemTime, u64)>;

/// Looks at every file that the pages are made of: configuration, chapters, theme, widgets, and whatever
/// the chapters include from elsewhere.
#[derive(Debug, Default)]
pub struct Watch {
    /// What each text includes, and the stamp of the text in which that was read.
    included: BTreeMap<PathBuf, (Stamp, Vec<PathBuf>)>,
}

impl Watch {
    /// The files and their stamps. A file that is named is there even while it is missing.
    ///
    /// Cost: a stamp for each file. Only texts whose stamp is another one than at the last look are read.
    pub fn look(&mut self, book_dir: &Path) -> BTreeMap<PathBuf, Stamp> {
        let mut stamps = BTreeMap::new();
        let mut texts = Vec::new();
        let config = [book_dir.join("book.toml")];
        let folders = [CHAPTERS, "theme", "widgets"].map(|folder| book_dir.join(folder));
        for file in config
            .into_iter()
            .chain(folders.iter().flat_map(|f| files_below(f)))
        {
            if is_markdown(&file) && file.starts_with(&folders[0]) {
                texts.push(file.clone());
            }
            stamps.insert(file.clone(), stamp(&file));
        }
        let mut seen: BTreeSet<PathBuf> = texts.iter().cloned().collect();
        while let Some(text) = texts.pop() {
            let stamp = *stamps.entry(text.clone()).or_insert_with(|| stamp(&text));
            for target in self.included_by(&text, stamp) {
                if seen.insert(target.clone()) {
                    texts.push(target.clone());
                }
            }
        }
        self.included.retain(|text, _| seen.contains(text));
        stamps
    }

    /// The files that a text with this stamp includes.
    fn included_by(&mut self, text: &Path, stamp: Stamp) -> &[PathBuf] {
        let known = self.included.get(text);
        if known.is_none_or(|(then, _)| *then != stamp) {
            let folder = text.parent().unwrap_or(text);
            let written = fs::read_to_string(text).unwrap_or_default();
            let files = includes(&written)
                .iter()
                .map(|i| folder.join(&i.path))
                .collect();
            self.included.insert(text.to_owned(), (stamp, files));
        }
        &self.included[text].1
    }
}

fn stamp(file: &Path) -> Stamp {
    let meta = file.metadata().ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// Missing includes, unknown and empty anchors, includes by number of line.
#[must_use]
pub fn problems(book_dir: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    visit_includes(book_dir, |file, include, target, text| {
        if let Some(what) = include_problem(include, target, text) {
            problems.push(Problem {
                file: file.to_owned(),
                line: include.line,
                what,
            });
        }
    });
    problems
}

fn include_problem(include: &Include, target: &Path, text: Option<&str>) -> Option<String> {
    let Some(text) = text else {
        return Some(format!(
            "includes {}, which cannot be read",
            target.display()
        ));
    };
    let part = include.part.as_deref()?;
    if part.starts_with(|c: char| c.is_ascii_digit() || c == ':') {
        return Some(format!(
            "includes {}:{part} by lines; name an anchor",
            include.path
        ));
    }
    match anchored(text, part) {
        None => Some(format!("{} has no `ANCHOR: {part}`", include.path)),
        Some(lines) if lines.trim().is_empty() => {
            Some(format!("anchor `{part}` of {} is empty", include.path))
        }
        Some(_) => None,
    }
}

/// Calls `visit(file, include, target, target's text)` for each include, those in included files too.
fn visit_includes(book_dir: &Path, mut visit: impl FnMut(&Path, &Include, &Path, Option<&str>)) {
    let mut queue = chapters(book_dir);
    let mut seen: BTreeSet<PathBuf> = queue.iter().cloned().collect();
    while let Some(file) = queue.pop() {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let folder = file.parent().unwrap_or(book_dir);
        for include in includes(&text) {
            let target = folder.join(&include.path);
            let included = fs::read_to_string(&target).ok();
            visit(&file, &include, &target, included.as_deref());
            if included.is_some() && seen.insert(target.clone()) {
                queue.push(target);
            }
        }
    }
}

/// Every file below a folder, sorted.
pub(crate) fn files_below(folder: &Path) -> impl Iterator<Item = PathBuf> {
    WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_found_with_their_lines_and_parts() {
        let text = "a\n{{#include x.txt}} {{ #include no }}\n\\{{#include escaped}}\n{{#rustdoc_include ../t.rs:name}}";
        let found = includes(text);
        let brief: Vec<_> = found
            .iter()
            .map(|i| (i.line, i.path.as_str(), i.part.as_deref()))
            .collect();
        assert_eq!(brief, [(2, "x.txt", None), (4, "../t.rs", Some("name"))]);
    }

    #[test]
    fn an_anchor_gives_its_lines_and_an_unknown_one_nothing() {
        let text =
            "0\n// ANCHOR: one\n1\n// ANCHOR: two\n2\n// ANCHOR_END: one\n3\n// ANCHOR_END: two";
        assert_eq!(
            anchored(text, "one").as_deref(),
            Some("1\n// ANCHOR: two\n2\n")
        );
        assert_eq!(
            anchored(text, "two").as_deref(),
            Some("2\n// ANCHOR_END: one\n3\n")
        );
        assert_eq!(anchored(text, "on"), None);
    }

    #[test]
    fn problems_name_file_line_and_repair() {
        let book = tempfile::tempdir().unwrap();
        let chapters = book.path().join(CHAPTERS);
        fs::create_dir_all(&chapters).unwrap();
        fs::write(
            book.path().join("code.rs"),
            "// ANCHOR: a\n// ANCHOR_END: a\n",
        )
        .unwrap();
        fs::write(
            chapters.join("c.md"),
            "\n{{#include gone.txt}}\n{{#include ../code.rs:a}}\n{{#include ../code.rs:b}}\n{{#include ../code.rs:1:2}}\n{{#include ../code.rs}}",
        )
        .unwrap();
        let problems = problems(book.path());
        let lines: Vec<_> = problems.iter().map(|p| p.line).collect();
        assert_eq!(lines, [2, 3, 4, 5], "{problems:?}");
        assert!(problems[0].to_string().contains("c.md:2: includes"));
        let files = Watch::default().look(book.path());
        assert!(files.contains_key(&chapters.join("../code.rs")));
        assert_eq!(files[&chapters.join("gone.txt")], None);
    }

    #[test]
    fn a_text_is_read_again_only_when_its_stamp_is_another() {
        let book = tempfile::tempdir().unwrap();
        let chapters = book.path().join(CHAPTERS);
        fs::create_dir_all(&chapters).unwrap();
        let page = chapters.join("page.md");
        let write = |text: &str, at: SystemTime| {
            fs::write(&page, text).unwrap();
            let file = fs::File::options().write(true).open(&page).unwrap();
            file.set_modified(at).unwrap();
        };
        let mut watch = Watch::default();
        let mut sees = |name: &str| watch.look(book.path()).contains_key(&chapters.join(name));
        let then = SystemTime::UNIX_EPOCH;
        write("{{#include a.rs}}", then);
        assert!(sees("a.rs"));
        write("{{#include b.rs}}", then);
        assert!(sees("a.rs") && !sees("b.rs"), "it is not read");
        write("{{#include b.rs}}", SystemTime::now());
        assert!(sees("b.rs") && !sees("a.rs"), "it is read");
    }
}
