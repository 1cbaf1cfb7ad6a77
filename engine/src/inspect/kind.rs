//! The kind of a file: by its name, or by its contents if the name is not the engine's.
//!
//! A damaged file whose name says what it is must still be recognized. But if nothing in it matches the
//! name, another program wrote it, and calling it torn would make its owner search for a power cut.

use std::path::Path;

use crate::annotate::count;
use crate::error::{Error, Result};
use crate::log::{Header, has_fragment, may_be_log};
use crate::sstable::is_table;
use crate::version::{FileName, begins_as_manifest, named_manifest};
use crate::vfs::Vfs;

/// How many bytes of an unknown file are shown.
pub(super) const SHOWN_BYTES: usize = 16;
/// If nothing else suggests a log, a greater number means that the file is something else.
const USUAL_NUMBER_MAX: u32 = 1 << 24;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// The pointer to the manifest.
    Current,
    /// The next pointer, before it is renamed.
    CurrentTemporary,
    /// Nothing, only the lock on it counts.
    Lock,
    /// Version edits.
    Manifest {
        /// The number that its fragments state: that of its name, or, without one, that in its first header.
        number: u64,
    },
    /// Write batches.
    Log {
        /// The number that its fragments state: that of its name, or, without one, that in its first header.
        number: u64,
    },
    /// A sorted table.
    Table,
}

impl From<FileName> for FileKind {
    fn from(name: FileName) -> Self {
        match name {
            FileName::Current => Self::Current,
            FileName::CurrentTemporary => Self::CurrentTemporary,
            FileName::Lock => Self::Lock,
            FileName::Manifest(number) => Self::Manifest { number },
            FileName::Log(number) => Self::Log { number },
            FileName::Table(_) => Self::Table,
        }
    }
}

/// The kind of a file: by its name, or by its contents if the name is not the engine's.
///
/// # Errors
/// `UnknownFile` if neither is recognized, and `Io`.
pub fn kind_of(vfs: &dyn Vfs, path: &Path) -> Result<FileKind> {
    if let Some(name) = path.file_name().and_then(FileName::parse) {
        return Ok(name.into());
    }
    if is_table(&*vfs.open_random(path)?)? {
        return Ok(FileKind::Table);
    }
    let contents = vfs.read(path)?;
    if contents.starts_with(b"MANIFEST-") {
        return Ok(FileKind::Current);
    }
    let header = Header::of(&contents);
    let number = header.map_or(0, |header| u64::from(header.number));
    if begins_as_manifest(&contents) {
        return Ok(FileKind::Manifest { number });
    }
    if header.is_some_and(may_be_of_a_log) || has_fragment(&contents, number) {
        return Ok(FileKind::Log { number });
    }
    let found = format!(
        "{}. A table ends in \"KeysTbl\" and a newline, a log or a manifest begins with a fragment, and CURRENT with \
         \"MANIFEST-\". If it is one of these and has lost its beginning or its end, give it the name that it had, such as \
         000005.log, and it is read as what that says",
        beginning(&contents)
    );
    Err(Error::UnknownFile {
        path: path.to_path_buf(),
        found,
    })
}

/// Why a file is not what its name says, if nothing in it is as in such a file. A log whose first write was
/// torn by a power cut, or that is damaged, is still a log. Damaged tables are left to the table reader.
#[must_use]
pub fn mistaken(kind: FileKind, contents: &[u8]) -> Option<String> {
    let (name, number, opening) = match kind {
        FileKind::Log { number } => (
            "write-ahead log",
            number,
            "Opening the database would take it for a log whose first write a power cut has torn, and a later one \
             removes it",
        ),
        FileKind::Manifest { number } => (
            "manifest",
            number,
            "If CURRENT names it, opening the database refuses it",
        ),
        FileKind::Current if named_manifest(contents).is_none() => {
            return Some(no_current(contents));
        }
        FileKind::Lock if !contents.is_empty() => {
            let found = beginning(contents);
            return Some(format!(
                "the lock file is empty, because only the lock on it counts, and {found}"
            ));
        }
        _ => return None,
    };
    if begins_as_manifest(contents) || may_be_log(contents, number) {
        return None;
    }
    Some(format!(
        "by its name this is a {name}, and it looks like none: {}, and no fragment is in it. If another program wrote it, \
         move it elsewhere. {opening}",
        beginning(contents)
    ))
}

/// Whether the header belongs to some log, as far as can be told without its checksum.
fn may_be_of_a_log(header: Header) -> bool {
    header.has_type && header.length_fits && (1..=USUAL_NUMBER_MAX).contains(&header.number)
}

/// What is wrong with a `CURRENT` that names no manifest.
pub(super) fn no_current(contents: &[u8]) -> String {
    let found = beginning(contents);
    format!(
        "CURRENT names the manifest in force, as in \"MANIFEST-000005\" and a newline, and {found}"
    )
}

/// How a file begins, as part of a sentence.
fn beginning(contents: &[u8]) -> String {
    let shown = &contents[..contents.len().min(SHOWN_BYTES)];
    if contents.is_empty() {
        return "it is empty".to_owned();
    }
    if contents.iter().all(|byte| *byte == 0) {
        return format!("it is {}", count(contents.len() as u64, "zero"));
    }
    let more = if contents.len() > SHOWN_BYTES {
        "..."
    } else {
        ""
    };
    format!("it begins with \"{}{more}\"", shown.escape_ascii())
}
