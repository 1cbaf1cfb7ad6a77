//! The current load: commands and bytes a second, over the last moments.
//!
//! The sums are sampled now and then, and a rate is the difference of two samples. Nothing runs in between.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::commands::Server;

/// Samples that are closer together than this count as one.
const STEP: Duration = Duration::from_millis(100);
/// The age of the oldest sample that a rate is computed from.
const WINDOW: Duration = Duration::from_millis(1600);

/// The sums at certain moments.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    samples: Mutex<VecDeque<(Instant, [u64; 3])>>,
}

impl Rates {
    /// Takes a sample of the sums.
    pub(crate) fn sample(&self, server: &Server) {
        let now = Instant::now();
        let mut samples = self.samples.lock();
        if samples.back().is_some_and(|(at, _)| now - *at < STEP) {
            return;
        }
        samples.push_back((now, sums(server)));
        while samples.len() > 2 && samples.front().is_some_and(|(at, _)| now - *at > WINDOW) {
            samples.pop_front();
        }
    }

    /// The commands, the bytes received and the bytes sent, each a second.
    pub(crate) fn now(&self, server: &Server) -> (u64, u64, u64) {
        self.sample(server);
        let samples = self.samples.lock();
        let Some((at, then)) = samples.front() else {
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
