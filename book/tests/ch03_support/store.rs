//! The engine, filled with scored members, for the tests of chapters 3 and 4.

use std::fmt::Debug;

use engine::Family;
use engine::keys::hex;
use tempfile::TempDir;

use crate::database::{database, text, texts};

/// Rows `encoded score ++ member` in a database of their own. Each value is a line of text.
pub(crate) struct Store {
    pub(crate) rows: Family,
    _folder: TempDir,
}

impl Store {
    /// A new database with a row for each member. The key of a row is the
    /// encoded score, then the member.
    pub(crate) fn new<S: Copy + Debug, K: AsRef<[u8]>>(
        members: &[(S, &[u8])],
        encode: fn(S) -> K,
    ) -> Self {
        let (rows, folder) = database();
        for (score, member) in members {
            let key = [encode(*score).as_ref(), member].concat();
            let text = format!("{score:?} {}", member.escape_ascii());
            rows.put(key, text).unwrap();
        }
        Self {
            rows,
            _folder: folder,
        }
    }

    /// The texts of the rows from `low` on, up to `high`, which is left out.
    pub(crate) fn range(&self, low: &[u8], high: &[u8]) -> Vec<String> {
        texts(self.rows.range(low..high))
    }

    /// The texts of all rows, in the order of their keys.
    pub(crate) fn order(&self) -> Vec<String> {
        texts(self.rows.iter())
    }

    /// All rows, as the page shows them: the eight bytes of the score, then the text.
    pub(crate) fn scan(&self) -> String {
        let mut table = String::from("score bytes       row\n");
        for row in self.rows.iter() {
            let (key, value) = row.unwrap();
            table += &format!("{}  {}\n", hex(&key[..8]), text(&value));
        }
        table
    }
}
