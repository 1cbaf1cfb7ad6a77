//! Byte strings one after the other in one piece of memory, each already in the form in which it is sent.
//!
//! The strings of a range are read once and sent once. To make one allocation for all strings instead of one for each
//! saves a good part of the cost of such an answer; and a string that is framed as it is read need not be copied
//! again to be sent.
//!
//! ```text
//! string*    $ | its length, in decimal digits | CR LF | its bytes | CR LF
//! ```
//!
//! Each entry is a bulk string of Redis's protocol, which is the same in both versions. This is the only thing that
//! this layer knows of the protocol, and a caller that wants the strings themselves need not know it:
//! [`Strings::iter`] leaves the frames out.
//!
//! Left out: frames that `server::resp` adds, where the rest of the protocol is. There are two ways, and neither is
//! simpler. If the strings stood here in a form of their own, every one would be taken out again when the answer is
//! encoded; today the encoder adds a range in one piece. If the protocol passed in what writes the frames, that would
//! be a type parameter of all ranges of lists and sorted sets, of their answers ([`Members`](crate::types::zset::Members)),
//! and of the callers of both. And callers in this layer, which want the strings back, would need a writer without
//! frames.

use bytes::Bytes;

/// How many bytes frame a short string, and the most that frame any string.
const FRAME_BYTES: usize = 7;
pub(crate) const FRAME_BYTES_MAX: usize = 1 + DIGITS_MAX + 4;
/// The digits of a number of 64 bits, its sign among them.
const DIGITS_MAX: usize = 20;

/// Byte strings in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Strings {
    framed: Vec<u8>,
    len: usize,
}

impl Strings {
    /// An empty sequence with room for `strings` strings of about `bytes_each` bytes each.
    #[must_use]
    pub fn with_capacity(strings: usize, bytes_each: usize) -> Self {
        Self {
            framed: Vec::with_capacity(strings * (bytes_each + FRAME_BYTES)),
            len: 0,
        }
    }

    /// Adds a copy of a string at the end.
    #[inline]
    pub fn push(&mut self, string: &[u8]) {
        append_bulk(&mut self.framed, string);
        self.len += 1;
    }

    /// How many strings there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All of them, in the form in which they are sent.
    #[must_use]
    pub fn framed(&self) -> &[u8] {
        &self.framed
    }

    /// The strings, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.frames().map(|(_, string)| string)
    }

    /// Each string twice: as it is sent, and by itself.
    pub fn frames(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut rest = self.framed.as_slice();
        std::iter::from_fn(move || {
            let head = rest.iter().position(|&byte| byte == b'\r')?;
            let digits = rest[1..head].iter();
            let length = digits.fold(0, |sum, digit| 10 * sum + usize::from(digit - b'0'));
            let start = head + 2;
            let (frame, behind) = rest.split_at(start + length + 2);
            rest = behind;
            Some((frame, &frame[start..start + length]))
        })
    }

    /// Reverses the order of the strings.
    pub fn reverse(&mut self) {
        let frames: Vec<&[u8]> = self.frames().map(|(frame, _)| frame).collect();
        let mut framed = Vec::with_capacity(self.framed.len());
        for frame in frames.into_iter().rev() {
            framed.extend_from_slice(frame);
        }
        self.framed = framed;
    }

    /// The strings one by one. They share one piece of memory.
    #[must_use]
    pub fn into_parts(self) -> Vec<Bytes> {
        let mut spans = Vec::with_capacity(self.len);
        let mut end = 0;
        for (frame, string) in self.frames() {
            end += frame.len();
            spans.push((end - 2 - string.len(), end - 2));
        }
        let framed = Bytes::from(self.framed);
        let part = |(start, end)| framed.slice(start..end);
        spans.into_iter().map(part).collect()
    }
}

/// Appends a string in the form in which it is sent.
#[inline]
pub(crate) fn append_bulk(out: &mut Vec<u8>, string: &[u8]) {
    out.reserve(string.len() + FRAME_BYTES_MAX);
    match string.len() {
        // A fast path for short strings, which most elements of lists and sets are.
        len @ 0..10 => out.extend_from_slice(&[b'$', b'0' + len as u8, b'\r', b'\n']),
        len @ 10..100 => {
            let (tens, ones) = (b'0' + (len / 10) as u8, b'0' + (len % 10) as u8);
            out.extend_from_slice(&[b'$', tens, ones, b'\r', b'\n']);
        }
        len => append_number(out, b'$', len as i64),
    }
    out.extend_from_slice(string);
    out.extend_from_slice(b"\r\n");
}

/// Appends a letter, a number in digits and the end of a line.
#[inline]
pub(crate) fn append_number(out: &mut Vec<u8>, letter: u8, number: i64) {
    // A fast path for small numbers, which most lengths and many integers are.
    let digit = |value: i64| b'0' + value as u8;
    match number {
        0..10 => out.extend_from_slice(&[letter, digit(number), b'\r', b'\n']),
        10..100 => {
            let (tens, ones) = (digit(number / 10), digit(number % 10));
            out.extend_from_slice(&[letter, tens, ones, b'\r', b'\n']);
        }
        _ => {
            out.push(letter);
            out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
            out.extend_from_slice(b"\r\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn strings_stand_as_they_are_sent() {
        let mut strings = Strings::default();
        let long = vec![b'x'; 1234];
        for string in [&b""[..], b"\r\n$1", b"0123456789", &long] {
            strings.push(string);
        }
        let expected = [
            &b"$0\r\n\r\n$4\r\n\r\n$1\r\n$10\r\n0123456789\r\n$1234\r\n"[..],
            &long,
            b"\r\n",
        ];
        assert_eq!(strings.framed(), expected.concat());
    }

    proptest! {
        #[test]
        fn strings_come_back_in_order_and_in_reverse(
            mut all in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..120), 0..20),
        ) {
            let mut strings = Strings::with_capacity(3, 5);
            all.iter().for_each(|string| strings.push(string));
            for _ in 0..2 {
                prop_assert_eq!(strings.len(), all.len());
                prop_assert!(strings.iter().eq(all.iter().map(Vec::as_slice)));
                prop_assert!(strings.clone().into_parts().iter().eq(all.iter()));
                strings.reverse();
                all.reverse();
            }
        }

        #[test]
        fn numbers_have_their_digits(number in any::<i64>()) {
            for number in [number, number % 200, i64::MIN] {
                let mut out = Vec::new();
                append_number(&mut out, b':', number);
                prop_assert_eq!(out, format!(":{number}\r\n").into_bytes());
            }
        }
    }
}
