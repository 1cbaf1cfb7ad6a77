//! A range of keys: from a first key up to, but not including, a second one.
//!
//! Half-open ranges are enough, because each byte string has a next one: the least key above `k` is `k ++ 00`. So a
//! range of the keys after `k` starts at `k ++ 00`, and a range that includes `k` as its last key ends there. There
//! is no greatest key below `k`, which is why no other form is offered.

use engine::keys::prefix_successor;

/// The keys `k` with `start <= k < end`. Without an `end` the range goes on to the last key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The least key that may be in the range.
    pub start: Vec<u8>,
    /// The least key after the range, if it has an end.
    pub end: Option<Vec<u8>>,
}

impl KeyRange {
    /// Every key.
    #[must_use]
    pub const fn all() -> Self {
        Self {
            start: Vec::new(),
            end: None,
        }
    }

    /// The keys from `start` up to, but not including, `end`.
    #[must_use]
    pub const fn between(start: Vec<u8>, end: Vec<u8>) -> Self {
        Self {
            start,
            end: Some(end),
        }
    }

    /// The keys that begin with `prefix`.
    #[must_use]
    pub fn prefix(prefix: &[u8]) -> Self {
        Self {
            start: prefix.to_vec(),
            end: prefix_successor(prefix),
        }
    }

    /// Whether no key can be in the range.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Whether `key` is in the range.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        *self.start <= *key && self.end.as_ref().is_none_or(|end| *key < **end)
    }
}

/// The least key above `key`.
#[must_use]
pub fn next_key(key: &[u8]) -> Vec<u8> {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0x00);
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_range_holds_the_members_behind_many_ff_bytes() {
        let range = KeyRange::prefix(b"a");
        for inside in [&b"a"[..], b"a\x00", b"a\xff", b"a\xff\xff\xff"] {
            assert!(range.contains(inside), "{inside:02x?}");
        }
        assert!(!range.contains(b"b"));
        assert!(!range.contains(b""));
        assert!(KeyRange::prefix(b"\xff").contains(b"\xff\xff"));
    }

    #[test]
    fn a_range_that_ends_where_it_starts_is_empty() {
        assert!(KeyRange::between(b"b".to_vec(), b"b".to_vec()).is_empty());
        assert!(KeyRange::between(b"b".to_vec(), b"a".to_vec()).is_empty());
        assert!(!KeyRange::between(b"b".to_vec(), next_key(b"b")).is_empty());
        assert!(!KeyRange::all().is_empty());
    }
}
