//! The engine in a temporary folder, for tests whose values are lines of text.

use engine::{Db, Family, Options, Result};
use tempfile::TempDir;

/// A new database: its rows, and its folder, which goes when it is dropped.
pub(crate) fn database() -> (Family, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(folder.path(), Options::default()).unwrap();
    (db.default_family(), folder)
}

/// The values of rows, in their order.
pub(crate) fn texts(rows: impl Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>) -> Vec<String> {
    rows.map(|row| text(&row.unwrap().1)).collect()
}

/// Bytes that are known to be text.
pub(crate) fn text(value: &[u8]) -> String {
    String::from_utf8(value.to_vec()).unwrap()
}
