//! The time of day, behind a trait so that a test can set it.
//!
//! A command reads the clock once and keeps the answer, so that a key cannot expire halfway through the command.

use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time.
pub trait Clock: Send + Sync + Debug {
    /// Microseconds since 1970, UTC.
    fn now_us(&self) -> i64;

    /// Milliseconds since 1970, UTC.
    fn now_ms(&self) -> i64 {
        self.now_us() / 1000
    }
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_us(&self) -> i64 {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        // A clock before 1970 is not worth an error in every command. With a time of 0 no key expires.
        since_epoch.map_or(0, |time| {
            i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
        })
    }
}

/// A clock that moves only when it is told to.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `now_ms`.
    #[must_use]
    pub const fn new(now_ms: i64) -> Self {
        Self(AtomicI64::new(now_ms))
    }

    /// Moves the clock forward, or back by a negative number.
    pub fn advance_ms(&self, by_ms: i64) {
        self.0.fetch_add(by_ms, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now_us(&self) -> i64 {
        self.0.load(Ordering::Relaxed).saturating_mul(1000)
    }
}
