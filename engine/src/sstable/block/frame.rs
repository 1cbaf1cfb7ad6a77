//! The frame of a block, at the block's end: where entries, heads and restarts are.

use super::Damage;
use super::heads::{HEAD_BYTES, NO_HEADS};

/// The length of `skip` and `n`.
pub(in crate::sstable) const FRAME_BYTES: usize = 8;

/// The length of a head and an offset.
pub(in crate::sstable) const BYTES_PER_RESTART: usize = HEAD_BYTES + 4;

/// Where the parts of a block are, checked to lie within its contents.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sstable) struct Frame {
    pub(super) entries_end: usize,
    /// Where the offsets of the restarts begin.
    pub(super) restarts_at: usize,
    /// How many restarts there are.
    pub(super) restarts: usize,
    /// The length of the prefix that all user keys share and heads leave out; 0 if there are no heads.
    pub(super) skip: usize,
}

impl Frame {
    #[inline]
    pub(super) fn read(contents: &[u8]) -> Result<Frame, Damage> {
        let damage = |at, what| Err(Damage { at, what });
        let Some((before, frame)) = contents.split_last_chunk::<FRAME_BYTES>() else {
            return damage(0, "a block of fewer than 8 bytes");
        };
        let frame = u64::from_le_bytes(*frame);
        let (skip, restarts) = (frame as u32, (frame >> 32) as usize);
        let has_heads = skip != NO_HEADS;
        let head_bytes = if has_heads { HEAD_BYTES } else { 0 };
        let restarts_at = restarts
            .checked_mul(4)
            .and_then(|bytes| before.len().checked_sub(bytes));
        let entries_end = restarts
            .checked_mul(4 + head_bytes)
            .and_then(|bytes| before.len().checked_sub(bytes));
        let (Some(restarts_at), Some(entries_end)) = (restarts_at, entries_end) else {
            return damage(before.len(), "a block states more restarts than it holds");
        };
        if (entries_end == 0) != (restarts == 0) {
            return damage(
                before.len(),
                "a block has entries without restarts, or the reverse",
            );
        }
        Ok(Frame {
            entries_end,
            restarts_at,
            restarts,
            skip: if has_heads { skip as usize } else { 0 },
        })
    }

    /// The bytes of `skip` and `n`.
    pub(super) fn encode(skip: u32, restarts: u32) -> [u8; FRAME_BYTES] {
        (u64::from(skip) | u64::from(restarts) << 32).to_le_bytes()
    }

    #[inline]
    pub(super) fn has_heads(&self) -> bool {
        self.restarts_at > self.entries_end
    }
}
