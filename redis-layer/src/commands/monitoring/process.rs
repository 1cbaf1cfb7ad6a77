//! What the operating system knows about this process. Where it does not tell, the answer is 0.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Memory of the process that is in use, in bytes.
pub(crate) struct Memory {
    /// All of it, and what it has mapped of files.
    pub(crate) resident: u64,
    /// What no file stands behind. The system may take back the rest.
    pub(crate) own: u64,
    /// The most of that whenever somebody asked.
    pub(crate) peak: u64,
}

/// How much memory the process uses.
pub(crate) fn memory() -> Memory {
    const PAGE_BYTES: u64 = 4096;
    static PEAK: AtomicU64 = AtomicU64::new(0);
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let mut bytes = pages
        .split(' ')
        .skip(1)
        .map(|pages| pages.parse::<u64>().unwrap_or(0) * PAGE_BYTES);
    let (resident, of_files) = (bytes.next().unwrap_or(0), bytes.next().unwrap_or(0));
    let own = resident.saturating_sub(of_files);
    Memory {
        resident,
        own,
        peak: PEAK.fetch_max(own, Relaxed).max(own),
    }
}

/// The name of the system, its release if it tells, and the kind of processor.
pub(crate) fn system() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let words = [os_name(), release.trim(), std::env::consts::ARCH];
    let known: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    known.join(" ")
}

const fn os_name() -> &'static str {
    if cfg!(target_os = "linux") {
        "Linux"
    } else {
        std::env::consts::OS
    }
}

/// How many seconds of processor time the process has used: in its own code, and in the system.
pub(crate) fn processor_seconds() -> (f64, f64) {
    seconds_of("/proc/self/stat")
}

/// How many of these seconds its first thread has used.
pub(crate) fn main_thread_seconds() -> (f64, f64) {
    seconds_of(&format!("/proc/self/task/{}/stat", std::process::id()))
}

fn seconds_of(file: &str) -> (f64, f64) {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string(file).unwrap_or_default();
    // The program's name is in parentheses and may contain spaces, so the fields are counted from after it.
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let mut ticks = behind_name
        .split_ascii_whitespace()
        .skip(11)
        .map(|ticks| ticks.parse().unwrap_or(0.0) / TICKS_A_SECOND);
    (ticks.next().unwrap_or(0.0), ticks.next().unwrap_or(0.0))
}
