//! Which data blocks of an open table have had their checksums verified.
//!
//! A block of a mapped file is verified when it is first read, and trusted from then on. A block
//! that failed is verified again each time.

use std::sync::atomic::{AtomicU64, Ordering};

/// One bit for each data block: whether its checksum was verified.
#[derive(Debug)]
pub(super) struct Verified {
    words: Box<[AtomicU64]>,
}

impl Verified {
    pub(super) fn new(blocks: usize) -> Verified {
        Verified {
            words: (0..blocks.div_ceil(64))
                .map(|_| AtomicU64::new(0))
                .collect(),
        }
    }

    /// Runs `verify` unless it succeeded for this block before.
    ///
    /// Relaxed order is enough, because the bit says something about bytes that never change. Two
    /// threads may both verify a block.
    #[inline]
    pub(super) fn once(
        &self,
        block: usize,
        verify: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let (word, bit) = (&self.words[block / 64], 1 << (block % 64));
        if word.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        verify()?;
        word.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }
}
