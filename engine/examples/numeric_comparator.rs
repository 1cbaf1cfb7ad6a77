//! An order of your own: numbers at the end of a key sort as numbers.
//!
//! `cargo run -p engine --example numeric_comparator` prints
//!
//! ```text
//! bytewise:        item:1 item:10 item:2 user:1
//! comparator "only-the-number" breaks a law: different bytes never compare equal
//!   a = "item:1"
//!   b = "user:1"
//!   it answered: compare(a, b) = Equal, compare(b, a) = Equal
//! numeric-suffix:  item:1 item:2 item:10 user:1
//! prefix "item:":  item:1 item:2 item:10
//! prefix "item:1": refused
//! other order:     refused
//! ```
//!
//! The first try reads the number and ignores what comes before it, as many examples do.
//! `check_comparator_laws` shows two keys that it calls equal: one would overwrite the other.
//! [`NumericSuffix`] first compares what comes before the number, as bytes, then the number, then
//! the whole key. It takes forty lines, in `src/comparator/numeric.rs`.

use std::cmp::Ordering;
use std::io::{self, Write};
use std::sync::Arc;

use engine::comparator::{NumericSuffix, check_comparator_laws};
use engine::vfs::MemoryVfs;
use engine::{Comparator, Compare, Db, FamilyOptions, Options, Range};

const KEYS: [&str; 4] = ["item:10", "user:1", "item:2", "item:1"];

// ANCHOR: wrong
/// The first try. It forgets what comes before the number.
struct OnlyTheNumber;

impl Compare for OnlyTheNumber {
    fn name(&self) -> &str {
        "only-the-number"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        number(a).cmp(&number(b))
    }
}

fn number(key: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(key);
    let digits = text.rsplit(':').next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}
// ANCHOR_END: wrong

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut io::stdout())
}

/// Does everything that the page above says, and prints it to `out`.
pub(crate) fn run(out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let vfs = Arc::new(MemoryVfs::new());
    let open = |order: Comparator| {
        let items = FamilyOptions {
            comparator: order,
            ..FamilyOptions::default()
        };
        let options = Options {
            vfs: vfs.clone(),
            ..Options::default()
        };
        Db::open("shop", options.family("items", items))
    };

    let mut bytewise = KEYS;
    bytewise.sort_unstable();
    writeln!(out, "bytewise:        {}", bytewise.join(" "))?;

    // ANCHOR: laws
    // Before an order touches data, check that it keeps the laws. In a test, use `assert_comparator_laws`.
    if let Err(broken) = check_comparator_laws(&OnlyTheNumber, &KEYS) {
        writeln!(out, "{broken}")?;
    }
    check_comparator_laws(&NumericSuffix, &KEYS)?;
    // ANCHOR_END: laws

    // ANCHOR: use
    let db = open(Comparator::custom(NumericSuffix))?;
    let items = db.family("items")?;
    for key in KEYS {
        items.put(key, "")?;
    }
    writeln!(out, "numeric-suffix:  {}", keys(items.iter())?)?;
    // The keys that begin with "item:" are neighbours. Those that begin with "item:1" are not: 2
    // lies between 1 and 10.
    writeln!(out, "prefix \"item:\":  {}", keys(items.prefix("item:"))?)?;
    if keys(items.prefix("item:1")).is_err() {
        writeln!(out, "prefix \"item:1\": refused")?;
    }
    // ANCHOR_END: use
    drop((items, db));

    // The files are sorted in this order, so they cannot be read in any other.
    if open(Comparator::Bytewise).is_err() {
        writeln!(out, "other order:     refused")?;
    }
    Ok(())
}

fn keys(rows: Range) -> engine::Result<String> {
    let keys: engine::Result<Vec<_>> = rows
        .map(|row| Ok(row?.0.escape_ascii().to_string()))
        .collect();
    Ok(keys?.join(" "))
}
