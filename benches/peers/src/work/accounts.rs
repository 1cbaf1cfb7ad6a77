//! What the kernel says that this process used.

use anyhow::{Context, Result};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{fs, thread};

/// A figure from a file below `/proc/self`, where `field` begins its line.
fn proc_figure(file: &str, field: &str) -> Result<u64> {
    let text = fs::read_to_string(Path::new("/proc/self").join(file))?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .context("a field of /proc")?;
    Ok(line
        .split_whitespace()
        .next()
        .context("a figure")?
        .parse()?)
}

/// Bytes that this process made the kernel owe to the disk so far, by write calls and through maps alike.
pub fn bytes_written() -> Result<u64> {
    proc_figure("io", "write_bytes:")
}

pub fn peak_memory_bytes() -> Result<u64> {
    Ok(proc_figure("status", "VmHWM:")? * 1024)
}

/// The greatest that [`watch_own_memory`] has seen.
static OWN_MEMORY_PEAK_BYTES: AtomicU64 = AtomicU64::new(0);

/// Looks a hundred times a second, until the process ends, how much memory it has that holds no pages of files. The
/// kernel keeps no peak of that.
pub fn watch_own_memory() {
    thread::spawn(|| {
        while let Ok(kilobytes) = proc_figure("status", "RssAnon:") {
            OWN_MEMORY_PEAK_BYTES.fetch_max(kilobytes * 1024, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(10));
        }
    });
}

pub fn peak_own_memory_bytes() -> u64 {
    OWN_MEMORY_PEAK_BYTES.load(Ordering::Relaxed)
}

pub fn disk_bytes(dir: &Path) -> Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        // A background thread may remove a file between the listing and the look.
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        bytes += if metadata.is_dir() {
            disk_bytes(&entry.path())?
        } else {
            metadata.blocks() * 512
        };
    }
    Ok(bytes)
}
