//! How much is going on just now: commands and bytes a second, over the last moments.
//!
//! Someone looks at the sums now and then; a rate is the difference between two looks. Nothing
//! runs for it between them.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::commands::Server;

/// Looks that are nearer to one another than this count as one.
const STEP: Duration = Duration::from_millis(100);
/// The oldest look that a rate is taken from.
const WINDOW: Duration = Duration::from_millis(1600);

/// The sums at some moments.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    looks: Mutex<VecDeque<(Instant, [u64; 3])>>,
}

impl Rates {
    /// Looks at the sums.
    pub(crate) fn look(&self, server: &Server) {
        let now = Instant::now();
        let mut looks = self.looks.lock();
        if looks.back().is_some_and(|(at, _)| now - *at < STEP) {
            return;
        }
        looks.push_back((now, sums(server)));
        while looks.len() > 2 && looks.front().is_some_and(|(at, _)| now - *at > WINDOW) {
            looks.pop_front();
        }
    }

    /// Commands, bytes that arrived and bytes that were sent, a second.
    pub(crate) fn now(&self, server: &Server) -> (u64, u64, u64) {
        self.look(server);
        let looks = self.looks.lock();
        let Some((at, then)) = looks.front() else {
            return (0, 0, 0);
        };
        let millis = u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let now = sums(server);
        let rate = |n: usize| now[n].saturating_sub(then[n]) * 1000 / millis.max(100);
        (rate(0), rate(1), rate(2))
    }
}

fn sums(server: &Server) -> [u64; 3] {
    let traffic = server.counters.traffic();
    [
        server.statistics.commands(),
        traffic.net_input,
        traffic.net_output,
    ]
}
