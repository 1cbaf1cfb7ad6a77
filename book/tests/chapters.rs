//! The chapters' text: its includes, code blocks, widgets and place among the doctests.

#[path = "support/summary.rs"]
mod summary;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use book::sources::{self, Watch};
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
    let included = Watch::default().look(&book_dir());
    assert!(
        included
            .keys()
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
    let mut packages = BTreeMap::new();
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
                let target = target.canonicalize().unwrap();
                let package = target.ancestors().find(|at| at.join("Cargo.toml").exists());
                let package = package.unwrap().to_owned();
                let compiled = packages
                    .entry(package)
                    .or_insert_with_key(|package| compiled(package));
                assert!(
                    compiled.contains(&target),
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

/// The Rust sources of a package that a `mod` or a `#[path]` reaches from one of its targets.
fn compiled(package: &Path) -> BTreeSet<PathBuf> {
    let mut open: Vec<(PathBuf, bool)> = targets(package).map(|file| (file, true)).collect();
    let mut reached = BTreeSet::new();
    while let Some((file, owns_folder)) = open.pop() {
        let Ok(file) = file.canonicalize() else {
            continue;
        };
        let folder = file.parent().unwrap();
        let children = if owns_folder {
            folder.to_owned()
        } else {
            file.with_extension("")
        };
        let source = syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap();
        for item in &source.items {
            let syn::Item::Mod(module) = item else {
                continue;
            };
            if let Some(path) = module.attrs.iter().find_map(path_attribute) {
                open.push((folder.join(path), true));
            } else if module.content.is_none() {
                let name = module.ident.to_string();
                open.push((children.join(format!("{name}.rs")), false));
                open.push((children.join(name).join("mod.rs"), true));
            }
        }
        reached.insert(file);
    }
    reached
}

/// The first files of a package's targets: those that Cargo finds, and those that the manifest names.
fn targets(package: &Path) -> impl Iterator<Item = PathBuf> {
    let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let named = ["test", "bench", "example"]
        .into_iter()
        .filter_map(|kind| manifest.get(kind)?.as_array())
        .flatten()
        .filter_map(|target| Some(package.join(target.get("path")?.as_str()?)));
    let found = ["tests", "benches", "examples"]
        .into_iter()
        .filter_map(|folder| fs::read_dir(package.join(folder)).ok())
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let usual = ["src/lib.rs", "src/main.rs"].map(|file| package.join(file));
    let all: Vec<_> = named.chain(found).chain(usual).collect();
    all.into_iter()
}

fn path_attribute(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(named) = &attribute.meta else {
        return None;
    };
    match &named.value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(path),
            ..
        }) if named.path.is_ident("path") => Some(path.value()),
        _ => None,
    }
}

#[test]
fn every_chapter_of_the_summary_is_a_doctest() {
    let library = fs::read_to_string(book_dir().join("src/lib.rs")).unwrap();
    for page in summary::linked() {
        let line = format!("include_str!(\"../chapters/{page}\")");
        assert!(library.contains(&line), "src/lib.rs does not test {page}");
    }
}
