//! The stores that both exercises are asked about, and keys as a reader sees them.

use std::collections::BTreeMap;

use kit::Answer;
pub(crate) use kit::answer::quoted;

/// What stands under each key; no exercise of this chapter looks at values.
pub(crate) type Store = BTreeMap<Vec<u8>, Vec<u8>>;

/// A store with these keys.
pub(crate) fn store(keys: &[&[u8]]) -> Store {
    keys.iter()
        .map(|key| (key.to_vec(), b"value".to_vec()))
        .collect()
}

/// A list of keys.
pub(crate) fn list(keys: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Answer {
    let keys: Vec<String> = keys.into_iter().map(|key| quoted(key.as_ref())).collect();
    Answer::text(format!("[{}]", keys.join(", ")))
}
