//! The chapters' text: its includes, code blocks, widgets and place among the doctests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use book::sources;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// Fences for what is neither compiled here nor taken from a compiled source.
const SHOWN: [&str; 9] = [
    "text", "console", "sh", "json", "toml", "c", "cpp", "go", "lua",
];

fn book_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

struct Block {
    at: String,
    /// The words after the fence; `None` for a block made by indenting.
    info: Option<String>,
    body: String,
}

/// Every code block of every chapter.
fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for file in sources::chapters(&book_dir()) {
        let text = fs::read_to_string(&file).unwrap();
        let mut open: Option<Block> = None;
        for (event, range) in Parser::new(&text).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let line = text[..range.start].lines().count() + 1;
                    let info = match kind {
                        CodeBlockKind::Fenced(info) => Some(info.to_string()),
                        CodeBlockKind::Indented => None,
                    };
                    let at = format!("{}:{line}", file.display());
                    open = Some(Block {
                        at,
                        info,
                        body: String::new(),
                    });
                }
                Event::Text(part) => {
                    if let Some(block) = open.as_mut() {
                        block.body.push_str(&part);
                    }
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
                _ => {}
            }
        }
    }
    blocks
}

#[test]
fn every_include_and_anchor_exists() {
    let problems: Vec<_> = sources::problems(&book_dir())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let included = sources::watched(&book_dir());
    assert!(
        included
            .iter()
            .any(|path| path.ends_with("ch02_endianness.rs")),
        "no include was seen"
    );
}

#[test]
fn every_code_block_is_proved_by_something() {
    let blocks = blocks();
    assert!(
        blocks.len() > 20,
        "only {} code blocks were found",
        blocks.len()
    );
    for Block { at, info, body } in &blocks {
        let info = info.as_deref().unwrap_or("");
        let includes = sources::includes(body);
        let words: Vec<_> = info.split([',', ' ']).collect();
        match words[0] {
            "rust" => {
                assert!(
                    includes.is_empty(),
                    "{at}: a doctest does not expand includes; use `rs`"
                );
                for skipped in ["ignore", "no_run"] {
                    assert!(
                        !words.contains(&skipped),
                        "{at}: `{skipped}` proves nothing"
                    );
                }
            }
            "rs" => {
                assert_eq!(info, "rs", "{at}");
                assert!(
                    includes.len() == 1 && body.trim().lines().count() == 1,
                    "{at}: an `rs` block is one include"
                );
                let file = at.rsplit_once(':').unwrap().0;
                let target = Path::new(file).parent().unwrap().join(&includes[0].path);
                assert!(
                    is_compiled(&target),
                    "{at}: no package compiles {}",
                    target.display()
                );
            }
            word => assert!(
                SHOWN.contains(&word),
                "{at}: a fence says `{info}`; see book/README.md"
            ),
        }
    }
}

/// Whether a Rust source is part of a package's target.
fn is_compiled(file: &Path) -> bool {
    let root = book_dir().join("..").canonicalize().unwrap();
    let file = file.canonicalize().unwrap();
    let inside = file.strip_prefix(&root).unwrap();
    if inside
        .components()
        .any(|part| part.as_os_str() == "listings")
    {
        let name = file.file_name().unwrap().to_str().unwrap();
        return fs::read_dir(book_dir().join("tests"))
            .unwrap()
            .filter_map(|entry| fs::read_to_string(entry.unwrap().path()).ok())
            .any(|test| test.contains(name));
    }
    let folders: BTreeSet<_> = inside.iter().filter_map(|part| part.to_str()).collect();
    file.extension().is_some_and(|e| e == "rs")
        && ["src", "tests", "examples", "benches", "checks"]
            .iter()
            .any(|folder| folders.contains(folder))
}

#[test]
fn every_chapter_of_the_summary_is_a_doctest() {
    let summary = fs::read_to_string(book_dir().join("chapters/SUMMARY.md")).unwrap();
    let library = fs::read_to_string(book_dir().join("src/lib.rs")).unwrap();
    let mut linked = 0;
    for event in Parser::new(&summary) {
        if let Event::Start(Tag::Link { dest_url, .. }) = event {
            let line = format!("include_str!(\"../chapters/{dest_url}\")");
            assert!(
                library.contains(&line),
                "src/lib.rs does not test {dest_url}"
            );
            linked += 1;
        }
    }
    assert!(linked >= 5, "SUMMARY.md links only {linked} chapters");
}
