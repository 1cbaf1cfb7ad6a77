//! What the kernel says that this process used.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

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
