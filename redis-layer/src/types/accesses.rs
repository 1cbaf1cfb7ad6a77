//! When keys were last used, for `OBJECT IDLETIME`: a table of fixed size.
//!
//! Redis keeps the time in each key's header, in memory. Here keys are rows on disk, and a read that wrote a row
//! would cost more than the read. So only the times of the keys that were used last are kept, in memory, as many as
//! fit. A restart loses them.
//!
//! The hash of a metadata row chooses a line of eight slots, which is as long as a cache line, and a tag in that
//! line. A key that finds no free slot replaces the key of its line that was used longest ago. Two keys of
//! one line whose tags agree are taken for the same key; that happens to one pair in four thousand million.
//!
//! What is known of a key that has no slot, and what [`Accesses::idle_s`] answers for it:
//! 1. Its line has a free slot: it was not used since the table was started. The answer is the time since then, as
//!    Redis answers for a key that it loaded when it started.
//! 2. Otherwise every key of its line was used after it: it is idle for at least as long as the idlest of them. The
//!    answer is that lower bound.
//!
//! Invariant: the oldest time of a full line never becomes older. When `RESTORE` says that a key was idle for longer
//! than that, the key gets the oldest time of the line.
//!
//! Cost: 512 KB, however many keys there are. A use costs one hash and a look at one cache line; it writes at most
//! once a second for each key.
//!
//! Left out: how often keys are used, which Redis counts only under some eviction policies.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use xxhash_rust::xxh3::xxh3_64;

/// Places in a line: 64 bytes in all.
const SLOTS: usize = 8;
/// The number of lines. Together they have slots for 65,536 keys.
const LINES: usize = 1 << 13;

/// A line. A slot holds `tag: u32 | seconds since 1970: u32`, or 0 while it is free.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line([AtomicU64; SLOTS]);

/// The times of the keys that were used last.
#[derive(Debug)]
pub struct Accesses {
    lines: Box<[Line]>,
    /// When the noting of uses began, in seconds since 1970.
    began_s: AtomicU32,
}

impl Line {
    /// The oldest time in the line; 0 while a slot is free.
    fn oldest_s(&self) -> u32 {
        let times = self.0.iter();
        let times = times.map(|slot| time_of(slot.load(Ordering::Relaxed)));
        times.min().unwrap_or(0)
    }
}

impl Default for Accesses {
    fn default() -> Self {
        Self {
            lines: (0..LINES).map(|_| Line::default()).collect(),
            began_s: AtomicU32::new(0),
        }
    }
}

/// Whole seconds, as Redis counts idle time.
fn seconds(now_ms: i64) -> u32 {
    u32::try_from(now_ms / 1000).unwrap_or(0)
}

impl Accesses {
    /// Says when the noting of uses began.
    pub fn begin(&self, now_ms: i64) {
        self.began_s.store(seconds(now_ms), Ordering::Relaxed);
    }

    fn line_and_tag(&self, row: &[u8]) -> (&Line, u32) {
        let hash = xxh3_64(row);
        let line = (hash >> 32) as usize % LINES;
        // A slot in use is never 0, not even with a tag of 0: its time is not 0.
        (&self.lines[line], hash as u32)
    }

    /// Prefetches the lines of rows whose uses are about to be noted. One after the other each use would wait for
    /// memory; this way they wait together.
    pub(crate) fn prefetch(&self, rows: &[Vec<u8>]) {
        for row in rows {
            let (Line(slots), _) = self.line_and_tag(row);
            black_box(slots[0].load(Ordering::Relaxed));
        }
    }

    /// Notes that the key of a metadata row is used now.
    #[inline]
    pub(crate) fn note(&self, row: &[u8], now_ms: i64) {
        self.note_at(row, seconds(now_ms), false);
    }

    /// Notes that a key was last used `idle_s` seconds before now, whatever was known of it before.
    pub(crate) fn note_idle(&self, row: &[u8], now_ms: i64, idle_s: i64) {
        let idle_s = u32::try_from(idle_s).unwrap_or(u32::MAX);
        let at_s = seconds(now_ms).saturating_sub(idle_s);
        let at_s = at_s.max(self.line_and_tag(row).0.oldest_s());
        self.note_at(row, at_s, true);
    }

