//! Decodes entries that the cursor steps back over.

use super::{AHEAD_BYTES, BlockCursor, Decoded, Place};
use crate::internal_key::TRAILER_BYTES;
use crate::sstable::block::{Damage, Entry, SHARES_TOO_MUCH};
use std::ops::Range;

/// How far decoding for the way back got.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decoding {
    /// To the given end.
    Ended,
    /// To a key beyond the one that is looked for.
    CameBeyond,
    /// Not to the end, because the keys take too many bytes.
    TooLong,
}

impl BlockCursor {
    /// Makes sure that `behind` has the entry before the current one, if there is such an entry.
    #[inline]
    pub(super) fn decode_behind(&mut self) -> Result<(), Damage> {
        if self.behind.is_empty() {
            self.decode_before_current().inspect_err(|_| self.leave())?;
        }
        Ok(())
    }

    fn decode_before_current(&mut self) -> Result<(), Damage> {
        let end = self.position();
        let mut restart = self.restart;
        // The entry before the first one of an interval is in the interval before.
        if self.block.view().restart_offset(restart) >= end {
            let Some(before) = restart.checked_sub(1) else {
                return Ok(());
            };
            restart = before;
        }
        match self.decode_from_waypoint(restart, end)? {
            Decoding::TooLong => self.decode_interval(restart, end, |_| false).map(drop),
            _ => Ok(()),
        }
    }

    /// Decodes the entries from `restart` up to, not including, the one at `end`, or up to the
    /// first whose key `is_beyond`. Returns whether there was such a key. The current key is kept.
    #[inline]
    pub(super) fn decode_interval(
        &mut self,
        restart: usize,
        end: usize,
        is_beyond: impl Fn(&[u8]) -> bool,
    ) -> Result<bool, Damage> {
        self.keep_current_key_only(restart);
        let entry = self.block.view().restart_entry(restart)?;
        let before = entry.at.saturating_sub(AHEAD_BYTES);
        self.block.contents().prefetch(before, entry.at);
        match self.decode_on(entry, 0..0, end, self.kept_bytes_max, &is_beyond)? {
            Decoding::Ended => Ok(false),
            Decoding::CameBeyond => Ok(true),
            Decoding::TooLong => self.decode_long_interval(restart, end, is_beyond),
        }
    }

    /// The same for an interval with long keys: only the last ones are decoded.
    #[cold]
    fn decode_long_interval(
        &mut self,
        restart: usize,
        end: usize,
        is_beyond: impl Fn(&[u8]) -> bool,
    ) -> Result<bool, Damage> {
        self.behind.clear();
        let (view, apart) = (self.block.view(), self.kept_bytes_max);
        let (end, came_beyond) = self.waypoints.set(&view, restart, end, apart, is_beyond)?;
        // The last waypoint is always near enough.
        self.decode_from_waypoint(restart, end)?;
        Ok(came_beyond)
    }

    /// Decodes the entries from the last waypoint up to the one at `end`. `TooLong` if there is no
    /// waypoint near enough.
    #[inline]
    fn decode_from_waypoint(&mut self, restart: usize, end: usize) -> Result<Decoding, Damage> {
        if self.waypoints.is_empty() {
            return Ok(Decoding::TooLong);
        }
        self.decode_from_last_waypoint(restart, end)
    }

    #[cold]
    fn decode_from_last_waypoint(
        &mut self,
        restart: usize,
        end: usize,
    ) -> Result<Decoding, Damage> {
        self.keep_current_key_only(restart);
        let Some((at, user_key)) = self.waypoints.last_before(restart, end) else {
            return Ok(Decoding::TooLong);
        };
        // The key before the waypoint is only needed where it is shared, and there it equals the
        // waypoint's own key.
        let start = self.keys.len();
        self.keys.extend_from_slice(user_key);
        self.keys.extend_from_slice(&[0; TRAILER_BYTES]);
        let key = start..self.keys.len();
        let entry = self.block.view().entry(at)?;
        // Twice the distance of waypoints, so that a walk to and fro over one seldom sets them again.
        let bytes_max = key.len() + 2 * self.kept_bytes_max;
        let decoding = self.decode_on(entry, key, end, bytes_max, |_| false)?;
        if decoding == Decoding::TooLong {
            self.behind.clear();
        }
        Ok(decoding)
    }

    /// Removes everything from `keys` but the current key, which moves to the beginning.
    #[inline(always)]
    fn keep_current_key_only(&mut self, restart: usize) {
        self.behind.clear();
        self.behind_restart = restart;
        let kept = self.key.len();
        self.keys.copy_within(self.key.clone(), 0);
        self.keys.truncate(kept);
        self.key = 0..kept;
    }

    /// Decodes from `entry` on, whose predecessor's key is at `key` in `keys`.
    #[inline(always)]
    fn decode_on(
        &mut self,
        mut entry: Entry,
        mut key: Range<usize>,
        end: usize,
        bytes_max: usize,
        is_beyond: impl Fn(&[u8]) -> bool,
    ) -> Result<Decoding, Damage> {
        let kept = self.key.len();
        let view = self.block.view();
        while entry.at < end {
            if entry.shared > key.len().saturating_sub(TRAILER_BYTES) {
                self.behind.clear();
                return Err(Damage {
                    at: entry.at,
                    what: SHARES_TOO_MUCH,
                });
            }
            if self.keys.len() - kept > bytes_max {
                return Ok(Decoding::TooLong);
            }
            #[cfg(test)]
            {
                self.decoded += 1;
            }
            let start = self.keys.len();
            self.keys
                .extend_from_within(key.start..key.start + entry.shared);
            self.keys.extend_from_slice(view.bytes(&entry.tail));
            self.keys.extend_from_slice(&entry.trailer());
            key = start..self.keys.len();
            if is_beyond(&self.keys[key.clone()]) {
                return Ok(Decoding::CameBeyond);
            }
            let next = entry.end();
            self.behind.push(Decoded {
                place: Place {
                    at: entry.at,
                    value: entry.value,
                },
                key: key.clone(),
            });
            if next >= end {
                break;
            }
            entry = view.entry(next)?;
        }
        Ok(Decoding::Ended)
    }
}
