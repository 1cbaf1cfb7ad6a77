//! The stores that both exercises are asked about, and keys as a reader sees them.

use std::collections::BTreeMap;

use kit::Answer;
pub(crate) use kit::answer::quoted;

/// What is stored under each key; no exercise of this chapter looks at values.
pub(crate) type Store = BTreeMap<Vec<u8>, Vec<u8>>;

/// A store with these keys. Some have an empty value: a key is a key whatever stands under it.
pub(crate) fn store(keys: &[&[u8]]) -> Store {
    let value = |key: &[u8]| -> &[u8] {
        match key.last() {
            Some(last) if last.is_multiple_of(2) => b"",
            _ => b"value",
        }
    };
    keys.iter()
        .map(|key| (key.to_vec(), value(key).to_vec()))
        .collect()
}

/// Keys that begin with so many bytes alike, and end like these.
pub(crate) fn long(length: usize, ends: &[&[u8]]) -> Vec<Vec<u8>> {
    let beginning = vec![b'x'; length];
    ends.iter().map(|end| [&beginning, *end].concat()).collect()
}

/// Keys with this byte behind their first one and further on, and one key after them.
pub(crate) fn with_byte(byte: u8) -> Vec<Vec<u8>> {
    let keys: [&[u8]; 4] = [
        &[b'a', byte],
        &[b'a', byte, b'm'],
        &[b'a', b'm', byte],
        b"b",
    ];
    let mut keys = keys.map(<[u8]>::to_vec).to_vec();
    keys.sort();
    keys.dedup();
    keys
}

/// More keys than a large page has.
pub(crate) fn many(prefix: &[u8]) -> Vec<Vec<u8>> {
    (0..5100)
        .map(|n| [prefix, format!("{n:04}").as_bytes()].concat())
        .collect()
}

/// A store of these keys as it stands in a call.
pub(crate) fn store_shown(keys: &[&[u8]]) -> String {
    match keys {
        [first, .., last] if keys.len() > 100 => {
            let number = keys.len();
            format!("[{number} keys from {} to {}]", quoted(first), quoted(last))
        }
        _ => list(keys).text,
    }
}

/// A list of keys.
pub(crate) fn list(keys: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Answer {
    let keys: Vec<String> = keys.into_iter().map(|key| quoted(key.as_ref())).collect();
    Answer::text(format!("[{}]", keys.join(", ")))
}
