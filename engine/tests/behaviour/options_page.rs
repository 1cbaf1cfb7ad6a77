//! `docs/options.md` lists every option, with the default that the code has.

use std::collections::BTreeMap;

use engine::{FamilyOptions, Options, WriteOptions};

const PAGE: &str = include_str!("../../docs/options.md");

/// The fields of a struct and their values, as its `Debug` prints them.
fn fields(debug: &str) -> BTreeMap<String, String> {
    let fields = debug.lines().filter_map(|line| {
        let field = line
            .strip_prefix("    ")
            .filter(|rest| !rest.starts_with(' '))?;
        let (name, value) = field.trim_end_matches(',').split_once(": ")?;
        Some((name.to_owned(), value.to_owned()))
    });
    fields.collect()
}

/// The rows of the table below a heading: the option and its default.
fn rows(heading: &str) -> BTreeMap<String, String> {
    let (_, section) = PAGE.split_once(heading).expect("the heading is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let name = cells.next()?.trim_end_matches('`');
        Some((name.to_owned(), plain(cells.next()?)))
    });
    rows.collect()
}

/// `64 MiB` as a number; anything else without its quotes.
fn plain(cell: &str) -> String {
    let units = [(" KiB", 10), (" MiB", 20), (" GiB", 30)];
    for (unit, shift) in units {
        if let Some(number) = cell.strip_suffix(unit) {
            let number: u64 = number.parse().expect("a number before its unit");
            return (number << shift).to_string();
        }
    }
    cell.trim_matches('`').to_owned()
}

fn compare(heading: &str, debug: &str) {
    let (code, page) = (fields(debug), rows(heading));
    assert!(!code.is_empty(), "{debug}");
    assert_eq!(
        page, code,
        "the page (left) and the code differ below {heading:?}"
    );
}

#[test]
fn the_page_lists_every_option_with_its_default() {
    compare("`Options`", &format!("{:#?}", Options::default()));
    compare(
        "`FamilyOptions`",
        &format!("{:#?}", FamilyOptions::default()),
    );
    compare("`WriteOptions`", &format!("{:#?}", WriteOptions::default()));
}
