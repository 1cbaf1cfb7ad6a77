//! The layers of ARCHITECTURE.md, held to what the sources say.
//!
//! The page draws two kinds of picture: which package may use which, and the order of the modules
//! inside a package. This test reads the pictures, the manifests and every path in the sources.
//! A module may name only modules on lines below its own. `#[cfg(test)]` items are passed over.
//!
//! Left out: paths inside macro invocations, which `syn` sees as bare tokens. Imports stand at the
//! top of a file here, so a use that matters shows there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn architecture() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is at the root")
}

fn manifest(folder: &str) -> toml::Table {
    let path = root().join(folder).join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse()
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The lines of the fenced block whose info string is `info`.
fn block<'a>(page: &'a str, info: &str) -> Vec<&'a str> {
    let fence = format!("```{info}");
    let lines: Vec<&str> = page
        .lines()
        .skip_while(|line| *line != fence)
        .skip(1)
        .take_while(|line| *line != "```")
        .collect();
    assert!(!lines.is_empty(), "ARCHITECTURE.md has no block {fence}");
    lines
}

/// Module name to its line, counted from the bottom.
fn heights(lines: &[&str]) -> BTreeMap<String, usize> {
    let mut heights = BTreeMap::new();
    for (height, line) in lines.iter().rev().enumerate() {
        heights.extend(
            line.split_whitespace()
                .map(|module| (module.to_string(), height)),
        );
    }
    heights
}

/// Collects the modules at the crate root that the paths of one file lead into.
struct Paths {
    /// Where the reading stands: the module path below the crate root.
    here: Vec<String>,
    used: BTreeSet<String>,
}

impl Paths {
    fn record(&mut self, segments: &[String]) {
        let mut base = match segments.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("super" | "self") => self.here.clone(),
            _ => return,
        };
        for segment in segments {
            match segment.as_str() {
                "crate" | "self" => {}
                "super" => drop(base.pop()),
                name => base.push(name.to_string()),
            }
        }
        self.used.extend(base.into_iter().next());
    }

    fn record_use(&mut self, prefix: &mut Vec<String>, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.record_use(prefix, &path.tree);
                prefix.pop();
            }
            syn::UseTree::Group(group) => {
                for item in &group.items {
                    self.record_use(prefix, item);
                }
            }
            syn::UseTree::Name(name) => self.record_leaf(prefix, name.ident.to_string()),
            syn::UseTree::Rename(rename) => self.record_leaf(prefix, rename.ident.to_string()),
            syn::UseTree::Glob(_) => self.record(prefix),
        }
    }

    fn record_leaf(&mut self, prefix: &[String], leaf: String) {
        let mut path = prefix.to_vec();
        path.push(leaf);
        self.record(&path);
    }
}

fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => list
            .tokens
            .to_string()
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == "test"),
        _ => false,
    })
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_test_only(&item.attrs) {
            return;
        }
        self.here.push(item.ident.to_string());
        syn::visit::visit_item_mod(self, item);
        self.here.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test_only(&item.attrs) {
            self.record_use(&mut Vec::new(), &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        self.record(&segments);
        syn::visit::visit_path(self, path);
    }
}

/// Every Rust file below `folder`, with its module path.
fn sources(folder: &Path, here: &[String], found: &mut Vec<(PathBuf, Vec<String>)>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        let stem = path
            .file_stem()
            .expect("a named file")
            .to_string_lossy()
            .into_owned();
        let mut module = here.to_vec();
        if path.is_dir() {
            module.push(stem);
            sources(&path, &module, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            if stem != "mod" {
                module.push(stem);
            }
            found.push((path, module));
        }
    }
}

/// What breaks the picture in one file, a sentence each.
fn violations(heights: &BTreeMap<String, usize>, module: &[String], text: &str) -> Vec<String> {
    let layer = &module[0];
    let Some(height) = heights.get(layer) else {
        return vec![format!(
            "`{layer}` is in no layer of ARCHITECTURE.md: add it to a line"
        )];
    };
    let mut paths = Paths {
        here: module.to_vec(),
        used: BTreeSet::new(),
    };
    paths.visit_file(&syn::parse_file(text).expect("a file that compiles"));
    paths.used.remove(layer);
    let explain = |used: &String| match heights.get(used) {
        Some(below) if below < height => None,
        Some(_) => Some(format!("`{layer}` uses `{used}`, which is not below it")),
        None => Some(format!(
            "`{layer}` takes `{used}` from the crate root: name its module"
        )),
    };
    paths.used.iter().filter_map(explain).collect()
}

