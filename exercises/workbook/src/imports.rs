//! No chapter uses what a later one introduces: read from the paths in its sources.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::catalogue::Chapter;

/// Crates that no chapter's exercises may name, whatever the chapter.
const FOREIGN: [&str; 3] = ["redis_layer", "book", "workbook"];

/// What a chapter's checks, solutions, mistakes and stubs may not use, as `file: path`.
pub(crate) fn offences(chapter: &Chapter) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in ["checks", "mistakes", "solutions", "stubs"] {
        let path = chapter.folder.join(folder);
        let entries =
            fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for entry in entries {
            let file = entry?.path();
            if file.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&file)
                    .with_context(|| format!("cannot read {}", file.display()))?;
                let offences = in_text(&text, &chapter.package, &chapter.engine);
                let name = file.file_name().map_or(file.as_path(), Path::new).display();
                found.extend(
                    offences
                        .iter()
                        .map(|path| format!("{folder}/{name}: {path}")),
                );
            }
        }
    }
    found.sort();
    Ok(found)
}

fn in_text(text: &str, package: &str, engine: &[String]) -> Vec<String> {
    let own = package.replace('-', "_");
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = Vec::new();
    for path in paths(&code) {
        let mut segments = path.split("::");
        let (first, second) = (segments.next().unwrap_or_default(), segments.next());
        let other_chapter = first.strip_prefix("ch").is_some_and(|rest| {
            rest.len() > 3 && rest[..2].bytes().all(|b| b.is_ascii_digit()) && first != own
        });
        let later = first == "engine"
            && !second.is_some_and(|module| engine.iter().any(|allowed| allowed == module));
        if other_chapter || later || FOREIGN.contains(&first) {
            found.push(path);
        }
    }
    found
}

/// Everything of the form `a::b::c`. A `use` of braces shows as `a::`.
fn paths(code: &str) -> Vec<String> {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .filter(|word| word.contains("::"))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_later_modules_and_foreign_crates() {
        let found = |text: &str| in_text(text, "ch03-twos-complement", &["keys".to_owned()]);
        assert!(found("use engine::keys::encode_i64; // engine::db").is_empty());
        assert_eq!(found("use engine::db::Db;"), ["engine::db::Db"]);
        assert_eq!(found("use engine::{db, keys};"), ["engine::"]);
        assert_eq!(found("ch04_ieee_754::x()"), ["ch04_ieee_754::x"]);
        assert_eq!(found("redis_layer::Store"), ["redis_layer::Store"]);
        assert!(found("use ch03_twos_complement::order_i64;").is_empty());
        assert!(found("chapter::x(), check::order(), std::fs::read(p)").is_empty());
    }
}
