//! Which data blocks of an open table were compared with their checksums.
//!
//! A block of a mapped file is compared when it is first read, and believed from then on. One that was wrong is compared again
//! each time.

use std::sync::atomic::{AtomicU64, Ordering};

/// One bit a data block: its checksum was compared.
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

    /// Runs `verify` unless it succeeded before for this block.
    ///
    /// Relaxed order is enough: the bit says something about bytes that never change. Two threads may both verify.
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
