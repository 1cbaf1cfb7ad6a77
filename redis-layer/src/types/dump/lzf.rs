//! LZF, by Marc Lehmann: what Redis compresses strings of more than 20 bytes with.
//!
//! ```text
//! 000LLLLL bytes                   L + 1 bytes as they are
//! LLLooooo oooooooo                copy L + 2 bytes from o + 1 back; L = 7: one more byte of length comes in between
//! ```

/// The longest string that may result: Redis accepts no longer one.
const LENGTH_MAX: usize = 512 << 20;
/// A reference of three bytes copies at most 264 bytes.
const RATIO_MAX: usize = 264;

/// The string of `length` bytes that `input` decompresses to, or `None` if it does not.
pub(super) fn decompress(mut input: &[u8], length: usize) -> Option<Vec<u8>> {
    if length > LENGTH_MAX || length > input.len().checked_mul(RATIO_MAX)? {
        return None;
    }
    let mut output: Vec<u8> = Vec::with_capacity(length);
    while let Some((&control, rest)) = input.split_first() {
        if control < 1 << 5 {
            let (literal, rest) = rest.split_at_checked(usize::from(control) + 1)?;
            output.extend_from_slice(literal);
            input = rest;
        } else {
            let (count, rest) = match (control >> 5, rest) {
                (7, [more, rest @ ..]) => (7 + usize::from(*more), rest),
                (7, []) => return None,
                (count, rest) => (usize::from(count), rest),
            };
            let (&low, rest) = rest.split_first()?;
            let back = (usize::from(control & 0x1f) << 8 | usize::from(low)) + 1;
            let start = output.len().checked_sub(back)?;
            // The source may overlap what is being written, so the copy goes byte by byte.
            for at in start..start + count + 2 {
                output.push(output[at]);
            }
            input = rest;
        }
        if output.len() > length {
            return None;
        }
    }
    (output.len() == length).then_some(output)
}

#[test]
fn literals_and_references_are_unpacked() {
    assert_eq!(decompress(b"\x02abc", 3).unwrap(), b"abc");
    assert_eq!(
        decompress(b"\x00a\xe0\x03\x00", 13).unwrap(),
        b"a".repeat(13)
    );
    assert_eq!(decompress(b"\x01ab\x20\x01", 5).unwrap(), b"ababa");
    for (input, length) in [
        (&b"\x02ab"[..], 3),
        (b"\x00a\x20\x01", 4),
        (b"\x00a", 2),
        (b"\x01ab", 1),
        (b"\xe0", 9),
        (b"", 1 << 40),
    ] {
        assert_eq!(decompress(input, length), None, "{input:?}");
    }
}