fn assert_layers(package: &str) {
    let page = architecture();
    let heights = heights(&block(&page, &format!("layers {package}")));
    let mut files = Vec::new();
    sources(&root().join(package).join("src"), &[], &mut files);
    files.retain(|(_, module)| !matches!(module[0].as_str(), "lib" | "main" | "bin"));
    assert!(!files.is_empty(), "{package} has no modules");
    let mut broken = Vec::new();
    for (path, module) in files {
        let text = fs::read_to_string(&path).expect("a readable source");
        let shown = path
            .strip_prefix(root())
            .unwrap_or(&path)
            .display()
            .to_string();
        let found = violations(&heights, &module, &text);
        broken.extend(found.into_iter().map(|what| format!("{shown}: {what}")));
    }
    assert!(
        broken.is_empty(),
        "the layers of ARCHITECTURE.md are broken:\n  {}",
        broken.join("\n  ")
    );
}

#[test]
fn engine_modules_use_only_what_is_below_them() {
    assert_layers("engine");
}

#[test]
fn redis_layer_modules_use_only_what_is_below_them() {
    assert_layers("redis-layer");
}

#[test]
fn packages_use_only_what_the_page_allows() {
    let page = architecture();
    let mut allowed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in block(&page, "packages") {
        let (package, uses) = line
            .split_once("->")
            .expect("`package -> the packages it uses`");
        allowed.insert(package.trim(), uses.split_whitespace().collect());
    }
    let workspace = manifest(".");
    let members = workspace["workspace"]["members"]
        .as_array()
        .expect("a list of members");
    let folders: Vec<&str> = members
        .iter()
        .map(|m| m.as_str().expect("a folder"))
        .collect();
    let package_of = |folder: &str| folder.rsplit('/').next().unwrap_or(folder).to_string();
    let packages: BTreeSet<String> = folders.iter().map(|folder| package_of(folder)).collect();
    for folder in folders {
        let package = package_of(folder);
        let is_chapter = package.starts_with("ch") && package.as_bytes()[2].is_ascii_digit();
        let group = if is_chapter { "chapters" } else { &package };
        let may_use = allowed.get(group);
        let may_use = may_use.unwrap_or_else(|| panic!("the packages block lacks `{group}`"));
        let manifest = manifest(folder);
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(table) = manifest.get(section).and_then(|s| s.as_table()) else {
                continue;
            };
            for used in table.keys().filter(|used| packages.contains(*used)) {
                assert!(
                    may_use.contains(used.as_str()),
                    "{folder}/Cargo.toml, [{section}]: `{group}` may not use `{used}`; see ARCHITECTURE.md"
                );
            }
        }
    }
}

/// The reader of imports is itself held to examples: a check that sees nothing proves nothing.
#[test]
fn a_use_of_a_higher_layer_is_found_however_it_is_written() {
    let heights = heights(&["db", "log sstable", "vfs"]);
    let log = ["log".to_string(), "writer".to_string()];
    let broken = |text: &str| !violations(&heights, &log, text).is_empty();
    assert!(broken("use crate::db::Db;"));
    assert!(broken("use crate::{vfs::Vfs, db};"));
    assert!(
        broken("use crate::sstable::Block;"),
        "a neighbour on the same line"
    );
    assert!(broken("use crate::Db;"), "the crate root");
    assert!(broken("use super::super::db::Db;"));
    assert!(broken("fn f(d: &crate::db::Db) {}"));
    assert!(broken("mod inner { use crate::db::Db; }"));
    assert!(
        broken("use crate::cache::Cache;"),
        "a module that no line names"
    );
    assert!(!broken(
        "use crate::vfs::Vfs; use super::reader::Reader; use std::fs;"
    ));
    assert!(!broken("#[cfg(test)] mod tests { use crate::db::Db; }"));
}

/// The modules with so many parts that they open with a map of them. So does every folder of the commands.
const MAPS: [&str; 3] = [
    "engine/src/db/mod.rs",
    "redis-layer/src/server/mod.rs",
    "redis-layer/src/types/mod.rs",
];

#[test]
fn the_map_of_a_large_module_names_every_part() {
    let mut commands = Vec::new();
    let folder = root().join("redis-layer/src/commands");
    sources(&folder, &[], &mut commands);
    let commands = commands.into_iter().map(|(path, _)| path);
    let folders: Vec<PathBuf> = commands.filter(|path| path.ends_with("mod.rs")).collect();
    assert!(folders.contains(&folder.join("dispatch/mod.rs")));
    for map in MAPS.iter().map(|map| root().join(map)).chain(folders) {
        let text = fs::read_to_string(&map).unwrap();
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let opening = text.lines().take_while(|line| line.starts_with("//!"));
        let opening = opening.collect::<Vec<_>>().join("\n");
        let named: BTreeSet<&str> = opening.split(|letter| !is_of_name(letter)).collect();
        let parts = text.lines().filter_map(|line| {
            let (_, part) = line.strip_suffix(';')?.rsplit_once("mod ")?;
            part.chars().all(is_of_name).then_some(part)
        });
        let missing: Vec<&str> = parts.filter(|part| !named.contains(part)).collect();
        assert!(
            missing.is_empty(),
            "{} does not name {missing:?}",
            map.display()
        );
    }
}
