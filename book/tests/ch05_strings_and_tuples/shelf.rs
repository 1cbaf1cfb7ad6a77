//! The engine, filled with books of owners, for the tests of chapter 5.

use engine::Family;
use engine::keys::{hex, prefix_successor};
use tempfile::TempDir;

use crate::Scheme;
use crate::database::{database, text, texts};

/// Rows in a database of their own. Each value is a line of text.
pub(crate) struct Shelf {
    rows: Family,
    written: usize,
    _folder: TempDir,
}

/// A row as the page shows it.
pub(crate) fn title(owner: &str, name: &str) -> String {
    format!("({owner:?}, {name:?})")
}

impl Shelf {
    // ANCHOR: shelf
    /// A new database with a row for each book.
    pub(crate) fn new(books: &[(&str, &str)], key: Scheme) -> Self {
        Self::of_keys(books.iter().map(|(owner, name)| {
            let key = key(owner.as_bytes(), name.as_bytes());
            (key, title(owner, name))
        }))
    }
    // ANCHOR_END: shelf

    /// A new database with these rows.
    pub(crate) fn of_keys(keyed: impl IntoIterator<Item = (Vec<u8>, String)>) -> Self {
        let (rows, folder) = database();
        let mut written = 0;
        for (key, text) in keyed {
            rows.put(key, text).unwrap();
            written += 1;
        }
        Self {
            rows,
            written,
            _folder: folder,
        }
    }

    /// The texts of the rows from `low` on, up to `high`, which is left out.
    pub(crate) fn range(&self, low: &[u8], high: &[u8]) -> Vec<String> {
        texts(self.rows.range(low..high))
    }

    /// The texts of the rows that start with a prefix which is not all ff.
    pub(crate) fn with_prefix(&self, prefix: &[u8]) -> Vec<String> {
        self.range(prefix, &prefix_successor(prefix).unwrap())
    }

    /// The texts of all rows, in the order of their keys.
    pub(crate) fn titles(&self) -> Vec<String> {
        texts(self.rows.iter())
    }

    /// All rows, their keys as text.
    pub(crate) fn scan(&self) -> String {
        self.table(text, 10)
    }

    /// All rows, their keys in hex.
    pub(crate) fn scan_in_hex(&self) -> String {
        self.table(hex, 20)
    }

    fn table(&self, show: fn(&[u8]) -> String, width: usize) -> String {
        let mut table = format!("{:<width$}  row\n", "key");
        let mut found = 0;
        for row in self.rows.iter() {
            let (key, value) = row.unwrap();
            table += &format!("{:<width$}  {}\n", show(&key), text(&value));
            found += 1;
        }
        table + &format!("{} rows written, {found} found\n", self.written)
    }
}
