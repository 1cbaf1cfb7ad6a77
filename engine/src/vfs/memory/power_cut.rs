//! What a power cut leaves of a [`Disk`](super::disk::Disk), decided by a seed.
//!
//! 1. Of the unsynced changes of names, a seed keeps all, none, the first few or any subset. Real
//!    journaling file systems keep the first few; POSIX promises less, and the engine relies only on POSIX.
//! 2. Of each file, what was synced survives. Of the rest there may survive nothing, or everything,
//!    or a prefix, whose last sector may be garbage from some byte on, or which zeros may follow up
//!    to the length that the file had; or any of its sectors or pages, with zeros in place of the
//!    others, because a system writes them in an order of its own.
//! 3. A name whose directory is lost is lost. A file that was synced under an unsynced name is lost with it.

use super::disk::NameChange;

/// What a disk writes as a whole or not at all.
const SECTOR_BYTES: usize = 512;
/// The least that an operating system writes at once.
const PAGE_BYTES: usize = 4096;

/// The random choices of a power cut.
pub(super) struct Choice {
    seed: u64,
    state: u64,
}

/// What becomes of something that was not synced.
enum Fate {
    Lost,
    Kept,
    /// A prefix of it is kept.
    Torn,
    /// Any part of it is kept.
    Scattered,
}

impl Choice {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, state: seed }
    }

    fn fate(&mut self) -> Fate {
        match (self.seed, self.below(4)) {
            (0, _) => Fate::Lost,
            (1, _) => Fate::Kept,
            (_, 0) => Fate::Lost,
            (_, 1) => Fate::Kept,
            (_, 2) => Fate::Torn,
            _ => Fate::Scattered,
        }
    }

    pub(super) fn surviving<'a>(&mut self, unsynced: &'a [NameChange]) -> Vec<&'a NameChange> {
        match self.fate() {
            Fate::Lost => Vec::new(),
            Fate::Kept => unsynced.iter().collect(),
            Fate::Torn => unsynced
                .iter()
                .take(self.below(unsynced.len() + 1))
                .collect(),
            Fate::Scattered => unsynced.iter().filter(|_| self.below(2) == 0).collect(),
        }
    }

    /// The bytes of a file after the cut. It held `durable` at its last sync and holds `present`
    /// now, of which the appended part ends at `contents`.
    pub(super) fn surviving_data(
        &mut self,
        durable: &[u8],
        present: &[u8],
        contents: usize,
    ) -> Vec<u8> {
        let same = durable.iter().zip(&present[..contents]);
        let same = same.take_while(|(then, now)| then == now).count();
        let fate = self.fate();
        let cut = same + self.below(contents - same + 1);
        let mut kept = match fate {
            Fate::Lost => return durable.to_vec(),
            Fate::Kept => return present.to_vec(),
            Fate::Torn => present[..cut].to_vec(),
            Fate::Scattered if self.below(2) == 0 => self.with_holes(durable, present, cut),
            Fate::Scattered => self.garbled(present, cut, same),
        };
        // Bytes that were there before and were not reached are still there.
        kept.extend_from_slice(durable.get(kept.len()..).unwrap_or_default());
        kept
    }

    /// The bytes up to `cut`. Their last sector may have garbage where it was not synced, and zeros
    /// may follow, because the length reached the medium and the data did not.
    fn garbled(&mut self, present: &[u8], cut: usize, synced: usize) -> Vec<u8> {
        let mut kept = present[..cut].to_vec();
        let (garbled, zeros_after) = (self.below(2) == 0, self.below(2) == 0);
        if garbled {
            let torn = (cut / SECTOR_BYTES * SECTOR_BYTES).max(synced);
            let garbage_from = torn + self.below(cut - torn + 1);
            for byte in &mut kept[garbage_from..] {
                *byte = self.below(256) as u8;
            }
        }
        if zeros_after {
            kept.resize(present.len().max(cut), 0);
        }
        kept
    }

    /// Any of the sectors or pages up to `cut` or the end: those that did not reach the medium are
    /// unchanged, or zeros where there was nothing before.
    fn with_holes(&mut self, durable: &[u8], present: &[u8], cut: usize) -> Vec<u8> {
        let unit = [SECTOR_BYTES, PAGE_BYTES][self.below(2)];
        let len = [cut, present.len()][self.below(2)];
        let mut kept = present[..len].to_vec();
        for (unit, at) in kept.chunks_mut(unit).zip((0..).step_by(unit)) {
            if self.below(2) == 0 {
                let before = durable.get(at..).unwrap_or_default();
                let before = before.iter().copied().chain(std::iter::repeat(0));
                for (byte, before) in unit.iter_mut().zip(before) {
                    *byte = before;
                }
            }
        }
        kept
    }

    /// A number below `n`, which is not 0. (SplitMix64; Steele, Lea and Flood, 2014.)
    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}
