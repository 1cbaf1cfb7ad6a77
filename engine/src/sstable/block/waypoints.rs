//! Places in a long restart interval from which its keys can be decoded, for the walk back.
//!
//! Without them each part of the walk would be decoded from the restart on, which takes time in
//! proportion to the square of the interval's length.
//!
//! The keys at the waypoints are not all stored: they may share nearly all their bytes, and together be
//! far longer than the block. Only the last one is stored whole; for each other one, only what it does
//! not share with the next. Each byte of a tail is cut off at most once, so these remains are no longer
//! than the block, and a walk over all waypoints in either direction copies no more than that.

use super::view::BlockView;
use super::{Damage, Entry, SHARES_TOO_MUCH};
use crate::internal_key::{self, TRAILER_BYTES};

/// The waypoints of one restart interval, up to the place that a walk back has reached.
#[derive(Debug, Default)]
pub(super) struct Waypoints {
    restart: usize,
    marks: Vec<Mark>,
    /// The user key at the last waypoint.
    key: Vec<u8>,
    /// For the other waypoints in order: the part of the key that is not shared with the next one.
    cut_off: Vec<u8>,
    /// How many entries were passed to set them.
    #[cfg(test)]
    pub(super) stepped: usize,
}

#[derive(Debug)]
struct Mark {
    /// Where its entry begins.
    at: usize,
    /// How many bytes its key shares with that of the mark before.
    shared: usize,
    /// Where in `cut_off` the rest of that mark's key begins.
    rest_at: usize,
}

impl Waypoints {
    #[inline]
    pub(super) fn clear(&mut self) {
        self.marks.clear();
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// The last waypoint of `restart` before `end`: where its entry begins, and its user key.
    /// Removes the waypoints at and after `end`.
    pub(super) fn last_before(&mut self, restart: usize, end: usize) -> Option<(usize, &[u8])> {
        if self.restart != restart {
            self.clear();
        }
        while self.marks.last()?.at >= end {
            let given_up = self.marks.pop()?;
            self.key.truncate(given_up.shared);
            self.key
                .extend_from_slice(&self.cut_off[given_up.rest_at..]);
            self.cut_off.truncate(given_up.rest_at);
        }
        Some((self.marks.last()?.at, &self.key))
    }

    /// Sets waypoints from `restart` up to the entry at `end`, or up to the first whose key
    /// `is_beyond`: one each time the keys since the last one have more bytes than `apart`. Returns
    /// where the walk ended, and whether there was such a key.
    ///
    /// Cost: each entry is decoded once, and only its tail is copied.
    pub(super) fn set(
        &mut self,
        view: &BlockView<'_>,
        restart: usize,
        end: usize,
        apart: usize,
        is_beyond: impl Fn(&[u8]) -> bool,
    ) -> Result<(usize, bool), Damage> {
        self.clear();
        self.restart = restart;
        let mut entry = view.restart_entry(restart)?;
        let mut key = Vec::new();
        // Since the last mark: the bytes of all keys, and how many bytes all of them share with it.
        let (mut bytes, mut shared) = (0, 0);
        loop {
            step(view, &entry, &mut key)?;
            #[cfg(test)]
            {
                self.stepped += 1;
            }
            if is_beyond(&key) {
                return Ok((entry.at, true));
            }
            shared = shared.min(entry.shared);
            if self.marks.is_empty() || bytes > apart {
                self.add(entry.at, shared, internal_key::user_key(&key));
                (bytes, shared) = (0, usize::MAX);
            }
            bytes += key.len();
            let next = entry.end();
            if next >= end {
                return Ok((end, false));
            }
            entry = view.entry(next)?;
        }
    }

    fn add(&mut self, at: usize, shared: usize, user_key: &[u8]) {
        if self.marks.is_empty() {
            self.key.clear();
            self.cut_off.clear();
        }
        let rest_at = self.cut_off.len();
        self.cut_off.extend_from_slice(&self.key[shared..]);
        self.key.truncate(shared);
        self.key.extend_from_slice(&user_key[shared..]);
        self.marks.push(Mark {
            at,
            shared,
            rest_at,
        });
    }
}

/// Builds the internal key of `entry` from that of the one before it.
fn step(view: &BlockView<'_>, entry: &Entry, key: &mut Vec<u8>) -> Result<(), Damage> {
    if entry.shared > key.len().saturating_sub(TRAILER_BYTES) {
        return Err(Damage {
            at: entry.at,
            what: SHARES_TOO_MUCH,
        });
    }
    key.truncate(entry.shared);
    key.extend_from_slice(view.bytes(&entry.tail));
    key.extend_from_slice(&entry.trailer());
    Ok(())
}
