//! Finds a key in a block: a binary search over the restarts, then steps from entry to entry.

use super::view::{BlockView, Entry};
use super::{Damage, SHARES_TOO_MUCH};
use crate::comparator::{Comparator, common_prefix_len};
use crate::internal_key::{self, TRAILER_BYTES};
use crate::prefetch::prefetch;
use std::cmp::Ordering;

/// How far a search prefetches ahead of its steps. A core does not fetch more cache lines at once anyway.
const STEPS_AHEAD_BYTES: usize = 512;

/// The entry that a search found.
#[derive(Clone, Debug)]
pub(in crate::sstable) struct Found {
    pub(in crate::sstable) entry: Entry,
    /// The last restart at or before the entry.
    pub(in crate::sstable) restart: usize,
    /// Whether its user key equals the target's.
    pub(in crate::sstable) same_user_key: bool,
}

impl BlockView<'_> {
    /// Finds the first entry whose key is >= `target`, an internal key.
    ///
    /// Under the bytewise order nothing is allocated and `key` is not touched. Under any other
    /// order `key` is a scratch buffer, and afterwards holds the key of the found entry.
    ///
    /// Cost: one binary search over the heads of the restarts, or over their keys if there are no
    /// heads; then at most as many steps as the restart interval.
    pub(in crate::sstable) fn lower_bound(
        &self,
        comparator: &Comparator,
        target: &[u8],
        key: &mut Vec<u8>,
    ) -> Result<Option<Found>, Damage> {
        let (user_key, trailer) = split(target);
        let restart = self.interval_of(comparator, user_key, trailer)?;
        self.first_from(restart, comparator, target, key)
    }

    /// The restart interval in which [`lower_bound`](Self::lower_bound) begins its steps to a key
    /// of these parts. Also prefetches it.
    #[inline]
    pub(in crate::sstable) fn interval_of(
        &self,
        comparator: &Comparator,
        user_key: &[u8],
        trailer: &[u8],
    ) -> Result<usize, Damage> {
        if self.frame.restarts == 0 {
            return Ok(0);
        }
        let restart = self.last_restart_before_parts(comparator, user_key, trailer)?;
        self.prefetch_interval(restart);
        Ok(restart)
    }

    /// Like [`lower_bound`](Self::lower_bound), for a caller that knows the interval.
    #[inline]
    pub(in crate::sstable) fn first_from(
        &self,
        restart: usize,
        comparator: &Comparator,
        target: &[u8],
        key: &mut Vec<u8>,
    ) -> Result<Option<Found>, Damage> {
        if self.frame.restarts == 0 {
            return Ok(None);
        }
        if comparator.is_bytewise() {
            self.scan_bytewise(restart, target)
        } else {
            self.scan(restart, comparator, target, key)
        }
    }

    /// Prefetches the entries that a search from `restart` on steps over. Each entry says where the
    /// next one begins, so without this the waits for memory would follow one another.
    #[inline]
    fn prefetch_interval(&self, restart: usize) {
        let (start, end) = (self.restart_offset(restart), self.offset_after(restart));
        // The search may step onto the entry at the next restart: include its lengths and the start of its key.
        let end = end.min(start.saturating_add(STEPS_AHEAD_BYTES)) + 32;
        let end = end.min(self.frame.entries_end);
        prefetch(self.contents.get(start..end).unwrap_or_default());
    }

    /// How many restarts come before every version of `user_key`, which must have the prefix that
    /// heads leave out; `None` if the heads alone cannot tell.
    #[inline]
    pub(in crate::sstable) fn restarts_before(&self, user_key: &[u8]) -> Option<usize> {
        self.heads().count_before(user_key)
    }

    /// The offset of the entries that a search for `target` will look at first.
    pub(in crate::sstable) fn search_start(&self, comparator: &Comparator, target: &[u8]) -> usize {
        if self.frame.restarts == 0 {
            return 0;
        }
        self.last_restart_before(comparator, target)
            .map_or(0, |restart| self.restart_offset(restart))
    }

    /// The last restart whose key is < `target`, or the first one if there is none. If there are
    /// heads and the target does not have the prefix that they leave out, it may be any restart.
    #[inline]
    pub(super) fn last_restart_before(
        &self,
        comparator: &Comparator,
        target: &[u8],
    ) -> Result<usize, Damage> {
        let (user_key, trailer) = split(target);
        self.last_restart_before_parts(comparator, user_key, trailer)
    }

    #[inline]
    fn last_restart_before_parts(
        &self,
        comparator: &Comparator,
        user_key: &[u8],
        trailer: &[u8],
    ) -> Result<usize, Damage> {
        // The answer is in low..high, and restart `low` is either 0 or known to be before the target.
        let (mut low, mut high) = if self.frame.has_heads() && comparator.is_bytewise() {
            let range = self.heads().narrow(user_key);
            (range.start, range.end)
        } else {
            (0, self.frame.restarts)
        };
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let entry = self.restart_entry(middle)?;
            let order = comparator
                .compare(self.bytes(&entry.tail), user_key)
                .then_with(|| entry.trailer()[..].cmp(trailer));
            if order == Ordering::Less {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Steps from a restart to the first entry >= `target` without building keys.
    ///
    /// `matched` is the number of bytes that the previous entry has in common with the target's user key.
    /// That entry was smaller. An entry that shares more than `matched` bytes with it has the same
    /// differing byte, so it is smaller too and its tail need not be looked at. An entry that shares
    /// `matched` bytes or fewer agrees with the target up to where its tail begins, so the tail decides.
    fn scan_bytewise(&self, restart: usize, target: &[u8]) -> Result<Option<Found>, Damage> {
        let (user_key, trailer) = split(target);
        let mut steps = Steps::new(self, restart);
        let mut matched = 0;
        while let Some(entry) = steps.next(self)? {
            if entry.shared > matched {
                continue;
            }
            let tail = self.bytes(&entry.tail);
            let rest = &user_key[entry.shared..];
            let common = common_prefix_of(
                (&self.contents[entry.tail.start..], tail.len()),
                (&target[entry.shared..], rest.len()),
            );
            matched = entry.shared + common;
            let order = match (tail.get(common), rest.get(common)) {
                (Some(ours), Some(theirs)) => ours.cmp(theirs),
                (Some(_), None) => Ordering::Greater,
                (None, Some(_)) => Ordering::Less,
                (None, None) => entry.trailer()[..].cmp(trailer),
            };
            if matched < self.frame.skip {
                // The target does not have the prefix that all keys here share: all come before it,
                // or all after it.
                if order == Ordering::Less {
                    return Ok(None);
                } else if restart > 0 {
                    return self.scan_bytewise(0, target);
                }
            }
            if order != Ordering::Less {
                let same_user_key = tail.len() == common && rest.len() == common;
                return Ok(Some(Found {
                    entry,
                    restart: steps.restart,
                    same_user_key,
                }));
            }
        }
        Ok(None)
    }

    /// The same for any order: every key has to be built.
    fn scan(
        &self,
        restart: usize,
        comparator: &Comparator,
        target: &[u8],
        key: &mut Vec<u8>,
    ) -> Result<Option<Found>, Damage> {
        let mut steps = Steps::new(self, restart);
        key.clear();
        while let Some(entry) = steps.next(self)? {
            key.truncate(entry.shared);
            key.extend_from_slice(self.bytes(&entry.tail));
            key.extend_from_slice(&entry.trailer());
            if internal_key::compare(comparator, key, target) != Ordering::Less {
                let same_user_key = internal_key::user_key(key) == internal_key::user_key(target);
                return Ok(Some(Found {
                    entry,
                    restart: steps.restart,
                    same_user_key,
                }));
            }
        }
        Ok(None)
    }
}

/// Splits an internal key into user key and trailer.
#[inline]
fn split(key: &[u8]) -> (&[u8], &[u8]) {
    key.split_at(key.len().saturating_sub(TRAILER_BYTES))
}

/// The entries one after another, from a restart on. Checks that none shares more bytes than the
/// user key before it has.
struct Steps {
    at: usize,
    restart: usize,
    next_restart_at: usize,
    user_key_len: usize,
}

impl Steps {
    fn new(view: &BlockView<'_>, restart: usize) -> Steps {
        let at = view.restart_offset(restart);
        Steps {
            at,
            restart,
            next_restart_at: view.offset_after(restart),
            user_key_len: 0,
        }
    }

    #[inline(always)]
    fn next(&mut self, view: &BlockView<'_>) -> Result<Option<Entry>, Damage> {
        if self.at >= view.frame.entries_end {
            return Ok(None);
        }
        let entry = view.entry(self.at)?;
        if entry.shared > self.user_key_len {
            return Err(Damage {
                at: entry.at,
                what: SHARES_TOO_MUCH,
            });
        }
        if entry.at == self.next_restart_at {
            self.restart += 1;
            self.next_restart_at = view.offset_after(self.restart);
        }
        self.user_key_len = entry.shared + entry.tail.len();
        self.at = entry.end();
        Ok(Some(entry))
    }
}

/// The length of the longest common prefix of two byte strings. Each is given as its length and a
/// slice that starts with it and may continue after its end. The bytes after the end do not count,
/// but they allow reading a whole word, which saves a step for each byte of a short string.
#[inline]
fn common_prefix_of((a, a_len): (&[u8], usize), (b, b_len): (&[u8], usize)) -> usize {
    let len = a_len.min(b_len);
    let (Some(a_word), Some(b_word)) = (a.first_chunk(), b.first_chunk()) else {
        return common_prefix_len(&a[..len], &b[..len]);
    };
    let difference = u64::from_le_bytes(*a_word) ^ u64::from_le_bytes(*b_word);
    let common = (difference.trailing_zeros() / 8) as usize;
    if common < 8 || len <= 8 {
        common.min(len)
    } else {
        8 + common_prefix_len(&a[8..len], &b[8..len])
    }
}
