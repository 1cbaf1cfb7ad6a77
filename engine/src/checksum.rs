//! The checksum of bytes in a file: CRC-32 of their offset, then of the bytes themselves.
//!
//! Because the offset is included, bytes are valid only where they were written. A disk may carry
//! out a write at the wrong place: then valid bytes appear a second time, where they do not belong.
//! A checksum of the bytes alone would accept them, and a search would return wrong answers.
//!
//! The polynomial is the one that zip and Ethernet use; the crate `crc32fast` computes it.

/// The checksum of `bytes` at `offset` in their file. The offset itself is not stored.
pub(crate) fn checksum(offset: u64, bytes: &[u8]) -> u32 {
    let mut hasher = begin(offset);
    hasher.update(bytes);
    hasher.finalize()
}

#[cfg(test)]
thread_local! {
    /// How many steps this thread has taken to find ends.
    pub(crate) static STEPPED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Where the bytes from `offset` on end in their own checksum, preceded by a byte for which `may_end` holds: for finding
/// an end that is not known. The result is the end of the checksum, counted in `bytes`.
///
/// Cost: one step for each byte. Bytes that were not written so match with a chance of one in 2^32 each.
pub(crate) fn end_by_checksum(
    offset: u64,
    bytes: &[u8],
    may_end: impl Fn(u8) -> bool,
) -> Option<usize> {
    let mut hasher = begin(offset);
    for (at, byte) in bytes.iter().enumerate() {
        #[cfg(test)]
        STEPPED.set(STEPPED.get() + 1);
        hasher.update(&[*byte]);
        if may_end(*byte)
            && let Some(stored) = bytes[at + 1..].first_chunk()
            && u32::from_le_bytes(*stored) == hasher.clone().finalize()
        {
            return Some(at + 1 + stored.len());
        }
    }
    None
}

fn begin(offset: u64) -> crc32fast::Hasher {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&offset.to_le_bytes());
    hasher
}

/// What a stored checksum covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Covered {
    /// A fragment of a log, except for the checksum itself.
    Fragment,
    /// A block of a table, with its trailer.
    Block,
    /// The footer of a table up to its checksum. It is the only one that does not include the offset.
    Footer,
}

impl Covered {
    const ALL: [Self; 3] = [Self::Fragment, Self::Block, Self::Footer];

    /// How a message of a mismatch begins.
    const fn subject(self) -> &'static str {
        match self {
            Self::Fragment => "the checksum of a fragment",
            Self::Block => "the checksum of a block",
            Self::Footer => "the checksum of the footer",
        }
    }

    /// What is wrong if the bytes have another checksum than the stored one, as part of a sentence.
    pub(crate) fn mismatch(self, stored: u32, computed: u32) -> String {
        let subject = self.subject();
        format!("{subject} is {stored:08x}, its bytes give {computed:08x}")
    }

    /// What a message says a [mismatch](Self::mismatch) of, if it says so.
    pub(crate) fn of_message(what: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|covered| what.contains(covered.subject()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_which_checksum_is_wrong() {
        for covered in Covered::ALL {
            let what = format!("record 3: {}: it ends here", covered.mismatch(1, 2));
            assert_eq!(Covered::of_message(&what), Some(covered));
        }
        let other = "the checksum of nothing is 00000001";
        assert_eq!(Covered::of_message(other), None);
    }
}
