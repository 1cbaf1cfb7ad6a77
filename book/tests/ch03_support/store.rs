//! A store of scored members, for the tests of chapters 3 and 4.

use std::collections::BTreeMap;
use std::fmt::Debug;

use engine::keys::hex;

/// Rows `encoded score ++ member`, each with a line of text as its value.
pub(crate) struct Store {
    pub(crate) rows: BTreeMap<Vec<u8>, String>,
}

impl Store {
    // ANCHOR: store
    /// Stores a row for each member. Its key: the encoded score, the member.
    pub(crate) fn new<S: Copy + Debug, K: AsRef<[u8]>>(
        members: &[(S, &[u8])],
        encode: fn(S) -> K,
    ) -> Self {
        let mut rows = BTreeMap::new();
        for (score, member) in members {
            let key = [encode(*score).as_ref(), member].concat();
            rows.insert(key, format!("{score:?} {}", member.escape_ascii()));
        }
        Self { rows }
    }
    // ANCHOR_END: store

    /// The rows from `low` on, up to `high`, which is left out.
    pub(crate) fn range(&self, low: &[u8], high: &[u8]) -> Vec<String> {
        let range = self.rows.range(low.to_vec()..high.to_vec());
        range.map(|(_, row)| row.clone()).collect()
    }

    /// All rows, as the page shows them: the eight bytes of the score, then the row's text.
    pub(crate) fn scan(&self) -> String {
        let mut text = String::from("score bytes       row\n");
        for (key, row) in &self.rows {
            text += &format!("{}  {row}\n", hex(&key[..8]));
        }
        text
    }

    /// The texts of all rows.
    pub(crate) fn order(&self) -> Vec<String> {
        self.rows.values().cloned().collect()
    }
}
