//! The built book: links that lead somewhere, pages that ask no other host and stay small.

#[path = "support/html.rs"]
mod html;
#[path = "support/site.rs"]
mod site;
#[path = "support/summary.rs"]
mod summary;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use html::{Tag, tags};
use site::{book_dir, build, pages};

/// Everything that a page loads before a reader does anything, uncompressed.
const PAGE_BYTES_MAX: u64 = 300_000;

fn is_external(link: &str) -> bool {
    ["http:", "https:", "//"]
        .iter()
        .any(|start| link.starts_with(start))
}

/// `link` as seen from `page`, without `.` and `..`; and the anchor after `#`.
fn resolve(page: &Path, link: &str) -> (PathBuf, String) {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    if path.is_empty() {
        return (page.to_owned(), anchor.to_owned());
    }
    let mut target = PathBuf::new();
    for part in page
        .parent()
        .unwrap()
        .join(path.replace("%20", " "))
        .components()
    {
        if part == Component::ParentDir {
            target.pop();
        } else {
            target.push(part);
        }
    }
    if target.is_dir() {
        target.push("index.html");
    }
    (target, anchor.to_owned())
}

/// What a tag makes the browser load.
fn loaded_by(tag: &Tag) -> Option<&str> {
    match tag.name.as_str() {
        "script" | "img" | "iframe" | "source" | "video" | "audio" | "embed" => tag.get("src"),
        "object" => tag.get("data"),
        "link" => tag
            .get("href")
            .filter(|_| tag.get("rel") != Some("prefetch")),
        _ => None,
    }
}

#[test]
fn every_link_leads_to_a_page_and_an_anchor() {
    let folder = build();
    let pages = pages(folder.path());
    let written = summary::linked()
        .into_iter()
        .map(|page| page.replace(".md", ".html"));
    for page in written.chain(["print.html", "404.html"].map(str::to_owned)) {
        assert!(pages.contains_key(&folder.path().join(&page)), "no {page}");
    }
    let ids: BTreeMap<&Path, BTreeSet<String>> = pages
        .iter()
        .map(|(path, html)| {
            let ids = tags(html)
                .iter()
                .filter_map(|tag| tag.get("id").map(str::to_owned))
                .collect();
            (path.as_path(), ids)
        })
        .collect();
    let mut dead = Vec::new();
    let mut checked = 0;
    for (page, html) in &pages {
        // Its links are absolute, since it answers for any address.
        if page.ends_with("404.html") {
            continue;
        }
        for tag in tags(html) {
            let link = if tag.name == "a" {
                tag.get("href")
            } else {
                loaded_by(&tag)
            };
            let Some(link) = link.filter(|link| !is_external(link) && !link.starts_with("data:"))
            else {
                continue;
            };
            let (target, anchor) = resolve(page, link);
            let known = anchor.is_empty()
                || ids
                    .get(target.as_path())
                    .is_some_and(|ids| ids.contains(&anchor));
            checked += 1;
            if !target.is_file() || !known {
                dead.push(format!(
                    "{}: {link}",
                    page.strip_prefix(folder.path()).unwrap().display()
                ));
            }
        }
    }
    assert!(
        checked > 100,
        "only {checked} links were found: the scanner is blind"
    );
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn no_page_loads_anything_from_another_host() {
    let folder = build();
    for (page, html) in pages(folder.path()) {
        for tag in tags(&html) {
            let loaded = loaded_by(&tag).unwrap_or("");
            assert!(!is_external(loaded), "{}: {tag:?}", page.display());
            let style = tag.get("style").unwrap_or("");
            assert!(!style.contains("url("), "{}: {tag:?}", page.display());
        }
        // mdBook's script asks an outside playground as soon as one runnable block is there.
        assert!(
            !html.contains("class=\"playground\""),
            "{} has a runnable block",
            page.display()
        );
        assert!(
            !html.contains("{{#"),
            "{} shows an include that was not expanded",
            page.display()
        );
    }
    for folder in ["theme", "widgets", "chapters/widgets", "src/server"] {
        for entry in walkdir::WalkDir::new(book_dir().join(folder)) {
            let path = entry.unwrap().into_path();
            if !path.extension().is_some_and(|e| e == "js" || e == "css") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for outside in ["http://", "https://", "@import", "url("] {
                assert!(!text.contains(outside), "{} has {outside}", path.display());
            }
        }
    }
}

/// Whether a selector such as `name` or `name[type=text]` means this tag.
fn is_meant(tag: &Tag, selector: &str) -> bool {
    let Some((name, attribute)) = selector.split_once('[') else {
        return tag.name == selector;
    };
    let (key, value) = attribute.trim_end_matches(']').split_once('=').unwrap();
    tag.name == name && tag.get(key) == Some(value)
}

/// The scripts and styles that `widgets/load.js` adds to a page, by the list that it holds.
fn widget_files(site: &Path, html: &str) -> BTreeSet<PathBuf> {
    let loader = fs::read_to_string(book_dir().join("widgets/load.js")).unwrap();
    let lists: BTreeMap<&str, Vec<&str>> = loader
        .lines()
        .filter_map(|line| line.trim().split_once(": ["))
        .map(|(element, scripts)| (element.trim_matches('"'), scripts.split('"').collect()))
        .collect();
    assert!(lists.contains_key("bits-explorer"), "{lists:?}");
    let mut files = BTreeSet::new();
    for tag in tags(html) {
        let needed = lists
            .iter()
            .filter(|(selector, _)| is_meant(&tag, selector));
        let scripts: BTreeSet<&str> = needed
            .flat_map(|(_, scripts)| scripts)
            .copied()
            .filter(|script| script.starts_with(|c: char| c.is_ascii_alphabetic()))
            .collect();
        if scripts.is_empty() {
            continue;
        }
        files.extend(
            scripts
                .iter()
                .map(|script| site.join(format!("widgets/{script}.js"))),
        );
        files.extend(["parts", &tag.name].map(|name| site.join(format!("widgets/{name}.css"))));
    }
    files
}

#[test]
fn every_page_is_light() {
    let folder = build();
    let mut heaviest = (0, PathBuf::new());
    for (page, html) in pages(folder.path()) {
        // The whole book on one page is for paper.
        if page.ends_with("print.html") || page.ends_with("404.html") {
            continue;
        }
        let parts: BTreeSet<PathBuf> = tags(&html)
            .iter()
            .filter_map(loaded_by)
            .filter(|link| !link.starts_with("data:"))
            .map(|link| resolve(&page, link).0)
            .chain(widget_files(folder.path(), &html))
            .chain([page.clone()])
            .collect();
        let size = parts
            .iter()
            .map(|part| fs::metadata(part).unwrap().len())
            .sum();
        assert!(
            size < PAGE_BYTES_MAX,
            "{} weighs {size} bytes: {parts:#?}",
            page.display()
        );
        heaviest = heaviest.max((size, page));
    }
    println!("heaviest: {} bytes, {}", heaviest.0, heaviest.1.display());
    assert!(heaviest.0 > 50_000, "scripts and styles were not counted");
}

#[test]
fn two_builds_of_the_same_sources_are_equal() {
    let (one, two) = (build(), build());
    let strip = |folder: &Path| -> BTreeMap<PathBuf, String> {
        let relative = |path: PathBuf| path.strip_prefix(folder).unwrap().to_owned();
        pages(folder)
            .into_iter()
            .map(|(path, html)| (relative(path), html))
            .collect()
    };
    assert!(
        strip(one.path()) == strip(two.path()),
        "pages would reload without a change"
    );
}
