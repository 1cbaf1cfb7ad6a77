//! Byte strings side by side in one piece of memory.
//!
//! What a range answers is read once and sent once. One allocation for all strings, and none for each, is a good part
//! of what such an answer costs.

use bytes::Bytes;

/// Byte strings in order.
#[derive(Debug, Clone, Default)]
pub struct Strings {
    bytes: Vec<u8>,
    /// Where each string begins and ends.
    spans: Vec<(usize, usize)>,
}

impl Strings {
    /// None yet, and room for so many of about so many bytes each.
    #[must_use]
    pub fn with_capacity(strings: usize, bytes_each: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(strings * bytes_each),
            spans: Vec::with_capacity(strings),
        }
    }

    /// Adds a copy of a string at the end.
    #[inline]
    pub fn push(&mut self, string: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(string);
        self.spans.push((start, self.bytes.len()));
    }

    /// How many strings there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The length of all of them together.
    #[must_use]
    pub const fn bytes_len(&self) -> usize {
        self.bytes.len()
    }

    /// The strings, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.spans
            .iter()
            .map(|&(start, end)| &self.bytes[start..end])
    }

    /// The last one becomes the first.
    pub fn reverse(&mut self) {
        self.spans.reverse();
    }

    /// The strings one by one. They share the memory.
    pub fn into_parts(self) -> impl ExactSizeIterator<Item = Bytes> {
        let bytes = Bytes::from(self.bytes);
        let spans = self.spans.into_iter();
        spans.map(move |(start, end)| bytes.slice(start..end))
    }
}

impl PartialEq for Strings {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back_in_order_and_in_reverse() {
        let mut strings = Strings::default();
        for string in [&b"a"[..], b"", b"\xff\x00", b"bc"] {
            strings.push(string);
        }
        assert_eq!((strings.len(), strings.bytes_len()), (4, 5));
        strings.reverse();
        let expected = [&b"bc"[..], b"\xff\x00", b"", b"a"];
        assert!(strings.iter().eq(expected));
        assert!(strings.into_parts().eq(expected));
    }
}
