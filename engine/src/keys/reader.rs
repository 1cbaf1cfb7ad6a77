//! A position in a key: what every decoder reads from.
//!
//! Invariants
//! 1. No method panics and none reads past the end. What is missing is a [`DecodeError`].
//! 2. Inside [`Reader::inverted`] every byte comes back inverted, so the decoder of `T` is also
//!    the decoder of `Desc<T>`, without a copy of the key. Inversions nest.
//! 3. The position only grows.

use crate::keys::{DecodeError, Why};

/// Reads fields from a key, one after another.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    key: &'a [u8],
    offset: usize,
    /// 0x00 reads bytes as they are, 0xff inverts them.
    mask: u8,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte of `key`.
    #[must_use]
    pub const fn new(key: &'a [u8]) -> Self {
        Self {
            key,
            offset: 0,
            mask: 0x00,
        }
    }

    /// How many bytes were read so far.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// How many bytes are left.
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.key.len() - self.offset
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// [`Why::Truncated`] at the end of the key.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    /// Reads exactly `N` bytes.
    ///
    /// # Errors
    /// [`Why::Truncated`] if fewer are left. Nothing is consumed then.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some((field, _)) = self.left().split_first_chunk::<N>() else {
            return Err(self.truncated(N));
        };
        let mask = self.mask;
        self.offset += N;
        Ok(field.map(|byte| byte ^ mask))
    }

    /// Requires that at least `count` bytes are left, and reads none.
    ///
    /// # Errors
    /// [`Why::Truncated`] if fewer are.
    pub const fn need(&self, count: usize) -> Result<(), DecodeError> {
        if self.remaining() < count {
            return Err(self.truncated(count));
        }
        Ok(())
    }

    /// Appends to `out` the bytes before the next `stop`, or all that are left if there is none.
    pub fn copy_until(&mut self, stop: u8, out: &mut Vec<u8>) {
        let mask = self.mask;
        let left = self.left();
        let run = left.iter().position(|&byte| byte ^ mask == stop);
        let run = &left[..run.unwrap_or(left.len())];
        out.extend(run.iter().map(|byte| byte ^ mask));
        self.offset += run.len();
    }

    /// Appends to `out` everything that is left.
    pub fn copy_rest(&mut self, out: &mut Vec<u8>) {
        let mask = self.mask;
        out.extend(self.left().iter().map(|byte| byte ^ mask));
        self.offset = self.key.len();
    }

    /// Runs `read` with every byte inverted.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn inverted<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        self.mask = !self.mask;
        let outcome = read(self);
        self.mask = !self.mask;
        outcome
    }

    /// Requires that the key ends here.
    ///
    /// # Errors
    /// [`Why::TrailingBytes`] if it does not.
    #[inline]
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.remaining() {
            0 => Ok(()),
            count => Err(Why::TrailingBytes { count }.at(self.offset)),
        }
    }

    /// The error for a field of `count` bytes of which fewer are left.
    const fn truncated(&self, count: usize) -> DecodeError {
        let missing = count - self.remaining();
        Why::Truncated { missing }.at(self.key.len())
    }

    #[inline]
    fn left(&self) -> &'a [u8] {
        // Invariant 3 and the bounds in `array` and `copy_*` keep the offset within the key.
        &self.key[self.offset..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_key_says_how_many_bytes_are_missing_and_consumes_nothing() {
        let mut reader = Reader::new(&[1, 2, 3]);
        assert_eq!(
            reader.array::<8>(),
            Err(DecodeError {
                offset: 3,
                why: Why::Truncated { missing: 5 }
            })
        );
        assert_eq!(reader.array(), Ok([1, 2, 3]));
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn bytes_left_over_are_counted() {
        let mut reader = Reader::new(&[1, 2, 3]);
        assert_eq!(reader.byte(), Ok(1));
        assert_eq!(
            reader.finish(),
            Err(DecodeError {
                offset: 1,
                why: Why::TrailingBytes { count: 2 }
            })
        );
    }

    #[test]
    fn inversions_nest_and_end_even_after_an_error() {
        let mut reader = Reader::new(&[0x0f, 0x0f, 0x0f]);
        let inner = reader.inverted(|r| Ok((r.byte()?, r.inverted(Reader::byte)?)));
        assert_eq!(inner, Ok((0xf0, 0x0f)));
        assert!(reader.inverted(Reader::array::<2>).is_err());
        assert_eq!(reader.byte(), Ok(0x0f));
    }

    #[test]
    fn a_copy_stops_before_the_byte_it_looks_for() {
        let mut reader = Reader::new(b"ab\0c");
        let mut out = Vec::new();
        reader.copy_until(0, &mut out);
        assert_eq!((out.as_slice(), reader.offset()), (&b"ab"[..], 2));
        out.clear();
        reader.copy_until(b'x', &mut out);
        assert_eq!((out.as_slice(), reader.remaining()), (&b"\0c"[..], 0));
    }
}
