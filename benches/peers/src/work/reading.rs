//! Reads that check what they got.

use super::STEPS_AFTER_SEEK;
use super::entries::{KEY_BYTES, key};
use crate::engines::{Direction, Engine, Reader};
use anyhow::{Result, ensure};

/// Reads random ones of all entries.
pub fn read(engine: &dyn Engine, entries: u64, reads: u64, seed: u64) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(seed);
    read_each(engine, (0..reads).map(|_| random.u64(0..entries)))
}

/// Reads the entries with these numbers, which must be there.
pub fn read_each(engine: &dyn Engine, numbers: impl Iterator<Item = u64>) -> Result<()> {
    let reader = engine.reader()?;
    for number in numbers {
        ensure!(
            reader.get(&key(number))?.is_some(),
            "key {number} is missing"
        );
    }
    Ok(())
}

/// Reads random ones of all entries, some at a time.
pub fn read_together(
    engine: &dyn Engine,
    entries: u64,
    reads: u64,
    at_a_time: usize,
) -> Result<()> {
    let reader = engine.reader()?;
    let mut random = fastrand::Rng::with_seed(18);
    let mut keys = Vec::with_capacity(at_a_time);
    for _ in 0..reads / at_a_time as u64 {
        keys.clear();
        keys.extend((0..at_a_time).map(|_| key(random.u64(0..entries))));
        ensure!(reader.get_many(&keys)? == at_a_time, "keys are missing");
    }
    Ok(())
}

pub fn seek(engine: &dyn Engine, direction: Direction, entries: u64, seeks: u64) -> Result<()> {
    let reader = engine.reader()?;
    let mut random = fastrand::Rng::with_seed(6);
    (0..seeks).try_for_each(|_| seek_once(&*reader, direction, entries, &mut random))
}

/// Seeks a random one of all entries and steps on from there.
pub fn seek_once(
    reader: &dyn Reader,
    direction: Direction,
    entries: u64,
    random: &mut fastrand::Rng,
) -> Result<()> {
    let from = key(random.u64(0..entries));
    reader.scan(direction, Some(&from), STEPS_AFTER_SEEK)?;
    Ok(())
}

pub fn scan_all(engine: &dyn Engine, direction: Direction, entries: u64) -> Result<()> {
    let scanned = engine.reader()?.scan(direction, None, usize::MAX)?;
    ensure!(
        scanned.entries as u64 == entries,
        "a scan saw {} of {entries}",
        scanned.entries
    );
    Ok(())
}

/// Keys between those that exist, so that no engine can tell by its key range.
pub fn read_missing(engine: &dyn Engine, entries: u64, reads: u64) -> Result<()> {
    let reader = engine.reader()?;
    let mut random = fastrand::Rng::with_seed(10);
    for _ in 0..reads {
        let mut absent = [b'.'; KEY_BYTES + 1];
        absent[..KEY_BYTES].copy_from_slice(&key(random.u64(0..entries)));
        ensure!(
            reader.get(&absent)?.is_none(),
            "a key that was never written is there"
        );
    }
    Ok(())
}
