//! The engine in a temporary folder, and dates for times, for the tests of chapter 6.

use std::ops::RangeBounds;

use engine::Family;
use engine::keys::hex;
use tempfile::TempDir;

use crate::database::{database, text, texts};

/// Rows in a database of their own. Each value is a line of text.
pub(crate) struct Store {
    pub(crate) rows: Family,
    _folder: TempDir,
}

impl Store {
    pub(crate) fn new() -> Self {
        let (rows, folder) = database();
        Self {
            rows,
            _folder: folder,
        }
    }

    pub(crate) fn put(&self, key: impl AsRef<[u8]>, value: &str) {
        self.rows.put(key, value).unwrap();
    }

    /// The values of the rows in `range`, in the order of the store.
    pub(crate) fn range<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> Vec<String> {
        texts(self.rows.range(range))
    }

    /// The values of the rows whose keys begin with `prefix`, in the order of the store.
    pub(crate) fn prefix(&self, prefix: impl AsRef<[u8]>) -> Vec<String> {
        texts(self.rows.prefix(prefix))
    }

    /// The first `count` of these values.
    pub(crate) fn first(&self, count: usize, prefix: &str) -> Vec<String> {
        texts(self.rows.prefix(prefix).take(count))
    }

    /// The value of one key, if it has one.
    pub(crate) fn get(&self, key: &str) -> Vec<String> {
        let value = self.rows.get(key).unwrap();
        value.iter().map(|value| text(value)).collect()
    }

    /// All values, in the order of the store.
    pub(crate) fn all(&self) -> Vec<String> {
        self.range::<&[u8]>(..)
    }

    /// All rows, as the page shows them: the key, as text where it is text, then the value.
    pub(crate) fn shown(&self) -> String {
        let rows: Vec<(String, String)> = self
            .rows
            .iter()
            .map(|row| row.unwrap())
            .map(|(key, value)| (key_text(&key), text(&value)))
            .collect();
        let width = rows.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        let line = |(key, value): &(String, String)| format!("{key:<width$}  {value}\n");
        rows.iter().map(line).collect()
    }
}

/// A key, as text up to the first byte that is no printable character, the rest in hexadecimal.
pub(crate) fn key_text(key: &[u8]) -> String {
    let printable = |byte: &u8| byte.is_ascii_graphic();
    let end = key.iter().position(|byte| !printable(byte));
    let (front, rest) = key.split_at(end.unwrap_or(key.len()));
    let gap = if front.is_empty() || rest.is_empty() {
        ""
    } else {
        " "
    };
    format!("{}{gap}{}", text(front), hex(rest))
}

/// The day, in UTC, of a time in milliseconds since 1970.
pub(crate) fn date(time: i64) -> String {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut day = time.div_euclid(86_400_000);
    let mut year = 1970;
    while day < 0 {
        year -= 1;
        day += 365 + i64::from(leap(year));
    }
    while day >= 365 + i64::from(leap(year)) {
        day -= 365 + i64::from(leap(year));
        year += 1;
    }
    let february = 28 + i64::from(leap(year));
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= months[month] {
        day -= months[month];
        month += 1;
    }
    format!("{year:04}-{:02}-{:02}", month + 1, day + 1)
}