    /// Makes a time older only if `may_go_back`. A command that began long ago, or a clock that was set back, does not.
    fn note_at(&self, row: &[u8], at_s: u32, may_go_back: bool) {
        let (Line(slots), tag) = self.line_and_tag(row);
        let noted = u64::from(tag) << 32 | u64::from(at_s.max(1));
        loop {
            let mut oldest = (0, u64::MAX);
            for (slot, content) in slots.iter().enumerate() {
                let content = content.load(Ordering::Relaxed);
                if content == noted {
                    return;
                }
                if content >> 32 == u64::from(tag) && content != 0 {
                    oldest = (slot, content);
                    break;
                }
                if time_of(content) < time_of(oldest.1) {
                    oldest = (slot, content);
                }
            }
            // Another thread may change the slot before the exchange below. Then the exchange fails, and the loop
            // looks again.
            let (slot, content) = oldest;
            if time_of(content) > at_s && !may_go_back {
                return;
            }
            let swapped =
                slots[slot].compare_exchange(content, noted, Ordering::Relaxed, Ordering::Relaxed);
            if swapped.is_ok() {
                return;
            }
        }
    }

    /// For how many seconds the key of a metadata row was not used. For a key that another one has replaced, a lower
    /// bound.
    pub(crate) fn idle_s(&self, row: &[u8], now_ms: i64) -> u32 {
        let (line, tag) = self.line_and_tag(row);
        let mut contents = line.0.iter().map(|slot| slot.load(Ordering::Relaxed));
        let own = contents.find(|&content| content >> 32 == u64::from(tag) && content != 0);
        let used_s = own.map_or_else(
            || line.oldest_s().max(self.began_s.load(Ordering::Relaxed)),
            time_of,
        );
        seconds(now_ms).saturating_sub(used_s)
    }
}

const fn time_of(content: u64) -> u32 {
    content as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_was_replaced_is_never_reported_idler_than_it_is() {
        let table = Accesses::default();
        table.begin(1_000_000);
        let row = |i: u32| i.to_be_bytes();
        let keys = (LINES * SLOTS * 3) as u32;
        // Key i is used in second 1000 + i / 1000.
        for i in 0..keys {
            table.note(&row(i), 1_000_000 + i64::from(i));
        }
        let now_ms = 1_000_000 + i64::from(keys);
        let now_s = keys / 1000;
        let (mut exact, mut least, mut sum_s) = (0, 0, 0);
        for i in 0..keys {
            let idle_s = table.idle_s(&row(i), now_ms);
            let right = now_s - i / 1000;
            assert!(idle_s <= right, "key {i}: {idle_s} of {right} s");
            if idle_s == right {
                exact += 1;
            } else {
                least += 1;
                sum_s += idle_s;
            }
        }
        assert!(
            exact > LINES * SLOTS * 9 / 10,
            "{exact} exact, {least} least times"
        );
        // The newest third fits into the table. So the others were idle for about a third of the time at least.
        assert!(sum_s / least > now_s / 4, "{sum_s} s in all, {least} keys");
        // A key that is said to be idle for long replaces no other key, and makes no other key idler.
        for i in 0..1000 {
            table.note_idle(&row(keys + i), now_ms, 1_000_000);
            table.note_idle(&row(keys - 1 - i), now_ms, 1_000_000);
        }
        for i in 0..keys - 1000 {
            assert!(table.idle_s(&row(i), now_ms) <= now_s - i / 1000, "key {i}");
        }
        assert_eq!(size_of_val(&*table.lines), 512 * 1024);
    }

    #[test]
    fn a_key_that_was_never_used_is_as_idle_as_the_table_is_old() {
        let table = Accesses::default();
        table.begin(5_000);
        assert_eq!(table.idle_s(b"k", 25_999), 20);
        table.note(b"k", 20_000);
        assert_eq!(table.idle_s(b"k", 25_999), 5);
        table.note_idle(b"k", 20_000, 12);
        assert_eq!(table.idle_s(b"k", 25_999), 17);
        assert_eq!(table.idle_s(b"l", 25_999), 20);
        // The clock was set back.
        assert_eq!(table.idle_s(b"k", 1_000), 0);
    }
}
