//! The file names in a database's directory. All other names belong to somebody else.
//!
//! | name | holds |
//! |---|---|
//! | `CURRENT` | the name of the manifest in force |
//! | `CURRENT.tmp` | the next `CURRENT`, until it is renamed |
//! | `LOCK` | nothing; the lock on it says that the database is open |
//! | `MANIFEST-000005` | version edits, a log |
//! | `000006.log` | write batches, a log |
//! | `000007.sst` | a sorted table |
//!
//! A directory in which a checkpoint is being made also has the file `CHECKPOINT`: see `db/checkpoint.rs`.
//!
//! Numbers come from one counter. What a manifest has named never changes its meaning: its number is not used again. Only
//! the number of a file that was removed before any manifest named it may be, by a later opening.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The pointer to the manifest.
pub const CURRENT: &str = "CURRENT";
/// The next pointer, before it is renamed.
pub const CURRENT_TEMPORARY: &str = "CURRENT.tmp";
/// The lock file.
pub const LOCK: &str = "LOCK";
/// The file that marks a directory as made by a checkpoint that has not ended. Not a file of a database.
pub const CHECKPOINT: &str = "CHECKPOINT";

/// The most files that a database makes between two edits of its manifest. A file whose number is
/// further beyond those that the manifest knows does not belong to it.
pub const FILES_UNRECORDED_MAX: u64 = 1 << 32;
/// The greatest valid file number. No database gets this far: without a manifest to compare with, a
/// file with a greater number does not belong to the engine.
pub const MAX_FILE_NUMBER: u64 = 1 << 48;

/// How the name of a manifest begins.
pub const MANIFEST_PREFIX: &str = "MANIFEST-";
const LOG_SUFFIX: &str = ".log";
const TABLE_SUFFIX: &str = ".sst";

/// What a name in the directory means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileName {
    /// `CURRENT`.
    Current,
    /// `CURRENT.tmp`.
    CurrentTemporary,
    /// `LOCK`.
    Lock,
    /// A manifest with its number.
    Manifest(u64),
    /// A write-ahead log with its number.
    Log(u64),
    /// A table with its number.
    Table(u64),
}

impl FileName {
    /// Reads a name; `None` if it is not the engine's.
    #[must_use]
    pub fn parse(name: &OsStr) -> Option<Self> {
        let name = name.to_str()?;
        let parsed = match name {
            CURRENT => Self::Current,
            CURRENT_TEMPORARY => Self::CurrentTemporary,
            LOCK => Self::Lock,
            _ => {
                if let Some(number) = name.strip_prefix(MANIFEST_PREFIX) {
                    Self::Manifest(parse_number(number)?)
                } else if let Some(number) = name.strip_suffix(LOG_SUFFIX) {
                    Self::Log(parse_number(number)?)
                } else {
                    Self::Table(parse_number(name.strip_suffix(TABLE_SUFFIX)?)?)
                }
            }
        };
        Some(parsed)
    }

    /// The number within the name, if it has one.
    #[must_use]
    pub const fn number(self) -> Option<u64> {
        match self {
            Self::Manifest(number) | Self::Log(number) | Self::Table(number) => Some(number),
            Self::Current | Self::CurrentTemporary | Self::Lock => None,
        }
    }
}

/// Accepts only what this module writes: six digits, or more only where needed.
fn parse_number(digits: &str) -> Option<u64> {
    let number: u64 = digits.parse().ok()?;
    (format!("{number:06}") == digits).then_some(number)
}

/// The name of a manifest, without its directory.
#[must_use]
pub fn manifest_name(number: u64) -> String {
    format!("{MANIFEST_PREFIX}{number:06}")
}

/// The path of a manifest.
#[must_use]
pub fn manifest(dir: &Path, number: u64) -> PathBuf {
    dir.join(manifest_name(number))
}

/// The path of a write-ahead log.
#[must_use]
pub fn log(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:06}{LOG_SUFFIX}"))
}

/// The path of a table.
#[must_use]
pub fn table(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:06}{TABLE_SUFFIX}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_and_foreign_ones_do_not() {
        let dir = Path::new("");
        for number in [1, 42, 999_999, 1_000_000, u64::MAX] {
            for (path, expected) in [
                (manifest(dir, number), FileName::Manifest(number)),
                (log(dir, number), FileName::Log(number)),
                (table(dir, number), FileName::Table(number)),
            ] {
                assert_eq!(FileName::parse(path.as_os_str()), Some(expected));
            }
        }
        for foreign in [
            "",
            "current",
            "1.log",
            "0000001.log",
            "000001.ldb",
            "LOG",
            "MANIFEST-",
            "MANIFEST-1",
            "+00001.sst",
            "00000a.sst",
            "000001.sst.bak",
        ] {
            assert_eq!(FileName::parse(OsStr::new(foreign)), None, "{foreign:?}");
        }
    }
}
