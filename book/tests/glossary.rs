//! The glossary: sorted, and each entry explained where its link leads.
//!
//! An entry is a heading `## term`, by which the search finds it, and a paragraph `what it means. [chapter N](folder/index.md#heading)`.
//! In the chapter the term stands in italics below that heading. In the chapters of `COMPLETE`, italics are for nothing else, so no term can be forgotten.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

/// Chapters whose every italic word is an entry. Others may also stress a word by italics.
const COMPLETE: [&str; 6] = [
    "01-sorted-map",
    "02-endianness",
    "03-twos-complement",
    "04-ieee-754",
    "05-strings-and-tuples",
    "10-order-store",
];

/// A row of the glossary.
struct Entry {
    term: String,
    folder: String,
    heading: String,
}

/// Words in italics, and the headings that they stand below.
struct Italic {
    text: String,
    below: Vec<String>,
}

fn read(path: &str) -> String {
    let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("chapters");
    fs::read_to_string(chapters.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn entries() -> Vec<Entry> {
    let text = read("glossary.md");
    let rows = text.split("\n## ").skip(1);
    let entries: Vec<Entry> = rows
        .map(|row| {
            entry(row).unwrap_or_else(|| {
                panic!("not a term and `text [chapter N](folder/index.md#heading)`: {row}")
            })
        })
        .collect();
    assert!(entries.len() > 40, "the rows of the glossary are not read");
    entries
}

fn entry(row: &str) -> Option<Entry> {
    let mut paragraphs = row.split("\n\n");
    let (term, meaning) = (paragraphs.next()?, paragraphs.next()?.trim_end());
    let (_, link) = meaning.rsplit_once("](")?;
    let (page, heading) = link.strip_suffix(')')?.split_once('#')?;
    Some(Entry {
        term: term.to_owned(),
        folder: page.strip_suffix("/index.md")?.to_owned(),
        heading: heading.to_owned(),
    })
}

/// The italic words of a chapter, and all its headings.
fn italics(folder: &str) -> (Vec<Italic>, BTreeSet<String>) {
    let text = read(&format!("{folder}/index.md"));
    let (mut found, mut headings) = (Vec::new(), BTreeSet::new());
    let mut open: Vec<(HeadingLevel, String)> = Vec::new();
    let (mut heading, mut italic): (Option<String>, Option<String>) = (None, None);
    for event in Parser::new(&text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(level)) => {
                open.retain(|(above, _)| *above < level);
                let id = heading_id(&heading.take().unwrap_or_default());
                headings.insert(id.clone());
                open.push((level, id));
            }
            Event::Start(Tag::Emphasis) => italic = Some(String::new()),
            Event::End(TagEnd::Emphasis) => found.extend(italic.take().map(|text| Italic {
                text,
                below: open.iter().map(|(_, id)| id.clone()).collect(),
            })),
            Event::Text(part) | Event::Code(part) => {
                for text in [&mut heading, &mut italic].into_iter().flatten() {
                    text.push_str(&part);
                }
            }
            Event::SoftBreak => italic.iter_mut().for_each(|text| text.push(' ')),
            _ => {}
        }
    }
    (found, headings)
}

/// The name under which mdBook lets a heading be linked to.
fn heading_id(heading: &str) -> String {
    heading
        .trim()
        .chars()
        .filter_map(|c| match c {
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
            c if c.is_whitespace() => Some('-'),
            _ => None,
        })
        .collect()
}

/// Whether a text in italics is this term, or its plural.
fn is_term(term: &str, italic: &str) -> bool {
    let (term, italic) = (term.to_lowercase(), italic.to_lowercase());
    let plural = match term.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{term}s"),
    };
    italic == term || italic == plural
}

#[test]
fn terms_are_sorted_and_stand_once() {
    let terms: Vec<String> = entries().iter().map(|e| e.term.to_lowercase()).collect();
    let wrong: Vec<&[String]> = terms.windows(2).filter(|pair| pair[0] >= pair[1]).collect();
    assert!(wrong.is_empty(), "not in order: {wrong:?}");
}

#[test]
fn every_term_is_explained_where_its_link_leads() {
    let mut problems = Vec::new();
    for Entry {
        term,
        folder,
        heading,
    } in entries()
    {
        let (italics, headings) = italics(&folder);
        if !headings.contains(&heading) {
            problems.push(format!("{term}: {folder} has no heading #{heading}"));
        } else if !italics
            .iter()
            .any(|i| is_term(&term, &i.text) && i.below.contains(&heading))
        {
            problems.push(format!("{term}: not in italics below {folder}#{heading}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn no_term_of_the_first_chapters_is_missing() {
    let entries = entries();
    let mut missing = Vec::new();
    for folder in COMPLETE {
        for Italic { text, below } in italics(folder).0 {
            if !entries.iter().any(|entry| is_term(&entry.term, &text)) {
                missing.push(format!("{folder}, below {below:?}: {text}"));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "add them, or stress by other means:\n{}",
        missing.join("\n")
    );
}
